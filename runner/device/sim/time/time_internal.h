/* Shared by the files of the time model only.
 *
 *   time_code.c    PTX instructions --folded, expanded, ordered as ptxas would--> time_op and
 *                  time_region (time_build.h has what it shares with time_fold.c and time_order.c)
 *   time_machine.c the same of machine code, where nothing has to be imitated
 *   time_replay.c  streams of sampled blocks over those --> cycles of one multiprocessor, and what
 *                  was busy how long (replay.h has what it shares with replay_memory.c)
 *   time.c         that --> the whole launch */
#ifndef WARPLAB_TIME_INTERNAL_H
#define WARPLAB_TIME_INTERNAL_H

#include "runner/device/sim/time/slow.h"
#include "runner/device/sim/time/time.h"

/* Execution pipes of a scheduler's quarter of the multiprocessor. EITHER is whichever of ALU and
 * IMUL is free first. LSU, the load and store unit, is the multiprocessor's, and of no
 * operation. */
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
    TIME_FENCE,  /* for the block, or with `amount` for more: 1 the device, 2 the system */
    TIME_ARRIVE, /* a barrier that is not waited at */
    TIME_BRANCH,
    TIME_SHUFFLE,
    TIME_TEX,
    TIME_COPY, /* cp.async, bulk loads */
    TIME_COMMIT,
    TIME_WAIT,   /* for all but `amount` groups of copies */
    TIME_TELLS,  /* the warp's copies so far arrive at an mbarrier once they are there */
    TIME_LANDED, /* for the copies of the block that an mbarrier waits for */
    TIME_EXIT
} time_kind;

/* flags */
enum {
    /* part of a wider load with an instruction before it: no slot, no pass of its own */
    TIME_MERGED = 1,
    TIME_WIDE = 2, /* the first of such a group */
    /* shared atomic that adds 1 and wants no result: lanes on one address are counted,
     * not serialised */
    TIME_POP_INC = 4,
    /* an address that is the same in the whole warp, and the assembler can tell */
    TIME_UNIFORM = 8,
    /* a branch that the assembler turns into predicates: `amount` instructions issue
     * though all lanes skip them */
    TIME_PREDICATED = 16,
    TIME_RESULT = 32,  /* an atomic whose result is used */
    TIME_EVENT = 64,   /* the executor writes an event */
    TIME_SIGNALS = 128 /* loop-closing or far branch: the front end refills */
};

typedef struct {
    float slots, busy, xu,
        latency;   /* issue slots; cycles of the pipe and of XU; cycles until the result */
    float held;    /* cycles that the dispatch port is kept for beyond the slots */
    uint32_t regs; /* into time_code.regs: destinations, then sources */
    uint8_t dst_count, src_count;
    uint8_t pipe, kind, flags;
    uint8_t amount;
    uint8_t accesses; /* TIME_PREDICATED: loads and stores among those that issue */
    bool float_atom;  /* an atomic addition of floating-point numbers */
    bool alone; /* a volatile load of global memory: what it misses no other warp has fetched */
    bool by_atomics; /* a poll in the slice of L2 that the function's atomics go to */
    uint8_t role;    /* time_role */
    /* waits for a load of its block, which is under predicates: the assembler puts it behind what
     * follows, up to the next operation that sees it */
    bool later;
    uint8_t sees;   /* whose earlier operations have to be over, or whose this is: TIME_SEES_* */
    uint32_t pc;    /* of the text: copies of an unrolled loop have that of their original */
    uint32_t load;  /* number of a load among all, from 1; 0: none */
    uint16_t event; /* ordinal among the region's events */
    /* A machine instruction (time_machine.c): what ptxas has decided, as sass_control. */
    bool machine;
    uint8_t stall, waits;
    int8_t sets, frees;
    /* a swap in ptxas's loop around an addition in shared memory: who is late goes round again */
    bool spins;
    uint8_t reads[2]; /* registers with even and with odd numbers */
    uint8_t kept[2];  /* of those, that the operand cache has when its warp issued just before */
    const sim_slow_path *slow; /* an event of it tells that the warp took it, and why; or NULL */
} time_op;

/* time_op.sees: stores to shared memory, to other memory; everything else, which only the end of a
 * stretch of code without branches sees */
enum {
    TIME_SEES_SHARED = 1,
    TIME_SEES_OTHERS = 2,
    TIME_SEES_REST = 4,
    TIME_SEES_ALL = 7,
    TIME_SEES = 3 /* bits */
};

/* What an operation does where threads wait for each other, by time_turns.c. */
typedef enum {
    TIME_NO_ROLE,
    TIME_ASKS,  /* a poll of a word that is the same for all blocks */
    TIME_TAKES, /* a compare-and-swap of a global word */
    TIME_GIVES, /* an exchange of one */
    /* a store to a word that this function polls, or an exchange of it: the next one's turn */
    TIME_PASSES,
    TIME_FIGHTS, /* a compare-and-swap of a word of shared memory, in a loop until it has its way */
    /* a load of the word that a loop of compare-and-swaps then raises or lowers, if its value is
     * behind by order: a maximum */
    TIME_LOOKS
} time_role;

