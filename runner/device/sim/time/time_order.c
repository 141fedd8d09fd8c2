/* The order in which a region's instructions are issued, and loops that ptxas unrolls.
 *
 *   the region's operations, or four copies of a loop's with renamed registers
 *     --dependences--> a graph
 *     --list scheduling over a window, longest path first--> order
 *
 * So loads come early, as far as values and memory allow, and loads of several iterations are in
 * flight together. */
#include "runner/device/sim/time/time_build.h"
#include "runner/base/buffer.h"
#include <stdlib.h>
#include <string.h>

/* Instructions over which the assembler looks ahead (registers limit it), and those among them that
 * cost nothing; the longest loop that it unrolls. */
enum { SOON = 6, WINDOW = 48, WINDOW_FREE = 1024, LOOP_SLOTS = 26, ALIAS_WINDOW = 400 };

typedef struct {
    const ptx_insn *insn;
    time_op *op;
    uint32_t index; /* index in time_code.ops */
    uint32_t copy;
} item;

/* What a list scheduler lets an instruction wait for: the values it reads, and memory accesses that
 * it must not pass. */
typedef struct {
    uint32_t *head, *next, *to; /* edges from an instruction to those that need it */
    uint32_t used, cap;
    uint32_t *waits; /* number of instructions that must come first */
    float *height, *ready;
    bool failed;
    /* Values: which item defines what each item reads, how many readers of an item are left,
     * registers that its value takes. */
    uint32_t *source_at, *sources, source_used;
    uint32_t *readers;
    uint8_t *width;
    /* Earlier values, numbered after the items, if one of these is the last to read them. */
    uint32_t given, given_cap;
} graph;

static void edge(graph *g, uint32_t from, uint32_t to) {
    if (from == to) return;
    if (g->used == g->cap) {
        uint32_t cap = g->cap ? g->cap * 2 : 256;
        if (!lib_resize(&g->next, cap, sizeof *g->next) ||
            !lib_resize(&g->to, cap, sizeof *g->to)) {
            g->failed = true;
            return;
        }
        g->cap = cap;
    }
    g->to[g->used] = to;
    g->next[g->used] = g->head[from];
    g->head[from] = ++g->used;
    g->waits[to]++;
}

/* ---- memory ---- */

static bool orders_all(const ptx_insn *i) {
    return i->klass == PTX_CLASS_FENCE || i->klass == PTX_CLASS_SHUFFLE ||
           i->klass == PTX_CLASS_ASYNC;
}
static bool writes(const item *x) {
    return x->op->kind == TIME_STORE || x->op->kind == TIME_ATOM || x->op->kind == TIME_COPY ||
           orders_all(x->insn) || (x->op->kind == TIME_LOAD && time_is_volatile(x->insn));
}
static bool reads(const item *x) {
    return x->op->kind == TIME_LOAD || x->op->kind == TIME_TEX;
}

/* Exact divisions and roots branch to a routine in the cases that the short sequence cannot handle
 * (slow.h), so they end a stretch of code: a load is not moved from after one to before it. */
static bool branches(const ptx_insn *i) {
    return i->klass == PTX_CLASS_FDIV || i->klass == PTX_CLASS_DDIV ||
           (i->klass == PTX_CLASS_IDIV && ptx_type_size(i->type[0]) == 8);
}

static const ptx_opnd *time_address_of(const ptx_insn *i) {
    for (unsigned k = 0; k < i->nopnds; k++)
        if (i->opnd[k].kind == PTX_OPND_ADDR) return &i->opnd[k];
    return NULL;
}

static bool may_touch(const item *x, const item *y) {
    const ptx_insn *i = x->insn, *j = y->insn;
    if (time_flag(i, PTX_F_nc) || time_flag(j, PTX_F_nc)) return false;
    if (i->space != j->space && i->space != PTX_SPACE_GENERIC && j->space != PTX_SPACE_GENERIC)
        return false;
    if (time_is_volatile(i) && time_is_volatile(j) && i->space == PTX_SPACE_GLOBAL) return true;
    const ptx_opnd *a = time_address_of(i), *c = time_address_of(j);
    if (!a || !c || a->reg != c->reg || a->var != c->var || x->copy != y->copy) return true;
    int64_t d = a->offset - c->offset;
    return d > -16 && d < 16; /* same base: different offsets do not overlap */
}

