/* Single values that instructions must give (tests/ptx/values.txt), on each instruction set of the
 * host that this machine runs. */
#include "runner/base/message.h"
#include "runner/device/sim/isa.h"
#include "runner/device/sim/sim.h"
#include "tests/check.h"
#include "tests/said.h"
#include "tests/ptx/ops_kit.h"

enum { ROWS = 12 }; /* of values in a line */
typedef struct {
    ops_op op;
    uint64_t in[ROWS][OPS_SRC], out[ROWS][OPS_DST];
    int rows;
} value_line;

static int words_of(char *s, uint64_t *to, int max) {
    int n = 0;
    char *save = NULL;
    for (char *w = strtok_r(s, " ", &save); w && n < max; w = strtok_r(NULL, " ", &save))
        to[n++] = strtoull(w, NULL, 16);
    return n;
}

/* False: the line is not written as the top of values.txt says. */
static bool line_read(char *line, value_line *v) {
    char *part[4] = {line};
    char *end = *line == '{' ? strstr(line, ";};") : NULL;
    int k = 1;
    memset(v, 0, sizeof *v);
    for (char *p = end ? end + 2 : line; *p && k < 4; p++)
        if (*p == ';') *p = 0, part[k++] = p + 1;
    if (k < 4 || strlen(part[0]) >= sizeof v->op.text) return false;
    snprintf(v->op.text, sizeof v->op.text, "%s", part[0]);
    v->op.ndst = ops_words(part[1], v->op.dst, OPS_DST);
    v->op.nsrc = ops_words(part[2], v->op.src, OPS_SRC);
    char *save = NULL;
    for (char *row = strtok_r(part[3], ",", &save); row; row = strtok_r(NULL, ",", &save)) {
        char *is = strchr(row, '=');
        if (!is || v->rows == ROWS) return false;
        *is = 0;
        if (words_of(row, v->in[v->rows], OPS_SRC) != v->op.nsrc ||
            words_of(is + 1, v->out[v->rows], OPS_DST) != v->op.ndst)
            return false;
        v->rows++;
    }
    return v->rows > 0;
}

static void line_run(sim_device *d, const char *isa, const value_line *v, int number) {
    static uint64_t input[OPS_LANES][OPS_SRC], got[OPS_LANES][OPS_DST];
    static char ptx[1 << 14];
    char what[600];
    lib_message msg = {0};
    sim_module_options mo = {.ptxas = ""};
    ops_kernel(&v->op, ptx, sizeof ptx);
    sim_module *m = sim_module_new(d, ptx, strlen(ptx), &mo, &msg);
    sim_addr in, out;
    sim_malloc(d, sizeof input, &in);
    sim_malloc(d, sizeof got, &out);
    memset(input, 0, sizeof input);
    memcpy(input, v->in, sizeof v->in);
    sim_write(d, in, input, sizeof input);
    sim_fill(d, out, 0, 1, sizeof got);
    sim_addr params[2] = {in, out};
    sim_launch l = {.kernel = m ? sim_module_kernel(m, "op") : NULL,
                    .grid = {1, 1, 1},
                    .block = {OPS_LANES, 1, 1},
                    .params = params,
                    .param_bytes = sizeof params};
    sim_result r = {0};
    bool ran =
        m && sim_run(d, &l, &r, &msg) == SIM_OK && sim_read(d, got, out, sizeof got) == SIM_OK;
    if (!ran) {
        snprintf(what, sizeof what, "%s: %.400s", isa, said(&msg));
        check_that(false, "tests/ptx/values.txt", number, v->op.text, what);
    }
    for (int k = 0; ran && k < v->rows; k++)
        for (int o = 0; o < v->op.ndst; o++) {
            snprintf(what, sizeof what, "%s: value %d is 0x%llx, want 0x%llx", isa, k + 1,
                     (unsigned long long)got[k][o], (unsigned long long)v->out[k][o]);
            check_that(got[k][o] == v->out[k][o], "tests/ptx/values.txt", number, v->op.text, what);
        }
    sim_result_free(&r);
    sim_module_free(m);
    sim_free(d, in);
    sim_free(d, out);
}

/* Quotients and remainders of 32 bits as C's of 64, of every pair of numbers next to the ends and
 * to powers of two, and of others (PTX ISA 9.7.1.7, 9.7.1.8), where each lane of a warp has its own
 * divisor and where all have one. By zero: all bits, as an H200's. The last result only of odd
 * threads; others keep what they had. */
