/* Calls of a lab's function, the program's entry. The program's glue asks for the next one (Next)
 * and waits; dev_client_call() replies with the arguments. */
#include "runner/device/server/core/client.h"
#include "runner/device/server/dispatch/entry.h"
#include "runner/device/server/core/answer.h"
#include "runner/device/server/core/lineage.h"
#include "runner/device/server/core/memory.h"
#include "runner/device/server/dispatch/reply.h"
#include "runner/device/server/core/stream.h"
#include "runner/base/clock.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- HOST arguments  Each begins with a page, because programs register arrays in pieces, and
 * behind its last page there is nothing. The rest of this page has a value that must not change. */

enum { UNUSED = 0xC5 };

bool dev_client_host_kept(const dev_client *c, size_t i) {
    const dev_buffer *b = &c->entry.buffer[i];
    if (i >= c->entry.args || !b->live) return true;
    for (uint64_t k = b->bytes; k < b->map_bytes; k++)
        if (((const uint8_t *)b->at)[k] != UNUSED) return false;
    return true;
}

static void buffer_drop(dev_client *c, dev_buffer *b) {
    if (!b->live) return;
    if (b->pinned) {
        for (unsigned d = 0; d < c->s->count; d++) HW(dev_hw(c, d), unmap, b->address);
        dev_mem_remove(c, b->address);
    }
    munmap(b->at, b->map_bytes);
    close(b->fd);
    free(b->left);
    memset(b, 0, sizeof *b);
}

void dev_buffers_free(dev_client *c) {
    for (size_t i = 0; i < DEV_ARGS; i++) buffer_drop(c, &c->entry.buffer[i]);
}

/* ---- calls */

cudaError_t dev_on_Next(dev_call *k, const struct wire_in_Next *in, struct wire_out_Next *out) {
    dev_client *c = k->c;
    (void)in, (void)out;
    for (unsigned d = 0; d < c->s->count; d++) {
        if (!dev_idle(c, d, NULL)) {
            k->again = true;
            return cudaSuccess;
        }
        if (c->context[d].fault) c->context[d].sticky = c->context[d].fault;
        dev_concurrent_host(c, d, NULL); /* the caller now looks at its results */
    }
    dev_lineage_settle(c);
    c->wire.state = DEV_STATE_READY;
    c->entry.thread = k->thread;
    k->hold = true;
    return cudaSuccess;
}

/* The client may no longer name buffers of the session that were freed, or whose address another
 * buffer has now. */
static void entry_forget_granted(dev_client *c) {
    for (size_t i = 0; i < c->memory.count;) {
        const dev_mem *m = &c->memory.ranges[i];
        bool live = m->kind != DEV_MEM_GRANTED || m->on_host;
        for (size_t j = 0; j < c->s->buffer_count && !live; j++)
            live = c->s->buffers[j].base == m->base && c->s->buffers[j].bytes == m->bytes;
        if (live) i++;
        else dev_mem_remove(c, m->base);
    }
}

/* The client may name the session's buffer at the address from now on. */
static sim_status entry_grant(dev_client *c, uint64_t address) {
    for (size_t i = 0; i < c->s->buffer_count; i++) {
        dev_mem m = {.base = c->s->buffers[i].base,
                     .bytes = c->s->buffers[i].bytes,
                     .kind = DEV_MEM_GRANTED};
        if (address - m.base < m.bytes && !dev_mem_find(c, address) && !dev_mem_add(c, &m))
            return SIM_NOMEM;
    }
    return SIM_OK;
}

/* The HOST argument's buffer: that of an earlier call, if it still fits. *fresh: a new one. */
static sim_status entry_buffer(dev_client *c, dev_buffer *b, const dev_arg *a, bool *fresh) {
    bool same = b->bytes == a->bytes && b->pinned == a->pinned && b->serial == a->serial;
    if (b->live && !same) buffer_drop(c, b);
    *fresh = !b->live;
    if (b->live) return SIM_OK;
    uint64_t bytes = dev_page_up(a->bytes ? a->bytes : 1);
    void *at;
    if (bytes < a->bytes || bytes > DEV_HOST_BYTES) return SIM_NOMEM;
    int fd = dev_shared("warplab-argument", bytes, &at);
    if (fd < 0) return SIM_NOMEM;
    *b = (dev_buffer){.fd = fd,
                      .at = at,
                      .bytes = a->bytes,
                      .map_bytes = bytes,
                      .pinned = a->pinned,
                      .serial = a->serial,
                      .live = true};
    memset(at, UNUSED, bytes);
    if (!b->pinned) return SIM_OK;
    if (!(b->address = dev_host_address(c, bytes))) return SIM_NOMEM;
    dev_mem m = {.base = b->address, .bytes = a->bytes, .kind = DEV_MEM_GRANTED, .on_host = true};
    if (!dev_mem_add(c, &m)) return SIM_NOMEM;
    for (unsigned d = 0; d < c->s->count; d++)
        if (HW(dev_hw(c, d), map, at, a->bytes, b->address, true, fd, bytes, 0))
            return SIM_UNSUPPORTED;
    return SIM_OK;
}

