/* Machine code and PTX of the same kernels, each executed by the simulated device over the same
 * memory: they must leave the same bytes. tests/unit/sass/twins/twins.cu has the kernels, record.sh
 * made the texts.
 *
 *   build/tests/test_twins FILE.sm_90.sass ..
 *
 * says which kernels of these texts cannot be translated and why, and executes the others beside
 * FILE.90.ptx, if that is there (tests/unit/sass/survey.py makes both), over arbitrary memory. What
 * reads a clock, races, or wants other arguments leaves other bytes, or does not run.
 *
 *   build/tests/test_twins --make N FOLDER
 *
 * writes N generated kernels there, for tests/twins.py, which has them assembled. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/message.h"
#include "runner/device/sim/sass/sass.h"
#include "runner/device/sim/sim.h"
#include "runner/device/sim/translate/translate.h"
#include "tests/check.h"
#include "tests/said.h"
#include "tests/unit/ptx_fixture.h"
#include "tests/fuzz/replay.h"
#include "tests/ptx/flow.h"

#include "tests/fuzz/fuzz_translate.c"

enum { BYTES = 1 << 16, N = 777, GRID = 7, BLOCK = 128 };

typedef struct {
    sim_device *device;
    sim_addr out, in;
} bench;

/* What kernels read: numbers of all sizes, and each kind of float that has no plain value. */
static void fill(uint32_t *words, bool floats) {
    uint32_t x = 12345;
    for (unsigned k = 0; k < BYTES / 4; k++) {
        x = x * 1664525u + 1013904223u;
        words[k] = k % 5 == 4 ? x >> (x >> 3 & 31) : x;
        if (!floats) continue;
        float f = (float)(int32_t)x * 0x1p-16f;
        memcpy(&words[k], &f, 4);
        static const uint32_t odd[] = {0,          0x80000000, 1,          0x007fffff, 0x7f7fffff,
                                       0x7f800000, 0xff800000, 0x7fc00000, 0x00800000, 0x7e000000};
        if (k % 11 == 3) words[k] = odd[x >> 8 & 7];
        if (k % 37 == 5) words[k] = odd[8 + (x >> 9 & 1)];
        if (k % 13 == 7) words[k] = x; /* any exponent */
    }
}

/* The module's constants, one array, where the machine code has bank 3. */
static bool copy_constants(const bench *b, sim_module *from, sim_module *to) {
    sim_addr a, z;
    uint64_t n, m;
    uint8_t bytes[32];
    return sim_module_symbol(from, "taps", &a, &n) == SIM_OK &&
           sim_module_symbol(to, "$bank3", &z, &m) == SIM_OK && n == sizeof bytes && n <= m &&
           sim_read(b->device, bytes, a, n) == SIM_OK &&
           sim_write(b->device, z, bytes, n) == SIM_OK;
}

static bool launch(const bench *b, sim_module *m, const char *name, bool floats, void *left) {
    static uint32_t words[BYTES / 4];
    lib_message msg = {0};
    sim_kernel *k = sim_module_kernel(m, name);
    sim_result res = {0};
    struct {
        sim_addr out, in;
        int64_t n;
    } params = {b->out, b->in, N};
    sim_launch l = {.kernel = k,
                    .grid = {GRID, 1, 1},
                    .block = {BLOCK, 1, 1},
                    .params = &params,
                    .param_bytes = sizeof params};
    fill(words, floats);
    bool ok = k != NULL;
    ok = ok && sim_write(b->device, b->in, words, BYTES) == SIM_OK;
    memset(words, 0x5a, BYTES);
    ok = ok && sim_write(b->device, b->out, words, BYTES) == SIM_OK;
    ok = ok && sim_run(b->device, &l, &res, &msg) == SIM_OK;
    ok = ok && sim_read(b->device, left, b->out, BYTES) == SIM_OK;
    if (!ok) printf("# %s: %s\n", name, said(&msg));
    sim_result_free(&res);
    return ok;
}

/* `since` 0: on sm_75 too. (far, contend, routines: ptxas's own constants, bank 2, are in the cubin
 * alone.) */
