/* Page-locked memory that an asynchronous copy uses and that the program's own code changes before
 * it has waited (concurrent.h).
 *
 *   dev_held_copy   its bytes are kept, as they are when the copy is done
 *   dev_held_host   the host has waited: what differs by then it has changed too early
 *   dev_held_used   so it is where the device is about to write there
 *   dev_held_forget a kernel stored into memory that the host sees, or the program runs a function
 *                   in the order of a stream: either may tell the host that the copy is over */
#include "runner/device/server/core/client.h"
#include "runner/device/server/core/concurrent.h"
#include "runner/device/server/core/memory.h"
#include "runner/device/sim/memory/memory.h"
#include "words/server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Memory that a copy uses: its rows as they were. While more than HELD_BYTES are kept, of another
 * copy only HELD_PIECES pieces at equal distances are: the first, the last and others between. */
enum { HELD = 64, HELD_PIECES = 16, HELD_PIECE = 4096, HELD_BYTES = 64 << 20 };
typedef struct {
    unsigned line;
    uint32_t tick;
    uint64_t stream, at, bytes,
        caller; /* bytes: from the first row's first to the last row's last */
    uint64_t width, pitch, rows;
    dev_op op;
    uint8_t *was;
} held_copy;
struct dev_held {
    held_copy copy[HELD];
    size_t count;
    uint64_t kept;
};

static unsigned held_line(const dev_stream *s) {
    return (unsigned)(s->id % DEV_LINES);
}

static struct dev_held *held_of(dev_client *c) {
    if (!c->held) c->held = calloc(1, sizeof *c->held);
    return c->held;
}

static void held_drop(struct dev_held *x, size_t i) {
    x->kept -= x->copy[i].width * x->copy[i].rows;
    free(x->copy[i].was);
    x->copy[i] = x->copy[--x->count];
}

static const uint8_t *held_bytes(dev_client *c, uint64_t at, uint64_t n) {
    const dev_device *d = dev_hw(c, 0);
    return d->backend->memory && dev_mem_range(c, at, n) ? sim_memory_host(HW(d, memory), at, n)
                                                         : NULL;
}

static void held_say(dev_client *c, const held_copy *h, uint64_t byte) {
    bool out = h->op == DEV_OP_D2H;
    const dev_mem *m = dev_mem_find(c, h->at);
    sim_finding f = {.kind = SIM_FIND_RACE,
                     .count = 1,
                     .space = "host",
                     .write = true,
                     .address = h->at + byte,
                     .op = h->op,
                     .stream = (unsigned)h->stream};
    if (m) f.alloc_base = m->base, f.alloc_size = m->bytes;
    lib_message what;
    lib_message_set(&what,
                    out ? w_server_host_changes_target((long long)byte, (long long)h->bytes)
                        : w_server_host_changes_source((long long)byte, (long long)h->bytes));
    dev_log_said_at(c, &f, &h->caller, h->caller != 0, &what);
}

static void held_look(dev_client *c, const held_copy *h) {
    for (uint64_t k = 0; k < h->rows; k++) {
        const uint8_t *now = held_bytes(c, h->at + k * h->pitch, h->width),
                      *was = h->was + k * h->width;
        if (!now || !memcmp(now, was, h->width)) continue;
        uint64_t i = 0;
        while (now[i] == was[i]) i++;
        held_say(c, h, k * h->pitch + i);
        return;
    }
}

/* Pieces, in place of all. */
static void held_thin(held_copy *h) {
    uint64_t pieces = h->rows > 1 && h->rows < HELD_PIECES ? h->rows : HELD_PIECES;
    if (h->width * h->rows <= (uint64_t)HELD_PIECES * HELD_PIECE) return;
    if (h->rows == 1) { /* the last piece ends where the copy does */
        h->pitch = (h->bytes - HELD_PIECE) / (pieces - 1);
        h->width = h->bytes - h->pitch * (pieces - 1);
    } else {
        h->pitch *= (h->rows - 1) / (pieces - 1);
        if (h->width > HELD_PIECE) h->width = HELD_PIECE;
    }
    h->rows = pieces;
}

void dev_held_copy(dev_client *c, const dev_stream *s, dev_op op, uint64_t at, uint64_t width,
                   uint64_t pitch, uint64_t rows, uint64_t caller) {
    uint64_t n = (rows - 1) * pitch + width;
    struct dev_held *x = c->log.replaying || c->log.in_graph ? NULL : held_of(c);
    const dev_mem *m = dev_mem_range(c, at, n);
    /* A copy that follows another of the same bytes stands for both. */
    for (size_t i = x ? x->count : 0; i--;)
        if (x->copy[i].stream == s->id && x->copy[i].at - at < n &&
            x->copy[i].bytes <= n - (x->copy[i].at - at)) {
            held_look(c, &x->copy[i]);
            held_drop(x, i);
        }
    if (!x || x->count == HELD || !m || !m->on_host || m->pages) return;
    held_copy h = {.line = held_line(s),
                   .tick = s->clocks.at[held_line(s)],
                   .stream = s->id,
                   .at = at,
                   .bytes = n,
                   .caller = caller,
                   .op = op,
                   .width = width,
                   .pitch = pitch,
                   .rows = rows};
    if (x->kept + width * rows > HELD_BYTES) held_thin(&h);
    h.was = malloc(h.width * h.rows);
    for (uint64_t k = 0; h.was && k < h.rows; k++) {
        const uint8_t *now = held_bytes(c, at + k * h.pitch, h.width);
        if (!now) {
            free(h.was);
            return;
        }
        memcpy(h.was + k * h.width, now, h.width);
    }
    if (!h.was) return;
    x->kept += h.width * h.rows;
    x->copy[x->count++] = h;
}

static void held_end(dev_client *c, uint64_t at, uint64_t n, bool look) {
    struct dev_held *x = c->log.replaying ? NULL : c->held;
    for (size_t i = x ? x->count : 0; i--;) {
        if (x->copy[i].at - at >= n && at - x->copy[i].at >= x->copy[i].bytes) continue;
        if (look) held_look(c, &x->copy[i]);
        held_drop(x, i);
    }
}

void dev_held_used(dev_client *c, uint64_t at, uint64_t n) {
    held_end(c, at, n, true);
}
void dev_held_forget(dev_client *c, uint64_t at, uint64_t n) {
    held_end(c, at, n, false);
}

void dev_held_host(dev_client *c, const dev_clocks *host) {
    struct dev_held *x = c->held;
    for (size_t i = x ? x->count : 0; i--;)
        if (x->copy[i].tick <= host->at[x->copy[i].line]) {
            held_look(c, &x->copy[i]);
            held_drop(x, i);
        }
}

void dev_held_free(dev_client *c) {
    struct dev_held *x = c->held;
    while (x && x->count) held_drop(x, 0);
    free(x);
    c->held = NULL;
}
