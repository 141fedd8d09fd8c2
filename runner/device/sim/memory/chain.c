#include "runner/device/sim/memory/chain.h"
#include <stdlib.h>

enum { ROOM = 1 << 17, MOST = 1 << 16 };
typedef struct {
    uint64_t at, block; /* at: 0: none */
    sim_chain_place place;
} chain_word;
struct sim_chain {
    chain_word word[ROOM];
    unsigned count;
    sim_chain_place longest;
};

sim_chain *sim_chain_new(void) {
    return calloc(1, sizeof(sim_chain));
}

void sim_chain_free(sim_chain *c) {
    free(c);
}

static chain_word *word_at(sim_chain *c, uint64_t at) {
    uint32_t k = (uint32_t)(at * 0x9E3779B97F4A7C15u >> 40) % ROOM;
    while (c->word[k].at && c->word[k].at != at) k = (k + 1) % ROOM;
    return &c->word[k];
}

static double steps(const sim_chain_place *p) {
    return p->words + p->windows;
}

void sim_chain_store(sim_chain *c, uint64_t at, uint64_t block, const sim_chain_place *place) {
    chain_word *w = word_at(c, at);
    if (!w->at && c->count >= MOST) return;
    c->count += !w->at;
    *w = (chain_word){at, block, *place};
}

void sim_chain_load(sim_chain *c, const uint64_t *at, unsigned n, uint64_t block,
                    sim_chain_place *place) {
    const chain_word *last = NULL;
    unsigned others = 0, words = 0;
    for (unsigned k = 0; k < n; k++) {
        const chain_word *w = word_at(c, at[k]);
        if (!w->at || w->block == block) continue;
        others++;
        words += others == 1 || at[k] != at[k - 1];
        if (!last || steps(&w->place) > steps(&last->place)) last = w;
    }
    if (!last) return;
    sim_chain_place to = last->place;
    if (words > 1) to.windows += 1.0 / words;
    else to.words++;
    if (steps(&to) <= steps(place)) return;
    *place = to;
    if (steps(&to) > steps(&c->longest)) c->longest = to;
}

sim_chain_place sim_chain_longest(const sim_chain *c) {
    return c ? c->longest : (sim_chain_place){0, 0};
}
