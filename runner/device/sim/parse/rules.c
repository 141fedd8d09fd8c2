/* Further rules for an instruction that fits its row in ops.def: about two of its words, a
 * constant's value, the space of a variable, the module's target. Each comes from the PTX ISA (9.7,
 * under the instruction), as the vendor's assembler enforces it. */
#include "runner/device/sim/parse/rules.h"
#include <stdio.h>
#include <string.h>
#include "runner/device/sim/parse/decl.h"

/* ---- modifiers and results ---------------------------------------------------------------- */

/* Modifiers of which an instruction may have one. A cache policy has two priorities of its own. */
static void check_groups(ptx_parser *p, const ptx_insn *i, const ptx_token *at) {
#define F(flag) (UINT64_C(1) << PTX_F_##flag)
    static const struct {
        uint64_t flags;
        const char *what;
    } groups[] = {
        {F(L1_evict_normal) | F(L1_evict_unchanged) | F(L1_evict_first) | F(L1_evict_last) |
             F(L1_no_allocate),
         ".L1::evict_normal, .L1::evict_unchanged, .L1::evict_first, .L1::evict_last, "
         ".L1::no_allocate"},
        {F(L2_evict_normal) | F(L2_evict_first) | F(L2_evict_last),
         ".L2::evict_normal, .L2::evict_first, .L2::evict_last"},
        {F(L2_64B) | F(L2_128B) | F(L2_256B), ".L2::64B, .L2::128B, .L2::256B"},
    };
#undef F
    if (i->op == PTX_OP_createpolicy_fractional || i->op == PTX_OP_createpolicy_range) {
        if (__builtin_popcountll(i->flags) > 2)
            ptx_fail(p, at, "'%s' takes two priorities at most", ptx_op_get(i->op)->mnemonic);
        return;
    }
    for (size_t k = 0; k < sizeof groups / sizeof *groups; k++)
        if (__builtin_popcountll(i->flags & groups[k].flags) > 1)
            ptx_fail(p, at, "'%s' takes one of %s", ptx_op_get(i->op)->mnemonic, groups[k].what);
}

/* Says which results may be left out by writing _ (PTX ISA 6.1.3, and the vendor's assembler): only
 * one of a pair. */
static bool may_discard(const ptx_insn *i, const ptx_opnd *o, unsigned k) {
    bool pair = i->flags >> PTX_F_PAIR & 1;
    if (pair && o[1 - k].kind == PTX_OPND_SINK) return false;
    switch (i->op) {
    case PTX_OP_setp: return true;
    case PTX_OP_match: return pair;
    case PTX_OP_shfl: return k == 1;
    default: return k == 0 && ptx_op_is(i->op, PTX_IS_SPARES);
    }
}

static void check_discarded(ptx_parser *p, const ptx_insn *i, const ptx_opnd *o,
                            const ptx_token *opnd_at) {
    unsigned results = i->flags >> PTX_F_PAIR & 1 ? 2 : 1;
    for (unsigned k = 0; k < results && k < i->nopnds; k++)
        if (o[k].kind == PTX_OPND_SINK && !may_discard(i, o, k))
            ptx_fail(p, &opnd_at[k], "'%s' needs a register here: _ would leave out its result",
                     ptx_op_get(i->op)->mnemonic);
}

/* An arrival at another block's barrier returns nothing (PTX ISA 9.7.13.15.13). */
static void check_arrival(ptx_parser *p, const ptx_insn *i, const ptx_opnd *to,
                          const ptx_token *at) {
    if (ptx_op_is(i->op, PTX_IS_ARRIVES) && i->flags >> PTX_F_SHARED_CLUSTER & 1 &&
        to->kind != PTX_OPND_SINK)
        ptx_fail(p, at, "'%s' with .shared::cluster answers nothing: write _ as its destination",
                 ptx_op_get(i->op)->mnemonic);
}

/* The part of a register that a video instruction reads or writes (PTX ISA 9.7.18, 9.7.19): a byte
 * or a half. A SIMD instruction's sources are two registers together, with one part for each lane;
 * its destination has some lanes, the highest first. */
