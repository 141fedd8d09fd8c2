/* Moves bytes (move.h): row by row, in pieces, so that a stop takes effect soon. */
#include "runner/device/server/work/move.h"
#include "runner/device/server/core/concurrent.h"
#include "runner/device/server/core/log.h"
#include "runner/device/server/core/memory.h"
#include "runner/device/server/core/timeline.h"
#include "runner/device/sim/profile.h"

/* Returns the bytes that a simulated device moves at a time, so that a stop takes effect soon. A
 * GPU is fast, and measures a copy as a whole. */
static uint64_t move_piece(const dev_device *d, uint64_t n) {
    const uint64_t most = 16 << 20;
    return !d->backend->measures && n > most ? most : n;
}

/* Moves within one device, or from or to the host. Like memmove(), ranges may overlap. */
static sim_status move_within(dev_client *c, const dev_device *d, uint64_t a, uint64_t b,
                              uint64_t n, double *us) {
    bool from_end = a > b && a - b < n;
    sim_status s = SIM_OK;
    for (uint64_t left = n; left && !s;) {
        uint64_t k = move_piece(d, left), at = from_end ? left - k : n - left;
        s = dev_stopped(c) ? SIM_CANCELLED : HW(d, copy, a + at, b + at, k, us);
        left -= k;
    }
    return s;
}

static sim_status move_between(dev_client *c, const dev_place *to, const dev_place *from,
                               uint64_t a, uint64_t b, uint64_t n, double *us) {
    if (to->device == from->device || to->host || from->host)
        return move_within(c, dev_hw(c, to->host ? from->device : to->device), a, b, n, us);
    /* From one device to another. */
    uint8_t buffer[1 << 16];
    sim_status s = SIM_OK;
    while (n && !s) {
        uint64_t k = n < sizeof buffer ? n : sizeof buffer;
        s = dev_stopped(c) ? SIM_CANCELLED : HW(dev_hw(c, from->device), read, buffer, b, k);
        if (!s) s = HW(dev_hw(c, to->device), write, a, buffer, k);
        a += k, b += k, n -= k;
    }
    return s;
}

void dev_move_uses(dev_client *c, uint64_t at, uint64_t n) {
    dev_side_before(c, at, n, dev_words_wanted(c) ? dev_words_given : NULL);
}

/* Moves one row. Bytes from the host's memory may be the host's own, or may have been left there by
 * the device. */
static sim_status move_row(dev_client *c, const dev_place *to, const dev_place *from, uint64_t a,
                           uint64_t b, uint64_t n, double *us) {
    uint64_t hosts = 0;
    if (to->host) dev_held_used(c, a, n);
    if (to->host) dev_move_uses(c, a, n);
    if (from->host) {
        dev_move_uses(c, b, n);
        if (!to->host) dev_words_sent(c, b, n);
        hosts = dev_side_hosts(c, b, n);
        if (!to->host) dev_flow_put(c, a, hosts);
    }
    sim_status s = move_between(c, to, from, a, b, n, us);
    if (to->host && !hosts) dev_side_after(c, a, n, true);
    if (to->host && !from->host && !s) dev_words_left(c, a, n, true);
    return s;
}

/* ---- copies */

static dev_direction move_direction(const dev_place *to, const dev_place *from) {
    if (to->host) return from->host ? DEV_DIR_H2H : DEV_DIR_D2H;
    if (from->host) return DEV_DIR_H2D;
    return to->device != from->device ? DEV_DIR_PEER : DEV_DIR_D2D;
}

/* Treats adjacent rows as one. */
static bool move_in_one(const dev_place *p, const uint64_t n[3]) {
    return p->pitch == n[0] && (n[2] == 1 || p->slice == p->pitch * n[1]);
}

/* Data that pass through L2 displace its contents. us: a GPU's time; a GPU does this by itself. */
static void move_displaces(dev_client *c, unsigned device, uint64_t bytes, double us) {
    const dev_device *d = dev_hw(c, device);
    if (us <= 0 && d->profile->l2_bytes &&
        (double)bytes >= d->profile->l2_displaced * (double)d->profile->l2_bytes)
        HW(d, flush, bytes);
}

