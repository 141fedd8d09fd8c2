/* Uses of managed memory by the program's own code. No device sees this code run, so the program's
 * CUDA library reports the pages that it has used since the last report (HostTouched, before every
 * call that follows one for which the program waited). In a lab's call, the program does not even
 * have the memory before it asks for it (HostWant). While kernels use the memory and the host has
 * not waited for them, the library asks for each page; so it does for page-locked memory that a
 * copy still fills or a kernel still uses (HostHeld). */
#include "runner/device/server/core/client.h"
#include "runner/device/server/core/answer.h"
#include "runner/device/server/core/concurrent.h"
#include "runner/device/server/core/lineage.h"
#include "runner/device/server/core/log.h"
#include "runner/device/server/core/residency.h"
#include "runner/device/server/core/stream.h"

#include <fcntl.h>
#include <unistd.h>

cudaError_t dev_on_HostWant(dev_call *k, const struct wire_in_HostWant *in,
                            struct wire_out_HostWant *out) {
    dev_client *c = k->c;
    dev_mem *m = dev_mem_find(c, in->address);
    if (m && m->on_host && !m->pages) {
        wire_range open;
        dev_held_wanted(c, m, in->address, in->write != 0, &open);
        if (dev_concurrent_locks(c, m)) open.to = open.from; /* page by page */
        dev_concurrent_touched(c, in->address, in->write != 0);
        out->base = open.from, out->bytes = open.to - open.from;
        return cudaSuccess;
    }
    if (!m || m->kind != DEV_MEM_MANAGED || !m->mapped || (!m->given && !m->fd))
        return cudaErrorInvalidValue;
    dev_concurrent_touched(c, in->address, in->write != 0);
    if (m->given) return cudaSuccess;
    k->fd = m->fd;
    m->fd = 0;
    dev_side_given(c, m);
    out->base = m->base, out->bytes = m->bytes;
    /* From now on the program may read whatever kernels have left there. */
    if (!m->ever_stored) return cudaSuccess;
    dev_flow_saw(c, DEV_OP_PAGES_OUT, m->bytes, "");
    dev_words_left(c, m->base, m->bytes, false);
    return cudaSuccess;
}

cudaError_t dev_on_HostHeld(dev_call *k, const struct wire_in_HostHeld *in,
                            struct wire_out_HostHeld *out) {
    wire_range pages[WIRE_HELD];
    (void)in, (void)out;
    size_t n = dev_concurrent_pages(k->c, dev_held_pages(k->c, pages), pages);
    return dev_answer(k, pages, n * sizeof *pages);
}

/* The 64 KB at `at`. Small variables share a group. */
static void touched_group(dev_client *c, uint64_t at, dev_moved *all) {
    for (dev_mem *m = dev_mem_from(c, at); m && m < c->memory.ranges + c->memory.count; m++) {
        if (m->base >= at + DEV_PAGE_GROUP) return;
        if (!m->pages || m->base + m->bytes <= at) continue;
        uint64_t first = at < m->base ? 0 : (at - m->base) / DEV_PAGE_GROUP,
                 end = at + DEV_PAGE_GROUP - 1 - m->base;
        if (end >= m->bytes) end = m->bytes - 1;
        uint64_t before = all->in + all->out;
        dev_pages_host(c, m, first, end / DEV_PAGE_GROUP, all);
        dev_lineage_moved(c, m->base, all->in + all->out - before);
    }
}

cudaError_t dev_on_HostTouched(dev_call *k, const struct wire_in_HostTouched *in,
                               struct wire_out_HostTouched *out) {
    dev_client *c = k->c;
    dev_moved all = {0};
    (void)out;
    uint64_t groups = (uint64_t)k->span_bytes[0] * 8;
    if (groups > DEV_HOST_BYTES / DEV_PAGE_GROUP) groups = DEV_HOST_BYTES / DEV_PAGE_GROUP;
    if (in->address < DEV_HOST_LOW || in->address >= DEV_HOST_HIGH) return cudaErrorInvalidValue;
    for (uint64_t i = 0; i < groups && !dev_stopped(c); i++)
        if (k->span[0][i / 8] >> i % 8 & 1)
            touched_group(c, in->address + i * DEV_PAGE_GROUP, &all);
    if (!all.host_faults && !all.in && !all.out) return cudaSuccess;
    double *clock = dev_clock(c, k->thread), start = *clock;
    *clock += dev_moved_us(dev_hw(c, k->device)->profile, &all);
    if (*clock > c->times.latest) c->times.latest = *clock;
    dev_record *r = dev_log(c, DEV_OP_PAGES_OUT, k->device, NULL, start, *clock, all.out, SIM_OK);
    if (r) r->page_faults = all.host_faults, r->migrated_bytes = all.in + all.out;
    return cudaSuccess;
}
