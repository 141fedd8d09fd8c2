/* The device server with our own client library in a child process: calls of a lab's function, the
 * log, replay, findings, limits. */
#include "runner/base/message.h"
#include "device_fixture.h"

#include "runner/device/cudart/glue.h"
#include "tests/said.h"

/* ---- a program: memory, copies, kernels, errors */

static int program(void) {
    float *d, h[101] = {0}, g[100];
    int n = 100;
    float v = 2.5f;
    for (int i = 0; i < 100; i++) h[i] = (float)i;
    MUST(cuda(cudaMalloc, &d, 400ul) == 0);
    MUST(cuda(cudaMemcpy, d, h, 400ul, 1) == 0);
    MUST(launch(kernel("add"), 4, 32, (void *[]){&d, &v, &n}, NULL) == 0);
    MUST(cuda(cudaGetLastError) == 0);
    MUST(cuda(cudaMemcpy, g, d, 400ul, 2) == 0);
    for (int i = 0; i < 100; i++) MUST(g[i] == h[i] + 2.5f);
    /* larger than the window */
    size_t big = 20 << 20;
    char *a = malloc(big), *b = calloc(1, big), *p;
    for (size_t i = 0; i < big; i++) a[i] = (char)(i * 7 + i / 4096);
    MUST(cuda(cudaMalloc, &p, big) == 0);
    MUST(cuda(cudaMemcpy, p, a, big, 1) == 0);
    MUST(cuda(cudaMemcpy, b, p, big, 2) == 0);
    MUST(!memcmp(a, b, big));
    MUST(cuda(cudaFree, p) == 0);
    MUST(cuda(cudaFree, p) == cudaErrorInvalidValue); /* again */
    MUST(cuda(cudaMemcpy, d, h, 404ul, 1) == cudaErrorInvalidValue);
    MUST(cuda(cudaGetLastError) == cudaErrorInvalidValue);
    /* page-locked memory is seen at one address by both */
    float *pin;
    MUST(cuda(cudaMallocHost, &pin, 400ul) == 0);
    memcpy(pin, h, 400);
    MUST(launch(kernel("add"), 4, 32, (void *[]){&pin, &v, &n}, NULL) == 0);
    MUST(cuda(cudaDeviceSynchronize) == 0);
    for (int i = 0; i < 100; i++) MUST(pin[i] == h[i] + 2.5f);
    MUST(cuda(cudaFreeHost, pin) == 0);
    return 0;
}

/* The thread sanitizer lets nothing be mapped at the device's addresses, and takes SIGSEGV for
 * itself. */
#ifdef __SANITIZE_THREAD__
enum { PINNED = 0 };
#else
enum { PINNED = 1 };
#endif

static void test_program(void) {
    if (!PINNED) {
        puts("skip a program with page-locked memory (not under the thread sanitizer)");
        return;
    }
    dev_session *s = session(NULL);
    dev_client *c = NULL;
    lib_message msg;
    if (!s) return;
    CHECK_INT(dev_session_devices(s), 1);
    CHECK_STR(dev_session_name(s, 0), "sim:h200");
    pid_t pid = start(s, program, &c);
    CHECK_INT(dev_client_run(c, 30, &msg), DEV_CLOSED);
    CHECK_INT(finish(pid), 0);
    const dev_record *r;
    fixture_log(c);
    size_t n = dev_client_log(c, &r), launches = 0, h2d = 0, d2h = 0;
    double last = 0;
    for (size_t i = 0; i < n; i++) {
        launches += r[i].op == DEV_OP_LAUNCH, h2d += r[i].op == DEV_OP_H2D,
            d2h += r[i].op == DEV_OP_D2H;
        CHECK(r[i].end_us >= r[i].start_us && r[i].end_us >= last);
        last = r[i].end_us;
        if (r[i].op == DEV_OP_LAUNCH) {
            CHECK_INT(r[i].grid[0], 4);
            CHECK_INT(r[i].block[0], 32);
            CHECK_CONTAINS(r[i].kernel, "add");
            CHECK(r[i].result != NULL && r[i].info != NULL);
            CHECK_INT(r[i].result->counters.gst_requests, 4);
        }
    }
    CHECK_INT(launches, 2);
    CHECK_INT(h2d, 2);
    CHECK_INT(d2h, 2);
    /* 20 MiB at the profile's pageable rates, 7.6 and 13.9 GB/s, are 2760 and 1509 us */
    CHECK(dev_client_busy_us(c) > 4200 && dev_client_busy_us(c) < 4500);
    CHECK(dev_client_elapsed_us(c) >= dev_client_busy_us(c));
    const sim_finding *f;
    n = dev_client_findings(c, &f);
    CHECK_INT(n, 3); /* p is freed twice, a copy is too long, d is never freed */
    if (n == 3) {
        CHECK_INT(f[0].kind, SIM_FIND_CALL);
        CHECK_CONTAINS(said(&f[0].said), "cudaFree failed with cudaErrorInvalidValue");
        CHECK_CONTAINS(said(&f[1].said), "cudaMemcpy failed with cudaErrorInvalidValue");
        CHECK_INT(f[2].kind, SIM_FIND_LEAK);
    }
    dev_client_free(c);
    dev_session_free(s);
}

/* What a fill and a copy on the device touch: whole sectors of 32 bytes. */
static int fills(void) {
    char *p, *q, h[8];
    MUST(cuda(cudaMalloc, &p, 4096ul) == 0 && cuda(cudaMalloc, &q, 4096ul) == 0);
    MUST(cuda(cudaMemset, p, 7, 1001ul) == 0);
    MUST(cuda(cudaMemcpy, q, p, 65ul, 3) == 0);
    MUST(cuda(cudaMemcpy, q, p, 66ul, 1) == 0); /* says that p is the host's */
    MUST(cuda(cudaMemcpy, h, p, 8ul, 0) == 0 && cuda(cudaMemcpy, h, p, 7ul, 2) == 0);
    MUST(cuda(cudaFree, p) == 0 && cuda(cudaFree, q) == 0);
    return 0;
}

