/* The PTX front end against what the PTX ISA document says.
 *
 *   tests/ptx/ *.ptx       a module each, with "// expect: PATH = VALUE" lines in it
 *   tests/ptx/errors.txt   what must be refused, with the words that the message must hold
 *   tests/ptx/coverage.txt, forms.txt   instructions that the vendor's assembler takes: so must
 *                                       ours
 *   tests/ptx/wrong.txt    instructions that it refuses: so must ours
 *   tests/ptx/needs.txt    the first .version and .target with which it takes an instruction
 *   tests/ptx/types.txt    which types of registers it takes in which place
 *
 * PATH: version | target | locs | source(LINE) | VARIABLE.field | FUNCTION.field; see the functions
 * below. */
#include <ctype.h>
#include <inttypes.h>
#include <time.h>
#include "runner/base/message.h"
#include "tests/check.h"
#include "tests/said.h"
#include "tests/unit/ptx_fixture.h"

/* ---- what a path names, as text ----------------------------------------------------------- */
static const char *const space_names[] = {"generic", "global", "shared", "local", "const", "param"};

static bool var_field(const ptx_var *v, const char *field, char *out, size_t n) {
    unsigned index;
    if (!strcmp(field, "bytes")) snprintf(out, n, "%" PRIu64, v->bytes);
    else if (!strcmp(field, "align")) snprintf(out, n, "%u", v->align);
    else if (!strcmp(field, "offset")) snprintf(out, n, "%" PRIu64, v->offset);
    else if (!strcmp(field, "space")) snprintf(out, n, "%s", space_names[v->space]);
    else if (!strcmp(field, "extern")) snprintf(out, n, "%d", v->is_extern);
    else if (!strcmp(field, "init")) {
        if (!v->init) snprintf(out, n, "none");
        for (size_t i = 0, at = 0; v->init && i < v->bytes && at + 4 < n; i++)
            at += (size_t)snprintf(out + at, n - at, i ? " %02x" : "%02x", v->init[i]);
    } else if (sscanf(field, "reloc[%u]", &index) == 1 && index < v->reloc_count) {
        const ptx_reloc *r = &v->relocs[index];
        int k = snprintf(out, n, "%s%s+%" PRId64 " at %" PRIu64 " bytes %u",
                         r->generic ? "generic " : "", r->symbol, r->addend, r->at, r->bytes);
        if (r->shift) snprintf(out + k, n - (size_t)k, " shift %u", r->shift);
    } else return false;
    return true;
}

static bool func_field(const ptx_func *f, const char *field, char *out, size_t n) {
    unsigned index;
    char rest[64];
    static const struct {
        const char *name;
        size_t offset, size;
    } numbers[] = {
#define NUMBER(field) {#field, offsetof(ptx_func, field), sizeof(((ptx_func *)0)->field)}
        NUMBER(entry),        NUMBER(has_body),
        NUMBER(param_bytes),  NUMBER(ret_bytes),
        NUMBER(local_bytes),  NUMBER(shared_bytes),
        NUMBER(maxnreg),      NUMBER(uses_dynamic_shared),
        NUMBER(minnctapersm), NUMBER(call_param_bytes),
        NUMBER(reg_count),    NUMBER(uses_global_atomics_result),
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        uint64_t v = 0;
        if (strcmp(field, numbers[i].name)) continue;
        memcpy(&v, (const char *)f + numbers[i].offset, numbers[i].size);
        snprintf(out, n, "%" PRIu64, v);
        return true;
    }
#undef NUMBER
    if (!strcmp(field, "maxntid"))
        snprintf(out, n, "%u %u %u", f->maxntid[0], f->maxntid[1], f->maxntid[2]);
    else if (!strcmp(field, "reqntid"))
        snprintf(out, n, "%u %u %u", f->reqntid[0], f->reqntid[1], f->reqntid[2]);
    else if (sscanf(field, "params[%u].%63s", &index, rest) == 2 && index < f->param_count)
        return var_field(&f->params[index], rest, out, n);
    else if (sscanf(field, "rets[%u].%63s", &index, rest) == 2 && index < f->ret_count)
        return var_field(&f->rets[index], rest, out, n);
    else if (sscanf(field, "locals[%u].%63s", &index, rest) == 2 && index < f->local_count)
        return var_field(&f->locals[index], rest, out, n);
    else if (sscanf(field, "insns[%u]", &index) == 1 && index < f->insn_count)
        ptx_disassemble(f, &f->insns[index], out, n);
    else if (!strcmp(field, "shareds")) {
        size_t at = 0;
        for (size_t i = 0; i < f->shared_count && at < n; i++)
            at += (size_t)snprintf(out + at, n - at, "%s%s@%" PRIu64 "+%" PRIu64, i ? " " : "",
                                   f->shareds[i].name, f->shareds[i].offset, f->shareds[i].bytes);
    } else return false;
    return true;
}

static bool source_of(const ptx_module *m, unsigned ptx_line, char *out, size_t n) {
    for (size_t f = 0; f < m->func_count; f++) {
        for (size_t i = 0; i < m->funcs[f]->insn_count; i++) {
            const ptx_insn *in = &m->funcs[f]->insns[i];
            const char *file;
            unsigned line;
            if (in->ptx_line != ptx_line) continue;
            ptx_source(m, in->loc, &file, &line);
            snprintf(out, n, "%s:%u", file, line);
            return true;
        }
    }
    return false;
}

static bool value_of(const ptx_module *m, const char *path, char *out, size_t n) {
    unsigned line;
    *out = 0;
    if (!strcmp(path, "version")) snprintf(out, n, "%u.%u", m->version_major, m->version_minor);
    else if (!strcmp(path, "target")) snprintf(out, n, "%u", m->target);
    else if (!strcmp(path, "locs")) snprintf(out, n, "%zu", m->loc_count);
    else if (sscanf(path, "source(%u)", &line) == 1) return source_of(m, line, out, n);
    else {
        const char *dot = strchr(path, '.');
        if (!dot) return false;
        size_t len = (size_t)(dot - path);
        for (size_t i = 0; i < m->func_count; i++)
            if (strlen(m->funcs[i]->name) == len && !memcmp(m->funcs[i]->name, path, len))
                return func_field(m->funcs[i], dot + 1, out, n);
        for (size_t i = 0; i < m->var_count; i++)
            if (strlen(m->vars[i]->name) == len && !memcmp(m->vars[i]->name, path, len))
                return var_field(m->vars[i], dot + 1, out, n);
        return false;
    }
    return true;
}

