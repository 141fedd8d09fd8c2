/* C expressions over the variables of a lane: integers, floats, pointers, elements, members.
 *
 *   text --tokens, precedence climbing--> values while parsing
 *
 * There are no calls and no assignments, so an expression only reads. Integers have 64 bits in
 * computations; float arithmetic is done in double. Besides variables there are threadIdx,
 * blockIdx, blockDim, gridDim, warpSize, and registers of the PTX by their names (%r1). */
#include "runner/device/sim/debug/debug_internal.h"
#include "runner/base/message.h"
#include "words/debug.h"

#include <ctype.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TEXT = 1024, MOST_DEPTH = 64, NAME = 128 };

typedef struct {
    const sim_debug *d;
    unsigned lane;
    const char *text, *p;
    debug_here h; /* no function: nothing runs */
    bool skip;    /* in an operand that && || ?: do not need: memory is not read */
    bool missing; /* the last element is not in memory: only its address can be taken */
    sim_addr missing_at;
    unsigned depth;
    lib_message *msg;
    jmp_buf fail;
} expr;

static sim_value expr_conditional(expr *e);
static sim_value expr_unary(expr *e);

static _Noreturn void expr_fail(expr *e, lib_words why) {
    lib_message_set(e->msg, why);
    longjmp(e->fail, 1);
}

static void expr_space(expr *e) {
    while (isspace((unsigned char)*e->p)) e->p++;
}

static bool expr_take(expr *e, const char *s) {
    expr_space(e);
    size_t n = strlen(s);
    if (strncmp(e->p, s, n)) return false;
    e->p += n;
    return true;
}

static bool expr_name(expr *e, char *name) {
    expr_space(e);
    const char *s = e->p;
    size_t n = 0;
    if (!isalpha((unsigned char)*s) && *s != '_' && *s != '%' && *s != '$') return false;
    while (n < NAME - 1 &&
           (isalnum((unsigned char)s[n]) || s[n] == '_' || s[n] == '$' || (!n && s[n] == '%')))
        name[n] = s[n], n++;
    name[n] = 0;
    e->p += n;
    return true;
}

/* ---- values ---- */

static sim_value value_int(int64_t i) {
    return (sim_value){.kind = SIM_VALUE_INT, .bytes = 8, .type = -1, .v.i = i};
}
static sim_value value_uint(uint64_t u) {
    return (sim_value){.kind = SIM_VALUE_UINT, .bytes = 8, .type = -1, .v.u = u};
}
static sim_value value_float(double f) {
    return (sim_value){.kind = SIM_VALUE_FLOAT, .bytes = 8, .type = -1, .v.f = f};
}
static double value_as_float(const sim_value *v) {
    return v->kind == SIM_VALUE_FLOAT ? v->v.f
           : v->kind == SIM_VALUE_INT ? (double)v->v.i
                                      : (double)v->v.u;
}
static int64_t value_as_int(const sim_value *v) {
    if (v->kind != SIM_VALUE_FLOAT) return v->v.i;
    return fabs(v->v.f) < 0x1p63 ? (int64_t)v->v.f : 0;
}

/* Returns the type to which a pointer points, or of an array's elements; DWARF_NONE with *stars 0:
 * none. */
static uint32_t value_target(const expr *e, const sim_value *v, unsigned *stars) {
    const dwarf *w = e->d->dwarf;
    *stars = v->stars ? v->stars - 1u : 0;
    if (v->stars) return v->type < 0 ? DWARF_NONE : (uint32_t)v->type;
    if (v->type < 0 || !w) return DWARF_NONE;
    uint32_t t = debug_type_strip(w, (uint32_t)v->type);
    if (t == DWARF_NONE) return t;
    uint16_t tag = w->dies[t].tag;
    bool points =
        tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type || tag == DW_TAG_array_type;
    return points ? w->dies[t].type : DWARF_NONE;
}

static bool value_is_array(const expr *e, const sim_value *v) {
    const dwarf *w = e->d->dwarf;
    if (v->type < 0 || v->stars || !w) return false;
    uint32_t t = debug_type_strip(w, (uint32_t)v->type);
    return t != DWARF_NONE && w->dies[t].tag == DW_TAG_array_type;
}

