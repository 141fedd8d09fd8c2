/* Shared only by the files of the time model.
 *
 *   time_machine.c   machine instructions --> time_op and time_region
 *   time_sequence.c  which of them ptxas made of one PTX instruction
 *   time_replay.c  streams of sampled blocks over those --> cycles of one multiprocessor, and how
 *                  long each unit was busy (replay.h: shared with replay_memory.c)
 *   time.c         that --> the whole launch */
#ifndef WARPLAB_TIME_INTERNAL_H
#define WARPLAB_TIME_INTERNAL_H

#include "runner/device/sim/time/time.h"

/* Execution pipes of a scheduler's quarter of the multiprocessor. EITHER is the one of ALU and IMUL
 * that is free first. LSU, the load and store unit, belongs to the whole multiprocessor; operations
 * do not name it. */
typedef enum {
    TIME_PIPE_NONE,
    TIME_PIPE_FMA,
    TIME_PIPE_ALU,
    TIME_PIPE_IMUL,
    TIME_PIPE_XU,
    TIME_PIPE_FP64,
    TIME_PIPE_HALF,
    TIME_PIPE_TENSOR,
    TIME_PIPE_EITHER,
    TIME_PIPE_LSU,
    TIME_PIPE_COUNT
} time_pipe;

typedef enum {
    TIME_PLAIN,
    TIME_LOAD,
    TIME_STORE,
    TIME_ATOM,
    TIME_CONST,
    TIME_BARRIER,
    TIME_FENCE,  /* for the block, or, by `amount`, for more: 1: the device, 2: the system */
    TIME_ARRIVE, /* an arrival at a barrier without waiting */
    TIME_BRANCH,
    TIME_SLEEP, /* holds its warp for the time asked */
    TIME_SHUFFLE,
    TIME_TEX,
    TIME_COPY, /* cp.async, bulk loads */
    TIME_COMMIT,
    TIME_WAIT,   /* for all except the last `amount` groups of copies */
    TIME_TELLS,  /* the warp's copies so far arrive at an mbarrier when they are complete */
    TIME_MEETS,  /* an arrival at an mbarrier */
    TIME_LANDED, /* for the block's copies for which an mbarrier waits */
    TIME_EXIT
} time_kind;

/* flags */
enum {
    /* shared atomic that adds 1 and needs no result: lanes on one address are counted, not
     * serialised */
    TIME_POP_INC = 4,
    /* the address is the same in the whole warp, and the assembler can prove it */
    TIME_UNIFORM = 8,
    TIME_RESULT = 32, /* an atomic whose result is used */
    TIME_EVENT = 64   /* the executor writes an event */
};

typedef struct {
    float slots, busy, latency; /* issue slots; cycles of the pipe; cycles until the result */
    float held; /* cycles for which it occupies the dispatch port beyond the slots */
    uint8_t pipe, kind, flags;
    uint8_t amount;
    bool float_atom; /* an atomic addition of floating-point numbers */
    bool alone; /* a volatile load of global memory: no other warp has fetched its missing data */
    bool reloaded;   /* an atomic on a word that the function has loaded by the same address */
    bool by_atomics; /* a poll in the slice of L2 to which the function's atomics go */
    uint8_t role;    /* time_role */
    uint32_t pc;     /* in the text */
    uint32_t load;   /* number of a load among all loads, from 1; 0: not a load */
    uint16_t event;  /* ordinal among the region's events */
    bool wide;       /* a product of twice the width */
    /* its result is neither arithmetic nor a constant: a special register, a vote */
    bool special;
    uint8_t stall, waits; /* ptxas's decisions, as in sass_control */
    int8_t sets, frees;
    /* a swap in ptxas's loop around an addition in shared memory: a warp that comes too late
     * repeats the loop */
    bool spins;
    uint8_t reads[2]; /* registers with even and with odd numbers */
    /* those of them that the operand cache has if the same warp issued just before */
    uint8_t kept[2];
} time_op;

/* A product of tensor cores. f64: a sixteenth of the rate of halves. */
enum { TIME_F64_BITS = 256 };
typedef struct {
    unsigned m, n, k;
    double bits; /* of an element of A */
    /* group: of a warpgroup, with A in registers or in shared memory; sparse: half of A is zeros */
    bool group, sparse, in_registers;
} time_product;
/* time_machine.c: sets its pipe, busy cycles and latency. */
void time_product_cost(const sim_profile *p, const time_product *x, time_op *o);

/* time_machine.c: the profile for machine code: address arithmetic, first constants and special
 * registers are separate instructions there. */
void time_machine_profile(const sim_profile *p, sim_profile *own);

/* time_sequence.c: sets the part of each instruction of the machine code that belongs to a
 * sequence; `part` begins as zeros. */
enum { TIME_SEQUENCE_NONE, TIME_SEQUENCE_FIRST, TIME_SEQUENCE_REST };
void time_sequences(const time_text *text, uint8_t *part);

/* Cycles until a lone warp goes on behind a fence of time_op.amount `scope`. */
double time_fence_latency(const sim_profile *p, unsigned scope);

