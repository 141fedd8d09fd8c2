/* One call of each program: what it starts with, and what happens if it fails. If the baseline
 * fails, that is the lab's fault; if the submission fails, its own or the device's.
 *
 *   buffers_load --> player_call --> findings, outputs collected --> a case that fails, or goes on
 */
#include <stdlib.h>
#include <string.h>
#include "runner/base/message.h"
#include "runner/base/say.h"
#include "runner/device/sim/race_check.h"
#include "runner/device/server/device.h"
#include "grader/judge/hostwork.h"
#include "grader/judge/result_fill.h"
#include "grader/run/run.h"
#include "words/run.h"

enum { MAX_STARTS = 8 };

static void run_say(run *u, lib_words why) {
    lib_message_set(&u->r->message, why);
    u->r->message_hidden = u->hidden;
}

bool run_infra(run *u, lib_words why) {
    u->r->verdict = GRADE_ERROR;
    u->stopped = true;
    if (!lib_message_any(&u->r->message)) run_say(u, why);
    return false;
}

bool run_infra_message(run *u, const lib_message *msg) {
    return run_infra(u, lib_message_words(msg));
}

bool run_suspect(run *u, lib_words why) {
    u->r->verdict = GRADE_SUSPECT;
    run_say(u, why);
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

/* ---- the baseline: each of its failures is the lab's fault ---- */

static bool baseline_failed(run *u, lib_words words) {
    lib_message why;
    lib_message_set(&why, words);
    return run_infra(u, w_run_baseline_failed(&why));
}

static bool baseline_collect(run *u, grade_buffers *b) {
    lib_message msg = {0};
    const grade_arg *changed;
    const sim_finding *f;
    size_t n = dev_client_findings(u->baseline.client, &f);
    for (size_t i = 0; i < n; i++)
        if (grade_finding_forbids(f[i].kind)) {
            msg = f[i].said;
            return baseline_failed(u, lib_message_words(&msg));
        }
    if (!buffers_collect(b, u->baseline.client, false, &changed, &msg))
        return run_infra_message(u, &msg);
    if (changed) return baseline_failed(u, w_run_changed_input());
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
    if (sim) sim_device_check_race_global(sim, u->races && (mine || u->o->tests_lab));
}

void run_exact_times(run *u, bool exact) {
    sim_device *sim = dev_session_sim(u->session, 0);
    if (sim) sim_device_by_machine(sim, exact);
}

static bool baseline_try(run *u, grade_buffers *b) {
    player *p = &u->baseline;
    if (!run_begin_call(u, b)) return false;
    run_watch_races(u, false);
    play_outcome o = player_start(p);
    if (o == PLAY_OK)
        o = player_call(p, b->args, b->lab->arg_count, b->serial, buffers_fill_host, b);
    run_watch_races(u, true);
    if (o == PLAY_CANCELLED || o == PLAY_INFRA) return run_infra(u, lib_message_words(&p->message));
    if (o != PLAY_OK) return baseline_failed(u, lib_message_words(&p->message));
    /* A baseline that launches nothing cannot be compared with. */
    grade_call_log log = run_call_log(p);
    if (!launch_count(&log)) return baseline_failed(u, w_run_no_kernel());
    return baseline_collect(u, b);
}

bool run_without_submission(run *u) {
    if (!u->student.client || (u->o->dev.cancel && *u->o->dev.cancel)) return false;
    player_stop(&u->student, false, NULL);
    player_stop(&u->baseline, false, NULL);
    u->r->verdict = GRADE_FAIL;
    u->stopped = u->r->message_hidden = false;
    u->r->message = (lib_message){0};
    return true;
}

void run_in_the_way(grade_case_result *c) {
    fail_case(c, w_run_keeps_device());
}

bool run_baseline_call(run *u, grade_buffers *b, grade_case_result *c) {
    if (baseline_try(u, b)) return true;
    if (run_without_submission(u) && baseline_try(u, b)) run_in_the_way(c);
    return false;
}

/* ---- the submission ---- */

/* Returns whether the device cannot execute one of the submission's kernels. Then there is no
 * verdict. */
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
    u->r->ungradable = true;
    run_infra(u, w_run_not_supported(u->r->device, &p->message));
    return true;
}

/* An unsupported call returns an error that the program can handle. A wrong output stays wrong, and
 * the message also names the call. The name is from our own table: log lines contain words of the
 * program, which could reveal an input. */
void run_add_unsupported_call(run *u, grade_case_result *c) {
    const char *name = dev_client_unsupported_call(u->student.client);
    const lib_message *const *lines;
    if (!dev_client_unsupported(u->student.client, &lines)) return;
    lib_message_set(&c->message, name ? w_run_not_supported_call(&c->message, u->r->device, name)
                                      : w_run_not_supported_too(&c->message, u->r->device));
}

/* Decides what it means that the submission's call failed. */
static void student_failed(run *u, grade_case_result *c, play_outcome o) {
    player *p = &u->student;
    lib_message why = p->message;
    if (o == PLAY_CANCELLED || o == PLAY_INFRA) {
        run_infra(u, lib_message_words(&why));
        return;
    }
    if (o == PLAY_LAUNCH && unsupported_launch(u)) return;
    if (p->client) run_take_findings(u, p);
    /* A crash on a device pointer gives a finding with address and name. It says more than the
     * signal. */
    const sim_finding *f = NULL;
    bool endless = false, host = false;
    size_t n = p->client ? dev_client_findings(p->client, &f) : 0;
    for (size_t i = 0; i < n; i++) {
        if (f[i].kind == SIM_FIND_HOST_DEREF && !host) {
            why = f[i].said;
            host = true;
        }
        endless = endless || f[i].kind == SIM_FIND_BUDGET;
    }
    fail_case(c, lib_message_words(&why));
    if (o != PLAY_LAUNCH && !lib_message_any(&u->r->message)) run_say(u, lib_message_words(&why));
    /* A failed launch leaves a broken context, and the process may be gone. The next case needs a
     * new process. */
    if (o == PLAY_LAUNCH) player_stop(p, false, NULL);
    else player_drop(p);
    /* An endless kernel costs seconds per case, and would be endless in the next case, too. */
    if (endless || o == PLAY_TIMEOUT || o == PLAY_PROTOCOL || p->starts >= MAX_STARTS)
        u->stopped = true;
}

static bool student_collect(run *u, grade_buffers *b, grade_case_result *c) {
    lib_message msg = {0};
    const grade_arg *changed;
    for (size_t i = 0; i < b->lab->arg_count; i++)
        if (!dev_client_host_kept(u->student.client, i)) {
            fail_case(c, w_run_outside_host(b->lab->args[i].name));
            return false;
        }
    if (!buffers_collect(b, u->student.client, true, &changed, &msg))
        return run_infra_message(u, &msg);
    if (!changed) return true;
    fail_case(c, w_run_changed_input_of(changed->name));
    return false;
}

bool run_student_call(run *u, grade_buffers *b, grade_case_result *c) {
    player *p = &u->student;
    if (!run_begin_call(u, b)) return false;
    play_outcome o = player_start(p);
    if (o != PLAY_OK) {
        student_failed(u, c, o);
        u->stopped = true; /* it does not even start, and will not start the next time */
        return false;
    }
    o = player_call(p, b->args, b->lab->arg_count, b->serial, buffers_fill_host, b);
    if (o != PLAY_OK) {
        student_failed(u, c, o);
        return false;
    }
    return hostwork_check(&u->student, &u->baseline, b, c) && student_collect(u, b, c);
}