static void expr_present(expr *e) {
    if (!e->missing || e->skip) return;
    expr_fail(e, w_debug_no_memory_at((unsigned long long)e->missing_at));
}

static void expr_scalar(expr *e, const sim_value *v) {
    expr_present(e);
    if (v->kind == SIM_VALUE_OTHER) expr_fail(e, w_debug_number_expected(e->text));
}

/* A pointer made by a cast has no DWARF. */
static bool value_is_cast(const sim_value *v) {
    return v->kind == SIM_VALUE_POINTER && v->type < 0 && v->stars && v->base_bytes;
}

/* Returns the bytes from one element to the next; 0: its target has no size. */
static uint64_t value_stride(const expr *e, const sim_value *v) {
    unsigned stars;
    if (value_is_cast(v)) return v->stars > 1 ? 8 : v->base_bytes;
    uint32_t type = value_target(e, v, &stars);
    return debug_type_bytes(e->d->dwarf, type, stars);
}

static sim_value expr_cast_element(expr *e, const sim_value *v, int64_t index) {
    uint64_t bits = 0, bytes = value_stride(e, v);
    sim_value to = *v;
    to.stars--;
    to.kind = to.stars ? SIM_VALUE_POINTER : (sim_value_kind)v->base_kind;
    to.bytes = (unsigned)bytes;
    to.address = v->v.u + (uint64_t)index * bytes;
    if (debug_read(e->d, e->lane, to.address, &bits, to.bytes)) debug_value_bits(&to, bits);
    else if (!e->skip) e->missing = true, e->missing_at = to.address;
    return to;
}

/* Returns the element at `index` of a pointer or array. */
static sim_value expr_element(expr *e, const sim_value *v, int64_t index) {
    expr_present(e);
    if (value_is_cast(v)) return expr_cast_element(e, v, index);
    bool array = value_is_array(e, v);
    unsigned stars;
    uint32_t type = value_target(e, v, &stars);
    uint64_t bytes = debug_type_bytes(e->d->dwarf, type, stars);
    if (!bytes || (!array && v->kind != SIM_VALUE_POINTER))
        expr_fail(e, w_debug_no_elements(e->text));
    sim_addr at = (array ? v->address : v->v.u) + (uint64_t)index * bytes;
    sim_value to;
    if (!debug_value_at(e->d, e->lane, at, type, stars, &to) && !e->skip) {
        e->missing = true;
        e->missing_at = at;
        to = (sim_value){.kind = SIM_VALUE_OTHER,
                         .bytes = (unsigned)bytes,
                         .type = type == DWARF_NONE ? -1 : (int32_t)type,
                         .stars = (uint8_t)stars,
                         .address = at};
    }
    return to;
}

/* ---- primaries ---- */

static sim_value expr_number(expr *e) {
    char *end;
    const char *s = e->p;
    uint64_t u = strtoull(s, &end, 0);
    bool hex = s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
    if (!hex && (*end == '.' || *end == 'e' || *end == 'E')) {
        double f = strtod(s, &end);
        e->p = end + (*end == 'f' || *end == 'F');
        return value_float(f);
    }
    bool is_unsigned = false;
    for (; *end == 'u' || *end == 'U' || *end == 'l' || *end == 'L'; end++)
        is_unsigned |= *end == 'u' || *end == 'U';
    e->p = end;
    return is_unsigned || u > INT64_MAX ? value_uint(u) : value_int((int64_t)u);
}

/* threadIdx.x and similar names. */
static bool expr_builtin(expr *e, const char *name, sim_value *v) {
    static const char *const names[] = {"threadIdx", "blockIdx", "blockDim", "gridDim"};
    const sim_launch *l = e->d->launch;
    if (!l) return false;
    if (!strcmp(name, "warpSize")) {
        *v = value_int(SIM_WARP_LANES);
        return true;
    }
    for (unsigned k = 0; k < 4; k++) {
        if (strcmp(name, names[k])) continue;
        expr_space(e);
        if (*e->p != '.' || e->p[1] < 'x' || e->p[1] > 'z') expr_fail(e, w_debug_has_xyz(name));
        unsigned dim = (unsigned)(e->p[1] - 'x');
        e->p += 2;
        uint64_t linear = k == 0 ? (e->d->focus_thread & ~31u) + e->lane : e->d->focus_block;
        const unsigned *size = k % 2 == 0 ? l->block : l->grid;
        uint64_t part = dim == 0   ? linear % size[0]
                        : dim == 1 ? linear / size[0] % size[1]
                                   : linear / size[0] / size[1];
        *v = value_int(k < 2 ? (int64_t)part : (int64_t)size[dim]);
        return true;
    }
    return false;
}

