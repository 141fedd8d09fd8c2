/* The GPU backend without a GPU: the helper over a stub driver (stub/libcuda_stub.c). What is
 * tested is ours: addresses, errors, loss of a context, a launch that never ends, what is timed,
 * what is measured once and kept. */
#include "runner/base/message.h"
#include "runner/device/cudart/protocol.h"
#include "runner/device/server/gpu/gpu.h"
#include "runner/device/sim/profile.h"
#include "tests/check.h"
#include "tests/said.h"

#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[4096], log_path[4200], cache[4200];

/* How often the driver's function was called since the log was emptied. */
static int calls(const char *name) {
    char line[128];
    int n = 0;
    FILE *f = fopen(log_path, "r");
    while (f && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        n += !strcmp(line, name);
    }
    if (f) fclose(f);
    return n;
}
static void empty_log(void) {
    fclose(fopen(log_path, "w"));
}

static const sim_profile *profile;
static void *gpu(void) {
    dev_options o;
    lib_message msg = {0};
    dev_options_default(&o);
    o.gpu_cache = cache;
    void *hw = dev_gpu_open(0, 0, &o, &profile, &msg);
    if (!hw) printf("# %s\n", said(&msg));
    return hw;
}
#define BE dev_backend_gpu

static char text[256];
static bool take(void *user, const char *s, size_t n) {
    (void)user;
    snprintf(text, sizeof text, "%.*s", (int)n, s);
    return true;
}
static sim_status launch(void *hw, void *kernel, unsigned blocks, unsigned threads,
                         const void *params, size_t n, const volatile int *cancel, sim_result *r) {
    lib_message msg = {0};
    sim_launch l = {.grid = {blocks, 1, 1},
                    .block = {threads, 1, 1},
                    .params = params,
                    .param_bytes = n,
                    .print = take,
                    .cancel = cancel};
    return BE.run(hw, kernel, &l, r, &msg);
}
static void *module(void *hw, const char *image) {
    sim_status s;
    lib_message msg = {0};
    const dev_code_options o = {.arch = 75, .device = "gpu:0"};
    void *m = BE.module_new(hw, image, strlen(image), &o, &s, &msg);
    snprintf(text, sizeof text, "%d %s", (int)s, said(&msg));
    return m;
}

static void test_memory(void *hw) {
    sim_addr a = 0, b = 0, c = 0;
    unsigned char bytes[64], back[64];
    CHECK(!BE.alloc(hw, 1, &a) && !BE.alloc(hw, 5 << 20, &b) && !BE.alloc(hw, 1, &c));
    /* In the range that a program's process has nothing at, 256-byte aligned, apart. */
    CHECK(a >= 0x300000000000 && b >= 0x300000000000 && a < 0x310000000000 && a % 256 == 0 &&
          b % 256 == 0 && a != c);
    for (int i = 0; i < 64; i++) bytes[i] = (unsigned char)(i * 3);
    CHECK(!BE.write(hw, b + 100, bytes, 64) && !BE.read(hw, back, b + 100, 64));
    CHECK(!memcmp(bytes, back, 64));
    double us = 0;
    CHECK(!BE.copy(hw, b + 1000000, b, 1000000, &us));
    CHECK_NEAR(us, 10, 0.01); /* 1 MB at the stub's 100 GB/s; the events' own time is taken off */
    CHECK(!BE.poison(hw, b + 1, 9) && !BE.read(hw, back, b, 12));
    const unsigned char poison[] = {0xa5, 0xa5, 0xf7, 0x7f};
    bool same = true;
    for (int i = 1; i < 10; i++) same = same && back[i] == poison[i % 4];
    CHECK(same); /* words of 0x7ff7a5a5 as an aligned reader sees them */
    /* What is freed is overwritten before it is anyone else's. */
    CHECK(!BE.write(hw, b, bytes, 64) && !BE.release(hw, b) && !BE.alloc(hw, 5 << 20, &c) &&
          c == b);
    CHECK(!BE.read(hw, back, c, 64) && memcmp(bytes, back, 64) != 0);
    CHECK(BE.read(hw, back, 0x3f0000000000, 4) == SIM_BAD_ADDRESS);
    /* More than a window at a time. */
    enum { WINDOW = 32 << 20, LONG = WINDOW + 5 };
    unsigned char *much = malloc(LONG), *again = malloc(LONG);
    sim_addr d = 0;
    CHECK(much && again && !BE.alloc(hw, LONG, &d));
    for (size_t i = 0; much && i < LONG; i++) much[i] = (unsigned char)(i ^ i >> 9 ^ i >> 18);
    for (unsigned less = 0; much && again && less < 6;
         less += 5) { /* 5 bytes more, and just as much */
        memset(again, 0, LONG);
        CHECK(!BE.write(hw, d, much + less, LONG - less) && !BE.read(hw, again, d, LONG - less));
        CHECK(!memcmp(again, much + less, LONG - less));
    }
    free(much), free(again);
    CHECK(!BE.release(hw, d));
    CHECK(!BE.release(hw, a) && !BE.release(hw, c));
}

