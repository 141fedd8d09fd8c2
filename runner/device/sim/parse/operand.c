/* Operands of instructions, by their own shape. check.c then compares them with the instruction's
 * forms. */
#include "runner/device/sim/parse/body.h"
#include <string.h>
#include "runner/device/sim/parse/decl.h"
#include "runner/device/sim/lex/lex.h"
#include "runner/device/sim/lex/scope.h"

static void set_const(ptx_opnd *o, ptx_const c) {
    o->kind = PTX_OPND_IMM;
    o->imm = c.bits;
    o->is_float = c.is_float;
}

/* .b3210, .h1 after a register of a video instruction. Returns 0 if it is no selector. */
static uint16_t selector(const ptx_name *n) {
    if (n->len < 2 || n->len > 5 || (n->text[0] != 'b' && n->text[0] != 'h')) return 0;
    bool half = n->text[0] == 'h';
    unsigned digits = 0, count = n->len - 1;
    for (unsigned i = 1; i <= count; i++) {
        if (n->text[i] < '0' || n->text[i] > (half ? '3' : '7')) return 0;
        digits = digits << 3 | (unsigned)(n->text[i] - '0');
    }
    return (uint16_t)(0x8000u | (unsigned)half << 14 | (count - 1) << 12 | digits);
}

static int element_of(const char *word) {
    static const char xyzw[] = "xyzw", rgba[] = "rgba";
    if (!word[0] || word[1]) return -1;
    const char *e = strchr(xyzw, word[0]);
    if (e) return (int)(e - xyzw);
    e = strchr(rgba, word[0]);
    return e ? (int)(e - rgba) : -1;
}

void ptx_parse_label(ptx_parser *p, ptx_opnd *o, ptx_opnd_kind kind, const char *what) {
    ptx_token at = p->tok;
    o->kind = (uint8_t)kind;
    ptx_name *n = ptx_expect_name(p, what);
    ptx_label_ref *r = ptx_push(p, &p->refs, sizeof *r);
    *r = (ptx_label_ref){.name = n, .tok = at, .opnd = o};
}

static void register_operand(ptx_parser *p, ptx_opnd *o, ptx_sym *s, const ptx_token *at) {
    int32_t reg = ptx_use_reg(p, at, s);
    if (s->vec == 1) {
        o->kind = PTX_OPND_REG;
        o->reg = reg;
        if (p->tok.kind == PTX_TOK_DOT && !p->tok.space_before) {
            o->sel = p->video ? selector(p->tok.name) : 0;
            if (!o->sel)
                ptx_fail(p, &p->tok, "'%s' is not a vector register and has no element .%s",
                         s->name->text, p->tok.name->text);
            ptx_next(p);
        }
        return;
    }
    if (p->tok.kind == PTX_TOK_DOT && !p->tok.space_before) {
        int e = element_of(p->tok.name->text);
        if (e < 0 || e >= s->vec)
            ptx_fail(p, &p->tok, "'%s' has no element .%s", s->name->text, p->tok.name->text);
        ptx_next(p);
        o->kind = PTX_OPND_REG;
        o->reg = reg + e;
        return;
    }
    o->kind = PTX_OPND_VEC;
    o->count = s->vec;
    ptx_opnd *e = ptx_get(p, s->vec * sizeof *e);
    for (unsigned i = 0; i < s->vec; i++)
        e[i] = (ptx_opnd){.kind = PTX_OPND_REG, .reg = reg + (int32_t)i};
    o->elem = e;
}

/* + 8, - 4*2, +-8 after an address. */
static int64_t parse_offset(ptx_parser *p) {
    if (!ptx_is(p, '+') && !ptx_is(p, '-')) return 0;
    bool minus = ptx_is(p, '-');
    ptx_next(p);
    ptx_token at = p->tok;
    if (p->tok.kind == PTX_TOK_NAME && strcmp(p->tok.name->text, "WARP_SZ"))
        ptx_fail(p, &at, "an offset must be a constant; add the register '%s' before",
                 p->tok.name->text);
    ptx_const c = ptx_parse_const(p);
    if (c.is_float) ptx_fail(p, &at, "an offset must be an integer");
    return (int64_t)(minus ? -c.bits : c.bits);
}

