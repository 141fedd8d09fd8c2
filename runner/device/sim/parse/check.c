/* Compares an instruction with its row in ops.def.
 *
 *   FORM rows --spec.c--> ptx_spec: sets of types, modifiers, operand patterns
 *   instruction --each form in turn--> the one that fits gives its class
 *                                      none: the form that got furthest says what was expected
 *
 * Types of operands: PTX ISA 9.2 and 9.4.1. A register fits an instruction type of its own size if
 * one of them is .bN, both are integers, or both are the same float. Loads, stores and conversions
 * also take wider registers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runner/device/sim/ptx/fragment.h"
#include "runner/device/sim/parse/check.h"
#include "runner/device/sim/parse/decl.h"
#include "runner/device/sim/parse/rules.h"

/* ---- operands ----------------------------------------------------------------------------- */
static bool is_bits(ptx_type t) {
    return t >= PTX_B8 && t <= PTX_B128;
}
static bool is_int(ptx_type t) {
    return t >= PTX_U8 && t <= PTX_S64;
}

/* Returns the type of registers that hold values of packed and alternate types. */
static ptx_type carrier(ptx_type t) {
    switch (t) {
    case PTX_BF16:
    case PTX_E4M3X2:
    case PTX_E5M2X2: return PTX_B16;
    case PTX_BF16X2:
    case PTX_TF32:
    case PTX_U16X2:
    case PTX_S16X2: return PTX_B32;
    case PTX_F32X2: return PTX_B64;
    default: return t;
    }
}

static bool compatible(ptx_type reg, ptx_type want, bool wider) {
    if ((reg == PTX_PRED) != (want == PTX_PRED)) return false;
    if (reg == want) return true;
    /* Halves are in registers of .b types or of their own type, never integers, as in the vendor's
     * assembler. */
    bool half = want == PTX_F16 || want == PTX_BF16 || want == PTX_F16X2 || want == PTX_BF16X2;
    if (want == PTX_BF16) wider = false; /* except in cvt */
    want = carrier(want);
    unsigned rs = ptx_type_size(reg), ws = ptx_type_size(want);
    if (wider ? rs < ws : rs != ws) return false;
    reg = carrier(reg);
    if (is_bits(reg) || (is_bits(want) && !half)) return true;
    return is_int(reg) && is_int(want);
}

static ptx_type wanted_type(const ptx_pattern *o, const ptx_insn *i) {
    if (o->type_kind == 'n') return (ptx_type)i->type[o->type];
    if (o->type_kind == 't') return (ptx_type)o->type;
    if (o->type_kind == 'x') {
        switch (i->type[0]) {
        case PTX_U16: return PTX_U32;
        case PTX_S16: return PTX_S32;
        case PTX_U32: return PTX_U64;
        case PTX_S32: return PTX_S64;
        default: break;
        }
    }
    return PTX_NONE;
}

/* The instruction being checked, and why it failed last. */
typedef struct {
    ptx_parser *p;
    const ptx_insn *i;
    unsigned bad;   /* index of the operand that did not fit */
    unsigned taken; /* operands of the fitting form that are written */
    char want[160];
} matcher;

static ptx_type reg_type(const matcher *m, const ptx_opnd *o) {
    return (ptx_type)((const uint8_t *)m->p->reg_types.data)[o->reg];
}

static bool fail_want(matcher *m, const char *what, ptx_type t) {
    snprintf(m->want, sizeof m->want, "expected %s%s%s", what, t ? " of type " : "",
             ptx_type_text(t));
    return false;
}

static bool match_register(matcher *m, const ptx_opnd *o, ptx_type t, bool wider) {
    return o->kind == PTX_OPND_REG && compatible(reg_type(m, o), t, wider);
}

/* An integer literal may be any type except a float's value; a float literal may be floats and raw
 * bits of its size. */
static bool match_literal(const ptx_opnd *o, ptx_type t) {
    if (!o->is_float) return t != PTX_F32 && t != PTX_F64 && t != PTX_F16 && t != PTX_BF16;
    return t == PTX_F32 || t == PTX_F64 || (is_bits(t) && ptx_type_size(t) == o->is_float);
}