/* ---- files with expectations -------------------------------------------------------------- */
static void check_file(const char *path) {
    size_t len;
    char *text = read_text(path, &len), what[600], why[1200], got[600];
    lib_message msg = {0};
    ptx_module *m = text ? ptx_parse(text, len, &msg) : NULL;
    snprintf(what, sizeof what, "%s parses", path);
    check_that(m != NULL, path, 0, what, said(&msg));
    unsigned line = 1;
    for (char *l = text; m && *l; line++) {
        size_t k = strcspn(l, "\n");
        char key[200], want[400];
        if (k < 500 && !strncmp(l, "// expect: ", 11)) {
            l[k] = 0;
            char *equals = strstr(l, " = ");
            if (equals) {
                snprintf(key, sizeof key, "%.*s", (int)(equals - l - 11), l + 11);
                snprintf(want, sizeof want, "%s", equals + 3);
                bool known = value_of(m, key, got, sizeof got);
                snprintf(why, sizeof why, "got %s%s", known ? "" : "nothing: no such thing", got);
                check_that(known && !strcmp(got, want), path, (int)line, l + 11, why);
            } else check_that(0, path, (int)line, l + 11, "an expectation without ' = '");
            l[k] = '\n';
        }
        l += k + (l[k] == '\n');
    }
    ptx_free(m);
    free(text);
}

/* ---- errors.txt --------------------------------------------------------------------------- */
static void check_error(const char *want, const char *body, int line) {
    static const char head[] =
        ".version 9.0\n.target sm_90\n.address_size 64\n.entry k() { .reg .pred "
        "%p<3>; .reg .b32 %r<5>; .reg .b64 %rd<3>; .reg .f32 %f<5>;\n";
    char text[4096], why[1200];
    lib_message msg;
    bool whole = !strncmp(body, ".version", 8) || !strncmp(body, ".target", 7);
    snprintf(text, sizeof text, "%s%s%s", whole ? "" : head, body, whole ? "" : "ret; }\n");
    ptx_module *m = ptx_parse(text, strlen(text), &msg);
    snprintf(why, sizeof why, "got \"%s\"", m ? "no error" : said(&msg));
    check_that(!m && strstr(said(&msg), want), "tests/ptx/errors.txt", line, want, why);
    check_that(m || !strncmp(said(&msg), "PTX line ", 9), "tests/ptx/errors.txt", line,
               "the message names a line", why);
    ptx_free(m);
}

static void check_errors(void) {
    size_t len;
    char *text = read_text("tests/ptx/errors.txt", &len), body[2048] = "", want[300] = "";
    int line = 1, from = 0;
    CHECK(text != NULL);
    for (char *l = text; l; line++) {
        size_t k = strcspn(l, "\n");
        bool head = !strncmp(l, "== ", 3), end = !l[0];
        if ((head || end) && want[0]) check_error(want, body, from);
        if (end) break;
        if (head) {
            snprintf(want, sizeof want, "%.*s", (int)k - 3, l + 3);
            body[0] = 0;
            from = line;
        } else if (want[0]) {
            size_t at = strlen(body);
            snprintf(body + at, sizeof body - at, "%.*s\n", (int)k, l);
        }
        l += k + (l[k] == '\n');
    }
    free(text);
}

/* ---- lists of instructions ---------------------------------------------------------------- */
static void must_parse(const char *line, size_t len, void *user) {
    lib_message msg;
    ptx_module *m = parse_instruction(line, len, &msg);
    if (m) ++*(unsigned *)user;
    else printf("# %.*s: %s\n", (int)len, line, said(&msg));
    ptx_free(m);
}
static void must_fail(const char *line, size_t len, void *user) {
    lib_message msg;
    ptx_module *m = parse_instruction(line, len, &msg);
    if (!m) ++*(unsigned *)user;
    else printf("# %.*s: taken, but the assembler refuses it\n", (int)len, line);
    ptx_free(m);
}

/* ---- limits ------------------------------------------------------------------------------- */

/* Text that repeats must take time in proportion: 16 times the text may take 64 times as long
 * before it counts as worse than linear (the machine may be busy). */
/* ---- needs.txt ---------------------------------------------------------------------------- */

/* Versions of PTX, each with the newest target that it has (PTX ISA 13), and targets. */
static const char *const releases[][2] = {
    {"2.3", "sm_20"},   {"3.0", "sm_30"},  {"3.1", "sm_35"},   {"3.2", "sm_35"},
    {"4.0", "sm_50"},   {"4.1", "sm_52"},  {"4.2", "sm_53"},   {"4.3", "sm_53"},
    {"5.0", "sm_62"},   {"6.0", "sm_70"},  {"6.1", "sm_72"},   {"6.2", "sm_72"},
    {"6.3", "sm_75"},   {"6.4", "sm_75"},  {"6.5", "sm_75"},   {"7.0", "sm_80"},
    {"7.1", "sm_86"},   {"7.2", "sm_86"},  {"7.3", "sm_86"},   {"7.4", "sm_87"},
    {"7.5", "sm_87"},   {"7.6", "sm_87"},  {"7.7", "sm_87"},   {"7.8", "sm_90"},
    {"8.0", "sm_90a"},  {"8.1", "sm_90a"}, {"8.2", "sm_90a"},  {"8.3", "sm_90a"},
    {"8.4", "sm_90a"},  {"8.5", "sm_90a"}, {"8.6", "sm_100a"}, {"8.7", "sm_100a"},
    {"8.8", "sm_103a"}, {"9.0", "sm_103a"}};
static const char *const targets[] = {"sm_20", "sm_30", "sm_32", "sm_35", "sm_37", "sm_50", "sm_52",
                                      "sm_53", "sm_60", "sm_61", "sm_62", "sm_70", "sm_72", "sm_75",
                                      "sm_80", "sm_86", "sm_87", "sm_89", "sm_90", "sm_100"};

/* want NULL: taken; else the message holds it. */
static void try_need(const char *line, const char *version, const char *target, const char *want) {
    char text[3000], why[1300];
    lib_message msg = {0};
    snprintf(
        text, sizeof text,
        ".version %s\n.target %s\n.address_size 64\n.func fn() { ret; }\n.entry k() { .param "
        ".b64 pv; .reg .pred %%p<64>; .reg .b8 %%c<64>; .reg .b16 %%h<64>; .reg .b32 %%r<199>; "
        ".reg .b64 %%d<64>; .reg .f32 %%f<199>; .reg .f64 %%fd<64>; .reg .b128 "
        "%%q<9>;\n%s" PTX_FIXTURE_TAIL,
        version, target, line);
    ptx_module *m = ptx_parse(text, strlen(text), &msg);
    snprintf(why, sizeof why, "with .version %s and .target %s: %s", version, target,
             m ? "taken" : said(&msg));
    check_that(want ? !m && strstr(said(&msg), want) : m != NULL, "tests/ptx/needs.txt", 0, line,
               why);
    ptx_free(m);
}

