/* Who asks first. The executor runs the blocks that open a launch one after another, so the first
 * of them finds in DRAM what all of them read. On a device they run at the same time: what a block
 * reads late, another one may have read long before, and a load of what others ask for at the same
 * time waits as long as theirs. For each half of a line that DRAM delivers, this file keeps how few
 * instructions a warp of these blocks had issued when it asked for it. Which block starts first
 * does not matter: it waits for DRAM where the others do not, so they catch up with it.
 *
 * If there are more halves than KEPT, only a part of them is kept, by a hash of their lines. What
 * is known of these then stands for the others that the same instruction loads. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/buffer.h"
#include "runner/device/sim/time/time.h"
#include "runner/device/sim/time/trace.h"

/* Halves that are kept; places for them, of which NEAR in a row are looked at; entries of streams
 * that are looked at; places for loads, by their low bits, and what is known of each. */
enum { KEPT = 1 << 12, PLACE_BITS = 13, PLACES = 1 << PLACE_BITS, NEAR = 16 };
enum { LOOKED_AT = 1 << 23, LOADS = 64, LAST = 64 };

typedef struct {
    uint64_t half;       /* << 16, and the launch's number; another number: free */
    uint32_t steps, own; /* own: the sampled block's, + 1; 0: none has asked */
} asked_first;

/* When a sampled block asked for a half, in the program's code and in the code that is recorded. */
typedef struct {
    uint32_t block, steps, recorded;
} asked_own;

/* An event of a sampled block, and its halves. */
typedef struct {
    sim_trace_event *event;
    double own; /* steps; until the block's last event: as recorded */
    uint32_t block, from, count;
} open_event;

struct sim_firsts {
    uint64_t opens; /* blocks that open the launch */
    asked_first *of;
    uint16_t launch;
    unsigned level; /* one line of 1 << level is kept */
    uint32_t kept;
    size_t looked;
    asked_own *own;
    open_event *events;
    uint64_t *half; /* of events */
    uint32_t own_count, own_cap, event_count, event_cap, half_count, half_cap, opened;
};

sim_firsts *sim_firsts_new(void) {
    return calloc(1, sizeof(sim_firsts));
}

void sim_firsts_free(sim_firsts *f) {
    if (!f) return;
    free(f->of);
    free(f->own);
    free(f->events);
    free(f->half);
    free(f);
}

void sim_firsts_begin(sim_firsts *f, uint64_t opens) {
    f->opens = opens;
    f->level = 0;
    f->looked = 0;
    f->kept = f->own_count = f->event_count = f->half_count = f->opened = 0;
    if (!++f->launch) {
        if (f->of) memset(f->of, 0, PLACES * sizeof *f->of);
        f->launch = 1;
    }
}

static inline uint64_t hashed(uint64_t line) {
    line *= 0x9E3779B97F4A7C15u;
    return line ^ line >> 29;
}
static inline bool is_kept(const sim_firsts *f, uint64_t line) {
    return !(hashed(line) & ((UINT64_C(1) << f->level) - 1));
}

/* Returns the place of the half, or, if `free_one`, one that it may take; NULL: there is none. */
static asked_first *half_of(const sim_firsts *f, uint64_t half, bool free_one) {
    asked_first *empty = NULL;
    if (!is_kept(f, half / 2)) return NULL;
    for (uint64_t k = (hashed(half / 2) >> (64 - PLACE_BITS)) + half % 2, end = k + NEAR; k < end;
         k++) {
        asked_first *x = &f->of[k % PLACES];
        if (x->half == (half << 16 | f->launch)) return x;
        bool old = (uint16_t)x->half != f->launch;
        if (!empty && (old || (f->level && !is_kept(f, x->half >> 17)))) empty = x;
        if (old) break;
    }
    return free_one ? empty : NULL;
}

static void note_own(sim_firsts *f, asked_first *x, uint32_t block, uint32_t steps) {
    asked_own *own = x->own ? &f->own[x->own - 1] : NULL;
    if (!own) {
        if (!f->own || f->own_count == f->own_cap) {
            uint32_t cap = f->own_cap ? 2 * f->own_cap : 1024;
            if (!lib_resize(&f->own, cap, sizeof *f->own) || !f->own) return;
            f->own_cap = cap;
        }
        own = &f->own[f->own_count++];
        own->block = UINT32_MAX;
        x->own = f->own_count;
    }
    if (own->block != block || steps < own->steps) *own = (asked_own){block, steps, UINT32_MAX};
}

static void note_half(sim_firsts *f, uint64_t half, bool missed, uint32_t block, uint32_t steps,
                      bool sampled) {
    asked_first *x = half_of(f, half, missed);
    if (!x) return; /* L2 had it before the launch, or it is not kept */
    if (x->half != (half << 16 | f->launch)) {
        *x = (asked_first){half << 16 | f->launch, steps, 0};
        if (++f->kept > KEPT) f->level++, f->kept /= 2;
    } else if (steps < x->steps) x->steps = steps;
    if (sampled) note_own(f, x, block, steps);
}

