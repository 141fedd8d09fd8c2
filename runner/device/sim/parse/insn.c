/* Bodies of functions: scopes, labels, and instructions with their operands (PTX ISA sections 4.2,
 * 6, 9.1).
 *
 *   statement --> directive | label ':' | '{' | '}' | [@p] opcode.words operand, operand ;
 *   words --> types, state spaces, modifiers (tables.c, check.c says which the mnemonic takes)
 *   operands --> ptx_opnd, by their own shape; check.c then compares them with the forms
 *
 * The parser adds two things to the body that are not in the text: a `ret` if control could reach
 * the end, and, for functions whose parameters are registers, loads and stores of the .param
 * variables that replace them. */
#include "runner/device/sim/parse/body.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "runner/device/sim/parse/check.h"
#include "runner/device/sim/parse/decl.h"
#include "runner/device/sim/parse/finish.h"
#include "runner/device/sim/lex/lex.h"
#include "runner/device/sim/lex/scope.h"

/* ---- instructions ------------------------------------------------------------------------- */
static ptx_insn *emit_insn(ptx_parser *p, const ptx_insn *i, const ptx_opnd *o) {
    ptx_insn *out = ptx_push(p, &p->insns, sizeof *out);
    *out = *i;
    ptx_opnd *kept = i->nopnds ? ptx_get(p, i->nopnds * sizeof *o) : NULL;
    if (kept) memcpy(kept, o, i->nopnds * sizeof *o);
    out->opnd = kept;
    return out;
}

/* Turns mov.v2 and mov.v4 into plain ones, with additional registers if a destination is still to
 * be read. */
static void emit_vector_mov(ptx_parser *p, ptx_insn *i, const ptx_opnd *o) {
    unsigned n = o[0].count;
    const ptx_opnd *to = o[0].elem;
    ptx_opnd from[8];
    i->field[PTX_FIELD_VEC] = 0;
    memcpy(from, o[1].elem, n * sizeof *from);
    for (unsigned k = 0; k < n; k++) {
        bool overwritten = false;
        for (unsigned j = 0; j < k; j++)
            overwritten |= to[j].kind == PTX_OPND_REG && from[k].kind == PTX_OPND_REG &&
                           to[j].reg == from[k].reg;
        if (!overwritten) continue;
        ptx_sym copy = {.name = ptx_intern(p, "%copy", 5),
                        .type = ((uint8_t *)p->reg_types.data)[from[k].reg],
                        .vec = 1,
                        .reg = -1};
        ptx_opnd pair[2] = {{.kind = PTX_OPND_REG}, from[k]};
        pair[0].reg = ptx_use_reg(p, &p->tok, &copy);
        from[k] = pair[0];
        emit_insn(p, i, pair);
    }
    for (unsigned k = 0; k < n; k++) {
        if (to[k].kind == PTX_OPND_SINK) continue;
        ptx_opnd pair[2] = {to[k], from[k]};
        emit_insn(p, i, pair);
    }
}

/* st [a], r + 1: the sum gets its own register, because elsewhere only addresses have offsets. */
static void emit_stored_sum(ptx_parser *p, const ptx_insn *store, ptx_opnd *o,
                            const ptx_token *at) {
    uint8_t type = ((const uint8_t *)p->reg_types.data)[o->reg];
    unsigned bytes = ptx_type_size((ptx_type)type);
    if (type == PTX_PRED || (bytes != 4 && bytes != 8))
        ptx_fail(p, at, "a sum to be stored needs a register of 32 or 64 bits");
    ptx_sym sum = {.name = ptx_intern(p, "%sum", 4),
                   .type = bytes == 8 ? PTX_B64 : PTX_B32,
                   .vec = 1,
                   .reg = -1};
    ptx_insn i = {.op = PTX_OP_add,
                  .klass = PTX_CLASS_INT,
                  .ntypes = 1,
                  .nopnds = 3,
                  .guard = store->guard,
                  .guard_negated = store->guard_negated,
                  .ptx_line = store->ptx_line,
                  .loc = store->loc};
    i.type[0] = bytes == 8 ? PTX_U64 : PTX_U32;
    ptx_opnd add[3] = {{.kind = PTX_OPND_REG},
                       {.kind = PTX_OPND_REG, .reg = o->reg},
                       {.kind = PTX_OPND_IMM, .reg = -1, .imm = (uint64_t)o->offset}};
    add[0].reg = ptx_use_reg(p, at, &sum);
    emit_insn(p, &i, add);
    o->reg = add[0].reg;
    o->offset = 0;
}

