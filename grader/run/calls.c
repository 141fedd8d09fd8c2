/* One call of each program: what it begins on, and what becomes of a call that does not come back as it
 * should. Whatever goes wrong with the baseline is the lab's fault; with the submission, its own, or
 * the device's.
 *
 *   buffers_load --> player_call --> findings, outputs collected --> a case that fails, or goes on */
#include <stdlib.h>
#include <string.h>
#include "runner/base/message.h"
#include "runner/base/say.h"
#include "runner/device/sim/race_check.h"
#include "runner/device/server/device.h"
#include "grader/judge/hostwork.h"
#include "grader/judge/result_fill.h"
#include "grader/run/run.h"

enum { MAX_STARTS = 8 };

static void run_say(run *u, const char *en, const char *zh) {
    SAY(u->r->message, "%s", en);
    SAY(u->r->message_zh, "%s", zh);
    u->r->message_hidden = u->hidden;
}

bool run_infra(run *u, const char *en, const char *zh) {
    u->r->verdict = GRADE_ERROR;
    u->stopped = true;
    if (!u->r->message[0]) run_say(u, en, zh);
    return false;
}

bool run_infra_message(run *u, const lib_message *msg) {
    lib_message m = *msg;
    lib_message_put(msg, m.text, m.zh, sizeof m.zh);
    return run_infra(u, m.text, m.zh);
}

bool run_suspect(run *u, const char *en, const char *zh) {
    u->r->verdict = GRADE_SUSPECT;
    run_say(u, en, zh);
    return false;
}

grade_call_log run_call_log(const player *p) {
    grade_call_log log = {0};
    log.count = dev_client_log(p->client, &log.records);
    log.busy_us = dev_client_busy_us(p->client);
    log.elapsed_us = dev_client_elapsed_us(p->client);
    return log;
}

double run_log_time(const run *u, const grade_call_log *log) {
    return u->lab->host_time ? log->elapsed_us : log->busy_us;
}

static size_t launch_count(const grade_call_log *log) {
    size_t n = 0;
    for (size_t i = 0; i < log->count; i++) n += log->records[i].op == DEV_OP_LAUNCH;
    return n;
}

void run_take_findings(run *u, player *p) {
    const sim_finding *f;
    size_t n = dev_client_findings(p->client, &f);
    result_add_findings(u->r, f, n);
}

/* ---- the baseline: whatever goes wrong with it is the lab's fault ---- */

static bool baseline_failed(run *u, const char *en, const char *zh) {
    char a[sizeof u->r->message], b[sizeof u->r->message_zh];
    SAY(a, "the lab's own baseline failed: %s", en);
    SAY(b, "实验自带的基线程序失败：%s", zh);
    return run_infra(u, a, b);
}

static bool baseline_collect(run *u, grade_buffers *b) {
    lib_message msg = {0};
    const grade_arg *changed;
    const sim_finding *f;
    size_t n = dev_client_findings(u->baseline.client, &f);
    for (size_t i = 0; i < n; i++)
        if (grade_finding_forbids(f[i].kind)) {
            char *chinese = grade_finding_text(&f[i], LIB_ZH);
            baseline_failed(u, f[i].text, chinese ? chinese : f[i].text);
            free(chinese);
            return false;
        }
    if (!buffers_collect(b, u->baseline.client, false, &changed, &msg))
        return run_infra_message(u, &msg);
    if (changed) return baseline_failed(u, "it changed an input", "它改动了输入");
    return true;
}

bool run_begin_call(run *u, grade_buffers *b) {
    lib_message msg = {0};
    if (!buffers_load(b, &msg)) return run_infra_message(u, &msg);
    if (!u->warmed) dev_flush(u->session);
    return true;
}

void run_watch_races(run *u, bool mine) {
    sim_device *sim = dev_session_sim(u->session, 0);
    if (sim) sim_device_check_race_global(sim, u->races && (mine || u->o->watch_baseline));
}

static bool baseline_try(run *u, grade_buffers *b) {
    player *p = &u->baseline;
    if (!run_begin_call(u, b)) return false;
    run_watch_races(u, false);
    play_outcome o = player_start(p);
    if (o == PLAY_OK)
        o = player_call(p, b->args, b->lab->arg_count, b->serial, buffers_fill_host, b);
    run_watch_races(u, true);
    if (o == PLAY_CANCELLED || o == PLAY_INFRA)
        return run_infra(u, p->message[LIB_EN], p->message[LIB_ZH]);
    if (o != PLAY_OK) return baseline_failed(u, p->message[LIB_EN], p->message[LIB_ZH]);
    /* What it never launched nobody can be compared with. */
    grade_call_log log = run_call_log(p);
    if (!launch_count(&log))
        return baseline_failed(u, "it launched no kernel on this device (does a block fit?)",
                               "它没有在该设备上启动任何核函数（线程块放得下吗？）");
    return baseline_collect(u, b);
}

bool run_without_submission(run *u) {
    if (!u->student.client || (u->o->dev.cancel && *u->o->dev.cancel)) return false;
    player_stop(&u->student, false, NULL);
    player_stop(&u->baseline, false, NULL);
    u->r->verdict = GRADE_FAIL;
    u->stopped = u->r->message_hidden = false;
    u->r->message[0] = u->r->message_zh[0] = 0;
    return true;
}

