/* Page-locked memory that an asynchronous copy uses and that the program's own code changes before
 * it has waited (concurrent.h).
 *
 *   dev_held_copy   keeps pieces of it, as they are when the copy is done
 *   dev_held_host   the host has waited: differences by then were made too early
 *   dev_held_used   the same, where the device is about to write
 *   dev_held_forget a kernel stored into memory that the host sees, or the program runs a function
 *                   in the order of a stream: both may tell the host that the copy is over */
#include "runner/device/server/core/client.h"
#include "runner/device/server/core/concurrent.h"
#include "runner/device/server/core/memory.h"
#include "runner/device/sim/memory/memory.h"
#include "words/server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Memory that a copy uses: pieces of HELD_PIECE bytes each, as they were. */
enum { HELD = 64, HELD_PIECES = 16, HELD_PIECE = 4096 };
typedef struct {
    unsigned line;
    uint32_t tick;
    uint64_t stream, at, bytes, caller;
    dev_op op;
    uint8_t *was;
} held_copy;
struct dev_held {
    held_copy copy[HELD];
    size_t count;
};

static unsigned held_line(const dev_stream *s) {
    return (unsigned)(s->id % DEV_LINES);
}

static struct dev_held *held_of(dev_client *c) {
    if (!c->held) c->held = calloc(1, sizeof *c->held);
    return c->held;
}

static void held_drop(struct dev_held *x, size_t i) {
    free(x->copy[i].was);
    x->copy[i] = x->copy[--x->count];
}

/* Returns where piece k of a copy begins, and its length: all of a short copy, otherwise the first,
 * the last and others between. */
static uint64_t held_piece(const held_copy *h, unsigned k, uint64_t *n) {
    uint64_t most = (uint64_t)HELD_PIECES * HELD_PIECE,
             from = h->bytes <= most       ? (uint64_t)k * HELD_PIECE
                    : k == HELD_PIECES - 1 ? h->bytes - HELD_PIECE
                                           : h->bytes / HELD_PIECES * k;
    *n = from >= h->bytes ? 0 : h->bytes - from < HELD_PIECE ? h->bytes - from : HELD_PIECE;
    return from;
}

static const uint8_t *held_bytes(dev_client *c, uint64_t at, uint64_t n) {
    const dev_device *d = dev_hw(c, 0);
    return d->backend->memory && dev_mem_range(c, at, n) ? sim_memory_host(HW(d, memory), at, n)
                                                         : NULL;
}

static void held_say(dev_client *c, const held_copy *h, uint64_t byte) {
    bool out = h->op == DEV_OP_D2H;
    char file[256] = "";
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
    if (!h->caller || !dev_log_line(c, &h->caller, 1, file, sizeof file, &f.line)) {
        dev_log_said(c, &f, lib_message_words(&what));
        return;
    }
    const char *slash = strrchr(file, '/');
    f.file = file;
    dev_log_said(c, &f, w_server_at(slash ? slash + 1 : file, f.line, &what));
}

static void held_look(dev_client *c, const held_copy *h) {
    for (unsigned k = 0; k < HELD_PIECES; k++) {
        uint64_t n, from = held_piece(h, k, &n);
        const uint8_t *now = n ? held_bytes(c, h->at + from, n) : NULL,
                      *was = h->was + (uint64_t)k * HELD_PIECE;
        if (!now || !memcmp(now, was, n)) continue;
        uint64_t i = 0;
        while (i + 1 < n && now[i] == was[i]) i++;
        held_say(c, h, from + i);
        return;
    }
}

void dev_held_copy(dev_client *c, const dev_stream *s, dev_op op, uint64_t at, uint64_t n,
                   uint64_t caller) {
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
                   .was = malloc(n < HELD_PIECES * HELD_PIECE ? n : HELD_PIECES * HELD_PIECE)};
    for (unsigned k = 0; h.was && k < HELD_PIECES; k++) {
        uint64_t bytes, from = held_piece(&h, k, &bytes);
        const uint8_t *now = bytes ? held_bytes(c, at + from, bytes) : NULL;
        if (!bytes) break;
        if (!now) {
            free(h.was);
            return;
        }
        memcpy(h.was + (uint64_t)k * HELD_PIECE, now, bytes);
    }
    if (h.was) x->copy[x->count++] = h;
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
