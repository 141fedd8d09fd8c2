/* Repeats calls on new inputs. This shows results that were kept from an earlier call, and results
 * that depend on values.
 *
 *   run_second_pair()   both programs once more: their launches replayed, or the functions called
 *   run_host_proven()   checks that the host had no forbidden part in the work
 *   run_sample()        pair after pair, until a measured device's times decide */
#include <stdlib.h>
#include <string.h>
#include "runner/base/clock.h"
#include "runner/base/message.h"
#include "runner/base/say.h"
#include "grader/judge/hostwork.h"
#include "grader/judge/result_fill.h"
#include "grader/judge/timing.h"
#include "grader/run/run.h"
#include "words/run.h"
#include "words/said.h"

enum { MIN_SAMPLES = 10, MAX_SAMPLES = 200 };

/* The outputs are right: copies the comparison to the case. */
static void take_right(grade_case_result *c, const grade_case_result *now) {
    if (now->max_error > c->max_error) c->max_error = now->max_error;
    c->total = now->total;
    c->compared = now->compared, c->blank = now->blank;
}

bool run_compare(run *u, grade_buffers *b, grade_case_result *c) {
    grade_case_result now_c = {.params = c->params, .param_count = c->param_count};
    if (buffers_compare(b, &now_c)) {
        take_right(c, &now_c);
        return true;
    }
    c->has_mismatch = true;
    c->mismatch_arg = now_c.mismatch_arg;
    c->index = now_c.index;
    c->expected = now_c.expected;
    c->actual = now_c.actual;
    memcpy(c->expected_text, now_c.expected_text, sizeof c->expected_text);
    memcpy(c->actual_text, now_c.actual_text, sizeof c->actual_text);
    c->unwritten = now_c.unwritten;
    c->wrong = now_c.wrong;
    c->total = now_c.total;
    c->max_error = now_c.max_error;
    memcpy(c->picture, now_c.picture, sizeof c->picture);
    c->message = now_c.message;
    run_add_unsupported_call(u, c);
    c->pass = false;
    return false;
}

static bool player_clean(const player *p) {
    const sim_finding *f;
    size_t n = dev_client_findings(p->client, &f);
    for (size_t i = 0; i < n; i++)
        if (grade_finding_forbids(f[i].kind)) return false;
    return true;
}

/* The second call of a hidden case has extremes among its inputs, the first one has none. The last
 * case before the near ones is the largest. */
static grade_extremes extremes_of(const run *u, const grade_case_result *c, unsigned set) {
    if (!c->hidden || set != RUN_SECOND) return GRADE_AS_DRAWN;
    const grade_case_result *next = c + 1, *end = u->r->cases + u->r->case_count;
    return next == end || next->near || next->large ? GRADE_ONE_RUN : GRADE_RUNS;
}

static bool run_draw(run *u, grade_buffers *b, const grade_case_result *c, const char *what,
                     unsigned set) {
    lib_message msg = {0};
    char label[64];
    lib_say(label, sizeof label, "case %zu/%s %u", (size_t)(c - u->r->cases), what, set);
    uint64_t seed = u->o->secret ? u->o->secret : u->o->seed;
    grade_extremes extremes = extremes_of(u, c, set);
    if (!buffers_draw(b, seed, label, extremes, &msg)) return run_infra_message(u, &msg);
    if (u->earlier && u->earlier != b) buffers_keep_some(b, u->earlier, seed, label, extremes);
    return true;
}

/* ---- why outputs are wrong on new inputs ---- */

/* Calls both functions on the inputs of `set`. Returns whether the submission's outputs are
 * right. */
static bool right_on(run *u, grade_buffers *b, const grade_case_result *c, unsigned set) {
    grade_case_result probe = {.params = c->params, .param_count = c->param_count};
    return run_draw(u, b, c, "set", set) && run_student_call(u, b, &probe) &&
           run_baseline_call(u, b, &probe) && buffers_compare(b, &probe);
}

static bool right_anew(run *u, grade_buffers *b, const grade_case_result *c, unsigned set) {
    player_stop(&u->student, false, NULL);
    return right_on(u, b, c, set);
}

/* Returns whether the host measures this output (of a lab about the host's time, with a tolerance
 * of its own). Two calls never measure the same, so later calls tell nothing about a wrong one. */
static bool is_measured(const grade_lab *lab, const char *output) {
    for (size_t i = 0; lab->host_time && i < lab->arg_count; i++)
        if (lab->args[i].host && lab->args[i].rtol > 0 && !strcmp(lab->args[i].name, output))
            return true;
    return false;
}

