/* Models the time of a launch on the profile's device. docs/model.md describes the method and its
 * limits.
 *
 *   sass_func --time_code_machine()--> what each instruction costs and waits for
 *   that + trace + counters + geometry --time_model()--> time, limiter
 *
 * The model only reads what was executed and never influences results. This is the door of the
 * room. In: while a launch runs, trace.h records what sampled blocks did, spread.h how work is
 * distributed over multiprocessors, swaps.h which threads compete for one address. Out: a
 * time_result. */
#ifndef WARPLAB_TIME_H
#define WARPLAB_TIME_H

#include "runner/device/sim/profile.h"
#include "runner/device/sim/ptx/ptx.h"
#include "runner/device/sim/sass/sass.h"
#include "runner/device/sim/sim.h"
#include "runner/device/sim/time/spread.h"
#include "runner/device/sim/time/swaps.h"
#include "runner/device/sim/time/trace.h"
#include "runner/device/sim/time/meets.h"

typedef struct time_kept time_kept;
/* The results of a kernel's launches, for launches that do the same (time_kept.c). NULL if memory
 * is out. */
time_kept *time_kept_new(void);
/* Returns the seed of its traces' digests. Authors of kernels do not know it, so they cannot
 * construct two launches that are taken for the same. */
uint64_t time_kept_seed(const time_kept *k);
void time_kept_free(time_kept *k);

typedef struct time_code time_code;
/* time_machine.c: the instructions of a function of machine code as the model sees them; pcs are
 * their indices. NULL: memory is out. */
time_code *time_code_machine(const sim_profile *p, const sass_func *f);
void time_code_free(time_code *c);
/* spread.c: about the cycles that a stretch of f's PTX takes a warp that runs alone. load: cycles
 * of a load from global memory. ready: zeros by f's registers, which the function restores to
 * zeros. */
typedef struct {
    uint32_t first, count; /* indices of f's instructions */
    bool loop;             /* the stretch is a loop of its own */
} time_stretch;
double time_alone(const sim_profile *p, const ptx_func *f, time_stretch s, double load,
                  double *ready);
/* time_turns.c: finds out what its operations do where threads wait for others, or compete for
 * words. `by`, insn_of and lines are those of time_machine_map_new(). */
void time_machine_roles(time_code *c, const sass_func *f, const ptx_func *by,
                        const uint32_t *insn_of, uint32_t lines);
/* Maps pcs of the PTX `f` that restates the function to machine instructions. Each line of that
 * PTX's text belongs to the machine instruction insn_of[line] (a number beyond the last: to none).
 * NULL: memory is out, or there are more than 65,535 instructions of PTX. */
typedef struct {
    uint32_t pcs;
    uint32_t *before; /* by pc, and one more: number of machine instructions that begin before it */
    uint32_t *machine; /* by that number: the machine instruction */
    uint32_t *event;   /* by pc: 1 + the instruction whose event it is; 0: none */
} time_machine_map;
time_machine_map *time_machine_map_new(const time_code *code, const ptx_func *f,
                                       const uint32_t *insn_of, uint32_t lines);
void time_machine_map_free(time_machine_map *m);
/* Makes a trace for the same blocks, executed as the PTX of machine code. NULL: memory is out. */
sim_trace *time_machine_trace_new(const sim_trace *like);
/* Converts the block's streams; call it before sim_trace_resolve(). Nothing more is recorded in
 * them. */
void time_machine_trace(const time_machine_map *m, sim_trace_block *b);

typedef struct {
    uint64_t grid_blocks;
    unsigned threads; /* per block */
    unsigned cluster; /* blocks of a cluster; 0: no clusters */
    bool cooperative;
    /* for what-if: as if the work of its blocks could be distributed evenly (costs.def) */
    bool even;
    double skipped; /* cycles of waits for a clock that were not executed */
    double
        changed; /* bytes of L2 that hold lines which a memset has changed (sim_flush_caches()) */
    double l1_bytes; /* bytes of L1 that a multiprocessor has for the launch */
    /* sectors of atomics in L2, and lanes that wait there for others on their word, over all
     * blocks; 0: unknown */
    double atom_passes;
    /* the work of the busiest multiprocessor over the replayed work (spread.h); the same without
     * waiting for others */
    double worst, worst_own;
    uint32_t swaps;        /* the most compare-and-swaps that changed one address (swaps.h) */
    uint32_t swappers;     /* threads that did so in a loop; 0: a lock */
    uint32_t holders;      /* threads that did so */
    double attempts;       /* of retry loops, at one slice of L2 */
    uint64_t changes;      /* changes of words by retry loops, in all */
    double received;       /* sim_access_launch_received() */
    sim_chain_place chain; /* steps of the longest chain of flags from block to block */
    time_kept *kept;       /* of the kernel; NULL: always replay */
    /* The PTX's trace of the same blocks, because counters are by the PTX. NULL: those of the trace
     * itself. */
    const sim_trace *counted;
} time_launch;