void run_in_the_way(grade_case_result *c) {
    fail_case(
        c,
        "after its call it keeps so much of the device that the lab's own program has no room: "
        "free what was allocated.",
        "它在调用之后仍占用大量设备资源，实验自带的程序无法运行：请释放分配的内存。");
}

bool run_baseline_call(run *u, grade_buffers *b, grade_case_result *c) {
    if (baseline_try(u, b)) return true;
    if (run_without_submission(u) && baseline_try(u, b)) run_in_the_way(c);
    return false;
}

/* ---- the submission ---- */

/* The device cannot execute a kernel of it: that is no verdict on the submission. */
static bool unsupported_launch(run *u) {
    player *p = &u->student;
    grade_call_log log = run_call_log(p);
    bool launch = false;
    for (size_t i = 0; i < log.count && !launch; i++) {
        if (log.records[i].op != DEV_OP_LAUNCH || log.records[i].status == SIM_OK) continue;
        if (log.records[i].status != SIM_UNSUPPORTED) return false; /* its own mistake came first */
        launch = true;
    }
    if (!launch) return false;
    char en[sizeof u->r->message], zh[sizeof u->r->message_zh];
    SAY(en, "the submission uses what %s does not support, so it cannot be graded on it: %s",
        u->r->device, p->message[LIB_EN]);
    SAY(zh, "提交使用了 %s 不支持的功能，无法在其上评分：%s", u->r->device, p->message[LIB_ZH]);
    u->r->ungradable = true;
    run_infra(u, en, zh);
    return true;
}

/* An unsupported call answers with an error, which a program can look at: a wrong output stays
 * one, and the call is named beside it. It is named by our own table: the lines of the log hold words
 * of the program's, which could say what an input was. */
void run_add_unsupported_call(run *u, grade_case_result *c) {
    const char *name = dev_client_unsupported_call(u->student.client);
    const lib_message *const *lines;
    if (!dev_client_unsupported(u->student.client, &lines)) return;
    size_t en = strlen(c->message), zh = strlen(c->message_zh);
    lib_say(c->message + en, sizeof c->message - en,
            " It also uses what %s does not support, and got an error back%s%s.", u->r->device,
            name ? ": " : "", name ? name : "");
    lib_say(c->message_zh + zh, sizeof c->message_zh - zh,
            " 它还用到了 %s 不支持的功能，得到了错误%s%s。", u->r->device, name ? "：" : "",
            name ? name : "");
}

/* The submission's call did not come back as it should. */
static void student_failed(run *u, grade_case_result *c, play_outcome o) {
    player *p = &u->student;
    const char *en = p->message[LIB_EN], *zh = p->message[LIB_ZH];
    if (o == PLAY_CANCELLED || o == PLAY_INFRA) {
        run_infra(u, en, zh);
        return;
    }
    if (o == PLAY_LAUNCH && unsupported_launch(u)) return;
    if (p->client) run_take_findings(u, p);
    /* A crash on a device pointer is a finding with an address and a name: it says more than the
     * signal. */
    const sim_finding *f = NULL;
    bool endless = false;
    char *chinese = NULL;
    size_t n = p->client ? dev_client_findings(p->client, &f) : 0;
    for (size_t i = 0; i < n; i++) {
        if (f[i].kind == SIM_FIND_HOST_DEREF && !chinese)
            en = f[i].text, zh = chinese = grade_finding_text(&f[i], LIB_ZH);
        endless = endless || f[i].kind == SIM_FIND_BUDGET;
    }
    fail_case(c, en, zh);
    if (o != PLAY_LAUNCH && !u->r->message[0]) run_say(u, en, zh);
    free(chinese);
    /* After a failed launch the context is lost, and the process may be gone: a new one for the
     * next case. */
    if (o == PLAY_LAUNCH) player_stop(p, false, NULL);
    else player_drop(p);
    /* A kernel that never ends costs seconds a case, and the next case would say the same. */
    if (endless || o == PLAY_TIMEOUT || o == PLAY_PROTOCOL || p->starts >= MAX_STARTS)
        u->stopped = true;
}

static bool student_collect(run *u, grade_buffers *b, grade_case_result *c) {
    lib_message msg = {0};
    const grade_arg *changed;
    if (!buffers_collect(b, u->student.client, true, &changed, &msg))
        return run_infra_message(u, &msg);
    if (!changed) return true;
    char en[200], zh[200];
    SAY2(en, zh, "it changed the input '%s', which the function may only read.",
         "它改动了输入 '%s'，该参数只能读取。", changed->name);
    fail_case(c, en, zh);
    return false;
}

bool run_student_call(run *u, grade_buffers *b, grade_case_result *c) {
    player *p = &u->student;
    if (!run_begin_call(u, b)) return false;
    play_outcome o = player_start(p);
    if (o != PLAY_OK) {
        student_failed(u, c, o);
        u->stopped = true; /* it does not even start: the next time neither */
        return false;
    }
    o = player_call(p, b->args, b->lab->arg_count, b->serial, buffers_fill_host, b);
    if (o != PLAY_OK) {
        student_failed(u, c, o);
        return false;
    }
    return hostwork_check(&u->student, &u->baseline, b, c) && student_collect(u, b, c);
}
