/* Moves matrices between memory and fragments: wmma.load, wmma.store, ldmatrix, stmatrix,
 * movmatrix.  wmma: a register whose elements are adjacent in memory takes one access of 4 or 8
 * bytes; two elements of C in a row take one access of twice the size; any other element takes one
 * of its own. Where halves of A or B are adjacent the other way, each 8x8 matrix is read like that,
 * in one access of 4 bytes, and turned (MOVM, LDSM.T). So the counts follow from the layouts of
 * fragment.h; the assembler may merge more. ldmatrix and stmatrix: eight lanes of 16 bytes for each
 * matrix, with the bank conflicts of a 16-byte access. */
#include "runner/device/sim/emit/emit.h"
#include "runner/device/sim/exec/lanes.h"
#include "runner/device/sim/matrix/tensor.h"
#include "runner/device/sim/ptx/fragment.h"
#include "runner/device/sim/machine/fault.h"

/* Adds up the cost of a warp's instruction for the trace: one event an instruction (trace.h). */
static void add_cost(sim_access_cost *to, const sim_access_cost *c) {
    to->passes = (uint16_t)(to->passes + c->passes);
    to->lines = (uint16_t)(to->lines + c->lines);
    to->sectors = (uint16_t)(to->sectors + c->sectors);
    to->l1_hits = (uint16_t)(to->l1_hits + c->l1_hits);
    to->distinct = (uint16_t)(to->distinct + c->distinct);
    to->stream_n += c->stream_n;
}
static void trace(sim_warp *w, const sim_insn *i, unsigned bytes, const sim_access_cost *c) {
    if (!w->trace) return;
    const sim_func *fn = w->frame->func;
    sim_trace_access(w->trace, fn->pc_base + (uint32_t)(i->ptx - fn->ptx->insns), bytes,
                     (sim_l1_passes){0}, c);
}

/* Emits the instruction at a site whose fields are set. Its member mask names every lane. */
static void emit_access(sim_decoder *d, sim_exec_fn *exec, void *aux, sim_site *s) {
    sim_site_done(d, s);
    sim_opnd all = sim_const(d, SIM_SLOT_32, SIM_ALL_LANES);
    sim_insn *i = sim_emit(d, exec, exec);
    i->e = all;
    i->aux = aux;
    i->site = s;
}

/* ---- wmma.load, wmma.store ---- */

typedef struct {
    sim_fragment f;
    sim_opnd base, stride; /* stride: elements from one row (column) to the next */
    uint64_t offset;
    bool by_columns, store;
    bool turned;    /* each register is an 8x8 matrix that memory has transposed */
    unsigned regs;  /* registers that are not copies */
    unsigned units; /* accesses for each register; 0: one for two registers */
    unsigned bytes; /* of one access */
    /* of each lane's element, as in sim_fragment.at: its row (column), and its place there */
    const uint32_t *major, *minor;
    const sim_site *site;
} transfer;

/* Computes the address of element x of each lane. */
static void addresses(const sim_warp *w, const transfer *k, unsigned x,
                      uint64_t at[SIM_WARP_LANES]) {
    const uint32_t *stride = LANES(const uint32_t, k->stride),
                   *major = k->major + x * SIM_WARP_LANES, *minor = k->minor + x * SIM_WARP_LANES;
    unsigned bits = k->f.bits;
    if (k->site->space == PTX_SPACE_SHARED) {
        const uint32_t *base = LANES(const uint32_t, k->base);
        EACH_LANE at[l] =
            base[l] + k->offset + ((uint64_t)major[l] * stride[l] + minor[l]) * bits / 8;
    } else {
        const uint64_t *base = LANES(const uint64_t, k->base);
        EACH_LANE at[l] =
            base[l] + k->offset + ((uint64_t)major[l] * stride[l] + minor[l]) * bits / 8;
    }
}

/* Copies n bytes between each lane's memory, at ptr + `from`, and its place in a register. */
static inline __attribute__((always_inline)) void copy_lanes(uint32_t m,
                                                             void *const ptr[SIM_WARP_LANES],
                                                             unsigned from, uint8_t *reg,
                                                             unsigned width, bool store, size_t n) {
    if (m == SIM_ALL_LANES && !store) {
#pragma GCC unroll 8
        for (unsigned l = 0; l < SIM_WARP_LANES; l++)
            memcpy(reg + l * width, (const uint8_t *)ptr[l] + from, n);
        return;
    }
    for (; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        uint8_t *mem = (uint8_t *)ptr[l] + from, *mine = reg + l * width;
        memcpy(store ? mem : mine, store ? mine : mem, n);
    }
}