void sim_firsts_note(sim_firsts *f, uint64_t block, const sim_block_mem *mem, bool sampled) {
    size_t n = 0;
    const sim_stream_entry *e = sim_block_stream(mem, &n);
    if ((!f->kept && !sim_block_missed(mem)) || f->looked > LOOKED_AT) return;
    if (!f->of && !(f->of = calloc(PLACES, sizeof *f->of))) return;
    f->looked += n;
    for (size_t i = 0; i < n; i++)
        for (unsigned h = 0; h < 2 && e[i].op == SIM_STREAM_LOAD && is_kept(f, e[i].line); h++)
            if (e[i].sectors >> 2 * h & 3)
                note_half(f, e[i].line * 2 + h, e[i].missed >> 2 * h & 3, (uint32_t)block,
                          e[i].words, sampled);
}

/* Keeps the half for the event that is being opened; returns false if memory is out. */
static bool open_half(sim_firsts *f, uint64_t half) {
    if (f->half_count == f->half_cap) {
        uint32_t cap = f->half_cap ? 2 * f->half_cap : 1024;
        if (!lib_resize(&f->half, cap, sizeof *f->half)) return false;
        f->half_cap = cap;
    }
    f->half[f->half_count++] = half;
    return true;
}

static asked_own *own_of(const sim_firsts *f, uint64_t half, uint32_t block) {
    const asked_first *x = half_of(f, half, false);
    asked_own *own = x && x->own ? &f->own[x->own - 1] : NULL;
    return own && own->block == block ? own : NULL;
}

void sim_firsts_open(sim_firsts *f, uint64_t block, sim_trace_event *e, const sim_block_mem *mem) {
    size_t n = 0;
    const sim_stream_entry *s = sim_block_stream(mem, &n);
    uint32_t from = f->half_count;
    if (!f->kept || e->stream_at + (size_t)e->stream_n > n) return;
    for (const sim_stream_entry *i = s + e->stream_at, *end = i + e->stream_n; i < end; i++)
        for (unsigned h = 0; h < 2 && i->op == SIM_STREAM_LOAD; h++) {
            asked_own *own =
                i->sectors >> 2 * h & 3 ? own_of(f, i->line * 2 + h, (uint32_t)block) : NULL;
            if (!own || !open_half(f, i->line * 2 + h)) continue;
            if (i->words < own->recorded) own->recorded = i->words;
        }
    if (from == f->half_count) return;
    if (f->event_count == f->event_cap) {
        uint32_t cap = f->event_cap ? 2 * f->event_cap : 256;
        if (!lib_resize(&f->events, cap, sizeof *f->events)) return;
        f->event_cap = cap;
    }
    f->events[f->event_count++] =
        (open_event){e, s[e->stream_at].words, (uint32_t)block, from, f->half_count - from};
}

void sim_firsts_opened(sim_firsts *f) {
    for (; f->opened < f->event_count; f->opened++) {
        open_event *o = &f->events[f->opened];
        const asked_own *own = own_of(f, f->half[o->from + o->count - 1], o->block);
        if (own) o->own = (o->own + 1) * (own->steps + 1.0) / (own->recorded + 1.0) - 1;
    }
}

/* What is known of the halves that one load has asked for, the last ones. */
typedef struct {
    uint16_t pc_low;
    unsigned n;
    uint32_t first[LAST]; /* as in sim_trace_event */
} load_known;

/* An event waits for the half that was asked for last. If not all of its halves are kept, those
 * before it that the same load asked for stand for the others. */
static uint32_t last_of(const sim_firsts *f, const load_known *l, const sim_trace_event *e,
                        unsigned own) {
    unsigned n = f->level && e->stream_n > own ? e->stream_n : own;
    uint32_t last = 0;
    for (unsigned k = 0; k < n && k < LAST && k < l->n; k++) {
        uint32_t first = l->first[(l->n - 1 - k) % LAST];
        last = first > last ? first : last;
    }
    return last ? last : l->first[(l->n - 1) % LAST];
}

static uint64_t say_of_block(const sim_firsts *f, const sim_trace_block *b, load_known *of,
                             uint64_t all) {
    const open_event *o = f->events, *end = o + f->event_count;
    while (o < end && o->block != b->block) o++;
    for (unsigned w = 0; w < b->warp_count; w++)
        for (uint32_t i = 0; i < b->warps[w].at.event_count; i++) {
            sim_trace_event *e = &b->warps[w].events[i];
            load_known *l = &of[e->pc_low % LOADS];
            bool opened = o < end && o->event == e;
            unsigned own = 0;
            if (!opened && (!f->level || !e->ends[0])) continue;
            if (l->pc_low != e->pc_low) l->pc_low = e->pc_low, l->n = 0;
            for (uint32_t k = 0; opened && k < o->count; k++) {
                const asked_first *x = half_of(f, f->half[o->from + k], false);
                if (!x) continue;
                double part = (x->steps + 1.0) / (o->own + 1.0);
                l->first[l->n++ % LAST] = (uint32_t)fmin(fmax(part * SIM_FIRST_ONE, 1), UINT32_MAX);
                own++;
            }
            o += opened;
            if (!l->n || (!f->level && !own)) continue;
            e->first = last_of(f, l, e, own);
            all = (all ^ e->first) * 0x9E3779B97F4A7C15u;
        }
    return all;
}

uint64_t sim_firsts_settle(sim_firsts *f, const sim_trace *t) {
    uint64_t all = 0;
    load_known *of = f->event_count ? calloc(LOADS, sizeof *of) : NULL;
    for (unsigned k = 0; of && k < t->block_count; k++)
        if (t->blocks[k].block < f->opens) all = say_of_block(f, &t->blocks[k], of, all);
    free(of);
    f->event_count = 0;
    return all;
}
