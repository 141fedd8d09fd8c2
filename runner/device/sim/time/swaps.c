#include "runner/device/sim/time/swaps.h"
#include <stdlib.h>

/* Bytes of neighbouring lines in one slice, as sim_access_launch_slices() counts them. */
enum { SLOTS = 1 << 12, SECTOR = 32, SLICE = 512 };
/* Pairs of a word and a warp that are kept. Warps beyond count anew each time they come back. */
enum { KEPT = 1 << 16 };

/* Returns the lanes of that warp which have changed the word of the slot before; NULL: not kept. */
static uint32_t *kept_lanes(sim_swaps *s, uint32_t slot, uint64_t warp) {
    uint64_t who = (warp + 1) * SLOTS + slot;
    uint32_t k = (uint32_t)(who * 0x9E3779B97F4A7C15u >> 40) % KEPT;
    if (!s->kept && !(s->kept = calloc(KEPT, sizeof *s->kept))) return NULL;
    while (s->kept[k].who && s->kept[k].who != who) k = (k + 1) % KEPT;
    if (!s->kept[k].who) {
        if (s->kept_count >= KEPT / 2) return NULL;
        s->kept_count++;
        s->kept[k].who = who;
    }
    return &s->kept[k].lanes;
}

/* Another warp than the last one changes the word of the slot. */
static void next_warp(sim_swaps *s, uint32_t slot, uint64_t warp) {
    sim_swap *x = &s->slots[slot];
    uint32_t *lanes = x->times ? kept_lanes(s, slot, x->warp) : NULL;
    if (lanes) *lanes = x->lanes;
    lanes = x->times ? kept_lanes(s, slot, warp) : NULL;
    x->warp = warp;
    x->lanes = lanes ? *lanes : 0;
}

void sim_swaps_note(sim_swaps *s, const void *at, bool exchange, uint64_t warp, unsigned lane) {
    if (!s->slots && (exchange || !(s->slots = calloc(SLOTS, sizeof *s->slots)))) return;
    uint32_t k = (uint32_t)((uintptr_t)at * 0x9E3779B97F4A7C15u >> 40) % SLOTS;
    while (s->slots[k].at && s->slots[k].at != at) k = (k + 1) % SLOTS;
    sim_swap *x = &s->slots[k];
    if (!x->at) {
        if (exchange || s->used >= SLOTS * 3 / 4) return;
        x->at = at;
        x->warp = ~warp;
        s->used++;
    }
    if (x->warp != warp) next_warp(s, k, warp);
    if (!(x->lanes >> lane & 1)) x->threads++;
    x->lanes |= 1u << lane;
    x->opened |= exchange;
    if (++x->times < s->most) return;
    s->most = x->times;
    s->holders = x->threads;
    s->threads = x->opened ? 0 : x->threads;
}

/* Each change needs an attempt of every thread that still waits: n (n + 1) / 2 for n threads with
 * one turn each, as measured up to 256. With more threads, most wait for others of their own
 * multiprocessor and have not tried when the next one succeeds: a quarter of that (fitted). */
double sim_swaps_tries(double changes, double threads) {
    return changes * (threads + 1) / 2 * (0.25 + 0.75 / (1 + threads / 2500));
}

static int by_place(const void *a, const void *b) {
    uintptr_t x = (uintptr_t)((const sim_swap *)a)->at, y = (uintptr_t)((const sim_swap *)b)->at;
    return (x > y) - (x < y);
}

double sim_swaps_attempts(const sim_swaps *s, double resident) {
    sim_swap *all = s->used ? malloc(s->used * sizeof *all) : NULL;
    double most = 0, slice = 0, sector = 0;
    uint32_t n = 0;
    for (uint32_t k = 0; all && k < SLOTS; k++)
        if (s->slots[k].at && !s->slots[k].opened) all[n++] = s->slots[k];
    if (n) qsort(all, n, sizeof *all, by_place);
    for (uint32_t k = 0; k < n; k++) {
        uintptr_t at = (uintptr_t)all[k].at, before = k ? (uintptr_t)all[k - 1].at : ~at;
        double threads = all[k].threads < resident ? all[k].threads : resident,
               tries = threads > 1 ? sim_swaps_tries(all[k].times, threads) : 0;
        bool together = at / SECTOR == before / SECTOR && all[k].warp == all[k - 1].warp;
        if (!together) slice += sector, sector = 0;
        if (at / SLICE != before / SLICE) slice = 0;
        if (tries > sector) sector = tries;
        if (slice + sector > most) most = slice + sector;
    }
    free(all);
    return most;
}

uint64_t sim_swaps_changes(const sim_swaps *s) {
    uint64_t sum = 0;
    for (uint32_t k = 0; s->used && k < SLOTS; k++)
        if (!s->slots[k].opened) sum += s->slots[k].times;
    return sum;
}

void sim_swaps_free(sim_swaps *s) {
    free(s->slots);
    free(s->kept);
    *s = (sim_swaps){0};
}