/* [8] after the name of an array: returns the element's place in bytes (PTX ISA 6.4.2). */
static int64_t parse_index(ptx_parser *p, const ptx_var *v) {
    if (!ptx_accept(p, '[')) return 0;
    ptx_token at = p->tok;
    ptx_const c = ptx_parse_const(p);
    if (c.is_float) ptx_fail(p, &at, "an index must be an integer");
    ptx_expect(p, ']', "after the index");
    return (int64_t)(c.bits * ptx_type_size(v->type));
}

/* %tid as a whole, in a mov.v4. Its fourth element reads as 0. */
static bool whole_vector(ptx_parser *p, ptx_opnd *o) {
    if (!p->vector_mov) return false;
    ptx_opnd *e = ptx_get(p, 4 * sizeof *e);
    for (int k = 0; k < 3; k++)
        e[k] = (ptx_opnd){.kind = PTX_OPND_SREG, .reg = -1, .sreg = o->sreg + k};
    e[3] = (ptx_opnd){.kind = PTX_OPND_IMM, .reg = -1};
    *o = (ptx_opnd){.kind = PTX_OPND_VEC, .count = 4, .reg = -1, .elem = e};
    return true;
}

/* At an undeclared name; `before` and `end`: the line and the end of the token before it. */
PTX_NORETURN static void fail_unknown(ptx_parser *p, const ptx_token *at, uint32_t before,
                                      const char *end) {
    const char *s = at->name->text;
    if (s[0] != '%' && at->line != before && end > p->text) { /* probably the next statement */
        ptx_token gap = {.at = end - 1, .line = before};
        ptx_fail(p, &gap, "expected an operand or ';', found '%s' on the next line", s);
    }
    if (at->name->word && at->name->word->ops)
        ptx_fail(p, at, "expected an operand, found '%s': is a ';' missing before it?", s);
    if (s[0] == '%')
        ptx_fail(p, at, "'%s' is neither a declared register (.reg) nor a special register", s);
    ptx_fail(p, at, "'%s' is not declared", s);
}

/* A name or a constant; the meaning of the name decides. */
void ptx_parse_plain(ptx_parser *p, ptx_opnd *o) {
    ptx_token at = p->tok;
    uint32_t before = p->prev_line;
    const char *end = p->prev_end;
    if (at.kind != PTX_TOK_NAME || (at.len == 7 && !strcmp(at.name->text, "WARP_SZ"))) {
        set_const(o, ptx_parse_const(p));
        return;
    }
    ptx_name *n = at.name;
    ptx_sym *s = ptx_lookup(p, n);
    ptx_next(p);
    if (!s) {
        if (n->len == 1 && n->text[0] == '_') {
            o->kind = PTX_OPND_SINK;
            return;
        }
        if (!n->word || !n->word->sreg) fail_unknown(p, &at, before, end);
        o->kind = PTX_OPND_SREG;
        o->sreg = n->word->sreg;
        const ptx_sreg_info *sreg = ptx_sreg_get((unsigned)o->sreg);
        ptx_hold_module(p, &at, n->text, sreg->version, sreg->target);
        if (n->word->sreg_vector) {
            if (p->tok.kind != PTX_TOK_DOT && whole_vector(p, o)) return;
            int e = p->tok.kind == PTX_TOK_DOT ? element_of(p->tok.name->text) : -1;
            if (e < 0)
                ptx_fail(p, &at, "'%s' is a vector: expected %s.x, .y or .z", n->text, n->text);
            if (e == 3) *o = (ptx_opnd){.kind = PTX_OPND_IMM, .reg = -1}; /* it reads as 0 */
            else o->sreg += e;
            ptx_next(p);
        }
        return;
    }
    switch (s->kind) {
    case PTX_SYM_REG:
        register_operand(p, o, s, &at);
        if (p->sum_store && ptx_is(p, '+') && o->kind == PTX_OPND_REG && !o->sel)
            o->offset = parse_offset(p);
        break;
    case PTX_SYM_VAR:
        o->kind = PTX_OPND_VAR;
        o->var = s->var;
        if (p->memory_array && ptx_is(p, '[')) o->kind = PTX_OPND_ADDR;
        o->offset = parse_index(p, s->var);
        o->offset = (int64_t)((uint64_t)o->offset + (uint64_t)parse_offset(p));
        break;
    case PTX_SYM_FUNC:
        o->kind = PTX_OPND_FUNC;
        o->func = s->func;
        break;
    default: ptx_fail(p, &at, "expected an operand, '%s' is a label", n->text);
    }
}

