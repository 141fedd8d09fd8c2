/* The table: rows by name, and the form that an instruction fits, which says what its operands
 * are. */
#include "runner/device/sim/sass/internal.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const sass_row rows[] = {
#define OP(name, since, until, pipe, latency, klass, space, doc)                                   \
    {#name, doc, since, until, SASS_PIPE_##pipe, SASS_##latency, SASS_##klass, SASS_##space},
#define FORM(...)
#include "runner/device/sim/sass/ops.def"
};

/* The forms of a row follow the row's mark, which has no text. */
typedef struct {
    uint16_t op;
    const char *mods, *opnds;
} op_form;
static const op_form forms[] = {
#define OP(name, ...)     {SASS_OP_##name, NULL, NULL},
#define FORM(mods, opnds) {0, mods, opnds},
#include "runner/device/sim/sass/ops.def"
};
enum { FORMS = sizeof forms / sizeof *forms };

const sass_row *sass_row_of(sass_op op) {
    return &rows[op];
}

/* The latency is fixed for tensor cores from sm_80 on, for f64 where its pipe is as wide as a
 * scheduler's (sm_90; ptxas 13.0 sets barriers for sm_80, too), and for the rest from sm_90 on. */
sass_latency sass_latency_on(sass_op op, unsigned arch) {
    const sass_row *row = &rows[op];
    if (row->latency != SASS_EITHER) return row->latency;
    bool fixed = row->pipe == SASS_PIPE_TENSOR ? arch >= 80
                 : row->pipe == SASS_PIPE_FP64 ? arch == 90
                                               : arch >= 90;
    return fixed ? SASS_FIXED : SASS_SCOREBOARD;
}

static int row_order(const void *a, const void *b) {
    return strcmp(rows[*(const uint16_t *)a].name, rows[*(const uint16_t *)b].name);
}

void sass_ops_prepare(sass_ops *ops) {
    for (unsigned k = 0; k < FORMS; k++)
        if (!forms[k].mods) ops->first[forms[k].op] = (uint16_t)(k + 1);
    for (unsigned k = 0; k < SASS_OP_COUNT; k++) ops->sorted[k] = (uint16_t)k;
    qsort(ops->sorted, SASS_OP_COUNT, sizeof *ops->sorted, row_order);
}

static int compare(sass_text t, const char *name) {
    size_t n = (size_t)(t.end - t.s);
    int c = strncmp(t.s, name, n);
    return c ? c : name[n] ? -1 : 0;
}

sass_op sass_op_named(const sass_ops *ops, sass_text name) {
    for (size_t low = 0, high = SASS_OP_COUNT; low < high;) {
        size_t mid = (low + high) / 2;
        int c = compare(name, rows[ops->sorted[mid]].name);
        if (!c) return ops->sorted[mid];
        if (c < 0) high = mid;
        else low = mid + 1;
    }
    return SASS_OP_COUNT;
}

/* ---- modifiers ---- */

/* Returns whether `word`, of n bytes, starts in the modifiers at a dot and ends before the next. */
static bool among(const char *mods, const char *word, size_t n) {
    for (const char *m = mods; (m = strchr(m, '.'));) {
        m++;
        if (!strncmp(m, word, n) && (!m[n] || m[n] == '.')) return true;
    }
    return false;
}

bool sass_has(const sass_insn *i, const char *words) {
    return among(i->mods, words, strlen(words));
}

/* Returns whether it is the word of n bytes in a list, in which # stands for a number. */
static bool is_word(const char *w, size_t n, sass_text t) {
    for (size_t k = 0; k < n; k++) {
        if (t.s == t.end) return false;
        if (w[k] == '#' && isdigit((unsigned char)*t.s))
            while (t.s < t.end && isdigit((unsigned char)*t.s)) t.s++;
        else if (w[k] != *t.s++) return false;
    }
    return t.s == t.end;
}

/* Returns whether the form's list has the modifier, alone or in a sequence that must be there. */
static bool form_lists(const char *list, sass_text word) {
    for (const char *w = list; *w; w += *w == ' ' || *w == '.' || *w == '!') {
        size_t n = strcspn(w, " .!");
        if (n && is_word(w, n, word)) return true;
        w += n;
    }
    return false;
}

static sass_text next_modifier(const char **mods) {
    sass_text t = {*mods + 1, *mods + 1 + strcspn(*mods + 1, ".")};
    *mods = t.end;
    return t;
}

static bool modifiers_fit(const op_form *f, const sass_insn *i, sass_text *word) {
    for (const char *w = f->mods; *w; w += strspn(w, " ")) {
        size_t n = strcspn(w, " ");
        if (n && w[n - 1] == '!' && !among(i->mods, w, n - 1)) return false;
        w += n;
    }
    for (const char *m = i->mods; *m;) {
        sass_text t = next_modifier(&m);
        if (form_lists(f->mods, t)) continue;
        *word = t;
        return false;
    }
    return true;
}