static const struct {
    const char *name;
    bool floats;
    unsigned shared, local, since;
} kernels[] = {
    {.name = "add", .floats = true},
    {.name = "saxpy", .floats = true},
    {.name = "transpose", .floats = true, .shared = 1088},
    {.name = "reduce", .floats = true, .shared = 128},
    {.name = "divmod"},
    {.name = "collatz"},
    {.name = "quotient", .floats = true},
    {.name = "scale"},
    {.name = "far", .since = 90},
    {.name = "histogram", .shared = 256},
    {.name = "votes"},
    {.name = "bytes"},
    {.name = "classify"},
    {.name = "convert", .floats = true},
    {.name = "filter", .floats = true},
    {.name = "halves"},
    {.name = "literals"},
    {.name = "product", .shared = 1024, .since = 80},
    {.name = "staged", .shared = 2048, .since = 80},
    {.name = "stack", .local = 64},
    {.name = "contend", .shared = 16, .since = 90},
    {.name = "routines", .since = 90},
    {.name = "extremes", .floats = true},
    {.name = "parts"},
    {.name = "anywhere", .shared = 512, .local = 32},
    {.name = "pairs"},
    {.name = "bfloats", .since = 90},
    {.name = "small", .since = 90},
    {.name = "odd"},
    {.name = "alike"},
    {.name = "packed"},
    {.name = "narrow"},
    {.name = "sums", .shared = 64},
    {.name = "fragments"},
    {.name = "shapes", .shared = 2048, .since = 90},
    {.name = "phases", .shared = 648, .since = 90},
};

/* The words that differ; -1: one of the two did not run. */
static int compare(const bench *b, sim_module *ptx, sim_module *code, unsigned which) {
    static uint32_t ptx_left[BYTES / 4], code_left[BYTES / 4];
    const char *name = kernels[which].name;
    int wrong = 0, touched = 0;
    if (!launch(b, ptx, name, kernels[which].floats, ptx_left) ||
        !launch(b, code, name, kernels[which].floats, code_left))
        return -1;
    for (unsigned k = 0; k < BYTES / 4; k++) {
        touched += ptx_left[k] != 0x5a5a5a5a;
        if (ptx_left[k] == code_left[k] || wrong++ >= 4) continue;
        printf("# %s: word %u is 0x%08x by PTX, 0x%08x by machine code\n", name, k, ptx_left[k],
               code_left[k]);
    }
    return touched ? wrong : -1;
}

static void twins(const bench *b, const sass_module *code, sim_module *ptx, unsigned which) {
    lib_message msg = {0};
    sim_translation t = {0};
    sim_translate_about about = {.param_bytes = 24,
                                 .shared_bytes = kernels[which].shared,
                                 .local_bytes = kernels[which].local,
                                 .bank_bytes = {[3] = 32}};
    const sass_func *f = sass_find(code, kernels[which].name);
    if (f && sim_translate(code, f, &about, &t, &msg)) {
        sim_module_options options = {.ptxas = ""};
        sim_module *m = sim_module_new(b->device, t.text, t.len, &options, &msg);
        if (CHECK(m && copy_constants(b, ptx, m))) CHECK_INT(compare(b, ptx, m, which), 0);
        sim_module_free(m);
        sim_translation_free(&t);
    } else {
        CHECK(!"translated");
    }
    if (lib_message_any(&msg)) printf("# %s: %s\n", kernels[which].name, said(&msg));
}

