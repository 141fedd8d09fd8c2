/* What the disassembler writes must parse to the same again: for every module of tests/ptx and
 * every instruction of its lists.
 *
 *   module --names made unique, ptx_disassemble()--> text --ptx_parse()--> module'
 *   module and module' are compared instruction by instruction
 *
 * test_ptx_roundtrip FILE.ptx ... does the same for the files named (tests/ptx/nvcc.sh). */
#include <inttypes.h>
#include <stdarg.h>
#include <time.h>
#include "runner/base/message.h"
#include "tests/check.h"
#include "tests/said.h"
#include "tests/unit/ptx_fixture.h"

typedef struct {
    char *at;
    size_t len, cap;
} buffer;

__attribute__((format(printf, 2, 3))) static void put(buffer *b, const char *fmt, ...) {
    va_list ap;
    if (b->cap - b->len < 4096) {
        b->cap = b->cap * 2 + 65536;
        b->at = realloc(b->at, b->cap);
    }
    va_start(ap, fmt);
    b->len += (size_t)vsnprintf(b->at + b->len, b->cap - b->len, fmt, ap);
    va_end(ap);
}

/* ---- names -------------------------------------------------------------------------------- */

/* Names of scopes may hide each other; written into one scope they must differ. The module is ours
 * alone, so its text may be changed. */
static struct name {
    struct name *next;
    char text[24];
} * all_names;

static const char *unique(const char *kind, unsigned *n) {
    struct name *t = malloc(sizeof *t);
    t->next = all_names;
    all_names = t;
    snprintf(t->text, sizeof t->text, "%s%u", kind, (*n)++);
    return t->text;
}
static void free_names(void) {
    for (struct name *n = all_names, *next; n; n = next) {
        next = n->next;
        free(n);
    }
    all_names = NULL;
}

static void rename_operand(const ptx_opnd *o, unsigned *n) {
    ptx_var *v = (ptx_var *)(uintptr_t)o->var;
    if (v && strncmp(v->name, "Var", 3)) v->name = unique("Var", n);
    for (unsigned k = 0; o->kind == PTX_OPND_VEC && k < o->count; k++)
        rename_operand(&o->elem[k], n);
}

static void make_unique(ptx_module *m) {
    unsigned n = 0, r = 0;
    for (size_t v = 0; v < m->var_count; v++)
        ((ptx_var *)(uintptr_t)m->vars[v])->name = unique("Var", &n);
    for (size_t f = 0; f < m->func_count; f++) {
        const ptx_func *fn = m->funcs[f];
        for (size_t i = 0; i < fn->param_count; i++)
            ((ptx_var *)(uintptr_t)&fn->params[i])->name = unique("Var", &n);
        for (size_t i = 0; i < fn->ret_count; i++)
            ((ptx_var *)(uintptr_t)&fn->rets[i])->name = unique("Var", &n);
        for (size_t i = 0; i < fn->insn_count; i++)
            for (unsigned k = 0; k < fn->insns[i].nopnds; k++)
                rename_operand(&fn->insns[i].opnd[k], &n);
        for (size_t i = 0; i < fn->reg_count; i++)
            ((const char **)(uintptr_t)fn->reg_name)[i] = unique("%R", &r);
    }
}

/* ---- writing a module --------------------------------------------------------------------- */
static void put_var(buffer *b, const char *space, const ptx_var *v) {
    static const char *const opaque[] = {".texref", ".samplerref", ".surfref"};
    if (v->type >= PTX_TEXREF && v->type <= PTX_SURFREF)
        put(b, "%s %s %s", space, opaque[v->type - PTX_TEXREF], v->name);
    else if (v->bytes == 8 && v->type == PTX_U64) /* perhaps a texture of old */
        put(b, "%s .align %u .b64 %s", space, v->align, v->name);
    else put(b, "%s .align %u .b8 %s[%" PRIu64 "]", space, v->align, v->name, v->bytes);
}

static void put_params(buffer *b, const ptx_var *v, size_t n) {
    put(b, "(");
    for (size_t i = 0; i < n; i++) {
        put(b, "%s", i ? ", " : "");
        if (v[i].bytes) put_var(b, ".param", &v[i]);
        else put(b, ".param .align %u .b8 %s[]", v[i].align, v[i].name);
    }
    put(b, ")");
}

static void put_signature(buffer *b, const ptx_func *f, const char *name) {
    if (f->ret_count) put_params(b, f->rets, f->ret_count);
    put(b, " %s ", name);
    put_params(b, f->params, f->param_count);
}

