/* Languages: which one, by what name; a usage in it. */
#ifndef WARPLAB_TERM_I18N_H
#define WARPLAB_TERM_I18N_H

#include <stdbool.h>
#include "runner/base/lang.h"

/* A usage, "grade LAB FILE.cu [--seed N]", with its placeholders in the language (the rows term.usage.*); malloc'ed. */
char *i18n_usage(lib_lang lang, const char *usage);
/* Whether the environment says anything about the language: a locale that is not C or POSIX. */
bool i18n_told(void);
/* By WARPLAB_LANG, LC_ALL, LC_MESSAGES, LANG: the language that it begins with ("zh_CN.UTF-8"), else English. */
lib_lang i18n_default(void);
/* "en" and "zh"; and from such a name, or what the language calls itself. */
const char *i18n_name(lib_lang lang);
bool i18n_parse(const char *name, lib_lang *lang);

#endif
