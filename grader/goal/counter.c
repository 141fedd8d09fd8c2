/* counter("syncs", "==", 1) { points = 2 }, at_most("gld_sectors", 0.2 * baseline), at_least(...): a
 * counter, a ratio or a figure of the timed call against a number, the baseline's value or another
 * kernel's. */
#include <math.h>
#include <string.h>
#include "grader/goal/kind.h"

/* ---- as a lesson writes it ---- */

static void read_launches(goal_source *s, grade_goal *g) {
    g->per = s->text(s, "per", false);
    if (g->per && strcmp(g->per, "max") != 0)
        s->fail(s, "per", "%s.per: expected \"max\" or nothing", s->word);
    g->kernel = s->text(s, "kernel", false);
}

static void read_counter(goal_source *s, grade_goal *g) {
    const char *rel = s->text(s, "relation", true);
    while (g->relation <= GRADE_GT && strcmp(grade_relation_text(g->relation), rel) != 0)
        g->relation++;
    if (g->relation > GRADE_GT)
        s->fail(s, NULL, "counter: expected <=, <, ==, >= or >, found `%s`", rel);
    g->threshold = s->number(s, "threshold", 0, true);
    if (s->flag(s, "relative"))
        s->fail(s, "relative",
                "counter.relative: expected `%s(\"%s\", %g * baseline)` in place of a counter with "
                "`relative = true`",
                g->relation <= GRADE_LT ? "at_most" : "at_least", g->name, g->threshold);
    read_launches(s, g);
    g->than = s->text(s, "beside", false);
    if (g->than && !g->kernel)
        s->fail(s, "beside",
                "counter.beside: compares two kernels of the submission: it goes with `kernel`");
}

static void counter_read(goal_source *s, grade_goal *g) {
    g->name = s->text(s, "name", true);
    s->counter(s, g->name);
    if (!strcmp(s->word, "counter")) {
        read_counter(s, g);
        return;
    }
    g->relation = strcmp(s->word, "at_most") ? GRADE_GE : GRADE_LE;
    g->threshold = s->times(s, "threshold", &g->relative);
    read_launches(s, g);
}

static const char *counter_check(const grade_goal *g, const char **name) {
    *name = g->name ? g->name : "";
    if (!g->name || !grade_metric_known(g->name))
        return "a goal names a counter that there is not:";
    *name = g->per;
    if (g->per && strcmp(g->per, "max") != 0)
        return "a counter goal's `per` is \"max\" or left out, not";
    return NULL;
}

/* ---- judged ---- */

static const char *advice(const char *counter, lib_lang lang) {
    static const struct {
        const char *prefix, *text[LIB_LANGS];
    } table[] = {
#define ADVICE(prefix, en, zh) {prefix, {en, zh}},
#include "grader/judge/advice.def"
#undef ADVICE
    };
    size_t i = 0;
    /* the last prefix is "" */
    while (strncmp(table[i].prefix, counter, strlen(table[i].prefix)) != 0) i++;
    return table[i].text[lang];
}

/* Nothing was launched that it is counted of, or nothing of the kind was done: said. */
static bool counter_missing(grade_goal_result *g, const grade_metric_value *mine) {
    const grade_goal *goal = g->goal;
    if (mine->status == METRIC_NO_LAUNCH) {
        if (goal->kernel)
            SAY2(g->message[LIB_EN], g->message[LIB_ZH],
                 "%s was not measured: no kernel named %s was launched.",
                 "%s 没有测到：没有启动名为 %s 的核函数。", goal->name, goal->kernel);
        else
            SAY2(g->message[LIB_EN], g->message[LIB_ZH],
                 "%s was not measured: no kernel was launched.",
                 "%s 没有测到：没有启动任何核函数。", goal->name);
        return true;
    }
    if (mine->status == METRIC_UNDEFINED) {
        SAY2(g->message[LIB_EN], g->message[LIB_ZH],
             "%s was not measured: the kernels made no such access at all.",
             "%s 没有测到：核函数根本没有这种访问。", goal->name);
        return true;
    }
    return false;
}

