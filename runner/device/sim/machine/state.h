/* What runs: the state of a launch, of its workers, blocks and warps, as handlers see it: a sim_warp
 * and what it points at. run/ makes it and moves it on. */
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

/* Lane-major areas of a frame: what it passes to callees, got, and gives back. */
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

/* How many lanes a mask has: mostly all. Not every host that this is built for counts bits, and the
 * compiler's own routine looks bytes up in a table: here by twos, fours, eights. */
static inline unsigned sim_lane_count(uint32_t mask) {
    if (mask == SIM_ALL_LANES) return SIM_WARP_LANES;
    mask -= mask >> 1 & 0x55555555;
    mask = (mask & 0x33333333) + (mask >> 2 & 0x33333333);
    return ((mask + (mask >> 4)) & 0x0f0f0f0f) * 0x01010101u >> 24;
}

struct sim_frame {
    sim_frame *parent; /* the caller's; NULL: the kernel */
    const sim_func *func;
    uint8_t *regs;
    uint32_t refs; /* fragments and callees' frames that hold it */
    uint32_t depth;
    uint32_t local_base; /* of this frame's .local variables in the threads' local memory */
    uint32_t ret_seg;    /* segment of parent->func to go on at */
    const sim_insn *call;
    uint32_t serial; /* older frames of one depth run first */
    uint32_t room;   /* bytes at regs */
    sim_frame *made; /* the worker's one before, in use or not */
};

typedef enum { SIM_FRAG_READY, SIM_FRAG_SYNC, SIM_FRAG_BAR } sim_frag_state;
/* Lanes of a warp that are at one place. */
typedef struct {
    uint32_t mask;
    uint32_t seg;
    sim_frame *frame;
    uint8_t state;          /* sim_frag_state */
    uint8_t bar;            /* BAR: which */
    bool yielded;           /* waits for the other fragments to get a turn */
    uint32_t sync_mask;     /* SYNC: whom it waits for */
    uint32_t met;           /* the mask of the last .sync instruction that it has come through */
    uint32_t elsewhere;     /* SYNC: lanes of that mask which had other things to do when it came */
    uint32_t spins, rounds; /* times round loops since it gave way: waiting ones, others */
} sim_frag;

/* A register that holds, in some lanes, a value that nobody gave: what a shuffle read from a lane that
 * took no part in it, or a load from memory that was never written (exec/stray.h). */
typedef struct {
    const sim_frame *frame;
    sim_opnd at;
    uint32_t lanes;
    uint32_t there;       /* the lanes that took part */
    const ptx_insn *from; /* that shuffle */
    uint8_t reader, lane; /* one that read, and whom it read from */
    uint8_t load;         /* 1 more than the index of that load; 0: a shuffle */
    int32_t meets;        /* SIM_SWAYED: the block where their paths meet again; -1: nowhere */
} sim_stray;
/* In place of a register: lanes that went where such a value sent them. */
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
    uint32_t parked; /* lanes that store one to shared memory by the instruction under way */
};

/* A register of a frame, by the frame's serial, whose loaded value is there when the warp's clock
 * says `ready` (exec/wait.h). */
typedef struct {
    uint32_t frame;
    int32_t reg;
    uint64_t ready;
} sim_pending;
enum { SIM_PENDING = 32, SIM_ISSUE_CYCLES = 4 /* an instruction takes on the clock */ };

typedef enum { SIM_WARP_READY, SIM_WARP_WAITING, SIM_WARP_DONE } sim_warp_state;

