/* The module level of PTX: directives, functions (their signatures and variables: decl.c), and
 * aliases, which can only be resolved at the end (PTX ISA sections 5 and 11).
 *
 *   ptx_parse() --> parse_directive() for each --> variables into module.vars
 *                                                  functions into module.funcs (body: insn.c)
 *               --> finish_module(): aliases, source positions (loc.c), offsets of shared
 *                                    variables, from the call graph (layout.c) */
#include "runner/device/sim/parse/parse.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "runner/base/clock.h"
#include "runner/device/sim/parse/body.h"
#include "runner/device/sim/parse/decl.h"
#include "runner/device/sim/parse/finish.h"
#include "runner/device/sim/lex/lex.h"
#include "runner/device/sim/lex/scope.h"
#include "runner/device/sim/lex/spec.h"
#include "runner/base/message.h"
#include "words/base.h"

/* ---- functions ---------------------------------------------------------------------------- */

/* nvcc 2 to 4 wrote function declarations without a semicolon. */
static bool prototype_ends(const ptx_parser *p) {
    return p->module->version_major < 5 &&
           (ptx_is_dot(p, "func") || ptx_is_dot(p, "entry") || ptx_is_dot(p, "visible") ||
            ptx_is_dot(p, "extern") || ptx_is_dot(p, "weak") || ptx_is_dot(p, "global") ||
            ptx_is_dot(p, "const") || ptx_is_dot(p, "shared") || p->tok.kind == PTX_TOK_END);
}

/* Directives of a function (PTX ISA 11.4, 11.7): whether they are for an .entry or a .func, and the
 * version and target that they need. Their numbers must be above 0, except those of clusters, as in
 * the vendor's assembler. */