/* ---- the graph ---- */

typedef struct {
    /* by register: last definition, list of readers since; +1. They belong to the builder, and are
     * zero before and after */
    uint32_t *def, *reader;
    uint32_t *reader_at, *reader_next; /* the lists */
    uint32_t used, cap;
} links;

/* Returns whether r is among them: a register that is updated in place is not released. */
static bool names(const uint32_t *regs, unsigned count, uint32_t r) {
    for (unsigned q = 0; q < count; q++)
        if (regs[q] == r) return true;
    return false;
}

static void connect(graph *g, links *l, const time_builder *b, const item *items, uint32_t n) {
    const time_code *c = b->code;
    const ptx_func *f = b->f;
    uint32_t first = items[0].op->pc - b->base, last = items[n - 1].op->pc - b->base;
    uint32_t behind = UINT32_MAX; /* the last one for which branches() holds */
    for (uint32_t k = 0; k < n && !(g->failed |= time_stopped(b)); k++) {
        const time_op *o = items[k].op;
        const uint32_t *regs = c->regs + o->regs;
        if (behind != UINT32_MAX && (reads(&items[k]) || branches(items[k].insn)))
            edge(g, behind, k);
        if (branches(items[k].insn)) behind = k;
        g->source_at[k] = g->source_used;
        for (unsigned q = o->dst_count; q < (unsigned)o->dst_count + o->src_count; q++) {
            uint32_t r = regs[q], own = r % (uint32_t)f->reg_count;
            if (!l->def[r] && b->held[own] && b->span[own].last < last &&
                !names(regs, o->dst_count, r) && g->given < g->given_cap) {
                g->width[n + g->given] = b->held[own];
                l->def[r] = n + ++g->given;
            }
            if (l->def[r]) {
                if (l->def[r] <= n) edge(g, l->def[r] - 1, k);
                bool again = false; /* one instruction reads a value twice */
                for (uint32_t e = g->source_at[k]; e < g->source_used; e++)
                    again |= g->sources[e] == l->def[r] - 1;
                if (!again) {
                    g->sources[g->source_used++] = l->def[r] - 1;
                    g->readers[l->def[r] - 1]++;
                }
            }
            if (l->used == l->cap) continue;
            l->reader_at[l->used] = k;
            l->reader_next[l->used] = l->reader[r];
            l->reader[r] = ++l->used;
        }
        for (unsigned q = 0; q < o->dst_count; q++) {
            uint32_t r = regs[q];
            if (l->def[r] && l->def[r] <= n) edge(g, l->def[r] - 1, k);
            for (uint32_t e = l->reader[r]; e; e = l->reader_next[e - 1])
                edge(g, l->reader_at[e - 1], k);
            l->reader[r] = 0;
            l->def[r] = k + 1;
            uint32_t own = r % (uint32_t)f->reg_count;
            if (o->slots <= 0 || b->span[own].first < first) continue; /* it has one already */
            g->width[k] = (uint8_t)(g->width[k] + b->held[own]);
            if (r == own && b->span[own].last > last) g->readers[k]++; /* after the region */
        }
        unsigned bytes = ptx_type_size(items[k].insn->type[0]);
        if (reads(&items[k]) && bytes < 4 && o->dst_count > 1) /* they are loaded as words */
            g->width[k] = (uint8_t)((o->dst_count * bytes + 3) / 4);
        g->source_at[k + 1] = g->source_used;
        unsigned klass = items[k].insn->klass;
        if (k == n - 1 && (klass == PTX_CLASS_BRANCH || klass == PTX_CLASS_BARRIER ||
                           klass == PTX_CLASS_CALL || klass == PTX_CLASS_CONTROL)) {
            for (uint32_t q = 0; q < k; q++) edge(g, q, k);
            continue;
        }
        if (!writes(&items[k]) && !reads(&items[k])) continue;
        /* only accesses that may overlap keep their order */
        for (uint32_t q = k; q-- > 0 && k - q < ALIAS_WINDOW;) {
            if (!writes(&items[q]) && !(reads(&items[q]) && writes(&items[k]))) continue;
            bool all = orders_all(items[k].insn) || orders_all(items[q].insn);
            if (all || may_touch(&items[k], &items[q])) edge(g, q, k);
            if (orders_all(items[q].insn)) break;
        }
    }
}

