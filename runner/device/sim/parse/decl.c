/* Declarations (PTX ISA sections 5 and 11): registers, variables of all spaces, parameters and
 * signatures of functions. */
#include "runner/device/sim/parse/decl.h"
#include <string.h>
#include "runner/device/sim/lex/lex.h"
#include "runner/device/sim/lex/scope.h"

static ptx_type dot_type(const ptx_parser *p) {
    return p->tok.kind == PTX_TOK_DOT && p->tok.name->word ? (ptx_type)p->tok.name->word->type
                                                           : PTX_NONE;
}

/* PTX ISA 5.2.1, 5.2.4, 5.3: fundamental types, .f16x2 and opaque ones. Alternate floating-point
 * formats and packed types belong only to instructions. */
static bool is_declarable(ptx_type t) {
    return t <= PTX_SURFREF && t != PTX_BF16 && t != PTX_BF16X2 && t != PTX_TF32;
}

static ptx_type expect_type(ptx_parser *p, const char *of) {
    ptx_type t = dot_type(p);
    char found[80];
    if (t == PTX_NONE)
        ptx_fail(p, &p->tok, "expected the type of %s, found %s", of,
                 ptx_describe(&p->tok, found, sizeof found));
    if (!is_declarable(t))
        ptx_fail(p, &p->tok, "%s may only be the type of an instruction, not of %s",
                 ptx_type_text(t), of);
    ptx_next(p);
    return t;
}

/* PTX ISA 5.4.2: vectors have two or four elements (eight only in loads and stores). */
static unsigned accept_vec(ptx_parser *p) {
    return ptx_accept_dot(p, "v2") ? 2 : ptx_accept_dot(p, "v4") ? 4 : 1;
}

/* PTX ISA 5.4.2: vectors of fundamental types except predicates, up to 128 bits. */
static void check_vec(ptx_parser *p, const ptx_token *at, ptx_type type, unsigned vec) {
    if (vec > 1 && (type >= PTX_PRED || vec * ptx_type_size(type) > 16))
        ptx_fail(p, at, "there are no vectors of %u elements of type %s", vec, ptx_type_text(type));
}

/* Parameters of a packed type or a vector must be arrays, as in the vendor's assembler. */
static void check_param(ptx_parser *p, const ptx_token *at, ptx_type type, unsigned vec,
                        unsigned ndims) {
    if (vec > 1 ? ndims == 1 : type == PTX_F16X2 && !ndims)
        ptx_fail(p, at, "a parameter that is %s must be an array",
                 vec > 1 ? "a vector" : "of type .f16x2");
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
    ptx_token type_at = p->tok;
    ptx_type type = expect_type(p, "the registers");
    if (type >= PTX_TEXREF)
        ptx_fail(p, &p->tok, "registers cannot be of type %s", ptx_type_text(type));
    check_vec(p, &type_at, type, vec);
    do {
        ptx_token at = p->tok;
        ptx_name *name = ptx_expect_name(p, "the name of a register");
        bool range = ptx_accept(p, '<');
        ptx_sym *s;
        if (range) {
            uint64_t count = ptx_expect_int(p, "a number of registers", INT32_MAX);
            ptx_expect(p, '>', "after the number of registers");
            s = ptx_declare_range(p, &at, name, (uint32_t)count);
        } else {
            s = ptx_declare(p, &at, name, PTX_SYM_REG);
        }
        s->type = (uint8_t)type;
        s->vec = (uint8_t)vec;
    } while (ptx_accept(p, ','));
}

/* .attribute(.managed, .unified(1, 2)): returns whether .managed is among them. The others have no
 * effect here. */
