/* Look-ups among the ranges that a client may name. */
#include "runner/device/server/core/client.h"
#include "runner/device/server/core/memory.h"

size_t dev_mem_above(const dev_client *c, uint64_t a) {
    size_t lo = 0, hi = c->memory.count;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (c->memory.ranges[mid].base <= a) lo = mid + 1;
        else hi = mid;
    }
    return lo;
}

dev_mem *dev_mem_find(dev_client *c, uint64_t a) {
    size_t i = dev_mem_above(c, a);
    if (!i) return NULL;
    dev_mem *m = &c->memory.ranges[i - 1];
    return a - m->base < m->bytes ? m : NULL;
}

dev_mem *dev_mem_from(dev_client *c, uint64_t a) {
    size_t i = dev_mem_above(c, a);
    return c->memory.count ? &c->memory.ranges[i ? i - 1 : 0] : NULL;
}

dev_mem *dev_mem_range(dev_client *c, uint64_t a, uint64_t n) {
    dev_mem *m = dev_mem_find(c, a);
    return m && n <= m->bytes - (a - m->base) ? m : NULL;
}
