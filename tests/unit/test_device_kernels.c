/* Kernels by name, what a launch may ask for, and occupancy, asked directly. Expected: the
 * Programming Guide ("Technical Specifications per Compute Capability", "Thread Block Clusters",
 * "Cooperative Groups"), the runtime's reference ("Execution Control", "Occupancy"), and for a T4
 * (7.5) and an H200 (9.0) their 40 and 132 multiprocessors. */
#include "runner/device/server/core/client.h"
#include "calls_fixture.h"
#include "fatbin_fixture.h"

#include "runner/device/sim/profile.h"

enum { BAD = cudaErrorInvalidValue, STATIC = 48, CAP = 48 << 10 };
enum { SIZE = cudaErrorInvalidClusterSize, NOT = cudaErrorNotSupported };

static const char text[] = ".version 7.8\n.target sm_75\n.address_size 64\n"
                           ".global .align 8 .b8 known[24];\n"
                           ".visible .entry plain(.param .u64 p, .param .u32 n) {\n"
                           ".shared .align 4 .b8 s[48]; .reg .b32 %r<4>; .reg .b64 %rd<4>;\n"
                           "ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n];\n"
                           "st.shared.u32 [s], %r1; ld.shared.u32 %r2, [s];\n"
                           "st.global.u32 [%rd1], %r2; ret;\n}\n"
                           ".visible .entry bound() .maxntid 128, 1, 1 { ret; }\n"
                           ".visible .entry fixed() .reqntid 32, 2, 1 { ret; }\n";

static uint64_t module;
static void start(const char *device) {
    size_t bytes;
    fatbin_file *f = fatbin_of(text, sizeof text, &bytes);
    struct wire_out_ModuleBegin m = {0};
    struct wire_out_ModuleData data;
    struct wire_out_ModuleLoad loaded;
    CHECK(begin_on(device));
    CHECK_INT(CALL(ModuleBegin, &m, {bytes}), 0);
    module = m.module;
    spans(f, bytes, NULL, 0);
    CHECK_INT(CALL(ModuleData, &data, {module}), 0);
    free(f);
    CHECK_INT(CALL(ModuleLoad, &loaded, {module}), 0);
}
static cudaError_t get(const char *name, wire_kernel *w) {
    struct wire_out_KernelGet none;
    spans(name, strlen(name), NULL, 0);
    cudaError_t e = CALL(KernelGet, &none, {module});
    if (!e && CHECK(k.outs == 3 && k.out[0].bytes == sizeof *w))
        memcpy(w, k.out[0].data, sizeof *w);
    return e;
}
static uint64_t kernel(const char *name) {
    wire_kernel w = {0};
    CHECK_INT(get(name, &w), 0);
    return w.handle;
}