/* VERSION TARGET INSTRUCTION: taken by both, and not by what came before. */
static void holds_to_needs(const char *line, size_t len, void *user) {
    enum {
        VERSIONS = sizeof releases / sizeof *releases,
        TARGETS = sizeof targets / sizeof *targets
    };
    char text[2000], version[8], target[16];
    int at = 0;
    snprintf(text, sizeof text, "%.*s", (int)len, line);
    if (!CHECK(sscanf(text, "%7s %15s %n", version, target, &at) == 2)) return;
    const char *insn = text + at;
    bool own = target[strlen(target) - 1] == 'a';
    unsigned v = 0, t = 0;
    while (v < VERSIONS && strcmp(releases[v][0], version)) v++;
    while (t < TARGETS && strncmp(targets[t], target, strlen(targets[t]))) t++;
    if (!CHECK(v < VERSIONS && t < TARGETS)) return;
    try_need(insn, "9.0", target, NULL);
    try_need(insn, version, !strcmp(target, "sm_90a") ? target : releases[v][1], NULL);
    if (v) {
        bool there = atoi(releases[v - 1][1] + 3) >= atoi(target + 3);
        try_need(insn, releases[v - 1][0], releases[v - 1][1],
                 there && !own ? "needs .version " : "needs ");
    }
    if (own) {
        try_need(insn, "9.0", targets[t], "needs a target such as ");
        try_need(insn, "9.0", "sm_121", "needs a target such as ");
    } else if (t) {
        try_need(insn, "9.0", targets[t - 1], "needs .target ");
    }
    ++*(unsigned *)user;
}

/* What went out of use, and numbers in operands (PTX ISA 9.7, under each instruction; ptxas
 * 13.0). */
