/* One grading against a device of C functions: verdicts, points and messages for honest, wrong,
 * slow and cheating programs. */
#include <signal.h>
#include <time.h>
#include "runner/base/message.h"
#include "runner/base/say.h"
#include "fake_device.h"
#include "fatbin_fixture.h"
#include "grader/figure.h"
#include "grader/grade.h"
#include "grader/lab.h"
#include "grader/report.h"
#include "grader/result.h"
#include "grader/rng.h"
#include "grader/judge/buffers.h"
#include "grader/goal/goal.h"
#include "runner/device/sim/machine/device.h"
#include "runner/device/sim/profile.h"
#include "tests/check.h"
#include "tests/said.h"

/* ---- the lab: c[i] = a[i] + b[i] ---- */

static grade_param small[] = {{"n", 1003}}, one[] = {{"n", 1}}, large[] = {{"n", 4096}};
static const grade_case cases[] = {{.params = small, .param_count = 1},
                                   {.params = one, .param_count = 1},
                                   {.params = large, .param_count = 1, .timed = true}};
static const grade_range ranges[] = {{.name = "n", .lo = 1, .hi = 5000, .multiple = 1}};
static grade_goal goals[] = {
    {.kind = GRADE_GOAL_CORRECT, .points = 4},
    {.kind = GRADE_GOAL_COUNTER,
     .name = "gld_sectors_per_request",
     .relation = GRADE_LE,
     .threshold = 4,
     .points = 3},
    {.kind = GRADE_GOAL_SPEEDUP,
     .relation = GRADE_GE,
     .threshold = 2,
     .points = 3,
     .full_at = 2,
     .none_at = 0.2},
};
static grade_arg args[4];
static grade_lab lab = {.id = "add",
                        .title = {"Add", "加法"},
                        .entry = "add",
                        .args = args,
                        .arg_count = 4,
                        .cases = cases,
                        .case_count = 3,
                        .ranges = ranges,
                        .range_count = 1,
                        .hidden_cases = 4,
                        .goals = goals,
                        .goal_count = 3};

static void make_lab(void) {
    lib_message msg;
    grade_expr *n = grade_expr_new("n", &msg), *once = grade_expr_new("1", &msg);
    args[0] = (grade_arg){.name = "a",
                          .type = GRADE_F32,
                          .role = GRADE_INPUT,
                          .count = n,
                          .gen = GRADE_GEN_UNIFORM,
                          .lo = -1,
                          .hi = 1,
                          .rtol = -1,
                          .atol = -1};
    args[1] = args[0];
    args[1].name = "b";
    args[2] = (grade_arg){.name = "c",
                          .type = GRADE_F32,
                          .role = GRADE_OUTPUT,
                          .count = n,
                          .ops = once,
                          .rtol = -1,
                          .atol = -1};
    args[3] = (grade_arg){.name = "n", .type = GRADE_I32, .role = GRADE_SCALAR, .value = n};
}

/* ---- programs ---- */

