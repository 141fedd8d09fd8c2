/* A claim about a lab: counted, and told when it does not hold. */
#include <stdarg.h>
#include "runner/base/cancel.h"
#include "runner/prove/prover.h"

bool prove_claim(prover *p, bool ok, const char *why, const char *fmt, ...) {
    va_list ap;
    bool cut = !ok && lib_cancel_flag;
    va_start(ap, fmt);
    if (ok) p->good++;
    else if (cut) p->cut++;
    else p->bad++;
    if (!ok || p->o->verbose) {
        fprintf(p->to, "%s %s ", ok ? "ok" : cut ? "skip" : "not ok", p->l ? p->l->id : "");
        vfprintf(p->to, fmt, ap);
        if (cut) fputs(" (stopped)", p->to);
        else if (!ok && why && *why) fprintf(p->to, ": %s", why);
        fputc('\n', p->to);
    }
    va_end(ap);
    return ok;
}

void prove_note(prover *p, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    p->notes++;
    fprintf(p->to, "note %s ", p->l->id);
    vfprintf(p->to, fmt, ap);
    fputc('\n', p->to);
    va_end(ap);
}
