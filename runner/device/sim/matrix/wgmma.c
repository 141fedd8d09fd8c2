/* wgmma: products of a warpgroup, four warps whose first is a multiple of four (PTX ISA 9.7.15).
 *
 *   descriptor --> place of each core matrix --checked, counted--> fragments of A and B
 *   fragments of A, B and D --tensor.c's product, 16 columns at a time--> D
 *
 * Each warp computes its own part: the r-th warp of the group has rows 16 r .. 16 r + 15 of the 64,
 * in A's registers, in the rows of A that a descriptor points at, and in D. From other warps it
 * needs only B, which is in shared memory. So each warp computes at once and independently: until
 * the end of its group, the shared memory that the instruction reads belongs to it anyway, and the
 * ISA leaves the accumulators undefined until wgmma.wait_group. The fence, commit_group and
 * wait_group then only need to bring the lanes of the warp together. This file checks that the
 * group has four whole warps; run/block.c checks at the end of the block that all four executed the
 * same products.
 *
 * A core matrix is eight lines of 16 bytes: along K, of eight rows of A or columns of B; or,
 * transposed, along M or N, of eight steps of K. The hardware reads B once for the four warps, so
 * only the first warp's reads count; those of the others are checked in the same way. */
#include <fenv.h>
#include "runner/device/sim/exec/lanes.h"
#include "runner/device/sim/machine/fault.h"
#include "runner/device/sim/matrix/tensor.h"
#include "words/finding.h"

/* ---- matrix descriptors: 9.7.15.5.1.2.2 ---- */

typedef struct {
    sim_opnd descriptor; /* SIM_NO_SLOT: the matrix is in registers */
    bool transposed;     /* M- or N-major */
    const sim_site *site;
} wgmma_source;

/* Line i of the core matrix that is the t-th along M or N and the c-th along K is at start + i *
 * line + c * step + t / run * tile + t % run * 16, with bits 4 .. 6 swizzled. */
typedef struct {
    uint32_t start, line, step, tile, run;
    uint32_t base, phases; /* for the swizzling: bits 7 .. 9 of the address count from base */
} matrix;

enum { START = 0, LEADING = 16, STRIDE = 32, BASE = 49, MODE = 62, WARPS = 4 };

static uint32_t offset_at(uint64_t descriptor, unsigned bit) {
    return ((uint32_t)(descriptor >> bit) & 0x3fff) << 4;
}

static matrix matrix_of(uint64_t descriptor, bool transposed) {
    static const uint8_t widths[4] = {16, 128, 64, 32}; /* bytes that are swizzled together */
    unsigned width = widths[descriptor >> MODE];
    uint32_t leading = offset_at(descriptor, LEADING), stride = offset_at(descriptor, STRIDE);
    matrix m = {.start = offset_at(descriptor, START),
                .line = width,
                .step = leading,
                .tile = stride,
                .run = 1,
                .phases = width / 16 - 1};
    if (width == 16) return m;
    m.base = (uint32_t)(descriptor >> BASE) & 7;
    m.step = 16;
    if (!transposed) return m;
    m.step = stride, m.tile = leading, m.run = width / 16;
    return m;
}

static void lines_of(const matrix *m, uint32_t t, uint32_t c, uint32_t line[8]) {
    uint32_t first = m->start + c * m->step + t / m->run * m->tile + t % m->run * 16;
    for (uint32_t i = 0; i < 8; i++) {
        uint32_t at = first + i * m->line;
        line[i] = at ^ (((at >> 7) - m->base) & m->phases) << 4;
    }
}

/* ---- executing ---- */

typedef struct {
    sim_product wide, last; /* for 16 columns; for 8, if their number is not a multiple of 16 */
    wgmma_source a, b;
    const sim_site *b_again; /* for the warps whose reads of B do not count */
    sim_opnd scale_d, zero;
    /* slots: A's registers in full, then B's, then those of a sparse A as stored */
    sim_opnd tiles;
    uint8_t full, along; /* registers of the full A; registers of B along K for 8 columns */
    bool sparse;
    sim_sparse half;   /* A, if sparse */
    const sim_opnd *d; /* registers of the accumulators */
    uint32_t flip;     /* signs of B's elements: A or B is negated */
    uint16_t n;
    uint8_t regs; /* registers of D for 8 columns */
} wgmma;

static bool fail(sim_warp *w, const sim_insn *i, lib_words why) {
    sim_fail_at(w, i->ptx, w->mask, SIM_TRAP, SIM_FIND_BARRIER, why);
    return false;
}