static void test_code(void *hw) {
    CHECK(!module(hw, "broken"));
    CHECK_CONTAINS(text, "ptxas fatal: stub"); /* the driver's own words */
    CHECK(!module(hw, "other") && atoi(text) == SIM_NOT_FOUND);
    void *m = module(hw, "image");
    CHECK(m != NULL);
    CHECK(!BE.module_kernel(hw, m, "missing"));
    void *fill = BE.module_kernel(hw, m, "fill");
    CHECK(fill && BE.module_kernel(hw, m, "fill") == fill);
    const sim_kernel_info *i = BE.kernel_info(fill);
    CHECK(i->param_count == 2 && i->param_bytes == 12 && i->param_offset[1] == 8 &&
          i->registers == 17 && i->static_shared == 128);
    CHECK(BE.kernel_shared(hw, fill, 65536) == SIM_BAD_ARGUMENT &&
          !BE.kernel_shared(hw, fill, 65408));
    CHECK(i->max_dynamic_shared == 65408);
    sim_addr a, v;
    uint64_t n;
    CHECK(!BE.module_symbol(hw, m, "answer", &v, &n) && n == 4 &&
          BE.module_symbol(hw, m, "question", &v, &n));
    CHECK(!BE.alloc(hw, 4096, &a));
    struct {
        uint64_t to;
        unsigned value;
    } p = {a, 7};
    sim_result r;
    unsigned back[64];
    CHECK(!launch(hw, fill, 2, 32, &p, 12, NULL, &r));
    CHECK(r.measured && !BE.read(hw, back, a, sizeof back) && back[0] == 7 && back[63] == 7);
    CHECK_NEAR(r.time_us, 10, 0.01); /* STUB_US; the events' own 1 us is not in it */
    sim_result_free(&r);
    /* Its occupancy is of all of the block's threads: 192 in three directions, and all shared
     * memory. */
    {
        lib_message msg = {0};
        sim_launch l = {.grid = {1, 1, 1},
                        .block = {8, 4, 6},
                        .dynamic_shared = 30000,
                        .params = &p,
                        .param_bytes = 12};
        sim_occupancy occ;
        CHECK(!BE.run(hw, fill, &l, &r, &msg));
        sim_occupancy_get(profile, 192, 17, 30128, 0, &occ);
        CHECK_INT(r.occupancy.blocks, occ.blocks);
        CHECK_INT(r.occupancy.warps, 6 * occ.blocks); /* 192 threads are six warps */
        CHECK_INT(r.occupancy.by_warps, profile->max_threads_sm / 192);
        CHECK_INT(r.occupancy.by_shared, occ.by_shared);
        sim_result_free(&r);
    }
    /* A preferred carve-out: told before the next launch that has another, and again when the
     * module was loaded again. A block takes 17 KB of 60000 bytes, or of a T4's 32 KB. */
    {
        lib_message msg = {0};
        sim_launch l = {.grid = {1, 1, 1},
                        .block = {32, 1, 1},
                        .dynamic_shared = 16256,
                        .params = &p,
                        .param_bytes = 12};
        static const struct {
            int percent; /* -1: none */
            const char *told;
            unsigned blocks;
        } rows[] = {{-1, "", 3},
                    {50, "attribute 9 of fill: 50", 1},
                    {50, "", 1},
                    {-1, "attribute 9 of fill: -1", 3},
                    {25, "attribute 9 of fill: 25", 1}};
        CHECK(BE.kernel_carveout(hw, fill, 101) == SIM_BAD_ARGUMENT &&
              BE.kernel_carveout(hw, fill, -2) == SIM_BAD_ARGUMENT && i->carveout == -1);
        CHECK(!BE.kernel_carveout(hw, fill, 30) && i->carveout == 30);
        for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
            empty_log();
            l.has_carveout = rows[k].percent >= 0;
            l.carveout = l.has_carveout ? (unsigned)rows[k].percent : 0;
            CHECK(!BE.run(hw, fill, &l, &r, &msg));
            CHECK_INT(calls("cuFuncSetAttribute"), *rows[k].told != 0);
            CHECK_INT(calls(rows[k].told), *rows[k].told != 0);
            CHECK_INT(r.occupancy.by_shared, rows[k].blocks);
            sim_result_free(&r);
        }
        /* The context's stack is what the launch's client asks for; CUDA begins with 1,024. */
        static const struct {
            uint32_t bytes;
            const char *told;
        } stacks[] = {
            {0, ""}, {1024, ""}, {4096, "limit 0: 4096"}, {4096, ""}, {0, "limit 0: 1024"}};
        for (unsigned k = 0; k < sizeof stacks / sizeof *stacks; k++) {
            empty_log();
            l.stack = stacks[k].bytes;
            CHECK(!BE.run(hw, fill, &l, &r, &msg));
            CHECK_INT(calls("cuCtxSetLimit"), *stacks[k].told != 0);
            CHECK_INT(calls(stacks[k].told), *stacks[k].told != 0);
            sim_result_free(&r);
        }
        empty_log();
        BE.module_reset(hw, m);
        CHECK_INT(calls("attribute 9 of fill: 25"), 1);
    }
    /* Cold: the cache is filled with something else, pinned lines included, before the start event
     * and once. */
    empty_log();
    BE.flush(hw, 0);
    CHECK(!launch(hw, fill, 1, 1, &p, 12, NULL, &r));
    CHECK(calls("cuMemsetD8Async") == 1 && calls("cuCtxResetPersistingL2Cache") == 1);
    CHECK(!launch(hw, fill, 1, 1, &p, 12, NULL, &r));
    CHECK(calls("cuMemsetD8Async") == 1);
    CHECK(calls("cuStreamWaitValue32_v2") ==
          2); /* queued behind a gate, so that the host's time stays out */
    void *talk = BE.module_kernel(hw, m, "talk");
    CHECK(!launch(hw, talk, 3, 1, NULL, 0, NULL, &r));
    CHECK_STR(text, "device says 3\n");
    CHECK(!launch(hw, talk, 4, 1, NULL, 0, NULL, &r));
    CHECK_STR(text, "device says 4\n"); /* and not the first again */
    void *refused = BE.module_kernel(hw, m, "refused");
    CHECK(launch(hw, refused, 1, 1, NULL, 0, NULL, &r) == SIM_TOO_MANY_RESOURCES);
    CHECK(BE.generation(hw) == 0); /* no harm done */
    BE.module_free(hw, m);
    BE.release(hw, a);
}

