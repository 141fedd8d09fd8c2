/* Compiles the FORM rows of ops.def from text to sets and patterns, those of a mnemonic when a
 * module first uses it.
 *
 *   "u32|s32 @int", "ftz ROUND(rn|rz)!", "d:0 s:0 s:u32?"
 *     --> ptx_form: sets of types, flags, field values, operand patterns
 *
 * The words are looked up among the parser's interned names; tables.c has given these their
 * meaning. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runner/device/sim/lex/spec.h"
#include "runner/device/sim/lex/lex.h"

/* Titles for messages. */
const char *const ptx_field_titles[PTX_FIELD_COUNT] = {
    [PTX_FIELD_ROUND] = "a rounding mode",
    [PTX_FIELD_CMP] = "a comparison",
    [PTX_FIELD_BOOL] = "a boolean operator",
    [PTX_FIELD_VEC] = "a vector size",
    [PTX_FIELD_ATOM] = "an operation",
    [PTX_FIELD_ORDER] = "a memory order",
    [PTX_FIELD_SCOPE] = "a scope",
    [PTX_FIELD_CACHE] = "a cache operator",
    [PTX_FIELD_SHFL] = "a shuffle mode",
    [PTX_FIELD_VOTE] = "a vote mode",
    [PTX_FIELD_GEOM] = "a geometry",
    [PTX_FIELD_SHAPE] = "a shape",
    [PTX_FIELD_M64K8] = "a shape",
    [PTX_FIELD_M64K16] = "a shape",
    [PTX_FIELD_M64K32] = "a shape",
    [PTX_FIELD_M64K64] = "a shape",
    [PTX_FIELD_M64K256] = "a shape",
    [PTX_FIELD_CLAMP] = "a clamping mode",
    [PTX_FIELD_PRMT] = "a mode",
    [PTX_FIELD_LAYOUT] = "a layout",
    [PTX_FIELD_LAYOUT_B] = "a second layout",
    [PTX_FIELD_COMP] = "a component",
    [PTX_FIELD_QUERY] = "a property",
    [PTX_FIELD_TESTP] = "a property to test",
    [PTX_FIELD_TILE] = "a mode of tensor copies",
    [PTX_FIELD_TMAP] = "a field of tensor maps",
    [PTX_FIELD_GROUP] = "a group of blocks",
};

void ptx_append(char *buf, size_t n, const char *text) {
    size_t at = strlen(buf);
    if (at + 1 < n) snprintf(buf + at, n - at, "%s", text);
}

/* ---- rows --------------------------------------------------------------------------------- */
static const struct spec_row {
    uint16_t op; /* 0: a FORM */
    uint8_t klass;
    const char *types, *mods, *operands;
} rows[] = {
#define OP(name, mnemonic, decoder, ends, doc) {.op = PTX_OP_##name},
#define FORM(k, t, m, o)                       {.klass = PTX_CLASS_##k, .types = t, .mods = m, .operands = o},
#include "runner/device/sim/ptx/ops.def"
#undef OP
#undef FORM
};
enum { ROWS = sizeof rows / sizeof *rows };