static bool has_var(const ptx_func *f, const ptx_var *v) {
    for (size_t i = 0; i < f->param_count; i++)
        if (v == &f->params[i]) return true;
    for (size_t i = 0; i < f->ret_count; i++)
        if (v == &f->rets[i]) return true;
    return false;
}

/* Variables of the body are declared where they are first met: what the parser keeps of them
 * elsewhere are copies. */
static void put_locals(buffer *b, const ptx_func *f, const ptx_opnd *o, const ptx_var **done,
                       size_t *ndone) {
    const ptx_var *v = o->var;
    for (unsigned k = 0; o->kind == PTX_OPND_VEC && k < o->count; k++)
        put_locals(b, f, &o->elem[k], done, ndone);
    if (!v || !v->owner || has_var(f, v)) return;
    for (size_t i = 0; i < *ndone; i++)
        if (done[i] == v) return;
    done[(*ndone)++] = v;
    if (v->space == PTX_SPACE_SHARED && !v->bytes)
        put(b, ".extern .shared .align %u .b8 %s[];\n", v->align, v->name);
    else {
        put_var(b,
                v->space == PTX_SPACE_SHARED  ? ".shared"
                : v->space == PTX_SPACE_LOCAL ? ".local"
                                              : ".param",
                v);
        put(b, ";\n");
    }
}

static void put_body(buffer *b, const ptx_func *f) {
    size_t operands = 0, ndone = 0;
    put(b, "{\n");
    for (size_t i = 0; i < f->reg_count; i++)
        put(b, ".reg %s %s;\n", ptx_type_text((ptx_type)f->reg_type[i]), f->reg_name[i]);
    for (size_t i = 0; i < f->insn_count; i++)
        for (unsigned k = 0; k < f->insns[i].nopnds; k++)
            operands += 1u + f->insns[i].opnd[k].count;
    const ptx_var **done = malloc((operands + 1) * sizeof(void *));
    for (size_t i = 0; i < f->insn_count; i++)
        for (unsigned k = 0; k < f->insns[i].nopnds; k++)
            put_locals(b, f, &f->insns[i].opnd[k], done, &ndone);
    free(done);
    for (size_t i = 0; i < f->insn_count; i++) {
        const ptx_insn *in = &f->insns[i];
        char text[2000];
        put(b, "$L%zu:\n", i);
        if (in->op == PTX_OP_brx_idx) {
            put(b, "$T%zu: .branchtargets ", i);
            for (int64_t k = 0; k < in->opnd[1].offset; k++)
                put(b, "%s$L%u", k ? ", " : "", in->opnd[1].labels[k]);
            put(b, ";\n");
        }
        if (in->op == PTX_OP_call && in->nopnds > 3) {
            put(b, "$P%zu: .callprototype ", i);
            put_signature(b, in->opnd[3].func, "_");
            put(b, ";\n");
        }
        ptx_disassemble(f, in, text, sizeof text);
        put(b, "%s\n", text);
    }
    put(b, "}\n");
}

/* Functions are declared ahead of all bodies; entries cannot be. */
static char *module_text(const ptx_module *m) {
    buffer b = {0};
    put(&b, ".version 9.0\n.target sm_%u%s\n.address_size 64\n", m->target,
        m->target_alone ? "a" : "");
    for (size_t i = 0; i < m->var_count; i++) {
        const ptx_var *v = m->vars[i];
        if (!v->bytes) {
            put(&b, ".extern .shared .align %u .b8 %s[];\n", v->align, v->name);
            continue;
        }
        put_var(&b,
                v->space == PTX_SPACE_CONST    ? ".const"
                : v->space == PTX_SPACE_SHARED ? ".shared"
                                               : ".global",
                v);
        put(&b, ";\n");
    }
    for (size_t i = 0; i < m->func_count; i++) {
        if (m->funcs[i]->entry) continue;
        put(&b, ".func ");
        put_signature(&b, m->funcs[i], m->funcs[i]->name);
        put(&b, ";\n");
    }
    for (size_t i = 0; i < m->func_count; i++) {
        if (!m->funcs[i]->has_body) continue;
        put(&b, "%s ", m->funcs[i]->entry ? ".entry" : ".func");
        put_signature(&b, m->funcs[i], m->funcs[i]->name);
        put_body(&b, m->funcs[i]);
    }
    return b.at;
}

/* ---- comparing ---------------------------------------------------------------------------- */
static bool same_name(const char *a, const char *b) {
    return a == b || (a && b && !strcmp(a, b));
}