/* After each of these the device is a new one, and what belonged to the old is recognised. */
static void test_loss(void *hw, const char *kernel, sim_status want, sim_finding_kind finding,
                      const volatile int *cancel) {
    unsigned before = BE.generation(hw);
    sim_addr old, now;
    sim_result r;
    CHECK(!BE.alloc(hw, 100, &old));
    void *m = module(hw, "image"), *k = BE.module_kernel(hw, m, kernel),
         *fill = BE.module_kernel(hw, m, "fill");
    CHECK(launch(hw, k, 1, 1, NULL, 0, cancel, &r) == want);
    CHECK(r.finding_count == 1 && r.findings[0].kind == finding);
    CHECK_CONTAINS(said(&r.findings[0].said), kernel);
    sim_result_free(&r);
    CHECK(BE.generation(hw) == before + 1);
    unsigned back = 0;
    CHECK(BE.read(hw, &back, old, 4) == SIM_BAD_ADDRESS);
    CHECK(!BE.alloc(hw, 100, &now) && now != old);
    CHECK(BE.write(hw, old, &back, 4) == SIM_BAD_ADDRESS);
    CHECK(BE.copy(hw, old, now, 4, NULL) == SIM_BAD_ADDRESS);
    CHECK(BE.copy(hw, now, old, 4, NULL) == SIM_BAD_ADDRESS);
    CHECK(BE.fill(hw, old, 0, 1, 4, NULL) == SIM_BAD_ADDRESS);
    CHECK(!BE.fill(hw, old, 0, 1, 0, NULL)); /* of nothing */
    CHECK(!BE.release(hw, old));             /* frees nothing */
    CHECK(!BE.write(hw, now, &(unsigned){5}, 4) && !BE.read(hw, &back, now, 4) && back == 5);
    struct {
        uint64_t to;
        unsigned value;
    } p = {now, 9};
    CHECK(launch(hw, fill, 1, 1, &p, 12, NULL, &r) == SIM_TRAP); /* a kernel of the old context */
    CHECK(BE.kernel_carveout(hw, fill, 30) == SIM_TRAP);
    BE.module_free(hw, m);
    m = module(hw, "image");
    CHECK(m && !launch(hw, BE.module_kernel(hw, m, "fill"), 1, 1, &p, 12, NULL, &r));
    CHECK(!BE.read(hw, &back, now, 4) && back == 9);
    BE.module_free(hw, m);
    CHECK(!BE.release(hw, now));
}