static void add(const dev_arg *v, int n) {
    float *a = fake_ptr(&v[0]), *b = fake_ptr(&v[1]), *c = fake_ptr(&v[2]);
    for (int i = 0; i < n; i++) c[i] = a[i] + b[i];
}
static void launch(dev_client *c, double us, uint64_t sectors) {
    sim_result *r = fake_launch(c, "add", us);
    r->counters.gld_requests = 100;
    r->counters.gld_sectors = sectors;
    r->counters.gld_bytes = sectors * 32;
}
static void baseline_fn(dev_client *c, const dev_arg *v) {
    add(v, v[3].v.i32);
    launch(c, 100, 800);
}
/* <<<n, 2048>>> and nobody asks for the error */
static void refused(dev_client *c, const dev_arg *v) {
    (void)c, (void)v;
}
static void good(dev_client *c, const dev_arg *v) {
    add(v, v[3].v.i32);
    launch(c, 40, 400);
}
static void slow(dev_client *c, const dev_arg *v) {
    add(v, v[3].v.i32);
    launch(c, 100, 400);
}
static void uncoalesced(dev_client *c, const dev_arg *v) {
    add(v, v[3].v.i32);
    launch(c, 40, 3200);
}
static void ragged(dev_client *c, const dev_arg *v) { /* whole blocks only */
    add(v, v[3].v.i32 / 256 * 256);
    launch(c, 40, 400);
}
static void only_public(dev_client *c, const dev_arg *v) {
    int n = v[3].v.i32;
    if (n == 1003 || n == 1 || n == 4096) add(v, n);
    launch(c, 40, 400);
}
static void all_nan(dev_client *c, const dev_arg *v) {
    float *out = fake_ptr(&v[2]);
    for (int i = 0; i < v[3].v.i32; i++) out[i] = NAN;
    launch(c, 1, 400);
}
static void changes_input(dev_client *c, const dev_arg *v) { /* makes the inputs fit its output */
    float *a = fake_ptr(&v[0]), *b = fake_ptr(&v[1]), *out = fake_ptr(&v[2]);
    for (int i = 0; i < v[3].v.i32; i++) out[i] = a[i] + b[i], a[i] = 0;
    launch(c, 40, 400);
}
static float cache[8192];
static void
cached(dev_client *c,
       const dev_arg *v) { /* computes on the first call of a size, replays the answer after */
    static int cached_n;
    int n = v[3].v.i32;
    if (c->calls == 1) cached_n = 0; /* a new process */
    if (!c->replaying && cached_n != n)
        add(v, n), memcpy(cache, fake_ptr(&v[2]), sizeof(float) * (size_t)n), cached_n = n;
    memcpy(fake_ptr(&v[2]), cache, sizeof(float) * (size_t)n);
    launch(c, 1, 400);
}
/* Keeps nothing of a call: right on inputs that begin with one value, wrong on others. */
static float overflow_first;
static void overflows(dev_client *c, const dev_arg *v) {
    float *a = fake_ptr(&v[0]);
    if (overflow_first == 0) overflow_first = a[0];
    add(v, v[3].v.i32);
    if (a[0] != overflow_first) *(float *)fake_ptr(&v[2]) += 1;
    launch(c, 40, 400);
}
/* Right and wrong in turns, whatever it is given. */
static void varies(dev_client *c, const dev_arg *v) {
    static unsigned calls;
    add(v, v[3].v.i32);
    if (!c->replaying && ++calls % 2 == 0) *(float *)fake_ptr(&v[2]) += 1;
    launch(c, 40, 400);
}
static void host_only(dev_client *c, const dev_arg *v) {
    add(v, v[3].v.i32);
    fake_record(c, DEV_OP_D2H, 10, 4u * (unsigned)v[3].v.i32);
}
static void
host_and_decoy(dev_client *c,
               const dev_arg *v) { /* copies in, computes there, launches something harmless */
    uint64_t n = 8u * (unsigned)v[3].v.i32;
    if (!c->replaying) add(v, v[3].v.i32);
    fake_record(c, DEV_OP_D2H, 1, n);
    c->read_back = true;
    c->flow = (dev_flow){.data = true,
                         .most = n,
                         .all = n,
                         .saw = {DEV_OP_D2H, n, ""},
                         .gave = {DEV_OP_LAUNCH, 0, "decoy"}};
    launch(c, 1, 400);
}
static void host_looks(dev_client *c,
                       const dev_arg *v) { /* sees the same, and decides nothing by it */
    host_and_decoy(c, v);
    add(v, v[3].v.i32);
}
static void more_than_recorded(dev_client *c, const dev_arg *v) {
    good(c, v);
    c->incomplete = true;
}
static void from_the_host(dev_client *c, const dev_arg *v) {
    good(c, v);
    c->put = 4u * (unsigned)v[3].v.i32;
}
static void racy(dev_client *c, const dev_arg *v) {
    good(c, v);
    fake_find(c, SIM_FIND_RACE, "race on shared memory at x.cu:7");
}
static void leaky(dev_client *c, const dev_arg *v) {
    good(c, v);
    fake_find(c, SIM_FIND_LEAK, "4096 bytes were never freed");
}
static void crash(dev_client *c, const dev_arg *v) {
    (void)v;
    c->next = DEV_CLOSED;
}
static void crash_on_one(dev_client *c, const dev_arg *v) {
    if (v[3].v.i32 == 1) c->next = DEV_CLOSED;
    else good(c, v);
}
static void hang(dev_client *c, const dev_arg *v) {
    (void)v;
    c->next = DEV_TIMEOUT;
}
static void forge(dev_client *c, const dev_arg *v) {
    (void)v;
    c->next = DEV_PROTOCOL;
}
static void cancelled(dev_client *c, const dev_arg *v) {
    (void)v;
    c->next = DEV_CANCELLED;
}
static void endless_kernel(dev_client *c, const dev_arg *v) {
    (void)v;
    launch(c, 40, 400);
    c->log[0].status = SIM_BUDGET;
    fake_find(c, SIM_FIND_BUDGET, "endless loop at x.cu:7")->kernel = "add";
}
static void bad_launch(dev_client *c, const dev_arg *v) {
    (void)v;
    launch(c, 0, 0);
    c->log[0].status = SIM_BAD_LAUNCH;
    c->log[0].block[0] = 2048;
}
static void unsupported(dev_client *c, const dev_arg *v) {
    (void)v;
    c->unsupported = "what the program says";
    c->unsupported_call = "cudaMallocArray";
}
static void unsupported_kernel(dev_client *c, const dev_arg *v) {
    (void)v;
    launch(c, 0, 0);
    c->log[0].status = SIM_UNSUPPORTED;
}
/* A wrong output first, then a kernel that cannot be run: no way out of a fail. */
static void wrong_then_unsupported(dev_client *c, const dev_arg *v) {
    if (v[3].v.i32 == 1003) launch(c, 40, 400);
    else unsupported_kernel(c, v);
}
/* Takes the device's memory and keeps it: nobody else gets any. */
static void takes_all(dev_client *c, const dev_arg *v) {
    good(c, v);
    fake_taken_by = c;
}
static void baseline_with_room(dev_client *c, const dev_arg *v) {
    if (fake_taken_by) c->next = DEV_CLOSED;
    else baseline_fn(c, v);
}
/* In hidden cases each of these says what it was called with, in its own words. */
static bool is_public(const dev_arg *v) {
    int n = v[3].v.i32;
    return n == 1003 || n == 1 || n == 4096;
}
static void tells_by_status(dev_client *c, const dev_arg *v) {
    if (is_public(v)) good(c, v);
    else c->next = DEV_CLOSED;
}
static void tells_by_call(dev_client *c, const dev_arg *v) {
    c->unsupported = is_public(v) ? NULL : "canary43 is what it was called with";
    if (is_public(v)) good(c, v);
    else launch(c, 40, 400);
}
static void tells_by_kernel(dev_client *c, const dev_arg *v) {
    if (is_public(v)) {
        good(c, v);
    } else {
        fake_launch(c, "canary43", 1);
        c->log[0].status = SIM_BAD_LAUNCH;
    }
}
static void tells_by_lack(dev_client *c, const dev_arg *v) {
    tells_by_kernel(c, v);
    if (!is_public(v)) c->log[0].status = SIM_UNSUPPORTED;
}
static void tells_by_finding(dev_client *c, const dev_arg *v) {
    good(c, v);
    if (!is_public(v)) fake_find(c, SIM_FIND_OOB, "canary43")->kernel = "canary43";
}
static void no_loads(dev_client *c, const dev_arg *v) {
    add(v, v[3].v.i32);
    launch(c, 40, 0);
    c->results[0].counters.gld_requests = 0;
}
static void below_floor(dev_client *c, const dev_arg *v) {
    good(c, v);
    c->results[0].time_floor_us = 60;
}
/* A right answer in a time that the test chooses. */
static double timed_us;
static void timed(dev_client *c, const dev_arg *v) {
    add(v, v[3].v.i32);
    launch(c, timed_us, 400);
}
static void flops(dev_client *c, const dev_arg *v) {
    baseline_fn(c, v);
    c->results[0].counters.flop_sp = 1000000;
}
static void read_back_fn(dev_client *c, const dev_arg *v) {
    good(c, v);
    fake_record(c, DEV_OP_D2H, 0, 4);
    c->read_back = true;
}

/* A barrier whose generation the host counts: a replay leaves it where no call expects it. */
static void generations(dev_client *c, const dev_arg *v) {
    if (c->replaying) {
        c->spoiled = true;
        return;
    }
    good(c, v);
    if (c->spoiled) memset(fake_ptr(&v[2]), 0, (size_t)v[3].v.i32 * 4);
}

static grade_result r;
static grade_options options = {.device = "sim:h200", .seed = 1, .tests_lab = true};

static void grade(fake_fn fn) {
    grade_result_free(&r);
    fake_programs[0] = (fake_program){.fn = fn, .status = SIGSEGV};
    if (fn == crash_on_one) fake_programs[0].status = 3 << 8;
    fake_programs[1] = (fake_program){.fn = baseline_fn};
    fake_started = 0;
    grade_run(&lab, "submission", "baseline", &fake_host, &options, &r);
    CHECK_INT(fake_running, 0);
    CHECK_INT(fake_allocations, 0);
}
static const char *message(size_t goal) {
    return said(&r.goals[goal].message);
}
#define VERDICT(v) CHECK_STR(grade_verdict_name(r.verdict), v)

