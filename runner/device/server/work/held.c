/* Page-locked memory that an asynchronous copy uses and that the program's own code changes before
 * it has waited (concurrent.h).
 *
 *   dev_held_copy   its bytes are kept, as they are when the copy is done
 *   dev_held_pages  in a lab's call the host may not even look where a copy is to leave its bytes:
 *   dev_held_wanted each use of these pages is asked for
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

/* Memory that a copy uses: its bytes as they were. While more than HELD_BYTES are kept, of another
 * copy only pieces at equal distances are, together at most HELD_PIECES * HELD_PIECE bytes: the
 * first bytes, the last and others between. */
enum { HELD = WIRE_HELD, HELD_PIECES = 16, HELD_PIECE = 4096, HELD_BYTES = 64 << 20 };
typedef struct {
    unsigned line;
    uint32_t tick;
    uint64_t stream, at, bytes,
        caller; /* bytes: from the first row's first to the last row's last */
    uint64_t width, pitch, rows;
    uint64_t piece, pieces; /* a piece lies in one row */
    dev_op op;
    uint8_t *was;
} held_copy;
struct dev_held {
    held_copy copy[HELD];
    size_t count;
    uint64_t kept;
    bool changed; /* which copies to the host there are, since dev_held_pages() */
};

static unsigned held_line(const dev_stream *s) {
    return (unsigned)(s->id % DEV_LINES);
}

static struct dev_held *held_of(dev_client *c) {
    if (!c->held) c->held = calloc(1, sizeof *c->held);
    return c->held;
}

static void held_drop(struct dev_held *x, size_t i) {
    x->kept -= x->copy[i].piece * x->copy[i].pieces;
    x->changed |= x->copy[i].op == DEV_OP_D2H;
    free(x->copy[i].was);
    x->copy[i] = x->copy[--x->count];
}

static const uint8_t *held_bytes(dev_client *c, uint64_t at, uint64_t n) {
    const dev_device *d = dev_hw(c, 0);
    return d->backend->memory && dev_mem_range(c, at, n) ? sim_memory_host(HW(d, memory), at, n)
                                                         : NULL;
}

/* reads: the host only looks at it. */
static void held_say(dev_client *c, const held_copy *h, uint64_t byte, bool reads) {
    bool out = h->op == DEV_OP_D2H;
    const dev_mem *m = dev_mem_find(c, h->at);
    sim_finding f = {.kind = SIM_FIND_RACE,
                     .count = 1,
                     .space = "host",
                     .write = !reads,
                     .address = h->at + byte,
                     .op = h->op,
                     .stream = (unsigned)h->stream};
    if (m) f.alloc_base = m->base, f.alloc_size = m->bytes;
    lib_message what;
    lib_message_set(&what,
                    reads ? w_server_host_reads_target((long long)byte, (long long)h->bytes)
                    : out ? w_server_host_changes_target((long long)byte, (long long)h->bytes)
                          : w_server_host_changes_source((long long)byte, (long long)h->bytes));
    dev_log_said_at(c, &f, &h->caller, h->caller != 0, &what);
}

/* Returns where piece k begins, in bytes from the copy's first. The product fits: there are at most
 * 2^34 bytes in 2^16 pieces, or all of 2^26 bytes. */
static uint64_t held_piece(const held_copy *h, uint64_t k) {
    uint64_t last = h->rows * h->width - h->piece,
             byte = h->pieces > 1 ? last * k / (h->pieces - 1) : 0;
    uint64_t row = byte / h->width, column = byte % h->width;
    if (column > h->width - h->piece) column = h->width - h->piece;
    return row * h->pitch + column;
}

static void held_look(dev_client *c, const held_copy *h) {
    for (uint64_t k = 0; k < h->pieces; k++) {
        uint64_t from = held_piece(h, k), i = 0;
        const uint8_t *now = held_bytes(c, h->at + from, h->piece), *was = h->was + k * h->piece;
        if (!now || !memcmp(now, was, h->piece)) continue;
        while (now[i] == was[i]) i++;
        held_say(c, h, from + i, false);
        return;
    }
}

/* Pieces, in place of all. */
static void held_thin(held_copy *h) {
    if (h->width * h->rows <= (uint64_t)HELD_PIECES * HELD_PIECE) return;
    if (h->piece > HELD_PIECE) h->piece = HELD_PIECE;
    h->pieces = (uint64_t)HELD_PIECES * HELD_PIECE / h->piece;
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
                   .rows = rows,
                   .piece = width,
                   .pieces = rows};
    if (x->kept + width * rows > HELD_BYTES) held_thin(&h);
    h.was = malloc(h.piece * h.pieces);
    for (uint64_t k = 0; h.was && k < h.pieces; k++) {
        const uint8_t *now = held_bytes(c, at + held_piece(&h, k), h.piece);
        if (!now) {
            free(h.was);
            return;
        }
        memcpy(h.was + k * h.piece, now, h.piece);
    }
    if (!h.was) return;
    x->kept += h.piece * h.pieces;
    x->changed |= op == DEV_OP_D2H;
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

/* ---- a lab's call: what the host looks at ---- */

bool dev_held_changed(const dev_client *c) {
    return c->held && c->held->changed;
}

static uint64_t held_page_down(uint64_t at) {
    return at / WIRE_PAGE * WIRE_PAGE;
}

wire_range dev_held_range(const dev_mem *m, uint64_t from, uint64_t to) {
    wire_range r = {held_page_down(from), held_page_down(to + WIRE_PAGE - 1)};
    /* The first and the last page of registered memory also hold what else the program has. */
    uint64_t low = held_page_down(m->base + WIRE_PAGE - 1),
             high = held_page_down(m->base + m->bytes);
    if (m->kind == DEV_MEM_REGISTERED && r.from < low) r.from = low;
    if (m->kind == DEV_MEM_REGISTERED && r.to > high) r.to = high;
    return r;
}

size_t dev_held_pages(dev_client *c, wire_range to[WIRE_HELD]) {
    struct dev_held *x = c->held;
    size_t n = 0;
    if (x) x->changed = false;
    for (size_t i = 0; x && c->log.in_call && i < x->count; i++) {
        const held_copy *h = &x->copy[i];
        const dev_mem *m = h->op == DEV_OP_D2H ? dev_mem_find(c, h->at) : NULL;
        if (!m) continue;
        wire_range r = dev_held_range(m, h->at, h->at + h->bytes);
        if (r.from < r.to) to[n++] = r;
    }
    return n;
}

void dev_held_wanted(dev_client *c, const dev_mem *m, uint64_t at, bool write, wire_range *open) {
    struct dev_held *x = c->held;
    *open = (wire_range){m->base, m->base + m->bytes};
    for (size_t i = x ? x->count : 0; i--;) {
        const held_copy h = x->copy[i];
        uint64_t byte = at - h.at;
        if (h.op != DEV_OP_D2H) continue;
        if (byte < h.bytes && byte % h.pitch < h.width) {
            held_say(c, &h, byte, !write);
            held_drop(x, i);                                   /* it is told once */
        } else if (byte < h.bytes) open->from = open->to = at; /* between two rows */
        else if (h.at > at && h.at < open->to) open->to = h.at;
        else if (h.at < at && h.at + h.bytes > open->from) open->from = h.at + h.bytes;
    }
}

void dev_held_free(dev_client *c) {
    struct dev_held *x = c->held;
    while (x && x->count) held_drop(x, 0);
    free(x);
    c->held = NULL;
}
