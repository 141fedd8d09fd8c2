/* Clusters: blocks that run together and reach each other's shared memory (CUDA C++ Programming Guide,
 * "Thread Block Clusters").
 *
 *   numbers --cluster_next()--> the blocks of one cluster, begun together on one worker
 *     --cluster_turns()--> each runs until it ends, waits at the cluster's barrier or only goes round waiting loops
 *     --as blocks in work.c--> committed in order, parked for others, or failed as a whole
 *
 * One thread runs a cluster, so that its blocks need no locks between them and take the same turns on any
 * number of workers. The order of blocks (caches, commits, who failed first) is here that of clusters,
 * and in each that of ranks; sim_block.linear is still the place in the grid.
 *
 * The barrier (PTX ISA 9.7.13.4, barrier.cluster): a phase is over when all threads of the cluster that
 * have not exited have arrived; a thread that waits goes on when the phase that it arrived in is
 * over. */
#include "runner/sim/machine/fault.h"
#include "runner/sim/run/block.h"
#include "runner/sim/run/cluster.h"
#include "runner/sim/run/frag.h"
#include "runner/sim/run/stuck.h"
#include "runner/sim/run/work.h"
#include <stdlib.h>

/* Rounds over the blocks before another cluster gets the worker, whatever they do. */
enum { ROUNDS_MOST = 64 };

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

/* ---- the barrier ---- */

