/* Records of a launch, written by the executor, from which its time is modelled afterwards
 * (time.h).
 *
 *   sim_trace_new(): picks a few blocks --executor, in those blocks only--> runs and events of each
 *     warp --block committed to L2: sim_trace_resolve()--> what of them L2 had --time_model()-->
 *       time, limiter
 *
 * The sample consists of the blocks that one multiprocessor would hold at the start of the launch,
 * and as many that another one has later. They are drawn at random if a program must not know them.
 * Block b (linear: x fastest) runs on multiprocessor b % sms: the L1 model and the sample both use
 * this rule.
 *
 * A warp's stream has two parts, so that straight-line code costs almost nothing to record:
 *   runs    [first, first + count): instructions executed one after another, whatever lanes were
 *           active
 *   events  one for each executed instruction that touched memory or waited, in the order executed
 *
 * A `pc` is the instruction's index in the whole module: the insn_counts of the earlier functions
 * in ptx_module.funcs, plus its index in ptx_func.insns. Fragments of a diverged warp are recorded
 * in the order in which they ran.
 *
 * A round of a waiting loop that changed nothing is not kept: a poll that found the same as the one
 * before, or that asked for the same words and must ask again, whatever it counted. The number of
 * such rounds depends on how the simulated device takes turns, not on what hardware waits for. The
 * first round stays, and so does the last one, which succeeds. A round that computes for the next
 * one (a sum, a product) is work and stays, too.
 *
 * Recording is limited: beyond its share of the budget a warp only counts, and the model
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
typedef struct sim_firsts sim_firsts;

/* What one warp instruction did to memory, or that it waited. */
typedef struct {
    uint16_t pc_low; /* pc & 0xffff: for checking events and runs against each other */
    /* sim_space, with generic addresses resolved; for barriers, the barrier's number */
    uint8_t space;
    uint8_t lanes;       /* active lanes; for barriers 0 */
    uint16_t bytes_lane; /* access width of a lane */
    /* as in sim_access_cost; global loads: passes over the banks of L1; global atomics:
     * sim_trace_atom_passes(); bar: warps expected, 0: all; match.any: values that the lanes
     * have */
    uint16_t passes;
    uint16_t lines, sectors, l1_hits; /* as in sim_access_cost */
    union {
        /* as in sim_access_cost; bulk copies, arrivals after copies and waits: their mbarriers, one
         * bit each (special/async.h) */
        uint16_t distinct;
        uint16_t had; /* global loads with all lines in L1: passes if no line is still missing */
    };
    uint16_t stream_n; /* entries in the block's stream of L2 accesses */
    /* Set by sim_trace_resolve(). Of a store: sectors that it writes in part. Of a load that found
     * everything in L2: how many blocks before this one fetched a line of it, if it was recent
     * enough that the line may still be in flight; otherwise 0. */
    union {
        uint16_t parts, late;
    };
    /* for an atomic on shared memory, the first lane's word; for nanosleep, the nanoseconds */
    uint32_t stream_at;
    uint16_t l2_sectors; /* set by sim_trace_resolve(): sectors requested from L2 */
    uint16_t misses;     /* of those, sectors that DRAM had to deliver */
    /* Of a global load: the sectors of its first and last lane (0: not a global load), by address.
     * sim_trace_resolve() replaces them by numbers, four to a line, with lines from 1 on in the
     * order in which the block meets them, so that launches on other memory are alike. */
    uint32_t ends[2];
    /* Set by sim_trace_settle() for a load, by a block that opens the launch, of what DRAM
     * delivers: the warp that asks first has then issued `first` / SIM_FIRST_ONE of this warp's
     * instructions. 0: not known. */
    uint32_t first;
    /* Of an access to a word by which warps wait for one another (meets.h): its group;
     * SIM_WORD_WRITES is set if the access writes it. If it waits: the writes, the lowest bits of
     * their number, that come before it. sim_trace_finish() keeps only words for which some access
     * waits, and numbers them from 1 on. */
    uint16_t word, turn;
} sim_trace_event;
enum { SIM_FIRST_ONE = 1 << 16 };

typedef struct {
    uint32_t first, count;
} sim_trace_run;

/* The present end of a stream. */
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
    uint64_t asked; /* hash of where this round has read */
    bool changed;   /* this round has changed memory, or did something else that others see */
} sim_trace_warp;

