/* Fragments of a warp, and which of them runs next (frag.c); lanes that meet at .sync instructions
 * (sync.c). */
#ifndef WARPLAB_SIM_FRAG_H
#define WARPLAB_SIM_FRAG_H

#include "runner/device/sim/machine/state.h"

/* The frame has no other fragment that this one may meet. */
#define SIM_ALONE UINT32_MAX

/* Adds a fragment beside `like`, in its frame. There are never more fragments than lanes, because
 * masks are disjoint and not empty. */
sim_frag *sim_frag_add(sim_warp *w, const sim_frag *like, uint32_t mask, uint32_t seg);
void sim_frag_remove(sim_warp *w, uint32_t k);
int sim_frag_choose_of_many(sim_warp *w, uint32_t *limit);
/* Returns the fragment to run, and in *limit the order at which it meets the next one of its frame.
 * -1: all wait. A warp that has not diverged, the common case, has only one. */
static inline int sim_frag_choose(sim_warp *w, uint32_t *limit) {
    if (w->frag_count != 1) return sim_frag_choose_of_many(w, limit);
    if (w->frags[0].state != SIM_FRAG_READY) return -1;
    *limit = SIM_ALONE;
    w->frags[0].yielded = false;
    return 0;
}
/* A block barrier at which fragments of the warp wait has opened. */
void sim_warp_release(sim_warp *w, unsigned bar);

static inline void sim_frag_enter(sim_warp *w, const sim_frag *f) {
    w->frame = f->frame;
    w->base[SIM_BASE_REGS] = f->frame->regs;
}

/* The fragment arrives at a .sync instruction. Returns true if the instruction was executed and the
 * fragment goes on. */
bool sim_sync_arrive(sim_warp *w, uint32_t c, const sim_insn *i);
/* Releases the fragments whose whole mask has arrived. */
void sim_sync_check(sim_warp *w);
/* The lanes have exited. Reports fragments that wait for them in vain, then does the same. */
void sim_sync_exited(sim_warp *w, uint32_t lanes);

#endif
