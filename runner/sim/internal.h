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

#define SIM_ALL_LANES 0xffffffffu

/* ---- operands ---- */

/* Which area an operand's slot lies in: the low two bits of an operand. */
enum { SIM_BASE_REGS, SIM_BASE_POOL, SIM_BASE_BLOCK, SIM_BASE_WARP };
typedef uint32_t sim_opnd;
#define SIM_NO_SLOT UINT32_MAX
static inline sim_opnd sim_opnd_make(uint32_t offset, unsigned base) {
    return offset << 2 | base;
}

/* What a slot holds. */
enum { SIM_SLOT_NONE, SIM_SLOT_PRED, SIM_SLOT_32, SIM_SLOT_64 };
static inline uint32_t sim_slot_bytes(unsigned slot) {
    return slot == SIM_SLOT_64 ? 256 : slot == SIM_SLOT_32 ? 128 : 64;
}

/* Special registers that do not change in a block (SIM_BASE_BLOCK) or a warp (SIM_BASE_WARP):
 * SREG's slot index in its area. */
enum {
    SIM_BS_NTID_X,
    SIM_BS_NTID_Y,
    SIM_BS_NTID_Z,
    SIM_BS_NCTAID_X,
    SIM_BS_NCTAID_Y,
    SIM_BS_NCTAID_Z,
    SIM_BS_CTAID_X,
    SIM_BS_CTAID_Y,
    SIM_BS_CTAID_Z,
    SIM_BS_LANEID,
    SIM_BS_NWARPID,
    SIM_BS_SMID,
    SIM_BS_NSMID,
    SIM_BS_LANEMASK_EQ,
    SIM_BS_LANEMASK_LE,
    SIM_BS_LANEMASK_LT,
    SIM_BS_LANEMASK_GE,
    SIM_BS_LANEMASK_GT,
    SIM_BS_DYNAMIC_SMEM,
    SIM_BS_TOTAL_SMEM,
    SIM_BS_ENVREG1, /* address of the grid's workspace, high word: where cooperative groups keep the grid
                       barrier */
    SIM_BS_ENVREG2,
    SIM_BS_COUNT
};
enum { SIM_WS_TID_X, SIM_WS_TID_Y, SIM_WS_TID_Z, SIM_WS_WARPID, SIM_WS_COUNT };

/* ---- decoded code ---- */

typedef void sim_exec_fn(sim_warp *w, const sim_insn *i);

/* One step. Most PTX instructions are one; some become two (a conversion of an operand's width
 * first) or none. */
struct sim_insn {
    sim_exec_fn *fn[2];     /* [0]: every live lane of the warp is active, [1]: some are */
    sim_opnd d, a, b, c, e; /* destination, sources; e: a fourth source or a second destination */
    uint32_t imm;           /* what the handler's comment says */
    uint64_t offset;        /* added to addresses */
    const sim_site *site;   /* memory instructions */
    const void *aux;        /* what the handler's comment says */
    const ptx_insn *ptx;
    sim_exec_fn *inner[2]; /* guarded instructions: fn is then the guard's handler */
    sim_opnd guard;
    uint32_t guard_xor; /* ~0 for @!p */
    uint32_t slots;     /* SYNC: kinds of d, a, b, c and of the second destination (in `offset`), as
                           sim_exec_row.slots */
    uint32_t guard_id;  /* index of its count of lanes whose guard held */
};

/* How a segment ends. */
typedef enum {
    SIM_END_FALL, /* on to `next` */
    SIM_END_BRA,  /* to `target` */
    SIM_END_CBRA, /* lanes whose guard holds to `target`, the others to `next` */
    SIM_END_BRX,  /* by index in insn->a over insn->aux (sim_targets) */
    SIM_END_CALL,
    SIM_END_RET,
    SIM_END_EXIT,
    SIM_END_TRAP,
    SIM_END_BAR,  /* block barrier */
    SIM_END_SYNC, /* lanes of the warp named by insn->e's mask meet, then insn->fn runs */
    SIM_END_YIELD /* nanosleep */
} sim_end;

