/* Work executed: launches, copies, fills, frees. Here results are made; when they would have been
 * ready is asked of timeline.c, and log.c keeps both.
 *
 * How long simulated work takes says more about this machine than about the program, so it is paid
 * for in instructions (dev_client_allow), and the program's clock stands still meanwhile. */
#include "runner/base/clock.h"
#include "runner/base/message.h"
#include "runner/device/server.h"
#include "runner/sim/profile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

dev_work *dev_work_copy(const dev_work *w) {
    dev_work *n = malloc(w->bytes);
    if (!n) return NULL;
    memcpy(n, w, w->bytes);
    if (n->kind == DEV_WORK_RECORD || n->kind == DEV_WORK_WAIT) n->event.event->refs++;
    if (n->kind == DEV_WORK_GRAPH) dev_exec_retain(n->exec);
    if (n->kind == DEV_WORK_CONDITIONAL) dev_condition_retain(n->conditional.on);
    return n;
}

void dev_work_free(dev_client *c, dev_work *w) {
    if (!w) return;
    if (w->kind == DEV_WORK_RECORD || w->kind == DEV_WORK_WAIT) dev_mark_release(w->event.event);
    if (w->kind == DEV_WORK_GRAPH) dev_exec_release(c, w->exec);
    if (w->kind == DEV_WORK_CONDITIONAL) dev_condition_release(c, w->conditional.on);
    free(w);
}

/* ---- places: where a side of a copy begins, and how far it is from row to row and slice to slice */

typedef struct {
    uint64_t base, pitch, slice;
    unsigned device;
    bool pageable,
        host;        /* ordinary memory of the program; memory on the host that the device sees */
    uint8_t *mapped; /* host: where base lies */
} region;

/* The last byte that w x h x d reach from `base`, plus one, relative to it; false: too far. */
static bool extent(uint64_t pitch, uint64_t slice, uint64_t w, uint64_t h, uint64_t d,
                   uint64_t *n) {
    uint64_t rows, slices;
    if (__builtin_mul_overflow(pitch, h - 1, &rows) ||
        __builtin_mul_overflow(slice, d - 1, &slices))
        return false;
    return !__builtin_add_overflow(rows, slices, &rows) && !__builtin_add_overflow(rows, w, n);
}

static bool resolve(dev_client *c, unsigned device, const wire_place *p, uint64_t w, uint64_t h,
                    uint64_t d, region *r) {
    uint64_t n, skip, a, b;
    memset(r, 0, sizeof *r);
    r->device = p->device >= 0 ? (unsigned)p->device : device;
    if (!w || !h || !d || r->device >= c->s->count) return false;
    if (p->at == WIRE_AT_ARRAY) {
        const dev_array *t = dev_object(c, p->address, DEV_ARRAY);
        if (!t) return false;
        uint64_t row = t->width * t->element, rows = t->height ? t->height : 1,
                 slices = t->depth ? t->depth : 1;
        if (p->x > row || w > row - p->x || p->y > rows || h > rows - p->y || p->z > slices ||
            d > slices - p->z)
            return false;
        r->pitch = t->pitch, r->slice = t->pitch * rows, r->device = t->device;
        r->base = t->base + p->z * r->slice + p->y * r->pitch + p->x;
        return dev_mem_find(c, t->base) != NULL;
    }
    r->pitch = p->pitch;
    if (__builtin_mul_overflow(p->pitch, p->rows, &r->slice) ||
        __builtin_mul_overflow(p->z, r->slice, &a) || __builtin_mul_overflow(p->y, p->pitch, &b) ||
        __builtin_add_overflow(a, b, &skip) || __builtin_add_overflow(skip, p->x, &skip) ||
        __builtin_add_overflow(p->address, skip, &r->base) ||
        !extent(r->pitch, r->slice, w, h, d, &n))
        return false;
    if (p->at == WIRE_AT_PAGEABLE) return r->pageable = true;
    const dev_mem *m = dev_mem_range(c, r->base, n);
    if (!m || p->at != WIRE_AT_POINTER) return false;
    r->host = dev_mem_on_host(m);
    if (r->host && m->host && !m->mapped) return false;
    if (!r->host && m->kind != DEV_MEM_GRANTED) r->device = m->device;
    return true;
}

