#include "runner/sim/time/swaps.h"
#include <stdlib.h>

enum { SLOTS = 1 << 12 };

void sim_swaps_note(sim_swaps *s, const void *at, bool exchange) {
    if (!s->slots && (exchange || !(s->slots = calloc(SLOTS, sizeof *s->slots)))) return;
    uint32_t k = (uint32_t)((uintptr_t)at * 0x9E3779B97F4A7C15u >> 40) % SLOTS;
    while (s->slots[k].at && s->slots[k].at != at) k = (k + 1) % SLOTS;
    sim_swap *x = &s->slots[k];
    if (!x->at) {
        if (exchange || s->used >= SLOTS * 3 / 4) return;
        x->at = at;
        s->used++;
    }
    if (++x->times > s->most) s->most = x->times;
}

void sim_swaps_free(sim_swaps *s) {
    free(s->slots);
    *s = (sim_swaps){0};
}
