/* One grading, start to end: both programs, every case, then the goals.
 *
 *   each case       draw inputs --> load --> the submission's call --> collect
 *                               --> load --> the baseline's call ----> collect --> compare
 *                   and once more on fresh inputs
 *   the timed case  on fresh inputs the server replays the baseline's and the submission's launches (A B B A)
 *
 * In a pair the submission is called first: while its code runs, the right outputs for these inputs
 * are nowhere. In a replay its code does not run at all, only the launches that it made, so there
 * the order alternates. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "runner/base/clock.h"
#include "runner/base/message.h"
#include "runner/base/say.h"
#include "runner/sim/profile.h"
#include "runner/sim/race_check.h"
#include "grader/grade.h"
#include "grader/judge/buffers.h"
#include "grader/judge/goals.h"
#include "grader/judge/hostwork.h"
#include "grader/judge/metrics.h"
#include "grader/judge/player.h"
#include "grader/judge/result.h"
#include "grader/judge/timing.h"
#include "grader/lab/lab.h"

enum { MIN_SAMPLES = 10, MAX_SAMPLES = 200, MAX_STARTS = 8 };
/* Simulated instructions: of a call, of all calls. A call may take AS_MUCH times what the baseline
 * takes for the same case (one thread that does everything takes 32 times as much, since each
 * instruction of a warp counts 32), and always CALL_WORK_MIN: an endless kernel ends soon, at the
 * same instruction on every machine. The most that a lab's baseline takes is a fifth of
 * CALL_WORK_MAX. */
static const uint64_t CALL_WORK_MIN = (uint64_t)1 << 28, CALL_WORK_MAX = (uint64_t)1 << 33,
                      AS_MUCH = 40, GRADING_WORK = (uint64_t)1 << 34;

typedef struct {
    const grade_lab *lab;
    const grade_options *o;
    grade_result *r;
    dev_session *session;
    player student, baseline;
    grade_metric_value *mine, *base; /* per goal */
    bool measured;
    bool outputs_right;
    bool races;      /* those in global memory are looked for */
    bool only_timed; /* the lab has no other case on which to call twice */
    bool warmed;     /* the next call finds the L2 as the last one left it */
    bool replay;     /* the second pair replays the launches; cleared when that could not be done */
    bool hidden;     /* in a hidden case: what is said now is not for students */
    bool stopped;    /* nothing more can be run */
    double useful_bytes, useful_flops;
    double *student_us, *baseline_us; /* samples of a measured device */
    size_t samples;
} run;

static void run_say(run *u, const char *en, const char *zh) {
    SAY(u->r->message, "%s", en);
    SAY(u->r->message_zh, "%s", zh);
    u->r->message_hidden = u->hidden;
}

/* Not the submission's fault: the verdict is ERROR, and nothing more is run. */
static bool run_infra(run *u, const char *en, const char *zh) {
    u->r->verdict = GRADE_ERROR;
    u->stopped = true;
    if (!u->r->message[0]) run_say(u, en, zh);
    return false;
}

static bool run_infra_message(run *u, const lib_message *msg) {
    lib_message m = *msg;
    lib_message_put(msg, m.text, m.zh, sizeof m.zh);
    return run_infra(u, m.text, m.zh);
}

static bool suspect(run *u, const char *en, const char *zh) {
    u->r->verdict = GRADE_SUSPECT;
    run_say(u, en, zh);
    return false;
}

static grade_call_log call_log(const player *p) {
    grade_call_log log = {0};
    log.count = dev_client_log(p->client, &log.records);
    log.busy_us = dev_client_busy_us(p->client);
    log.elapsed_us = dev_client_elapsed_us(p->client);
    return log;
}

static double log_time(const run *u, const grade_call_log *log) {
    return u->lab->host_time ? log->elapsed_us : log->busy_us;
}

static size_t launch_count(const grade_call_log *log) {
    size_t n = 0;
    for (size_t i = 0; i < log->count; i++) n += log->records[i].op == DEV_OP_LAUNCH;
    return n;
}

