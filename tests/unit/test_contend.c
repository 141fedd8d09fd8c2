/* Threads that wait for each other: the kernels of tests/truth/contend.cu beside an H200's times
 * (h200.contend.jsonl), each within a factor of two. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/message.h"
#include "runner/device/sim/sim.h"
#include "tests/check.h"
#include "tests/said.h"
#include "assembled_fixture.h"

/* Two events around a launch are so much further apart than the kernel takes: h200.def, launch
 * empty, back to back. */
#define BETWEEN_EVENTS (4.67 - 1.568)
#define APART          2.0

/* Its lanes go on spinning while the one that has the lock waits for them behind the loop: YIELD
 * lets it pass on the device, but not here, so that it is launched without machine code. */
#define LANES "lock_lane"

typedef struct {
    const char *lab, *variant;
    unsigned blocks, threads;
    int rounds, words;
} row;
#define RUN(lab, variant, kernel, blocks, threads, rounds, words)                                  \
    {#lab, #variant, blocks, threads, rounds, words},
static const row rows[] = {
#include "tests/truth/contend.def"
};

static char *read_file(const char *path, size_t *n) {
    FILE *f = fopen(path, "rb");
    char *text = calloc(1, 1 << 20);
    if (!f || !text) {
        fprintf(stderr, "test_contend: %s: cannot be read\n", path);
        exit(1);
    }
    *n = fread(text, 1, (1 << 20) - 1, f);
    fclose(f);
    return text;
}

/* Microseconds between events; 0: not measured. */
static double measured(const char *table, const row *r) {
    char key[96];
    snprintf(key, sizeof key, "\"lab\":\"%s\",\"variant\":\"%s\",", r->lab, r->variant);
    const char *line = strstr(table, key), *us = line ? strstr(line, "\"us\":") : NULL;
    return us ? strtod(us + 5, NULL) : 0;
}

static double modelled(sim_device *d, sim_module *m, sim_addr word, sim_addr tries, const row *r) {
    sim_kernel *k = sim_module_kernel(m, r->lab);
    const sim_kernel_info *info = k ? sim_kernel_get(k) : NULL;
    CHECK(info && info->param_count == 4);
    if (!info) return 0;
    const uint64_t value[4] = {word, tries, (uint64_t)r->rounds, (uint64_t)r->words};
    unsigned char params[64] = {0};
    for (unsigned q = 0; q < 4; q++)
        memcpy(params + info->param_offset[q], &value[q], info->param_size[q]);
    sim_launch l = {.kernel = k,
                    .params = params,
                    .param_bytes = info->param_bytes,
                    .grid = {r->blocks, 1, 1},
                    .block = {r->threads, 1, 1}};
    sim_fill(d, word, 0, 4, 1 << 18);
    sim_flush_caches(d, 0);
    sim_result res;
    lib_message msg = {0};
    double us = sim_run(d, &l, &res, &msg) == SIM_OK ? res.time_us : 0;
    if (us > 0 && !res.by_machine_code) printf("# %s\n", said(res.machine_refusal));
    CHECK(us > 0 && res.by_machine_code == !!strcmp(r->lab, LANES));
    sim_result_free(&res);
    return us;
}

/* A maximum by 4,096 blocks of 256, four times as many as run at once: with volatile loads those of
 * the first wave try, each one and a half times at 0.734 ns, as in the rows above; with plain ones,
 * which L1 may answer, all do. */
static void maxima(sim_device *d, const char *ptx, sim_addr word, sim_addr tries) {
    const row r = {"cas_max", "4096x256", 4096, 256, 1, 1};
    char *text = strdup(ptx), *at = text ? strstr(text, "cas_max(") : NULL;
    const double wave = 132 * 2048 * 1.5 * 0.734e-3, all = 4096 * 256 * 1.5 * 0.734e-3;
    for (int plain = 0; at && plain < 2; plain++) {
        char *load = strstr(at, "ld.volatile.global");
        CHECK(load);
        if (plain && load) memmove(load + 3, load + 12, strlen(load + 12) + 1); /* ld.global */
        sim_module *m = assembled_module(d, "h200", text);
        double us = modelled(d, m, word, tries, &r), want = plain ? all : wave;
        char name[96];
        snprintf(name, sizeof name, "a maximum by %s loads: %.0f us", plain ? "plain" : "volatile",
                 us);
        check_that(us > want * 0.9 && us < want * 1.1, __FILE__, __LINE__, name,
                   "not by its attempts");
        sim_module_free(m);
    }
    CHECK(at);
    free(text);
}

int main(void) {
    if (!assembled_here("threads that wait for each other")) return 0;
    size_t n, unused;
    char *ptx = read_file("tests/truth/contend.ptx", &n),
         *table = read_file("tests/truth/h200.contend.jsonl", &unused);
    sim_options o;
    sim_options_default(&o);
    o.check_race_shared = o.check_race_global = o.check_uninit = o.count_lines = false;
    lib_message msg = {0};
    sim_device *d = sim_device_new(sim_profile_find("h200"), &o, &msg);
    sim_module *m = d ? assembled_module(d, "h200", ptx) : NULL;
    sim_module *lanes =
        d ? sim_module_new(d, ptx, n, &(sim_module_options){.ptxas = ""}, &msg) : NULL;
    sim_addr word = 0, tries = 0;
    CHECK(m && sim_malloc(d, 1 << 20, &word) == SIM_OK && sim_malloc(d, 1 << 22, &tries) == SIM_OK);
    double sum = 0;
    unsigned count = 0;
    for (unsigned k = 0; m && k < sizeof rows / sizeof *rows; k++) {
        double hw = measured(table, &rows[k]),
               us = modelled(d, strcmp(rows[k].lab, LANES) ? m : lanes, word, tries, &rows[k]) +
                    BETWEEN_EVENTS,
               ratio = us / hw;
        char name[96];
        snprintf(name, sizeof name, "%s %s within %g of an H200", rows[k].lab, rows[k].variant,
                 APART);
        printf("#   %-14s %-16s hardware %10.1f us, modelled %10.1f: %.2f\n", rows[k].lab,
               rows[k].variant, hw, us, ratio);
        check_that(hw > 0 && ratio < APART && ratio > 1 / APART, __FILE__, __LINE__, name, "");
        sum += fabs(log(ratio));
        count++;
    }
    if (m) maxima(d, ptx, word, tries);
    printf("# mean factor %.2f over %u\n", exp(sum / count), count);
    sim_module_free(m);
    sim_module_free(lanes);
    sim_device_free(d);
    free(ptx);
    free(table);
    return check_done();
}