static bool match_source(matcher *m, const ptx_pattern *w, const ptx_opnd *o, ptx_type t) {
    const char *what = w->kind == 'r'   ? "a register"
                       : w->kind == 'i' ? "a constant"
                                        : "a register or constant";
    bool wider = w->kind == 'w' || w->kind == 'S';
    switch (o->kind) {
    case PTX_OPND_REG:
        if (w->kind != 'i' && match_register(m, o, t, wider) &&
            (o->negated == '!'   ? t == PTX_PRED
             : o->negated == '-' ? m->i->op == PTX_OP_vmad
                                 : true))
            return true;
        break;
    case PTX_OPND_IMM:
        if (w->kind != 'r' && match_literal(o, t)) return true;
        break;
    case PTX_OPND_SREG: { /* only mov and cvt */
        ptx_type st = (ptx_type)ptx_sreg_get((unsigned)o->sreg)->type;
        if (w->kind != 'q' && w->kind != 'w') {
            snprintf(
                m->want, sizeof m->want,
                "a special register can only be read by mov or cvt: move %s to a register first",
                ptx_sreg_get((unsigned)o->sreg)->text);
            return false;
        }
        if (st == PTX_PRED && t == PTX_PRED) return true;
        if (st == PTX_PRED || !(is_bits(t) || is_int(t))) break;
        if (m->i->op == PTX_OP_cvt && !is_int((ptx_type)m->i->type[0])) {
            snprintf(m->want, sizeof m->want,
                     "expected a register: a special one is not converted to %s",
                     ptx_type_text((ptx_type)m->i->type[0]));
            return false;
        }
        unsigned size = ptx_type_size(t), has = ptx_type_size(st);
        if (size == has || (has == 4 && size == 2) || (o->sreg == PTX_SREG_gridid && size == 4))
            return true;
        break;
    }
    case PTX_OPND_VAR:
        if (!ptx_check_variable_source(m->i, o->var, m->want, sizeof m->want)) return false;
        if (w->kind == 'q' && (ptx_type_size(t) == 8 || ptx_type_size(t) == 4) && t != PTX_F32 &&
            t != PTX_F64)
            return true;
        break;
    case PTX_OPND_FUNC:
        if (w->kind == 'q' && m->i->op == PTX_OP_mov && ptx_type_size(t) == 8 && t != PTX_F64)
            return true;
        break;
    default: break;
    }
    return fail_want(m, what, t);
}

/* {_, _}: the type of its elements is open. */
static bool all_left_out(const ptx_opnd *o) {
    unsigned n = 0;
    while (n < o->count && o->elem[n].kind == PTX_OPND_SINK) n++;
    return n == o->count;
}

/* {a, b, ..} of `count` elements, or of a number that the rest of the instruction gives. */
static bool match_vector(matcher *m, const ptx_opnd *o, ptx_type t, unsigned count, bool store) {
    char what[80];
    snprintf(what, sizeof what, "a list {..} of %u registers", count);
    if (o->kind != PTX_OPND_VEC || o->count != count) return fail_want(m, what, t);
    if (all_left_out(o)) return fail_want(m, what, t);
    for (unsigned k = 0; k < count; k++) {
        const ptx_opnd *e = &o->elem[k];
        if (store && m->i->op == PTX_OP_mov && e->kind == PTX_OPND_SREG && ptx_type_size(t) == 4)
            continue;
        bool ok = match_register(m, e, t, m->i->op != PTX_OP_mov) ||
                  (!store && e->kind == PTX_OPND_SINK) ||
                  (store && e->kind == PTX_OPND_IMM && match_literal(e, t));
        if (!ok || e->negated) return fail_want(m, what, t);
    }
    return true;
}

static char fragment_role(const ptx_insn *i, unsigned index) {
    switch (i->op) {
    case PTX_OP_wmma_load_a: return 'a';
    case PTX_OP_wmma_load_b: return 'b';
    case PTX_OP_wgmma_mma_async_sp:
    case PTX_OP_wgmma_mma_async: return index == 1 ? 'a' : 'c';
    case PTX_OP_wmma_mma:
    case PTX_OP_mma_sp:
    case PTX_OP_mma_sp_ordered:
    case PTX_OP_mma: return index == 1 ? 'a' : index == 2 ? 'b' : 'c';
    default: return 'c';
    }
}