static bool video_part(uint16_t sel, unsigned lanes, bool destination) {
    unsigned n = PTX_SEL_COUNT(sel), half = PTX_SEL_IS_HALF(sel), most = half ? 1 : 3;
    if (lanes ? half != (lanes == 2) || (!destination && n != lanes) : n != 1) return false;
    for (unsigned k = 0; k < n; k++) {
        if (PTX_SEL_DIGIT(sel, k) > (lanes && !destination ? 2 * most + 1 : most)) return false;
        if (destination && k && PTX_SEL_DIGIT(sel, k) <= PTX_SEL_DIGIT(sel, k - 1)) return false;
    }
    return true;
}

static void check_video(ptx_parser *p, const ptx_insn *i, const ptx_opnd *o, const ptx_token *at,
                        const ptx_token *opnd_at) {
    const char *name = ptx_op_get(i->op)->mnemonic;
    unsigned lanes = ptx_video_lanes(i->op);
    bool merges = lanes || (i->op != PTX_OP_vmad && i->nopnds == 4 && !i->field[PTX_FIELD_ATOM]),
         product = o[1].negated || o[2].negated, sum = i->nopnds > 3 && o[3].negated;
    for (unsigned k = 0; k < i->nopnds; k++)
        if (o[k].sel && (k == 3 || (k == 0 && !merges) || !video_part(o[k].sel, lanes, k == 0)))
            ptx_fail(p, &opnd_at[k], "operand %u of '%s' cannot be this part of a register", k + 1,
                     name);
    if (product && sum)
        ptx_fail(p, at, "'%s' negates the product or what is added, not both", name);
    if ((product || sum) && i->flags >> PTX_F_po & 1)
        ptx_fail(p, at, "'%s.po' takes no negated operands", name);
}

/* ---- variables and fixed addresses -------------------------------------------------------- */
static const char *const space_text[] = {"generic", ".global", ".shared",
                                         ".local",  ".const",  ".param"};

bool ptx_check_fixed_address(const ptx_opnd *o, unsigned space, char *why, size_t n) {
    const ptx_var *v = o->var;
    if (!v) return true;
    if (v->type >= PTX_TEXREF && v->type <= PTX_SURFREF)
        return snprintf(why, n, "expected memory: '%.40s' is a %s", v->name,
                        ptx_type_text(v->type)),
               false;
    bool right = space != PTX_SPACE_GENERIC
                     ? v->space == space
                     : v->space != PTX_SPACE_CONST && v->space != PTX_SPACE_PARAM;
    if (!right)
        return snprintf(why, n, "expected %s memory, where '%.40s', in %s, is not",
                        space_text[space], v->name, space_text[v->space]),
               false;
    return true;
}

bool ptx_check_variable_source(const ptx_insn *i, const ptx_var *v, char *why, size_t n) {
    unsigned space = i->op == PTX_OP_cvta                                 ? i->space
                     : i->op == PTX_OP_mapa || i->op == PTX_OP_getctarank ? PTX_SPACE_SHARED
                                                                          : v->space;
    if (v->space != space)
        return snprintf(why, n, "expected an address in %s, where '%.40s', in %s, is not",
                        space_text[space], v->name, space_text[v->space]),
               false;
    if (i->op == PTX_OP_mov && v->space == PTX_SPACE_GLOBAL && ptx_type_size(i->type[0]) == 4)
        return snprintf(why, n, "expected 64 bits for the address of '%.40s'", v->name), false;
    return true;
}

/* The forms of .shared that an instruction takes, if not all three: as its first and as its second
 * space. */
enum {
    PLAIN = 1 << PTX_SHARED_PLAIN,
    CTA = 1 << PTX_SHARED_CTA,
    CLUSTER = 1 << PTX_SHARED_CLUSTER
};

