/* Copies of the tensor memory accelerator, and stores that an mbarrier is told of. Uniform
 * registers say what is copied:
 *
 *   UBLKCP.S.G [UR8], [UR4], UR6      UR8, UR9: shared memory and its mbarrier; UR4, UR5: global
 *                                     memory; UR6: 16-byte units, and from bit 16 on the blocks of
 *                                     a multicast
 *   UTMALDG.2D [UR8], [UR4], UR6      UR8, UR9: the same; UR10, UR11: coordinates; UR4, UR5: the
 *                                     tensor map; UR6: offsets of a filter, and the blocks
 *   STAS.64 [R8.64], R4               R8, R9: shared memory and its mbarrier
 *
 * The warp makes one copy, however many of its lanes are on, so one of them does it here. */
#include <stdio.h>
#include <string.h>
#include "runner/device/sim/translate/internal.h"
#include "words/translate.h"

enum { OFFSETS = 3, LIST = 6 * TR_NAME };

typedef struct {
    const sass_opnd *at[2], *more; /* the registers in brackets; units, offsets, blocks */
    unsigned count;
} bulk_form;

static unsigned dims(const sass_insn *i) {
    char word[] = "1D";
    for (; word[0] <= '5'; word[0]++)
        if (sass_has(i, word)) return (unsigned)(word[0] - '0');
    return 0;
}

/* Chooses a lane: the guard of one that is on. */
static void choose_lane(translator *t) {
    tr_line(t, "activemask.b32 %%t0;");
    tr_line(t, "elect.sync _|%%q1, %%t0;");
    tr_line(t, "mov.pred %%q0, %%no;");
    tr_line(t, "%smov.pred %%q0, %%q1;", t->guard);
    snprintf(t->guard, TR_NAME, "@%%q0 ");
}

static void shared_address(translator *t, char file, unsigned reg, unsigned k) {
    tr_line(t, "sub.u32 %%k%u, %%%c%u, %u;", k, file, reg, tr_shared_start(t));
}

static void global_address(translator *t, const sass_opnd *o) {
    tr_line(t, "mov.b64 %%m0, {%%u%u,%%u%u};", o->ubase.reg, o->ubase.reg + 1);
}

/* Returns the operation with its type, as in ".add.f32". */
static const char *operation(const sass_insn *i, char to[TR_NAME]) {
    static const char *const names[][2] = {{"ADD", ".add"}, {"MIN", ".min"}, {"MAX", ".max"},
                                           {"INC", ".inc"}, {"DEC", ".dec"}, {"AND", ".and"},
                                           {"OR", ".or"},   {"XOR", ".xor"}};
    static const char *const types[][2] = {
        {"S32", "s32"},    {"U64", "u64"},   {"S64", "s64"},      {"64", "u64"},  {"F16", "f16"},
        {"F16_V2", "f16"}, {"BF16", "bf16"}, {"BF16_V2", "bf16"}, {"F32", "f32"}, {"F64", "f64"}};
    const char *name = "", *type = "u32";
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (sass_has(i, names[k][0])) name = names[k][1];
    for (size_t k = 0; k < sizeof types / sizeof *types; k++)
        if (sass_has(i, types[k][0])) type = types[k][1];
    bool bits = sass_has(i, "AND") || sass_has(i, "OR") || sass_has(i, "XOR");
    if (bits) type = type[1] == '6' ? "b64" : "b32";
    bool half = strstr(type, "f16") && sass_has(i, "ADD");
    snprintf(to, TR_NAME, "%s%s.%s", name, half ? ".noftz" : "", type);
    return to;
}

/* ---- ranges ---- */

