/* An instruction as PTX text again, for messages, per-line reports and the round-trip test. What it
 * writes parses to the same instruction, given the same declarations: dotted words come in the
 * order flags, state spaces, fields, types, which the parser does not mind. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "runner/sim/ptx/ptx.h"

typedef struct {
    char *buf;
    size_t n, len; /* room, and what the whole would take */
} text;

__attribute__((format(printf, 2, 3))) static void put_text(text *t, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    int k = vsnprintf(t->len < t->n ? t->buf + t->len : NULL, t->len < t->n ? t->n - t->len : 0,
                      fmt, ap);
    va_end(ap);
    if (k > 0) t->len += (size_t)k;
}

static void put_register(text *t, const ptx_func *f, int32_t reg) {
    put_text(t, "%s", f->reg_name[reg]);
}

static void put_offset(text *t, int64_t offset) {
    if (offset > 0) put_text(t, "+%lld", (long long)offset);
    if (offset < 0) put_text(t, "+-%llu", 0 - (unsigned long long)offset); /* how nvcc writes it */
}

static void put_operand(text *t, const ptx_func *f, const ptx_insn *i, const ptx_opnd *o);

static void put_list(text *t, const ptx_func *f, const ptx_insn *i, const ptx_opnd *o,
                     const char *open, const char *close) {
    put_text(t, "%s", open);
    for (unsigned k = 0; k < o->count; k++) {
        if (k) put_text(t, ", ");
        put_operand(t, f, i, &o->elem[k]);
    }
    put_text(t, "%s", close);
}

static void put_address(text *t, const ptx_func *f, const ptx_opnd *o) {
    if (o->reg >= 0) put_register(t, f, o->reg);
    else if (o->var) put_text(t, "%s", o->var->name);
    else {
        put_text(t, "%lld", (long long)o->offset);
        return;
    }
    put_offset(t, o->offset);
}

static void put_operand(text *t, const ptx_func *f, const ptx_insn *i, const ptx_opnd *o) {
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

static void put_call(text *t, const ptx_func *f, const ptx_insn *i) {
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

static void put_operands(text *t, const ptx_func *f, const ptx_insn *i) {
    for (unsigned k = 0; k < i->nopnds; k++) {
        put_text(t, "%s", k == 0 ? " " : k == 1 && (i->flags >> PTX_F_PAIR & 1) ? "|" : ", ");
        unsigned last = k; /* [texture, sampler, {coordinates}] is several of ours */
        while (i->klass == PTX_CLASS_TEX && i->opnd[last].kind == PTX_OPND_ADDR &&
               last + 1 < i->nopnds && i->op != PTX_OP_txq_level)
            last++;
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

/* Dotted words in the order that people and nvcc write them: fields as they are, flags from
 * FLAG_BASE on, the state spaces as SPACE. */
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
    FLAG(relu),
    FLAG(NaN),
    FLAG(xorsign),
    FLAG(abs),
    FLAG(sat),
    FLAG(satfinite),
    FLAG(cc),
    FLAG(oob),
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
    PTX_FIELD_CACHE,
    SPACE,
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
#undef FLAG

static void put_words(text *t, const ptx_insn *i, const uint8_t *order, size_t n) {
    static const char *const space[] = {"", ".global", ".shared", ".local", ".const", ".param"};
    for (size_t k = 0; k < n; k++) {
        unsigned w = order[k];
        if (w >= FLAG_BASE) {
            if (i->flags >> (w - FLAG_BASE) & 1)
                put_text(t, ".%s", ptx_mod_text(PTX_FIELD_FLAG, w - FLAG_BASE));
        } else if (w == SPACE) {
            bool cluster = i->space == PTX_SPACE_SHARED && (i->flags >> PTX_F_SHARED_CLUSTER & 1);
            put_text(t, "%s%s", cluster ? ".shared::cluster" : space[i->space], space[i->space2]);
        } else if (w == PTX_FIELD_VEC && i->field[w]) {
            put_text(t, ".%c%u", i->op == PTX_OP_ldmatrix || i->op == PTX_OP_stmatrix ? 'x' : 'v',
                     i->field[w]);
        } else if (w < PTX_FIELD_COUNT && i->field[w]) {
            put_text(t, ".%s", ptx_mod_text(w, i->field[w]));
        }
    }
}

size_t ptx_disassemble(const ptx_func *f, const ptx_insn *i, char *buf, size_t n) {
    text t = {buf, n, 0};
    if (n) buf[0] = 0;
    if (i->guard >= 0) {
        put_text(&t, "@%s", i->guard_negated ? "!" : "");
        put_register(&t, f, i->guard);
        put_text(&t, " ");
    }
    put_text(&t, "%s", ptx_op_get(i->op)->mnemonic);
    put_words(&t, i, before_types, sizeof before_types);
    for (unsigned k = 0; k < i->ntypes; k++)
        put_text(&t, "%s", ptx_type_text((ptx_type)i->type[k]));
    put_words(&t, i, after_types, sizeof after_types);
    if (i->op == PTX_OP_call) put_call(&t, f, i);
    else put_operands(&t, f, i);
    put_text(&t, ";");
    return t.len;
}