static bool name_follows(const ptx_parser *p) { /* at '!' or '-' */
    const char *c = p->cur;
    while (c < p->end && (*c == ' ' || *c == '\t')) c++;
    return c < p->end && (*c == '%' || *c == '_' || *c == '$' || (*c >= 'a' && *c <= 'z') ||
                          (*c >= 'A' && *c <= 'V'));
}

static void parse_element(ptx_parser *p, ptx_opnd *o) {
    *o = (ptx_opnd){.reg = -1};
    if ((ptx_is(p, '!') || ptx_is(p, '-')) && name_follows(p)) {
        char sign = ptx_is(p, '!') ? '!' : '-';
        ptx_next(p);
        ptx_token at = p->tok;
        ptx_parse_plain(p, o);
        if (o->kind != PTX_OPND_REG) ptx_fail(p, &at, "expected a register after ! or -");
        o->negated = (uint8_t)sign;
        return;
    }
    ptx_parse_plain(p, o);
}

/* { a, b, ... } or, for calls, ( a, b, ... ). */
static void parse_list(ptx_parser *p, ptx_opnd *o, unsigned close) {
    ptx_opnd list[PTX_MAX_PARAMS];
    unsigned n = 0;
    ptx_token open = p->tok;
    p->sum_store = false; /* not for elements */
    ptx_next(p);
    while (!ptx_is(p, close)) {
        if (n == PTX_MAX_PARAMS) ptx_fail(p, &p->tok, "more than %d elements", PTX_MAX_PARAMS);
        ptx_token at = p->tok;
        parse_element(p, &list[n]);
        if (list[n].kind == PTX_OPND_VEC) { /* a vector register stands for its elements */
            ptx_opnd v = list[n];
            if (n + v.count > PTX_MAX_PARAMS)
                ptx_fail(p, &at, "more than %d elements", PTX_MAX_PARAMS);
            memcpy(&list[n], v.elem, v.count * sizeof v);
            n += v.count;
        } else n++;
        if (!ptx_accept(p, ',')) break;
    }
    ptx_expect(p, close, "at the end of the list");
    if (!n && close == '}') ptx_fail(p, &open, "an empty list");
    ptx_opnd *e = n ? ptx_get(p, n * sizeof *e) : NULL;
    if (n) memcpy(e, list, n * sizeof *e);
    *o = (ptx_opnd){.kind = PTX_OPND_VEC, .count = (uint8_t)n, .reg = -1, .elem = e};
}

static void parse_address(ptx_parser *p, ptx_opnd *o) {
    *o = (ptx_opnd){.kind = PTX_OPND_ADDR, .reg = -1};
    ptx_token at = p->tok;
    if (at.kind == PTX_TOK_NAME && strcmp(at.name->text, "WARP_SZ")) {
        ptx_sym *s = ptx_lookup(p, at.name);
        if (!s) fail_unknown(p, &at, p->prev_line, p->prev_end);
        ptx_next(p);
        if (s->kind == PTX_SYM_REG) {
            ptx_opnd r = {.reg = -1};
            register_operand(p, &r, s, &at);
            if (r.kind != PTX_OPND_REG || r.sel)
                ptx_fail(p, &at, "an address must be one register");
            o->reg = r.reg;
        } else if (s->kind == PTX_SYM_VAR) {
            o->var = s->var;
            o->offset = parse_index(p, s->var);
        } else {
            ptx_fail(p, &at, "expected a register or a variable as address, found '%s'",
                     at.name->text);
        }
        o->offset = (int64_t)((uint64_t)o->offset + (uint64_t)parse_offset(p));
    } else {
        ptx_const c = ptx_parse_const(p);
        if (c.is_float) ptx_fail(p, &at, "an address must be an integer");
        o->offset = (int64_t)c.bits;
    }
}