/* Returns the latency that the assembler assumes if it cannot know it. */
static double guessed_latency(const time_code *c, const item *x) {
    if (x->op->kind == TIME_LOAD)
        return x->insn->space == PTX_SPACE_SHARED ? c->profile->lat_shared
                                                  : 4 * c->profile->lat_shared;
    if (x->op->kind == TIME_CONST) return c->profile->lat_const;
    return x->op->latency;
}

/* Returns the registers that hold values for later, and by how much issuing item k changes their
 * number. */
static int pressure_of(const graph *g, uint32_t k) {
    int change = g->readers[k] ? g->width[k] : 0;
    for (uint32_t q = g->source_at[k]; q < g->source_at[k + 1]; q++)
        if (g->readers[g->sources[q]] == 1) change -= g->width[g->sources[q]];
    return change;
}

/* The items that are not issued yet, in order, as a ring through n. */
typedef struct {
    uint32_t *next, *back;
} waiting;

static void waiting_all(waiting *l, uint32_t n) {
    for (uint32_t k = 0; k <= n; k++) {
        l->next[k] = k < n ? k + 1 : 0;
        l->back[k] = k ? k - 1 : n;
    }
}
static void waiting_drop(waiting *l, uint32_t k) {
    l->next[l->back[k]] = l->next[k];
    l->back[l->next[k]] = l->back[k];
}

static bool list_schedule(graph *g, const time_builder *b, const item *items, uint32_t n, int room,
                          waiting *l, uint32_t *order) {
    const time_code *c = b->code;
    for (uint32_t k = n; k-- > 0;) {
        float h = 0;
        for (uint32_t e = g->head[k]; e; e = g->next[e - 1])
            if (g->height[g->to[e - 1]] > h) h = g->height[g->to[e - 1]];
        g->height[k] = h + (float)guessed_latency(c, &items[k]);
    }
    float clock = 0;
    int live = 0;
    waiting_all(l, n);
    for (uint32_t out = 0; out < n && !time_stopped(b); out++) {
        uint32_t best = UINT32_MAX, soonest = UINT32_MAX, first = UINT32_MAX, reliever = UINT32_MAX,
                 next = UINT32_MAX;
        uint32_t seen = 0, all = 0;
        for (uint32_t k = l->next[n]; k < n && seen < WINDOW && all < WINDOW_FREE;
             k = l->next[k], all++) {
            if (items[k].op->slots > 0) seen++;
            if (g->waits[k]) continue;
            if (first == UINT32_MAX) first = k;
            int change = live >= room ? pressure_of(g, k) : 0;
            if (change < 0 && (reliever == UINT32_MAX || g->ready[k] < g->ready[reliever]))
                reliever = k;
            if (change > 0) continue; /* no register is free for it now */
            if (g->ready[k] <= clock && (best == UINT32_MAX || g->height[k] > g->height[best]))
                best = k;
            if (soonest == UINT32_MAX || g->ready[k] < g->ready[soonest]) soonest = k;
            if (g->ready[k] <= clock + SOON &&
                (next == UINT32_MAX || g->height[k] > g->height[next]))
                next = k;
        }
        /* An instruction that needs a register does not go before a more urgent one that is almost
         * ready. */
        if (best != UINT32_MAX && next != UINT32_MAX && g->height[next] > g->height[best] &&
            pressure_of(g, best) > 0)
            best = next;
        if (live >= room && reliever != UINT32_MAX && (best == UINT32_MAX || g->width[best]))
            best = reliever;
        if (best == UINT32_MAX) best = soonest != UINT32_MAX ? soonest : first;
        if (best == UINT32_MAX) return false; /* impossible: an item's dependences come before it */
        live += pressure_of(g, best);
        for (uint32_t q = g->source_at[best]; q < g->source_at[best + 1]; q++)
            g->readers[g->sources[q]]--;
        if (g->ready[best] > clock) clock = g->ready[best];
        float end = clock + (float)guessed_latency(c, &items[best]);
        clock += items[best].op->slots;
        waiting_drop(l, best);
        order[out] = items[best].index;
        for (uint32_t e = g->head[best]; e; e = g->next[e - 1]) {
            uint32_t to = g->to[e - 1];
            g->waits[to]--;
            if (end > g->ready[to]) g->ready[to] = end;
        }
    }
    return true;
}

