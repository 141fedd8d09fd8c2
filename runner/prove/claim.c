/* A claim about a lab: counted, and told when it does not hold. What was measured, for who wants to see it. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/cancel.h"
#include "runner/base/say.h"
#include "runner/prove/prover.h"

bool prove_claim(prover *p, bool ok, const char *why, const char *fmt, ...) {
    va_list ap;
    bool cut = !ok && lib_cancel_flag;
    va_start(ap, fmt);
    if (ok) p->good++;
    else if (cut) p->cut++;
    else p->bad++;
    if (!ok || p->o->verbose) {
        lib_print(p->to, "%s %s ", ok ? "ok" : cut ? "skip" : "not ok", p->l ? p->l->id : "");
        char said[1600];
        lib_vsay(said, sizeof said, fmt, ap);
        lib_print_text(p->to, said);
        if (cut) fputs(" (stopped)", p->to);
        else if (!ok && why && *why) fputs(": ", p->to), lib_print_text(p->to, why);
        fputc('\n', p->to);
    }
    va_end(ap);
    return ok;
}

void prove_note(prover *p, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    p->notes++;
    lib_print(p->to, "note %s ", p->l->id);
    vfprintf(p->to, fmt, ap);
    fputc('\n', p->to);
    va_end(ap);
}

static void tell_measured(const prover *p, const char *line, size_t n) {
    if (p->o->verbose)
        lib_print(p->to, "measured %s %s: %.*s (%s)\n", p->l->id, p->what, (int)n, line, p->on);
}

void prove_measured(prover *p, const char *fmt, ...) {
    va_list ap;
    char line[600];
    va_start(ap, fmt);
    vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    for (char *s = line; *s; s++)
        if (*s == '\n') *s = ' ';
    tell_measured(p, line, strlen(line));
    lib_buffer_printf(&p->measured, "%s\n", line);
}

void prove_measured_before(prover *p, const char *lines) {
    for (size_t n; *lines; lines += n + (lines[n] == '\n')) {
        n = strcspn(lines, "\n");
        tell_measured(p, lines, n);
    }
}
