/* A message for a person: what was expected, what was found, where, what to try next. Every layer
 * fills one of these where it fails, and leaves the printing to whoever has a terminal. */
#ifndef WARPLAB_BASE_MESSAGE_H
#define WARPLAB_BASE_MESSAGE_H

typedef struct {
    char text[1024]; /* NUL-terminated; "" when all went well */
} lib_message;
/* printf into it, cut at its end. NULL is allowed and ignored. */
void lib_message_set(lib_message *m, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
