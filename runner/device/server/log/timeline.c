/* The modelled timeline: when a program's calls and the device's work would have happened, in
 * microseconds since the client's start.
 *
 * Each thread of the program has a clock. Its calls advance the clock by what they cost the host;
 * its own computing costs nothing. Work starts when its stream, the work for which it waits, and
 * its unit are free: one copy engine for each direction, and the multiprocessors, of which a kernel
 * takes the share that its blocks can fill. Concurrent work shares the bandwidths of memory and L2:
 * later work proceeds at the rate that earlier work leaves, so that at no time more is moved than
 * the device can move. */
#include "runner/device/server/core/client.h"
#include "runner/base/buffer.h"
#include "runner/device/server/core/stream.h"
#include "runner/device/sim/profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double *dev_clock(dev_client *c, unsigned thread) {
    if (thread >= c->times.threads) {
        unsigned n = thread + 16;
        if (!lib_resize(&c->times.clock, n, sizeof *c->times.clock) ||
            !lib_resize(&c->times.began, n, sizeof *c->times.began))
            return &c->times.latest;
        while (c->times.threads < n) c->times.clock[c->times.threads++] = -1;
    }
    /* A thread whose creation was not reported (Thread) begins when it is first seen, not before
     * anything that has happened so far. */
    if (c->times.clock[thread] < 0)
        c->times.clock[thread] = c->times.began[thread] = c->times.latest;
    return &c->times.clock[thread];
}

void dev_clock_called(dev_client *c, unsigned thread) {
    if (thread < c->times.threads && c->times.clock[thread] > c->times.called)
        c->times.called = c->times.clock[thread];
}

/* A new thread may begin at any time, also after all calls that other threads make meanwhile. */
static uint64_t thread_late(dev_client *c) {
    static const uint64_t later = 10000000000; /* ns, longer than any call */
    if (!c->log.in_call || !c->log.threads_drawn) return 0;
    uint64_t draw = (c->s->opt.sim.sample + ++c->log.threads) * UINT64_C(0x9E3779B97F4A7C15);
    return draw >> 63 ? later : 0;
}

cudaError_t dev_on_Thread(dev_call *k, const struct wire_in_Thread *in,
                          struct wire_out_Thread *out) {
    dev_times *t = &k->c->times;
    bool known = k->thread < t->threads && t->clock[k->thread] >= 0;
    double *clock = dev_clock(k->c, k->thread), after = fmin((double)in->after / 1000, t->latest);
    /* It had been created by now, and the client makes calls in the order of the timeline. */
    if (!known && k->thread < t->threads) *clock = t->called;
    if (*clock < after) *clock = after;
    if (!known && k->thread < t->threads) t->began[k->thread] = *clock;
    out->ns = (uint64_t)llround(*clock * 1000);
    out->late = thread_late(k->c);
    return cudaSuccess;
}

cudaError_t dev_on_Clock(dev_call *k, const struct wire_in_Clock *in, struct wire_out_Clock *out) {
    (void)in;
    double now = *dev_clock(k->c, k->thread);
    dev_flow_timed(k->c);
    out->ns = k->thread < k->c->times.threads
                  ? (uint64_t)((now - k->c->times.began[k->thread]) * 1000)
                  : 0;
    return cudaSuccess;
}

/* `more`: beyond what such a call takes at least. Allocations of several threads are made one after
 * the other: 48 cudaMalloc of 4 MB take an H200's host 2.1 to 2.9 ms in one thread, 5.1 to 5.7 ms
 * in 24. */
static void spend(dev_call *k, dev_cost what, double more) {
    const sim_profile *p = k->c->s->device[k->device].profile;
    dev_times *t = &k->c->times;
    bool locks = what == DEV_COST_MALLOC || what == DEV_COST_FREE;
    double us = p->launch_us, *clock = dev_clock(k->c, k->thread);
    switch (what) {
    case DEV_COST_LAUNCH:
    case DEV_COST_ASYNC:
    case DEV_COST_GRAPH: break; /* one launch call for the whole graph */
    case DEV_COST_SYNC: us = 2; break;
    case DEV_COST_MALLOC: us = p->malloc_us; break;
    case DEV_COST_FREE: us = p->free_us; break;
    /* A pool has its memory ready: host2.cu measured 24.3 us for 20 pairs and a wait on an H200's
     * host. */
    case DEV_COST_POOL: us = 0.56; break;
    case DEV_COST_EVENT: us = 1; break;
    }
    if (locks && *clock < t->locked) *clock = t->locked;
    *clock += us + more;
    if (locks) t->locked = *clock;
    if (*clock > t->latest) t->latest = *clock;
}

