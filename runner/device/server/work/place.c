/* Where a side of a copy begins, and the distances of its rows and slices. */
#include "runner/device/server/core/client.h"
#include "runner/device/server/core/concurrent.h"
#include "runner/device/server/core/memory.h"
#include "runner/device/server/core/answer.h"

#include <stdlib.h>
#include <string.h>

/* Computes the end of w x h x d from `base` on, relative to it. Returns false if it is too far. */
static bool place_extent(uint64_t pitch, uint64_t slice, uint64_t w, uint64_t h, uint64_t d,
                         uint64_t *n) {
    uint64_t rows, slices;
    if (__builtin_mul_overflow(pitch, h - 1, &rows) ||
        __builtin_mul_overflow(slice, d - 1, &slices))
        return false;
    return !__builtin_add_overflow(rows, slices, &rows) && !__builtin_add_overflow(rows, w, n);
}

/* Rows and slices follow each other without overlapping, so there are never more of them than
 * memory has bytes. */
static bool place_apart(const wire_place *p, uint64_t w, uint64_t h, uint64_t d) {
    return (h == 1 && d == 1) || (w <= p->pitch && (d == 1 || h <= p->rows));
}

bool dev_place_find(dev_client *c, unsigned device, const wire_place *p, uint64_t w, uint64_t h,
                    uint64_t d, dev_place *r) {
    uint64_t n, skip, a, b;
    memset(r, 0, sizeof *r);
    r->device = p->device >= 0 ? (unsigned)p->device : device;
    if (!w || !h || !d || r->device >= c->s->count) return false;
    if (p->at != WIRE_AT_ARRAY && !place_apart(p, w, h, d)) return false;
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
        !place_extent(r->pitch, r->slice, w, h, d, &n))
        return false;
    if (p->at == WIRE_AT_PAGEABLE) return r->pageable = true;
    const dev_mem *m = dev_mem_range(c, r->base, n);
    if (!m || p->at != WIRE_AT_POINTER) return false;
    r->host = m->on_host;
    r->managed = m->kind == DEV_MEM_MANAGED || m->kind == DEV_MEM_VARIABLE;
    if (r->host && m->host && !m->mapped) return false;
    if (!r->host && m->kind != DEV_MEM_GRANTED) r->device = m->device;
    return true;
}

static bool place_called(dev_client *c, unsigned device, const wire_place *p, const wire_copy *w,
                         bool on_device) {
    dev_place r;
    return !dev_place_find(c, device, p, w->width, w->height, w->depth, &r) || r.managed ||
           (r.host || r.pageable) != on_device;
}

bool dev_copy_misdirected(dev_client *c, unsigned device, const wire_copy *w) {
    bool inside = w->kind == cudaMemcpyDeviceToDevice;
    return w->kind < cudaMemcpyDefault &&
           (!place_called(c, device, &w->to, w, inside || w->kind == cudaMemcpyHostToDevice) ||
            !place_called(c, device, &w->from, w, inside || w->kind == cudaMemcpyDeviceToHost));
}

uint64_t dev_place_sectors(const dev_place *r, uint64_t w, uint64_t h, uint64_t d) {
    enum { SECTOR = 32 };
    uint64_t n = 0;
    if (!w || !h || !d) return 0;
    if (r->pitch == w && (d == 1 || r->slice == w * h)) w *= h * d, h = d = 1;
    /* The offset of rows within a sector repeats after at most 32 rows. */
    for (uint64_t y = 0; y < h && y < SECTOR; y++)
        for (uint64_t z = 0; z < d && z < SECTOR; z++) {
            uint64_t skip = (r->base + y * r->pitch + z * r->slice) % SECTOR,
                     rows = (h - y + SECTOR - 1) / SECTOR * ((d - z + SECTOR - 1) / SECTOR);
            n += rows * ((skip + w + SECTOR - 1) / SECTOR);
        }
    return n;
}

uint64_t dev_copy_total(const wire_copy *w) {
    return w->width * w->height * w->depth;
}

cudaError_t dev_copy_check(dev_client *c, unsigned device, wire_copy *w) {
    dev_place to, from;
    uint64_t total;
    if (__builtin_mul_overflow(w->width, w->height, &total) ||
        __builtin_mul_overflow(total, w->depth, &total))
        return cudaErrorInvalidValue;
    return dev_place_find(c, device, &w->to, w->width, w->height, w->depth, &to) &&
                   dev_place_find(c, device, &w->from, w->width, w->height, w->depth, &from)
               ? cudaSuccess
               : cudaErrorInvalidValue;
}