/* "1 call", "1 copy", "1 branch", "1 us" */
static const char *one_of(char buf[32], const char *unit) {
    size_t n = strlen(unit);
    if (n < 3 || n >= 32 || unit[n - 1] != 's') return unit;
    bool copies = !strcmp(unit + n - 3, "ies"), hiss = strstr(unit, "ches") || strstr(unit, "sses");
    lib_say(buf, 32, "%.*s%s", (int)(n - (copies ? 3 : hiss ? 2 : 1)), unit, copies ? "y" : "");
    return buf;
}

static void judge_here(grade_goal_result *g, const grade_metric_value *mine,
                       const grade_metric_value *base) {
    const grade_goal *goal = g->goal;
    const char *rel = grade_relation_text(goal->relation);
    char actual[32], asked[32], factor[32];
    bool relative = goal->relative || goal->than;
    g->expected = relative ? goal->threshold * base->value : goal->threshold;
    g->actual = mine->value;
    lib_figure(actual, g->actual);
    lib_figure(asked, g->expected);
    lib_number(factor, goal->threshold);
    if (counter_missing(g, mine)) return;
    const char *unit = grade_metric_unit(goal->name), *zh = grade_unit_word(unit, LIB_ZH, true);
    char one[32];
    if (g->actual == 1) unit = one_of(one, unit);
    char amount[LIB_LANGS][64]; /* "13%", "7 bytes" */
    const char *gap = !strcmp(unit, "%") ? "" : " ";
    SAY(amount[LIB_EN], "%s%s%s", actual, gap, unit);
    SAY(amount[LIB_ZH], "%s%s%s", actual, gap, zh);
    g->pass = mine->status == METRIC_OK && (!relative || base->status == METRIC_OK) &&
              grade_holds(g->actual, goal->relation, g->expected);
    if (goal->than && base->status == METRIC_NO_LAUNCH)
        SAY2(g->message[LIB_EN], g->message[LIB_ZH],
             "%s was not compared: no kernel named %s was launched.",
             "%s 没有可比的对象：没有启动名为 %s 的核函数。", goal->name, goal->than);
    else if (goal->than) {
        const char *of = goal->kernel ? goal->kernel : "all kernels";
        SAY(g->message[LIB_EN], "%s of %s is %s; the goal is %s %s (%s times that of %s).",
            goal->name, of, amount[LIB_EN], rel, asked, factor, goal->than);
        SAY(g->message[LIB_ZH], "%s（%s）为 %s；要求 %s %s，即 %s 倍于 %s 的值。", goal->name,
            goal->kernel ? goal->kernel : "全部核函数", amount[LIB_ZH], rel, asked, factor,
            goal->than);
    } else if (goal->relative && goal->threshold == 1) {
        SAY(g->message[LIB_EN], "%s is %s; the goal is %s %s (the baseline's).", goal->name,
            amount[LIB_EN], rel, asked);
        SAY(g->message[LIB_ZH], "%s 为 %s；要求 %s %s，即基线的值。", goal->name, amount[LIB_ZH],
            rel, asked);
    } else if (goal->relative) {
        SAY(g->message[LIB_EN], "%s is %s; the goal is %s %s (%s times the baseline's).",
            goal->name, amount[LIB_EN], rel, asked, factor);
        SAY(g->message[LIB_ZH], "%s 为 %s；要求 %s %s，即基线的 %s 倍。", goal->name,
            amount[LIB_ZH], rel, asked, factor);
    } else {
        SAY(g->message[LIB_EN], "%s is %s; the goal is %s %s.", goal->name, amount[LIB_EN], rel,
            asked);
        SAY(g->message[LIB_ZH], "%s 为 %s；要求 %s %s。", goal->name, amount[LIB_ZH], rel, asked);
    }
    if (g->pass) return;
    if (mine->launch[0]) {
        char text[LIB_LANGS][200];
        SAY2(text[LIB_EN], text[LIB_ZH], "It is that of %s.", "这是 %s 的值。", mine->launch);
        for (int l = 0; l < LIB_LANGS; l++) goal_add(g, (lib_lang)l, text[l]);
    }
    goal_advise(g, LIB_EN, advice(goal->name, LIB_EN));
    goal_advise(g, LIB_ZH, advice(goal->name, LIB_ZH));
}