/* Returns whether the lanes are all those of four whole warps. */
static bool group_is_whole(sim_warp *w, const sim_insn *i) {
    const sim_block *b = w->block;
    uint32_t first = w->index / WARPS * WARPS;
    bool whole = first + WARPS <= b->warp_count;
    for (uint32_t k = first; whole && k < first + WARPS; k++)
        whole = b->warps[k].exist == SIM_ALL_LANES;
    if (!whole) return fail(w, i, w_finding_wgmma_whole());
    if (w->mask != SIM_ALL_LANES) return fail(w, i, w_finding_wgmma_exited());
    return true;
}

/* Reads a descriptor, which must be the same in all lanes and have no unused bits set. */
static bool read_descriptor(sim_warp *w, const sim_insn *i, const wgmma_source *s, matrix *m) {
    enum { UNUSED_LOW = 0xc000 }; /* bits 14, 15; 30, 31; 46 .. 48; 52 .. 61 */
    const uint64_t unused =
        UNUSED_LOW | (uint64_t)UNUSED_LOW << 16 | UINT64_C(7) << 46 | UINT64_C(0x3ff) << 52;
    const uint64_t *v = LANES(const uint64_t, s->descriptor);
    uint64_t differ = 0;
    for (unsigned l = 0; l < SIM_WARP_LANES; l++) differ |= v[l] ^ v[0];
    if (differ) return fail(w, i, w_finding_wgmma_descriptor());
    if (v[0] & unused) return fail(w, i, w_finding_wgmma_bits());
    *m = matrix_of(v[0], s->transposed);
    return true;
}

/* Which core matrix becomes the j-th register of a fragment. For A, two along M come before the
 * next along K; for B the other way round. With a sparse A there are four along K. */
typedef struct {
    unsigned first;    /* along M or N */
    unsigned count;    /* registers: 2 or 4 */
    bool along_k_last; /* A */
    unsigned deep;     /* B: along K */
} cores;

static bool fetch(sim_warp *w, const sim_site *s, const matrix *m, cores c, bool transposed,
                  uint32_t flip, sim_opnd to) {
    _Alignas(64) uint32_t at[SIM_WARP_LANES];
    void *ptr[SIM_WARP_LANES];
    uint32_t want = c.count == 4 ? SIM_ALL_LANES : 0xffff,
             /* descriptors have no rank: they refer to the block's own memory */
        own = w->block->cluster ? (uint32_t)w->block->rank << SIM_RANK_SHIFT : 0;
    for (unsigned j = 0; j < SIM_WARP_LANES / 8; j++) {
        unsigned run = c.along_k_last ? 2 : c.deep, low = j % run, high = j % c.count / run;
        lines_of(m, c.first + (c.along_k_last ? low : high), c.along_k_last ? high : low,
                 at + (size_t)8 * j);
    }
    for (unsigned l = 0; l < SIM_WARP_LANES; l++) at[l] += own;
    if (s->ptr(w->access, s, at, want, ptr) != want) {
        sim_memory_fault(w);
        return false;
    }
    sim_race_async_read(w->access, s, want, at, 16);
    for (unsigned j = 0; j < c.count; j++) {
        uint32_t *reg = LANES(uint32_t, to) + SIM_WARP_LANES * j;
        void *const *line = ptr + 8 * j;
        for (unsigned g = 0; g < 8 && !transposed; g++) memcpy(reg + 4 * g, line[g], 16);
        for (unsigned l = 0; l < SIM_WARP_LANES && transposed; l++) {
            const uint16_t *low = line[l % 4 * 2], *high = line[l % 4 * 2 + 1];
            reg[l] = low[l / 4] | (uint32_t)high[l / 4] << 16;
        }
        for (unsigned l = 0; l < SIM_WARP_LANES && flip; l++) reg[l] ^= flip;
    }
    return true;
}

static sim_opnd tile(const wgmma *k, unsigned j) {
    return k->tiles + sim_opnd_make(j * sim_slot_bytes(SIM_SLOT_32), 0);
}

/* Fetches B for the 8 or 16 columns from core matrix x on. */
static bool fetch_b(sim_warp *w, const wgmma *k, const matrix *b, unsigned x, bool two) {
    const sim_site *s = w->index % WARPS ? k->b_again : k->b.site;
    sim_opnd to = tile(k, k->full);
    if (k->along == 2)
        return fetch(w, s, b, (cores){x, two ? 4 : 2, false, 2}, k->b.transposed, k->flip, to);
    return fetch(w, s, b, (cores){x, 4, false, 4}, k->b.transposed, k->flip, to) &&
           (!two || fetch(w, s, b, (cores){x + 1, 4, false, 4}, k->b.transposed, k->flip,
                          tile(k, k->full + 4u)));
}