static const char *const field_names[PTX_FIELD_COUNT] = {
    [PTX_FIELD_ROUND] = "ROUND",     [PTX_FIELD_CMP] = "CMP",
    [PTX_FIELD_BOOL] = "BOOL",       [PTX_FIELD_VEC] = "VEC",
    [PTX_FIELD_ATOM] = "ATOM",       [PTX_FIELD_ORDER] = "ORDER",
    [PTX_FIELD_SCOPE] = "SCOPE",     [PTX_FIELD_CACHE] = "CACHE",
    [PTX_FIELD_SHFL] = "SHFL",       [PTX_FIELD_VOTE] = "VOTE",
    [PTX_FIELD_GEOM] = "GEOM",       [PTX_FIELD_SHAPE] = "SHAPE",
    [PTX_FIELD_CLAMP] = "CLAMP",     [PTX_FIELD_PRMT] = "PRMT",
    [PTX_FIELD_LAYOUT] = "LAYOUT",   [PTX_FIELD_LAYOUT_B] = "LAYOUT_B",
    [PTX_FIELD_COMP] = "COMP",       [PTX_FIELD_QUERY] = "QUERY",
    [PTX_FIELD_TESTP] = "TESTP",     [PTX_FIELD_M64K8] = "M64K8",
    [PTX_FIELD_M64K16] = "M64K16",   [PTX_FIELD_M64K32] = "M64K32",
    [PTX_FIELD_M64K256] = "M64K256", [PTX_FIELD_TILE] = "TILE",
    [PTX_FIELD_GROUP] = "GROUP",     [PTX_FIELD_M64K64] = "M64K64",
    [PTX_FIELD_TMAP] = "TMAP",
};
static const struct need_row {
    uint16_t op; /* 0: a NEED */
    uint16_t version;
    uint32_t target;
    const char *types, *mods;
} need_rows[] = {
#define OP(name, mnemonic, decoder, ends, doc) {.op = PTX_OP_##name},
#define FORM(k, t, m, o)
#define OWN(least, most)     PTX_OWN(least, most, false)
#define OWN_A(least, most)   PTX_OWN(least, most, true)
#define NEED(t, m, v, least) {.types = t, .mods = m, .version = v, .target = least},
#include "runner/device/sim/ptx/ops.def"
#undef OP
#undef FORM
#undef OWN
#undef OWN_A
};
enum { NEED_ROWS = sizeof need_rows / sizeof *need_rows };

/* The first row of each mnemonic. */
#define NAMED_(kind, n) kind##n
#define NAMED(kind, n)  NAMED_(kind, n)
enum {
#define OP(name, mnemonic, decoder, ends, doc) ROWS_OF_##name,
#define FORM(k, t, m, o)                       NAMED(ROW_, __COUNTER__),
#include "runner/device/sim/ptx/ops.def"
#undef OP
#undef FORM
};
enum {
#define OP(name, mnemonic, decoder, ends, doc) NEEDS_OF_##name,
#define FORM(k, t, m, o)
#define NEED(t, m, v, least) NAMED(NEED_ROW_, __COUNTER__),
#include "runner/device/sim/ptx/ops.def"
#undef OP
#undef FORM
};
static const struct {
    uint16_t rows, needs;
} starts[PTX_OP_COUNT] = {
#define OP(name, mnemonic, decoder, ends, doc) [PTX_OP_##name] = {ROWS_OF_##name, NEEDS_OF_##name},
#define FORM(k, t, m, o)
#include "runner/device/sim/ptx/ops.def"
#undef OP
#undef FORM
};

/* ---- compiling a row ---------------------------------------------------------------------- */

/* A fault in ops.def. The unit test compiles every row, so users never see this. */
PTX_NORETURN static void bad_row(ptx_parser *p, const struct spec_row *r, const char *why) {
    ptx_fail(p, &p->tok, "internal: ops.def, FORM(\"%s\", \"%s\", \"%s\"): %s", r->types, r->mods,
             r->operands, why);
}

static const ptx_word *known_word(ptx_parser *p, const char *s, size_t n) {
    return ptx_intern(p, s, n)->word;
}