static bool same_operand(const ptx_func *fa, const ptx_opnd *a, const ptx_func *fb,
                         const ptx_opnd *b) {
    if (a->kind != b->kind || a->negated != b->negated || a->count != b->count ||
        a->sel != b->sel || a->offset != b->offset)
        return false;
    if ((a->reg < 0) != (b->reg < 0)) return false;
    switch (a->kind) {
    case PTX_OPND_REG:
        return !strcmp(fa->reg_name[a->reg], fb->reg_name[b->reg]) &&
               fa->reg_type[a->reg] == fb->reg_type[b->reg];
    case PTX_OPND_IMM: return a->imm == b->imm && a->is_float == b->is_float;
    case PTX_OPND_SREG: return a->sreg == b->sreg;
    case PTX_OPND_VAR:
    case PTX_OPND_ADDR:
        if (a->reg >= 0 && strcmp(fa->reg_name[a->reg], fb->reg_name[b->reg])) return false;
        return same_name(a->var ? a->var->name : NULL, b->var ? b->var->name : NULL);
    case PTX_OPND_LABEL: return a->target == b->target;
    case PTX_OPND_FUNC: return !strcmp(a->func->name, b->func->name);
    case PTX_OPND_LABELS:
        return !memcmp(a->labels, b->labels, (size_t)a->offset * sizeof *a->labels);
    case PTX_OPND_PROTO:
        return a->func->param_bytes == b->func->param_bytes &&
               a->func->ret_bytes == b->func->ret_bytes;
    case PTX_OPND_VEC:
        for (unsigned k = 0; k < a->count; k++)
            if (!same_operand(fa, &a->elem[k], fb, &b->elem[k])) return false;
        return true;
    default: return true;
    }
}

static bool same_insn(const ptx_func *fa, const ptx_insn *a, const ptx_func *fb,
                      const ptx_insn *b) {
    if (a->op != b->op || a->klass != b->klass || a->ntypes != b->ntypes ||
        a->nopnds != b->nopnds || a->flags != b->flags || a->space != b->space ||
        a->space2 != b->space2 || memcmp(a->type, b->type, sizeof a->type) ||
        memcmp(a->field, b->field, sizeof a->field) || (a->guard < 0) != (b->guard < 0) ||
        a->guard_negated != b->guard_negated)
        return false;
    if (a->guard >= 0 && strcmp(fa->reg_name[a->guard], fb->reg_name[b->guard])) return false;
    for (unsigned k = 0; k < a->nopnds; k++)
        if (!same_operand(fa, &a->opnd[k], fb, &b->opnd[k])) return false;
    return true;
}

static bool round_trip(ptx_module *m, char *why, size_t n) {
    make_unique(m);
    char *text = module_text(m), got[600], want[600];
    lib_message msg;
    ptx_module *again = ptx_parse(text, strlen(text), &msg);
    bool ok = again && again->func_count == m->func_count;
    snprintf(why, n, "%s", again ? "another number of functions" : said(&msg));
    for (size_t f = 0; ok && f < m->func_count; f++) {
        const ptx_func *a = m->funcs[f], *b = NULL;
        for (size_t k = 0; k < again->func_count; k++)
            if (!strcmp(again->funcs[k]->name, a->name)) b = again->funcs[k];
        ok = b && a->insn_count == b->insn_count && a->param_bytes == b->param_bytes &&
             a->block_count == b->block_count;
        snprintf(why, n, "function %s differs", a->name);
        for (size_t i = 0; ok && i < a->insn_count; i++) {
            ok = same_insn(a, &a->insns[i], b, &b->insns[i]);
            if (ok) continue;
            ptx_disassemble(a, &a->insns[i], want, sizeof want);
            ptx_disassemble(b, &b->insns[i], got, sizeof got);
            snprintf(why, n, "%s became %s", want, got);
        }
    }
    ptx_free(again);
    free(text);
    return ok;
}

