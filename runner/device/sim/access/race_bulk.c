/* Races with the copy engine (PTX ISA 8.2, "Proxies", and 9.7.9.25, "Completion Mechanisms for
 * Asynchronous Copy Operations"). A bulk copy is done at once, but a program may not rely on that:
 *
 *   - data that a copy writes to shared memory have arrived for a thread that has seen the end of
 *     its mbarrier's phase, and for threads that are ordered after such a thread. Until a thread
 *     has seen it, the copy is in flight: a thread that touches its bytes is reported, also the one
 *     that issued the copy
 *   - data that a copy reads from shared memory may be written again when its thread has waited for
 *     the group
 *   - a block may end when no copy is in flight in its shared memory
 *   - data that a copy writes to global memory have arrived when its thread has waited for the
 *     group, without .read. Then they become that thread's (race_global.c)
 *   - the copy engine reads what threads have written only after a fence.proxy.async. Taken
 *     broadly: by any thread of the block, after the write
 *
 * A cp.async (9.7.9.25.3) is done at once, too. Its data have arrived only for its own thread, once
 * that has waited for the copy's group, or for threads that have seen the end of the phase of an
 * mbarrier at which cp.async.mbarrier.arrive follows the copy. Until then, a thread that touches
 * its bytes is reported. Afterwards they belong to the thread, as if it had stored them when it
 * waited, so others need a barrier after the wait.
 *
 * In all other respects a copy is an access of the thread that issues it, at the time of issue
 * (race.c), and its end is a release. When the first thread sees the end, the written data become
 * that thread's, so that whatever orders others after it (a __syncwarp(), a barrier) orders them
 * after the copy. */
#include "runner/device/sim/access/access_internal.h"
#include <stdlib.h>
#include <string.h>
#include "runner/base/buffer.h"
#include "words/finding.h"

enum { FLIGHTS = 1024, SENT = 4096, NO_BARRIER = UINT32_MAX, TID_MASK = (1 << RACE_TID_BITS) - 1 };
/* What would order the two; kept with the events, so not on the stack. */
static const lib_words not_waited = {.id = W_FINDING_REMEDY_COPY_MBARRIER},
                       still_read = {.id = W_FINDING_REMEDY_COPY_READS},
                       no_proxy_fence = {.id = W_FINDING_REMEDY_PROXY},
                       no_wgmma_fence = {.id = W_FINDING_REMEDY_PROXY_WGMMA},
                       copy_open = {.id = W_FINDING_REMEDY_COPY_OPEN},
                       left_reading = {.id = W_FINDING_REMEDY_COPY_LEFT_READING},
                       left_writing = {.id = W_FINDING_REMEDY_COPY_LEFT_WRITING};

static void flights_changed(race_state *r) {
    r->alarm = r->flight_n || r->copy_n ? 0 : RACE_SERIALS;
}

static void flight_report(sim_access *a, const sim_site *s, unsigned lane, unsigned how,
                          unsigned size, uint32_t at, race_flight *f) {
    f->told = true;
    sim_event e = sim_access_event(a, s, SIM_FIND_RACE, SIM_SPACE_SHARED, lane, size, at);
    e.write = how & RACE_WRITE;
    e.atomic = s->kind == SIM_ACCESS_ATOM;
    e.has_other = true;
    e.other_block = a->block->linear;
    e.other_thread = f->thread;
    e.other_write = !f->reads;
    e.other_loc = f->site->loc;
    e.other_ptx_line = f->site->ptx_line;
    e.detail = f->reads ? &still_read : &not_waited;
    sim_access_report(a, &e);
}

static bool flight_meets(const race_flight *f, unsigned how, uint32_t at, uint32_t n) {
    return at < f->to && f->from < at + n && (how & RACE_WRITE || !f->reads);
}

uint32_t sim_race_next(race_state *r, const sim_site *s, uint32_t lanes) {
    if (r->serial >= RACE_SERIALS) sim_race_overflow(r);
    r->serial++;
    if (r->serial - r->epoch_start > r->log_mask && r->log_mask + 1 < RACE_LOG)
        sim_race_log_grow(r);
    r->log[r->serial & r->log_mask] = (race_log){s, r->serial, lanes};
    return r->serial;
}

/* ---- cp.async ---- */

#define COPY_LEFT(n)                                                                               \
    {                                                                                              \
        {.id = WITH_FINDING_REMEDY_COPY, .args = {{.i = (n)}}}, {                                  \
            .id = WITH_FINDING_REMEDY_COPY_OTHER, .args = { {.i = (n)} }                           \
        }                                                                                          \
    }