/* Instructions that are executed one after another under one mask. insns [first, first + count),
 * then the end's, if `end` is not FALL, at first + count. */
typedef struct {
    uint32_t first, count;
    uint8_t end;
    bool guarded;   /* the end is under a guard: the other lanes go on to `next` */
    bool spin;      /* its branch closes a loop in which lanes may wait for others */
    bool back;      /* its branch goes backwards */
    bool acts;      /* what it does can be seen outside its registers, or differs from time to time:
                            * stores, output, clocks. Atomics say so themselves (exec_atom.c) */
    bool machine;   /* a branch that the assembler would keep (not a short forward if) */
    uint32_t order; /* lowest first; unique in the function */
    uint32_t next, target;         /* segments of the same function */
    uint32_t id;                   /* index of its counts, in the image */
    uint32_t ptx_first, ptx_count; /* its PTX instructions */
    const sim_native_seg *native;  /* its machine code, when there is some; set while others run */
} sim_seg;
typedef struct {
    uint32_t count;
    uint32_t seg[];
} sim_targets;

struct sim_func {
    const ptx_func *ptx;
    sim_image *image;
    sim_insn *insns;
    uint32_t insn_count, insn_cap;
    sim_seg *segs;
    uint32_t seg_count;
    uint32_t frame_bytes; /* registers, temporaries, then the three lane-major parameter areas */
    uint32_t call_at, param_at,
        ret_at; /* offsets of those areas in a frame: what it passes to callees, got, and gives back */
    uint32_t call_bytes, param_bytes, ret_bytes; /* per lane */
    uint32_t *
        zero; /* byte offset, slot kind pairs: registers that some path reads before it writes them */
    uint32_t zero_count;
    uint32_t index;         /* in the image */
    uint32_t pc_base;       /* trace.h: index of its first instruction in the module */
    const sim_opnd *reg_at; /* operand of each PTX register */
    uint32_t *guard_of;     /* by PTX instruction: its guard's count, 0: none */
};

/* A kernel with all that it may call. */
struct sim_image {
    const ptx_module *module;
    sim_module *owner;
    sim_func *funcs;
    size_t func_count; /* funcs[0] is the kernel */
    uint8_t *pool;     /* immediates */
    size_t pool_bytes, pool_cap;
    struct sim_pool_entry *pool_index;
    size_t pool_count, pool_index_cap;
    struct sim_site_list *sites;
    size_t site_count;
    uint32_t site_states;
    uint32_t seg_count, guard_count;
    uint32_t block_bytes; /* SIM_BASE_BLOCK area: special registers, then parameters */
    struct sim_param *params;
    size_t param_count, param_cap;
    uint32_t static_shared, local_bytes;
    const ptx_var **shared_vars;
    uint32_t *shared_at;
    size_t shared_count, shared_cap;
    bool byte_shadow, has_calls,
        serial; /* serial: blocks must run one after another to be deterministic */
    bool uses_dynamic_shared;
    sim_native_image *native;
    void *arena; /* everything else decode allocates */
};
typedef struct sim_site_list {
    struct sim_site_list *next;
    sim_site site;
} sim_site_list;
struct sim_param {
    uint32_t at, bytes,
        offset; /* slot's offset in the block area, width, offset in the parameter block */
    bool sext;
    uint8_t slot;
};

/* decode.c. NULL and *msg when the kernel uses what is not supported. */
sim_image *sim_image_new(sim_module *m, const ptx_func *kernel, lib_message *msg);
void sim_image_free(sim_image *im);

/* ---- live.c ---- */

/* Whether opnd[0] is what the instruction writes. */
bool sim_has_destination(const ptx_insn *p);
/* Registers that are read before they are written from the start of a block on: a row of *words
 * words for each block, a bit a register. NULL: out of memory. The caller frees it. */
uint64_t *sim_live_in(const ptx_func *f, size_t *words);
/* The same from the end of a block on. */
void sim_live_out(const ptx_func *f, const uint64_t *live_in, size_t words, size_t block,
                  uint64_t *out);

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

