/* Tensor maps that kernels change: tensormap.replace (PTX ISA 9.7.9.28) and tensormap.cp_fenceproxy
 * (9.7.13.16).
 *
 *   each active lane: the 128 bytes at its address --sim_tensor_map_set()--> with another field
 *
 * A map that is changed field by field may make no sense in between. A copy that uses it checks it
 * as a whole (bulk.c). The ISA demands fences between the threads that change a map and the copies
 * that use it. They are not checked here: a copy is done at once, with the map as it is. */
#include <stdio.h>
#include "runner/device/sim/emit/emit.h"
#include "runner/device/sim/exec/lanes.h"
#include "runner/device/sim/machine/fault.h"
#include "runner/device/sim/memory/tensor_map.h"
#include "runner/device/sim/special/async.h"
#include "words/finding.h"

typedef struct {
    sim_opnd at, from; /* from: only for a copy */
    uint64_t by, from_by;
    sim_opnd value;
    unsigned space;
    sim_tensor_field field;
    uint8_t dim;
    bool wide; /* value has 64 bits */
    const sim_site *global, *shared;
} edit;

/* Returns the map of lane l at `at`, to be written or read; NULL: the warp has failed. */
static uint8_t *map_at(sim_warp *w, const sim_site *s, unsigned space, unsigned l, uint64_t at,
                       sim_access_cost *cost) {
    uint8_t *map = space == PTX_SPACE_SHARED
                       ? sim_bulk_shared(w->access, s, l, (uint32_t)at, SIM_TENSOR_MAP_BYTES,
                                         SIM_TENSOR_MAP_ALIGN)
                       : sim_bulk_global(w->access, s, l, at, SIM_TENSOR_MAP_BYTES,
                                         SIM_TENSOR_MAP_ALIGN, cost);
    if (!map) sim_memory_fault(w);
    return map;
}

static bool replace(sim_warp *w, const sim_insn *i, unsigned l, sim_access_cost *cost) {
    const edit *k = i->aux;
    unsigned space = k->space;
    uint64_t at = space == PTX_SPACE_SHARED
                      ? (uint32_t)(LANES(const uint32_t, k->at)[l] + (uint32_t)k->by)
                      : LANES(const uint64_t, k->at)[l] + k->by;
    if (space == PTX_SPACE_GENERIC)
        space = at - SIM_SHARED_WINDOW < SIM_WINDOW_BYTES ? PTX_SPACE_SHARED : PTX_SPACE_GLOBAL;
    uint8_t *map = map_at(w, space == PTX_SPACE_SHARED ? k->shared : k->global, space, l, at, cost);
    if (!map) return false;
    uint64_t value =
        k->wide ? LANES(const uint64_t, k->value)[l] : LANES(const uint32_t, k->value)[l];
    lib_word_id why = sim_tensor_map_set(map, k->field, k->dim, value);
    if (!why) return true;
    sim_fail_at(w, i->ptx, 1u << l, SIM_TRAP, SIM_FIND_TRAP, lib_words_of(why));
    return false;
}

static void exec_replace(sim_warp *w, const sim_insn *i) {
    sim_access_cost cost = sim_bulk_begin(w->access, (unsigned)__builtin_popcount(w->mask));
    for (uint32_t m = w->mask; m; m &= m - 1)
        if (!replace(w, i, (unsigned)__builtin_ctz(m), &cost)) return;
    sim_bulk_end(w->access, &cost);
}

/* The lanes copy one map together. */
static void exec_copy(sim_warp *w, const sim_insn *i) {
    const edit *k = i->aux;
    unsigned l = (unsigned)__builtin_ctz(w->mask);
    const uint64_t *to = LANES(const uint64_t, k->at);
    const uint32_t *from = LANES(const uint32_t, k->from);
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned x = (unsigned)__builtin_ctz(m);
        if (to[x] == to[l] && from[x] == from[l]) continue;
        sim_fail_at(w, i->ptx, 1u << x, SIM_TRAP, SIM_FIND_TRAP, w_finding_edit_apart());
        return;
    }
    sim_access_cost cost = sim_bulk_begin(w->access, 1);
    const uint8_t *map = map_at(w, k->shared, PTX_SPACE_SHARED, l,
                                (uint32_t)(from[l] + (uint32_t)k->from_by), &cost);
    uint8_t *there = map ? map_at(w, k->global, PTX_SPACE_GLOBAL, l, to[l] + k->by, &cost) : NULL;
    if (!there) return;
    memcpy(there, map, SIM_TENSOR_MAP_BYTES);
    sim_bulk_end(w->access, &cost);
}

/* ---- decoding ---- */

static bool for_this_target(sim_decoder *d) {
    const ptx_module *m = d->image->module;
    if (m->target >= 90 && m->target_alone) return true;
    if (d->insn->op == PTX_OP_tensormap_cp_fenceproxy && m->target >= 90) return true;
    sim_decode_fail(d, "%s needs .target sm_90a", ptx_op_get(d->insn->op)->mnemonic);
    return false;
}

