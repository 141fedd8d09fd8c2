/* Private structs that the files of the simulated device share. Nothing outside runner/sim includes
 * this.
 *
 *   ptx_func --decode.c--> sim_image (sim_func, sim_seg, sim_insn), once per kernel
 *   sim_run() (run.c): launch --pool.c--> workers: block after block (block.c)
 *                             --> warp after warp (warp.c) --> handlers
 *     counts of segments and memory sites --run.c--> counters of the launch and of source lines
 *
 * Registers. A frame holds a slot per PTX register: 32 lanes of 4 bytes (types up to 32 bits), 32
 * of 8 bytes, or one word of 32 bits for a predicate. Operands are (offset << 2 | base); what is
 * not a register is a slot as well: immediates lie in the image's pool, special registers and
 * kernel parameters in areas of the block and the warp. So handlers know only slots. */
#ifndef WARPLAB_SIM_INTERNAL_H
#define WARPLAB_SIM_INTERNAL_H

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include "runner/base/message.h"
#include "runner/sim/memory/access.h"
#include "runner/sim/finding.h"
#include "runner/sim/isa.h"
#include "runner/sim/memory/memory.h"
#include "runner/sim/profile.h"
#include "runner/sim/ptx/ptx.h"
#include "runner/sim/sim.h"
#include "runner/sim/time/spread.h"
#include "runner/sim/time/swaps.h"
#include "runner/sim/load/resources.h"
#include "runner/sim/time/time.h"
#include "runner/sim/time/trace.h"

typedef struct sim_insn sim_insn;
typedef struct sim_func sim_func;
typedef struct sim_image sim_image;
typedef struct sim_frame sim_frame;
typedef struct sim_warp sim_warp;
typedef struct sim_block sim_block;
typedef struct sim_worker sim_worker;
typedef struct sim_run_state sim_run_state;
typedef struct sim_exec_row sim_exec_row;
typedef struct sim_native sim_native; /* native.h */
typedef struct sim_native_image sim_native_image;
typedef struct sim_native_seg sim_native_seg;

#include "runner/sim/decode/image.h"
#include "runner/sim/decode/live.h"

/* ---- handlers (exec_*.c) ---- */

/* Which of PTX's variants of an op a row executes; decode computes it from an instruction's
 * modifiers. */
enum {
    SIM_V_FTZ = 1 << 0,
    SIM_V_SAT = 1 << 1,
    SIM_V_HI = 1 << 2,
    SIM_V_WIDE = 1 << 3,
    SIM_V_CC = 1 << 4,
    SIM_V_APPROX = 1 << 5,
    SIM_V_NAN = 1 << 6,
    SIM_V_XORSIGN = 1 << 7,
    SIM_V_ABS = 1 << 8,
    SIM_V_RELU = 1 << 9,
    SIM_V_SHIFTAMT = 1 << 10,
    SIM_V_SATFINITE = 1 << 11,
    SIM_V_FULL = 1 << 20,
    SIM_V_FIELD =
        1 << 12 /* times a field's value: comparison, rounding, clamp, ... as the op has it */
};
#define SIM_V_F(value) ((uint32_t)(value)*SIM_V_FIELD)

/* One executable form: found by op, types and variant. Types: exact, or a .bN row serves all types
 * of N bits. */
struct sim_exec_row {
    uint16_t op;      /* ptx_op */
    uint8_t t0, t1;   /* ptx_type of the first and second type; t1 PTX_NONE: one type */
    uint32_t variant; /* SIM_V_* */
    uint32_t slots;   /* slot kinds of d, a, b, c, e: 4 bits each from the low end */
    sim_exec_fn *fn[2];
};
#define SIM_SLOTS(d, a, b, c)                                                                      \
    ((uint32_t)(d) | (uint32_t)(a) << 4 | (uint32_t)(b) << 8 | (uint32_t)(c) << 12)
/* The row for op, types and variant; a type that has no row of its own takes the untyped one of its
 * width. NULL: none. */
const sim_exec_row *sim_exec_find(sim_isa s, unsigned op, unsigned t0, unsigned t1,
                                  uint32_t variant);
