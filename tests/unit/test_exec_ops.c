/* Every instruction of tests/ptx/ops.txt on the simulated device, against what an H200 gave for the
 * same inputs (ops.expected.zst, made by tests/ptx/ops_gpu.c). Bit for bit, but for the
 * approximations: those within the tolerance that their line names. */
#include "runner/base/message.h"
#include "tests/check.h"
#include "tests/ptx/ops_kit.h"
#include "runner/sim/sim.h"
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

int main(int argc, char **argv) {
    const char *only = argc > 1 ? argv[1] : NULL;
    ops_op *ops;
    int n = ops_read("tests/ptx/ops.txt", &ops);
    CHECK(n > 1000);
    if (n < 0) return check_done();
    expected_op *want = read_expected("tests/ptx/ops.expected.zst", n);
    CHECK(want != NULL);
    sim_options opt;
    lib_message msg;
    sim_options_default(&opt);
    opt.model_time = opt.count_lines = false;
    opt.threads = 1;
    sim_device *d = sim_device_new(sim_profile_find("h200"), &opt, &msg);
    sim_addr in, out;
    sim_malloc(d, OPS_LANES * OPS_SRC * 8, &in);
    sim_malloc(d, OPS_LANES * OPS_DST * 8, &out);
    for (int i = 0; want && i < n; i++) {
        static uint64_t got[OPS_LANES][OPS_DST], input[OPS_LANES][OPS_SRC];
        const ops_op *o = &ops[i];
        char why[400] = "";
        if (only && !strstr(o->text, only)) continue;
        if (!want[i].ok) continue; /* the assembler refused it */
        int bad = 0;
        if (!run(d, o, in, out, got, &msg)) {
            snprintf(why, sizeof why, "%.300s", msg.text);
            bad = OPS_LANES;
        } else {
            ops_inputs(o, input);
            for (int l = OPS_LANES; l-- > 0;)
                for (int k = OPS_DST;
                     k-- > 0;) /* the second word may be memory that an atomic changed */
                    if (!close_enough(o, k < o->ndst ? o->dst[k] : "", got[l][k],
                                      want[i].out[l][k])) {
                        bad++;
                        snprintf(why, sizeof why,
                                 "result %d of 0x%llx 0x%llx 0x%llx 0x%llx is 0x%llx, want 0x%llx",
                                 k, (unsigned long long)input[l][0],
                                 (unsigned long long)input[l][1], (unsigned long long)input[l][2],
                                 (unsigned long long)input[l][3], (unsigned long long)got[l][k],
                                 (unsigned long long)want[i].out[l][k]);
                    }
        }
        char what[520];
        snprintf(what, sizeof what, "%d lanes differ: %s", bad, why);
        check_that(!bad, "tests/ptx/ops.txt", o->line, o->text, what);
    }
    sim_device_free(d);
    free(want);
    free(ops);
    return check_done();
}
