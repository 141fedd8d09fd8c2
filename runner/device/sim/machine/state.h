/* The state of a running launch, of its workers, blocks and warps. Handlers see a sim_warp and what
 * it points at. run/ makes the state and moves it on. */
#ifndef WARPLAB_SIM_STATE_H
#define WARPLAB_SIM_STATE_H

#include <pthread.h>
#include <stdatomic.h>
#include "runner/device/sim/machine/image.h"
#include "runner/device/sim/memory/finding.h"
#include "runner/device/sim/access/access.h"
#include "runner/device/sim/sim.h"
#include "runner/device/sim/time/time.h"

typedef struct sim_frame sim_frame;
typedef struct sim_block sim_block;
typedef struct sim_worker sim_worker;
typedef struct sim_cluster sim_cluster;
typedef struct sim_run_state sim_run_state;
typedef struct sim_asked sim_asked;             /* special/device_runtime.c */
typedef struct sim_tensor_kept sim_tensor_kept; /* matrix/tensor.h */

/* Lane-major areas of a frame: what the function passes to callees, got from its caller, and
 * returns. */
enum { SIM_AREA_CALL, SIM_AREA_PARAM, SIM_AREA_RET };

/* Block barriers: sim_insn.imm. */
typedef enum {
    SIM_BAR_SYNC,
    SIM_BAR_ARRIVE,
    SIM_BAR_POPC,
    SIM_BAR_AND,
    SIM_BAR_OR,
    SIM_BAR_KIND = 15,
    SIM_BAR_ALIGNED = 16
} sim_bar_kind;

/* The cluster's barrier: sim_insn.imm. */
typedef enum { SIM_CLUSTER_ARRIVE, SIM_CLUSTER_WAIT } sim_cluster_step;

/* ---- warps ---- */

/* Returns how many lanes a mask has: mostly all. Not every host for which this is built can count
 * bits in one instruction, and the compiler's own routine looks bytes up in a table, so this adds
 * bits by twos, fours, eights. */
static inline unsigned sim_lane_count(uint32_t mask) {
    if (mask == SIM_ALL_LANES) return SIM_WARP_LANES;
    mask -= mask >> 1 & 0x55555555;
    mask = (mask & 0x33333333) + (mask >> 2 & 0x33333333);
    return ((mask + (mask >> 4)) & 0x0f0f0f0f) * 0x01010101u >> 24;
}

struct sim_frame {
    sim_frame *parent; /* the caller's frame; NULL: this is the kernel's */
    const sim_func *func;
    uint8_t *regs;
    uint32_t refs; /* fragments and frames of callees that hold it */
    uint32_t depth;
    uint32_t local_base; /* start of this frame's .local variables in the threads' local memory */
    uint32_t ret_seg;    /* segment of parent->func at which the caller continues */
    const sim_insn *call;
    uint32_t serial; /* among frames of one depth, the older run first */
    uint32_t room;   /* bytes of memory at regs */
    sim_frame *made; /* the frame that the worker made before, in use or not */
};

typedef enum { SIM_FRAG_READY, SIM_FRAG_SYNC, SIM_FRAG_BAR } sim_frag_state;
/* Lanes of a warp that are at the same place. */
typedef struct {
    uint32_t mask;
    uint32_t seg;
    sim_frame *frame;
    uint8_t state;      /* sim_frag_state */
    uint8_t bar;        /* BAR: the barrier's number */
    bool yielded;       /* it waits until the other fragments have had a turn */
    uint32_t sync_mask; /* SYNC: the lanes for which it waits */
    uint32_t met;       /* the mask of the last .sync instruction that it has passed */
    uint32_t elsewhere; /* SYNC: lanes of that mask that were elsewhere when it arrived */
    /* how often it went round loops since it last let others run: waiting loops, other loops */
    uint32_t spins, rounds;
} sim_frag;

/* A register that holds an undefined value in some lanes: a shuffle read it from a lane that took
 * no part, or a load read memory that was never written (exec/stray.h). */