/* The row whose handler fn is; its family's number in SIM_EXEC_FAMILIES_OF and its place there.
 * NULL: none. */
const sim_exec_row *sim_exec_row_of(sim_isa s, sim_exec_fn *fn, unsigned *family, size_t *at);

/* What an atomic does; sim_insn.aux. */
typedef struct {
    uint8_t op, type, bytes, vec; /* ptx_atomop, ptx_type, of an element */
    sim_opnd b[8], d[8];          /* d: SIM_NO_SLOT when nobody wants the old value */
} sim_atom_info;
void sim_atom_apply(sim_warp *w, const sim_insn *i, uint32_t lanes, void *const ptr[]);
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

/* ---- warps ---- */

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
    uint32_t spins, rounds; /* times round loops since it gave way: waiting ones, others */
} sim_frag;

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
    bool stop; /* the block has failed or is told to end */
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
enum { SIM_BARRIERS = 16, SIM_MAX_WARPS = 64 };

/* The search for a block's repetition of itself (stuck.c). */
typedef struct {
    uint64_t epoch, state;
    uint32_t steps,
        limit; /* parkings since the state was kept, and to keep it for; limit 0: none is kept */
    bool found;
} sim_cycle;

struct sim_block {
    sim_run_state *run;
    uint64_t linear;
    sim_block_mem *mem;
    sim_warp *warps;
    uint32_t warp_count, threads, live_threads, done_warps;
    uint8_t *area;       /* SIM_BASE_BLOCK */
    uint8_t *warp_areas; /* SIM_BASE_WARP of each warp */
    uint8_t *regs;       /* root frames */
    sim_frame *roots;
    sim_barrier bar[SIM_BARRIERS];
    uint32_t took_part[SIM_BARRIERS][SIM_MAX_WARPS]; /* lanes that arrived, by warp */
    char *print_text;                                /* printf's output so far */
    size_t print_len, print_cap;
    bool printed_full;
    uint64_t clock; /* warp instructions issued and time slept, in cycles / 4 */
    sim_status status;
    bool failed, parked, warned_exit, warned_places;
    sim_trace_block *trace;
    sim_block *next; /* in a list of the worker or of the pool */
    uint32_t idle_rounds;
    bool moved; /* since it last parked: it did more than to go round waiting loops */
    sim_cycle cycle;
};

/* Counts of one segment. */
typedef struct {
    uint64_t warps, lanes;
    uint64_t split; /* conditional branches: fragments that went both ways */
} sim_seg_count;

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
    int64_t
        fuel; /* warp instructions until the next look at the clock, the budget and the cancel flag */
    unsigned index;
};

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
    uint32_t threads, warps, shared_bytes, dynamic_shared, local_bytes;
    const uint8_t *params;
    uint64_t budget;
    bool serial, plain_atomics;
    _Atomic uint64_t executed;
    _Atomic uint64_t stop_after; /* blocks above this one need not run: a lower one failed */
    _Atomic int status;          /* sim_status, of the lowest failed block (under `lock`) */
    pthread_mutex_t lock;        /* of what follows */
    pthread_mutex_t order;       /* held while a block is begun */
    sim_worker *workers;
    unsigned worker_count;
    sim_block *dead;     /* failed */
    uint64_t next_block; /* to hand out */
    uint64_t next_commit;
    sim_spread spread;     /* of the committed blocks */
    uint64_t over;         /* blocks that have ended or failed */
    uint64_t epoch, stuck; /* times some block moved; blocks that are stuck since (stuck.c) */
    sim_block *ended;      /* waiting for their turn to commit, ascending */
    sim_block *idle;       /* contexts free for reuse */
    uint64_t start_ns;
};

#include "runner/sim/decode/emit.h"

#include "runner/sim/run/fault.h"

/* ---- warp.c: a warp runs until it ends, waits or gives way ---- */