static void test_fills(void) {
    dev_session *s = session(NULL);
    dev_client *c = NULL;
    lib_message msg;
    const dev_record *r;
    if (!s) return;
    pid_t pid = start(s, fills, &c);
    CHECK_INT(dev_client_run(c, 30, &msg), DEV_CLOSED);
    CHECK_INT(finish(pid), 0);
    size_t n = dev_client_log(c, &r), seen = 0;
    for (size_t i = 0; i < n; i++) {
        if (r[i].op == DEV_OP_MEMSET) {
            CHECK_INT(r[i].read_sectors, 0);
            CHECK_INT(r[i].write_sectors, 32);
            seen++;
        } else if (r[i].op == DEV_OP_D2D) {
            CHECK_INT(r[i].read_sectors, 3);
            CHECK_INT(r[i].write_sectors, 3);
            CHECK(r[i].misdirected == (r[i].bytes == 66));
            seen++;
        } else if (r[i].op == DEV_OP_D2H) {
            CHECK(r[i].misdirected == (r[i].bytes == 8));
            seen++;
        }
    }
    CHECK_INT(seen, 5);
    dev_client_free(c);
    dev_session_free(s);
}

/* A kernel over 16 KB, cold, again, after a small memset elsewhere, and after one that L2 has no
 * room for. */
static int displaces(void) {
    enum { FLOATS = 4096 };
    char *p, *q;
    float v = 1;
    int n = FLOATS;
    const unsigned long set[] = {0, 0, 4096, 256ul << 20};
    MUST(cuda(cudaMalloc, &p, 4ul * FLOATS) == 0 && cuda(cudaMalloc, &q, 256ul << 20) == 0);
    MUST(cuda(cudaMemset, p, 0, 4ul * FLOATS) == 0);
    for (unsigned k = 0; k < sizeof set / sizeof *set; k++) {
        if (set[k]) MUST(cuda(cudaMemset, q, 0, set[k]) == 0);
        MUST(launch(kernel("add"), FLOATS / 128, 128, (void *[]){&p, &v, &n}, NULL) == 0);
    }
    return 0;
}

static void test_displaces(void) {
    static const uint64_t read[] = {16384, 0, 0, 16384};
    dev_session *s = session(NULL);
    dev_client *c = NULL;
    lib_message msg;
    const dev_record *r;
    if (!s) return;
    pid_t pid = start(s, displaces, &c);
    CHECK_INT(dev_client_run(c, 60, &msg), DEV_CLOSED);
    CHECK_INT(finish(pid), 0);
    size_t n = dev_client_log(c, &r), seen = 0;
    for (size_t i = 0; i < n; i++)
        if (r[i].result && seen < 4) CHECK_INT(r[i].result->counters.dram_read, read[seen++]);
    CHECK_INT(seen, 4);
    dev_client_free(c);
    dev_session_free(s);
}

/* ---- a lab's function, called */

static int lab(void) {
    uint64_t a[WARPLAB_MAX_ARGS];
    int calls = 0;
    int (*next)(uint64_t *, unsigned) =
        (int (*)(uint64_t *, unsigned))dlsym(library, "__warplab_next");
    MUST(next);
    while (next(a, WARPLAB_MAX_ARGS)) {
        float *p = (float *)a[0], v;
        int n = (int)a[1];
        double x;
        memcpy(&v, &a[2], 4);
        memcpy(&x, &a[3], 8);
        MUST(x == -1e300 && (int)a[4] == -7 && (int64_t)a[5] == -1234567890123);
        MUST(launch(kernel("add"), (unsigned)(n + 127) / 128, 128, (void *[]){&p, &v, &n}, NULL) ==
             0);
        if (a[6]) { /* a host buffer to fill */
            float *h = (float *)a[6];
            MUST(cuda(cudaMemcpy, h, p, (size_t)n * 4, 2) == 0);
            h[0] += 1;
        }
        calls++;
    }
    return calls;
}