static uint64_t type_set(ptx_parser *p, const struct spec_row *r, const char *s, size_t n) {
    static const struct {
        const char *name;
        uint64_t set;
    } named[] = {
#define T(t) (UINT64_C(1) << PTX_##t)
        {"@int", T(U16) | T(S16) | T(U32) | T(S32) | T(U64) | T(S64)},
        {"@b", T(B16) | T(B32) | T(B64)},
        {"@mem", T(B8) | T(B16) | T(B32) | T(B64) | T(U8) | T(S8) | T(U16) | T(S16) | T(U32) |
                     T(S32) | T(U64) | T(S64) | T(F32) | T(F64)},
        {"@word",
         T(B8) | T(B16) | T(B32) | T(U8) | T(S8) | T(U16) | T(S16) | T(U32) | T(S32) | T(F32)},
        {"@long", T(B64) | T(U64) | T(S64) | T(F64)},
#undef T
    };
    _Static_assert(PTX_TYPE_COUNT <= 64, "a set of types is a uint64_t");
    uint64_t set = 0;
    for (const char *end = s + n; s < end;) {
        const char *bar = memchr(s, '|', (size_t)(end - s)), *stop = bar ? bar : end;
        if (*s == '@') {
            size_t i = 0;
            while (i < 5 && strncmp(named[i].name, s, (size_t)(stop - s))) i++;
            if (i == 5) bad_row(p, r, "unknown set of types");
            set |= named[i].set;
        } else {
            const ptx_word *w = known_word(p, s, (size_t)(stop - s));
            if (!w || !w->type) bad_row(p, r, "unknown type");
            set |= UINT64_C(1) << w->type;
        }
        s = bar ? bar + 1 : end;
    }
    return set;
}

static void compile_mod(ptx_parser *p, const struct spec_row *r, ptx_form *f, const char *s,
                        size_t n) {
    bool required = s[n - 1] == '!';
    if (required) n--;
    const char *open = memchr(s, '(', n), *close = s + n - 1;
    size_t name_len = open ? (size_t)(open - s) : n;
    if (*s < 'A' || *s > 'Z' || memchr(s, ':', name_len) ||
        (name_len == 3 && !memcmp(s, "NaN", 3)) || (name_len == 2 && *s == 'L')) { /* a flag */
        const ptx_word *w = known_word(p, s, n);
        for (unsigned k = 0; w && k < w->nmods; k++) {
            if (w->mods[k].field != PTX_FIELD_FLAG) continue;
            f->flags |= UINT64_C(1) << w->mods[k].value;
            if (required) f->flags_required |= UINT64_C(1) << w->mods[k].value;
            return;
        }
        bad_row(p, r, "unknown flag");
    }
    bool space = name_len == 5 && !memcmp(s, "SPACE", 5),
         space2 = name_len == 6 && !memcmp(s, "SPACE2", 6);
    unsigned field = 1;
    while (field < PTX_FIELD_COUNT &&
           (strlen(field_names[field]) != name_len || memcmp(field_names[field], s, name_len)))
        field++;
    if (!space && !space2 && field == PTX_FIELD_COUNT) bad_row(p, r, "unknown field");
    uint64_t set = 0;
    if (!open) set = UINT64_MAX;
    for (const char *v = open ? open + 1 : close; v < close;) {
        const char *bar = memchr(v, '|', (size_t)(close - v)), *stop = bar ? bar : close;
        const ptx_word *w = known_word(p, v, (size_t)(stop - v));
        uint32_t value = UINT32_MAX;
        if (space || space2) {
            if (w && w->space) value = w->space - 1u;
        } else if (field == PTX_FIELD_VEC) {
            value = (uint32_t)(*v - '0');
        } else {
            for (unsigned k = 0; w && k < w->nmods; k++)
                if (w->mods[k].field == field) value = w->mods[k].value;
        }
        if (value > 63) bad_row(p, r, "unknown value of a field");
        set |= UINT64_C(1) << value;
        v = bar ? bar + 1 : close;
    }
    if (space) f->spaces = (uint8_t)set, f->space_required = required;
    else if (space2) f->spaces2 = (uint8_t)set, f->space2_required = required;
    else {
        f->values[field] = set;
        if (required) f->fields_required |= 1u << field;
    }
}

