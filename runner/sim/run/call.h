/* Calls of device functions: call_decode.c makes of a call instruction what call.c executes;
 * frame.c has the frames. */
#ifndef WARPLAB_SIM_CALL_H
#define WARPLAB_SIM_CALL_H

#include "runner/sim/run/devlib.h"
#include "runner/sim/run/run.h"

/* One argument or result of a call, in the caller. */
typedef struct {
    uint8_t area; /* SIM_AREA_*, SIM_CALL_PARAM or SIM_CALL_VALUE */
    uint8_t slot; /* VALUE: what kind of slot */
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
    const sim_func *callee; /* NULL: by address (sim_insn.a) or built in */
    sim_builtin_fn *builtin;
    uint32_t nargs, nrets;
    sim_call_opnd *args, *rets;
    const ptx_func *proto; /* by address: what is called */
} sim_call_info;
enum { SIM_LINK_BYTES = 16 }; /* of a call, on the stack of local memory */

/* False: the fragment goes on behind the call at once (a built-in function). */
bool sim_call(sim_warp *w, sim_frag *f, const sim_seg *s, const sim_insn *i);
void sim_return(sim_warp *w, sim_frag *f);
/* Local memory a thread may address: the kernel's own and its callees' frames. */
uint32_t sim_local_limit(const sim_image *im);

/* A frame with room for a call of f; NULL: memory is out. */
sim_frame *sim_frame_new(sim_worker *k, const sim_func *f);
/* One holder less; the last one frees it and lets its caller's frame go. */
void sim_frame_drop(sim_worker *k, sim_frame *f);
void sim_frames_free(sim_worker *k);

#endif