/* ld.param / st.param for a parameter that is a register in the text. */
static void emit_register_param(ptx_parser *p, ptx_sym *s, const ptx_var *v, bool store,
                                const ptx_token *at) {
    ptx_insn i = {.op = store ? PTX_OP_st : PTX_OP_ld,
                  .klass = store ? PTX_CLASS_STORE : PTX_CLASS_LOAD,
                  .ntypes = 1,
                  .nopnds = 2,
                  .space = PTX_SPACE_PARAM,
                  .guard = -1,
                  .ptx_line = at->line,
                  .loc = p->loc};
    i.type[0] = s->type;
    ptx_opnd reg = {.kind = PTX_OPND_REG, .reg = ptx_use_reg(p, at, s)},
             address = {.kind = PTX_OPND_ADDR, .reg = -1, .var = v};
    ptx_opnd o[2] = {store ? address : reg, store ? reg : address};
    emit_insn(p, &i, o);
}
static void load_register_params(ptx_parser *p, const ptx_token *at) {
    ptx_sym **s = p->param_regs.data;
    for (size_t k = 0; k < p->param_regs.count; k++)
        emit_register_param(p, s[k], &p->fn->params[s[k]->count], false, at);
}
static void store_register_returns(ptx_parser *p, const ptx_token *at) {
    ptx_sym **s = p->ret_regs.data;
    for (size_t k = 0; k < p->ret_regs.count; k++)
        emit_register_param(p, s[k], &p->fn->rets[s[k]->count], true, at);
}

static void parse_words(ptx_parser *p, ptx_insn *i, const ptx_spec *s, const ptx_token *words,
                        unsigned nwords) {
    unsigned spaces = 0;
    for (unsigned k = 0; k < nwords; k++) {
        const ptx_word *w = words[k].name->word;
        bool over = ptx_spec_special(s) == '?';
        if (w && w->type) {
            if (over && i->ntypes == PTX_MAX_TYPES) continue;
            if (i->ntypes == PTX_MAX_TYPES)
                ptx_fail(p, &words[k], "more than %d types", PTX_MAX_TYPES);
            i->type[i->ntypes++] = w->type;
            continue;
        }
        if (over) continue;
        if (w && w->space) {
            if (spaces == 2) ptx_fail(p, &words[k], "more than two state spaces");
            p->shared_form[spaces] = w->shared_cluster                  ? PTX_SHARED_CLUSTER
                                     : strchr(words[k].name->text, ':') ? PTX_SHARED_CTA
                                                                        : PTX_SHARED_PLAIN;
            if (spaces++ == 0) i->space = (uint8_t)(w->space - 1);
            else i->space2 = (uint8_t)(w->space - 1);
            if (w->shared_cluster) i->flags |= UINT64_C(1) << PTX_F_SHARED_CLUSTER;
            continue;
        }
        if (w && ptx_spec_modifier(s, i, w)) continue;
        char takes[200];
        ptx_spec_list_modifiers(s, takes, sizeof takes);
        ptx_fail(p, &words[k], "'%s' does not take .%s here%s%s", ptx_op_get(i->op)->mnemonic,
                 words[k].name->text, takes[0] ? "; it takes " : "", takes);
    }
}

/* Parses the mnemonic and the words after it: op, types, spaces, modifiers. */
static const ptx_spec *parse_opcode(ptx_parser *p, ptx_insn *i, const ptx_token *opcode) {
    ptx_token words[PTX_MAX_WORDS];
    ptx_name *names[PTX_MAX_WORDS];
    unsigned nwords = 0;
    while (p->tok.kind == PTX_TOK_DOT) {
        if (nwords == PTX_MAX_WORDS) ptx_fail(p, &p->tok, "more than %d modifiers", PTX_MAX_WORDS);
        names[nwords] = p->tok.name;
        words[nwords++] = p->tok;
        ptx_next(p);
    }
    const ptx_mnemonic *m = ptx_find_mnemonic(opcode->name, names, nwords);
    if (!m) {
        char whole[100];
        int len = snprintf(whole, sizeof whole, "%s", opcode->name->text);
        if (opcode->name->word && opcode->name->word->ops && nwords && len < 60)
            snprintf(whole + len, sizeof whole - (size_t)len, ".%s", names[0]->text);
        const char *near = ptx_nearest_mnemonic(whole);
        ptx_fail(p, opcode, "unknown instruction '%s'%s%s%s", whole,
                 near ? "; the nearest known one is '" : "", near ? near : "", near ? "'" : "");
    }
    i->op = m->op;
    const ptx_spec *s = ptx_spec_get(p, m->op);
    parse_words(p, i, s, words + m->nwords, nwords - m->nwords);
    return s;
}