static void test_names(void) {
    wire_kernel w = {0}, again = {0};
    struct wire_out_SymbolGet symbol = {0}, same = {0};
    struct wire_out_KernelGet none;
    struct wire_out_ModuleUnload unloaded;
    start("sim:t4");
    CHECK_INT(get("plain", &w), 0);
    CHECK(w.param_count == 2 && w.param_bytes == 12);
    CHECK(w.static_shared == STATIC && w.max_dynamic_shared == CAP - STATIC);
    CHECK(w.max_threads == 1024 && w.declared_threads == 1024 && !w.clusters);
    static const uint32_t block[3] = {1024, 1024, 64}, grid[3] = {0x7fffffff, 65535, 65535};
    CHECK(!memcmp(w.max_block, block, sizeof block) && !memcmp(w.max_grid, grid, sizeof grid));
    CHECK(!w.reqntid[0] && !w.reqntid[1] && !w.reqntid[2]);
    static const uint32_t pairs[4] = {0, 8, 8, 4}; /* where each parameter lies, and its bytes */
    CHECK(k.out[1].bytes == sizeof pairs && !memcmp(k.out[1].data, pairs, sizeof pairs));
    CHECK(k.out[2].bytes == 5 && !memcmp(k.out[2].data, "plain", 5));
    CHECK_INT(get("plain", &again), 0);
    CHECK_INT(again.handle, w.handle);
    CHECK_INT(get("bound", &again), 0);
    CHECK(again.handle != w.handle && again.max_threads == 128 && again.declared_threads == 128);
    CHECK(!again.param_count && !again.param_bytes && !k.out[1].bytes);
    CHECK_INT(get("fixed", &again), 0);
    CHECK(again.reqntid[0] == 32 && again.reqntid[1] == 2 && again.reqntid[2] == 1);
    CHECK_INT(get("plai", &again), cudaErrorInvalidDeviceFunction);
    CHECK_INT(get("plainn", &again), cudaErrorInvalidDeviceFunction);
    CHECK_INT(get("known", &again), cudaErrorInvalidDeviceFunction);
    spans("pl\0in", 5, NULL, 0);
    CHECK_INT(CALL(KernelGet, &none, {module}), cudaErrorInvalidResourceHandle);
    spans("plain", 5, NULL, 0);
    CHECK_INT(CALL(KernelGet, &none, {77}), cudaErrorInvalidResourceHandle);
    /* A name of 4095 bytes is looked for, a longer one is none. */
    static char longest[4096];
    memset(longest, 'x', sizeof longest);
    spans(longest, 4095, NULL, 0);
    CHECK_INT(CALL(KernelGet, &none, {module}), cudaErrorInvalidDeviceFunction);
    spans(longest, 4096, NULL, 0);
    CHECK_INT(CALL(KernelGet, &none, {module}), cudaErrorInvalidResourceHandle);
    /* Variables. */
    spans("known", 5, NULL, 0);
    CHECK_INT(CALL(SymbolGet, &symbol, {module}), 0);
    CHECK(symbol.bytes == 24 && symbol.address >= DEV_ADDRESS_LOW);
    const dev_mem *m = dev_mem_find(c, symbol.address);
    CHECK(m && m->base == symbol.address && m->bytes == 24 && m->kind == DEV_MEM_SYMBOL);
    size_t count = c->memory.count;
    CHECK_INT(CALL(SymbolGet, &same, {module}), 0);
    CHECK(same.address == symbol.address && c->memory.count == count);
    CHECK_INT(CALL(SymbolGet, &same, {77}), cudaErrorInvalidSymbol);
    spans("plain", 5, NULL, 0);
    CHECK_INT(CALL(SymbolGet, &same, {module}), cudaErrorInvalidSymbol);
    CHECK_INT(CALL(ModuleUnload, &unloaded, {77}), cudaErrorInvalidResourceHandle);
    uint64_t held = c->budget.held, bytes = c->code.bytes;
    CHECK_INT(CALL(ModuleUnload, &unloaded, {module}), 0);
    CHECK_INT(c->code.bytes, 0);
    CHECK_INT(held - c->budget.held, bytes + 32 + 1024); /* its bytes, and a handle */
    CHECK_INT(CALL(ModuleUnload, &unloaded, {module}), cudaErrorInvalidResourceHandle);
    end();
}

/* ---- what a launch may ask for */

static cudaError_t check(wire_launch l, size_t param_bytes) {
    dev_kernel *x = NULL;
    cudaError_t e = dev_launch_check(c, 0, &l, param_bytes, &x);
    CHECK(!e == (x != NULL));
    return e;
}