static void test_calls(void) {
    dev_session *s = session(NULL);
    dev_client *c = NULL;
    lib_message msg;
    uint64_t p;
    float x[1000];
    if (!s) return;
    pid_t pid = start(s, lab, &c);
    CHECK_INT(dev_client_run(c, 10, &msg), DEV_READY);
    CHECK_INT(dev_alloc(s, sizeof x, "c", &p), SIM_OK);
    for (int i = 0; i < 1000; i++) x[i] = (float)i;
    dev_write(s, p, x, sizeof x);
    dev_arg a[] = {
        {.kind = DEV_ARG_PTR, .v.addr = p},   {.kind = DEV_ARG_I32, .v.i32 = 1000},
        {.kind = DEV_ARG_F32, .v.f32 = 0.5f}, {.kind = DEV_ARG_F64, .v.f64 = -1e300},
        {.kind = DEV_ARG_I32, .v.i32 = -7},   {.kind = DEV_ARG_I64, .v.i64 = -1234567890123},
        {.kind = DEV_ARG_U64, .v.u64 = 0}};
    dev_client_mark(c);
    CHECK_INT(dev_client_call(c, a, 7), SIM_OK);
    CHECK_INT(dev_client_run(c, 10, &msg), DEV_READY);
    const dev_record *r;
    CHECK_INT(dev_client_log(c, &r), 1);
    CHECK(!dev_client_read_back(c));
    CHECK_INT(dev_read(s, x, p, sizeof x), SIM_OK);
    CHECK(x[0] == 0.5f && x[999] == 999.5f);
    double first = dev_client_busy_us(c);
    CHECK(first > 0);

    /* replayed on fresh inputs: the same launch, new results, the same time */
    for (int i = 0; i < 1000; i++) x[i] = (float)(-i);
    dev_write(s, p, x, sizeof x);
    CHECK_INT(dev_client_replay(c), SIM_OK);
    CHECK_INT(dev_client_log(c, &r), 1);
    dev_read(s, x, p, sizeof x);
    CHECK(x[0] == 0.5f && x[999] == -998.5f);
    CHECK_NEAR(dev_client_busy_us(c), first, first * 0.5);
    CHECK(r[0].result && r[0].result->counters.gst_requests == 32); /* 1000 floats in warps of 32 */
    size_t lines_of_first = r[0].result ? r[0].result->line_count : 0;
    CHECK(lines_of_first > 0);
    for (int k = 0; k < 5; k++) { /* what one replay held the next one gives back */
        dev_write(s, p, x, sizeof x);
        CHECK_INT(dev_client_replay(c), SIM_OK);
        CHECK_INT(dev_client_log(c, &r), 1);
        CHECK_INT(r[0].result ? r[0].result->line_count : 0, lines_of_first);
    }
    for (int i = 0; i < 1000; i++) x[i] = (float)(-i);
    dev_write(s, p, x, sizeof x);
    CHECK_INT(dev_client_replay(c), SIM_OK);
    dev_read(s, x, p, sizeof x);

    /* a call that reads back last: the host saw, and gave nothing then; replayed, it leaves that
     * copy out */
    a[6] = (dev_arg){.kind = DEV_ARG_HOST, .bytes = sizeof x};
    dev_client_mark(c);
    CHECK_INT(dev_client_call(c, a, 7), SIM_OK);
    CHECK_INT(dev_client_run(c, 10, &msg), DEV_READY);
    CHECK(dev_client_read_back(c));
    dev_flow flow;
    dev_client_flow(c, &flow);
    CHECK(flow.complete && !flow.data && !flow.times);
    const float *h = dev_client_host(c, 6);
    dev_read(s, x, p, sizeof x);
    CHECK(h && h[0] == x[0] + 1 && h[999] == x[999]);
    CHECK_INT(dev_client_replay(c), SIM_OK);

    dev_client_finish(c);
    CHECK_INT(dev_client_run(c, 10, &msg), DEV_CLOSED);
    CHECK_INT(finish(pid), 2);
    dev_client_free(c);
    CHECK_INT(dev_free(s, p), SIM_OK);
    CHECK_INT(dev_free(s, p), SIM_BAD_ADDRESS);
    dev_session_free(s);
}

/* A kernel of a graph and then one beside it: a replay would know the second alone. */
static int lab_graph(void) {
    uint64_t a[WARPLAB_MAX_ARGS];
    int calls = 0;
    int (*next)(uint64_t *, unsigned) =
        (int (*)(uint64_t *, unsigned))dlsym(library, "__warplab_next");
    MUST(next);
    while (next(a, WARPLAB_MAX_ARGS)) {
        float *p = (float *)a[0], v = 1;
        int n = (int)a[1];
        void *s, *g, *x;
        MUST(cuda(cudaStreamCreate, &s) == 0 && cuda(cudaStreamBeginCapture, s, 0) == 0);
        MUST(launch(kernel("add"), (unsigned)(n + 127) / 128, 128, (void *[]){&p, &v, &n}, s) == 0);
        MUST(cuda(cudaStreamEndCapture, s, &g) == 0 &&
             cuda(cudaGraphInstantiate, &x, g, 0ull) == 0);
        MUST(cuda(cudaGraphLaunch, x, s) == 0 && cuda(cudaStreamSynchronize, s) == 0);
        MUST(launch(kernel("add"), (unsigned)(n + 127) / 128, 128, (void *[]){&p, &v, &n}, NULL) ==
             0);
        calls++;
    }
    return calls;
}

static void test_graph_is_called(void) {
    dev_session *s = session(NULL);
    dev_client *c = NULL;
    lib_message msg;
    uint64_t p;
    float x[100] = {0};
    if (!s) return;
    pid_t pid = start(s, lab_graph, &c);
    CHECK_INT(dev_client_run(c, 10, &msg), DEV_READY);
    CHECK_INT(dev_alloc(s, sizeof x, "c", &p), SIM_OK);
    dev_write(s, p, x, sizeof x);
    dev_arg a[] = {{.kind = DEV_ARG_PTR, .v.addr = p}, {.kind = DEV_ARG_I32, .v.i32 = 100}};
    dev_client_mark(c);
    CHECK_INT(dev_client_call(c, a, 2), SIM_OK);
    CHECK_INT(dev_client_run(c, 10, &msg), DEV_READY);
    CHECK_INT(dev_read(s, x, p, sizeof x), SIM_OK);
    CHECK(x[0] == 2 && x[99] == 2);
    CHECK_INT(dev_client_replay(c), SIM_UNSUPPORTED);
    dev_read(s, x, p, sizeof x);
    CHECK(x[0] == 2 && x[99] == 2); /* nothing of it ran */
    dev_client_finish(c);
    CHECK_INT(dev_client_run(c, 10, &msg), DEV_CLOSED);
    CHECK_INT(finish(pid), 1);
    dev_client_free(c);
    dev_session_free(s);
}

/* A graph of ordinary nodes may be a part of another, be cloned, and have several instances at
 * once: what conditional nodes forbid is theirs alone. Each run adds one to every number. */
