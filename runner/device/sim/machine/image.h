/* The decoded code of a kernel. A sim_image holds the kernel and all functions that it may call:
 * their segments of instructions over slots, the pool of immediates, the layout of parameters and
 * shared memory.
 *
 * Registers: a frame has one slot for each PTX register: 32 lanes of 4 bytes (types up to 32 bits),
 * 32 lanes of 8 bytes, or one word of 32 bits for a predicate. An operand is (offset << 2 | base).
 * Everything else has a slot, too: immediates in the image's pool, special registers and kernel
 * parameters in areas of the block and the warp. So handlers know only slots. decode/decode.h makes
 * an image, emit/emit.h frees it. */
#ifndef WARPLAB_SIM_IMAGE_H
#define WARPLAB_SIM_IMAGE_H

#include "runner/device/sim/access/access.h"
#include "runner/device/sim/machine/table.h"
#include "runner/device/sim/ptx/ptx.h"
#include "runner/device/sim/sim.h"

typedef struct sim_insn sim_insn;
typedef struct sim_func sim_func;
typedef struct sim_image sim_image;
typedef struct sim_warp sim_warp;
typedef struct sim_native_image sim_native_image;
typedef struct sim_native_seg sim_native_seg;

#define SIM_ALL_LANES 0xffffffffu

/* ---- operands ---- */

/* The area of an operand's slot: the low two bits of an operand. */
enum { SIM_BASE_REGS, SIM_BASE_POOL, SIM_BASE_BLOCK, SIM_BASE_WARP };
typedef uint32_t sim_opnd;
#define SIM_NO_SLOT UINT32_MAX
static inline sim_opnd sim_opnd_make(uint32_t offset, unsigned base) {
    return offset << 2 | base;
}

/* The contents of a slot. */
/* 128: the low halves of all lanes, then the high halves, each like a slot of 64 bits. */
enum { SIM_SLOT_NONE, SIM_SLOT_PRED, SIM_SLOT_32, SIM_SLOT_64, SIM_SLOT_128, SIM_SLOT_KINDS };
static inline uint32_t sim_slot_bytes(unsigned slot) {
    return slot == SIM_SLOT_128 ? 512 : slot == SIM_SLOT_64 ? 256 : slot == SIM_SLOT_32 ? 128 : 64;
}

/* Special registers that do not change within a block (SIM_BASE_BLOCK) or a warp (SIM_BASE_WARP):
 * the index of SREG's slot in its area. */
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
    SIM_BS_TOTAL_SMEM, /* as allocated, without the part that the system reserves */
    SIM_BS_AGGR_SMEM,  /* as asked for, with that part */
    /* The shared memory that the system reserves in each block: its begin, its end, its size, and
     * the part that cooperative groups work in */
    SIM_BS_RESERVED_BEGIN,
    SIM_BS_RESERVED_END,
    SIM_BS_RESERVED_CAP,
    SIM_BS_RESERVED_1,
    /* high word of the address of the grid's workspace, where cooperative groups keep the grid
     * barrier */
    SIM_BS_ENVREG1,
    SIM_BS_ENVREG2,
    SIM_BS_GRIDID, /* 64 bits: two slots */
    SIM_BS_GRIDID_HIGH,
    /* in a launch with clusters */
    SIM_BS_CLUSTERID_X,
    SIM_BS_CLUSTERID_Y,
    SIM_BS_CLUSTERID_Z,
    SIM_BS_NCLUSTERID_X,
    SIM_BS_NCLUSTERID_Y,
    SIM_BS_NCLUSTERID_Z,
    SIM_BS_CLUSTER_CTAID_X,
    SIM_BS_CLUSTER_CTAID_Y,
    SIM_BS_CLUSTER_CTAID_Z,
    SIM_BS_CLUSTER_NCTAID_X,
    SIM_BS_CLUSTER_NCTAID_Y,
    SIM_BS_CLUSTER_NCTAID_Z,
    SIM_BS_CLUSTER_CTARANK,
    SIM_BS_CLUSTER_NCTARANK,
    SIM_BS_EXPLICIT_CLUSTER, /* a predicate */
    SIM_BS_COUNT
};
enum { SIM_WS_TID_X, SIM_WS_TID_Y, SIM_WS_TID_Z, SIM_WS_WARPID, SIM_WS_COUNT };

