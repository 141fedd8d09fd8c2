/* The one way to fill a message. */
#include "runner/base/message.h"

#include <stdarg.h>
#include <stdio.h>

void lib_message_set(lib_message *m, const char *format, ...) {
    if (!m) return;
    va_list ap;
    va_start(ap, format);
    vsnprintf(m->text, sizeof m->text, format, ap);
    va_end(ap);
}
