/* Finds out which instructions of a launch lead to which of its stores: backward slices over the
 * code that was executed.
 *
 *   which instruction stored which bytes last --> a bit for each such instruction
 *   --> backwards through blocks: for each register, the stores to which its value leads (need),
 *       and so for each instruction that makes it; memory of each space is one more such value
 *   --> for a branch that went both ways: the stores of all blocks whose execution it decides
 *   --> counters by the set of stores (count.c hands them over)
 *
 * A value that cannot be followed leads to SIM_STORE_ANY: then more counts, never less. A store
 * whose bytes another store of the launch replaced leads nowhere, unless the launch loads from
 * memory into which it stores. */
#include "runner/device/sim/slice/slice.h"
#include "runner/device/sim/machine/device.h"
#include "runner/device/sim/memory/memory.h"
#include "runner/base/buffer.h"

#include <stdlib.h>
#include <string.h>

enum { KEPT_WORDS = 1 << 22, BLOCKS_MOST = 4096, SWEEPS = 64, SLICES_MOST = 256 };

typedef enum { OF_GLOBAL, OF_SHARED, OF_LOCAL, OF_PARAM, OF_CARRY, OF_CALLED, SPACES } slice_space;

struct sim_slicing {
    const sim_run_state *r;
    uint32_t lines;    /* lines of the PTX text */
    uint8_t *store;    /* by line of the PTX: its bit + 1; 0: it stored nothing that stayed */
    unsigned stores;   /* number of bits in use */
    uint64_t fed;      /* stores into memory from which the launch loads, too */
    uint64_t lost;     /* the stores to which replaced stores lead */
    uint64_t **insn;   /* by function, by instruction */
    uint64_t *at_line; /* by line: the stores of all its instructions */
    uint64_t need[SPACES];
    uint64_t mark[SIM_MARKS]; /* the stores to which what passes a mark leads */
    bool changed, failed, followed;
    sim_slice *slices;
    size_t count, room;
};

/* ---- what was stored */

static void slice_stored(void *user, sim_addr from, uint64_t bytes, const sim_site *by) {
    sim_slicing *s = user;
    const sim_run_state *r = s->r;
    if (from - r->device->child_area < r->device->child_bytes || by->ptx_line >= s->lines) return;
    uint8_t *store = &s->store[by->ptx_line];
    if (!*store) *store = (uint8_t)(s->stores < SIM_STORES ? ++s->stores : SIM_STORES);
    if (sim_memory_launch_loaded(r->device->memory, from)) s->fed |= UINT64_C(1) << (*store - 1);
    r->launch->stored(r->launch->stored_user, from, bytes, *store - 1u);
}

/* ---- one function */

typedef struct {
    sim_slicing *s;
    const sim_func *f;
    uint64_t *mask;       /* by instruction */
    uint64_t *lanes, *on; /* the same: lanes that reached it, and lanes that passed its guard */
    uint64_t *in;         /* by block and register, at the block's beginning */
    uint64_t *of_block;   /* by block: of all its instructions */
    uint64_t *now;        /* by register */
    uint32_t *from;       /* by block: predecessors */
    /* by block: the blocks whose execution its branch decides, one bit each; NULL: not computed
     * yet */
    uint64_t **decides;
} slice_func;

static void slice_counts(slice_func *x) {
    const sim_run_state *r = x->s->r;
    const sim_func *f = x->f;
    for (uint32_t k = 0; k < f->seg_count; k++) {
        const sim_seg *seg = &f->segs[k];
        uint64_t lanes = 0;
        for (unsigned w = 0; w < r->worker_count; w++) lanes += r->workers[w].segs[seg->id].lanes;
        for (uint32_t p = seg->ptx_first; p < seg->ptx_first + seg->ptx_count; p++) {
            x->lanes[p] = x->on[p] = lanes;
            if (!f->guard_of[p]) continue;
            x->on[p] = 0;
            for (unsigned w = 0; w < r->worker_count; w++)
                x->on[p] += r->workers[w].guards[f->guard_of[p]];
        }
    }
}

