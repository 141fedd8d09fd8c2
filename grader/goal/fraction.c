/* fraction("copy", 0.8) { points = 3 }: a share of a limit of the device. A limit is a row of
 * `bounds`, which tiers (tiers.c) use, too. */
#include <math.h>
#include <string.h>
#include "grader/goal/kind.h"

/* ---- bounds ---- */

enum { COPY, FP32, BOUNDS };
static const goal_bound bounds[BOUNDS] = {
    [COPY] = {"copy", "GB/s", W_GOAL_BOUND_COPY, W_GOAL_DEVICE_COPY, W_GOAL_SHARE_COPY},
    [FP32] = {"fp32", "GFLOP/s", W_GOAL_BOUND_FP32, W_GOAL_DEVICE_FP32, W_GOAL_SHARE_FP32},
};

static const goal_bound *bound_named(const char *name) {
    for (size_t i = 0; name && i < BOUNDS; i++)
        if (!strcmp(bounds[i].name, name)) return &bounds[i];
    return NULL;
}

const goal_bound *goal_bound_of(const grade_goal *g) {
    return bound_named(g->name);
}

/* A byte per us is a MB/s; the limits are in GB/s and GFLOP/s. */
static double reached_in(const goal_bound *b, const grade_evidence *e, double time_us) {
    return (b == &bounds[COPY] ? e->useful_bytes : e->useful_flops) / time_us / 1e3;
}

static double peak_of(const goal_bound *b, const grade_evidence *e) {
    return b == &bounds[COPY] ? e->copy_gbs : e->fp32_gflops;
}

double grade_goal_share(const grade_goal *g, const grade_evidence *e, double time_us) {
    const goal_bound *b = goal_bound_of(g);
    double peak = peak_of(b, e);
    return peak > 0 && time_us > 0 ? reached_in(b, e, time_us) / peak : 0;
}

void goal_bound_interval(const grade_goal *g, const grade_evidence *e, const grade_ratio *q,
                         double *lo, double *hi) {
    *lo = grade_goal_share(g, e, q->student_hi);
    *hi = grade_goal_share(g, e, q->student_lo);
    if (!(q->student_lo > 0) && peak_of(goal_bound_of(g), e) > 0) *hi = HUGE_VAL;
}

const char *goal_percent(char buf[32], double v) {
    lib_say(buf, 32, "%.0f%%", 100 * v);
    return buf;
}

bool goal_bound_judge(const grade_result *r, grade_goal_result *g, const grade_evidence *e,
                      double *peak, double *reached) {
    const goal_bound *b = goal_bound_of(g->goal);
    *peak = peak_of(b, e);
    if (!(*peak > 0) || !(r->time_us > 0)) {
        lib_message_set(&g->message, w_goal_bound_not_known(b->called));
        return false;
    }
    *reached = reached_in(b, e, r->time_us);
    g->actual = *reached / *peak;
    g->pass = grade_holds(g->actual, GRADE_GE, g->goal->threshold);
    return true;
}

/* ---- the kind ---- */

static void fraction_read(goal_source *s, grade_goal *g) {
    goal_read_curve(s, g);
    g->name = s->text(s, "name", true);
    if (!goal_bound_of(g)) s->fail(s, NULL, w_goal_fraction_name(g->name));
    if (g->threshold <= 0 || g->threshold > 1) s->fail(s, NULL, w_goal_fraction_threshold());
}

static lib_words fraction_check(const grade_goal *g) {
    return goal_bound_of(g) ? goal_check_curve(g) : w_goal_fraction_of(g->name ? g->name : "");
}

static void fraction_judge(grade_result *r, size_t i, const grade_evidence *e, goal_judged *j) {
    grade_goal_result *g = &r->goals[i];
    const goal_bound *b = goal_bound_of(g->goal);
    double peak, reached;
    j->unknown = !goal_bound_judge(r, g, e, &peak, &reached);
    if (j->unknown) return;
    j->share = g->pass ? 1 : grade_curve(g->actual, g->goal->full_at, g->goal->none_at);
    lib_message_set(&g->message, w_goal_fraction(100 * g->actual, b->called, peak, b->unit, reached,
                                                 100 * g->goal->threshold));
    if (!g->pass) goal_advise_speed(g, r);
}

static lib_words fraction_sentence(const grade_goal *g) {
    return w_goal_asks_fraction(100 * g->threshold, goal_bound_of(g)->of_device);
}

static lib_words fraction_title(const char *name, const char *relation, double expected) {
    const goal_bound *of = bound_named(name);
    (void)relation;
    return w_goal_title_fraction((of ? of : &bounds[COPY])->share, 100 * expected);
}

const goal_kind goal_fraction = {
    .words = {{"fraction", "name threshold", "name threshold points full none en zh",
               "That part of the measured copy bandwidth or of the FP32 peak."}},
    .figure = true,
    .timed = true,
    .read = fraction_read,
    .check = fraction_check,
    .judge = fraction_judge,
    .bound = goal_bound_of,
    .interval = goal_bound_interval,
    .sentence = fraction_sentence,
    .title = fraction_title,
    .value = goal_percent,
};