static void test_shapes(void) {
    static const struct {
        uint32_t grid[3], block[3];
        cudaError_t error;
    } rows[] = {
        {{1, 1, 1}, {1, 1, 1}, 0},
        {{0, 1, 1}, {1, 1, 1}, BAD},
        {{1, 0, 1}, {1, 1, 1}, BAD},
        {{1, 1, 0}, {1, 1, 1}, BAD},
        {{1, 1, 1}, {0, 1, 1}, BAD},
        {{1, 1, 1}, {1, 0, 1}, BAD},
        {{1, 1, 1}, {1, 1, 0}, BAD},
        {{0x7fffffff, 1, 1}, {1, 1, 1}, 0},
        {{0x80000000, 1, 1}, {1, 1, 1}, BAD},
        {{1, 65535, 1}, {1, 1, 1}, 0},
        {{1, 65536, 1}, {1, 1, 1}, BAD},
        {{1, 1, 65535}, {1, 1, 1}, 0},
        {{1, 1, 65536}, {1, 1, 1}, BAD},
        {{1, 1, 1}, {1024, 1, 1}, 0},
        {{1, 1, 1}, {1025, 1, 1}, BAD},
        {{1, 1, 1}, {1, 1024, 1}, 0},
        {{1, 1, 1}, {1, 1025, 1}, BAD},
        {{1, 1, 1}, {1, 1, 64}, 0},
        {{1, 1, 1}, {1, 1, 65}, BAD},
        {{1, 1, 1}, {32, 32, 1}, 0},
        {{1, 1, 1}, {4, 4, 64}, 0},
        {{1, 1, 1}, {32, 33, 1}, BAD},
        {{1, 1, 1}, {5, 4, 64}, BAD},
    };
    start("sim:t4");
    wire_launch l = {.kernel = kernel("plain"), .param_bytes = 12};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        printf("# shape %zu\n", i);
        memcpy(l.grid, rows[i].grid, sizeof l.grid);
        memcpy(l.block, rows[i].block, sizeof l.block);
        CHECK_INT(check(l, 12), rows[i].error);
    }
    l = (wire_launch){l.kernel, {1, 1, 1}, {32, 1, 1}, .param_bytes = 12};
    CHECK_INT(check(l, 11), BAD);
    CHECK_INT(check(l, 13), BAD);
    l.param_bytes = 13;
    CHECK_INT(check(l, 12), BAD);
    CHECK_INT(check(l, 13), BAD);
    l.param_bytes = 12, l.shared = CAP - STATIC;
    CHECK_INT(check(l, 12), 0);
    l.shared++;
    CHECK_INT(check(l, 12), BAD);
    /* All of a cooperative launch is there at once: 1024 threads on each of 40 multiprocessors. */
    static const struct {
        uint32_t grid[3], threads;
        cudaError_t error;
    } together[] = {{{40, 1, 1}, 1024, 0}, {{41, 1, 1}, 1024, cudaErrorCooperativeLaunchTooLarge},
                    {{5, 4, 2}, 1024, 0},  {{7, 3, 2}, 1024, cudaErrorCooperativeLaunchTooLarge},
                    {{160, 1, 1}, 256, 0}, {{161, 1, 1}, 256, cudaErrorCooperativeLaunchTooLarge}};
    l.shared = 0;
    for (size_t i = 0; i < sizeof together / sizeof *together; i++) {
        memcpy(l.grid, together[i].grid, sizeof l.grid);
        l.block[0] = together[i].threads, l.cooperative = 1;
        CHECK_INT(check(l, 12), together[i].error);
        l.cooperative = 0;
        CHECK_INT(check(l, 12), 0);
    }
    /* A carve-out is a percentage; the kernel's own preference, none here, says what may be
     * cooperative. */
    l.grid[0] = 40, l.grid[1] = l.grid[2] = 1, l.block[0] = 1024, l.cooperative = 1;
    for (unsigned percent = 0; percent <= 101; percent++) {
        l.has_carveout = 1, l.carveout = percent;
        CHECK_INT(check(l, 12), percent > 100 ? BAD : 0);
        l.has_carveout = 0;
        CHECK_INT(check(l, 12), 0);
    }
    l.has_carveout = 1, l.carveout = UINT32_MAX;
    CHECK_INT(check(l, 12), BAD);
    l.has_carveout = l.carveout = 0, l.cooperative = 0;
    wire_launch b = {kernel("bound"), {1, 1, 1}, {128, 1, 1}, .param_bytes = 0};
    CHECK_INT(check(b, 0), 0);
    b.block[0] = 129;
    CHECK_INT(check(b, 0), BAD);
    b.block[0] = 1, b.kernel += 77;
    CHECK_INT(check(b, 0), cudaErrorInvalidResourceHandle);
    /* A call has its price, and the record its shape. */
    struct wire_out_Launch none;
    const dev_record *r;
    uint8_t params[12] = {0};
    uint64_t at = 0;
    CHECK_INT(dev_mem_allocate(c, 0, 4, DEV_MEM_DEVICE, 0, &at), 0);
    memcpy(params, &at, 8);
    params[8] = 9;
    l = (wire_launch){l.kernel, {2, 1, 3}, {4, 2, 1}, .shared = 16, .param_bytes = 12};
    spans(&l, sizeof l - 1, params, 12);
    CHECK_INT(CALL(Launch, &none, {0}), BAD);
    spans(&l, sizeof l, params, 11);
    CHECK_INT(CALL(Launch, &none, {0}), BAD);
    spans(&l, sizeof l, params, 12);
    CHECK_INT(CALL(Launch, &none, {77}), cudaErrorInvalidResourceHandle);
    double t = *dev_clock(c, 0);
    size_t before = dev_client_log(c, &r);
    CHECK_INT(CALL(Launch, &none, {0}), 0);
    CHECK_NEAR(*dev_clock(c, 0) - t, session->device[0].profile->launch_us, 1e-9);
    CHECK_INT(dev_client_log(c, &r), before + 1);
    r += before;
    CHECK(r->op == DEV_OP_LAUNCH && !r->status && r->dynamic_shared == 16 && !r->in_graph);
    CHECK(!memcmp(r->grid, l.grid, sizeof l.grid) && !memcmp(r->block, l.block, sizeof l.block));
    CHECK_STR(r->kernel, "plain");
    CHECK(r->info && r->result && r->result->time_us > 0);
    uint32_t made = 0;
    CHECK_INT(dev_read(session, &made, at, 4), 0);
    CHECK_INT(made, 9);
    end();
}