/* Parses the operands up to the ';', and notes the position of each. Returns how many. */
static unsigned parse_operands(ptx_parser *p, ptx_insn *i, char special, ptx_opnd *o,
                               ptx_token *o_at) {
    unsigned n = 0;
    while (!ptx_is(p, ';')) {
        if (n == PTX_MAX_OPNDS) ptx_fail(p, &p->tok, "more than %d operands", PTX_MAX_OPNDS);
        unsigned first = n;
        ptx_token operand = p->tok;
        if (special == 'l' || (special == 'L' && n == 1)) {
            o[n] = (ptx_opnd){.reg = -1};
            ptx_parse_label(p, &o[n++], special == 'l' ? PTX_OPND_LABEL : PTX_OPND_LABELS,
                            "a label");
        } else {
            n = ptx_parse_operand(p, i, o, n);
        }
        while (first < n) o_at[first++] = operand;
        if (!ptx_accept(p, ',')) break;
        if (ptx_is(p, ';')) ptx_fail(p, &p->tok, "expected an operand after ','");
    }
    return n;
}

/* A missing ';' is reported at the end of the line that lacks it. */
static void expect_semicolon(ptx_parser *p) {
    if (ptx_is(p, ';')) return;
    char found[80];
    ptx_token at = p->tok;
    if (p->tok.line != p->prev_line)
        at.at = p->prev_end > p->text ? p->prev_end - 1 : p->prev_end, at.line = p->prev_line;
    ptx_fail(p, &at, "expected ',' or ';' after the operand, found %s",
             ptx_describe(&p->tok, found, sizeof found));
}

static void parse_instruction(ptx_parser *p, const ptx_token *opcode, int32_t guard,
                              bool guard_negated) {
    ptx_insn i = {
        .guard = guard, .guard_negated = guard_negated, .ptx_line = opcode->line, .loc = p->loc};
    const ptx_spec *s = parse_opcode(p, &i, opcode);
    ptx_opnd o[PTX_MAX_OPNDS];
    ptx_token o_at[PTX_MAX_OPNDS];
    size_t first_ref = p->refs.count;
    char special = ptx_spec_special(s);
    p->video = i.op >= PTX_OP_vadd && i.op <= PTX_OP_vset4;
    p->vector_mov = i.op == PTX_OP_mov && i.field[PTX_FIELD_VEC];
    p->sum_store = i.op == PTX_OP_st;
    p->memory_array = i.op >= PTX_OP_ld && i.op <= PTX_OP_st; /* ld, ldu, st */
    unsigned n = special == '*' ? ptx_parse_call(p, o) : parse_operands(p, &i, special, o, o_at);
    expect_semicolon(p);
    i.nopnds = (uint8_t)n;
    ptx_check_insn(p, s, &i, o, opcode, o_at);
    ptx_next(p);

    p->label_at_end = false;
    if (p->vector_mov) {
        emit_vector_mov(p, &i, o);
        return;
    }
    if (i.op == PTX_OP_ret) store_register_returns(p, opcode);
    if (p->sum_store && n == 2 && o[1].kind == PTX_OPND_REG && o[1].offset)
        emit_stored_sum(p, &i, &o[1], &o_at[1]);
    p->sum_store = false;
    ptx_insn *out = emit_insn(p, &i, o);
    ptx_label_ref *refs = p->refs.data; /* they point into `o`, of which the arena now has a copy */
    for (size_t k = first_ref; k < p->refs.count; k++)
        refs[k].opnd = (ptx_opnd *)(uintptr_t)&out->opnd[refs[k].opnd - o];
    if (special == '*')
        *(ptx_call_site *)ptx_push(p, &p->calls, sizeof(ptx_call_site)) =
            (ptx_call_site){*opcode, out->opnd, n};
}

/* ---- statements --------------------------------------------------------------------------- */

static void refer_to_label(ptx_parser *p, ptx_name *name, const ptx_token *at) {
    ptx_label_ref *r = ptx_push(p, &p->refs, sizeof *r);
    *r = (ptx_label_ref){.name = name, .tok = *at};
}