static void take_findings(run *u, player *p) {
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

/* What a call begins on: its inputs, poisoned outputs, and a cold L2 unless the call before was to
 * warm it. */
static bool begin_call(run *u, grade_buffers *b) {
    lib_message msg = {0};
    if (!buffers_load(b, &msg)) return run_infra_message(u, &msg);
    if (!u->warmed) dev_flush(u->session);
    return true;
}

/* Races in global memory are looked for in the calls of who is judged, where that is wanted (u->races):
 * it costs as much as the call. */
static void watch_races(run *u, bool mine) {
    sim_device *sim = dev_session_sim(u->session, 0);
    if (sim) sim_device_check_race_global(sim, u->races && (mine || u->o->watch_baseline));
}

static bool baseline_try(run *u, grade_buffers *b) {
    player *p = &u->baseline;
    if (!begin_call(u, b)) return false;
    watch_races(u, false);
    play_outcome o = player_start(p);
    if (o == PLAY_OK)
        o = player_call(p, b->args, b->lab->arg_count, b->serial, buffers_fill_host, b);
    watch_races(u, true);
    if (o == PLAY_CANCELLED || o == PLAY_INFRA)
        return run_infra(u, p->message[LIB_EN], p->message[LIB_ZH]);
    if (o != PLAY_OK) return baseline_failed(u, p->message[LIB_EN], p->message[LIB_ZH]);
    /* What it never launched nobody can be compared with. */
    grade_call_log log = call_log(p);
    if (!launch_count(&log))
        return baseline_failed(u, "it launched no kernel on this device (does a block fit?)",
                               "它没有在该设备上启动任何核函数（线程块放得下吗？）");
    return baseline_collect(u, b);
}

/* What the grader could not do while the submission held the device: once more without it. Where
 * that helps it was in the way, by memory that it keeps, and that is a fail. */
static bool without_submission(run *u) {
    if (!u->student.client || (u->o->dev.cancel && *u->o->dev.cancel)) return false;
    player_stop(&u->student, false, NULL);
    player_stop(&u->baseline, false, NULL);
    u->r->verdict = GRADE_FAIL;
    u->stopped = u->r->message_hidden = false;
    u->r->message[0] = u->r->message_zh[0] = 0;
    return true;
}

static void in_the_way(grade_case_result *c) {
    fail_case(
        c,
        "after its call it keeps so much of the device that the lab's own program has no room: "
        "free what was allocated.",
        "它在调用之后仍占用大量设备资源，实验自带的程序无法运行：请释放分配的内存。");
}

static bool baseline_call(run *u, grade_buffers *b, grade_case_result *c) {
    if (baseline_try(u, b)) return true;
    if (without_submission(u) && baseline_try(u, b)) in_the_way(c);
    return false;
}

/* ---- the submission ---- */

/* The device cannot execute a kernel of it: that is no verdict on the submission. */
static bool unsupported_launch(run *u) {
    player *p = &u->student;
    grade_call_log log = call_log(p);
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
 * one, and the call is named beside it. */
static void add_unsupported_call(run *u, grade_case_result *c) {
    const char *const *lines;
    if (!dev_client_unsupported(u->student.client, &lines)) return;
    size_t en = strlen(c->message), zh = strlen(c->message_zh);
    lib_say(c->message + en, sizeof c->message - en,
            " It also calls what %s does not support, and got an error back: %s", u->r->device,
            lines[0]);
    lib_say(c->message_zh + zh, sizeof c->message_zh - zh,
            " 它还调用了 %s 不支持的函数，该调用返回了错误：%s", u->r->device, lines[0]);
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
    if (p->client) take_findings(u, p);
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

static bool student_call(run *u, grade_buffers *b, grade_case_result *c) {
    player *p = &u->student;
    if (!begin_call(u, b)) return false;
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

/* ---- times, counters ---- */

static void device_peaks(const run *u, grade_evidence *e) {
    const sim_profile *p = dev_session_profile(u->session, 0);
    if (!p) return;
    e->copy_gbs = p->dram_gbs * p->dram_efficiency;
    e->fp32_gflops = p->sms * p->rate_fp32 * 32 * 2 * p->clock_ghz;
}

/* More than the device can do, by a goal's own measure. Of the bytes count those that no cache can
 * have had: the inputs of a run that begins with a cold L2, and of the outputs what is more than the
 * L2 holds. */
static void check_peaks(run *u, const grade_buffers *b, double time_us) {
    static const double margin = 1.05;
    const sim_profile *p = dev_session_profile(u->session, 0);
    grade_evidence e = {0};
    device_peaks(u, &e);
    for (size_t i = 0; p && time_us > 0 && i < u->lab->goal_count; i++) {
        const grade_goal *g = &u->lab->goals[i];
        if (g->kind != GRADE_GOAL_FRACTION) continue;
        bool copy = strcmp(g->name, "fp32") != 0;
        double kept = b->out_bytes - (double)p->l2_bytes,
               moved = (u->lab->warm ? 0 : b->in_bytes) + (kept > 0 ? kept : 0),
               peak = copy ? e.copy_gbs : e.fp32_gflops,
               reached = (copy ? moved : u->useful_flops) / time_us / 1e3;
        if (!(peak > 0) || reached <= margin * peak) continue;
        char en[300], zh[300];
        SAY(en,
            "%.0f%% of the device's %s were reached, which cannot be: a person should look at "
            "this submission.",
            100 * reached / peak, copy ? "copy bandwidth" : "FP32 peak");
        SAY(zh, "达到了设备%s的 %.0f%%，这不可能：请人工检查这份提交。",
            copy ? "拷贝带宽" : " FP32 峰值", 100 * reached / peak);
        suspect(u, en, zh);
    }
}

/* What no schedule can beat: the longest launch; and what the call's launches, copies and memsets
 * ask of one unit together (memory, the FP32 units, a direction of the link). */
static double floor_of(const sim_profile *p, const grade_call_log *log) {
    enum { LONGEST, DRAM, FP32, IN, OUT, UNITS };
    double us[UNITS] = {0}, most = 0;
    for (size_t i = 0; i < log->count; i++) {
        const dev_record *r = &log->records[i];
        if (r->result) {
            if (r->result->time_floor_us > us[LONGEST]) us[LONGEST] = r->result->time_floor_us;
            us[DRAM] += r->result->dram_floor_us;
            us[FP32] += r->result->fp32_floor_us;
        }
        if (!p) continue;
        us[DRAM] += (double)(r->read_sectors + r->write_sectors) * 32 / (1e3 * p->dram_gbs);
        if (r->op == DEV_OP_H2D) us[IN] += (double)r->bytes / (1e3 * p->h2d_pinned_gbs);
        if (r->op == DEV_OP_D2H) us[OUT] += (double)r->bytes / (1e3 * p->d2h_pinned_gbs);
    }
    for (unsigned k = 0; k < UNITS; k++)
        if (us[k] > most) most = us[k];
    return most;
}

/* No real device could be as fast as this. */
static void check_floor(run *u, const grade_call_log *log, double time_us) {
    double one = floor_of(dev_session_profile(u->session, 0), log);
    if (one > 0) u->r->floor_us = one;
    else if (u->o->explained) one = u->o->explained->floor_us; /* the same submission, counted */
    if (!(one > 0) || time_us >= 0.95 * one) return;
    char en[300], zh[300], t[32], f[32];
    lib_number(t, time_us);
    lib_number(f, one);
    SAY2(en, zh,
         "the time of %s us lies below %s us, which the device's peak bandwidth and issue rate "
         "allow: a "
         "person should look at this submission.",
         "用时 %s 微秒低于设备峰值带宽与发射速率所允许的 %s 微秒：请人工检查这份提交。", t, f);
    suspect(u, en, zh);
}

/* Loads and stores that were made as atomics, beyond those of the baseline: a goal that allows few
 * sectors or requests of the one is not met by the other. */
static double atomics_beyond(const grade_goal *g, const grade_call_log *mine,
                             const grade_call_log *base) {
    static const struct {
        const char *of, *as;
    } rows[] = {{"gld_sectors", "atom_global_lanes"},
                {"gst_sectors", "atom_global_lanes"},
                {"gld_requests", "atom_global_requests"},
                {"gst_requests", "atom_global_requests"}};
    if (g->relation != GRADE_LE && g->relation != GRADE_LT) return 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].of, g->name)) continue;
        grade_goal atomics = *g;
        double here = 0, there = 0;
        atomics.name = rows[i].as;
        if (grade_metric(&atomics, mine, &here) != METRIC_OK) return 0;
        atomics.kernel = NULL; /* the baseline's kernel may have another name */
        if (grade_metric(&atomics, base, &there) != METRIC_OK) there = 0;
        return here > there ? here - there : 0;
    }
    return 0;
}

