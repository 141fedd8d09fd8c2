/* answers { points = 6, need = 0.75 }: a quiz. The prompt asks the questions and scores them
 * (runner/lesson). */
#include "grader/goal/kind.h"

static void answers_read(goal_source *s, grade_goal *g) {
    g->relation = GRADE_GE;
    g->threshold = s->number(s, "need", 0.75, false);
    if (g->threshold <= 0 || g->threshold > 1) s->fail(s, "need", w_goal_need_share());
}

static void answers_judge(grade_result *r, size_t i, const grade_evidence *e, goal_judged *j) {
    (void)e, (void)j;
    lib_message_set(&r->goals[i].message, w_goal_quiz());
}

static lib_words answers_sentence(const grade_goal *g) {
    return w_goal_asks_quiz(100 * g->threshold);
}

static lib_words answers_title(const char *name, const char *relation, double expected) {
    (void)name, (void)relation, (void)expected;
    return w_goal_title_quiz();
}

const goal_kind goal_answers = {
    .words = {{"answers", NULL, "points need en zh",
               "The only goal of a quiz: the share of its questions answered right."}},
    .in_words = true,
    .quiz = true,
    .read = answers_read,
    .judge = answers_judge,
    .sentence = answers_sentence,
    .title = answers_title,
};