/* What an operation does where threads wait for each other, by time_turns.c. */
typedef enum {
    TIME_NO_ROLE,
    TIME_ASKS,  /* polls a word that is the same for all blocks */
    TIME_TAKES, /* a compare-and-swap of a global word */
    TIME_GIVES, /* an exchange of one */
    /* a store to (or an exchange of) a word that this function polls: starts the next thread's
     * turn */
    TIME_PASSES,
    TIME_FIGHTS, /* a compare-and-swap of a word of shared memory, in a loop until it succeeds */
    /* a load of the word that a loop of compare-and-swaps then raises or lowers if its value is
     * behind in order: a maximum */
    TIME_LOOKS,
    TIME_AWAITS, /* polls a word that is another one for each block */
    TIME_HANDS   /* a volatile or relaxed store that such a poll of another block may await */
} time_role;

/* Returns whether it goes to the load and store unit, also if all its lanes are off. */
static inline bool time_uses_lsu(const time_op *o) {
    return (o->kind == TIME_LOAD || o->kind == TIME_STORE || o->kind == TIME_ATOM) &&
           o->flags & TIME_EVENT;
}

/* Instructions that always run as a whole: [first, first + count). */
typedef struct {
    uint32_t first, count;
    uint32_t event_count;
    bool loop; /* its last instruction branches to its first */
} time_region;

struct time_code {
    const sim_profile *profile;
    uint32_t op_count, region_count;
    time_op *ops;        /* by pc (trace.h) */
    uint32_t *region_of; /* by pc */
    time_region *regions;
    uint32_t load_count;
    uint32_t reg_max;    /* scoreboards */
    uint32_t events_max; /* events of the largest region */
    /* for machine code: the profile with latencies of single instructions; otherwise NULL */
    sim_profile *own;
    bool looks;  /* an operation has the role TIME_LOOKS */
    bool fights; /* an operation has the role TIME_FIGHTS */
};

/* Turns that threads took one after another, as the replay had them: none waits for another
 * there. */
typedef struct {
    /* Cycles from taking to giving back, summed over the first turns of warps and over the others.
     * [0]: locks; [1]: polls and stores. */
    double first[2], later[2];
    double firsts[2], count[2]; /* number of first turns; of all turns */
    /* warps that took turns, over all blocks; the most lanes of such a warp */
    unsigned warps, lanes;
    double steps, step_cycles; /* from TIME_AWAITS to TIME_HANDS: how many; cycles of all */
} time_turns;

/* The replayed time, in cycles of the multiprocessor, and how long its units were busy. */
typedef struct {
    double cycles; /* from the start of the first block to the end of the last */
    /* for each further block once all slots are filled; 0 if too few blocks ran */
    double steady_cycles;
    double block_cycles;      /* of the longest block */
    double warp_cycles;       /* sum of the warps' lifetimes */
    double blocks, truncated; /* blocks that ran; executed instructions over replayed ones */
    double slots;             /* issue slots of all schedulers */
    double issue, pipe[TIME_PIPE_COUNT]; /* busy cycles, of the busiest scheduler */
    double shared, l1, l2, dram, constant, barrier, atomics, dispatch;
    time_turns turns;
    double sent; /* cycles of atomics on other blocks' shared memory */
    /* attempts, for each block, at words of shared memory for which a block's threads compete */
    double fights;
    double stall[SIM_STALL_COUNT]; /* warp cycles by state; they add up to warp_cycles */
    /* cycles of all schedulers, as in sim_stalls.scheduler_pct; with `empty` they add up to
     * schedulers * cycles */
    double idle[SIM_STALL_COUNT], empty;
} time_usage;

/* Rates of the units behind the multiprocessor, as one of `active` equal multiprocessors sees
 * them. */
typedef struct {
    double l2_line_cycles, l2_sector_cycles,
        l2_store_cycles, /* per 128-byte line, sector, line or sector that is partly written */
        /* per sector that is written, per sector that DRAM delivers */
        l2_written_cycles, l2_filled_cycles;
    double dram_sector_cycles; /* per sector that DRAM must deliver */
    /* beside that, in L2 and in DRAM: for the changed line whose place it takes */
    double displaced_cycles;
    /* the part of the sampled blocks' misses for which no other block asks; 0: taken as all */
    double dram_alone;
    double dram_write_cycles; /* per sector stored */
    double atom_cycles;       /* per atomic operation in L2, at the slice with most of them */
    double atom_even;         /* the same if all slices had equally many */
    double dispatch_cycles;   /* between two blocks given to this multiprocessor */
    double swaps; /* successful compare-and-swaps of retry loops, for each block on average */
    double l1_bytes;
    unsigned resident;
    unsigned blocks; /* blocks to run */
    uint64_t budget; /* most instructions to replay */
} time_share;

/* Returns how long consecutive turns take, in cycles; 0: there are none. active: blocks on the
 * device at the same time. */
double time_turns_cycles(const sim_profile *p, const time_launch *l, const time_usage *u,
                         double active);
/* Returns how long the chain of flags takes from its first block to its last; 0: there is none. */
double time_chain_cycles(const sim_profile *p, const time_launch *l, const time_usage *u,
                         double active);

/* Returns false if memory is out. */
bool time_replay(const time_code *code, const sim_trace *t, const time_share *share,
                 time_places *places, time_usage *out);
/* time_kept.c: the same, except that a replay that `k` already has is not repeated; k may be NULL.
 * `places` must still be empty. */
bool time_replay_once(time_kept *k, const time_code *code, const sim_trace *t,
                      const time_share *share, time_places *places, time_usage *out);

#endif