/* ---- decoded code ---- */

typedef void sim_exec_fn(sim_warp *w, const sim_insn *i);

/* One step. Most PTX instructions become one step; some become two (first a conversion of an
 * operand's width), some none. */
struct sim_insn {
    sim_exec_fn *fn[2];     /* [0]: for warps whose live lanes are all active, [1]: for others */
    sim_opnd d, a, b, c, e; /* destination, sources; e: a fourth source or a second destination */
    uint32_t imm;           /* its meaning: at the handler */
    uint64_t offset;        /* added to addresses */
    const sim_site *site;   /* memory instructions */
    const void *aux;        /* its meaning: at the handler */
    const ptx_insn *ptx;
    sim_exec_fn *inner[2]; /* for guarded instructions, where fn is the guard's handler */
    sim_opnd guard;
    uint32_t guard_xor; /* ~0 for @!p */
    /* SYNC: kinds of d, a, b, c and of the second destination (in `offset`), as in
     * sim_exec_row.slots */
    uint32_t slots;
    uint32_t guard_id; /* index of the count of its lanes whose guard held */
    uint8_t mark;      /* as sim_seg.mark, of a guarded instruction */
};

/* The end of a segment. */
typedef enum {
    SIM_END_FALL, /* continues at `next` */
    SIM_END_BRA,  /* continues at `target` */
    SIM_END_CBRA, /* lanes whose guard holds continue at `target`, the others at `next` */
    SIM_END_BRX,  /* branches by the index in insn->a over insn->aux (sim_targets) */
    SIM_END_CALL,
    SIM_END_RET,
    SIM_END_EXIT,
    SIM_END_TRAP,
    SIM_END_BAR,     /* block barrier */
    SIM_END_CLUSTER, /* the cluster's barrier, either half */
    SIM_END_SYNC,    /* the lanes named by insn->e's mask meet, then insn->fn runs */
    SIM_END_YIELD,   /* nanosleep */
    SIM_END_POLL /* its insn polls a word; if lanes have not found their value, others get a turn */
} sim_end;

enum { SIM_MARKS = 64 };
/* Instructions that are executed one after another under one mask: insns [first, first + count),
 * then the end's at first + count, unless `end` is FALL. */
typedef struct {
    uint32_t first, count;
    uint8_t end;
    bool guarded; /* the end has a guard: the other lanes continue at `next` */
    bool spin;    /* its branch closes a loop in which lanes may wait for others */
    /* it is in a loop that waits for a store of others and computes nothing meanwhile (ptx.h) */
    bool polls;
    /* of a branch that closes such a loop: the loop's only load, of global memory; or NULL */
    const sim_insn *polled;
    /* looks: it begins such a loop: a wait, or a round that does more than look; again: its branch
     * ends a round that only looked */
    bool looks, again;
    bool waits, asks; /* it is in a loop that only waits for a clock, or also for others (ptx.h) */
    bool back;        /* its branch goes backwards */
    bool round;       /* ... to its own beginning, and lanes do not wait in that loop */
    /* Its effects can be seen outside its registers, or differ from run to run: stores, output,
     * clocks. Atomics report this themselves (exec_atom.c) */
    bool acts;
    bool machine; /* a conditional branch that the assembler would keep, not a short forward `if` */
    /* Lanes that execute it leave something to other threads (decode/marks.c): 1 + the index of its
     * mark; 0: none */
    uint8_t mark;
    uint32_t order;                /* lowest first; unique in the function */
    uint32_t next, target;         /* segments of the same function */
    uint32_t id;                   /* index of its counts in the image */
    uint32_t ptx_first, ptx_count; /* its PTX instructions */
    /* Cycles that its instructions take a warp that runs alone, if L1 has what they load. The bits
     * from SIM_TRIPS on (time/meets.h): how often the warp waits for loads (run/sample.c). 0: not
     * wanted. */
    uint64_t alone;
    const sim_native_seg *native; /* its machine code, if any; may be set while other threads run */
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
        /* offsets of those areas in a frame: what the function passes to callees, got from its
         * caller, and returns */
        ret_at;
    uint32_t call_bytes, param_bytes, ret_bytes; /* per lane */
    /* pairs of byte offset and length: slots that start as zero */
    uint32_t *zero;
    uint32_t zero_count;
    /* pairs of byte offset and size of the type (0: a predicate): registers that some path reads
     * before it writes them. They start with arbitrary values (run/call.c) */
    uint32_t *unset;
    uint32_t unset_count;
    /* The memory that a lane has allocated above its .local variables; or SIM_NO_SLOT */
    sim_opnd stack;
    uint32_t index;         /* in the image */
    uint32_t pc_base;       /* trace.h: index of its first instruction in the module */
    const sim_opnd *reg_at; /* operand of each PTX register */
    uint32_t *guard_of;     /* by PTX instruction: the id of its guard's count; 0: none */
    uint8_t *mark_of;       /* by PTX instruction: 1 + its mark; 0: none */
};