static void honest(void) {
    grade(good);
    VERDICT("pass");
    CHECK_INT(r.launch_count, 1);
    CHECK_INT(r.launches[0].registers, 0); /* nobody said how many */
    CHECK_INT(r.launches[0].shared, 0);
    CHECK_NEAR(r.score, 10, 0);
    CHECK_NEAR(r.speedup, 2.5, 1e-9);
    CHECK_INT(r.case_count, 9); /* 3 public, 4 hidden, 2 near the timed one in a test of the lab */
    uint64_t most = 0;
    for (size_t i = 0; i < r.case_count; i++) {
        uint64_t bytes = buffers_bytes(&lab, r.cases[i].params, r.cases[i].param_count);
        if (bytes > most) most = bytes;
    }
    CHECK_INT(fake_reserved, most);
    CHECK(r.replayed);
    /* the measured case has a process of its own */
    CHECK_STR(r.output, "hello\nhello\n");
    CHECK_INT(r.counters.gld_sectors, 400);
    CHECK_CONTAINS(message(1), "gld_sectors_per_request is 4 sectors/request; the goal is <= 4.");
    CHECK_CONTAINS(
        message(2),
        "2.5 times as fast as the baseline (40 us against 100 us); the goal is 2 times as fast.");
    CHECK_CONTAINS(said_zh(&r.goals[2].message), "2.5 倍");
    grade(baseline_fn); /* one time as fast is as fast */
    CHECK_CONTAINS(message(2),
                   "As fast as the baseline (100 us against 100 us); the goal is 2 times as fast.");
    CHECK_CONTAINS(said_zh(&r.goals[2].message),
                   "与基线一样快（100 微秒，基线 100 微秒）；要求 2 倍。");
    grade(leaky); /* untidy is said, not judged */
    VERDICT("pass");
    CHECK_INT(r.finding_count, 1);
    grade(read_back_fn);
    VERDICT("pass");
    CHECK(!r.replayed);
    grade(generations);
    VERDICT("pass");
    CHECK_NEAR(r.score, 10, 0);
    CHECK(!r.replayed);
    CHECK_INT(fake_started, 3);
    lab.host_time = true;
    grade(good);
    CHECK_NEAR(r.time_us, 140, 0);
    CHECK(!r.replayed);
    lab.host_time = false;
    /* Cold: a flush before each of the two replays. Warm: an untimed replay between. */
    memset(fake_trail, 0, sizeof fake_trail);
    grade(good);
    CHECK_CONTAINS(fake_trail, "FRFR");
    CHECK(!strstr(fake_trail, "RR"));
    lab.warm = true;
    memset(fake_trail, 0, sizeof fake_trail);
    grade(good);
    VERDICT("pass");
    CHECK_CONTAINS(fake_trail, "FRRFRR");
    memset(fake_trail, 0, sizeof fake_trail);
    grade(read_back_fn); /* called, not replayed */
    VERDICT("pass");
    CHECK_CONTAINS(fake_trail, "FCCFCC");
    lab.warm = false;
}

/* A case measured alone: the buffers of the others are taken and given back first, one case after
 * another, so that its own lie where they lie when all are graded. */
static void measured_alone(void) {
    grade_lab whole = lab;
    static const uint64_t elements[] = {1003, 1, 4096};
    lab.before = cases, lab.before_count = 2;
    lab.cases = &cases[2], lab.case_count = 1;
    lab.hidden_cases = 0, lab.range_count = 0;
    fake_asked = 0;
    grade(good);
    VERDICT("pass");
    CHECK(fake_asked >= 9);
    /* Set aside for the largest case that is graded: here that one's three buffers. */
    CHECK_INT(fake_reserved, buffers_bytes(&lab, large, 1));
    CHECK(fake_reserved >= 3 * 4096 * sizeof(float));
    for (size_t k = 0; k < 9; k++) { /* a, b and c of each case */
        CHECK(fake_asks[k].bytes >= elements[k / 3] * sizeof(float));
        CHECK(k / 3 == 2 || fake_asks[k].bytes < 2 * elements[k / 3] * sizeof(float) + 1024);
        CHECK_INT(fake_asks[k].held, k % 3);
    }
    lab = whole;
}

static void missed(void) {
    grade(slow);
    VERDICT("fail");
    /* speed 1 on the curve from 2 (all) to 0.2 (none): (5 - 1) / (5 - 0.5) of 3 points, 2.67. It is
     * a main goal: at most half of (1 + 2.67 / 3) of 10 points, where 9.67 were earned */
    CHECK_NEAR(r.goals[2].points, 2.67 * 9.45 / 9.67, 0.01);
    CHECK_NEAR(r.score, 9.45, 1e-9);
    CHECK_CONTAINS(message(2), "waiting for device memory"); /* the limiter of the longest launch */
    grade(uncoalesced);
    VERDICT("fail");
    CHECK_NEAR(r.score, 5, 0); /* half, not 7: it misses a main goal */
    CHECK_CONTAINS(message(1),
                   "is 32 sectors/request; the goal is <= 4. Look at the addresses that "
                   "neighbouring lanes load");
    CHECK_CONTAINS(said_zh(&r.goals[1].message), "相邻");
    grade(no_loads); /* a ratio of nothing is no 0 */
    VERDICT("fail");
    CHECK_CONTAINS(message(1), "was not measured");
    CHECK_NEAR(r.score, 5, 0);
}

