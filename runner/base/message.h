/* A message for a person: what was expected, what was found, where, what to try next. Every layer
 * fills one of these where it fails, with a row of the catalogue and its arguments (words/words.h);
 * whoever has a terminal puts it into words, in the language of who reads. */
#ifndef WARPLAB_BASE_MESSAGE_H
#define WARPLAB_BASE_MESSAGE_H

#include <stddef.h>
#include "runner/base/words/words.h"

/* Holds its arguments itself, and may be copied. {0} says nothing: all went well. */
struct lib_message {
    lib_word_id id;
    unsigned used;            /* bytes of args */
    unsigned char args[1024]; /* words/pack.c */
};

/* w_cli_no_lab(lab) into it. NULL is allowed and ignored. Texts that are too long are cut at whole characters
 * and end with "...". */
void lib_message_set(lib_message *m, lib_words words);
/* Whether it says anything, and whether it is this row. */
bool lib_message_any(const lib_message *m);
static inline bool lib_message_is(const lib_message *m, lib_word_id id) {
    return m->id == id;
}
/* Borrowed from the message: for lib_words_put() and the like. */
lib_words lib_message_words(const lib_message *m);
/* Into `n` bytes of buf, which is returned. */
const char *lib_message_text(char *buf, size_t n, lib_lang lang, const lib_message *m);
/* For {why:m}: NULL is nothing. */
lib_packed lib_message_packed(const lib_message *m);

/* ---- as bytes, between processes ---- */

/* NAME NUL ARGUMENTS, in at most `n` bytes (of which there are at least LIB_MESSAGE_BYTES); how many. */
enum { LIB_MESSAGE_BYTES = 1200 };
size_t lib_message_write(const lib_message *m, void *to, size_t n);
/* From bytes of a process of the same build, which may be hostile. False: `m` says that it was not understood. */
bool lib_message_read(lib_message *m, const void *bytes, size_t n);

#endif