/* Clears the entries of the items. */
static void links_clear(links *l, const time_code *c, const item *items, uint32_t n) {
    for (uint32_t k = 0; k < n; k++) {
        const time_op *o = items[k].op;
        for (unsigned q = 0; q < (unsigned)o->dst_count + o->src_count; q++)
            l->def[c->regs[o->regs + q]] = l->reader[c->regs[o->regs + q]] = 0;
    }
}

static bool order_items(const time_builder *b, const item *items, uint32_t n, int room,
                        uint32_t *order) {
    const time_code *c = b->code;
    for (uint32_t k = 0; k < n; k++) order[k] = items[k].index;
    if (n < 3) return true;
    links l = {.cap = 16, .def = b->def, .reader = b->reader};
    for (uint32_t k = 0; k < n; k++) l.cap += items[k].op->src_count;
    graph g = {.head = calloc(n, sizeof(uint32_t)),
               .waits = calloc(n, sizeof(uint32_t)),
               .height = calloc(n, sizeof(float)),
               .ready = calloc(n, sizeof(float))};
    g.source_at = calloc(n + 1, sizeof(uint32_t));
    g.sources = calloc(l.cap, sizeof(uint32_t));
    g.given_cap = l.cap;
    g.readers = calloc(n + g.given_cap, sizeof(uint32_t));
    g.width = calloc(n + g.given_cap, 1);
    l.reader_at = calloc(l.cap, sizeof(uint32_t));
    l.reader_next = calloc(l.cap, sizeof(uint32_t));
    waiting w = {calloc(n + 1, sizeof(uint32_t)), calloc(n + 1, sizeof(uint32_t))};
    bool ok = g.head && g.waits && g.height && g.ready && g.source_at && g.sources && g.readers &&
              g.width && l.reader_at && l.reader_next && w.next && w.back;
    if (ok) {
        connect(&g, &l, b, items, n);
        links_clear(&l, c, items, n);
        ok = !g.failed;
    }
    if (ok && !list_schedule(&g, b, items, n, room, &w, order))
        for (uint32_t k = 0; k < n; k++) order[k] = items[k].index;
    free(g.head), free(g.next), free(g.to), free(g.waits), free(g.height), free(g.ready);
    free(g.source_at), free(g.sources), free(g.readers), free(g.width);
    free(l.reader_at), free(l.reader_next), free(w.next), free(w.back);
    return ok;
}

/* ---- loops ---- */

/* Returns the instruction that steps the loop's counter by a constant and whose result is compared
 * for the branch, or UINT32_MAX. */
