/* One grading from start to end: both programs, every case, then the goals.
 *
 *   each case       draw inputs --> load --> the baseline's call ----> collect
 *                               --> load --> the submission's call --> collect --> compare
 *                   and once more on fresh inputs, the submission first
 *   the timed case  on fresh inputs the server replays the launches of both programs
 *   a near case     once; what the goals ask for must not be far off there either
 *   a large case    once, for its outputs
 *
 * In the first pair the baseline is called first, because AS_MUCH times its instructions are the
 * submission's limit. While the submission's code runs, the right outputs are in the grader's
 * memory only: the buffers of the device are loaded anew. A replay runs launches and no code of the
 * submission: its order does not matter. */
#include <stdlib.h>
#include <string.h>
#include "runner/base/message.h"
#include "runner/base/say.h"
#include "runner/device/server/device.h"
#include "grader/goal/goal.h"
#include "grader/judge/result_fill.h"
#include "grader/lab/inputs.h"
#include "grader/run/run.h"
#include "words/judge.h"
#include "words/run.h"
#include "words/said.h"

/* Limits in simulated instructions, of a call and of all calls. A call may take AS_MUCH times the
 * baseline's instructions for the same case. (If one thread does everything, it takes 32 times as
 * many, because each instruction of a warp counts 32.) CALL_WORK_MIN is always allowed. So an
 * endless kernel ends soon, and at the same instruction on every machine. The most expensive
 * baseline of a lab takes a fifth of CALL_WORK_MAX. */
static const uint64_t CALL_WORK_MIN = (uint64_t)1 << 28, CALL_WORK_MAX = (uint64_t)1 << 33,
                      AS_MUCH = 40, GRADING_WORK = (uint64_t)1 << 34;

/* How often a call is timed again if the sampled blocks say little about its launches. */
enum { DRAWS = 7 };

/* ---- cases ---- */

/* Times a pair. Its launches are watched for races, and their orders are drawn, as in the call
 * before: a program may leave something out in this pair alone. Returns false if the case is
 * over. */
static bool time_pair(run *u, grade_buffers *b, grade_case_result *c, unsigned set) {
    u->races = dev_session_sim(u->session, 0) != NULL;
    bool went = run_second_pair(u, b, c, set, false);
    u->races = false;
    run_watch_races(u, true);
    if (went) run_take_metrics(u, b);
    return went;
}

static bool spoils(const void *user, const char *kernel) {
    const grade_goal *g = user;
    return grade_launch_counts(g, &(dev_record){.op = DEV_OP_LAUNCH, .kernel = kernel});
}

/* Whether the call left what it left before. If the lab has no outputs, the program alone says. */
static bool results_right(const run *u, grade_buffers *b, const grade_case_result *c) {
    lib_message msg = {0};
    const grade_arg *changed;
    grade_case_result probe = {.params = c->params, .param_count = c->param_count};
    return buffers_collect(b, u->student.client, true, &changed, &msg) && !changed &&
           buffers_compare(b, &probe);
}

/* A program that compares two kernels itself has to notice when the results of one are wrong: in
 * one more call they are. It may then end in any way, but not well, or leave outputs that are not
 * right. Returns false if the grading ends. */
static bool run_spoil(run *u, grade_buffers *b, const grade_case_result *c) {
    const grade_goal *g = NULL;
    player *p = &u->student;
    for (size_t i = 0; i < u->lab->goal_count; i++)
        if (u->lab->goals[i].than && u->lab->goals[i].kernel) g = &u->lab->goals[i];
    if (!g || !u->lab->whole_program || u->spoilt || !dev_session_sim(u->session, 0)) return true;
    u->spoilt = true;
    /* In a process of its own, whose output nobody sees: it is about results that are not its. */
    player_stop(p, false, NULL);
    size_t printed = p->output_len;
    bool cut = p->output_cut;
    if (!run_begin_call(u, b)) return false;
    if (player_start(p) != PLAY_OK) return true;
    dev_client_spoil(p->client, spoils, g);
    play_outcome o = player_call(p, b->args, b->lab->arg_count, b->serial, buffers_fill_host, b);
    if (o == PLAY_CANCELLED || o == PLAY_INFRA) return run_infra(u, lib_message_words(&p->message));
    u->unchecked = o == PLAY_OK && results_right(u, b, c);
    if (o == PLAY_OK || o == PLAY_LAUNCH) player_stop(p, false, NULL);
    else player_drop(p);
    p->output_len = printed, p->output_cut = cut;
    if (p->output) p->output[printed] = 0;
    return true;
}

