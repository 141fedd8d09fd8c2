/* What kinds of goal share: how values compare, part of the points, the advice that messages end in. */
#include <math.h>
#include <string.h>
#include "grader/goal/kind.h"

const char *grade_relation_text(grade_relation rel) {
    static const char *const text[] = {"<=", "<", "==", ">=", ">"};
    return text[rel];
}

bool grade_holds(double v, grade_relation rel, double t) {
    double slack = 1e-9 * fabs(t); /* 0.1 + 0.2 against 0.3 */
    switch (rel) {
    case GRADE_LE: return v <= t + slack;
    case GRADE_LT: return v < t - slack;
    case GRADE_EQ: return fabs(v - t) <= slack;
    case GRADE_GE: return v >= t - slack;
    case GRADE_GT: return v > t + slack;
    }
    return false;
}

/* value, full_at and none_at are speeds; the points fall linearly with the time 1 / speed. */
double grade_curve(double value, double full_at, double none_at) {
    if (!(full_at > 0) || !(none_at > 0) || none_at >= full_at) return 0;
    if (value >= full_at) return 1;
    if (value <= none_at) return 0;
    return (1 / none_at - 1 / value) / (1 / none_at - 1 / full_at);
}

/* What to look at when the call is too slow: the limiter of the launch that took longest. */
static const char *limiter_advice(const grade_result *r, lib_lang lang) {
    static const struct {
        const char *name, *text[LIB_LANGS];
    } table[] = {
#define LIMITER(name, word, en, zh) {name, {en, zh}},
#include "grader/judge/limiter.def"
#undef LIMITER
    };
    const grade_launch *longest = NULL;
    for (size_t i = 0; i < r->launch_count; i++)
        if (!longest || r->launches[i].time_us > longest->time_us) longest = &r->launches[i];
    for (size_t i = 0; longest && i < sizeof table / sizeof *table; i++)
        if (!strcmp(table[i].name, longest->limiter)) return table[i].text[lang];
    return lang == LIB_ZH ? "对文件运行 `profile`，看看时间花在哪里。"
                          : "Run `profile` on the file to see where the time goes.";
}

/* Chinese has no blank behind its full stop. */
void goal_add(grade_goal_result *g, lib_lang lang, const char *text) {
    size_t len = strlen(g->message[lang]);
    lib_say(g->message[lang] + len, sizeof g->message[lang] - len, "%s%s",
            lang == LIB_ZH ? "" : " ", text);
}

/* Adds the lab's own advice, or ours, behind a goal's message. */
void goal_advise(grade_goal_result *g, lib_lang lang, const char *ours) {
    const char *text = g->goal->message[lang]     ? g->goal->message[lang]
                       : g->goal->message[LIB_EN] ? g->goal->message[LIB_EN]
                                                  : ours;
    if (text && *text) goal_add(g, lang, text);
}

void goal_advise_speed(grade_goal_result *g, const grade_result *r) {
    for (int l = 0; l < LIB_LANGS; l++) goal_advise(g, (lib_lang)l, limiter_advice(r, (lib_lang)l));
}
