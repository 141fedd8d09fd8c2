/* Starting, calling and ending one program, and saying in both languages how it went.
 *
 * The program is not trusted: it may end, hang, close its socket and live on, or send nonsense.
 * Each of these is an outcome, none is waited for longer than its share of the time limit. What it
 * asks of a simulated device is limited in instructions, not in seconds: the verdict must not
 * depend on how busy this machine is. */
#include "grader/judge/player.h"
#include "runner/base/buffer.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include "runner/base/message.h"
#include "runner/base/say.h"
#include "grader/judge/buffers.h"
#include "grader/judge/result_fill.h"
#include "grader/lab/inputs.h"

enum { MAX_OUTPUT = 64 * 1024 };

static void take_output(player *p, char *text, size_t n) {
    if (text && n && !p->output_cut) {
        if (n > MAX_OUTPUT - p->output_len) {
            n = MAX_OUTPUT - p->output_len;
            p->output_cut = true;
            while (n && text[n - 1] != '\n') n--; /* whole lines only */
        }
        if (lib_resize(&p->output, p->output_len + n + 1, 1)) {
            memcpy(p->output + p->output_len, text, n);
            p->output_len += n;
            p->output[p->output_len] = 0;
        }
    }
    free(text);
}

static int player_reap(player *p, bool kill_it) {
    if (p->child.pid <= 0) return 0; /* already waited for */
    char *text = NULL;
    size_t n = 0;
    int status = p->host->reap(p->host->user, &p->child, kill_it, &text, &n);
    take_output(p, text, n);
    p->child.pid = -1;
    return status;
}

void player_drop(player *p) {
    if (p->client) { /* what the device printed in a call that never ended */
        size_t n;
        const char *text = dev_client_undelivered(p->client, &n);
        char *copy = n ? malloc(n) : NULL;
        if (copy) memcpy(copy, text, n);
        take_output(p, copy, n);
        dev_client_free(p->client);
    }
    p->client = NULL;
}

static void say_ended(player *p, int status, bool started) {
    char *en = p->message[LIB_EN], *zh = p->message[LIB_ZH];
    size_t n = sizeof p->message[0];
    if (WIFSIGNALED(status)) {
        int sig = WTERMSIG(status);
        if (sig == SIGSEGV || sig == SIGBUS) {
            lib_say(en, n,
                    "%s crashed on the host (%s). Host code may not read or write what a device "
                    "pointer "
                    "points to: copy with "
                    "cudaMemcpy. Then look at host arrays and their bounds.",
                    p->who[LIB_EN], strsignal(sig));
            lib_say(zh, n,
                    "%s在主机端崩溃（%s）。主机代码不能直接读写设备指针指向的内存：请用 cudaMemcpy "
                    "拷贝。然后检查主机数组及其边界。",
                    p->who[LIB_ZH], strsignal(sig));
            lib_chinese(zh, n);
        } else {
            lib_say(en, n, "%s was ended by signal %d (%s) before its function returned.%s",
                    p->who[LIB_EN], sig, strsignal(sig),
                    p->output_len ? " Its output says more." : "");
            lib_say(zh, n, "%s在函数返回前被信号 %d（%s）终止。%s", p->who[LIB_ZH], sig,
                    strsignal(sig), p->output_len ? "请看它的输出。" : "");
            lib_chinese(zh, n);
        }
    } else {
        lib_say(en, n,
                "%s ended itself (exit status %d) %s. The function must return to its caller; a "
                "whole program's main() must return 0.",
                p->who[LIB_EN], WEXITSTATUS(status),
                started ? "before its function returned" : "before its function was called");
        lib_say(zh, n,
                "%s在函数%s之前自行退出（退出状态 %d）。函数必须返回到调用者；完整程序的 main() "
                "必须返回 0。",
                p->who[LIB_ZH], started ? "返回" : "被调用", WEXITSTATUS(status));
    }
}

/* The launch that the time limit cut off, or NULL. */
static const char *running_kernel(const player *p) {
    const dev_record *r;
    size_t n = dev_client_log(p->client, &r);
    for (size_t i = n; i-- > 0;)
        if (r[i].op == DEV_OP_LAUNCH) return r[i].status == SIM_CANCELLED ? r[i].kernel : NULL;
    return NULL;
}

/* What the next call may ask of a simulated device. */
static void player_allow(player *p) {
    uint64_t left = p->work_limit > p->worked ? p->work_limit - p->worked : 1;
    dev_client_allow(p->client, left < p->call_limit ? left : p->call_limit);
}

