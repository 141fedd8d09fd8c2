/* Bulk copies: cp.async.bulk, cp.reduce.async.bulk, their tensor forms, groups, st.async and
 * red.async (PTX ISA 9.7.9.25.4 to .6, 9.7.13.8). The hardware's copy engine moves whole ranges
 * asynchronously. Here, a copy is done when it is issued, which is one of the permitted orders, and
 * its bytes are reported to the mbarrier at once. access/race_bulk.c remembers which data a program
 * may not rely on yet.
 *
 *   each active lane makes a copy of its own: --operands--> ranges or a box of a tensor
 *     --sim_bulk_global(), sim_bulk_shared(): bounds, marks, sectors--> bytes moved or reduced
 *     --mbarrier or bulk group--> reported */
#include <stdarg.h>
#include <stdio.h>
#include "runner/device/sim/emit/emit.h"
#include "runner/base/message.h"
#include "runner/device/sim/exec/lanes.h"
#include "runner/device/sim/machine/fault.h"
#include "runner/device/sim/memory/tensor_map.h"
#include "runner/device/sim/special/async.h"
#include "words/finding.h"

typedef struct {
    sim_opnd base; /* SIM_NO_SLOT: none */
    uint64_t by;
} bulk_place; /* an address: a slot of 64 bits, or of 32 bits for shared memory */

typedef struct {
    bulk_place to, from, bar, map;
    sim_opnd size, ranks;              /* ranks: of .multicast::cluster; SIM_NO_SLOT: none */
    sim_opnd at[SIM_TENSOR_DIMS];      /* coordinates */
    sim_opnd off[SIM_TENSOR_DIMS - 2]; /* of a filter: .im2col; SIM_NO_SLOT: none */
    bool im2col;
    uint8_t dims; /* 0: a range */
    bool load;    /* from global to shared memory; otherwise from shared memory */
    bool near;    /* from shared memory to shared memory */
    bool reduce;
    uint8_t op, type; /* ptx_atomop, ptx_type; type PTX_NONE: that of the tensor map */
    const sim_site *global, *read, *write, *barrier;
} copy;

static uint32_t near_at(sim_warp *w, const bulk_place *p, unsigned l) {
    return LANES(const uint32_t, p->base)[l] + (uint32_t)p->by;
}
static uint64_t far_at(sim_warp *w, const bulk_place *p, unsigned l) {
    return LANES(const uint64_t, p->base)[l] + p->by;
}

static bool fails(sim_warp *w, const sim_insn *i, unsigned l, sim_status status, lib_words why) {
    sim_fail_at(w, i->ptx, 1u << l, status, SIM_FIND_TRAP, why);
    return false;
}
static bool bulk_wrong(sim_warp *w, const sim_insn *i, unsigned l, lib_words why) {
    return fails(w, i, l, SIM_TRAP, why);
}
static bool bulk_illegal(sim_warp *w, const sim_insn *i, unsigned l, lib_words why) {
    return fails(w, i, l, SIM_ILLEGAL_INSTRUCTION, why);
}

/* Charges a copy to the launch's budget, and lets the launch end if that is wanted. A copy counts
 * as one instruction of a thread for each word, and some for each row. Words that are checked for
 * races take several times as long. */
static void charge(sim_warp *w, uint64_t bytes, uint64_t rows) {
    enum { WORD = 4, ROW = 8, WATCHED = 4 };
    uint64_t n = bytes / WORD * (sim_access_watches_texels(w->access) ? WATCHED : 1) + rows * ROW;
    w->worker->executed += n;
    w->worker->fuel -= (int64_t)(n / SIM_WARP_LANES);
    w->worker->acted = true;
}

/* ---- moving and reducing ---- */

/* n bytes of elements of the type: to[x] := to[x] op from[x]. flush: sums flush subnormals; shared:
 * other workers may access them at the same time. */
static void reduce(sim_worker *k, unsigned op, ptx_type type, bool flush, uint8_t *to,
                   const uint8_t *from, uint64_t n, bool shared) {
    unsigned size = ptx_type_size(type);
    k->fp_other += ptx_type_is_float(type) ? n / size : 0;
    k->fp64_other += type == PTX_F64 ? n / size : 0;
    for (uint64_t x = 0; x < n; x += size)
        sim_atom_reduce(op, type, flush, to + x, from + x, shared);
}

