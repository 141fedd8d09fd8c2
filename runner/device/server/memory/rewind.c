/* Puts memory back to its state at the beginning of the call. So a replay finds what the call
 * found, not what the call, or an earlier replay, left:
 *
 *   device memory   sim/memory/past.c copies bytes before any code overwrites them
 *   ranges that the call freed    belong to the client again until the replay ends
 *   memory that both sides see    a copy that no process can reach, as the call first used it
 *                   (side.c); a lab's own buffers: as they are now, and the copy is kept
 *                   (dev_client_left); replay.c adds what the host wrote since, at the right time
 *
 * So neither a kernel that recognises a second run, nor a program that answers while it waits, can
 * profit from a replay. The memory of a GPU stays as it is. */
#include "runner/device/server/core/client.h"
#include "runner/device/server/core/budget.h"
#include "runner/device/server/core/log.h"
#include "runner/device/server/core/memory.h"
#include "runner/base/buffer.h"
#include "runner/device/sim/memory/memory.h"

#include <stdlib.h>
#include <string.h>

static sim_memory *memory_of(const dev_client *c, unsigned device) {
    const dev_device *d = dev_hw(c, device);
    return d->backend->memory ? HW(d, memory) : NULL;
}

bool dev_rewind_new(dev_client *c) {
    for (unsigned d = 0; d < c->s->count; d++) {
        sim_memory *m = memory_of(c, d);
        if (m && !(c->memory.device[d].past = sim_past_new(m))) return false;
    }
    return true;
}

void dev_rewind_turn(dev_client *c, bool begins) {
    for (unsigned d = 0; d < c->s->count; d++)
        if (c->memory.device[d].past)
            sim_past_use(memory_of(c, d), begins ? c->memory.device[d].past : NULL);
}

void dev_rewind_forget(dev_client *c) {
    dev_log_state *g = &c->log;
    for (size_t i = 0; i < g->dead_count; i++) dev_side_free(c, &g->dead[i]);
    g->dead_count = g->patch_count = 0;
    lib_buffer_free(&g->tape);
}

void dev_rewind_free(dev_client *c) {
    dev_rewind_forget(c);
    free(c->log.dead), free(c->log.patches), free(c->log.own);
    for (unsigned d = 0; d < DEV_MAX; d++) sim_past_free(c->memory.device[d].past);
}

void dev_rewind_mark(dev_client *c) {
    enum { SHARE = 4 }; /* 1/SHARE of what the client may hold */
    dev_rewind_forget(c);
    for (size_t i = 0; i < c->memory.count; i++) {
        dev_side_free(c, &c->memory.ranges[i]);
        c->memory.ranges[i].fresh = false;
    }
    for (unsigned d = 0; d < c->s->count; d++)
        if (c->memory.device[d].past)
            sim_past_mark(c->memory.device[d].past, c->budget.limit / SHARE);
}

/* ---- memory that both sides see, in a copy */

/* Returns the range's initial contents; NULL: memory is out. */
static uint8_t *private_copy(const dev_client *c, const dev_mem *m) {
    const uint8_t *first;
    bool used = dev_side_first(m, &first);
    if (!used || m->kind == DEV_MEM_GRANTED)
        first = sim_memory_host(memory_of(c, 0), m->base, m->bytes);
    uint8_t *copy = malloc(m->bytes);
    if (copy && first) memcpy(copy, first, m->bytes);
    else if (copy) memset(copy, DEV_HOST_POISON, m->bytes);
    return copy;
}

/* Moves the range's bytes to `host` for all devices. Returns where they were. NULL: there is no
 * such memory. */
static void *private_place(dev_client *c, const dev_mem *m, bool dead, void *host) {
    void *was = NULL;
    for (unsigned d = 0; d < c->s->count; d++) {
        sim_memory *memory = memory_of(c, d);
        bool remote = m->kind != DEV_MEM_MANAGED && m->kind != DEV_MEM_VARIABLE;
        if (!dead) was = sim_memory_rehost(memory, m->base, host);
        else if (!sim_memory_map(memory, host, m->bytes, m->base, remote)) was = host;
    }
    return was;
}

