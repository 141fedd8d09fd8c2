/* Constant expressions (PTX ISA 4.5.3) and initialisers of variables (5.4.4).
 *
 *   tokens --precedence climbing--> ptx_const (64 bits, signed or unsigned, or a float)
 *   { {1, 2}, sym + 8, generic(sym), 0xff00(sym) } --> bytes and relocations */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "runner/device/sim/parse/decl.h"
#include "runner/base/buffer.h"
#include "runner/device/sim/lex/lex.h"
#include "runner/device/sim/lex/scope.h"

/* ---- constant expressions ----------------------------------------------------------------- */
static ptx_const parse_binary(ptx_parser *p, int least, unsigned depth);

static double as_double(ptx_const c) {
    double d;
    float f;
    if (c.is_float == 8) {
        memcpy(&d, &c.bits, 8);
        return d;
    }
    if (c.is_float == 4) {
        memcpy(&f, &c.bits, 4);
        return (double)f;
    }
    return c.is_unsigned ? (double)c.bits : (double)(int64_t)c.bits;
}

uint64_t ptx_float_bits(ptx_const c, ptx_type type) {
    uint64_t bits = 0;
    bool narrow = type == PTX_F32;
    /* a NaN keeps its payload */
    if ((narrow && c.is_float == 4) || (!narrow && c.is_float == 8)) return c.bits;
    double d = as_double(c);
    float f = (float)d;
    if (narrow) memcpy(&bits, &f, 4);
    else memcpy(&bits, &d, 8);
    return bits;
}

static ptx_const negated(ptx_const c) {
    if (c.is_float == 8) c.bits ^= UINT64_C(1) << 63;
    else if (c.is_float == 4) c.bits ^= UINT64_C(1) << 31;
    else c.bits = -c.bits, c.is_unsigned = false;
    return c;
}

static ptx_const parse_primary(ptx_parser *p, unsigned depth) {
    if (depth > PTX_MAX_NESTING)
        ptx_fail(p, &p->tok, "this expression is nested more than %d deep", PTX_MAX_NESTING);
    ptx_const c;
    ptx_token t = p->tok;
    char found[80];
    if (t.kind == PTX_TOK_DOT && t.name->text[0] >= '0' && t.name->text[0] <= '9') { /* .5 */
        ptx_again_as_float(p);
        t = p->tok;
    }
    if (t.kind == PTX_TOK_INT) {
        c = (ptx_const){.bits = t.value, .is_unsigned = t.is_unsigned};
        ptx_next(p);
    } else if (t.kind == PTX_TOK_FLOAT) {
        c = (ptx_const){.bits = t.value, .is_float = t.single ? 4 : 8};
        ptx_next(p);
    } else if (t.kind == PTX_TOK_NAME && !strcmp(t.name->text, "WARP_SZ")) {
        c = (ptx_const){.bits = 32};
        ptx_next(p);
    } else if (ptx_accept(p, '-')) {
        c = negated(parse_primary(p, depth + 1));
    } else if (ptx_accept(p, '+')) {
        c = parse_primary(p, depth + 1);
    } else if (ptx_accept(p, '!')) {
        c = parse_primary(p, depth + 1);
        c = (ptx_const){.bits = c.is_float ? as_double(c) == 0 : c.bits == 0};
    } else if (ptx_accept(p, '~')) {
        c = parse_primary(p, depth + 1);
        if (c.is_float) ptx_fail(p, &t, "~ needs an integer");
        c.bits = ~c.bits;
    } else if (ptx_accept(p, '(')) {
        bool to_signed = ptx_is_dot(p, "s64"), to_unsigned = ptx_is_dot(p, "u64");
        if (to_signed || to_unsigned) {
            ptx_next(p);
            ptx_expect(p, ')', "after the type of a cast");
            c = parse_primary(p, depth + 1);
            if (c.is_float) {
                double d = as_double(c);
                if (!(fabs(d) < 9223372036854775808.0))
                    ptx_fail(p, &t, "this number does not fit in 64 bits");
                c = (ptx_const){.bits = (uint64_t)(int64_t)d};
            }
            c.is_unsigned = to_unsigned;
        } else {
            c = parse_binary(p, 0, depth + 1);
            ptx_expect(p, ')', "at the end of the parenthesis");
        }
    } else {
        ptx_fail(p, &t, "expected a constant, found %s", ptx_describe(&t, found, sizeof found));
    }
    return c;
}

