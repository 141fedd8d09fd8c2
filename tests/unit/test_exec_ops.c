/* Every instruction of tests/ptx/ops.txt and ops_more.txt on the simulated device, against what an
 * H200 gave for the same inputs (*.expected.zst, made by tests/ptx/ops_gpu.c). Bit for bit, but for
 * the approximations: those within the tolerance that their line names. And on each of the host's
 * instruction sets, with the decoder's rewriting and without, the very same bits. */
#include "runner/base/message.h"
#include "tests/check.h"
#include "tests/said.h"
#include "tests/ptx/ops_kit.h"
#include "runner/device/sim/isa.h"
#include "runner/device/sim/sim.h"
#include <zstd.h>

typedef struct {
    uint64_t ok, out[OPS_LANES][OPS_DST];
} expected_op;

static expected_op *read_expected(const char *path, int n) {
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    size_t want = (size_t)n * sizeof(expected_op), cap = want + 4096;
    void *packed = malloc(cap);
    size_t len = fread(packed, 1, cap, f);
    fclose(f);
    expected_op *e = malloc(want + 1);
    size_t got = ZSTD_decompress(e, want, packed, len);
    free(packed);
    if (got == want) return e;
    free(e);
    return NULL;
}

static double value(const char *t, uint64_t v) {
    if (!strcmp(t, "f64")) {
        double d;
        memcpy(&d, &v, 8);
        return d;
    }
    uint32_t b = (uint32_t)v;
    if (!strcmp(t, "bf16")) b <<= 16;
    if (!strcmp(t, "f16")) {
        double m = (double)(v & 0x3ff), s = v & 0x8000 ? -1 : 1;
        int e = (int)(v >> 10 & 31);
        if (e == 31) return m != 0 ? NAN : s * INFINITY;
        return s * ldexp(e ? m + 1024 : m, (e ? e : 1) - 25);
    }
    float x;
    memcpy(&x, &b, 4);
    return (double)x;
}

/* May the result differ from the expected one, and by how much? Both must be the same NaN, infinity
 * or sign of zero. */
static int close_enough(const ops_op *o, const char *t, uint64_t got, uint64_t want) {
    if (got == want) return 1;
    if (!*o->tolerance) return 0;
    if (!strcmp(t, "u32")) /* a packed pair of halves */
        return close_enough(o, strstr(o->text, "bf16") ? "bf16" : "f16", got & 0xffff,
                            want & 0xffff) &&
               close_enough(o, strstr(o->text, "bf16") ? "bf16" : "f16", got >> 16 & 0xffff,
                            want >> 16 & 0xffff);
    double g = value(t, got), w = value(t, want);
    if (isnan(g) || isnan(w)) return isnan(g) && isnan(w);
    if (isinf(g) || isinf(w)) return g == w;
    double d = fabs(g - w), ulp = ldexp(1, (w == 0            ? -126
                                            : ilogb(w) < -126 ? -126
                                                              : ilogb(w)) -
                                               23);
    if (!strcmp(o->tolerance, "half")) return d <= fabs(w) * 0x1p-7 + 0x1p-24;
    if (!strcmp(o->tolerance, "hi")) return d <= fabs(w) * 0x1p-19;
    if (!strcmp(o->tolerance, "lg2")) return d <= 0x1p-20 || d <= fabs(w) * 0x1p-21;
    if (*o->tolerance == '=') return d <= atof(o->tolerance + 1);
    return d <=
           2 * atof(o->tolerance) * ulp; /* the hardware may be off by as much to the other side */
}

static int run(sim_device *d, const ops_op *o, sim_addr in, sim_addr out,
               uint64_t got[OPS_LANES][OPS_DST], lib_message *msg) {
    static char ptx[1 << 14];
    static uint64_t input[OPS_LANES][OPS_SRC];
    sim_module_options mo = {.ptxas = ""};
    ops_kernel(o, ptx, sizeof ptx);
    ops_inputs(o, input);
    sim_module *m = sim_module_new(d, ptx, strlen(ptx), &mo, msg);
    if (!m) return 0;
    sim_write(d, in, input, sizeof input);
    sim_fill(d, out, 0, 4, OPS_LANES * OPS_DST * 2);
    sim_addr params[2] = {in, out};
    sim_launch l = {.kernel = sim_module_kernel(m, "op"),
                    .grid = {1, 1, 1},
                    .block = {OPS_LANES, 1, 1},
                    .params = params,
                    .param_bytes = sizeof params};
    sim_result r;
    int ok = sim_run(d, &l, &r, msg) == SIM_OK &&
             sim_read(d, got, out, sizeof(uint64_t) * OPS_LANES * OPS_DST) == SIM_OK;
    sim_result_free(&r);
    sim_module_free(m);
    return ok;
}

