#include "runner/base/map.h"
#include <stdlib.h>
#include <sys/random.h>
#include "runner/base/clock.h"

struct lib_map_slot {
    uint64_t key;
    uint32_t value; /* 0: free */
};

static size_t map_hash(const lib_map *m, uint64_t key) {
    uint64_t h = (key ^ m->seed) * 0x9E3779B97F4A7C15u;
    h = (h ^ h >> 32 ^ m->seed >> 17) * 0xBF58476D1CE4E5B9u;
    return (size_t)(h ^ h >> 29);
}

/* The key's slot, or the free one where it would be. */
static struct lib_map_slot *map_find(const lib_map *m, uint64_t key) {
    for (size_t at = map_hash(m, key);; at++) {
        struct lib_map_slot *s = &m->slots[at & (m->cap - 1)];
        if (!s->value || s->key == key) return s;
    }
}

uint32_t lib_map_get(const lib_map *m, uint64_t key) {
    return m->cap ? map_find(m, key)->value : 0;
}

static bool map_grow(lib_map *m) {
    lib_map more = {.cap = m->cap ? m->cap * 2 : 64, .seed = m->seed, .count = m->count};
    more.slots = calloc(more.cap, sizeof *more.slots);
    if (!more.slots) return false;
    if (!more.seed && getrandom(&more.seed, sizeof more.seed, GRND_NONBLOCK) < 0)
        more.seed = lib_now_ns() ^ (uintptr_t)more.slots;
    for (size_t k = 0; k < m->cap; k++)
        if (m->slots[k].value) *map_find(&more, m->slots[k].key) = m->slots[k];
    free(m->slots);
    *m = more;
    return true;
}

bool lib_map_put(lib_map *m, uint64_t key, uint32_t value) {
    if (m->count * 2 >= m->cap && !map_grow(m)) return false;
    struct lib_map_slot *s = map_find(m, key);
    m->count += !s->value;
    *s = (struct lib_map_slot){key, value};
    return true;
}

void lib_map_free(lib_map *m) {
    free(m->slots);
    *m = (lib_map){0};
}