enum { TIME_SPANS = 256 };
/* Where the replayed warps spent their time, by pc (trace.h). */
typedef struct {
    uint32_t count; /* pcs */
    /* everything outside is 0, because a launch executes only a small part of a module */
    uint32_t first, end;
    double *stall;  /* [pc * SIM_STALL_COUNT + sim_stall]: warp cycles before this pc was issued */
    double *caused; /* [pc]: warp cycles that were waited for its result */
    double *issued; /* [pc]: how often a warp issued it */
    sim_block_span *spans; /* of the replayed blocks, at most TIME_SPANS */
    unsigned span_count;
} time_places;
/* Returns NULL if memory is out. */
time_places *time_places_new(const time_code *c);
void time_places_free(time_places *p);
/* Where the instructions of a time_code stand. Their lines are those that nvcc -lineinfo gave
 * them. */
typedef struct {
    const ptx_module *ptx; /* from which it was made */
    const sass_module *machine;
    const sass_func *func; /* of it */
} time_text;
/* Adds the launch's time to stall_us of its n lines, which ascend by file and line. */
void time_lines(const time_text *text, const time_places *p, double time_us, sim_line *lines,
                size_t n);

/* A what-if question: the launch without one of its costs. Has the arguments of time_model(), and
 * its result. */
typedef struct {
    const sim_profile *profile;
    const time_code *code;
    time_text text;
    const sim_trace *trace;
    const time_launch *launch;
    const sim_counters *counters;
    const sim_occupancy *occupancy;
    const float *lanes; /* by pc: the active part of 32 lanes; NULL: unknown */
    const time_places *places;
    double time_us;
    const sim_line *lines; /* ascending by file and line */
    size_t line_count;
    /* Calls fn(work, ...) in all available threads, this one among them, and returns when all have
     * returned; NULL: only in this thread. The threads take one cost after another. */
    void (*share)(void *user, void (*fn)(void *work, unsigned worker), void *work);
    void *share_user;
} time_question;
/* Returns SIM_COST_COUNT answers, malloc'ed; NULL: nothing was replayed, or memory is out. */
sim_what_if *time_what_if(const time_question *q);
/* Assigns the n costs by pc to lines: fills out's lines and parts. */
void time_pay(const time_text *text, const double *paid, size_t n, const sim_line *lines,
              size_t line_count, sim_what_if *out);

typedef struct {
    double time_us; /* launch overhead excluded */
    /* a lower bound for any real device of this profile: peak bandwidth and issue rate */
    double link_bytes; /* that crossed the link to the host */
    double time_floor_us;
    /* time of only the memory, and only the FP32 units, of the whole device: for overlapping
     * launches, these add up */
    double dram_floor_us, fp32_floor_us;
    const char *limiter; /* "dram" | "l2" | "l1" | "shared" | "issue" | "latency" | "launch" */
    double achieved_occupancy_pct;
    double block_cycles;         /* of the longest replayed block */
    unsigned blocks;             /* replayed blocks; 0: nothing was replayed */
    double busy[SIM_UNIT_COUNT]; /* as in sim_result; 0 if nothing was replayed */
    sim_stalls stalls;
} time_result;

/* `t` may be NULL or empty (nothing sampled, a launch that failed); then everything comes from the
 * counters. `places`: filled if not NULL. */
void time_model(const sim_profile *p, const time_code *code, const sim_trace *t,
                const time_launch *l, const sim_counters *c, const sim_occupancy *occ,
                time_places *places, time_result *out);

/* What a device keeps for trace.h, sim_firsts_new(); may be NULL. */
typedef struct sim_firsts sim_firsts;
void sim_firsts_free(sim_firsts *f);

#endif
