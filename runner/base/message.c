/* The one way to fill a message. */
#include "runner/base/message.h"

#include <stdarg.h>
#include <stdbool.h>
#include "runner/base/say.h"

void lib_message_set(lib_message *m, const char *format, ...) {
    if (!m) return;
    va_list ap;
    va_start(ap, format);
    lib_vsay(m->text, sizeof m->text, format, ap);
    va_end(ap);
    m->zh[0] = 0;
}

void lib_message_set2(lib_message *m, const char *en, const char *zh, ...) {
    if (!m) return;
    va_list ap, again;
    va_start(ap, zh);
    va_copy(again, ap);
    lib_vsay(m->text, sizeof m->text, en, ap);
    lib_vsay(m->zh, sizeof m->zh, zh, again);
    va_end(again);
    va_end(ap);
}

const char *lib_message_in(const lib_message *m, lib_lang lang) {
    return lang == LIB_ZH && m->zh[0] ? m->zh : m->text;
}

void lib_message_put(const lib_message *m, char *en, char *zh, size_t n) {
    lib_say(en, n, "%s", m->text);
    bool english = !m->zh[0] && m->text[0];
    lib_say(zh, n, "%s%s", english ? "（英文说明）" : "", lib_message_in(m, LIB_ZH));
}