/* Notes that a copy of lane l from or to the n bytes at `shared` is in flight until its group or
 * the mbarrier at `bar` is waited for. sim_bulk_shared() was just called for these bytes. */
static void fly(sim_warp *w, const copy *c, unsigned l, uint32_t shared, uint32_t bar, uint64_t n) {
    const sim_block_mem *mem = w->block->mem;
    uint32_t own = sim_own_offset(w, shared);
    if (c->bar.base == SIM_NO_SLOT) sim_bulk_group_flight(w->access, c->read, l, own, (uint32_t)n);
    else if (sim_bulk_own(mem, shared) && sim_bulk_own(mem, bar))
        sim_bulk_flight(w->access, c->write, l, own, (uint32_t)n, sim_own_offset(w, bar),
                        sim_mbarrier_parity(w, bar));
}

/* A copy is done and has moved n bytes: reports this to the mbarrier, if there is one. */
static bool told(sim_warp *w, const sim_insn *i, unsigned l, uint32_t bar, uint64_t n,
                 sim_access_cost *cost) {
    const copy *c = i->aux;
    if (c->bar.base == SIM_NO_SLOT) return true;
    cost->distinct |= sim_mbarrier_bit(sim_shared_offset(bar));
    return sim_mbarrier_complete(w, i, c->barrier, l, bar, (uint32_t)n);
}

/* Finds the destinations of lane l's load: one, or one in each block that .multicast::cluster names
 * (PTX ISA 9.7.9.25.4.1: the same offset in each, for the mbarrier, too). Returns how many. */
enum { RANKS = 16 };
static unsigned targets(sim_warp *w, const copy *c, unsigned l, uint32_t to[RANKS],
                        uint32_t bar[RANKS]) {
    uint32_t at = near_at(w, &c->to, l), b = near_at(w, &c->bar, l);
    unsigned n = 0;
    if (c->ranks == SIM_NO_SLOT) {
        to[0] = at, bar[0] = b;
        return 1;
    }
    uint32_t ranks = LANES(const uint32_t, c->ranks)[l] & 0xffff;
    for (uint32_t m = ranks; m; m &= m - 1, n++) {
        uint32_t tag = (uint32_t)__builtin_ctz(m) << SIM_RANK_SHIFT;
        to[n] = sim_shared_offset(at) | tag;
        bar[n] = sim_shared_offset(b) | tag;
    }
    return n;
}

/* ---- ranges ---- */

enum { UNIT = 16 }; /* addresses and sizes of ranges are multiples of this */

static bool load_range(sim_warp *w, const sim_insn *i, unsigned l, uint32_t n,
                       sim_access_cost *cost) {
    const copy *c = i->aux;
    uint32_t at[RANKS], bar[RANKS];
    unsigned count = targets(w, c, l, at, bar);
    if (!count || !n) return true;
    const uint8_t *from =
        sim_bulk_global(w->access, c->global, l, far_at(w, &c->from, l), n, UNIT, cost);
    if (!from) return sim_memory_fault(w), false;
    for (unsigned k = 0; k < count; k++) {
        uint8_t *to = sim_bulk_shared(w->access, c->write, l, at[k], n, UNIT);
        if (!to) return sim_memory_fault(w), false;
        memcpy(to, from, n);
        fly(w, c, l, at[k], bar[k], n);
        if (!told(w, i, l, bar[k], n, cost)) return false;
    }
    return true;
}

static bool copy_range(sim_warp *w, const sim_insn *i, unsigned l, sim_access_cost *cost) {
    const copy *c = i->aux;
    uint32_t n = LANES(const uint32_t, c->size)[l];
    if (n % UNIT) return bulk_wrong(w, i, l, w_finding_bulk_size(n));
    if (c->near && !w->block->run->cluster_explicit)
        return bulk_illegal(w, i, l, w_finding_bulk_shared());
    charge(w, n, 1);
    if (c->load) return load_range(w, i, l, n, cost);
    if (!n) return true;
    uint32_t shared = near_at(w, &c->from, l), bar = 0;
    uint8_t *to, *from = sim_bulk_shared(w->access, c->read, l, shared, n, UNIT);
    if (c->near) shared = near_at(w, &c->to, l), bar = near_at(w, &c->bar, l);
    to = !from     ? NULL
         : c->near ? sim_bulk_shared(w->access, c->write, l, shared, n, UNIT)
                   : sim_bulk_global(w->access, c->global, l, far_at(w, &c->to, l), n, UNIT, cost);
    if (!to) return sim_memory_fault(w), false;
    /* as on an H100 */
    if (c->reduce)
        reduce(w->worker, c->op, (ptx_type)c->type, false, to, from, n,
               !c->near && !w->block->run->plain_atomics);
    else memmove(to, from, n);
    fly(w, c, l, shared, bar, n);
    return told(w, i, l, bar, n, cost);
}