/* The inputs of `set` gave wrong outputs in a later call. The message says that the program keeps
 * something only if a new process gets them right, gets them wrong after a call on other inputs,
 * and a third process gets them right again. */
static void wrong_on_fresh(run *u, grade_buffers *b, grade_case_result *c, unsigned set) {
    enum { OTHERS = 6000 };
    u->warmed = false;
    bool first = right_anew(u, b, c, set), later = false, again = false;
    if (first) {
        right_anew(u, u->earlier ? u->earlier : b, c, set + OTHERS);
        later = right_on(u, b, c, set);
        again = right_anew(u, b, c, set);
    }
    if (u->r->verdict == GRADE_ERROR) return;
    c->extremes = !first && extremes_of(u, c, set);
    fail_case(c, !first            ? w_run_wrong_on_others()
                 : !later && again ? w_run_keeps_from_earlier()
                                   : w_run_outputs_vary());
}

/* In a `warm` lab, fills the L2 before a timed run. The inputs differ from those of the timed run,
 * because a program that sees the same inputs twice has the outputs already. */
static bool warm_up(run *u, grade_buffers *b, grade_case_result *c, unsigned set, bool mine,
                    bool replay) {
    player *p = mine ? &u->student : &u->baseline;
    u->warmed = false;
    if (!u->lab->warm) return true;
    if (!run_draw(u, b, c, "warm", set)) return false;
    if (!replay) {
        if (!(mine ? run_student_call(u, b, c) : run_baseline_call(u, b, c))) return false;
    } else if (run_begin_call(u, b)) {
        player_replay(p); /* the timed run will show whether it can be replayed */
    } else {
        return false;
    }
    u->warmed = true;
    return run_draw(u, b, c, "set", set);
}

bool run_host_proven(run *u, grade_buffers *b, grade_case_result *c, unsigned set) {
    lib_message msg = {0};
    const grade_arg *changed = NULL;
    dev_flow flow;
    grade_case_result probe = {.params = c->params, .param_count = c->param_count};
    u->proven = false;
    if (!c->pass) return false;
    dev_client_flow(u->student.client, &flow);
    if (hostwork_allowed(u->lab->host_work, &flow)) return true;
    bool same = hostwork_same_data(u->lab, &flow);
    if ((!same && !run_draw(u, b, c, "set", set)) || !run_begin_call(u, b)) return false;
    if (!same) buffers_fill_host(b, u->student.client);
    bool ran = same ? player_prove_same(&u->student) : player_prove(&u->student),
         right = ran && player_clean(&u->student);
    if (right && !buffers_collect(b, u->student.client, true, &changed, &msg))
        return run_infra_message(u, &msg);
    if (right && !changed) {
        if (!same && !run_baseline_call(u, b, c)) return false;
        b->proof = true;
        right = buffers_compare(b, &probe);
        b->proof = false;
    }
    if (right && !changed) return u->proven = true;
    hostwork_fail(&flow, b, &probe, c);
    if (!ran) hostwork_why(u->student.client, c);
    /* A fault in the proof has broken the context. Without a new process the next case's kernels
     * would never run. */
    if (!ran && u->student.replayed) player_stop(&u->student, false, NULL);
    return false;
}

/* After a replay that failed, the program's memory is not as its code expects: a barrier has
 * counted blocks that the host never sent, or a fault has broken the context. A new process is
 * called once before it is timed, so that work of a first call is not timed. */
static bool start_anew(run *u, grade_buffers *b, grade_case_result *c, unsigned set) {
    if (!u->student.replayed) return true;
    player_stop(&u->student, false, NULL);
    u->warmed = false;
    if (!run_draw(u, b, c, "anew", set) || !run_student_call(u, b, c)) return false;
    run_take_findings(u, &u->student);
    return true;
}

bool run_may_replay(const run *u) {
    return u->replay && !u->lab->host_time && !dev_client_read_back(u->student.client);
}