/* The profile lives as long as the device. */
static void test_profile(void) {
    /* 256 MiB read and written in the time of 256 MiB at 100 GB/s */
    CHECK_NEAR(profile->dram_gbs * profile->dram_efficiency, 200, 1);
    CHECK_NEAR(profile->launch_gap_us, 1, 0.01);
    CHECK_NEAR(profile->kernel_us, 10, 0.01);
    CHECK(profile->sms == 40 && profile->cc_major == 7 && profile->cc_minor == 5 &&
          profile->shared_block_optin == 65536);
    CHECK_STR(profile->marketing, "Stub T4");
    /* What the driver says of the machine stands in the profile; what it does not is a T4's. */
    CHECK_INT(profile->max_threads_block, 512);
    CHECK_INT(profile->max_threads_sm, 768);
    CHECK_INT(profile->max_blocks_sm, 12);
    CHECK_INT(profile->registers_sm, 32768);
    CHECK_INT(profile->bus_bits, 128);
    CHECK_INT(profile->l2_bytes, 1 << 20);
    CHECK_INT(profile->shared_sm, 60000);
    CHECK_INT(profile->shared_block, 49152);
    CHECK_INT(profile->shared_reserved, 1024);
    CHECK_INT(profile->memory_bytes, 1 << 30);
    CHECK_NEAR(profile->clock_ghz, 1.5, 1e-9);
    CHECK_NEAR(profile->memory_clock_ghz, 4, 1e-9);
    CHECK_INT(profile->bank_lanes, 32);
}

static void test_measured(void) {
    char name[5000];
    snprintf(name, sizeof name, "%s/gpu-GPU-00010203-0405-0607-0809-0a0b0c0d0e0f-CUDA_13.0", cache);
    FILE *f = fopen(name, "r");
    CHECK(f != NULL); /* kept by UUID and driver */
    if (f) fclose(f);
    empty_log();
    void *hw = gpu();
    CHECK(hw && calls("cuLaunchKernel") == 0); /* not measured again */
    dev_backend_gpu.close(hw);
    f = fopen(name, "w"); /* a file that makes no sense is not believed */
    fprintf(f, "copy_gbs nan\n");
    fclose(f);
    hw = gpu();
    CHECK(hw && calls("cuLaunchKernel") > 0);
    test_profile();
    dev_backend_gpu.close(hw);
}

/* While one session has the GPU, another waits; it can be called off. */
static void test_turn(void) {
    static const volatile int stop = 1;
    dev_options o;
    lib_message msg = {0};
    const sim_profile *p;
    dev_options_default(&o);
    o.gpu_cache = cache, o.cancel = &stop;
    CHECK(!dev_gpu_open(0, 0, &o, &p, &msg));
    CHECK_STR(said(&msg), "cancelled while waiting for gpu:0");
}

static void test_refusals(void) {
    dev_options o;
    lib_message msg = {0};
    const sim_profile *p;
    dev_options_default(&o);
    CHECK(!dev_gpu_open(5, 0, &o, &p, &msg));
    CHECK_CONTAINS(said(&msg), "no GPU number 5");
    setenv("STUB_NO_DEVICE", "1", 1);
    CHECK(!dev_gpu_open(0, 0, &o, &p, &msg));
    CHECK_CONTAINS(said(&msg), "cuInit");
    unsetenv("STUB_NO_DEVICE");
    const char *set = getenv("WARPLAB_LIBCUDA");
    char *had = strdup(set ? set : "");
    setenv("WARPLAB_LIBCUDA", "/nowhere/libcuda.so.1", 1);
    CHECK(!dev_gpu_open(0, 0, &o, &p, &msg));
    CHECK_CONTAINS(said(&msg), "no NVIDIA driver");
    setenv("WARPLAB_LIBCUDA", had, 1);
    free(had);
    CHECK_STR(dev_gpu_nearest("NVIDIA H200", 90)->name, "h200");
    CHECK_STR(dev_gpu_nearest("Some T4", 75)->name, "t4");
    CHECK(dev_gpu_nearest("A later one", 121)->cc_major <= 12);
}

