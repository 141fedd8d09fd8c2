/* A block's place in its cluster, and the cluster's barrier (PTX ISA 9.7.13.4, barrier.cluster). A
 * phase is over when all threads of the cluster that have not exited have arrived. A waiting thread
 * goes on when the phase in which it arrived is over. */
#include "runner/device/sim/machine/fault.h"
#include "runner/device/sim/run/cluster.h"
#include "runner/device/sim/run/frag.h"
#include "words/finding.h"

void sim_cluster_place(const sim_run_state *r, uint64_t order, unsigned grid[3], unsigned in[3]) {
    uint64_t number = order / r->cluster_size;
    unsigned rank = (unsigned)(order % r->cluster_size);
    for (unsigned k = 0; k < 3; k++) {
        unsigned size = r->cluster[k], clusters = r->launch->grid[k] / size;
        in[k] = rank % size;
        rank /= size;
        grid[k] = (unsigned)(number % clusters) * size + in[k];
        number /= clusters;
    }
}

/* Returns the longest path of a warp of the cluster. */
static uint64_t cluster_path(const sim_cluster *c) {
    uint64_t path = 0;
    for (unsigned rank = 0; rank < c->size; rank++)
        for (uint32_t i = 0; c->block[rank] && i < c->block[rank]->warp_count; i++) {
            const sim_warp *w = &c->block[rank]->warps[i];
            path = sim_path_later(path, w->alone + w->lead, w->block->run->trip_cycles);
        }
    return path;
}

static void cluster_open(sim_cluster *c) {
    uint64_t path = cluster_path(c);
    c->arrived = 0;
    for (unsigned rank = 0; rank < c->size; rank++) {
        sim_block *b = c->block[rank];
        for (uint32_t i = 0; b && i < b->warp_count; i++) {
            sim_warp *w = &b->warps[i];
            bool waits = false;
            w->cluster_arrived = 0;
            for (uint32_t k = 0; k < w->frag_count; k++) {
                if (w->frags[k].state != SIM_FRAG_BAR || w->frags[k].bar != SIM_CLUSTER_BAR)
                    continue;
                w->cluster_owes &= ~w->frags[k].mask;
                w->lead = path - w->alone;
                waits = true;
            }
            if (waits) sim_warp_release(w, SIM_CLUSTER_BAR);
        }
    }
    sim_cluster_met(&c->mem);
}

static void cluster_check(sim_cluster *c) {
    if (c->arrived && c->arrived >= c->live) cluster_open(c);
}

static bool cluster_wrong(sim_warp *w, const sim_insn *i, uint32_t lanes, lib_words what) {
    sim_fail_at(w, i->ptx, lanes, SIM_TRAP, SIM_FIND_BARRIER, what);
    return false;
}

bool sim_cluster_barrier(sim_warp *w, uint32_t c, const sim_insn *i) {
    sim_cluster *of = w->block->cluster;
    sim_frag *f = &w->frags[c];
    uint32_t next = f->frame->func->segs[f->seg].next;
    if (i->imm == SIM_CLUSTER_ARRIVE) {
        if (w->cluster_owes & f->mask)
            return cluster_wrong(w, i, w->cluster_owes & f->mask, w_finding_cluster_twice());
        w->cluster_arrived |= f->mask;
        w->cluster_owes |= f->mask;
        of->arrived += (unsigned)__builtin_popcount(f->mask);
        f->seg = next;
        cluster_check(of);
        return w->frag_count == 1;
    }
    if (f->mask & ~w->cluster_owes)
        return cluster_wrong(w, i, f->mask & ~w->cluster_owes, w_finding_cluster_unarrived());
    uint32_t over = f->mask & ~w->cluster_arrived;
    w->cluster_owes &= ~over;
    if (over == f->mask) {
        f->seg = next;
        return true;
    }
    if (over) {
        f->mask &= ~over;
        sim_frag_add(w, f, over, next);
        f = &w->frags[c];
    }
    f->state = SIM_FRAG_BAR;
    f->bar = SIM_CLUSTER_BAR;
    return false;
}

void sim_cluster_exited(sim_warp *w, uint32_t lanes) {
    sim_cluster *c = w->block->cluster;
    c->live -= (unsigned)__builtin_popcount(lanes);
    c->arrived -= (unsigned)__builtin_popcount(lanes & w->cluster_arrived);
    w->cluster_arrived &= ~lanes;
    w->cluster_owes &= ~lanes;
    cluster_check(c);
}

bool sim_cluster_waits(const sim_block *b) {
    for (uint32_t i = 0; i < b->warp_count; i++)
        for (uint32_t k = 0; k < b->warps[i].frag_count; k++)
            if (b->warps[i].frags[k].state == SIM_FRAG_BAR &&
                b->warps[i].frags[k].bar == SIM_CLUSTER_BAR)
                return true;
    return false;
}
