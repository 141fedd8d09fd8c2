/* The module level of PTX: directives, variables, functions and their signatures (PTX ISA sections
 * 5 and 11), and aliases, which can only be resolved at the end.
 *
 *   ptx_parse() --> parse_directive() for each --> variables into module.vars
 *                                                  functions into module.funcs (body: parse_insn.c)
 *               --> finish(): aliases, source positions (parse_loc.c), offsets of shared variables along the
 *                             call graph (layout.c) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "runner/base/clock.h"
#include "runner/sim/ptx/parse.h"
#include "runner/base/message.h"

/* ---- scopes and symbols ------------------------------------------------------------------- */
void ptx_scope_enter(ptx_parser *p) {
    if (p->depth >= PTX_MAX_NESTING)
        ptx_fail(p, &p->tok, "scopes are nested more than %d deep", PTX_MAX_NESTING);
    p->depth++;
    p->scope[p->depth] = NULL;
    p->scope_refs[p->depth] = p->refs.count;
    p->scope_call_bytes[p->depth] = p->depth > 1 ? p->scope_call_bytes[p->depth - 1] : 0;
}

/* Labels are local to their scope, and may be used before they stand: so each reference waits for
 * the end of the innermost scope that declares its name. */
static void resolve_labels(ptx_parser *p) {
    ptx_label_ref *refs = p->refs.data;
    size_t keep = p->scope_refs[p->depth];
    for (size_t i = keep; i < p->refs.count; i++) {
        ptx_sym *s = refs[i].name->sym;
        if (!s || s->depth != p->depth || s->kind < PTX_SYM_LABEL) {
            if (p->depth <= 1)
                ptx_fail(p, &refs[i].tok, "no label '%s' in this function", refs[i].name->text);
            refs[keep++] = refs[i];
            continue;
        }
        ptx_opnd *o = refs[i].opnd;
        if (!o) {
            if (s->kind == PTX_SYM_LABEL) *refs[i].slot = s->count;
            else
                ptx_fail(p, &refs[i].tok,
                         "expected the label of an instruction, '%s' names a directive",
                         s->name->text);
        } else if (o->kind == PTX_OPND_LABEL && s->kind == PTX_SYM_LABEL) {
            o->target = s->count;
        } else if (o->kind == PTX_OPND_LABELS && s->kind == PTX_SYM_TARGETS && !s->func) {
            o->labels = s->labels;
            o->offset = s->count;
            p->brx_edges += s->count;
            if (p->brx_edges > PTX_MAX_BRX)
                ptx_fail(p, &refs[i].tok, "more than %d successors of brx.idx in one function",
                         PTX_MAX_BRX);
        } else if (o->kind == PTX_OPND_PROTO &&
                   (s->kind == PTX_SYM_PROTO || s->kind == PTX_SYM_TARGETS) && s->func) {
            o->func = s->func;
        } else {
            ptx_fail(p, &refs[i].tok, "'%s' is not %s", s->name->text,
                     o->kind == PTX_OPND_LABEL ? "the label of an instruction"
                     : o->kind == PTX_OPND_LABELS
                         ? "the label of a .branchtargets list"
                         : "the label of a .callprototype or .calltargets");
        }
    }
    p->refs.count = keep;
}

void ptx_scope_leave(ptx_parser *p) {
    resolve_labels(p);
    for (ptx_sym *s = p->scope[p->depth]; s; s = s->sibling) {
        if (s->kind == PTX_SYM_RANGE) s->name->range = s->outer;
        else s->name->sym = s->outer;
    }
    p->depth--;
}

static ptx_sym *declare_at(ptx_parser *p, ptx_name *name, ptx_sym_kind kind, unsigned depth) {
    ptx_sym *s = ptx_get(p, sizeof *s);
    s->name = name;
    s->kind = (uint8_t)kind;
    s->depth = (uint16_t)depth;
    s->reg = -1;
    s->sibling = p->scope[depth];
    p->scope[depth] = s;
    ptx_sym **head = kind == PTX_SYM_RANGE ? &name->range : &name->sym;
    s->outer = *head;
    *head = s;
    return s;
}

ptx_sym *ptx_declare(ptx_parser *p, const ptx_token *at, ptx_name *name, ptx_sym_kind kind) {
    const ptx_sym *old = kind == PTX_SYM_RANGE ? name->range : name->sym;
    if (old && old->depth == p->depth)
        ptx_fail(p, at, "'%s' is declared twice in this scope", name->text);
    if (name->len == 1 && name->text[0] == '_') ptx_fail(p, at, "'_' cannot be declared");
    return declare_at(p, name, kind, p->depth);
}