/* Fills A's registers with the full A. */
static bool make_a(sim_warp *w, const sim_insn *i, const wgmma *k) {
    matrix a;
    if (k->a.descriptor != SIM_NO_SLOT &&
        (!read_descriptor(w, i, &k->a, &a) ||
         !fetch(w, k->a.site, &a, (cores){2 * (w->index % WARPS), 4, true, 0}, k->a.transposed, 0,
                tile(k, k->sparse ? 16 : 0))))
        return false;
    if (k->sparse && !sim_sparse_expand(w, &k->half, true))
        return fail(w, i,
                    k->half.pairs ? w_finding_wgmma_sparse_element()
                                  : w_finding_wgmma_sparse_twice());
    return true;
}

static void exec_wgmma(sim_warp *w, const sim_insn *i) {
    const wgmma *k = i->aux;
    uint32_t scale_d = PRED(k->scale_d);
    matrix b;
    if (!group_is_whole(w, i) || !read_descriptor(w, i, &k->b, &b)) return;
    if (scale_d && scale_d != SIM_ALL_LANES) {
        fail(w, i, w_finding_wgmma_scale());
        return;
    }
    if (k->along == 4 && !k->b.transposed && b.line == 32) {
        fail(w, i, w_finding_wgmma_swizzle());
        return;
    }
    if (!make_a(w, i, k)) return;
    /* checked by warpgroups_end() */
    w->products = (w->products ^ i->ptx->ptx_line) * 0x9E3779B1u + 1;
    w->last_product = i->ptx;
    sim_product wide = k->wide, last = k->last;
    for (unsigned x = 0; x < k->n / 8u; x += 2) {
        bool two = x + 1 < k->n / 8u;
        if (!fetch_b(w, k, &b, x, two)) return;
        sim_product *p = two ? &wide : &last;
        for (unsigned r = 0; r < p->d.regs; r++) {
            p->d.reg[r] = k->d[x * k->regs + r];
            p->c.reg[r] = scale_d ? p->d.reg[r] : k->zero;
        }
        sim_product_run(w, p);
    }
}

/* ---- decoding ---- */

static bool immediate(sim_decoder *d, unsigned n, int64_t one, int64_t other, int64_t *v) {
    *v = (int64_t)d->insn->opnd[n].imm;
    if (*v == one || *v == other) return true;
    sim_decode_fail(d, "operand %u is %lld, not %d or %d", n + 1, (long long)*v, (int)one,
                    (int)other);
    return false;
}

/* imm-scale-a and -b, imm-trans-a and -b, as far as they are written. */
static bool immediates(sim_decoder *d, wgmma *k, bool registers) {
    const ptx_insn *p = d->insn;
    int64_t scale_a = 1, scale_b = 1, trans_a = 0, trans_b = 0;
    bool ok = true;
    unsigned at = k->sparse ? 6 : 4;
    if (p->nopnds > at)
        ok = immediate(d, at, 1, -1, &scale_a) && immediate(d, at + 1, 1, -1, &scale_b);
    if (ok && p->nopnds > at + 2)
        ok = (registers || immediate(d, at + 2, 0, 1, &trans_a)) &&
             immediate(d, at + (registers ? 2 : 3), 0, 1, &trans_b);
    k->a.transposed = trans_a, k->b.transposed = trans_b;
    if (scale_a == scale_b) return ok;
    k->flip = p->type[2] == PTX_TF32                            ? 0x80000000u
              : p->type[2] == PTX_F16 || p->type[2] == PTX_BF16 ? 0x80008000u
                                                                : 0x80808080u;
    return ok;
}

static bool make_product(sim_decoder *d, const wgmma *k, sim_product *p, unsigned n) {
    const ptx_insn *i = d->insn;
    ptx_type a = i->type[1], b = i->type[2], c = i->type[0];
    ptx_fragment_shape s = {16, (uint16_t)n, ptx_fragment_shape_of(i).k};
    bool registers = i->opnd[1].kind == PTX_OPND_VEC;
    *p = (sim_product){.s = s,
                       .batch = 1,
                       .integer = c == PTX_S32,
                       .round = FE_TONEAREST,
                       .satfinite = i->flags >> PTX_F_satfinite & 1,
                       .bitwise = a == PTX_B1 ? PTX_ATOM_and : 0};
    if (!sim_fragment_lay(d, &p->a, s, 'a', a, k->full) ||
        !sim_fragment_lay(d, &p->b, s, 'b', b, n / 8 * k->along) ||
        !sim_fragment_lay(d, &p->c, s, 'c', c, n / 8 * k->regs))
        return false;
    p->d = p->c;
    for (unsigned j = 0; j < k->full; j++)
        p->a.reg[j] = registers && !k->sparse
                          ? sim_source(d, &i->opnd[1].elem[j], SIM_SLOT_32, PTX_B32)
                          : tile(k, j);
    for (unsigned j = 0; j < p->b.regs; j++) p->b.reg[j] = tile(k, k->full + j);
    sim_product_choose(p, d->isa);
    return !d->failed;
}