static bool match_fragment(matcher *m, const ptx_opnd *o, ptx_type t, unsigned index, bool store) {
    const ptx_insn *i = m->i;
    if (i->op == PTX_OP_mov) { /* pack, unpack: elements of one size that together fill the type */
        if (o->kind != PTX_OPND_VEC) return fail_want(m, "a list {..} to pack or unpack", t);
        unsigned size = ptx_type_size(t), each = size / o->count;
        for (unsigned k = 0; k < o->count; k++) {
            const ptx_opnd *e = &o->elem[k];
            bool ok = (e->kind == PTX_OPND_REG && ptx_type_size(reg_type(m, e)) == each &&
                       reg_type(m, e) != PTX_PRED) ||
                      (!store && e->kind == PTX_OPND_SINK) || (store && e->kind == PTX_OPND_IMM);
            if (!ok || each * o->count != size || all_left_out(o)) {
                snprintf(m->want, sizeof m->want,
                         "expected a list {..} whose elements have together the size of %s",
                         ptx_type_text(t));
                return false;
            }
        }
        return true;
    }
    unsigned count;
    if (i->op == PTX_OP_ldmatrix || i->op == PTX_OP_stmatrix) count = i->field[PTX_FIELD_VEC];
    else
        count =
            ptx_fragment_registers(i, fragment_role(i, index), t, ptx_fragment_quad(i, i->type[1]));
    if (!count) {
        snprintf(m->want, sizeof m->want,
                 "there is no fragment of shape .%s with elements of type %s",
                 ptx_mod_text(PTX_FIELD_SHAPE, i->field[PTX_FIELD_SHAPE]), ptx_type_text(t));
        return false;
    }
    ptx_type held = t == PTX_F64 || t == PTX_F32 || t == PTX_S32 ? t : PTX_B32;
    if (o->kind != PTX_OPND_VEC && count == 1)
        return match_register(m, o, held, false) || fail_want(m, "a register", held);
    return match_vector(m, o, held, count, store);
}

static unsigned coordinates(const ptx_insn *i) {
    switch (i->field[PTX_FIELD_GEOM]) {
    case PTX_GEOM_1d: return 1;
    case PTX_GEOM_2d:
    case PTX_GEOM_a1d: return 2;
    default: return 4;
    }
}

/* A texture, sampler or surface. Compilers before nvcc 4 declared one as `.tex .u64 x`. */
static bool is_handle(const ptx_var *v) {
    return v->space == PTX_SPACE_GLOBAL &&
           ((v->type >= PTX_TEXREF && v->type <= PTX_SURFREF) || ptx_type_size(v->type) == 8);
}

/* [texture, {x, y}]: one written operand, two or three of ours. Returns how many; 0: no match. */
static unsigned match_texture(matcher *m, const ptx_opnd *o, unsigned left) {
    unsigned used = 0;
    while (used < left && used < 3 && o[used].kind == PTX_OPND_ADDR) used++;
    if (used < 1 || used > 2 || used == left || o[used].kind != PTX_OPND_VEC ||
        o[0].count != used) {
        fail_want(m, "[texture or surface, {coordinates}]", PTX_NONE);
        return 0;
    }
    for (unsigned k = 0; k < used; k++) {
        if (o[k].reg >= 0 ? !compatible(reg_type(m, &o[k]), PTX_B64, false)
                          : !o[k].var || !is_handle(o[k].var)) {
            fail_want(m, "a texture or surface: a variable or a 64-bit register", PTX_NONE);
            return 0;
        }
    }
    const ptx_opnd *c = &o[used];
    bool surface = m->i->op == PTX_OP_suld_b || m->i->op == PTX_OP_sust_b ||
                   m->i->op == PTX_OP_sust_p || m->i->op == PTX_OP_sured_b ||
                   m->i->op == PTX_OP_sured_p;
    if (o->var && o->var->type == (surface ? PTX_TEXREF : PTX_SURFREF)) {
        fail_want(m, surface ? "a surface" : "a texture", PTX_NONE);
        return 0;
    }
    unsigned count = coordinates(m->i), geom = m->i->field[PTX_FIELD_GEOM];
    bool indexed = geom == PTX_GEOM_a1d || geom == PTX_GEOM_a2d || geom == PTX_GEOM_acube ||
                   geom == PTX_GEOM_2dms || geom == PTX_GEOM_a2dms;
    ptx_type t = surface ? PTX_B32 : (ptx_type)m->i->type[m->i->ntypes - 1];
    /* the old form always has four; the rest is ignored */
    bool enough = c->count == count || c->count == 4 ||
                  (count == 4 && c->count == 3 &&
                   (geom == PTX_GEOM_3d || geom == PTX_GEOM_a2d || geom == PTX_GEOM_cube));
    for (unsigned k = 0; enough && k < c->count; k++) {
        const ptx_opnd *e = &c->elem[k];
        bool integer = surface || (indexed && (k == 0 || (geom == PTX_GEOM_a2dms && k == 1)));
        ptx_type want = integer ? PTX_B32 : t;
        bool padding = e->kind == PTX_OPND_REG && (k >= count || (k == 3 && count == 4)) &&
                       ptx_type_size(reg_type(m, e)) == 4;
        if (!match_register(m, e, want, false) &&
            !(e->kind == PTX_OPND_IMM && match_literal(e, want)) && !padding)
            enough = false;
    }
    if (!enough) {
        snprintf(m->want, sizeof m->want, "expected %u coordinates of type %s", count,
                 ptx_type_text(t));
        return 0;
    }
    return used + 1;
}

