/* The model of a launch's time on the profile's device. docs/model.md tells the method and how far
 * it may be trusted.
 *
 *   ptx_module --time_code_new()--> what each instruction costs and waits for (time_cost.def)
 *   that + trace + counters + geometry --time_model()--> time, limiter
 *
 * It reads only what was executed and never influences results. The door of this room: while a
 * launch runs, trace.h writes down what sampled blocks did, spread.h how work spreads over
 * multiprocessors, swaps.h who competes for one address; out comes a time_result. */
#ifndef WARPLAB_TIME_H
#define WARPLAB_TIME_H

#include "runner/device/sim/profile.h"
#include "runner/device/sim/ptx/ptx.h"
#include "runner/device/sim/sass/sass.h"
#include "runner/device/sim/sim.h"
#include "runner/device/sim/time/spread.h"
#include "runner/device/sim/time/swaps.h"
#include "runner/device/sim/time/trace.h"

typedef struct time_kept time_kept;
/* What launches of one kernel of a module gave, for launches that do the same (time_kept.c). NULL
 * when out of memory. */
time_kept *time_kept_new(void);
/* What its traces' digests begin with: who writes kernels does not know it, and so cannot look for
 * two that are taken for the same. */
uint64_t time_kept_seed(const time_kept *k);
void time_kept_free(time_kept *k);

typedef struct time_code time_code;
/* What the assembler makes of a function. */
typedef struct {
    unsigned registers;                 /* of a thread; 0: not known */
    unsigned spill_stores, spill_loads; /* bytes, of its instructions */
} time_assembled;
/* The module's instructions as the model sees them, made once per module and profile. of: each of
 * its functions; NULL: nothing is known of them. NULL when out of memory, or soon after *stop,
 * which may be NULL, became nonzero. */
time_code *time_code_new(const sim_profile *p, const ptx_module *m, const time_assembled *of,
                         const volatile int *stop);
void time_code_free(time_code *c);
/* spread.c: cycles that instructions of f, whose first is at pc_base, take a warp that is alone.
 * load: those of a load from global memory. ready: time_code_registers() zeros, which it leaves as
 * zeros. */
typedef struct {
    uint32_t first, count; /* of f's instructions */
    bool loop;             /* by itself */
} time_stretch;
double time_code_alone(const time_code *c, const ptx_func *f, uint32_t pc_base, time_stretch s,
                       double load, double *ready);
size_t time_code_registers(const time_code *c);

/* time_machine.c: the same of a function of machine code, whose pcs are its instructions. */
time_code *time_code_machine(const sim_profile *p, const sass_func *f);
/* Does the assembler add the lanes of this atomic up first, which are all on one word? */
bool time_code_joins(const time_code *c, uint32_t pc);
/* time_turns.c: what its operations do where threads wait for others, or compete with them for
 * words. `by`, insn_of and lines as of time_machine_map_new(). */
void time_machine_roles(time_code *c, const sass_func *f, const ptx_func *by,
                        const uint32_t *insn_of, uint32_t lines);
/* From pcs of the PTX `f` that restates the function, each line of whose text is of the machine
 * instruction insn_of[line] (of none: beyond the last), to machine instructions. NULL: out of
 * memory, or more than 65,535 instructions of PTX. */
typedef struct {
    uint32_t pcs;
    uint32_t *before;  /* by pc, and one more: instructions that begin before it */
    uint32_t *machine; /* by that number: which it is */
    uint32_t *event;   /* by pc: 1 more than the instruction whose event it is; 0: nobody's */
} time_machine_map;
time_machine_map *time_machine_map_new(const time_code *code, const ptx_func *f,
                                       const uint32_t *insn_of, uint32_t lines);
void time_machine_map_free(time_machine_map *m);
/* For the same blocks, executed as the PTX of machine code. NULL: out of memory. */
sim_trace *time_machine_trace_new(const sim_trace *like);
/* The block's streams, before sim_trace_resolve(). Nothing more is recorded in them. */
void time_machine_trace(const time_machine_map *m, sim_trace_block *b);

