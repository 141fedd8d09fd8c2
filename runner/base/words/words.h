/* Texts for people: a row of the catalogue by its id, with arguments by name, put into words when
 * it is shown.
 *
 *   en.po, zh.po --make/--> words/ROOM.h in the build folder: w_cli_no_lab(lab), a constructor a
 *                       row \-> tables of rows and texts, inside the program
 *   w_cli_no_lab(lab) --lib_words_put() and others--> text in a language
 *                     \-lib_message_set()--> a lib_message (message.h), which contains its
 *                       arguments
 *
 * The files have gettext's PO format, so that Poedit and msgfmt can be used. gettext's run-time
 * library is not used: it has one locale a process, does not work in a static build, and has printf
 * formats where a message must be kept as values. row.h describes how a row is written. An id is
 * "room.what-it-says"; the room, its part before the first point, is the header with its
 * constructor. */
#ifndef WARPLAB_WORDS_WORDS_H
#define WARPLAB_WORDS_WORDS_H

#include <stdio.h>
#include "runner/base/buffer.h"
#include "runner/base/lang.h"
#include "runner/base/words/row.h"

typedef struct lib_message lib_message;

/* A row by its number. W_CLI_COMMA is the row "cli.comma", which has no arguments, and may be in
 * tables. WITH_CLI_NO_LAB is a row with arguments, for comparisons. 0 is not a row. */
typedef unsigned lib_word_id;

/* A text that exists in each language, such as a lab's title. NULL: missing; then English is
 * shown. */
typedef struct {
    const char *in[LIB_LANGS];
} lib_texts;

/* A message inside another: its row, and its arguments as bytes. */
typedef struct {
    const void *at;
    lib_word_id id;
    unsigned n;
} lib_packed;
/* How deep messages may be nested, including the outermost; deeper ones are left out. */
enum { LIB_WORDS_DEEP = 8 };

typedef union {
    const char *s;
    long long i;
    double r;
    lib_word_id w;
    lib_texts t;
    lib_packed m;
} lib_arg_value;

/* A row with its arguments, whose texts are borrowed: it is valid as long as they are. Made by the
 * constructors of words/ROOM.h. With id 0 it is the text args[0].t. */
typedef struct {
    lib_word_id id;
    lib_arg_value args[LIB_ARGS];
} lib_words;

/* Makes words from a row without arguments; and from texts that are in no catalogue. */
static inline lib_words lib_words_of(lib_word_id id) {
    return (lib_words){.id = id};
}
static inline lib_words lib_words_plain(lib_texts texts) {
    return (lib_words){.args = {{.t = texts}}};
}

/* ---- in a language ---- */

/* Returns the text of a row without arguments; "" for id 0. Never freed. */
const char *lib_word(lib_lang lang, lib_word_id id);
/* Texts among the arguments are made harmless for a terminal (say.h). These functions add to a
 * buffer; fill `n` bytes, cut at a whole character with "...", and return buf; print; return a
 * malloc'ed text (never NULL). */
void lib_words_put(lib_buffer *b, lib_lang lang, lib_words w);
const char *lib_words_text(char *buf, size_t n, lib_lang lang, lib_words w);
void lib_words_print(FILE *to, lib_lang lang, lib_words w);
char *lib_words_take(lib_lang lang, lib_words w);

/* Returns the row called "ROOM.NAME", for tables with their own names (counters, terms); 0: none,
 * or it has arguments. Each character of `name` that an id cannot have ("_", " ") counts as "-",
 * capitals as small letters. */
lib_word_id lib_words_named(const char *room, const char *name);
/* Returns the row of "said." with this sentence in English; 0: none. */
lib_word_id lib_words_said(const char *sentence);
/* Returns the row for the meaning of an errno; 0: the C library must give it. */
lib_word_id lib_words_error(int error);

/* ---- rows, for code that writes and reads messages ---- */

/* "cli.no-lab"; "" if it is not a row. */
const char *lib_words_name(lib_word_id id);
/* 0: no such row. */
lib_word_id lib_words_id(const char *name);
/* Returns the name and type of a row's argument, from 0; NULL: after the last one. */
const char *lib_words_argument(lib_word_id id, int i, lib_arg_type *type);
/* Reads the packed words, borrowed; the bytes may be hostile. Returns false if they are not the
 * arguments of this row. */
bool lib_words_unpack(lib_words *w, lib_packed packed);

/* ---- languages: one catalogue each, English first ---- */

/* "en". */
const char *lib_lang_name(lib_lang lang);
/* From now on, shows a catalogue's rows instead of those of a language: for translators. Call it
 * before threads start and before a result of lib_word() is kept. On false, nothing is changed and
 * `msg` is filled. */
bool lib_words_load(lib_lang lang, const char *path, lib_message *msg);

#endif