/* %r12 -> %r and 12. */
static void split_name(ptx_parser *p, ptx_name *n) {
    n->split = true;
    uint32_t digits = 0;
    while (digits < n->len && digits < 10 && n->text[n->len - digits - 1] >= '0' &&
           n->text[n->len - digits - 1] <= '9')
        digits++;
    if (!digits || digits > 9 || digits == n->len ||
        (digits > 1 && n->text[n->len - digits] == '0'))
        return;
    uint32_t v = 0;
    for (uint32_t i = n->len - digits; i < n->len; i++) v = v * 10 + (uint32_t)(n->text[i] - '0');
    n->number = v;
    n->prefix = ptx_intern(p, n->text, n->len - digits);
}

ptx_sym *ptx_lookup(ptx_parser *p, ptx_name *n) {
    if (!n->split) split_name(p, n);
    ptx_sym *s = n->sym;
    if (!n->prefix) return s;
    for (ptx_sym *r = n->prefix->range; r && (!s || r->depth > s->depth); r = r->outer) {
        if (n->number >= r->count) continue;
        s = declare_at(p, n, PTX_SYM_REG, r->depth);
        s->type = r->type;
        s->vec = r->vec;
        break;
    }
    return s;
}

int32_t ptx_use_reg(ptx_parser *p, const ptx_token *at, ptx_sym *s) {
    if (s->reg >= 0) return s->reg;
    if (p->reg_types.count + s->vec > PTX_MAX_REGS)
        ptx_fail(p, at, "more than %d registers in one function", PTX_MAX_REGS);
    s->reg = (int32_t)p->reg_types.count;
    for (unsigned i = 0; i < s->vec; i++) {
        *(uint8_t *)ptx_push(p, &p->reg_types, 1) = s->type;
        const char *name = s->name->text;
        if (s->vec > 1) {
            char *t = ptx_get(p, s->name->len + 3u);
            memcpy(t, name, s->name->len);
            t[s->name->len] = '.';
            t[s->name->len + 1] = "xyzw"[i];
            name = t;
        }
        ptx_push_pointer(p, &p->reg_names, name);
    }
    return s->reg;
}

/* ---- declarations ------------------------------------------------------------------------- */
static ptx_type dot_type(const ptx_parser *p) {
    return p->tok.kind == PTX_TOK_DOT && p->tok.name->word ? (ptx_type)p->tok.name->word->type
                                                           : PTX_NONE;
}

static ptx_type expect_type(ptx_parser *p, const char *of) {
    ptx_type t = dot_type(p);
    char found[80];
    if (t == PTX_NONE)
        ptx_fail(p, &p->tok, "expected the type of %s, found %s", of,
                 ptx_describe(&p->tok, found, sizeof found));
    ptx_next(p);
    return t;
}

/* PTX ISA 5.4.2: vectors have two or four elements (eight is for loads and stores alone). */
static unsigned accept_vec(ptx_parser *p) {
    return ptx_accept_dot(p, "v2") ? 2 : ptx_accept_dot(p, "v4") ? 4 : 1;
}

static uint32_t expect_align(ptx_parser *p) {
    ptx_token at = p->tok;
    uint64_t n = ptx_expect_int(p, "an alignment", 1u << 16);
    if (!n || (n & (n - 1))) ptx_fail(p, &at, "an alignment must be a power of two");
    return (uint32_t)n;
}

/* .reg .b32 %r<47>, a, b; at the token after .reg */
void ptx_parse_reg(ptx_parser *p) {
    unsigned vec = accept_vec(p);
    ptx_type type = expect_type(p, "the registers");
    if (type >= PTX_TEXREF && type <= PTX_SURFREF)
        ptx_fail(p, &p->tok, "registers cannot be of type %s", ptx_type_text(type));
    if (vec == 1) vec = accept_vec(p); /* `.reg .b32 .v4` was once written too */
    do {
        ptx_token at = p->tok;
        ptx_name *name = ptx_expect_name(p, "the name of a register");
        bool range = ptx_accept(p, '<');
        ptx_sym *s;
        if (range) {
            uint64_t count = ptx_expect_int(p, "a number of registers", INT32_MAX);
            ptx_expect(p, '>', "after the number of registers");
            s = ptx_declare(p, &at, name, PTX_SYM_RANGE);
            s->count = (uint32_t)count;
        } else {
            s = ptx_declare(p, &at, name, PTX_SYM_REG);
        }
        s->type = (uint8_t)type;
        s->vec = (uint8_t)vec;
    } while (ptx_accept(p, ','));
}

/* .attribute(.managed, .unified(1, 2)): true when .managed is among them. The others do not concern
 * us. */