/* Makes one access of `n` bytes of a lane's elements from x on, `shift` bits into register r (and
 * the next one). */
static bool move(sim_warp *w, const transfer *k, unsigned x, unsigned r, unsigned shift,
                 sim_access_cost *sum) {
    _Alignas(64) uint64_t at[SIM_WARP_LANES];
    _Alignas(64) uint32_t near[SIM_WARP_LANES];
    void *ptr[SIM_WARP_LANES];
    bool narrow = k->site->space == PTX_SPACE_SHARED;
    addresses(w, k, x, at);
    if (narrow) EACH_LANE near[l] = (uint32_t)at[l];
    uint32_t got = k->site->ptr(w->access, k->site, narrow ? (const void *)near : at, w->mask, ptr);
    unsigned width = k->f.wide ? 8 : 4, n = k->bytes;
    const sim_access_cost *c = sim_access_last(w->access);
    if (!sum->lanes) *sum = *c;
    else add_cost(sum, c);
    for (unsigned done = 0; done < n; done += width) {
        uint8_t *reg = sim_slot(w, k->f.reg[r + done / width]) + shift / 8;
        switch (n < width ? n : width) {
        case 1: copy_lanes(got, ptr, done, reg, width, k->store, 1); break;
        case 2: copy_lanes(got, ptr, done, reg, width, k->store, 2); break;
        case 4: copy_lanes(got, ptr, done, reg, width, k->store, 4); break;
        default: copy_lanes(got, ptr, done, reg, width, k->store, 8);
        }
    }
    if (got != w->mask) sim_memory_fault(w);
    return got == w->mask;
}

/* Transposes the 8x8 matrix of which each lane has two neighbours of a row: lane 4 g + t, of row
 * g. */
static void turn(uint32_t *reg) {
    uint32_t from[SIM_WARP_LANES];
    memcpy(from, reg, sizeof from);
    EACH_LANE {
        unsigned shift = l / 4 % 2 * 16, low = 8 * (l % 4) + l / 8;
        reg[l] = (from[low] >> shift & 0xffff) | from[low + 4] >> shift << 16;
    }
}

static void exec_transfer(sim_warp *w, const sim_insn *i) {
    const transfer *k = i->aux;
    sim_access_cost sum = {0};
    uint32_t m = w->mask;
    for (unsigned r = 0; r < k->regs; r += k->units ? 1 : 2) {
        unsigned units = k->units ? k->units : 1;
        for (unsigned u = 0; u < units; u++)
            if (!move(w, k, r * k->f.per + u * k->f.per / units, r, u * 32 / units, &sum)) return;
        if (k->turned) turn(LANES(uint32_t, k->f.reg[r]));
    }
    /* half-precision A and B hold it twice */
    for (unsigned r = k->regs, of = 0; r < k->f.regs; r++) {
        const uint32_t *from = LANES(const uint32_t, k->f.reg[of]);
        uint32_t *to = LANES(uint32_t, k->f.reg[r]);
        EACH_LANE to[l] = LANE_ON(m) ? from[l] : to[l];
        of = of + 1 < k->regs ? of + 1 : 0;
    }
    trace(w, i, k->regs * (k->f.wide ? 8 : 4), &sum);
}

/* Makes the places those of the transposed matrices. Returns false if a register is no matrix of
 * 8x8 halves whose lane 4 g + t has the elements 2 t and 2 t + 1 of column g. */
static bool turn_places(const transfer *k, uint32_t *major, uint32_t *minor) {
    unsigned next = k->f.per * SIM_WARP_LANES;
    for (unsigned r = 0; r < k->regs; r++)
        for (unsigned x = 0; x < next; x++) {
            unsigned l = x % SIM_WARP_LANES, at = r * next;
            if (major[at + x] != major[at] + l % 4 * 2 + x / SIM_WARP_LANES ||
                minor[at + x] != minor[at] + l / 4)
                return false;
        }
    for (unsigned r = 0; r < k->regs; r++)
        for (unsigned l = SIM_WARP_LANES; l--;) {
            unsigned at = r * next;
            major[at + l] = major[at] + l / 4, minor[at + l] = minor[at] + l % 4 * 2;
        }
    return true;
}

