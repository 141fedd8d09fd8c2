/* What the executor writes down of a launch so that its time can be modelled afterwards (time.h).
 *
 *   sim_trace_new(): picks a few blocks --executor, in those blocks only--> runs and events of each
 *     warp --block committed to L2: sim_trace_resolve()--> what of them L2 had --time_model()-->
 *       time, limiter
 *
 * Sampled are the blocks that one multiprocessor would hold at the start of the launch, and as many
 * that another has later. Which ones is drawn, where a program must not know them. Block b (linear:
 * x fastest) runs on multiprocessor b % sms: the L1 model and the sample both use this rule.
 *
 * A warp's stream has two parts, so that straight-line code costs almost nothing to record:
 *   runs    [first, first + count): instructions executed one after another, whatever lanes were on
 *   events  one for each executed instruction that touched memory or waited, and for each division,
 *           reciprocal or square root that took its slow path, in the order executed
 *
 * A `pc` is the instruction's index counted through the whole module: the insn_counts of the
 * functions before its own in ptx_module.funcs, plus its index in ptx_func.insns. Fragments of a
 * diverged warp are simply recorded in the order they ran.
 *
 * A round of a waiting loop that changed nothing is not kept: a poll that found what the one before
 * had found, or asked for the same words and has to ask again, whatever it counted. How many there
 * are says how the simulated device takes turns, not what hardware waits for. The first stays, as
 * does the last, which finds it. A round that computes for the next one (a sum, a product) is work:
 * it stays, too.
 *
 * Recording is bounded: past its share of the budget a warp only counts, and the model
 * extrapolates. */
#ifndef WARPLAB_TRACE_H
#define WARPLAB_TRACE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "runner/device/sim/sim.h"
#include "runner/device/sim/access/access.h"
#include "runner/device/sim/ptx/ptx.h"

typedef struct sim_trace sim_trace;

/* What one warp instruction did to memory, or that it waited. */
typedef struct {
    uint16_t pc_low; /* pc & 0xffff: events and runs are checked against each other with it */
    uint8_t space;   /* sim_space, generic addresses resolved; for barriers the barrier's number */
    uint8_t lanes;   /* active lanes; for barriers 0 */
    uint16_t bytes_lane; /* access width per lane */
    /* as sim_access_cost; global loads: passes over the banks of L1; global atomics:
     * sim_trace_atom_passes(); bar: warps expected, 0: all; division, reciprocal, square root: why
     * the slow path was taken (slow.h); match.any: values that the lanes have */
    uint16_t passes;
    uint16_t lines, sectors, l1_hits; /* as sim_access_cost */
    union {
        uint16_t distinct; /* as sim_access_cost; bulk copies, arrivals behind copies and waits:
                              their mbarriers, a bit each (special/async.h) */
        uint16_t had; /* global loads whose lines L1 has all: passes where none is on its way */
    };
    uint16_t stream_n; /* entries in the block's stream of L2 accesses */
    /* Set by sim_trace_resolve(): sectors that a store writes in part; of a load that L2 had all
     * of, how many blocks before this one brought a line of it, if so few that it may still be on
     * its way, else 0. */
    union {
        uint16_t parts, late;
    };
    uint32_t stream_at;  /* of an atomic on shared memory the first lane's word */
    uint16_t l2_sectors; /* set by sim_trace_resolve(): sectors sent to L2 */
    uint16_t misses;     /* of those, sectors that DRAM had to give */
    /* Of a global load, the sectors of its first and last lane (0: it is none), by address; once
     * sim_trace_resolve() has been there by numbers, four to a line, lines from 1 on as the block
     * meets them, so that launches on other memory are alike. */
    uint32_t ends[2];
} sim_trace_event;

typedef struct {
    uint32_t first, count;
} sim_trace_run;

/* How far a stream has come. */
typedef struct {
    uint32_t run_count, event_count;
    uint32_t first, next; /* the run being recorded: [first, next) */
    uint32_t room;        /* instructions that may still be recorded */
    bool off;             /* nothing more is recorded (no room or no memory) */
    uint64_t steps;       /* instructions executed, recorded or not */
} sim_trace_place;

typedef struct {
    sim_trace_run *runs;
    sim_trace_event *events;
    uint32_t run_cap, event_cap;
    sim_trace_place at;
    struct {
        bool set;
        uint32_t pc;
        uint64_t state, asked, round; /* steps of a round that changed nothing; 0: none yet */
        sim_trace_place at;
    } wait;         /* sim_trace_round() */
    uint64_t asked; /* where this round has read, a hash */
    bool changed;   /* this round has changed memory, or did more that others see */
} sim_trace_warp;

