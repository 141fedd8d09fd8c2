/* Fragments of a warp: the lanes that are at the same place. Among the fragments that can run, the
 * one in the deepest call runs, and among those of one frame the one whose segment is lowest in the
 * function's order. So a fragment arrives at the place where the paths meet before the other passes
 * it, and two that meet become one; in machine code only if they have waited for each other.
 * Fragments that gave way run when no other can. */
#include "runner/device/sim/run/call.h"
#include "runner/device/sim/run/frag.h"

sim_frag *sim_frag_add(sim_warp *w, const sim_frag *like, uint32_t mask, uint32_t seg) {
    sim_frag *f = &w->frags[w->frag_count++];
    *f = (sim_frag){.mask = mask, .seg = seg, .frame = like->frame};
    f->frame->refs++;
    return f;
}

void sim_frag_remove(sim_warp *w, uint32_t k) {
    sim_frame_drop(w->worker, w->frags[k].frame);
    uint32_t last = --w->frag_count;
    if (k != last) w->frags[k] = w->frags[last];
}

static void frag_merge(sim_warp *w) {
    bool by_sync = w->block->run->meets_by_sync;
    for (uint32_t a = 0; a < w->frag_count; a++) {
        sim_frag *f = &w->frags[a];
        if (f->state != SIM_FRAG_READY) continue;
        for (uint32_t b = w->frag_count - 1; b > a; b--) {
            sim_frag *g = &w->frags[b];
            if (g->state != SIM_FRAG_READY || g->frame != f->frame || g->seg != f->seg) continue;
            if (by_sync && (!f->met || f->met != g->met)) continue;
            f->mask |= g->mask;
            f->yielded &= g->yielded;
            f->spins = f->spins < g->spins ? g->spins : f->spins;
            f->rounds = 0;
            sim_frag_remove(w, b);
        }
    }
}

static uint32_t frag_order(const sim_frag *f) {
    return f->frame->func->segs[f->seg].order;
}

static bool frag_before(const sim_frag *a, const sim_frag *b) {
    if (a->frame->depth != b->frame->depth) return a->frame->depth > b->frame->depth;
    if (a->frame != b->frame) return a->frame->serial < b->frame->serial;
    return frag_order(a) < frag_order(b);
}

/* The common case, in one pass: all fragments can run, none gave way, one frame, all at different
 * places. Returns -2 for other cases. */
static int frag_choose_plainly(const sim_warp *w, uint32_t *limit) {
    const sim_frame *frame = w->frags[0].frame;
    const sim_seg *segs = frame->func->segs;
    uint32_t low = SIM_ALONE,
             next = SIM_ALONE; /* orders: of the first to run, and of the next one */
    uint64_t seen = 0;         /* places, as bits of their last digits */
    int best = -2;
    for (uint32_t k = 0; k < w->frag_count; k++) {
        const sim_frag *f = &w->frags[k];
        uint64_t place = 1ull << (f->seg & 63);
        if (f->state != SIM_FRAG_READY || f->yielded || f->frame != frame || seen & place)
            return -2;
        seen |= place;
        uint32_t order = segs[f->seg].order;
        if (order < low) {
            next = low;
            low = order;
            best = (int)k;
        } else if (order < next) {
            next = order;
        }
    }
    *limit = next;
    return best;
}

int sim_frag_choose_of_many(sim_warp *w, uint32_t *limit) {
    if (w->frag_count > 0) {
        int best = frag_choose_plainly(w, limit);
        if (best >= 0) return best;
        frag_merge(w);
        best = frag_choose_plainly(w, limit);
        if (best >= 0) return best;
    }
    int best = -1;
    for (int round = 0; round < 2 && best < 0; round++) {
        bool any = false;
        for (uint32_t k = 0; k < w->frag_count; k++) {
            sim_frag *f = &w->frags[k];
            if (f->state != SIM_FRAG_READY) continue;
            any = true;
            if (!f->yielded && (best < 0 || frag_before(f, &w->frags[best]))) best = (int)k;
        }
        if (!any) return -1;
        if (best < 0) /* all of them gave way */
            for (uint32_t k = 0; k < w->frag_count; k++) w->frags[k].yielded = false;
    }
    *limit = SIM_ALONE;
    for (uint32_t k = 0; k < w->frag_count; k++) {
        sim_frag *f = &w->frags[k], *g = &w->frags[best];
        if (f != g && f->state == SIM_FRAG_READY && f->frame == g->frame &&
            frag_order(f) < *limit && frag_order(f) >= frag_order(g))
            *limit = frag_order(f);
    }
    return best;
}

void sim_warp_release(sim_warp *w, unsigned bar) {
    bool any = false;
    for (uint32_t k = 0; k < w->frag_count; k++) {
        sim_frag *f = &w->frags[k];
        if (f->state != SIM_FRAG_BAR || f->bar != bar) continue;
        f->state = SIM_FRAG_READY;
        f->seg = f->frame->func->segs[f->seg].next;
        any = true;
    }
    if (any) w->state = SIM_WARP_READY; /* a warp that has ended stays so: it counts once */
}