/* Clusters: portable ones have eight blocks at most, others sixteen; the grid is a multiple of
 * them. */
static void test_clusters(void) {
    static const struct {
        uint32_t grid[3], cluster[3];
        cudaError_t error, large;
    } rows[] = {
        {{3, 1, 1}, {0, 0, 0}, 0, 0},         {{3, 1, 1}, {1, 1, 1}, 0, 0},
        {{4, 1, 1}, {2, 1, 1}, 0, 0},         {{3, 1, 1}, {2, 1, 1}, SIZE, SIZE},
        {{1, 4, 1}, {1, 2, 1}, 0, 0},         {{1, 3, 1}, {1, 2, 1}, SIZE, SIZE},
        {{1, 1, 3}, {1, 1, 2}, SIZE, SIZE},   {{4, 4, 4}, {2, 0, 1}, BAD, BAD},
        {{4, 4, 4}, {0, 1, 1}, BAD, BAD},     {{4, 4, 4}, {1, 1, 0}, BAD, BAD},
        {{8, 1, 1}, {8, 1, 1}, 0, 0},         {{9, 1, 1}, {9, 1, 1}, SIZE, 0},
        {{2, 2, 2}, {2, 2, 2}, 0, 0},         {{3, 3, 1}, {3, 3, 1}, SIZE, 0},
        {{16, 1, 1}, {16, 1, 1}, SIZE, 0},    {{1, 17, 1}, {1, 17, 1}, SIZE, SIZE},
        {{17, 1, 1}, {17, 1, 1}, SIZE, SIZE}, {{4, 4, 1}, {4, 4, 1}, SIZE, 0},
        {{6, 3, 1}, {6, 3, 1}, SIZE, SIZE},
    };
    struct wire_out_FuncSetAttribute set;
    struct wire_out_OccupancyClusters fit = {0};
    start("sim:h200");
    wire_launch l = {.kernel = kernel("plain"), .block = {32, 1, 1}, .param_bytes = 12};
    for (int large = 0; large < 2; large++) {
        CHECK_INT(CALL(FuncSetAttribute, &set,
                       {l.kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, (uint64_t)large}),
                  0);
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            printf("# cluster %zu\n", i);
            memcpy(l.grid, rows[i].grid, sizeof l.grid);
            memcpy(l.cluster, rows[i].cluster, sizeof l.cluster);
            CHECK_INT(check(l, 12), large ? rows[i].large : rows[i].error);
        }
        /* The largest, of a block that fits and of one that does not. */
        spans(&l, sizeof l, NULL, 0);
        CHECK_INT(CALL(OccupancyClusters, &fit, {l.kernel, 1}), 0);
        CHECK_INT(fit.answer, large ? 16 : 8);
        wire_launch none = l;
        none.shared = 300 << 10;
        spans(&none, sizeof none, NULL, 0);
        CHECK_INT(CALL(OccupancyClusters, &fit, {l.kernel, 1}), 0);
        CHECK_INT(fit.answer, 0);
    }
    /* 66 pairs of multiprocessors in eight groups: seven in two, eight in two, nine in four, so
     * that 30 clusters of four have multiprocessors of their own, as on an H200
     * (tests/truth/rare.cu). Of 1024 threads two blocks are on each multiprocessor, of 512 four.
     * */
    static const struct {
        uint32_t threads[3], cluster[3];
        cudaError_t error;
        int answer;
    } counts[] = {
        {{1024, 1, 1}, {1, 1, 1}, 0, 264},
        {{1024, 1, 1}, {2, 1, 1}, 0, 132},
        {{1024, 1, 1}, {8, 1, 1}, 0, 2 * 3 + 2 * 4 + 4 * 4},
        {{1024, 1, 1}, {5, 1, 1}, 0, 2 * 5 + 2 * 6 + 4 * 7},
        {{8, 8, 8}, {8, 1, 1}, 0, 2 * 7 + 2 * 8 + 4 * 9},
        {{1024, 1, 1}, {3, 2, 2}, 0, 2 * 2 + 2 * 2 + 4 * 3}, /* large ones are allowed still */
        {{1024, 1, 1}, {0, 0, 0}, BAD, 0},
        {{1024, 1, 1}, {2, 0, 1}, BAD, 0},
        {{1024, 1, 1}, {17, 1, 1}, SIZE, 0},
        {{0, 1, 1}, {1, 1, 1}, BAD, 0},
        {{1025, 1, 1}, {1, 1, 1}, BAD, 0},
    };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        printf("# clusters at once %zu\n", i);
        memcpy(l.block, counts[i].threads, sizeof l.block);
        memcpy(l.cluster, counts[i].cluster, sizeof l.cluster);
        spans(&l, sizeof l, NULL, 0);
        CHECK_INT(CALL(OccupancyClusters, &fit, {l.kernel, 0}), counts[i].error);
        if (!counts[i].error) CHECK_INT(fit.answer, counts[i].answer);
    }
    spans(&l, sizeof l - 1, NULL, 0);
    CHECK_INT(CALL(OccupancyClusters, &fit, {l.kernel, 0}), BAD);
    CHECK_INT(CALL(OccupancyClusters, &fit, {77, 0}), cudaErrorInvalidDeviceFunction);
    /* What a kernel has where a launch asks for none. */
    for (unsigned i = 0; i < 3; i++)
        CHECK_INT(CALL(FuncSetAttribute, &set,
                       {l.kernel, cudaFuncAttributeRequiredClusterWidth + i, i == 1 ? 2 : 1}),
                  0);
    l = (wire_launch){l.kernel, {1, 3, 1}, {32, 1, 1}, .param_bytes = 12};
    CHECK_INT(check(l, 12), SIZE);
    l.grid[1] = 4;
    CHECK_INT(check(l, 12), 0);
    l.grid[1] = 3, l.cluster[0] = l.cluster[1] = l.cluster[2] = 1;
    CHECK_INT(check(l, 12), 0); /* its own wish counts */
    end();
    /* Before 9.0 there are none, but of one block. */
    start("sim:t4");
    l.kernel = kernel("plain");
    CHECK_INT(check(l, 12), 0);
    l.cluster[0] = 2, l.grid[0] = 2;
    CHECK_INT(check(l, 12), NOT);
    spans(&l, sizeof l, NULL, 0);
    CHECK_INT(CALL(OccupancyClusters, &fit, {l.kernel, 1}), NOT);
    end();
}