static bool expr_register(expr *e, const char *name, sim_value *v) {
    const debug_here *h = &e->h;
    for (uint32_t r = 0; h->warp && r < h->func->ptx->reg_count; r++) {
        uint64_t bits;
        if (strcmp(h->func->ptx->reg_name[r], name) || !debug_register(h, r, e->lane, &bits))
            continue;
        unsigned type = h->func->ptx->reg_type[r];
        uint32_t word = (uint32_t)bits;
        float f;
        double g;
        memcpy(&f, &word, sizeof f);
        memcpy(&g, &bits, sizeof g);
        if (type == PTX_F32) *v = value_float((double)f), v->bytes = 4;
        else if (type == PTX_F64) *v = value_float(g);
        else if (type == PTX_S32 || type == PTX_B32) *v = value_int((int32_t)word);
        else *v = value_uint(bits);
        return true;
    }
    return false;
}

static sim_value expr_variable(expr *e, const char *name) {
    sim_value v;
    if (*name == '%') {
        if (!expr_register(e, name, &v)) expr_fail(e, w_debug_no_register(name));
        return v;
    }
    if (expr_builtin(e, name, &v)) return v;
    if (!strcmp(name, "true") || !strcmp(name, "false")) return value_int(*name == 't');
    uint32_t die = e->d->run ? debug_find_variable(e->d, &e->h, name) : DWARF_NONE;
    if (die == DWARF_NONE)
        expr_fail(e, sim_debug_has_variables(e->d) ? w_debug_no_variable(name)
                                                   : w_debug_no_variables(name));
    if (!debug_variable(e->d, &e->h, e->lane, die, &v)) expr_fail(e, w_debug_no_value_here(name));
    return v;
}

/* "unsigned int", "const float": the kind and size that the words mean. Returns false if they are
 * not a type. */
static bool expr_type(expr *e, sim_value *to) {
    static const struct {
        const char *name;
        sim_value_kind kind;
        unsigned bytes;
    } types[] = {{"float", SIM_VALUE_FLOAT, 4},   {"double", SIM_VALUE_FLOAT, 8},
                 {"int", SIM_VALUE_INT, 4},       {"unsigned", SIM_VALUE_UINT, 4},
                 {"char", SIM_VALUE_INT, 1},      {"short", SIM_VALUE_INT, 2},
                 {"long", SIM_VALUE_INT, 8},      {"size_t", SIM_VALUE_UINT, 8},
                 {"uint64_t", SIM_VALUE_UINT, 8}, {"int64_t", SIM_VALUE_INT, 8},
                 {"uint32_t", SIM_VALUE_UINT, 4}, {"int32_t", SIM_VALUE_INT, 4},
                 {"uint8_t", SIM_VALUE_UINT, 1},  {"const", SIM_VALUE_OTHER, 0},
                 {"signed", SIM_VALUE_INT, 4}};
    char name[NAME];
    bool is_unsigned = false;
    *to = (sim_value){.kind = SIM_VALUE_OTHER, .type = -1};
    for (const char *keep = e->p; expr_name(e, name); keep = e->p) {
        size_t k = 0;
        while (k < sizeof types / sizeof *types && strcmp(types[k].name, name) != 0) k++;
        if (k == sizeof types / sizeof *types) {
            e->p = keep;
            break;
        }
        if (!types[k].bytes) continue;
        is_unsigned |= !strcmp(name, "unsigned");
        /* `int` after another word adds nothing */
        if (to->bytes && !strcmp(name, "int")) continue;
        to->kind = types[k].kind;
        to->bytes = types[k].bytes;
    }
    if (is_unsigned && to->kind == SIM_VALUE_INT) to->kind = SIM_VALUE_UINT;
    return to->bytes != 0;
}

