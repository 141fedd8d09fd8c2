/* How fast the simulated device is: thread-instructions per second with every counter and check on, and as a
 * ratio to a plain loop over 32-lane vectors on the same machine in the same run.
 *
 *   sim KERNELS.ptx [THREADS]      prints one line a figure: NAME VALUE UNIT */
#include "runner/sim/profile.h"
#include "runner/sim/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef float lanes __attribute__((vector_size(128)));

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* One warp-wide multiply-add a step over registers that lie in L1: what an interpreter without any
 * interpretation would reach. */
__attribute__((noinline)) static double plain_loop(void) {
    static lanes r[64];
    for (int i = 0; i < 64; i++) r[i] = (lanes){0} + 1.0f + (float)i * 1e-3f;
    double best = 0;
    for (int round = 0; round < 5; round++) {
        double begin = now();
        enum { STEPS = 4000000 };
        for (int i = 0; i < STEPS; i++) {
            lanes *d = &r[i & 63];
            *d = r[(i + 7) & 63] * 0.5f + r[(i + 13) & 63];
            __asm__ volatile("" ::: "memory");
        }
        double rate = (double)STEPS * 32 / (now() - begin);
        if (rate > best) best = rate;
    }
    return best;
}

static char *read_file(const char *path, size_t *n) {
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    char *text = malloc(1 << 22);
    *n = text ? fread(text, 1, (1 << 22) - 1, f) : 0;
    if (text) text[*n] = 0;
    fclose(f);
    return text;
}

static void die(const char *what, const char *why) {
    fprintf(stderr, "bench: %s: %s\n", what, why);
    exit(1);
}

typedef struct {
    double rate, seconds;
} figure;

/* The best of a few runs: the others had company on the machine. */
static figure run(sim_device *d, sim_kernel *k, unsigned gx, unsigned gy, unsigned bx, unsigned by,
                  const void *params, size_t bytes, int rounds) {
    figure f = {0, 1e9};
    for (int i = 0; i < rounds; i++) {
        sim_launch l = {
            .kernel = k, .grid = {gx, gy, 1}, .block = {bx, by, 1}, .params = params, .param_bytes = bytes};
        sim_result r;
        sim_message msg = {""};
        double begin = now();
        if (sim_run(d, &l, &r, &msg) != SIM_OK)
            die("launch", *msg.text ? msg.text : sim_status_message(r.status));
        double took = now() - begin;
        double rate = (double)r.counters.thread_inst / took;
        if (rate > f.rate) f.rate = rate;
        if (took < f.seconds) f.seconds = took;
        sim_result_free(&r);
    }
    return f;
}

int main(int argc, char **argv) {
    if (argc < 2) die("usage", "sim KERNELS.ptx [THREADS]");
    size_t n;
    char *ptx = read_file(argv[1], &n);
    if (!ptx) die(argv[1], "cannot be read");
    sim_message msg = {""};
    sim_options o;
    sim_options_default(&o);
    o.threads = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
    unsigned cores = o.threads ? o.threads : (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
    sim_device *d = sim_device_new(sim_profile_find("h200"), &o, &msg);
    if (!d) die("device", msg.text);
    sim_module_options mo = {0};
    sim_module *m = sim_module_new(d, ptx, n, &mo, &msg);
    if (!m) die("module", msg.text);
    sim_kernel *product = sim_module_kernel(m, "product"), *reduction = sim_module_kernel(m, "reduction"),
               *empty = sim_module_kernel(m, "empty");
    if (!product || !reduction || !empty) die("module", "a kernel is missing");

    enum { W = 512, N = 1 << 22 };
    sim_addr a, b, c, in, out;
    float *host = calloc(N, sizeof *host);
    if (!host || sim_malloc(d, 4 * W * W, &a) || sim_malloc(d, 4 * W * W, &b) ||
        sim_malloc(d, 4 * W * W, &c) || sim_malloc(d, 4 * N, &in) || sim_malloc(d, 4 * N / 256, &out) ||
        sim_write(d, a, host, 4 * W * W) || sim_write(d, b, host, 4 * W * W) || sim_write(d, in, host, 4 * N))
        die("memory", "cannot be allocated");
    struct {
        sim_addr a, b, c;
        int n;
    } pp = {a, b, c, W};
    struct {
        sim_addr in, out;
        int n;
    } pr = {in, out, N};
    double plain = plain_loop();
    figure p = run(d, product, W / 16, W / 16, 16, 16, &pp, 28, 3),
           r = run(d, reduction, N / 256, 1, 256, 1, &pr, 20, 3);
    figure e = run(d, empty, 1, 1, 1, 1, NULL, 0, 200);
    printf("product512_thread_inst_per_s_core %.3g G/s\n", p.rate / 1e9 / cores);
    printf("product512_ratio_to_plain_loop %.3f\n", p.rate / cores / plain);
    printf("reduction4M_thread_inst_per_s_core %.3g G/s\n", r.rate / 1e9 / cores);
    printf("reduction4M_ratio_to_plain_loop %.3f\n", r.rate / cores / plain);
    printf("plain_loop_lane_ops_per_s %.3g G/s\n", plain / 1e9);
    printf("empty_launch %.1f us\n", e.seconds * 1e6);
    free(host);
    free(ptx);
    sim_module_free(m);
    sim_device_free(d);
    return 0;
}