/* A kernel with all functions that it may call. */
struct sim_image {
    const ptx_module *module;
    sim_module *owner;
    sim_func *funcs;
    size_t func_count; /* funcs[0] is the kernel */
    uint8_t *pool;     /* immediates */
    size_t pool_bytes, pool_cap;
    struct sim_pool_entry *pool_index;
    size_t pool_count, pool_index_cap;
    sim_table pool_at[SIM_SLOT_KINDS]; /* by kind of slot and value: the index in pool_index + 1 */
    sim_table func_at;                 /* by ptx_func: the function's index + 1 */
    sim_table param_at;                /* by place and type: the index + 1 */
    sim_table shared_index;            /* by ptx_var: the index in shared_vars + 1 */
    struct sim_site_list *sites;
    size_t site_count;
    uint32_t site_states;
    uint32_t seg_count, guard_count, mark_count;
    uint32_t block_bytes; /* SIM_BASE_BLOCK area: special registers, then parameters */
    struct sim_param *params;
    size_t param_count, param_cap;
    uint32_t static_shared; /* dynamic shared memory comes after it */
    uint32_t local_bytes;
    const ptx_var **shared_vars;
    uint32_t *shared_at;
    size_t shared_count, shared_cap;
    bool byte_shadow, has_calls,
        serial; /* serial: blocks must run one after another so that results are deterministic */
    bool allocates;   /* it allocates on the threads' stacks (alloca) */
    bool alone_known; /* sim_seg.alone is filled */
    bool launches;    /* it launches kernels itself */
    bool awaits,      /* some loop goes round until another thread has stored something */
        meets,       /* threads may wait for others at words of memory: such a loop, or mbarriers */
        takes,       /* some loop takes numbers from a counter in global memory */
        stores_late, /* it has volatile or .relaxed stores, which others may see late (late.h) */
        atomics_late,     /* it has atomics in global memory that release nothing */
        loads_strong,     /* it has volatile or stronger loads */
        counted_barriers, /* which warps open a barrier together may depend on whose turn it is */
        by_turns; /* what it loads may depend on whose turn came first: volatile, .relaxed, atomics */
    bool uses_dynamic_shared;
    /* For launches with clusters: shared addresses contain the block's rank (access.h), so the
     * addresses of shared variables are slots of the block area. */
    bool clustered;
    bool reserved_smem; /* it asks where the shared memory is that the system reserves */
    bool clocked;       /* it reads a clock */
    /* it uses the cluster barrier: in a launch without clusters, each block is its own cluster */
    bool cluster_barrier;
    struct sim_shared_slot *shared_slots;
    size_t shared_slot_count, shared_slot_cap;
    sim_table shared_slot_at; /* by address and kind of slot: the index + 1 */
    bool warpgroups;          /* it has instructions of warpgroups */
    sim_native_image *native;
    void *arena; /* all other memory of the decoder */
};
typedef struct sim_site_list {
    struct sim_site_list *next;
    sim_site site;
} sim_site_list;
/* An address in shared memory to which the block's rank is added. */
struct sim_shared_slot {
    uint64_t address;
    uint32_t at; /* offset of its slot in the block area */
    uint8_t slot;
};
struct sim_param {
    uint32_t at, bytes,
        offset; /* offset of its slot in the block area, width, offset in the parameter block */
    bool sext;
    uint8_t slot;
};

#endif