cudaError_t dev_copy_check(dev_client *c, unsigned device, wire_copy *w) {
    region to, from;
    uint64_t total;
    if (__builtin_mul_overflow(w->width, w->height, &total) ||
        __builtin_mul_overflow(total, w->depth, &total))
        return cudaErrorInvalidValue;
    return resolve(c, device, &w->to, w->width, w->height, w->depth, &to) &&
                   resolve(c, device, &w->from, w->width, w->height, w->depth, &from)
               ? cudaSuccess
               : cudaErrorInvalidValue;
}

cudaError_t dev_fill_check(dev_client *c, unsigned device, const wire_fill *f) {
    region to;
    if ((f->element != 1 && f->element != 2 && f->element != 4) || f->width % f->element)
        return cudaErrorInvalidValue;
    return f->to.at == WIRE_AT_POINTER &&
                   resolve(c, device, &f->to, f->width, f->height, f->depth, &to)
               ? cudaSuccess
               : cudaErrorInvalidValue;
}

/* ---- bytes */

cudaError_t dev_copy_bytes(dev_client *c, const wire_copy *w, bool to_device, uint64_t offset,
                           void *buffer, uint64_t n) {
    region r;
    uint8_t *p = buffer;
    if (!resolve(c, 0, to_device ? &w->to : &w->from, w->width, w->height, w->depth, &r) ||
        r.pageable)
        return cudaErrorInvalidValue;
    if (r.pitch == w->width && r.slice == r.pitch * w->height) { /* in one piece */
        sim_status s = to_device ? HW(dev_hw(c, r.device), write, r.base + offset, p, n)
                                 : HW(dev_hw(c, r.device), read, p, r.base + offset, n);
        return dev_error(s);
    }
    while (n) {
        uint64_t row = offset / w->width, x = offset % w->width, run = w->width - x;
        if (run > n) run = n;
        uint64_t a = r.base + row / w->height * r.slice + row % w->height * r.pitch + x;
        sim_status s = to_device ? HW(dev_hw(c, r.device), write, a, p, run)
                                 : HW(dev_hw(c, r.device), read, p, a, run);
        if (s) return dev_error(s);
        p += run, offset += run, n -= run;
    }
    return cudaSuccess;
}

static sim_status move(dev_client *c, const region *to, const region *from, uint64_t a, uint64_t b,
                       uint64_t n, double *us) {
    if (to->device == from->device || to->host || from->host)
        return HW(dev_hw(c, to->host ? from->device : to->device), copy, a, b, n, us);
    /* From one device to another. */
    uint8_t buffer[1 << 16];
    sim_status s = SIM_OK;
    while (n && !s) {
        uint64_t k = n < sizeof buffer ? n : sizeof buffer;
        s = HW(dev_hw(c, from->device), read, buffer, b, k);
        if (!s) s = HW(dev_hw(c, to->device), write, a, buffer, k);
        a += k, b += k, n -= k;
    }
    return s;
}

static cudaError_t run_copy(dev_client *c, dev_stream *s, const dev_work *w, double after,
                            double *end) {
    const wire_copy *p = &w->copy;
    region to, from;
    double start, us = 0;
    sim_status e = SIM_OK;
    if (!resolve(c, w->device, &p->to, p->width, p->height, p->depth, &to) ||
        !resolve(c, w->device, &p->from, p->width, p->height, p->depth, &from) || to.pageable ||
        from.pageable)
        return cudaErrorInvalidValue;
    uint64_t total = p->width * p->height * p->depth;
    bool whole = to.pitch == p->width && from.pitch == p->width &&
                 (p->depth == 1 || (to.slice == to.pitch * p->height && from.slice == to.slice));
    if (whole || (p->height == 1 && p->depth == 1))
        e = move(c, &to, &from, to.base, from.base, total, &us);
    else
        for (uint64_t z = 0; !e && z < p->depth; z++)
            for (uint64_t y = 0; !e && y < p->height; y++)
                e = move(c, &to, &from, to.base + z * to.slice + y * to.pitch,
                         from.base + z * from.slice + y * from.pitch, p->width, &us);
    dev_direction d = to.host     ? (from.host ? DEV_DIR_H2H : DEV_DIR_D2H)
                      : from.host ? DEV_DIR_H2D
                                  : DEV_DIR_D2D;
    dev_place_copy(c, w->device, d, false, p->async, total, us, after, &start, end);
    static const dev_op ops[] = {[DEV_DIR_H2D] = DEV_OP_H2D,
                                 [DEV_DIR_D2H] = DEV_OP_D2H,
                                 [DEV_DIR_D2D] = DEV_OP_D2D,
                                 [DEV_DIR_H2H] = DEV_OP_HOST};
    dev_log(c, ops[d], w->device, s, start, *end, total, e);
    return dev_error(e);
}