static bool accept_attribute(ptx_parser *p) {
    bool managed = false;
    while (ptx_accept_dot(p, "attribute")) {
        ptx_expect(p, '(', "after .attribute");
        do {
            if (p->tok.kind != PTX_TOK_DOT)
                ptx_fail(p, &p->tok, "expected an attribute such as .managed");
            managed |= ptx_is_dot(p, "managed");
            ptx_next(p);
            if (ptx_accept(p, '(')) {
                while (!ptx_is(p, ')') && p->tok.kind != PTX_TOK_END) ptx_next(p);
                ptx_expect(p, ')', "after the attribute's values");
            }
        } while (ptx_accept(p, ','));
        ptx_expect(p, ')', "after the attributes");
    }
    return managed;
}

/* [16][8] behind a name. dims[0] is 0 for []; the number of elements in *count. */
static unsigned parse_dims(ptx_parser *p, uint64_t dims[PTX_MAX_DIMS], uint64_t *count) {
    unsigned n = 0;
    *count = 1;
    while (ptx_is(p, '[')) {
        ptx_token at = p->tok;
        if (n == PTX_MAX_DIMS) ptx_fail(p, &at, "more than %d dimensions", PTX_MAX_DIMS);
        ptx_next(p);
        if (ptx_is(p, ']')) {
            if (n) ptx_fail(p, &at, "only the first dimension may be left open");
            dims[n++] = 0;
            *count = 0;
        } else {
            ptx_const c = ptx_parse_const(p);
            if (c.is_float || (!c.is_unsigned && (int64_t)c.bits < 0))
                ptx_fail(p, &at, "the size of an array must be a positive integer");
            if (!c.bits && n) ptx_fail(p, &at, "only the first dimension may be empty");
            dims[n++] = c.bits;
            if (c.bits > PTX_MAX_VAR_BYTES || *count * c.bits > PTX_MAX_VAR_BYTES)
                ptx_fail(p, &at, "this array is too large");
            if (n == 1 || *count) *count *= c.bits;
        }
        ptx_expect(p, ']', "after the size of an array");
    }
    return n;
}

/* The rest of a declaration in any space but .reg, for one name: fills v but for its place. */
static void parse_declarator(ptx_parser *p, ptx_var *v, ptx_type type, unsigned vec, uint32_t align,
                             uint64_t dims[PTX_MAX_DIMS], unsigned *ndims) {
    ptx_token at = p->tok;
    uint64_t count;
    v->name = ptx_expect_name(p, "the name of a variable")->text;
    v->type = type;
    v->align = align ? align : ptx_type_size(type) * vec;
    *ndims = parse_dims(p, dims, &count);
    if (vec > 1) {
        if (*ndims == PTX_MAX_DIMS) ptx_fail(p, &at, "more than %d dimensions", PTX_MAX_DIMS);
        dims[(*ndims)++] = vec;
    }
    v->bytes = count * vec * ptx_type_size(type);
    if (v->bytes > PTX_MAX_VAR_BYTES) ptx_fail(p, &at, "this variable is too large");
    if (type == PTX_PRED) ptx_fail(p, &at, "a predicate cannot live in memory");
}

static uint64_t place(ptx_parser *p, const ptx_token *at, ptx_var *v, uint64_t *used,
                      uint64_t limit) {
    uint64_t offset = (*used + v->align - 1) & ~(uint64_t)(v->align - 1);
    if (offset > limit || v->bytes > limit - offset)
        ptx_fail(p, at, "'%s' does not fit: at most %llu bytes", v->name,
                 (unsigned long long)limit);
    v->offset = offset;
    *used = offset + v->bytes;
    return offset;
}

