/* fraction("copy", 0.8) { points = 3 }: that share of a bound of the device. A bound is a row of
 * `bounds`; tiers (tiers.c) are of the same bounds. */
#include <math.h>
#include <string.h>
#include "grader/goal/kind.h"

/* ---- bounds ---- */

enum { COPY, FP32, BOUNDS };
static const goal_bound bounds[BOUNDS] = {
    [COPY] = {"copy",
              "GB/s",
              {"copy bandwidth", "拷贝带宽"},
              {"the device's copy bandwidth", "设备拷贝带宽"},
              {"Fraction of the copy bandwidth", "拷贝带宽比例"}},
    [FP32] = {"fp32",
              "GFLOP/s",
              {"FP32 peak", "FP32 峰值"},
              {"the device's arithmetic peak", "设备单精度峰值"},
              {"Fraction of the FP32 peak", "FP32 峰值比例"}},
};

static const goal_bound *bound_named(const char *name) {
    for (size_t i = 0; name && i < BOUNDS; i++)
        if (!strcmp(bounds[i].name, name)) return &bounds[i];
    return NULL;
}

const goal_bound *goal_bound_of(const grade_goal *g) {
    return bound_named(g->name);
}

/* A byte per microsecond is a megabyte a second. */
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
        SAY(g->message[LIB_EN],
            "The %s of this device is not known, so no fraction of it could be judged.",
            b->called[LIB_EN]);
        SAY(g->message[LIB_ZH], "不知道该设备的%s，无法评判比例。", b->called[LIB_ZH]);
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
    if (!goal_bound_of(g))
        s->fail(s, NULL, "fraction: expected \"copy\" or \"fp32\", found \"%s\"", g->name);
    if (g->threshold <= 0 || g->threshold > 1)
        s->fail(s, NULL, "fraction: expected a threshold between 0 and 1");
}

static const char *fraction_check(const grade_goal *g, const char **name) {
    if (goal_bound_of(g)) return goal_check_curve(g);
    *name = g->name ? g->name : "";
    return "a fraction is of \"copy\" or \"fp32\", not of";
}

static void fraction_judge(grade_result *r, size_t i, const grade_evidence *e, goal_judged *j) {
    grade_goal_result *g = &r->goals[i];
    const goal_bound *b = goal_bound_of(g->goal);
    double peak, reached;
    j->unknown = !goal_bound_judge(r, g, e, &peak, &reached);
    if (j->unknown) return;
    j->share = g->pass ? 1 : grade_curve(g->actual, g->goal->full_at, g->goal->none_at);
    SAY(g->message[LIB_EN], "%.1f%% of the %s of %.0f %s (%.0f %s reached); the goal is %.0f%%.",
        100 * g->actual, b->called[LIB_EN], peak, b->unit, reached, b->unit,
        100 * g->goal->threshold);
    SAY(g->message[LIB_ZH], "达到%s %.0f %s 的 %.1f%%（实际 %.0f %s）；要求 %.0f%%。",
        b->called[LIB_ZH], peak, b->unit, 100 * g->actual, reached, b->unit,
        100 * g->goal->threshold);
    if (!g->pass) goal_advise_speed(g, r);
}

static void fraction_sentence(lib_buffer *b, const grade_goal *g, lib_lang lang) {
    char n[32];
    const char *of = goal_bound_of(g)->of_device[lang];
    lib_grouped(n, 100 * g->threshold);
    if (lang == LIB_ZH) lib_buffer_printf(b, "达到%s的 %s%%", of, n);
    else lib_buffer_printf(b, "%s%% of %s", n, of);
}

static void fraction_title(lib_buffer *b, const char *name, const char *relation, double expected,
                           lib_lang lang) {
    const goal_bound *of = bound_named(name);
    char n[32];
    (void)relation;
    lib_buffer_printf(b, "%s >= %s%%", (of ? of : &bounds[COPY])->share[lang],
                      lib_number(n, 100 * expected));
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