static void check_shared(ptx_parser *p, const ptx_insn *i, const ptx_token *at) {
    static const struct {
        uint16_t from, to; /* rows of ops.def */
        uint8_t forms[2];
    } rows[] = {
        {PTX_OP_cp_async, PTX_OP_cp_async, {PLAIN | CTA}},
        {PTX_OP_cp_async_mbarrier_arrive, PTX_OP_cp_async_mbarrier_arrive, {PLAIN | CTA}},
        {PTX_OP_cp_async_bulk, PTX_OP_cp_async_bulk_tensor, {CTA | CLUSTER, CTA}},
        {PTX_OP_cp_reduce_async_bulk, PTX_OP_cp_reduce_async_bulk_tensor, {CLUSTER, CTA}},
        {PTX_OP_tensormap_replace, PTX_OP_tensormap_cp_fenceproxy, {CTA, CTA}},
        {PTX_OP_red_async, PTX_OP_red_async, {CLUSTER}},
        {PTX_OP_mapa, PTX_OP_getctarank, {CLUSTER}},
        {PTX_OP_fence_proxy, PTX_OP_fence_proxy, {CTA | CLUSTER}},
        {PTX_OP_mbarrier_init, PTX_OP_mbarrier_inval, {PLAIN | CTA}},
        {PTX_OP_mbarrier_test_wait, PTX_OP_mbarrier_pending_count, {PLAIN | CTA}},
        {PTX_OP_wmma_load_a, PTX_OP_wmma_store_d, {PLAIN | CTA}},
        {PTX_OP_ldmatrix, PTX_OP_stmatrix, {PLAIN | CTA}},
    };
    static const char *const text[] = {".shared", ".shared::cta", ".shared::cluster"};
    const unsigned spaces[2] = {i->space, i->space2};
    if (i->flags >> PTX_F_multicast_cluster & 1 && p->shared_form[0] != PTX_SHARED_CLUSTER)
        ptx_fail(p, at, "'%s' with .multicast::cluster needs .shared::cluster",
                 ptx_op_get(i->op)->mnemonic);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        for (unsigned s = 0; i->op >= rows[k].from && i->op <= rows[k].to && s < 2; s++)
            if (spaces[s] == PTX_SPACE_SHARED && rows[k].forms[s] &&
                !(rows[k].forms[s] >> p->shared_form[s] & 1))
                ptx_fail(p, at, "'%s' does not take %s here: write %s", ptx_op_get(i->op)->mnemonic,
                         text[p->shared_form[s]], text[__builtin_ctz(rows[k].forms[s])]);
}

/* ---- constants ---------------------------------------------------------------------------- */

/* Operand `opnd` of the row, if it is a constant: from least to most, a multiple of `unit`.
 * Constants that are only checked at launch (sizes of bulk copies) are not here. */
