/* The modelled timeline: when, in microseconds since the client came, a program's calls and the
 * device's work would have happened.
 *
 * Each thread of the program has a clock, which its calls advance by what they cost the host; its
 * own computing costs nothing. Work starts when its stream, what it waits for, and the unit that
 * does it are free: one copy engine a direction, and the multiprocessors, of which a kernel takes
 * the share that its blocks can fill. */
#include "runner/device/stream/stream.h"
#include "runner/sim/profile.h"

#include <stdlib.h>

double *dev_clock(dev_client *c, unsigned thread) {
    if (thread >= c->threads) {
        unsigned n = thread + 16;
        double *more = realloc(c->clock, n * sizeof *more);
        if (more) c->clock = more;
        double *first = more ? realloc(c->began, n * sizeof *first) : NULL;
        if (first) c->began = first;
        if (!first) return &c->latest;
        while (c->threads < n) c->clock[c->threads++] = -1;
    }
    /* A thread begins when it is first heard of, which is not before anything that happened until
     * then. */
    if (c->clock[thread] < 0) c->clock[thread] = c->began[thread] = c->latest;
    return &c->clock[thread];
}

cudaError_t dev_on_Clock(dev_call *k, const struct wire_in_Clock *in, struct wire_out_Clock *out) {
    (void)in;
    double now = *dev_clock(k->c, k->thread);
    out->ns = k->thread < k->c->threads ? (uint64_t)((now - k->c->began[k->thread]) * 1000) : 0;
    return cudaSuccess;
}

void dev_spend(dev_call *k, dev_cost what) {
    const sim_profile *p = k->c->s->device[k->device].profile;
    double us = 0, *clock = dev_clock(k->c, k->thread);
    switch (what) {
    case DEV_COST_LAUNCH: us = p->launch_us; break;
    case DEV_COST_ASYNC: us = p->launch_us; break;
    case DEV_COST_SYNC: us = 2; break;
    case DEV_COST_MALLOC: us = p->malloc_us; break;
    case DEV_COST_FREE: us = p->free_us; break;
    /* A pool's memory is at hand: host.cu measured (436.8 - 328.4) us for 50 pairs on an H200's
     * host. */
    case DEV_COST_POOL: us = 1.1; break;
    case DEV_COST_EVENT: us = 1; break;
    /* One launch call for the whole graph. */
    case DEV_COST_GRAPH: us = p->launch_us * 1.5; break;
    }
    *clock += us;
    if (*clock > k->c->latest) k->c->latest = *clock;
}

double dev_stream_after(dev_client *c, const dev_stream *s, double issued) {
    double t = issued > s->ready ? issued : s->ready;
    /* The legacy default stream waits for all blocking streams of its device, and they for it. */
    for (const dev_stream *o = c->streams; o; o = o->next) {
        if (o == s || o->device != s->device || s->flags & cudaStreamNonBlocking ||
            o->flags & cudaStreamNonBlocking)
            continue;
        if ((s->legacy || o->legacy) && o->ready > t) t = o->ready;
    }
    return t;
}

/* Kernels run side by side as long as their shares fit. They are placed in the order they are
 * submitted. */
void dev_place_kernel(dev_client *c, unsigned device, double after, double us, double share,
                      double *start, double *end) {
    dev_engines *e = &c->engine[device];
    double t = after;
    for (;;) {
        double used = 0, next = 0;
        for (unsigned i = 0; i < 64; i++) {
            if (e->kernels[i].end <= t) continue;
            used += e->kernels[i].share;
            if (!next || e->kernels[i].end < next) next = e->kernels[i].end;
        }
        if (used + share <= 1.0001 || !next) break;
        t = next;
    }
    *start = t, *end = t + us;
    e->kernels[e->next % 64].start = t;
    e->kernels[e->next % 64].end = *end;
    e->kernels[e->next++ % 64].share = share;
    if (*end > c->latest) c->latest = *end;
}

void dev_place_copy(dev_client *c, unsigned device, dev_direction d, bool pageable, bool async,
                    uint64_t bytes, double measured, double after, double *start, double *end) {
    const sim_profile *p = c->s->device[device].profile;
    dev_engines *e = &c->engine[device];
    double t = after, n = (double)bytes, us = 0, *engine = NULL;
    /* memcpy_us is what a small blocking copy takes from call to return; an asynchronous one leaves
     * the call's part to its clock. */
    double fixed = async ? 1.5 : pageable ? p->memcpy_pageable_us : p->memcpy_us;
    switch (d) {
    case DEV_DIR_H2D:
        us = fixed + n / (1e3 * (pageable ? p->h2d_pageable_gbs : p->h2d_pinned_gbs)),
        engine = &e->h2d;
        break;
    case DEV_DIR_D2H:
        us = fixed + n / (1e3 * (pageable ? p->d2h_pageable_gbs : p->d2h_pinned_gbs)),
        engine = &e->d2h;
        break;
    /* Each byte is read and written. */
    case DEV_DIR_D2D: us = p->kernel_us + 2 * n / (1e3 * p->dram_gbs * p->dram_efficiency); break;
    case DEV_DIR_FILL: us = p->kernel_us + n / (1e3 * p->dram_gbs * p->dram_efficiency); break;
    case DEV_DIR_H2H: us = fixed; break;
    }
    if (measured > 0) us = measured;
    if (engine && *engine > t) t = *engine;
    *start = t, *end = t + us;
    if (engine) *engine = *end;
    if (*end > c->latest) c->latest = *end;
}