static void check_ages(void) {
#define F16_A   "{%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, "
#define HALVES  "{%r0, %r1, %r2, %r3}, " F16_A F16_A "{%r0, %r1, %r2, %r3};"
#define MMA(m)  "wmma.mma.sync" m ".row.row.m16n16k16.f16.f16 " HALVES
#define MMAS(m) "wmma.mma.sync.aligned.row.row.m16n16k16" m ".f16.f16 " HALVES
    static const struct {
        const char *version, *target, *line, *want;
    } rows[] = {
        {"6.2", "sm_70", MMA(""), NULL},
        {"6.3", "sm_70", MMA(""), "'wmma.mma' needs .aligned from .version 6.3 on"},
        {"6.3", "sm_70", MMA(".aligned"), NULL},
        {"6.2", "sm_70", MMA(".aligned"), "'wmma.mma.aligned' needs .version 6.3"},
        {"6.2", "sm_70", "wmma.load.a.sync.row.m16n16k16.f16 " F16_A "[%d1];", NULL},
        {"6.3", "sm_70", "wmma.load.a.sync.row.m16n16k16.f16 " F16_A "[%d1];",
         "'wmma.load.a' needs .aligned"},
        {"6.2", "sm_70", "wmma.store.d.sync.row.m16n16k16.f16 [%d1], {%r0, %r1, %r2, %r3};", NULL},
        {"6.3", "sm_70", "wmma.store.d.sync.row.m16n16k16.f16 [%d1], {%r0, %r1, %r2, %r3};",
         "'wmma.store.d' needs .aligned"},
        {"6.4", "sm_70", MMAS(".satfinite"), NULL},
        {"6.5", "sm_70", MMAS(".satfinite"),
         "'wmma.mma' of floats takes no .satfinite from .version 6.5 on"},
        {"9.0", "sm_90", MMAS(""), NULL},
        {"3.1", "sm_30", "mad.f32 %f0, %f1, %f2, %f3;", NULL},
        {"3.1", "sm_30", "mad.ftz.sat.f32 %f0, %f1, %f2, %f3;", NULL},
        {"3.2", "sm_30", "mad.f32 %f0, %f1, %f2, %f3;", "'mad.f32' needs a rounding mode"},
        {"3.2", "sm_13", "mad.f32 %f0, %f1, %f2, %f3;", NULL},
        {"3.1", "sm_30", "mad.f64 %fd0, %fd1, %fd2, %fd3;", "'mad.f64' needs a rounding mode"},
        {"3.1", "sm_30", "fma.f32 %f0, %f1, %f2, %f3;", "'fma.f32' needs a rounding mode"},
        {"6.3", "sm_70", "vote.all.pred %p0, %p1;", NULL},
        {"6.4", "sm_62", "vote.all.pred %p0, %p1;", NULL},
        {"6.4", "sm_70", "vote.all.pred %p0, %p1;", "'vote' needs .sync on sm_70 and later"},
        {"3.1", "sm_30", "suld.b.1d.b32.trap {%r0}, [%d1, {%r1}];", NULL},
        {"3.0", "sm_30", "suld.b.1d.b32.trap {%r0}, [%d1, {%r1}];",
         "'suld.b' of a handle in a register needs .version 3.1"},
        {"9.0", "sm_90", "mapa.u64 %d0, %d1, %r0;", NULL},
        {"9.0", "sm_90", "{.global .b32 g; prefetchu.L1 [g];}", NULL},
        {"9.0", "sm_90", "mov.u32 %r0, %cluster_ctarank;", NULL},
        {"9.0", "sm_89", "mov.u32 %r0, %cluster_ctarank;",
         "%cluster_ctarank needs .target sm_90, and this module is for sm_89"},
        {"9.0", "sm_89", "mov.u32 %r0, %cluster_ctaid.y;", "%cluster_ctaid needs .target sm_90"},
        {"7.7", "sm_87", "mov.u32 %r0, %clusterid.x;",
         "%clusterid needs .version 7.8, and this module is of 7.7"},
        {"3.0", "sm_30", "mov.u64 %d0, %globaltimer;", "%globaltimer needs .version 3.1"},
        {"3.1", "sm_30", "mov.u64 %d0, %globaltimer;", NULL},
        {"7.6", "sm_80", "mov.u32 %r0, %reserved_smem_offset_cap;", NULL},
        {"7.6", "sm_75", "mov.u32 %r0, %reserved_smem_offset_cap;", "needs .target sm_80"},
        {"9.0", "sm_100a", "tensormap.replace.tile.elemtype.b1024.b32 [%d0], 15;", NULL},
        {"9.0", "sm_100a", "tensormap.replace.tile.elemtype.b1024.b32 [%d0], 16;",
         "operand 2 of 'tensormap.replace.elemtype' must be from 0 to 15"},
        {"9.0", "sm_90a", "tensormap.replace.tile.elemtype.b1024.b32 [%d0], 12;", NULL},
        {"9.0", "sm_90a", "tensormap.replace.tile.elemtype.b1024.b32 [%d0], 13;",
         "operand 2 of 'tensormap.replace.elemtype' must be from 0 to 12"},
        {"9.0", "sm_103a", "tensormap.replace.tile.swizzle_mode.b1024.b32 [%d0], 4;", NULL},
        {"9.0", "sm_100a", "tensormap.replace.tile.swizzle_mode.b1024.b32 [%d0], 4;",
         "must be from 0 to 3"},
        {"9.0", "sm_100a", "tensormap.replace.tile.swizzle_atomicity.b1024.b32 [%d0], 3;", NULL},
        {"9.0", "sm_100a", "tensormap.replace.tile.swizzle_atomicity.b1024.b32 [%d0], 4;",
         "must be from 0 to 3"},
        {"9.0", "sm_100f", "redux.sync.min.f32 %f0, %f1, %r0;", NULL},
        {"9.0", "sm_110f", "redux.sync.min.f32 %f0, %f1, %r0;", "needs a target such as sm_100a"},
        {"9.0", "sm_100f", "cvt.rs.f16x2.f32 %r0, %f1, %f2, %r3;", "needs a target such as"},
        {"9.0", "sm_100a",
         "cp.async.bulk.tensor.3d.shared::cluster.global.im2col::w.mbarrier::complete_tx::bytes "
         "[%d0], [%d1, {%r0, %r1, %r2}], [%d2], {%h0, %h1};",
         NULL},
        {"9.0", "sm_100a",
         "cp.async.bulk.tensor.5d.shared::cluster.global.im2col::w.mbarrier::complete_tx::bytes "
         "[%d0], [%d1, {%r0, %r1, %r2, %r3, %r4}], [%d2], {%h0, %h1, %h2};",
         "expected a list {..} of 2 registers"},
        {"9.0", "sm_100a",
         "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [%d1, {%r0, %r1, "
         "%r2, %r3, %r4}], [%d0];",
         NULL},
        {"9.0", "sm_100a",
         "cp.async.bulk.tensor.1d.global.shared::cta.tile::scatter4.bulk_group [%d1, {%r0, %r1, "
         "%r2, %r3, %r4}], [%d0];",
         "expected a tensor of .2d"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        try_need(rows[k].line, rows[k].version, rows[k].target, rows[k].want);
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double time_repeated(const char *head, const char *fmt, unsigned times, const char *tail,
                            bool *parsed) {
    size_t cap = strlen(head) + strlen(tail) + times * (strlen(fmt) + 64) + 1;
    char *text = malloc(cap);
    size_t at = (size_t)snprintf(text, cap, "%s", head);
    for (unsigned i = 0; i < times; i++) {
        for (const char *c = fmt; *c; c++) {
            if (*c == '#') at += (size_t)snprintf(text + at, cap - at, "%u", i);
            else text[at++] = *c;
        }
    }
    snprintf(text + at, cap - at, "%s", tail);
    lib_message msg;
    double begin = seconds();
    ptx_module *m = ptx_parse(text, strlen(text), &msg);
    double took = seconds() - begin;
    *parsed = m != NULL;
    if (!m) printf("# %s\n", said(&msg));
    ptx_free(m);
    free(text);
    return took;
}

static void check_linear(void) {
    static const struct {
        const char *what, *head, *body, *tail;
    } cases[] = {
        {"instructions", ".entry k() { .reg .b32 %r<1000000>;\n", "add.s32 %r#, %r1, %r2;\n", "}"},
        {"labels and branches", ".entry k() { .reg .pred %p; \n", "L#: @%p bra L#; @%p bra LAST;\n",
         "LAST: ret; }"},
        {"nested loops in a row", ".entry k() { .reg .pred %p; \n",
         "A#: B#: @%p bra B#; @%p bra A#;\n", "}"},
        {"branches far back", ".entry k() { .reg .pred %p; FIRST:\n", "@%p bra FIRST;\n", "}"},
        {"functions and calls", "", ".func f#() { ret; } .entry k#() { call f#; ret; }\n", ""},
        {"shared variables", ".func f() { ret; } .entry k() { .reg .b32 %r;\n",
         ".shared .b32 x#; mov.u32 %r, x#;\n", "}"},
        {"positions", ".entry k() {\n",
         ".loc 1 # 5, function_name $L, inlined_at 1 7 9\nmembar.cta;\n", "}"},
        {"scopes", ".entry k() { .reg .b32 %r<3>;\n",
         "{ .reg .b32 %r<3>; mov.u32 %r1, #; bra L; L: }\n", "}"},
        {"initial values", ".global .u32 x[] = {", "#, ", "1};"},
        {"module variables", "", ".global .u32 x#[4] = { 1, 2 };\n", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char head[200], why[100], what[120];
        bool small_ok, large_ok;
        snprintf(head, sizeof head, ".version 9.0\n.target sm_90\n.address_size 64\n%s",
                 cases[i].head);
        double small = time_repeated(head, cases[i].body, 2000, cases[i].tail, &small_ok);
        double large = time_repeated(head, cases[i].body, 32000, cases[i].tail, &large_ok);
        snprintf(what, sizeof what, "time is linear in the number of %s", cases[i].what);
        snprintf(why, sizeof why, "%.1f ms, then %.1f ms", small * 1e3, large * 1e3);
        check_that(small_ok && large_ok && (large < 100 * small || large < 0.05), __FILE__,
                   __LINE__, what, why);
    }
}

/* nvcc writes a file's name in octal where it is not ASCII; control characters stay as they are
 * written. */
static void check_file_names(void) {
    static const char text[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n"
        "\t.loc 1 7 3\n\tret;\n}\n.file 1 \"/src/\\345\\220\\221\\033\\\"\\34.cu\"\n";
    lib_message msg = {0};
    char source[200] = "";
    ptx_module *m = ptx_parse(text, strlen(text), &msg);
    CHECK_STR(said(&msg), "");
    if (m) CHECK(source_of(m, 7, source, sizeof source));
    CHECK_STR(source, "/src/\345\220\221\\033\"\\34.cu:7");
    ptx_free(m);
}

/* ---- types.txt: registers of every type in every place of an instruction ------------------- */
static void check_types(const char *line, size_t len, void *user) {
    static const char *const types[] = {"pred", "b8",  "u8",  "s8",  "b16", "u16",
                                        "s16",  "f16", "b32", "u32", "s32", "f32",
                                        "b64",  "u64", "s64", "f64", "b128"};
    char row[400], text[600], taken[200], why[100] = "";
    const char *bar = memchr(line, '|', len);
    if (!bar || len >= sizeof row) return;
    snprintf(row, sizeof row, "%.*s", (int)(bar - line), line);
    snprintf(taken, sizeof taken, "%.*s ", (int)(line + len - bar - 1), bar + 1);
    for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
        char word[16];
        lib_message msg;
        const char *at = strchr(row, '@');
        snprintf(word, sizeof word, " %s ", types[k]);
        int n = snprintf(text, sizeof text, "{ .reg .%s %%x; %.*s%%x%s }", types[k],
                         (int)(at - row), row, at + 1);
        ptx_module *m = parse_instruction(text, (size_t)n, &msg);
        if (!m == !!strstr(taken, word) && !*why)
            snprintf(why, sizeof why, ".%s: %s", types[k], m ? "taken" : "refused");
        ptx_free(m);
    }
    check_that(!*why, "tests/ptx/types.txt", 0, row, why);
    ++*(unsigned *)user;
}

/* Constant expressions, PTX ISA 4.5.3 to 4.5.6: operators, precedence and signs are C's, so the C
 * compiler says what each gives. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wconversion"
#define C_SAYS(e)                                                                                  \
    { #e, (uint64_t)(e) }
static const struct {
    const char *text;
    uint64_t value;
} constants[] = {
    C_SAYS(7 - 9),
    C_SAYS(7 * -9),
    C_SAYS(-7 / 2),
    C_SAYS(-7 % 4),
    C_SAYS(7 / -2),
    C_SAYS(100 / 7 / 2),
    C_SAYS(10 - 4 - 3),
    C_SAYS(2 + 3 * 4),
    C_SAYS((2 + 3) * 4),
    C_SAYS(17 % 5 * 2),
    C_SAYS(1 + 2 - 3),
    C_SAYS(+5 - -5),
    C_SAYS(0xff & 0x3c),
    C_SAYS(0x50 | 5),
    C_SAYS(0x5a ^ 0xff),
    C_SAYS(1 | 6 ^ 3 & 5),
    C_SAYS(1 ^ 3 | 4),
    C_SAYS(6 & 3 == 3),
    C_SAYS(1 == 2 & 4),
    C_SAYS(3 < 5 == 1),
    C_SAYS(1 << 3 + 1),
    C_SAYS(1 << 3 < 9),
    C_SAYS(256 >> 3),
    C_SAYS(-256 >> 3),
    C_SAYS(3 < 4),
    C_SAYS(4 < 4),
    C_SAYS(5 < 4),
    C_SAYS(3 <= 4),
    C_SAYS(4 <= 4),
    C_SAYS(5 <= 4),
    C_SAYS(3 > 4),
    C_SAYS(4 > 4),
    C_SAYS(5 > 4),
    C_SAYS(3 >= 4),
    C_SAYS(4 >= 4),
    C_SAYS(5 >= 4),
    C_SAYS(3 == 4),
    C_SAYS(4 == 4),
    C_SAYS(3 != 4),
    C_SAYS(4 != 4),
    C_SAYS(-1 < 1),
    C_SAYS(-1 <= 1),
    C_SAYS(-1 > 1),
    C_SAYS(-1 >= 1),
    C_SAYS(-1 < 1U),
    C_SAYS(-1 <= 1U),
    C_SAYS(-1 > 1U),
    C_SAYS(-1 >= 1U),
    C_SAYS(2 && 4),
    C_SAYS(2 && 0),
    C_SAYS(0 && 4),
    C_SAYS(0 && 0),
    C_SAYS(2 || 0),
    C_SAYS(0 || 4),
    C_SAYS(0 || 0),
    C_SAYS(1 || 1 && 0),
    C_SAYS(!5),
    C_SAYS(!0),
    C_SAYS(~5),
    C_SAYS(-5),
    C_SAYS(1 ? 2 : 3),
    C_SAYS(0 ? 2 : 3),
    C_SAYS(0   ? 1
           : 0 ? 2
               : 3),
    C_SAYS(1 ? 2 + 1 : 3),
    C_SAYS(0 || 1 ? 4 : 5),
    C_SAYS(!1.5),
    C_SAYS(!0.0),
    C_SAYS(1.5 < 2.5),
    C_SAYS(2.5 < 2.5),
    C_SAYS(2.5 > 2.5),
    C_SAYS(3.5 > 2.5),
    C_SAYS(2.5 <= 2.5),
    C_SAYS(3.5 <= 2.5),
    C_SAYS(2.5 >= 2.5),
    C_SAYS(1.5 >= 2.5),
    C_SAYS(2.5 == 2.5),
    C_SAYS(1.5 == 2.5),
    C_SAYS(2.5 != 2.5),
    C_SAYS(1.5 != 2.5),
    C_SAYS(1 < 1.5),
    C_SAYS(2.5 ? 6 : 7),
    C_SAYS(0.0 ? 6 : 7),
    /* 64 bits, which C has only for other literals */
    {"1 << 63", UINT64_C(1) << 63},
    {"1 << 62 << 1", UINT64_C(1) << 63},
    {"-1 >> 63", UINT64_MAX},
    {"0xffffffffffffffff >> 63", 1},
    {"0xffffffffffffffffU >> 4", UINT64_MAX >> 4},
    {"18446744073709551615U / 3", UINT64_MAX / 3},
    {"18446744073709551615U % 10", UINT64_MAX % 10},
    {"-1 / 2U", UINT64_MAX / 2},
    {"9223372036854775807 + 1", UINT64_C(1) << 63},
    {"(.u64)-1 / 2", UINT64_MAX / 2},
    {"(.s64)0xffffffffffffffffU / 2", 0},
    {"(.s64)-3.75", (uint64_t)INT64_C(-3)},
    {"(.u64)3.75", 3},
    {"(.s64)9223372036854774784.0", UINT64_C(9223372036854774784)},
    {"WARP_SZ * 2 - 1", 63},
};
#pragma GCC diagnostic pop

static ptx_module *with_variable(const char *type, const char *value, lib_message *msg) {
    char text[4096];
    snprintf(text, sizeof text,
             ".version 9.0\n.target sm_90\n.address_size 64\n.global %s x[1] = {%s};\n", type,
             value);
    return ptx_parse(text, strlen(text), msg);
}

static void check_constants(void) {
    lib_message msg = {0};
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
        uint64_t got = 0x1badULL;
        char why[200];
        ptx_module *m = with_variable(".b64", constants[i].text, &msg);
        if (m && m->vars[0]->init) memcpy(&got, m->vars[0]->init, sizeof got);
        snprintf(why, sizeof why, "got 0x%" PRIx64 ", want 0x%" PRIx64 " %.80s", got,
                 constants[i].value, m ? "" : said(&msg));
        check_that(m && got == constants[i].value, __FILE__, __LINE__, constants[i].text, why);
        ptx_free(m);
    }
    static const struct {
        const char *text;
        double value;
    } floats[] = {{"1.5 + 2", 3.5},
                  {"1.5 - 2", -0.5},
                  {"1.5 * 3", 4.5},
                  {"3 / 2.0", 1.5},
                  {"-(0.25)", -0.25},
                  {"1 ? 0.5 : 2", 0.5},
                  {"7", 7},
                  {"-7", -7},
                  {"0f3fc00000", 1.5},
                  {"-0f3fc00000", -1.5},
                  {"0d3ff8000000000000", 1.5},
                  {"18446744073709551615U", 18446744073709551615.0}};
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++) {
        double wide = 0;
        float narrow = 0;
        ptx_module *m = with_variable(".f64", floats[i].text, &msg);
        if (m) memcpy(&wide, m->vars[0]->init, sizeof wide);
        check_that(wide == floats[i].value, __FILE__, __LINE__, floats[i].text, "as .f64");
        ptx_free(m);
        m = with_variable(".f32", floats[i].text, &msg);
        if (m) memcpy(&narrow, m->vars[0]->init, sizeof narrow);
        check_that(narrow == (float)floats[i].value, __FILE__, __LINE__, floats[i].text, "as .f32");
        ptx_free(m);
    }
    static const char *const wrong[] = {
        "1 / 0", "1 % 0",   "~1.5", "1.5 & 1", "1.5 << 1",   "1.5 % 2",     "1 ? 2",
        "(1",    "(.s64 1", "1 +",  "* 2",     "(.s64)1e19", "(.s64)-1e19", "1.5 && 1"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ptx_module *m = with_variable(".b64", wrong[i], &msg);
        check_that(!m, __FILE__, __LINE__, wrong[i], "is no constant of 64 bits");
        ptx_free(m);
    }
}

/* Numbers as ISA 4.5.1 and 4.5.2 write them, and what is none. */
static void check_numbers(void) {
    static const struct {
        const char *text;
        bool ok;
        uint64_t bits; /* of a .b64 */
    } rows[] = {
        {"0", true, 0},
        {"00", true, 0},
        {"017", true, 15},
        {"08", false, 0},
        {"18", true, 18},
        {"0x", false, 0},
        {"0xg", false, 0},
        {"0xAf09", true, 0xaf09},
        {"0XfF", true, 255},
        {"0b", false, 0},
        {"0b101", true, 5},
        {"0B11", true, 3},
        {"0b12", false, 0},
        {"1a", false, 0},
        {"1U", true, 1},
        {"0x1U", true, 1},
        {"1UU", false, 0},
        {"18446744073709551615", true, UINT64_MAX},
        {"18446744073709551616", false, 0},
        {"18446744073709551625", false, 0},
        {"0xffffffffffffffff", true, UINT64_MAX},
        {"0x10000000000000000", false, 0},
        {"01777777777777777777777", true, UINT64_MAX},
        {"02000000000000000000000", false, 0},
        {"0b1111111111111111111111111111111111111111111111111111111111111111", true, UINT64_MAX},
        {"0b10000000000000000000000000000000000000000000000000000000000000000", false, 0},
        {"9223372036854775807 >> 63", true, 0},
        {"9223372036854775808 >> 63", true, 1},
        {"9223372036854775808 > 0", true, 1},
        {"0f3f80000", false, 0},
        {"0f3f8000000", false, 0},
        {"0f3f80000g", false, 0},
        {"0F3F800000 == 1.0", true, 1},
        {"0d3ff00000000000000", false, 0},
        {"0d3ff000000000000", false, 0},
        {"0d3ff0000000000000", true, 0x3ff0000000000000},
        {"0D3FF0000000000000", true, 0x3ff0000000000000},
        {"1.", true, 0x3ff0000000000000},
        {"1.5", true, 0x3ff8000000000000},
        {"01.5", true, 0x3ff8000000000000},
        {"15e-1", true, 0x3ff8000000000000},
        {"0.15E+1", true, 0x3ff8000000000000},
        {"1e0", true, 0x3ff0000000000000},
        {"1e", false, 0},
        {"1e+", false, 0},
        {"1.2.3", false, 0},
        {"1.5x", false, 0},
        {"1 /* one */", true, 1},
        {"/* a\n * b **/ 1 // c\n", true, 1},
        {"1 /* no end", false, 0},
        {"1 /", false, 0},
        {"1 `", false, 0},
        {"1 \x01", false, 0},
        {"1 \x7f", false, 0},
    };
    lib_message msg;
    char text[300];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t got = 0;
        ptx_module *m = with_variable(".b64", rows[i].text, &msg);
        if (m) memcpy(&got, m->vars[0]->init, sizeof got);
        check_that(!!m == rows[i].ok && (!m || got == rows[i].bits), __FILE__, __LINE__,
                   rows[i].text, m ? "taken, or with another value" : said(&msg));
        ptx_free(m);
    }
    for (int n = 120; n < 135; n++) { /* the message says: no more than 127 characters */
        snprintf(text, sizeof text, "1.%0*d", n - 2, 0);
        ptx_module *m = with_variable(".f64", text, &msg);
        CHECK_INT(m != NULL, n <= 127);
        if (!m) CHECK_CONTAINS(said(&msg), "a number of more than 127 characters");
        ptx_free(m);
    }
    /* where an error is, over comments of several lines, and in which column */
    CHECK(!with_variable(".b32", "/* 4\n 5 */ 1,\n\n  `", &msg));
    CHECK_CONTAINS(said(&msg), "PTX line 7, column 3");
    CHECK(!with_variable(".b32", "`", &msg));
    CHECK_CONTAINS(said(&msg), "PTX line 4, column 22");
}