/* (float *), (int): the type of the operand after it. */
static bool expr_cast(expr *e, sim_value *to) {
    const char *keep = e->p;
    if (expr_type(e, to)) {
        sim_value base = *to;
        while (to->stars < 8 && expr_take(e, "*")) to->stars++;
        if (to->stars) {
            to->kind = SIM_VALUE_POINTER;
            to->base_kind = (uint8_t)base.kind;
            to->base_bytes = (uint8_t)base.bytes;
            to->bytes = 8;
        }
        if (expr_take(e, ")")) return true;
    }
    e->p = keep;
    return false;
}

static sim_value expr_convert(const sim_value *v, const sim_value *to) {
    if (to->kind == SIM_VALUE_POINTER) {
        sim_value p = *to;
        p.v.u = (uint64_t)value_as_int(v);
        return p;
    }
    if (to->kind == SIM_VALUE_FLOAT) {
        double f = value_as_float(v);
        return value_float(to->bytes == 4 ? (double)(float)f : f);
    }
    int64_t i = value_as_int(v);
    unsigned shift = 64 - 8 * to->bytes;
    if (to->kind == SIM_VALUE_INT) return value_int((int64_t)((uint64_t)i << shift) >> shift);
    return value_uint((uint64_t)i << shift >> shift);
}

static sim_value expr_member(expr *e, const sim_value *v, const char *name) {
    expr_present(e);
    const dwarf *w = e->d->dwarf;
    uint32_t t =
        w && v->type >= 0 && !v->stars ? debug_type_strip(w, (uint32_t)v->type) : DWARF_NONE;
    for (uint32_t k = t == DWARF_NONE ? 0 : t + 1; t != DWARF_NONE && k < w->dies[t].end; k++) {
        const dwarf_die *o = &w->dies[k];
        sim_value m;
        if (o->parent != t || o->tag != DW_TAG_member || strcmp(o->name, name)) continue;
        if (debug_value_at(e->d, e->lane, v->address + o->member, o->type, 0, &m) || e->skip)
            return m;
    }
    expr_fail(e, w_debug_no_member(name));
}

static sim_value expr_primary(expr *e) {
    char name[NAME];
    sim_value v, to;
    expr_space(e);
    if (++e->depth > MOST_DEPTH) expr_fail(e, w_debug_nested_too_deeply(e->text));
    if (expr_take(e, "(")) {
        if (expr_cast(e, &to)) {
            v = expr_unary(e);
            if (to.stars && value_is_array(e, &v)) v = value_uint(v.address);
            expr_scalar(e, &v);
            e->depth--;
            return expr_convert(&v, &to);
        }
        v = expr_conditional(e);
        if (!expr_take(e, ")")) expr_fail(e, w_debug_parenthesis_missing(e->p));
    } else if (isdigit((unsigned char)*e->p) || *e->p == '.') {
        v = expr_number(e);
    } else if (expr_name(e, name)) {
        v = expr_variable(e, name);
    } else {
        if (*e->p) expr_fail(e, w_debug_value_expected_found(e->p));
        expr_fail(e, w_debug_value_expected());
    }
    for (;;) {
        if (expr_take(e, "[")) {
            sim_value i = expr_conditional(e);
            expr_scalar(e, &i);
            if (!expr_take(e, "]")) expr_fail(e, w_debug_bracket_missing(e->p));
            v = expr_element(e, &v, value_as_int(&i));
        } else if (expr_take(e, "->")) {
            if (!expr_name(e, name)) expr_fail(e, w_debug_member_expected(e->p));
            v = expr_element(e, &v, 0);
            v = expr_member(e, &v, name);
        } else if (*e->p == '.' && expr_take(e, ".")) {
            if (!expr_name(e, name)) expr_fail(e, w_debug_member_expected(e->p));
            v = expr_member(e, &v, name);
        } else {
            break;
        }
        expr_space(e);
    }
    e->depth--;
    return v;
}

/* ---- operators ---- */

