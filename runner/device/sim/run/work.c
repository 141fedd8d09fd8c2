/* Distributes blocks over workers: handed out in the order of their numbers, run, and committed in
 * the same order (caches, trace, printed text). When a block fails, the blocks after it are given
 * up and those before it run to their end, so that the lowest failing block decides. */
#include "runner/device/sim/machine/device.h"
#include "runner/device/sim/run/block.h"
#include "runner/device/sim/run/launch.h"
#include "runner/device/sim/run/stuck.h"
#include "runner/device/sim/run/twins.h"
#include "runner/device/sim/run/work.h"

/* Under the lock: the block's context becomes free. */
static void work_keep(sim_block *b) {
    b->next = b->worker->idle;
    b->worker->idle = b;
}

/* Under the lock. Returns NULL if none is kept. */
static sim_block *work_kept(sim_worker *k) {
    sim_block *b = k->idle;
    if (b) k->idle = b->next;
    return b;
}

/* Without room for one more context: takes another worker's, or one that is still to be
 * committed. */
static sim_block *work_borrow(sim_run_state *r) {
    sim_block *b = NULL;
    pthread_mutex_lock(&r->lock);
    for (bool more = true; more && !b;) {
        for (unsigned n = 0; n < r->worker_count && !b; n++) b = work_kept(&r->workers[n]);
        more = r->committing;
        if (more && !b) pthread_cond_wait(&r->fewer, &r->lock);
    }
    pthread_mutex_unlock(&r->lock);
    return b;
}

static sim_block *work_make(sim_run_state *r, sim_worker *k) {
    sim_block *b = sim_block_new(r);
    if (!b) b = work_borrow(r);
    if (b) b->worker = k;
    return b;
}

sim_block *sim_work_context(sim_run_state *r, sim_worker *k) {
    pthread_mutex_lock(&r->lock);
    sim_block *b = work_kept(k);
    pthread_mutex_unlock(&r->lock);
    return b ? b : work_make(r, k);
}

/* Commits one block at a time, in order. */
static void work_commit_block(sim_run_state *r, sim_block *b) {
    sim_block_commit(b->mem);
    sim_spread_block(&r->spread, b->clock);
    r->skipped += b->skipped;
    if (b->skipped > r->skipped_most) r->skipped_most = b->skipped;
    r->slept += b->slept_most;
    if (b->slept_most > r->slept_most) r->slept_most = b->slept_most;
    sim_spread_block(&r->own, b->clock - b->waited);
    sim_sample_block(r, b);
    sim_twins_by_machine(r, b);
    if (b->trace) sim_trace_resolve(r->trace, b->trace, b->mem);
    else if (r->trace) sim_trace_pass(r->trace, b->order, b->mem);
    if (r->twins) sim_twins_commit(r, b);
    if (b->print_len && r->launch->print && !atomic_load(&r->print_full) &&
        !r->launch->print(r->launch->print_user, b->print_text, b->print_len))
        atomic_store(&r->print_full, true);
    b->print_len = 0;
}

/* Under the lock, which is released meanwhile: commits the blocks that are next in order. If
 * another worker is committing, it also takes over this worker's blocks, unless more wait than
 * there are workers. */
static void work_commit(sim_run_state *r) {
    while (r->committing) {
        if (r->ended_count <= r->worker_count) return;
        pthread_cond_wait(&r->fewer, &r->lock);
    }
    while (r->ended && r->ended->order == r->next_commit) {
        sim_block *b = r->ended;
        r->ended = b->next;
        r->committing = true;
        pthread_mutex_unlock(&r->lock);
        work_commit_block(r, b);
        pthread_mutex_lock(&r->lock);
        r->committing = false;
        r->next_commit++;
        r->ended_count--;
        work_keep(b);
        pthread_cond_broadcast(&r->fewer);
    }
}

/* Under the lock: a block that was stuck may find something new. */
static void work_moved(sim_run_state *r) {
    r->epoch++;
    r->stuck = 0;
}

