/* Address ranges that a client may name, sorted by base; they never overlap. And device memory, which
 * lies behind some of them. */
#include "runner/device/core/memory.h"
#include "runner/device/core/answer.h"
#include "runner/device/core/grow.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The first with base > a. */
static size_t range_above(const dev_client *c, uint64_t a) {
    size_t lo = 0, hi = c->mem_count;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (c->mem[mid].base <= a) lo = mid + 1;
        else hi = mid;
    }
    return lo;
}

dev_mem *dev_mem_find(dev_client *c, uint64_t a) {
    size_t i = range_above(c, a);
    if (!i) return NULL;
    dev_mem *m = &c->mem[i - 1];
    return a - m->base < m->bytes ? m : NULL;
}

dev_mem *dev_mem_range(dev_client *c, uint64_t a, uint64_t n) {
    dev_mem *m = dev_mem_find(c, a);
    return m && n <= m->bytes - (a - m->base) ? m : NULL;
}

dev_mem *dev_mem_add(dev_client *c, const dev_mem *m) {
    if (!dev_grow(&c->mem, &c->mem_room, c->mem_count, sizeof *c->mem, 64)) return NULL;
    size_t i = range_above(c, m->base);
    memmove(c->mem + i + 1, c->mem + i, (c->mem_count - i) * sizeof *c->mem);
    c->mem[i] = *m;
    c->mem_count++;
    return &c->mem[i];
}

void dev_mem_remove(dev_client *c, uint64_t base) {
    size_t i = range_above(c, base);
    if (!i || c->mem[i - 1].base != base) return;
    memmove(c->mem + i - 1, c->mem + i, (c->mem_count - i) * sizeof *c->mem);
    c->mem_count--;
}

void dev_mem_free(dev_client *c) {
    for (size_t i = 0; i < c->mem_count; i++) {
        dev_mem *m = &c->mem[i];
        if (m->host) {
            for (unsigned d = 0; m->mapped && d < c->s->count; d++)
                HW(dev_hw(c, d), unmap, m->base);
            if (m->fd) close(m->fd);
            munmap(m->host, m->map_bytes);
        } else if (m->kind <= DEV_MEM_ARRAY) {
            HW(dev_hw(c, m->device), release, m->base);
        }
    }
    free(c->mem);
}

/* ---- device memory */

cudaError_t dev_mem_allocate(dev_client *c, unsigned device, uint64_t n, dev_mem_kind kind,
                             uint64_t pool, uint64_t *out) {
    sim_addr a;
    if (!n || n > (uint64_t)1 << 46) return n ? cudaErrorMemoryAllocation : cudaErrorInvalidValue;
    sim_status s = HW(dev_hw(c, device), alloc, n, &a);
    if (s) return dev_error(s);
    dev_mem m = {.base = a, .bytes = n, .kind = kind, .device = device, .pool = pool};
    if (!dev_mem_add(c, &m)) {
        HW(dev_hw(c, device), release, a);
        return cudaErrorMemoryAllocation;
    }
    *out = a;
    return cudaSuccess;
}

sim_status dev_mem_release(dev_client *c, dev_mem *m) {
    uint64_t base = m->base;
    unsigned device = m->device;
    if (m->kind == DEV_MEM_POOL) {
        dev_pool *p = dev_object(c, m->pool, DEV_POOL);
        if (p) p->used -= m->bytes;
    }
    dev_mem_remove(c, base);
    c->log.freed = true;
    return HW(dev_hw(c, device), release, base);
}