/* By the number of younger groups that its thread has committed: for the thread itself, for
 * others. */
static const lib_words copy_waits[][2] = {COPY_LEFT(0), COPY_LEFT(1), COPY_LEFT(2), COPY_LEFT(3),
                                          COPY_LEFT(4), COPY_LEFT(5), COPY_LEFT(6), COPY_LEFT(7)};

static const race_copy *copy_at(const race_state *r, unsigned thread, uint32_t at) {
    unsigned l = thread % SIM_WARP_LANES;
    for (uint32_t k = r->copy_n; k-- > 0;) {
        const race_copy *c = &r->copies[k];
        if (c->warp == thread / SIM_WARP_LANES && c->lanes >> l & 1 &&
            at / (1u << r->shift) >= c->at[l] / (1u << r->shift) && at < c->at[l] + c->bytes)
            return c;
    }
    return NULL;
}

/* The bytes at `at` that the lane touches are being copied for the thread. */
static void copy_report(sim_access *a, const sim_site *s, unsigned lane, unsigned how,
                        unsigned size, uint32_t at, uint32_t unit, unsigned thread) {
    const race_state *r = a->race;
    const race_copy *c = copy_at(r, thread, unit << r->shift);
    if (!c) return;
    unsigned l = thread % SIM_WARP_LANES, last = sizeof copy_waits / sizeof *copy_waits - 1;
    uint32_t closed = r->copy_groups[thread], left = closed - c->group[l] - 1;
    bool other = thread != a->warp * SIM_WARP_LANES + lane;
    sim_event e = sim_access_event(a, s, SIM_FIND_RACE, SIM_SPACE_SHARED, lane, size, at);
    e.write = how & RACE_WRITE;
    e.atomic = s->kind == SIM_ACCESS_ATOM;
    e.has_other = e.other_write = true;
    e.other_block = a->block->linear;
    e.other_thread = thread;
    e.other_loc = c->site->loc;
    e.other_ptx_line = c->site->ptx_line;
    e.detail = c->tracked >> l & 1     ? &not_waited
               : c->group[l] == closed ? &copy_open
                                       : &copy_waits[left < last ? left : last][other];
    sim_access_report(a, &e);
}

static void copies_meet(sim_access *a, const sim_site *s, unsigned how, const uint32_t *off,
                        uint32_t mask, unsigned size) {
    const race_state *r = a->race;
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        for (uint32_t u = off[l] >> r->shift; u <= (off[l] + size - 1) >> r->shift; u++) {
            if (!r->copying[u]) continue;
            copy_report(a, s, l, how, size, off[l], u, r->copying[u] - 1u);
            break;
        }
    }
}

static bool copies_ready(race_state *r) {
    if (!r->copying) r->copying = calloc(r->units + SIM_WARP_LANES, sizeof *r->copying);
    if (!r->copy_groups) r->copy_groups = calloc(TID_MASK + 1, sizeof *r->copy_groups);
    size_t cap = r->copy_cap;
    bool room = lib_grow(&r->copies, &cap, r->copy_n, sizeof *r->copies, 16);
    r->copy_cap = (uint32_t)cap;
    return room && r->copying && r->copy_groups;
}

void sim_race_copy(sim_access *a, const sim_site *s, uint32_t lanes, const uint32_t *to,
                   unsigned bytes) {
    race_state *r = a->race;
    if (!r->races || !copies_ready(r)) return;
    race_copy *c = &r->copies[r->copy_n++];
    *c = (race_copy){
        .site = s, .serial = r->serial, .bytes = bytes, .lanes = lanes, .warp = (uint16_t)a->warp};
    for (uint32_t m = lanes; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m), thread = a->warp * SIM_WARP_LANES + l;
        c->at[l] = a->block->cluster ? sim_shared_offset(to[l]) : to[l];
        c->group[l] = r->copy_groups[thread];
        for (uint32_t k = 0; k < bytes; k += 1u << r->shift)
            r->copying[(c->at[l] + k) >> r->shift] = (uint16_t)(thread + 1);
    }
    flights_changed(r);
}

/* The lanes' copies are done. From now on, what they wrote (unless it was written again) belongs to
 * their threads, or all of it to the one thread that has seen the end. */
