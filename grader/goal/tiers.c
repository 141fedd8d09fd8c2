/* tiers("copy") { bronze = 0.45, silver = 0.65, gold = 0.8, points = 4 }: shares of a bound of the
 * device. Bronze passes and earns half of the points, silver three quarters, gold all; below bronze
 * nothing is earned. The message names the next tier, also once the goal is met. */
#include <math.h>
#include "grader/goal/kind.h"

enum { TIERS = 3 };
static const struct {
    const char *field, *called[LIB_LANGS];
    double share; /* of the points */
} tiers[TIERS] = {{"bronze", {"Bronze", "铜级"}, 0.5},
                  {"silver", {"Silver", "银级"}, 0.75},
                  {"gold", {"Gold", "金级"}, 1}};

/* The shares of the bound, TIERS of them; the first is the goal's threshold. */
static const double *tiers_at(const grade_goal *g) {
    return g->own;
}

/* How many tiers a share of the bound reaches. */
static size_t tiers_reached(const grade_goal *g, double v) {
    size_t n = 0;
    while (n < TIERS && grade_holds(v, GRADE_GE, tiers_at(g)[n])) n++;
    return n;
}

static void tiers_read(goal_source *s, grade_goal *g) {
    double *at = s->alloc(s, TIERS * sizeof *at);
    g->relation = GRADE_GE;
    g->name = s->text(s, "name", true);
    for (size_t i = 0; i < TIERS; i++) at[i] = s->number(s, tiers[i].field, 0, true);
    g->threshold = at[0];
    g->own = at;
}

static const char *tiers_check(const grade_goal *g, const char **name) {
    const double *at = tiers_at(g);
    if (!goal_bound_of(g)) {
        *name = g->name ? g->name : "";
        return "tiers are of \"copy\" or \"fp32\", not of";
    }
    return at[0] > 0 && at[0] < at[1] && at[1] < at[2] && at[2] <= 1
               ? NULL
               : "bronze, silver and gold are shares, each above the one before: above 0, at most "
                 "1";
}

/* Cut, not rounded: 79.96% is not shown as the 80.0% that is asked. */
static double in_percent(double v) {
    return floor(1000 * v + 1e-6) / 10;
}

static void say_reached(const grade_goal_result *g, size_t n, char *text, size_t size,
                        const char *standing, lib_lang lang) {
    char next[32];
    if (n == TIERS) {
        lib_say(text, size, lang == LIB_ZH ? "金级（最高）：%s。" : "Gold, the highest tier: %s.",
                standing);
        return;
    }
    lib_number(next, 100 * tiers_at(g->goal)[n]);
    const char *have = n ? tiers[n - 1].called[lang] : lang == LIB_ZH ? "尚未入级" : "No tier yet";
    if (lang == LIB_ZH)
        lib_say(text, size, "%s：%s；%s要求 %s%%。", have, standing, tiers[n].called[lang], next);
    else lib_say(text, size, "%s: %s; %s asks %s%%.", have, standing, tiers[n].field, next);
}

static void tiers_judge(grade_result *r, size_t i, const grade_evidence *e, goal_judged *j) {
    grade_goal_result *g = &r->goals[i];
    const goal_bound *b = goal_bound_of(g->goal);
    double peak, reached;
    char standing[LIB_LANGS][160];
    j->unknown = !goal_bound_judge(r, g, e, &peak, &reached);
    if (j->unknown) return;
    size_t n = tiers_reached(g->goal, g->actual);
    j->share = n ? tiers[n - 1].share : 0;
    SAY(standing[LIB_EN], "%.1f%% of the %s of %.0f %s (%.0f %s reached)", in_percent(g->actual),
        b->called[LIB_EN], peak, b->unit, reached, b->unit);
    SAY(standing[LIB_ZH], "达到%s %.0f %s 的 %.1f%%（实际 %.0f %s）", b->called[LIB_ZH], peak,
        b->unit, in_percent(g->actual), reached, b->unit);
    for (int l = 0; l < LIB_LANGS; l++)
        say_reached(g, n, g->message[l], sizeof g->message[l], standing[l], (lib_lang)l);
    if (!g->pass) goal_advise_speed(g, r);
}