static unsigned slice_next(const ptx_block *b, unsigned i, int64_t *to) {
    if (i < 2) *to = b->succ[i];
    else *to = i - 2 < b->target_count ? (int64_t)b->targets[i - 2] : -1;
    return 2 + b->target_count;
}

static uint64_t slice_came(const slice_func *x, int64_t block) {
    return x->lanes[x->f->ptx->blocks[block].first];
}

/* Returns whether the branch at the block's end went more than one way. If only one block leads to
 * a successor, all lanes there came from this block. */
static bool slice_parts(const slice_func *x, const ptx_block *b) {
    const ptx_insn *last = &x->f->ptx->insns[b->last];
    uint64_t came = x->lanes[b->last];
    if (b->target_count) return true;
    if (last->guard < 0) return false;
    bool leaves = last->op == PTX_OP_ret || last->op == PTX_OP_exit || last->op == PTX_OP_trap;
    for (unsigned i = 0; i < 2; i++) {
        int64_t to = b->succ[i];
        if (to < 0) continue;
        uint64_t lanes = slice_came(x, to);
        if (!lanes && !leaves) return false; /* no lanes there: all went the other way */
        if (x->from[to] == 1 && (lanes == came || !lanes)) return false;
    }
    return true;
}

/* Returns the blocks between the ways of the branch and the block where these meet again. */
static const uint64_t *slice_decides(slice_func *x, uint32_t block) {
    const ptx_func *p = x->f->ptx;
    const ptx_block *b = &p->blocks[block];
    size_t words = p->block_count / 64 + 1, n = 0;
    if (x->decides[block]) return x->decides[block];
    uint64_t *set = x->decides[block] = calloc(words, sizeof *set);
    uint32_t *todo = malloc((p->block_count + 1) * sizeof *todo);
    if (!set || !todo) x->s->failed = true;
    else todo[n++] = block;
    for (bool first = true; n; first = false) {
        const ptx_block *now = first ? b : &p->blocks[todo[n - 1]];
        int64_t to;
        n--;
        for (unsigned i = 0; i < slice_next(now, i, &to); i++) {
            if (to < 0 || to == b->ipdom || set[to / 64] >> to % 64 & 1 || !slice_came(x, to))
                continue;
            set[to / 64] |= UINT64_C(1) << to % 64;
            todo[n++] = (uint32_t)to;
        }
    }
    free(todo);
    return set;
}

/* ---- one instruction */

static bool slice_keeps_destination(const ptx_insn *p) { /* its accumulators are sources, too */
    return p->op == PTX_OP_wgmma_mma_async || p->op == PTX_OP_wgmma_mma_async_sp;
}

typedef void slice_each(slice_func *x, int32_t reg, uint64_t *mask);
static void slice_operand(slice_func *x, const ptx_opnd *o, slice_each *fn, uint64_t *mask) {
    if ((o->kind == PTX_OPND_REG || o->kind == PTX_OPND_ADDR) && o->reg >= 0) fn(x, o->reg, mask);
    for (unsigned k = 0; o->kind == PTX_OPND_VEC && k < o->count; k++)
        slice_operand(x, &o->elem[k], fn, mask);
}
static void slice_take(slice_func *x, int32_t reg, uint64_t *mask) {
    *mask |= x->now[reg];
}
static void slice_end(slice_func *x, int32_t reg, uint64_t *mask) {
    (void)mask;
    x->now[reg] = 0;
}
static void slice_give(slice_func *x, int32_t reg, uint64_t *mask) {
    x->now[reg] |= *mask;
}
static bool slice_is_destination(const ptx_insn *p, unsigned o) {
    bool writes = p->nopnds && (p->op == PTX_OP_call || ptx_op_writes(p->op));
    return writes && p->opnd[o].kind != PTX_OPND_ADDR &&
           (!o || (o == 1 && p->flags >> PTX_F_PAIR & 1));
}
static void slice_operands(slice_func *x, const ptx_insn *p, bool destinations, slice_each *fn,
                           uint64_t *mask) {
    for (unsigned o = 0; o < p->nopnds; o++)
        if (slice_is_destination(p, o) == destinations ||
            (!destinations && slice_keeps_destination(p)))
            slice_operand(x, &p->opnd[o], fn, mask);
}