static int nested_graphs(void) {
    enum { N = 100, RUNS = 5 };
    float *p, h[N] = {0}, v = 1;
    int n = N;
    void *s, *g, *top, *node, *copy, *x[4];
    MUST(cuda(cudaMalloc, &p, sizeof h) == 0);
    MUST(cuda(cudaMemcpy, p, h, sizeof h, 1) == 0);
    MUST(cuda(cudaStreamCreate, &s) == 0 && cuda(cudaStreamBeginCapture, s, 0) == 0);
    MUST(launch(kernel("add"), 1, 128, (void *[]){&p, &v, &n}, s) == 0);
    MUST(cuda(cudaStreamEndCapture, s, &g) == 0 && cuda(cudaGraphCreate, &top, 0) == 0);
    MUST(cuda(cudaGraphAddChildGraphNode, &node, top, NULL, 0ul, g) == 0);
    MUST(cuda(cudaGraphClone, &copy, top) == 0);
    void *const from[] = {g, g, top, copy};
    for (int i = 0; i < 4; i++) MUST(cuda(cudaGraphInstantiate, &x[i], from[i], 0ull) == 0);
    for (int i = 0; i < RUNS; i++) MUST(cuda(cudaGraphLaunch, x[i % 4], s) == 0);
    MUST(cuda(cudaStreamSynchronize, s) == 0);
    MUST(cuda(cudaMemcpy, h, p, sizeof h, 2) == 0);
    for (int i = 0; i < N; i++) MUST(h[i] == RUNS);
    return 0;
}

/* A program of its own that checks itself and ends. */
static void plays(int (*body)(void)) {
    dev_session *s = session(NULL);
    dev_client *c = NULL;
    lib_message msg;
    if (!s) return;
    pid_t pid = start(s, body, &c);
    CHECK_INT(dev_client_run(c, 10, &msg), DEV_CLOSED);
    CHECK_INT(finish(pid), 0);
    fixture_log(c);
    dev_client_free(c);
    dev_session_free(s);
}

/* Textures over linear memory: texels of one, two and four floats; three, or of unlike widths, are
 * no format (CUDA, cudaCreateTextureObject). */
static int textures(void) {
    enum { N = 32 };
    static const struct {
        int x, y, z, w, f, channels; /* 0: refused */
    } rows[] = {{32, 0, 0, 0, cudaChannelFormatKindFloat, 1},
                {32, 32, 0, 0, cudaChannelFormatKindFloat, 2},
                {32, 32, 32, 32, cudaChannelFormatKindFloat, 4},
                {32, 32, 32, 0, cudaChannelFormatKindFloat, 0},
                {32, 16, 0, 0, cudaChannelFormatKindFloat, 0},
                {32, 32, 32, 16, cudaChannelFormatKindFloat, 0},
                {32, 32, 16, 32, cudaChannelFormatKindFloat, 0},
                {8, 0, 0, 0, cudaChannelFormatKindFloat, 0},
                {24, 0, 0, 0, cudaChannelFormatKindUnsigned, 0},
                {0, 0, 0, 0, cudaChannelFormatKindUnsigned, 0},
                {32, 0, 0, 0, cudaChannelFormatKindFloat + 1, 0}};
    float *p, *q, h[4 * N], g[N][4];
    for (int i = 0; i < 4 * N; i++) h[i] = (float)i + 0.5f;
    MUST(cuda(cudaMalloc, &p, sizeof h) == 0 && cuda(cudaMalloc, &q, sizeof g) == 0);
    MUST(cuda(cudaMemcpy, p, h, sizeof h, 1) == 0);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        unsigned long long t;
        struct cudaTextureDesc how = {0};
        struct cudaResourceDesc of = {
            .resType = cudaResourceTypeLinear,
            .res.linear = {.devPtr = p,
                           .desc = {rows[k].x, rows[k].y, rows[k].z, rows[k].w, rows[k].f},
                           .sizeInBytes = sizeof h}};
        int e = cuda(cudaCreateTextureObject, &t, &of, &how, NULL);
        MUST((e == 0) == (rows[k].channels != 0));
        if (e) continue;
        MUST(launch(kernel("texel"), 1, N, (void *[]){&q, &t}, NULL) == 0);
        MUST(cuda(cudaMemcpy, g, q, sizeof g, 2) == 0);
        for (int i = 0; i < N; i++)
            for (int c = 0; c < rows[k].channels; c++) MUST(g[i][c] == h[i * rows[k].channels + c]);
        MUST(cuda(cudaDestroyTextureObject, t) == 0);
    }
    return 0;
}

/* Arrays at the limits of compute capability 9.0 (CUDA C++ Programming Guide, "Technical
 * Specifications"), and the formats and flags that cudaMalloc3DArray takes. */