static void all_twins(unsigned arch) {
    char path[64];
    size_t len, code_len;
    lib_message msg = {0};
    sim_options o;
    sim_options_default(&o);
    o.model_time = o.check_race_shared = false;
    snprintf(path, sizeof path, "tests/unit/sass/twins/twins.%u.ptx", arch);
    char *ptx = read_text(path, &len);
    snprintf(path, sizeof path, "tests/unit/sass/twins/twins.sm_%u.sass", arch);
    char *text = read_text(path, &code_len);
    sass_module *code = text ? sass_read(text, code_len, &msg) : NULL;
    bench b = {.device = sim_device_new(sim_profile_find("h200"), &o, &msg)};
    sim_module_options options = {.ptxas = ""};
    sim_module *m = ptx && b.device ? sim_module_new(b.device, ptx, len, &options, &msg) : NULL;
    bool ok = CHECK(m && code);
    ok = ok && CHECK(sim_malloc(b.device, BYTES, &b.out) == SIM_OK);
    ok = ok && CHECK(sim_malloc(b.device, BYTES, &b.in) == SIM_OK);
    if (!ok) printf("# %s\n", said(&msg));
    for (unsigned k = 0; ok && k < sizeof kernels / sizeof *kernels; k++)
        if (arch >= kernels[k].since) twins(&b, code, m, k);
    sim_module_free(m);
    sim_device_free(b.device);
    sass_free(code);
    free(text);
    free(ptx);
}

/* ---- refusals, and which line is of which instruction ---- */

static sass_module *recorded(const char *path) {
    size_t len;
    lib_message msg = {0};
    char *text = read_text(path, &len);
    sass_module *m = text ? sass_read(text, len, &msg) : NULL;
    free(text);
    CHECK(m != NULL);
    return m;
}

static void refused(const char *path, const char *name, uint32_t param_bytes, const char *says) {
    lib_message msg = {0};
    sim_translation t;
    sim_translate_about about = {.param_bytes = param_bytes, .shared_bytes = 1024};
    sass_module *m = recorded(path);
    const sass_func *f = m ? sass_find(m, name) : NULL;
    CHECK(f && !sim_translate(m, f, &about, &t, &msg));
    CHECK_CONTAINS(said(&msg), says);
    CHECK(msg.id);
    sass_free(m);
}

static void test_refusals(void) {
    /* a text that lacks its architecture, as PTX would need it */
    static const char bare[] = "\t.section\t.text.k,\"ax\",@progbits\n"
                               "        .global         k\n        .type           k,@function\n";
    static const sim_translate_about nothing;
    sim_translation none;
    lib_message why = {0};
    sass_module *code = sass_read(bare, sizeof bare - 1, &why);
    CHECK(code && code->func_count == 1 && !code->arch);
    if (code && code->func_count)
        CHECK(!sim_translate(code, &code->funcs[0], &nothing, &none, &why) && !none.text);
    CHECK_CONTAINS(said(&why), "does not say for which architecture");
    sass_free(code);
    refused("tests/unit/sass/mixed.sm_90.sass", "_Z6dividePfPKfi", 20,
            "LDC at 0x100 of _Z6dividePfPKfi is not executed as machine code: a constant bank");
    /* its third parameter lies behind what the kernel is said to have */
    refused("tests/unit/sass/mixed.sm_90.sass", "_Z4walkPKiPii", 16,
            "ULDC at 0x30 of _Z4walkPKiPii is not executed as machine code: a word");
}

static void test_lines(void) {
    lib_message msg = {0};
    sim_translation t = {0};
    sim_translate_about about = {.param_bytes = 24};
    sass_module *m = recorded("tests/unit/sass/twins/twins.sm_90.sass");
    const sass_func *f = m ? sass_find(m, "add") : NULL;
    CHECK(f && sim_translate(m, f, &about, &t, &msg));
    unsigned stores = 0, sums = 0, line = 0;
    for (const char *s = t.text ? t.text : ""; *s; s += strcspn(s, "\n") + 1, line++) {
        unsigned at = t.insn_of[line];
        size_t n = strcspn(s, "\n");
        if (n > 9 && !memcmp(s, "st.global", 9)) {
            stores++;
            CHECK(at < f->insn_count && f->insns[at].op == SASS_OP_STG);
        } else if (n > 10 && !memcmp(s, "add.rn.f32", 10)) {
            sums++;
            CHECK(at < f->insn_count && f->insns[at].op == SASS_OP_FADD);
        }
    }
    CHECK(stores == 1 && sums == 1);
    CHECK_INT(line, t.line_count);
    sim_translation_free(&t);
    sass_free(m);
}

/* ---- the survey ---- */

