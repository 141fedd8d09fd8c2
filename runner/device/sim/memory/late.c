#include "runner/device/sim/memory/late.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    SLOTS = 4096,
    UNIT = 8,
    LOADS = 8, /* most loads that do not see a late store yet */
    /* Once the same warp has stored elsewhere, most loads that do not see one in MANY late stores:
     * whoever sees a flag cannot wait for the data by loading them a dozen times. The last store
     * of a warp, which others may wait for in a loop, is seen soon. */
    MANY_LOADS = 1024,
    MANY = 16
};

typedef struct {
    sim_late_thread who;
    uint64_t at, was;
    uint64_t seen; /* the last access that saw `was`, for all of its lanes */
    uint32_t block_then, warp_then;
    uint16_t left; /* accesses that will still see it */
    uint8_t bytes;
} late_store;

/* What was stored to 8 bytes: as a whole (the first), or to each word of them. */
typedef struct {
    late_store half[2];
} late_unit;

struct sim_late {
    uint64_t draw, access, blocks;
    unsigned warps;
    uint32_t *block, *warp; /* releases of each block, and of each warp of each block */
    uint64_t *last;         /* the address of each warp's last late store, plus 1; 0: none */
    pthread_mutex_t lock;
    late_unit unit[SLOTS];
};

sim_late *sim_late_new(uint64_t draw, uint64_t blocks, unsigned warps) {
    sim_late *l = calloc(1, sizeof *l);
    if (!l) return NULL;
    pthread_mutex_init(&l->lock, NULL);
    l->draw = draw;
    l->blocks = blocks;
    l->warps = warps;
    l->block = calloc(blocks + 1, sizeof *l->block);
    l->warp = calloc(blocks * warps + 1, sizeof *l->warp);
    l->last = calloc(blocks * warps + 1, sizeof *l->last);
    if (l->block && l->warp && l->last) return l;
    sim_late_free(l);
    return NULL;
}

void sim_late_free(sim_late *l) {
    if (!l) return;
    pthread_mutex_destroy(&l->lock);
    free(l->block);
    free(l->warp);
    free(l->last);
    free(l);
}

/* A block that is none of the launch shares a count that nobody raises. */
static uint32_t *block_count(const sim_late *l, uint64_t block) {
    return &l->block[block < l->blocks ? block : l->blocks];
}
static uint32_t *warp_count(const sim_late *l, uint64_t block, unsigned warp) {
    return &l->warp[block < l->blocks ? block * l->warps + warp : l->blocks * l->warps];
}

void sim_late_release(sim_late *l, uint64_t block, unsigned warp) {
    if (block >= l->blocks) return;
    __atomic_add_fetch(block_count(l, block), 1, __ATOMIC_RELEASE);
    __atomic_add_fetch(warp_count(l, block, warp), 1, __ATOMIC_RELEASE);
}

void sim_late_begin(sim_late *l) {
    pthread_mutex_lock(&l->lock);
    l->access++;
}

void sim_late_end(sim_late *l) {
    pthread_mutex_unlock(&l->lock);
}

static uint64_t late_mix(uint64_t h, uint64_t v) {
    h = (h ^ v) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

static late_unit *late_place(sim_late *l, uint64_t at) {
    return &l->unit[late_mix(1, at / UNIT) % SLOTS];
}

static bool overlaps(const late_store *s, uint64_t at, unsigned bytes) {
    return s->at < at + bytes && at < s->at + s->bytes;
}

void sim_late_drop(sim_late *l, uint64_t at, unsigned bytes) {
    for (uint64_t x = at / UNIT * UNIT; x < at + bytes; x += UNIT)
        for (unsigned k = 0; k < 2; k++) {
            late_store *s = &late_place(l, x)->half[k];
            if (overlaps(s, at, bytes)) *s = (late_store){0};
        }
}

/* The warp stores elsewhere: its store before this one may stay late for long. */
static void stay_late(sim_late *l, const sim_late_thread *who, uint64_t h) {
    uint64_t *last = &l->last[warp_count(l, who->block, who->warp) - l->warp];
    if (*last) {
        late_store *s = &late_place(l, *last - 1)->half[(*last - 1) / 4 % 2];
        if (s->at == *last - 1 && s->who.block == who->block && s->who.warp == who->warp &&
            s->left && h % MANY == 0)
            s->left = (uint16_t)(1 + h / MANY % MANY_LOADS);
    }
    *last = 0;
}

void sim_late_store(sim_late *l, const sim_late_thread *who, uint64_t at, unsigned bytes,
                    uint64_t was) {
    sim_late_drop(l, at, bytes);
    uint64_t h = late_mix(late_mix(late_mix(late_mix(l->draw, at), was), who->block), who->warp);
    stay_late(l, who, h >> 8);
    if (h & 1) return;
    l->last[warp_count(l, who->block, who->warp) - l->warp] = at + 1;
    late_place(l, at)->half[at / 4 % 2] = (late_store){
        .who = *who,
        .at = at,
        .was = was,
        .block_then = __atomic_load_n(block_count(l, who->block), __ATOMIC_ACQUIRE),
        .warp_then = __atomic_load_n(warp_count(l, who->block, who->warp), __ATOMIC_ACQUIRE),
        .bytes = (uint8_t)bytes,
        .left = (uint16_t)(1 + (h >> 1) % LOADS)};
}

/* Does the store come before what `who` does now? */
static bool late_ordered(const sim_late *l, const late_store *s, const sim_late_thread *who) {
    const sim_late_thread *by = &s->who;
    if (by->block != who->block)
        return __atomic_load_n(block_count(l, by->block), __ATOMIC_ACQUIRE) != s->block_then;
    return by->warp == who->warp || by->barriers != who->barriers ||
           __atomic_load_n(warp_count(l, by->block, by->warp), __ATOMIC_ACQUIRE) != s->warp_then;
}

bool sim_late_load(sim_late *l, const sim_late_thread *who, uint64_t at, unsigned bytes,
                   uint64_t *value) {
    late_unit *u = late_place(l, at);
    bool older = false;
    for (unsigned k = 0; k < 2; k++) {
        late_store *s = &u->half[k];
        if (!overlaps(s, at, bytes) || late_ordered(l, s, who)) continue;
        if (s->seen != l->access) {
            if (!s->left) continue;
            s->left--;
            s->seen = l->access;
        }
        uint8_t now[8], was[8];
        memcpy(now, value, 8), memcpy(was, &s->was, 8);
        for (unsigned b = 0; b < bytes; b++)
            if (at + b - s->at < s->bytes) now[b] = was[at + b - s->at];
        memcpy(value, now, 8);
        older = true;
    }
    return older;
}
