/* The tables that make/ makes from the catalogues, and look-ups in them. Only for this room. */
#ifndef WARPLAB_WORDS_TABLE_H
#define WARPLAB_WORDS_TABLE_H

#include "runner/base/words/words.h"

typedef struct {
    const char *name, *form; /* as English writes it: "us", ".2f" */
} lib_arg;

typedef struct {
    lib_word_id id;
    short n, plural; /* number of arguments; index of the one that decides the form, -1: none */
    const char *name;
    const lib_arg *args;
} lib_row;

/* A text for each row, in the order of rows, NULL: not translated. The forms of a plural come one
 * after another, each with its NUL. A row without arguments is stored as it is shown ("{", not
 * "{{"). */
typedef struct {
    const char *name, *rule; /* "zh", "nplurals=1; plural=0;" */
    const char *const *texts;
} lib_language;

extern const lib_row lib_rows[]; /* by id, ascending */
extern const size_t lib_rows_n;
/* the rows that are sentences of other programs */
extern const size_t lib_rows_said[], lib_rows_said_n;
extern const lib_language lib_languages[LIB_LANGS];

/* Returns NULL if there is none. */
const lib_row *lib_row_find(lib_word_id id);
const lib_row *lib_row_named(const char *name);
/* Returns the text of a row, in the plural form for `n`. */
const char *lib_row_text(lib_lang lang, const lib_row *row, unsigned long long n);
lib_arg_form lib_row_arg_form(const lib_arg *arg);
/* `texts` has the format of lib_language. */
void lib_row_replace(lib_lang lang, const char *const *texts, const char *rule);

/* ---- arguments as bytes: pack.c ---- */

/* Writes the arguments of `w` into at most `room` bytes and returns how many were needed. Texts
 * that are too long are cut at whole characters and end with "...". 0: they do not fit even then,
 * or there are none. */
size_t lib_words_pack(void *to, size_t room, const lib_words *w);

#endif
