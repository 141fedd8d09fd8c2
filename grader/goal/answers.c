/* answers { points = 6, need = 0.75 }: a quiz, scored by its questions at the prompt (runner/lesson). */
#include "grader/goal/kind.h"

static void answers_read(goal_source *s, grade_goal *g) {
    g->relation = GRADE_GE;
    g->threshold = s->number(s, "need", 0.75, false);
    if (g->threshold <= 0 || g->threshold > 1)
        s->fail(s, "need",
                "answers.need: expected the share of questions that have to be right at the first "
                "try, above 0 and at most 1");
}

static void answers_judge(grade_result *r, size_t i, const grade_evidence *e, goal_judged *j) {
    grade_goal_result *g = &r->goals[i];
    (void)e, (void)j;
    SAY2(g->message[LIB_EN], g->message[LIB_ZH],
         "scored by the questions at the prompt, not by a file", "由提示符下的提问计分，不看文件");
}

static void answers_sentence(lib_buffer *b, const grade_goal *g, lib_lang lang) {
    char n[32];
    lib_buffer_printf(b,
                      lang == LIB_ZH
                          ? "回答全部问题，其中 %s%% 一次答对"
                          : "every question answered, %s%% of them right at the first try",
                      lib_grouped(n, 100 * g->threshold));
}

static void answers_title(lib_buffer *b, const char *name, const char *relation, double expected,
                          lib_lang lang) {
    (void)name, (void)relation, (void)expected;
    lib_buffer_puts(b, lang == LIB_ZH ? "提问" : "Questions");
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