static void wrong(void) {
    grade(ragged);
    VERDICT("fail");
    CHECK_NEAR(r.score, 0, 0); /* speed and counters earn nothing while an output is wrong */
    CHECK_CONTAINS(message(0), "n = 1003: c[768] should be ");
    CHECK_CONTAINS(message(0), "(never written); 235 of 1,003 elements differ.");
    CHECK_CONTAINS(r.cases[0].picture, ".???");
    CHECK_INT(r.cases[0].index, 768);
    CHECK_CONTAINS(message(1), "It earns points once every output is right.");
    CHECK(r.cases[2].pass);                /* 4096 is whole blocks */
    CHECK(!strstr(message(0), "refused")); /* a kernel ran */
    grade(refused);
    VERDICT("fail");
    CHECK_CONTAINS(message(0), "was a launch refused (an invalid configuration: ");
    CHECK_CONTAINS(said_zh(&r.goals[0].message), "启动配置无效");
    CHECK(!strstr(said_zh(&r.goals[0].message), "。 ")); /* no blank behind a Chinese full stop */
    CHECK_CONTAINS(message(2), "The speed was not measured: ");
    CHECK_CONTAINS(said_zh(&r.goals[2].message), "没有测到速度：");
    grade(only_public);
    VERDICT("fail");
    CHECK_NEAR(r.score, 0, 0);
    CHECK_CONTAINS(message(0), "The public cases pass, ");
    CHECK(!strstr(message(0), "n ="));
    grade(all_nan);
    VERDICT("fail");
    CHECK_CONTAINS(message(0), "and is NaN");
    CHECK_NEAR(r.score, 0, 0);
    grade(changes_input);
    VERDICT("fail");
    CHECK_CONTAINS(message(0), "it changed the input 'a'");
    grade(cached);
    VERDICT("fail");
    CHECK_CONTAINS(message(0), "wrong on fresh inputs that a first call gets right: something is "
                               "kept from an earlier call");
    CHECK_NEAR(r.score, 0, 0);
    grade(overflows);
    VERDICT("fail");
    CHECK_CONTAINS(said(&r.cases[0].message), "right on the first inputs, wrong on other inputs");
    CHECK(!strstr(said(&r.cases[0].message), "kept"));
    CHECK_CONTAINS(said_zh(&r.cases[0].message), "对第一组输入正确");
    grade(varies);
    VERDICT("fail");
    CHECK_CONTAINS(said(&r.cases[0].message), "its outputs vary");
    CHECK(!strstr(said(&r.cases[0].message), "kept"));
    grade(host_only);
    VERDICT("fail");
    CHECK_CONTAINS(message(0), "no kernel was launched");
    CHECK_NEAR(r.score, 0, 0);
    grade(host_and_decoy);
    VERDICT("fail");
    CHECK_CONTAINS(message(0), "the host takes part in the work: ");
    CHECK_CONTAINS(message(0),
                   "bytes were copied to the host, and then the kernel decoy was launched");
    CHECK_NEAR(r.score, 0, 0);
    grade(host_looks);
    CHECK(r.goals[0].pass);
    grade(more_than_recorded);
    VERDICT("fail");
    CHECK_CONTAINS(message(0), "it may make 100,000 operations");
    CHECK_NEAR(r.score, 0, 0);
    grade(from_the_host);
    VERDICT("fail");
    CHECK_CONTAINS(message(0), "came from the host, by copies or memsets: a kernel "
                               "has to compute it");
    CHECK_NEAR(r.score, 0, 0);
}

static void unclean(void) {
    grade(racy);
    VERDICT("fail");
    CHECK_CONTAINS(message(0), "Every output is right, by luck: race on shared memory at x.cu:7");
    CHECK_NEAR(r.score, 0, 0); /* no figure of it counts */
    CHECK_INT(r.findings[0].kind, SIM_FIND_RACE);
    CHECK_INT(r.finding_count, 1); /* one site, however many calls hit it */
}

static void broken(void) {
    grade(crash);
    VERDICT("fail");
    CHECK_CONTAINS(message(0), "crashed on the host");
    CHECK_CONTAINS(message(0), "cudaMemcpy");
    CHECK_CONTAINS(message(1), "not judged, because a case failed before this was measured: n = ");
    CHECK_CONTAINS(message(1), "crashed on the host");
    CHECK_NEAR(r.score, 0, 0);
    grade(crash_on_one);
    VERDICT("fail");
    CHECK(r.cases[0].pass && !r.cases[1].pass &&
          r.cases[2].pass); /* a new process for the next case */
    CHECK_CONTAINS(message(0),
                   "n = 1: the program ended itself (exit status 3) before its function returned");
    grade(hang);
    VERDICT("fail");
    CHECK_CONTAINS(message(0), "time limit of 60 s");
    CHECK_CONTAINS(said(&r.cases[1].message), "not run");
    CHECK_CONTAINS(message(1), "time limit of 60 s"); /* of the case that was run */
    CHECK_INT(fake_started, 1);
    /* Who does not even start is not tried again, and nothing is called. */
    grade_result_free(&r);
    fake_programs[0] = (fake_program){.fn = good, .at_start = DEV_CLOSED, .status = 7 << 8};
    fake_programs[1] = (fake_program){.fn = baseline_fn};
    fake_started = 0;
    memset(fake_trail, 0, sizeof fake_trail);
    grade_run(&lab, "submission", "baseline", &fake_host, &options, &r);
    VERDICT("fail");
    CHECK_CONTAINS(message(0), "9 of 9 cases fail. The first: n = 1003: the program ended itself "
                               "(exit status 7) before its function was called.");
    for (size_t i = 1; i < r.case_count; i++)
        CHECK_CONTAINS(said(&r.cases[i].message), "not run, because of what happened before.");
    CHECK_INT(fake_started, 1);
    CHECK_STR(fake_trail, "FCF"); /* the baseline's one call */
    CHECK_INT(fake_running, 0);
    grade(forge);
    VERDICT("fail");
    CHECK_CONTAINS(message(0), "never sends (message of 3 bytes)");
    grade(endless_kernel);
    VERDICT("fail");
    CHECK_CONTAINS(message(0), "endless loop at x.cu:7");
    grade(bad_launch);
    VERDICT("fail");
    CHECK_CONTAINS(message(0), "add<<<(1,1,1), (2048,1,1)>>> failed: invalid launch configuration");
    fake_programs[0] = (fake_program){0};
    grade(below_floor);
    VERDICT("suspect");
    CHECK_CONTAINS(said(&r.message), "a person should look");
}