static bool range(translator *t, const bulk_form *c) {
    const sass_insn *i = tr_insn(t);
    bool load = sass_has(i, "S.G"), near = sass_has(i, "S.S"), all = sass_has(i, "MULTICAST");
    char op[TR_NAME] = "";
    const char *verb = "cp.async";
    if (c->count != 2 || !c->more) return false;
    unsigned to = c->at[0]->ubase.reg, from = c->at[1]->ubase.reg;
    if (i->op == SASS_OP_UBLKRED) verb = "cp.reduce.async", operation(i, op);
    choose_lane(t);
    tr_line(t, "and.b32 %%t1, %%u%u, 0xffff;", c->more->reg);
    tr_line(t, "shl.b32 %%t1, %%t1, 4;");
    tr_line(t, "shr.u32 %%t2, %%u%u, 16;", c->more->reg);
    tr_line(t, "cvt.u16.u32 %%e0, %%t2;");
    if (load || near) {
        shared_address(t, 'u', to, 0);
        shared_address(t, 'u', to + 1, 1);
    } else {
        global_address(t, c->at[0]);
    }
    if (load) {
        global_address(t, c->at[1]);
        tr_line(t,
                "%scp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes%s [%%k0], "
                "[%%m0], %%t1, [%%k1]%s;",
                t->guard, all ? ".multicast::cluster" : "", all ? ", %e0" : "");
        return true;
    }
    tr_line(t, "sub.u32 %%t3, %%u%u, %u;", from, tr_shared_start(t));
    if (near)
        tr_line(t,
                "%s%s.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes%s [%%k0], "
                "[%%t3], %%t1, [%%k1];",
                t->guard, verb, op);
    else
        tr_line(t, "%s%s.bulk.global.shared::cta.bulk_group%s [%%m0], [%%t3], %%t1;", t->guard,
                verb, op);
    return true;
}

static bool prefetch_range(translator *t, const bulk_form *c) {
    if (c->count != 1 || !c->more) return false;
    choose_lane(t);
    global_address(t, c->at[0]);
    tr_line(t, "and.b32 %%t1, %%u%u, 0xffff;", c->more->reg);
    tr_line(t, "shl.b32 %%t1, %%t1, 4;");
    tr_line(t, "%scp.async.bulk.prefetch.L2.global [%%m0], %%t1;", t->guard);
    return true;
}

/* ---- boxes of tensors ---- */

/* Puts the offsets of a filter into %e0..2: 16 bits for one, 8 for each of two, 5 of three. Writes
 * their list. */
static void offsets(translator *t, unsigned reg, unsigned n, char to[LIST]) {
    unsigned bits = n == 1 ? 16 : n == 2 ? 8 : 5;
    size_t used = (size_t)snprintf(to, LIST, ", {");
    for (unsigned k = 0; k < n; k++) {
        tr_line(t, "shr.u32 %%t1, %%u%u, %u;", reg, k * bits);
        tr_line(t, "and.b32 %%t1, %%t1, 0x%x;", (1u << bits) - 1);
        tr_line(t, "cvt.u16.u32 %%e%u, %%t1;", k);
        used += (size_t)snprintf(to + used, LIST - used, "%s%%e%u", k ? "," : "", k);
    }
    snprintf(to + used, LIST - used, "}");
}

static bool box(translator *t, const bulk_form *c) {
    const sass_insn *i = tr_insn(t);
    unsigned n = dims(i), reg = c->count == 2 ? c->at[0]->ubase.reg : SASS_NONE;
    bool load = i->op == SASS_OP_UTMALDG, fetch = i->op == SASS_OP_UTMAPF,
         filter = sass_has(i, "IM2COL"), all = sass_has(i, "MULTICAST");
    char at[LIST] = "", off[LIST] = "", op[TR_NAME] = "";
    size_t used = 0;
    if (!n || reg >= SASS_NONE || ((filter && (load || fetch)) && (n < 3 || !c->more)) ||
        (all && !c->more))
        return false;
    choose_lane(t);
    unsigned first = reg + (load ? 2 : fetch ? 0 : 1);
    for (unsigned k = 0; k < n; k++)
        used += (size_t)snprintf(at + used, LIST - used, "%s%%u%u", k ? "," : "", first + k);
    global_address(t, c->at[1]);
    if (filter && (load || fetch)) offsets(t, c->more->reg, n - 2, off);
    if (!fetch) shared_address(t, 'u', reg, 0);
    if (fetch) {
        tr_line(t, "%scp.async.bulk.prefetch.tensor.%ud.L2.global.%s [%%m0, {%s}]%s;", t->guard, n,
                filter ? "im2col" : "tile", at, off);
    } else if (load) {
        shared_address(t, 'u', reg + 1, 1);
        if (all) tr_line(t, "shr.u32 %%t1, %%u%u, 16;", c->more->reg);
        if (all) tr_line(t, "cvt.u16.u32 %%e3, %%t1;");
        tr_line(t,
                "%scp.async.bulk.tensor.%ud.shared::cluster.global.%s.mbarrier::complete_tx::bytes"
                "%s [%%k0], [%%m0, {%s}], [%%k1]%s%s;",
                t->guard, n, filter ? "im2col" : "tile", all ? ".multicast::cluster" : "", at, off,
                all ? ", %e3" : "");
    } else {
        bool reduce = i->op == SASS_OP_UTMAREDG;
        if (reduce) *strrchr(operation(i, op), '.') = 0; /* the map says the type */
        if (strstr(op, ".noftz")) *strstr(op, ".noftz") = 0;
        tr_line(t,
                "%scp.%sasync.bulk.tensor.%ud.global.shared::cta%s.%s.bulk_group [%%m0, {%s}], "
                "[%%k0];",
                t->guard, reduce ? "reduce." : "", n, op, filter ? "im2col_no_offs" : "tile", at);
    }
    return true;
}

