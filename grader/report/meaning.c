/* What a counter, a ratio or a figure of a call means. */
#include "grader/figure.h"
#include "runner/base/words/words.h"

const char *grade_meaning(const char *name, lib_lang lang) {
    return lib_word(lang, lib_words_named("counter", name));
}