/* ---- decode.c's inside, shared by decode_*.c ---- */

typedef struct {
    sim_image *image;
    sim_func *func;
    const ptx_func *ptx;
    const ptx_insn *insn;
    sim_isa isa;
    lib_message *msg;
    bool failed;
    uint32_t temps;       /* offset in the frame behind the last slot given out */
    sim_opnd *reg_at;     /* operand of each PTX register: its slot, or what it is a copy of */
    uint32_t *defs;       /* how often each register is written */
    sim_opnd carry, sink; /* CC.CF's predicate; where unwanted results go */
    struct {
        sim_opnd from, to;
        uint8_t from_slot, to_slot, type;
    } fix[16]; /* destinations wider or narrower than the instruction's result: copied behind it */
    unsigned fix_count;
    const sim_opnd *reg_slot; /* each register's own slot */
    sim_insn scratch;         /* where instructions go when memory is out */
} sim_decoder;
typedef void sim_decode_fn(sim_decoder *d);
/* Says why the kernel cannot run, with the PTX line; the first reason stays. */
void sim_decode_fail(sim_decoder *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
sim_insn *sim_emit(sim_decoder *d, sim_exec_fn *all, sim_exec_fn *some);
sim_opnd sim_temp(sim_decoder *d, unsigned slot);
sim_opnd sim_const(sim_decoder *d, unsigned slot, uint64_t value);
/* Source operand k as a slot of the kind, extended or cut as `type` says. */
sim_opnd sim_source(sim_decoder *d, const ptx_opnd *o, unsigned slot, ptx_type type);
sim_opnd sim_destination(sim_decoder *d, const ptx_opnd *o, unsigned slot, ptx_type type);
unsigned sim_slot_of(ptx_type t);
/* Address operand: base slot (SIM_SLOT_32 for shared and local, else 64) and constant offset into
 * the instruction. */
void sim_address(sim_decoder *d, const ptx_opnd *o, unsigned space, sim_opnd *base,
                 uint64_t *offset);
/* A memory site for the current instruction; call sim_site_done() when its fields are set. NULL
 * when memory is out. */
sim_site *sim_site_add(sim_decoder *d, unsigned space, sim_access_kind kind, unsigned elem,
                       unsigned vec, unsigned reg);
void sim_site_done(sim_decoder *d, sim_site *s);
/* Emits the row with the instruction's operands, as the row's slots say. */
sim_insn *sim_emit_row(sim_decoder *d, const sim_exec_row *r);
void sim_emit_op(sim_decoder *d, unsigned op, unsigned t0, unsigned t1, uint32_t variant,
                 sim_opnd to, sim_opnd a, sim_opnd b);
void sim_emit_mov(sim_decoder *d, unsigned slot, sim_opnd to, sim_opnd from);
bool sim_decode_grow(sim_decoder *d, void *array, size_t *cap, size_t need, size_t size);
void sim_flush_fixes(sim_decoder *d);
const sim_exec_row *sim_row(sim_decoder *d, unsigned op, unsigned t0, unsigned t1,
                            uint32_t variant);
void *sim_image_alloc(sim_image *im, size_t n);
/* Where the block area holds a parameter of the kernel; made when asked for the first time. */
sim_opnd sim_param_slot(sim_decoder *d, const ptx_var *v, int64_t offset, ptx_type type);
/* The handler that reads a clock into operand d; NULL when the register is no clock. */
sim_exec_fn *sim_clock_handler(unsigned sreg);
/* Decodes the instruction by its family; the table of families is in decode_family.c. */
void sim_decode_insn(sim_decoder *d);
/* How the instruction ends a segment: SIM_END_FALL if it does not. */
sim_end sim_decode_end(const ptx_insn *p);
/* exec_half.c: P[to] := a cmp b, P[high] := of the high halves when the type is packed */
void sim_emit_half_setp(sim_decoder *d, unsigned type, sim_opnd to, sim_opnd high, sim_opnd a,
                        sim_opnd b);
sim_decode_fn sim_decode_half, sim_decode_rounded, sim_decode_cvt_any, sim_decode_cvt_pack,
    sim_decode_video, sim_decode_video_simd, sim_decode_cp_async_group, sim_decode_cp_async,
    sim_decode_mbarrier, sim_decode_testp, sim_decode_tex, sim_decode_surface, sim_decode_txq,
    sim_decode_istypep;
sim_decode_fn sim_decode_ld, sim_decode_st, sim_decode_atom, sim_decode_cp_async, sim_decode_shfl,
    sim_decode_vote, sim_decode_match, sim_decode_redux, sim_decode_bar, sim_decode_bar_warp,
    sim_decode_activemask, sim_decode_elect, sim_decode_fence, sim_decode_isspacep, sim_decode_call;

/* ---- warp.c: a warp runs until it ends, waits or gives way ---- */

typedef enum { SIM_RAN_DONE, SIM_RAN_WAITING, SIM_RAN_YIELDED, SIM_RAN_STOPPED } sim_ran;
void sim_warp_start(sim_warp *w, uint32_t lanes);
sim_ran sim_warp_run(sim_warp *w);
/* A block barrier that fragment f waits at has opened. */
void sim_warp_release(sim_warp *w, unsigned bar);
/* The launch cannot go on: records the status and stops the block. */
void sim_fail(sim_warp *w, sim_status status);
/* The same with a finding about the instruction and the first of `lanes`. */
void sim_report(sim_warp *w, const ptx_insn *at, uint32_t lanes, sim_finding_kind kind,
                const char *detail);
void sim_fail_at(sim_warp *w, const ptx_insn *at, uint32_t lanes, sim_status status,
                 sim_finding_kind kind, const char *detail);
/* A memory instruction did not go through for all its lanes. */
void sim_memory_fault(sim_warp *w);

/* call.c. False: the fragment goes on behind the call at once (a built-in function). */
bool sim_call(sim_warp *w, sim_frag *f, const sim_seg *s, const sim_insn *i);
void sim_return(sim_warp *w, sim_frag *f);
/* One holder less; the last one frees it and lets its caller's frame go. */
void sim_frame_drop(sim_worker *k, sim_frame *f);
void sim_frames_free(sim_worker *k);
/* Local memory a thread may address: the kernel's own and its callees' frames. */
uint32_t sim_local_limit(const sim_image *im);

/* Lane-major area of a frame that a .param variable lies in; false: it is the kernel's own
 * parameter. */
bool sim_param_area(sim_decoder *d, const ptx_var *v, uint32_t *which);

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
struct sim_kernel {
    sim_module *module;
    const ptx_func *func;
    sim_kernel_info info;
    char *pretty;
    uint32_t *param_offset, *param_size;
    sim_image *image;  /* decoded at the first launch */
    char *unsupported; /* why it cannot be */
    bool resources_known;
};
struct sim_module {
    sim_device *device;
    ptx_module *ptx;
    char *text;
    size_t text_len;
    sim_kernel *kernels;
    size_t kernel_count;
    struct sim_symbol *symbols; /* .global and .const variables, by name */
    size_t symbol_count;
    time_code *time;
    char *ptxas;
};
struct sim_symbol {
    const ptx_var *var;
    sim_addr address;
    bool placed; /* a managed variable in memory that is not the module's */
};
/* Where a module variable lies; 0 if it has no place. */
sim_addr sim_module_address(const sim_module *m, const ptx_var *v);
/* Code addresses: what a function pointer holds. */
#define SIM_CODE_BASE 0x2e0000000000ull
sim_addr sim_module_code(const sim_module *m, const ptx_func *f);
const ptx_func *sim_module_function(const sim_module *m, sim_addr a);
const time_code *sim_module_time(sim_module *m);
enum { SIM_PARAM_BLOCK = 32768 };
sim_image *sim_kernel_image(sim_kernel *k, lib_message *msg);

#endif