static sim_value expr_unary(expr *e) {
    expr_space(e);
    char c = *e->p;
    if (!c || !strchr("-!~*&+", c)) return expr_primary(e);
    e->p++;
    if (++e->depth > MOST_DEPTH) expr_fail(e, w_debug_nested_too_deeply(e->text));
    sim_value v = expr_unary(e);
    e->depth--;
    if (c == '*') return expr_element(e, &v, 0);
    if (c == '&') {
        if (!v.address) expr_fail(e, w_debug_register_no_address(e->text));
        e->missing = false;
        return (sim_value){.kind = SIM_VALUE_POINTER,
                           .bytes = 8,
                           .type = v.type,
                           .stars = (uint8_t)(v.stars + 1),
                           .base_kind = v.stars ? v.base_kind : (uint8_t)v.kind,
                           .base_bytes = v.stars ? v.base_bytes : (uint8_t)v.bytes,
                           .v.u = v.address};
    }
    expr_scalar(e, &v);
    bool is_float = v.kind == SIM_VALUE_FLOAT;
    if (c == '!') return value_int(!debug_value_true(&v));
    if (c == '+') return v;
    if (c == '-' && is_float) return value_float(-v.v.f);
    if (is_float) expr_fail(e, w_debug_complement_of_whole_numbers(e->text));
    return c == '-' ? value_int((int64_t) - (uint64_t)value_as_int(&v))
                    : value_int(~value_as_int(&v));
}

typedef struct {
    const char *text;
    unsigned level; /* higher binds more strongly */
} operator_row;
/* Longer ones come first. */
static const operator_row operators[] = {{"||", 1}, {"&&", 2}, {"==", 6}, {"!=", 6}, {"<=", 7},
                                         {">=", 7}, {"<<", 8}, {">>", 8}, {"|", 3},  {"^", 4},
                                         {"&", 5},  {"<", 7},  {">", 7},  {"+", 9},  {"-", 9},
                                         {"*", 10}, {"/", 10}, {"%", 10}};

static const operator_row *expr_operator(expr *e, unsigned least) {
    expr_space(e);
    for (size_t k = 0; k < sizeof operators / sizeof *operators; k++) {
        const operator_row *o = &operators[k];
        if (strncmp(e->p, o->text, strlen(o->text))) continue;
        return o->level >= least ? o : NULL;
    }
    return NULL;
}

static sim_value expr_compute_float(expr *e, const char *op, double a, double b) {
    switch (op[0]) {
    case '+': return value_float(a + b);
    case '-': return value_float(a - b);
    case '*': return value_float(a * b);
    case '/': return value_float(a / b);
    case '<':
        if (op[1] != '<') return value_int(op[1] ? a <= b : a < b);
        break;
    case '>':
        if (op[1] != '>') return value_int(op[1] ? a >= b : a > b);
        break;
    case '=': return value_int(a == b);
    case '!': return value_int(a != b);
    default: break;
    }
    expr_fail(e, w_debug_operator_of_whole_numbers(op));
}

static sim_value expr_compute_int(expr *e, const char *op, const sim_value *x, const sim_value *y) {
    bool is_unsigned = x->kind != SIM_VALUE_INT || y->kind != SIM_VALUE_INT;
    int64_t a = value_as_int(x), b = value_as_int(y), r = 0;
    uint64_t u = (uint64_t)a, w = (uint64_t)b;
    if ((op[0] == '/' || op[0] == '%') && !b && !e->skip)
        expr_fail(e, w_debug_division_by_zero(e->text));
    bool overflow = !is_unsigned && a == INT64_MIN && b == -1;
    switch (op[0]) {
    case '+': r = (int64_t)(u + w); break;
    case '-': r = (int64_t)(u - w); break;
    case '*': r = (int64_t)(u * w); break;
    case '/': r = !b ? 0 : overflow ? a : is_unsigned ? (int64_t)(u / w) : a / b; break;
    case '%': r = !b || overflow ? 0 : is_unsigned ? (int64_t)(u % w) : a % b; break;
    case '<':
        if (op[1] == '<') r = w < 64 ? (int64_t)(u << w) : 0;
        else return value_int(is_unsigned ? (op[1] ? u <= w : u < w) : op[1] ? a <= b : a < b);
        break;
    case '>':
        if (op[1] == '>') r = w >= 64 ? 0 : is_unsigned ? (int64_t)(u >> w) : a >> b;
        else return value_int(is_unsigned ? (op[1] ? u >= w : u > w) : op[1] ? a >= b : a > b);
        break;
    case '=': return value_int(a == b);
    case '!': return value_int(a != b);
    case '&': r = a & b; break;
    case '|': r = a | b; break;
    default: r = a ^ b; break;
    }
    return is_unsigned ? value_uint((uint64_t)r) : value_int(r);
}