static void take_metrics(run *u, const grade_buffers *b) {
    grade_call_log mine = call_log(&u->student), base = call_log(&u->baseline);
    grade_result *r = u->r;
    for (size_t i = 0; i < u->lab->goal_count; i++) {
        const grade_goal *g = &u->lab->goals[i];
        if (g->kind != GRADE_GOAL_COUNTER || u->o->explained) continue;
        grade_goal of_base = *g;
        u->mine[i].status = grade_metric(g, &mine, &u->mine[i].value);
        if (!g->than) u->mine[i].value += atomics_beyond(g, &mine, &base);
        if (g->than) { /* measured against a kernel of its own */
            of_base.kernel = g->than;
            u->base[i].status = grade_metric(&of_base, &mine, &u->base[i].value);
            continue;
        }
        u->base[i].status = grade_metric(&of_base, &base, &u->base[i].value);
        if (u->base[i].status == METRIC_NO_LAUNCH &&
            g->kernel) { /* the baseline's kernel has another name */
            of_base.kernel = NULL;
            u->base[i].status = grade_metric(&of_base, &base, &u->base[i].value);
        }
    }
    if (!u->o->explained) {
        free(r->figures[0]);
        free(r->figures[1]);
        r->figures[0] = grade_figures(&mine);
        r->figures[1] = grade_figures(&base);
    }
    result_set_launches(r, mine.records, mine.count);
    if (!u->replay) result_set_ops(r, mine.records, mine.count);
    memset(&r->baseline_counters, 0, sizeof r->baseline_counters);
    for (size_t i = 0; i < base.count; i++)
        if (base.records[i].op == DEV_OP_LAUNCH && base.records[i].result)
            sim_counters_add(&r->baseline_counters, &base.records[i].result->counters);
    r->time_us = log_time(u, &mine);
    r->baseline_us = log_time(u, &base);
    r->speedup = r->time_us > 0 ? r->baseline_us / r->time_us : 0;
    u->useful_bytes = b->in_bytes + b->out_bytes;
    u->useful_flops =
        (double)(u->o->explained ? &u->o->explained->baseline_counters : &r->baseline_counters)
            ->flop_sp;
    u->measured = true;
    check_floor(u, &mine, r->time_us);
    check_peaks(u, b, r->time_us);
}