/* ---- single values ---- */

static bool post(translator *t) {
    const sass_insn *i = tr_insn(t);
    const sass_opnd *to = &i->opnd[0], *v = &i->opnd[1];
    char list[LIST], one[TR_NAME], op[TR_NAME];
    size_t used = 0;
    if (i->opnd_count != 2 || to->kind != SASS_OPND_MEM || to->base.reg >= SASS_NONE ||
        to->ubase.reg < SASS_NONE || to->imm || v->kind != SASS_OPND_REG || *v->sel)
        return false;
    for (unsigned k = 0; k < v->width && k < 4; k++) {
        tr_register(one, v, k);
        used += (size_t)snprintf(list + used, LIST - used, "%s%s", k ? "," : "",
                                 v->reg == SASS_RZ ? "%zero" : one);
    }
    shared_address(t, 'r', to->base.reg, 0);
    shared_address(t, 'r', to->base.reg + 1, 1);
    if (i->op == SASS_OP_REDAS) {
        bool wide = v->width == 2;
        if (wide) tr_line(t, "mov.b64 %%x0, {%s};", list);
        tr_line(t,
                "%sred.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes%s "
                "[%%k0], %s, [%%k1];",
                t->guard, operation(i, op), wide ? "%x0" : list);
        return v->width <= 2;
    }
    tr_line(t,
            "%sst.async.shared::cluster.mbarrier::complete_tx::bytes%s.b32 [%%k0], %s%s%s, "
            "[%%k1];",
            t->guard,
            v->width == 4   ? ".v4"
            : v->width == 2 ? ".v2"
                            : "",
            v->width > 1 ? "{" : "", list, v->width > 1 ? "}" : "");
    return !sass_has(i, "U8") && !sass_has(i, "U16");
}

bool tr_is_bulk(const sass_insn *i) {
    return sass_row_of((sass_op)i->op)->klass == SASS_BULK || i->op == SASS_OP_STAS ||
           i->op == SASS_OP_REDAS || i->op == SASS_OP_UTMACCTL;
}

void tr_bulk(translator *t) {
    const sass_insn *i = tr_insn(t);
    bulk_form c = {0};
    bool ok = true;
    for (unsigned k = 0; k < i->opnd_count; k++) {
        const sass_opnd *o = &i->opnd[k];
        if (o->kind == SASS_OPND_MEM && o->desc != SASS_NONE) continue; /* a policy of caches */
        if (o->kind == SASS_OPND_MEM && c.count < 2) c.at[c.count++] = o;
        else if (o->kind == SASS_OPND_UREG) c.more = o;
        if (o->kind == SASS_OPND_MEM && i->op != SASS_OP_STAS && i->op != SASS_OP_REDAS)
            ok &= o->ubase.reg < SASS_NONE && o->base.reg >= SASS_NONE && !o->imm;
    }
    switch (i->op) {
    case SASS_OP_STAS:
    case SASS_OP_REDAS: ok = post(t); break;
    case SASS_OP_UTMACCTL: tr_nothing(t); break; /* of a cache that is not modelled */
    case SASS_OP_UBLKPF: ok = ok && prefetch_range(t, &c); break;
    case SASS_OP_UBLKCP:
    case SASS_OP_UBLKRED: ok = ok && range(t, &c); break;
    default: ok = ok && box(t, &c);
    }
    if (!ok) tr_refuse(t, W_TRANSLATE_BULK_FORM);
}
