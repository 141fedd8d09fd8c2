/* Keeps the replays of a kernel's launches. Programs launch one kernel over and over. From the
 * second or third time on, its blocks find in the caches what the previous launch left there, do
 * and count the same, and would be replayed with the same result.
 *
 *   digests of the sampled blocks (trace.h) + rates of the units behind the multiprocessor
 *   (time_share)
 *     --as in an earlier launch--> the result of that launch's replay
 *     --otherwise--> time_replay(), whose result is kept */
#include "runner/device/sim/time/time_internal.h"
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* Replays kept for one kernel, which may be launched with several sets of arguments in turn. If the
 * kernel spans more than ROWS_MOST of its module (functions far from it), its waiting times by pc
 * are not kept, and replays that need them are repeated. */
enum { KEPT = 4, ROWS_MOST = 1 << 14 };

/* The complete input of a replay. */
typedef struct {
    const time_code *code;
    time_share share;
    uint64_t trace;
} replay_input;

typedef struct {
    replay_input of; /* its code is NULL: this entry is empty */
    time_usage usage;
    time_places *places; /* only the rows from `first` to `end`; NULL: they were not asked for */
} kept_replay;

struct time_kept {
    uint64_t seed;
    kept_replay replay[KEPT];
    unsigned next; /* the oldest */
};

time_kept *time_kept_new(void) {
    time_kept *k = calloc(1, sizeof *k);
    if (!k) return NULL;
    if (getrandom(&k->seed, sizeof k->seed, GRND_NONBLOCK) < 0) k->seed = (uintptr_t)k;
    return k;
}

uint64_t time_kept_seed(const time_kept *k) {
    return k->seed;
}

void time_kept_free(time_kept *k) {
    if (!k) return;
    for (unsigned n = 0; n < KEPT; n++) time_places_free(k->replay[n].places);
    free(k);
}

static bool same_share(const time_share *a, const time_share *b) {
    _Static_assert(sizeof *a == 16 * sizeof(double), "has a member that is not looked at");
    return a->l2_line_cycles == b->l2_line_cycles && a->l2_sector_cycles == b->l2_sector_cycles &&
           a->l2_store_cycles == b->l2_store_cycles &&
           a->l2_written_cycles == b->l2_written_cycles &&
           a->l2_filled_cycles == b->l2_filled_cycles && a->dram_alone == b->dram_alone &&
           a->dram_sector_cycles == b->dram_sector_cycles &&
           a->displaced_cycles == b->displaced_cycles &&
           a->dram_write_cycles == b->dram_write_cycles && a->atom_cycles == b->atom_cycles &&
           a->atom_even == b->atom_even && a->dispatch_cycles == b->dispatch_cycles &&
           a->swaps == b->swaps && a->l1_bytes == b->l1_bytes && a->resident == b->resident &&
           a->blocks == b->blocks && a->budget == b->budget;
}

static bool same_input(const replay_input *a, const replay_input *b) {
    return a->code == b->code && a->trace == b->trace && same_share(&a->share, &b->share);
}

static const kept_replay *find(const time_kept *k, const replay_input *in, bool places) {
    for (unsigned n = 0; n < KEPT; n++)
        if (same_input(&k->replay[n].of, in) && (k->replay[n].places || !places))
            return &k->replay[n];
    return NULL;
}

static size_t row_count(const time_places *p) {
    return p->end > p->first ? p->end - p->first : 0;
}

/* Returns NULL if there are too many, or if memory is out. */
static time_places *places_kept(const time_places *from) {
    size_t n = row_count(from);
    time_places *p = n <= ROWS_MOST ? calloc(1, sizeof *p) : NULL;
    if (!p) return NULL;
    *p = (time_places){.first = from->first, .end = from->end, .span_count = from->span_count};
    p->stall = malloc((n * SIM_STALL_COUNT + 1) * sizeof *p->stall);
    p->caused = malloc((n + 1) * sizeof *p->caused);
    p->issued = malloc((n + 1) * sizeof *p->issued);
    p->spans = malloc((p->span_count + 1) * sizeof *p->spans);
    if (!p->stall || !p->caused || !p->issued || !p->spans) {
        time_places_free(p);
        return NULL;
    }
    memcpy(p->stall, from->stall + (size_t)from->first * SIM_STALL_COUNT,
           n * SIM_STALL_COUNT * sizeof *p->stall);
    memcpy(p->caused, from->caused + from->first, n * sizeof *p->caused);
    memcpy(p->issued, from->issued + from->first, n * sizeof *p->issued);
    memcpy(p->spans, from->spans, p->span_count * sizeof *p->spans);
    return p;
}

static void places_given(const time_places *kept, time_places *to) {
    size_t n = row_count(kept);
    to->first = kept->first, to->end = kept->end, to->span_count = kept->span_count;
    memcpy(to->stall + (size_t)to->first * SIM_STALL_COUNT, kept->stall,
           n * SIM_STALL_COUNT * sizeof *to->stall);
    memcpy(to->caused + to->first, kept->caused, n * sizeof *to->caused);
    memcpy(to->issued + to->first, kept->issued, n * sizeof *to->issued);
    memcpy(to->spans, kept->spans, to->span_count * sizeof *to->spans);
}

static void kept_add(time_kept *k, const replay_input *in, const time_places *places,
                     const time_usage *usage) {
    kept_replay *r = &k->replay[k->next];
    time_places_free(r->places);
    *r = (kept_replay){.usage = *usage, .places = places ? places_kept(places) : NULL};
    if (places && !r->places) return; /* too many rows, or out of memory */
    r->of = *in;
    k->next = (k->next + 1) % KEPT;
}

bool time_replay_once(time_kept *k, const time_code *code, const sim_trace *t,
                      const time_share *share, time_places *places, time_usage *out) {
    replay_input in = {code, *share, k ? sim_trace_digest(t) : 0};
    if (!in.trace) return time_replay(code, t, share, places, out);
    const kept_replay *r = find(k, &in, places);
    if (!r) {
        bool ok = time_replay(code, t, share, places, out);
        if (ok) kept_add(k, &in, places, out);
        return ok;
    }
    *out = r->usage;
    if (places) places_given(r->places, places);
    return true;
}
