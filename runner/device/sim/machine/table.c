#include "runner/device/sim/machine/table.h"
#include <stdlib.h>
#include <sys/random.h>
#include "runner/base/clock.h"

struct sim_table_slot {
    uint64_t key;
    uint32_t value; /* 0: free */
};

static size_t table_hash(const sim_table *m, uint64_t key) {
    uint64_t h = (key ^ m->seed) * 0x9E3779B97F4A7C15u;
    h = (h ^ h >> 32 ^ m->seed >> 17) * 0xBF58476D1CE4E5B9u;
    return (size_t)(h ^ h >> 29);
}

/* Returns the key's slot, or the free one where the key would be put. */
static struct sim_table_slot *table_find(const sim_table *m, uint64_t key) {
    for (size_t at = table_hash(m, key);; at++) {
        struct sim_table_slot *s = &m->slots[at & (m->cap - 1)];
        if (!s->value || s->key == key) return s;
    }
}

uint32_t sim_table_get(const sim_table *m, uint64_t key) {
    return m->cap ? table_find(m, key)->value : 0;
}

static bool table_grow(sim_table *m) {
    sim_table more = {.cap = m->cap ? m->cap * 2 : 64, .seed = m->seed, .count = m->count};
    more.slots = calloc(more.cap, sizeof *more.slots);
    if (!more.slots) return false;
    if (!more.seed && getrandom(&more.seed, sizeof more.seed, GRND_NONBLOCK) < 0)
        more.seed = lib_now_ns() ^ (uintptr_t)more.slots;
    for (size_t k = 0; k < m->cap; k++)
        if (m->slots[k].value) *table_find(&more, m->slots[k].key) = m->slots[k];
    free(m->slots);
    *m = more;
    return true;
}

bool sim_table_put(sim_table *m, uint64_t key, uint32_t value) {
    if (m->count * 2 >= m->cap && !table_grow(m)) return false;
    struct sim_table_slot *s = table_find(m, key);
    m->count += !s->value;
    *s = (struct sim_table_slot){key, value};
    return true;
}

void sim_table_free(sim_table *m) {
    free(m->slots);
    *m = (sim_table){0};
}