typedef struct {
    uint64_t grid_blocks;
    unsigned threads; /* per block */
    bool cooperative;
    bool even;       /* a question: as if its blocks' work could be dealt out evenly (costs.def) */
    double skipped;  /* cycles that waits for a clock take and were not executed */
    double l1_bytes; /* that a multiprocessor has for the launch */
    /* sectors of atomics in L2, and lanes that wait there for others on their word, of all blocks;
     * 0: not known */
    double atom_passes;
    /* what the busiest multiprocessor has to do, over what is replayed (spread.h), and the same
     * without waiting for others */
    double worst, worst_own;
    uint32_t swaps;    /* compare-and-swaps that changed one address, the most (swaps.h) */
    uint32_t swappers; /* threads that did in a loop; 0: a lock */
    uint32_t holders;  /* threads that did */
    double attempts;   /* of retry loops at one slice of L2 */
    uint64_t changes;  /* of words by retry loops, in all */
    time_kept *kept;   /* the kernel's; NULL: it is replayed in any case */
    /* The trace is of machine code, while counters are by the PTX: that one's trace of the same
     * blocks. NULL: they are of one kind. */
    const sim_trace *counted;
} time_launch;

enum { TIME_SPANS = 256 };
/* Where the replayed warps spent their time, by pc (trace.h). */
typedef struct {
    uint32_t count;      /* pcs */
    uint32_t first, end; /* all that is not 0 is there: a launch is of few of a module's */
    double *stall;  /* [pc * SIM_STALL_COUNT + sim_stall]: warp cycles before this pc was issued */
    double *caused; /* [pc]: warp cycles that were waited for its result */
    sim_block_span *spans; /* of the replayed blocks, at most TIME_SPANS */
    unsigned span_count;
} time_places;
/* NULL when out of memory. */
time_places *time_places_new(const time_code *c);
void time_places_free(time_places *p);
/* Adds the launch's time to stall_us of its n lines, which ascend by file and line. */
void time_lines(const ptx_module *m, const time_places *p, double time_us, sim_line *lines,
                size_t n);

/* What if one cost of a launch were not there? All that time_model() had, and what it gave. */
typedef struct {
    const sim_profile *profile;
    const time_code *code;
    const ptx_module *module;
    const sim_trace *trace;
    const time_launch *launch;
    const sim_counters *counters;
    const sim_occupancy *occupancy;
    const float *lanes; /* by pc: of 32 lanes, the part that was on; NULL: not known */
    const time_places *places;
    double time_us;
    const sim_line *lines; /* ascending by file and line */
    size_t line_count;
    /* Calls fn(work, ...) in as many threads as there are, this one among them, and returns when
     * all have; NULL: this thread alone does it. The costs are asked about one by one, whoever has
     * time. */
    void (*share)(void *user, void (*fn)(void *work, unsigned worker), void *work);
    void *share_user;
} time_question;
/* SIM_COST_COUNT answers, malloc'ed; NULL when nothing was replayed or memory is out. */
sim_what_if *time_what_if(const time_question *q);
/* Puts the n costs by pc to lines: fills out's lines and parts. */
void time_pay(const ptx_module *m, const double *paid, size_t n, const sim_line *lines,
              size_t line_count, sim_what_if *out);

typedef struct {
    double time_us; /* launch overhead excluded */
    /* peak bandwidth and issue rate: no real device of this profile is faster */
    double link_bytes; /* that crossed the link to the host */
    double time_floor_us;
    /* memory and FP32 units of the whole device alone: however launches overlap, theirs add up */
    double dram_floor_us, fp32_floor_us;
    const char *limiter; /* "dram" | "l2" | "l1" | "shared" | "issue" | "latency" | "launch" */
    double achieved_occupancy_pct;
    double busy[SIM_UNIT_COUNT]; /* as sim_result's; 0 where nothing was replayed */
    sim_stalls stalls;
} time_result;

/* `t` may be NULL or empty (nothing sampled, a launch that failed): the result is then all from the
 * counters. `places`: filled if not NULL. */
void time_model(const sim_profile *p, const time_code *code, const sim_trace *t,
                const time_launch *l, const sim_counters *c, const sim_occupancy *occ,
                time_places *places, time_result *out);

#endif