static uint32_t counter_of(const time_builder *b, const time_region *r) {
    const ptx_func *f = b->f;
    uint32_t first = r->first - b->base, last = first + r->count - 1;
    const ptx_insn *bra = &f->insns[last];
    if (bra->op != PTX_OP_bra || bra->guard < 0 || !f->blocks) return UINT32_MAX;
    const ptx_block *blk = &f->blocks[f->block_of[first]];
    if (blk->first != first || blk->last != last || blk->succ[0] != (int32_t)f->block_of[first])
        return UINT32_MAX;
    for (uint32_t n = last; n-- > first;) {
        const ptx_insn *i = &f->insns[n];
        if (i->op != PTX_OP_setp || i->opnd[0].reg != bra->guard) continue;
        for (unsigned k = 1; k < i->nopnds; k++) {
            const ptx_opnd *o = &i->opnd[k];
            if (o->kind != PTX_OPND_REG || o->reg < 0) continue;
            for (uint32_t q = n; q-- > first;) {
                const ptx_insn *s = &f->insns[q];
                if (time_dst_count(s) != 1 || s->opnd[0].kind != PTX_OPND_REG ||
                    s->opnd[0].reg != o->reg)
                    continue;
                return time_is_sum(s, 4) && time_is_immediate(s, 2) ? q : UINT32_MAX;
            }
        }
        return UINT32_MAX;
    }
    return UINT32_MAX;
}

/* ptxas unrolls a loop of one short block by four if its counter steps by a constant and nothing in
 * it waits, calls or writes what it may read. As its output for sm_90 shows, stores to shared
 * memory do not prevent this; stores to global memory do if global memory is read. It does not
 * unroll loops that step by a variable, contain divisions or read constant memory by index. */
static bool unrolls(const time_builder *b, const time_region *r) {
    double slots = 0;
    bool reads_global = false, writes_global = false;
    for (uint32_t pc = r->first; pc < r->first + r->count; pc++) {
        const ptx_insn *i = &b->f->insns[pc - b->base];
        const time_op *o = &b->code->ops[pc];
        slots += o->slots;
        switch (i->klass) {
        case PTX_CLASS_BARRIER:
        case PTX_CLASS_CALL:
        case PTX_CLASS_ATOM:
        case PTX_CLASS_SHUFFLE:
        case PTX_CLASS_TEX:
        case PTX_CLASS_TENSOR:
        case PTX_CLASS_ASYNC:
        case PTX_CLASS_IDIV:
        case PTX_CLASS_FENCE: return false;
        case PTX_CLASS_STORE: writes_global |= i->space != PTX_SPACE_SHARED; break;
        case PTX_CLASS_LOAD: reads_global |= i->space != PTX_SPACE_SHARED; break;
        default: break;
        }
        if (o->kind == TIME_CONST || (o->kind == TIME_LOAD && time_is_volatile(i))) return false;
        if (i->guard >= 0 && i->klass != PTX_CLASS_BRANCH) return false;
    }
    return !(reads_global && writes_global) &&
           slots * b->code->profile->issue_per_cycle <= LOOP_SLOTS * b->code->profile->schedulers;
}

/* Instructions that vanish in the next copies: the counter and its comparison, and addresses
 * advanced by a constant, which become offsets. */
static bool vanishes(const time_builder *b, const time_region *r, uint32_t n, uint32_t counter) {
    const ptx_insn *i = &b->f->insns[n];
    if (i->klass == PTX_CLASS_BRANCH || n == counter) return true;
    const ptx_insn *bra = &b->f->insns[r->first - b->base + r->count - 1];
    if (i->op == PTX_OP_setp && i->opnd[0].reg == bra->guard) return true;
    const ptx_opnd *d = &i->opnd[0];
    if (d->kind != PTX_OPND_REG || !time_is_immediate(i, 2)) return false;
    const time_reg *g = &b->reg[d->reg];
    return (time_is_sum(i, 8) || (time_is_sum(i, 4) && g->address)) && g->address + 2 >= g->uses;
}

static void unroll_names_clear(time_builder *b, const time_region *r) {
    const time_code *c = b->code;
    for (uint32_t k = 0; k < r->count; k++) {
        const time_op *o = &c->ops[r->first + k];
        for (unsigned q = 0; q < (unsigned)o->dst_count + o->src_count; q++)
            b->name[c->regs[o->regs + q]] = c->regs[o->regs + q];
    }
}