static bool match_address(matcher *m, const ptx_opnd *o, unsigned space) {
    if (o->kind != PTX_OPND_ADDR || o->count) return fail_want(m, "an address [..]", PTX_NONE);
    if (o->reg < 0) return ptx_check_fixed_address(o, space, m->want, sizeof m->want);
    ptx_type t = reg_type(m, o);
    unsigned size = ptx_type_size(t);
    bool narrow = size == 4 && space != PTX_SPACE_GENERIC && space != PTX_SPACE_GLOBAL;
    if (t != PTX_PRED && (size == 8 || narrow) && (is_bits(t) || is_int(t))) return true;
    return fail_want(m,
                     "an address in a 64-bit integer register (32-bit for .shared, .local, "
                     ".const, .param)",
                     PTX_NONE);
}

/* [tensor map, {coordinates}]: two operands of ours. */
static bool match_tensor(matcher *m, const ptx_opnd *o, unsigned left) {
    unsigned dims = m->i->field[PTX_FIELD_GEOM], tile = m->i->field[PTX_FIELD_TILE];
    bool rows = tile == PTX_TILE_gather4 || tile == PTX_TILE_scatter4; /* a column and four rows */
    if (rows && dims != 2) return fail_want(m, "a tensor of .2d", PTX_NONE);
    if (left < 2 || o[0].kind != PTX_OPND_ADDR || o[0].count != 1 || o[1].kind != PTX_OPND_VEC)
        return fail_want(m, "[tensor map, {coordinates}]", PTX_NONE);
    ptx_opnd map = *o;
    map.count = 0;
    return (o->var || match_address(m, &map, PTX_SPACE_GENERIC)) &&
           match_vector(m, &o[1], PTX_S32, rows ? 5 : dims, true);
}

/* .im2col has one for each dimension between the channels and the image; .im2col::w has halo and
 * offset. */
static unsigned offsets(const ptx_insn *i) {
    return i->field[PTX_FIELD_TILE] == PTX_TILE_im2col ? i->field[PTX_FIELD_GEOM] - 2u : 2u;
}

/* {gradient} or {offsets} of a texture */
static bool match_gradient(matcher *m, const ptx_opnd *o, ptx_type t) {
    unsigned geom = m->i->field[PTX_FIELD_GEOM];
    unsigned count = geom == PTX_GEOM_1d || geom == PTX_GEOM_a1d   ? 1
                     : geom == PTX_GEOM_2d || geom == PTX_GEOM_a2d ? 2
                                                                   : 4;
    return (count == 1 && match_register(m, o, t, false)) || match_vector(m, o, t, count, true);
}