static void copy_lands(race_state *r, race_copy *c, uint32_t lanes, const unsigned *seen_by) {
    c->lanes &= ~lanes;
    uint32_t serial = sim_race_next(r, c->site, seen_by ? 1u << *seen_by % SIM_WARP_LANES : lanes);
    for (uint32_t m = lanes; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m), thread = c->warp * SIM_WARP_LANES + l;
        uint32_t was = c->serial << RACE_TID_BITS | thread,
                 key = serial << RACE_TID_BITS | (seen_by ? *seen_by : thread);
        for (uint32_t k = 0; k < c->bytes; k += 1u << r->shift) {
            uint32_t u = (c->at[l] + k) >> r->shift;
            if (r->copying[u] != thread + 1) continue;
            r->copying[u] = 0;
            if (r->w[u] == was) r->w[u] = key;
        }
    }
}

static void copies_tidy(race_state *r) {
    uint32_t kept = 0;
    for (uint32_t k = 0; k < r->copy_n; k++)
        if (r->copies[k].lanes) r->copies[kept++] = r->copies[k];
    r->copy_n = kept;
    flights_changed(r);
}

void sim_copy_commit(sim_access *a, uint32_t lanes) {
    race_state *r = a->race;
    for (; r && r->copy_groups && lanes; lanes &= lanes - 1)
        r->copy_groups[a->warp * SIM_WARP_LANES + (unsigned)__builtin_ctz(lanes)]++;
}

void sim_copy_wait(sim_access *a, uint32_t lanes, uint32_t left) {
    race_state *r = a->race;
    if (!r || !r->copy_n) return;
    for (uint32_t k = 0; k < r->copy_n; k++) {
        race_copy *c = &r->copies[k];
        uint32_t over = 0;
        for (uint32_t m = c->warp == a->warp ? c->lanes & lanes : 0; m; m &= m - 1) {
            unsigned l = (unsigned)__builtin_ctz(m);
            if ((uint64_t)c->group[l] + left < r->copy_groups[a->warp * SIM_WARP_LANES + l])
                over |= m & -m;
        }
        if (over) copy_lands(r, c, over, NULL);
    }
    copies_tidy(r);
}

void sim_copy_track(sim_access *a, unsigned lane, uint32_t bar, bool parity) {
    race_state *r = a->race;
    for (uint32_t k = 0; r && k < r->copy_n; k++) {
        race_copy *c = &r->copies[k];
        if (c->warp != a->warp || !((c->lanes & ~c->tracked) >> lane & 1)) continue;
        c->tracked |= 1u << lane;
        c->bar = bar, c->parity = parity;
    }
}

/* The phase is over: returns whether copies waited for it. */
static bool copies_seen(race_state *r, uint32_t bar, bool parity, unsigned thread) {
    bool any = false;
    for (uint32_t k = 0; k < r->copy_n; k++) {
        race_copy *c = &r->copies[k];
        if (!(c->tracked & c->lanes) || c->bar != bar || c->parity != parity) continue;
        copy_lands(r, c, c->tracked & c->lanes, &thread);
        any = true;
    }
    if (any) copies_tidy(r);
    return any;
}

/* ---- copies of the copy engine ---- */

void sim_race_alarm(sim_access *a, const sim_site *s, unsigned how, const uint32_t *off,
                    uint32_t mask, unsigned size) {
    race_state *r = a->race;
    if (r->serial >= RACE_SERIALS) sim_race_overflow(r);
    if (r->copy_n) copies_meet(a, s, how, off, mask, size);
    uint32_t low = UINT32_MAX, high = 0;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t x = off[__builtin_ctz(m)];
        low = x < low ? x : low, high = x > high ? x : high;
    }
    for (uint32_t k = 0; k < r->flight_n; k++) {
        race_flight *f = &r->flights[k];
        if (!mask || !flight_meets(f, how, low, high - low + size)) continue;
        for (uint32_t m = mask; m; m &= m - 1) {
            unsigned l = (unsigned)__builtin_ctz(m);
            if (flight_meets(f, how, off[l], size)) flight_report(a, s, l, how, size, off[l], f);
        }
    }
}

/* Returns whether the cell that the copy engine is about to read was written by a thread since the
 * last fence. */
static bool unfenced(const race_state *r, uint32_t cell) {
    uint32_t serial = cell >> RACE_TID_BITS;
    if (serial <= r->block_start || serial < r->proxy_fence) return false;
    const race_log *log = &r->log[serial & r->log_mask];
    return log->serial == serial && !(log->site->flags & SIM_SITE_BULK);
}