/* Nothing of this may look like a mark. */
static void infrastructure(void) {
    grade(cancelled);
    VERDICT("error");
    CHECK(!r.ungradable);
    grade(unsupported_kernel);
    VERDICT("error");
    CHECK(r.ungradable);
    CHECK_CONTAINS(said(&r.message), "does not support");
    CHECK_NEAR(r.score, 0, 0);
    for (size_t i = 0; i < r.goal_count; i++) { /* each goal says why it has no points */
        char want[LIB_LANGS][512];
        SAY(want[LIB_EN], "could not be judged: %s", said(&r.message));
        SAY(want[LIB_ZH], "无法评判：%s", said_zh(&r.message));
        CHECK(!r.goals[i].pass && r.goals[i].points == 0);
        for (int lang = 0; lang < LIB_LANGS; lang++)
            CHECK_STR(said_in(&r.goals[i].message, (lib_lang)lang), want[lang]);
    }
    grade(unsupported); /* a wrong output, whatever else it did */
    VERDICT("fail");
    CHECK(!r.ungradable);
    CHECK_CONTAINS(said(&r.cases[0].message), "cudaMallocArray");
    grade(wrong_then_unsupported);
    VERDICT("fail");
    CHECK(!r.ungradable && r.cases[0].has_mismatch);
    grade_result_free(&r);
    fake_programs[0] = (fake_program){.fn = takes_all};
    fake_programs[1] = (fake_program){.fn = baseline_with_room};
    grade_run(&lab, "submission", "baseline", &fake_host, &options, &r);
    VERDICT("fail");
    CHECK_NEAR(r.score, 0, 0);
    CHECK_CONTAINS(message(0), "free what was allocated");
    CHECK_INT(fake_running, 0);
    fake_session_fails = 1;
    grade(good);
    fake_session_fails = 0;
    VERDICT("error");
    CHECK_CONTAINS(said(&r.message), "no such device");
    /* a baseline that is wrong in itself */
    static const fake_fn bad[] = {crash, racy, endless_kernel, changes_input, hang};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        grade_result_free(&r);
        fake_programs[0] = (fake_program){.fn = good};
        fake_programs[1] = (fake_program){.fn = bad[i], .status = SIGSEGV};
        grade_run(&lab, "submission", "baseline", &fake_host, &options, &r);
        VERDICT("error");
        CHECK_CONTAINS(said(&r.message), "baseline");
        CHECK_INT(fake_running, 0);
    }
    volatile int cancel = 1;
    options.dev.cancel = &cancel;
    grade(good);
    VERDICT("error");
    CHECK_CONTAINS(said(&r.message), "cancelled");
    options.dev.cancel = NULL;
    goals[1].relative = false;
    grade_goal fraction[] = {
        {.kind = GRADE_GOAL_CORRECT, .points = 1},
        {.kind = GRADE_GOAL_FRACTION, .name = "copy", .threshold = 0.5, .points = 1}};
    lab.goals = fraction;
    lab.goal_count = 2;
    grade(good); /* the device does not say its bandwidth */
    VERDICT("error");
    lab.goals = goals;
    lab.goal_count = 3;
}

/* A time in which the device could not have read the inputs from memory, or done the sums of the
 * baseline, is for a person; one at the edge, or of a run whose inputs may lie in the L2, is
 * not. */
static void impossible_speed(void) {
    const sim_profile *p = sim_profile_find("h200");
    double bytes = 2 * 4096 * sizeof(float), copy = p->dram_gbs * p->dram_efficiency * 1e3,
           fp32 = p->sms * p->rate_fp32 * 32 * 2 * p->clock_ghz * 1e3;
    grade_goal fraction[] = {
        {.kind = GRADE_GOAL_CORRECT, .points = 1},
        {.kind = GRADE_GOAL_FRACTION, .name = "copy", .threshold = 0.5, .points = 1}};
    const struct {
        const char *goal, *verdict, *says;
        double us;
        bool warm;
    } rows[] = {
        {"copy", "pass", "", bytes / copy / 0.8, false},
        {"copy", "pass", "", bytes / copy / 1.04, false},
        {"copy", "suspect", "106% of the device's copy bandwidth", bytes / copy / 1.06, false},
        {"copy", "suspect", "727% of the device's copy bandwidth", bytes / copy / 7.27, false},
        {"copy", "pass", "", bytes / copy / 7.27, true},
        {"fp32", "pass", "", 1e6 / fp32 / 1.04, true},
        {"fp32", "suspect", "106% of the device's FP32 peak", 1e6 / fp32 / 1.06, true}};
    lab.goals = fraction;
    lab.goal_count = 2;
    fake_profile = p;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fraction[1].name = rows[i].goal;
        lab.warm = rows[i].warm;
        timed_us = rows[i].us;
        grade_result_free(&r);
        fake_programs[0] = (fake_program){.fn = timed};
        fake_programs[1] = (fake_program){.fn = flops};
        grade_run(&lab, "submission", "baseline", &fake_host, &options, &r);
        VERDICT(rows[i].verdict);
        CHECK_CONTAINS(said(&r.message), rows[i].says);
    }
    fake_profile = NULL;
    lab.warm = false;
    lab.goals = goals;
    lab.goal_count = 3;
}

static void check_silent(const char *text) {
    CHECK(text && !strstr(text, "43"));
}
/* A student is told that a hidden case failed, not how. Instructors are. */
static void told_by_hidden_cases(void) {
    static const fake_fn tells[] = {tells_by_status, tells_by_call, tells_by_kernel, tells_by_lack,
                                    tells_by_finding};
    for (size_t i = 0; i < sizeof tells / sizeof *tells; i++) {
        grade_result_free(&r);
        fake_programs[0] = (fake_program){.fn = tells[i], .status = 43 << 8};
        fake_programs[1] = (fake_program){.fn = baseline_fn};
        options.secret = 5;
        grade_run(&lab, "submission", "baseline", &fake_host, &options, &r);
        options.secret = 0;
        CHECK(r.verdict == (tells[i] == tells_by_lack ? GRADE_ERROR : GRADE_FAIL));
        char *all = grade_report(&r, GRADE_REPORT_JSON, LIB_EN);
        /* what a program says in the library's place is told to nobody */
        if (tells[i] == tells_by_call) CHECK(!strstr(all, "canary43"));
        else CHECK_CONTAINS(all, tells[i] == tells_by_status ? "exit status 43" : "canary43");
        free(all);
        for (size_t g = 0; g < r.goal_count; g++)
            for (int lang = 0; lang < LIB_LANGS; lang++)
                check_silent(said_in(&r.goals[g].message, (lib_lang)lang));
        for (int lang = 0; lang < LIB_LANGS; lang++) {
            char *said = lib_words_take((lib_lang)lang, grade_result_said(&r));
            check_silent(said);
            free(said);
        }
        for (size_t f = 0; f < r.finding_count; f++) CHECK(grade_finding_hidden(&r, f));
    }
}

/* Real clocks: noise around a threshold is ambiguous, clear of it is decided. */
static double noise;
static grade_rng noise_rng;
static long takes_ns; /* at least, of the time in which it is sampled */
static void noisy(dev_client *c, const dev_arg *v) {
    if (takes_ns) nanosleep(&(struct timespec){.tv_nsec = takes_ns}, NULL);
    add(v, v[3].v.i32);
    launch(c, 50 * (1 + noise * (grade_rng_uniform(&noise_rng) - 0.5)), 400);
}
static void sampled(void) {
    grade_rng_seed(&noise_rng, 3, "noise");
    options.device = "gpu:0";
    noise = 0.5; /* the ratio is 2, right at the threshold */
    grade(noisy);
    VERDICT("ambiguous");
    CHECK(r.ci_lo < 2 && r.ci_hi > 2);
    CHECK(r.goals[2].undecided && !r.goals[0].undecided && !r.goals[1].undecided);
    CHECK(!grade_fails_surely(&r)); /* the one goal that may be missed is not decided */
    goals[1].threshold = -1;        /* as a skeleton that misses another goal for sure */
    grade(noisy);
    VERDICT("ambiguous");
    CHECK(r.goals[2].undecided && !r.goals[1].pass && !r.goals[1].undecided);
    CHECK(grade_fails_surely(&r));
    goals[1].threshold = 4;
    noise = 0.01;
    goals[2].threshold = 1.5;
    grade(noisy);
    VERDICT("pass");
    CHECK(r.ci_lo > 1.9 && r.ci_hi < 2.1);
    goals[2].threshold = 3;
    /* Missed for sure after half a second, which has room for 100 of the 200 pairs. */
    takes_ns = 5000000;
    grade(noisy);
    VERDICT("fail");
    CHECK(r.ci_hi < 3);
    CHECK(r.samples >= 10 && r.samples <= 101);
    takes_ns = 0;
    goals[2].threshold = 2;
    options.device = "sim:h200";
}