static void decode_transfer(sim_decoder *d, char which, bool store) {
    const ptx_insn *p = d->insn;
    transfer *k = sim_decode_alloc(d, sizeof *k);
    if (!k) return;
    const ptx_opnd *mem = &p->opnd[!store], *regs = &p->opnd[store];
    *k = (transfer){.store = store, .by_columns = p->field[PTX_FIELD_LAYOUT] == PTX_LAYOUT_col};
    sim_address(d, mem, p->space, &k->base, &k->offset);
    if (!sim_fragment_make(d, &k->f, regs, which, p->type[0], false, !store)) return;
    k->stride = p->nopnds > 2 ? sim_source(d, &p->opnd[2], SIM_SLOT_32, PTX_U32)
                              : sim_const(d, SIM_SLOT_32, k->by_columns ? k->f.rows : k->f.cols);
    uint32_t n = (uint32_t)k->f.regs * k->f.per * SIM_WARP_LANES;
    uint32_t *places = sim_decode_alloc(d, 2 * n * sizeof *places);
    if (!places) return;
    for (uint32_t x = 0; x < n; x++) {
        uint32_t row = k->f.at[x] / k->f.cols, col = k->f.at[x] % k->f.cols;
        places[x] = k->by_columns ? col : row;
        places[n + x] = k->by_columns ? row : col;
    }
    k->major = places, k->minor = places + n;
    k->regs = k->f.rows * k->f.cols * k->f.bits / 32 / (k->f.wide ? 64 : 32);
    /* elements of a register are adjacent along k; for C, along a row */
    bool together = k->by_columns == (which == 'b');
    if (!together && which != 'c' && k->f.bits == 16)
        k->turned = turn_places(k, places, places + n);
    if (k->turned) k->units = 1, k->bytes = 4;
    else if (!together) k->units = k->f.per, k->bytes = k->f.bits / 8u;
    else if (which == 'c' && k->f.per == 1) k->units = 0, k->bytes = k->f.bits / 4u;
    else k->units = 1, k->bytes = k->f.wide ? 8 : 4;
    if (!k->bytes) {
        sim_decode_fail(d, "elements of less than a byte in this layout");
        return;
    }
    unsigned elem = k->bytes > 8 ? 8 : k->bytes;
    sim_site *s = sim_site_add(d, p->space, store ? SIM_ACCESS_STORE : SIM_ACCESS_LOAD, elem,
                               k->bytes / elem, elem == 8 ? 8 : 4);
    if (!s) return;
    k->site = s;
    emit_access(d, exec_transfer, k, s);
}
void sim_decode_wmma_load(sim_decoder *d) {
    decode_transfer(d,
                    d->insn->op == PTX_OP_wmma_load_a   ? 'a'
                    : d->insn->op == PTX_OP_wmma_load_b ? 'b'
                                                        : 'c',
                    false);
}
void sim_decode_wmma_store(sim_decoder *d) {
    decode_transfer(d, 'c', true);
}

/* ---- ldmatrix, stmatrix: lane 8 k + r points at row r of matrix k; lane l holds two elements of
 * row l / 4 or, transposed, of column l / 4 ---- */

typedef struct {
    sim_opnd base, reg[4];
    uint64_t offset;
    unsigned count;
    bool transposed, store;
    const sim_site *site;
} rows;

