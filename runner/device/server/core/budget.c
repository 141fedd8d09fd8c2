/* The budget of a client.
 *
 *   session    total: what clients may hold together, minus what is set aside for the cases'
 *              buffers
 *   client     limit: dev_options.client_bytes, and at most half of the total, so that there is
 *              room for another client
 *
 * Queues, graphs and logs have limits of their own, small parts of the client's (dev_part_limit).
 * Memory of a GPU is managed by its driver, and is not counted. */
#include "runner/device/server/core/client.h"
#include "runner/device/server/core/budget.h"

static uint64_t larger_bytes(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}
static uint64_t smaller_bytes(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* Returns what the session has left for clients. */
static uint64_t budget_of(const dev_session *s) {
    uint64_t aside = larger_bytes(s->reserved, s->buffer_bytes);
    return s->total > aside ? s->total - aside : 0;
}

uint64_t dev_hold_limit(const dev_session *s) {
    uint64_t all = budget_of(s);
    /* Device memory has one more bit for each byte, which says whether it was written. */
    return s->opt.client_bytes ? smaller_bytes(s->opt.client_bytes / 9 * 8, all / 2) : all;
}

uint64_t dev_part_limit(const dev_client *c) {
    return smaller_bytes(c->budget.limit / 8, DEV_PART_BYTES);
}

uint64_t dev_hold_room(const dev_client *c) {
    uint64_t all = budget_of(c->s);
    uint64_t mine = c->budget.limit > c->budget.held ? c->budget.limit - c->budget.held : 0,
             ours = all > c->s->held ? all - c->s->held : 0;
    return smaller_bytes(mine, ours);
}

bool dev_hold(dev_client *c, uint64_t bytes) {
    if (bytes > dev_hold_room(c)) return false;
    c->budget.held += bytes;
    c->s->held += bytes;
    return true;
}

void dev_let_go(dev_client *c, uint64_t bytes) {
    c->budget.held -= bytes;
    c->s->held -= bytes;
}

uint64_t dev_hold_device(const dev_client *c, unsigned device, uint64_t n) {
    enum { NOTES = 1024 }; /* for the record of an allocation, and its last unit */
    return (dev_hw(c, device)->backend == &dev_backend_sim ? n : 0) + NOTES;
}