typedef enum { GIVES_NOTHING, GIVES_FLAG, GIVES_ONE, GIVES_THREE, GIVES_WHAT_NOBODY_READS } gives;
static const struct {
    const char *word, *what;
    bool func;
    uint8_t gives;    /* gives */
    uint16_t version; /* 708: 7.8 */
    uint16_t target;
    size_t offset; /* in ptx_func */
} directives_of_functions[] = {
#define ROW(word, what, func, gives, version, target, field)                                       \
    { word, what, func, GIVES_##gives, version, target, offsetof(ptx_func, field) }
    ROW("maxntid", "a number of threads", false, THREE, 0, 0, maxntid),
    ROW("reqntid", "a number of threads", false, THREE, 0, 0, reqntid),
    ROW("minnctapersm", "a number of blocks", false, ONE, 0, 0, minnctapersm),
    ROW("maxnreg", "a number of registers", false, ONE, 0, 0, maxnreg),
    ROW("reqnctapercluster", "a number of blocks", false, THREE, 708, 90, reqcluster),
    ROW("maxclusterrank", "a number of blocks", false, ONE, 708, 90, maxclusterrank),
    ROW("explicitcluster", NULL, false, FLAG, 708, 90, explicit_cluster),
    ROW("blocksareclusters", NULL, false, FLAG, 900, 90, blocks_are_clusters),
    ROW("noreturn", NULL, true, NOTHING, 604, 30, name),
    ROW("abi_preserve", "a number of registers", true, WHAT_NOBODY_READS, 900, 80, name),
    ROW("abi_preserve_control", "a number of registers", true, WHAT_NOBODY_READS, 900, 80, name),
#undef ROW
};
enum { DIRECTIVES_OF_FUNCTIONS = sizeof directives_of_functions / sizeof *directives_of_functions };

static uint32_t parse_number(ptx_parser *p, const char *what, unsigned least) {
    ptx_token at = p->tok;
    uint64_t n = ptx_expect_int(p, what, UINT32_MAX);
    if (!n && least) ptx_fail(p, &at, "expected %s above 0", what);
    return (uint32_t)n;
}

/* At the word of row `k`. */
static void parse_directive_of_function(ptx_parser *p, ptx_func *f, unsigned k) {
    const char *word = directives_of_functions[k].word, *what = directives_of_functions[k].what;
    unsigned version = directives_of_functions[k].version, least = version == 0;
    void *to = (char *)f + directives_of_functions[k].offset;
    if (directives_of_functions[k].func == f->entry)
        ptx_fail(p, &p->tok, ".%s is a directive of %s", word, f->entry ? ".func" : ".entry");
    char dotted[40];
    snprintf(dotted, sizeof dotted, ".%s", word);
    ptx_hold_module(p, &p->tok, dotted, version, directives_of_functions[k].target);
    ptx_next(p);
    switch (directives_of_functions[k].gives) {
    case GIVES_FLAG: *(bool *)to = true; break;
    case GIVES_ONE: *(uint32_t *)to = parse_number(p, what, least); break;
    case GIVES_WHAT_NOBODY_READS: ptx_expect_int(p, what, UINT32_MAX); break;
    case GIVES_THREE: {
        uint32_t *out = to;
        out[0] = parse_number(p, what, least);
        out[1] = out[2] = 1;
        for (int i = 1; i < 3 && ptx_accept(p, ','); i++) out[i] = parse_number(p, what, least);
        break;
    }
    default: break;
    }
}

static void check_directives_of_function(ptx_parser *p, const ptx_func *f, const ptx_token *at) {
    if (f->maxntid[0] && f->reqntid[0])
        ptx_fail(p, at, "'%s' has both .maxntid and .reqntid", f->name);
    if (f->reqcluster[0] && f->maxclusterrank)
        ptx_fail(p, at, "'%s' has both .reqnctapercluster and .maxclusterrank", f->name);
    if (f->blocks_are_clusters && !(f->reqntid[0] && f->reqcluster[0]))
        ptx_fail(p, at, "'%s' needs .reqntid and .reqnctapercluster for .blocksareclusters",
                 f->name);
}

/* .maxntid 256, 1, 1 and similar directives, up to '{' or ';'. */
static void parse_performance(ptx_parser *p, ptx_func *f) {
    char found[80];
    ptx_token first = p->tok;
    for (;;) {
        unsigned k = 0;
        while (k < DIRECTIVES_OF_FUNCTIONS && !ptx_is_dot(p, directives_of_functions[k].word)) k++;
        if (k < DIRECTIVES_OF_FUNCTIONS) parse_directive_of_function(p, f, k);
        else if (ptx_is_dot(p, "pragma")) ptx_skip_pragma(p);
        else if (ptx_is_dot(p, "attribute")) ptx_accept_attribute(p);
        else if (ptx_is(p, '{') || ptx_is(p, ';') || prototype_ends(p)) break;
        else if (ptx_is_dot(p, "maxnctapersm") &&
                 p->module->version_major * 100 + p->module->version_minor < 201) {
            ptx_next(p);
            parse_number(p, "a number of blocks", 1);
        } else
            ptx_fail(p, &p->tok, "expected a directive of the function, '{' or ';', found %s",
                     ptx_describe(&p->tok, found, sizeof found));
    }
    check_directives_of_function(p, f, &first);
}

static bool same_params(const ptx_var *a, size_t na, const ptx_var *b, size_t nb) {
    if (na != nb) return false;
    for (size_t i = 0; i < na; i++)
        if (a[i].bytes != b[i].bytes || a[i].offset != b[i].offset) return false;
    return true;
}

static bool same_signature(const ptx_func *a, const ptx_func *b) {
    return same_params(a->params, a->param_count, b->params, b->param_count) &&
           same_params(a->rets, a->ret_count, b->rets, b->ret_count);
}

static void parse_function(ptx_parser *p, bool entry, bool is_extern) {
    ptx_token at = p->tok;
    ptx_next(p);
    ptx_func *f = ptx_parse_signature(p, entry, false);
    parse_performance(p, f);
    f->has_body = ptx_is(p, '{');
    if (f->has_body && is_extern) ptx_fail(p, &at, "an .extern function has no body here");

    ptx_name *name = ptx_intern(p, f->name, strlen(f->name));
    ptx_sym *old = name->sym;
    while (old && old->depth) old = old->outer;
    if (old) {
        if (old->kind != PTX_SYM_FUNC || old->func->entry != entry)
            ptx_fail(p, &at, "'%s' is already declared as something else", f->name);
        if (old->func->has_body && f->has_body) ptx_fail(p, &at, "'%s' is defined twice", f->name);
        if (!same_signature(old->func, f))
            ptx_fail(p, &at, "the parameters of '%s' are not those of its declaration in line %u",
                     f->name, old->func->ptx_line);
        /* calls already point at the declaration's object, so it becomes the definition */
        if (f->has_body) {
            const ptx_func *next = old->func->next;
            *old->func = *f;
            f = old->func;
            f->next = next;
        }
    } else {
        ptx_sym *s = ptx_declare_at(p, name, PTX_SYM_FUNC, 0);
        /* a parameter has the function's own name and hides it */
        if (s->outer && s->outer->depth) {
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

/* Checks the version of PTX that introduced an architecture (PTX ISA 13, "Release Notes").
 * Architectures that are not in this table are not checked. */
static void check_target_version(ptx_parser *p, const ptx_token *at, unsigned sm, char letter) {
    static const struct {
        uint16_t target, version;
        char letter;
    } rows[] = {{20, 200, 0},    {30, 300, 0},    {32, 400, 0},    {35, 301, 0},    {37, 401, 0},
                {50, 400, 0},    {52, 401, 0},    {53, 402, 0},    {60, 500, 0},    {61, 500, 0},
                {62, 500, 0},    {70, 600, 0},    {72, 601, 0},    {75, 603, 0},    {80, 700, 0},
                {86, 701, 0},    {87, 704, 0},    {88, 703, 0},    {89, 708, 0},    {90, 708, 0},
                {90, 800, 'a'},  {100, 806, 0},   {100, 806, 'a'}, {100, 808, 'f'}, {101, 806, 0},
                {101, 806, 'a'}, {101, 808, 'f'}, {103, 808, 0},   {103, 808, 'a'}, {103, 808, 'f'},
                {110, 900, 0},   {110, 900, 'a'}, {110, 900, 'f'}, {120, 807, 0},   {120, 807, 'a'},
                {120, 808, 'f'}, {121, 808, 0},   {121, 808, 'a'}, {121, 808, 'f'}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if (rows[k].target == sm && rows[k].letter == letter)
            ptx_hold_module(p, at, at->name->text, rows[k].version, 0);
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
        if (digits) {
            check_target_version(p, &at, sm, *s);
            p->module->target = sm;
            p->target_letter = *s == 'a' || *s == 'f' ? *s : 0;
            p->module->target_alone = *s == 'a';
        }
        if (!digits && strcmp(n->text, "debug") && strncmp(n->text, "texmode_", 8) &&
            strcmp(n->text, "map_f64_to_f32"))
            ptx_fail(p, &at, "expected a target such as sm_90, found %s",
                     ptx_describe(&at, found, sizeof found));
        if (!strcmp(n->text, "map_f64_to_f32")) ptx_fail(p, &at, "map_f64_to_f32 is not supported");
    } while (ptx_accept(p, ','));
    if (!p->module->target) ptx_fail(p, &p->tok, "expected a target such as sm_90");
    p->have_target = true;
}

static void parse_address_size(ptx_parser *p) {
    ptx_token first = p->tok;
    ptx_next(p);
    if (ptx_expect_int(p, "an address size", 64) != 64)
        ptx_fail(p, &first, "only .address_size 64 is supported");
}

/* .visible .entry and similar, or a variable. */
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
    ptx_token linking = p->tok;
    bool is_extern = ptx_accept_dot(p, "extern"),
         common = !is_extern && ptx_accept_dot(p, "common"),
         visible =
             common || (!is_extern && (ptx_accept_dot(p, "visible") || ptx_accept_dot(p, "weak")));
    if (common && !ptx_is_dot(p, "global"))
        ptx_fail(p, &linking, "only .global variables can be .common");
    bool entry = ptx_is_dot(p, "entry");
    if (entry || ptx_is_dot(p, "func")) {
        parse_function(p, entry, is_extern);
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

/* A module begins with .version, then .target, then optionally .address_size (PTX ISA 11.1). The
 * order of all other directives is free. */
static void parse_directive(ptx_parser *p) {
    static const struct {
        const char *word;
        void (*parse)(ptx_parser *p); /* at the word */
    } directives[] = {{"file", ptx_parse_file},
                      {"loc", ptx_parse_loc},
                      {"section", ptx_parse_section},
                      {"pragma", ptx_skip_pragma},
                      {"alias", parse_alias}};
    char found[80];
    ptx_token first = p->tok;
    const char *name = ptx_describe(&first, found, sizeof found);
    if (p->tok.kind != PTX_TOK_DOT)
        ptx_fail(p, &first, "expected a directive that begins with a dot, found %s", name);
    if (ptx_is_dot(p, "version") && !p->have_version) {
        parse_version(p);
        return;
    }
    if (!p->have_version) ptx_fail(p, &first, "expected .version first, found %s", name);
    if (ptx_is_dot(p, "target") && !p->head_ended) {
        parse_target(p);
        return;
    }
    if (!p->have_target) ptx_fail(p, &first, "expected .target, found %s", name);
    bool size = ptx_is_dot(p, "address_size");
    if (p->head_ended && (size || ptx_is_dot(p, "target") || ptx_is_dot(p, "version")))
        ptx_fail(p, &first, "%s belongs at the head of the module", name);
    p->head_ended = true;
    if (size) {
        parse_address_size(p);
        return;
    }
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
        if (alias[i + 1]->entry)
            ptx_fail(p, &p->tok, "'%s' is a kernel: it has no alias", alias[i + 1]->name);
        if (alias[i]->has_body) ptx_fail(p, &p->tok, "the alias '%s' is defined already", name);
        if (!same_signature(alias[i], alias[i + 1]))
            ptx_fail(p, &p->tok, "the parameters of the alias '%s' are not those of '%s'", name,
                     alias[i + 1]->name);
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

/* A function of its own, so that no variable of its caller is live across the longjmp. */
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
    *msg = (lib_message){0};
    if (len && !text[len - 1]) len--; /* the length of a fatbin's PTX includes its NUL */
    ptx_parser *p = calloc(1, sizeof *p);
    ptx_arena *arena = ptx_arena_new();
    if (!p || !arena) {
        lib_message_set(msg, w_base_out_of_memory());
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
