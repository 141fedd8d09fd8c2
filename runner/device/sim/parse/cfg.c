/* Control flow of a function: basic blocks, immediate post-dominators, loops, and the reading order
 * of ptx.h.
 *
 *   instructions --leaders--> blocks and edges (sim_graph) --graph/graph.c--> ipdom
 *                --strongly connected components, outside in--> loops and order
 *
 * The order: the components of the graph in topological order. A component that is a loop is laid
 * out by itself, its head first, with the edges to the head cut, and so on inwards. So a loop is
 * contiguous, every edge except back edges leads forward, and a block where several paths join
 * comes after all of them. Irreducible loops (several entries) work the same way: one entry counts
 * as the head.
 *
 * All passes are linear except for a logarithm and the loop depth, which is cut off at
 * MAX_LOOP_DEPTH (inside that: depth-first order). Nothing recurses. */
#include <stdlib.h>
#include <string.h>
#include "runner/device/sim/parse/finish.h"
#include "runner/base/cancel.h"
#include "runner/base/buffer.h"
#include "runner/device/sim/graph/graph.h"

enum { MAX_LOOP_DEPTH = 64 };
#define NONE UINT32_MAX

typedef struct {
    uint32_t head, parent; /* block; index of the enclosing loop, NONE: outermost */
    bool spins;            /* contains something on which a thread may wait */
} loop;

/* ---- blocks ------------------------------------------------------------------------------- */
static bool ends_block(const ptx_insn *i) {
    switch (i->op) {
    case PTX_OP_bra:
    case PTX_OP_brx_idx:
    case PTX_OP_ret:
    case PTX_OP_exit:
    case PTX_OP_trap: return true;
    default: return false;
    }
}

static bool make_blocks(ptx_arena *a, ptx_func *f, ptx_block **out) {
    size_t n = f->insn_count;
    uint8_t *leader = calloc(n + 1, 1);
    uint32_t *block_of = ptx_arena_get(a, n * sizeof *block_of);
    if (!leader || !block_of) {
        free(leader);
        return false;
    }
    leader[0] = 1;
    for (size_t i = 0; i < n; i++) {
        const ptx_insn *in = &f->insns[i];
        if (in->op == PTX_OP_bra) leader[in->opnd[0].target] = 1;
        if (in->op == PTX_OP_brx_idx)
            for (int64_t k = 0; k < in->opnd[1].offset; k++) leader[in->opnd[1].labels[k]] = 1;
        if (ends_block(in)) leader[i + 1] = 1;
    }
    uint32_t blocks = 0;
    for (size_t i = 0; i < n; i++) block_of[i] = (blocks += leader[i]) - 1;
    free(leader);
    ptx_block *b = ptx_arena_get(a, blocks * sizeof *b);
    if (!b) return false;
    for (size_t i = 0; i < n; i++) {
        ptx_block *in = &b[block_of[i]];
        if (i == 0 || block_of[i - 1] != block_of[i]) in->first = (uint32_t)i;
        in->last = (uint32_t)i;
    }
    for (uint32_t k = 0; k < blocks; k++) {
        const ptx_insn *last = &f->insns[b[k].last];
        b[k].succ[0] = b[k].succ[1] = b[k].ipdom = b[k].loop_head = -1;
        bool guarded = last->guard >= 0, jump = ends_block(last);
        if (last->op == PTX_OP_bra) b[k].succ[0] = (int32_t)block_of[last->opnd[0].target];
        if ((!jump || guarded) && k + 1 < blocks) b[k].succ[1] = (int32_t)(k + 1);
        if (last->op == PTX_OP_brx_idx) {
            uint32_t count = (uint32_t)last->opnd[1].offset,
                     *t = ptx_arena_get(a, count * sizeof *t);
            if (!t) return false;
            for (uint32_t j = 0; j < count; j++) t[j] = block_of[last->opnd[1].labels[j]];
            b[k].targets = t;
            b[k].target_count = count;
        }
    }
    f->block_of = block_of;
    f->block_count = blocks;
    f->blocks = *out = b;
    return true;
}

/* ---- edges -------------------------------------------------------------------------------- */
/* returns whether a lane may leave the function here */
static bool leaves(const ptx_func *f, const ptx_block *b) {
    unsigned op = f->insns[b->last].op;
    return op == PTX_OP_ret || op == PTX_OP_exit || op == PTX_OP_trap ||
           (b->succ[0] < 0 && b->succ[1] < 0 && !b->target_count);
}