unsigned sass_bytes(const sass_insn *i) {
    static const struct {
        const char *word;
        unsigned bytes;
    } sizes[] = {{"U8", 1},     {"S8", 1},   {"U16", 2},    {"S16", 2},    {"64", 8},
                 {"U64", 8},    {"S64", 8},  {"F64", 8},    {"F32x2", 8},  {"F16x4", 8},
                 {"BF16x4", 8}, {"128", 16}, {"F32x4", 16}, {"F16x8", 16}, {"256", 32}};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        if (sass_has(i, sizes[k].word)) return sizes[k].bytes;
    return 4;
}

/* ---- operands ---- */

static unsigned matrices(const sass_insn *i) {
    return sass_has(i, "4") ? 4 : sass_has(i, "2") ? 2 : 1;
}

/* Registers of a warpgroup's accumulators: m64nN over 128 lanes, ".64x256x16.F32". */
static unsigned accumulators(const sass_insn *i) {
    const char *shape = strstr(i->mods, ".64x");
    unsigned long n = shape ? strtoul(shape + 4, NULL, 10) : 0;
    return n > 256 ? 0 : (unsigned)n / (sass_has(i, "F16") ? 4 : 2);
}

/* ---- textures ---- */

static const struct {
    const char *word;
    uint8_t coordinates, gradients;
} dims[] = {{"1D", 1, 2},         {"2D", 2, 4},       {"3D", 3, 6},
            {"CUBE", 3, 6},       {"ARRAY_1D", 2, 2}, {"ARRAY_2D", 3, 4},
            {"ARRAY_CUBE", 4, 6}, {"1D_ARRAY", 2, 0}, {"2D_ARRAY", 3, 0}};
enum { DIMS = sizeof dims / sizeof *dims };

/* Finds the dimension among the operands, and the mask of components after it. */
static unsigned dim_of(const sass_insn *i, unsigned *mask) {
    *mask = 15;
    for (unsigned k = 0; k < i->opnd_count; k++) {
        const sass_opnd *o = &i->opnd[k];
        if (o->kind != SASS_OPND_WORD || !o->text) continue;
        if (k + 1 < i->opnd_count && o[1].kind == SASS_OPND_INT) *mask = o[1].imm & 15;
        for (unsigned d = 0; d < DIMS; d++)
            if (!strcmp(o->text, dims[d].word)) return d;
    }
    return DIMS;
}

/* The handle is in a register after the coordinates (before the coordinates of gradients). Then it
 * is in neither a uniform register nor a constant, and two numbers precede the dimension. */
static bool is_bindless(const sass_insn *i) {
    for (unsigned k = 0; k < i->opnd_count; k++) {
        if (i->opnd[k].kind == SASS_OPND_WORD) return true;
        if (i->opnd[k].kind == SASS_OPND_UREG || i->opnd[k].kind == SASS_OPND_INT) break;
    }
    return false;
}

/* SCR: the operands are in two registers or pairs, half in each. Otherwise the coordinates are one
 * vector and the additional values (level, reference, offsets, gradients) another. */
static unsigned texture_width(const sass_insn *i, char which) {
    unsigned mask, d = dim_of(i, &mask), components = (unsigned)__builtin_popcount(mask), more;
    if (d == DIMS) return 1;
    if (which == 'U') return components > 2 ? components - 2 : 1;
    if (which == 'V') return components > 2 ? 2 : components ? components : 1;
    unsigned n = dims[d].coordinates, handle = is_bindless(i);
    more = i->op == SASS_OP_TXD ? dims[d].gradients
                                : sass_has(i, "LL") + sass_has(i, "LB") + sass_has(i, "DC");
    more += sass_has(i, "AOFFI");
    if (i->op == SASS_OP_TXD) n += handle;
    else more += handle;
    if (sass_has(i, "SCR")) {
        more += n;
        n = (more + 1) / 2;
        more /= 2;
    }
    return which == 'X' ? n : more ? more : 1;
}

static unsigned surface_width(const sass_insn *i) {
    for (unsigned d = 0; d < DIMS; d++)
        if (sass_has(i, dims[d].word)) return dims[d].coordinates;
    return 1;
}

/* A tensor copy has in uniform registers: the address in shared memory, the mbarrier of a load, one
 * coordinate for each dimension. A prefetch has only coordinates. */
static unsigned box_width(const sass_insn *i) {
    char word[] = "1D";
    unsigned n = 5;
    for (; n > 1; n--) {
        word[0] = (char)('0' + n);
        if (sass_has(i, word)) break;
    }
    return n + (i->op == SASS_OP_UTMALDG ? 2 : i->op == SASS_OP_UTMAPF ? 0 : 1);
}

