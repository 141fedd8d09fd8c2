/* Executes an instruction: the door of this room. In: a decoded instruction (machine/image.h) and
 * the warp whose lanes are active (machine/state.h). Out: the warp's registers, its memory, or a
 * fault (machine/fault.h).
 *
 *   decode: op, types, variant --sim_exec_find()--> row: the handler and the kinds of its slots
 *   a warp: handler(w, i), once for all its lanes (lanes.h says how they are written; rooms that
 *           have handlers of their own, decode and run, include it too)
 *
 *   exec_int.inc .. exec_mem.inc   the families of families.h, once for each of the host's
 *                                  instruction sets: exec_base.c, exec_avx2.c, exec_avx512.c
 *   the other exec_*.c             handlers with their decoding, compiled once */
#ifndef WARPLAB_SIM_EXEC_H
#define WARPLAB_SIM_EXEC_H

#include "runner/device/sim/machine/image.h"
#include "runner/device/sim/isa.h"

typedef struct sim_exec_row sim_exec_row;

/* The variant of a PTX op that a row executes. The decoder computes it from the modifiers of an
 * instruction. */
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
    /* times the value of a field: comparison, rounding, clamp, ... depending on the op */
    SIM_V_FIELD = 1 << 12
};
#define SIM_V_F(value) ((uint32_t)(value)*SIM_V_FIELD)

/* One executable form, found by op, types and variant. Types match exactly, or a .bN row serves all
 * types of N bits. */
struct sim_exec_row {
    uint16_t op;      /* ptx_op */
    uint8_t t0, t1;   /* ptx_type of the first and second type; t1 PTX_NONE: one type */
    uint32_t variant; /* SIM_V_* */
    uint32_t slots;   /* kinds of the slots d, a, b, c, e: 4 bits each, from the low end */
    sim_exec_fn *fn[2];
};
#define SIM_SLOTS(d, a, b, c)                                                                      \
    ((uint32_t)(d) | (uint32_t)(a) << 4 | (uint32_t)(b) << 8 | (uint32_t)(c) << 12)
/* Returns the row for op, types and variant. A type without a row of its own takes the untyped row
 * of its width. NULL: none. */
const sim_exec_row *sim_exec_find(sim_isa s, unsigned op, unsigned t0, unsigned t1,
                                  uint32_t variant);
/* Returns the row whose handler is fn, the number of its family in SIM_EXEC_FAMILIES_OF, and its
 * index there. NULL: none. */
const sim_exec_row *sim_exec_row_of(sim_isa s, sim_exec_fn *fn, unsigned *family, size_t *at);

/* An atomic operation; sim_insn.aux. */
typedef struct {
    uint8_t op, type, bytes, vec; /* ptx_atomop, ptx_type, of an element */
    sim_opnd b[8], d[8];          /* d: SIM_NO_SLOT if the old value is not wanted */
} sim_atom_info;
void sim_atom_apply(sim_warp *w, const sim_insn *i, uint32_t lanes, void *const ptr[]);
/* Applies one element: *to := *to op *from. flush: a sum of .f32 treats subnormal inputs and
 * results as zeros. shared: other workers may access it at the same time. */
void sim_atom_reduce(unsigned op, ptx_type type, bool flush, void *to, const void *from,
                     bool shared);
/* Returns the handler that reads a clock into operand d. A segment is counted when it begins, so
 * the handler leaves out the last imm instructions of its segment. NULL: the register is not a
 * clock. */
sim_exec_fn *sim_clock_handler(sim_isa s, unsigned sreg);
/* Returns whether fn is such a handler. */
bool sim_is_clock(sim_exec_fn *fn);

#endif