static bool run_compare(run *u, grade_buffers *b, grade_case_result *c, bool again) {
    grade_case_result now_c = {.params = c->params, .param_count = c->param_count};
    if (buffers_compare(b, &now_c)) {
        if (now_c.max_error > c->max_error) c->max_error = now_c.max_error;
        c->total = now_c.total;
        c->compared = now_c.compared, c->blank = now_c.blank;
        return true;
    }
    if (!again) {
        c->has_mismatch = true;
        c->mismatch_arg = now_c.mismatch_arg;
        c->index = now_c.index;
        c->expected = now_c.expected;
        c->actual = now_c.actual;
        c->unwritten = now_c.unwritten;
        c->wrong = now_c.wrong;
        c->total = now_c.total;
        c->max_error = now_c.max_error;
        memcpy(c->picture, now_c.picture, sizeof c->picture);
        memcpy(c->message, now_c.message, sizeof c->message);
        memcpy(c->message_zh, now_c.message_zh, sizeof c->message_zh);
        add_unsupported_call(u, c);
        c->pass = false;
    } else {
        fail_case(c,
                  "right on the first call, wrong on fresh inputs: something is kept from an "
                  "earlier call. "
                  "Every call must compute its outputs from its own inputs.",
                  "第一次调用正确，换一组输入后出错：程序保留了之前调用的内容。每次调用都必须根据自"
                  "己的输入计"
                  "算输出。");
    }
    return false;
}

static bool player_clean(const player *p) {
    const sim_finding *f;
    size_t n = dev_client_findings(p->client, &f);
    for (size_t i = 0; i < n; i++)
        if (grade_finding_forbids(f[i].kind)) return false;
    return true;
}

static bool run_draw(run *u, grade_buffers *b, const grade_case_result *c, const char *what,
                     unsigned set) {
    lib_message msg = {0};
    char label[64];
    lib_say(label, sizeof label, "case %zu/%s %u", (size_t)(c - u->r->cases), what, set);
    return buffers_draw(b, u->o->secret ? u->o->secret : u->o->seed, label, &msg) ||
           run_infra_message(u, &msg);
}

/* Fills the L2 as the run that is about to be timed finds it in a lab that says `warm`: by one on
 * other inputs, since who sees the same inputs twice has the answer already. */
static bool warm_up(run *u, grade_buffers *b, grade_case_result *c, unsigned set, bool mine,
                    bool replay) {
    player *p = mine ? &u->student : &u->baseline;
    u->warmed = false;
    if (!u->lab->warm) return true;
    if (!run_draw(u, b, c, "warm", set)) return false;
    if (!replay) {
        if (!(mine ? student_call(u, b, c) : baseline_call(u, b, c))) return false;
    } else if (begin_call(u, b)) {
        player_replay(p); /* whether it can be replayed, the run that is timed will say */
    } else {
        return false;
    }
    u->warmed = true;
    return run_draw(u, b, c, "set", set);
}