static void exec_rows(sim_warp *w, const sim_insn *i) {
    const rows *k = i->aux;
    bool narrow = k->site->space == PTX_SPACE_SHARED;
    uint64_t at[SIM_WARP_LANES];
    uint32_t near[SIM_WARP_LANES],
        pointing = k->count == 4 ? SIM_ALL_LANES : (1u << 8 * k->count) - 1, m = w->mask;
    for (unsigned l = 0; l < SIM_WARP_LANES; l++) {
        at[l] = (narrow ? LANES(const uint32_t, k->base)[l] : LANES(const uint64_t, k->base)[l]) +
                k->offset;
        near[l] = (uint32_t)at[l];
    }
    void *ptr[SIM_WARP_LANES];
    if (k->site->ptr(w->access, k->site, narrow ? (const void *)near : at, pointing, ptr) !=
        pointing) {
        sim_memory_fault(w);
        return;
    }
    sim_access_cost cost = *sim_access_last(w->access);
    uint16_t *line[SIM_WARP_LANES];
    for (unsigned l = 0; l < 8 * k->count; l++) line[l] = ptr[l];
    bool plain = m == SIM_ALL_LANES && !k->transposed && !k->store;
    for (unsigned n = 0; n < k->count && plain; n++) {
        uint32_t *reg = LANES(uint32_t, k->reg[n]);
        for (unsigned g = 0; g < 8; g++) memcpy(reg + 4 * g, line[8 * n + g], 16);
    }
    for (unsigned n = 0; n < k->count && !plain; n++) {
        uint32_t *reg = LANES(uint32_t, k->reg[n]);
        for (unsigned l = 0; l < SIM_WARP_LANES; l++) {
            if (!(m >> l & 1)) continue;
            unsigned g = l / 4, t = l % 4 * 2;
            uint16_t *low = k->transposed ? &line[8 * n + t][g] : &line[8 * n + g][t],
                     *high = k->transposed ? &line[8 * n + t + 1][g] : &line[8 * n + g][t + 1];
            if (k->store) *low = (uint16_t)reg[l], *high = (uint16_t)(reg[l] >> 16);
            else reg[l] = *low | (uint32_t)*high << 16;
        }
    }
    trace(w, i, 16, &cost);
}

static void decode_rows(sim_decoder *d, bool store) {
    const ptx_insn *p = d->insn;
    rows *k = sim_decode_alloc(d, sizeof *k);
    if (!k) return;
    const ptx_opnd *mem = &p->opnd[!store], *regs = &p->opnd[store];
    *k = (rows){.count = regs->kind == PTX_OPND_VEC ? regs->count : 1,
                .transposed = p->flags >> PTX_F_trans & 1,
                .store = store};
    sim_address(d, mem, p->space, &k->base, &k->offset);
    for (unsigned n = 0; n < k->count; n++) {
        const ptx_opnd *x = regs->kind == PTX_OPND_VEC ? &regs->elem[n] : regs;
        k->reg[n] = x->kind == PTX_OPND_SINK ? d->sink
                    : store                  ? sim_source(d, x, SIM_SLOT_32, PTX_B32)
                                             : sim_destination(d, x, SIM_SLOT_32, PTX_B32);
    }
    sim_site *s = sim_site_add(d, p->space, store ? SIM_ACCESS_STORE : SIM_ACCESS_LOAD, 16, 1, 8);
    if (!s) return;
    k->site = s;
    emit_access(d, exec_rows, k, s);
}
void sim_decode_ldmatrix(sim_decoder *d) {
    decode_rows(d, false);
}
void sim_decode_stmatrix(sim_decoder *d) {
    decode_rows(d, true);
}

/* ---- movmatrix: R[d] := the two elements of column l / 4, from row 2 (l % 4) on, of the fragment
 * R[a] ---- */

static void exec_movmatrix(sim_warp *w, const sim_insn *i) {
    const uint32_t *a = LANES(const uint32_t, i->a);
    uint32_t *d = LANES(uint32_t, i->d), m = w->mask, r[SIM_WARP_LANES];
    for (unsigned l = 0; l < SIM_WARP_LANES; l++) {
        unsigned g = l / 4, t = l % 4 * 2, shift = g % 2 * 16;
        r[l] = (a[t * 4 + g / 2] >> shift & 0xffff) | (a[(t + 1) * 4 + g / 2] >> shift & 0xffff)
                                                          << 16;
    }
    EACH_LANE d[l] = LANE_ON(m) ? r[l] : d[l];
}
/* Like other matrix instructions it is .aligned; lanes that wait at another one get a finding
 * (sync.c). */
static const char whole_warp;
void sim_decode_movmatrix(sim_decoder *d) {
    sim_opnd a = sim_source(d, &d->insn->opnd[1], SIM_SLOT_32, PTX_B32),
             to = sim_destination(d, &d->insn->opnd[0], SIM_SLOT_32, PTX_B32);
    sim_opnd all = sim_const(d, SIM_SLOT_32, SIM_ALL_LANES);
    sim_insn *i = sim_emit(d, exec_movmatrix, exec_movmatrix);
    i->d = to, i->a = a, i->e = all;
    i->aux = &whole_warp;
}
