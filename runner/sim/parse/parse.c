/* The module level of PTX: directives, functions (their signatures and variables: decl.c), and
 * aliases, which can only be resolved at the end (PTX ISA sections 5 and 11).
 *
 *   ptx_parse() --> parse_directive() for each --> variables into module.vars
 *                                                  functions into module.funcs (body: insn.c)
 *               --> finish_module(): aliases, source positions (loc.c), offsets of shared variables along the
 *                                    call graph (layout.c) */
#include "runner/sim/parse/parse.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "runner/base/clock.h"
#include "runner/sim/parse/body.h"
#include "runner/sim/parse/decl.h"
#include "runner/sim/parse/finish.h"
#include "runner/sim/lex/lex.h"
#include "runner/sim/lex/scope.h"
#include "runner/sim/lex/spec.h"
#include "runner/base/message.h"

/* ---- functions ---------------------------------------------------------------------------- */

static void parse_three(ptx_parser *p, uint32_t out[3], const char *what) {
    out[0] = (uint32_t)ptx_expect_int(p, what, UINT32_MAX);
    out[1] = out[2] = 1;
    for (int i = 1; i < 3 && ptx_accept(p, ','); i++)
        out[i] = (uint32_t)ptx_expect_int(p, what, UINT32_MAX);
}

/* .maxntid 256, 1, 1 and the like, up to '{' or ';'. */
/* nvcc 2 to 4 wrote declarations of functions without a semicolon. */
static bool prototype_ends(const ptx_parser *p) {
    return p->module->version_major < 5 &&
           (ptx_is_dot(p, "func") || ptx_is_dot(p, "entry") || ptx_is_dot(p, "visible") ||
            ptx_is_dot(p, "extern") || ptx_is_dot(p, "weak") || ptx_is_dot(p, "global") ||
            ptx_is_dot(p, "const") || ptx_is_dot(p, "shared") || p->tok.kind == PTX_TOK_END);
}

static void parse_performance(ptx_parser *p, ptx_func *f) {
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
            parse_three(p, f->reqcluster, "a number of blocks");
        else if (ptx_accept_dot(p, "maxclusterrank"))
            f->maxclusterrank = (uint32_t)ptx_expect_int(p, "a number of blocks", UINT32_MAX);
        else if (ptx_accept_dot(p, "explicitcluster")) f->explicit_cluster = true;
        else if (ptx_accept_dot(p, "blocksareclusters")) f->blocks_are_clusters = true;
        else if (ptx_accept_dot(p, "abi_preserve") || ptx_accept_dot(p, "abi_preserve_control"))
            ptx_expect_int(p, "a number of registers", UINT32_MAX);
        else if (ptx_accept_dot(p, "noreturn") || ptx_accept_dot(p, "unique")) continue;
        else if (ptx_is_dot(p, "pragma")) ptx_skip_pragma(p);
        else if (ptx_is_dot(p, "attribute")) ptx_accept_attribute(p);
        else if (ptx_is(p, '{') || ptx_is(p, ';') || prototype_ends(p)) return;
        else
            ptx_fail(p, &p->tok, "expected a directive of the function, '{' or ';', found %s",
                     ptx_describe(&p->tok, found, sizeof found));
    }
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
        ptx_sym *s = ptx_declare_at(p, name, PTX_SYM_FUNC, 0);
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
        if (!ptx_accept(p, ';') && !prototype_ends(p))
            ptx_expect(p, ';', "after the declaration of a function");
    }
}