/* A call in whose work the host had a part passes where the lab's host may do that, or where the
 * launches alone are right on other inputs: then nothing that the host saw has gone into them. */
static bool host_proven(run *u, grade_buffers *b, grade_case_result *c, unsigned set) {
    lib_message msg = {0};
    const grade_arg *changed = NULL;
    dev_flow flow;
    grade_case_result probe = {.params = c->params, .param_count = c->param_count};
    if (!c->pass) return false;
    dev_client_flow(u->student.client, &flow);
    if (hostwork_allowed(u->lab->host_work, &flow)) return true;
    if (!run_draw(u, b, c, "set", set) || !begin_call(u, b)) return false;
    bool right = player_replay(&u->student) && player_clean(&u->student);
    if (right && !buffers_collect(b, u->student.client, true, &changed, &msg))
        return run_infra_message(u, &msg);
    if (right && !changed) {
        if (!baseline_call(u, b, c)) return false;
        right = buffers_compare(b, &probe);
    }
    if (right && !changed) return true;
    hostwork_fail(&flow, c);
    return false;
}

/* After a replay that came to nothing a program's own memory is not what its code believes: a
 * barrier has counted blocks that the host never sent, a fault has taken the context. It starts
 * anew and is called once, so that what it does only on its first call is not timed. */
static bool start_anew(run *u, grade_buffers *b, grade_case_result *c, unsigned set) {
    if (!u->student.replayed) return true;
    player_stop(&u->student, false, NULL);
    u->warmed = false;
    if (!run_draw(u, b, c, "anew", set) || !student_call(u, b, c)) return false;
    take_findings(u, &u->student);
    return true;
}

/* One more pair on fresh inputs. The submission's launches are replayed where that can be, else its
 * function is called again. */
static bool second_pair(run *u, grade_buffers *b, grade_case_result *c, unsigned set,
                        bool student_first) {
    lib_message msg = {0};
    const grade_arg *changed;
    if (!run_draw(u, b, c, "set", set)) return false;
    bool replay = u->replay && !u->lab->host_time && !dev_client_read_back(u->student.client);
    for (unsigned turn = 0; turn < 2; turn++) {
        bool mine = (turn == 0) == (student_first || !replay);
        player *p = mine ? &u->student : &u->baseline;
        bool done = false;
        if (!warm_up(u, b, c, set, mine, replay && u->baseline.client)) return false;
        if (replay && u->baseline.client) {
            if (!begin_call(u, b)) return false;
            done = player_replay(p);
        }
        /* A replay with memory errors may be the replay's own fault (memory that the call freed): a
         * call decides. */
        done = done && player_clean(p);
        if (done && !buffers_collect(b, p->client, mine, &changed, &msg))
            return run_infra_message(u, &msg);
        if (done && changed) done = false;
        if (!done && mine && replay) {
            /* It could not be replayed after all: from here on it is called, and called first. */
            u->replay = false;
            return start_anew(u, b, c, set) && second_pair(u, b, c, set, true);
        }
        if (!done && !mine && p->replayed) player_stop(p, false, NULL);
        if (!done && !(mine ? student_call(u, b, c) : baseline_call(u, b, c))) return false;
    }
    u->warmed = false;
    if (!replay) u->replay = false;
    if (replay) {
        grade_case_result probe = {.params = c->params, .param_count = c->param_count};
        /* Launches alone do not always make a call (memory freed and allocated between them):
         * calling the function again decides. */
        if (!buffers_compare(b, &probe)) {
            u->replay = false;
            return start_anew(u, b, c, set) && second_pair(u, b, c, set + 1000, true);
        }
    }
    take_findings(u, &u->student);
    return run_compare(u, b, c, true);
}

static void fraction_of(const run *u, const grade_goal *g, double *peak, double *work) {
    grade_evidence e = {0};
    bool copy = strcmp(g->name, "fp32") != 0;
    device_peaks(u, &e);
    *peak = copy ? e.copy_gbs : e.fp32_gflops;
    *work = copy ? u->useful_bytes : u->useful_flops;
}