static void compile_operand(ptx_parser *p, const struct spec_row *r, ptx_form *f, const char *s,
                            size_t n) {
    if (f->npatterns == PTX_MAX_PATTERNS) bad_row(p, r, "too many operands");
    ptx_pattern *o = &f->patterns[f->npatterns++];
    o->kind = s[0];
    if (!strchr("dsriqDSWwVmMBbotTglL*", s[0])) bad_row(p, r, "unknown kind of operand");
    const char *bar = memchr(s, '|', n);
    if (bar) { /* d:0|pred? */
        o->pair = s[n - 1] == '?' ? '?' : '!';
        n = (size_t)(bar - s);
    } else if (s[n - 1] == '?') {
        o->optional = true;
        n--;
    }
    if (!o->optional) f->nrequired = f->npatterns;
    if (n == 1) return;
    const ptx_word *w = known_word(p, s + 2, n - 2);
    if (s[1] != ':') bad_row(p, r, "expected ':' in an operand");
    if (n == 3 && s[2] >= '0' && s[2] <= '3') o->type_kind = 'n', o->type = (uint8_t)(s[2] - '0');
    else if (n == 3 && s[2] == 'x') o->type_kind = 'x';
    else if (w && w->type) o->type_kind = 't', o->type = w->type;
    else bad_row(p, r, "unknown type of an operand");
    if (o->type_kind == 'n' && o->type >= f->ntypes)
        bad_row(p, r, "the operand's type is not written");
}

/* Calls fn for each part of s; blanks separate the parts. */
static void each_part(ptx_parser *p, const struct spec_row *r, ptx_form *f, const char *s,
                      void (*fn)(ptx_parser *, const struct spec_row *, ptx_form *, const char *,
                                 size_t)) {
    for (;;) {
        while (*s == ' ') s++;
        if (!*s) return;
        size_t n = strcspn(s, " ");
        fn(p, r, f, s, n);
        s += n;
    }
}
static void compile_type(ptx_parser *p, const struct spec_row *r, ptx_form *f, const char *s,
                         size_t n) {
    if (f->ntypes == PTX_MAX_TYPES) bad_row(p, r, "too many types");
    f->types[f->ntypes++] = type_set(p, r, s, n);
}

static void compile_need_word(ptx_parser *p, const struct spec_row *r, ptx_form *f, const char *s,
                              size_t n) {
    ptx_need *need = (ptx_need *)f; /* `words` is its first member */
    if (n == 11 && !memcmp(s, "shared::cta", n)) need->shared = 1 << PTX_SHARED_CTA;
    else if (n == 15 && !memcmp(s, "shared::cluster", n)) need->shared = 1 << PTX_SHARED_CLUSTER;
    else if (n == 1 && *s == '_') need->discards = true;
    else if (n == 1 && *s == '+') need->more = true;
    else if (n == 1 && *s == '|') f->flags |= UINT64_C(1) << PTX_F_PAIR;
    else if (n == 4 && !memcmp(s, "pred", n)) need->predicate = true;
    else compile_mod(p, r, f, s, n);
}

static bool module_meets(const ptx_parser *p, const struct need_row *need) {
    const ptx_module *m = p->module;
    uint32_t t = need->target;
    if (m->version_major * 100 + m->version_minor < need->version) return false;
    if (t < 1u << 31) return m->target >= t;
    return m->target >= PTX_OWN_LEAST(t) && m->target <= PTX_OWN_MOST(t) &&
           (p->target_letter == 'a' || (p->target_letter == 'f' && !(t >> 30 & 1)));
}

/* Returns whether some form of the mnemonic has these words. */
static bool may_have(const ptx_spec *s, const ptx_need *need) {
    const ptx_form *f = &need->words;
    uint64_t types = 0;
    uint8_t spaces = 0;
    for (unsigned k = 0; k < s->nforms; k++) {
        for (unsigned t = 0; t < s->forms[k].ntypes; t++) types |= s->forms[k].types[t];
        spaces |= s->forms[k].spaces | s->forms[k].spaces2;
    }
    for (unsigned k = 1; k < PTX_FIELD_COUNT; k++)
        if (f->values[k] && !(f->values[k] & s->values[k])) return false;
    uint64_t flags = s->flags | UINT64_C(1) << PTX_F_PAIR;
    return (!f->ntypes || f->types[0] & types) && (!f->flags || f->flags & flags) &&
           (!need->shared || spaces >> PTX_SPACE_SHARED & 1);
}