static bool find_accumulators(sim_decoder *d, wgmma *k) {
    const ptx_opnd *o = &d->insn->opnd[0];
    sim_opnd *to = sim_decode_alloc(d, o->count * sizeof *to);
    if (!to) return false;
    for (unsigned r = 0; r < o->count; r++) {
        if (o->elem[r].kind != PTX_OPND_REG)
            sim_decode_fail(d, "accumulator %u is not a register", r + 1);
        to[r] = sim_destination(d, &o->elem[r], SIM_SLOT_32, PTX_B32);
    }
    k->d = to;
    return !d->failed;
}

/* wgmma.mma_async.sp: a descriptor or registers, metadata, selector. */
static bool find_half(sim_decoder *d, wgmma *k, bool registers) {
    const ptx_insn *i = d->insn;
    if (!sim_sparse_make(d, &k->half, (ptx_type)i->type[1], 4, &i->opnd[3], &i->opnd[4]))
        return false;
    for (unsigned j = 0; j < 4; j++)
        k->half.from[j] =
            registers ? sim_source(d, &i->opnd[1].elem[j], SIM_SLOT_32, PTX_B32) : tile(k, 16 + j);
    for (unsigned j = 0; j < 8; j++) k->half.to[j] = tile(k, j);
    return !d->failed;
}

static bool find_source(sim_decoder *d, wgmma_source *s, const ptx_opnd *o) {
    s->descriptor = sim_source(d, o, SIM_SLOT_64, PTX_B64);
    sim_site *site = sim_site_add(d, PTX_SPACE_SHARED, SIM_ACCESS_LOAD, 16, 1, 8);
    if (!site) return false;
    sim_site_done(d, site);
    s->site = site;
    return !d->failed;
}

void sim_decode_wgmma(sim_decoder *d) {
    const ptx_insn *p = d->insn;
    wgmma *k = sim_decode_alloc(d, sizeof *k);
    if (!k) return;
    bool registers = p->opnd[1].kind == PTX_OPND_VEC;
    d->image->warpgroups = true;
    k->n = ptx_fragment_shape_of(p).n;
    k->regs = p->type[0] == PTX_F16 ? 2 : 4;
    k->tiles = sim_matrix_room(d);
    k->zero = sim_const(d, SIM_SLOT_32, 0);
    k->sparse = p->op == PTX_OP_wgmma_mma_async_sp;
    k->full = k->sparse ? 8 : 4, k->along = k->sparse ? 4 : 2;
    k->scale_d = sim_source(d, &p->opnd[k->sparse ? 5 : 3], SIM_SLOT_PRED, PTX_PRED);
    k->a.descriptor = SIM_NO_SLOT;
    if (!immediates(d, k, registers) || !find_accumulators(d, k) ||
        (!registers && !find_source(d, &k->a, &p->opnd[1])) ||
        (k->sparse && !find_half(d, k, registers)) || !find_source(d, &k->b, &p->opnd[2]) ||
        !make_product(d, k, &k->wide, 16) || !make_product(d, k, &k->last, 8))
        return;
    /* not in the image's list of sites: its counts are never read */
    sim_site *again = sim_decode_alloc(d, sizeof *again);
    if (!again) return;
    *again = *k->b.site;
    sim_site_done(d, again);
    k->b_again = again;
    sim_opnd all = sim_const(d, SIM_SLOT_32, SIM_ALL_LANES);
    sim_insn *x = sim_emit(d, exec_wgmma, exec_wgmma);
    x->e = all;
    x->aux = k;
}

static void exec_met(sim_warp *w, const sim_insn *i) {
    (void)w, (void)i;
}
/* Brings the warp's lanes together and does nothing else. */
static void emit_met(sim_decoder *d) {
    /* .aligned: lanes that wait at another one get a finding (sync.c) */
    static const char whole_warp;
    sim_opnd all = sim_const(d, SIM_SLOT_32, SIM_ALL_LANES);
    sim_insn *x = sim_emit(d, exec_met, exec_met);
    x->e = all;
    x->aux = &whole_warp;
}
void sim_decode_wgmma_group(sim_decoder *d) {
    emit_met(d);
}
void sim_decode_setmaxnreg(sim_decoder *d) {
    emit_met(d);
}