static bool slice_adds_carry(const ptx_insn *p) {
    return p->op == PTX_OP_addc || p->op == PTX_OP_subc || p->op == PTX_OP_madc;
}

/* Returns whether it reads a parameter of the kernel, which the kernel never writes. */
static bool slice_is_argument(const slice_func *x, const ptx_insn *p) {
    const ptx_func *f = x->f->ptx;
    const ptx_var *v = p->nopnds > 1 ? p->opnd[1].var : NULL;
    return f->entry && v && v >= f->params && v < f->params + f->param_count;
}

/* Returns where a store leads, and in *reads the spaces of memory that the instruction reads (one
 * bit each). */
static uint64_t slice_memory(slice_func *x, const ptx_insn *p, unsigned *reads) {
    enum { GLOBAL = 1 << OF_GLOBAL, SHARED = 1 << OF_SHARED, LOCAL = 1 << OF_LOCAL };
    sim_slicing *s = x->s;
    unsigned bit = p->ptx_line < s->lines ? s->store[p->ptx_line] : 0, in = 0;
    switch (p->space) {
    case PTX_SPACE_GLOBAL: in = GLOBAL; break;
    case PTX_SPACE_SHARED: in = SHARED; break;
    case PTX_SPACE_LOCAL: in = LOCAL; break;
    case PTX_SPACE_PARAM: in = slice_is_argument(x, p) ? 0 : 1 << OF_PARAM; break;
    case PTX_SPACE_CONST: break;
    default: in = GLOBAL | SHARED | LOCAL;
    }
    bool stores = false;
    *reads = 0;
    switch (p->klass) {
    case PTX_CLASS_LOAD: *reads = in; break;
    case PTX_CLASS_STORE: stores = true; break;
    case PTX_CLASS_ATOM: *reads = in, stores = true; break;
    case PTX_CLASS_TEX:
        *reads = GLOBAL;
        return ptx_op_writes(p->op) ? 0 : SIM_STORE_ANY;                      /* surfaces */
    case PTX_CLASS_TENSOR: *reads = ptx_op_writes(p->op) ? SHARED : 0; break; /* wgmma */
    case PTX_CLASS_ASYNC:
        *reads = GLOBAL | SHARED;
        in = GLOBAL | SHARED, stores = true;
        break;
    case PTX_CLASS_CALL: *reads = 1 << OF_PARAM, in = 1 << OF_PARAM, stores = true; break;
    default: break;
    }
    if (!stores) return 0;
    uint64_t to = 0;
    for (unsigned k = OF_SHARED; k <= OF_PARAM; k++) to |= in >> k & 1 ? s->need[k] : 0;
    if (!(in & GLOBAL)) return to;
    if (!bit) return to | s->lost;
    to |= UINT64_C(1) << (bit - 1);
    return to | (s->fed >> (bit - 1) & 1 ? s->need[OF_GLOBAL] : 0);
}

static void slice_raise(slice_func *x, uint64_t *to, uint64_t mask) {
    x->s->changed = x->s->changed || (mask & ~*to);
    *to |= mask;
}

static void slice_insn(slice_func *x, uint32_t at, uint64_t decided) {
    const ptx_insn *p = &x->f->ptx->insns[at];
    sim_slicing *s = x->s;
    unsigned reads;
    if (!x->lanes[at] || !x->on[at]) return;
    uint64_t mask = decided | slice_memory(x, p, &reads);
    slice_operands(x, p, true, slice_take, &mask);
    if (p->flags >> PTX_F_cc & 1) mask |= s->need[OF_CARRY];
    if (p->op == PTX_OP_call) mask |= s->need[OF_CALLED];
    slice_raise(x, &x->mask[at], mask);
    if (p->guard < 0 && !slice_keeps_destination(p)) slice_operands(x, p, true, slice_end, NULL);
    if (!mask) return;
    slice_operands(x, p, false, slice_give, &mask);
    if (p->guard >= 0) x->now[p->guard] |= mask;
    for (unsigned k = 0; k < OF_CARRY; k++)
        if (reads >> k & 1) slice_raise(x, &s->need[k], mask);
    if (!x->f->ptx->entry) slice_raise(x, &s->need[OF_CALLED], mask);
    if (slice_adds_carry(p)) slice_raise(x, &s->need[OF_CARRY], mask);
}