static void proxy_report(sim_access *a, const sim_site *s, unsigned lane, uint32_t at,
                         uint32_t cell, const lib_words *detail) {
    race_state *r = a->race;
    const race_log *log = &r->log[(cell >> RACE_TID_BITS) & r->log_mask];
    sim_event e = sim_access_event(a, s, SIM_FIND_RACE, SIM_SPACE_SHARED, lane, 1u << r->shift, at);
    e.has_other = e.other_write = true;
    e.write = e.atomic = false;
    e.other_block = a->block->linear;
    e.other_thread = cell & TID_MASK;
    e.other_loc = log->site->loc;
    e.other_ptx_line = log->site->ptx_line;
    e.detail = detail;
    sim_access_report(a, &e);
}

/* By another thread, since the last barrier of the block, and this thread has not seen its end. */
static bool suspect(const race_state *r, uint32_t cell, uint32_t key) {
    uint32_t me = key & TID_MASK;
    return cell >= r->epoch_start << RACE_TID_BITS && ((cell ^ key) & TID_MASK) &&
           !(r->acquired && cell >> RACE_TID_BITS < r->acquired[me]);
}

/* Checks one unit of a bulk access, as race_lanes() does for lanes. */
static void bulk_unit(sim_access *a, const sim_site *s, unsigned lane, unsigned how, uint32_t at,
                      uint32_t key, bool *told) {
    race_state *r = a->race;
    uint32_t epoch = r->epoch_start << RACE_TID_BITS, u = at >> r->shift, c = r->w[u];
    if (suspect(r, c, key)) sim_race_conflict(a, s, lane, 0, c, true, how, NULL, at);
    if (r->last_atomic >= r->epoch_start && suspect(r, r->a[u], key))
        sim_race_conflict(a, s, lane, 0, r->a[u], true, how, NULL, at);
    if (how & RACE_READ && s->flags & SIM_SITE_BULK && !*told && unfenced(r, c)) {
        proxy_report(a, s, lane, at, c, &no_proxy_fence);
        *told = true;
    }
    if (how & RACE_WRITE) {
        if (suspect(r, r->r0[u], key))
            sim_race_conflict(a, s, lane, 0, r->r0[u], false, how, NULL, at);
        if (suspect(r, r->r1[u], key))
            sim_race_conflict(a, s, lane, 0, r->r1[u], false, how, NULL, at);
        r->w[u] = key;
        return;
    }
    if (r->r0[u] >= epoch && (r->r0[u] ^ key) & TID_MASK & ~(SIM_WARP_LANES - 1))
        r->r1[u] = r->r0[u];
    r->r0[u] = key;
}

/* Reports the first 16 bytes that were all never written, as in global memory (bulk.c). */
static void bulk_blank(sim_access *a, const sim_site *s, unsigned lane, uint32_t at, uint32_t n) {
    const race_state *r = a->race;
    enum { CHUNK = 16 };
    uint32_t below = r->blank_below << RACE_TID_BITS, step = 1u << r->shift;
    for (uint32_t k = 0; k < n; k += CHUNK) {
        bool blank = true;
        for (uint32_t x = k; x < n && x < k + CHUNK && blank; x += step)
            blank = r->w[(at + x) >> r->shift] < below;
        if (!blank) continue;
        uint32_t where[SIM_WARP_LANES] = {0};
        where[lane] = at + k;
        sim_race_blank(a, s, 1u << lane, where);
        return;
    }
}

void sim_race_bulk(sim_access *a, const sim_site *s, unsigned lane, uint32_t at, uint32_t n) {
    race_state *r = a->race;
    unsigned how = s->kind == SIM_ACCESS_LOAD    ? RACE_READ
                   : s->kind == SIM_ACCESS_STORE ? RACE_WRITE
                                                 : RACE_READ | RACE_WRITE;
    uint32_t step = 1u << r->shift;
    if (how & RACE_READ) bulk_blank(a, s, lane, at, n);
    if (!r->races) {
        for (uint32_t k = 0; k < n && how & RACE_WRITE; k += step)
            r->w[(at + k) >> r->shift] = r->block_start << RACE_TID_BITS;
        return;
    }
    for (uint32_t k = 0; k < r->flight_n; k++)
        if (flight_meets(&r->flights[k], how, at, n))
            flight_report(a, s, lane, how, n, at, &r->flights[k]);
    for (uint32_t k = 0; r->copy_n && k < n; k += step) {
        unsigned by = r->copying[(at + k) >> r->shift];
        if (!by) continue;
        copy_report(a, s, lane, how, step, at + k, (at + k) >> r->shift, by - 1);
        break;
    }
    bool told = false;
    uint32_t key =
        sim_race_next(r, s, 1u << lane) << RACE_TID_BITS | (a->warp * SIM_WARP_LANES + lane);
    for (uint32_t k = 0; k < n; k += step) bulk_unit(a, s, lane, how, at + k, key, &told);
}

