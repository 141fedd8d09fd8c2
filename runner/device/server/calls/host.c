/* Host memory that both sides map: page-locked, registered, managed. No other client of the session
 * uses the address of a block. */
#include "runner/device/server/core/client.h"
#include "runner/device/server/calls/host.h"
#include "runner/device/server/core/budget.h"
#include "runner/device/server/core/answer.h"
#include "runner/device/server/core/residency.h"
#include "runner/device/server/graph/graph.h"
#include "runner/device/server/core/stream.h"
#include "words/server.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const uint64_t page = 4096;

uint64_t dev_page_up(uint64_t n) {
    return (n + page - 1) & ~(page - 1);
}

uint64_t dev_host_address(dev_client *c, uint64_t bytes) {
    /* A gap of one page, so that an overrun faults. Addresses are never used again, so that an old
     * pointer stays invalid. */
    uint64_t need = dev_page_up(bytes) + page, at = c->s->host_next;
    if (need < bytes || need > DEV_HOST_HIGH - at) return 0;
    c->s->host_next += need;
    return at;
}

uint64_t dev_managed_address(dev_client *c, uint64_t bytes) {
    uint64_t skip = -c->s->host_next & (DEV_PAGE_GROUP - 1);
    if (skip > DEV_HOST_HIGH - c->s->host_next) return 0;
    c->s->host_next += skip;
    return dev_host_address(c, bytes);
}

static void host_unmap(dev_client *c, uint64_t base) {
    for (unsigned d = 0; d < c->s->count; d++) HW(dev_hw(c, d), unmap, base);
}

static cudaError_t host_map(dev_client *c, const dev_mem *m) {
    for (unsigned d = 0; d < c->s->count; d++) {
        sim_status s = HW(dev_hw(c, d), map, (uint8_t *)m->host + m->map_skip, m->bytes, m->base,
                          m->kind != DEV_MEM_MANAGED, m->fd, m->map_bytes, m->map_skip);
        if (s) {
            while (d--) HW(dev_hw(c, d), unmap, m->base);
            if (s == SIM_UNSUPPORTED) dev_unsupported(c, w_server_gpu_no_page_locked());
            return s == SIM_UNSUPPORTED ? cudaErrorNotSupported : cudaErrorMemoryAllocation;
        }
    }
    return cudaSuccess;
}

void dev_host_drop(dev_client *c, dev_mem *m) {
    if (m->mapped) host_unmap(c, m->base);
    if (m->fd) close(m->fd);
    munmap(m->host, m->map_bytes);
    dev_let_go(c, m->map_bytes);
    c->log.once = true;
    c->log.unproven |= !dev_side_bury(c, m);
    dev_mem_remove(c, m->base);
}

/* Makes a block of `map` bytes. The client must map the descriptor in k->fd and send HostReady. New
 * memory has no zeros to rely on: of cudaMallocManaged() the runtime's reference says "The memory
 * is not cleared", of cudaMallocHost() it says nothing. The host's writes cannot be followed byte
 * by byte as a kernel's can, so the contents themselves tell: DEV_HOST_POISON. */
static cudaError_t host_make(dev_call *k, dev_mem *m, uint64_t map) {
    dev_client *c = k->c;
    if (map < m->bytes || map > DEV_HOST_BYTES || !dev_hold(c, map))
        return cudaErrorMemoryAllocation;
    int fd = dev_shared("warplab-host", map, &m->host);
    if (fd < 0) {
        dev_let_go(c, map);
        return cudaErrorMemoryAllocation;
    }
    if (m->kind != DEV_MEM_REGISTERED) memset(m->host, DEV_HOST_POISON, map);
    m->map_bytes = map;
    m->on_host = true;
    m->fd = fcntl(fd, F_DUPFD_CLOEXEC, 1); /* for the devices, until they have mapped it */
    if (m->fd < 0) m->fd = 0;
    if (!dev_mem_add(c, m)) {
        munmap(m->host, map);
        close(fd);
        if (m->fd) close(m->fd);
        dev_let_go(c, map);
        return cudaErrorMemoryAllocation;
    }
    k->fd = fd;
    return cudaSuccess;
}

/* The client gets no descriptor yet: the memory belongs to the devices at first. */
static cudaError_t host_keep(dev_call *k, uint64_t base) {
    dev_mem *m = dev_mem_find(k->c, base);
    cudaError_t e = m ? host_map(k->c, m) : cudaErrorMemoryAllocation;
    if (e) {
        if (m) dev_host_drop(k->c, m);
        return e;
    }
    m->mapped = true;
    if (m->fd) close(m->fd);
    m->fd = k->fd; /* until it is needed */
    k->fd = -1;
    return cudaSuccess;
}