static int arrays(void) {
    static const struct {
        int x, y, z, w, f;
        size_t width, height, depth;
        unsigned flags;
        bool ok;
    } rows[] = {
        {32, 0, 0, 0, cudaChannelFormatKindFloat, 1, 0, 0, 0, true},
        {32, 0, 0, 0, cudaChannelFormatKindFloat, 0, 0, 0, 0, false},
        {8, 0, 0, 0, cudaChannelFormatKindUnsigned, 131072, 0, 0, 0, true},
        {8, 0, 0, 0, cudaChannelFormatKindUnsigned, 131073, 0, 0, 0, false},
        {8, 0, 0, 0, cudaChannelFormatKindUnsigned, 1, 65536, 0, 0, true},
        {8, 0, 0, 0, cudaChannelFormatKindUnsigned, 1, 65537, 0, 0, false},
        {8, 0, 0, 0, cudaChannelFormatKindUnsigned, 1, 1, 16384, 0, true},
        {8, 0, 0, 0, cudaChannelFormatKindUnsigned, 1, 1, 16385, 0, false},
        {16, 0, 0, 0, cudaChannelFormatKindFloat, 4, 4, 0, 0, true},
        {8, 0, 0, 0, cudaChannelFormatKindFloat, 4, 4, 0, 0, false},
        {8, 8, 0, 0, cudaChannelFormatKindSigned, 4, 4, 0, 0, true},
        {8, 8, 8, 8, cudaChannelFormatKindSigned, 4, 4, 0, 0, true},
        {8, 8, 8, 0, cudaChannelFormatKindSigned, 4, 4, 0, 0, false},
        {8, 16, 0, 0, cudaChannelFormatKindSigned, 4, 4, 0, 0, false},
        {8, 8, 16, 8, cudaChannelFormatKindSigned, 4, 4, 0, 0, false},
        {8, 8, 8, 16, cudaChannelFormatKindSigned, 4, 4, 0, 0, false},
        {12, 0, 0, 0, cudaChannelFormatKindSigned, 4, 4, 0, 0, false},
        {32, 0, 0, 0, cudaChannelFormatKindSigned, 4, 4, 0, 0, true},
        {32, 0, 0, 0, cudaChannelFormatKindNone, 4, 4, 0, 0, false},
        {32, 0, 0, 0, -1, 4, 4, 0, 0, false},
        {32, 0, 0, 0, cudaChannelFormatKindFloat, 4, 4, 0, cudaArraySurfaceLoadStore, true},
        {32, 0, 0, 0, cudaChannelFormatKindFloat, 4, 4, 3, cudaArrayLayered, true},
        {32, 0, 0, 0, cudaChannelFormatKindFloat, 4, 4, 0, 0x10000, false},
        {32, 0, 0, 0, cudaChannelFormatKindFloat, 4, 4, 6, cudaArrayCubemap, true},
        {32, 0, 0, 0, cudaChannelFormatKindFloat, 4, 5, 6, cudaArrayCubemap, false},
        {32, 0, 0, 0, cudaChannelFormatKindFloat, 4, 4, 5, cudaArrayCubemap, false},
        {32, 0, 0, 0, cudaChannelFormatKindFloat, 4, 4, 0, cudaArrayCubemap, false},
        {32, 0, 0, 0, cudaChannelFormatKindFloat, 4, 4, 12, cudaArrayCubemap, false},
        {32, 0, 0, 0, cudaChannelFormatKindFloat, 4, 4, 12, cudaArrayCubemap | cudaArrayLayered,
         true},
        {32, 0, 0, 0, cudaChannelFormatKindFloat, 4, 4, 13, cudaArrayCubemap | cudaArrayLayered,
         false},
        {32, 0, 0, 0, cudaChannelFormatKindFloat, 4, 4, 0, cudaArrayTextureGather, true},
        {32, 0, 0, 0, cudaChannelFormatKindFloat, 4, 0, 0, cudaArrayTextureGather, false},
        {32, 0, 0, 0, cudaChannelFormatKindFloat, 4, 4, 4, cudaArrayTextureGather, false},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct cudaChannelFormatDesc d = {rows[k].x, rows[k].y, rows[k].z, rows[k].w, rows[k].f};
        struct cudaExtent e = {rows[k].width, rows[k].height, rows[k].depth};
        void *a = NULL;
        int got = cuda(cudaMalloc3DArray, &a, &d, e, rows[k].flags);
        if ((got == 0) != rows[k].ok) printf("# array %zu: %d\n", k, got);
        MUST((got == 0) == rows[k].ok);
        if (got) continue;
        struct cudaChannelFormatDesc d2 = {0};
        struct cudaExtent e2 = {0};
        unsigned flags = 77;
        MUST(cuda(cudaArrayGetInfo, &d2, &e2, &flags, a) == 0);
        MUST(!memcmp(&d, &d2, sizeof d) && !memcmp(&e, &e2, sizeof e) && flags == rows[k].flags);
        /* Any of them is a texture and a surface, as on an H200, whatever it was made for; neither
         * when it is gone. */
        unsigned long long t, s;
        struct cudaTextureDesc how = {0};
        struct cudaResourceDesc of = {.resType = cudaResourceTypeArray, .res.array.array = a};
        MUST(cuda(cudaCreateTextureObject, &t, &of, &how, NULL) == 0);
        MUST(cuda(cudaCreateSurfaceObject, &s, &of) == 0);
        MUST(cuda(cudaDestroyTextureObject, t) == 0);
        MUST(cuda(cudaDestroySurfaceObject, s) == 0);
        MUST(cuda(cudaFreeArray, a) == 0);
        MUST(cuda(cudaCreateTextureObject, &t, &of, &how, NULL) != 0);
    }
    return 0;
}

/* cudaCreateTextureObject: rows in pitched memory at the limits that cudaDeviceProp gives
 * (maxTexture2DLinear, texturePitchAlignment), and what does not go together. */