static void exec_copy(sim_warp *w, const sim_insn *i) {
    sim_access_cost cost = sim_bulk_begin(w->access, (unsigned)__builtin_popcount(w->mask));
    for (uint32_t m = w->mask; m; m &= m - 1)
        if (!copy_range(w, i, (unsigned)__builtin_ctz(m), &cost)) return;
    sim_bulk_end(w->access, &cost);
}

/* ---- tensors ---- */

enum { ROW_MOST = 256 * 32 };

/* Returns the type of a reduction of the tensor's elements; PTX_NONE: none exists (measured on an
 * H100, for each type and operation). */
static ptx_type reduced_type(unsigned op, const sim_tensor_map *t) {
    static const uint8_t types[] = {PTX_NONE, PTX_NONE, PTX_U32, PTX_S32, PTX_U64,
                                    PTX_S64,  PTX_F16,  PTX_F32, PTX_F64, PTX_BF16,
                                    PTX_F32,  PTX_F32,  PTX_F32};
    ptx_type type = t->type < sizeof types ? (ptx_type)types[t->type] : PTX_NONE;
    bool half = type == PTX_F16 || type == PTX_BF16,
         whole = type == PTX_U32 || type == PTX_S32 || type == PTX_U64;
    switch (op) {
    case PTX_ATOM_add: return type == PTX_S64 ? PTX_NONE : type;
    case PTX_ATOM_min:
    case PTX_ATOM_max: return whole || half || type == PTX_S64 ? type : PTX_NONE;
    case PTX_ATOM_inc:
    case PTX_ATOM_dec: return type == PTX_U32 ? type : PTX_NONE;
    default: return whole ? type : PTX_NONE;
    }
}

/* Copies a row between `row` and its 16-byte parts in shared memory, which a swizzle may have
 * separated. */
static void row_pieces(uint8_t *shared, uint32_t base, uint32_t at, uint8_t *row, uint32_t n,
                       unsigned swizzle, bool in) {
    enum { PIECE = 16 };
    for (uint32_t k = 0; k < n; k += PIECE) {
        uint8_t *piece = shared + (sim_tensor_swizzle(swizzle, base + at + k) - base);
        memcpy(in ? piece : row + k, in ? row + k : piece, PIECE);
    }
}

/* Loads a row of which `count` elements, from `first` on, are at `far`. */
static void load_row(const sim_tensor_map *t, const sim_tensor_box *b, uint8_t *row,
                     const uint8_t *far, uint32_t first, uint32_t count) {
    uint64_t v = sim_tensor_fill(t), n = (uint64_t)count * b->element,
             skip = (uint64_t)first * b->element;
    for (uint32_t k = 0; k < b->row && count < b->count[0]; k += sizeof v)
        memcpy(row + k, &v, sizeof v);
    if (!n) return;
    memcpy(row + skip, far, n);
    sim_tensor_round(t, row + skip, n);
}

/* Returns how many whole rows of an interleaved tensor come directly after row r, which begins at
 * `a`, in global memory. The hardware fetches such slices together, and a sector that two of them
 * share once. */
static uint64_t followers(const sim_tensor_map *t, const sim_tensor_box *b, uint64_t r,
                          const int32_t at[SIM_TENSOR_DIMS],
                          const uint32_t filter[SIM_TENSOR_DIMS - 2], sim_addr a) {
    uint32_t first, count;
    uint64_t n = 0;
    while (t->interleave && r + n + 1 < b->rows) {
        sim_addr next = sim_tensor_row(t, b, r + n + 1, at, filter, &first, &count);
        if (count < b->count[0] || next != a + (n + 1) * b->row) break;
        n++;
    }
    return n;
}

/* Copies the box at coordinates `at`. Its bytes in shared memory begin at address `base`, on the
 * host at each of n places. */
