/* Counts the claims about a lab, and reports those that do not hold. Reports measurements on
 * request. */
#include <stdlib.h>
#include <string.h>
#include "runner/base/cancel.h"
#include "runner/base/say.h"
#include "runner/prove/prover.h"
#include "words/prove.h"

bool prove_claim(prover *p, bool ok, lib_words why, lib_words what) {
    bool cut = !ok && lib_cancel_flag;
    if (ok) p->good++;
    else if (cut) p->cut++;
    else p->bad++;
    if (ok && !p->o->verbose) return true;
    char *because = cut || ok ? lib_strdup("") : lib_words_take(p->o->lang, why);
    lib_print(p->to, "%s %s ", ok ? "ok" : cut ? "skip" : "not ok", p->l ? p->l->id : "");
    lib_words_print(p->to, p->o->lang, what);
    if (cut) lib_words_print(p->to, p->o->lang, w_prove_stopped());
    if (*because) lib_print(p->to, "%s%s", lib_word(p->o->lang, W_PROVE_BECAUSE), because);
    fputc('\n', p->to);
    free(because);
    return ok;
}

void prove_note(prover *p, lib_words what) {
    p->notes++;
    lib_print(p->to, "note %s ", p->l->id);
    lib_words_print(p->to, p->o->lang, what);
    fputc('\n', p->to);
}

static void tell_measured(const prover *p, const char *line, size_t n) {
    if (p->o->verbose)
        lib_print(p->to, "measured %s %s: %.*s (%s)\n", p->l->id, p->what, (int)n, line, p->on);
}

void prove_measured(prover *p, lib_words what) {
    char *line = lib_words_take(p->o->lang, what);
    for (char *s = line; *s; s++)
        if (*s == '\n') *s = ' ';
    tell_measured(p, line, strlen(line));
    lib_buffer_printf(&p->measured, "%s\n", line);
    free(line);
}

void prove_measured_before(prover *p, const char *lines) {
    for (size_t n; *lines; lines += n + (lines[n] == '\n')) {
        n = strcspn(lines, "\n");
        tell_measured(p, lines, n);
    }
}