/* The block parks. Returns true if it and all others are in loops that will never end. */
bool sim_work_all_stuck(sim_run_state *r, sim_block *b) {
    pthread_mutex_lock(&r->lock);
    bool before = b->cycle.found && b->cycle.epoch == r->epoch;
    bool host_may = sim_memory_has_mapped(r->device->memory) && !sim_twins_own(r);
    if (b->moved || host_may) work_moved(r);
    else r->stuck += sim_stuck(b, r->epoch) && !before;
    b->moved = false;
    bool all = r->next_block == r->grid_blocks && r->stuck == r->grid_blocks - r->over;
    pthread_mutex_unlock(&r->lock);
    return all;
}

void sim_work_end(sim_run_state *r, sim_block *b) {
    sim_block_end(b->mem);
    pthread_mutex_lock(&r->lock);
    sim_block **at = &r->ended;
    if (*at && r->ended_last->order < b->order) at = &r->ended_last->next;
    while (*at && (*at)->order < b->order) at = &(*at)->next;
    b->next = *at;
    *at = b;
    if (!b->next) r->ended_last = b;
    r->ended_count++;
    work_moved(r);
    r->over++;
    work_commit(r);
    pthread_mutex_unlock(&r->lock);
}

void sim_work_fail(sim_run_state *r, sim_block *b) {
    sim_block_end(b->mem);
    pthread_mutex_lock(&r->lock);
    if (b->status != SIM_OK && b->order <= atomic_load(&r->stop_after)) {
        atomic_store(&r->stop_after, b->order);
        atomic_store(&r->status, (int)b->status);
        sim_access_launch_abort(r->access, b->order);
    }
    b->next = r->dead;
    r->dead = b;
    work_moved(r);
    r->over++;
    pthread_mutex_unlock(&r->lock);
}

void sim_work_give_back(sim_run_state *r, sim_block *const block[], unsigned n) {
    pthread_mutex_lock(&r->lock);
    for (unsigned k = 0; k < n; k++) work_keep(block[k]);
    pthread_mutex_unlock(&r->lock);
}

void sim_work_no_memory(sim_run_state *r) {
    pthread_mutex_lock(&r->lock);
    if (atomic_load(&r->status) == SIM_OK) atomic_store(&r->status, SIM_NOMEM);
    atomic_store(&r->stop_after, 0);
    sim_access_launch_abort(r->access, 0);
    r->next_block = r->grid_blocks;
    pthread_mutex_unlock(&r->lock);
}

/* Blocks change places within groups of this many: of 16, or, every other time, of up to as many as
 * there are multiprocessors. A program must be right in any order of its blocks (CUDA C++
 * Programming Guide, "Thread Hierarchy"), so the group could be larger; but contexts are kept until
 * it is their turn to be committed, and no two of a group may share a multiprocessor's L1. Every
 * block begins in the end, whomever those before it wait for: a block that waits gives way
 * (sim_work_blocks()). */
enum { TURNS = 16, TURNS_BYTES = 16 << 20 };
static uint64_t work_group(const sim_run_state *r) {
    if (!r->turns) return 1;
    uint64_t sms = r->device->profile->sms, most = r->device->options.launch_bytes / 4,
             draw = sim_trace_draw(r->turns, 0, UINT64_MAX), few = sms < TURNS ? sms : TURNS;
    if (most > TURNS_BYTES || !most) most = TURNS_BYTES;
    most /= sim_block_bytes(r);
    if (most > sms) most = sms;
    return draw & 1 || most <= few ? few : few + 1 + (draw >> 1) % (most - few);
}

/* Under the lock. */
static bool work_take(sim_run_state *r, unsigned n, uint64_t *order) {
    uint64_t group = n > 1 ? 1 : work_group(r), at = r->next_block % group,
             first = r->next_block - at;
    if (r->next_block >= r->grid_blocks || first > atomic_load(&r->stop_after)) return false;
    uint64_t left = r->grid_blocks - first,
             draw = sim_trace_draw(r->turns, (unsigned)first + 1, UINT64_MAX);
    *order = first + (group > 1 ? sim_turn(draw, at, left < group ? left : group) : 0);
    r->next_block += n;
    return true;
}