/* Serves the program until it is ready again. */
/* The program is gone: it ended, or it never became one. */
static play_outcome serve_closed(player *p, bool started) {
    char *en = p->message[LIB_EN], *zh = p->message[LIB_ZH];
    size_t n = sizeof p->message[0];
    size_t said = p->output_len;
    int status = player_reap(p, false);
    if (status != -1) {
        say_ended(p, status, started);
        return PLAY_ENDED;
    }
    const char *why = p->output ? p->output + said : "";
    int length = (int)strcspn(why, "\n");
    p->not_started = true;
    lib_say(en, n, "%s could not be started: %.*s", p->who[LIB_EN], length, why);
    lib_say(zh, n, "%s无法启动：%.*s", p->who[LIB_ZH], length, why);
    return PLAY_INFRA;
}

static play_outcome serve_timeout(player *p) {
    char *en = p->message[LIB_EN], *zh = p->message[LIB_ZH];
    size_t n = sizeof p->message[0];
    char limit[32];
    lib_number(limit, p->limit_s);
    const char *kernel = running_kernel(p);
    if (kernel) {
        lib_say(en, n,
                "the kernel %s was still running at the time limit of %s s. Look for a loop in it "
                "whose condition never changes.",
                kernel, limit);
        lib_say(zh, n,
                "到 %s 秒的时间限制时，核函数 %s 仍在运行。检查其中是否有条件永远不变的循环。",
                limit, kernel);
    } else {
        lib_say(en, n,
                "%s did not finish within the time limit of %s s. Look for a loop on the host that "
                "never ends, or work that grows with the square of the size.",
                p->who[LIB_EN], limit);
        lib_say(zh, n,
                "%s没有在 %s "
                "秒的时间限制内完成。检查主机端是否有死循环，或随尺寸平方增长的工作量。",
                p->who[LIB_ZH], limit);
    }
    player_reap(p, true);
    return PLAY_TIMEOUT;
}

static play_outcome player_serve(player *p, bool started) {
    lib_message msg = {0};
    double left = p->limit_s - p->used_s, before = dev_client_spent_s(p->client);
    dev_event e = left > 0 ? dev_client_run(p->client, left, &msg) : DEV_TIMEOUT;
    p->used_s += dev_client_spent_s(p->client) - before;
    p->call_work = dev_client_work(p->client);
    p->worked += p->call_work;
    char *en = p->message[LIB_EN], *zh = p->message[LIB_ZH];
    size_t n = sizeof p->message[0];
    switch (e) {
    case DEV_READY: return PLAY_OK;
    case DEV_CLOSED: return serve_closed(p, started);
    case DEV_TIMEOUT: return serve_timeout(p);
    case DEV_CANCELLED:
        lib_say(en, n, "cancelled");
        lib_say(zh, n, "已取消");
        player_reap(p, true);
        return PLAY_CANCELLED;
    case DEV_PROTOCOL:
        lib_say(en, n,
                "%s sent the device something that the CUDA runtime never sends (%s). Only the "
                "runtime's "
                "functions may talk to the device.",
                p->who[LIB_EN], msg.text);
        lib_say(zh, n,
                "%s向设备发送了 CUDA 运行时不会发送的内容（%s）。只能通过运行时函数访问设备。",
                p->who[LIB_ZH], msg.text);
        player_reap(p, true);
        return PLAY_PROTOCOL;
    }
    return PLAY_INFRA;
}

/* What the program loads is judged as it comes: code can be made, or unpacked, while it runs. Which
 * name it was is not kept, since a program could tell by it what a hidden case held. */
static bool code_allowed(void *user, const void *fatbin, size_t n, unsigned arch) {
    player *p = user;
    lib_message why = {0};
    char *ptx = NULL;
    void *cubin = NULL;
    size_t ptx_len = 0, cubin_len = 0;
    bool bad = !sim_fatbin_extract(fatbin, n, arch, &ptx, &ptx_len, &cubin, &cubin_len, &why) &&
               grade_forbidden_ptx(p->forbids, ptx, ptx_len, &why);
    free(ptx);
    free(cubin);
    p->forbidden = p->forbidden || bad;
    return !bad;
}