typedef struct {
    uint64_t block; /* linear index */
    unsigned warp_count;
    sim_trace_warp *warps; /* warp_count */
    bool done;             /* set by sim_trace_finish() */
    uint64_t alone;        /* sim_seg.alone, of its warps; 0: nobody asks */
    uint32_t *segs;        /* times its warps ran each segment of the image; NULL: nobody asks */
    uint64_t digest;       /* then: of what its warps did; before that the seed */
} sim_trace_block;

struct sim_trace {
    sim_trace_block *blocks; /* ascending block index */
    unsigned block_count;
    /* the first this many blocks open the launch, the rest are of its middle */
    unsigned first_count;
    unsigned sm; /* where the first group runs */
    bool all;    /* every block is there, one of a multiprocessor each */
    uint64_t slice_ops
        [SIM_L2_SLICES];    /* of the whole launch: set by the caller, sim_access_launch_slices() */
    uint64_t slice_in_turn; /* what that returned; 0: the busiest slice's */
    /* Set by sim_trace_resolve(): */
    /* lines read from DRAM, and how many of their 64-byte halves */
    uint64_t dram_lines, dram_halves, dram_sectors;
    /* sectors of memory that lies on the host (SIM_ALLOC_REMOTE) */
    uint64_t link_read, link_written;
    uint64_t peer_read, peer_written;  /* of memory of another device */
    const struct sim_memory *memory;   /* set by the caller: tells which that are; may be NULL */
    uint64_t seed;                     /* of digests, set by the caller: time_kept_seed() */
    struct sim_trace_brought *brought; /* lines that the last blocks had DRAM give */
};

/* Chooses what to sample. `resident` is sim_occupancy.blocks. draw: a number that says which; 0:
 * blocks of multiprocessor 0, and of another one from the launch's middle. NULL when out of memory:
 * the launch then simply has no time. */
sim_trace *sim_trace_new(const sim_profile *p, uint64_t grid_blocks, unsigned warps_per_block,
                         unsigned resident, uint64_t draw);
/* The same, led by the blocks of multiprocessor `sm`; -1: of one that is drawn. */
sim_trace *sim_trace_of(const sim_profile *p, uint64_t grid_blocks, unsigned warps_per_block,
                        unsigned resident, uint64_t draw, int sm);
void sim_trace_free(sim_trace *t);

/* Where all blocks were looked at: the one with most to do, by `alone` or by what its warps
 * executed; else 0. It takes the first place of this trace, and of others that are like it, and so
 * decides the launch's time. */
unsigned sim_trace_longest(const sim_trace *t);
void sim_trace_lead(sim_trace *t, unsigned k);

/* Of numbers that are drawn the n-th, below `end`. */
uint64_t sim_trace_draw(uint64_t draw, unsigned n, uint64_t end);

/* NULL if this block is not sampled: the usual case, then nothing is recorded. Any thread; each
 * block is one thread's at a time. */
sim_trace_block *sim_trace_block_begin(sim_trace *t, uint64_t block);
/* When all its warps have exited and the block was committed to L2 (sim_block_commit()). Any
 * thread. */
void sim_trace_resolve(sim_trace *t, sim_trace_block *b, const sim_block_mem *mem);
/* A block that is not sampled was committed: the next ones may find on its way what it asked DRAM
 * for. */
void sim_trace_pass(sim_trace *t, uint64_t block, const sim_block_mem *mem);
/* The same as sim_trace_resolve() without caches to ask: the events' l2_sectors and misses stay as
 * they are. */
void sim_trace_finish(sim_trace_block *b);
/* Of all that was recorded: the same for launches that are replayed alike. 0: some block is not
 * done. */
uint64_t sim_trace_digest(const sim_trace *t);

/* A closed run or a full array: called by the inline functions below. */
void sim_trace_close_run(sim_trace_warp *w);
void sim_trace_grow_events(sim_trace_warp *w);

/* Every warp instruction that a warp of a sampled block issues, in order, also when its guard
 * turned all lanes off. */