typedef enum { SIM_RAN_DONE, SIM_RAN_WAITING, SIM_RAN_YIELDED, SIM_RAN_STOPPED } sim_ran;
void sim_warp_start(sim_warp *w, uint32_t lanes);
sim_ran sim_warp_run(sim_warp *w);
/* A block barrier that fragment f waits at has opened. */
void sim_warp_release(sim_warp *w, unsigned bar);

/* call.c. False: the fragment goes on behind the call at once (a built-in function). */
bool sim_call(sim_warp *w, sim_frag *f, const sim_seg *s, const sim_insn *i);
void sim_return(sim_warp *w, sim_frag *f);
/* One holder less; the last one frees it and lets its caller's frame go. */
void sim_frame_drop(sim_worker *k, sim_frame *f);
void sim_frames_free(sim_worker *k);
/* Local memory a thread may address: the kernel's own and its callees' frames. */
uint32_t sim_local_limit(const sim_image *im);

/* ---- devlib.c: functions that the CUDA runtime gives device code ---- */

typedef void sim_builtin_fn(sim_warp *w, const sim_insn *i);
sim_builtin_fn *sim_builtin(const char *name); /* NULL: there is none */
bool sim_builtin_ordered(const char *name);    /* what it does depends on the order of blocks */
/* Argument k of the active lanes, `bytes` each; and the result. */
void sim_builtin_arg(sim_warp *w, const sim_insn *i, unsigned k, void *to, uint32_t bytes);
void sim_builtin_result(sim_warp *w, const sim_insn *i, const void *from, uint32_t bytes);

/* ---- block.c ---- */

sim_block *sim_block_new(sim_run_state *r);
void sim_block_free(sim_block *b);
void sim_block_start(sim_block *b, sim_worker *k, uint64_t linear);
typedef enum { SIM_BLOCK_ENDED, SIM_BLOCK_PARKED, SIM_BLOCK_FAILED } sim_block_ran;
sim_block_ran sim_block_run(sim_block *b, sim_worker *k);
/* The fragment's lanes arrive at a barrier. True: it has opened, all who waited are released. */
bool sim_block_arrive(sim_block *b, sim_warp *w, sim_frag *f, const sim_insn *i);
/* Lanes of the block exited: barriers may open. */
void sim_block_exited(sim_block *b, uint32_t lanes);

/* ---- stuck.c ---- */

/* Nobody of the block can go on: reports who waits where and fails the block. */
void sim_deadlock(sim_block *b);
/* The block parks and has not moved. True: it stands as it stood before, when `epoch` was the
 * same. */
bool sim_stuck(sim_block *b, uint64_t epoch);
/* The same number when the same lanes hold the same in all registers. */
uint64_t sim_lanes_state(const sim_frag *f);
/* "line 12", or the PTX line where there is no line table. */
void sim_block_place(const sim_block *b, const ptx_insn *at, char *text, size_t n);

/* ---- pool.c ---- */

typedef struct sim_pool sim_pool;
sim_pool *sim_pool_new(unsigned threads);
void sim_pool_free(sim_pool *p);
unsigned sim_pool_size(const sim_pool *p);
/* Runs fn(arg, 0) on the caller and fn(arg, 1..n-1) on the pool's threads; returns when all
 * have. */
unsigned sim_pool_start(
    sim_pool *p,
    unsigned n); /* at least n workers, caller included, if that can be had; returns how many */
void sim_pool_run(sim_pool *p, unsigned n, void (*fn)(void *arg, unsigned index), void *arg);

/* ---- device.c, module.c ---- */

struct sim_device {
    const sim_profile *profile;
    sim_options options;
    sim_memory *memory;
    sim_caches *caches;
    sim_pool *pool;
    sim_resource_cache *resources;
    sim_isa isa;
    sim_native *native; /* NULL: off */
    uint64_t launches;
    sim_texture *textures; /* by handle; a free place has no channels */
    size_t texture_count;
    sim_addr workspace;   /* of grid barriers */
    sim_addr param_block; /* where a launch's parameters lie when a kernel reads them by address */
};
enum { SIM_PARAM_BLOCK = 32768 };

#include "runner/sim/load/module.h"

#endif
