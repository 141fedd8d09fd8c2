/* Address ranges that a client may name, sorted by base; they never overlap. Also the device memory
 * behind some of them. */
#include "runner/device/server/core/client.h"
#include "runner/device/server/core/budget.h"
#include "runner/device/server/core/answer.h"
#include "runner/device/server/core/lineage.h"
#include "runner/base/buffer.h"
#include "runner/device/server/core/residency.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Returns what it takes of a device's memory. */
static uint64_t range_weight(const dev_mem *m) {
    return m->kind <= DEV_MEM_ARRAY || (m->kind == DEV_MEM_GRANTED && !m->on_host) ? m->bytes : 0;
}

dev_mem *dev_mem_add(dev_client *c, const dev_mem *m) {
    if (!lib_grow(&c->memory.ranges, &c->memory.room, c->memory.count, sizeof *c->memory.ranges,
                  64))
        return NULL;
    size_t i = dev_mem_above(c, m->base);
    memmove(c->memory.ranges + i + 1, c->memory.ranges + i,
            (c->memory.count - i) * sizeof *c->memory.ranges);
    c->memory.ranges[i] = *m;
    c->memory.ranges[i].fresh = c->log.in_call;
    c->memory.count++;
    c->memory.device[m->device].bytes += range_weight(m);
    c->memory.managed_count += m->pages != NULL;
    return &c->memory.ranges[i];
}

void dev_mem_remove(dev_client *c, uint64_t base) {
    size_t i = dev_mem_above(c, base);
    if (!i || c->memory.ranges[i - 1].base != base) return;
    dev_lineage_frees(c, &c->memory.ranges[i - 1]);
    c->memory.device[c->memory.ranges[i - 1].device].bytes -=
        range_weight(&c->memory.ranges[i - 1]);
    dev_pages_drop(c, &c->memory.ranges[i - 1]);
    dev_side_free(c, &c->memory.ranges[i - 1]);
    memmove(c->memory.ranges + i - 1, c->memory.ranges + i,
            (c->memory.count - i) * sizeof *c->memory.ranges);
    c->memory.count--;
}

void dev_mem_free(dev_client *c) {
    for (size_t i = 0; i < c->memory.count; i++) {
        dev_mem *m = &c->memory.ranges[i];
        dev_side_free(c, m);
        if (m->host) {
            for (unsigned d = 0; m->mapped && d < c->s->count; d++)
                HW(dev_hw(c, d), unmap, m->base);
            if (m->fd) close(m->fd);
            dev_pages_drop(c, m);
            munmap(m->host, m->map_bytes);
        } else if (m->kind == DEV_MEM_VARIABLE) {
            dev_pages_drop(c, m);
        } else if (m->kind <= DEV_MEM_ARRAY) {
            HW(dev_hw(c, m->device), release, m->base);
        }
    }
    free(c->memory.ranges);
}

/* ---- device memory */

/* A lesson's device may have less memory than its profile; managed memory is evicted. */
static bool range_fits(dev_client *c, unsigned device, uint64_t n) {
    uint64_t limit = c->s->opt.device_memory, used = c->memory.device[device].bytes;
    dev_moved moved = {0};
    if (limit && (used > limit || n > limit - used)) return false;
    if (c->memory.device[device].managed_bytes) dev_pages_make_room(c, device, n, &moved);
    return true;
}

cudaError_t dev_mem_allocate(dev_client *c, unsigned device, uint64_t n, dev_mem_kind kind,
                             uint64_t pool, uint64_t *out) {
    sim_addr a;
    if (!n || n > (uint64_t)1 << 46) return n ? cudaErrorMemoryAllocation : cudaErrorInvalidValue;
    uint64_t held = dev_hold_device(c, device, n);
    if (!range_fits(c, device, n)) return cudaErrorMemoryAllocation;
    if (!dev_hold(c, held)) return cudaErrorMemoryAllocation;
    sim_status s = HW(dev_hw(c, device), alloc, n, &a);
    if (s) {
        dev_let_go(c, held);
        return dev_error(s);
    }
    dev_mem m = {.base = a, .bytes = n, .kind = kind, .device = device, .pool = pool};
    if (!dev_mem_add(c, &m)) {
        HW(dev_hw(c, device), release, a);
        dev_let_go(c, held);
        return cudaErrorMemoryAllocation;
    }
    *out = a;
    return cudaSuccess;
}

sim_status dev_mem_release(dev_client *c, dev_mem *m) {
    uint64_t base = m->base;
    unsigned device = m->device;
    dev_let_go(c, dev_hold_device(c, device, m->bytes));
    if (m->kind == DEV_MEM_POOL) {
        dev_pool *p = dev_object(c, m->pool, DEV_POOL);
        if (p) p->used -= m->bytes;
    }
    c->log.freed |= (m->kind != DEV_MEM_DEVICE && m->kind != DEV_MEM_POOL) || !dev_side_bury(c, m);
    dev_mem_remove(c, base);
    return HW(dev_hw(c, device), release, base);
}