void ptx_parse_variables(ptx_parser *p, ptx_space space, const ptx_token *first, bool is_extern,
                         bool visible) {
    uint32_t align = 0;
    unsigned vec = 1;
    bool managed = false;
    ptx_type type = PTX_NONE;
    if (space == PTX_SPACE_CONST && ptx_is(p, '['))
        ptx_fail(p, &p->tok, "constant banks (.const[n]) went away with PTX 2.2");
    for (;;) {
        managed |= accept_attribute(p);
        if (ptx_accept_dot(p, "align")) align = expect_align(p);
        else if (vec == 1 && (vec = accept_vec(p)) > 1) continue;
        else if (dot_type(p) && type == PTX_NONE) type = expect_type(p, "the variable");
        else if (ptx_accept_dot(p, "ptr")) continue;
        else break;
    }
    if (type == PTX_NONE) expect_type(p, "the variable");
    do {
        ptx_token at = p->tok;
        uint64_t dims[PTX_MAX_DIMS];
        unsigned ndims;
        ptx_var *v = ptx_get(p, sizeof *v);
        parse_declarator(p, v, type, vec, align, dims, &ndims);
        v->space = space;
        v->is_extern = is_extern;
        v->visible = visible;
        v->managed = managed && space == PTX_SPACE_GLOBAL;
        v->owner = p->fn;
        /* A parameterised set of variables, x<4>. */
        if (ptx_is(p, '<'))
            ptx_fail(p, &p->tok, "only registers can be declared as a range NAME<n>");
        ptx_sym *old =
            p->depth == 0 ? ((ptx_name *)ptx_intern(p, v->name, strlen(v->name)))->sym : NULL;
        bool again = old && old->kind == PTX_SYM_VAR && (old->var->is_extern || is_extern) &&
                     old->var->space == space;
        bool unsized = v->bytes == 0;
        if (again &&
            !is_extern) { /* .extern before the definition: everyone already points at the first object */
            const char *name = v->name;
            *old->var = *v;
            v = old->var;
            v->name = name;
        } else if (!again) {
            ptx_sym *s = ptx_declare(p, &at, ptx_intern(p, v->name, strlen(v->name)), PTX_SYM_VAR);
            s->var = v;
        } else {
            v = NULL;
        }
        if (v && ptx_accept(p, '=')) {
            if (space != PTX_SPACE_GLOBAL && space != PTX_SPACE_CONST)
                ptx_fail(p, &at, "only .global and .const variables can have initial values");
            if (is_extern) ptx_fail(p, &at, "an .extern variable cannot have initial values");
            if (type >= PTX_TEXREF && type <= PTX_SURFREF)
                ptx_fail(p, &at, "initial values of %s variables are not supported",
                         ptx_type_text(type));
            ptx_parse_initialiser(p, v, dims, ndims);
            unsized = false;
        }
        if (!v) continue;
        if (unsized && !is_extern)
            ptx_fail(p, &at, "the array '%s' needs a size or initial values", v->name);
        uint64_t used;
        switch (space) {
        case PTX_SPACE_PARAM:
            used = p->scope_call_bytes[p->depth];
            place(p, &at, v, &used, PTX_MAX_PARAM_BYTES);
            p->scope_call_bytes[p->depth] = (uint32_t)used;
            if (used > p->fn->call_param_bytes) p->fn->call_param_bytes = (uint32_t)used;
            ptx_push_pointer(p, &p->call_params, v);
            break;
        case PTX_SPACE_LOCAL:
            if (!p->fn)
                ptx_fail(p, &at,
                         ".local variables at module level are not supported: declare '%s' in a "
                         "function",
                         v->name);
            used = p->fn->local_bytes;
            place(p, &at, v, &used, 1u << 30);
            p->fn->local_bytes = (uint32_t)used;
            ptx_push_pointer(p, &p->locals, v);
            break;
        case PTX_SPACE_SHARED:
            if (v->bytes > 1u << 30)
                ptx_fail(p, &at, "'%s' does not fit in shared memory", v->name);
            if (p->fn)
                *(ptx_own_shared *)ptx_push(p, &p->own_shareds, sizeof(ptx_own_shared)) =
                    (ptx_own_shared){.func = p->fn, .var = v};
            else if (!again) ptx_push_pointer(p, &p->vars, v);
            break;
        default:
            if (p->fn)
                ptx_fail(p, first,
                         ".global and .const variables can only be declared at module level");
            if (!again) ptx_push_pointer(p, &p->vars, v);
        }
    } while (ptx_accept(p, ','));
}

/* ---- functions ---------------------------------------------------------------------------- */

/* ( .param .align 8 .b8 x[16], .reg .u32 y ) at the parenthesis. Old-style register parameters
 * become .param ones, which the body loads at its start and stores before it returns; `regs` gets
 * their symbols. */