/* L<3>: the labels L0, L1 and L2. At the number. */
static void refer_to_labels(ptx_parser *p, const ptx_name *name, const ptx_token *at) {
    char label[512];
    uint64_t count = ptx_expect_int(p, "a number of labels", PTX_MAX_BRX);
    ptx_expect(p, '>', "after the number of labels");
    p->brx_edges += count;
    if (p->brx_edges > PTX_MAX_BRX || name->len > sizeof label - 24)
        ptx_fail(p, at, "more than %d labels, or a long name", PTX_MAX_BRX);
    for (uint64_t k = 0; k < count; k++) {
        int n = snprintf(label, sizeof label, "%s%" PRIu64, name->text, k);
        refer_to_label(p, ptx_intern(p, label, (size_t)n), at);
    }
}

/* NAME: .branchtargets L1, L2<5>;   NAME: .calltargets f, g;   NAME: .callprototype (rets) _
 * (params); */
static void parse_label_directive(ptx_parser *p, const ptx_token *label) {
    char found[80];
    if (ptx_accept_dot(p, "branchtargets")) {
        ptx_sym *s = ptx_declare(p, label, label->name, PTX_SYM_TARGETS);
        size_t first = p->refs.count;
        do {
            ptx_token at = p->tok;
            ptx_name *n = ptx_expect_name(p, "a label");
            if (ptx_accept(p, '<')) refer_to_labels(p, n, &at);
            else refer_to_label(p, n, &at);
        } while (ptx_accept(p, ','));
        s->count = (uint32_t)(p->refs.count - first);
        s->labels = ptx_get(p, s->count * sizeof *s->labels);
        ptx_label_ref *refs = p->refs.data;
        for (uint32_t k = 0; k < s->count; k++) refs[first + k].slot = &s->labels[k];
    } else if (ptx_accept_dot(p, "calltargets")) {
        ptx_sym *s = ptx_declare(p, label, label->name, PTX_SYM_TARGETS);
        do {
            ptx_token at = p->tok;
            ptx_name *n = ptx_expect_name(p, "a function");
            if (!n->sym || n->sym->kind != PTX_SYM_FUNC)
                ptx_fail(p, &at, "'%s' is not a declared function", n->text);
            if (!s->func) s->func = n->sym->func; /* all have the same signature */
        } while (ptx_accept(p, ','));
    } else if (ptx_accept_dot(p, "callprototype")) {
        ptx_sym *s = ptx_declare(p, label, label->name, PTX_SYM_PROTO);
        s->func = ptx_parse_signature(p, false, true);
        while (ptx_accept_dot(p, "noreturn") || ptx_accept_dot(p, "abi_preserve") ||
               ptx_accept_dot(p, "abi_preserve_control"))
            if (p->tok.kind == PTX_TOK_INT) ptx_next(p);
    } else {
        ptx_fail(p, &p->tok, "expected .branchtargets, .calltargets or .callprototype, found %s",
                 ptx_describe(&p->tok, found, sizeof found));
    }
    ptx_expect(p, ';', "after the directive");
}

static void parse_body_directive(ptx_parser *p) {
    ptx_token first = p->tok;
    char found[80];
    if (ptx_is_dot(p, "loc")) {
        ptx_parse_loc(p);
        return;
    }
    if (ptx_is_dot(p, "pragma")) {
        ptx_skip_pragma(p);
        return;
    }
    if (ptx_accept_dot(p, "reg")) ptx_parse_reg(p);
    else if (ptx_accept_dot(p, "param")) ptx_parse_variables(p, PTX_SPACE_PARAM, false, false);
    else if (ptx_accept_dot(p, "local")) ptx_parse_variables(p, PTX_SPACE_LOCAL, false, false);
    else if (ptx_accept_dot(p, "shared")) ptx_parse_variables(p, PTX_SPACE_SHARED, false, false);
    else if (ptx_is_dot(p, "extern"))
        ptx_fail(p, &p->tok, ".extern variables are declared outside of functions");
    else if (ptx_accept_dot(p, "global")) ptx_parse_variables(p, PTX_SPACE_GLOBAL, false, false);
    else if (ptx_accept_dot(p, "const")) ptx_parse_variables(p, PTX_SPACE_CONST, false, false);
    else
        ptx_fail(p, &first, "expected an instruction or a directive such as .reg, found %s",
                 ptx_describe(&first, found, sizeof found));
    ptx_expect(p, ';', "after the declaration");
}

static void parse_guarded(ptx_parser *p) {
    ptx_next(p);
    bool negated = ptx_accept(p, '!');
    ptx_token at = p->tok;
    char found[80];
    ptx_opnd o = {.reg = -1};
    if (at.kind != PTX_TOK_NAME)
        ptx_fail(p, &at, "expected a predicate register after @, found %s",
                 ptx_describe(&at, found, sizeof found));
    ptx_parse_plain(p, &o);
    if (o.kind != PTX_OPND_REG || ((uint8_t *)p->reg_types.data)[o.reg] != PTX_PRED)
        ptx_fail(p, &at, "expected a register of type .pred after @");
    ptx_token opcode = p->tok;
    ptx_expect_name(p, "an instruction after the predicate");
    parse_instruction(p, &opcode, o.reg, negated);
}

