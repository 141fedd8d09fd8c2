/* sim.h's calls on device memory and caches, for the objects of a device. */
#include "runner/device/sim/memory/memory.h"
#include "runner/device/sim/access/access.h"
#include "runner/device/sim/machine/device.h"

sim_status sim_malloc(sim_device *d, uint64_t n, sim_addr *out) {
    return sim_memory_alloc(sim_device_memory(d), n, SIM_ALLOC_USER, NULL, out);
}

sim_status sim_free(sim_device *d, sim_addr a) {
    if (!a) return SIM_OK;
    const sim_alloc *x = sim_memory_find(sim_device_memory(d), a);
    if (!x || x->kind != SIM_ALLOC_USER) return SIM_BAD_ADDRESS;
    return sim_memory_release(sim_device_memory(d), a);
}

sim_status sim_map(sim_device *d, void *host, uint64_t n, sim_addr at, bool remote) {
    return sim_memory_map(sim_device_memory(d), host, n, at, remote);
}

sim_status sim_unmap(sim_device *d, sim_addr at) {
    return sim_memory_unmap(sim_device_memory(d), at);
}

void sim_device_peer(sim_device *d, const sim_device *peer) {
    sim_memory_peer(sim_device_memory(d), sim_device_memory(peer));
}

sim_status sim_write(sim_device *d, sim_addr to, const void *from, uint64_t n) {
    return sim_memory_write(sim_device_memory(d), to, from, n);
}

sim_status sim_read(sim_device *d, void *to, sim_addr from, uint64_t n) {
    return sim_memory_read(sim_device_memory(d), to, from, n);
}

sim_status sim_copy(sim_device *d, sim_addr to, sim_addr from, uint64_t n) {
    return sim_memory_copy(sim_device_memory(d), to, from, n);
}

sim_status sim_fill(sim_device *d, sim_addr to, uint32_t value, unsigned width, uint64_t n) {
    return sim_memory_fill(sim_device_memory(d), to, value, width, n);
}

sim_status sim_poison(sim_device *d, sim_addr to, uint64_t n) {
    return sim_memory_poison(sim_device_memory(d), to, n);
}

bool sim_find(const sim_device *d, sim_addr a, sim_addr *base, uint64_t *size) {
    const sim_alloc *x = sim_memory_find(sim_device_memory(d), a);
    if (!x || x->freed) return false;
    if (base) *base = x->base;
    if (size) *size = x->size;
    return true;
}

void sim_memory_info(const sim_device *d, uint64_t *free_bytes, uint64_t *total_bytes) {
    sim_memory_usage(sim_device_memory(d), free_bytes, total_bytes);
}

void sim_each_allocation(const sim_device *d, void (*fn)(void *user, sim_addr base, uint64_t size),
                         void *user) {
    sim_memory_each(sim_device_memory(d), fn, user);
}

void sim_name_allocation(sim_device *d, sim_addr base, const char *name) {
    sim_memory_name(sim_device_memory(d), base, name);
}

void sim_flush_caches(sim_device *d, uint64_t changed) {
    sim_caches_flush(sim_device_caches(d));
    d->changed = changed < d->profile->l2_bytes ? changed : d->profile->l2_bytes;
}