static bool run_decided(const run *u, const grade_ratio *q) {
    for (size_t i = 0; i < u->lab->goal_count; i++) {
        const grade_goal *g = &u->lab->goals[i];
        if (g->kind == GRADE_GOAL_SPEEDUP && q->lo < g->threshold && q->hi > g->threshold)
            return false;
        if (g->kind != GRADE_GOAL_FRACTION) continue;
        /* The time at which the fraction is just reached. */
        double peak, work, at;
        fraction_of(u, g, &peak, &work);
        at = peak > 0 && g->threshold > 0 ? work / 1e3 / (peak * g->threshold) : 0;
        if (q->student_lo < at && q->student_hi > at) return false;
    }
    return true;
}

/* Real clocks: samples until the interval clears every threshold, at least 10 and half a second, at
 * most 15 s. */
static bool run_sample(run *u, grade_buffers *b, grade_case_result *c) {
    u->student_us = calloc(MAX_SAMPLES, sizeof *u->student_us);
    u->baseline_us = calloc(MAX_SAMPLES, sizeof *u->baseline_us);
    if (!u->student_us || !u->baseline_us) return run_infra(u, "out of memory", "内存不足");
    double begin = lib_now();
    grade_ratio q = {0};
    for (size_t n = 0; n < MAX_SAMPLES && !u->stopped; n++) {
        if (!second_pair(u, b, c, (unsigned)n + 2, n % 2)) return false;
        grade_call_log mine = call_log(&u->student), base = call_log(&u->baseline);
        u->student_us[n] = log_time(u, &mine);
        u->baseline_us[n] = log_time(u, &base);
        if (!u->replay && !host_proven(u, b, c, 4000 + (unsigned)n)) return false;
        u->samples = n + 1;
        double spent = lib_now() - begin;
        if (n + 1 < MIN_SAMPLES || (spent < 0.5 && n + 1 < MAX_SAMPLES)) continue;
        grade_bootstrap(u->student_us, u->baseline_us, n + 1, &q);
        if (run_decided(u, &q) || spent > 15) break;
    }
    grade_bootstrap(u->student_us, u->baseline_us, u->samples, &q);
    u->r->time_us = q.student;
    u->r->baseline_us = q.baseline;
    u->r->speedup = q.ratio;
    u->r->ci_lo = q.lo;
    u->r->ci_hi = q.hi;
    u->r->time_lo = q.student_lo;
    u->r->time_hi = q.student_hi;
    u->r->samples = u->samples;
    check_floor(u, &(grade_call_log){0}, u->r->time_us);
    check_peaks(u, b, u->r->time_us);
    return true;
}

/* ---- cases ---- */

/* Has the submission's last call work that only order between streams, or a graph's edges, keeps from
 * running at once? */
static bool may_overlap(const run *u) {
    const dev_record *r, *first = NULL;
    size_t n = dev_client_log(u->student.client, &r);
    for (size_t i = 0; i < n; i++) {
        bool work = r[i].op == DEV_OP_LAUNCH || r[i].op == DEV_OP_MEMSET || r[i].op == DEV_OP_H2D ||
                    r[i].op == DEV_OP_D2H || r[i].op == DEV_OP_D2D;
        if (!work) continue;
        if (!first) first = &r[i];
        if (r[i].in_graph || r[i].stream != first->stream) return true;
    }
    return false;
}

/* A race may be in the timed case alone, which runs without watching what its kernels access: where
 * its work may overlap, it is called once more, watched and not timed. False: it is out. */
static bool watch_timed(run *u, grade_buffers *b, grade_case_result *c) {
    if (!dev_session_sim(u->session, 0)) return true;
    u->races = true;
    watch_races(u, true);
    u->replay = false;
    bool went = second_pair(u, b, c, 2000, true) && host_proven(u, b, c, 3001);
    u->races = false;
    watch_races(u, true);
    return went;
}