/* What a GPU was like is what it says behind the last case; what slowed it down is that and what it
 * said before the first. */
static void state_of_gpu(void) {
    static const dev_gpu_state says[] = {{.name = "before", .throttle = 0x24},
                                         {.name = "behind", .throttle = 0x8}};
    grade(good);
    CHECK(!r.has_gpu);
    CHECK_INT(r.throttle, 0);
    fake_gpu = says;
    fake_gpu_asked = 0;
    grade(good);
    fake_gpu = NULL;
    CHECK(r.has_gpu);
    CHECK_INT(fake_gpu_asked, 2);
    CHECK_STR(r.gpu.name, "behind");
    CHECK_INT(r.throttle, 0x2C);
}

/* What each program found in its first input in one of the cases, call by call and replay by
 * replay. */
enum { MOST_DRAWS = 512, REPLAYED = 0, CALLED, PROVEN };
static struct {
    size_t count;
    uint32_t input[MOST_DRAWS][2]; /* the bits of the first two elements */
} drawn[2];
static char turns[2 * MOST_DRAWS + 1];
static int drawn_n, drawn_how;
static void draws(size_t who, dev_client *c, const dev_arg *v, double us) {
    add(v, v[3].v.i32);
    launch(c, us, 400);
    if (v[3].v.i32 != drawn_n || drawn[who].count == MOST_DRAWS) return;
    memcpy(drawn[who].input[drawn[who].count++], fake_ptr(&v[0]), sizeof *drawn[who].input);
    turns[strlen(turns)] = "sb"[who];
}
static void draws_too(dev_client *c, const dev_arg *v) {
    uint64_t n = 8u * (unsigned)v[3].v.i32;
    draws(0, c, v, 40);
    c->read_back = drawn_how != REPLAYED;
    if (drawn_how == PROVEN)
        c->flow = (dev_flow){.data = true,
                             .most = n,
                             .all = n,
                             .saw = {DEV_OP_D2H, n, ""},
                             .gave = {DEV_OP_LAUNCH, 0, "add"}};
}
static void baseline_draws_too(dev_client *c, const dev_arg *v) {
    draws(1, c, v, 100);
}
/* Every pair is of inputs that neither program has seen, and so is what proves that the host had no
 * part in a call. On a measured device, of whose pairs there are 10 to 200, each of the two is the
 * first of a replayed pair as often as the other; where they are called, the submission is the
 * first. */
