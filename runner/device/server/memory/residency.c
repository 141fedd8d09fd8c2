/* Managed memory: where each page is, and how long it takes until a processor that needs it has it.
 *
 *   a kernel's lines (sim_launch.touch) --> pages_fault --> pages_bring --> pages_evict
 *   cudaMemPrefetchAsync                -------------------> pages_bring
 *   the program's own touches (HostTouched) --> pages_fault, towards the host
 *   cudaMemAdvise                       --> changes what a fault does
 *
 * The bytes themselves exist once, in memory that both sides map. This file tracks where a GPU's
 * driver would have them, in groups of 64 KB within blocks of 2 MB. docs/model-tables.md, "Managed
 * memory", has the rules and their sources. */
#include "runner/device/server/core/client.h"
#include "runner/device/server/core/residency.h"
#include "runner/base/buffer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runner/device/sim/profile.h"

enum { HOST_BIT = 1 }; /* device d: 2 << d */
typedef struct {
    uint32_t at;     /* processors that hold a copy; 0: not touched yet */
    uint32_t by;     /* cudaMemAdviseSetAccessedBy */
    uint32_t mapped; /* processors that reach it at its place without a fault */
    int16_t preferred, preferred_type, last, last_type;
    bool read_mostly;
    /* read mostly: checksum of its bytes when a device and the host last both had them */
    uint64_t sum;
} page_group;
struct dev_pages {
    uint64_t groups;
    page_group *group;
    uint64_t *came; /* for each block and device: when pages last came to it */
};

static uint32_t bit_of(int place) {
    return place < 0 ? HOST_BIT : 2u << place;
}

dev_pages *dev_pages_new(uint64_t bytes) {
    dev_pages *p = calloc(1, sizeof *p);
    uint64_t n = (bytes + DEV_PAGE_GROUP - 1) / DEV_PAGE_GROUP, blocks = n / DEV_PAGE_BLOCK + 1;
    if (!p) return NULL;
    p->groups = n;
    p->group = calloc(n + 1, sizeof *p->group);
    p->came = calloc(blocks * DEV_MAX, sizeof *p->came);
    if (!p->group || !p->came) {
        dev_pages_free(p);
        return NULL;
    }
    for (uint64_t i = 0; i < n; i++) p->group[i].preferred = p->group[i].last = DEV_NOWHERE;
    return p;
}

void dev_pages_free(dev_pages *p) {
    if (!p) return;
    free(p->group), free(p->came);
    free(p);
}

static uint64_t group_bytes(const dev_mem *m, uint64_t g) {
    uint64_t at = g * DEV_PAGE_GROUP;
    return m->bytes - at < DEV_PAGE_GROUP ? m->bytes - at : DEV_PAGE_GROUP;
}

/* ---- room */

/* Returns the bytes of the device that managed memory may use. */
static uint64_t pages_capacity(const dev_client *c, unsigned device) {
    uint64_t limit = c->s->opt.device_memory, used = c->memory.device[device].bytes;
    if (!limit) limit = c->s->device[device].profile->memory_bytes;
    return limit > used ? limit - used : 0;
}

/* Evicts a whole block from the device. A group that the host also has is dropped; the others move
 * to the host. */
static void pages_evict(dev_client *c, const dev_mem *m, uint64_t block, unsigned device,
                        dev_moved *to) {
    uint32_t own = bit_of((int)device);
    for (uint64_t g = block * DEV_PAGE_BLOCK;
         g < (block + 1) * DEV_PAGE_BLOCK && g < m->pages->groups; g++) {
        page_group *p = &m->pages->group[g];
        if (!(p->at & own)) continue;
        p->at &= ~own, p->mapped &= ~own;
        c->memory.device[device].managed_bytes -= group_bytes(m, g);
        if (p->at) continue;
        p->at = HOST_BIT;
        to->out += group_bytes(m, g);
    }
    m->pages->came[block * DEV_MAX + device] = 0;
}

/* Returns whether the entry still says when pages last came to its block. */
static dev_mem *came_last(dev_client *c, const dev_came *e, unsigned device) {
    dev_mem *m = dev_mem_find(c, e->base);
    if (!m || m->base != e->base || !m->pages) return NULL;
    return e->block * DEV_PAGE_BLOCK < m->pages->groups &&
                   m->pages->came[e->block * DEV_MAX + device] == e->stamp
               ? m
               : NULL;
}