/* Appends one written operand: more than one ptx_opnd for d|p and for [texture, coordinates]. */
unsigned ptx_parse_operand(ptx_parser *p, ptx_insn *i, ptx_opnd *o, unsigned n) {
    ptx_token at = p->tok;
    if (ptx_is(p, '{')) {
        parse_list(p, &o[n++], '}');
    } else if (ptx_accept(p, '[')) {
        ptx_opnd *address = &o[n++];
        parse_address(p, address);
        for (; ptx_accept(p, ','); address->count++) {
            if (n == PTX_MAX_OPNDS) ptx_fail(p, &at, "too many operands");
            if (ptx_is(p, '{')) {
                parse_list(p, &o[n++], '}');
                continue;
            }
            ptx_token item = p->tok;
            parse_element(p, &o[n]);
            ptx_opnd *e = &o[n++];
            if (e->kind == PTX_OPND_VEC) continue;
            bool last = ptx_is(p, ']');
            if (last) { /* one coordinate, without braces */
                if (e->kind != PTX_OPND_REG && e->kind != PTX_OPND_IMM)
                    ptx_fail(p, &item, "expected coordinates");
                ptx_opnd *one = ptx_get(p, sizeof *one);
                *one = *e;
                *e = (ptx_opnd){.kind = PTX_OPND_VEC, .count = 1, .reg = -1, .elem = one};
            } else if (e->kind == PTX_OPND_REG || e->kind == PTX_OPND_VAR) { /* a sampler */
                e->kind = PTX_OPND_ADDR;
            } else {
                ptx_fail(p, &item, "expected a sampler");
            }
        }
        ptx_expect(p, ']', "at the end of the address");
    } else {
        parse_element(p, &o[n++]);
    }
    if (ptx_is(p, '|') && n >= 1) {
        if (i->flags >> PTX_F_PAIR & 1 || n == PTX_MAX_OPNDS)
            ptx_fail(p, &p->tok, "expected ',' or ';'");
        ptx_next(p);
        ptx_token second = p->tok;
        parse_element(p, &o[n]);
        if (n != 1 || o[n].negated || (o[n].kind != PTX_OPND_REG && o[n].kind != PTX_OPND_SINK))
            ptx_fail(p, &second, "expected the register of a pair d|p");
        n++;
        i->flags |= UINT64_C(1) << PTX_F_PAIR;
    }
    return n;
}

/* call (rets), f, (args), prototype: the operands as ptx.h describes them. */
unsigned ptx_parse_call(ptx_parser *p, ptx_opnd *o) {
    o[0] = o[2] = (ptx_opnd){.kind = PTX_OPND_VEC, .reg = -1};
    if (ptx_is(p, '(')) {
        parse_list(p, &o[0], ')');
        ptx_expect(p, ',', "after the returns of a call");
    }
    ptx_token at = p->tok;
    parse_element(p, &o[1]);
    if (o[1].kind != PTX_OPND_FUNC && o[1].kind != PTX_OPND_REG)
        ptx_fail(p, &at, "expected a function or a register that holds one");
    bool comma = ptx_accept(p, ',');
    if (comma && ptx_is(p, '(')) {
        parse_list(p, &o[2], ')');
        comma = ptx_accept(p, ',');
    }
    unsigned n = 3;
    if (comma) {
        o[3] = (ptx_opnd){.reg = -1};
        ptx_parse_label(p, &o[3], PTX_OPND_PROTO, "the label of a .callprototype or .calltargets");
        n = 4;
    }
    if (o[1].kind == PTX_OPND_REG && n == 3)
        ptx_fail(p, &at, "an indirect call needs a .callprototype or .calltargets");
    return n;
}