/* Returns how strongly an operator binds, as in C; 0: not an operator. */
static int binds(const ptx_parser *p) {
    if (p->tok.kind != PTX_TOK_PUNCT) return 0;
    switch (p->tok.punct) {
    case '?': return 1;
    case '|' << 8 | '|': return 2;
    case '&' << 8 | '&': return 3;
    case '|': return 4;
    case '^': return 5;
    case '&': return 6;
    case '=' << 8 | '=':
    case '!' << 8 | '=': return 7;
    case '<':
    case '>':
    case '<' << 8 | '=':
    case '>' << 8 | '=': return 8;
    case '<' << 8 | '<':
    case '>' << 8 | '>': return 9;
    case '+':
    case '-': return 10;
    case '*':
    case '/':
    case '%': return 11;
    default: return 0;
    }
}

static ptx_const fold_float(ptx_parser *p, const ptx_token *op, ptx_const a, ptx_const b) {
    double x = as_double(a), y = as_double(b), r = 0;
    ptx_const c = {.is_float = 8};
    switch (op->punct) {
    case '+': r = x + y; break;
    case '-': r = x - y; break;
    case '*': r = x * y; break;
    case '/': r = x / y; break;
    case '<': return (ptx_const){.bits = x < y};
    case '>': return (ptx_const){.bits = x > y};
    case '<' << 8 | '=': return (ptx_const){.bits = x <= y};
    case '>' << 8 | '=': return (ptx_const){.bits = x >= y};
    case '=' << 8 | '=': return (ptx_const){.bits = x == y};
    case '!' << 8 | '=': return (ptx_const){.bits = x != y};
    default: ptx_fail(p, op, "this operator needs integers");
    }
    memcpy(&c.bits, &r, 8);
    return c;
}

static ptx_const fold(ptx_parser *p, const ptx_token *op, ptx_const a, ptx_const b) {
    if (a.is_float || b.is_float) return fold_float(p, op, a, b);
    bool u = a.is_unsigned || b.is_unsigned;
    uint64_t x = a.bits, y = b.bits;
    int64_t sx = (int64_t)x, sy = (int64_t)y;
    ptx_const c = {.is_unsigned = u};
    switch (op->punct) {
    case '+': c.bits = x + y; break;
    case '-': c.bits = x - y; break;
    case '*': c.bits = x * y; break;
    case '/':
    case '%':
        if (!y) ptx_fail(p, op, "division by zero");
        if (!u && sy == -1) c.bits = op->punct == '/' ? -x : 0; /* INT64_MIN / -1 wraps */
        else if (op->punct == '/') c.bits = u ? x / y : (uint64_t)(sx / sy);
        else c.bits = u ? x % y : (uint64_t)(sx % sy);
        break;
    case '<' << 8 | '<': c.bits = y < 64 ? x << y : 0, c.is_unsigned = a.is_unsigned; break;
    case '>' << 8 | '>':
        c.bits = a.is_unsigned ? (y < 64 ? x >> y : 0) : (uint64_t)(sx >> (y < 63 ? y : 63));
        c.is_unsigned = a.is_unsigned;
        break;
    case '&': c.bits = x & y; break;
    case '|': c.bits = x | y; break;
    case '^': c.bits = x ^ y; break;
    default:
        c.is_unsigned = false;
        switch (op->punct) {
        case '<': c.bits = u ? x < y : sx < sy; break;
        case '>': c.bits = u ? x > y : sx > sy; break;
        case '<' << 8 | '=': c.bits = u ? x <= y : sx <= sy; break;
        case '>' << 8 | '=': c.bits = u ? x >= y : sx >= sy; break;
        case '=' << 8 | '=': c.bits = x == y; break;
        case '!' << 8 | '=': c.bits = x != y; break;
        case '&' << 8 | '&': c.bits = x && y; break;
        case '|' << 8 | '|': c.bits = x || y; break;
        default: ptx_fail(p, op, "expected an operator");
        }
    }
    return c;
}