/* Returns the registers for intermediate values of a region, besides those for values needed in it
 * or after it. */
static int room_of(const time_builder *b, const time_region *r) {
    enum { LEAST = 4 };
    int room = b->room - b->alive[r->first - b->base];
    return room > LEAST ? room : LEAST;
}

/* Appends four copies of the loop's operations. Each has its own registers, except for what the
 * last one leaves. */
static bool unroll(time_builder *b, time_region *r, uint32_t counter) {
    time_code *c = b->code;
    uint32_t n = r->count, total = n * TIME_COPIES, registers = (uint32_t)b->f->reg_count;
    uint32_t at = c->op_count + c->extra;
    uint32_t *name = b->name;
    item *items = calloc(total + 1, sizeof *items);
    bool ok = items && lib_grow_to(&c->ops, &c->op_cap, at + total + 1, sizeof *c->ops, 0) &&
              lib_grow_to(&c->order, &c->order_cap, at + total + 1, sizeof *c->order, 0);
    for (uint32_t copy = 0; ok && copy < TIME_COPIES; copy++)
        for (uint32_t k = 0; ok && k < n; k++) {
            time_op *o = &c->ops[at + copy * n + k];
            *o = c->ops[r->first + k];
            unsigned count = (unsigned)o->dst_count + o->src_count;
            ok = lib_grow_to(&c->regs, &c->reg_cap, c->reg_used + count, sizeof *c->regs, 1024);
            if (!ok) break;
            uint32_t *to = c->regs + c->reg_used, *from = c->regs + o->regs;
            for (unsigned q = o->dst_count; q < count; q++) to[q] = name[from[q]];
            for (unsigned q = 0; q < o->dst_count; q++) {
                name[from[q]] =
                    copy == TIME_COPIES - 1 ? from[q] : from[q] + registers * (copy + 1);
                to[q] = name[from[q]];
            }
            o->regs = (uint32_t)c->reg_used;
            c->reg_used += count;
            if (o->flags & TIME_EVENT) o->event = (uint16_t)(o->event + copy * r->event_count);
            if (copy < TIME_COPIES - 1 && vanishes(b, r, r->first - b->base + k, counter)) {
                o->slots = o->busy = o->latency = 0;
                o->pipe = TIME_PIPE_NONE;
                o->kind = TIME_PLAIN;
            }
            items[copy * n + k] = (item){.insn = &b->f->insns[r->first - b->base + k],
                                         .op = o,
                                         .index = at + copy * n + k,
                                         .copy = copy};
        }
    if (ok) ok = order_items(b, items, total, room_of(b, r), c->order + at);
    if (ok) {
        c->extra += total;
        r->unrolled_at = at;
        r->unrolled = TIME_COPIES;
        if (r->event_count * TIME_COPIES > c->events_max)
            c->events_max = r->event_count * TIME_COPIES;
        if (registers * TIME_COPIES > c->reg_max) c->reg_max = registers * TIME_COPIES;
    }
    unroll_names_clear(b, r);
    free(items);
    return ok;
}

bool time_schedule(time_builder *b, time_region *r) {
    time_code *c = b->code;
    item *items = calloc(r->count + 1, sizeof *items);
    if (!items) return false;
    for (uint32_t k = 0; k < r->count; k++)
        items[k] = (item){.insn = &b->f->insns[r->first - b->base + k],
                          .op = &c->ops[r->first + k],
                          .index = r->first + k};
    bool ok = order_items(b, items, r->count, room_of(b, r), c->order + r->first);
    free(items);
    if (!ok || r->event_count * TIME_COPIES >= UINT16_MAX) return ok;
    uint32_t counter = counter_of(b, r);
    if (counter == UINT32_MAX || !unrolls(b, r)) return true;
    return unroll(b, r, counter);
}