static bool forward_graph(const ptx_func *f, sim_graph *g) {
    uint32_t n = (uint32_t)f->block_count, edges = 0;
    for (uint32_t k = 0; k < n; k++) edges += 2 + f->blocks[k].target_count;
    if (!sim_graph_new(g, n, edges)) return false;
    edges = 0;
    for (uint32_t k = 0; k < n; k++) {
        const ptx_block *b = &f->blocks[k];
        g->first[k] = edges;
        for (int j = 0; j < 2; j++)
            if (b->succ[j] >= 0) g->to[edges++] = (uint32_t)b->succ[j];
        for (uint32_t j = 0; j < b->target_count; j++) g->to[edges++] = b->targets[j];
    }
    g->first[n] = edges;
    return true;
}

static bool post_dominators(const ptx_func *f, ptx_block *b, const sim_graph *g) {
    uint8_t *out = calloc(g->n + 1, 1);
    int32_t *ipdom = malloc((g->n + 1) * sizeof *ipdom);
    bool ok = out && ipdom;
    for (uint32_t v = 0; ok && v < g->n; v++) out[v] = leaves(f, &b[v]);
    ok = ok && sim_post_dominators(g, out, ipdom);
    for (uint32_t v = 0; ok && v < g->n; v++) b[v].ipdom = ipdom[v];
    free(out);
    free(ipdom);
    return ok;
}

/* ---- order and loops ---------------------------------------------------------------------- */

/* Pending work: the blocks list[from, to) form one region whose order begins at `order`; edges to
 * `head` are cut. */
typedef struct {
    uint32_t from, to, order, head, in_loop, depth;
} region;

typedef struct {
    const sim_graph *g;
    ptx_block *b;
    uint32_t *list;      /* blocks, grouped into regions; reordered in place */
    uint32_t *region_of; /* block -> number of the region it is being laid out in */
    uint32_t *index, *low, *edge, *stack, *path, *comp; /* Tarjan */
    uint32_t *loop_of;                                  /* block -> innermost loop, NONE */
    uint32_t *out; /* components as found (reverse topological order), one after another */
    ptx_buffer loops, work;
    uint32_t regions;
    bool ok;
} cfg_layout;

static void *push(cfg_layout *l, ptx_buffer *b, size_t size) {
    if (!lib_grow(&b->data, &b->cap, b->count, size, 32)) {
        l->ok = false;
        return NULL;
    }
    return (char *)b->data + b->count++ * size;
}

static bool inside(const cfg_layout *l, uint32_t w, uint32_t number, uint32_t head) {
    return l->region_of[w] == number && w != head;
}

/* Finds the strongly connected components of a region, with R. E. Tarjan's algorithm, without
 * recursion. out[] gets the blocks, component by component; a component comes after those to which
 * it leads. comp[] has the end of each component at the component's first place. */
static uint32_t find_components(cfg_layout *l, const region *r, uint32_t number) {
    uint32_t clock = 0, top = 0, path = 0, done = 0;
    for (uint32_t k = r->from; k < r->to; k++) l->index[l->list[k]] = NONE;
    for (uint32_t k = r->from; k < r->to; k++) {
        uint32_t root = l->list[k];
        if (l->index[root] != NONE) continue;
        l->path[path++] = root;
        while (path) {
            uint32_t v = l->path[path - 1];
            if (l->index[v] == NONE) {
                l->index[v] = l->low[v] = clock++;
                l->edge[v] = l->g->first[v];
                l->stack[top++] = v;
            }
            bool deeper = false;
            for (; l->edge[v] < l->g->first[v + 1]; l->edge[v]++) {
                uint32_t w = l->g->to[l->edge[v]];
                if (!inside(l, w, number, r->head)) continue;
                if (l->index[w] == NONE) {
                    l->path[path++] = w;
                    deeper = true;
                    break;
                }
                if (l->low[w] < l->low[v])
                    l->low[v] = l->low[w]; /* finished components have low NONE */
            }
            if (deeper) continue;
            path--;
            if (l->low[v] == l->index[v]) {
                uint32_t start = done, w;
                do {
                    w = l->stack[--top];
                    l->out[done++] = w;
                } while (w != v);
                l->comp[start] = done;
                for (uint32_t j = start; j < done; j++) l->low[l->out[j]] = NONE;
            } else if (path) {
                uint32_t parent = l->path[path - 1];
                if (l->low[v] < l->low[parent]) l->low[parent] = l->low[v];
            }
        }
    }
    return done;
}