static void counter_judge(grade_result *r, size_t i, const grade_evidence *e, goal_judged *j) {
    grade_goal_result *g = &r->goals[i];
    if (e->explained) {
        const grade_goal_result *there = &e->explained->goals[i];
        g->pass = there->pass, g->expected = there->expected, g->actual = there->actual;
        memcpy(g->message, there->message, sizeof g->message);
    } else judge_here(g, &e->student[i], &e->baseline[i]);
    j->share = g->pass;
}

/* ---- told ---- */

static void counter_sentence(lib_buffer *b, const grade_goal *g, lib_lang lang) {
    const char *rel = g->relation == GRADE_EQ ? "=" : grade_relation_text(g->relation);
    bool zh = lang == LIB_ZH;
    char n[32];
    lib_grouped(n, g->threshold);
    if (g->than)
        lib_buffer_printf(
            b, zh ? "%s（`%s`）%s %s 倍于 `%s` 的值" : "%s of `%s` %s %s times that of `%s`",
            g->name, g->kernel, rel, n, g->than);
    else if (g->relative && g->threshold == 1)
        lib_buffer_printf(b, zh ? "%s %s 基线的值" : "%s %s the baseline's", g->name, rel);
    else if (g->relative)
        lib_buffer_printf(b, zh ? "%s %s 基线的 %s 倍" : "%s %s %s times the baseline's", g->name,
                          rel, n);
    else lib_buffer_printf(b, "%s %s %s", g->name, rel, n);
}

static void counter_title(lib_buffer *b, const char *name, const char *relation, double expected,
                          lib_lang lang) {
    char n[32];
    lib_buffer_printf(b, "%s%s %s %s", lang == LIB_ZH ? "计数器：" : "Counter: ", name, relation,
                      lib_number(n, expected));
}

/* Whole calls ("launches is 1; the goal is >= 1") are met exactly or not at all. */
static bool counts_calls(const char *name) {
    static const char *const units[] = {"launches", "copies", "calls"};
    for (size_t i = 0; i < grade_metric_count(); i++) {
        const sim_counter_info *m = grade_metric_at(i);
        if (strcmp(m->name, name) != 0) continue;
        for (size_t k = 0; k < sizeof units / sizeof *units; k++)
            if (!strcmp(m->unit, units[k])) return true;
    }
    return false;
}

/* A percentage of a whole. */
static bool is_share(const char *name) {
    size_t n = strlen(name);
    return n > 4 && !strcmp(name + n - 4, "_pct");
}

static bool counter_room(const grade_goal_result *r, double *room) {
    double want = r->expected, got = r->actual;
    grade_relation rel = r->goal->relation;
    bool at_most = rel == GRADE_LE || rel == GRADE_LT;
    if (rel == GRADE_EQ || counts_calls(r->goal->name)) return false;
    if (!at_most && want > 50 && is_share(r->goal->name))
        at_most = true, want = 100 - want, got = 100 - got; /* what misses counts */
    if (at_most) *room = got == 0 ? HUGE_VAL : want / got;
    else *room = want == 0 ? HUGE_VAL : got / want;
    return true;
}

#define BOUND_FIELDS "name threshold points per kernel en zh"
const goal_kind goal_counter = {
    .words = {{"counter", "name relation threshold",
               "name relation threshold relative points per kernel beside en zh",
               "The counter over the timed call compares so."},
              {"at_most", "name threshold", BOUND_FIELDS,
               "The counter is at most that; 0.2 * baseline: of the baseline's."},
              {"at_least", "name threshold", BOUND_FIELDS, "The counter is at least that."}},
    .counted = true,
    .figure = true,
    .read = counter_read,
    .check = counter_check,
    .judge = counter_judge,
    .sentence = counter_sentence,
    .title = counter_title,
    .room = counter_room,
};