static void slice_block(slice_func *x, uint32_t block) {
    const ptx_func *p = x->f->ptx;
    const ptx_block *b = &p->blocks[block];
    uint64_t decided = 0, *in = x->in + block * p->reg_count;
    int64_t to;
    if (!x->lanes[b->first]) return;
    memset(x->now, 0, p->reg_count * sizeof *x->now);
    for (unsigned i = 0; i < slice_next(b, i, &to); i++)
        for (size_t k = 0; to >= 0 && k < p->reg_count; k++)
            x->now[k] |= x->in[(size_t)to * p->reg_count + k];
    if (slice_parts(x, b)) {
        const uint64_t *set = slice_decides(x, block);
        for (size_t k = 0; set && k < p->block_count; k++)
            if (set[k / 64] >> k % 64 & 1) decided |= x->of_block[k];
    }
    for (uint32_t k = b->last + 1; k-- > b->first;) {
        slice_insn(x, k, k == b->last ? decided : 0);
        x->of_block[block] |= x->mask[k];
    }
    for (size_t k = 0; k < p->reg_count; k++) slice_raise(x, &in[k], x->now[k]);
}

/* ---- all of them */

static bool slice_open(slice_func *x, sim_slicing *s, const sim_func *f) {
    const ptx_func *p = f->ptx;
    size_t n = p->insn_count + 1, nb = p->block_count + 1, regs = p->reg_count + 1;
    *x = (slice_func){.s = s, .f = f, .mask = s->insn[f->index]};
    if (nb > BLOCKS_MOST || nb * regs > KEPT_WORDS) return false;
    x->lanes = calloc(n, sizeof *x->lanes), x->on = calloc(n, sizeof *x->on);
    x->in = calloc(nb * regs, sizeof *x->in), x->of_block = calloc(nb, sizeof *x->of_block);
    x->now = calloc(regs, sizeof *x->now), x->from = calloc(nb, sizeof *x->from);
    x->decides = calloc(nb, sizeof *x->decides);
    if (!x->lanes || !x->on || !x->in || !x->of_block || !x->now || !x->from || !x->decides)
        return false;
    slice_counts(x);
    for (size_t b = 0; b < p->block_count; b++) {
        int64_t to;
        for (unsigned i = 0; i < slice_next(&p->blocks[b], i, &to); i++)
            if (to >= 0) x->from[to]++;
    }
    return true;
}

static void slice_close(slice_func *x) {
    for (size_t b = 0; x->decides && b < x->f->ptx->block_count; b++) free(x->decides[b]);
    free(x->lanes), free(x->on), free(x->in), free(x->of_block), free(x->now), free(x->from);
    free(x->decides);
}

static bool slice_all(sim_slicing *s) {
    const sim_image *im = s->r->image;
    slice_func *all = calloc(im->func_count, sizeof *all);
    bool ok = all != NULL;
    for (size_t k = 0; ok && k < im->func_count; k++) ok = slice_open(&all[k], s, &im->funcs[k]);
    s->changed = true;
    for (unsigned n = 0; ok && s->changed; n++) {
        s->changed = false;
        for (size_t k = 0; k < im->func_count; k++)
            for (size_t b = all[k].f->ptx->block_count; b--;) slice_block(&all[k], (uint32_t)b);
        ok = !s->failed && n < SWEEPS;
    }
    for (size_t k = 0; all && k < im->func_count; k++)
        if (all[k].s) slice_close(&all[k]);
    free(all);
    return ok;
}