typedef struct {
    const sim_frame *frame;
    sim_opnd at;
    uint32_t lanes;
    uint32_t there;       /* the lanes that took part in the shuffle */
    const ptx_insn *from; /* that shuffle */
    uint8_t reader, lane; /* a lane that read, and the lane from which it read */
    uint8_t load;         /* 1 + the index of that load; 0: a shuffle */
    int32_t meets;        /* SIM_SWAYED: the block where the paths meet again; -1: none */
} sim_stray;
/* Instead of a register: lanes that went where a branch on such a value sent them. */
#define SIM_SWAYED (SIM_NO_SLOT - 1)
enum { SIM_STRAYS = 256, SIM_STRAY_LOADS = 64 };
typedef struct {
    const sim_site *site;
    sim_space space;
    uint32_t lanes, addr[SIM_WARP_LANES];
} sim_stray_load;
struct sim_strays {
    sim_stray at[SIM_STRAYS];
    sim_stray_load load[SIM_STRAY_LOADS];
    /* lanes in which the current instruction stores such a value to shared memory */
    uint32_t parked;
};

/* A register of a frame (by the frame's serial) whose loaded value arrives when the warp's clock
 * reaches `ready` (exec/wait.h). */
typedef struct {
    uint32_t frame;
    int32_t reg;
    uint64_t ready;
} sim_pending;
enum { SIM_PENDING = 32, SIM_ISSUE_CYCLES = 4 /* cycles of the clock that an instruction takes */ };

typedef enum { SIM_WARP_READY, SIM_WARP_WAITING, SIM_WARP_DONE } sim_warp_state;

struct sim_warp {
    uint8_t *base[4]; /* by SIM_BASE_* */
    uint32_t mask;    /* lanes that execute now */
    uint32_t live;    /* lanes that exist and have not exited */
    sim_access *access;
    sim_block *block;
    sim_worker *worker;
    sim_frame *frame; /* frame of the running fragment */
    uint32_t index;   /* in the block */
    uint32_t exist;   /* lanes of threads that exist */
    sim_frag frags[SIM_WARP_LANES];
    uint32_t frag_count;
    uint8_t state; /* sim_warp_state */
    sim_frame *root;
    sim_trace_warp *trace;
    uint32_t frame_serial;
    /* Lanes that have arrived at the cluster's barrier in this phase; lanes that must still wait
     * there */
    uint32_t cluster_arrived, cluster_owes;
    uint32_t products; /* how many of its warpgroup's wgmma's it has executed, in order */
    const ptx_insn *last_product; /* NULL: none */
    uint32_t *marks;          /* by mark of the image: its lanes that were there, one bit each */
    bool stop;                /* the block has failed or must end */
    uint16_t strays;          /* how many strays it has: mostly none */
    uint8_t loaded;           /* 1 + the index of the current load */
    struct sim_strays *stray; /* NULL: none so far */
    /* The end of the loop over a segment's instructions, or over its steps. It comes sooner if a
     * load has read memory that was never written. */
    const sim_insn *until;
    const void *steps_until;
    /* If the kernel reads a clock: cycles by which the warp's clock is ahead of the block's */
    uint64_t late;
    bool timed; /* the kernel reads a clock */
    /* Consecutive segments of a loop that waits for a clock; the warp's clock at the first of them;
     * the cycles of such waiting that it has skipped since the block began */
    uint32_t idle;
    uint64_t idle_since, skipped;
    uint64_t polled; /* where the last round of a loop that polls has loaded, as a hash */
    uint64_t alone;  /* sum of sim_seg.alone */
    /* The longest chain of instructions that had to come before, of this warp and of those for
     * which it waited: `alone` plus this, modulo 2^64 (time/meets.h) */
    uint64_t lead;
    bool meets; /* its block has `words` */
    bool met;   /* it read or wrote a word by which warps wait: the others of its block go next */
    uint64_t slept; /* cycles that it has slept, without what it slept in rounds of waiting */
    bool returned;  /* since it last slept, it began another round of a loop that polls */
    bool took;      /* it took a number from a counter since it last gave way, which it must do
                      * (sim_run_state.shares) */
    uint8_t pending_count;
    /* waits at mbarriers until one may be told yes, which counts; 0: not drawn yet */
    uint32_t refusals;
    sim_pending pending[SIM_PENDING];
};

/* A block barrier (PTX ISA 9.7.13) and the threads that have arrived. */
typedef struct {
    uint32_t expected; /* threads; 0: all that have not exited */
    uint32_t arrived;
    /* bar.red so far: threads whose predicate holds, threads that took part */
    uint32_t popc, votes;
    uint32_t thread; /* the first thread to arrive, and its position */
    const sim_insn *insn;
    bool aligned;
} sim_barrier;
/* SIM_CLUSTER_BAR: sim_frag.bar of fragments that wait at the cluster's barrier. */
enum { SIM_BARRIERS = 16, SIM_CLUSTER_BAR = SIM_BARRIERS, SIM_MAX_WARPS = 64 };

