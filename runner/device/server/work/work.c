/* A piece of work: counts references to what it uses. */
#include "runner/device/server/work/condition.h"
#include "runner/device/server/core/budget.h"
#include "runner/device/server/core/stream.h"

#include <stdlib.h>
#include <string.h>

dev_work *dev_work_copy(const dev_work *w) {
    dev_work *n = malloc(w->bytes);
    if (!n) return NULL;
    memcpy(n, w, w->bytes);
    if (n->kind == DEV_WORK_RECORD || n->kind == DEV_WORK_WAIT) n->event.event->refs++;
    if (n->kind == DEV_WORK_CONDITIONAL) dev_condition_retain(n->conditional.on);
    return n;
}

void dev_mark_forget(dev_client *c, dev_mark *e) {
    dev_let_go(c, e->dep_count * sizeof *e->deps);
    free(e->deps);
    e->deps = NULL, e->dep_count = 0;
}

void dev_mark_release(dev_client *c, dev_mark *e) {
    if (--e->refs) return;
    dev_mark_forget(c, e);
    free(e);
}

void dev_work_free(dev_client *c, dev_work *w) {
    if (!w) return;
    if (w->kind == DEV_WORK_RECORD || w->kind == DEV_WORK_WAIT) dev_mark_release(c, w->event.event);
    if (w->kind == DEV_WORK_CONDITIONAL) dev_condition_release(c, w->conditional.on);
    free(w);
}