/* ---- what a module may hold at most: the last that is taken, the first that is not ---------- */

/* HEAD, n times PIECE (where %d is a number of its own), TAIL: does it parse? */
static bool repeated(const char *head, const char *piece, unsigned n, const char *tail) {
    size_t cap = strlen(head) + strlen(tail) + n * (strlen(piece) + 12) + 200, len = 0;
    char *text = malloc(cap);
    lib_message msg;
    len += (size_t)snprintf(text, cap, ".version 9.0\n.target sm_90\n.address_size 64\n%s", head);
    for (unsigned k = 0; k < n; k++) {
        const char *mark = strstr(piece, "%d");
        len += mark ? (size_t)snprintf(text + len, cap - len, "%.*s%u%s", (int)(mark - piece),
                                       piece, k, mark + 2)
                    : (size_t)snprintf(text + len, cap - len, "%s", piece);
    }
    len += (size_t)snprintf(text + len, cap - len, "%s", tail);
    ptx_module *m = ptx_parse(text, len, &msg);
    bool ok = m != NULL;
    ptx_free(m);
    free(text);
    return ok;
}

static void check_limits(void) {
    static const struct {
        const char *head, *piece, *tail;
        unsigned most;
    } counts[] = {
        {".global .b8 x", "[1]", ";", 16},     /* dimensions */
        {".global .v2 .b8 x", "[1]", ";", 15}, /* a vector is one */
        {".func f(.param .b32 p", ", .param .b32 p%d", ") { ret; }", 254},
        {".entry k() { ", "{ ", "ret; ", 0}, /* braces that stay open */
        {".global .b32 x = ", "(", "1", 0},
        {".global .b32 x = ", "-", "1;", 64}, /* levels of an expression */
        {".global .b32 x = ", "+", "1;", 64},
        {".global .b32 x = ", "!", "1;", 64},
        {".global .b32 x = ", "~", "1;", 64},
        {".global .b32 x = ", "(.s64)", "1;", 64},
        {".global .b32 x = ", "1?1:", "1;", 64},
        {".global .b32 x = ", "1?(1?1:", "1;", 0},
    };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        printf("# %s%s\n", counts[i].head, counts[i].piece);
        if (counts[i].most)
            CHECK(repeated(counts[i].head, counts[i].piece, counts[i].most, counts[i].tail));
        CHECK(!repeated(counts[i].head, counts[i].piece, counts[i].most + 1, counts[i].tail));
    }
    static const struct {
        const char *text;
        bool ok;
    } rows[] = {
        {".global .align 1 .b32 x;", true},
        {".global .align 65536 .b32 x;", true},
        {".global .align 131072 .b32 x;", false},
        {".global .align 0 .b32 x;", false},
        {".global .align 3 .b32 x;", false},
        {".global .align 12 .b32 x;", false},
        {".global .b32 x[];", false},
        {".global .b32 x[] = {1};", true},
        {".extern .global .b32 x[];", true},
        {".global .b32 x[2][];", false},
        {".global .b32 x[][2] = {{1, 2}};", true},
        {".global .b32 x[2][0];", false},
        {".global .b32 x[-1];", false},
        {".global .b32 x[1.5];", false},
        {".global .b32 x[2] = {1, 2};", true},
        {".global .b32 x[2] = {1, 2, 3};", false},
        {".global .b32 x[2][2] = {{1, 2}, {3, 4}};", true},
        {".global .b32 x[2][2] = {{1, 2, 3}, {3, 4}};", false},
        {".global .b32 x[2][2] = {{1, 2}, {3, 4}, {5}};", false},
        {".global .b32 x[2] = {{1}, 2};", true},
        {".global .b32 x[2] = {{{1}}, 2};", false},
        {".global .v2 .b32 x = {1, 2};", true},
        {".global .v2 .b32 x = {1, 2, 3};", false},
        {".global .v3 .b32 x;", false},
        {".global .v8 .b32 x;", false},
        {".global .v4 .b32 x;", true},
        {".global .pred x;", false},
        {".shared .b32 x = 1;", false},
        {".shared .b32 x[4];", true},
        {".const .b32 x = 1;", true},
        {".global .b32 y; .global .b64 x = y;", true},
        {".global .b32 y; .global .b32 x = y;", true},
        {".global .b32 y; .global .b16 x = y;", false},
        {".global .b32 y; .global .b64 x = y + 8;", true},
        {".global .b32 y; .global .b64 x = y - 8;", true},
        {".global .b32 y; .global .b64 x = y + 1.5;", false},
        {".global .b32 y; .global .b64 x = generic(y);", true},
        {".global .b32 y; .global .b64 x = generic(y) + 8;", true},
        {".global .b32 y; .global .b64 x = generic(y) + 1.5;", false},
        {".global .b32 y; .global .b8 x[2] = {0xff(y), 0xff00(y)};", true},
        {".global .b32 y; .global .b8 x = 0xf(y);", false},
        {".global .b32 y; .global .b8 x = 0xff0(y);", false},
        {".global .b32 y; .global .b8 x = 0xffff(y);", false},
        {".global .b32 y; .global .b16 x = 0xffff(y);", true},
        {".global .b32 y; .global .b16 x = 0xff00ff(y);", false},
        {".global .b32 y; .global .b8 x = 0xff(generic(y));", true},
        {".global .u32 x = 1.5;", false},
        {".global .b64 x = 1.5;", true},
        {".global .b32 x = 0f3f800000;", true},
        {".global .b16 x = 0f3f800000;", false},
        {".entry k() .maxntid 256 { ret; }", true},
        {".entry k() .maxntid 256, 2, 1 { ret; }", true},
        {".entry k() .maxntid 256, 2, 1, 1 { ret; }", false},
        {".entry k() .maxntid { ret; }", false},
        {".entry k() .maxntid 4294967295 { ret; }", true},
        {".entry k() .maxntid 4294967296 { ret; }", false},
        {".entry k() { .reg .b32 %r<0>; ret; }", true},
        {".entry k() { .reg .b32 %r<2147483647>; ret; }", true},
        {".entry k() { .reg .b32 %r<2147483648>; ret; }", false},
        {".entry k() { .reg .b32 %r<2>; mov.b32 %r1, 1; ret; }", true},
        {".entry k() { .reg .b32 %r<2>; mov.b32 %r2, 1; ret; }", false},
        {".entry k() { .reg .v4 .b32 %r; ret; }", true},
        {".entry k() { .reg .texref %r; ret; }", false},
        {".file 65536 \"a.cu\"", true},
        {".file 65537 \"a.cu\"", false},
        {".file 1 a.cu", false},
        {".file 1 \"a.cu\", 1, 2", true},
        {".file 1 \"a.cu\", x", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool ok = repeated(rows[i].text, "", 0, "\n");
        check_that(ok == rows[i].ok, __FILE__, __LINE__, rows[i].text, ok ? "taken" : "refused");
    }
    /* 64 levels are a scope's and an expression's own limit */
    char open[80] = "", close[80] = "";
    for (int n = 60; n < 70; n++) {
        memset(open, '(', (size_t)n), open[n] = 0;
        memset(close, ')', (size_t)n), close[n] = 0;
        char text[300];
        snprintf(text, sizeof text, ".global .b32 x = %s1%s;", open, close);
        CHECK_INT(repeated(text, "", 0, "\n"), n <= 64);
    }
}