/* Judges a call of a near case, timed by its counters. If a goal seems to be missed by far, the
 * call is made once more in a new process, with times by machine code: then it is. */
static void run_near(run *u, grade_buffers *b, grade_case_result *c) {
    if (!run_take_near(u, b, false)) return;
    run_exact_times(u, true);
    player_stop(&u->student, false, NULL);
    if (run_baseline_call(u, b, c) && run_student_call(u, b, c)) run_take_near(u, b, true);
}

static void run_case(run *u, grade_case_result *c, bool measure) {
    lib_message msg = {0};
    grade_buffers b = {0};
    char label[64];
    lib_say(label, sizeof label, "case %zu/set 0", (size_t)(c - u->r->cases));
    bool room = buffers_new(&b, u->lab, u->session, c->params, c->param_count, &msg);
    if (!room && run_without_submission(u)) {
        buffers_free(&b);
        b = (grade_buffers){0};
        room = buffers_new(&b, u->lab, u->session, c->params, c->param_count, &msg);
        if (room) {
            run_in_the_way(c);
            goto out;
        }
    }
    if (!room || !buffers_draw(&b, u->o->secret ? u->o->secret : u->o->seed, label, false, &msg)) {
        run_infra_message(u, &msg);
        goto out;
    }
    buffers_number(&b, (unsigned)(c - u->r->cases) + 1);
    u->warmed = false;
    /* Search for races: blocks that add to one word without an atomic are right only by luck, and a
     * program may do so at only one size. */
    u->races = !c->near && !c->large; /* these cost most, and the others have such launches, too */
    run_watch_races(u, true);
    run_exact_times(u, u->races);
    u->student.draws = u->races && !measure && !c->timed;
    if (!run_baseline_call(u, &b, c)) goto out;
    uint64_t limit = u->baseline.call_work * AS_MUCH; /* at most 40 x 2^33: no overflow */
    u->student.call_limit = limit < CALL_WORK_MIN   ? CALL_WORK_MIN
                            : limit < CALL_WORK_MAX ? limit
                                                    : CALL_WORK_MAX;
    c->pass = true;
    /* A new process, in which nothing is left of calls that were not measured: no table, no buffer
     * and no output that they have prepared. */
    if (measure) player_stop(&u->student, false, NULL);
    if (!run_student_call(u, &b, c)) {
        c->pass = false;
        goto out;
    }
    run_take_findings(u, &u->student);
    bool right = run_compare(u, &b, c);
    if (u->stopped) goto out;
    /* also if outputs are wrong: the counters may explain why */
    if (measure) run_take_metrics(u, &b);
    if (!right || !run_host_proven(u, &b, c, 3000)) goto out;
    if (measure && u->proven) run_take_proof(u);
    if (c->near) run_near(u, &b, c);
    if (c->near || c->large) goto out;
    /* The same size again, on other inputs, to find what was kept from the first call. A replay
     * would not find it, because the submission's code does not run in it. */
    if (c->pass && (!c->timed || u->only_timed)) {
        u->replay = false;
        if (!run_again(u, &b, c)) goto out;
    }
    if (c->pass && !measure && !run_spoil(u, &b, c)) goto out;
    if (!measure) goto out;
    if (!c->pass || !c->timed) goto out;
    u->replay = true;
    run_keep_call(u);
    if (!time_pair(u, &b, c, 1)) goto out;
    u->r->replayed = u->replay;
    /* Each launch draws a new sample. */
    for (unsigned more = 0; more < DRAWS && run_is_unlike(u); more++)
        if (!time_pair(u, &b, c, 10 + more)) goto out;
    run_check_doubts(u);
    run_take_call(u);
    if (!u->replay && !run_host_proven(u, &b, c, 3002)) goto out;
    if (!u->replay && u->proven) run_take_proof(u);
    if (strncmp(u->r->device, "sim:", 4) != 0) run_sample(u, &b, c);
out:
    run_exact_times(u, true);
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

/* Takes the addresses that the buffers of other cases would have. */
static void run_before(run *u) {
    for (size_t i = 0; i < u->lab->before_count; i++) {
        const grade_case *c = &u->lab->before[i];
        lib_message msg;
        grade_buffers b;
        buffers_new(&b, u->lab, u->session, c->params, c->param_count, &msg);
        buffers_free(&b);
    }
}

/* Reserves memory for the largest case, so that no submission can take it. */
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
    const grade_case_result *failed = NULL; /* the first */
    size_t measure = measured_case(r);
    run_before(u);
    u->outputs_right = u->only_timed = true;
    for (size_t i = 0; i < r->case_count; i++) u->only_timed = u->only_timed && r->cases[i].timed;
    for (size_t i = 0; i < r->case_count; i++) {
        grade_case_result *c = &r->cases[i];
        if (u->o->dev.cancel && *u->o->dev.cancel && !u->stopped) run_infra(u, w_run_cancelled());
        if (u->stopped) {
            u->outputs_right = false;
            if (i == measure) u->unmeasured = failed;
            fail_case(c, w_run_case_not_run());
            continue;
        }
        u->hidden = c->hidden;
        if (u->o->progress) u->o->progress(u->o->user, i, r->case_count);
        run_case(u, c, i == measure);
        u->hidden = false;
        if (!c->pass && !failed) failed = c;
        if (i == measure && !u->measured) u->unmeasured = c;
        /* The next case would fill the memory again. */
        if (!c->pass && (u->o->first_failure_only || u->student.over_memory)) u->stopped = true;
    }
}

