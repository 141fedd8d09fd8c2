/* Starts, calls and ends one program, and reports how it went.
 *
 * The program is not trusted. It may end, hang, close its socket and live on, or send nonsense.
 * Each of these is an outcome, and the grader waits for none of them longer than the time limit
 * allows. On a simulated device the limit is in instructions, not in seconds, because the verdict
 * must not depend on how busy this machine is. */
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
#include "words/judge.h"
#include "words/run.h"

enum { MAX_OUTPUT = 64 * 1024 };

static void take_output(player *p, char *text, size_t n) {
    if (text && n && !p->output_cut) {
        if (n > MAX_OUTPUT - p->output_len) {
            n = MAX_OUTPUT - p->output_len;
            p->output_cut = true;
            while (n && text[n - 1] != '\n') n--; /* keeps only whole lines */
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
    if (p->child.pid <= 0) return 0; /* already reaped */
    char *text = NULL;
    size_t n = 0;
    int status = p->host->reap(p->host->user, &p->child, kill_it, &text, &n);
    take_output(p, text, n);
    p->child.pid = -1;
    if (!kill_it) p->over_memory = p->child.over_memory;
    return status;
}

void player_drop(player *p) {
    if (p->client) { /* output of the device in a call that never ended */
        size_t n;
        const char *text = dev_client_undelivered(p->client, &n);
        char *copy = n ? malloc(n) : NULL;
        if (copy) memcpy(copy, text, n);
        take_output(p, copy, n);
        dev_client_free(p->client);
    }
    p->client = NULL;
}

static lib_words how_ended(const player *p, int status, bool started) {
    if (!WIFSIGNALED(status)) {
        int with = WEXITSTATUS(status);
        return started ? w_judge_exited(p->who, with) : w_judge_exited_before_call(p->who, with);
    }
    if (p->over_memory) return w_judge_over_memory(p->who, p->over_memory >> 30);
    int sig = WTERMSIG(status);
    if (sig == SIGSEGV || sig == SIGBUS) return w_judge_crashed(p->who, strsignal(sig));
    return p->output_len ? w_judge_ended_by_signal_output(p->who, sig, strsignal(sig))
                         : w_judge_ended_by_signal(p->who, sig, strsignal(sig));
}

/* Returns the name of the kernel that the time limit stopped, or NULL. */
static const char *running_kernel(const player *p) {
    const dev_record *r;
    size_t n = dev_client_log(p->client, &r);
    for (size_t i = n; i-- > 0;)
        if (r[i].op == DEV_OP_LAUNCH) return r[i].status == SIM_CANCELLED ? r[i].kernel : NULL;
    return NULL;
}

/* Sets the number of instructions that the next call may execute on a simulated device. */
static void player_allow(player *p) {
    uint64_t left = p->work_limit > p->worked ? p->work_limit - p->worked : 1;
    dev_client_allow(p->client, left < p->call_limit ? left : p->call_limit);
}

/* The program is gone: it ended, or it was never started. */
static play_outcome serve_closed(player *p, bool started) {
    size_t said = p->output_len;
    int status = player_reap(p, false);
    if (status != -1) {
        lib_message_set(&p->message, how_ended(p, status, started));
        return PLAY_ENDED;
    }
    const char *output = p->output ? p->output + said : "";
    char why[512];
    SAY(why, "%.*s", (int)strcspn(output, "\n"), output);
    p->not_started = true;
    lib_message_set(&p->message, w_judge_not_started(p->who, why));
    return PLAY_INFRA;
}

static play_outcome serve_timeout(player *p) {
    const char *kernel = running_kernel(p);
    lib_message_set(&p->message, kernel ? w_judge_kernel_timeout(kernel, p->limit_s)
                                        : w_judge_timeout(p->who, p->limit_s));
    player_reap(p, true);
    return PLAY_TIMEOUT;
}

lib_words player_did_too_much(const player *p) {
    dev_flow flow;
    dev_client_flow(p->client, &flow);
    return w_judge_too_many_operations((long long)flow.room, (long long)(flow.room_bytes >> 20));
}

static play_outcome player_serve(player *p, bool started) {
    lib_message msg = {0};
    double left = p->limit_s - p->used_s, before = dev_client_spent_s(p->client);
    dev_event e = left > 0 ? dev_client_run(p->client, left, &msg) : DEV_TIMEOUT;
    p->used_s += dev_client_spent_s(p->client) - before;
    p->call_work = dev_client_work(p->client);
    p->worked += p->call_work;
    switch (e) {
    case DEV_READY: return PLAY_OK;
    case DEV_CLOSED: return serve_closed(p, started);
    case DEV_TIMEOUT: return serve_timeout(p);
    case DEV_CANCELLED:
        lib_message_set(&p->message, w_judge_cancelled());
        player_reap(p, true);
        return PLAY_CANCELLED;
    case DEV_FULL:
        lib_message_set(&p->message, player_did_too_much(p));
        player_reap(p, true);
        return PLAY_TIMEOUT;
    case DEV_PROTOCOL:
        lib_message_set(&p->message, w_judge_not_of_runtime(p->who, &msg));
        player_reap(p, true);
        return PLAY_PROTOCOL;
    }
    return PLAY_INFRA;
}

/* Checks code when the program loads it, because a program can make or unpack code while it runs:
 * what was compiled elsewhere may have had its names changed, so it has to be the build's. Where
 * the lab forbids nothing, this is only asked of machine code: it may be another program than the
 * PTX beside it. The forbidden name is not kept: a program could use it to reveal what a hidden
 * case contains. */
static bool code_allowed(void *user, const void *fatbin, size_t n, unsigned arch) {
    player *p = user;
    lib_message why = {0};
    char *ptx = NULL;
    void *cubin = NULL;
    size_t ptx_len = 0, cubin_len = 0;
    bool own = !p->code || grade_own_code(p->code, p->code_bytes, fatbin, n),
         read = !sim_fatbin_extract(fatbin, n, arch, &ptx, &ptx_len, &cubin, &cubin_len, &why),
         bad = (!own && (cubin_len || !ptx_len || p->forbids->forbidden_count)) ||
               (read && grade_forbidden_ptx(p->forbids, ptx, ptx_len, &why));
    free(ptx);
    free(cubin);
    p->forbidden = p->forbidden || bad;
    return !bad;
}

/* Returns whether a program that has just started has given the device work, in a constructor, or
 * has allocated memory: no call's goals would count it. */
static bool worked_already(const player *p) {
    const dev_record *r;
    size_t n = dev_client_log(p->client, &r);
    for (size_t i = 0; i < n; i++)
        if (r[i].op != DEV_OP_FREE && r[i].op != DEV_OP_SYNC) return true;
    return false;
}

static play_outcome player_start_once(player *p) {
    /* The other program may have broken the device's context. Then this program's memory and code
     * are gone, too. */
    if (p->client && dev_client_lost(p->client)) player_stop(p, false, NULL);
    if (p->client) return PLAY_OK;
    lib_message msg = {0};
    p->not_started = false;
    p->starts++;
    p->replayed = false;
    p->host_serial = 0;
    p->child = (grade_child){-1, -1, -1, 0};
    if (p->host->spawn(p->host->user, p->path, &p->child, &msg) != 0) {
        lib_message_set(&p->message, w_judge_program_not_started(&msg));
        return PLAY_INFRA;
    }
    p->client = dev_client_new(p->session, p->child.fd, &msg);
    if (!p->client) {
        lib_message_set(&p->message, w_judge_program_not_taken(&msg));
        player_reap(p, true);
        return PLAY_INFRA;
    }
    dev_client_program(p->client, p->path);
    if (p->forbids) dev_client_code(p->client, code_allowed, p);
    if (p->unproven) dev_client_unproven(p->client);
    if (p->lineage) dev_client_lineage(p->client, p->compares);
    player_allow(p);
    play_outcome o = player_serve(p, false);
    if (o != PLAY_OK) player_drop(p);
    else p->early = worked_already(p);
    return o;
}

play_outcome player_start(player *p) {
    play_outcome o = player_start_once(p);
    /* Nothing of the program ran. The obstacle may be gone now. */
    return o == PLAY_INFRA && p->not_started ? player_start_once(p) : o;
}

/* "sum<<<(1,1,1), (32,1,1)>>>" */
static void say_launch(lib_message *m, const dev_record *r) {
    char launch[256];
    SAY(launch, "%.160s<<<(%u,%u,%u), (%u,%u,%u)>>>", r->kernel ? r->kernel : "?", r->grid[0],
        r->grid[1], r->grid[2], r->block[0], r->block[1], r->block[2]);
    /* allocations have failed earlier: what a launch itself lacks is room for the search */
    lib_message why;
    lib_message_set(&why, w_run_race_memory());
    lib_message_set(m, r->status == SIM_NOMEM
                           ? w_judge_launch_memory(launch, &why)
                           : w_judge_launch_failed(launch, sim_status_message(r->status)));
}

/* Describes the first launch that failed. */
static play_outcome player_launches(player *p) {
    const dev_record *r;
    const sim_finding *f;
    size_t n = dev_client_log(p->client, &r), findings = dev_client_findings(p->client, &f);
    for (size_t i = 0; i < n; i++) {
        if (r[i].op != DEV_OP_LAUNCH || r[i].status == SIM_OK) continue;
        if (r[i].status == SIM_CANCELLED) return PLAY_CANCELLED;
        for (size_t k = 0; k < findings; k++)
            if (f[k].kind != SIM_FIND_LEAK && f[k].kind != SIM_FIND_CALL && f[k].kernel &&
                r[i].kernel && !strcmp(f[k].kernel, r[i].kernel)) {
                lib_message finding;
                finding = f[k].said;
                lib_message_set(&p->message,
                                w_judge_finding_titled(grade_finding_title(f[k].kind), &finding));
                return PLAY_LAUNCH;
            }
        say_launch(&p->message, &r[i]);
        return PLAY_LAUNCH;
    }
    return PLAY_OK;
}

play_outcome player_call(player *p, const dev_arg *args, size_t n, unsigned serial,
                         void (*host_fill)(void *user, dev_client *c), void *user) {
    dev_client_mark(p->client);
    dev_client_draw_threads(p->client, p->draws);
    player_allow(p);
    /* Host buffers that the program has already mapped are filled before the call begins. New ones
     * are handed over while the call is served, so they exist only once the call is made. */
    if (p->host_serial == serial) host_fill(user, p->client);
    sim_status s = dev_client_call(p->client, args, n);
    if (s != SIM_OK) {
        lib_message_set(&p->message, w_judge_call_not_made(sim_status_message(s)));
        return PLAY_INFRA;
    }
    if (p->host_serial != serial) host_fill(user, p->client);
    p->host_serial = serial;
    play_outcome o = player_serve(p, true);
    return o == PLAY_OK ? player_launches(p) : o;
}

static bool replayed(player *p, sim_status (*replay)(dev_client *c)) {
    dev_client_allow(p->client, p->call_limit); /* does not count: the grader asked for it */
    sim_status s = replay(p->client);
    /* SIM_UNSUPPORTED: refused before anything ran */
    p->replayed = p->replayed || s != SIM_UNSUPPORTED;
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

/* ---- one call under a debugger: no times, no points. The baseline is called first, so that there
 * is something to compare with at the end. ---- */

/* The limit of a baseline in grade_run(). */
static const uint64_t PLAY_WORK = (uint64_t)1 << 36;

static bool play_call(player *p, grade_buffers *b, bool student, lib_message *msg) {
    const grade_arg *changed;
    if (!buffers_load(b, msg)) return false;
    play_outcome o = player_start(p);
    if (o == PLAY_OK)
        o = player_call(p, b->args, b->lab->arg_count, b->serial, buffers_fill_host, b);
    if (o != PLAY_OK) {
        *msg = p->message;
        return false;
    }
    return buffers_collect(b, p->client, student, &changed, msg);
}

/* Returns the parameters of public case `number`; with 0, of the timed case. */
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
              buffers_draw(&b, q->options->seed, "case 0/set 0", false, msg);
    b.serial = 1;
    for (unsigned k = 0; ok && k < 2; k++) {
        bool student = k == 1;
        player *p = &programs[k];
        *p = (player){.host = q->host,
                      .session = session,
                      .path = student ? q->program : q->baseline,
                      .who = student ? W_JUDGE_PROGRAM : W_JUDGE_BASELINE,
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
    if (ok && !c) lib_message_set(msg, w_judge_no_public_case(q->lab->id, (long long)q->number));
    dev_session *session = c ? dev_session_new(&dev, msg) : NULL;
    ok = session && play_on(q, session, c, msg);
    dev_session_free(session);
    grade_result_free(&r);
    return ok;
}