cudaError_t dev_on_HostAlloc(dev_call *k, const struct wire_in_HostAlloc *in,
                             struct wire_out_HostAlloc *out) {
    cudaError_t e = dev_capture_forbids(k, NULL, true);
    if (e) return e;
    if (!in->size || in->size > DEV_HOST_BYTES)
        return in->size ? cudaErrorMemoryAllocation : cudaErrorInvalidValue;
    dev_mem m = {.base = in->managed ? dev_managed_address(k->c, in->size)
                                     : dev_host_address(k->c, in->size),
                 .bytes = in->size,
                 .kind = in->managed ? DEV_MEM_MANAGED : DEV_MEM_HOST,
                 .device = k->device,
                 .flags = (unsigned)in->flags,
                 .given = true};
    if (!m.base) return cudaErrorMemoryAllocation;
    if (in->managed && !(m.pages = dev_pages_new(in->size))) return cudaErrorMemoryAllocation;
    /* In a lab's call, the program's own code gets it at its first use (HostWant): the host cannot
     * have seen memory that only kernels use. */
    if (in->managed && k->c->log.in_call) m.given = false;
    e = host_make(k, &m, dev_page_up(in->size));
    if (e) dev_pages_free(m.pages);
    else if (!m.given) e = host_keep(k, m.base);
    out->address = m.base, out->bytes = in->size;
    dev_spend(k, DEV_COST_MALLOC);
    dev_log_memory(k, DEV_OP_MALLOC, in->managed ? "cudaMallocManaged" : "cudaMallocHost", m.base,
                   in->size, e);
    return e;
}

cudaError_t dev_on_HostRegister(dev_call *k, const struct wire_in_HostRegister *in,
                                struct wire_out_HostRegister *out) {
    (void)out;
    uint64_t skip = in->address - in->pages, end;
    if (in->pages % page || in->size % page || skip >= page || !in->bytes ||
        __builtin_add_overflow(skip, in->bytes, &end) || end > in->size)
        return cudaErrorInvalidValue;
    if (in->address + in->bytes < in->address ||
        (in->address + in->bytes > DEV_ADDRESS_LOW && in->address < DEV_ADDRESS_HIGH) ||
        (in->address + in->bytes > DEV_HOST_LOW && in->address < DEV_HOST_HIGH))
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < k->c->memory.count; i++) {
        const dev_mem *m = &k->c->memory.ranges[i];
        if (in->address < m->base + m->bytes && m->base < in->address + in->bytes)
            return cudaErrorHostMemoryAlreadyRegistered;
    }
    dev_mem m = {.base = in->address,
                 .bytes = in->bytes,
                 .kind = DEV_MEM_REGISTERED,
                 .device = k->device,
                 .flags = (unsigned)in->flags,
                 .map_skip = skip};
    dev_spend(k, DEV_COST_MALLOC);
    cudaError_t e = host_make(k, &m, in->size);
    dev_log_memory(k, DEV_OP_MALLOC, "cudaHostRegister", in->address, in->bytes, e);
    return e;
}

cudaError_t dev_on_HostReady(dev_call *k, const struct wire_in_HostReady *in,
                             struct wire_out_HostReady *out) {
    dev_mem *m = dev_mem_find(k->c, in->address);
    (void)out;
    if (!m || m->base != in->address) return cudaErrorInvalidValue;
    if (!m->host || m->mapped) return cudaSuccess; /* a lab's own buffer, or kept back */
    cudaError_t e = in->mapped ? host_map(k->c, m) : cudaErrorMemoryAllocation;
    if (e) {
        dev_host_drop(k->c, m);
        return e;
    }
    m->mapped = true;
    if (m->fd) close(m->fd);
    m->fd = 0;
    return e;
}

cudaError_t dev_on_HostFree(dev_call *k, const struct wire_in_HostFree *in,
                            struct wire_out_HostFree *out) {
    dev_mem *m = dev_mem_find(k->c, in->address);
    (void)out;
    if (!m || m->base != in->address || (m->kind != DEV_MEM_HOST && m->kind != DEV_MEM_MANAGED))
        return cudaErrorInvalidValue;
    if (dev_wait(k, NULL)) return cudaSuccess;
    const char *call = m->kind == DEV_MEM_MANAGED ? "cudaFree" : "cudaFreeHost";
    uint64_t bytes = m->bytes;
    dev_host_drop(k->c, m);
    dev_spend(k, DEV_COST_FREE);
    dev_log_memory(k, DEV_OP_FREE, call, in->address, bytes, cudaSuccess);
    return k->c->context[k->device].sticky;
}

cudaError_t dev_on_HostUnregister(dev_call *k, const struct wire_in_HostUnregister *in,
                                  struct wire_out_HostUnregister *out) {
    dev_mem *m = dev_mem_find(k->c, in->address);
    (void)out;
    if (!m || m->base != in->address || m->kind != DEV_MEM_REGISTERED)
        return cudaErrorHostMemoryNotRegistered;
    if (dev_wait(k, NULL)) return cudaSuccess;
    uint64_t bytes = m->bytes;
    dev_host_drop(k->c, m);
    if (in->ended) return cudaSuccess;
    dev_spend(k, DEV_COST_FREE);
    dev_log_memory(k, DEV_OP_FREE, "cudaHostUnregister", in->address, bytes, cudaSuccess);
    return k->c->context[k->device].sticky;
}