struct sim_warp {
    uint8_t *base[4]; /* by SIM_BASE_* */
    uint32_t mask;    /* lanes that execute now */
    uint32_t live;    /* lanes that exist and have not exited */
    sim_access *access;
    sim_block *block;
    sim_worker *worker;
    sim_frame *frame; /* of the running fragment */
    uint32_t index;   /* in the block */
    uint32_t exist;   /* lanes of threads that exist */
    sim_frag frags[SIM_WARP_LANES];
    uint32_t frag_count;
    uint8_t state; /* sim_warp_state */
    sim_frame *root;
    sim_trace_warp *trace;
    uint32_t frame_serial;
    /* lanes that have arrived at the cluster's barrier in this phase; that have still to wait there */
    uint32_t cluster_arrived, cluster_owes;
    uint32_t products;            /* which of its warpgroup's wgmma's it has executed, in order */
    const ptx_insn *last_product; /* NULL: none */
    bool stop;                    /* the block has failed or is told to end */
    uint16_t strays;              /* how many there are: mostly none */
    uint8_t loaded;               /* 1 more than the index of the load that is under way */
    struct sim_strays *stray;     /* NULL: there never was one */
    /* Where the loop over a segment's instructions, or its steps, ends: sooner when a load has read
     * what nobody has written. */
    const sim_insn *until;
    const void *steps_until;
    /* where the kernel reads a clock: what its clock is ahead of the block's, in cycles */
    uint64_t late;
    bool timed; /* it does */
    /* segments in a row of a loop that waits for a clock; its clock at the first; what it has
     * skipped of such waiting since the block began, in cycles */
    uint32_t idle;
    uint64_t idle_since, skipped;
    uint8_t pending_count;
    uint8_t
        refusals; /* waits at mbarriers until one may be told yes, which counts; 0: not drawn yet */
    sim_pending pending[SIM_PENDING];
};

/* A block barrier (PTX ISA 9.7.13): who has arrived. */
typedef struct {
    uint32_t expected; /* threads; 0: all that have not exited */
    uint32_t arrived;
    uint32_t popc, votes; /* bar.red so far: threads whose predicate holds, threads that voted */
    uint32_t thread;      /* the first to arrive, and where */
    const sim_insn *insn;
    bool aligned;
} sim_barrier;
/* SIM_CLUSTER_BAR: sim_frag.bar of those who wait at the cluster's. */
enum { SIM_BARRIERS = 16, SIM_CLUSTER_BAR = SIM_BARRIERS, SIM_MAX_WARPS = 64 };

/* The search for a block's repetition of itself (stuck.c). */
typedef struct {
    uint64_t epoch, state;
    /* parkings since the state was kept, and to keep it for; limit 0: none is kept */
    uint32_t steps, limit;
    bool found;
} sim_cycle;

struct sim_block {
    sim_run_state *run;
    uint64_t linear; /* in the grid, x fastest */
    uint64_t order;  /* in the launch: the same, but where there are clusters (run/cluster.c) */
    sim_cluster *cluster; /* NULL: the launch has none */
    unsigned rank;        /* in it */
    sim_block_mem *mem;
    sim_warp *warps;
    uint32_t warp_count, threads, live_threads, done_warps;
    uint8_t *area;       /* SIM_BASE_BLOCK */
    uint8_t *warp_areas; /* SIM_BASE_WARP of each warp */
    uint8_t *regs;       /* root frames */
    sim_frame *roots;
    sim_barrier bar[SIM_BARRIERS];
    uint32_t arrived_at; /* barriers where somebody has arrived, a bit each */
    uint32_t took_part[SIM_BARRIERS][SIM_MAX_WARPS]; /* lanes that arrived, by warp */
    char *print_text;                                /* printf's output so far */
    size_t print_len, print_cap;
    bool printed_full;
    uint64_t clock;   /* warp instructions issued and time slept, in cycles / 4 */
    uint64_t skipped; /* the most that a warp has skipped of its waiting for a clock, in cycles */
    uint64_t waited;  /* of those, by lanes that went round waiting loops */
    uint64_t alone;   /* sum over warps of sim_seg.alone */
    sim_status status;
    bool failed, parked, warned_exit, warned_places;
    sim_trace_block *trace;
    sim_block *twin;    /* it as machine code, done and not yet committed; or NULL */
    sim_worker *worker; /* who ran it last: its host has the block in its caches */
    sim_block *next;    /* in a list of that worker or of the launch */
    uint32_t idle_rounds;
    uint32_t looks; /* how often it was drawn what a wait at an mbarrier is told */
    bool moved;     /* since it last parked: it did more than to go round waiting loops */
    sim_cycle cycle;
    int32_t *errors; /* of each thread, as cudaGetLastError says; NULL: there were none */
};

/* Blocks that run together (run/cluster.c). */
struct sim_cluster {
    unsigned size, left;               /* blocks; of them, those that have not ended */
    sim_block *block[SIM_CLUSTER_MAX]; /* by rank; NULL: it has ended */
    sim_cluster_mem mem;               /* the same for accesses */
    /* its barrier: threads that have not exited; of them, those that have arrived in this phase */
    uint32_t live, arrived;
    sim_cluster *next; /* in the worker's list */
};