/* Collects the needs of an instruction, its own and the general ones, that the module does not
 * meet. The head of the module has been read by now. */
static void compile_needs(ptx_parser *p, ptx_spec *s, unsigned op) {
    size_t first = starts[op].needs + 1u, last, everybodys = 0;
    while (!need_rows[everybodys].op) everybodys++;
    for (last = first; last < NEED_ROWS && !need_rows[last].op;) last++;
    ptx_need *unmet = NULL;
    for (size_t k = 0; k < last; k++) {
        if (k == everybodys) k = first;
        const struct need_row *from = &need_rows[k];
        if (k == last || module_meets(p, from)) continue;
        if (!unmet) unmet = ptx_get(p, (everybodys + last - first) * sizeof *unmet);
        struct spec_row r = {.types = from->types, .mods = from->mods, .operands = "NEED"};
        ptx_need *need = &unmet[s->nunmet];
        *need = (ptx_need){0};
        each_part(p, &r, &need->words, r.types, compile_type);
        each_part(p, &r, &need->words, r.mods, compile_need_word);
        need->version = from->version;
        need->target = from->target;
        if (may_have(s, need)) s->nunmet++;
    }
    s->unmet = unmet;
}

const ptx_spec *ptx_spec_get(ptx_parser *p, unsigned op) {
    if (p->specs[op]) return p->specs[op];
    size_t first = starts[op].rows + 1u, last;
    for (last = first; last < ROWS && !rows[last].op;) last++;
    ptx_spec *s = ptx_get(p, sizeof *s + (last - first) * sizeof *s->forms);
    s->mnemonic = ptx_op_get(op)->mnemonic;
    s->nforms = (unsigned)(last - first);
    for (unsigned k = 0; k < s->nforms; k++) {
        const struct spec_row *r = &rows[first + k];
        ptx_form *f = &s->forms[k];
        f->klass = r->klass;
        if (r->types[0] == '?') {
            s->special = '?';
            break;
        }
        each_part(p, r, f, r->types, compile_type);
        each_part(p, r, f, r->mods, compile_mod);
        each_part(p, r, f, r->operands, compile_operand);
        s->flags |= f->flags;
        for (unsigned i = 0; i < PTX_FIELD_COUNT; i++) s->values[i] |= f->values[i];
        for (unsigned i = 0; i < f->npatterns; i++)
            if (strchr("*Ll", f->patterns[i].kind)) s->special = f->patterns[i].kind;
    }
    compile_needs(p, s, op);
    p->specs[op] = s;
    return s;
}

/* ---- needs -------------------------------------------------------------------------------- */

/* Returns whether the need is about this instruction. Appends to `what` the words after the
 * mnemonic that make it so. */
