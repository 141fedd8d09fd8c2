/* Writes an instruction as PTX text again, for messages, per-line reports and the round-trip test.
 * The text parses to the same instruction, given the same declarations. Dotted words come in the
 * order of the ISA's syntax; the parser accepts any order. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "runner/device/sim/ptx/ptx.h"

typedef struct {
    char *buf;
    size_t n, len; /* n: room; len: the length of the whole text */
} disasm_text;

__attribute__((format(printf, 2, 3))) static void put_text(disasm_text *t, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    int k = vsnprintf(t->len < t->n ? t->buf + t->len : NULL, t->len < t->n ? t->n - t->len : 0,
                      fmt, ap);
    va_end(ap);
    if (k > 0) t->len += (size_t)k;
}

static void put_register(disasm_text *t, const ptx_func *f, int32_t reg) {
    put_text(t, "%s", f->reg_name[reg]);
}

static void put_offset(disasm_text *t, int64_t offset) {
    if (offset > 0) put_text(t, "+%lld", (long long)offset);
    if (offset < 0) put_text(t, "+-%llu", 0 - (unsigned long long)offset); /* as nvcc writes it */
}

static void put_operand(disasm_text *t, const ptx_func *f, const ptx_insn *i, const ptx_opnd *o);

static void put_list(disasm_text *t, const ptx_func *f, const ptx_insn *i, const ptx_opnd *o,
                     const char *open, const char *close) {
    put_text(t, "%s", open);
    for (unsigned k = 0; k < o->count; k++) {
        if (k) put_text(t, ", ");
        put_operand(t, f, i, &o->elem[k]);
    }
    put_text(t, "%s", close);
}

static void put_address(disasm_text *t, const ptx_func *f, const ptx_opnd *o) {
    if (o->reg >= 0) put_register(t, f, o->reg);
    else if (o->var) put_text(t, "%s", o->var->name);
    else {
        put_text(t, "%lld", (long long)o->offset);
        return;
    }
    put_offset(t, o->offset);
}

static void put_operand(disasm_text *t, const ptx_func *f, const ptx_insn *i, const ptx_opnd *o) {
    if (o->negated) put_text(t, "%c", o->negated);
    switch (o->kind) {
    case PTX_OPND_REG:
        put_register(t, f, o->reg);
        if (o->sel) {
            put_text(t, ".%c", PTX_SEL_IS_HALF(o->sel) ? 'h' : 'b');
            for (unsigned k = PTX_SEL_COUNT(o->sel); k-- > 0;)
                put_text(t, "%u", (unsigned)PTX_SEL_DIGIT(o->sel, k));
        }
        break;
    case PTX_OPND_SINK: put_text(t, "_"); break;
    case PTX_OPND_IMM:
        if (o->is_float == 4) put_text(t, "0f%08X", (unsigned)o->imm);
        else if (o->is_float == 8) put_text(t, "0d%016llX", (unsigned long long)o->imm);
        else if ((int64_t)o->imm == INT64_MIN) put_text(t, "0x8000000000000000");
        else put_text(t, "%lld", (long long)o->imm);
        break;
    case PTX_OPND_SREG: put_text(t, "%s", ptx_sreg_get((unsigned)o->sreg)->text); break;
    case PTX_OPND_VAR:
        put_text(t, "%s", o->var->name);
        put_offset(t, o->offset);
        break;
    case PTX_OPND_ADDR:
        put_text(t, "[");
        put_address(t, f, o);
        put_text(t, "]");
        break;
    case PTX_OPND_VEC: put_list(t, f, i, o, "{", "}"); break;
    case PTX_OPND_LABEL: put_text(t, "$L%u", o->target); break;
    case PTX_OPND_LABELS: put_text(t, "$T%u", (unsigned)(i - f->insns)); break;
    case PTX_OPND_PROTO: put_text(t, "$P%u", (unsigned)(i - f->insns)); break;
    case PTX_OPND_FUNC: put_text(t, "%s", o->func->name); break;
    default: break;
    }
}

static void put_call(disasm_text *t, const ptx_func *f, const ptx_insn *i) {
    put_text(t, " ");
    if (i->opnd[0].count) {
        put_list(t, f, i, &i->opnd[0], "(", ")");
        put_text(t, ", ");
    }
    put_operand(t, f, i, &i->opnd[1]);
    if (i->opnd[2].count) put_list(t, f, i, &i->opnd[2], ", (", ")");
    if (i->nopnds > 3) {
        put_text(t, ", ");
        put_operand(t, f, i, &i->opnd[3]);
    }
}