static const ptx_var *parse_params(ptx_parser *p, size_t *count, uint32_t *bytes, ptx_buffer *regs,
                                   bool prototype) {
    ptx_buffer list = {0};
    ptx_var vars[PTX_MAX_PARAMS];
    uint64_t used = 0;
    ptx_next(p);
    while (!ptx_is(p, ')')) {
        ptx_token at = p->tok;
        if (list.count == PTX_MAX_PARAMS)
            ptx_fail(p, &at, "more than %d parameters", PTX_MAX_PARAMS);
        ptx_var *v = &vars[list.count++];
        *v = (ptx_var){.space = PTX_SPACE_PARAM};
        bool reg = ptx_accept_dot(p, "reg");
        if (!reg && !ptx_accept_dot(p, "param"))
            ptx_fail(p, &at, "expected a parameter that begins with .param (or .reg)");
        uint32_t align = 0;
        unsigned vec = 1;
        ptx_type type = PTX_NONE;
        for (;;) {
            if (ptx_accept_dot(p, "align")) align = expect_align(p);
            else if (dot_type(p) && type == PTX_NONE) type = expect_type(p, "the parameter");
            else if (vec == 1 && (vec = accept_vec(p)) > 1) continue;
            else if (ptx_accept_dot(
                         p, "ptr")) { /* .ptr .global .align 16: a promise of what it points at */
                if (ptx_is_dot(p, "global") || ptx_is_dot(p, "shared") || ptx_is_dot(p, "local") ||
                    ptx_is_dot(p, "const"))
                    ptx_next(p);
                if (ptx_accept_dot(p, "align")) (void)expect_align(p);
            } else break;
        }
        if (type == PTX_NONE) expect_type(p, "the parameter");
        ptx_token name_at = p->tok;
        uint64_t dims[PTX_MAX_DIMS];
        unsigned ndims;
        if (reg && type == PTX_PRED) ptx_fail(p, &at, "predicates cannot be parameters");
        parse_declarator(p, v, type, vec, align, dims, &ndims);
        if (ndims && !dims[0] && !ptx_is(p, ')'))
            ptx_fail(p, &at, "only the last parameter may be an array without size");
        place(p, &name_at, v, &used, PTX_MAX_PARAM_BYTES);
        if (reg && !prototype) {
            if (ndims) ptx_fail(p, &at, "a register parameter cannot be an array");
            ptx_sym *s = ptx_declare(p, &name_at, name_at.name, PTX_SYM_REG);
            s->type = (uint8_t)type;
            s->vec = 1;
            s->count = (uint32_t)list.count - 1; /* which parameter */
            ptx_push_pointer(p, regs, s);
        }
        if (!ptx_accept(p, ',')) break;
    }
    ptx_expect(p, ')', "after the parameters");
    *count = list.count;
    *bytes = (uint32_t)used;
    if (!list.count) return NULL;
    ptx_var *kept = ptx_get(p, list.count * sizeof *kept);
    memcpy(kept, vars, list.count * sizeof *kept);
    return kept;
}

static void declare_params(ptx_parser *p, const ptx_var *params, size_t count,
                           const ptx_token *at) {
    for (size_t i = 0; i < count; i++) {
        ptx_name *n = ptx_intern(p, params[i].name, strlen(params[i].name));
        if (n->len == 1 && n->text[0] == '_') continue;
        if (n->sym && n->sym->depth == p->depth && n->sym->kind == PTX_SYM_REG)
            continue; /* it has been made a register */
        ptx_sym *s = ptx_declare(p, at, n, PTX_SYM_VAR);
        s->var = (ptx_var *)(uintptr_t)&params[i]; /* written by nobody from here on */
    }
}

static void parse_three(ptx_parser *p, uint32_t out[3], const char *what) {
    out[0] = (uint32_t)ptx_expect_int(p, what, UINT32_MAX);
    out[1] = out[2] = 1;
    for (int i = 1; i < 3 && ptx_accept(p, ','); i++)
        out[i] = (uint32_t)ptx_expect_int(p, what, UINT32_MAX);
}

/* .maxntid 256, 1, 1 and the like, up to '{' or ';'. */
static void parse_performance(ptx_parser *p, ptx_func *f) {
    uint32_t ignored[3];
    char found[80];
    for (;;) {
        if (ptx_accept_dot(p, "maxntid")) parse_three(p, f->maxntid, "a number of threads");
        else if (ptx_accept_dot(p, "reqntid")) parse_three(p, f->reqntid, "a number of threads");
        else if (ptx_accept_dot(p, "minnctapersm"))
            f->minnctapersm = (uint32_t)ptx_expect_int(p, "a number of blocks", UINT32_MAX);
        else if (ptx_accept_dot(p, "maxnctapersm"))
            ptx_expect_int(p, "a number of blocks", UINT32_MAX);
        else if (ptx_accept_dot(p, "maxnreg"))
            f->maxnreg = (uint32_t)ptx_expect_int(p, "a number of registers", UINT32_MAX);
        else if (ptx_accept_dot(p, "reqnctapercluster"))
            parse_three(p, ignored, "a number of blocks");
        else if (ptx_accept_dot(p, "maxclusterrank"))
            ptx_expect_int(p, "a number of blocks", UINT32_MAX);
        else if (ptx_accept_dot(p, "abi_preserve") || ptx_accept_dot(p, "abi_preserve_control"))
            ptx_expect_int(p, "a number of registers", UINT32_MAX);
        else if (ptx_accept_dot(p, "noreturn") || ptx_accept_dot(p, "explicitcluster") ||
                 ptx_accept_dot(p, "blocksareclusters") || ptx_accept_dot(p, "unique"))
            continue;
        else if (ptx_is_dot(p, "pragma")) ptx_skip_pragma(p);
        else if (ptx_is_dot(p, "attribute")) accept_attribute(p);
        else if (ptx_is(p, '{') || ptx_is(p, ';')) return;
        else
            ptx_fail(p, &p->tok, "expected a directive of the function, '{' or ';', found %s",
                     ptx_describe(&p->tok, found, sizeof found));
    }
}

