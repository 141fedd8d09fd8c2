/* Functions that emit instructions: what the files of this room share, and the second door, for the
 * families of handlers that decode their own instructions. */
#ifndef WARPLAB_SIM_EMIT_H
#define WARPLAB_SIM_EMIT_H

#include "runner/device/sim/machine/image.h"
#include "runner/device/sim/exec/exec.h"

typedef struct {
    sim_image *image;
    sim_func *func;
    const ptx_func *ptx;
    const ptx_insn *insn;
    sim_isa isa;
    lib_message *msg;
    bool failed;
    bool calls_any; /* it calls through a register: the image has every function */
    uint32_t temps; /* offset in the frame after the last slot in use */
    /* operand of each PTX register: its slot, or the operand of which it is a copy */
    sim_opnd *reg_at;
    uint32_t *defs;       /* how often each register is written */
    sim_opnd carry, sink; /* CC.CF's predicate; the slot for unwanted results */
    sim_opnd matrix_room; /* sim_matrix_room(); SIM_NO_SLOT: not yet asked for */
    struct {
        sim_opnd from, to;
        uint8_t from_slot, to_slot, type;
    } fix[16]; /* destinations wider or narrower than the instruction's result: copied after it */
    unsigned fix_count;
    const sim_opnd *reg_slot; /* each register's own slot */
    sim_insn scratch;         /* receives instructions when memory is out */
} sim_decoder;
typedef void sim_decode_fn(sim_decoder *d);

/* ---- emit.c ---- */

/* Says why the kernel cannot run, with the PTX line. The first reason stays. */
void sim_decode_fail(sim_decoder *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Returns whether the module is being given up; then the decoder has failed. */
bool sim_decode_stopped(sim_decoder *d);
/* Returns zeroed memory that is freed with the image; NULL: out of memory. */
void *sim_image_alloc(sim_image *im, size_t n);
/* The same. If memory is out, returns NULL, and the decoder has failed. */
void *sim_decode_alloc(sim_decoder *d, size_t n);
/* Frees the image and all that it owns, except its machine code. */
void sim_image_release(sim_image *im);
/* Makes room for `need` elements in *array (a pointer to a pointer). If memory is out, returns
 * false, and the decoder has failed. */
bool sim_decode_grow(sim_decoder *d, void *array, size_t *cap, size_t need, size_t size);

unsigned sim_slot_of(ptx_type t);
sim_opnd sim_temp(sim_decoder *d, unsigned slot);
/* Consecutive 32-bit slots of the function: for what a matrix instruction computes from its
 * operands while it is executed. */
enum { SIM_MATRIX_ROOM = 20 };
sim_opnd sim_matrix_room(sim_decoder *d);
sim_opnd sim_const(sim_decoder *d, unsigned slot, uint64_t value);
sim_insn *sim_emit(sim_decoder *d, sim_exec_fn *all, sim_exec_fn *some);
/* Finds a row in the handlers' tables. If there is none, returns NULL, and the decoder has
 * failed. */
const sim_exec_row *sim_row(sim_decoder *d, unsigned op, unsigned t0, unsigned t1,
                            uint32_t variant);
void sim_emit_op(sim_decoder *d, unsigned op, unsigned t0, unsigned t1, uint32_t variant,
                 sim_opnd to, sim_opnd a, sim_opnd b);
void sim_emit_mov(sim_decoder *d, unsigned slot, sim_opnd to, sim_opnd from);

/* ---- operand.c ---- */

/* Returns source operand o as a slot of the kind, extended or cut as `type` says. */
sim_opnd sim_source(sim_decoder *d, const ptx_opnd *o, unsigned slot, ptx_type type);
sim_opnd sim_destination(sim_decoder *d, const ptx_opnd *o, unsigned slot, ptx_type type);
/* Returns the high half of a SIM_SLOT_128, as a slot of 64 bits. The operand itself is the low
 * half. */
sim_opnd sim_high_half(sim_opnd o);
/* Emits the copies into destinations of another width. Called after each instruction. */
void sim_flush_fixes(sim_decoder *d);
/* Emits the row with the instruction's operands, as the row's slots say. Returns NULL if r is
 * NULL. */
sim_insn *sim_emit_row(sim_decoder *d, const sim_exec_row *r);
/* Splits an address operand into the base slot (SIM_SLOT_32 for shared and local, otherwise 64) and
 * a constant offset, which goes into the instruction. */
void sim_address(sim_decoder *d, const ptx_opnd *o, unsigned space, sim_opnd *base,
                 uint64_t *offset);
/* Returns the SIM_ATOM_* of an atomic (a ptx_atomop), for sim_site.changes; 0 for a cas, which may
 * be of two kinds. */
uint16_t sim_atom_changes(unsigned op, ptx_type type);
/* Adds a memory site for the current instruction. Call sim_site_done() when its fields are set.
 * Returns NULL if memory is out. */
sim_site *sim_site_add(sim_decoder *d, unsigned space, sim_access_kind kind, unsigned elem,
                       unsigned vec, unsigned reg);
void sim_site_done(sim_decoder *d, sim_site *s);
/* Returns the place of a kernel parameter in the block area, made when first asked for. */
sim_opnd sim_param_slot(sim_decoder *d, const ptx_var *v, int64_t offset, ptx_type type);
/* Finds the lane-major area (SIM_AREA_*) of a frame in which a .param variable of a device function
 * or of a call lies. Returns false for the kernel's own parameters. */
bool sim_param_area(sim_decoder *d, const ptx_var *v, uint32_t *which);

/* ---- the functions that ops.def names: in decode_*.c, and in the files of their handlers ---- */

#define OP(name, mnemonic, decoder, ends, doc) sim_decode_fn sim_decode_##decoder;
#define FORM(klass, types, mods, operands)
#include "runner/device/sim/ptx/ops.def"
#undef OP
#undef FORM
/* What `plain` and `cvt` leave to others: operands of half precision, rounding other than to
 * nearest, conversions without a row of their own. */
sim_decode_fn sim_decode_half, sim_decode_rounded, sim_decode_cvt_any;
/* special/half.c: P[to] := a cmp b; if the type is packed, P[high] := the same for the high
 * halves */
void sim_emit_half_setp(sim_decoder *d, unsigned type, sim_opnd to, sim_opnd high, sim_opnd a,
                        sim_opnd b);

#endif