static bool copy_rows(sim_warp *w, const copy *c, unsigned l, const sim_tensor_map *t,
                      const sim_tensor_box *b, const int32_t at[SIM_TENSOR_DIMS],
                      const uint32_t filter[SIM_TENSOR_DIMS - 2], uint8_t *const shared[],
                      unsigned n, uint32_t base, sim_access_cost *cost) {
    ptx_type type = c->reduce ? reduced_type(c->op, t) : PTX_NONE;
    uint8_t row[ROW_MOST], *far = NULL;
    for (uint64_t r = 0, left = 0; r < b->rows; r++) {
        uint32_t first, count;
        sim_addr a = sim_tensor_row(t, b, r, at, filter, &first, &count);
        uint64_t bytes = (uint64_t)count * b->element, skip = (uint64_t)first * b->element;
        /* A row that ends within 16 bytes is stored up to their end (measured on an H100). */
        if (!c->load) bytes = (bytes + UNIT - 1) / UNIT * UNIT;
        if (left) left--, far += bytes;
        else if (count) {
            left = count == b->count[0] ? followers(t, b, r, at, filter, a) : 0;
            far = sim_bulk_global(w->access, c->global, l, a, bytes * (left + 1), 1, cost);
            if (!far) return sim_memory_fault(w), false;
        }
        uint32_t to = (uint32_t)(r * b->pitch);
        if (c->load) {
            load_row(t, b, row, far, first, count);
            for (unsigned k = 0; k < n; k++)
                row_pieces(shared[k], base, to, row, b->row, t->swizzle, true);
        } else if (count) {
            row_pieces(shared[0], base, to, row, b->row, t->swizzle, false);
            if (c->reduce)
                reduce(w->worker, c->op, type, sim_tensor_flushes(t), far, row + skip, bytes,
                       !w->block->run->plain_atomics);
            else memcpy(far, row + skip, bytes);
        }
    }
    return true;
}

/* Reads and checks the map of lane l. Returns false if the warp has failed. */
static bool map_of(sim_warp *w, const sim_insn *i, unsigned l, sim_tensor_map *t) {
    const copy *c = i->aux;
    const uint8_t *bytes = sim_bulk_object(w->access, c->global, l, far_at(w, &c->map, l),
                                           SIM_TENSOR_MAP_BYTES, SIM_TENSOR_MAP_ALIGN);
    if (!bytes) return sim_memory_fault(w), false;
    lib_message msg;
    if (!sim_tensor_map_unpack(t, bytes, &msg)) {
        if (!lib_message_any(&msg)) return bulk_wrong(w, i, l, w_finding_map_none());
        return fails(w, i, l, sim_tensor_map_has_box(t) ? SIM_TRAP : SIM_ILLEGAL_INSTRUCTION,
                     w_finding_map_changed(&msg));
    }
    if (t->rank != c->dims) return bulk_wrong(w, i, l, w_finding_map_dimensions(c->dims, t->rank));
    if (t->im2col != c->im2col)
        return bulk_wrong(
            w, i, l,
            w_finding_map_mode(t->im2col ? "cuTensorMapEncodeIm2col" : "cuTensorMapEncodeTiled"));
    if (c->reduce && reduced_type(c->op, t) == PTX_NONE)
        return bulk_illegal(w, i, l, w_finding_map_reduction());
    return true;
}

/* Checks a store or reduction as an H100 does (measured). Loads may begin before the tensor, and
 * leave it by the corners of an im2col map. */
static bool stores(sim_warp *w, const sim_insn *i, unsigned l, const sim_tensor_map *t,
                   const int32_t at[SIM_TENSOR_DIMS]) {
    for (unsigned k = 0; k < t->rank; k++)
        if (at[k] < 0) return bulk_illegal(w, i, l, w_finding_map_negative(at[k], k));
    for (unsigned k = 0; t->im2col && k + 2 < t->rank; k++)
        if (t->lower[k] < 0 || t->upper[k] > 0)
            return bulk_illegal(
                w, i, l,
                w_finding_map_corners(k + sim_tensor_spatial(t), t->lower[k], t->upper[k]));
    return true;
}

/* Notes that the box at address `to` of shared memory is in flight: all its bytes together, or, for
 * rows with gaps, the 16-byte parts of each row in its span. Returns its place; NULL: a fault. */
