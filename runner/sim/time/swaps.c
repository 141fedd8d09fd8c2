#include "runner/sim/time/swaps.h"
#include <stdlib.h>

enum { SLOTS = 1 << 12 };

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
    if (x->warp != warp) x->warp = warp, x->lanes = 0;
    if (!(x->lanes >> lane & 1)) x->threads++;
    x->lanes |= 1u << lane;
    x->opened |= exchange;
    if (++x->times >= s->most) s->most = x->times, s->threads = x->opened ? 0 : x->threads;
}

/* Each change needs an attempt of everybody who still waits: n (n + 1) / 2 for n threads with a turn
 * each, as measured up to 256. Among many, most wait behind their own multiprocessor's others and
 * have not tried when the next one succeeds: a quarter of that (fitted). */
double sim_swaps_tries(double changes, double threads) {
    return changes * (threads + 1) / 2 * (0.25 + 0.75 / (1 + threads / 2500));
}

void sim_swaps_free(sim_swaps *s) {
    free(s->slots);
    *s = (sim_swaps){0};
}