/* ---- inputs ------------------------------------------------------------------------------- */
static void check_file(const char *path) {
    size_t len = 0;
    char *text = read_text(path, &len), why[1200] = "", what[300];
    lib_message msg = {0};
    struct timespec a, b;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
    ptx_module *m = text ? ptx_parse(text, len, &msg) : NULL;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
    double s = (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
    snprintf(what, sizeof what, "%s parses", path);
    check_that(m != NULL, path, 0, what, said(&msg));
    printf("# %zu bytes, %.0f MB/s\n", len, (double)len / s / 1e6);
    if (m) {
        snprintf(what, sizeof what, "%s comes back the same", path);
        bool ok = round_trip(m, why, sizeof why);
        check_that(ok, path, 0, what, why);
    }
    ptx_free(m);
    free_names();
    free(text);
}

static void check_line(const char *line, size_t len, void *user) {
    lib_message msg;
    char why[1200];
    ptx_module *m = parse_instruction(line, len, &msg);
    if (m && round_trip(m, why, sizeof why)) ++*(unsigned *)user;
    else printf("# %.*s: %s\n", (int)len, line, m ? why : said(&msg));
    ptx_free(m);
    free_names();
}

/* The words of an instruction up to its operands, without a predicate and without what .shared
 * means anyway. */
static void words_of(const char *line, char *to, size_t n) {
    size_t k = 0;
    for (line += strspn(line, "{ "); *line == '@' || *line == '.'; line += strspn(line, "; {"))
        line += strcspn(line, *line == '@' ? " " : ";"); /* a guard, a declaration */
    while (*line && !strchr(" ;", *line) && k + 1 < n)
        if (!strncmp(line, ".shared::cta", 12)) line += 12, k += (size_t)sprintf(to + k, ".shared");
        else to[k++] = *line++;
    to[k] = 0;
}

static bool same_letters(const char *a, const char *b) {
    int count[256] = {0};
    for (; *a; a++) count[(unsigned char)*a]++;
    for (; *b; b++) count[(unsigned char)*b]--;
    for (int k = 0; k < 256; k++)
        if (count[k]) return false;
    return true;
}

/* The lists have nvcc's spelling, which is that of the ISA's syntax but for the operation of
 * atomics and votes, and for roundings and .satfinite of matrices, which may stand elsewhere. */
static void check_order(const char *line, size_t len, void *user) {
    static const char *const free_order[] = {"atom.", "red.and",  "vote.ballot",
                                             "mma.",  "wmma.mma", "wgmma.mma"};
    char text[1000], written[400], ours[400];
    lib_message msg;
    ptx_module *m = parse_instruction(line, len, &msg);
    const ptx_func *f = m ? m->funcs[m->func_count - 1] : NULL;
    for (size_t k = 0; m && k < m->func_count; k++)
        if (m->funcs[k]->entry) f = m->funcs[k];
    bool same = f && f->insn_count;
    if (same) {
        ptx_disassemble(f, &f->insns[0], text, sizeof text);
        words_of(line, written, sizeof written);
        words_of(text, ours, sizeof ours);
        same = !strcmp(written, ours);
        for (size_t k = 0; k < sizeof free_order / sizeof *free_order; k++)
            same |= !strncmp(written, free_order[k], strlen(free_order[k])) &&
                    same_letters(written, ours);
        same |= f->insn_count > 2; /* a sum that is stored */
        if (!same) printf("# %s became %s\n", written, ours);
    }
    *(unsigned *)user += same;
    ptx_free(m);
}

/* Operands whose brackets hold several of ours. */
static void test_brackets(void) {
    static const char *const rows[] = {
        "cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%r1], "
        "[%d1, {%r2, %r3, %r5}], "
        "[%r4], {%h1};",
        "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%d1, {%r2, %r3}], [%r4];",
        "cp.async.bulk.prefetch.tensor.3d.L2.global.im2col [%d1, {%r1, %r2, %r3}], {%h1};",
        "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%d1, {%r1, %r2}], "
        "[%r3];",
        "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r1], 2, %r3;",
        "membar.gl;",
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        lib_message msg;
        char text[1000] = "";
        ptx_module *m = parse_instruction(rows[k], strlen(rows[k]), &msg);
        for (size_t f = 0; m && f < m->func_count; f++)
            if (m->funcs[f]->entry)
                ptx_disassemble(m->funcs[f], m->funcs[f]->insns, text, sizeof text);
        CHECK_STR(text, rows[k]);
        ptx_free(m);
    }
}

int main(int argc, char **argv) {
    if (argc > 1) {
        for (int i = 1; i < argc; i++) check_file(argv[i]);
        return check_done();
    }
    glob_t g;
    if (!glob("tests/ptx/*.ptx", 0, NULL, &g))
        for (size_t i = 0; i < g.gl_pathc; i++) check_file(g.gl_pathv[i]);
    globfree(&g);
    static const char *const lists[] = {"tests/ptx/coverage.txt", "tests/ptx/forms.txt"};
    for (size_t i = 0; i < 2; i++) {
        unsigned same = 0, n = each_line(lists[i], check_line, &same);
        CHECK(n > 600);
        CHECK_INT(same, n);
        unsigned ordered = 0;
        each_line(lists[i], check_order, &ordered);
        CHECK_INT(ordered, n);
    }
    test_brackets();
    return check_done();
}