static uint8_t *reach(sim_warp *w, const copy *c, unsigned l, const sim_tensor_map *t,
                      const sim_tensor_box *b, uint32_t to, uint32_t bar) {
    enum { ALIGN = 128 };
    const sim_site *s = c->load ? c->write : c->read;
    bool apart = b->pitch > b->row;
    uint8_t *host = sim_bulk_shared(w->access, s, l, to, apart ? 0 : b->bytes, ALIGN);
    if (host && !apart) fly(w, c, l, to, bar, b->bytes);
    for (uint64_t r = 0; host && apart && r < b->rows; r++) {
        uint32_t base = to + (uint32_t)(r * b->pitch), pieces = 0;
        for (uint32_t k = 0; k < b->row; k += UNIT)
            pieces |= 1u << (sim_tensor_swizzle(t->swizzle, base + k) - base) / UNIT;
        for (unsigned from = 0, n; pieces >> from && host; from += n) {
            from += (unsigned)__builtin_ctz(pieces >> from);
            n = (unsigned)__builtin_ctz(~(pieces >> from));
            if (sim_bulk_shared(w->access, s, l, base + from * UNIT, n * UNIT, UNIT))
                fly(w, c, l, base + from * UNIT, bar, n * UNIT);
            else host = NULL;
        }
    }
    return host;
}

static bool copy_box(sim_warp *w, const sim_insn *i, unsigned l, sim_access_cost *cost) {
    const copy *c = i->aux;
    sim_tensor_map t;
    int32_t at[SIM_TENSOR_DIMS] = {0};
    uint32_t filter[SIM_TENSOR_DIMS - 2] = {0};
    bool prefetch = (c->load ? &c->to : &c->from)->base == SIM_NO_SLOT;
    if (!map_of(w, i, l, &t)) return false;
    sim_tensor_box b = sim_tensor_box_of(&t);
    for (unsigned k = 0; k < c->dims; k++) at[k] = LANES(const int32_t, c->at[k])[l];
    for (unsigned k = 0; k + 2u < c->dims && c->im2col; k++)
        if (c->off[k] != SIM_NO_SLOT) filter[k] = LANES(const uint32_t, c->off[k])[l] & 0xffff;
    if ((int64_t)at[0] * b.element % UNIT)
        return bulk_illegal(w, i, l, w_finding_map_innermost(at[0], b.element));
    if (!c->load && !prefetch && !stores(w, i, l, &t, at)) return false;
    lib_word_id why = sim_tensor_begins(&t, at, filter);
    if (why)
        return fails(w, i, l, c->load || prefetch ? SIM_TRAP : SIM_ILLEGAL_INSTRUCTION,
                     lib_words_of(why));
    const bulk_place *p = c->load ? &c->to : &c->from;
    if (prefetch) return true;
    uint32_t to[RANKS], bar[RANKS] = {0};
    unsigned count = 1;
    if (c->load) count = targets(w, c, l, to, bar);
    else to[0] = near_at(w, p, l);
    if (!count) return true;
    uint8_t *shared[RANKS];
    for (unsigned k = 0; k < count; k++)
        if (!(shared[k] = reach(w, c, l, &t, &b, to[k], bar[k]))) return sim_memory_fault(w), false;
    charge(w, b.bytes, b.rows);
    if (!copy_rows(w, c, l, &t, &b, at, filter, shared, count, to[0], cost)) return false;
    for (unsigned k = 0; k < count; k++)
        if (!told(w, i, l, bar[k], b.bytes, cost)) return false;
    return true;
}

static void exec_tensor(sim_warp *w, const sim_insn *i) {
    sim_access_cost cost = sim_bulk_begin(w->access, (unsigned)__builtin_popcount(w->mask));
    for (uint32_t m = w->mask; m; m &= m - 1)
        if (!copy_box(w, i, (unsigned)__builtin_ctz(m), &cost)) return;
    sim_bulk_end(w->access, &cost);
}

/* ---- decoding ---- */

static bulk_place bulk_address(sim_decoder *d, const ptx_opnd *o, unsigned space) {
    bulk_place p;
    sim_address(d, o, space, &p.base, &p.by);
    return p;
}