/* (rets) name (params), at the token after .entry, .func or .callprototype. Enters scope 1 unless
 * it is a prototype's. */
ptx_func *ptx_parse_signature(ptx_parser *p, bool entry, bool prototype) {
    ptx_func *f = ptx_get(p, sizeof *f);
    f->entry = entry;
    f->ptx_line = p->tok.line;
    p->ret_regs.count = prototype ? p->ret_regs.count : 0;
    p->param_regs.count = prototype ? p->param_regs.count : 0;
    if (!prototype) ptx_scope_enter(p);
    accept_attribute(p);
    ptx_token at = p->tok;
    if (!entry && ptx_is(p, '('))
        f->rets = parse_params(p, &f->ret_count, &f->ret_bytes, &p->ret_regs, prototype);
    f->name = ptx_expect_name(p, "the name of a function")->text;
    if (ptx_is(p, '('))
        f->params = parse_params(p, &f->param_count, &f->param_bytes, &p->param_regs, prototype);
    if (!prototype) {
        declare_params(p, f->rets, f->ret_count, &at);
        declare_params(p, f->params, f->param_count, &at);
    }
    return f;
}

static bool same_params(const ptx_var *a, size_t na, const ptx_var *b, size_t nb) {
    if (na != nb) return false;
    for (size_t i = 0; i < na; i++)
        if (a[i].bytes != b[i].bytes || a[i].offset != b[i].offset) return false;
    return true;
}

static void parse_function(ptx_parser *p, bool entry) {
    ptx_token at = p->tok;
    ptx_next(p);
    ptx_func *f = ptx_parse_signature(p, entry, false);
    parse_performance(p, f);
    f->has_body = ptx_is(p, '{');

    ptx_name *name = ptx_intern(p, f->name, strlen(f->name));
    ptx_sym *old = name->sym;
    while (old && old->depth) old = old->outer;
    if (old) {
        if (old->kind != PTX_SYM_FUNC || old->func->entry != entry)
            ptx_fail(p, &at, "'%s' is already declared as something else", f->name);
        if (old->func->has_body && f->has_body) ptx_fail(p, &at, "'%s' is defined twice", f->name);
        if (!same_params(old->func->params, old->func->param_count, f->params, f->param_count) ||
            !same_params(old->func->rets, old->func->ret_count, f->rets, f->ret_count))
            ptx_fail(p, &at, "the parameters of '%s' are not those of its declaration in line %u",
                     f->name, old->func->ptx_line);
        if (f->has_body) { /* calls already point at the declaration's object: it becomes the definition */
            const ptx_func *next = old->func->next;
            *old->func = *f;
            f = old->func;
            f->next = next;
        }
    } else {
        ptx_sym *s = declare_at(p, name, PTX_SYM_FUNC, 0);
        if (s->outer &&
            s->outer->depth) { /* a parameter has the function's own name: it stays in front */
            name->sym = s->outer;
            s->outer = NULL;
            name->sym->outer = s;
        }
        s->func = f;
        ptx_push_pointer(p, &p->funcs, f);
    }
    if (f->has_body) {
        p->fn = f;
        ptx_parse_body(p);
        p->fn = NULL;
    } else {
        ptx_scope_leave(p);
        ptx_expect(p, ';', "after the declaration of a function");
    }
}

/* .alias name, other; name has been declared and becomes other. */
static void parse_alias(ptx_parser *p) {
    ptx_func *f[2];
    for (int i = 0; i < 2; i++) {
        ptx_token at = p->tok;
        ptx_name *n = ptx_expect_name(p, "the name of a function");
        if (!n->sym || n->sym->kind != PTX_SYM_FUNC)
            ptx_fail(p, &at, "'%s' is not a declared function", n->text);
        f[i] = n->sym->func;
        ptx_push_pointer(p, &p->aliases, f[i]);
        if (i == 0) ptx_expect(p, ',', "between the names of an .alias");
    }
    ptx_expect(p, ';', "after .alias");
}

/* ---- directives --------------------------------------------------------------------------- */
void ptx_skip_pragma(ptx_parser *p) {
    ptx_next(p);
    do {
        if (p->tok.kind != PTX_TOK_STRING) ptx_fail(p, &p->tok, "expected the text of a .pragma");
        ptx_next(p);
    } while (ptx_accept(p, ','));
    ptx_expect(p, ';', "after .pragma");
}

