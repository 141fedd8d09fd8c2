/* Lines of the text, each recorded with its instruction; and refusals. */
#include <stdarg.h>
#include <stdio.h>
#include "runner/device/sim/translate/internal.h"
#include "runner/base/message.h"
#include "words/translate.h"

void tr_line(translator *t, const char *fmt, ...) {
    char text[4096];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (n < 0 || (size_t)n >= sizeof text ||
        !lib_grow(&t->insn_of, &t->line_room, t->lines, sizeof *t->insn_of, 256)) {
        t->out.failed = true;
        return;
    }
    t->insn_of[t->lines++] = t->at;
    lib_buffer_puts(&t->out, text);
    lib_buffer_puts(&t->out, "\n");
}

void tr_refuse(translator *t, lib_word_id why) {
    if (t->failed) return;
    t->failed = true;
    const sass_insn *i = tr_insn(t);
    lib_message_set(t->msg, w_translate_refused(sass_row_of((sass_op)i->op)->name, i->mods,
                                                i->address, t->f->name, why));
}

void tr_nothing(translator *t) {
    tr_line(t, "mov.u32 %%sink, 0;");
}