static bool private_add(dev_client *c, const dev_mem *m, bool dead) {
    dev_log_state *g = &c->log;
    if (m->host && !m->mapped) return true; /* no device sees it */
    if (!lib_grow(&g->own, &g->own_room, g->own_count, sizeof *g->own, 16)) return false;
    dev_private *p = &g->own[g->own_count];
    *p = (dev_private){.base = m->base, .dead = dead, .copy = private_copy(c, m)};
    if (!p->copy) return false;
    p->was = private_place(c, m, dead, p->copy);
    if (p->was) g->own_count++;
    else free(p->copy);
    return p->was != NULL;
}

/* Takes over what a proof left in the lab's buffer at `base`. Returns false if there is no such
 * buffer. */
static bool private_left(dev_client *c, uint64_t base, void *left) {
    for (size_t i = 0; i < c->entry.args; i++) {
        dev_buffer *b = &c->entry.buffer[i];
        if (!b->live || !b->pinned || b->address != base) continue;
        free(b->left);
        b->left = left;
        return true;
    }
    return false;
}

static void private_drop(dev_client *c) {
    dev_log_state *g = &c->log;
    for (size_t i = g->own_count; i--;) {
        for (unsigned d = 0; d < c->s->count; d++)
            if (g->own[i].dead) sim_memory_unmap(memory_of(c, d), g->own[i].base);
            else sim_memory_rehost(memory_of(c, d), g->own[i].base, g->own[i].was);
        if (!private_left(c, g->own[i].base, g->own[i].copy)) free(g->own[i].copy);
    }
    g->own_count = 0;
}

/* ---- back, and forward again */

/* Returns how much of the server's memory the replay takes in addition to the client's. */
static uint64_t rewind_bytes(const dev_client *c, bool host) {
    uint64_t n = 0;
    for (size_t i = 0; i < c->log.dead_count; i++)
        if (host || !c->log.dead[i].on_host) n += c->log.dead[i].bytes;
    for (size_t i = 0; host && i < c->memory.count; i++)
        if (c->memory.ranges[i].on_host) n += c->memory.ranges[i].bytes;
    return n;
}

bool dev_rewind_back(dev_client *c, bool host) {
    dev_log_state *g = &c->log;
    uint64_t bytes = rewind_bytes(c, host);
    bool all = dev_hold(c, bytes);
    if (!all) return false;
    g->own_bytes = bytes;
    for (unsigned d = 0; d < c->s->count; d++)
        if (c->memory.device[d].past) all &= sim_past_rewind(c->memory.device[d].past);
    for (size_t i = 0; all && host && i < c->memory.count; i++)
        if (c->memory.ranges[i].on_host)
            all = memory_of(c, 0) && private_add(c, &c->memory.ranges[i], false);
    for (size_t i = 0; all && i < g->dead_count; i++) {
        dev_mem m = g->dead[i];
        if (m.on_host) all = !host || private_add(c, &m, true);
        m.side = NULL;
        if (all && (host || !m.on_host)) all = dev_mem_add(c, &m) != NULL;
    }
    if (!all) dev_rewind_done(c);
    return all;
}

static const dev_mem *private_origin(const dev_client *c, const dev_private *p) {
    const dev_log_state *g = &c->log;
    for (size_t i = 0; p->dead && i < g->dead_count; i++)
        if (g->dead[i].base == p->base) return &g->dead[i];
    return dev_mem_find((dev_client *)(uintptr_t)c, p->base);
}

bool dev_rewind_same(const dev_client *c) {
    for (size_t i = 0; i < c->log.own_count; i++) {
        const dev_private *p = &c->log.own[i];
        const dev_mem *m = private_origin(c, p);
        const uint8_t *known = m && m->kind != DEV_MEM_GRANTED ? dev_side_known(m) : NULL;
        if (known && memcmp(p->copy, known, m->bytes) != 0) return false;
    }
    return true;
}

void dev_rewind_done(dev_client *c) {
    dev_log_state *g = &c->log;
    private_drop(c);
    for (size_t i = 0; i < g->dead_count; i++) dev_mem_remove(c, g->dead[i].base);
    for (unsigned d = 0; d < c->s->count; d++)
        if (c->memory.device[d].past) sim_past_end(c->memory.device[d].past);
    dev_let_go(c, g->own_bytes);
    g->own_bytes = 0;
}