static ptx_const parse_binary(ptx_parser *p, int least, unsigned depth) {
    if (depth > PTX_MAX_NESTING)
        ptx_fail(p, &p->tok, "this expression is nested more than %d deep", PTX_MAX_NESTING);
    ptx_const a = parse_primary(p, depth);
    for (int strength; (strength = binds(p)) > least;) {
        ptx_token op = p->tok;
        ptx_next(p);
        if (op.punct == '?') {
            ptx_const yes = parse_binary(p, 0, depth + 1);
            ptx_expect(p, ':', "between the two sides of ?");
            ptx_const no = parse_binary(p, 0, depth + 1);
            a = (a.is_float ? as_double(a) != 0 : a.bits != 0) ? yes : no;
        } else {
            ptx_const b = parse_binary(p, strength, depth + 1);
            a = fold(p, &op, a, b);
        }
    }
    return a;
}

ptx_const ptx_parse_const(ptx_parser *p) {
    return parse_binary(p, 0, 0);
}
ptx_const ptx_parse_const_unary(ptx_parser *p) {
    return parse_primary(p, 0);
}

/* ---- initialisers ------------------------------------------------------------------------- */
typedef struct {
    ptx_parser *p;
    ptx_var *v;
    unsigned size; /* of an element */
    const uint64_t *dims;
    unsigned ndims;
    uint64_t limit; /* bytes that may be filled */
} init_state;

static uint8_t *room(init_state *s, const ptx_token *at, uint64_t pos, unsigned n) {
    ptx_parser *p = s->p;
    if (pos + n > s->limit) {
        if (s->dims[0]) ptx_fail(p, at, "more initial values than '%s' has room for", s->v->name);
        ptx_fail(p, at, "initialised variables of more than %d bytes in all", PTX_MAX_INIT);
    }
    ptx_buffer *b = &p->init_bytes_buf; /* its bytes; count is the end of what was ever written */
    if (!lib_grow_to(&b->data, &b->cap, pos + n, 1, 256)) ptx_fail_memory(p);
    if (pos + n > b->count) {
        memset((uint8_t *)b->data + b->count, 0, (size_t)(pos + n - b->count));
        b->count = (size_t)(pos + n);
    }
    return (uint8_t *)b->data + pos;
}

/* NAME, NAME + 8. The symbol's name is kept as text, because it may be declared later. */
static void init_symbol(init_state *s, uint64_t pos, bool generic, uint64_t mask) {
    ptx_parser *p = s->p;
    ptx_token at = p->tok;
    ptx_reloc r = {.at = pos, .generic = generic, .bytes = (uint8_t)s->size};
    r.symbol = ptx_expect_name(p, "the name of a variable or function")->text;
    if (ptx_is(p, '+') || ptx_is(p, '-')) {
        bool minus = ptx_is(p, '-');
        ptx_next(p);
        ptx_const c = ptx_parse_const(p);
        if (c.is_float) ptx_fail(p, &at, "an offset must be an integer");
        r.addend = (int64_t)(minus ? -c.bits : c.bits);
    }
    if (mask) {
        unsigned shift = (unsigned)__builtin_ctzll(mask),
                 bits = (unsigned)__builtin_popcountll(mask);
        if (bits % 8 || shift % 8 || bits > 8 * s->size ||
            (bits < 64 && mask >> shift != (UINT64_C(1) << bits) - 1))
            ptx_fail(p, &at, "the mask of an address must pick whole bytes that fit the element");
        r.shift = (uint8_t)shift;
        r.bytes = (uint8_t)(bits / 8);
    } else if (s->size != 8 && s->size != 4) {
        ptx_fail(p, &at, "an address needs elements of 8 bytes (or 4), or a mask such as 0xff(%s)",
                 r.symbol);
    }
    room(s, &at, pos, s->size);
    *(ptx_reloc *)ptx_push(p, &p->relocs, sizeof r) = r;
}