static void parse_version(ptx_parser *p) {
    ptx_next(p);
    char buf[24] = "", found[80];
    unsigned major, minor;
    if (p->tok.kind == PTX_TOK_FLOAT && p->tok.len < sizeof buf) memcpy(buf, p->tok.at, p->tok.len);
    char *dot;
    major = (unsigned)strtoul(buf, &dot, 10);
    if (*dot != '.' || p->tok.single)
        ptx_fail(p, &p->tok, "expected a version such as 9.0, found %s",
                 ptx_describe(&p->tok, found, sizeof found));
    minor = (unsigned)strtoul(dot + 1, NULL, 10);
    if (major > 99) ptx_fail(p, &p->tok, "there is no PTX version %s", buf);
    p->module->version_major = major;
    p->module->version_minor = minor;
    p->have_version = true;
    ptx_next(p);
}

static void parse_target(ptx_parser *p) {
    char found[80];
    ptx_next(p);
    do {
        ptx_token at = p->tok;
        ptx_name *n = ptx_expect_name(p, "a target such as sm_90");
        unsigned sm = 0, digits = 0;
        const char *s = n->text + (!strncmp(n->text, "sm_", 3)        ? 3
                                   : !strncmp(n->text, "compute_", 8) ? 8
                                                                      : n->len);
        for (; *s >= '0' && *s <= '9' && digits < 4; s++, digits++)
            sm = sm * 10 + (unsigned)(*s - '0');
        if (digits) p->module->target = sm;
        else if (strcmp(n->text, "debug") && strncmp(n->text, "texmode_", 8) &&
                 strcmp(n->text, "map_f64_to_f32"))
            ptx_fail(p, &at, "expected a target such as sm_90, found %s",
                     ptx_describe(&at, found, sizeof found));
        if (!strcmp(n->text, "texmode_independent"))
            ptx_fail(p, &at, "texmode_independent is not supported");
        if (!strcmp(n->text, "map_f64_to_f32")) ptx_fail(p, &at, "map_f64_to_f32 is not supported");
    } while (ptx_accept(p, ','));
    if (!p->module->target) ptx_fail(p, &p->tok, "expected a target such as sm_90");
    p->have_target = true;
}

/* .section .debug_info { ... }: for debuggers. */
static void skip_section(ptx_parser *p) {
    ptx_token at = p->tok;
    ptx_next(p);
    while (!ptx_is(p, '{')) {
        if (p->tok.kind == PTX_TOK_END) ptx_fail(p, &at, "this .section has no '{'");
        ptx_next(p);
    }
    unsigned depth = 0;
    do {
        if (ptx_is(p, '{')) depth++;
        else if (ptx_is(p, '}')) depth--;
        else if (p->tok.kind == PTX_TOK_END)
            ptx_fail(p, &at, "this .section has no '}' at its end");
        ptx_next(p);
    } while (depth);
}

static void parse_directive(ptx_parser *p) {
    char found[80];
    bool is_extern = false, visible = false;
    ptx_token first = p->tok;
    if (p->tok.kind != PTX_TOK_DOT)
        ptx_fail(p, &first, "expected a directive that begins with a dot, found %s",
                 ptx_describe(&first, found, sizeof found));
    if (ptx_is_dot(p, "version")) {
        parse_version(p);
        return;
    }
    if (!p->have_version)
        ptx_fail(p, &first, "expected .version first, found %s",
                 ptx_describe(&first, found, sizeof found));
    if (ptx_is_dot(p, "target")) {
        parse_target(p);
        return;
    }
    if (!p->have_target)
        ptx_fail(p, &first, "expected .target, found %s",
                 ptx_describe(&first, found, sizeof found));
    if (ptx_accept_dot(p, "address_size")) {
        if (ptx_expect_int(p, "an address size", 64) != 64)
            ptx_fail(p, &first, "only .address_size 64 is supported");
        return;
    }
    if (ptx_is_dot(p, "file")) {
        ptx_parse_file(p);
        return;
    }
    if (ptx_is_dot(p, "loc")) {
        ptx_parse_loc(p);
        return;
    }
    if (ptx_is_dot(p, "section")) {
        skip_section(p);
        return;
    }
    if (ptx_is_dot(p, "pragma")) {
        ptx_skip_pragma(p);
        return;
    }
    if (ptx_accept_dot(p, "alias")) {
        parse_alias(p);
        return;
    }
    for (;;) {
        if (ptx_accept_dot(p, "extern")) is_extern = true;
        else if (ptx_accept_dot(p, "visible") || ptx_accept_dot(p, "weak") ||
                 ptx_accept_dot(p, "common"))
            visible = true;
        else break;
    }
    if (ptx_is_dot(p, "entry")) {
        parse_function(p, true);
        return;
    }
    if (ptx_is_dot(p, "func")) {
        parse_function(p, false);
        return;
    }
    ptx_space space;
    if (ptx_is_dot(p, "global")) space = PTX_SPACE_GLOBAL;
    else if (ptx_is_dot(p, "const")) space = PTX_SPACE_CONST;
    else if (ptx_is_dot(p, "shared")) space = PTX_SPACE_SHARED;
    else if (ptx_is_dot(p, "local")) space = PTX_SPACE_LOCAL;
    else if (ptx_is_dot(p, "tex")) space = PTX_SPACE_GLOBAL;
    else
        ptx_fail(p, &p->tok, "expected a directive such as .entry, .func or .global, found %s",
                 ptx_describe(&p->tok, found, sizeof found));
    ptx_next(p);
    ptx_parse_variables(p, space, &first, is_extern, visible);
    ptx_expect(p, ';', "after the declaration of a variable");
}