/* ---- flights ---- */

static void flight_add(race_state *r, const race_flight *f) {
    if (r->flight_n == FLIGHTS) { /* the oldest is dropped: rather miss a race than run full */
        memmove(r->flights, r->flights + 1, (FLIGHTS - 1) * sizeof *r->flights);
        r->flight_n--;
    }
    size_t cap = r->flight_cap;
    if (!lib_grow(&r->flights, &cap, r->flight_n, sizeof *r->flights, 16)) return;
    r->flight_cap = (uint32_t)cap;
    r->flights[r->flight_n++] = *f;
    flights_changed(r);
}

static race_state *races_of(sim_access *a) {
    return a->race && a->race->races ? a->race : NULL;
}

static uint32_t *group_of(race_state *r, unsigned thread) {
    if (!r->groups) r->groups = calloc(TID_MASK + 1, sizeof *r->groups);
    return r->groups ? &r->groups[thread] : NULL;
}

void sim_bulk_flight(sim_access *a, const sim_site *s, unsigned lane, uint32_t at, uint32_t n,
                     uint32_t bar, bool parity) {
    race_state *r = races_of(a);
    if (!r || !n) return;
    race_flight f = {.from = at,
                     .to = at + n,
                     .bar = bar,
                     .parity = parity,
                     .serial = r->serial,
                     .thread = (uint16_t)(a->warp * SIM_WARP_LANES + lane),
                     .site = s};
    r->released = r->serial + 1; /* its end is a release, which waiters acquire */
    flight_add(r, &f);
}

void sim_bulk_group_flight(sim_access *a, const sim_site *s, unsigned lane, uint32_t at,
                           uint32_t n) {
    race_state *r = races_of(a);
    unsigned thread = a->warp * SIM_WARP_LANES + lane;
    uint32_t *group = r && n ? group_of(r, thread) : NULL;
    if (!group) return;
    race_flight f = {.from = at,
                     .to = at + n,
                     .bar = NO_BARRIER,
                     .group = *group,
                     .serial = r->serial,
                     .thread = (uint16_t)thread,
                     .reads = true,
                     .site = s};
    flight_add(r, &f);
}

void sim_bulk_commit(sim_access *a, uint32_t lanes) {
    race_state *r = races_of(a);
    for (; r && lanes; lanes &= lanes - 1) {
        uint32_t *group = group_of(r, a->warp * SIM_WARP_LANES + (unsigned)__builtin_ctz(lanes));
        if (group) ++*group;
    }
}

void sim_bulk_sends(sim_access *a, unsigned lane, uint64_t at, uint64_t n) {
    race_state *r = races_of(a);
    unsigned thread = a->warp * SIM_WARP_LANES + lane;
    const uint32_t *group = r ? group_of(r, thread) : NULL;
    if (!r) return;
    if (r->sent_n == SENT) { /* rather miss a race than run full */
        sim_race_global_lands(a, r->sent[0].at, r->sent[0].bytes);
        memmove(r->sent, r->sent + 1, --r->sent_n * sizeof *r->sent);
    }
    size_t cap = r->sent_cap;
    r->sends = group && lib_grow(&r->sent, &cap, r->sent_n, sizeof *r->sent, 16);
    r->sent_cap = (uint32_t)cap;
    if (r->sends) r->sent[r->sent_n++] = (race_sent){at, n, *group, (uint16_t)thread};
}

/* Returns whether it is a copy of one of the lanes, in a group before the last `left`. */
static bool group_over(const sim_access *a, unsigned thread, uint32_t group, uint32_t lanes,
                       uint32_t left) {
    return thread / SIM_WARP_LANES == a->warp && lanes >> thread % SIM_WARP_LANES & 1 &&
           (uint64_t)group + left < a->race->groups[thread];
}

static void sent_lands(sim_access *a, uint32_t lanes, uint32_t left) {
    race_state *r = a->race;
    uint32_t kept = 0;
    for (uint32_t k = 0; k < r->sent_n; k++) {
        race_sent x = r->sent[k];
        if (group_over(a, x.thread, x.group, lanes, left)) sim_race_global_lands(a, x.at, x.bytes);
        else r->sent[kept++] = x;
    }
    r->sent_n = kept;
}