enum { BUFFERS = 8, ROOM = 1 << 18, COUNT = 384, BLOCKS = 3 };
typedef struct {
    sim_device *device;
    sim_addr at[BUFFERS];
    unsigned same, rounded, other, refused, not_run;
} sweep;

static uint32_t given[BUFFERS][ROOM / 4], by_ptx[BUFFERS][ROOM / 4], by_code[BUFFERS][ROOM / 4];

/* A launch over buffers for pointers and COUNT for numbers, whatever the kernel is: many cannot run
 * so, and are not compared. */
static bool run_any(const sweep *w, sim_kernel *k, const sim_kernel_info *info, void *left,
                    lib_message *msg) {
    static uint8_t params[4096];
    sim_result res = {0};
    unsigned pointers = 0, threads = info->max_threads < COUNT / BLOCKS ? 32 : COUNT / BLOCKS;
    sim_launch l = {.kernel = k,
                    .grid = {BLOCKS, 1, 1},
                    .block = {threads, 1, 1},
                    .params = params,
                    .param_bytes = sizeof params,
                    .dynamic_shared = 4096};
    for (unsigned p = 0; p < info->param_count; p++) {
        uint64_t value = info->param_size[p] == 8 ? w->at[pointers++ % BUFFERS] : COUNT;
        if (info->param_size[p] > 8) return false;
        memcpy(params + info->param_offset[p], &value, info->param_size[p]);
    }
    for (unsigned n = 0; n < BUFFERS; n++) sim_write(w->device, w->at[n], given[n], ROOM);
    bool ok = sim_run(w->device, &l, &res, msg) == SIM_OK;
    for (unsigned n = 0; n < BUFFERS; n++)
        sim_read(w->device, (uint8_t *)left + (size_t)n * ROOM, w->at[n], ROOM);
    sim_result_free(&res);
    return ok;
}

/* ptxas joins products and sums as it likes, which PTX allows where no rounding is written. */
static bool but_for_rounding(void) {
    for (unsigned n = 0; n < BUFFERS; n++)
        for (unsigned k = 0; k < ROOM / 4; k++) {
            float a, b;
            memcpy(&a, &by_ptx[n][k], 4);
            memcpy(&b, &by_code[n][k], 4);
            if (by_ptx[n][k] == by_code[n][k]) continue;
            if (fabsf(a - b) <= 1e-3f * fabsf(a) + 1e-6f) continue;
            printf("buffer %u, word %u: 0x%08x by PTX, 0x%08x by machine code: ", n, k,
                   by_ptx[n][k], by_code[n][k]);
            return false;
        }
    return true;
}

static void survey_function(sweep *w, const sass_module *m, const sass_func *f, sim_module *ptx) {
    lib_message msg = {0};
    sim_translation t;
    sim_kernel *k = ptx ? sim_module_kernel(ptx, f->name) : NULL;
    const sim_kernel_info *info = k ? sim_kernel_get(k) : NULL;
    sim_translate_about about = {.param_bytes = info ? info->param_bytes : 4096,
                                 .shared_bytes = info ? (uint32_t)info->static_shared : 49152,
                                 .local_bytes = 1024,
                                 .bank_bytes = {0, 0, 1 << 16, 1 << 16, 1 << 16}};
    if (!sim_translate(m, f, &about, &t, &msg)) {
        printf("%s\n", said(&msg));
        w->refused++;
        return;
    }
    sim_module_options options = {.ptxas = ""};
    sim_module *code = sim_module_new(w->device, t.text, t.len, &options, &msg);
    sim_kernel *c = code ? sim_module_kernel(code, f->name) : NULL;
    bool constants = strstr(t.text, ", $bank") != NULL; /* nobody fills them here */
    if (!c) printf("%s: %s\n", f->name, said(&msg));
    if (!c || !info || constants || !run_any(w, k, info, by_ptx, &msg)) w->not_run++;
    else if (!run_any(w, c, info, by_code, &msg))
        printf("%s: %s\n", f->name, said(&msg)), w->other++;
    else if (!memcmp(by_ptx, by_code, sizeof by_ptx)) w->same++;
    else if (but_for_rounding()) w->rounded++;
    else printf("%s leaves other bytes\n", f->name), w->other++;
    sim_module_free(code);
    sim_translation_free(&t);
}

