/* Findings of the device for people: what kind each is, and its words with its count. */
#include <stdlib.h>
#include "grader/result.h"
#include "words/judge.h"

lib_word_id grade_finding_title(sim_finding_kind k) {
    static const lib_word_id titles[SIM_FIND_COUNT] = {
#define X(n, s) [SIM_FIND_##n] = W_JUDGE_FINDING_##n,
        SIM_FINDING_MAP(X)
#undef X
    };
    return (unsigned)k < SIM_FIND_COUNT ? titles[k] : 0;
}

char *grade_finding_text(const sim_finding *f, lib_lang lang) {
    char *told = lib_words_take(lang, lib_message_words(&f->said));
    if (f->count <= 1) return told;
    char *counted = lib_words_take(lang, w_judge_finding_counted(told, (long long)f->count));
    free(told);
    return counted;
}