static void fresh_inputs(void) {
    static const struct {
        const char *device;
        int n, how;
        size_t draws, a_sample;
    } rows[] = {
        {"sim:h200", 4096, REPLAYED, 2, 0}, {"gpu:0", 4096, REPLAYED, 2, 1},
        {"sim:h200", 1003, REPLAYED, 2, 0}, {"sim:h200", 4096, CALLED, 2, 0},
        {"gpu:0", 4096, CALLED, 2, 1},      {"sim:h200", 4096, PROVEN, 4, 0},
        {"gpu:0", 4096, PROVEN, 4, 2},      {"sim:h200", 1003, PROVEN, 4, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        printf("# inputs %zu\n", i);
        grade_result_free(&r);
        memset(drawn, 0, sizeof drawn);
        memset(turns, 0, sizeof turns);
        drawn_n = rows[i].n, drawn_how = rows[i].how;
        fake_programs[0] = (fake_program){.fn = draws_too};
        fake_programs[1] = (fake_program){.fn = baseline_draws_too};
        options.device = rows[i].device;
        grade_run(&lab, "submission", "baseline", &fake_host, &options, &r);
        options.device = "sim:h200";
        VERDICT("pass");
        CHECK_INT(r.replayed, drawn_how == REPLAYED);
        CHECK(rows[i].a_sample ? r.samples >= 10 && r.samples <= 200 : !r.samples);
        CHECK_INT(drawn[0].count, rows[i].draws + rows[i].a_sample * r.samples);
        CHECK_INT(drawn[1].count, drawn[0].count);
        CHECK(!memcmp(drawn[0].input, drawn[1].input, sizeof drawn[0].input));
        size_t twice = 0, out_of_turn = 0;
        for (size_t k = 0; k < drawn[0].count; k++) {
            for (size_t m = 0; m < k; m++)
                twice += !memcmp(drawn[0].input[k], drawn[0].input[m], sizeof *drawn[0].input);
            bool mine_first = drawn_how == REPLAYED && drawn_n == 4096 ? k >= 2 && k % 2 : k > 0;
            out_of_turn += memcmp(&turns[2 * k], mine_first ? "sb" : "bs", 2) != 0;
        }
        CHECK_INT(twice, 0);
        CHECK_INT(out_of_turn, 0);
    }
}

/* Its counter is the size that it was called with. */
static void counts_size(dev_client *c, const dev_arg *v) {
    good(c, v);
    c->results[0].counters.branches = (uint64_t)v[3].v.i32;
}
/* The timed case is the one that is measured; where none is timed, the last that is public. */
static void measured_case(void) {
    static const grade_case untimed[] = {{.params = one, .param_count = 1},
                                         {.params = large, .param_count = 1},
                                         {.params = small, .param_count = 1}},
                            second[] = {{.params = one, .param_count = 1},
                                        {.params = large, .param_count = 1, .timed = true},
                                        {.params = small, .param_count = 1}};
    static const struct {
        const grade_case *cases;
        uint64_t n;
        bool timed;
    } rows[] = {{cases, 4096, true}, {second, 4096, true}, {untimed, 1003, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        lab.cases = rows[i].cases;
        grade(counts_size);
        CHECK_INT(r.case_count, rows[i].timed ? 9 : 7); /* near what is timed */
        CHECK_INT(r.counters.branches, rows[i].n);
        CHECK_INT(r.replayed, rows[i].timed);
        CHECK_INT(r.launch_count, 1);
    }
    lab.cases = cases;
}

/* A small kernel beside the one that does the work. */
static void with_helper(dev_client *c, const dev_arg *v) {
    good(c, v);
    fake_launch(c, "helper", 3);
    c->log[c->count - 1].grid[0] = 7, c->log[c->count - 1].block[0] = 96;
}
/* The message names the launch that was judged, also where only one has the goal's name. */
static void launches_are_named(void) {
    static const struct {
        const char *name, *kernel;
        grade_relation relation;
        double threshold;
        const char *says;
    } rows[] = {{"threads_per_block", "helper", GRADE_LE, 64,
                 "threads_per_block is 96 threads; the goal is <= 64. This is the value of "
                 "helper<<<7, 96>>>."},
                {"kernel_us", "helper", GRADE_LE, 2, "This is the value of helper<<<7, 96>>>."},
                {"kernel_us", NULL, GRADE_LE, 2, "This is the value of add<<<"},
                {"launches", NULL, GRADE_LE, 1, "launches is 2 launches; the goal is <= 1. Look"}};
    grade_goal g[2] = {{.kind = GRADE_GOAL_CORRECT, .points = 1}};
    lab.goals = g, lab.goal_count = 2;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        g[1] = (grade_goal){.kind = GRADE_GOAL_COUNTER,
                            .name = rows[i].name,
                            .kernel = rows[i].kernel,
                            .relation = rows[i].relation,
                            .threshold = rows[i].threshold,
                            .points = 1};
        grade(with_helper);
        CHECK(!r.goals[1].pass);
        CHECK_CONTAINS(message(1), rows[i].says);
    }
    lab.goals = goals, lab.goal_count = 3;
}

static void goals_of_counters(void) {
    /* relative to the baseline, the worst launch, by kernel, and the call's own figures */
    grade_goal g[] = {
        {.kind = GRADE_GOAL_CORRECT, .points = 1},
        {.kind = GRADE_GOAL_COUNTER,
         .name = "gld_sectors",
         .relation = GRADE_LE,
         .threshold = 0.5,
         .relative = true,
         .points = 1},
        {.kind = GRADE_GOAL_COUNTER,
         .name = "launches",
         .relation = GRADE_EQ,
         .threshold = 1,
         .points = 1},
        {.kind = GRADE_GOAL_COUNTER,
         .name = "gld_sectors",
         .relation = GRADE_LE,
         .threshold = 1000,
         .kernel = "reduce",
         .points = 1},
        {.kind = GRADE_GOAL_COUNTER,
         .name = "d2h_bytes",
         .relation = GRADE_LT,
         .threshold = 1,
         .points = 1},
    };
    lab.goals = g;
    lab.goal_count = 5;
    grade(good);
    CHECK(r.goals[1].pass);
    CHECK_NEAR(r.goals[1].expected, 400, 0);
    CHECK_CONTAINS(message(1), "0.5 times the baseline's");
    CHECK(r.goals[2].pass);
    CHECK(!r.goals[3].pass);
    CHECK_CONTAINS(message(3), "no kernel named reduce was launched");
    CHECK(r.goals[4].pass);
    VERDICT("fail");
    lab.goals = goals;
    lab.goal_count = 3;

    CHECK_NEAR(grade_curve(2, 2, 0.2), 1, 0);
    CHECK_NEAR(grade_curve(0.2, 2, 0.2), 0, 0);
    CHECK_NEAR(grade_curve(1, 2, 0.2), 4 / 4.5, 1e-12);
    CHECK_NEAR(grade_curve(1, 0, 0), 0, 0);
    CHECK(grade_metric_known("gld_sectors") && grade_metric_known("lane_efficiency_pct") &&
          grade_metric_known("registers"));
    CHECK(!grade_metric_known("sectors"));
}

/* Loads and stores made as atomics are ways of the deeds, and no loads and stores. */
static void with_atomics(dev_client *c, const dev_arg *v) {
    good(c, v);
    c->results[0].counters.atom_global_lanes += 90;
    c->results[0].counters.atom_global_sectors += 100;
    c->results[0].counters.atom_global_requests += 10;
}
static void goals_and_atomics(void) {
    static const struct {
        const char *name;
        grade_relation relation;
        double more;
    } rows[] = {{"gld_sectors", GRADE_LE, 0},
                {"gst_requests", GRADE_LE, 0},
                {"global_load_sectors", GRADE_LE, 100},
                {"global_load_sectors", GRADE_GE, 100},
                {"global_load_sectors", GRADE_EQ, 100},
                {"global_store_sectors", GRADE_LE, 100},
                {"global_loads", GRADE_LE, 10},
                {"global_stores", GRADE_LE, 10},
                {"global_load_bytes", GRADE_LE, 3200},
                {"launches", GRADE_LE, 0},
                {"warp_inst", GRADE_LE, 0},
                {"atom_global_lanes", GRADE_LE, 90},
                {"global_atomics", GRADE_LE, 90}};
    enum { ROWS = sizeof rows / sizeof *rows };
    grade_goal g[ROWS + 1] = {{.kind = GRADE_GOAL_CORRECT, .points = 1}};
    double before[ROWS + 1];
    for (size_t i = 0; i < ROWS; i++)
        g[i + 1] = (grade_goal){.kind = GRADE_GOAL_COUNTER,
                                .name = rows[i].name,
                                .relation = rows[i].relation,
                                .threshold = 1e6,
                                .points = 1};
    lab.goals = g;
    lab.goal_count = ROWS + 1;
    grade(good);
    for (size_t i = 1; i <= ROWS; i++) before[i] = r.goals[i].actual;
    grade(with_atomics);
    for (size_t i = 1; i <= ROWS; i++) {
        printf("# %s, %d\n", rows[i - 1].name, rows[i - 1].relation);
        CHECK_NEAR(r.goals[i].actual - before[i], rows[i - 1].more, 1e-9);
    }
    lab.goals = goals;
    lab.goal_count = 3;
}

/* What the timed case's work is. */
static struct {
    dev_op op;
    unsigned stream;
    bool in_graph;
} work[3];
static size_t work_count;
static unsigned timed_calls, timed_watched, others_watched, others;
static void works(dev_client *c, const dev_arg *v) {
    add(v, v[3].v.i32);
    bool timed_case = v[3].v.i32 == 4096;
    if (timed_case && !c->replaying) timed_calls++;
    timed_watched += timed_case && fake_sim->options.check_race_global;
    others_watched += !timed_case && fake_sim->options.check_race_global;
    others += !timed_case;
    for (size_t i = 0; i < work_count; i++) {
        if (work[i].op == DEV_OP_LAUNCH) launch(c, 20, 400);
        else fake_record(c, work[i].op, 1, 4);
        c->log[c->count - 1].stream = work[i].stream;
        c->log[c->count - 1].in_graph = work[i].in_graph;
    }
}
static void overlapping(void) {
    static const struct {
        size_t count;
        dev_op op[3];
        unsigned stream[3];
        bool in_graph[3];
    } rows[] = {
        {1, {DEV_OP_LAUNCH}, {0}, {false}},
        {1, {DEV_OP_LAUNCH}, {3}, {false}},
        {1, {DEV_OP_LAUNCH}, {0}, {true}},
        {2, {DEV_OP_LAUNCH, DEV_OP_LAUNCH}, {3, 3}, {false}},
        {2, {DEV_OP_LAUNCH, DEV_OP_LAUNCH}, {3, 4}, {false}},
        {2, {DEV_OP_LAUNCH, DEV_OP_LAUNCH}, {4, 3}, {false}},
        {2, {DEV_OP_MEMSET, DEV_OP_LAUNCH}, {0, 4}, {false}},
        {2, {DEV_OP_H2D, DEV_OP_LAUNCH}, {4, 0}, {false}},
        {2, {DEV_OP_LAUNCH, DEV_OP_D2H}, {0, 4}, {false}},
        {2, {DEV_OP_LAUNCH, DEV_OP_D2D}, {0, 4}, {false}},
        {2, {DEV_OP_LAUNCH, DEV_OP_MALLOC}, {0, 4}, {false}},
        {2, {DEV_OP_LAUNCH, DEV_OP_MALLOC}, {0, 0}, {false, true}},
        {3, {DEV_OP_MALLOC, DEV_OP_LAUNCH, DEV_OP_MALLOC}, {4, 0, 5}, {false}},
    };
    lib_message msg;
    sim_options o;
    sim_options_default(&o);
    o.threads = 1;
    o.memory_limit = 1 << 20;
    fake_sim = sim_device_new(sim_profile_find("h200"), &o, &msg);
    CHECK(fake_sim != NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        work_count = rows[i].count;
        for (size_t k = 0; k < work_count; k++) {
            work[k].op = rows[i].op[k];
            work[k].stream = rows[i].stream[k];
            work[k].in_graph = rows[i].in_graph[k];
        }
        timed_calls = timed_watched = others_watched = others = 0;
        grade(works);
        printf("# work %zu: %u calls of the timed case\n", i, timed_calls);
        VERDICT("pass");
        /* Races are looked for in the call of every case but the near ones, and where the timed
         * one's launches are replayed. */
        CHECK_INT(timed_calls, 1);
        CHECK_INT(timed_watched, 2);
        CHECK_INT(others_watched, others - 2); /* not in the two near cases */
    }
    lab.host_time = true; /* called, not replayed: each call is watched */
    timed_calls = timed_watched = 0;
    grade(works);
    CHECK_INT(timed_calls, 2);
    CHECK_INT(timed_watched, 2);
    lab.host_time = false;
    sim_device_free(fake_sim);
    fake_sim = NULL;
}

static const char *check_lab(void) {
    static lib_message msg;
    return grade_lab_check(&lab, &msg) ? "" : said(&msg);
}

static void checked_labs(void) {
    CHECK_STR(check_lab(), "");
    goals[1].name = "gld_sektors";
    CHECK_CONTAINS(check_lab(), "lab add: a goal names a counter that there is not: 'gld_sektors'");
    goals[1].name = "gld_sectors_per_request";
    goals[0].points = 0;
    CHECK_CONTAINS(check_lab(), "no goal of correctness");
    goals[0].points = 4;
    grade_param bad[] = {{"m", 5}};
    grade_case wrong_case[] = {{.params = bad, .param_count = 1, .timed = true}};
    lab.cases = wrong_case;
    lab.case_count = 1;
    CHECK_CONTAINS(check_lab(), "names no parameter");
    lab.range_count = 0;
    CHECK_CONTAINS(check_lab(), "lab add, case m = 5: no parameter of that name");
    lab.range_count = 1;
    lab.cases = cases;
    lab.case_count = 3;
}

/* ---- device code that the program loads ---- */

static const void *brought;
static size_t brought_bytes;
static void brings(dev_client *c, const dev_arg *v) {
    good(c, v);
    c->may_load(c->may_load_user, brought, brought_bytes, 90);
}

/* A lab that forbids nothing takes PTX from anywhere, and machine code from the build alone; one
 * that forbids something takes nothing else. */
static void brought_code(void) {
    static const char ptx[] = ".version 8.0\n.target sm_75\n.address_size 64\n";
    static const char *const forbids[] = {"cublas"};
    enum { NOTHING, SOMETHING };
    static const struct {
        unsigned kind; /* of the entry: 1 PTX, 2 machine code */
        bool own, forbids;
        const char *verdict;
    } rows[] = {{1, false, NOTHING, "pass"},   {2, false, NOTHING, "fail"},
                {2, true, NOTHING, "pass"},    {1, false, SOMETHING, "fail"},
                {2, false, SOMETHING, "fail"}, {1, true, SOMETHING, "pass"}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        size_t n;
        fatbin_file *code = fatbin_of(ptx, sizeof ptx - 1, &n), *other = fatbin_of("", 0, NULL);
        code->entry.kind = (uint16_t)rows[k].kind;
        if (rows[k].kind == 2) code->entry.arch = 90;
        brought = code, brought_bytes = n;
        options.code = rows[k].own ? code : other;
        options.code_bytes = rows[k].own ? n : sizeof *other;
        lab.forbidden = rows[k].forbids ? forbids : NULL;
        lab.forbidden_count = rows[k].forbids;
        printf("# brought %zu\n", k);
        grade(brings);
        VERDICT(rows[k].verdict);
        if (!strcmp(rows[k].verdict, "fail"))
            CHECK_CONTAINS(said(&r.message), "was not compiled from the source");
        free(code);
        free(other);
    }
    options.code = NULL, options.code_bytes = 0;
    lab.forbidden = NULL, lab.forbidden_count = 0;
}

int main(void) {
    make_lab();
    checked_labs();
    honest();
    measured_alone();
    missed();
    wrong();
    unclean();
    broken();
    infrastructure();
    told_by_hidden_cases();
    impossible_speed();
    sampled();
    state_of_gpu();
    fresh_inputs();
    measured_case();
    goals_of_counters();
    launches_are_named();
    goals_and_atomics();
    overlapping();
    brought_code();
    grade_result_free(&r);
    grade_expr_free(args[0].count);
    grade_expr_free(args[2].ops);
    return check_done();
}