/* Returns how many of our operands the pattern took; 0: it does not fit, and m->want says why. */
static unsigned match_operand(matcher *m, const ptx_pattern *w, const ptx_opnd *o, unsigned left,
                              unsigned index) {
    ptx_type t = wanted_type(w, m->i);
    bool pair_written = index == 0 && (m->i->flags >> PTX_F_PAIR & 1);
    if (index == 0 && ((pair_written && !w->pair) || (!pair_written && w->pair == '!')))
        return fail_want(m, pair_written ? "one destination, not a pair d|p" : "a pair d|p", t), 0u;
    unsigned vec = m->i->field[PTX_FIELD_VEC];
    bool ok;
    switch (w->kind) {
    case 'd':
    case 'W':
        ok = (o->kind == PTX_OPND_SINK || match_register(m, o, t, w->kind == 'W')) && !o->negated;
        if (!ok) fail_want(m, "a destination register", t);
        break;
    case 'D':
        if (vec > 1 && (o->kind != PTX_OPND_SINK || m->i->op != PTX_OP_atom))
            ok = match_vector(m, o, t, vec, false);
        else
            ok = (match_register(m, o, t, true) && !o->negated) || o->kind == PTX_OPND_SINK ||
                 fail_want(m, "a destination register", t);
        break;
    case 'S':
        if (vec > 1) ok = match_vector(m, o, t, vec, true);
        else ok = match_source(m, w, o, t);
        break;
    case 's':
    case 'r':
    case 'i':
    case 'q':
    case 'w': ok = match_source(m, w, o, t); break;
    case 'V': ok = match_fragment(m, o, t, index, index > 0); break;
    case 'T':
        if (o->kind != PTX_OPND_ADDR || !o->var) {
            ok = match_address(m, o, m->i->space);
            break;
        }
        ok = !o->count && is_handle(o->var) &&
             o->var->type != (m->i->op == PTX_OP_suq ? PTX_TEXREF : PTX_SURFREF);
        if (!ok) fail_want(m, m->i->op == PTX_OP_suq ? "a surface" : "a texture", PTX_NONE);
        break;
    case 'm': ok = match_address(m, o, m->i->space); break;
    case 'M': ok = match_address(m, o, m->i->space2); break;
    case 'B':
        ok = match_address(m, o,
                           o->var || m->i->space != PTX_SPACE_GENERIC ? PTX_SPACE_SHARED
                                                                      : PTX_SPACE_GENERIC);
        break;
    case 'b': return match_tensor(m, o, left) ? 2 : 0;
    case 'o':
        ok = o->kind == PTX_OPND_VEC ? match_vector(m, o, PTX_U16, offsets(m->i), true)
                                     : fail_want(m, "{offsets}", PTX_NONE);
        break;
    case 'g': ok = match_gradient(m, o, t); break;
    case 't': return match_texture(m, o, left);
    case 'l': ok = o->kind == PTX_OPND_LABEL; break;
    case 'L': ok = o->kind == PTX_OPND_LABELS; break;
    default: ok = true;
    }
    if (!ok) return 0;
    if (!pair_written) return 1;
    if (left < 2 || (o[1].kind != PTX_OPND_SINK && !match_register(m, &o[1], PTX_PRED, false)))
        return fail_want(m, "a predicate as the second half of d|p", PTX_NONE), 0u;
    return 2;
}

/* ---- fitting the forms -------------------------------------------------------------------- */

/* How far an instruction got with a form; the furthest form explains best. Operands count two each,
 * so that of two forms that fail at the same operand, the one that expects the same kind of operand
 * wins. */
enum { FAR_TYPES, FAR_ALLOWED, FAR_REQUIRED, FAR_COUNT, FAR_OPERAND, FAR_ALL = 100 };

/* Returns FAR_ALLOWED if something is written that the form does not take, otherwise FAR_ALL. */
static unsigned fit_allowed(matcher *m, const ptx_form *f, uint64_t flags) {
    static const char *const space_text[] = {"generic", "global", "shared",
                                             "local",   "const",  "param"};
    const ptx_insn *i = m->i;
    uint64_t extra = flags & ~f->flags;
    const char *word =
        extra ? ptx_mod_text(PTX_FIELD_FLAG, (unsigned)__builtin_ctzll(extra)) : NULL;
    for (unsigned k = 1; k < PTX_FIELD_COUNT && !word; k++)
        if (i->field[k] && !(f->values[k] >> i->field[k] & 1)) word = ptx_mod_text(k, i->field[k]);
    if (word) {
        snprintf(m->want, sizeof m->want, "does not take .%s with these types and modifiers", word);
        return FAR_ALLOWED;
    }
    bool first = i->space && !(f->spaces >> i->space & 1),
         second = i->space2 && !(f->spaces2 >> i->space2 & 1);
    if (!first && !second) return FAR_ALL;
    snprintf(m->want, sizeof m->want, "does not take .%s here",
             space_text[first ? i->space : i->space2]);
    return FAR_ALLOWED;
}

/* Returns FAR_REQUIRED if something is missing that the form needs, otherwise FAR_ALL. */
static unsigned fit_required(matcher *m, const ptx_form *f, uint64_t flags) {
    const ptx_insn *i = m->i;
    uint64_t missing = f->flags_required & ~flags;
    if (missing) {
        snprintf(m->want, sizeof m->want, "needs .%s",
                 ptx_mod_text(PTX_FIELD_FLAG, (unsigned)__builtin_ctzll(missing)));
        return FAR_REQUIRED;
    }
    for (unsigned k = 1; k < PTX_FIELD_COUNT; k++) {
        if (!(f->fields_required >> k & 1) || i->field[k]) continue;
        snprintf(m->want, sizeof m->want, "needs %s", ptx_field_titles[k]);
        return FAR_REQUIRED;
    }
    if ((!f->space_required || i->space) && (!f->space2_required || i->space2)) return FAR_ALL;
    snprintf(m->want, sizeof m->want, "needs a state space");
    return FAR_REQUIRED;
}