static void survey_file(sweep *w, const char *path) {
    char beside[512];
    size_t len, ptx_len;
    lib_message msg = {0};
    const char *arch = strstr(path, ".sm_");
    char *text = read_text(path, &len), *ptx = NULL;
    sass_module *m = text ? sass_read(text, len, &msg) : NULL;
    if (arch && m) {
        snprintf(beside, sizeof beside, "%.*s.%u.ptx", (int)(arch - path), path, m->arch);
        ptx = read_text(beside, &ptx_len);
    }
    sim_module_options options = {.ptxas = ""};
    sim_module *p = ptx ? sim_module_new(w->device, ptx, ptx_len, &options, &msg) : NULL;
    for (uint32_t k = 0; m && k < m->func_count; k++) survey_function(w, m, &m->funcs[k], p);
    sim_module_free(p);
    sass_free(m);
    free(text);
    free(ptx);
}

static int survey(int n, char **paths) {
    lib_message msg;
    sim_options o;
    sim_options_default(&o);
    o.model_time = o.check_race_shared = false;
    o.inst_budget = 1 << 25;
    sweep w = {.device = sim_device_new(sim_profile_find("h200"), &o, &msg)};
    for (unsigned k = 0; w.device && k < BUFFERS; k++) {
        if (sim_malloc(w.device, ROOM, &w.at[k]) != SIM_OK) return 1;
        for (unsigned x = 0; x < ROOM / 4; x++) {
            uint32_t bits = (x * 2654435761u) ^ (x >> 7) * 40503u;
            float f = (float)(bits >> 8) * 0x1p-18f - 20;
            memcpy(&given[k][x], &f, 4);
            if (k & 1) given[k][x] = bits >> 26;
        }
    }
    for (int k = 0; w.device && k < n; k++) survey_file(&w, paths[k]);
    printf("same bytes %u, but for roundings %u, other %u; not run %u, refused %u\n", w.same,
           w.rounded, w.other, w.not_run, w.refused);
    sim_device_free(w.device);
    return 0;
}

/* Random programs of control flow as files that survey() takes, FLOW.90.ptx: what they leave to the
 * device to begin with is written out, since the assembler may begin with anything. */
static int generate(unsigned count, const char *folder) {
    static flow_program p;
    for (unsigned n = 0; n < count; n++) {
        char path[512], *text = NULL;
        size_t len;
        FILE *o = open_memstream(&text, &len);
        flow_make(&p, 1000 + n);
        flow_text(o, &p);
        fclose(o);
        snprintf(path, sizeof path, "%s/flow%u.90.ptx", folder, n);
        char *first = strstr(text, "mov.u32 %t1, %ctaid.x;");
        FILE *to = first ? fopen(path, "w") : NULL;
        if (!to) return 1;
        fprintf(to, "%.*s", (int)(first - text), text);
        for (unsigned k = 0; k < FLOW_REGS; k++) fprintf(to, "mov.u32 %%r%u, 0;\n", k);
        for (unsigned k = 0; k < FLOW_WIDE; k++) fprintf(to, "mov.u64 %%d%u, 0;\n", k);
        for (unsigned k = 0; k < FLOW_LOOPS; k++) fprintf(to, "mov.u32 %%k%u, 0;\n", k);
        for (unsigned k = 0; k <= FLOW_PREDS; k++)
            fprintf(to, "setp.ne.u32 %%p%u, %%r0, %%r0;\n", k);
        fputs(first, to);
        fclose(to);
        free(text);
    }
    return 0;
}

static void test_fuzz(void) {
    CHECK(replay("tests/unit/sass/*.sass", fuzz_translate, 30) >= 4);
}

int main(int argc, char **argv) {
    if (argc == 4 && !strcmp(argv[1], "--make"))
        return generate((unsigned)strtoul(argv[2], NULL, 10), argv[3]);
    if (argc > 1) return survey(argc - 1, argv + 1);
    all_twins(75);
    all_twins(90);
    test_refusals();
    test_lines();
    test_fuzz();
    return check_done();
}
