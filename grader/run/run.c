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

/* Simulated instructions: of a call, of all calls. A call may take AS_MUCH times what the baseline
 * takes for the same case (one thread that does everything takes 32 times as much, since each
 * instruction of a warp counts 32), and always CALL_WORK_MIN: an endless kernel ends soon, at the
 * same instruction on every machine. The most that a lab's baseline takes is a fifth of
 * CALL_WORK_MAX. */
static const uint64_t CALL_WORK_MIN = (uint64_t)1 << 28, CALL_WORK_MAX = (uint64_t)1 << 33,
                      AS_MUCH = 40, GRADING_WORK = (uint64_t)1 << 34;

/* Times that a call is timed again where the clock's sample says little of its launches. */
enum { DRAWS = 7 };

/* ---- cases ---- */

/* The pair whose times count. It is watched, and its orders are drawn, as in the call before: what
 * a program leaves out it may leave out here alone. False: it is out. */
static bool time_pair(run *u, grade_buffers *b, grade_case_result *c, unsigned set) {
    u->races = dev_session_sim(u->session, 0) != NULL;
    bool went = run_second_pair(u, b, c, set, false);
    u->races = false;
    run_watch_races(u, true);
    if (went) run_take_metrics(u, b);
    return went;
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
    if (!room || !buffers_draw(&b, u->o->secret ? u->o->secret : u->o->seed, label, &msg)) {
        run_infra_message(u, &msg);
        goto out;
    }
    b.serial = (unsigned)(c - u->r->cases) + 1;
    u->warmed = false;
    /* Blocks that add to one word without an atomic are right by luck at best, and a program may do
     * so for one size alone. */
    u->races = true;
    run_watch_races(u, true);
    if (!run_baseline_call(u, &b, c)) goto out;
    uint64_t limit = u->baseline.call_work * AS_MUCH; /* at most 40 x 2^33 */
    u->student.call_limit = limit < CALL_WORK_MIN   ? CALL_WORK_MIN
                            : limit < CALL_WORK_MAX ? limit
                                                    : CALL_WORK_MAX;
    c->pass = true;
    if (!run_student_call(u, &b, c)) {
        c->pass = false;
        goto out;
    }
    run_take_findings(u, &u->student);
    bool right = run_compare(u, &b, c);
    if (u->stopped) goto out;
    if (measure) run_take_metrics(u, &b); /* also of wrong outputs: the counters may tell why */
    if (!right || !run_host_proven(u, &b, c, 3000)) goto out;
    if (measure && u->proven) run_take_proof(u);
    /* The same size once more on other inputs: what was kept from the first call is wrong now. A
     * replay would not show it, since the submission's own code does not run in it. */
    if (c->pass && (!c->timed || u->only_timed)) {
        u->replay = false;
        if (!run_second_pair(u, &b, c, 2000, true) || !run_host_proven(u, &b, c, 3001)) goto out;
    }
    if (!measure) goto out;
    if (!c->pass || !c->timed) goto out;
    u->replay = true;
    run_keep_call(u);
    if (!time_pair(u, &b, c, 1)) goto out;
    u->r->replayed = u->replay;
    /* Each launch draws its sample anew. */
    for (unsigned more = 0; more < DRAWS && run_is_unlike(u); more++)
        if (!time_pair(u, &b, c, 10 + more)) goto out;
    run_check_unlike(u);
    if (u->replay) run_take_call(u);
    if (!u->replay && !run_host_proven(u, &b, c, 3002)) goto out;
    if (!u->replay && u->proven) run_take_proof(u);
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
        if (u->o->dev.cancel && *u->o->dev.cancel && !u->stopped) run_infra(u, w_run_cancelled());
        if (u->stopped) {
            u->outputs_right = false;
            fail_case(c, w_run_case_not_run());
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

/* Both programs, which are begun when the first case wants them. */
/* A goal that asks for at least something is judged by what leads to the outputs. */
static bool run_asks_for_more(const grade_lab *lab) {
    bool any = false;
    for (size_t i = 0; i < lab->goal_count; i++) {
        const grade_goal *g = &lab->goals[i];
        any |= grade_goal_counted(g) && (g->relation == GRADE_GE || g->relation == GRADE_GT);
    }
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
                          .lineage = run_asks_for_more(lab),
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

/* Every case, and what the device says of itself before and after. */
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

/* What the cases left, for the judge. */
static void run_evidence(const run *u, grade_evidence *e) {
    const grade_result *r = u->r;
    e->explained = u->o->explained;
    for (size_t i = 0; i < r->finding_count && !e->finding; i++)
        if (grade_finding_forbids(r->findings[i].kind)) e->finding = &r->findings[i];
    e->outputs_right = u->outputs_right && r->case_count;
    e->measured = u->measured;
    e->useful_bytes = u->useful_bytes;
    e->useful_flops = u->useful_flops;
    e->sampled = u->samples > 0;
    e->submission = u->o->submission;
    e->truths = u->o->truths;
}

/* What could not be graded has no points, and each goal says why. */
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
    grade_evidence e = {.student = u.mine, .baseline = u.base};
    if (!u.session || !u.mine || !u.base || !u.call || (lab->goal_count && !r->goals)) {
        if (!lib_message_any(&msg)) lib_message_set(&msg, w_said_out_of_memory());
        run_infra_message(&u, &msg);
    } else if (!grade_draw_cases(lab, o, &r->cases, &r->case_count, &msg))
        run_infra_message(&u, &msg);
    else {
        run_players(&u, program, baseline, host);
        run_all(&u, &e);
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