void sim_bulk_left(sim_access *a) {
    race_state *r = races_of(a);
    for (uint32_t k = 0; r && k < r->flight_n; k++) {
        const race_flight *f = &r->flights[k];
        if (f->told) continue;
        a->warp = f->thread / SIM_WARP_LANES;
        sim_event e = sim_access_event(a, f->site, SIM_FIND_RACE, SIM_SPACE_SHARED,
                                       f->thread % SIM_WARP_LANES, f->to - f->from, f->from);
        e.write = !f->reads;
        e.detail = f->reads ? &left_reading : &left_writing;
        sim_access_report(a, &e);
    }
}

void sim_bulk_wait(sim_access *a, uint32_t lanes, uint32_t left, bool reads) {
    race_state *r = races_of(a);
    if (!r || !r->groups) return;
    if (!reads) sent_lands(a, lanes, left);
    if (!r->flight_n) return;
    uint32_t kept = 0;
    for (uint32_t k = 0; k < r->flight_n; k++) {
        const race_flight *f = &r->flights[k];
        if (f->bar == NO_BARRIER && group_over(a, f->thread, f->group, lanes, left)) continue;
        r->flights[kept++] = *f;
    }
    r->flight_n = kept;
    flights_changed(r);
}

/* What the copy wrote (unless it was written again) belongs to the thread from now on. */
static void flight_lands(race_state *r, const race_flight *f, unsigned thread) {
    uint32_t was = f->serial << RACE_TID_BITS | f->thread,
             key =
                 sim_race_next(r, f->site, 1u << thread % SIM_WARP_LANES) << RACE_TID_BITS | thread;
    for (uint32_t at = f->from; at < f->to; at += 1u << r->shift)
        if (r->w[at >> r->shift] == was) r->w[at >> r->shift] = key;
}

/* Orders the lanes after everything that has arrived, and also threads that acquire from now on. */
static void lanes_behind(sim_access *a, uint32_t lanes) {
    race_state *r = a->race;
    r->released = r->serial + 1;
    if (!r->acquired &&
        !(r->acquired = calloc(SIM_WARP_LANES * SIM_WARP_LANES, sizeof *r->acquired)))
        return;
    for (; lanes; lanes &= lanes - 1)
        r->acquired[a->warp * SIM_WARP_LANES + (unsigned)__builtin_ctz(lanes)] = r->released;
}

void sim_bulk_seen(sim_access *a, uint32_t lanes, uint32_t bar, bool parity) {
    race_state *r = races_of(a);
    unsigned first = lanes ? (unsigned)__builtin_ctz(lanes) : 0;
    bool any = r && copies_seen(r, bar, parity, a->warp * SIM_WARP_LANES + first);
    for (uint32_t k = 0; r && k < r->flight_n;) {
        race_flight f = r->flights[k];
        if (f.bar != bar || f.parity != parity) {
            k++;
            continue;
        }
        memmove(r->flights + k, r->flights + k + 1, (--r->flight_n - k) * sizeof f);
        flights_changed(r);
        flight_lands(r, &f, a->warp * SIM_WARP_LANES + first);
        any = true;
    }
    if (any) lanes_behind(a, lanes);
}

void sim_race_async_read(sim_access *a, const sim_site *s, uint32_t lanes, const uint32_t at[],
                         uint32_t n) {
    const race_state *r = races_of(a);
    for (; r && lanes; lanes &= lanes - 1) {
        unsigned l = (unsigned)__builtin_ctz(lanes);
        uint32_t own = a->block->cluster ? sim_shared_offset(at[l]) : at[l];
        for (uint32_t k = 0; k < n; k += 1u << r->shift) {
            uint32_t cell = r->w[(own + k) >> r->shift];
            if (!unfenced(r, cell)) continue;
            proxy_report(a, s, l, own + k, cell, &no_wgmma_fence);
            return;
        }
    }
}

void sim_proxy_fence(sim_access *a, bool shared, bool global) {
    race_state *r = races_of(a);
    if (r && shared) r->proxy_fence = r->serial + 1;
    if (a->launch->global_races && global) sim_race_global_proxy(a);
}

bool sim_bulk_any_flight(const sim_access *a) {
    return a->race && (a->race->flight_n || a->race->copy_n);
}
