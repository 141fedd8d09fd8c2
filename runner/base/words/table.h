/* The tables that make/ makes of the catalogues, and what is looked up in them. For this room alone. */
#ifndef WARPLAB_WORDS_TABLE_H
#define WARPLAB_WORDS_TABLE_H

#include "runner/base/words/words.h"

typedef struct {
    const char *name, *form; /* as English writes it: "us", ".2f" */
} lib_arg;

typedef struct {
    lib_word_id id;
    short n, plural; /* arguments; which of them decides the form, -1: none */
    const char *name;
    const lib_arg *args;
} lib_row;

/* A text for each row, in the order of rows, NULL: not translated. Forms of a plural stand one behind the
 * other, each with its NUL. A row without arguments stands as it is shown ("{", not "{{"). */
typedef struct {
    const char *name, *rule; /* "zh", "nplurals=1; plural=0;" */
    const char *const *texts;
} lib_language;

extern const lib_row lib_rows[]; /* by id, rising */
extern const size_t lib_rows_n;
extern const size_t lib_rows_said[], lib_rows_said_n; /* which of them are sentences of others */
extern const lib_language lib_languages[LIB_LANGS];

/* NULL: there is none. */
const lib_row *lib_row_find(lib_word_id id);
const lib_row *lib_row_named(const char *name);
/* The text of a row, with the form of the plural that `n` takes. */
const char *lib_row_text(lib_lang lang, const lib_row *row, unsigned long long n);
lib_arg_form lib_row_arg_form(const lib_arg *arg);
/* `texts` as lib_language has them. */
void lib_row_replace(lib_lang lang, const char *const *texts, const char *rule);

/* ---- arguments as bytes: pack.c ---- */

/* The arguments of `w` in at most `room` bytes, how many were needed; texts that are too long are cut at whole
 * characters and end with "...". 0: they do not fit even so, or it has none. */
size_t lib_words_pack(void *to, size_t room, const lib_words *w);

#endif
