/* Replay: the works of a lab's call, kept in the order they ran with the time of their call, and run
 * again on what memory holds now. */
#include "runner/device/server/core/client.h"
#include "runner/device/server/core/budget.h"
#include "runner/device/server/core/log.h"
#include "runner/base/buffer.h"
#include "runner/device/server/core/stream.h"

#include <stdlib.h>

static void replay_forget(dev_client *c) {
    dev_log_state *g = &c->log;
    for (size_t i = 0; i < g->work_count; i++) dev_work_free(c, g->works[i].work);
    g->work_count = 0;
    g->work_bytes = 0;
    for (dev_stream *s; (s = g->gone);) {
        g->gone = s->next;
        dev_let_go(c, sizeof *s);
        free(s);
    }
}

void dev_replay_begins(dev_client *c) {
    replay_forget(c);
    c->log.in_call = true;
    dev_flow_begins(c);
    c->log.read_back = c->log.once = c->log.freed = false;
}

/* What replay runs again: works in the order they ran, with the time of their call. */
void dev_replay_keep(dev_client *c, dev_stream *s, const dev_work *w, double issued) {
    dev_log_state *g = &c->log;
    if (g->replaying || !g->in_call || g->overflow) return;
    if (w->kind == DEV_WORK_GRAPH || w->kind == DEV_WORK_HOST) {
        g->once = true; /* more than the device takes part in it */
        return;
    }
    bool fits = g->work_bytes + w->bytes <= dev_part_limit(c) &&
                lib_grow(&g->works, &g->work_room, g->work_count, sizeof *g->works, 64);
    dev_work *copy = fits ? dev_work_copy(w) : NULL;
    if (!copy) {
        g->overflow = true;
        return;
    }
    g->work_bytes += w->bytes;
    g->works[g->work_count++] =
        (dev_kept){.work = copy, .stream = s, .issued = issued, .record = SIZE_MAX};
}

bool dev_replay_adopt_stream(dev_client *c, dev_stream *s) {
    for (size_t i = 0; i < c->log.work_count; i++)
        if (c->log.works[i].stream == s) {
            if (!dev_hold(c, sizeof *s)) {
                c->log.overflow = true; /* then nothing is replayed */
                return false;
            }
            s->next = c->log.gone;
            c->log.gone = s;
            return true;
        }
    return false;
}

/* Destroyed streams take part again while their work does, and are gone again behind it. */
static void replay_gone_join(dev_client *c) {
    if (!c->log.gone) return;
    dev_stream *last = c->log.gone;
    while (last->next) last = last->next;
    last->next = c->streams.first;
    c->streams.first = c->log.gone;
}
static void replay_gone_leave(dev_client *c, dev_stream *first) {
    if (c->streams.first == first) return;
    dev_stream *s = c->streams.first;
    while (s->next != first) s = s->next;
    s->next = NULL;
    c->streams.first = first;
}

void dev_replay_free(dev_client *c) {
    replay_forget(c);
    free(c->log.works);
}

void dev_client_mark(dev_client *c) {
    replay_forget(c);
    dev_log_clear(c);
}

/* What a kernel asks for behind it. */
static bool replay_asked(dev_op op) {
    return op == DEV_OP_LAUNCH || op == DEV_OP_D2D || op == DEV_OP_MEMSET;
}

/* The records of work i, and of what its kernel asked for behind it, which may be less this time, or
 * more: no other record becomes one of those. */
static void replay_records(dev_log_state *g, size_t i, double base) {
    size_t first = g->works[i].record, end = g->count;
    for (size_t k = i + 1; k < g->work_count; k++)
        if (g->works[k].record != SIZE_MAX) {
            end = g->works[k].record;
            break;
        }
    g->replay_record = g->replay_end = first;
    while (g->replay_end < end && replay_asked(g->records[g->replay_end].op)) g->replay_end++;
    for (size_t k = first; k < end; k++)
        if (k > first && dev_log_on_device(g->records[k].op))
            g->records[k].start_us = g->records[k].end_us = base;
}

sim_status dev_client_replay(dev_client *c) {
    dev_log_state *g = &c->log;
    if (g->overflow || g->once || g->freed || dev_log_sees_host(c)) return SIM_UNSUPPORTED;
    for (unsigned d = 0; d < c->s->count; d++)
        if (c->context[d].fault) return SIM_UNSUPPORTED;
    /* The same calls at the same distances, on an idle device. */
    double base = c->times.latest, first = g->work_count ? g->works[0].issued : 0;
    sim_status status = SIM_OK;
    g->finding_count = 0;
    g->replaying = true;
    dev_stream *living = c->streams.first;
    replay_gone_join(c);
    for (size_t i = 0; i < g->work_count && !status; i++) {
        const dev_work *w = g->works[i].work;
        dev_stream *s = g->works[i].stream;
        double after = dev_stream_after(c, s, base + g->works[i].issued - first), end = after;
        replay_records(g, i, base);
        if (w->kind == DEV_WORK_RECORD) {
            w->event.event->when = after;
        } else if (w->kind == DEV_WORK_WAIT) {
            if (w->event.event->when > end) end = w->event.event->when;
        } else if (dev_work_run(c, s, w, after, &end)) {
            status = SIM_BAD_ARGUMENT;
        }
        if (end > s->ready) s->ready = end;
    }
    replay_gone_leave(c, living);
    g->replaying = false;
    /* Host calls between them have no meaning for the new times. */
    for (size_t i = 0; i < g->count; i++)
        if (!dev_log_on_device(g->records[i].op))
            g->records[i].start_us = g->records[i].end_us = base;
    for (unsigned t = 0; t < c->times.threads; t++)
        if (c->times.clock[t] >= 0 && c->times.clock[t] < c->times.latest)
            c->times.clock[t] = c->times.latest;
    return status;
}