static play_outcome player_start_once(player *p) {
    /* A context that broke under the other program took this one's memory and code along. */
    if (p->client && dev_client_lost(p->client)) player_stop(p, false, NULL);
    if (p->client) return PLAY_OK;
    lib_message msg = {0};
    p->not_started = false;
    p->starts++;
    p->replayed = false;
    p->host_serial = 0;
    p->child = (grade_child){-1, -1, -1};
    if (p->host->spawn(p->host->user, p->path, &p->child, &msg) != 0) {
        SAY(p->message[LIB_EN], "the program could not be started: %s", msg.text);
        SAY(p->message[LIB_ZH], "程序无法启动：%s", lib_message_in(&msg, LIB_ZH));
        return PLAY_INFRA;
    }
    p->client = dev_client_new(p->session, p->child.fd, &msg);
    if (!p->client) {
        SAY(p->message[LIB_EN], "the device did not take the program: %s", msg.text);
        SAY(p->message[LIB_ZH], "设备没有接受程序：%s", lib_message_in(&msg, LIB_ZH));
        player_reap(p, true);
        return PLAY_INFRA;
    }
    dev_client_program(p->client, p->path);
    if (p->forbids && p->forbids->forbidden_count) dev_client_code(p->client, code_allowed, p);
    if (p->unproven) dev_client_unproven(p->client);
    if (p->lineage) dev_client_lineage(p->client);
    player_allow(p);
    play_outcome o = player_serve(p, false);
    if (o != PLAY_OK) player_drop(p);
    return o;
}

play_outcome player_start(player *p) {
    play_outcome o = player_start_once(p);
    /* Nothing of it ran: what was in the way may be gone. */
    return o == PLAY_INFRA && p->not_started ? player_start_once(p) : o;
}

/* The first launch that failed, in words. */
static play_outcome player_launches(player *p) {
    const dev_record *r;
    const sim_finding *f;
    size_t n = dev_client_log(p->client, &r), findings = dev_client_findings(p->client, &f);
    for (size_t i = 0; i < n; i++) {
        if (r[i].op != DEV_OP_LAUNCH || r[i].status == SIM_OK) continue;
        char *en = p->message[LIB_EN], *zh = p->message[LIB_ZH];
        size_t size = sizeof p->message[0];
        const char *kernel = r[i].kernel ? r[i].kernel : "a kernel";
        if (r[i].status == SIM_CANCELLED) return PLAY_CANCELLED;
        for (size_t k = 0; k < findings; k++)
            if (f[k].kind != SIM_FIND_LEAK && f[k].kind != SIM_FIND_CALL && f[k].kernel &&
                r[i].kernel && !strcmp(f[k].kernel, r[i].kernel)) {
                char *chinese = grade_finding_text(&f[k], LIB_ZH);
                lib_say(en, size, "%s: %s", sim_finding_title(f[k].kind), f[k].text);
                lib_say(zh, size, "%s", chinese);
                free(chinese);
                return PLAY_LAUNCH;
            }
        lib_say(en, size, "the launch of %s<<<(%u,%u,%u), (%u,%u,%u)>>> failed: %s", kernel,
                r[i].grid[0], r[i].grid[1], r[i].grid[2], r[i].block[0], r[i].block[1],
                r[i].block[2], sim_status_message(r[i].status));
        lib_say(zh, size, "启动 %s<<<(%u,%u,%u), (%u,%u,%u)>>> 失败：%s", kernel, r[i].grid[0],
                r[i].grid[1], r[i].grid[2], r[i].block[0], r[i].block[1], r[i].block[2],
                sim_status_message(r[i].status));
        lib_chinese(zh, size);
        return PLAY_LAUNCH;
    }
    return PLAY_OK;
}

play_outcome player_call(player *p, const dev_arg *args, size_t n, unsigned serial,
                         void (*host_fill)(void *user, dev_client *c), void *user) {
    dev_client_mark(p->client);
    player_allow(p);
    /* A page-locked buffer that the program has mapped already is there the moment the call begins;
     * a new one is handed over while the call is served, and only exists once the call is made. */
    if (p->host_serial == serial) host_fill(user, p->client);
    sim_status s = dev_client_call(p->client, args, n);
    if (s != SIM_OK) {
        SAY2(p->message[LIB_EN], p->message[LIB_ZH], "the call could not be made: %s",
             "无法发起调用：%s", sim_status_message(s));
        lib_chinese(p->message[LIB_ZH], sizeof p->message[LIB_ZH]);
        return PLAY_INFRA;
    }
    if (p->host_serial != serial) host_fill(user, p->client);
    p->host_serial = serial;
    play_outcome o = player_serve(p, true);
    return o == PLAY_OK ? player_launches(p) : o;
}