/* Returns the last operand of the brackets that begin at k: [texture, sampler, {coordinates}] and
 * [tensor, {coordinates}] are several of our operands. */
static unsigned brackets_end(const ptx_insn *i, unsigned k) {
    const ptx_opnd *o = i->opnd;
    if (i->klass == PTX_CLASS_TEX && i->op != PTX_OP_txq_level)
        while (o[k].kind == PTX_OPND_ADDR && k + 1u < i->nopnds) k++;
    bool tensor = i->op == PTX_OP_cp_async_bulk_tensor ||
                  i->op == PTX_OP_cp_async_bulk_prefetch_tensor ||
                  i->op == PTX_OP_cp_reduce_async_bulk_tensor;
    /* the operands after the barrier are offsets */
    if (tensor && k < 2 && k + 1u < i->nopnds && o[k].kind == PTX_OPND_ADDR &&
        o[k + 1].kind == PTX_OPND_VEC)
        k++;
    return k;
}

static void put_operands(disasm_text *t, const ptx_func *f, const ptx_insn *i) {
    for (unsigned k = 0; k < i->nopnds; k++) {
        put_text(t, "%s", k == 0 ? " " : k == 1 && (i->flags >> PTX_F_PAIR & 1) ? "|" : ", ");
        unsigned last = brackets_end(i, k);
        if (last == k) {
            put_operand(t, f, i, &i->opnd[k]);
            continue;
        }
        put_text(t, "[");
        for (; k < last; k++) {
            put_address(t, f, &i->opnd[k]);
            put_text(t, ", ");
        }
        put_operand(t, f, i, &i->opnd[k]);
        put_text(t, "]");
    }
}

/* The order of dotted words in most instructions: field numbers, flags from FLAG_BASE on, the state
 * spaces as SPACE. */
enum { SPACE = 100, FLAG_BASE = 128 };
#define FLAG(name) (FLAG_BASE + PTX_F_##name)
static const uint8_t before_types[] = {
    FLAG(to),
    FLAG(sync),
    FLAG(aligned),
    FLAG(uni),
    FLAG(mmio),
    FLAG(approx),
    FLAG(full),
    FLAG(lo),
    FLAG(hi),
    FLAG(wide),
    FLAG(shiftamt),
    FLAG(parity),
    FLAG(noinc),
    FLAG(noComplete),
    FLAG(alias),
    FLAG(async),
    PTX_FIELD_SHFL,
    PTX_FIELD_VOTE,
    PTX_FIELD_CMP,
    PTX_FIELD_BOOL,
    PTX_FIELD_ROUND,
    PTX_FIELD_TESTP,
    PTX_FIELD_QUERY,
    PTX_FIELD_COMP,
    FLAG(ftz),
    FLAG(oob),
    FLAG(relu),
    FLAG(NaN),
    FLAG(xorsign),
    FLAG(abs),
    FLAG(sat),
    FLAG(satfinite),
    FLAG(cc),
    PTX_FIELD_ORDER,
    PTX_FIELD_SCOPE,
    PTX_FIELD_LAYOUT,
    PTX_FIELD_LAYOUT_B,
    PTX_FIELD_SHAPE,
    PTX_FIELD_M64K8,
    PTX_FIELD_M64K16,
    PTX_FIELD_M64K32,
    PTX_FIELD_M64K64,
    PTX_FIELD_M64K256,
    FLAG(trans),
    SPACE,
    PTX_FIELD_CACHE,
    FLAG(nc),
    PTX_FIELD_ATOM,
    FLAG(noftz),
    FLAG(popc),
    FLAG(L1),
    FLAG(L2),
    FLAG(unified),
    FLAG(L1_evict_normal),
    FLAG(L1_evict_unchanged),
    FLAG(L1_evict_first),
    FLAG(L1_evict_last),
    FLAG(L1_no_allocate),
    FLAG(L2_evict_normal),
    FLAG(L2_evict_unchanged),
    FLAG(L2_evict_first),
    FLAG(L2_evict_last),
    FLAG(L2_cache_hint),
    FLAG(L2_64B),
    FLAG(L2_128B),
    FLAG(L2_256B),
    PTX_FIELD_TILE,
    PTX_FIELD_TMAP,
    FLAG(mbarrier_complete_tx),
    FLAG(bulk_group),
    FLAG(multicast_cluster),
    FLAG(b1024),
    FLAG(tensormap_generic),
    FLAG(cp_mask),
    PTX_FIELD_GROUP,
    FLAG(read),
    FLAG(tensormap),
    PTX_FIELD_GEOM,
    PTX_FIELD_VEC,
};
static const uint8_t after_types[] = {FLAG(po), FLAG(shr7), FLAG(shr15), PTX_FIELD_CLAMP,
                                      PTX_FIELD_PRMT};