typedef struct {
    uint64_t block; /* linear index */
    unsigned warp_count;
    sim_trace_warp *warps; /* warp_count */
    bool done;             /* set by sim_trace_finish() */
    uint64_t alone;        /* sim_seg.alone, of its warps; 0: not wanted */
    double own;            /* cycles of its longest warp, if that never waits for another one */
    unsigned word_count;   /* after sim_trace_finish(): groups of words that accesses name */
    uint32_t *segs;        /* how often its warps ran each segment of the image; NULL: not wanted */
    uint64_t digest; /* after sim_trace_finish(): digest of what its warps did; before: the seed */
} sim_trace_block;

struct sim_trace {
    sim_trace_block *blocks; /* ascending block index */
    unsigned block_count;
    /* the first this many blocks open the launch; the rest are from its middle */
    unsigned first_count;
    unsigned sm; /* multiprocessor of the first group */
    bool all;    /* it has every block, one for each multiprocessor */
    /* of the whole launch: set by the caller, sim_access_launch_slices() */
    uint64_t slice_ops[SIM_L2_SLICES];
    uint64_t slice_in_turn; /* the return value of that; 0: the busiest slice's */
    /* Set by sim_trace_resolve(): */
    /* lines read from DRAM, and how many of their 64-byte halves */
    uint64_t dram_lines, dram_halves, dram_sectors;
    /* sectors of memory on the host (SIM_ALLOC_REMOTE) */
    uint64_t link_read, link_written;
    uint64_t peer_read, peer_written;  /* sectors of memory of another device */
    const struct sim_memory *memory;   /* set by the caller: knows where memory is; may be NULL */
    uint64_t seed;                     /* of digests, set by the caller: time_kept_seed() */
    struct sim_trace_brought *brought; /* lines that the last blocks had DRAM deliver */
    sim_firsts *firsts;                /* set by the caller, of the device; may be NULL */
    uint64_t opened;                   /* digest of events' `first`; set by sim_trace_settle() */
};

/* firsts.c: who asks first for what DRAM delivers. A device has one, for one launch at a time. */
sim_firsts *sim_firsts_new(void); /* sim_firsts_free(): time.h */
/* A launch begins. opens: blocks that open it, from 0 on. */
void sim_firsts_begin(sim_firsts *f, uint64_t opens);
/* A block that opens the launch was committed; in the order of blocks. */
void sim_firsts_note(sim_firsts *f, uint64_t block, const sim_block_mem *mem, bool sampled);
/* Then, if it was sampled, the events of the same block, as the code that is recorded: each of its
 * loads, and after the last one sim_firsts_opened(). */
void sim_firsts_open(sim_firsts *f, uint64_t block, sim_trace_event *e, const sim_block_mem *mem);
void sim_firsts_opened(sim_firsts *f);
/* After the last block: sets what the events say of that. Returns a digest. */
uint64_t sim_firsts_settle(sim_firsts *f, const sim_trace *t);

/* Chooses what to sample. resident: sim_occupancy.blocks. draw: a random number that selects; 0:
 * blocks of multiprocessor 0, and of another one from the launch's middle. Returns NULL if memory
 * is out: the launch then has no time. */
sim_trace *sim_trace_new(const sim_profile *p, uint64_t grid_blocks, unsigned warps_per_block,
                         unsigned resident, uint64_t draw);
/* The same; the blocks of multiprocessor `sm` come first; -1: of one that is drawn. */
sim_trace *sim_trace_of(const sim_profile *p, uint64_t grid_blocks, unsigned warps_per_block,
                        unsigned resident, uint64_t draw, int sm);
void sim_trace_free(sim_trace *t);

/* If all blocks were recorded: returns the one with the most work, by `alone` or by what its warps
 * executed; otherwise 0. This block gets the first place of the trace, and of traces like it, and
 * so decides the launch's time. */
unsigned sim_trace_longest(const sim_trace *t);
void sim_trace_lead(sim_trace *t, unsigned k);

/* Returns the n-th of a sequence of random numbers below `end`. */
uint64_t sim_trace_draw(uint64_t draw, unsigned n, uint64_t end);

/* Returns NULL if this block is not sampled, the usual case; then nothing is recorded. Any thread;
 * one thread at a time for each block. */