/* What a program hears of conditional nodes, which have not been tried on a GPU. */
static void test_conditional(void) {
    struct {
        wire_head head;
        uint64_t in[3];
    } ask[] = {{{.op = WIRE_OP_Hello, .scalars = 3}, {WIRE_VERSION, 1, 0}},
               {{.op = WIRE_OP_GraphCreate}, {0}},
               {{.op = WIRE_OP_cudaGraphConditionalHandleCreate, .scalars = 3}, {0, 1, 1}}};
    struct {
        wire_head head;
        uint64_t out[256];
    } reply = {0};
    dev_options o;
    lib_message msg = {0};
    int pair[2];
    dev_options_default(&o);
    o.device = "gpu:0", o.gpu_cache = cache;
    dev_session *s = dev_session_new(&o, &msg);
    CHECK(s && !socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
    dev_client *c = s ? dev_client_new(s, pair[0], &msg) : NULL;
    if (!c) return;
    for (unsigned i = 0; i < 3; i++) {
        ask[i].head.bytes = (uint32_t)sizeof(wire_head) + 8u * ask[i].head.scalars;
        if (i == 2) ask[i].in[0] = reply.out[1]; /* the graph */
        CHECK(send(pair[1], &ask[i], ask[i].head.bytes, 0) == ask[i].head.bytes);
        CHECK_INT(dev_client_run(c, 0.3, &msg), DEV_TIMEOUT);
        CHECK(recv(pair[1], &reply, sizeof reply, MSG_DONTWAIT) > (ssize_t)sizeof(wire_head) + 8);
        CHECK_INT(reply.head.op, ask[i].head.op);
        CHECK_INT(reply.out[0], i < 2 ? cudaSuccess : cudaErrorNotSupported);
    }
    const lib_message *const *lines;
    CHECK_INT(dev_client_unsupported(c, &lines), 1);
    CHECK_STR(
        said(lines[0]),
        "cudaGraphConditionalHandleCreate: conditional nodes of graphs are not supported on a GPU");
    dev_client_free(c);
    close(pair[1]);
    dev_session_free(s);
}

int main(int argc, char **argv) {
    (void)argc;
    snprintf(folder, sizeof folder, "%s", argv[0]);
    char *slash = strrchr(folder, '/');
    if (slash) *slash = 0;
    char stub[4200], temporary[] = "/tmp/warplab-gpu-XXXXXX";
    snprintf(stub, sizeof stub, "%s/libcuda_stub.so", folder);
    CHECK(mkdtemp(temporary) != NULL);
    snprintf(log_path, sizeof log_path, "%s/log", temporary);
    snprintf(cache, sizeof cache, "%s/cache", temporary);
    setenv("WARPLAB_LIBCUDA", stub, 1);
    setenv("WARPLAB_LIBNVML", "/nowhere", 1);
    setenv("STUB_LOG", log_path, 1);
    empty_log();
    void *hw = gpu();
    CHECK(hw != NULL);
    if (!hw) return check_done();
    test_memory(hw);
    test_code(hw);
    test_loss(hw, "fault", SIM_ILLEGAL_ADDRESS, SIM_FIND_OOB, NULL);
    const volatile int stop = 1;
    test_loss(hw, "endless", SIM_CANCELLED, SIM_FIND_BUDGET, &stop);
    test_loss(hw, "dies", SIM_TRAP, SIM_FIND_TRAP, NULL);
    test_profile();
    test_turn();
    BE.close(hw);
    test_measured(); /* opens it again: one at a time holds a GPU */
    test_conditional();
    test_refusals();
    const char *const remove[] = {"rm", "-r", temporary, NULL};
    pid_t pid;
    CHECK_INT(posix_spawnp(&pid, "rm", NULL, NULL, (char *const *)(uintptr_t)remove, environ), 0);
    waitpid(pid, NULL, 0);
    return check_done();
}