void dev_spend(dev_call *k, dev_cost what) {
    spend(k, what, 0);
}

/* The profile's figures are for 4 MB (host.cu). 64 MB take 177.7 us a pair (host2.cu): 1.41 us a MB
 * more, half of it for each call. */
void dev_spend_memory(dev_call *k, dev_cost what, uint64_t bytes) {
    const uint64_t small = 4 << 20;
    spend(k, what, bytes > small ? 0.7 * (double)(bytes - small) / (1 << 20) : 0);
}

double dev_stream_after(dev_client *c, const dev_stream *s, double issued) {
    double t = issued > s->ready ? issued : s->ready;
    /* The legacy default stream waits for all blocking streams of its device, and they wait for
     * it. */
    for (const dev_stream *o = c->streams.first; o; o = o->next) {
        if (o == s || o->device != s->device || s->flags & cudaStreamNonBlocking ||
            o->flags & cudaStreamNonBlocking)
            continue;
        if ((s->legacy || o->legacy) && o->ready > t) t = o->ready;
    }
    return t;
}

/* ---- bandwidths */

enum { LEVELS = 1 << 14 };

/* Returns the index of the level that begins at t, which is made if necessary; SIZE_MAX: memory is
 * out. */
static size_t level_at(dev_engines *e, double t) {
    size_t lo = 0, hi = e->level_count;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (e->levels[mid].t < t) lo = mid + 1;
        else hi = mid;
    }
    if (lo < e->level_count && !(e->levels[lo].t > t)) return lo;
    if (!lib_grow(&e->levels, &e->level_room, e->level_count, sizeof *e->levels, 64))
        return SIZE_MAX;
    memmove(e->levels + lo + 1, e->levels + lo, (e->level_count - lo) * sizeof *e->levels);
    e->levels[lo] = lo ? e->levels[lo - 1] : (struct dev_level){0};
    e->levels[lo].t = t;
    e->level_count++;
    return lo;
}

/* Returns how fast d proceeds while this much is in use; 1: as if alone. */
static double level_rate(const struct dev_level *l, const dev_demand *d) {
    enum { LEAST_PARTS = 1000000 };
    double rate = 1;
    for (unsigned k = 0; k < DEV_BANDWIDTHS; k++) {
        double left = 1 - l->used[k];
        if (d->used[k] > 0 && d->used[k] * rate > left) rate = left / d->used[k];
    }
    return rate * LEAST_PARTS < 1 ? 0 : rate;
}

/* Occupies what d needs, from `start` on. Returns when it is done. */
static double level_take(dev_engines *e, double start, const dev_demand *d) {
    double left = d->us, now = start, end = start + d->us;
    bool asks = false, alone = true;
    for (unsigned k = 0; k < DEV_BANDWIDTHS; k++) asks = asks || d->used[k] > 0;
    size_t i = asks && d->us > 0 ? level_at(e, start) : SIZE_MAX;
    for (; i < e->level_count; i++) {
        double rate = level_rate(&e->levels[i], d);
        double next = i + 1 < e->level_count ? e->levels[i + 1].t : INFINITY;
        bool last = rate > 0 && rate * (next - now) >= left;
        alone = alone && !(rate < 1);
        if (last) {
            if (!alone) end = now + left / rate;
            if (!(end > e->levels[i].t) || level_at(e, end) == SIZE_MAX) return end;
        }
        for (unsigned k = 0; k < DEV_BANDWIDTHS; k++) e->levels[i].used[k] += d->used[k] * rate;
        if (last) break;
        left -= rate * (next - now);
        now = next;
    }
    if (e->level_count > LEVELS) { /* the older half is dropped */
        size_t n = e->level_count / 2;
        e->from = e->levels[n].t;
        memmove(e->levels, e->levels + n, (e->level_count - n) * sizeof *e->levels);
        e->level_count -= n;
    }
    return end;
}

/* ---- multiprocessors */

/* Returns when this share of the multiprocessors is free and one more grid may run. */
static double grid_start(const dev_engines *e, const sim_profile *p, double after, double share) {
    unsigned n = 0, most = p->concurrent_grids;
    double used = 0;
    for (unsigned i = e->running_count; i-- > 0 && e->running[i].end > after;) {
        used += e->running[i].share;
        if (used + share > 1.0001 || ++n >= most) return e->running[i].end;
    }
    return after;
}