/* Instructions for which the ISA's syntax has another order: the words that come before all others,
 * and those that come after the types. */
typedef struct {
    uint16_t from, to; /* ptx_op, both included */
    uint8_t first[8], last[8];
    bool cta; /* it writes .shared::cta in full */
} word_order;
static const word_order orders[] = {
    {PTX_OP_szext, PTX_OP_bmsk, {PTX_FIELD_CLAMP}, {0}, false},
    {PTX_OP_shf_l, PTX_OP_shf_r, {PTX_FIELD_CLAMP}, {0}, false},
    {PTX_OP_cp_async, PTX_OP_cp_async, {PTX_FIELD_CACHE}, {0}, false},
    {PTX_OP_cp_async_bulk,
     PTX_OP_cp_async_bulk,
     {SPACE, FLAG(mbarrier_complete_tx), FLAG(bulk_group), FLAG(multicast_cluster)},
     {0},
     true},
    {PTX_OP_cp_async_bulk_tensor,
     PTX_OP_cp_async_bulk_tensor,
     {PTX_FIELD_GEOM, SPACE, PTX_FIELD_TILE, FLAG(mbarrier_complete_tx), FLAG(bulk_group),
      FLAG(multicast_cluster)},
     {0},
     true},
    {PTX_OP_cp_async_bulk_prefetch,
     PTX_OP_cp_async_bulk_prefetch_tensor,
     {PTX_FIELD_GEOM, FLAG(L2), SPACE, PTX_FIELD_TILE},
     {0},
     false},
    {PTX_OP_cp_reduce_async_bulk,
     PTX_OP_cp_reduce_async_bulk,
     {SPACE, FLAG(mbarrier_complete_tx), FLAG(bulk_group), FLAG(L2_cache_hint)},
     {0},
     true},
    {PTX_OP_cp_reduce_async_bulk_tensor,
     PTX_OP_cp_reduce_async_bulk_tensor,
     {PTX_FIELD_GEOM, SPACE, PTX_FIELD_ATOM, PTX_FIELD_TILE, FLAG(bulk_group)},
     {0},
     true},
    {PTX_OP_tensormap_replace,
     PTX_OP_tensormap_replace,
     {PTX_FIELD_TILE, PTX_FIELD_TMAP},
     {0},
     true},
    {PTX_OP_tensormap_cp_fenceproxy,
     PTX_OP_tensormap_cp_fenceproxy,
     {SPACE, FLAG(tensormap_generic), PTX_FIELD_ORDER, PTX_FIELD_SCOPE},
     {0},
     true},
    {PTX_OP_red_async,
     PTX_OP_red_async,
     {PTX_FIELD_ORDER, PTX_FIELD_SCOPE, SPACE, FLAG(mbarrier_complete_tx)},
     {0},
     false},
    {PTX_OP_fence_proxy, PTX_OP_fence_proxy, {0}, {0}, true},
    {PTX_OP_suld_b, PTX_OP_sust_p, {PTX_FIELD_GEOM}, {0}, false},
    {PTX_OP_barrier_red, PTX_OP_barrier_cta_red, {PTX_FIELD_ATOM}, {0}, false},
    {PTX_OP_barrier_cluster_arrive, PTX_OP_barrier_cluster_wait, {PTX_FIELD_ORDER}, {0}, false},
    {PTX_OP_match, PTX_OP_match, {PTX_FIELD_VOTE}, {0}, false},
    {PTX_OP_redux, PTX_OP_redux, {FLAG(sync), PTX_FIELD_ATOM}, {0}, false},
    {PTX_OP_wmma_mma,
     PTX_OP_wmma_mma,
     {PTX_FIELD_ATOM, FLAG(popc), FLAG(sync), FLAG(aligned), PTX_FIELD_LAYOUT, PTX_FIELD_LAYOUT_B,
      PTX_FIELD_SHAPE},
     {FLAG(satfinite)},
     false},
    {PTX_OP_mma,
     PTX_OP_mma_sp_ordered,
     {FLAG(sync), FLAG(aligned), PTX_FIELD_SHAPE, PTX_FIELD_LAYOUT, PTX_FIELD_LAYOUT_B},
     {PTX_FIELD_ATOM, FLAG(popc)},
     false},
    {PTX_OP_wgmma_mma_async,
     PTX_OP_wgmma_mma_async_sp,
     {FLAG(sync), FLAG(aligned), PTX_FIELD_M64K8, PTX_FIELD_M64K16, PTX_FIELD_M64K32,
      PTX_FIELD_M64K64, PTX_FIELD_M64K256},
     {PTX_FIELD_ATOM, FLAG(popc)},
     false},
    {PTX_OP_ldmatrix,
     PTX_OP_stmatrix,
     {FLAG(sync), FLAG(aligned), PTX_FIELD_SHAPE, PTX_FIELD_VEC},
     {0},
     false},
    {PTX_OP_vadd,
     PTX_OP_vset4,
     {0},
     {FLAG(po), FLAG(sat), PTX_FIELD_CMP, PTX_FIELD_CLAMP, PTX_FIELD_ATOM, FLAG(shr7), FLAG(shr15)},
     false},
};
#undef FLAG