sim_slicing *sim_slicing_new(const sim_run_state *r) {
    const sim_image *im = r->image;
    sim_slicing *s = calloc(1, sizeof *s);
    bool ok = s && (s->insn = calloc(im->func_count, sizeof *s->insn));
    if (s) s->r = r;
    for (size_t k = 0; ok && k < im->func_count; k++) {
        const ptx_func *p = im->funcs[k].ptx;
        for (size_t i = 0; i < p->insn_count; i++)
            if (p->insns[i].ptx_line >= s->lines) s->lines = p->insns[i].ptx_line + 1;
        ok = (s->insn[k] = calloc(p->insn_count + 1, sizeof **s->insn)) != NULL;
    }
    ok = ok && (s->store = calloc(s->lines + 1, sizeof *s->store)) &&
         (s->at_line = calloc(s->lines + 1, sizeof *s->at_line)) &&
         sim_access_launch_stored(r->access, slice_stored, s);
    if (ok) {
        if (sim_memory_wrote_bytes(r->device->memory)) s->lost = SIM_STORE_ANY;
        else if (sim_memory_launch_fed(r->device->memory)) s->lost = s->fed | SIM_STORE_ANY;
        bool followed = s->followed = !im->launches && slice_all(s);
        for (size_t k = 0; k < im->func_count; k++)
            for (size_t i = 0; i < im->funcs[k].ptx->insn_count; i++) {
                if (!followed) s->insn[k][i] = UINT64_MAX;
                unsigned mark = im->funcs[k].mark_of[i];
                if (mark) s->mark[mark - 1] |= s->insn[k][i];
                s->at_line[im->funcs[k].ptx->insns[i].ptx_line] |= s->insn[k][i];
            }
    }
    if (ok) return s;
    sim_slicing_free(s);
    return NULL;
}

void sim_slicing_free(sim_slicing *s) {
    if (!s) return;
    for (size_t k = 0; s->insn && k < s->r->image->func_count; k++) free(s->insn[k]);
    free(s->insn);
    free(s->store);
    free(s->at_line);
    free(s->slices);
    free(s);
}

uint64_t sim_slicing_insn(const sim_slicing *s, const sim_func *f, size_t insn) {
    return s->insn[f->index][insn];
}

uint64_t sim_slicing_site(const sim_slicing *s, const sim_site *site) {
    return site->ptx_line < s->lines ? s->at_line[site->ptx_line] : SIM_STORE_ANY;
}

/* Returns the slice of these stores; NULL: there is none, which counts for all. */
static sim_slice *slice_of(sim_slicing *s, uint64_t stores) {
    size_t i = 0;
    while (i < s->count && s->slices[i].stores != stores) i++;
    if (i == SLICES_MOST) return NULL;
    if (i == s->count) {
        if (!lib_grow(&s->slices, &s->room, s->count, sizeof *s->slices, 8)) return NULL;
        s->slices[s->count++] = (sim_slice){.stores = stores};
    }
    return &s->slices[i];
}

void sim_slicing_count(sim_slicing *s, uint64_t stores, const sim_counters *c) {
    sim_slice *to = slice_of(s, stores);
    if (to) sim_counters_add(&to->counters, c);
}

static void slice_crew(void *slicing, uint64_t marks, uint64_t threads, uint64_t blocks) {
    sim_slicing *s = slicing;
    uint64_t stores = s->followed ? 0 : UINT64_MAX;
    for (uint64_t m = marks; m; m &= m - 1) stores |= s->mark[__builtin_ctzll(m)];
    sim_slice *to = slice_of(s, stores);
    if (to) to->threads += threads, to->blocks += blocks;
}

void sim_slicing_crews(sim_slicing *s) {
    bool all = true;
    for (unsigned w = 0; w < s->r->worker_count; w++)
        all &= s->r->workers[w].crews && sim_crews_each(s->r->workers[w].crews, slice_crew, s);
    for (size_t i = 0; !all && i < s->count; i++) s->slices[i].threads = s->slices[i].blocks = 0;
}

sim_slice *sim_slicing_take(sim_slicing *s, size_t *n) {
    sim_slice *all = s->slices;
    *n = s->count;
    s->slices = NULL, s->count = s->room = 0;
    return all;
}