/* A policy is the last operand if .L2::cache_hint is written, and only then. all: all operands of
 * the form are written. */
static unsigned fit_policy(matcher *m, const ptx_form *f, bool all) {
    const uint64_t hint = UINT64_C(1) << PTX_F_L2_cache_hint;
    if (!(f->flags & hint) || !f->patterns[f->npatterns - 1].optional ||
        all == !!(m->i->flags & hint))
        return FAR_ALL;
    snprintf(m->want, sizeof m->want, "%s",
             all ? "takes a cache policy with .L2::cache_hint alone"
                 : "needs a cache policy, its last operand, for .L2::cache_hint");
    return FAR_COUNT;
}

static unsigned fit_operands(matcher *m, const ptx_form *f, const ptx_opnd *o) {
    const ptx_insn *i = m->i;
    unsigned n = 0, k = 0;
    for (; k < f->npatterns; k++) {
        if (n >= i->nopnds) {
            if (k >= f->nrequired) break;
            snprintf(m->want, sizeof m->want, "needs %u operands, found %u", f->nrequired, k);
            return FAR_COUNT;
        }
        unsigned took = f->patterns[k].kind == '*'
                            ? i->nopnds
                            : match_operand(m, &f->patterns[k], &o[n], i->nopnds - n, n);
        if (!took) {
            m->bad = n;
            return FAR_OPERAND + 2 * k +
                   (f->patterns[k].kind == 'V' && n < i->nopnds && o[n].kind == PTX_OPND_VEC);
        }
        n += took;
    }
    m->taken = k;
    if (n >= i->nopnds) return fit_policy(m, f, k == f->npatterns);
    snprintf(m->want, sizeof m->want, "takes %u operand%s, found more", f->npatterns,
             f->npatterns == 1 ? "" : "s");
    return FAR_COUNT;
}

static unsigned fit(matcher *m, const ptx_form *f, const ptx_opnd *o) {
    const ptx_insn *i = m->i;
    m->want[0] = 0;
    unsigned right = 0;
    while (right < i->ntypes && right < f->ntypes && (f->types[right] >> i->type[right] & 1))
        right++;
    if (right != f->ntypes || right != i->ntypes) return FAR_TYPES;
    uint64_t flags = i->flags & ~(UINT64_C(1) << PTX_F_PAIR | UINT64_C(1) << PTX_F_SHARED_CLUSTER);
    unsigned far = fit_allowed(m, f, flags);
    if (far == FAR_ALL) far = fit_required(m, f, flags);
    return far == FAR_ALL ? fit_operands(m, f, o) : far;
}

/* Lists the types that forms with this number of types take, for the message. */
static void list_types(const ptx_spec *s, char *buf, size_t n) {
    uint64_t set[PTX_MAX_TYPES] = {0};
    unsigned most = 0;
    for (unsigned k = 0; k < s->nforms; k++) {
        if (s->forms[k].ntypes > most) most = s->forms[k].ntypes;
        for (unsigned i = 0; i < s->forms[k].ntypes; i++) set[i] |= s->forms[k].types[i];
    }
    buf[0] = 0;
    for (unsigned i = 0; i < most; i++) {
        ptx_append(buf, n, i ? " then " : "");
        const char *between = "";
        for (unsigned t = 1; t < PTX_TYPE_COUNT; t++) {
            if (!(set[i] >> t & 1)) continue;
            ptx_append(buf, n, between);
            ptx_append(buf, n, ptx_type_text((ptx_type)t));
            between = " ";
        }
    }
    if (!most) ptx_append(buf, n, "no type");
}