static bool replayed(player *p, sim_status (*replay)(dev_client *c)) {
    dev_client_allow(p->client, p->call_limit); /* our wish, not the program's: not counted */
    sim_status s = replay(p->client);
    p->replayed = p->replayed || s != SIM_UNSUPPORTED; /* refused before anything ran */
    return s == SIM_OK;
}

bool player_replay(player *p) {
    return replayed(p, dev_client_replay);
}

bool player_prove(player *p) {
    return replayed(p, dev_client_prove);
}

bool player_prove_same(player *p) {
    return replayed(p, dev_client_prove_same);
}

void player_stop(player *p, bool ask, grade_result *r) {
    if (!p->client) return;
    if (ask) {
        lib_message msg;
        dev_client_mark(p->client);
        player_allow(p);
        dev_client_finish(p->client);
        ask = dev_client_run(p->client, 5, &msg) == DEV_CLOSED;
    }
    player_reap(p, !ask);
    const sim_finding *f;
    size_t n = dev_client_findings(p->client, &f);
    if (r) result_add_findings(r, f, n);
    player_drop(p);
}

void player_free(player *p) {
    player_stop(p, false, NULL);
    free(p->output);
    p->output = NULL;
}

/* ---- one call for somebody who looks at it while it runs: nothing is timed, no points are given. The
 * baseline is called first, so that at the end there is something to compare with. ---- */

/* As grade_run() has it for a baseline. */
static const uint64_t PLAY_WORK = (uint64_t)1 << 36;

static bool play_failed(const player *p, lib_message *msg) {
    lib_message_set2(msg, "%s", "%s", p->message[LIB_EN]);
    SAY(msg->zh, "%s", p->message[LIB_ZH]);
    return false;
}

static bool play_call(player *p, grade_buffers *b, bool student, lib_message *msg) {
    const grade_arg *changed;
    if (!buffers_load(b, msg)) return false;
    play_outcome o = player_start(p);
    if (o == PLAY_OK)
        o = player_call(p, b->args, b->lab->arg_count, b->serial, buffers_fill_host, b);
    if (o != PLAY_OK) return play_failed(p, msg);
    return buffers_collect(b, p->client, student, &changed, msg);
}

/* The case's parameters: the number-th public one, or the timed one with 0. */
static const grade_case_result *play_case(const grade_case_result *all, size_t n, size_t number) {
    for (size_t i = 0, k = 0; i < n; i++) {
        if (all[i].hidden) continue;
        if (number ? ++k == number : all[i].timed) return &all[i];
    }
    return NULL;
}

static bool play_on(const grade_play *q, dev_session *session, const grade_case_result *c,
                    lib_message *msg) {
    grade_buffers b = {0};
    player programs[2];
    bool ok = buffers_new(&b, q->lab, session, c->params, c->param_count, msg) &&
              buffers_draw(&b, q->options->seed, "case 0/set 0", msg);
    b.serial = 1;
    for (unsigned k = 0; ok && k < 2; k++) {
        bool student = k == 1;
        player *p = &programs[k];
        *p = (player){
            .host = q->host,
            .session = session,
            .path = student ? q->program : q->baseline,
            .who = {student ? "the program" : "the baseline", student ? "程序" : "基线程序"},
            .limit_s = q->options->time_limit_s > 0 ? q->options->time_limit_s : 60,
            .call_limit = PLAY_WORK,
            .work_limit = PLAY_WORK};
        if (q->turn) q->turn(q->user, student);
        ok = play_call(p, &b, student, msg);
        player_stop(p, false, NULL);
        player_free(p);
    }
    if (ok && q->ended) {
        grade_case_result r = {.params = c->params, .param_count = c->param_count, .pass = true};
        buffers_compare(&b, &r);
        q->ended(q->user, &r);
    }
    buffers_free(&b);
    return ok;
}

bool grade_play_run(const grade_play *q, lib_message *msg) {
    grade_options o = *q->options;
    dev_options dev = o.dev;
    dev.device = o.device;
    dev.device_memory = q->lab->device_memory;
    grade_result r = {0};
    bool ok = grade_draw_cases(q->lab, &o, &r.cases, &r.case_count, msg);
    const grade_case_result *c = ok ? play_case(r.cases, r.case_count, q->number) : NULL;
    if (ok && !c)
        lib_message_set2(msg, "%s has no public case %zu", "%s 没有第 %zu 个公开用例", q->lab->id,
                         q->number);
    dev_session *session = c ? dev_session_new(&dev, msg) : NULL;
    ok = session && play_on(q, session, c, msg);
    dev_session_free(session);
    grade_result_free(&r);
    return ok;
}
