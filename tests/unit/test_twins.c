/* Machine code and PTX of the same kernels, each executed by the simulated device over the same
 * memory: they must leave the same bytes. tests/unit/sass/twins/twins.cu has the kernels, record.sh made
 * the texts.
 *
 *   build/tests/test_twins FILE.sass ..     which kernels of these texts can be translated, and for
 *                                           the others why not */
#include <stdlib.h>
#include <string.h>
#include "runner/base/message.h"
#include "runner/device/sim/sass/sass.h"
#include "runner/device/sim/sim.h"
#include "runner/device/sim/translate/translate.h"
#include "tests/check.h"
#include "tests/unit/ptx_fixture.h"

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
    if (!ok) printf("# %s: %s\n", name, msg.text);
    sim_result_free(&res);
    return ok;
}

/* `since` 0: on sm_75 too. (far, contend, routines: ptxas's own constants, bank 2, are in the cubin alone.) */
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
    {.name = "product", .shared = 1024, .since = 80},
    {.name = "staged", .shared = 2048, .since = 80},
    {.name = "stack", .local = 64},
    {.name = "contend", .shared = 16, .since = 90},
    {.name = "routines", .since = 90},
};

/* The words that differ; -1: one of the two did not run. */
static int compare(const bench *b, sim_module *ptx, sim_module *code, unsigned which) {
    static uint32_t by_ptx[BYTES / 4], by_code[BYTES / 4];
    const char *name = kernels[which].name;
    int wrong = 0, touched = 0;
    if (!launch(b, ptx, name, kernels[which].floats, by_ptx) ||
        !launch(b, code, name, kernels[which].floats, by_code))
        return -1;
    for (unsigned k = 0; k < BYTES / 4; k++) {
        touched += by_ptx[k] != 0x5a5a5a5a;
        if (by_ptx[k] == by_code[k] || wrong++ >= 4) continue;
        printf("# %s: word %u is 0x%08x by PTX, 0x%08x by machine code\n", name, k, by_ptx[k],
               by_code[k]);
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
    if (*msg.text) printf("# %s: %s\n", kernels[which].name, msg.text);
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
    if (!ok) printf("# %s\n", msg.text);
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
    CHECK_CONTAINS(msg.text, says);
    CHECK(*msg.zh);
    sass_free(m);
}

static void test_refusals(void) {
    refused("tests/unit/sass/mixed.sm_90.sass", "_Z6dividePfPKfi", 20,
            "LDC at 0x100 of _Z6dividePfPKfi is not executed as machine code: a constant bank");
    refused("tests/unit/sass/mixed.sm_90.sass", "_Z4wideP6float4PyP7__half2", 24,
            "HFMA2.MMA at 0x1b0 of _Z4wideP6float4PyP7__half2");
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
    bool ok = CHECK(f && sim_translate(m, f, &about, &t, &msg));
    unsigned stores = 0, sums = 0, line = 0;
    for (const char *s = t.text; ok && *s; s += strcspn(s, "\n") + 1, line++) {
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

static int survey(int n, char **paths) {
    unsigned done = 0, all = 0;
    for (int k = 0; k < n; k++) {
        size_t len;
        lib_message msg = {0};
        char *text = read_text(paths[k], &len);
        sass_module *m = text ? sass_read(text, len, &msg) : NULL;
        for (uint32_t x = 0; m && x < m->func_count; x++) {
            sim_translation t;
            sim_translate_about about = {4096, 49152, 1024, {0, 0, 65536, 65536, 65536}};
            all++;
            if (sim_translate(m, &m->funcs[x], &about, &t, &msg)) {
                ptx_module *p = ptx_parse(t.text, t.len, &msg);
                if (p) done++;
                else printf("%s: %s\n", m->funcs[x].name, msg.text);
                ptx_free(p);
                sim_translation_free(&t);
            } else {
                printf("%s\n", msg.text);
            }
        }
        sass_free(m);
        free(text);
    }
    printf("%u of %u functions\n", done, all);
    return 0;
}

int main(int argc, char **argv) {
    if (argc > 1) return survey(argc - 1, argv + 1);
    all_twins(75);
    all_twins(90);
    test_refusals();
    test_lines();
    return check_done();
}