static int texture_places(void) {
    enum { PITCH = 2097120 };
    static const struct {
        size_t width, height, pitch, at;
        bool ok;
    } rows[] = {
        {4, 4, 64, 0, true},           {0, 4, 64, 0, false},         {4, 0, 64, 0, false},
        {16, 4, 64, 0, true},          {17, 4, 64, 0, false},        {4, 4, 48, 0, false},
        {4, 4, 32, 0, true},           {4, 4, 64, 4, false},         {131072, 1, 524288, 0, true},
        {131073, 1, 524320, 0, false}, {4, 65000, 32, 0, true},      {4, 65001, 32, 0, false},
        {4, 2, PITCH, 0, true},        {4, 2, PITCH + 32, 0, false}, {4, 3, PITCH, 0, false}};
    static const struct {
        int bits, kind, filter, read, address;
        int error;
    } hows[] = {
        {32, cudaChannelFormatKindFloat, cudaFilterModeLinear, cudaReadModeElementType, 0, 0},
        {8, cudaChannelFormatKindUnsigned, cudaFilterModePoint, cudaReadModeElementType, 3, 0},
        {8, cudaChannelFormatKindUnsigned, cudaFilterModePoint, cudaReadModeElementType, 4,
         cudaErrorInvalidValue},
        {8, cudaChannelFormatKindUnsigned, cudaFilterModePoint, cudaReadModeElementType, -1,
         cudaErrorInvalidValue},
        {8, cudaChannelFormatKindUnsigned, 2, cudaReadModeElementType, 0, cudaErrorInvalidValue},
        {8, cudaChannelFormatKindUnsigned, -1, cudaReadModeElementType, 0, cudaErrorInvalidValue},
        {8, cudaChannelFormatKindUnsigned, cudaFilterModePoint, 2, 0, cudaErrorInvalidValue},
        {8, cudaChannelFormatKindUnsigned, cudaFilterModePoint, -1, 0, cudaErrorInvalidValue},
        {8, cudaChannelFormatKindUnsigned, cudaFilterModeLinear, cudaReadModeElementType, 0,
         cudaErrorInvalidFilterSetting},
        {8, cudaChannelFormatKindUnsigned, cudaFilterModeLinear, cudaReadModeNormalizedFloat, 0, 0},
        {16, cudaChannelFormatKindSigned, cudaFilterModeLinear, cudaReadModeNormalizedFloat, 0, 0},
        {32, cudaChannelFormatKindSigned, cudaFilterModePoint, cudaReadModeNormalizedFloat, 0,
         cudaErrorInvalidNormSetting},
        {32, cudaChannelFormatKindFloat, cudaFilterModePoint, cudaReadModeNormalizedFloat, 0,
         cudaErrorInvalidNormSetting}}; /* an H100's answer */
    char *p;
    size_t bytes = PITCH + 600000;
    MUST(cuda(cudaMalloc, &p, bytes) == 0);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        unsigned long long t;
        struct cudaTextureDesc how = {0};
        struct cudaResourceDesc of = {
            .resType = cudaResourceTypePitch2D,
            .res.pitch2D = {.devPtr = p + rows[k].at,
                            .desc = {32, 0, 0, 0, cudaChannelFormatKindFloat},
                            .width = rows[k].width,
                            .height = rows[k].height,
                            .pitchInBytes = rows[k].pitch}};
        int e = cuda(cudaCreateTextureObject, &t, &of, &how, NULL);
        if ((e == 0) != rows[k].ok) printf("# pitch %zu: %d\n", k, e);
        MUST((e == 0) == rows[k].ok);
        if (!e) MUST(cuda(cudaDestroyTextureObject, t) == 0);
    }
    for (size_t k = 0; k < sizeof hows / sizeof *hows; k++) {
        unsigned long long t;
        for (int dim = 0; dim < 3; dim++) {
            struct cudaTextureDesc how = {.filterMode = hows[k].filter, .readMode = hows[k].read};
            how.addressMode[dim] = hows[k].address;
            struct cudaResourceDesc of = {
                .resType = cudaResourceTypeLinear,
                .res.linear = {.devPtr = p,
                               .desc = {hows[k].bits, 0, 0, 0, hows[k].kind},
                               .sizeInBytes = 1024}};
            int e = cuda(cudaCreateTextureObject, &t, &of, &how, NULL);
            if (e != hows[k].error) printf("# how %zu: %d\n", k, e);
            MUST(e == hows[k].error);
            if (!e) MUST(cuda(cudaDestroyTextureObject, t) == 0);
        }
    }
    return 0;
}

/* Two streams that the call destroys again: they are there for the replay, and for no longer. (That
 * they overlap is shown by answers/traps/bug-hunt/wrong-stream.cu.) */
enum { ROW = 16, MANY = 1 << 17 };
static int lab_streams(void) {
    uint64_t a[WARPLAB_MAX_ARGS];
    int calls = 0;
    int (*next)(uint64_t *, unsigned) =
        (int (*)(uint64_t *, unsigned))dlsym(library, "__warplab_next");
    MUST(next);
    while (next(a, WARPLAB_MAX_ARGS)) {
        float *p = (float *)a[0], *q = p + a[1], v = 1;
        int n = (int)a[1], few = 32;
        void *s, *t;
        MUST(cuda(cudaStreamCreate, &s) == 0 && cuda(cudaStreamCreate, &t) == 0);
        for (int i = 0; i < ROW; i++)
            MUST(launch(kernel("add"), (unsigned)(n + 127) / 128, 128, (void *[]){&p, &v, &n}, s) ==
                 0);
        MUST(launch(kernel("add"), 1, 32, (void *[]){&q, &v, &few}, t) == 0);
        MUST(cuda(cudaStreamDestroy, s) == 0 && cuda(cudaStreamDestroy, t) == 0);
        calls++;
    }
    return calls;
}

static void test_destroyed_streams(void) {
    dev_session *s = session(NULL);
    dev_client *c = NULL;
    lib_message msg;
    uint64_t p;
    if (!s) return;
    pid_t pid = start(s, lab_streams, &c);
    CHECK_INT(dev_client_run(c, 10, &msg), DEV_READY);
    CHECK_INT(dev_alloc(s, (MANY + 32) * 4ul, "c", &p), SIM_OK);
    float *zeros = calloc(MANY + 32, 4);
    dev_write(s, p, zeros, (MANY + 32) * 4ul);
    free(zeros);
    dev_arg a[] = {{.kind = DEV_ARG_PTR, .v.addr = p}, {.kind = DEV_ARG_I32, .v.i32 = MANY}};
    for (int round = 0; round < 2; round++) { /* what one call left behind is not the next one's */
        dev_client_mark(c);
        CHECK_INT(dev_client_call(c, a, 2), SIM_OK);
        CHECK_INT(dev_client_run(c, 30, &msg), DEV_READY);
        const dev_record *r;
        double gap = 0;
        size_t n = dev_client_log(c, &r);
        CHECK_INT(n, ROW + 1);
        if (n == ROW + 1) {
            gap = r[ROW].start_us - r[ROW - 1].start_us;
        }
        CHECK_INT(dev_client_replay(c), SIM_OK);
        n = dev_client_log(c, &r);
        CHECK_INT(n, ROW + 1);
        if (n == ROW + 1) {
            CHECK_NEAR(r[ROW].start_us - r[ROW - 1].start_us, gap, 0.01);
        }
    }
    dev_client_finish(c);
    CHECK_INT(dev_client_run(c, 10, &msg), DEV_CLOSED);
    CHECK_INT(finish(pid), 2);
    dev_client_free(c);
    dev_session_free(s);
}

