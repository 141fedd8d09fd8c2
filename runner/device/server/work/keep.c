/* Keeps what a replay of a lab's call needs: its works, in the order in which they ran, with the
 * times of their calls. */
#include "runner/device/server/core/client.h"
#include "runner/device/server/core/budget.h"
#include "runner/device/server/core/log.h"
#include "runner/base/buffer.h"
#include "runner/base/clock.h"
#include "runner/device/server/core/lineage.h"
#include "runner/device/server/core/stream.h"

#include <stdlib.h>
#include <string.h>

static void replay_forget(dev_client *c) {
    dev_log_state *g = &c->log;
    for (size_t i = 0; i < g->work_count; i++) dev_work_free(c, g->works[i].work);
    g->work_count = 0;
    g->work_bytes = 0;
    dev_rewind_forget(c);
    for (dev_stream *s; (s = g->gone);) {
        g->gone = s->next;
        dev_let_go(c, sizeof *s);
        free(s);
    }
}

void dev_replay_begins(dev_client *c) {
    replay_forget(c);
    c->log.in_call = true;
    c->log.grids_before = c->log.grids;
    dev_held_forget(c, 0, UINT64_MAX); /* the lab's own buffers are refilled */
    dev_flow_begins(c);
    dev_lineage_begins(c);
    dev_rewind_mark(c);
    c->log.read_back = c->log.once = c->log.freed = c->log.unproven = false;
}

/* Takes the work over. */
static bool replay_add(dev_client *c, dev_stream *s, dev_work *w, double issued) {
    dev_log_state *g = &c->log;
    if (!w || g->work_bytes + w->bytes > dev_part_limit(c) ||
        !lib_grow(&g->works, &g->work_room, g->work_count, sizeof *g->works, 64))
        return false;
    g->work_bytes += w->bytes;
    g->works[g->work_count++] = (dev_kept){
        .work = w, .stream = s, .issued = issued, .began_ns = lib_now_ns(), .record = SIZE_MAX};
    return true;
}

/* Keeps what replay runs again: works in the order in which they ran, with the times of their
 * calls. */
void dev_replay_keep(dev_client *c, dev_stream *s, const dev_work *w, double issued) {
    dev_log_state *g = &c->log;
    if (g->replaying || !g->in_call || g->overflow || (g->in_graph && g->unproven)) return;
    if (w->kind == DEV_WORK_GRAPH || w->kind == DEV_WORK_HOST) {
        g->once = true; /* not only the device takes part in it */
        return;
    }
    dev_work *copy = dev_work_copy(w);
    if (replay_add(c, s, copy, issued)) return;
    dev_work_free(c, copy);
    *(g->in_graph ? &g->unproven : &g->overflow) = true;
}

void dev_replay_keep_bytes(dev_client *c, bool got, const wire_copy *w, uint64_t offset,
                           const void *data, uint64_t n) {
    dev_log_state *g = &c->log;
    if (g->replaying || !g->in_call || g->unproven || g->tape_off) return;
    dev_work *put = n < dev_part_limit(c) ? malloc(sizeof *put + n) : NULL;
    if (put) {
        *put = (dev_work){.kind = got ? DEV_WORK_GOT : DEV_WORK_PUT,
                          .bytes = sizeof *put + n,
                          .put = {.copy = *w, .offset = offset, .bytes = n}};
        memcpy(put->params, data, n);
    }
    g->unproven = !replay_add(c, NULL, put, 0);
    if (g->unproven) free(put);
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

void dev_replay_free(dev_client *c) {
    replay_forget(c);
    dev_rewind_free(c);
    dev_words_forget(c);
    dev_lineage_free(c);
    free(c->log.works);
}

void dev_client_mark(dev_client *c) {
    replay_forget(c);
    dev_log_clear(c);
}
