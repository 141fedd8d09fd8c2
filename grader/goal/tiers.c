/* tiers("copy") { bronze = 0.45, silver = 0.65, gold = 0.8, points = 4 }: shares of a limit of the
 * device. Bronze passes and earns half of the points, silver three quarters, gold all. Below bronze
 * nothing is earned. The message names the next tier, even if the goal is met. */
#include <math.h>
#include "grader/goal/kind.h"

enum { TIERS = 3 };
static const struct {
    const char *field;
    lib_word_id reached, next; /* words at the beginning of a line; inside a sentence */
    double share;              /* of the points */
} tiers[TIERS] = {{"bronze", W_GOAL_TIER_BRONZE, W_GOAL_NEXT_BRONZE, 0.5},
                  {"silver", W_GOAL_TIER_SILVER, W_GOAL_NEXT_SILVER, 0.75},
                  {"gold", W_GOAL_TIER_GOLD, W_GOAL_NEXT_GOLD, 1}};

/* Returns the TIERS shares. The first is the goal's threshold. */
static const double *tiers_at(const grade_goal *g) {
    return g->own;
}

/* Returns the number of tiers that a share reaches. */
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

static lib_words tiers_check(const grade_goal *g) {
    const double *at = tiers_at(g);
    if (!goal_bound_of(g)) return w_goal_tiers_of(g->name ? g->name : "");
    bool rise = at[0] > 0 && at[0] < at[1] && at[1] < at[2] && at[2] <= 1;
    if (rise) return (lib_words){0};
    return w_goal_tiers_order();
}

/* Truncates: 79.96% must not be shown as 80.0%, which was asked. */
static double in_percent(double v) {
    return floor(1000 * v + 1e-6) / 10;
}

static lib_words reached_words(const grade_goal *g, size_t n, const lib_message *standing) {
    if (n == TIERS) return w_goal_tier_top(standing);
    double asks = 100 * tiers_at(g)[n];
    return n ? w_goal_tier_reached(tiers[n - 1].reached, standing, tiers[n].next, asks)
             : w_goal_tier_none(standing, tiers[n].next, asks);
}

static void tiers_judge(grade_result *r, size_t i, const grade_evidence *e, goal_judged *j) {
    grade_goal_result *g = &r->goals[i];
    const goal_bound *b = goal_bound_of(g->goal);
    double peak, reached;
    lib_message standing;
    j->unknown = !goal_bound_judge(r, g, e, &peak, &reached);
    if (j->unknown) return;
    size_t n = tiers_reached(g->goal, g->actual);
    j->share = n ? tiers[n - 1].share : 0;
    lib_message_set(&standing,
                    w_goal_tier_standing(in_percent(g->actual), b->called, peak, b->unit, reached));
    lib_message_set(&g->message, reached_words(g->goal, n, &standing));
    if (!g->pass) goal_advise_speed(g, r);
}

static double tiers_next(const grade_goal *g, double v) {
    for (size_t i = 0; i < TIERS; i++)
        if (tiers_at(g)[i] > v) return tiers_at(g)[i];
    return HUGE_VAL;
}

static lib_words tiers_sentence(const grade_goal *g) {
    const double *at = tiers_at(g);
    return w_goal_asks_tiers(100 * at[0], goal_bound_of(g)->of_device, 100 * at[1], 100 * at[2]);
}

static lib_words tiers_title(const char *name, const char *relation, double expected) {
    const goal_bound *of = goal_bound_of(&(grade_goal){.name = name});
    (void)relation;
    return of ? w_goal_title_tiers(of->share, 100 * expected)
              : w_goal_title_tiers_of(name, 100 * expected);
}

/* The tier reached and the next one. */
static lib_words tiers_line(const grade_goal_result *r) {
    lib_word_id of = goal_bound_of(r->goal)->called;
    size_t n = r->pass ? tiers_reached(r->goal, r->actual) : 0;
    if (n == TIERS) return lib_words_of(tiers[n - 1].reached);
    double asks = 100 * tiers_at(r->goal)[n];
    return n ? w_goal_line_tier(tiers[n - 1].reached, tiers[n].next, asks, of)
             : w_goal_line_first_tier(tiers[n].next, asks, of);
}

/* "tier": the tier reached, or null. "tiers": all of them with their points. */
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