/* Notes that pages come to the block. Outdated entries are dropped before the list grows. */
static bool came_note(dev_client *c, const dev_mem *m, uint64_t block, unsigned device) {
    dev_came_list *l = &c->memory.device[device].came;
    if (l->count == l->room) {
        size_t kept = 0;
        for (size_t i = l->first; i < l->count; i++)
            if (came_last(c, &l->at[i], device)) l->at[kept++] = l->at[i];
        l->first = 0, l->count = kept;
        bool more = !l->room || kept > l->room / 2;
        if (more && !lib_grow(&l->at, &l->room, l->room, sizeof *l->at, 64)) return false;
    }
    uint64_t stamp = ++c->memory.managed_clock;
    m->pages->came[block * DEV_MAX + device] = stamp;
    l->at[l->count++] = (dev_came){m->base, block, stamp};
    return true;
}

/* Makes room for n bytes by evicting the blocks to which pages came longest ago, except for `keep`
 * of `mine`. Returns false if there is no room. */
static bool pages_room(dev_client *c, unsigned device, uint64_t n, const dev_mem *mine,
                       uint64_t keep, dev_moved *to) {
    uint64_t room = pages_capacity(c, device);
    dev_came_list *l = &c->memory.device[device].came;
    for (size_t i = l->first; c->memory.device[device].managed_bytes + n > room; i++) {
        if (i >= l->count) return false;
        dev_mem *m = came_last(c, &l->at[i], device);
        bool kept = m && m == mine && l->at[i].block == keep;
        if (m && !kept) pages_evict(c, m, l->at[i].block, device, to);
        if (!kept && i == l->first) l->first++;
    }
    return true;
}

void dev_pages_make_room(dev_client *c, unsigned device, uint64_t n, dev_moved *to) {
    pages_room(c, device, n, NULL, 0, to);
}

/* ---- one group */

/* FNV-1a over words: shows whether the host changed what it may only read. */
static uint64_t group_sum(dev_client *c, const dev_mem *m, uint64_t g) {
    uint64_t word[512], h = 0xcbf29ce484222325u, n = group_bytes(m, g);
    for (uint64_t at = 0; at < n; at += sizeof word) {
        uint64_t k = n - at < sizeof word ? n - at : sizeof word;
        memset(word, 0, sizeof word);
        if (HW(dev_hw(c, m->device), read, word, m->base + g * DEV_PAGE_GROUP + at, k)) break;
        for (size_t i = 0; i < (k + 7) / 8; i++) h = (h ^ word[i]) * 0x100000001b3u;
    }
    return h;
}

/* Moves the group to `place`. Returns false if there is no room. */
static bool pages_bring(dev_client *c, dev_mem *m, uint64_t g, int place, bool write,
                        dev_moved *to) {
    page_group *p = &m->pages->group[g];
    uint32_t own = bit_of(place), was = p->at;
    uint64_t n = group_bytes(m, g);
    bool copy = p->read_mostly && !write;
    if (!(was & own)) {
        if (place >= 0) {
            unsigned d = (unsigned)place;
            if (!pages_room(c, d, n, m, g / DEV_PAGE_BLOCK, to)) return false;
            if (!came_note(c, m, g / DEV_PAGE_BLOCK, d)) return false;
            c->memory.device[d].managed_bytes += n;
        }
        if (was) *(place < 0 ? &to->out : &to->in) += n;
    }
    p->at = was | own;
    if (copy && p->at & HOST_BIT && p->at != HOST_BIT) p->sum = group_sum(c, m, g);
    if (copy) return true;
    for (unsigned d = 0; d < c->s->count; d++)
        if (p->at & ~own & bit_of((int)d)) c->memory.device[d].managed_bytes -= n;
    p->at = own;
    p->mapped = 0;
    return true;
}

/* The groups that a fault on g brings along. Among the halves, quarters ... of the block that
 * contain g, it is the largest of which more than 51% are present or in flight. */
static void fault_region(const dev_pages *p, uint64_t g, uint32_t own, uint64_t *from,
                         uint64_t *to) {
    enum { PERCENT = 51 };
    *from = g, *to = g + 1;
    for (uint64_t span = 2; span <= DEV_PAGE_BLOCK; span *= 2) {
        uint64_t first = g / span * span, end = first + span, here = 0;
        if (end > p->groups) end = p->groups;
        for (uint64_t i = first; i < end; i++) here += i == g || p->group[i].at & own;
        if (here * 100 > (end - first) * PERCENT) *from = first, *to = end;
    }
}

/* Returns whether `place` reaches the group at its present place, without moving it. */
static bool stays_where_it_is(const page_group *p, int place) {
    /* the host cannot reach pages of a device */
    if (place < 0 || p->read_mostly || !p->at) return false;
    bool preferred =
        p->preferred != DEV_NOWHERE && p->preferred != place && p->at & bit_of(p->preferred);
    return p->by & bit_of(place) || preferred;
}

