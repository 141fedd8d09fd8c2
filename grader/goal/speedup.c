/* speedup(1.5) { points = 3 }: that many times as fast as the baseline on the same device. Part of the
 * points is earned from `none` on, all of them at `full`. */
#include <string.h>
#include "grader/goal/kind.h"

void goal_read_curve(goal_source *s, grade_goal *g) {
    g->relation = GRADE_GE;
    g->threshold = s->number(s, "threshold", 0, true);
    g->full_at = s->number(s, "full", g->threshold, false);
    g->none_at = s->number(s, "none", g->threshold / 10, false);
}

const char *goal_check_curve(const grade_goal *g) {
    return g->full_at > 0 && g->none_at > 0 && g->none_at >= g->full_at
               ? "the curve of a speed goal must earn nothing at a lower speed than it earns all"
               : NULL;
}

static const char *speedup_check(const grade_goal *g, const char **name) {
    (void)name;
    return goal_check_curve(g);
}

static void speedup_judge(grade_result *r, size_t i, const grade_evidence *e, goal_judged *j) {
    (void)e;
    grade_goal_result *g = &r->goals[i];
    char actual[32], asked[32], mine[32], base[32];
    g->actual = r->speedup;
    g->pass = grade_holds(g->actual, GRADE_GE, g->goal->threshold);
    j->share = g->pass ? 1 : grade_curve(g->actual, g->goal->full_at, g->goal->none_at);
    lib_number(asked, g->goal->threshold);
    lib_number(mine, r->time_us);
    lib_number(base, r->baseline_us);
    lib_say(actual, sizeof actual, "%.3g", g->actual);
    /* One time as fast is as fast. */
    char got[LIB_LANGS][48], want[LIB_LANGS][48];
    SAY2(got[LIB_EN], got[LIB_ZH], "%s times as fast as", "速度是基线的 %s 倍", actual);
    SAY2(want[LIB_EN], want[LIB_ZH], "the goal is %s times as fast", "要求 %s 倍", asked);
    if (!strcmp(actual, "1")) SAY2(got[LIB_EN], got[LIB_ZH], "As fast as", "与基线一样快");
    if (!strcmp(asked, "1"))
        SAY2(want[LIB_EN], want[LIB_ZH], "the goal is to be no slower", "要求不比基线慢");
    if (!(r->time_us > 0)) {
        SAY(g->message[LIB_EN],
            "The speed was not measured: the timed call did nothing on the device; %s.",
            want[LIB_EN]);
        SAY(g->message[LIB_ZH], "没有测到速度：计时的调用没有让设备做任何事；%s。", want[LIB_ZH]);
        return;
    }
    SAY(g->message[LIB_EN], "%s the baseline (%s us against %s us); %s.", got[LIB_EN], mine, base,
        want[LIB_EN]);
    SAY(g->message[LIB_ZH], "%s（%s 微秒，基线 %s 微秒）；%s。", got[LIB_ZH], mine, base,
        want[LIB_ZH]);
    if (j->unsure) {
        char lo[32], hi[32];
        lib_number(lo, r->ci_lo);
        lib_number(hi, r->ci_hi);
        SAY2(g->message[LIB_EN], g->message[LIB_ZH],
             "Between %s and %s times as fast as the baseline (95%%): too close to the "
             "goal of %s to decide. Grade it again.",
             "速度是基线的 %s 到 %s 倍（95%% 区间）：离要求的 %s 倍太近，无法判定，请重新评分。",
             lo, hi, asked);
        return;
    }
    if (!g->pass) goal_advise_speed(g, r);
}

static void speedup_interval(const grade_goal *g, const grade_evidence *e, const grade_ratio *q,
                             double *lo, double *hi) {
    (void)g, (void)e;
    *lo = q->lo, *hi = q->hi;
}

static void speedup_sentence(lib_buffer *b, const grade_goal *g, lib_lang lang) {
    char n[32];
    bool zh = lang == LIB_ZH;
    if (g->threshold == 1) lib_buffer_puts(b, zh ? "不比基线慢" : "no slower than the baseline");
    else
        lib_buffer_printf(b, zh ? "速度达到基线的 %s 倍" : "%s times as fast as the baseline",
                          lib_grouped(n, g->threshold));
}

static void speedup_title(lib_buffer *b, const char *name, const char *relation, double expected,
                          lib_lang lang) {
    char n[32];
    (void)name, (void)relation;
    lib_buffer_printf(b, "%s >= %s", lang == LIB_ZH ? "加速比" : "Speed-up",
                      lib_number(n, expected));
}

const goal_kind goal_speedup = {
    .words = {{"speedup", "threshold", "name threshold points full none en zh",
               "That many times as fast as the baseline on the same device."}},
    .figure = true,
    .timed = true,
    .read = goal_read_curve,
    .check = speedup_check,
    .judge = speedup_judge,
    .interval = speedup_interval,
    .sentence = speedup_sentence,
    .title = speedup_title,
};
