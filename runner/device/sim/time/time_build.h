/* Shared by the files that make time_code: one function's instructions, and what is known of its
 * registers.
 *
 *   time_code.c   regions, costs, predicates
 *   time_fold.c   instructions that ptxas merges into others
 *   time_order.c  the order of issue, unrolled loops */
#ifndef WARPLAB_TIME_BUILD_H
#define WARPLAB_TIME_BUILD_H

#include "runner/device/sim/time/time_internal.h"
#include "runner/base/cancel.h"
#include "runner/device/sim/load/resources.h"

/* The longest chain of definitions that is searched for an alignment. */
enum { TIME_LOOK_BACK = 12 };
/* What a pass over a function finds out about a register. */
typedef struct {
    uint32_t defs, uses;
    uint32_t guards;         /* uses as a guard */
    uint32_t def_at, use_at; /* the last definition, the last use */
    uint32_t first_def;      /* the first definition */
    /* uses as a term of a sum of this width, and as the base of an address */
    uint32_t add64, add32, address;
    bool varies;   /* differs among the lanes of a warp */
    bool constant; /* its value is known at assembly */
    /* a number of which its value is known to be a multiple, by the length of the chain searched;
     * 0: not yet computed */
    uint8_t multiple[TIME_LOOK_BACK + 1];
} time_reg;

/* How an instruction is merged into another. FREE: it costs nothing. The others: it is the product
 * or shift in a 64-bit sum, in a 32-bit sum. */
enum { TIME_FOLD_NO, TIME_FOLD_FREE, TIME_FOLD_WIDE_SUM, TIME_FOLD_PRODUCT_SUM };

enum { TIME_COPIES = 4 }; /* of an unrolled loop */
typedef struct {
    const ptx_func *f;
    time_code *code;
    uint32_t base; /* pc of the function's first instruction */
    time_reg *reg;
    uint8_t *fold; /* by instruction: TIME_FOLD_* */
    int room;      /* registers that hold values */
    const time_assembled *of;
    sim_resource_span *span; /* by register: the instructions between which its value is needed */
    uint8_t *held;           /* by register: machine registers that its value takes */
    int *alive; /* by instruction: registers of earlier values that are needed from there on */
    const volatile int *stop; /* as in time_code_new() */
    /* by register, TIME_COPIES times as many as the function has, for time_order.c; between two
     * regions they are zero and the register's own number */
    uint32_t *def, *reader, *name;
    double *slots; /* by block, for time_code.c */
} time_builder;

static inline bool time_stopped(const time_builder *b) {
    return lib_raised(b->stop);
}
static inline bool time_flag(const ptx_insn *i, unsigned f) {
    return i->flags >> f & 1;
}
/* Returns how many operands the instruction writes: they are the first ones. */
unsigned time_dst_count(const ptx_insn *i);
/* Calls fn for each register of an operand. */
typedef void time_reg_fn(void *user, int32_t reg, const ptx_opnd *o);
void time_each_reg(const ptx_opnd *o, time_reg_fn *fn, void *user);
bool time_is_sum(const ptx_insn *i, unsigned bytes);
bool time_is_immediate(const ptx_insn *i, unsigned k);
bool time_is_volatile(const ptx_insn *i);

/* time_fold.c: fills b->reg and b->fold. The second function joins the shared loads of a region. */
void time_fold(time_builder *b);
void time_merge_loads(time_builder *b, const time_region *r);
/* time_turns.c: sets the roles of the function's operations. */
void time_roles(time_builder *b);
/* time_order.c: fills the region's order, and that of the loop unrolled if ptxas would unroll it.
 * Returns false if memory is out. */
bool time_schedule(time_builder *b, time_region *r);

#endif