/* ---- attributes, and occupancy */

static void test_attributes(void) {
    enum { MOST = 64 << 10 }; /* shared memory of a block of a T4 at most */
    static const struct {
        int attr, value;
        cudaError_t error;
        uint64_t dynamic; /* then */
    } rows[] = {
        {cudaFuncAttributeMaxDynamicSharedMemorySize, -1, BAD, CAP - STATIC},
        {cudaFuncAttributeMaxDynamicSharedMemorySize, 0, 0, 0},
        {cudaFuncAttributeMaxDynamicSharedMemorySize, MOST - STATIC, 0, MOST - STATIC},
        {cudaFuncAttributeMaxDynamicSharedMemorySize, MOST - STATIC + 1, BAD, MOST - STATIC},
        {cudaFuncAttributePreferredSharedMemoryCarveout, -2, BAD, 0},
        {cudaFuncAttributePreferredSharedMemoryCarveout, -1, 0, MOST - STATIC},
        {cudaFuncAttributePreferredSharedMemoryCarveout, 101, BAD, 0},
        {cudaFuncAttributePreferredSharedMemoryCarveout, 100, 0, MOST - STATIC},
        {cudaFuncAttributeRequiredClusterWidth, -1, BAD, 0},
        {cudaFuncAttributeRequiredClusterWidth, 3, 0, MOST - STATIC},
        {cudaFuncAttributeRequiredClusterHeight, 4, 0, MOST - STATIC},
        {cudaFuncAttributeRequiredClusterDepth, 5, 0, MOST - STATIC},
        {cudaFuncAttributeClusterSchedulingPolicyPreference, 1, 0, MOST - STATIC},
        {cudaFuncAttributeMaxDynamicSharedMemorySize - 1, 0, BAD, 0},
        {99, 0, BAD, 0},
    };
    struct wire_out_FuncSetAttribute set;
    struct wire_out_FuncGetAttributes none;
    struct cudaFuncAttributes a;
    start("sim:t4");
    const uint64_t f = kernel("plain");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        printf("# attribute %d\n", rows[i].attr);
        set = (struct wire_out_FuncSetAttribute){.max_dynamic = 77};
        CHECK_INT(
            CALL(FuncSetAttribute, &set, {f, (uint64_t)rows[i].attr, (uint64_t)rows[i].value}),
            rows[i].error);
        if (rows[i].dynamic || !rows[i].error) CHECK_INT(set.max_dynamic, rows[i].dynamic);
    }
    CHECK_INT(CALL(FuncSetAttribute, &set, {77, 8, 0}), cudaErrorInvalidDeviceFunction);
    CHECK_INT(CALL(FuncGetAttributes, &none, {77}), cudaErrorInvalidDeviceFunction);
    spans(NULL, 0, NULL, 0);
    CHECK_INT(CALL(FuncGetAttributes, &none, {f}), 0);
    if (!CHECK(k.outs == 1 && k.out[0].bytes == sizeof a)) return;
    memcpy(&a, k.out[0].data, sizeof a);
    CHECK(a.sharedSizeBytes == STATIC && !a.constSizeBytes && !a.localSizeBytes);
    CHECK(a.maxThreadsPerBlock == 1024 && a.numRegs > 0 && a.numRegs <= 64);
    CHECK(a.ptxVersion == 75 && a.binaryVersion == 75);
    CHECK(a.maxDynamicSharedSizeBytes == MOST - STATIC && a.preferredShmemCarveout == 100);
    CHECK(!a.clusterDimMustBeSet && !a.nonPortableClusterSizeAllowed);
    CHECK(a.requiredClusterWidth == 3 && a.requiredClusterHeight == 4 &&
          a.requiredClusterDepth == 5);
    end();
}