/* .alias name, other; name has been declared and becomes other. */
static void parse_alias(ptx_parser *p) {
    ptx_func *f[2];
    ptx_next(p);
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
        if (digits) p->module->target = sm, p->module->target_alone = *s == 'a';
        else if (strcmp(n->text, "debug") && strncmp(n->text, "texmode_", 8) &&
                 strcmp(n->text, "map_f64_to_f32"))
            ptx_fail(p, &at, "expected a target such as sm_90, found %s",
                     ptx_describe(&at, found, sizeof found));
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

static void parse_address_size(ptx_parser *p) {
    ptx_token first = p->tok;
    ptx_next(p);
    if (ptx_expect_int(p, "an address size", 64) != 64)
        ptx_fail(p, &first, "only .address_size 64 is supported");
}

/* .visible .entry and the like, or a variable. */
static void parse_definition(ptx_parser *p) {
    static const struct {
        const char *word;
        ptx_space space;
    } spaces[] = {{"global", PTX_SPACE_GLOBAL},
                  {"const", PTX_SPACE_CONST},
                  {"shared", PTX_SPACE_SHARED},
                  {"local", PTX_SPACE_LOCAL},
                  {"tex", PTX_SPACE_GLOBAL}};
    enum { SPACES = sizeof spaces / sizeof *spaces };
    bool is_extern = false, visible = false;
    for (;;) {
        if (ptx_accept_dot(p, "extern")) is_extern = true;
        else if (ptx_accept_dot(p, "visible") || ptx_accept_dot(p, "weak") ||
                 ptx_accept_dot(p, "common"))
            visible = true;
        else break;
    }
    bool entry = ptx_is_dot(p, "entry");
    if (entry || ptx_is_dot(p, "func")) {
        parse_function(p, entry);
        return;
    }
    char found[80];
    unsigned k = 0;
    while (k < SPACES && !ptx_is_dot(p, spaces[k].word)) k++;
    if (k == SPACES)
        ptx_fail(p, &p->tok, "expected a directive such as .entry, .func or .global, found %s",
                 ptx_describe(&p->tok, found, sizeof found));
    ptx_next(p);
    ptx_parse_variables(p, spaces[k].space, is_extern, visible);
    ptx_expect(p, ';', "after the declaration of a variable");
}

/* A module begins with .version, then .target; all others are free in their order. */
static void parse_directive(ptx_parser *p) {
    static const struct {
        const char *word;
        void (*parse)(ptx_parser *p); /* at the word */
    } directives[] = {{"address_size", parse_address_size},
                      {"file", ptx_parse_file},
                      {"loc", ptx_parse_loc},
                      {"section", skip_section},
                      {"pragma", ptx_skip_pragma},
                      {"alias", parse_alias}};
    char found[80];
    ptx_token first = p->tok;
    const char *name = ptx_describe(&first, found, sizeof found);
    if (p->tok.kind != PTX_TOK_DOT)
        ptx_fail(p, &first, "expected a directive that begins with a dot, found %s", name);
    if (ptx_is_dot(p, "version")) {
        parse_version(p);
        return;
    }
    if (!p->have_version) ptx_fail(p, &first, "expected .version first, found %s", name);
    if (ptx_is_dot(p, "target")) {
        parse_target(p);
        return;
    }
    if (!p->have_target) ptx_fail(p, &first, "expected .target, found %s", name);
    for (unsigned k = 0; k < sizeof directives / sizeof *directives; k++)
        if (ptx_is_dot(p, directives[k].word)) {
            directives[k].parse(p);
            return;
        }
    parse_definition(p);
}

/* ---- the finish --------------------------------------------------------------------------- */
static void finish_module(ptx_parser *p) {
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

static void release_parser(ptx_parser *p) {
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
    finish_module(p);
    return true;
}

ptx_module *ptx_parse(const char *text, size_t len, lib_message *msg) {
    return ptx_parse_until(text, len, NULL, msg);
}

ptx_module *ptx_parse_until(const char *text, size_t len, const volatile int *stop,
                            lib_message *msg) {
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
    p->stop = stop;
    p->arena = arena;
    p->hash_seed = (uint32_t)(((uintptr_t)p ^ lib_now_ns() * 0x9E3779B97F4A7C15u) >> 7) | 1;
    bool ok = parse_text(p, text, len);
    ptx_module *m = p->module;
    release_parser(p);
    if (ok) return m;
    ptx_arena_free(arena);
    return NULL;
}

void ptx_free(ptx_module *m) {
    if (m) ptx_arena_free(m->arena);
}