static const sim_site *bulk_site(sim_decoder *d, unsigned space, sim_access_kind kind,
                                 const copy *c) {
    sim_site *s = sim_site_add(d, space, kind, 4, 1, 4);
    if (!s) return NULL;
    s->flags |= SIM_SITE_BULK;
    if (kind == SIM_ACCESS_ATOM) s->changes = sim_atom_changes(c->op, (ptx_type)c->type);
    sim_site_done(d, s);
    return s;
}

/* Returns which part of the forms is unsupported, in a word; NULL: none. */
static const char *not_done(const ptx_insn *p) {
    unsigned mode = p->field[PTX_FIELD_TILE];
    if (p->flags >> PTX_F_cp_mask & 1) return ".cp_mask";
    if (p->field[PTX_FIELD_GROUP]) return ".cta_group";
    bool loads = p->op == PTX_OP_cp_async_bulk_prefetch_tensor || p->space == PTX_SPACE_SHARED;
    if (mode == (loads ? PTX_TILE_im2col : PTX_TILE_im2col_no_offs)) return NULL;
    if (mode && mode != PTX_TILE_tile) return ptx_mod_text(PTX_FIELD_TILE, mode);
    return NULL;
}

static bool bulk_allowed(sim_decoder *d) {
    const char *what = not_done(d->insn);
    if (d->image->module->target < 90)
        sim_decode_fail(d, "%s needs .target sm_90 or higher", ptx_op_get(d->insn->op)->mnemonic);
    else if (what)
        sim_decode_fail(d, "the simulated device does not execute %s with .%s yet",
                        ptx_op_get(d->insn->op)->mnemonic, what + (*what == '.'));
    return !d->failed;
}

static void sites_of(sim_decoder *d, copy *c) {
    bool global = !c->near;
    sim_access_kind to = c->reduce ? SIM_ACCESS_ATOM : SIM_ACCESS_STORE;
    if (global) c->global = bulk_site(d, PTX_SPACE_GLOBAL, c->load ? SIM_ACCESS_LOAD : to, c);
    if (!c->load) c->read = bulk_site(d, PTX_SPACE_SHARED, SIM_ACCESS_LOAD, c);
    if (c->load || c->near)
        c->write = bulk_site(d, PTX_SPACE_SHARED, c->load ? SIM_ACCESS_STORE : to, c);
    if (c->bar.base != SIM_NO_SLOT) c->barrier = sim_mbarrier_site(d);
}

static void emit_copy(sim_decoder *d, copy *c, sim_exec_fn *exec) {
    sim_insn *i = sim_emit(d, exec, exec);
    i->aux = c;
    i->site = c->global;
}

/* Returns the blocks that .multicast::cluster names: the operand after the others. */
static sim_opnd ranks_of(sim_decoder *d, unsigned at) {
    const ptx_insn *p = d->insn;
    if (!(p->flags >> PTX_F_multicast_cluster & 1) || at >= p->nopnds) return SIM_NO_SLOT;
    return sim_source(d, &p->opnd[at], SIM_SLOT_32, PTX_U16);
}

/* [to], [from], size{, [bar]{, ranks}} */
void sim_decode_bulk(sim_decoder *d) {
    const ptx_insn *p = d->insn;
    copy *c = bulk_allowed(d) ? sim_decode_alloc(d, sizeof *c) : NULL;
    if (!c) return;
    c->load = p->space == PTX_SPACE_SHARED && p->space2 == PTX_SPACE_GLOBAL;
    c->near = p->space == PTX_SPACE_SHARED && p->space2 == PTX_SPACE_SHARED;
    c->reduce = p->op == PTX_OP_cp_reduce_async_bulk;
    c->op = p->field[PTX_FIELD_ATOM], c->type = p->ntypes ? p->type[0] : PTX_NONE;
    c->to = bulk_address(d, &p->opnd[0], p->space);
    c->from = bulk_address(d, &p->opnd[1], p->space2);
    c->size = sim_source(d, &p->opnd[2], SIM_SLOT_32, PTX_U32);
    c->bar.base = SIM_NO_SLOT;
    if (p->flags >> PTX_F_mbarrier_complete_tx & 1)
        c->bar = bulk_address(d, &p->opnd[3], PTX_SPACE_SHARED);
    c->ranks = ranks_of(d, 4);
    sites_of(d, c);
    emit_copy(d, c, exec_copy);
}

/* [to], [map, {at}], [bar]{, {offsets}}{, ranks}; or [map, {at}], [from]; or, for a prefetch, [map,
 * {at}] */