/* Counts of one segment. */
typedef struct {
    uint64_t warps, lanes;
    uint64_t split;  /* conditional branches: fragments that went both ways */
    uint64_t parted; /* further fragments, of an indexed branch, and those of calls and returns */
} sim_seg_count;

/* Of the committed blocks: cycles of warps that are alone, and instructions; of all, and of those
 * that open the launch by multiprocessor. */
typedef struct {
    double alone, count, sm_alone[256], sm_count[256];
    double longest; /* of the others, the one that takes longest: cycles of its warps' mean */
} sim_sampled;

enum { SIM_OWN_LINES = 128 }; /* hosts fetch lines of 64 bytes in pairs */
/* On lines of the host's that no other worker writes to, as are the counts that it points at. */
struct sim_worker {
    sim_run_state *run;
    sim_access *access;
    sim_seg_count *segs;    /* by sim_seg.id */
    uint64_t *guards;       /* lanes whose guard held, by sim_insn.guard_id */
    sim_frame *free_frames; /* of calls, any size that fits */
    sim_frame *made;        /* all frames of calls, also those that a failed warp still held */
    sim_swaps swaps;
    uint64_t yields;
    /* instructions not yet added to the launch's; a warp's counts 32, whatever lanes are on */
    uint64_t executed;
    bool acted; /* since the block began its turn: sim_seg.acts, or an atomic changed memory */
    /* warp instructions until the next look at the clock, the budget and the cancel flag */
    int64_t fuel;
    /* of counters by these names, what is known only as it happens */
    uint64_t mbarrier_waits, fp_other, fp64_other;
    unsigned index;
    sim_warp *warp;            /* that runs now */
    sim_block *idle;           /* contexts free for reuse: under the launch's lock */
    sim_tensor_kept *products; /* or NULL */
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
    unsigned cluster[3], cluster_size; /* blocks; 0: the launch has no clusters */
    bool cluster_explicit;             /* it asked for them */
    uint32_t threads, warps, shared_bytes, dynamic_shared, local_bytes;
    _Atomic uint64_t context_bytes; /* of all contexts of blocks */
    const uint8_t *params;
    struct sim_debug *debug; /* NULL: nobody looks (debug/hook.h) */
    uint64_t budget;
    bool serial, plain_atomics;
    uint64_t turns; /* the order of blocks and of their warps is drawn from this; 0: by number */
    bool meets_by_sync; /* lanes that are apart become one only by .sync: machine code's BSYNC */
    _Atomic uint64_t executed;
    _Atomic uint64_t stop_after; /* blocks above this one need not run: a lower one failed */
    _Atomic int status;          /* sim_status, of the lowest failed block (under `lock`) */
    /* of what follows, which others write all the time: not on a line with what is only read */
    pthread_mutex_t lock __attribute__((aligned(SIM_OWN_LINES)));
    sim_worker *workers;
    unsigned worker_count;
    sim_block *dead;     /* failed */
    uint64_t next_block; /* to hand out */
    uint64_t next_commit;
    bool committing;       /* a worker is at it, without the lock: what it does is its alone */
    sim_spread spread;     /* of the committed blocks */
    uint64_t skipped;      /* cycles, of the committed blocks (sim_block) */
    uint64_t skipped_most; /* of one of them */
    sim_spread own;        /* the same without what they waited for others */
    sim_sampled sampled;   /* by run/sample.c */
    uint64_t over;         /* blocks that have ended or failed */
    uint64_t epoch, stuck; /* times some block moved; blocks that are stuck since (stuck.c) */
    sim_block *ended;      /* waiting for their turn to commit, ascending */
    sim_block *ended_last; /* of them, where there are some */
    unsigned ended_count;
    pthread_cond_t fewer; /* of them */
    uint64_t start_ns;
    sim_asked *asked;            /* what its threads launch; NULL: they cannot */
    struct sim_slicing *slicing; /* when it is over (slice/slice.h); NULL: nobody asks */
    struct sim_twins *twins;  /* its sampled blocks as machine code (run/twins.h); NULL: not so */
    unsigned resident_blocks; /* per multiprocessor */
    uint64_t carveout;        /* as sim_access_config */
};

#endif
