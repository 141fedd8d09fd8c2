/* What is said to a person: a row of the catalogue by its id, with arguments by name, put into words where it
 * is shown.
 *
 *   en.po, zh.po --make/--> words/ROOM.h in the build folder: w_cli_no_lab(lab), a constructor a row
 *                       \-> tables of rows and texts, inside the program
 *   w_cli_no_lab(lab) --lib_words_put() and the like--> text in a language
 *                     \-lib_message_set()--> a lib_message (message.h), which holds its arguments itself
 *
 * Files are gettext's PO, so that Poedit and msgfmt work on them; gettext's run time is not used: it has one
 * locale a process, nothing in a static build, and printf formats where a message must be kept as values.
 * How a row is written is in row.h. An id is "room.what-it-says"; its room, what stands before the first
 * point, is the header that it is in. */
#ifndef WARPLAB_WORDS_WORDS_H
#define WARPLAB_WORDS_WORDS_H

#include <stdio.h>
#include "runner/base/buffer.h"
#include "runner/base/lang.h"
#include "runner/base/words/row.h"

typedef struct lib_message lib_message;

/* A row by its number: W_CLI_COMMA is that of "cli.comma", which has no arguments, and may stand in tables;
 * WITH_CLI_NO_LAB that of one with arguments, to compare with. 0 is no row. */
typedef unsigned lib_word_id;

/* A text that has one in each language, such as a lab's title. NULL: none; then English is shown. */
typedef struct {
    const char *in[LIB_LANGS];
} lib_texts;

/* A message inside another: its row, and its arguments as bytes. */
typedef struct {
    const void *at;
    lib_word_id id;
    unsigned n;
} lib_packed;
/* How deep they may lie in each other, the outermost counted; what lies deeper is left out. */
enum { LIB_WORDS_DEEP = 8 };

typedef union {
    const char *s;
    long long i;
    double r;
    lib_word_id w;
    lib_texts t;
    lib_packed m;
} lib_arg_value;

/* A row with its arguments, whose texts are borrowed: good as long as they are. Made by the constructors of
 * words/ROOM.h. With id 0 it is args[0].t as it stands. */
typedef struct {
    lib_word_id id;
    lib_arg_value args[LIB_ARGS];
} lib_words;

/* A row without arguments, and texts that are in no catalogue, as words. */
static inline lib_words lib_words_of(lib_word_id id) {
    return (lib_words){.id = id};
}
static inline lib_words lib_words_plain(lib_texts texts) {
    return (lib_words){.args = {{.t = texts}}};
}

/* ---- in a language ---- */

/* The text of a row without arguments; "" for id 0. Never freed. */
const char *lib_word(lib_lang lang, lib_word_id id);
/* Texts among the arguments are made harmless for a terminal (say.h). These add to a buffer; fill `n` bytes,
 * cut at a whole character with "...", and return buf; print; give a malloc'ed text (never NULL). */
void lib_words_put(lib_buffer *b, lib_lang lang, lib_words w);
const char *lib_words_text(char *buf, size_t n, lib_lang lang, lib_words w);
void lib_words_print(FILE *to, lib_lang lang, lib_words w);
char *lib_words_take(lib_lang lang, lib_words w);

/* The row that is called "ROOM.NAME", for tables with names of their own (counters, terms); 0: there is none,
 * or it has arguments. Each character of `name` that an id cannot have ("_", " ") counts as "-", capitals as
 * small letters. */
lib_word_id lib_words_named(const char *room, const char *name);
/* The row of "said." whose English is this sentence; 0: none. */
lib_word_id lib_words_said(const char *sentence);
/* The row that says what an errno means; 0: the C library has to. */
lib_word_id lib_words_error(int error);

/* ---- rows, for what writes and reads messages ---- */

/* "cli.no-lab"; "" for what is no row. */
const char *lib_words_name(lib_word_id id);
/* 0: there is no such row. */
lib_word_id lib_words_id(const char *name);
/* The name and type of a row's argument, from 0; NULL: it has no more. */
const char *lib_words_argument(lib_word_id id, int i, lib_arg_type *type);
/* The words inside, borrowed; the bytes may be hostile. False: they are not the arguments of this row. */
bool lib_words_unpack(lib_words *w, lib_packed packed);

/* ---- languages: a catalogue each, English first ---- */

/* "en". */
const char *lib_lang_name(lib_lang lang);
/* Shows a catalogue's rows in the place of those of a language, from now on: for translators, and called
 * before threads begin and before any lib_word() is kept. On false nothing is changed and `msg` filled. */
bool lib_words_load(lib_lang lang, const char *path, lib_message *msg);

#endif
