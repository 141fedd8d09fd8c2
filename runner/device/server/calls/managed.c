/* A module's __managed__ variables: one block of host memory that the devices see, at the same
 * address on both sides. The first device that loads the module makes it. */
#include "runner/device/server/core/client.h"
#include "runner/device/server/calls/module.h"
#include "runner/device/server/core/budget.h"
#include "runner/device/server/core/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Distance like that of allocations, so that an overrun does not reach the next variable. */
enum { VARIABLE_UNIT = 256 };

void dev_managed_drop(dev_client *c, dev_module *m) {
    for (size_t i = m->managed.count; i--;) /* the last first: tables are sorted */
        for (unsigned d = 0; d < c->s->count; d++) HW(dev_hw(c, d), unmap, m->managed.v[i].at);
    if (m->managed.host) {
        munmap(m->managed.host, m->managed.map_bytes);
        dev_let_go(c, m->managed.map_bytes);
        if (!m->managed.given) close(m->managed.fd);
    }
    free(m->managed.v);
    memset(&m->managed, 0, sizeof m->managed);
}

/* Makes the block of a module's variables, and places each in it. */
static sim_status managed_make(dev_client *c, dev_module *m, const sim_managed *v, size_t n) {
    uint64_t bytes = 0;
    if (!(m->managed.v = calloc(n, sizeof *v))) return SIM_NOMEM;
    for (size_t i = 0; i < n; i++) {
        m->managed.v[i] = (sim_managed){dev_intern(c, v[i].name), v[i].bytes, bytes};
        if (!v[i].bytes || v[i].bytes > DEV_HOST_BYTES - bytes) return SIM_NOMEM;
        bytes += (v[i].bytes / VARIABLE_UNIT + 2) * VARIABLE_UNIT; /* with a gap */
        if (bytes > DEV_HOST_BYTES) return SIM_NOMEM;
    }
    bytes = dev_page_up(bytes);
    if (!(m->managed.base = dev_managed_address(c, bytes)) || !dev_hold(c, bytes)) return SIM_NOMEM;
    int fd = dev_shared("warplab-managed", bytes, &m->managed.host);
    if (fd < 0) {
        dev_let_go(c, bytes);
        m->managed.host = NULL;
        return SIM_NOMEM;
    }
    m->managed.fd = fd, m->managed.map_bytes = bytes, m->managed.count = n;
    return SIM_OK;
}

/* Makes them visible to the devices, and gives the client a range that it may name. */
static sim_status managed_show(dev_client *c, dev_module *m, unsigned device) {
    const dev_backend *backend = dev_hw(c, device)->backend;
    for (size_t i = 0; i < m->managed.count; i++) m->managed.v[i].at += m->managed.base;
    for (size_t i = 0; i < m->managed.count; i++) {
        const sim_managed *v = &m->managed.v[i];
        uint8_t *host = (uint8_t *)m->managed.host + (v->at - m->managed.base);
        for (unsigned d = 0; d < c->s->count; d++) {
            if (dev_hw(c, d)->backend != backend) continue; /* a GPU does not load such a module */
            sim_status s = HW(dev_hw(c, d), map, host, v->bytes, v->at, false, -1, 0, 0);
            if (s) return s;
        }
        const dev_mem mem = {.base = v->at,
                             .bytes = v->bytes,
                             .kind = DEV_MEM_VARIABLE,
                             .device = device,
                             .on_host = true,
                             .given = true,
                             .pages = dev_pages_new(v->bytes)};
        if (!mem.pages || !dev_mem_add(c, &mem)) {
            dev_pages_free(mem.pages);
            return SIM_NOMEM;
        }
    }
    return SIM_OK;
}

/* sim_place_managed. The first device that loads the module makes the memory, the others use it. */
sim_status dev_managed_place(void *user, sim_managed *v, size_t n, bool *fresh) {
    const dev_placing *p = user;
    dev_module *m = p->m;
    *fresh = !m->managed.count;
    if (*fresh) {
        sim_status s = managed_make(p->c, m, v, n);
        if (!s) s = managed_show(p->c, m, p->device);
        if (s) {
            for (size_t i = m->managed.count; i--;) dev_mem_remove(p->c, m->managed.v[i].at);
            dev_managed_drop(p->c, m);
            return s;
        }
    }
    /* Another device may have loaded other PTX of the same fat binary. */
    bool same = n == m->managed.count;
    for (size_t i = 0; i < n && same; i++)
        same = !strcmp(v[i].name, m->managed.v[i].name) && v[i].bytes == m->managed.v[i].bytes;
    for (size_t i = 0; i < n && same; i++) v[i].at = m->managed.v[i].at;
    return same ? SIM_OK : SIM_UNSUPPORTED;
}