static void lay_out_region(cfg_layout *l, region r) {
    uint32_t number = ++l->regions;
    for (uint32_t k = r.from; k < r.to; k++) l->region_of[l->list[k]] = number;
    uint32_t count = find_components(l, &r, number), order = r.order + count, place = r.to;
    for (uint32_t start = 0; start < count; start = l->comp[start]) {
        uint32_t end = l->comp[start], size = end - start, v = l->out[start];
        order -= size;
        place -= size;
        bool cycle = size > 1;
        for (uint32_t e = l->g->first[v]; size == 1 && e < l->g->first[v + 1]; e++)
            cycle |= l->g->to[e] == v && v != r.head;
        memcpy(&l->list[place], &l->out[start], size * sizeof *l->list);
        if (!cycle || r.depth >= MAX_LOOP_DEPTH) {
            /* Tarjan's algorithm pops the root of a component last: depth-first order, reversed. */
            for (uint32_t j = start; j < end; j++) l->b[l->out[j]].order = order + (end - 1 - j);
            if (!cycle) continue;
        }
        /* the root: the first block of the component that the search reached, so an entry */
        uint32_t head = l->out[end - 1];
        loop *lp = push(l, &l->loops, sizeof *lp);
        if (!lp) return;
        *lp = (loop){.head = head, .parent = r.in_loop};
        for (uint32_t j = start; j < end; j++) l->loop_of[l->out[j]] = (uint32_t)l->loops.count - 1;
        if (size == 1 || r.depth >= MAX_LOOP_DEPTH) {
            l->b[head].order = order;
            continue;
        }
        /* The head comes first, because the search begins with it. */
        for (uint32_t j = place; j < place + size; j++)
            if (l->list[j] == head) l->list[j] = l->list[place];
        l->list[place] = head;
        region *next = push(l, &l->work, sizeof *next);
        if (!next) return;
        *next =
            (region){place, place + size, order, head, (uint32_t)l->loops.count - 1, r.depth + 1};
    }
}

static bool waits(const ptx_insn *i) {
    switch (i->klass) {
    case PTX_CLASS_ATOM:
    case PTX_CLASS_FENCE: return true;
    case PTX_CLASS_LOAD:
        return i->field[PTX_FIELD_ORDER] >= PTX_ORDER_volatile || (i->flags >> PTX_F_mmio & 1);
    default:
        return i->op == PTX_OP_nanosleep || i->op == PTX_OP_call || ptx_op_is(i->op, PTX_IS_POLLS);
    }
}

static void note_loops(ptx_func *f, cfg_layout *l) {
    loop *loops = l->loops.data;
    for (uint32_t v = 0; v < l->g->n; v++) {
        const ptx_block *b = &f->blocks[v];
        uint32_t in = l->loop_of[v];
        if (in == NONE) continue;
        l->b[v].loop_head = (int32_t)loops[in].head;
        for (uint32_t i = b->first; i <= b->last && !loops[in].spins; i++)
            loops[in].spins = waits(&f->insns[i]);
    }
    /* The number of a loop is higher than that of the loop around it. */
    for (size_t k = l->loops.count; k-- > 0;)
        if (loops[k].spins && loops[k].parent != NONE) loops[loops[k].parent].spins = true;
    for (uint32_t v = 0; v < l->g->n; v++) {
        ptx_block *b = &l->b[v];
        for (uint32_t e = l->g->first[v]; e < l->g->first[v + 1]; e++) {
            uint32_t w = l->g->to[e];
            if (l->b[w].order > b->order) continue;
            b->back_edge = true;
            uint32_t in = l->loop_of[v];
            while (in != NONE && loops[in].head != w) in = loops[in].parent;
            if (in == NONE) in = l->loop_of[v];
            if (in != NONE && loops[in].spins) b->spin_loop = true;
        }
    }
}