static void run_case(run *u, grade_case_result *c, bool measure) {
    lib_message msg = {0};
    grade_buffers b = {0};
    char label[64];
    lib_say(label, sizeof label, "case %zu/set 0", (size_t)(c - u->r->cases));
    bool room = buffers_new(&b, u->lab, u->session, c->params, c->param_count, &msg);
    if (!room && without_submission(u)) {
        buffers_free(&b);
        b = (grade_buffers){0};
        room = buffers_new(&b, u->lab, u->session, c->params, c->param_count, &msg);
        if (room) {
            in_the_way(c);
            goto out;
        }
    }
    if (!room || !buffers_draw(&b, u->o->secret ? u->o->secret : u->o->seed, label, &msg)) {
        run_infra_message(u, &msg);
        goto out;
    }
    b.serial = (unsigned)(c - u->r->cases) + 1;
    u->warmed = false;
    /* Blocks that add to one word without an atomic are right by luck at best. Looked for where it
     * is cheap: the timed case is the large one. */
    u->races = !c->timed || u->only_timed;
    watch_races(u, true);
    if (!baseline_call(u, &b, c)) goto out;
    uint64_t limit = u->baseline.call_work * AS_MUCH; /* at most 40 x 2^33 */
    u->student.call_limit = limit < CALL_WORK_MIN   ? CALL_WORK_MIN
                            : limit < CALL_WORK_MAX ? limit
                                                    : CALL_WORK_MAX;
    c->pass = true;
    if (!student_call(u, &b, c)) {
        c->pass = false;
        goto out;
    }
    take_findings(u, &u->student);
    bool overlaps = c->timed && !u->only_timed && may_overlap(u);
    bool right = run_compare(u, &b, c, false);
    if (u->stopped) goto out;
    if (measure) take_metrics(u, &b); /* also of wrong outputs: the counters may tell why */
    if (!right || !host_proven(u, &b, c, 3000)) goto out;
    /* The same size once more on other inputs: what was kept from the first call is wrong now. A
     * replay would not show it, since the submission's own code does not run in it. */
    if (c->pass && (!c->timed || u->only_timed)) {
        u->replay = false;
        if (!second_pair(u, &b, c, 2000, true) || !host_proven(u, &b, c, 3001)) goto out;
    }
    if (c->pass && overlaps && !watch_timed(u, &b, c)) goto out;
    if (!measure) goto out;
    if (!c->pass || !c->timed) goto out;
    u->replay = true;
    if (!second_pair(u, &b, c, 1, false)) goto out;
    u->r->replayed = u->replay;
    take_metrics(u, &b);
    if (!u->replay && !host_proven(u, &b, c, 3002)) goto out;
    if (strncmp(u->r->device, "sim:", 4) != 0) run_sample(u, &b, c);
out:
    if (u->r->verdict == GRADE_ERROR) c->pass = false;
    if (!c->pass) u->outputs_right = false;
    if (!c->hidden) u->r->finding_public = u->r->finding_count;
    buffers_free(&b);
}

static size_t measured_case(const grade_result *r) {
    size_t last = 0;
    for (size_t i = 0; i < r->case_count; i++) {
        if (r->cases[i].timed) return i;
        if (!r->cases[i].hidden) last = i;
    }
    return last;
}

/* Takes the addresses that other cases would have had. */
static void run_before(run *u) {
    for (size_t i = 0; i < u->lab->before_count; i++) {
        const grade_case *c = &u->lab->before[i];
        lib_message msg;
        grade_buffers b;
        buffers_new(&b, u->lab, u->session, c->params, c->param_count, &msg);
        buffers_free(&b);
    }
}

/* Sets memory aside for the largest case: no submission can take it. */
static void reserve_buffers(const run *u) {
    uint64_t most = 0;
    for (size_t i = 0; i < u->r->case_count; i++) {
        const grade_case_result *c = &u->r->cases[i];
        uint64_t bytes = buffers_bytes(u->lab, c->params, c->param_count);
        if (bytes > most) most = bytes;
    }
    dev_reserve(u->session, most);
}

static void run_cases(run *u) {
    grade_result *r = u->r;
    reserve_buffers(u);
    size_t measure = measured_case(r);
    run_before(u);
    u->outputs_right = u->only_timed = true;
    for (size_t i = 0; i < r->case_count; i++) u->only_timed = u->only_timed && r->cases[i].timed;
    for (size_t i = 0; i < r->case_count; i++) {
        grade_case_result *c = &r->cases[i];
        if (u->o->dev.cancel && *u->o->dev.cancel && !u->stopped)
            run_infra(u, "cancelled", "已取消");
        if (u->stopped) {
            u->outputs_right = false;
            fail_case(c, "not run, because of what happened before.", "由于之前的问题没有运行。");
            continue;
        }
        u->hidden = c->hidden;
        if (u->o->progress) u->o->progress(u->o->user, i, r->case_count);
        run_case(u, c, i == measure);
        u->hidden = false;
        if (!c->pass && u->o->first_failure_only) u->stopped = true;
    }
}

/* ---- the whole ---- */

