/* Hot code as machine code of the host.
 *
 *   look_around() (warp.c) --how much a kernel executes--> sim_native_note()
 *     hot segments --native_text.c--> C source --native.c, a thread: cc -shared by the runner of commands, dlopen--> sim_seg.native
 *
 * What is compiled: runs of plain arithmetic within a segment (rows of lane/int.def, lane/fp.def
 * and lane/cvt.def, the same expressions), and loops of one segment that are nothing but such a
 * run. Registers of a run that nobody reads later are never stored. It is only entered when all
 * live lanes of a warp are at it, and counts, results and findings are the same as without; where
 * there is no C compiler all stays as it is. */
#ifndef WARPLAB_SIM_NATIVE_H
#define WARPLAB_SIM_NATIVE_H

#include "runner/device/sim/isa.h"
#include "runner/device/sim/machine/state.h"

typedef struct sim_native sim_native;

/* Goes round the loop until a lane leaves it, at most `most` (>= 1) times; how often it did. */
typedef uint32_t sim_native_loop(sim_warp *w, uint32_t most);
typedef struct {
    sim_exec_fn *fn;      /* of a run, or the instruction's own handler */
    const sim_insn *insn; /* its argument */
} sim_native_step;
struct sim_native_seg {
    sim_native_loop *loop; /* NULL: the steps are all */
    uint32_t step_count;
    sim_native_step steps[];
};

/* ---- native.c: when, and by whom ---- */

/* NULL: off, as without a runner of commands. WARPLAB_SIM_NATIVE: off, hot (as if it were not set), now (every kernel before its
 * first launch). */
sim_native *sim_native_new(sim_run_command *run, void *user);
/* Ends a compiler that runs. No image of its may be left. */
void sim_native_free(sim_native *n);
/* A new image: its place for what follows; NULL when off or out of memory, which the others
 * take. */
sim_native_image *sim_native_image_new(sim_native *n, sim_image *im);
void sim_native_image_free(sim_native_image *x);
/* A worker of a launch that has executed `all` warp instructions so far: asks for what is hot by
 * its counts. `over`: the launch has ended. */
void sim_native_note(sim_native_image *x, const sim_worker *k, uint64_t all, bool over);

/* ---- native_text.c: what ---- */

typedef struct {
    sim_seg *seg;
    const sim_insn *insns; /* of its function */
    struct native_run {
        uint32_t from, count; /* of `insns` */
    } * runs;
    uint32_t run_count;
    bool loop;
} native_seg;
typedef struct {
    char *text; /* C source that defines run_S_R() for each run R of segs[S], loop_S() for a loop */
    native_seg *segs;
    size_t seg_count;
} native_plan;
/* What can be compiled of the segments for which wanted[id] holds. False: nothing, or out of
 * memory. */
bool native_plan_make(native_plan *p, const sim_image *im, sim_isa isa, const bool *wanted);
void native_plan_free(native_plan *p);

#endif