/* It goes to the load and store unit, which takes it also when all its lanes are off. */
static inline bool time_uses_lsu(const time_op *o) {
    return (o->kind == TIME_LOAD || o->kind == TIME_STORE || o->kind == TIME_ATOM) &&
           o->flags & TIME_EVENT && !(o->flags & TIME_MERGED);
}

/* Instructions that are always run through as a whole: [first, first + count). */
typedef struct {
    uint32_t first, count;
    uint32_t event_count;
    uint32_t func;
    /* a loop of which ptxas makes so many copies (0: none): their operations and order */
    uint32_t unrolled, unrolled_at;
    /* Loads and stores of a word of each lane that the assembler adds because registers have run
     * out, each time a warp comes through; and such words of a thread */
    float spill_loads, spill_stores, spill_words;
} time_region;

struct time_code {
    const sim_profile *profile;
    uint32_t op_count, region_count;
    uint32_t extra;  /* operations behind op_count: copies of unrolled loops, and those of spills */
    uint32_t spills; /* the first of these: a load and a store; 0: nothing is spilled */
    size_t op_cap, order_cap;
    time_op *ops;        /* by pc (trace.h) */
    uint32_t *order;     /* by pc: the region's instructions in the order they are issued */
    uint32_t *region_of; /* by pc */
    time_region *regions;
    uint32_t *regs;
    size_t reg_used, reg_cap;
    uint32_t load_count;
    uint32_t reg_max;    /* registers of the largest function */
    uint32_t events_max; /* events of the largest region */
    sim_profile
        *own;    /* of machine code: the profile with latencies of instructions alone, else NULL */
    bool looks;  /* some operation's role is TIME_LOOKS */
    bool fights; /* TIME_FIGHTS */
};

/* Turns that one thread after another took, as the replay had them: none waits for another
 * there. */
typedef struct {
    /* From taking to giving back, in all, of warps' first turns and of others: locks; polls and
     * stores. */
    double first[2], later[2];
    double firsts[2], count[2]; /* first ones; all */
    unsigned warps, lanes;      /* that took turns, in all blocks; lanes of such a warp, the most */
} time_turns;

/* How long, in cycles of the multiprocessor, and what was busy meanwhile. */
typedef struct {
    double cycles; /* from the first block's start to the last one's end */
    /* per further block once all slots are filled; 0 if too few blocks ran to tell */
    double steady_cycles;
    double warp_cycles;       /* sum over warps of their lives */
    double blocks, truncated; /* blocks run; instructions executed over instructions replayed */
    double slots;             /* issue slots of all schedulers */
    double issue, pipe[TIME_PIPE_COUNT]; /* busy cycles, of the busiest scheduler */
    double shared, l1, l2, dram, constant, barrier, atomics, dispatch;
    time_turns turns;
    /* attempts at words of shared memory that a block's threads fight for, a block */
    double fights;
    double stall[SIM_STALL_COUNT]; /* warp cycles by state: adds up to warp_cycles */
    /* cycles of all schedulers, as sim_stalls.scheduler_pct; with `empty` schedulers * cycles */
    double idle[SIM_STALL_COUNT], empty;
} time_usage;

/* Rates of what lies behind the multiprocessor, as one of `active` equal ones sees them. */
typedef struct {
    double l2_line_cycles, l2_sector_cycles,
        l2_store_cycles, /* per 128-byte line, sector, line or sector in part that is written */
        l2_written_cycles, l2_filled_cycles; /* per sector that is written, that DRAM gives */
    double dram_sector_cycles;               /* per sector that DRAM has to give */
    /* of the sampled blocks' misses the part that none else asks for, too; 0: taken to be all */
    double dram_alone;
    double dram_write_cycles; /* per sector stored */
    double atom_cycles;       /* per atomic operation in L2, by the slice that has most of them */
    double atom_even;         /* the same if all slices had as many */
    double dispatch_cycles;   /* between blocks given to this multiprocessor */
    double swaps; /* compare-and-swaps of retry loops that changed a word, in a block on average */
    double l1_bytes;
    unsigned resident;
    unsigned blocks; /* to run */
    uint64_t budget; /* instructions to replay at most */
} time_share;

/* How long turns take that follow each other, in cycles; 0 where there are none. `active`: blocks
 * on the device at once. */
double time_turns_cycles(const sim_profile *p, const time_launch *l, const time_usage *u,
                         double active);

/* false when out of memory. */
bool time_replay(const time_code *code, const sim_trace *t, const time_share *share,
                 time_places *places, time_usage *out);
/* time_kept.c: the same, but that a replay which `k` has is not made again; k may be NULL. Nothing
 * may be in `places` yet. */
bool time_replay_once(time_kept *k, const time_code *code, const sim_trace *t,
                      const time_share *share, time_places *places, time_usage *out);

#endif