static bool need_concerns(const ptx_parser *p, const ptx_need *need, const ptx_insn *i,
                          const ptx_opnd *opnds, const ptx_form *form, unsigned taken, char *what,
                          size_t n) {
    const ptx_form *f = &need->words;
    unsigned types = 0, shared = 0;
    uint64_t written = i->flags & f->flags;
    for (unsigned k = 0; k < i->ntypes; k++)
        if (f->ntypes == 1 ? f->types[0] >> i->type[k] & 1
                           : f->ntypes == i->ntypes && f->types[k] >> i->type[k] & 1)
            types |= 1u << k;
    if (f->ntypes == 1 ? !types : types + 1 != 1u << f->ntypes) return false;
    if (f->flags && !written) return false;
    for (unsigned k = 1; k < PTX_FIELD_COUNT; k++)
        if (f->values[k] && (!i->field[k] || !(f->values[k] >> i->field[k] & 1))) return false;
    if (i->space == PTX_SPACE_SHARED) shared |= 1u << p->shared_form[0];
    if (i->space2 == PTX_SPACE_SHARED) shared |= 1u << p->shared_form[1];
    if ((f->spaces && !(f->spaces >> i->space & 1)) ||
        (f->spaces2 && !(f->spaces2 >> i->space2 & 1)) ||
        (need->shared && !(need->shared & shared)))
        return false;
    bool predicate = false;
    for (unsigned k = 0; k < taken; k++)
        predicate |= form->patterns[k].kind == 'r' && form->patterns[k].type == PTX_PRED;
    if ((need->discards && opnds[0].kind != PTX_OPND_SINK) ||
        (need->more && taken <= form->nrequired) || (need->predicate && !predicate))
        return false;

    snprintf(what, n, "%s", ptx_op_get(i->op)->mnemonic);
    if (written) {
        ptx_append(what, n, written >> PTX_F_PAIR & 1 ? " d|p" : ".");
        ptx_append(what, n, ptx_mod_text(PTX_FIELD_FLAG, (unsigned)__builtin_ctzll(written)));
    }
    for (unsigned k = 1; k < PTX_FIELD_COUNT; k++) {
        if (!f->values[k]) continue;
        ptx_append(what, n, ".");
        ptx_append(what, n, ptx_mod_text(k, i->field[k]));
    }
    if (need->shared)
        ptx_append(what, n,
                   need->shared >> PTX_SHARED_CTA & 1 ? ".shared::cta" : ".shared::cluster");
    for (unsigned k = 0; k < i->ntypes; k++)
        if (types >> k & 1) ptx_append(what, n, ptx_type_text((ptx_type)i->type[k]));
    return true;
}

const ptx_need *ptx_spec_unmet(ptx_parser *p, const ptx_insn *i, const ptx_opnd *opnds,
                               const ptx_form *form, unsigned taken, char *what, size_t n) {
    const ptx_spec *s = p->specs[i->op];
    const ptx_need *most = NULL;
    for (unsigned k = 0; k < s->nunmet; k++) {
        char words[100];
        if ((most && s->unmet[k].version < most->version) ||
            !need_concerns(p, &s->unmet[k], i, opnds, form, taken, words, sizeof words))
            continue;
        most = &s->unmet[k];
        snprintf(what, n, "%s", words);
    }
    return most;
}

char ptx_spec_special(const ptx_spec *s) {
    return s->special;
}

bool ptx_spec_modifier(const ptx_spec *s, ptx_insn *i, const ptx_word *w) {
    for (unsigned k = 0; k < w->nmods; k++) {
        unsigned field = w->mods[k].field, value = w->mods[k].value;
        if (field == PTX_FIELD_FLAG) {
            if (!(s->flags >> value & 1) || (i->flags >> value & 1)) continue;
            i->flags |= UINT64_C(1) << value;
        } else {
            if (!(s->values[field] >> value & 1) || i->field[field]) continue;
            i->field[field] = (uint8_t)value;
        }
        return true;
    }
    return false;
}

void ptx_spec_list_modifiers(const ptx_spec *s, char *buf, size_t n) {
    const char *last = "";
    buf[0] = 0;
    for (unsigned f = 1; f < PTX_FIELD_COUNT; f++) {
        if (!s->values[f] || !strcmp(ptx_field_titles[f], last)) continue;
        last = ptx_field_titles[f];
        ptx_append(buf, n, buf[0] ? ", " : "");
        ptx_append(buf, n, ptx_field_titles[f]);
    }
    for (unsigned k = 0; k < PTX_F_PAIR; k++) {
        if (!(s->flags >> k & 1)) continue;
        ptx_append(buf, n, buf[0] ? ", ." : ".");
        ptx_append(buf, n, ptx_mod_text(PTX_FIELD_FLAG, k));
    }
}
