#include "runner/device/sim/time/meets.h"
#include <stdlib.h>
#include <string.h>
#include "runner/base/buffer.h"

/* Words that are told apart; further ones count as one group, the last. */
enum { SLOTS_LEAST = 256, SLOTS_MOST = 1 << 17 };

typedef struct {
    uint32_t count, last; /* writes; number of the last one among all */
    uint64_t path;
    uint32_t ended[2]; /* of an mbarrier, by parity: writes until that phase was over */
    bool polled, parity;
} group;
typedef struct {
    uint64_t at; /* + 1; 0: free */
    uint16_t group;
} slot;
struct sim_meets {
    slot *slots;
    group *groups; /* [0] is not used */
    uint32_t cap, used, group_cap, group_count, writes;
    double each;
};

sim_meets *sim_meets_new(double each) {
    sim_meets *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->slots = calloc(s->cap = SLOTS_LEAST, sizeof *s->slots);
    s->groups = calloc(s->group_cap = SLOTS_LEAST, sizeof *s->groups);
    s->group_count = 1;
    s->each = each;
    if (s->slots && s->groups) return s;
    sim_meets_free(s);
    return NULL;
}

void sim_meets_free(sim_meets *s) {
    if (!s) return;
    free(s->slots);
    free(s->groups);
    free(s);
}

void sim_meets_begin(sim_meets *s) {
    if (s->used) memset(s->slots, 0, s->cap * sizeof *s->slots);
    s->used = s->writes = 0;
    s->group_count = 1;
}

static slot *slot_of(slot *slots, uint32_t cap, uint64_t at) {
    uint32_t k = (uint32_t)(at * 0x9E3779B97F4A7C15u >> 32) & (cap - 1);
    while (slots[k].at && slots[k].at != at + 1) k = (k + 1) & (cap - 1);
    return &slots[k];
}

static bool room_for_one(sim_meets *s) {
    if (s->used < s->cap / 2) return true;
    if (s->cap >= SLOTS_MOST) return false;
    slot *more = calloc((size_t)s->cap * 2, sizeof *more);
    if (!more) return false;
    for (uint32_t k = 0; k < s->cap; k++)
        if (s->slots[k].at) *slot_of(more, s->cap * 2, s->slots[k].at - 1) = s->slots[k];
    free(s->slots);
    s->slots = more;
    s->cap *= 2;
    return true;
}

static uint16_t group_new(sim_meets *s) {
    if (s->group_count == SIM_MEETS_MOST) return SIM_MEETS_MOST - 1;
    if (s->group_count == s->group_cap) {
        if (!lib_resize(&s->groups, (size_t)s->group_cap * 2, sizeof *s->groups))
            return (uint16_t)(s->group_count - 1);
        s->group_cap *= 2;
    }
    s->groups[s->group_count] = (group){0};
    return (uint16_t)s->group_count++;
}

/* Returns the word's group. A new word gets `with`, or, if that is 0, a group of its own. */
static uint16_t group_of(sim_meets *s, uint64_t at, uint16_t with) {
    slot *x = slot_of(s->slots, s->cap, at / SIM_WORD_BYTES);
    if (x->at) return x->group;
    if (!room_for_one(s)) {
        while (s->group_count < 2) group_new(s);
        return (uint16_t)(s->group_count - 1);
    }
    x = slot_of(s->slots, s->cap, at / SIM_WORD_BYTES);
    *x = (slot){at / SIM_WORD_BYTES + 1, with ? with : group_new(s)};
    s->used++;
    return x->group;
}

static sim_meets_at meets_of(const sim_meets *s, uint16_t of) {
    const group *g = &s->groups[of];
    return (sim_meets_at){of, (uint16_t)g->count, g->polled, g->path};
}

sim_meets_at sim_meets_write(sim_meets *s, const uint64_t *at, unsigned n, uint64_t path,
                             bool own) {
    uint16_t first = group_of(s, at[0], 0), before = 0;
    sim_meets_at out = meets_of(s, first);
    s->writes++;
    for (unsigned k = 0; k < n; k++) {
        uint16_t of = k ? group_of(s, at[k], first) : first;
        group *g = &s->groups[of];
        if (of == before || g->last == s->writes) continue; /* once an instruction */
        before = of;
        g->count += own;
        g->last = s->writes;
        g->path = sim_path_later(g->path, path, s->each);
        out.polled |= g->polled;
    }
    return out;
}

sim_meets_at sim_meets_poll(sim_meets *s, const uint64_t *at, unsigned n) {
    uint16_t latest = 0;
    for (unsigned k = 0; k < n; k++) {
        uint16_t of = group_of(s, at[k], 0);
        s->groups[of].polled = true;
        if (!latest || s->groups[of].last > s->groups[latest].last) latest = of;
    }
    return meets_of(s, latest);
}

sim_meets_at sim_meets_phase(sim_meets *s, uint64_t at, bool parity, bool polls) {
    uint16_t of = group_of(s, at, 0);
    group *g = &s->groups[of];
    if (g->parity != parity) g->ended[g->parity] = g->count;
    g->parity = parity;
    sim_meets_at out = meets_of(s, of);
    out.turn = (uint16_t)g->ended[!parity];
    g->polled |= polls;
    return out;
}