/* ---- the finish --------------------------------------------------------------------------- */
static void finish(ptx_parser *p) {
    ptx_func **alias = p->aliases.data;
    for (size_t i = 0; i + 1 < p->aliases.count; i += 2) {
        const char *name = alias[i]->name;
        if (alias[i] == alias[i + 1] || !alias[i + 1]->has_body)
            ptx_fail(p, &p->tok, "the alias '%s' needs a defined function", name);
        *alias[i] = *alias[i + 1];
        alias[i]->name = name;
    }
    ptx_finish_locs(p);
    ptx_func **funcs = p->funcs.data;
    for (size_t i = 0; i + 1 < p->funcs.count; i++) funcs[i]->next = funcs[i + 1];
    ptx_shared_layout(p);
    p->module->vars = ptx_keep(p, &p->vars, sizeof(void *));
    p->module->var_count = p->vars.count;
    p->module->funcs = ptx_keep(p, &p->funcs, sizeof(void *));
    p->module->func_count = p->funcs.count;
}

static void release(ptx_parser *p) {
    ptx_buffer *b[] = {&p->vars,      &p->funcs,       &p->locs,        &p->loc_slots,
                       &p->loc_files, &p->files,       &p->aliases,     &p->init_bytes_buf,
                       &p->relocs,    &p->insns,       &p->reg_types,   &p->reg_names,
                       &p->locals,    &p->own_shareds, &p->call_params, &p->refs,
                       &p->ret_regs,  &p->param_regs,  &p->calls};
    for (size_t i = 0; i < sizeof b / sizeof b[0]; i++) free(b[i]->data);
    for (size_t i = 0; i < sizeof p->layout / sizeof *p->layout; i++) free(p->layout[i].data);
    free(p->names);
    if (p->c_locale) freelocale(p->c_locale);
    free(p);
}

/* Apart from its caller, so that no variable there has a life across the jump. */
static bool parse_text(ptx_parser *p, const char *text, size_t n) {
    if (setjmp(p->fail)) return false;
    p->c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!p->c_locale) ptx_fail_memory(p);
    ptx_lex_start(p, text, n);
    if (n > PTX_MAX_TEXT)
        ptx_fail(p, &(ptx_token){.at = text, .line = 1}, "more than %d bytes of PTX", PTX_MAX_TEXT);
    p->module = ptx_get(p, sizeof *p->module);
    p->module->arena = p->arena;
    ptx_tables_load(p);
    ptx_start_locs(p);
    ptx_next(p);
    if (p->tok.kind == PTX_TOK_END) ptx_fail(p, &p->tok, "expected .version, found nothing");
    while (p->tok.kind != PTX_TOK_END) parse_directive(p);
    finish(p);
    return true;
}

ptx_module *ptx_parse(const char *text, size_t len, lib_message *msg) {
    lib_message unused;
    if (!msg) msg = &unused;
    msg->text[0] = 0;
    if (len && !text[len - 1]) len--; /* a fatbin's PTX counts its NUL */
    ptx_parser *p = calloc(1, sizeof *p);
    ptx_arena *arena = ptx_arena_new();
    if (!p || !arena) {
        snprintf(msg->text, sizeof msg->text, "PTX: out of memory");
        free(p);
        ptx_arena_free(arena);
        return NULL;
    }
    p->msg = msg;
    p->arena = arena;
    p->hash_seed = (uint32_t)(((uintptr_t)p ^ lib_now_ns() * 0x9E3779B97F4A7C15u) >> 7) | 1;
    bool ok = parse_text(p, text, len);
    ptx_module *m = p->module;
    release(p);
    if (ok) return m;
    ptx_arena_free(arena);
    return NULL;
}

void ptx_free(ptx_module *m) {
    if (m) ptx_arena_free(m->arena);
}
