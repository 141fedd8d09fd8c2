/* Languages: the user's language, names of languages, and usages in a language. */
#ifndef WARPLAB_TERM_I18N_H
#define WARPLAB_TERM_I18N_H

#include <stdbool.h>
#include "runner/base/lang.h"

/* Translates the placeholders of a usage such as "grade LAB FILE.cu [--seed N]" (rows
 * term.usage.*); malloc'ed. */
char *i18n_usage(lib_lang lang, const char *usage);
/* Returns whether the environment names a language: a locale other than C and POSIX. */
bool i18n_told(void);
/* The language with which WARPLAB_LANG, LC_ALL, LC_MESSAGES or LANG begins ("zh_CN.UTF-8");
 * otherwise English. */
lib_lang i18n_default(void);
/* "en" or "zh". i18n_parse() reads these, and the languages' own names. */
const char *i18n_name(lib_lang lang);
bool i18n_parse(const char *name, lib_lang *lang);

#endif