void sim_decode_bulk_tensor(sim_decoder *d) {
    const ptx_insn *p = d->insn;
    copy *c = bulk_allowed(d) ? sim_decode_alloc(d, sizeof *c) : NULL;
    if (!c) return;
    bool fetch = p->op == PTX_OP_cp_async_bulk_prefetch_tensor;
    c->load = fetch || p->space == PTX_SPACE_SHARED;
    c->reduce = p->op == PTX_OP_cp_reduce_async_bulk_tensor;
    c->op = p->field[PTX_FIELD_ATOM];
    unsigned k = c->load && !fetch; /* index of the map */
    const ptx_opnd *coords = &p->opnd[k + 1];
    c->to.base = c->from.base = c->bar.base = SIM_NO_SLOT;
    c->im2col = p->field[PTX_FIELD_TILE] == PTX_TILE_im2col ||
                p->field[PTX_FIELD_TILE] == PTX_TILE_im2col_no_offs;
    unsigned offsets = fetch ? 2 : 4; /* index of the offsets */
    bool filter = c->load && c->im2col;
    if (filter && (p->nopnds <= offsets || p->opnd[offsets].kind != PTX_OPND_VEC)) {
        sim_decode_fail(d, "a copy with .im2col needs {offsets}");
        return;
    }
    for (unsigned x = 0; x < SIM_TENSOR_DIMS - 2; x++)
        c->off[x] = filter && x < p->opnd[offsets].count
                        ? sim_source(d, &p->opnd[offsets].elem[x], SIM_SLOT_32, PTX_U16)
                        : SIM_NO_SLOT;
    c->ranks = ranks_of(d, filter ? 5 : 4);
    c->map = bulk_address(d, &p->opnd[k], PTX_SPACE_GENERIC);
    c->dims = coords->count;
    for (unsigned x = 0; x < c->dims && x < SIM_TENSOR_DIMS; x++)
        c->at[x] = sim_source(d, &coords->elem[x], SIM_SLOT_32, PTX_S32);
    if (c->load && !fetch) {
        c->to = bulk_address(d, &p->opnd[0], PTX_SPACE_SHARED);
        c->bar = bulk_address(d, &p->opnd[3], PTX_SPACE_SHARED);
    } else if (!fetch) c->from = bulk_address(d, &p->opnd[2], PTX_SPACE_SHARED);
    sites_of(d, c);
    emit_copy(d, c, exec_tensor);
}

/* ---- groups and proxies ---- */

static void exec_commit(sim_warp *w, const sim_insn *i) {
    (void)i;
    sim_bulk_commit(w->access, w->mask);
}
/* imm: how many groups may still be in flight */
static void exec_wait(sim_warp *w, const sim_insn *i) {
    sim_bulk_wait(w->access, w->mask, i->imm, i->ptx->flags >> PTX_F_read & 1);
}
void sim_decode_bulk_group(sim_decoder *d) {
    const ptx_insn *p = d->insn;
    bool wait = p->op == PTX_OP_cp_async_bulk_wait_group;
    if (!bulk_allowed(d)) return;
    sim_exec_fn *exec = wait ? exec_wait : exec_commit;
    sim_insn *i = sim_emit(d, exec, exec);
    if (wait) i->imm = (uint32_t)p->opnd[0].imm;
}

/* ---- st.async, red.async: one value a lane, reported to an mbarrier ---- */

typedef struct {
    bulk_place to, bar;
    sim_opnd value[4];
    uint8_t vec, bytes, op, type; /* op 0: a store */
    bool generic;                 /* both addresses have 64 bits */
    const sim_site *site, *barrier;
} post;

/* Finds the addresses in shared memory of the lanes' values and of their mbarriers. Returns false
 * if the warp has failed. */