cudaError_t dev_fill_check(dev_client *c, unsigned device, const wire_fill *f) {
    dev_place to;
    if ((f->element != 1 && f->element != 2 && f->element != 4) || f->width % f->element)
        return cudaErrorInvalidValue;
    return f->to.at == WIRE_AT_POINTER &&
                   dev_place_find(c, device, &f->to, f->width, f->height, f->depth, &to)
               ? cudaSuccess
               : cudaErrorInvalidValue;
}

/* Moves between the place and a buffer, row by row. */
static cudaError_t place_bytes(dev_client *c, const dev_place *r, const wire_copy *w,
                               bool to_device, uint64_t offset, uint8_t *p, uint64_t n) {
    if (r->pitch == w->width && r->slice == r->pitch * w->height) { /* in one piece */
        sim_status s = to_device ? HW(dev_hw(c, r->device), write, r->base + offset, p, n)
                                 : HW(dev_hw(c, r->device), read, p, r->base + offset, n);
        return dev_error(s);
    }
    while (n) {
        uint64_t row = offset / w->width, x = offset % w->width, run = w->width - x;
        if (run > n) run = n;
        uint64_t a = r->base + row / w->height * r->slice + row % w->height * r->pitch + x;
        if (dev_stopped(c)) return dev_error(SIM_CANCELLED);
        sim_status s = to_device ? HW(dev_hw(c, r->device), write, a, p, run)
                                 : HW(dev_hw(c, r->device), read, p, a, run);
        if (s) return dev_error(s);
        p += run, offset += run, n -= run;
    }
    return cudaSuccess;
}

/* The program may change `buffer` at any time, so one copy of it is compared, kept and written. */
static cudaError_t place_given(dev_client *c, const dev_place *r, const wire_copy *w,
                               uint64_t offset, const void *buffer, uint64_t n) {
    uint8_t *own = malloc(n);
    if (!own) return cudaErrorMemoryAllocation;
    memcpy(own, buffer, n);
    dev_flow_gave(c, DEV_OP_H2D, n, "");
    if (n && !memcmp(own, own + 1, n - 1)) dev_flow_filled(c, r->base, 0x01010101u * own[0], n);
    else dev_flow_put(c, r->base, n);
    dev_words_given(c, own, n);
    if (!r->host) dev_replay_keep_bytes(c, false, w, offset, own, n);
    cudaError_t e = place_bytes(c, r, w, true, offset, own, n);
    free(own);
    return e;
}

/* The other direction, recorded. */
static cudaError_t place_seen(dev_client *c, const dev_place *r, const wire_copy *w,
                              uint64_t offset, void *buffer, uint64_t n) {
    uint8_t *own = malloc(n);
    if (!own) return cudaErrorMemoryAllocation;
    cudaError_t e = place_bytes(c, r, w, false, offset, own, n);
    if (!e) memcpy(buffer, own, n);
    if (!e && c->log.hostflow.flow.within) dev_replay_keep_bytes(c, true, w, offset, own, n);
    if (!e && !r->host) dev_words_seen(c, own, n);
    else if (!e)
        dev_words_left(c, r->base,
                       (w->depth - 1) * r->slice + (w->height - 1) * r->pitch + w->width, false);
    free(own);
    return e;
}

cudaError_t dev_copy_bytes(dev_client *c, const wire_copy *w, bool to_device, uint64_t offset,
                           void *buffer, uint64_t n) {
    dev_place r;
    if (!dev_place_find(c, 0, to_device ? &w->to : &w->from, w->width, w->height, w->depth, &r) ||
        r.pageable)
        return cudaErrorInvalidValue;
    if (to_device && r.host) dev_held_forget(c, 0, UINT64_MAX);
    if (to_device && c->log.in_call && !c->log.replaying)
        return place_given(c, &r, w, offset, buffer, n);
    if (to_device) return place_bytes(c, &r, w, true, offset, buffer, n);
    dev_flow_saw(c, DEV_OP_D2H, n, "");
    return dev_words_wanted(c) || c->log.hostflow.flow.within
               ? place_seen(c, &r, w, offset, buffer, n)
               : place_bytes(c, &r, w, false, offset, buffer, n);
}
