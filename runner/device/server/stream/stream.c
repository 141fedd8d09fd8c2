/* Streams: found, made, freed. */
#include "runner/device/server/core/client.h"
#include "runner/device/server/core/budget.h"
#include "runner/device/server/core/concurrent.h"
#include "runner/device/server/core/stream.h"
#include "runner/device/server/graph/graph.h"
#include "runner/device/server/core/object.h"

#include <stdlib.h>

/* Streams that are not handles. */
#define STREAM_LEGACY     1
#define STREAM_PER_THREAD 2

dev_stream *dev_stream_new(dev_client *c, unsigned device, unsigned flags, int priority) {
    dev_stream *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->device = device, s->flags = flags, s->priority = priority;
    s->id = c->streams.next_id++;
    s->next = c->streams.first;
    c->streams.first = s;
    c->streams.count++;
    return s;
}

static dev_stream *stream_legacy(dev_client *c, unsigned device) {
    dev_stream *s = c->streams.first;
    while (s && !(s->legacy && s->device == device)) s = s->next;
    return s;
}

dev_stream *dev_stream_default(dev_client *c, unsigned device) {
    dev_stream *s = stream_legacy(c, device);
    if (s || !(s = dev_stream_new(c, device, 0, 0))) return s;
    s->legacy = true;
    s->id = 0;
    c->streams.next_id--;
    return s;
}

static dev_stream *stream_per_thread(dev_client *c, unsigned device, unsigned thread) {
    for (dev_stream *s = c->streams.first; s; s = s->next)
        if (s->per_thread && s->device == device && s->thread == thread) return s;
    dev_stream *s = dev_stream_new(c, device, 0, 0);
    if (s) s->per_thread = true, s->thread = thread;
    return s;
}

dev_stream *dev_stream_get(dev_call *k, uint64_t h) {
    if (h == 0) h = k->flags & WIRE_F_PER_THREAD ? STREAM_PER_THREAD : STREAM_LEGACY;
    if (h == STREAM_LEGACY) return dev_stream_default(k->c, k->device);
    if (h == STREAM_PER_THREAD) return stream_per_thread(k->c, k->device, k->thread);
    return dev_object(k->c, h, DEV_STREAM);
}

void dev_stream_pop(dev_client *c, dev_stream *s) {
    dev_item *i = s->head;
    s->head = i->next;
    if (!s->head) s->tail = NULL;
    c->budget.queued -= i->work->bytes + DEV_ITEM_BYTES;
    if (i->ends) dev_let_go(c, (i->nodes + 1) * sizeof *i->ends);
    if (i->work->kind == DEV_WORK_GRAPH) dev_exec_release(c, i->work->exec);
    dev_work_free(c, i->work);
    free(i->ends);
    free(i);
}

void dev_stream_free(dev_client *c, dev_stream *s) {
    for (dev_stream **p = &c->streams.first; *p; p = &(*p)->next)
        if (*p == s) {
            *p = s->next;
            c->streams.count--;
            break;
        }
    while (s->head) dev_stream_pop(c, s);
    dev_concurrent_gone(c, s);
    dev_let_go(c, s->tail_room * sizeof *s->tail_nodes);
    free(s->tail_nodes);
    s->tail_nodes = NULL, s->tail_count = s->tail_room = 0;
    if (!dev_replay_adopt_stream(c, s)) free(s);
}

void dev_streams_free(dev_client *c) {
    dev_capture_free(c);
    while (c->streams.first) dev_stream_free(c, c->streams.first);
}