static bool order_blocks(ptx_func *f, ptx_block *b, const sim_graph *g, const volatile int *stop) {
    uint32_t n = g->n;
    cfg_layout l = {.g = g, .b = b, .ok = true};
    uint32_t *mem = calloc((size_t)n * 10 + 1, sizeof *mem);
    if (!mem) return false;
    uint32_t **part[] = {&l.list,  &l.region_of, &l.index, &l.low,     &l.edge,
                         &l.stack, &l.path,      &l.comp,  &l.loop_of, &l.out};
    for (size_t k = 0; k < 10; k++) *part[k] = mem + k * n;
    for (uint32_t v = 0; v < n; v++) l.loop_of[v] = NONE;
    /* Unreachable blocks come last: the search from block 0 finds the others first. */
    uint32_t top = 0, reached = 0;
    l.stack[top++] = 0;
    l.index[0] = 1;
    while (top) {
        uint32_t v = l.stack[--top];
        reached++;
        for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++)
            if (!l.index[g->to[e]]) l.index[g->to[e]] = 1, l.stack[top++] = g->to[e];
    }
    uint32_t live = 0, dead = reached;
    for (uint32_t v = 0; v < n; v++) l.list[l.index[v] ? live++ : dead++] = v;
    region *first = push(&l, &l.work, sizeof *first);
    if (first) *first = (region){0, reached, 0, NONE, NONE, 0};
    while (l.ok && l.work.count) {
        if (lib_raised(stop)) l.ok = false;
        region r = ((region *)l.work.data)[--l.work.count];
        lay_out_region(&l, r);
    }
    for (uint32_t k = reached; k < n; k++) b[l.list[k]].order = k;
    if (l.ok) note_loops(f, &l);
    free(l.loops.data);
    free(l.work.data);
    free(mem);
    return l.ok;
}

/* ---- atomics whose result is used --------------------------------------------------------- */
static void mark_reads(const ptx_opnd *o, uint8_t *read) {
    if ((o->kind == PTX_OPND_REG || o->kind == PTX_OPND_ADDR) && o->reg >= 0) read[o->reg] = 1;
    if (o->kind == PTX_OPND_VEC)
        for (unsigned k = 0; k < o->count; k++)
            if (o->elem[k].kind == PTX_OPND_REG) read[o->elem[k].reg] = 1;
}

static bool atomics_matter(ptx_func *f) {
    uint8_t *read = NULL;
    bool found = false, ok = true;
    for (size_t i = 0; i < f->insn_count && !found; i++) {
        const ptx_insn *in = &f->insns[i];
        if (in->op != PTX_OP_atom && in->op != PTX_OP_red) continue;
        if (in->space == PTX_SPACE_SHARED) continue;
        unsigned t = in->type[0];
        if ((t >= PTX_F16 && t <= PTX_F64) || t == PTX_F32X2) found = true;
        else if (in->op == PTX_OP_atom && in->opnd[0].kind == PTX_OPND_REG) {
            /* a register counts as read if anything reads it except as the destination in first
             * place */
            if (!read) {
                read = calloc(f->reg_count + 1, 1);
                if (!(ok = read != NULL)) break;
                for (size_t j = 0; j < f->insn_count; j++) {
                    const ptx_insn *r = &f->insns[j];
                    bool no_destination =
                        r->klass == PTX_CLASS_STORE || r->op == PTX_OP_red ||
                        r->klass == PTX_CLASS_BARRIER || r->klass == PTX_CLASS_CONTROL ||
                        r->klass == PTX_CLASS_CALL || r->klass == PTX_CLASS_TEX ||
                        r->klass == PTX_CLASS_ASYNC || r->klass == PTX_CLASS_BRANCH;
                    for (unsigned k = no_destination ? 0 : 1; k < r->nopnds; k++)
                        mark_reads(&r->opnd[k], read);
                    if (r->guard >= 0) read[r->guard] = 1;
                }
            }
            found = read[in->opnd[0].reg];
        }
    }
    free(read);
    f->uses_global_atomics_result = found;
    return ok;
}

bool ptx_cfg(ptx_arena *a, ptx_func *f, const volatile int *stop) {
    sim_graph g = {0};
    ptx_block *b = NULL;
    bool ok = make_blocks(a, f, &b) && forward_graph(f, &g) && post_dominators(f, b, &g) &&
              order_blocks(f, b, &g, stop) && ptx_polls(f, b, stop) && atomics_matter(f);
    sim_graph_free(&g);
    return ok;
}