bool sim_work_take(sim_run_state *r, unsigned n, uint64_t *order) {
    pthread_mutex_lock(&r->lock);
    bool more = work_take(r, n, order);
    pthread_mutex_unlock(&r->lock);
    return more;
}

static sim_block *work_next(sim_run_state *r, sim_worker *k) {
    uint64_t order;
    pthread_mutex_lock(&r->lock);
    bool more = work_take(r, 1, &order);
    sim_block *b = more ? work_kept(k) : NULL;
    pthread_mutex_unlock(&r->lock);
    if (!more) return NULL;
    if (!b && !(b = work_make(r, k))) {
        sim_work_no_memory(r);
        return NULL;
    }
    sim_block_start(b, k, order);
    if (r->twins) sim_twins_block(r, k, b);
    return b;
}

/* Blocks of a worker that wait, by their numbers: most wait for a lower one, which then goes on
 * first. */
typedef struct {
    sim_block *first, **end;
    sim_block **group; /* where the blocks of the last group begin; those come in any order */
    uint64_t number;   /* of that group */
} work_parked;

static void work_park(work_parked *p, sim_block *b) {
    uint64_t number = b->order / work_group(b->run);
    if (!p->first) p->end = p->group = &p->first;
    if (number != p->number) p->group = p->end;
    p->number = number;
    sim_block **at = p->group;
    while (*at && (*at)->order < b->order) at = &(*at)->next;
    b->next = *at;
    *at = b;
    if (!b->next) p->end = &b->next;
}

/* Blocks that share out work by a counter go on in the order in which a device would reach them:
 * whoever has executed least is next. */
static void work_turn(sim_block **at, sim_block *b) {
    while (*at && (*at)->clock <= b->clock) at = &(*at)->next;
    b->next = *at;
    *at = b;
}

/* Blocks that have ended and, until a parked one has, keep their contexts. */
enum { BACKLOG = 64 };

bool sim_work_backlog(sim_run_state *r) {
    pthread_mutex_lock(&r->lock);
    bool many = r->ended_count > BACKLOG;
    pthread_mutex_unlock(&r->lock);
    return many;
}

/* New blocks go before those that wait, which then go on round by round, so that whoever they wait
 * for gets to run. Once many contexts are kept for one that waits, it takes turns with the new
 * ones: it may wait for nobody, in a loop that only looks so. */
void sim_work_blocks(sim_run_state *r, sim_worker *k) {
    work_parked now = {0}, later = {0};
    sim_block *shares = NULL; /* those that share out work, by what they have executed */
    bool more = true, turn = false;
    for (;;) {
        turn = !turn && (now.first || later.first) && sim_work_backlog(r);
        sim_block *b = more && !turn ? work_next(r, k) : NULL;
        if (!b) more &= turn;
        if (!b && (b = shares)) shares = b->next;
        if (!b) {
            if (!now.first) now.first = later.first, later.first = NULL;
            if (!(b = now.first)) break;
            now.first = b->next;
        }
        switch (sim_block_run(b, k)) {
        case SIM_BLOCK_WAITS: /* never without clusters */
        case SIM_BLOCK_ENDED: sim_work_end(r, b); break;
        case SIM_BLOCK_FAILED: sim_work_fail(r, b); break;
        case SIM_BLOCK_TURN:
            if (!b->parked) sim_block_suspend(b->mem);
            b->parked = true;
            work_turn(&shares, b);
            break;
        case SIM_BLOCK_PARKED:
            if (!b->parked) sim_block_suspend(b->mem);
            b->parked = true;
            if (sim_work_all_stuck(r, b)) {
                sim_deadlock(b);
                sim_work_fail(r, b);
                break;
            }
            work_park(&later, b);
            break;
        }
    }
}
