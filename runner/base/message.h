/* A message for a person: what was expected, what was found, where, what to try next. Every layer
 * fills one of these where it fails, and leaves the printing to whoever has a terminal. */
#ifndef WARPLAB_BASE_MESSAGE_H
#define WARPLAB_BASE_MESSAGE_H

#include <stddef.h>
#include "runner/base/lang.h"

typedef struct {
    char text[1024]; /* English; NUL-terminated; "" when all went well */
    char zh[1024];   /* Chinese; "" where whoever filled it speaks English only */
} lib_message;

/* printf into it, cut at its end. NULL is allowed and ignored. */
void lib_message_set(lib_message *m, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same in both languages. Both formats take the same arguments in the same order; sentences of the
 * system among them are exchanged in the Chinese text (lib_chinese). */
void lib_message_set2(lib_message *m, const char *en, const char *zh, ...)
    __attribute__((format(printf, 2, 4), format(printf, 3, 4)));
/* What to show: the Chinese text where there is one. */
const char *lib_message_in(const lib_message *m, lib_lang lang);
/* Into a text in each language, `n` bytes each. Where there is no Chinese the Chinese text says that what
 * follows is English. */
void lib_message_put(const lib_message *m, char *en, char *zh, size_t n);

/* What the C library, SQLite and the device say in fixed English sentences ("No such file or directory",
 * "invalid argument"), in Chinese: exchanges each that `text`, of `n` bytes, holds; cut at a whole character
 * where the Chinese is longer than there is room. */
void lib_chinese(char *text, size_t n);

/* What the system says of an errno, in that language; good until the next call of strerror(). */
const char *lib_error_in(int error, lib_lang lang);

#endif
