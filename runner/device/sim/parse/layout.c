/* The places of shared variables, once the whole module is known.
 *
 * A kernel's own .shared variables belong only to it. Those at module level, and those in device
 * functions, may be used by several kernels through calls, and an instruction of a device function
 * has only one address for each. So such a "floating" variable has the same offset in every kernel
 * that reaches it, chosen so that no two variables overlap in a kernel. The kernel's own variables
 * come after them.
 *
 *   instructions --> which function uses which variable, which function calls which
 *                --backwards from each variable--> kernels that reach it --> offsets */
#include <stdlib.h>
#include <string.h>
#include "runner/device/sim/parse/finish.h"
#include "runner/device/sim/lex/lex.h"

/* Steps of all walks together. Beyond this, every kernel makes room for every floating variable and
 * does not list them. */
enum { MAX_WORK = 1 << 26 };

typedef struct {
    const void *what;
    uint32_t index;
} known; /* object -> its number, sorted by address */
typedef struct {
    uint32_t from, to;
} pair;

typedef struct {
    ptx_parser *p;
    ptx_func **funcs;
    uint32_t nfuncs;
    /* Buffers of the parser, which frees them. */
    ptx_buffer *func_index, *float_index; /* known */
    ptx_buffer *floating;                 /* ptx_var *, in the order of their declarations */
    ptx_buffer *calls, *uses,
        /* pair: (callee, caller), (floating variable, function), (kernel, floating variable) */
        *kernel_vars;
    /* calls of callee f: first[f] .. first[f + 1]; callee nfuncs: "some indirect call" */
    uint32_t *first;
    uint32_t *seen, *stack, stamp, *top; /* for the walks; top: bytes used so far by each kernel */
    bool *taken; /* the function's address is taken, so any indirect call may reach it */
    size_t work;
} state;