static const word_order *order_of(unsigned op) {
    static const word_order usual;
    for (size_t k = 0; k < sizeof orders / sizeof *orders; k++)
        if (op >= orders[k].from && op <= orders[k].to) return &orders[k];
    return &usual;
}

/* Writes the words in `order` that the instruction has, except those in `not`. */
static void put_words(disasm_text *t, const ptx_insn *i, const uint8_t *order, size_t n,
                      const word_order * not ) {
    static const char *const spaces[] = {"", ".global", ".shared", ".local", ".const", ".param"};
    for (size_t k = 0; k < n && order[k]; k++) {
        unsigned w = order[k];
        if (not &&(memchr(not ->first, (int)w, sizeof not ->first) ||
                   memchr(not ->last, (int)w, sizeof not ->last)))
            continue;
        if (w >= FLAG_BASE) {
            if (i->flags >> (w - FLAG_BASE) & 1)
                put_text(t, ".%s", ptx_mod_text(PTX_FIELD_FLAG, w - FLAG_BASE));
        } else if (w == SPACE) {
            const unsigned both[] = {i->space, i->space2};
            for (unsigned x = 0; x < 2; x++)
                put_text(t, "%s%s", spaces[both[x]],
                         both[x] != PTX_SPACE_SHARED                      ? ""
                         : x == 0 && i->flags >> PTX_F_SHARED_CLUSTER & 1 ? "::cluster"
                         : order_of(i->op)->cta                           ? "::cta"
                                                                          : "");
        } else if (w == PTX_FIELD_VEC && i->field[w]) {
            put_text(t, ".%c%u", i->op == PTX_OP_ldmatrix || i->op == PTX_OP_stmatrix ? 'x' : 'v',
                     i->field[w]);
        } else if (w == PTX_FIELD_SCOPE && i->op == PTX_OP_membar && i->field[w] == PTX_SCOPE_gpu) {
            put_text(t, ".gl"); /* the old form */
        } else if (w < PTX_FIELD_COUNT && i->field[w]) {
            put_text(t, ".%s", ptx_mod_text(w, i->field[w]));
        }
    }
}

size_t ptx_disassemble(const ptx_func *f, const ptx_insn *i, char *buf, size_t n) {
    disasm_text t = {buf, n, 0};
    if (n) buf[0] = 0;
    if (i->guard >= 0) {
        put_text(&t, "@%s", i->guard_negated ? "!" : "");
        put_register(&t, f, i->guard);
        put_text(&t, " ");
    }
    put_text(&t, "%s", ptx_op_get(i->op)->mnemonic);
    const word_order *order = order_of(i->op);
    put_words(&t, i, order->first, sizeof order->first, NULL);
    put_words(&t, i, before_types, sizeof before_types, order);
    for (unsigned k = 0; k < i->ntypes; k++)
        put_text(&t, "%s", ptx_type_text((ptx_type)i->type[k]));
    put_words(&t, i, order->last, sizeof order->last, NULL);
    put_words(&t, i, after_types, sizeof after_types, order);
    if (i->op == PTX_OP_call) put_call(&t, f, i);
    else put_operands(&t, f, i);
    put_text(&t, ";");
    return t.len;
}