/* A lab's function that never ends its launches ends with the record of its call; a program's own
 * launches go on. */
static int launches_for_ever(void) {
    uint64_t a[WARPLAB_MAX_ARGS];
    float *d, v = 1;
    int (*next)(uint64_t *, unsigned) =
        (int (*)(uint64_t *, unsigned))dlsym(library, "__warplab_next");
    MUST(next && cuda(cudaMalloc, &d, 4096ul) == 0);
    for (int i = 0; i < 200; i++) MUST(launch(kernel("set"), 1, 32, (void *[]){&d, &v}, NULL) == 0);
    MUST(cuda(cudaDeviceSynchronize) == 0 && next(a, WARPLAB_MAX_ARGS));
    for (;;) launch(kernel("set"), 1, 32, (void *[]){&d, &v}, NULL);
}

static void test_full_record(void) {
    enum { LIMIT = 100 };
    dev_options o;
    lib_message msg;
    dev_options_default(&o);
    o.ptxas = "", o.launch_limit = LIMIT;
    dev_session *s = dev_session_new(&o, &msg);
    dev_client *c = NULL;
    if (!CHECK(s != NULL)) return;
    pid_t pid = start(s, launches_for_ever, &c);
    CHECK_INT(dev_client_run(c, 60, &msg), DEV_READY);
    CHECK_INT(dev_client_unrecorded(c), 2 + 200 - LIMIT); /* with the allocation and the wait */
    dev_client_mark(c);
    CHECK_INT(dev_client_unrecorded(c), 0);
    CHECK_INT(dev_client_call(c, NULL, 0), SIM_OK);
    CHECK_INT(dev_client_run(c, 60, &msg), DEV_FULL);
    const dev_record *r;
    dev_flow f;
    dev_client_flow(c, &f);
    CHECK(!f.complete && f.room == LIMIT);
    CHECK_INT(dev_client_log(c, &r), LIMIT);
    CHECK(r[LIMIT - 1].result && r[LIMIT - 1].result->status == SIM_OK);
    kill(pid, SIGKILL);
    CHECK_INT(finish(pid), 128 + SIGKILL);
    dev_client_free(c);
    dev_session_free(s);
}

/* ---- things that go wrong */

static int out_of_bounds(void) {
    float *d, v = 1;
    MUST(cuda(cudaMalloc, &d, 64ul) == 0);
    MUST(launch(kernel("set"), 1, 32, (void *[]){&d, &v}, NULL) == 0); /* 32 floats into 16 */
    MUST(cuda(cudaGetLastError) == 0);                                 /* not known yet */
    MUST(cuda(cudaDeviceSynchronize) == cudaErrorIllegalAddress);
    MUST(cuda(cudaGetLastError) == cudaErrorIllegalAddress);
    MUST(cuda(cudaGetLastError) == 0);
    MUST(cuda(cudaMalloc, &d, 64ul) == cudaErrorIllegalAddress); /* sticky */
    MUST(launch(kernel("set"), 1, 1, (void *[]){&d, &v}, NULL) == cudaErrorIllegalAddress);
    return 0;
}
static int host_dereference(void) {
    float *d;
    MUST(cuda(cudaMalloc, &d, 64ul) == 0);
    d[3] = 1;
    return 0;
}
static int forever(void) {
    launch(kernel("spin"), 1, 32, NULL, NULL);
    return cuda(cudaDeviceSynchronize) == cudaErrorLaunchTimeout ? 0 : 1;
}
static int many(void) {
    float *p = NULL, v = 1;
    int n = 1 << 20;
    MUST(cuda(cudaMalloc, &p, sizeof *p * (size_t)n) == 0 &&
         cuda(cudaMemset, p, 0, sizeof *p * (size_t)n) == 0);
    for (int i = 0; i < 1000; i++) {
        launch(kernel("add"), (unsigned)n / 128, 128, (void *[]){&p, &v, &n}, NULL);
        int e = cuda(cudaDeviceSynchronize);
        if (e) return e == cudaErrorLaunchTimeout && i > 0 ? 0 : 1;
    }
    return 1;
}
static int fill_for_ever(void) {
    void *p = NULL;
    MUST(cuda(cudaMalloc, &p, 1 << 20) == 0);
    for (;;) cuda(cudaMemset, p, 0, 1 << 20);
}
static int forked(void) {
    MUST(cuda(cudaFree, NULL) == 0);
    fflush(stdout);
    pid_t p = fork();
    if (!p) _exit(cuda(cudaFree, NULL) == cudaErrorInitializationError ? 0 : 1);
    int status = 0;
    waitpid(p, &status, 0);
    MUST(status == 0);
    MUST(cuda(cudaDeviceSynchronize) == 0); /* the parent is as it was */
    return 0;
}
static int missing(void) {
    MUST(cuda(cudaIpcGetMemHandle, NULL, NULL) == cudaErrorNotSupported);
    MUST(cuda(cudaIpcGetMemHandle, NULL, NULL) == cudaErrorNotSupported);
    MUST(cuda(cudaGetLastError) == cudaErrorNotSupported);
    MUST(cuda(cudaDeviceSynchronize) == 0);
    return 0;
}
static int idle_for_ever(void) {
    cuda(cudaFree, NULL);
    for (;;) pause();
    return 0;
}