sim_trace_block *sim_trace_block_begin(sim_trace *t, uint64_t block);
/* Call it when all warps of the block have exited and the block was committed to L2
 * (sim_block_commit()). Any thread. */
void sim_trace_resolve(sim_trace *t, sim_trace_block *b, const sim_block_mem *mem);
/* A block that is not sampled was committed. The next blocks may read what it requested from DRAM
 * while it is still in flight. */
void sim_trace_pass(sim_trace *t, uint64_t block, const sim_block_mem *mem);
/* After the last block, before the trace is replayed. */
void sim_trace_settle(sim_trace *t);
/* The same as sim_trace_resolve() without caches: the events' l2_sectors and misses stay as they
 * are. */
void sim_trace_finish(sim_trace_block *b);
/* Returns a digest of everything recorded: equal for launches that are replayed alike. 0: some
 * block is not done. */
uint64_t sim_trace_digest(const sim_trace *t);

/* For a closed run or a full array; called by the inline functions below. */
void sim_trace_close_run(sim_trace_warp *w);
void sim_trace_grow_events(sim_trace_warp *w);

/* Call it for every warp instruction that a warp of a sampled block issues, in order, also if its
 * guard turned all lanes off. */
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
/* The same for n consecutive instructions: a whole basic block at once. */
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
/* Records what the instruction just stepped did: loads, stores, atomics, constant loads by address,
 * textures, barriers. Not needed for an instruction whose lanes were all off. */
static inline void sim_trace_event_add(sim_trace_warp *w, sim_trace_event e) {
    if (w->at.off) return;
    if (w->at.event_count == w->event_cap) {
        sim_trace_grow_events(w);
        if (w->at.off) return;
    }
    w->events[w->at.event_count++] = e;
}

/* Lanes have reached the end of a waiting loop's round, whose branch is `pc`. asked: a hash of
 * where they read in a round that left memory unchanged (0: it changed memory, or the values read
 * do not decide whether the loop continues). If it equals that of the previous round, that round is
 * removed, and the function returns true. Otherwise sim_trace_round() is called, with `state`, a
 * hash of the lanes' places and of everything they hold: if that equals the previous round's, that
 * round is removed, too. */
bool sim_trace_round_asks(sim_trace_warp *w, uint32_t pc, uint64_t asked);
void sim_trace_round(sim_trace_warp *w, uint32_t pc, uint64_t state, uint64_t asked);
/* Other fragments of the warp may run now: rounds are compared again only after one that changed
 * nothing. */
static inline void sim_trace_round_left(sim_trace_warp *w) {
    if (!w->wait.round) w->wait.set = false;
}

/* Passes over the banks of L1 of a load whose lanes in `mask` read `bytes` from address[lane] on.
 * The tags of its lines are in four banks, and a lookup takes one line from each, in the order of
 * their first lanes. The words of one bank come one after another, as in shared memory; 8 and 16
 * bytes a lane in two and four parts of the warp. As an H100 counts and times them:
 * docs/model-tables.md, "Loads that L1 has". */
typedef struct {
    uint16_t absent; /* if a line is missing: each lookup has passes of its own */
    /* if L1 has all lines: the larger of the lookups and the passes of the whole */
    uint16_t had;
    /* the sectors of the first and last lane, from the lowest bits of the address; never 0 */
    uint32_t ends[2];
} sim_l1_passes;
sim_l1_passes sim_trace_l1_passes(const uint64_t address[32], uint64_t offset, uint32_t mask,
                                  unsigned bytes);
/* Returns the passes in L2 that an atomic's lanes take one after another, as in
 * sim_trace_event.passes: 1, plus what each of the sectors needs beyond its first. A sector needs
 * as many as its busiest word has lanes. */
unsigned sim_trace_atom_passes(const uint64_t address[32], uint64_t offset, uint32_t mask);
/* Returns whether it is one whose values are counted (sim_trace_event.passes). */
static inline bool sim_trace_is_match(const ptx_insn *i) {
    return i->op == PTX_OP_match && i->field[PTX_FIELD_VOTE] == PTX_VOTE_any;
}
/* Records the worker's last memory access. l1: for a load; for a store with `absent` 0; otherwise
 * 0. */
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