/* `place` touched the group and does not hold it. */
static void pages_fault(dev_client *c, dev_mem *m, uint64_t g, int place, bool write,
                        dev_moved *to) {
    dev_pages *s = m->pages;
    uint64_t from, end;
    uint32_t own = bit_of(place);
    bool fresh = !s->group[g].at;
    if (place >= 0) to->faults++;
    else to->host_faults += !fresh; /* the very first touch is a page fault like any process's */
    /* it begins at the place that needs it */
    if (fresh && s->group[g].preferred != DEV_NOWHERE && s->group[g].preferred != place &&
        place >= 0) {
        s->group[g].at = bit_of(s->group[g].preferred);
        if (s->group[g].preferred >= 0)
            c->memory.device[s->group[g].preferred].managed_bytes += group_bytes(m, g);
        s->group[g].mapped |= own;
        return;
    }
    fault_region(s, g, own, &from, &end);
    if (fresh && place < 0) from = g, end = g + 1; /* the host's own pages are made one by one */
    for (uint64_t i = from; i < end; i++) {
        bool wanted = i == g;
        if (!wanted && (s->group[i].at & own || stays_where_it_is(&s->group[i], place))) continue;
        if (!wanted && place < 0 && !s->group[i].at) continue;
        if (!pages_bring(c, m, i, place, write && wanted, to) && wanted) {
            if (!s->group[g].at) s->group[g].at = HOST_BIT;
            s->group[g].mapped |= own; /* no room: it is used at its present place */
        }
    }
}

/* ---- accesses of kernels */

void dev_pages_begin(dev_client *c, unsigned device, dev_touching *t) {
    *t = (dev_touching){.c = c, .device = device};
}

bool dev_pages_any(const dev_client *c) {
    return c->memory.managed_count;
}

void dev_pages_touch(void *user, sim_addr line, unsigned sectors, bool write) {
    dev_touching *t = user;
    enum { SECTOR = 32 };
    dev_mem *m = t->mem;
    int place = (int)t->device;
    if (!m || line - m->base >= m->bytes) m = t->mem = dev_mem_find(t->c, line);
    if (!m) m = t->mem = dev_mem_find(t->c, line + 127); /* it begins within the line */
    if (!m || !m->pages) return;
    uint64_t g = line < m->base ? 0 : (line - m->base) / DEV_PAGE_GROUP;
    page_group *p = &m->pages->group[g];
    uint32_t own = bit_of(place);
    if (p->at & own) {
        if (!write || p->at == own) return;
        t->moved.faults++; /* a protection fault: the other copies are dropped */
        pages_bring(t->c, m, g, place, true, &t->moved);
        return;
    }
    if (!stays_where_it_is(p, place) && !(p->at && p->mapped & own)) {
        pages_fault(t->c, m, g, place, write, &t->moved);
        if (p->at & own) return;
    } else if (!(p->mapped & own)) {
        t->moved.faults += !(p->by & own);
        p->mapped |= own;
    }
    uint64_t n = (uint64_t)__builtin_popcount(sectors) * SECTOR;
    *(write ? &t->moved.far_written : &t->moved.far_read) += n;
}

void dev_pages_sweep(dev_client *c, unsigned device, uint64_t base, uint64_t n, bool write,
                     dev_moved *to) {
    dev_touching t;
    dev_pages_begin(c, device, &t);
    for (uint64_t at = 0; at < n && !dev_stopped(c); at += 128)
        dev_pages_touch(&t, (base + at) & ~127ull, 0xf, write);
    *to = t.moved;
}

/* ---- prefetch, the host, advice */

void dev_pages_prefetch(dev_client *c, dev_mem *m, uint64_t at, uint64_t n, int place, int type,
                        dev_moved *to) {
    uint64_t first = (at - m->base) / DEV_PAGE_GROUP,
             last = (at - m->base + n - 1) / DEV_PAGE_GROUP;
    for (uint64_t g = first; g <= last && !dev_stopped(c); g++) {
        page_group *p = &m->pages->group[g];
        p->last = (int16_t)place, p->last_type = (int16_t)type;
        if (!(p->at & bit_of(place)) || (p->at != bit_of(place) && !p->read_mostly))
            pages_bring(c, m, g, place, false, to);
    }
}

void dev_pages_host(dev_client *c, dev_mem *m, uint64_t first, uint64_t last, dev_moved *to) {
    for (uint64_t g = first; g <= last && g < m->pages->groups; g++) {
        page_group *p = &m->pages->group[g];
        bool both = p->at & HOST_BIT && p->at != HOST_BIT;
        if (both && group_sum(c, m, g) != p->sum) pages_bring(c, m, g, -1, true, to);
        else if (!(p->at & HOST_BIT)) pages_fault(c, m, g, -1, false, to);
    }
}

