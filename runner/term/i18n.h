/* Every text of the runner that a student sees, in both languages: one row of messages.def each. */
#ifndef WARPLAB_TERM_I18N_H
#define WARPLAB_TERM_I18N_H

#include <stdbool.h>
#include "runner/base/lang.h"

typedef enum {
#define MSG(id, en, zh) MSG_##id,
#include "runner/term/messages.def"
#undef MSG
    MSG_COUNT
} i18n_id;

/* A printf format; both languages take the same arguments in the same order (tests/unit/test_text.c
 * holds them to it). */
const char *i18n(lib_lang lang, i18n_id id);
/* A usage, "grade LAB FILE.cu [--seed N]", with its placeholders in the language (placeholders.def); malloc'ed. */
char *i18n_usage(lib_lang lang, const char *usage);
/* Whether the environment says anything about the language: a locale that is not C or POSIX. */
bool i18n_told(void);
/* By LC_ALL, LC_MESSAGES, LANG: Chinese when it starts with "zh", else English. */
lib_lang i18n_default(void);
/* "en" and "zh". */
const char *i18n_name(lib_lang lang);
bool i18n_parse(const char *name, lib_lang *lang);

#endif
