/* Call instructions (decode makes them, run executes them), and how their operands are read and
 * written (call_args.c). */
#ifndef WARPLAB_SIM_CALL_H
#define WARPLAB_SIM_CALL_H

#include "runner/device/sim/machine/state.h"
#include "runner/device/sim/special/devlib.h"

/* One argument or result of a call, in the caller. */
typedef struct {
    uint8_t area; /* SIM_AREA_*, SIM_CALL_PARAM or SIM_CALL_VALUE */
    uint8_t slot; /* VALUE: kind of the slot */
    uint32_t at;  /* offset in a lane of the area, or in the parameters */
    uint32_t bytes;
    sim_opnd value;
} sim_call_opnd;
enum {
    SIM_CALL_PARAM = SIM_AREA_RET + 1, /* the kernel's own parameters */
    SIM_CALL_VALUE
};

/* A call instruction's aux. */
typedef struct {
    const sim_func *callee; /* NULL: called by address (sim_insn.a), or built in */
    sim_builtin_fn *builtin;
    uint32_t nargs, nrets;
    sim_call_opnd *args, *rets;
    const ptx_func *proto;    /* called by address: the prototype */
    const sim_site *store[2]; /* built in, and stores through a pointer: sites for 4 and 8 bytes */
} sim_call_info;
enum { SIM_LINK_BYTES = 16 }; /* bytes of a call on the stack of local memory */

/* Returns where the .local variables of a frame end. Memory that the frame allocates begins
 * there. */
static inline uint32_t sim_frame_end(const sim_frame *f) {
    return f->local_base + ((f->func->ptx->local_bytes + 15u) & ~15u);
}

/* Reads an operand of the caller: `bytes` a lane, lanes `stride` apart. */
void sim_call_read(sim_warp *w, sim_frame *caller, const sim_call_opnd *c, uint8_t *to,
                   uint32_t stride, uint32_t bytes, uint32_t lanes);
void sim_call_write(sim_warp *w, sim_frame *caller, const sim_call_opnd *c, const uint8_t *from,
                    uint32_t stride, uint32_t bytes, uint32_t lanes);

#endif