static void grid_runs(dev_engines *e, double end, double share) {
    unsigned i = e->running_count;
    if (i == DEV_GRIDS) {
        if (end <= e->running[0].end) return;
        memmove(e->running, e->running + 1, --i * sizeof *e->running);
        e->running_count = i;
    }
    for (; i && e->running[i - 1].end > end; i--) e->running[i] = e->running[i - 1];
    e->running[i].end = end, e->running[i].share = share;
    e->running_count++;
}

/* Grids run concurrently as long as their shares fit. They are placed in the order of
 * submission. */
void dev_place_kernel(dev_client *c, unsigned device, double after, const dev_demand *d,
                      double *start, double *end) {
    dev_engines *e = &c->times.engine[device];
    if (after < e->from) after = e->from;
    *start = grid_start(e, c->s->device[device].profile, after, d->share);
    *end = level_take(e, *start, d);
    grid_runs(e, *end, d->share);
    if (*end > c->times.latest) c->times.latest = *end;
}

/* A copy on the device or a memset: a grid that takes almost no multiprocessors and is limited by
 * memory. */
static void place_move(dev_client *c, unsigned device, const dev_move *m, double after,
                       double *start, double *end) {
    const sim_profile *p = c->s->device[device].profile;
    enum { SECTOR = 32 };
    double per_us = 1e3 * p->dram_gbs * p->dram_efficiency,
           n = (double)m->bytes * (m->direction == DEV_DIR_D2D ? 2 : 1), /* read and written */
        all = (double)(m->sectors * SECTOR);
    /* Rows that fill no sectors; the ends of a single one do not matter. */
    dev_demand d = {.us = p->kernel_us + (all > n + 4 * SECTOR ? all : n) / per_us};
    if (m->measured > 0) d.us = m->measured;
    if (d.us > 0) d.used[DEV_DRAM] = fmin(1, all / per_us / d.us);
    dev_place_kernel(c, device, after, &d, start, end);
}

/* From one device to another: over their link if the program enabled access in one of the
 * directions, otherwise through the host, where each half proceeds at the rate of the slower
 * one. */
static void place_peer(dev_client *c, const dev_move *m, double after, double *start, double *end) {
    const sim_profile *p = c->s->device[m->from].profile, *q = c->s->device[m->to].profile;
    dev_engines *from = &c->times.engine[m->from], *to = &c->times.engine[m->to];
    bool link = ((c->context[m->from].peers | c->context[m->from].pool_peers) >> m->to & 1) ||
                ((c->context[m->to].peers | c->context[m->to].pool_peers) >> m->from & 1);
    double *out = link ? &from->out : &from->d2h, *in = link ? &to->in : &to->h2d,
           gbs = link ? p->peer_gbs : fmin(p->d2h_pinned_gbs, q->h2d_pinned_gbs),
           fixed = m->async ? 1.5 : p->memcpy_us;
    *start = fmax(after, fmax(*out, *in));
    *end = *start + (m->measured > 0 ? m->measured : fixed + (double)m->bytes / (1e3 * gbs));
    *out = *in = *end;
    if (*end > c->times.latest) c->times.latest = *end;
}

void dev_place_copy(dev_client *c, unsigned device, const dev_move *m, double after, double *start,
                    double *end) {
    const sim_profile *p = c->s->device[device].profile;
    dev_engines *e = &c->times.engine[device];
    double t = after, n = (double)m->bytes, *engine = NULL;
    /* memcpy_us is the duration of a small blocking copy from call to return; an asynchronous copy
     * leaves the call's part to its clock. */
    double us = m->async ? 1.5 : m->pageable ? p->memcpy_pageable_us : p->memcpy_us;
    switch (m->direction) {
    case DEV_DIR_H2D:
        us += n / (1e3 * (m->pageable ? p->h2d_pageable_gbs : p->h2d_pinned_gbs));
        engine = &e->h2d;
        break;
    case DEV_DIR_D2H:
        us += n / (1e3 * (m->pageable ? p->d2h_pageable_gbs : p->d2h_pinned_gbs));
        engine = &e->d2h;
        break;
    case DEV_DIR_D2D:
    case DEV_DIR_FILL: place_move(c, device, m, after, start, end); return;
    case DEV_DIR_PEER: place_peer(c, m, after, start, end); return;
    case DEV_DIR_H2H: break;
    }
    if (m->measured > 0) us = m->measured;
    if (engine && *engine > t) t = *engine;
    *start = t, *end = t + us;
    if (engine) *engine = *end;
    if (*end > c->times.latest) c->times.latest = *end;
}