static uint64_t allowance;
static int run(int (*body)(void), double timeout, dev_event want, const sim_finding **f, size_t *n,
               dev_client **c, dev_session **s) {
    lib_message msg;
    *s = session(NULL);
    pid_t pid = start(*s, body, c);
    dev_client_allow(*c, allowance);
    CHECK_INT(dev_client_run(*c, timeout, &msg), want);
    if (want != DEV_CLOSED) kill(pid, SIGKILL);
    int status = finish(pid);
    *n = dev_client_findings(*c, f);
    return status;
}

static void test_faults(void) {
    const sim_finding *f;
    size_t n;
    dev_client *c = NULL;
    dev_session *s;
    uint64_t pc, base;
#define DONE dev_client_free(c), dev_session_free(s)
    CHECK_INT(run(out_of_bounds, 10, DEV_CLOSED, &f, &n, &c, &s), 0);
    for (size_t i = 0; i < n; i++)
        printf("# %s: %s\n", sim_finding_name(f[i].kind), said(&f[i].said));
    CHECK(n >= 1 && f[0].kind == SIM_FIND_OOB && f[0].alloc_size == 64);
    CHECK(!dev_client_fault(c, &pc, &base));
    DONE;
    if (PINNED) {
        CHECK_INT(run(host_dereference, 10, DEV_CLOSED, &f, &n, &c, &s), 128 + SIGSEGV);
        CHECK(n >= 1 && f[0].kind == SIM_FIND_HOST_DEREF && f[0].write &&
              f[0].address == f[0].alloc_base + 12 && f[0].alloc_size == 64);
        if (n) CHECK_CONTAINS(said(&f[0].said), "byte 12 of an allocation of 64 bytes");
        CHECK(dev_client_fault(c, &pc, &base) && pc > base);
        DONE;
    } else {
        puts("skip a device pointer followed on the host (not under the thread sanitizer)");
    }
    CHECK_INT(run(forked, 10, DEV_CLOSED, &f, &n, &c, &s), 0);
    DONE;
    CHECK_INT(run(missing, 10, DEV_CLOSED, &f, &n, &c, &s), 0);
    const lib_message *const *lines;
    CHECK_INT(dev_client_unsupported(c, &lines), 1);
    CHECK_CONTAINS(said(lines[0]), "cudaIpcGetMemHandle");
    DONE;
    CHECK_INT(run(idle_for_ever, 0.3, DEV_TIMEOUT, &f, &n, &c, &s), 128 + SIGKILL);
    DONE;
}

/* Simulated work is limited in instructions, and the program's clock stands still meanwhile. */
static void test_work(void) {
    const sim_finding *f;
    size_t n;
    dev_client *c = NULL;
    dev_session *s;
    /* 2^31 of an endless loop take over a second here; the program itself does next to nothing. */
    allowance = (uint64_t)1 << 31;
    CHECK_INT(run(forever, 1, DEV_CLOSED, &f, &n, &c, &s), 0);
    CHECK_INT(n, 1);
    if (n) CHECK_INT(f[0].kind, SIM_FIND_BUDGET);
    CHECK(dev_client_work(c) >= allowance && dev_client_work(c) < allowance + (1 << 22));
    CHECK(dev_client_spent_s(c) < 1);
    DONE;
    /* what earlier launches took is gone */
    allowance = 20 << 20;
    CHECK_INT(run(many, 10, DEV_CLOSED, &f, &n, &c, &s), 0);
    CHECK(n >= 1 && f[0].kind == SIM_FIND_BUDGET); /* what it did not free comes after it */
    if (n) CHECK_CONTAINS(said(&f[0].said), "or too many launches?");
    DONE;
    /* copies past the allowance are on the program's own time */
    allowance = 1 << 20;
    CHECK_INT(run(fill_for_ever, 0.5, DEV_TIMEOUT, &f, &n, &c, &s), 128 + SIGKILL);
    DONE;
    allowance = 0;
}

static volatile int cancelled_;
static void test_cancel(void) {
    dev_options o;
    lib_message msg;
    dev_client *c = NULL;
    dev_options_default(&o);
    o.ptxas = "";
    o.cancel = &cancelled_;
    dev_session *s = dev_session_new(&o, &msg);
    cancelled_ = 1;
    pid_t pid = start(s, idle_for_ever, &c);
    CHECK_INT(dev_client_run(c, 10, &msg), DEV_CANCELLED);
    kill(pid, SIGKILL);
    finish(pid);
    DONE;
}

static unsigned listed, unavailable;
static void count(void *user, const char *name, const lib_message *what, const lib_message *why) {
    (void)user;
    listed++;
    if (why) unavailable++;
    CHECK(*name && lib_message_any(what) && (!why || lib_message_any(why)));
}

static void test_names(void) {
    dev_options o;
    lib_message msg;
    dev_options_default(&o);
    o.device = "sim:gtx480";
    CHECK(!dev_session_new(&o, &msg));
    CHECK_CONTAINS(said(&msg), "sim:h200");
    o.device = "gpu:0";
    CHECK(!dev_session_new(&o, &msg));
    CHECK_CONTAINS(said(&msg), "gpu:0");
    dev_list(count, NULL);
    CHECK(listed >= 6 && unavailable == 1);
    dev_session *s = session("sim:h200,sim:t4");
    CHECK(s && dev_session_devices(s) == 2);
    if (s) CHECK_STR(dev_session_name(s, 1), "sim:t4");
    dev_session_free(s);
}

int main(void) {
    test_names();
    test_program();
    test_fills();
    test_displaces();
    test_calls();
    test_graph_is_called();
    plays(nested_graphs);
    plays(textures);
    plays(arrays);
    plays(texture_places);
    test_destroyed_streams();
    test_full_record();
    test_faults();
    test_work();
    test_cancel();
    return check_done();
}