static void test_occupancy(void) {
    /* A T4's multiprocessor: 1024 threads, 16 blocks, 64 KB of shared memory. */
    static const struct {
        int threads;
        uint64_t shared, flags;
        cudaError_t error;
        int blocks;
    } rows[] = {{1024, 0, 0, 0, 1},
                {512, 0, 1, 0, 2},
                {513, 0, 0, 0, 1},
                {256, 0, 0, 0, 4},
                {32, 0, 0, 0, 16},
                {1, 0, 0, 0, 16},
                {0, 0, 0, BAD, 0},
                {-1, 0, 0, BAD, 0},
                {1025, 0, 0, 0, 0},
                {32, 0, 2, BAD, 0},
                {32, CAP - STATIC, 0, 0, 1},
                {32, CAP - STATIC + 1, 0, 0, 0},
                {32, (32 << 10) - STATIC, 0, 0, 2},
                {32, (32 << 10) - STATIC + 1, 0, 0, 1}};
    struct wire_out_Occupancy o;
    struct wire_out_OccupancyShared most;
    start("sim:t4");
    const uint64_t f = kernel("plain");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        printf("# occupancy %zu\n", i);
        o = (struct wire_out_Occupancy){.blocks = 77};
        CHECK_INT(
            CALL(Occupancy, &o, {f, (uint64_t)rows[i].threads, rows[i].shared, rows[i].flags}),
            rows[i].error);
        if (!rows[i].error) CHECK_INT(o.blocks, rows[i].blocks);
    }
    CHECK_INT(CALL(Occupancy, &o, {77, 32, 0, 0}), cudaErrorInvalidDeviceFunction);
    static const struct {
        int blocks, threads;
        cudaError_t error;
        uint64_t bytes;
    } shared[] = {{1, 256, 0, CAP - STATIC},
                  {2, 256, 0, (32 << 10) - STATIC},
                  {4, 256, 0, (16 << 10) - STATIC},
                  {5, 256, BAD, 0},
                  {0, 256, BAD, 0},
                  {-1, 256, BAD, 0},
                  {1, 0, BAD, 0},
                  {16, 32, 0, (4 << 10) - STATIC},
                  {17, 32, BAD, 0},
                  {1, 1025, BAD, 0}};
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++) {
        printf("# shared memory %zu\n", i);
        CHECK_INT(CALL(OccupancyShared, &most,
                       {f, (uint64_t)shared[i].blocks, (uint64_t)shared[i].threads}),
                  shared[i].error);
        if (!shared[i].error) CHECK_INT(most.bytes, shared[i].bytes);
    }
    CHECK_INT(CALL(OccupancyShared, &most, {77, 1, 32}), cudaErrorInvalidDeviceFunction);
    end();
}

int main(void) {
    test_names();
    test_shapes();
    test_clusters();
    test_attributes();
    test_occupancy();
    return check_done();
}