/* The words of .target (PTX ISA 11.1.2): of architectures the last counts. */
static void check_targets(void) {
    static const struct {
        const char *words;
        unsigned target;
        bool alone;
    } rows[] = {
        {"sm_90", 90, false},
        {"sm_90a", 90, true},
        {"sm_100a", 100, true},
        {"sm_100f", 100, false},
        {"compute_75", 75, false},
        {"compute_90a", 90, true},
        {"sm_10", 10, false},
        {"sm_12345", 1234, false}, /* no more than four digits */
        {"sm_80, debug", 80, false},
        {"debug, sm_80", 80, false},
        {"sm_80, texmode_unified", 80, false},
        {"texmode_independent, sm_80, debug", 80, false},
        {"sm_90a, sm_80", 80, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[200];
        lib_message msg;
        snprintf(text, sizeof text, ".version 9.0\n.target %s\n", rows[i].words);
        ptx_module *m = ptx_parse(text, strlen(text), &msg);
        check_that(m && m->target == rows[i].target && m->target_alone == rows[i].alone, __FILE__,
                   __LINE__, rows[i].words, m ? "another target" : said(&msg));
        ptx_free(m);
    }
    static const struct {
        const char *version;
        unsigned major, minor;
    } versions[] = {
        {"1.0", 1, 0}, {"8.3", 8, 3}, {"9.12", 9, 12}, {"99.0", 99, 0}, {"99.99", 99, 99}};
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        char text[200];
        lib_message msg;
        snprintf(text, sizeof text, ".version %s\n.target sm_10\n", versions[i].version);
        ptx_module *m = ptx_parse(text, strlen(text), &msg);
        CHECK_INT(m ? m->version_major : 0, versions[i].major);
        CHECK_INT(m ? m->version_minor : 0, versions[i].minor);
        ptx_free(m);
    }
}

