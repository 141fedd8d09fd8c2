/* How fast the simulated device is: thread-instructions per second with every counter and check on,
 * and how fast a plain loop over 32-lane vectors, on the same machine in the same run.
 *
 *   sim KERNELS.ptx [THREADS [KERNEL]]      prints one line a figure: NAME VALUE UNIT
 *   sim KERNELS.ptx 1 KERNEL LAUNCHES       that many launches of it and nothing else, for who counts
 *                                           what this takes; prints thread-instructions of a launch */
#include "runner/base/clock.h"
#include "runner/base/message.h"
#include "runner/device/server/device.h"
#include "runner/device/sim/profile.h"
#include "runner/device/sim/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include "tests/said.h"

typedef float lanes __attribute__((vector_size(128)));

/* With one thread the processor's time, which a loaded machine disturbs less; with several what
 * passes. */
static clockid_t by = CLOCK_MONOTONIC;
static double now(void) {
    struct timespec t;
    clock_gettime(by, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Every rate is the best of some: the others had company on the machine. Company stays for a while,
 * so they are not measured one after another, but in turns of a few launches of each kernel. */
enum { TURNS = 3, ROUNDS = 3 };

/* One warp-wide multiply-add a step over registers that lie in L1: what an interpreter without any
 * interpretation would reach. */
__attribute__((noinline)) static double plain_loop(void) {
    static lanes r[64];
    for (int i = 0; i < 64; i++) r[i] = (lanes){0} + 1.0f + (float)i * 1e-3f;
    double best = 0;
    for (int round = 0; round < ROUNDS; round++) {
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

/* All kernels take (in, out, n); those whose name begins with texture_ a texture of n x n for
 * in. */
static const struct {
    const char *name;
    unsigned grid[2], block[2];
    int n;
} jobs[] = {
    {"product", {32, 32}, {16, 16}, 512},
    {"reduction", {16384, 1}, {256, 1}, 1 << 22},
    {"arithmetic", {1024, 1}, {256, 1}, 256},
    {"copy", {16384, 1}, {256, 1}, 1 << 22},
    {"strided", {4096, 1}, {256, 1}, 1 << 22},
    {"transpose", {32, 32}, {32, 8}, 1024},
    {"histogram_global", {4096, 1}, {256, 1}, 1 << 20},
    {"histogram_shared", {528, 1}, {256, 1}, 1 << 21},
    {"bank32", {512, 1}, {256, 1}, 256},
    {"mma", {64, 1}, {128, 1}, 256},
    {"wmma", {128, 1}, {64, 1}, 256},
    {"texture_point", {16, 64}, {32, 8}, 512},
    {"texture_linear", {16, 64}, {32, 8}, 512},
    {"divergent", {256, 1}, {256, 1}, 40},
    {"rounded", {64, 1}, {256, 1}, 64},
};
enum { JOBS = sizeof jobs / sizeof *jobs, FLOATS = 1 << 22 };

typedef struct {
    double rate, seconds;
    uint64_t thread_inst; /* of one launch */
} figure;

static figure run(sim_device *d, sim_kernel *k, const unsigned grid[2], const unsigned block[2],
                  const void *params, size_t bytes, int rounds) {
    figure f = {0, 1e9, 0};
    for (int i = 0; i < rounds; i++) {
        sim_launch l = {.kernel = k,
                        .grid = {grid[0], grid[1], 1},
                        .block = {block[0], block[1], 1},
                        .params = params,
                        .param_bytes = bytes};
        sim_result r;
        lib_message msg = {0};
        double begin = now();
        if (sim_run(d, &l, &r, &msg) != SIM_OK)
            die("launch", lib_message_any(&msg) ? said(&msg) : sim_status_message(r.status));
        double took = now() - begin;
        double rate = (double)r.counters.thread_inst / took;
        if (rate > f.rate) f.rate = rate;
        if (took < f.seconds) f.seconds = took;
        f.thread_inst = r.counters.thread_inst;
        sim_result_free(&r);
    }
    return f;
}

typedef struct {
    sim_device *device;
    sim_module *module;
    sim_addr in, out;
} bench;

static bench start(const char *ptx, size_t n, unsigned threads, bool races) {
    bench b = {0};
    lib_message msg = {0};
    sim_options o;
    sim_options_default(&o);
    o.run_command = dev_run_command;
    o.threads = threads;
    o.check_race_shared = races;
    if (!(b.device = sim_device_new(sim_profile_find("h200"), &o, &msg))) die("device", said(&msg));
    if (!(b.module = sim_module_new(b.device, ptx, n, NULL, &msg))) die("module", said(&msg));
    if (sim_malloc(b.device, 4ul * FLOATS, &b.in) || sim_malloc(b.device, 4ul * FLOATS, &b.out) ||
        sim_fill(b.device, b.in, 0, 4, FLOATS) || sim_fill(b.device, b.out, 0, 4, FLOATS))
        die("memory", "cannot be allocated");
    return b;
}
static void stop(bench *b) {
    sim_module_free(b->module);
    sim_device_free(b->device);
}
/* A picture of n x n numbers at `in`, in blocks, as cudaArrays are. */
static sim_addr picture(const bench *b, unsigned n, bool linear) {
    sim_texture t = {.base = b->in,
                     .pitch = 4ul * n,
                     .width = n,
                     .height = n,
                     .block_linear = true,
                     .channels = 1,
                     .bits = 32,
                     .kind = SIM_TEX_FLOAT,
                     .address = {SIM_TEX_CLAMP, SIM_TEX_CLAMP, SIM_TEX_CLAMP},
                     .linear_filter = linear};
    uint64_t handle;
    if (sim_texture_new(b->device, &t, &handle)) die("texture", "cannot be made");
    return handle;
}
static figure job(const bench *b, unsigned j, int rounds) {
    struct {
        sim_addr in, out;
        int n;
    } p = {b->in, b->out, jobs[j].n};
    sim_kernel *k = sim_module_kernel(b->module, jobs[j].name);
    if (!k) die(jobs[j].name, "the module has no such kernel");
    if (!strncmp(jobs[j].name, "texture_", 8))
        p.in = picture(b, (unsigned)p.n, !strcmp(jobs[j].name, "texture_linear"));
    return run(b->device, k, jobs[j].grid, jobs[j].block, &p, 20, rounds);
}

static int launches(bench *b, const char *kernel, int rounds) {
    unsigned j = 0;
    while (j < JOBS && strcmp(kernel, jobs[j].name)) j++;
    if (j == JOBS) die(kernel, "there is no such kernel");
    printf("%llu\n", (unsigned long long)job(b, j, rounds).thread_inst);
    stop(b);
    return 0;
}

int main(int argc, char **argv) {
    if (argc < 2) die("usage", "sim KERNELS.ptx [THREADS [KERNEL [LAUNCHES]]]");
    size_t n;
    char *ptx = read_file(argv[1], &n);
    if (!ptx) die(argv[1], "cannot be read");
    unsigned threads = argc > 2 ? (unsigned)atoi(argv[2]) : 0,
             cores = threads ? threads : lib_cores();
    if (threads == 1) by = CLOCK_PROCESS_CPUTIME_ID;
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    bench b = start(ptx, n, threads, true);
    if (argc > 4) return launches(&b, argv[3], atoi(argv[4]));
    double plain = 0, rate[JOBS] = {0};
    for (unsigned turn = 0; turn < TURNS; turn++) {
        double loop = plain_loop();
        if (loop > plain) plain = loop;
        for (unsigned j = 0; j < JOBS; j++) {
            if (argc > 3 && strcmp(argv[3], jobs[j].name)) continue;
            figure f = job(&b, j, ROUNDS);
            if (f.rate > rate[j]) rate[j] = f.rate;
        }
    }
    printf("plain_loop_lane_ops_per_s %.3g G/s\n", plain / 1e9);
    for (unsigned j = 0; j < JOBS; j++) {
        if (argc > 3 && strcmp(argv[3], jobs[j].name)) continue;
        printf("%s_thread_inst_per_s_core %.3g G/s\n", jobs[j].name, rate[j] / 1e9 / cores);
    }
    static const unsigned one[2] = {1, 1};
    sim_kernel *empty = sim_module_kernel(b.module, "empty");
    if (!empty) die("module", "a kernel is missing");
    if (argc <= 3) {
        printf("empty_launch %.1f us\n",
               run(b.device, empty, one, one, NULL, 0, 300).seconds * 1e6);
        /* Beyond 1.2 times what was allocated. */
        getrusage(RUSAGE_SELF, &after);
        printf("memory_beyond %.0f MB\n",
               (double)(after.ru_maxrss - before.ru_maxrss) / 1024 - 1.2 * 8.0 * FLOATS / 1048576);
        /* What the race checks cost, on the kernel with the most to check: with and without in
         * turn. */
        bench plainly = start(ptx, n, threads, false);
        double with = 1e9, without = 1e9;
        for (int k = 0; k < 5; k++) {
            figure x = job(&b, 1, 1), y = job(&plainly, 1, 1);
            if (x.seconds < with) with = x.seconds;
            if (y.seconds < without) without = y.seconds;
        }
        printf("race_check_ratio %.2f\n", with / without);
        stop(&plainly);
    }
    stop(&b);
    free(ptx);
    return 0;
}