static cudaError_t run_fill(dev_client *c, dev_stream *s, const dev_work *w, double after,
                            double *end) {
    const wire_fill *f = &w->fill;
    region to;
    double start, us = 0;
    sim_status e = SIM_OK;
    if (!resolve(c, w->device, &f->to, f->width, f->height, f->depth, &to) || to.pageable)
        return cudaErrorInvalidValue;
    uint64_t total = f->width * f->height * f->depth;
    if (to.pitch == f->width && (f->depth == 1 || to.slice == to.pitch * f->height))
        e = HW(dev_hw(c, to.device), fill, to.base, f->value, f->element, total / f->element, &us);
    else
        for (uint64_t z = 0; !e && z < f->depth; z++)
            for (uint64_t y = 0; !e && y < f->height; y++)
                e = HW(dev_hw(c, to.device), fill, to.base + z * to.slice + y * to.pitch, f->value,
                       f->element, f->width / f->element, &us);
    dev_place_copy(c, w->device, DEV_DIR_FILL, false, true, total, us, after, &start, end);
    dev_log(c, DEV_OP_MEMSET, w->device, s, start, *end, total, e);
    return dev_error(e);
}

/* ---- launches */

cudaError_t dev_launch_check(dev_client *c, unsigned device, const wire_launch *l,
                             size_t param_bytes, dev_kernel **out) {
    dev_kernel *k = dev_object(c, l->kernel, DEV_KERNEL);
    const sim_profile *p = c->s->device[device].profile;
    if (!k || k->device != device) return cudaErrorInvalidResourceHandle;
    if (param_bytes != k->info->param_bytes || l->param_bytes != param_bytes)
        return cudaErrorInvalidValue;
    uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
    if (!l->grid[0] || !l->grid[1] || !l->grid[2] || l->grid[0] > 0x7fffffff ||
        l->grid[1] > 65535 || l->grid[2] > 65535 || !threads ||
        l->block[0] > p->max_threads_block || l->block[1] > p->max_threads_block ||
        l->block[2] > 64 || threads > p->max_threads_block)
        return cudaErrorInvalidValue;
    if (k->info->max_threads && threads > k->info->max_threads) return cudaErrorInvalidValue;
    if (threads > k->max_threads) return cudaErrorLaunchOutOfResources;
    if (l->shared > k->info->max_dynamic_shared) return cudaErrorInvalidValue;
    if (l->cluster[0] && (uint64_t)l->cluster[0] * l->cluster[1] * l->cluster[2] != 1) {
        dev_unsupported(c, "%s: thread block clusters are not supported", k->info->pretty);
        return cudaErrorNotSupported;
    }
    if (l->cooperative) {
        sim_occupancy o;
        if (sim_occupancy_get(p, (unsigned)threads, k->info->registers,
                              k->info->static_shared + l->shared, &o))
            return cudaErrorInvalidValue;
        if ((uint64_t)l->grid[0] * l->grid[1] * l->grid[2] > (uint64_t)o.blocks * p->sms)
            return cudaErrorCooperativeLaunchTooLarge;
    }
    *out = k;
    return cudaSuccess;
}