static void init_scalar(init_state *s, uint64_t pos) {
    ptx_parser *p = s->p;
    ptx_token at = p->tok;
    if (p->tok.kind == PTX_TOK_NAME && strcmp(p->tok.name->text, "WARP_SZ")) {
        bool generic = !strcmp(p->tok.name->text, "generic");
        if (!generic) {
            init_symbol(s, pos, false, 0);
            return;
        }
        ptx_next(p);
        ptx_expect(p, '(', "after generic");
        init_symbol(s, pos, true, 0);
        ptx_expect(p, ')', "after the name in generic()");
        if (ptx_is(p, '+') || ptx_is(p, '-')) {
            bool minus = ptx_is(p, '-');
            ptx_next(p);
            ptx_const c = ptx_parse_const(p);
            if (c.is_float) ptx_fail(p, &at, "an offset must be an integer");
            ptx_reloc *r = (ptx_reloc *)p->relocs.data + (p->relocs.count - 1);
            r->addend = (int64_t)((uint64_t)r->addend + (minus ? -c.bits : c.bits));
        }
        return;
    }
    ptx_const c = ptx_parse_const(p);
    if (!c.is_float && c.bits && ptx_accept(p, '(')) {
        bool generic = p->tok.kind == PTX_TOK_NAME && !strcmp(p->tok.name->text, "generic");
        if (generic) {
            ptx_next(p);
            ptx_expect(p, '(', "after generic");
        }
        init_symbol(s, pos, generic, c.bits);
        if (generic) ptx_expect(p, ')', "after the name in generic()");
        ptx_expect(p, ')', "after the name in mask()");
        return;
    }
    uint64_t bits = c.bits;
    if (s->v->type == PTX_F32 || s->v->type == PTX_F64) bits = ptx_float_bits(c, s->v->type);
    else if (c.is_float && !(s->size == 8 && c.is_float == 8) && !(s->size == 4 && c.is_float == 4))
        ptx_fail(p, &at, "expected an integer to initialise %s, found a floating-point number",
                 ptx_type_text(s->v->type));
    /* the device and every supported host are little-endian */
    memcpy(room(s, &at, pos, s->size), &bits, s->size);
}

/* The list of dimension `d` at byte `pos`. Returns the end of the bytes that it filled. As in C, a
 * brace opens the next dimension, and numbers without braces continue to fill. */
static uint64_t init_list(init_state *s, unsigned d, uint64_t pos) {
    ptx_parser *p = s->p;
    uint64_t stride = s->size;
    for (unsigned i = d + 1; i < s->ndims; i++) stride *= s->dims[i];
    uint64_t start = pos, end = d == 0 && !s->dims[0]
                                    ? UINT64_MAX
                                    : start + (d < s->ndims ? s->dims[d] * stride : stride);
    ptx_next(p);
    while (!ptx_is(p, '}')) {
        ptx_token at = p->tok;
        if (pos >= end) ptx_fail(p, &at, "more initial values than '%s' has room for", s->v->name);
        if (ptx_is(p, '{')) {
            if (d + 1 > PTX_MAX_NESTING || d >= s->ndims)
                ptx_fail(p, &at, "more braces than '%s' has dimensions", s->v->name);
            uint64_t into = (pos - start + stride - 1) / stride * stride + start;
            init_list(s, d + 1, into);
            pos = into + stride;
        } else {
            init_scalar(s, pos);
            pos += s->size;
        }
        if (!ptx_accept(p, ',')) break;
    }
    ptx_expect(p, '}', "at the end of the initial values");
    return pos;
}

void ptx_parse_initialiser(ptx_parser *p, ptx_var *v, const uint64_t *dims, unsigned ndims) {
    ptx_token at = p->tok;
    static const uint64_t one = 1;
    bool counted = ndims && !dims[0];
    if (!counted && v->bytes > PTX_MAX_INIT - p->init_bytes)
        ptx_fail(p, &at, "initialised variables of more than %d bytes in all", PTX_MAX_INIT);
    init_state s = {.p = p,
                    .v = v,
                    .size = ptx_type_size(v->type),
                    .dims = ndims ? dims : &one,
                    .ndims = ndims};
    s.limit = counted ? PTX_MAX_INIT - p->init_bytes : v->bytes;
    p->init_bytes_buf.count = p->relocs.count = 0;
    if (ptx_is(p, '{')) {
        uint64_t end = init_list(&s, 0, 0);
        if (counted) {
            uint64_t stride = s.size;
            for (unsigned i = 1; i < ndims; i++) stride *= dims[i];
            v->bytes = (end + stride - 1) / stride * stride;
            if (v->bytes > s.limit)
                ptx_fail(p, &at, "initialised variables of more than %d bytes in all",
                         PTX_MAX_INIT);
        }
    } else {
        if (ndims) ptx_fail(p, &at, "expected '{' to initialise the array '%s'", v->name);
        init_scalar(&s, 0);
    }
    p->init_bytes += v->bytes;
    uint8_t *bytes = ptx_get(p, (size_t)v->bytes);
    if (p->init_bytes_buf.count) memcpy(bytes, p->init_bytes_buf.data, p->init_bytes_buf.count);
    v->init = bytes;
    v->relocs = ptx_keep(p, &p->relocs, sizeof(ptx_reloc));
    v->reloc_count = p->relocs.count;
}