bool ptx_accept_attribute(ptx_parser *p) {
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

void ptx_skip_pragma(ptx_parser *p) {
    ptx_next(p);
    do {
        if (p->tok.kind != PTX_TOK_STRING) ptx_fail(p, &p->tok, "expected the text of a .pragma");
        ptx_next(p);
    } while (ptx_accept(p, ','));
    ptx_expect(p, ';', "after .pragma");
}

/* ---- variables ---- */

/* [16][8] after a name. dims[0] is 0 for []; *count is the number of elements. */
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

/* Parses the rest of a declaration in any space except .reg, for one name. Fills v except its
 * place. */
static void parse_declarator(ptx_parser *p, ptx_var *v, ptx_type type, unsigned vec, uint32_t align,
                             uint64_t dims[PTX_MAX_DIMS], unsigned *ndims) {
    ptx_token at = p->tok;
    uint64_t count;
    check_vec(p, &at, type, vec);
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

/* The same for a predicate among the parameters of a prototype. */
static void parse_predicate(ptx_parser *p, ptx_var *v, unsigned *ndims) {
    v->name = ptx_expect_name(p, "the name of a variable")->text;
    v->type = PTX_PRED;
    v->align = 1;
    v->bytes = 1;
    *ndims = 0;
    if (ptx_is(p, '[')) ptx_fail(p, &p->tok, "there are no arrays of predicates");
}

static uint64_t place_in(ptx_parser *p, const ptx_token *at, ptx_var *v, uint64_t *used,
                         uint64_t limit) {
    uint64_t offset = (*used + v->align - 1) & ~(uint64_t)(v->align - 1);
    if (offset > limit || v->bytes > limit - offset)
        ptx_fail(p, at, "'%s' does not fit: at most %llu bytes", v->name,
                 (unsigned long long)limit);
    v->offset = offset;
    *used = offset + v->bytes;
    return offset;
}

/* The words between the space and the first name. */
typedef struct {
    ptx_space space;
    ptx_type type;
    unsigned vec;
    uint32_t align;
    bool managed, is_extern, visible;
} var_words;

static void parse_var_words(ptx_parser *p, var_words *w) {
    w->vec = 1;
    if (w->space == PTX_SPACE_CONST && ptx_is(p, '['))
        ptx_fail(p, &p->tok, "constant banks (.const[n]) went away with PTX 2.2");
    for (;;) {
        w->managed |= ptx_accept_attribute(p);
        if (ptx_accept_dot(p, "align")) w->align = expect_align(p);
        else if (w->vec == 1 && (w->vec = accept_vec(p)) > 1) continue;
        else if (dot_type(p) && w->type == PTX_NONE) w->type = expect_type(p, "the variable");
        else if (ptx_accept_dot(p, "ptr")) continue;
        else break;
    }
    if (w->type == PTX_NONE) expect_type(p, "the variable");
}

/* Declares v under its name. An .extern variable may be declared before its definition and again
 * after it: *again. Returns the object for the variable from now on; NULL: v adds nothing new. */
static ptx_var *declare_variable(ptx_parser *p, const ptx_token *at, ptx_var *v, bool *again) {
    ptx_name *name = ptx_intern(p, v->name, strlen(v->name));
    ptx_sym *old = p->depth == 0 ? name->sym : NULL;
    *again = old && old->kind == PTX_SYM_VAR && (old->var->is_extern || v->is_extern) &&
             old->var->space == v->space;
    if (!*again) {
        ptx_declare(p, at, name, PTX_SYM_VAR)->var = v;
        return v;
    }
    if (v->is_extern) return NULL;
    /* .extern before the definition: all references already point at the first object */
    *old->var = *v;
    return old->var;
}

static void initialise_variable(ptx_parser *p, const ptx_token *at, ptx_var *v,
                                const uint64_t *dims, unsigned ndims) {
    if (v->space != PTX_SPACE_GLOBAL && v->space != PTX_SPACE_CONST)
        ptx_fail(p, at, "only .global and .const variables can have initial values");
    if (v->is_extern) ptx_fail(p, at, "an .extern variable cannot have initial values");
    if (v->type >= PTX_TEXREF && v->type <= PTX_SURFREF)
        ptx_fail(p, at, "initial values of %s variables are not supported", ptx_type_text(v->type));
    ptx_parse_initialiser(p, v, dims, ndims);
}

/* Sets the place of v, and adds it to the right list. */
static void place_variable(ptx_parser *p, const ptx_token *at, ptx_var *v, bool again) {
    uint64_t used;
    switch (v->space) {
    case PTX_SPACE_PARAM:
        used = p->scope_call_bytes[p->depth];
        place_in(p, at, v, &used, PTX_MAX_PARAM_BYTES);
        p->scope_call_bytes[p->depth] = (uint32_t)used;
        if (used > p->fn->call_param_bytes) p->fn->call_param_bytes = (uint32_t)used;
        ptx_push_pointer(p, &p->call_params, v);
        break;
    case PTX_SPACE_LOCAL:
        if (!p->fn)
            ptx_fail(p, at,
                     ".local variables at module level are not supported: declare '%s' in a "
                     "function",
                     v->name);
        used = p->fn->local_bytes;
        place_in(p, at, v, &used, 1u << 30);
        p->fn->local_bytes = (uint32_t)used;
        ptx_push_pointer(p, &p->locals, v);
        break;
    case PTX_SPACE_SHARED:
        if (v->bytes > 1u << 30) ptx_fail(p, at, "'%s' does not fit in shared memory", v->name);
        if (p->fn)
            *(ptx_own_shared *)ptx_push(p, &p->own_shareds, sizeof(ptx_own_shared)) =
                (ptx_own_shared){.func = p->fn, .var = v};
        else if (!again) ptx_push_pointer(p, &p->vars, v);
        break;
    default:
        if (!again) ptx_push_pointer(p, &p->vars, v);
    }
}

void ptx_parse_variables(ptx_parser *p, ptx_space space, bool is_extern, bool visible) {
    var_words w = {.space = space, .is_extern = is_extern, .visible = visible};
    parse_var_words(p, &w);
    do {
        ptx_token at = p->tok;
        uint64_t dims[PTX_MAX_DIMS];
        unsigned ndims;
        bool again;
        ptx_var *v = ptx_get(p, sizeof *v);
        parse_declarator(p, v, w.type, w.vec, w.align, dims, &ndims);
        if (space == PTX_SPACE_PARAM) check_param(p, &at, w.type, w.vec, ndims);
        v->space = space;
        v->is_extern = is_extern;
        v->visible = visible;
        v->managed = w.managed && space == PTX_SPACE_GLOBAL;
        v->owner = p->fn;
        if (ptx_is(p, '<')) /* several variables, x<4> */
            ptx_fail(p, &p->tok, "only registers can be declared as a range NAME<n>");
        bool unsized = v->bytes == 0;
        v = declare_variable(p, &at, v, &again);
        if (v && ptx_accept(p, '=')) {
            initialise_variable(p, &at, v, dims, ndims);
            unsized = false;
        }
        if (!v) continue;
        if (unsized && !is_extern)
            ptx_fail(p, &at, "the array '%s' needs a size or initial values", v->name);
        place_variable(p, &at, v, again);
    } while (ptx_accept(p, ','));
}

/* ---- signatures ---- */

/* ( .param .align 8 .b8 x[16], .reg .u32 y ) at the parenthesis. Old-style register parameters
 * become .param ones. The body loads them at its start and stores them before it returns; `regs`
 * gets their symbols. */
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
            /* .ptr .global .align 16: a promise about what it points at */
            else if (ptx_accept_dot(p, "ptr")) {
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
        /* Prototypes may have predicates, but calls cannot pass any (check_list). */
        bool pred = prototype && type == PTX_PRED && vec == 1;
        if (reg && type == PTX_PRED && !pred) ptx_fail(p, &at, "predicates cannot be parameters");
        if (reg && type > PTX_PRED)
            ptx_fail(p, &at, "registers cannot be of type %s", ptx_type_text(type));
        if (pred) parse_predicate(p, v, &ndims);
        else parse_declarator(p, v, type, vec, align, dims, &ndims);
        if (!reg && !prototype) check_param(p, &name_at, type, vec, ndims);
        if (ndims && !dims[0] && !ptx_is(p, ')'))
            ptx_fail(p, &at, "only the last parameter may be an array without size");
        place_in(p, &name_at, v, &used, PTX_MAX_PARAM_BYTES);
        if (reg && !prototype) {
            if (ndims) ptx_fail(p, &at, "a register parameter cannot be an array");
            ptx_sym *s = ptx_declare(p, &name_at, name_at.name, PTX_SYM_REG);
            s->type = (uint8_t)type;
            s->vec = 1;
            s->count = (uint32_t)list.count - 1; /* index of the parameter */
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
        /* it has become a register */
        if (n->sym && n->sym->depth == p->depth && n->sym->kind == PTX_SYM_REG) continue;
        ptx_sym *s = ptx_declare(p, at, n, PTX_SYM_VAR);
        s->var = (ptx_var *)(uintptr_t)&params[i]; /* not written any more */
    }
}

/* (rets) name (params), at the token after .entry, .func or .callprototype. Enters scope 1 unless
 * it is a prototype. */
ptx_func *ptx_parse_signature(ptx_parser *p, bool entry, bool prototype) {
    ptx_func *f = ptx_get(p, sizeof *f);
    f->entry = entry;
    f->ptx_line = p->tok.line;
    p->ret_regs.count = prototype ? p->ret_regs.count : 0;
    p->param_regs.count = prototype ? p->param_regs.count : 0;
    if (!prototype) ptx_scope_enter(p);
    ptx_accept_attribute(p);
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