static cudaError_t run_launch(dev_client *c, dev_stream *s, const dev_work *w, double after,
                              double *end) {
    const dev_kernel *k = w->launch.kernel;
    const sim_profile *p = c->s->device[w->device].profile;
    const wire_launch *at = &w->launch.at;
    dev_setter setter = {c, w->device};
    sim_launch l = {.grid = {at->grid[0], at->grid[1], at->grid[2]},
                    .block = {at->block[0], at->block[1], at->block[2]},
                    .dynamic_shared = at->shared,
                    .params = w->params,
                    .param_bytes = at->param_bytes,
                    .cooperative = at->cooperative,
                    .print = dev_log_print,
                    .print_user = c,
                    .condition = dev_condition_set,
                    .condition_user = &setter,
                    .inst_limit = c->work_limit,
                    .inst_taken = c->work,
                    .cancel = &c->stop};
    sim_result *r = calloc(1, sizeof *r);
    lib_message msg = {0};
    double start;
    if (!r) return cudaErrorMemoryAllocation;
    sim_status e = HW(dev_hw(c, w->device), run, k->kernel, &l, r, &msg);
    if (e && !r->status) r->status = e;
    c->work += r->executed;
    /* The share of the multiprocessors that its blocks fill while it runs. */
    uint64_t blocks = (uint64_t)at->grid[0] * at->grid[1] * at->grid[2],
             room = (uint64_t)r->occupancy.blocks * p->sms;
    double share = room && blocks < room ? (double)blocks / (double)room : 1;
    dev_place_kernel(c, w->device, after + p->launch_gap_us, r->time_us, share, &start, end);
    dev_record *record = dev_log(c, DEV_OP_LAUNCH, w->device, s, start, *end, 0, e);
    dev_log_launch(c, record, w, r);
    if (!e) return cudaSuccess;
    if (e == SIM_BAD_LAUNCH || e == SIM_TOO_MANY_RESOURCES || e == SIM_BAD_ARGUMENT)
        return dev_error(e);
    if (e == SIM_UNSUPPORTED)
        dev_unsupported(c, "%s: %s", k->info->pretty,
                        msg.text[0] ? msg.text : sim_status_message(e));
    /* The context is broken; the program hears it when it next waits. */
    if (!c->fault[w->device]) c->fault[w->device] = dev_error(e);
    return cudaSuccess;
}

static cudaError_t run(dev_client *c, dev_stream *s, const dev_work *w, double after, double *end) {
    *end = after;
    if (c->fault[w->device]) return cudaSuccess; /* nothing runs in a broken context */
    switch (w->kind) {
    case DEV_WORK_LAUNCH: return run_launch(c, s, w, after, end);
    case DEV_WORK_COPY: return run_copy(c, s, w, after, end);
    case DEV_WORK_FILL: return run_fill(c, s, w, after, end);
    case DEV_WORK_ALLOC: {
        /* Memory of a graph keeps its address; each launch finds it new. */
        const dev_mem *m = dev_mem_find(c, w->alloc.address);
        if (!m) return cudaErrorInvalidValue;
        HW(dev_hw(c, m->device), poison, m->base, m->bytes);
        c->graph_bytes[m->device] += m->bytes;
        if (c->graph_bytes[m->device] > c->graph_high[m->device])
            c->graph_high[m->device] = c->graph_bytes[m->device];
        return cudaSuccess;
    }
    case DEV_WORK_FREE: {
        dev_mem *m = dev_mem_find(c, w->alloc.address);
        if (!m || m->base != w->alloc.address) return cudaSuccess;
        if (m->kind == DEV_MEM_GRAPH) {
            c->graph_bytes[m->device] -=
                m->bytes < c->graph_bytes[m->device] ? m->bytes : c->graph_bytes[m->device];
            return cudaSuccess;
        }
        if (m->kind == DEV_MEM_POOL) {
            dev_pool *p = dev_object(c, m->pool, DEV_POOL);
            if (p) p->used -= m->bytes;
        }
        unsigned device = m->device;
        dev_mem_remove(c, w->alloc.address);
        c->log.freed = true;
        return dev_error(HW(dev_hw(c, device), release, w->alloc.address));
    }
    default: return cudaSuccess;
    }
}

/* What w costs besides the instructions of its launch: about what this work takes here, at a
 * thousand million instructions a second. */
static uint64_t price(const dev_work *w) {
    enum { LAUNCH = 1 << 13, ROW = 64, BYTES = 4 };
    uint64_t width = 0, rows = 1, all;
    if (w->kind == DEV_WORK_LAUNCH) return LAUNCH;
    if (w->kind == DEV_WORK_COPY) width = w->copy.width, rows = w->copy.height * w->copy.depth;
    else if (w->kind == DEV_WORK_FILL) width = w->fill.width, rows = w->fill.height * w->fill.depth;
    else if (w->kind == DEV_WORK_ALLOC) width = w->alloc.bytes;
    return __builtin_mul_overflow(width / BYTES + ROW, rows, &all) ? UINT64_MAX / 2 : all;
}

cudaError_t dev_work_run(dev_client *c, dev_stream *s, const dev_work *w, double after,
                         double *end) {
    bool free_time = c->s->device[w->device].backend == &dev_backend_sim &&
                     (!c->work_limit || c->work < c->work_limit);
    double begin = lib_now();
    if (free_time) dev_watch_move(c, INFINITY);
    c->work += price(w);
    cudaError_t e = run(c, s, w, after, end);
    if (free_time) dev_watch_move(c, c->deadline += lib_now() - begin);
    return e;
}