static double tiers_next(const grade_goal *g, double v) {
    for (size_t i = 0; i < TIERS; i++)
        if (tiers_at(g)[i] > v) return tiers_at(g)[i];
    return HUGE_VAL;
}

static void tiers_sentence(lib_buffer *b, const grade_goal *g, lib_lang lang) {
    const char *of = goal_bound_of(g)->of_device[lang];
    char n[TIERS][32];
    for (size_t i = 0; i < TIERS; i++) lib_number(n[i], 100 * tiers_at(g)[i]);
    if (lang == LIB_ZH)
        lib_buffer_printf(b, "达到%s的 %s%%（铜级，即通过）、%s%%（银级）、%s%%（金级）", of, n[0],
                          n[1], n[2]);
    else
        lib_buffer_printf(b, "%s%% of %s to pass (bronze), %s%% for silver, %s%% for gold", n[0],
                          of, n[1], n[2]);
}

static void tiers_title(lib_buffer *b, const char *name, const char *relation, double expected,
                        lib_lang lang) {
    const goal_bound *of = goal_bound_of(&(grade_goal){.name = name});
    char n[32];
    (void)relation;
    lib_buffer_printf(b, lang == LIB_ZH ? "%s（分级，%s%% 起）" : "%s, in tiers from %s%%",
                      of ? of->share[lang] : name, lib_number(n, 100 * expected));
}

/* The tier that is reached, and the next. */
static void tiers_line(lib_buffer *b, const grade_goal_result *r, lib_lang lang) {
    const char *of = goal_bound_of(r->goal)->called[lang];
    size_t n = r->pass ? tiers_reached(r->goal, r->actual) : 0;
    char next[32];
    if (n) lib_buffer_puts(b, tiers[n - 1].called[lang]);
    if (n == TIERS) return;
    if (n) lib_buffer_puts(b, lang == LIB_ZH ? "；" : "; ");
    lib_number(next, 100 * tiers_at(r->goal)[n]);
    if (lang == LIB_ZH) lib_buffer_printf(b, "%s：%s的 %s%%", tiers[n].called[lang], of, next);
    else lib_buffer_printf(b, "%s: %s%% of the %s", tiers[n].field, next, of);
}

/* "tier": the one reached, or null; "tiers": all, with the points that each is worth. */
static void tiers_json(const grade_goal_result *r, json_t *o) {
    size_t n = r->pass ? tiers_reached(r->goal, r->actual) : 0;
    json_t *all = json_array();
    for (size_t i = 0; i < TIERS; i++) {
        json_t *t = json_object();
        json_object_set_new(t, "name", json_string(tiers[i].field));
        json_object_set_new(t, "at", json_real(tiers_at(r->goal)[i]));
        json_object_set_new(t, "points", json_real(tiers[i].share * r->goal->points));
        json_array_append_new(all, t);
    }
    json_object_set_new(o, "tier", n ? json_string(tiers[n - 1].field) : json_null());
    json_object_set_new(o, "tiers", all);
}

const goal_kind goal_tiers = {
    .words =
        {{"tiers", "name", "name bronze silver gold points en zh",
          "Shares of the copy bandwidth or of the FP32 peak: bronze passes and earns half of the "
          "points, silver three quarters, gold all."}},
    .figure = true,
    .timed = true,
    .read = tiers_read,
    .check = tiers_check,
    .judge = tiers_judge,
    .bound = goal_bound_of,
    .interval = goal_bound_interval,
    .next = tiers_next,
    .sentence = tiers_sentence,
    .title = tiers_title,
    .value = goal_percent,
    .line = tiers_line,
    .json = tiers_json,
};