void dev_pages_advise(dev_mem *m, uint64_t at, uint64_t n, int advice, int place, int type) {
    uint64_t first = (at - m->base) / DEV_PAGE_GROUP,
             last = (at - m->base + n - 1) / DEV_PAGE_GROUP;
    for (uint64_t g = first; g <= last; g++) {
        page_group *p = &m->pages->group[g];
        switch (advice) {
        case cudaMemAdviseSetReadMostly: p->read_mostly = true; break;
        case cudaMemAdviseUnsetReadMostly: p->read_mostly = false; break;
        case cudaMemAdviseSetPreferredLocation:
            p->preferred = (int16_t)place, p->preferred_type = (int16_t)type;
            break;
        case cudaMemAdviseUnsetPreferredLocation:
            p->preferred = DEV_NOWHERE, p->preferred_type = 0;
            break;
        case cudaMemAdviseSetAccessedBy: p->by |= bit_of(place); break;
        default: p->by &= ~bit_of(place), p->mapped &= ~bit_of(place); break;
        }
    }
}

int dev_pages_ask(const dev_mem *m, uint64_t at, uint64_t n, int attribute) {
    uint64_t first = (at - m->base) / DEV_PAGE_GROUP,
             last = (at - m->base + n - 1) / DEV_PAGE_GROUP;
    int answer = 0;
    for (uint64_t g = first; g <= last; g++) {
        const page_group *p = &m->pages->group[g];
        int v = 0, differ = DEV_NOWHERE;
        switch (attribute) {
        case cudaMemRangeAttributeReadMostly: v = p->read_mostly, differ = 0; break;
        case cudaMemRangeAttributePreferredLocation:
        case cudaMemRangeAttributePreferredLocationId: v = p->preferred; break;
        case cudaMemRangeAttributeLastPrefetchLocation:
        case cudaMemRangeAttributeLastPrefetchLocationId: v = p->last; break;
        case cudaMemRangeAttributePreferredLocationType: v = p->preferred_type, differ = 0; break;
        case cudaMemRangeAttributeLastPrefetchLocationType: v = p->last_type, differ = 0; break;
        default: return DEV_NOWHERE;
        }
        if (g > first && v != answer) return differ;
        answer = v;
    }
    return answer;
}

/* Returns the processors by which all of the range is advised to be accessed, the host as -1. */
unsigned dev_pages_accessed_by(const dev_mem *m, uint64_t at, uint64_t n, int list[DEV_MAX + 1]) {
    uint64_t first = (at - m->base) / DEV_PAGE_GROUP,
             last = (at - m->base + n - 1) / DEV_PAGE_GROUP;
    uint32_t all = UINT32_MAX;
    unsigned count = 0;
    for (uint64_t g = first; g <= last; g++) all &= m->pages->group[g].by;
    for (int place = -1; place < DEV_MAX; place++)
        if (all & bit_of(place)) list[count++] = place;
    return count;
}

uint64_t dev_pages_held(const dev_mem *m, int place) {
    uint64_t n = 0;
    for (uint64_t g = 0; g < m->pages->groups; g++)
        if (m->pages->group[g].at & bit_of(place)) n += group_bytes(m, g);
    return n;
}

void dev_pages_drop(dev_client *c, dev_mem *m) {
    if (!m->pages) return;
    for (unsigned d = 0; d < c->s->count; d++)
        c->memory.device[d].managed_bytes -= dev_pages_held(m, (int)d);
    dev_pages_free(m->pages);
    m->pages = NULL;
    c->memory.managed_count--;
}

/* ---- time */

/* Measured on an H200 with an x86 host (tests/truth/host2): 64 MB by a kernel's faults in 9,142 us,
 * prefetched in 1,393, resident 59; prefetched back in 3,655; by the host's touches in 13,058. A
 * sequential walk takes 192 faults by the rule above. The host's part does not depend on the GPU,
 * so it is the same for all profiles: making and mapping pages there limits the way back. */
static const double FAULT_US = 40, HOST_FAULT_US = 49, IN_SHARE = 0.91, OUT_GBS = 18.4;

static double out_gbs(const sim_profile *p) {
    return fmin(IN_SHARE * p->d2h_pinned_gbs, OUT_GBS);
}

double dev_moved_us(const sim_profile *p, const dev_moved *m) {
    return (double)m->faults * FAULT_US + (double)m->host_faults * HOST_FAULT_US +
           (double)m->in / (1e3 * IN_SHARE * p->h2d_pinned_gbs) +
           (double)m->out / (1e3 * out_gbs(p));
}

double dev_moved_far_us(const sim_profile *p, const dev_moved *m) {
    return fmax((double)m->far_read / (1e3 * SIM_LINK_SHARE * p->h2d_pinned_gbs),
                (double)m->far_written / (1e3 * SIM_LINK_SHARE * p->d2h_pinned_gbs));
}