/* "%f1, a register of type .f32": the operand at which another was expected. */
static void describe_operand(const matcher *m, const ptx_opnd *o, char *buf, size_t n) {
    const char *const *names = m->p->reg_names.data;
    switch (o->kind) {
    case PTX_OPND_REG:
        snprintf(buf, n, "%s%.40s, a register of type %s", o->negated ? "!" : "", names[o->reg],
                 ptx_type_text(reg_type(m, o)));
        break;
    case PTX_OPND_SINK: snprintf(buf, n, "_"); break;
    case PTX_OPND_IMM:
        snprintf(buf, n, "%s",
                 o->is_float == 4 ? "a .f32 constant"
                 : o->is_float    ? "a .f64 constant"
                                  : "an integer constant");
        break;
    case PTX_OPND_SREG:
        snprintf(buf, n, "%s, a special register of type %s", ptx_sreg_get((unsigned)o->sreg)->text,
                 ptx_type_text((ptx_type)ptx_sreg_get((unsigned)o->sreg)->type));
        break;
    case PTX_OPND_VAR: snprintf(buf, n, "the address of '%.40s'", o->var->name); break;
    case PTX_OPND_FUNC: snprintf(buf, n, "the function '%.40s'", o->func->name); break;
    case PTX_OPND_ADDR:
        snprintf(buf, n, o->reg >= 0 ? "an address in a register of type %s" : "an address",
                 o->reg >= 0 ? ptx_type_text(reg_type(m, o)) : "");
        break;
    case PTX_OPND_VEC: {
        const ptx_opnd *e = o->elem;
        if (e && e->kind == PTX_OPND_REG)
            snprintf(buf, n, "a list of %u, its first a register of type %s", o->count,
                     ptx_type_text(reg_type(m, e)));
        else snprintf(buf, n, "a list of %u", o->count);
        break;
    }
    default: snprintf(buf, n, "something else");
    }
}

PTX_NORETURN static void explain(const matcher *m, const ptx_spec *s, const ptx_opnd *opnds,
                                 const ptx_token *at, const ptx_token *opnd_at, unsigned far,
                                 unsigned bad, const char *want) {
    ptx_parser *p = m->p;
    const ptx_insn *i = m->i;
    char types[160], whole[80] = "", found[120];
    ptx_append(whole, sizeof whole, s->mnemonic);
    for (unsigned k = 0; k < i->ntypes; k++)
        ptx_append(whole, sizeof whole, ptx_type_text((ptx_type)i->type[k]));
    if (far == FAR_TYPES) {
        list_types(s, types, sizeof types);
        ptx_fail(p, at, "'%s' has no form with these types; it takes %s", whole, types);
    }
    if (far >= FAR_OPERAND) {
        describe_operand(m, &opnds[bad], found, sizeof found);
        ptx_fail(p, &opnd_at[bad], "operand %u of '%s': %s, found %s", (far - FAR_OPERAND) / 2 + 1,
                 whole, want, found);
    }
    ptx_fail(p, at, "'%s' %s", whole, want);
}

/* Checks .version and .target. */
static void check_needs(matcher *m, const ptx_form *f, const ptx_opnd *opnds, const ptx_token *at) {
    char what[100], quoted[104];
    const ptx_need *need = ptx_spec_unmet(m->p, m->i, opnds, f, m->taken, what, sizeof what);
    if (!need) return;
    bool own = need->target >> 31;
    snprintf(quoted, sizeof quoted, "'%s'", what);
    ptx_hold_module(m->p, at, quoted, need->version, own ? 0 : need->target);
    ptx_fail(m->p, at, "%s needs a target such as sm_%ua", quoted, PTX_OWN_LEAST(need->target));
}

/* Converts float literals to the type of their operand, so that the back end need not know how they
 * were written. */
static void convert_literal(ptx_opnd *o, ptx_type t) {
    if (o->kind != PTX_OPND_IMM || !o->is_float || (t != PTX_F32 && t != PTX_F64)) return;
    o->imm = ptx_float_bits((ptx_const){.bits = o->imm, .is_float = o->is_float}, t);
    o->is_float = t == PTX_F32 ? 4 : 8;
}