/* ---- the whole ---- */

/* Returns whether a goal judges what leads to the outputs: then the device must record it. */
static bool run_asks_for_more(const grade_lab *lab) {
    bool any = false;
    for (size_t i = 0; i < lab->goal_count; i++) {
        const grade_goal *g = &lab->goals[i];
        any |= grade_goal_counted(g) && (grade_metric_leads(g) || grade_goal_per_thread(g));
    }
    return any;
}

static bool run_compares(const grade_lab *lab) {
    bool any = false;
    for (size_t i = 0; i < lab->goal_count; i++) any |= lab->goals[i].than != NULL;
    return any;
}

static void run_players(run *u, const char *program, const char *baseline, const grade_host *host) {
    const grade_lab *lab = u->lab;
    double ceiling = u->o->time_limit_s > 0 ? u->o->time_limit_s : 60;
    double limit =
        lab->time_limit_s > 0 && lab->time_limit_s < ceiling ? lab->time_limit_s : ceiling;
    u->student = (player){.host = host,
                          .session = u->session,
                          .path = program,
                          .who = W_JUDGE_PROGRAM,
                          .forbids = lab,
                          .code = u->o->code,
                          .code_bytes = u->o->code_bytes,
                          .lineage = run_asks_for_more(lab),
                          .compares = run_compares(lab),
                          .unproven = lab->host_work == GRADE_HOST_ANYTHING,
                          .limit_s = limit,
                          .call_limit = CALL_WORK_MIN,
                          .work_limit = GRADING_WORK};
    u->baseline = (player){.host = host,
                           .session = u->session,
                           .path = baseline,
                           .who = W_JUDGE_BASELINE,
                           .unproven = true,
                           .limit_s = limit,
                           .call_limit = CALL_WORK_MAX,
                           .work_limit = GRADING_WORK};
}

/* Runs all cases, and records the state of the device before and after. */
static void run_all(run *u, grade_evidence *e) {
    grade_result *r = u->r;
    if (!r->device[0]) lib_say(r->device, sizeof r->device, "%s", dev_session_name(u->session, 0));
    r->has_gpu = dev_session_gpu(u->session, 0, &r->gpu);
    uint64_t before = r->gpu.throttle;
    run_cases(u);
    if (r->has_gpu) dev_session_gpu(u->session, 0, &r->gpu);
    r->throttle = before | r->gpu.throttle;
    player_stop(&u->student, true, r);
    run_device_peaks(u, e);
}