static unsigned opnd_width(const sass_insn *i, const char *spec) {
    if (*spec != ':') return 1;
    switch (spec[1]) {
    case 'm': return (sass_bytes(i) + 3) / 4;
    case 'n': return matrices(i);
    case 'g': return accumulators(i);
    case 'h': return 2;
    case 'k': return surface_width(i);
    case 'b': return box_width(i);
    case 'U':
    case 'V':
    case 'X':
    case 'Y': return texture_width(i, spec[1]);
    default: return (unsigned)strtoul(spec + 1, NULL, 10);
    }
}

static bool is_source(unsigned kind) {
    return kind == SASS_OPND_REG || kind == SASS_OPND_UREG || kind == SASS_OPND_CONST ||
           kind == SASS_OPND_INT || kind == SASS_OPND_FLOAT || kind == SASS_OPND_SYMBOL;
}

static bool kind_fits(char want, const sass_opnd *o) {
    unsigned kind = o->kind;
    switch (want) {
    case 'r': return kind == SASS_OPND_REG;
    case 'u': return kind == SASS_OPND_UREG;
    case 'd': return kind == SASS_OPND_REG || kind == SASS_OPND_UREG;
    case 's':
    case 'h': return is_source(kind);
    case 'i': return kind == SASS_OPND_INT;
    case 'p':
    case 'q': return kind == SASS_OPND_PRED || kind == SASS_OPND_UPRED;
    case 'a':
        return kind == SASS_OPND_MEM &&
               (o->base.reg != SASS_NONE || o->ubase.reg != SASS_NONE || o->form == SASS_PLAIN);
    case 'x': return kind == SASS_OPND_MEM;
    case 'l': return kind == SASS_OPND_LABEL || kind == SASS_OPND_SYMBOL || kind == SASS_OPND_INT;
    case 'S': return kind == SASS_OPND_SREG;
    case 'b':
    case 'c':
    case 'f': return kind == SASS_OPND_BARRIER;
    case 'P':
    case 'Q': return kind == SASS_OPND_PREDS || kind == SASS_OPND_UPREDS;
    default: return kind == SASS_OPND_WORD || kind == SASS_OPND_SET || kind == SASS_OPND_SCOREBOARD;
    }
}

static sass_role role_of(char want) {
    if (want == 'f') return SASS_BOTH;
    return strchr("dpcP", want) ? SASS_DEF : SASS_USE;
}

static void settle(const sass_insn *i, sass_opnd *o, const char *spec) {
    unsigned width = opnd_width(i, spec + 1);
    o->role = (uint8_t)role_of(*spec);
    o->width = (uint8_t)width;
    if (o->kind != SASS_OPND_MEM) return;
    if (!o->base.width) o->base.width = (uint8_t)width;
    if (!o->ubase.width) o->ubase.width = (uint8_t)width;
    if (spec[1] == ':' && spec[2] == 'h') o->ubase.skip = 2;
}

/* Returns whether registers would run past R254. */
static bool too_wide(const sass_opnd *o) {
    return (o->kind == SASS_OPND_REG || o->kind == SASS_OPND_UREG) && o->reg != SASS_RZ &&
           o->reg + o->width > SASS_RZ;
}

static bool operands_fit(const op_form *f, sass_insn *i) {
    unsigned at = 0;
    for (const char *w = f->opnds; *w; w += strcspn(w, " "), w += *w == ' ') {
        bool optional = w[strcspn(w, " ") - 1] == '?';
        if (at == i->opnd_count || !kind_fits(*w, &i->opnd[at])) {
            if (optional) continue;
            return false;
        }
        sass_opnd *o = &i->opnd[at++];
        settle(i, o, w);
        if (too_wide(o)) return false;
        if (*w == 'h' && o->kind == SASS_OPND_FLOAT) {
            if (at == i->opnd_count || i->opnd[at].kind != SASS_OPND_FLOAT) return false;
            settle(i, &i->opnd[at++], w);
        }
    }
    return at == i->opnd_count;
}

sass_fit sass_fit_form(const sass_ops *ops, sass_insn *i, sass_text *word) {
    sass_text unknown = {0};
    bool shape = false;
    for (const op_form *f = forms + ops->first[i->op]; f < forms + FORMS && f->mods; f++) {
        sass_text one = {0};
        if (!modifiers_fit(f, i, &one)) {
            if (one.s) unknown = one;
            continue;
        }
        if (operands_fit(f, i)) return SASS_FITS;
        shape = true;
    }
    *word = unknown;
    return unknown.s && !shape ? SASS_BAD_MODIFIER : SASS_BAD_OPERANDS;
}