void ptx_check_insn(ptx_parser *p, const ptx_spec *s, ptx_insn *i, ptx_opnd *opnds,
                    const ptx_token *at, const ptx_token *opnd_at) {
    matcher m = {.p = p, .i = i};
    if (i->op == PTX_OP_suld_b || i->op == PTX_OP_sust_b ||
        i->op == PTX_OP_sust_p) /* nvcc writes a single value as {%r1} */
        for (unsigned k = 0; k < i->nopnds; k++)
            if (opnds[k].kind == PTX_OPND_VEC && opnds[k].count == 1 &&
                (k == 0 || opnds[k - 1].kind != PTX_OPND_ADDR))
                opnds[k] = opnds[k].elem[0];
    if (s->special == '?') {
        i->klass = s->forms[0].klass;
        if (s->nunmet) check_needs(&m, &s->forms[0], opnds, at);
        return;
    }
    unsigned furthest = 0, bad = 0;
    char want[sizeof m.want] = "";
    for (unsigned k = 0; k < s->nforms; k++) {
        const ptx_form *f = &s->forms[k];
        unsigned far = fit(&m, f, opnds);
        if (far == FAR_ALL) {
            i->klass = f->klass;
            ptx_check_rules(p, i, opnds, at, opnd_at);
            if (s->nunmet) check_needs(&m, f, opnds, at);
            for (unsigned j = 0, n = 0; j < f->npatterns && n < i->nopnds; j++, n++) {
                ptx_type t = wanted_type(&f->patterns[j], i);
                if (f->patterns[j].kind == 't') {
                    while (opnds[n].kind == PTX_OPND_ADDR) n++;
                    t = (ptx_type)i->type[i->ntypes - 1];
                }
                if (n == 0 && (i->flags >> PTX_F_PAIR & 1)) n++;
                if (f->patterns[j].kind == 'b') n++;
                if (opnds[n].kind == PTX_OPND_VEC)
                    for (unsigned e = 0; e < opnds[n].count; e++)
                        convert_literal((ptx_opnd *)(uintptr_t)&opnds[n].elem[e], t);
                else convert_literal(&opnds[n], t), opnds[n].type = (uint8_t)t;
            }
            return;
        }
        if (far > furthest || k == 0) {
            furthest = far;
            bad = m.bad;
            memcpy(want, m.want, sizeof want);
        }
    }
    explain(&m, s, opnds, at, opnd_at, furthest, bad, want);
}

/* ---- calls -------------------------------------------------------------------------------- */
static void check_list(ptx_parser *p, const ptx_call_site *c, const ptx_opnd *list,
                       const ptx_var *formal, size_t count, const char *what, const char *name) {
    bool open = count && formal[count - 1].bytes == 0; /* the last parameter takes anything */
    if (open ? list->count + 1u < count : list->count != count)
        ptx_fail(p, &c->at, "'%s' has %zu %s, the call gives %u", name, count, what, list->count);
    for (unsigned k = 0; k < list->count && k < count; k++) {
        const ptx_opnd *e = &list->elem[k];
        uint64_t size = 0;
        if (formal[k].type == PTX_PRED)
            ptx_fail(p, &c->at, "number %u of the %s of '%s' is a predicate, which no call passes",
                     k + 1, what, name);
        if (formal[k].bytes == 0) continue;
        switch (e->kind) {
        case PTX_OPND_VAR:
            if (e->var->space != PTX_SPACE_PARAM || e->offset)
                ptx_fail(p, &c->at, "'%s' in a call must be a .param variable", e->var->name);
            size = e->var->bytes;
            break;
        case PTX_OPND_REG:
            size = ptx_type_size((ptx_type)((const uint8_t *)p->reg_types.data)[e->reg]);
            break;
        case PTX_OPND_IMM:
        case PTX_OPND_SINK: size = formal[k].bytes; break;
        default: break;
        }
        if (size != formal[k].bytes)
            ptx_fail(p, &c->at, "number %u of the %s of '%s' has %llu bytes, the call gives %llu",
                     k + 1, what, name, (unsigned long long)formal[k].bytes,
                     (unsigned long long)size);
    }
}

void ptx_check_call(ptx_parser *p, const ptx_call_site *c) {
    const ptx_func *f = c->nopnds > 3 ? c->opnd[3].func : c->opnd[1].func;
    if (c->opnd[1].kind == PTX_OPND_FUNC) f = c->opnd[1].func;
    if (!f) ptx_fail(p, &c->at, "this call has no signature");
    if (c->opnd[1].kind == PTX_OPND_REG &&
        ptx_type_size((ptx_type)((const uint8_t *)p->reg_types.data)[c->opnd[1].reg]) != 8)
        ptx_fail(p, &c->at, "the address of a function needs a 64-bit register");
    if (f->entry) ptx_fail(p, &c->at, "'%s' is a kernel: device code cannot call it", f->name);
    check_list(p, c, &c->opnd[0], f->rets, f->ret_count, "returns", f->name);
    check_list(p, c, &c->opnd[2], f->params, f->param_count, "parameters", f->name);
}