static void cluster_open(sim_cluster *c) {
    c->arrived = 0;
    for (unsigned rank = 0; rank < c->size; rank++) {
        sim_block *b = c->block[rank];
        for (uint32_t i = 0; b && i < b->warp_count; i++) {
            sim_warp *w = &b->warps[i];
            bool waits = false;
            w->cluster_arrived = 0;
            for (uint32_t k = 0; k < w->frag_count; k++) {
                if (w->frags[k].state != SIM_FRAG_BAR || w->frags[k].bar != SIM_CLUSTER_BAR) continue;
                w->cluster_owes &= ~w->frags[k].mask;
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

static bool cluster_wrong(sim_warp *w, const sim_insn *i, uint32_t lanes, const char *what) {
    sim_fail_at(w, i->ptx, lanes, SIM_TRAP, SIM_FIND_BARRIER, what);
    return false;
}

bool sim_cluster_barrier(sim_warp *w, uint32_t c, const sim_insn *i) {
    sim_cluster *of = w->block->cluster;
    sim_frag *f = &w->frags[c];
    uint32_t next = f->frame->func->segs[f->seg].next;
    if (i->imm == SIM_CLUSTER_ARRIVE) {
        if (w->cluster_owes & f->mask)
            return cluster_wrong(w, i, w->cluster_owes & f->mask,
                                 "arrives twice at the cluster's barrier without waiting in between");
        w->cluster_arrived |= f->mask;
        w->cluster_owes |= f->mask;
        of->arrived += (unsigned)__builtin_popcount(f->mask);
        f->seg = next;
        cluster_check(of);
        return w->frag_count == 1;
    }
    if (f->mask & ~w->cluster_owes)
        return cluster_wrong(w, i, f->mask & ~w->cluster_owes,
                             "waits at the cluster's barrier without having arrived");
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

/* ---- a cluster ---- */

/* The block is no longer part of it: nobody reaches its shared memory any more. */
static void cluster_leave(sim_cluster *c, sim_block *b) {
    c->block[b->rank] = NULL;
    c->mem.block[b->rank] = NULL;
    c->left--;
    b->cluster = NULL;
}

/* One of its blocks failed: the others would wait for it, so they are given up with it. */
static void cluster_fail(sim_run_state *r, sim_cluster *c, sim_block *b) {
    cluster_leave(c, b);
    sim_work_fail(r, b);
    for (unsigned rank = 0; rank < c->size; rank++) {
        sim_block *other = c->block[rank];
        if (!other) continue;
        other->failed = true;
        other->status = SIM_OK;
        cluster_leave(c, other);
        sim_work_fail(r, other);
    }
}

/* Its first block that is still there; of those that can run, if `ready`. NULL: there is none. */
static sim_block *cluster_first(const sim_cluster *c, bool ready) {
    for (unsigned rank = 0; rank < c->size; rank++) {
        sim_block *b = c->block[rank];
        if (b && !ready) return b;
        for (uint32_t i = 0; b && i < b->warp_count; i++)
            if (b->warps[i].state == SIM_WARP_READY) return b;
    }
    return NULL;
}

static void cluster_deadlock(sim_run_state *r, sim_cluster *c) {
    sim_block *b = cluster_first(c, true);
    if (!b)
        for (unsigned rank = 0; rank < c->size && !b; rank++)
            if (c->block[rank] && sim_cluster_waits(c->block[rank])) b = c->block[rank];
    if (!b) b = cluster_first(c, false);
    sim_deadlock(b);
    cluster_fail(r, c, b);
}

/* Gives each block its turn, until all have ended, one has failed, or none does more than to wait. */
static sim_block_ran cluster_turns(sim_run_state *r, sim_cluster *c, sim_worker *k) {
    for (unsigned rounds = 0;; rounds++) {
        bool moved = false;
        for (unsigned rank = 0; rank < c->size; rank++) {
            sim_block *b = c->block[rank];
            if (!b) continue;
            bool before = b->moved;
            b->moved = false;
            switch (sim_block_run(b, k)) {
            case SIM_BLOCK_FAILED: cluster_fail(r, c, b); return SIM_BLOCK_FAILED;
            case SIM_BLOCK_ENDED:
                cluster_leave(c, b);
                sim_work_end(r, b);
                moved = true;
                continue;
            case SIM_BLOCK_PARKED:
            case SIM_BLOCK_WAITS: break;
            }
            moved |= b->moved;
            b->moved |= before;
        }
        if (!c->left) return SIM_BLOCK_ENDED;
        if (!cluster_first(c, true)) {
            cluster_deadlock(r, c);
            return SIM_BLOCK_FAILED;
        }
        if (!moved || rounds == ROUNDS_MOST) return SIM_BLOCK_PARKED;
    }
}

/* It gives the worker up. True: nobody will ever end what it waits for. */
static bool cluster_park(sim_run_state *r, sim_cluster *c) {
    bool stuck = false;
    for (unsigned rank = 0; rank < c->size; rank++) {
        sim_block *b = c->block[rank];
        if (!b) continue;
        if (!b->parked) sim_block_suspend(b->mem);
        b->parked = true;
        stuck |= sim_work_all_stuck(r, b);
    }
    return stuck;
}

/* ---- all of them ---- */

/* Contexts for a cluster's blocks; NULL: memory is out. */
static sim_cluster *cluster_contexts(sim_run_state *r) {
    sim_cluster *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    c->size = c->left = r->cluster_size;
    c->mem.size = c->size;
    for (unsigned rank = 0; rank < c->size; rank++) {
        sim_block *b = c->block[rank] = sim_work_context(r);
        if (b) continue;
        sim_work_give_back(r, c->block, rank);
        free(c);
        return NULL;
    }
    return c;
}

/* NULL: there are no more. */
static sim_cluster *cluster_next(sim_run_state *r, sim_worker *k) {
    sim_cluster *c = cluster_contexts(r);
    uint64_t order;
    if (!c) {
        sim_work_no_memory(r);
        return NULL;
    }
    pthread_mutex_lock(&r->order);
    bool more = sim_work_take(r, c->size, &order);
    for (unsigned rank = 0; more && rank < c->size; rank++) {
        sim_block *b = c->block[rank];
        b->cluster = c;
        b->rank = rank;
        sim_block_join(b->mem, &c->mem, rank);
        sim_block_start(b, k, order + rank);
        c->live += b->threads;
    }
    pthread_mutex_unlock(&r->order);
    if (more) return c;
    sim_work_give_back(r, c->block, c->size);
    free(c);
    return NULL;
}

void sim_work_clusters(sim_run_state *r, sim_worker *k) {
    sim_cluster *first = NULL, *last = NULL; /* parked, oldest first */
    bool more = true;
    for (;;) {
        sim_cluster *c = more ? cluster_next(r, k) : NULL;
        if (!c) {
            more = false;
            if (!(c = first)) break;
            first = c->next;
            if (!first) last = NULL;
        }
        sim_block_ran ran = cluster_turns(r, c, k);
        if (ran == SIM_BLOCK_PARKED && cluster_park(r, c)) {
            cluster_deadlock(r, c);
            ran = SIM_BLOCK_FAILED;
        }
        if (ran != SIM_BLOCK_PARKED) {
            free(c);
            continue;
        }
        c->next = NULL;
        if (last) last->next = c;
        else first = c;
        last = c;
    }
}