/* The search for a state that a block repeats (stuck.c). */
typedef struct {
    uint64_t epoch, state;
    /* parkings since the state was saved, and after which it is saved anew; limit 0: no saved
     * state */
    uint32_t steps, limit;
    bool parked, found; /* in this epoch; with a state seen before */
} sim_cycle;

struct sim_block {
    sim_run_state *run;
    uint64_t linear; /* in the grid, x fastest */
    /* in the launch: the same as linear, except in launches with clusters (run/cluster.c) */
    uint64_t order;
    sim_cluster *cluster; /* NULL: the launch has none */
    unsigned rank;        /* of the block in its cluster */
    sim_block_mem *mem;
    sim_warp *warps;
    uint32_t warp_count, threads, live_threads, done_warps;
    uint8_t *area;       /* SIM_BASE_BLOCK */
    uint8_t *warp_areas; /* SIM_BASE_WARP of each warp */
    uint32_t *marks;     /* of all its warps */
    uint8_t *regs;       /* root frames */
    sim_frame *roots;
    sim_barrier bar[SIM_BARRIERS];
    uint32_t arrived_at; /* a bit for each barrier at which a thread has arrived */
    uint32_t took_part[SIM_BARRIERS][SIM_MAX_WARPS]; /* lanes that arrived, by warp */
    char *print_text;                                /* the output of printf so far */
    size_t print_len, print_cap;
    bool printed_full;
    uint64_t clock; /* warp instructions issued, and time slept, in cycles / 4 */
    /* the longest wait for a clock that one of its warps has skipped, in cycles */
    uint64_t skipped;
    uint64_t waited;            /* part of `executed`: by lanes that went round waiting loops */
    uint64_t slept, slept_most; /* cycles, of its warps in all; of one of them */
    sim_status status;
    bool failed, parked, warned_exit, warned_places;
    sim_trace_block *trace;
    sim_meets *words;   /* by which its warps wait for one another; NULL: they do not, or no time */
    bool opens;         /* it is one of those that the device holds at the start of the launch */
    sim_block *twin;    /* the same block as machine code, ended and not yet committed; or NULL */
    sim_worker *worker; /* the worker that ran it last: that core has the block in its caches */
    sim_block *next;    /* in a list of that worker or of the launch */
    uint32_t idle_rounds;
    uint32_t looks;  /* how often it was drawn what a wait at an mbarrier is told */
    bool moved;      /* since it last parked: it did more than to go round waiting loops */
    bool waits_long; /* one of its waits at mbarriers was told no for long */
    sim_cycle cycle;
    int32_t *errors; /* the error of each thread, as from cudaGetLastError; NULL: no errors */
};

/* Blocks that run together (run/cluster.c). */
struct sim_cluster {
    unsigned size, left;               /* number of blocks, and of those that have not ended */
    sim_block *block[SIM_CLUSTER_MAX]; /* by rank; NULL: the block has ended */
    sim_cluster_mem mem;               /* the same blocks, for accesses */
    /* its barrier: threads that have not exited, and those of them that have arrived in this
     * phase */
    uint32_t live, arrived;
    sim_cluster *next; /* in the worker's list */
};

/* The counts of one segment. */
typedef struct {
    uint64_t warps, lanes;
    uint64_t split;  /* conditional branches that sent lanes of a fragment both ways */
    uint64_t parted; /* additional fragments after an indexed branch, and after calls and returns */
} sim_seg_count;

/* Sums over the committed blocks: cycles of warps that run alone, and instructions. The first pair
 * is for all blocks, the arrays are for the blocks that start the launch, by multiprocessor. */
typedef struct {
    double alone, count, sm_alone[256], sm_count[256];
    /* cycles of the longest block, by its longest chain; of the longest in the sample */
    double longest, longest_seen;
    int longest_sm; /* the multiprocessor of the former, if that starts the launch, otherwise -1 */
} sim_sampled;