/* Directives of a function (PTX ISA 11.4, 11.7), each with a number of its own; and without any. */
static void check_directives(void) {
    static const char text[] =
        ".version 9.0\n.target sm_100\n.address_size 64\n"
        ".entry k() .maxntid 2, 3, 4 .minnctapersm 7 .maxnreg 9 .reqnctapercluster 10 "
        ".explicitcluster { ret; }\n"
        ".entry l() .reqntid 5, 6 .reqnctapercluster 12, 1, 2 .blocksareclusters { ret; }\n"
        ".entry m() .maxclusterrank 11 .pragma \"x\"; { ret; }\n"
        ".entry plain() { ret; }\n"
        ".func f() .noreturn .abi_preserve 4 .abi_preserve_control 1 { ret; }\n";
    lib_message msg;
    ptx_module *m = ptx_parse(text, strlen(text), &msg);
    CHECK(m && m->func_count == 5);
    if (!m) return;
    static const struct {
        uint32_t maxntid[3], reqntid[3], cluster[3], minnctapersm, maxnreg, rank;
        bool explicit, blocks;
    } want[] = {{{2, 3, 4}, {0, 0, 0}, {10, 1, 1}, 7, 9, 0, true, false},
                {{0, 0, 0}, {5, 6, 1}, {12, 1, 2}, 0, 0, 0, false, true},
                {.rank = 11},
                {.rank = 0},
                {.rank = 0}};
    for (unsigned k = 0; k < 5; k++) {
        const ptx_func *f = m->funcs[k];
        CHECK(!memcmp(f->maxntid, want[k].maxntid, sizeof f->maxntid));
        CHECK(!memcmp(f->reqntid, want[k].reqntid, sizeof f->reqntid));
        CHECK(!memcmp(f->reqcluster, want[k].cluster, sizeof f->reqcluster));
        CHECK_INT(f->minnctapersm, want[k].minnctapersm);
        CHECK_INT(f->maxnreg, want[k].maxnreg);
        CHECK_INT(f->maxclusterrank, want[k].rank);
        CHECK_INT(f->explicit_cluster, want[k].explicit);
        CHECK_INT(f->blocks_are_clusters, want[k].blocks);
        CHECK_INT(f->entry, k < 4);
    }
    ptx_free(m);
}

