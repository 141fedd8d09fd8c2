/* Basic blocks of a function, and where their paths meet again. Control continues after a call. The
 * blocks of a routine that ptxas put after the function have no predecessors in the function. */
#include <stdlib.h>
#include <string.h>
#include "runner/device/sim/graph/graph.h"
#include "runner/device/sim/sass/internal.h"

static unsigned class_of(const sass_insn *i) {
    return sass_row_of(i->op)->klass;
}

static bool ends_block(const sass_insn *i) {
    unsigned k = class_of(i);
    return k == SASS_BRANCH || k == SASS_INDIRECT || k == SASS_RETURN || k == SASS_EXIT;
}

/* Returns whether the instruction has a guard, or a condition among its operands ("BRA P1, .."). */
static bool conditional(const sass_insn *i) {
    if (i->guard != SASS_PT) return true;
    for (unsigned k = 0; k < i->opnd_count; k++) {
        unsigned kind = i->opnd[k].kind;
        if (kind == SASS_OPND_PRED || kind == SASS_OPND_UPRED) return true;
        if (class_of(i) == SASS_BRANCH && kind == SASS_OPND_UREG) return true; /* BRA.DIV */
    }
    return false;
}

/* Also with the guard @!PT, which never holds: nvdisasm shows such code, and it falls through. */
static bool falls_through(const sass_insn *i) {
    return !ends_block(i) || conditional(i) || i->guard_not;
}

static void mark_leaders(const sass_func *f, uint8_t *leader) {
    leader[0] = 1;
    for (uint32_t n = 0; n < f->insn_count; n++) {
        const sass_insn *i = &f->insns[n];
        const sass_opnd *to = class_of(i) == SASS_CALL ? NULL : sass_target(i);
        if (to) leader[to->target] = 1;
        for (uint32_t k = 0; k < i->target_count; k++) leader[i->targets[k]] = 1;
        if (ends_block(i)) leader[n + 1] = 1;
    }
}

static void cut(sass_func *f, const uint8_t *leader) {
    uint32_t k = 0;
    for (uint32_t n = 0; n < f->insn_count; n++) {
        k += leader[n];
        f->block_of[n] = k - 1;
        if (leader[n]) f->blocks[k - 1].first = n;
        f->blocks[k - 1].last = n;
    }
}

static bool join(ptx_arena *a, sass_func *f, uint32_t k) {
    sass_block *b = &f->blocks[k];
    const sass_insn *last = &f->insns[b->last];
    const sass_opnd *to = class_of(last) == SASS_BRANCH ? sass_target(last) : NULL;
    b->succ[0] = to ? (int32_t)f->block_of[to->target] : -1;
    b->succ[1] = falls_through(last) && k + 1 < f->block_count ? (int32_t)(k + 1) : -1;
    b->ipdom = -1;
    if (!last->target_count) return true;
    uint32_t *t = ptx_arena_get(a, last->target_count * sizeof *t);
    if (!t) return false;
    for (uint32_t n = 0; n < last->target_count; n++) t[n] = f->block_of[last->targets[n]];
    b->targets = t;
    b->target_count = last->target_count;
    return true;
}

static bool make_blocks(ptx_arena *a, sass_func *f) {
    uint8_t *leader = calloc(f->insn_count + 1, 1);
    if (!leader) return false;
    mark_leaders(f, leader);
    for (uint32_t n = 0; n < f->insn_count; n++) f->block_count += leader[n];
    f->blocks = ptx_arena_get(a, f->block_count * sizeof *f->blocks);
    f->block_of = ptx_arena_get(a, f->insn_count * sizeof *f->block_of);
    bool ok = f->blocks && f->block_of;
    if (ok) cut(f, leader);
    free(leader);
    for (uint32_t k = 0; ok && k < f->block_count; k++) ok = join(a, f, k);
    return ok;
}

static bool edges(const sass_func *f, sim_graph *g) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < f->block_count; k++) n += 2 + f->blocks[k].target_count;
    if (!sim_graph_new(g, f->block_count, n)) return false;
    n = 0;
    for (uint32_t k = 0; k < f->block_count; k++) {
        const sass_block *b = &f->blocks[k];
        g->first[k] = n;
        for (int s = 0; s < 2; s++)
            if (b->succ[s] >= 0) g->to[n++] = (uint32_t)b->succ[s];
        for (uint32_t t = 0; t < b->target_count; t++) g->to[n++] = b->targets[t];
    }
    g->first[f->block_count] = n;
    return true;
}

/* Returns whether a lane may leave the function at the end of this block. */
static bool leaves(const sass_func *f, const sass_block *b) {
    unsigned k = class_of(&f->insns[b->last]);
    return k == SASS_RETURN || k == SASS_EXIT ||
           (b->succ[0] < 0 && b->succ[1] < 0 && !b->target_count);
}

static bool meet(sass_func *f) {
    sim_graph g = {0};
    uint8_t *out = calloc(f->block_count + 1, 1);
    int32_t *ipdom = malloc((f->block_count + 1) * sizeof *ipdom);
    bool ok = out && ipdom && edges(f, &g);
    for (uint32_t k = 0; ok && k < f->block_count; k++) out[k] = leaves(f, &f->blocks[k]);
    ok = ok && sim_post_dominators(&g, out, ipdom);
    for (uint32_t k = 0; ok && k < f->block_count; k++) f->blocks[k].ipdom = ipdom[k];
    sim_graph_free(&g);
    free(out);
    free(ipdom);
    return ok;
}

bool sass_blocks(ptx_arena *a, sass_func *f) {
    return !f->insn_count || (make_blocks(a, f) && meet(f));
}
