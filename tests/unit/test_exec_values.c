/* Single values that instructions must give (tests/ptx/values.txt), on each instruction set of the
 * host that this machine runs. */
#include "runner/base/message.h"
#include "runner/sim/isa.h"
#include "runner/sim/sim.h"
#include "tests/check.h"
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
        snprintf(what, sizeof what, "%s: %.400s", isa, msg.text);
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
        sim_device_free(d);
    }
    CHECK(lines >= 30);
    return check_done();
}