enum { SIM_OWN_LINES = 128 }; /* hosts fetch lines of 64 bytes in pairs */
/* A worker is on host cache lines to which no other worker writes, and so are its counts. */
struct sim_worker {
    sim_run_state *run;
    sim_access *access;
    sim_seg_count *segs;    /* by sim_seg.id */
    uint64_t *guards;       /* lanes whose guard held, by sim_insn.guard_id */
    sim_frame *free_frames; /* free frames of calls; any that is large enough is used */
    sim_frame *made;        /* all frames of calls, also those that a failed warp still held */
    sim_swaps swaps;
    uint64_t yields;
    /* instructions not yet added to the launch's; an instruction of a warp counts 32, however many
     * lanes are active */
    uint64_t executed;
    /* since the block began its turn, it ran a segment with sim_seg.acts, or an atomic changed
     * memory */
    bool acted;
    bool took; /* a warp of the block has given way after it took a number */
    /* warp instructions until the worker next checks the clock, the budget and the cancel flag */
    int64_t fuel;
    /* the part of the counters of these names that is known only at execution */
    uint64_t mbarrier_waits, polled_loads, looks_again, fp_other, fp64_other;
    uint64_t words_written; /* writes of words that others poll */
    unsigned index;
    sim_warp *warp;            /* the warp that runs now */
    sim_block *idle;           /* contexts free for reuse; guarded by the launch's lock */
    sim_tensor_kept *products; /* or NULL */
    struct sim_crews *crews;   /* the blocks that it ended (slice/crew.c); NULL: not wanted */
} __attribute__((aligned(SIM_OWN_LINES)));

/* One launch. */
struct sim_run_state {
    sim_device *device;
    const sim_launch *launch;
    const sim_image *image;
    sim_kernel *kernel;
    sim_access_launch *access;
    sim_findings *findings;
    sim_trace *trace;
    uint64_t grid_blocks;
    unsigned cluster[3], cluster_size; /* in blocks; cluster_size 0: the launch has no clusters */
    bool cluster_explicit;             /* the launch asked for clusters */
    uint32_t threads, warps, shared_bytes, dynamic_shared, local_bytes;
    /* with the part that the system reserves, behind the kernel's own, if the kernel asks for it */
    uint32_t shared_room;
    _Atomic uint64_t context_bytes; /* of all contexts of blocks */
    const uint8_t *params;
    struct sim_debug *debug; /* NULL: no debugger (debug/hook.h) */
    uint64_t budget;
    bool serial, plain_atomics;
    bool shares;        /* its blocks share out work by a counter, and all are resident */
    uint64_t unset;     /* seed of what registers hold that nothing has set; 0: they hold zeros */
    uint64_t turns;     /* seed of the order of blocks and of their warps; 0: by number */
    bool meets_by_sync; /* diverged lanes join only at a .sync instruction: BSYNC of machine code */
    _Atomic uint64_t executed;
    atomic_bool print_full; /* the launch's owner takes no more text of printf */
    /* blocks with a higher number need not run, because a lower one failed */
    _Atomic uint64_t stop_after;
    _Atomic int status; /* sim_status, of the lowest failed block (under `lock`) */
    /* Guards what follows. Workers write it all the time, so it is not on a cache line with data
     * that are only read */
    pthread_mutex_t lock __attribute__((aligned(SIM_OWN_LINES)));
    sim_worker *workers;
    unsigned worker_count;
    sim_block *dead;     /* blocks that have failed */
    uint64_t next_block; /* the next to start */
    uint64_t next_commit;
    bool committing;       /* a worker is at it, without the lock: what it does is its alone */
    sim_spread spread;     /* of the committed blocks */
    uint64_t skipped;      /* cycles, of the committed blocks (sim_block) */
    uint64_t skipped_most; /* of one of them */
    uint64_t slept;        /* of their warps that slept most; the same of one block */
    uint64_t slept_most;
    sim_spread own;        /* the same without what they waited for others */
    sim_sampled sampled;   /* by run/sample.c */
    uint64_t over;         /* blocks that have ended or failed */
    uint64_t epoch, stuck; /* times some block moved; blocks that are stuck since (stuck.c) */
    sim_block *ended;      /* waiting for their turn to commit, ascending */
    sim_block *ended_last; /* of them, where there are some */
    unsigned ended_count;
    pthread_cond_t fewer; /* signalled when `ended` gets shorter */
    uint64_t start_ns;
    sim_asked *asked; /* the launches of its threads; NULL: they cannot launch */
    /* its slices, after it has ended (slice/slice.h); NULL: not wanted */
    struct sim_slicing *slicing;
    double trip_cycles;       /* of a wait for a load, as paths count it (time/meets.h) */
    struct sim_twins *twins;  /* its sampled blocks as machine code (run/twins.h); NULL: none */
    unsigned resident_blocks; /* per multiprocessor */
    uint64_t carveout;        /* as in sim_access_config */
};

#endif