/* Puts argument i into its slot; *ask: the glue must ask for its buffer (NextBuffer). */
static sim_status entry_argument(dev_client *c, size_t i, const dev_arg *a, bool *ask) {
    sim_status s = SIM_OK;
    uint64_t *slot = &c->entry.slots[i];
    *slot = 0;
    *ask = false;
    switch (a->kind) {
    case DEV_ARG_PTR:
        *slot = a->v.addr;
        s = entry_grant(c, a->v.addr);
        break;
    case DEV_ARG_I32: *slot = (uint64_t)(int64_t)a->v.i32; break;
    case DEV_ARG_U32: *slot = a->v.u32; break;
    case DEV_ARG_I64:
    case DEV_ARG_U64: *slot = a->v.u64; break;
    case DEV_ARG_F32: memcpy(slot, &a->v.f32, sizeof a->v.f32); break;
    case DEV_ARG_F64: memcpy(slot, &a->v.f64, sizeof a->v.f64); break;
    case DEV_ARG_HOST:
        s = entry_buffer(c, &c->entry.buffer[i], a, ask);
        *ask |= !c->entry.buffer[i].pinned;
        *slot = c->entry.buffer[i].address;
        break;
    }
    return s;
}

/* Replies to the glue, which waits in Next. */
static bool entry_answer(dev_call *k, uint64_t more) {
    k->c->wire.state = DEV_STATE_RUN;
    bool ok = dev_reply(k, cudaSuccess, &more, 1, lib_now() + 10);
    dev_answer_free(k);
    return ok;
}

sim_status dev_client_call(dev_client *c, const dev_arg *args, size_t n) {
    uint64_t is_buffer = 0;
    if (c->wire.state != DEV_STATE_READY || n > DEV_ARGS) return SIM_BAD_ARGUMENT;
    entry_forget_granted(c);
    for (size_t i = 0; i < n; i++) {
        bool ask;
        sim_status s = entry_argument(c, i, &args[i], &ask);
        if (s) return s;
        if (ask) is_buffer |= (uint64_t)1 << i;
    }
    c->entry.args = n;
    for (size_t i = 0; i < DEV_ARGS; i++) {
        free(c->entry.buffer[i].left);
        c->entry.buffer[i].left = NULL;
    }
    dev_replay_begins(c);
    dev_call k = {.c = c, .op = WIRE_OP_Next, .thread = c->entry.thread, .fd = -1};
    for (unsigned d = 0; d < c->s->count; d++) c->context[d].deferred = cudaSuccess;
    dev_answer(&k, c->entry.slots, n * 8);
    dev_answer(&k, &is_buffer, 8);
    return entry_answer(&k, 1) ? SIM_OK : SIM_CANCELLED;
}

void dev_client_finish(dev_client *c) {
    if (c->wire.state != DEV_STATE_READY) return;
    dev_call k = {.c = c, .op = WIRE_OP_Next, .thread = c->entry.thread, .fd = -1};
    entry_answer(&k, 0);
}

cudaError_t dev_on_NextBuffer(dev_call *k, const struct wire_in_NextBuffer *in,
                              struct wire_out_NextBuffer *out) {
    dev_client *c = k->c;
    if (in->index >= c->entry.args || !c->entry.buffer[in->index].live)
        return cudaErrorInvalidValue;
    dev_buffer *b = &c->entry.buffer[in->index];
    k->fd = dup(b->fd);
    out->bytes = b->pinned ? b->bytes : b->map_bytes;
    out->address = b->address;
    return cudaSuccess;
}

void *dev_client_host(const dev_client *c, size_t i) {
    return i < c->entry.args && c->entry.buffer[i].live ? c->entry.buffer[i].at : NULL;
}

const void *dev_client_left(const dev_client *c, size_t i) {
    const void *own = dev_client_host(c, i);
    return own && c->entry.buffer[i].left ? c->entry.buffer[i].left : own;
}