static void divisions(sim_device *d, const char *isa) {
    enum { EDGES = 6 * 33, PAIRS = 1 << 18, RESULTS = 5, KEPT = 77 };
    static const char text[] =
        ".version 8.0\n.target sm_80\n.address_size 64\n"
        ".visible .entry k(.param .u64 in, .param .u64 out) { .reg .b32 %r<10>; .reg .b64 %d<6>; "
        ".reg .pred %p;\n"
        "ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, "
        "%ntid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r1, %r1, %r2, %r3;\n"
        "mad.wide.u32 %d3, %r1, 8, %d1; mad.wide.u32 %d4, %r1, 20, %d2;\n"
        "and.b32 %r9, %r1, 1; setp.ne.u32 %p, %r9, 0; mov.u32 %r8, 77;\n"
        "ld.global.v2.u32 {%r2, %r3}, [%d3]; div.u32 %r4, %r2, %r3; rem.u32 %r5, %r2, %r3;\n"
        "div.s32 %r6, %r2, %r3; rem.s32 %r7, %r2, %r3;\n"
        "@%p rem.s32 %r8, %r2, %r3; st.global.u32 [%d4], %r4; st.global.u32 [%d4+4], %r5;\n"
        "st.global.u32 [%d4+8], %r6; st.global.u32 [%d4+12], %r7; st.global.u32 [%d4+16], %r8; "
        "ret; }\n";
    static uint32_t in[PAIRS][2], out[PAIRS][RESULTS];
    uint32_t edges[EDGES];
    uint64_t rnd = 7;
    unsigned n = 0, wrong = 0;
    for (unsigned b = 0; b < 33; b++)
        for (unsigned k = 0; k < 3; k++) {
            uint32_t x = (uint32_t)(UINT64_C(1) << b) + k - 1;
            edges[n++] = x, edges[n++] = 0 - x;
        }
    n = 0;
    for (unsigned a = 0; a < EDGES; a++)
        for (unsigned b = 0; b < EDGES; b++, n++) in[n][0] = edges[a], in[n][1] = edges[b];
    for (n = (n + 31) / 32 * 32; n < PAIRS / 2; n++) { /* warps of one divisor */
        unsigned b = n / 224 % EDGES;
        in[n][0] = edges[n % 224 % EDGES], in[n][1] = edges[b];
    }
    for (; n < PAIRS; n++)
        for (unsigned k = 0; k < 2; k++) {
            rnd = rnd * 6364136223846793005u + 1442695040888963407u;
            in[n][k] = (uint32_t)(rnd >> 32) >> (k ? rnd >> 27 & 31 : 0);
            if (k && n / 32 % 2 && n % 32) { /* each second warp: next to its divisor's multiples */
                uint32_t by = in[n][1] = in[n - 1][1], q = in[n][0];
                in[n][0] = by ? q / by * by + n % 3 - 1 : q;
            }
        }
    lib_message msg = {0};
    sim_module_options mo = {.ptxas = ""};
    sim_module *m = sim_module_new(d, text, strlen(text), &mo, &msg);
    sim_addr at[2];
    CHECK(m && !sim_malloc(d, sizeof in, &at[0]) && !sim_malloc(d, sizeof out, &at[1]) &&
          !sim_write(d, at[0], in, sizeof in));
    sim_launch l = {.kernel = sim_module_kernel(m, "k"),
                    .grid = {PAIRS / 128, 1, 1},
                    .block = {128, 1, 1},
                    .params = at,
                    .param_bytes = sizeof at};
    sim_result r = {0};
    CHECK_INT(sim_run(d, &l, &r, &msg), SIM_OK);
    CHECK_INT(sim_read(d, out, at[1], sizeof out), SIM_OK);
    for (n = 0; n < PAIRS; n++) {
        int64_t a = in[n][0], b = in[n][1], sa = (int32_t)a, sb = (int32_t)b;
        const uint32_t rem = (uint32_t)(sb ? sa % sb : -1);
        const uint32_t want[RESULTS] = {(uint32_t)(b ? a / b : -1), (uint32_t)(b ? a % b : -1),
                                        (uint32_t)(sb ? sa / sb : -1), rem, n % 2 ? rem : KEPT};
        for (unsigned k = 0; k < RESULTS; k++)
            if (out[n][k] != want[k] && !wrong++)
                printf("# %s: %u of %#x, %#x: %#x, want %#x\n", isa, k, in[n][0], in[n][1],
                       out[n][k], want[k]);
    }
    CHECK_INT(wrong, 0);
    sim_result_free(&r);
    sim_module_free(m);
    sim_free(d, at[0]);
    sim_free(d, at[1]);
}

int main(void) {
    int lines = 0;
    CHECK_STR(sim_isa_name(SIM_ISA_base), "base");
    CHECK_STR(sim_isa_name(SIM_ISA_avx2), "avx2");
    CHECK_STR(sim_isa_name(SIM_ISA_avx512), "avx512");
    for (unsigned k = 0; k < SIM_ISA_COUNT; k++) {
        const char *name = sim_isa_name((sim_isa)k);
        if (!sim_isa_runs((sim_isa)k)) {
            printf("skip values on %s (this processor has it not)\n", name);
            continue;
        }
        setenv("WARPLAB_SIM_ISA", name, 1);
        sim_options opt;
        lib_message msg;
        sim_options_default(&opt);
        opt.model_time = opt.count_lines = false;
        opt.threads = 1;
        sim_device *d = sim_device_new(sim_profile_find("h200"), &opt, &msg);
        FILE *f = fopen("tests/ptx/values.txt", "r");
        char line[1200];
        CHECK(d && f);
        for (int at = 1; d && f && fgets(line, sizeof line, f); at++) {
            value_line v;
            line[strcspn(line, "\n")] = 0;
            if (!*line || *line == '#') continue;
            bool read = line_read(line, &v);
            check_that(read, "tests/ptx/values.txt", at, line, "the line is not as its top says");
            if (read) line_run(d, name, &v, at), lines++;
        }
        if (f) fclose(f);
        divisions(d, name);
        sim_device_free(d);
    }
    CHECK(lines >= 30);
    return check_done();
}