static inline void sim_trace_step(sim_trace_warp *w, uint32_t pc) {
    w->at.steps++;
    if (w->at.off) return;
    if (pc != w->at.next || w->at.room == 0) {
        sim_trace_close_run(w);
        w->at.first = pc;
        if (w->at.off) return;
    }
    w->at.next = pc + 1;
    w->at.room--;
}
/* The same for n instructions that follow each other: a whole basic block at once. */
static inline void sim_trace_steps(sim_trace_warp *w, uint32_t pc, uint32_t n) {
    w->at.steps += n;
    if (w->at.off) return;
    if (pc != w->at.next || w->at.room < n) {
        sim_trace_close_run(w);
        w->at.first = pc;
        if (w->at.off) return;
    }
    w->at.next = pc + n;
    w->at.room = w->at.room > n ? w->at.room - n : 0;
}
/* What the instruction just stepped did: loads, stores, atomics, constant loads by address,
 * textures, barriers. An instruction whose lanes were all off needs none. */
static inline void sim_trace_event_add(sim_trace_warp *w, sim_trace_event e) {
    if (w->at.off) return;
    if (w->at.event_count == w->event_cap) {
        sim_trace_grow_events(w);
        if (w->at.off) return;
    }
    w->events[w->at.event_count++] = e;
}

/* Lanes have come to the end of a waiting loop's round, whose branch is `pc`; `state` tells where
 * they are and all that they hold, `asked` where they read in a round that left memory alone (0: it
 * did not, or whether the loop goes on does not depend on that). When either is as after the round
 * before, that round is taken back. */
void sim_trace_round(sim_trace_warp *w, uint32_t pc, uint64_t state, uint64_t asked);
/* Others of the warp may run now: no round is told from theirs until one that changed nothing has
 * been seen. */
static inline void sim_trace_round_left(sim_trace_warp *w) {
    if (!w->wait.round) w->wait.set = false;
}

/* Passes over the banks of L1 that a load takes whose lanes in `mask` read `bytes` from
 * address[lane] on. The tags of its lines lie in four banks, and a lookup takes one line from each,
 * in the order of their first lanes. The words of one bank come one after another, as in shared
 * memory; 8 and 16 bytes a lane in two and four parts of the warp. As an H100 counts and times
 * them: docs/model-tables.md, "Loads that L1 has". */
typedef struct {
    uint16_t absent; /* a line has to come: each lookup has passes of its own */
    /* L1 has all lines: lookups go on beside the passes of the whole, the more of the two */
    uint16_t had;
    /* the sectors of the first and last lane, the address's lowest bits; never 0 */
    uint32_t ends[2];
} sim_l1_passes;
sim_l1_passes sim_trace_l1_passes(const uint64_t address[32], uint64_t offset, uint32_t mask,
                                  unsigned bytes);
/* Passes of L2 that an atomic's lanes take one after another, as sim_trace_event.passes has them:
 * 1, and for each of the sectors what it has beyond its first, which is as many as its busiest word
 * has lanes. */
unsigned sim_trace_atom_passes(const uint64_t address[32], uint64_t offset, uint32_t mask);
/* Is it one whose values are counted (sim_trace_event.passes)? */
static inline bool sim_trace_is_match(const ptx_insn *i) {
    return i->op == PTX_OP_match && i->field[PTX_FIELD_VOTE] == PTX_VOTE_any;
}
/* What happened in the memory access that was the worker's last. l1: of a load; of a store with
 * `absent` 0; else 0. */
static inline void sim_trace_access(sim_trace_warp *w, uint32_t pc, unsigned bytes_lane,
                                    sim_l1_passes l1, const sim_access_cost *c) {
    bool is_load = l1.absent && c->space == SIM_SPACE_GLOBAL,
         is_store = !l1.absent && l1.had && c->space == SIM_SPACE_GLOBAL;
    sim_trace_event e = {.pc_low = (uint16_t)pc,
                         .space = c->space,
                         .lanes = c->lanes,
                         .bytes_lane = (uint16_t)bytes_lane,
                         .passes = is_load    ? l1.absent
                                   : is_store ? l1.had
                                              : c->passes,
                         .lines = c->lines,
                         .sectors = c->sectors,
                         .l1_hits = c->l1_hits,
                         .distinct = c->distinct,
                         .stream_at = c->stream_at,
                         .stream_n =
                             (uint16_t)(c->stream_n < UINT16_MAX ? c->stream_n : UINT16_MAX)};
    if (is_load) {
        e.had = c->l1_hits == c->sectors ? l1.had : 0;
        memcpy(e.ends, l1.ends, sizeof e.ends);
    }
    sim_trace_event_add(w, e);
}

#endif
