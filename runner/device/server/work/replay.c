/* Replay: runs the works of a lab's call (keep.c) again, on memory put back to its state at that
 * time (memory/rewind.c) and on the present contents of the buffers of dev_alloc(). */
#include "runner/device/server/core/client.h"
#include "runner/device/server/core/budget.h"
#include "runner/device/server/core/log.h"
#include "runner/base/buffer.h"
#include "runner/base/clock.h"
#include "runner/device/server/core/memory.h"
#include "runner/device/server/core/stream.h"

#include <stdlib.h>
#include <string.h>

/* Destroyed streams exist again while their work runs, and are removed again afterwards. */
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

/* Returns whether a kernel may have asked for it. */
static bool replay_asked(dev_op op) {
    return op == DEV_OP_LAUNCH || op == DEV_OP_D2D || op == DEV_OP_MEMSET;
}

/* Handles the records of work i and of what its kernel asked for. There may be fewer or more of
 * these than in the call: no other record becomes one of these. */
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

/* Applies what the program's own code wrote before work i to memory that both sides see. */
static void replay_patch(dev_client *c, size_t i, size_t *next) {
    const dev_log_state *g = &c->log;
    for (; *next < g->patch_count && g->patches[*next].work <= i; ++*next) {
        const dev_patch *p = &g->patches[*next];
        HW(dev_hw(c, 0), write, p->at, g->tape.s + p->data, p->bytes);
    }
}

/* Compares what a copy brings to the program's memory with what it brought in the call. */
static sim_status replay_got(dev_client *c, const dev_work *w) {
    uint8_t *now = c->log.same ? malloc(w->put.bytes) : NULL;
    if (!c->log.same) return SIM_OK;
    bool same = now && !dev_copy_bytes(c, &w->put.copy, false, w->put.offset, now, w->put.bytes) &&
                !memcmp(now, w->params, w->put.bytes);
    free(now);
    return same ? SIM_OK : SIM_BAD_ARGUMENT;
}

/* Runs one work. proof: its times are not used, and no record takes them. */
static sim_status replay_work(dev_client *c, size_t i, double base, bool proof) {
    dev_log_state *g = &c->log;
    dev_work *w = g->works[i].work;
    dev_stream *s = g->works[i].stream;
    if (w->kind == DEV_WORK_PUT)
        return dev_copy_bytes(c, &w->put.copy, true, w->put.offset, w->params, w->put.bytes)
                   ? SIM_BAD_ARGUMENT
                   : SIM_OK;
    if (w->kind == DEV_WORK_GOT) return replay_got(c, w);
    double after = dev_stream_after(c, s, base + g->works[i].issued - g->works[0].issued),
           end = after;
    if (!proof) replay_records(g, i, base);
    g->work_ns = g->works[i].began_ns;
    g->replay_ns = lib_now_ns();
    if (w->kind == DEV_WORK_RECORD) {
        if (!proof) w->event.event->when = after;
    } else if (w->kind == DEV_WORK_WAIT) {
        if (w->event.event->when > end && !proof) end = w->event.event->when;
    } else if (dev_work_run(c, s, w, after, &end)) {
        return SIM_BAD_ARGUMENT;
    }
    if (end > s->ready) s->ready = end;
    return SIM_OK;
}

static sim_status replay_run(dev_client *c, bool proof) {
    dev_log_state *g = &c->log;
    for (unsigned d = 0; d < c->s->count; d++)
        if (c->context[d].fault) return SIM_UNSUPPORTED;
    if (!dev_rewind_back(c, proof)) return SIM_UNSUPPORTED;
    dev_rewind_turn(c, true);
    /* The same calls at the same distances, on an idle device. */
    double base = c->times.latest;
    size_t patch = 0;
    sim_status status = SIM_OK;
    dev_log_findings_free(g);
    g->replaying = true;
    g->proving = proof;
    dev_log_clear_proof(c);
    g->replay_record = g->replay_end = SIZE_MAX;
    dev_stream *living = c->streams.first;
    replay_gone_join(c);
    uint64_t grids = g->grids;
    g->grids = g->grids_before; /* so that a kernel cannot recognise the replay by its number */
    for (size_t i = 0; i < g->work_count && !status; i++) {
        replay_patch(c, i, &patch);
        status = replay_work(c, i, base, proof);
    }
    replay_gone_leave(c, living);
    g->grids = grids;
    g->replaying = g->proving = false;
    if (g->same && !dev_rewind_same(c)) status = SIM_BAD_ARGUMENT;
    dev_rewind_turn(c, false);
    dev_rewind_done(c);
    /* As always, the context has a kernel's fault, the launch does not. */
    for (unsigned d = 0; d < c->s->count; d++)
        if (c->context[d].fault) status = SIM_BAD_ARGUMENT;
    /* Host calls in between have no meaning for the new times. */
    for (size_t i = 0; i < g->count && !proof; i++)
        if (!dev_log_on_device(g->records[i].op))
            g->records[i].start_us = g->records[i].end_us = base;
    for (unsigned t = 0; t < c->times.threads; t++)
        if (c->times.clock[t] >= 0 && c->times.clock[t] < c->times.latest)
            c->times.clock[t] = c->times.latest;
    return status;
}

sim_status dev_client_replay(dev_client *c) {
    const dev_log_state *g = &c->log;
    if (g->overflow || g->once || g->freed || dev_log_sees_host(c)) return SIM_UNSUPPORTED;
    return replay_run(c, false);
}

sim_status dev_client_prove(dev_client *c) {
    const dev_log_state *g = &c->log;
    if (!c->memory.device[0].past) return dev_client_replay(c);
    if (g->overflow || g->freed || g->unproven) return SIM_UNSUPPORTED;
    return replay_run(c, true);
}

sim_status dev_client_prove_same(dev_client *c) {
    c->log.same = c->memory.device[0].past != NULL;
    sim_status status = c->log.same ? dev_client_prove(c) : SIM_UNSUPPORTED;
    c->log.same = false;
    return status;
}