bool run_second_pair(run *u, grade_buffers *b, grade_case_result *c, unsigned set,
                     bool student_first) {
    lib_message msg = {0};
    const grade_arg *changed;
    if (!run_draw(u, b, c, "set", set)) return false;
    bool replay = run_may_replay(u);
    for (unsigned turn = 0; turn < 2; turn++) {
        bool mine = (turn == 0) == (student_first || !replay);
        player *p = mine ? &u->student : &u->baseline;
        bool done = false;
        if (!warm_up(u, b, c, set, mine, replay && u->baseline.client)) return false;
        if (replay && u->baseline.client) {
            if (!run_begin_call(u, b)) return false;
            run_watch_races(u, mine);
            done = player_replay(p);
            run_watch_races(u, true);
        }
        /* The memory errors of a replay may be caused by the replay itself (by memory that the call
         * freed). A call decides. */
        done = done && player_clean(p);
        if (done && !buffers_collect(b, p->client, mine, &changed, &msg))
            return run_infra_message(u, &msg);
        if (done && changed) done = false;
        if (!done && mine && replay) {
            /* The replay failed. From now on the program is called, and it is called first. */
            u->replay = false;
            return start_anew(u, b, c, set) && run_second_pair(u, b, c, set, true);
        }
        if (!done && !mine && p->replayed) player_stop(p, false, NULL);
        if (!done && !(mine ? run_student_call(u, b, c) : run_baseline_call(u, b, c))) return false;
    }
    u->warmed = false;
    if (!replay) u->replay = false;
    if (replay) {
        grade_case_result probe = {.params = c->params, .param_count = c->param_count};
        /* Replayed launches alone may differ from a call (for example if memory is freed and
         * allocated between them). Another call of the function decides. */
        if (!buffers_compare(b, &probe)) {
            u->replay = false;
            return start_anew(u, b, c, set) && run_second_pair(u, b, c, set + 1000, true);
        }
    }
    run_take_findings(u, &u->student);
    grade_case_result now = {.params = c->params, .param_count = c->param_count};
    if (!buffers_compare(b, &now)) {
        if (is_measured(u->lab, now.mismatch_arg)) return run_compare(u, b, c);
        wrong_on_fresh(u, b, c, set);
        return false;
    }
    take_right(c, &now);
    return true;
}

/* ---- the second call of a hidden case ---- */

/* Keeps a copy of the parameters' values. */
static grade_param *copy_values(const grade_case_result *c) {
    grade_param *p = malloc((c->param_count + 1) * sizeof *p);
    if (p) memcpy(p, c->params, c->param_count * sizeof *p);
    return p;
}

bool run_again(run *u, grade_buffers *b, grade_case_result *c) {
    enum { SECOND_SERIAL = 1 << 16 };
    lib_message msg = {0};
    grade_buffers other = {0};
    if (!c->hidden)
        return run_second_pair(u, b, c, RUN_SECOND, true) && run_host_proven(u, b, c, 3001);
    grade_param *first = copy_values(c);
    if (!first) return run_infra(u, w_said_out_of_memory());
    b->params = first;
    grade_draw_again(u->lab, u->o->secret ? u->o->secret : u->o->seed, (size_t)(c - u->r->cases),
                     c->params, c->param_count);
    /* The first buffers stay, so that these have other addresses. */
    bool ok = buffers_new(&other, u->lab, u->session, c->params, c->param_count, &msg) ||
              run_infra_message(u, &msg);
    if (ok) {
        buffers_number(&other, b->serial + SECOND_SERIAL);
        u->earlier = b;
        ok = run_second_pair(u, &other, c, RUN_SECOND, true) && run_host_proven(u, &other, c, 3001);
        u->earlier = NULL;
    }
    buffers_free(&other);
    b->params = c->params;
    if (ok) memcpy(c->params, first, c->param_count * sizeof *first);
    free(first);
    return ok;
}

/* ---- measured devices ---- */

static bool run_decided(const run *u, const grade_ratio *q) {
    grade_evidence e = {.useful_bytes = u->useful_bytes, .useful_flops = u->useful_flops};
    run_device_peaks(u, &e);
    for (size_t i = 0; i < u->lab->goal_count; i++)
        if (!grade_goal_decided(&u->lab->goals[i], &e, q)) return false;
    return true;
}

bool run_sample(run *u, grade_buffers *b, grade_case_result *c) {
    u->student_us = calloc(MAX_SAMPLES, sizeof *u->student_us);
    u->baseline_us = calloc(MAX_SAMPLES, sizeof *u->baseline_us);
    if (!u->student_us || !u->baseline_us) return run_infra(u, w_said_out_of_memory());
    double begin = lib_now();
    grade_ratio q = {0};
    for (size_t n = 0; n < MAX_SAMPLES && !u->stopped; n++) {
        if (!run_second_pair(u, b, c, (unsigned)n + 2, n % 2)) return false;
        grade_call_log mine = run_call_log(&u->student), base = run_call_log(&u->baseline);
        u->student_us[n] = run_log_time(u, &mine);
        u->baseline_us[n] = run_log_time(u, &base);
        if (!u->replay && !run_host_proven(u, b, c, 4000 + (unsigned)n)) return false;
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
    run_check_floor(u, &(grade_call_log){0}, u->r->time_us);
    run_check_peaks(u, b, u->r->time_us);
    return true;
}