void grade_run(const grade_lab *lab, const char *program, const char *baseline,
               const grade_host *host, const grade_options *o, grade_result *r) {
    lib_message msg = {0};
    run u = {.lab = lab, .o = o, .r = r};
    grade_result_free(r);
    grade_result_init(r, lab, o);
    double ceiling = o->time_limit_s > 0 ? o->time_limit_s : 60;
    double limit =
        lab->time_limit_s > 0 && lab->time_limit_s < ceiling ? lab->time_limit_s : ceiling;
    dev_options dev = o->dev;
    dev.device = o->device;
    dev.device_memory = lab->device_memory;
    u.session = dev_session_new(&dev, &msg);
    u.mine = calloc(lab->goal_count + 1, sizeof *u.mine);
    u.base = calloc(lab->goal_count + 1, sizeof *u.base);
    grade_evidence e = {.student = u.mine, .baseline = u.base};
    if (!u.session || !u.mine || !u.base || (lab->goal_count && !r->goals)) {
        if (!msg.text[0]) lib_message_set2(&msg, "out of memory", "内存不足");
        run_infra_message(&u, &msg);
    } else if (!grade_draw_cases(lab, o, &r->cases, &r->case_count, &msg))
        run_infra_message(&u, &msg);
    else {
        if (!r->device[0])
            lib_say(r->device, sizeof r->device, "%s", dev_session_name(u.session, 0));
        u.student = (player){.host = host,
                             .session = u.session,
                             .path = program,
                             .who = {"the program", "程序"},
                             .forbids = lab,
                             .limit_s = limit,
                             .call_limit = CALL_WORK_MIN,
                             .work_limit = GRADING_WORK};
        u.baseline = (player){.host = host,
                              .session = u.session,
                              .path = baseline,
                              .who = {"the baseline", "基线程序"},
                              .limit_s = limit,
                              .call_limit = CALL_WORK_MAX,
                              .work_limit = GRADING_WORK};
        r->has_gpu = dev_session_gpu(u.session, 0, &r->gpu);
        uint64_t before = r->gpu.throttle;
        run_cases(&u);
        if (r->has_gpu) dev_session_gpu(u.session, 0, &r->gpu);
        r->throttle = before | r->gpu.throttle;
        player_stop(&u.student, true, r);
        device_peaks(&u, &e);
    }
    /* What a wrong output says stands, whatever kept the grader from the rest; but a cancelled
     * grading is not finished. */
    bool wrong = false;
    for (size_t i = 0; i < r->case_count; i++) wrong = wrong || r->cases[i].has_mismatch;
    if (r->verdict == GRADE_ERROR && wrong && !(o->dev.cancel && *o->dev.cancel)) {
        r->verdict = GRADE_FAIL;
        r->ungradable = false;
    }
    if (o->explained) result_explain(r, o->explained);
    e.explained = o->explained;
    for (size_t i = 0; i < r->finding_count && !e.finding; i++)
        if (grade_finding_forbids(r->findings[i].kind)) e.finding = &r->findings[i];
    e.outputs_right = u.outputs_right && r->case_count;
    e.measured = u.measured;
    e.useful_bytes = u.useful_bytes;
    e.useful_flops = u.useful_flops;
    e.sampled = u.samples > 0;
    e.submission = o->submission;
    e.truths = o->truths;
    grade_judge(r, &e);
    if (u.student.forbidden && r->verdict != GRADE_ERROR)
        grade_result_fail(
            r,
            "the program loads, while it runs, device code that uses what this lab "
            "does not allow (`forbid`). Write the kernel yourself.",
            "程序在运行时加载了使用本实验禁用内容（`forbid`）的设备代码。请自己编写核函数。", NULL);
    if (r->verdict == GRADE_ERROR) {
        r->score = 0;
        for (size_t i = 0; i < r->goal_count; i++) {
            r->goals[i].pass = false;
            r->goals[i].points = 0;
            SAY(r->goals[i].message[LIB_EN], "could not be judged: %s",
                grade_result_said(r, LIB_EN));
            SAY(r->goals[i].message[LIB_ZH], "无法评判：%s", grade_result_said(r, LIB_ZH));
        }
    }
    r->output = u.student.output;
    r->output_len = u.student.output_len;
    r->output_cut = u.student.output_cut;
    u.student.output = NULL;
    player_free(&u.student);
    player_free(&u.baseline);
    if (u.session) dev_session_free(u.session);
    free(u.mine);
    free(u.base);
    free(u.student_us);
    free(u.baseline_us);
}