static const sim_site *map_site(sim_decoder *d, unsigned space, sim_access_kind kind) {
    sim_site *s = sim_site_add(d, space, kind, 8, 1, 8);
    if (!s) return NULL;
    /* one lane accesses all of a map, so its words are not those of the warp's lanes */
    if (space == PTX_SPACE_GLOBAL) s->flags |= SIM_SITE_BULK | SIM_SITE_AT_ONCE;
    sim_site_done(d, s);
    return s;
}

/* Checks a number in a field that lists its values (Table 33). Returns false for unsupported
 * values. */
static bool listed(sim_decoder *d, edit *k, uint64_t v) {
    /* by .elemtype; CUtensorMapDataType has other numbers */
    static const uint8_t types[] = {0, 1, 2, 3, 4, 5, 6, 7, 10, 8, 9, 11, 12};
    bool there = true;
    switch (d->insn->field[PTX_FIELD_TMAP]) {
    case PTX_TMAP_elemtype:
        k->field = SIM_TENSOR_TYPE, there = v < sizeof types;
        if (there) v = types[v];
        break;
    case PTX_TMAP_interleave_layout: k->field = SIM_TENSOR_INTERLEAVE, there = v < 3; break;
    case PTX_TMAP_swizzle_mode: k->field = SIM_TENSOR_SWIZZLE, there = v < 4; break;
    case PTX_TMAP_fill_mode: k->field = SIM_TENSOR_FILL, there = v < 2; break;
    default:
        sim_decode_fail(d, "tensormap.replace.swizzle_atomicity needs .target sm_100a");
        return false;
    }
    k->value = sim_const(d, SIM_SLOT_32, v);
    if (!there)
        sim_decode_fail(d, "tensormap.replace: %s has no value %llu on sm_90a",
                        ptx_mod_text(PTX_FIELD_TMAP, d->insn->field[PTX_FIELD_TMAP]),
                        (unsigned long long)d->insn->opnd[1].imm);
    return !d->failed;
}

static bool what_changes(sim_decoder *d, edit *k) {
    const ptx_insn *p = d->insn;
    unsigned value = 1;
    switch (p->field[PTX_FIELD_TMAP]) {
    case PTX_TMAP_global_address: k->field = SIM_TENSOR_BASE, k->wide = true; break;
    case PTX_TMAP_rank: k->field = SIM_TENSOR_RANK; break;
    case PTX_TMAP_box_dim: k->field = SIM_TENSOR_BOX, value = 2; break;
    case PTX_TMAP_global_dim: k->field = SIM_TENSOR_DIM, value = 2; break;
    case PTX_TMAP_element_stride: k->field = SIM_TENSOR_STEP, value = 2; break;
    case PTX_TMAP_global_stride: k->field = SIM_TENSOR_STRIDE, k->wide = true, value = 2; break;
    default: return listed(d, k, p->opnd[1].imm);
    }
    if (value == 2) k->dim = (uint8_t)p->opnd[1].imm;
    /* the assembler accepts it */
    if (k->field == SIM_TENSOR_STRIDE && k->dim == SIM_TENSOR_DIMS - 1)
        sim_decode_fail(d, "tensormap.replace: the ordinal of a stride is less than %d",
                        SIM_TENSOR_DIMS - 1);
    k->value = sim_source(d, &p->opnd[value], k->wide ? SIM_SLOT_64 : SIM_SLOT_32,
                          k->wide ? PTX_B64 : PTX_B32);
    return !d->failed;
}

void sim_decode_tensormap_replace(sim_decoder *d) {
    const ptx_insn *p = d->insn;
    edit *k = for_this_target(d) ? sim_decode_alloc(d, sizeof *k) : NULL;
    if (!k || !what_changes(d, k)) return;
    k->space = p->space;
    sim_address(d, &p->opnd[0], p->space, &k->at, &k->by);
    if (p->space != PTX_SPACE_SHARED) k->global = map_site(d, PTX_SPACE_GLOBAL, SIM_ACCESS_STORE);
    if (p->space != PTX_SPACE_GLOBAL) k->shared = map_site(d, PTX_SPACE_SHARED, SIM_ACCESS_STORE);
    if (d->failed) return;
    sim_insn *i = sim_emit(d, exec_replace, exec_replace);
    i->aux = k;
    i->site = k->global ? k->global : k->shared;
}

void sim_decode_tensormap_copy(sim_decoder *d) {
    const ptx_insn *p = d->insn;
    edit *k = for_this_target(d) ? sim_decode_alloc(d, sizeof *k) : NULL;
    if (!k) return;
    sim_address(d, &p->opnd[0], PTX_SPACE_GLOBAL, &k->at, &k->by);
    sim_address(d, &p->opnd[1], PTX_SPACE_SHARED, &k->from, &k->from_by);
    k->global = map_site(d, PTX_SPACE_GLOBAL, SIM_ACCESS_STORE);
    k->shared = map_site(d, PTX_SPACE_SHARED, SIM_ACCESS_LOAD);
    if (d->failed) return;
    sim_opnd all = sim_const(d, SIM_SLOT_32, SIM_ALL_LANES);
    sim_insn *i = sim_emit(d, exec_copy, exec_copy);
    i->e = all;
    i->aux = k;
    i->site = k->global;
}