static sim_value expr_compute(expr *e, const char *op, sim_value x, sim_value y) {
    /* An array is a pointer to its first element. */
    if (value_is_array(e, &x) && (op[0] == '+' || op[0] == '-')) {
        sim_value first = expr_element(e, &x, 0);
        x = (sim_value){.kind = SIM_VALUE_POINTER,
                        .bytes = 8,
                        .type = first.type,
                        .stars = (uint8_t)(first.stars + 1),
                        .v.u = x.address};
    }
    expr_scalar(e, &x);
    expr_scalar(e, &y);
    if (x.kind == SIM_VALUE_POINTER && y.kind != SIM_VALUE_POINTER &&
        (op[0] == '+' || op[0] == '-') && !op[1]) {
        uint64_t bytes = value_stride(e, &x);
        int64_t n = value_as_int(&y);
        x.v.u += (uint64_t)(op[0] == '+' ? n : -n) * (bytes ? bytes : 1);
        x.address = 0;
        return x;
    }
    if (x.kind == SIM_VALUE_POINTER && y.kind == SIM_VALUE_POINTER && op[0] == '-' && !op[1]) {
        uint64_t bytes = value_stride(e, &x);
        return value_int((int64_t)(x.v.u - y.v.u) / (int64_t)(bytes ? bytes : 1));
    }
    if (x.kind == SIM_VALUE_FLOAT || y.kind == SIM_VALUE_FLOAT)
        return expr_compute_float(e, op, value_as_float(&x), value_as_float(&y));
    return expr_compute_int(e, op, &x, &y);
}

static sim_value expr_binary(expr *e, unsigned least) {
    if (++e->depth > MOST_DEPTH) expr_fail(e, w_debug_nested_too_deeply(e->text));
    sim_value x = expr_unary(e);
    const operator_row *o;
    while ((o = expr_operator(e, least)) != NULL) {
        e->p += strlen(o->text);
        bool skip = e->skip, logical = o->level <= 2;
        if (logical) {
            expr_scalar(e, &x);
            e->skip |= debug_value_true(&x) == (o->level == 1);
        }
        sim_value y = expr_binary(e, o->level + 1);
        e->skip = skip;
        if (!logical) {
            x = expr_compute(e, o->text, x, y);
            continue;
        }
        expr_scalar(e, &y);
        bool a = debug_value_true(&x), b = debug_value_true(&y);
        x = value_int(o->level == 1 ? a || b : a && b);
    }
    e->depth--;
    return x;
}

static sim_value expr_conditional(expr *e) {
    sim_value c = expr_binary(e, 1);
    if (!expr_take(e, "?")) return c;
    expr_scalar(e, &c);
    bool yes = debug_value_true(&c), skip = e->skip;
    e->skip = skip || !yes;
    sim_value a = expr_conditional(e);
    if (!expr_take(e, ":")) expr_fail(e, w_debug_colon_missing(e->p));
    e->skip = skip || yes;
    sim_value b = expr_conditional(e);
    e->skip = skip;
    return yes ? a : b;
}

bool debug_eval(const sim_debug *d, unsigned lane, const char *text, sim_value *v,
                lib_message *msg) {
    expr e = {.d = d, .lane = lane, .text = text, .p = text, .msg = msg};
    if (strlen(text) > MOST_TEXT) {
        lib_message_set(msg, w_debug_expression_too_long(MOST_TEXT));
        return false;
    }
    if (!d->run || !debug_scope(d, &e.h))
        e.h = (debug_here){.func = d->run ? &d->image->funcs[0] : NULL};
    if (setjmp(e.fail)) return false;
    *v = expr_conditional(&e);
    expr_present(&e);
    expr_space(&e);
    if (!*e.p) return true;
    lib_message_set(msg, w_debug_end_expected(e.p));
    return false;
}

bool sim_debug_eval(const sim_debug *d, int lane, const char *expression, sim_value *v,
                    lib_message *msg) {
    return debug_eval(d, lane < 0 ? debug_lane_of_focus(d) : (unsigned)lane, expression, v, msg);
}