static void parse_statement(ptx_parser *p) {
    char found[80];
    ptx_token t = p->tok;
    if (t.kind == PTX_TOK_NAME) {
        ptx_next(p);
        if (!ptx_accept(p, ':')) {
            parse_instruction(p, &t, -1, false);
        } else if (p->tok.kind == PTX_TOK_DOT && !strncmp(p->tok.name->text, "branch", 6)) {
            parse_label_directive(p, &t);
        } else if (p->tok.kind == PTX_TOK_DOT && !strncmp(p->tok.name->text, "call", 4)) {
            parse_label_directive(p, &t);
        } else {
            ptx_declare(p, &t, t.name, PTX_SYM_LABEL)->count = (uint32_t)p->insns.count;
            p->label_at_end = true;
        }
    } else if (t.kind == PTX_TOK_DOT) {
        parse_body_directive(p);
    } else if (ptx_is(p, '@')) {
        parse_guarded(p);
    } else if (ptx_is(p, '{')) {
        ptx_scope_enter(p);
        ptx_next(p);
    } else if (ptx_is(p, '}')) {
        ptx_scope_leave(p);
        ptx_next(p);
    } else if (!ptx_accept(p, ';')) {
        ptx_fail(p, &t, "expected an instruction, found %s", ptx_describe(&t, found, sizeof found));
    }
}

/* ---- the whole body ----------------------------------------------------------------------- */
static bool falls_through(const ptx_insn *i) {
    if (i->guard >= 0) return true;
    return i->op != PTX_OP_ret && i->op != PTX_OP_exit && i->op != PTX_OP_bra &&
           i->op != PTX_OP_brx_idx && i->op != PTX_OP_trap;
}

/* Makes the array of variables that ptx.h describes. The operands still point at the parser's own
 * objects, which are equal. */
static const ptx_var *collect_vars(ptx_parser *p, const ptx_buffer *b, size_t *count) {
    ptx_var **v = b->data;
    *count = b->count;
    if (!b->count) return NULL;
    ptx_var *out = ptx_get(p, b->count * sizeof *out);
    for (size_t i = 0; i < b->count; i++) out[i] = *v[i];
    return out;
}

/* At '{', with scope 1 and the parameters open. */
void ptx_parse_body(ptx_parser *p) {
    ptx_func *f = p->fn;
    ptx_token open = p->tok;
    p->insns.count = p->locals.count = p->call_params.count = p->refs.count = p->calls.count = 0;
    p->reg_types.count = p->reg_names.count = 0;
    p->scope_refs[1] = p->scope_call_bytes[1] = 0;
    p->loc = 0;
    p->loc_epoch++;
    p->label_at_end = false;
    p->brx_edges = 0;
    ptx_next(p);
    load_register_params(p, &open);
    ptx_token last = open;
    while (p->depth > 0) {
        if (p->tok.kind == PTX_TOK_END) ptx_fail(p, &open, "this function has no '}' at its end");
        if (p->depth == 1 && ptx_is(p, '}')) {
            const ptx_insn *insns = p->insns.data;
            if (p->label_at_end || !p->insns.count || falls_through(&insns[p->insns.count - 1])) {
                ptx_insn ret = {.op = PTX_OP_ret,
                                .klass = PTX_CLASS_CALL,
                                .guard = -1,
                                .ptx_line = p->tok.line,
                                .loc = p->loc};
                store_register_returns(p, &last);
                emit_insn(p, &ret, NULL);
            }
        }
        parse_statement(p);
    }
    const ptx_call_site *calls = p->calls.data;
    for (size_t i = 0; i < p->calls.count; i++) ptx_check_call(p, &calls[i]);

    f->insns = ptx_keep(p, &p->insns, sizeof(ptx_insn));
    f->insn_count = p->insns.count;
    f->reg_type = ptx_keep(p, &p->reg_types, 1);
    f->reg_name = ptx_keep(p, &p->reg_names, sizeof(char *));
    f->reg_count = p->reg_types.count;
    f->locals = collect_vars(p, &p->locals, &f->local_count);
    f->call_params = collect_vars(p, &p->call_params, &f->call_param_count);
    if (ptx_cfg(p->arena, f, p->stop)) return;
    ptx_look_at_stop(p);
    ptx_fail_memory(p);
}
