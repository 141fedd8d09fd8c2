/* Runs a grid cluster after cluster; work.c runs it block after block. The blocks of a cluster run
 * together and reach each other's shared memory (CUDA C++ Programming Guide, "Thread Block
 * Clusters").
 *
 *   numbers --cluster_next()--> the blocks of one cluster, started together on one worker
 *     --cluster_turns()--> each runs until it ends, waits at the cluster's barrier or only goes
 *     round waiting loops --as blocks in work.c--> committed in order, parked for others, or failed
 *     as a whole
 *
 * One thread runs a cluster, so its blocks need no locks between them and take the same turns on
 * any number of workers. The order of blocks (caches, commits, which failed first) is here that of
 * clusters and, within a cluster, that of ranks. sim_block.linear is still the place in the
 * grid. */
#include "runner/device/sim/run/block.h"
#include "runner/device/sim/run/cluster.h"
#include "runner/device/sim/run/launch.h"
#include "runner/device/sim/run/stuck.h"
#include "runner/device/sim/run/work.h"
#include <stdlib.h>

/* Rounds over the blocks before another cluster gets the worker in any case. */
enum { ROUNDS_MOST = 64 };

/* ---- a cluster ---- */

/* Takes the block out of the cluster: its shared memory can no longer be reached. */
static void cluster_leave(sim_cluster *c, sim_block *b) {
    c->block[b->rank] = NULL;
    c->mem.block[b->rank] = NULL;
    c->left--;
    b->cluster = NULL;
    sim_block_join(b->mem, NULL, b->rank);
}

/* One of the cluster's blocks failed. The others would wait for it, so they are given up, too. */
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

/* Returns its first block that has not ended; with `ready`, the first of those that can run. NULL:
 * none. */
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

/* Gives each block its turn, until all have ended, one has failed, or all only wait. */
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
            case SIM_BLOCK_TURN: /* never with clusters */
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

/* The cluster gives the worker up. Returns true if nothing will ever end what it waits for. */
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

/* ---- the whole grid ---- */

/* Returns contexts for a cluster's blocks; NULL: memory is out. */
static sim_cluster *cluster_contexts(sim_run_state *r, sim_worker *k) {
    sim_cluster *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    c->size = c->left = r->cluster_size;
    c->mem.size = c->size;
    for (unsigned rank = 0; rank < c->size; rank++) {
        sim_block *b = c->block[rank] = sim_work_context(r, k);
        if (b) continue;
        sim_work_give_back(r, c->block, rank);
        free(c);
        return NULL;
    }
    return c;
}

/* Returns NULL after the last one. */
static sim_cluster *cluster_next(sim_run_state *r, sim_worker *k) {
    sim_cluster *c = cluster_contexts(r, k);
    uint64_t order;
    if (!c) {
        sim_work_no_memory(r);
        return NULL;
    }
    bool more = sim_work_take(r, c->size, &order);
    for (unsigned rank = 0; more && rank < c->size; rank++) {
        sim_block *b = c->block[rank];
        b->cluster = c;
        b->rank = rank;
        sim_block_join(b->mem, &c->mem, rank);
        sim_block_start(b, k, order + rank);
        c->live += b->threads;
    }
    if (more) return c;
    sim_work_give_back(r, c->block, c->size);
    free(c);
    return NULL;
}

static void work_clusters(sim_run_state *r, sim_worker *k) {
    sim_cluster *first = NULL, *last = NULL; /* parked, oldest first */
    bool more = true, turn = false;
    for (;;) {
        turn = !turn && first && sim_work_backlog(r);
        sim_cluster *c = more && !turn ? cluster_next(r, k) : NULL;
        if (!c) {
            more &= turn;
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

void sim_work(void *run, unsigned index) {
    sim_run_state *r = run;
    sim_worker *k = &r->workers[index];
    if (r->cluster_size) work_clusters(r, k);
    else sim_work_blocks(r, k);
    pthread_mutex_lock(&r->lock);
    atomic_fetch_add(&r->executed, k->executed);
    pthread_mutex_unlock(&r->lock);
}