static void check_constants(ptx_parser *p, const ptx_insn *i, const ptx_opnd *o,
                            const ptx_token *opnd_at) {
    enum { THREADS = 0x7fffffe0 };
    static const struct {
        uint16_t from, to;    /* rows of ops.def */
        uint8_t opnd, nopnds; /* nopnds: only with this many operands; 0: any number */
        int64_t least, most;
        uint32_t unit;
    } rows[] = {
#define BARRIERS(sync, arrive, red)                                                                \
    {PTX_OP_##sync, PTX_OP_##arrive, 0, 0, 0, 15, 1},                                              \
        {PTX_OP_##red, PTX_OP_##red, 1, 0, 0, 15, 1},                                              \
        {PTX_OP_##sync, PTX_OP_##arrive, 1, 0, 0, THREADS, 32},                                    \
        {PTX_OP_##red, PTX_OP_##red, 2, 4, 0, THREADS, 32}
        BARRIERS(bar_sync, bar_arrive, bar_red),
        BARRIERS(bar_cta_sync, bar_cta_arrive, bar_cta_red),
        BARRIERS(barrier_sync, barrier_arrive, barrier_red),
        BARRIERS(barrier_cta_sync, barrier_cta_arrive, barrier_cta_red),
#undef BARRIERS
        {PTX_OP_applypriority, PTX_OP_discard, 1, 0, 128, 128, 1},
        {PTX_OP_pmevent, PTX_OP_pmevent, 0, 0, 0, 15, 1},
        {PTX_OP_pmevent_mask, PTX_OP_pmevent_mask, 0, 0, 0, 0xffff, 1},
        {PTX_OP_setmaxnreg_inc, PTX_OP_setmaxnreg_dec, 0, 0, 24, 256, 8},
        {PTX_OP_wgmma_wait_group, PTX_OP_wgmma_wait_group, 0, 0, 0, INT32_MAX, 1},
        {PTX_OP_mbarrier_arrive, PTX_OP_mbarrier_arrive, 2, 0, 1, INT32_MAX, 1},
        {PTX_OP_bfe, PTX_OP_bfe, 2, 0, 0, 255, 1},
        {PTX_OP_bfe, PTX_OP_bfe, 3, 0, 0, 255, 1},
        {PTX_OP_tensormap_cp_fenceproxy, PTX_OP_tensormap_cp_fenceproxy, 2, 0, 128, 128, 1},
        {PTX_OP_fence_proxy_tensormap, PTX_OP_fence_proxy_tensormap, 1, 0, 128, 128, 1},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        if (i->op < rows[k].from || i->op > rows[k].to || rows[k].opnd >= i->nopnds ||
            (rows[k].nopnds && rows[k].nopnds != i->nopnds))
            continue;
        const ptx_opnd *c = &o[rows[k].opnd];
        int64_t v = (int64_t)c->imm;
        if (c->kind != PTX_OPND_IMM ||
            (v >= rows[k].least && v <= rows[k].most && !(v % rows[k].unit)))
            continue;
        if (rows[k].unit > 1)
            ptx_fail(p, &opnd_at[rows[k].opnd], "operand %u of '%s' must be a multiple of %u",
                     rows[k].opnd + 1u, ptx_op_get(i->op)->mnemonic, rows[k].unit);
        ptx_fail(p, &opnd_at[rows[k].opnd], "operand %u of '%s' must be from %lld to %lld",
                 rows[k].opnd + 1u, ptx_op_get(i->op)->mnemonic, (long long)rows[k].least,
                 (long long)rows[k].most);
    }
}

/* Tensor maps (9.7.9.28, Tables 32 and 33): the dimension that changes, or the value of a field
 * that has listed values. */
static void check_tensormap(ptx_parser *p, const ptx_insn *i, const ptx_opnd *o,
                            const ptx_token *opnd_at) {
    static const uint8_t most[PTX_TMAP_COUNT] = {
        [PTX_TMAP_box_dim] = 4,        [PTX_TMAP_global_dim] = 4, [PTX_TMAP_global_stride] = 4,
        [PTX_TMAP_element_stride] = 4, [PTX_TMAP_elemtype] = 12,  [PTX_TMAP_interleave_layout] = 2,
        [PTX_TMAP_swizzle_mode] = 3,   [PTX_TMAP_fill_mode] = 1,  [PTX_TMAP_swizzle_atomicity] = 3};
    unsigned field = i->field[PTX_FIELD_TMAP], newest = p->module->target;
    unsigned limit = field == PTX_TMAP_elemtype && newest >= 100       ? 15
                     : field == PTX_TMAP_swizzle_mode && newest == 103 ? 4
                                                                       : most[field];
    if (o[1].kind == PTX_OPND_IMM && limit && o[1].imm > limit)
        ptx_fail(p, &opnd_at[1], "operand 2 of '%s.%s' must be from 0 to %u",
                 ptx_op_get(i->op)->mnemonic, ptx_mod_text(PTX_FIELD_TMAP, field), limit);
}

/* 9.7.9.25.3.1: 4, 8 or 16 bytes, 16 with .cg, and at most as many are read. */
static void check_copy(ptx_parser *p, const ptx_insn *i, const ptx_opnd *o,
                       const ptx_token *opnd_at) {
    uint64_t n = o[2].imm;
    if (i->field[PTX_FIELD_CACHE] == PTX_CACHE_cg && n != 16)
        ptx_fail(p, &opnd_at[2], "'cp.async.cg' copies 16 bytes");
    if (n != 4 && n != 8 && n != 16) ptx_fail(p, &opnd_at[2], "'cp.async' copies 4, 8 or 16 bytes");
    bool policy = i->nopnds == 4 && i->flags >> PTX_F_L2_cache_hint & 1;
    if (i->nopnds > 3 && !policy && o[3].kind == PTX_OPND_IMM && o[3].imm > n)
        ptx_fail(p, &opnd_at[3],
                 "operand 4 of 'cp.async' must be from 0 to %u, the bytes it copies", (unsigned)n);
}

/* 9.7.9.17: a power of two, up to 2^23. */
static void check_alloca(ptx_parser *p, const ptx_insn *i, const ptx_opnd *o,
                         const ptx_token *opnd_at) {
    if (i->nopnds > 2 && (!o[2].imm || o[2].imm & (o[2].imm - 1) || o[2].imm > 1u << 23))
        ptx_fail(p, &opnd_at[2], "an alignment of '%s' must be a power of two up to 8388608",
                 ptx_op_get(i->op)->mnemonic);
}

/* 9.7.9.18: the part with the first priority is at most the whole. */
static void check_range(ptx_parser *p, const ptx_insn *i, const ptx_opnd *o,
                        const ptx_token *opnd_at) {
    if (o[2].kind == PTX_OPND_IMM && o[3].kind == PTX_OPND_IMM &&
        (uint32_t)o[2].imm > (uint32_t)o[3].imm)
        ptx_fail(p, &opnd_at[2], "operand 3 of '%s' must be at most operand 4",
                 ptx_op_get(i->op)->mnemonic);
}

/* 9.7.9.18: a fraction of the accesses, above 0. */
static void check_fraction(ptx_parser *p, const ptx_insn *i, const ptx_opnd *o,
                           const ptx_token *opnd_at) {
    if (i->nopnds < 2 || o[1].kind != PTX_OPND_IMM) return;
    uint32_t bits =
        (uint32_t)ptx_float_bits((ptx_const){.bits = o[1].imm, .is_float = o[1].is_float}, PTX_F32);
    float f;
    memcpy(&f, &bits, sizeof f);
    if (!(f > 0 && f <= 1)) ptx_fail(p, &opnd_at[1], "a fraction must be above 0 and at most 1");
}

/* ---- obsolete forms ---- */

/* Forms of instructions that later versions and targets do not accept ("PTX ISA Notes" of each;
 * mad: 9.7.3.7, where the errata say since when the assembler enforces it). ops.def has the forms
 * that were introduced later. */
static void check_age(ptx_parser *p, const ptx_insn *i, const ptx_opnd *o, const ptx_token *at) {
#define WITHOUT(flag) (i->flags >> PTX_F_##flag & 1 ? 0 : 1)
    const ptx_module *m = p->module;
    const char *name = ptx_op_get(i->op)->mnemonic;
    unsigned version = m->version_major * 100 + m->version_minor;
    if ((i->op == PTX_OP_vote || i->op == PTX_OP_shfl) && WITHOUT(sync) && m->target >= 70 &&
        version >= 604)
        ptx_fail(p, at, "'%s' needs .sync on sm_70 and later", name);
    if (i->op >= PTX_OP_wmma_load_a && i->op <= PTX_OP_wmma_mma && WITHOUT(aligned) &&
        version >= 603)
        ptx_fail(p, at, "'%s' needs .aligned from .version 6.3 on", name);
    if (i->op == PTX_OP_wmma_mma && !WITHOUT(satfinite) && i->type[0] != PTX_S32 && version >= 605)
        ptx_fail(p, at, "'%s' of floats takes no .satfinite from .version 6.5 on", name);
    if (i->op == PTX_OP_mad && i->type[0] == PTX_F32 && !i->field[PTX_FIELD_ROUND] &&
        m->target >= 20 && version >= 302)
        ptx_fail(p, at, "'%s.f32' needs a rounding mode", name);
    for (unsigned k = 0; i->klass == PTX_CLASS_TEX && version < 301 && k < i->nopnds; k++)
        if (o[k].kind == PTX_OPND_ADDR && o[k].reg >= 0)
            ptx_fail(p, at, "'%s' of a handle in a register needs .version 3.1", name);
    if (i->op == PTX_OP_cvta && ptx_type_size(i->type[0]) == 4 && m->target >= 90)
        ptx_fail(p, at, "'%s' has 64-bit addresses alone on sm_90 and later", name);
#undef WITHOUT
}

void ptx_check_rules(ptx_parser *p, const ptx_insn *i, const ptx_opnd *o, const ptx_token *at,
                     const ptx_token *opnd_at) {
    check_groups(p, i, at);
    check_arrival(p, i, o, at);
    check_discarded(p, i, o, opnd_at);
    check_shared(p, i, at);
    check_constants(p, i, o, opnd_at);
    check_age(p, i, o, at);
    if (i->op == PTX_OP_createpolicy_fractional) check_fraction(p, i, o, opnd_at);
    if (i->op == PTX_OP_createpolicy_range) check_range(p, i, o, opnd_at);
    if (i->op == PTX_OP_cp_async) check_copy(p, i, o, opnd_at);
    if (i->op == PTX_OP_alloca) check_alloca(p, i, o, opnd_at);
    if (i->op == PTX_OP_tensormap_replace) check_tensormap(p, i, o, opnd_at);
    if (i->op == PTX_OP_prefetchu && o[0].var && o[0].var->space != PTX_SPACE_GLOBAL)
        ptx_fail(p, &opnd_at[0],
                 "'prefetchu' takes generic addresses and those of .global variables");
    if (i->klass == PTX_CLASS_VIDEO) check_video(p, i, o, at, opnd_at);
}