/* The operands of an instruction's forms, a line each. Whether the first is a destination is asked
 * of an instruction, so its forms have to agree; what some are is written down from the PTX ISA's
 * syntax lines. */
static void check_destinations(void) {
    static const char *const forms[PTX_OP_COUNT] = {""
#define OP(name, mnemonic, decoder, ends, doc) , ""
#define FORM(klass, types, mods, operands)     operands "\n"
#include "runner/device/sim/ptx/ops.def"
#undef OP
#undef FORM
    };
    for (unsigned op = 1; op < PTX_OP_COUNT; op++)
        for (const char *s = forms[op]; *s; s = strchr(s, '\n') + 1)
            CHECK_INT(strchr("dDWV?", *s) != NULL, ptx_op_writes(op));
    static const unsigned yes[] = {PTX_OP_ld,       PTX_OP_mov,
                                   PTX_OP_atom,     PTX_OP_bar_red,
                                   PTX_OP_mma,      PTX_OP_stacksave,
                                   PTX_OP_ldmatrix, PTX_OP_cvt,
                                   PTX_OP_tex,      PTX_OP_mbarrier_arrive},
                          no[] = {PTX_OP_none,      PTX_OP_st,           PTX_OP_red,
                                  PTX_OP_bar_sync,  PTX_OP_stackrestore, PTX_OP_stmatrix,
                                  PTX_OP_nanosleep, PTX_OP_cp_async,     PTX_OP_bra,
                                  PTX_OP_membar,    PTX_OP_mbarrier_init};
    for (size_t k = 0; k < sizeof yes / sizeof *yes; k++) CHECK(ptx_op_writes(yes[k]));
    for (size_t k = 0; k < sizeof no / sizeof *no; k++) CHECK(!ptx_op_writes(no[k]));
    CHECK(ptx_op_is(PTX_OP_mbarrier_try_wait, PTX_IS_POLLS));
    CHECK(!ptx_op_is(PTX_OP_mbarrier_arrive, PTX_IS_POLLS));
    CHECK(ptx_op_is(PTX_OP_bar_arrive, PTX_IS_ARRIVES) &&
          !ptx_op_is(PTX_OP_bar_sync, PTX_IS_ARRIVES));
    CHECK(ptx_op_is(PTX_OP_lop3, PTX_IS_SPARES) && !ptx_op_is(PTX_OP_ld, PTX_IS_SPARES));
}

int main(void) {
    glob_t g;
    if (!glob("tests/ptx/*.ptx", 0, NULL, &g))
        for (size_t i = 0; i < g.gl_pathc; i++) check_file(g.gl_pathv[i]);
    CHECK(g.gl_pathc >= 8);
    globfree(&g);
    check_destinations();
    check_errors();
    check_file_names();
    check_constants();
    check_numbers();
    check_limits();
    check_targets();
    check_directives();
    check_ages();

    unsigned taken = 0, refused = 0, n;
    n = each_line("tests/ptx/coverage.txt", must_parse, &taken);
    CHECK_INT(n, 661);
    CHECK_INT(taken, n);
    taken = 0;
    n = each_line("tests/ptx/forms.txt", must_parse, &taken);
    CHECK(n > 1000);
    CHECK_INT(taken, n);
    n = each_line("tests/ptx/wrong.txt", must_fail, &refused);
    CHECK(n > 500);
    CHECK_INT(refused, n);
    n = 0;
    each_line("tests/ptx/needs.txt", holds_to_needs, &n);
    CHECK(n > 1000);
    n = 0;
    each_line("tests/ptx/types.txt", check_types, &n);
    CHECK(n > 200);
    check_linear();

    CHECK_STR(ptx_type_text(PTX_BF16X2), ".bf16x2");
    CHECK_INT(ptx_type_size(PTX_F64), 8);
    CHECK_STR(ptx_class_name(PTX_CLASS_IMUL64), "IMUL64");
    for (unsigned op = 1; op < PTX_OP_COUNT; op++)
        if (!ptx_op_get(op)->doc[0])
            check_that(0, __FILE__, __LINE__, ptx_op_get(op)->mnemonic, "no doc");
    return check_done();
}
