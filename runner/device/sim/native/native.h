/* Hot code as machine code of the host.
 *
 *   look_around() (warp.c) --how much a kernel executes--> sim_native_note()
 *     hot segments --native_text.c--> C source --native.c, a thread: cc -shared by run_command,
 *     dlopen--> sim_seg.native
 *
 * Compiled are runs of plain arithmetic within a segment (rows of lane/int.def, lane/fp.def and
 * lane/cvt.def, with the same expressions), and loops of one segment that consist of such a run.
 * Registers of a run that are not read later are never stored. Native code runs only if all live
 * lanes of a warp are active; counts, results and findings are the same as without it. Without a C
 * compiler, nothing changes. */
#ifndef WARPLAB_SIM_NATIVE_H
#define WARPLAB_SIM_NATIVE_H

#include "runner/device/sim/isa.h"
#include "runner/device/sim/machine/state.h"

typedef struct sim_native sim_native;

/* Repeats the loop until a lane leaves it, at most `most` (>= 1) times. Returns how often. */
typedef uint32_t sim_native_loop(sim_warp *w, uint32_t most);
typedef struct {
    sim_exec_fn *fn;      /* runs a run, or the instruction's own handler */
    const sim_insn *insn; /* its argument */
} sim_native_step;
struct sim_native_seg {
    sim_native_loop *loop; /* NULL: the segment has only steps */
    uint32_t step_count;
    sim_native_step steps[];
};

/* ---- native.c: when code is compiled ---- */

/* Returns NULL if native code is off, as without run_command. WARPLAB_SIM_NATIVE: off, hot (the
 * default), now (every kernel before its first launch). */
sim_native *sim_native_new(sim_run_command *run, void *user);
/* Ends a running compiler. All its images must have been freed. */
void sim_native_free(sim_native *n);
/* Makes the place of a new image. NULL: off or out of memory; the functions below accept NULL. */
sim_native_image *sim_native_image_new(sim_native *n, sim_image *im);
void sim_native_image_free(sim_native_image *x);
/* Called by a worker of a launch that has executed `all` warp instructions so far: asks to compile
 * segments that are hot by its counts. over: the launch has ended. */
void sim_native_note(sim_native_image *x, const sim_worker *k, uint64_t all, bool over);

/* ---- native_text.c: what is compiled ---- */

typedef struct {
    sim_seg *seg;
    const sim_insn *insns; /* of its function */
    struct native_run {
        uint32_t from, count; /* indices in `insns` */
    } * runs;
    uint32_t run_count;
    bool loop;
} native_seg;
typedef struct {
    char *text; /* C source that defines run_S_R() for each run R of segs[S], loop_S() for a loop */
    native_seg *segs;
    size_t seg_count;
} native_plan;
/* Plans what can be compiled of the segments with wanted[id]. Returns false if there is nothing, or
 * memory is out. */
bool native_plan_make(native_plan *p, const sim_image *im, sim_isa isa, const bool *wanted);
void native_plan_free(native_plan *p);

#endif