static bool post_places(sim_warp *w, const sim_insn *i, const post *k, uint32_t at[SIM_WARP_LANES],
                        uint32_t bar[SIM_WARP_LANES]) {
    for (unsigned l = 0; l < SIM_WARP_LANES; l++) {
        if (!k->generic) {
            at[l] = near_at(w, &k->to, l), bar[l] = near_at(w, &k->bar, l);
        } else {
            uint64_t a = far_at(w, &k->to, l), b = far_at(w, &k->bar, l);
            bool seen = a - SIM_SHARED_WINDOW < SIM_WINDOW_BYTES,
                 heard = b - SIM_SHARED_WINDOW < SIM_WINDOW_BYTES;
            if (w->mask >> l & 1 && !(seen && heard))
                return bulk_wrong(w, i, l,
                                  seen ? w_finding_mbarrier_not_shared((long long)b)
                                       : w_finding_not_shared((long long)a));
            at[l] = (uint32_t)a, bar[l] = (uint32_t)b;
        }
        if (w->mask >> l & 1 && w->block->cluster &&
            sim_shared_rank(at[l]) != sim_shared_rank(bar[l]))
            return bulk_wrong(
                w, i, l,
                w_finding_mbarrier_other_block(sim_shared_rank(at[l]), sim_shared_rank(bar[l])));
    }
    return true;
}

/* The values that the lanes have written are visible to threads that have seen the end of the
 * mbarrier's phase. */
static void post_flights(sim_warp *w, const post *k, const uint32_t at[SIM_WARP_LANES],
                         const uint32_t bar[SIM_WARP_LANES]) {
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        if (sim_bulk_own(w->block->mem, at[l]) && sim_bulk_own(w->block->mem, bar[l]))
            sim_bulk_flight(w->access, k->site, l, sim_own_offset(w, at[l]),
                            (uint32_t)k->vec * k->bytes, sim_own_offset(w, bar[l]),
                            sim_mbarrier_parity(w, bar[l]));
    }
}

static void exec_post(sim_warp *w, const sim_insn *i) {
    const post *k = i->aux;
    uint32_t at[SIM_WARP_LANES], bar[SIM_WARP_LANES];
    void *ptr[SIM_WARP_LANES];
    if (!post_places(w, i, k, at, bar)) return;
    uint32_t got = k->site->ptr(w->access, k->site, at, w->mask, ptr);
    if (got == w->mask && !w->block->run->cluster_explicit) {
        bulk_illegal(w, i, (unsigned)__builtin_ctz(w->mask), w_finding_bulk_sends());
        return;
    }
    for (uint32_t m = got; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        for (unsigned v = 0; v < k->vec; v++) {
            const uint8_t *from = sim_slot(w, k->value[v]) + (k->bytes == 8 ? 8 : 4) * l;
            uint8_t *to = (uint8_t *)ptr[l] + v * k->bytes;
            if (k->op) sim_atom_reduce(k->op, (ptx_type)k->type, false, to, from, false);
            else memcpy(to, from, k->bytes);
        }
    }
    if (got != w->mask) {
        sim_memory_fault(w);
        return;
    }
    post_flights(w, k, at, bar);
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        if (!sim_mbarrier_complete(w, i, k->barrier, l, bar[l], (uint32_t)k->vec * k->bytes))
            return;
    }
}

void sim_decode_post(sim_decoder *d) {
    const ptx_insn *p = d->insn;
    post *k = bulk_allowed(d) ? sim_decode_alloc(d, sizeof *k) : NULL;
    if (!k) return;
    k->bytes = (uint8_t)ptx_type_size(p->type[0]);
    k->type = p->type[0], k->op = p->field[PTX_FIELD_ATOM];
    k->vec = p->field[PTX_FIELD_VEC] ? p->field[PTX_FIELD_VEC] : 1;
    k->generic = p->space == PTX_SPACE_GENERIC;
    k->to = bulk_address(d, &p->opnd[0], p->space);
    k->bar = bulk_address(d, &p->opnd[2], p->space);
    unsigned slot = k->bytes == 8 ? SIM_SLOT_64 : SIM_SLOT_32;
    for (unsigned v = 0; v < k->vec; v++)
        k->value[v] = sim_source(d, k->vec > 1 ? &p->opnd[1].elem[v] : &p->opnd[1], slot,
                                 (ptx_type)p->type[0]);
    sim_site *s = sim_site_add(d, PTX_SPACE_SHARED, k->op ? SIM_ACCESS_ATOM : SIM_ACCESS_STORE,
                               k->bytes, k->vec, k->bytes == 8 ? 8 : 4);
    k->barrier = sim_mbarrier_site(d);
    if (!s || !k->barrier) return;
    if (k->generic) s->flags |= SIM_SITE_CLUSTER;
    sim_site_done(d, s);
    k->site = s;
    sim_insn *i = sim_emit(d, exec_post, exec_post);
    i->aux = k;
    i->site = s;
}