/* What a device gave for an instruction. */
typedef struct {
    int ran;
    uint64_t out[OPS_LANES][OPS_DST];
} ops_got;

static void against_gpu(const ops_op *o, const expected_op *want, const ops_got *got,
                        const char *reason, const char *file) {
    static uint64_t input[OPS_LANES][OPS_SRC];
    char why[400] = "", what[520];
    int bad = 0;
    if (!got->ran) {
        snprintf(why, sizeof why, "%.300s", reason);
        bad = OPS_LANES;
    }
    ops_inputs(o, input);
    for (int l = OPS_LANES; got->ran && l-- > 0;)
        for (int k = OPS_DST; k-- > 0;) /* the second word may be memory that an atomic changed */
            if (!close_enough(o, k < o->ndst ? o->dst[k] : "", got->out[l][k], want->out[l][k])) {
                bad++;
                snprintf(why, sizeof why,
                         "result %d of 0x%llx 0x%llx 0x%llx 0x%llx is 0x%llx, want 0x%llx", k,
                         (unsigned long long)input[l][0], (unsigned long long)input[l][1],
                         (unsigned long long)input[l][2], (unsigned long long)input[l][3],
                         (unsigned long long)got->out[l][k], (unsigned long long)want->out[l][k]);
            }
    snprintf(what, sizeof what, "%d lanes differ: %s", bad, why);
    check_that(!bad, file, o->line, o->text, what);
}

/* All instructions, or those whose text holds `only`, on one device; the first one's results are
 * held to the GPU's, the others' to the first one's. */
static void all(const ops_op *ops, int n, const expected_op *want, ops_got *first, sim_isa isa,
                bool rewrite, const char *only, const char *file, bool compare) {
    sim_options opt;
    lib_message msg;
    char name[64];
    snprintf(name, sizeof name, "%s, rewriting %s", sim_isa_name(isa), rewrite ? "on" : "off");
    setenv("WARPLAB_SIM_ISA", sim_isa_name(isa), 1);
    setenv("WARPLAB_SIM_REWRITE", rewrite ? "on" : "off", 1);
    sim_options_default(&opt);
    opt.model_time = opt.count_lines = false;
    opt.threads = 1;
    sim_device *d = sim_device_new(sim_profile_find("h200"), &opt, &msg);
    sim_addr in, out;
    sim_malloc(d, OPS_LANES * OPS_SRC * 8, &in);
    sim_malloc(d, OPS_LANES * OPS_DST * 8, &out);
    int differ = 0, taken = 0;
    for (int i = 0; i < n; i++) {
        const ops_op *o = &ops[i];
        ops_got got;
        if (only && !strstr(o->text, only)) continue;
        if (!want[i].ok) continue; /* the assembler refused it */
        taken++;
        memset(&got, 0, sizeof got);
        got.ran = run(d, o, in, out, got.out, &msg);
        if (!compare) {
            first[i] = got;
            against_gpu(o, &want[i], &got, said(&msg), file);
        } else if (first[i].ran != got.ran || memcmp(first[i].out, got.out, sizeof got.out)) {
            if (differ++ < 10) printf("# %s: line %d: %s differs\n", name, o->line, o->text);
        }
    }
    sim_device_free(d);
    if (compare) check_that(!differ && taken, __FILE__, __LINE__, name, "other bits, see above");
}

static int both(const char *path, const char *expected, const char *only) {
    ops_op *ops;
    int n = ops_read(path, &ops);
    if (n < 1) {
        free(ops);
        return n;
    }
    expected_op *want = read_expected(expected, n);
    ops_got *first = calloc((size_t)n, sizeof *first);
    CHECK(want && first);
    bool compare = false;
    for (int s = SIM_ISA_COUNT; want && first && s-- > 0;)
        for (int rewrite = 2; sim_isa_runs((sim_isa)s) && rewrite-- > 0; compare = true)
            all(ops, n, want, first, (sim_isa)s, rewrite, only, path, compare);
    free(first);
    free(want);
    free(ops);
    return n;
}

int main(int argc, char **argv) {
    const char *only = argc > 1 ? argv[1] : NULL;
    int n = both("tests/ptx/ops.txt", "tests/ptx/ops.expected.zst", only);
    int more = both("tests/ptx/ops_more.txt", "tests/ptx/ops_more.expected.zst", only);
    CHECK(n > 1000 && n + more >= 2000);
    return check_done();
}
