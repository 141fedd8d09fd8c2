/* The shadow of a block's shared memory: cells, the log of accesses and their order, from block to
 * block and when serials are used up. race.c explains them. */
#include "runner/device/sim/access/access_internal.h"
#include "runner/base/buffer.h"
#include <stdlib.h>
#include <string.h>

bool sim_race_new(race_state *r, uint32_t bytes, bool narrow, bool races, bool uninit) {
    memset(r, 0, sizeof *r);
    r->shift = narrow ? 0 : 2;
    r->units = ((bytes + 255) & ~255u) >> r->shift;
    r->races = races;
    r->serial = 1;
    r->alarm = RACE_SERIALS;
    r->uninit = uninit;
    uint32_t cells = r->units + 64; /* vectors read past the end */
    r->w = calloc(cells, sizeof *r->w);
    if (!r->w) return false;
    if (!races) return true;
    r->r0 = calloc(cells, sizeof *r->r0);
    r->r1 = calloc(cells, sizeof *r->r1);
    r->a = calloc(cells, sizeof *r->a);
    r->log = calloc(RACE_LOG_LEAST, sizeof *r->log);
    r->log_mask = RACE_LOG_LEAST - 1;
    if (r->r0 && r->r1 && r->a && r->log) return true;
    sim_race_free(r);
    return false;
}

void sim_race_free(race_state *r) {
    free(r->w);
    free(r->r0);
    free(r->r1);
    free(r->a);
    free(r->log);
    free(r->lane_sync);
    free(r->order);
    free(r->acquired);
    free(r->flights);
    free(r->sent);
    free(r->groups);
    free(r->copies);
    free(r->copying);
    free(r->copy_groups);
    memset(r, 0, sizeof *r);
}

/* No copy is in flight (race_bulk.c). */
static void shadow_forget_flights(race_state *r) {
    r->flight_n = 0;
    if (r->copy_n) memset(r->copying, 0, r->units * sizeof *r->copying);
    if (r->copy_groups) memset(r->copy_groups, 0, sizeof *r->copy_groups << RACE_TID_BITS);
    r->copy_n = 0;
    r->proxy_fence = 0;
    r->alarm = RACE_SERIALS;
}

/* Drops the order of accesses so far: of an older block, or from before the serials started
 * again. */
static void shadow_forget_order(race_state *r) {
    memset(r->warp_sync, 0, sizeof r->warp_sync);
    free(r->lane_sync);
    free(r->order);
    free(r->acquired);
    r->lane_sync = NULL;
    r->order = NULL;
    r->acquired = NULL;
    r->released = 0;
    shadow_forget_flights(r);
}

void sim_race_block(race_state *r) {
    r->block_start =
        ++r->serial; /* no access has it: a cell so marked was written, by nobody who could race */
    r->epoch_start = r->met_start = r->serial + 1;
    r->last_atomic = 0;
    r->blank_below = r->uninit ? r->block_start : 0;
    r->sent_n = 0;
    free(r->groups);
    r->groups = NULL;
    shadow_forget_order(r);
}

void sim_race_log_grow(race_state *r) {
    uint32_t size = r->log_mask + 1;
    if (!lib_resize(&r->log, 2 * (size_t)size, sizeof *r->log)) return;
    race_log *grown = r->log;
    memset(grown + size, 0, size * sizeof *grown);
    /* an entry stays, or moves to its place in the new half */
    for (uint32_t i = 0; i < size; i++) {
        race_log e = grown[i];
        if (e.site) grown[e.serial & (2 * size - 1)] = e;
    }
    r->log = grown;
    r->log_mask = 2 * size - 1;
}

/* The serials are used up. Cells of this block become old ones of this block, all others empty:
 * what happened since the last barrier is lost, what was written is not. */
void sim_race_overflow(race_state *r) {
    for (uint32_t i = 0; i < r->units; i++)
        r->w[i] = r->w[i] >> RACE_TID_BITS >= r->block_start ? 1u << RACE_TID_BITS : 0;
    if (r->races) {
        memset(r->r0, 0, r->units * sizeof *r->r0);
        memset(r->r1, 0, r->units * sizeof *r->r1);
        memset(r->a, 0, r->units * sizeof *r->a);
        memset(r->log, 0, (r->log_mask + 1) * sizeof *r->log);
    }
    r->serial = 1;
    r->block_start = 1;
    r->epoch_start = r->met_start = 2;
    r->last_atomic = 0;
    r->blank_below = r->uninit ? 1 : 0;
    shadow_forget_order(r);
}

/* ---- writes from elsewhere ---- */

void sim_shared_written(sim_block_mem *b, uint32_t offset, uint32_t bytes) {
    const race_state *r = &b->race;
    if (!b->shadowed || !bytes) return;
    uint32_t mark = r->block_start << RACE_TID_BITS;
    for (uint32_t u = offset >> r->shift; u <= (offset + bytes - 1) >> r->shift; u++)
        if (r->w[u] < mark) r->w[u] = mark;
}

void sim_shared_unwritten(sim_block_mem *b, uint32_t offset, uint32_t bytes) {
    race_state *r = &b->race;
    if (!b->shadowed || !bytes) return;
    for (uint32_t u = offset >> r->shift; u <= (offset + bytes - 1) >> r->shift && u < r->units;
         u++)
        r->w[u] = 0;
}

bool sim_shared_blank(const sim_block_mem *b, uint32_t offset, uint32_t bytes) {
    const race_state *r = &b->race;
    if (!b->shadowed || !bytes) return false;
    for (uint32_t u = offset >> r->shift; u <= (offset + bytes - 1) >> r->shift; u++)
        if (r->w[u] >= r->blank_below << RACE_TID_BITS) return false;
    return true;
}