static int by_address(const void *a, const void *b) {
    uintptr_t x = (uintptr_t)((const known *)a)->what, y = (uintptr_t)((const known *)b)->what;
    return x < y ? -1 : x > y;
}
static int by_pair(const void *a, const void *b) {
    const pair *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

static int by_function(const void *a, const void *b) {
    const ptx_own_shared *x = a, *y = b;
    if (x->findex != y->findex) return x->findex < y->findex ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static void know(state *s, ptx_buffer *b, const void *what, uint32_t index) {
    *(known *)ptx_push(s->p, b, sizeof(known)) = (known){what, index};
}
static uint32_t number_of(const ptx_buffer *b, const void *what) {
    known key = {what, 0};
    const known *k = b->count ? bsearch(&key, b->data, b->count, sizeof key, by_address) : NULL;
    return k ? k->index : UINT32_MAX;
}
static void sort(ptx_buffer *b, size_t size, int (*by)(const void *, const void *)) {
    if (b->count) qsort(b->data, b->count, size, by);
}
static void add_pair(state *s, ptx_buffer *b, uint32_t from, uint32_t to) {
    *(pair *)ptx_push(s->p, b, sizeof(pair)) = (pair){from, to};
}

/* ---- who uses and calls what -------------------------------------------------------------- */
static void note_operand(state *s, uint32_t f, const ptx_opnd *o, bool callee) {
    if (o->kind == PTX_OPND_FUNC) {
        uint32_t to = number_of(s->func_index, o->func);
        if (to == UINT32_MAX) return;
        if (callee) add_pair(s, s->calls, to, f);
        else s->taken[to] = true;
    }
    if ((o->kind == PTX_OPND_VAR || o->kind == PTX_OPND_ADDR) && o->var &&
        o->var->space == PTX_SPACE_SHARED) {
        if (!o->var->bytes) s->funcs[f]->uses_dynamic_shared = true;
        uint32_t v = number_of(s->float_index, o->var);
        if (v != UINT32_MAX) add_pair(s, s->uses, v, f);
    }
}

static void scan_module(state *s) {
    for (uint32_t f = 0; f < s->nfuncs; f++) {
        const ptx_func *fn = s->funcs[f];
        bool indirect = false;
        for (size_t i = 0; i < fn->insn_count; i++) {
            const ptx_insn *in = &fn->insns[i];
            for (unsigned k = 0; k < in->nopnds; k++) {
                const ptx_opnd *o = &in->opnd[k];
                note_operand(s, f, o, in->op == PTX_OP_call && k == 1);
                for (unsigned e = 0; o->kind == PTX_OPND_VEC && e < o->count; e++)
                    note_operand(s, f, &o->elem[e], false);
            }
            indirect |= in->op == PTX_OP_call && in->opnd[1].kind == PTX_OPND_REG;
        }
        if (indirect) add_pair(s, s->calls, s->nfuncs, f);
    }
    ptx_var **vars = s->p->vars.data;
    for (size_t v = 0; v < s->p->vars.count; v++) {
        for (size_t k = 0; k < vars[v]->reloc_count; k++) {
            const char *name = vars[v]->relocs[k].symbol;
            const ptx_sym *sym = ptx_intern(s->p, name, strlen(name))->sym;
            uint32_t to =
                sym && sym->kind == PTX_SYM_FUNC ? number_of(s->func_index, sym->func) : UINT32_MAX;
            if (to != UINT32_MAX) s->taken[to] = true;
        }
    }
    sort(s->calls, sizeof(pair), by_pair);
    sort(s->uses, sizeof(pair), by_pair);
    const pair *c = s->calls->data;
    uint32_t at = 0;
    for (uint32_t f = 0; f <= s->nfuncs; f++) {
        s->first[f] = at;
        while (at < s->calls->count && c[at].from == f) at++;
    }
    s->first[s->nfuncs + 1] = at;
}

/* ---- walks from callees to callers -------------------------------------------------------- */
static uint32_t visit(state *s, uint32_t f, uint32_t top) {
    s->work++;
    if (s->seen[f] == s->stamp) return top;
    s->seen[f] = s->stamp;
    s->stack[top] = f;
    return top + 1;
}

/* Visits all functions that reach those on the stack and stamps them. Calls found() for each. */
static void walk(state *s, uint32_t top, void (*found)(state *, uint32_t f, void *user),
                 void *user) {
    const pair *calls = s->calls->data;
    while (top) {
        uint32_t f = s->stack[--top];
        if (f < s->nfuncs) {
            found(s, f, user);
            if (s->taken[f]) top = visit(s, s->nfuncs, top);
        }
        for (uint32_t e = s->first[f]; e < s->first[f + 1]; e++) top = visit(s, calls[e].to, top);
    }
}

static void found_dynamic(state *s, uint32_t f, void *user) {
    (void)user;
    s->funcs[f]->uses_dynamic_shared = true;
}

static void found_kernel(state *s, uint32_t f, void *user) {
    if (s->funcs[f]->entry) add_pair(s, s->kernel_vars, f, *(uint32_t *)user);
}

static uint32_t place_shared(uint32_t top, ptx_var *v) {
    uint64_t offset = ((uint64_t)top + v->align - 1) & ~(uint64_t)(v->align - 1),
             end = offset + v->bytes;
    v->offset = offset;
    return end < UINT32_MAX ? (uint32_t)end : UINT32_MAX; /* the launch will be refused */
}

static void place_floating(state *s) {
    const pair *uses = s->uses->data;
    ptx_var **var = s->floating->data;
    size_t at = 0;
    for (uint32_t v = 0; v < s->floating->count; v++) {
        size_t first_pair = s->kernel_vars->count;
        uint32_t top = 0, offset = 0;
        s->stamp++;
        while (at < s->uses->count && uses[at].from == v) top = visit(s, uses[at++].to, top);
        walk(s, top, found_kernel, &v);
        const pair *met = s->kernel_vars->data;
        for (size_t k = first_pair; k < s->kernel_vars->count; k++)
            if (s->top[met[k].from] > offset) offset = s->top[met[k].from];
        uint32_t end = place_shared(offset, var[v]);
        for (size_t k = first_pair; k < s->kernel_vars->count; k++) s->top[met[k].from] = end;
        if (s->work > MAX_WORK) break;
    }
    if (s->work <= MAX_WORK) return;
    uint32_t end = 0;
    for (uint32_t v = 0; v < s->floating->count; v++) end = place_shared(end, var[v]);
    for (uint32_t f = 0; f < s->nfuncs; f++) s->top[f] = end;
    s->kernel_vars->count = 0;
}

/* ---- the functions' lists ----------------------------------------------------------------- */
static void list_variables(state *s) {
    ptx_var **var = s->floating->data;
    const ptx_own_shared *own = s->p->own_shareds.data;
    sort(s->kernel_vars, sizeof(pair), by_pair);
    const pair *met = s->kernel_vars->data;
    size_t next_own = 0, next = 0;
    for (uint32_t f = 0; f < s->nfuncs; f++) {
        ptx_func *fn = s->funcs[f];
        size_t mine = 0, others = 0;
        while (next + others < s->kernel_vars->count && met[next + others].from == f) others++;
        while (next_own + mine < s->p->own_shareds.count && own[next_own + mine].findex == f)
            mine++;
        uint32_t top = s->top[f];
        ptx_var *out = mine + others ? ptx_get(s->p, (mine + others) * sizeof *out) : NULL;
        for (size_t k = 0; k < mine; k++, next_own++) {
            if (fn->entry) top = place_shared(top, own[next_own].var);
            out[k] = *own[next_own].var;
        }
        for (size_t k = 0; k < others; k++) out[mine + k] = *var[met[next++].to];
        fn->shareds = out;
        fn->shared_count = mine + others;
        if (fn->entry) fn->shared_bytes = top;
    }
}

static void note_extern(state *s, const ptx_var *v) {
    uint32_t *align = &s->p->module->extern_shared_align;
    if (v->space == PTX_SPACE_SHARED && !v->bytes && v->align > *align) *align = v->align;
}

static void lay_out_shared(state *s) {
    ptx_own_shared *own = s->p->own_shareds.data;
    ptx_var **vars = s->p->vars.data;
    for (size_t v = 0; v < s->p->vars.count; v++) note_extern(s, vars[v]);
    for (size_t v = 0; v < s->p->own_shareds.count; v++) note_extern(s, own[v].var);
    for (uint32_t f = 0; f < s->nfuncs; f++) know(s, s->func_index, s->funcs[f], f);
    sort(s->func_index, sizeof(known), by_address);
    for (size_t v = 0; v < s->p->own_shareds.count; v++)
        own[v].findex = number_of(s->func_index, own[v].func), own[v].order = (uint32_t)v;
    sort(&s->p->own_shareds, sizeof *own, by_function);
    for (size_t v = 0; v < s->p->vars.count; v++)
        if (vars[v]->space == PTX_SPACE_SHARED && vars[v]->bytes)
            ptx_push_pointer(s->p, s->floating, vars[v]);
    for (size_t v = 0; v < s->p->own_shareds.count; v++)
        if (!own[v].func->entry && own[v].var->bytes)
            ptx_push_pointer(s->p, s->floating, own[v].var);
    for (uint32_t v = 0; v < s->floating->count; v++)
        know(s, s->float_index, ((ptx_var **)s->floating->data)[v], v);
    sort(s->float_index, sizeof(known), by_address);
    scan_module(s);
    uint32_t top = 0;
    s->stamp++;
    for (uint32_t f = 0; f < s->nfuncs; f++)
        if (s->funcs[f]->uses_dynamic_shared) top = visit(s, f, top);
    walk(s, top, found_dynamic, NULL);
    place_floating(s);
    list_variables(s);
}

void ptx_shared_layout(ptx_parser *p) {
    size_t n = p->funcs.count;
    state s = {.p = p, .funcs = p->funcs.data, .nfuncs = (uint32_t)n};
    s.func_index = &p->layout[0];
    s.float_index = &p->layout[1];
    s.floating = &p->layout[2];
    s.calls = &p->layout[3];
    s.uses = &p->layout[4];
    s.kernel_vars = &p->layout[5];
    s.first = ptx_get(p, (n + 2) * sizeof *s.first);
    s.seen = ptx_get(p, (n + 1) * sizeof *s.seen);
    s.stack = ptx_get(p, (n + 1) * sizeof *s.stack);
    s.top = ptx_get(p, (n + 1) * sizeof *s.top);
    s.taken = ptx_get(p, (n + 1) * sizeof *s.taken);
    lay_out_shared(&s);
}