sim_status dev_move_copy(dev_client *c, dev_stream *s, unsigned device, const dev_moving *m,
                         double after, double *end) {
    static const dev_op ops[] = {[DEV_DIR_H2D] = DEV_OP_H2D,
                                 [DEV_DIR_D2H] = DEV_OP_D2H,
                                 [DEV_DIR_D2D] = DEV_OP_D2D,
                                 [DEV_DIR_H2H] = DEV_OP_HOST,
                                 [DEV_DIR_PEER] = DEV_OP_D2D};
    const dev_place *to = &m->to, *from = &m->from;
    const uint64_t *n = m->extent, total = n[0] * n[1] * n[2];
    dev_direction d = move_direction(to, from);
    double start, us = 0;
    sim_status e = SIM_OK;
    if (!to->host) dev_flow_gave(c, ops[d], total, "");
    if (d == DEV_DIR_D2H) dev_flow_saw(c, DEV_OP_D2H, total, "");
    if (move_in_one(to, n) && move_in_one(from, n))
        e = move_row(c, to, from, to->base, from->base, total, &us);
    else
        for (uint64_t z = 0; !e && z < n[2]; z++)
            for (uint64_t y = 0; !e && y < n[1]; y++)
                e = move_row(c, to, from, to->base + z * to->slice + y * to->pitch,
                             from->base + z * from->slice + y * from->pitch, n[0], &us);
    if (!e && d == DEV_DIR_D2D) move_displaces(c, device, 2 * total, us);
    uint64_t read = from->host ? 0 : dev_place_sectors(from, n[0], n[1], n[2]),
             written = to->host ? 0 : dev_place_sectors(to, n[0], n[1], n[2]);
    dev_place_copy(c, device,
                   &(dev_move){.direction = d,
                               .async = m->async,
                               .bytes = total,
                               .sectors = read + written,
                               .from = from->device,
                               .to = to->device,
                               .measured = us},
                   after, &start, end);
    dev_record *r = dev_log(c, ops[d], device, s, start, *end, total, e);
    if (r) r->read_sectors = read, r->write_sectors = written, r->misdirected = m->misdirected;
    if (!e) dev_concurrent_copy(c, s, ops[d], m->to_as, m->from_as, n);
    const dev_place *host = d == DEV_DIR_D2H ? to : d == DEV_DIR_H2D ? from : NULL;
    if (!e && host && m->async && total && (n[2] == 1 || move_in_one(host, n))) {
        bool in_one = move_in_one(host, n);
        dev_held_copy(c, s, ops[d], host->base, in_one ? total : n[0], in_one ? total : host->pitch,
                      in_one ? 1 : n[1], m->caller);
    }
    return e;
}

/* ---- memsets */

void dev_move_paged(dev_record *r, const dev_moved *m) {
    if (!r) return;
    r->page_faults = m->faults + m->host_faults;
    r->migrated_bytes = m->in + m->out;
}

/* The value of a memset in 4 bytes. */
static uint32_t all_of(uint32_t value, uint32_t element) {
    return element == 1   ? 0x01010101u * (value & 0xff)
           : element == 2 ? 0x00010001u * (value & 0xffff)
                          : value;
}

/* Fills n bytes from `a` on. */
static sim_status move_fill_row(dev_client *c, const dev_device *d, const dev_moving *f, uint64_t a,
                                uint64_t n, double *us) {
    sim_status s = SIM_OK;
    uint64_t first = a, all = n;
    dev_held_used(c, first, all);
    dev_move_uses(c, first, all);
    dev_flow_filled(c, first, all_of(f->value, f->element), all);
    for (uint64_t k; n && !s; a += k, n -= k) {
        k = move_piece(d, n);
        s = dev_stopped(c) ? SIM_CANCELLED
                           : HW(d, fill, a, f->value, f->element, k / f->element, us);
    }
    dev_side_after(c, first, all, true);
    return s;
}

sim_status dev_move_fill(dev_client *c, dev_stream *s, unsigned device, const dev_moving *m,
                         double after, double *end) {
    const dev_place *to = &m->to;
    const uint64_t *n = m->extent, total = n[0] * n[1] * n[2];
    const dev_device *d = dev_hw(c, to->device);
    double start, us = 0;
    sim_status e = SIM_OK;
    dev_flow_gave(c, DEV_OP_MEMSET, total, "");
    if (move_in_one(to, n)) e = move_fill_row(c, d, m, to->base, total, &us);
    else
        for (uint64_t z = 0; !e && z < n[2]; z++)
            for (uint64_t y = 0; !e && y < n[1]; y++)
                e = move_fill_row(c, d, m, to->base + z * to->slice + y * to->pitch, n[0], &us);
    if (!e && !to->host) move_displaces(c, to->device, total, us);
    uint64_t written = to->host ? 0 : dev_place_sectors(to, n[0], n[1], n[2]);
    dev_place_copy(c, device,
                   &(dev_move){.direction = DEV_DIR_FILL,
                               .async = true,
                               .bytes = total,
                               .sectors = written,
                               .measured = us},
                   after, &start, end);
    dev_moved moved = {0};
    if (to->host && dev_pages_any(c) && !c->log.replaying)
        dev_pages_sweep(c, device, to->base, total, true, &moved);
    *end += dev_moved_us(c->s->device[device].profile, &moved);
    dev_record *r = dev_log(c, DEV_OP_MEMSET, device, s, start, *end, total, e);
    if (r) r->write_sectors = written;
    dev_move_paged(r, &moved);
    if (!e) dev_concurrent_copy(c, s, DEV_OP_MEMSET, m->to_as, NULL, n);
    return e;
}