/* Collects what the cases measured, for the judge. */
static void run_evidence(const run *u, grade_evidence *e) {
    const grade_result *r = u->r;
    e->explained = u->o->explained;
    for (size_t i = 0; i < r->finding_count && !e->finding; i++)
        if (grade_finding_forbids(r->findings[i].kind)) e->finding = &r->findings[i];
    e->outputs_right = u->outputs_right && r->case_count;
    e->measured = u->measured;
    e->far = u->far;
    if (u->unmeasured && !u->unmeasured->hidden && lib_message_any(&u->unmeasured->message))
        e->unmeasured = &u->unmeasured->message;
    e->useful_bytes = u->useful_bytes;
    e->useful_flops = u->useful_flops;
    e->sampled = u->samples > 0;
    e->submission = u->o->submission;
    e->truths = u->o->truths;
}

/* A submission that could not be graded has no points, and each goal says why. */
static void run_no_points(grade_result *r) {
    lib_message why;
    lib_message_set(&why, grade_result_said(r));
    r->score = 0;
    for (size_t i = 0; i < r->goal_count; i++) {
        r->goals[i].pass = false;
        r->goals[i].points = 0;
        lib_message_set(&r->goals[i].message, w_run_not_judged(&why));
    }
}

static void run_free(run *u) {
    player_free(&u->student);
    player_free(&u->baseline);
    if (u->session) dev_session_free(u->session);
    free(u->mine);
    free(u->base);
    free(u->call);
    free(u->far);
    free(u->student_us);
    free(u->baseline_us);
}

void grade_run(const grade_lab *lab, const char *program, const char *baseline,
               const grade_host *host, const grade_options *o, grade_result *r) {
    lib_message msg = {0};
    run u = {.lab = lab, .o = o, .r = r};
    grade_result_free(r);
    grade_result_init(r, lab, o);
    dev_options dev = o->dev;
    dev.device = o->device;
    dev.device_memory = lab->device_memory;
    u.session = dev_session_new(&dev, &msg);
    u.mine = calloc(lab->goal_count + 1, sizeof *u.mine);
    u.base = calloc(lab->goal_count + 1, sizeof *u.base);
    u.call = calloc(lab->goal_count + 1, sizeof *u.call);
    u.far = calloc(lab->goal_count + 1, sizeof *u.far);
    grade_evidence e = {.student = u.mine, .baseline = u.base};
    if (!u.session || !u.mine || !u.base || !u.call || !u.far || (lab->goal_count && !r->goals)) {
        if (!lib_message_any(&msg)) lib_message_set(&msg, w_said_out_of_memory());
        run_infra_message(&u, &msg);
    } else if (!grade_draw_cases(lab, o, &r->cases, &r->case_count, &msg) ||
               !grade_draw_near(lab, o, &r->cases, &r->case_count, &msg))
        run_infra_message(&u, &msg);
    else {
        run_players(&u, program, baseline, host);
        run_all(&u, &e);
    }
    /* A wrong output stays FAIL even if the grader could not do the rest. But a cancelled grading
     * is not finished. */
    bool wrong = false;
    for (size_t i = 0; i < r->case_count; i++) wrong = wrong || r->cases[i].has_mismatch;
    if (r->verdict == GRADE_ERROR && wrong && !(o->dev.cancel && *o->dev.cancel)) {
        r->verdict = GRADE_FAIL;
        r->ungradable = false;
    }
    if (o->explained) result_explain(r, o->explained);
    run_evidence(&u, &e);
    grade_judge(r, &e);
    if (u.student.forbidden && r->verdict != GRADE_ERROR)
        grade_result_fail(r, w_run_loads_forbidden(), NULL);
    if (r->verdict == GRADE_ERROR) run_no_points(r);
    r->output = u.student.output;
    r->output_len = u.student.output_len;
    r->output_cut = u.student.output_cut;
    u.student.output = NULL;
    run_free(&u);
}
