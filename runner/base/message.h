/* A message for a person: what was expected, what was found, where, what to try next. Every layer
 * fills one where it fails, with a row of the catalogue and its arguments (words/words.h). Code
 * that has a terminal puts it into words, in the reader's language. */
#ifndef WARPLAB_BASE_MESSAGE_H
#define WARPLAB_BASE_MESSAGE_H

#include <stddef.h>
#include "runner/base/words/words.h"

/* Contains its arguments and may be copied. {0} says nothing: there is no error. */
struct lib_message {
    lib_word_id id;
    unsigned used;            /* bytes of args */
    unsigned char args[1024]; /* words/pack.c */
};

/* Fills it, for example with w_cli_no_lab(lab). m may be NULL; then nothing happens. Texts that are
 * too long are cut at whole characters and end with "...". */
void lib_message_set(lib_message *m, lib_words words);
/* Returns whether it says anything; the second: whether it is this row. */
bool lib_message_any(const lib_message *m);
static inline bool lib_message_is(const lib_message *m, lib_word_id id) {
    return m->id == id;
}
/* Returns whether they are the same row with the same arguments. */
bool lib_message_same(const lib_message *a, const lib_message *b);
/* Borrowed from the message, for lib_words_put() and similar functions. */
lib_words lib_message_words(const lib_message *m);
/* Writes it into `n` bytes of buf, and returns buf. */
const char *lib_message_text(char *buf, size_t n, lib_lang lang, const lib_message *m);
/* For {why:m}; NULL says nothing. */
lib_packed lib_message_packed(const lib_message *m);

/* ---- as bytes, between processes ---- */

/* Writes NAME NUL ARGUMENTS, in at most `n` bytes (n is at least LIB_MESSAGE_BYTES). Returns how
 * many. */
enum { LIB_MESSAGE_BYTES = 1200 };
size_t lib_message_write(const lib_message *m, void *to, size_t n);
/* Reads bytes from a process of the same build, which may be hostile. Returns false if they are not
 * understood; `m` then says so. */
bool lib_message_read(lib_message *m, const void *bytes, size_t n);

#endif
