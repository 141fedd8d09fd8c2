/* Managed memory: what the CUDA C++ Programming Guide ("Unified Memory") and the runtime API's
 * reference (cudaMemAdvise, cudaMemPrefetchAsync) promise, and how NVIDIA's driver groups faults:
 * by 64 KB, and the smallest enclosing halves of 2 MB of which more than 51% are there
 * (uvm_perf_prefetch.c), so that whoever walks through 2 MB faults at groups 0, 1, 2, 4, 8 and
 * 16. */
#include <fcntl.h>
#include "device_fixture.h"

#include "runner/device/cudart/glue.h"

enum { MB = 1 << 20, GROUP = 64 << 10, WALK = 6 /* faults of 2 MB */ };

#ifdef __SANITIZE_THREAD__
enum { MAPPED = 0 }; /* it lets nothing be mapped where managed memory lies */
#else
enum { MAPPED = 1 };
#endif

typedef struct cudaMemLocation place;
static place dev0 = {cudaMemLocationTypeDevice, 0}, home = {cudaMemLocationTypeHost, 0};

static float *managed(size_t bytes) {
    float *p = NULL;
    cuda(cudaMallocManaged, &p, bytes, 1);
    return p;
}
static void write_all(float *p, size_t bytes, float v) {
    for (size_t i = 0; i < bytes / 4; i++) p[i] = v;
}
static float read_all(const float *p, size_t bytes) {
    volatile float sum = 0;
    for (size_t i = 0; i < bytes / 4; i += 256) sum += p[i];
    return sum;
}
static int add_all(float *p, size_t bytes) {
    float v = 1;
    int n = (int)(bytes / 4);
    int e = launch(kernel("add"), (unsigned)(n + 255) / 256, 256, (void *[]){&p, &v, &n}, NULL);
    return e ? e : cuda(cudaDeviceSynchronize);
}
static int take_all(float *to, float *from, size_t bytes) {
    int n = (int)(bytes / 4);
    int e =
        launch(kernel("take"), (unsigned)(n + 255) / 256, 256, (void *[]){&to, &from, &n}, NULL);
    return e ? e : cuda(cudaDeviceSynchronize);
}
static int ask(const void *p, size_t n, int attribute) {
    int v = 77;
    cuda(cudaMemRangeGetAttribute, &v, sizeof v, attribute, p, n);
    return v;
}
#define PREFETCH(p, n, where)     cuda(cudaMemPrefetchAsync, p, (size_t)(n), where, 0, NULL)
#define ADVISE(p, n, what, where) cuda(cudaMemAdvise, p, (size_t)(n), what, where)

/* What the child did, operation by operation: those that only the host takes part in are left
 * out. */
typedef struct {
    dev_op op;
    uint64_t faults, moved;
} expected;

static void run_child(const char *what, int (*body)(void), uint64_t memory, const expected *want,
                      size_t n) {
    dev_options o;
    lib_message msg;
    dev_client *c = NULL;
    const dev_record *r;
    dev_options_default(&o);
    o.ptxas = "", o.device_memory = memory;
    dev_session *s = dev_session_new(&o, &msg);
    pid_t pid = s ? start(s, body, &c) : -1;
    CHECK(c);
    if (!c) return;
    CHECK_INT(dev_client_run(c, 60, &msg), DEV_CLOSED);
    CHECK_INT(finish(pid), 0);
    fixture_log(c);
    size_t count = dev_client_log(c, &r), k = 0;
    for (size_t i = 0; i < count; i++) {
        if (r[i].op > DEV_OP_MEMSET) continue;
        if (k < n) {
            printf("# %s, operation %zu\n", what, k);
            CHECK_INT(r[i].op, want[k].op);
            CHECK_INT(r[i].page_faults, want[k].faults);
            CHECK_INT(r[i].migrated_bytes, want[k].moved);
        }
        k++;
    }
    CHECK_INT(k, n);
    dev_client_free(c);
    dev_session_free(s);
}
#define RUN(body, memory, ...)                                                                     \
    run_child(#body, body, memory, (const expected[]){__VA_ARGS__},                                \
              sizeof((const expected[]){__VA_ARGS__}) / sizeof(expected))

/* Pages go to whoever touches them, and stay there. */
static int on_demand(void) {
    float *p = managed(2 * MB);
    MUST(p && !((uintptr_t)p % GROUP));
    write_all(p, 2 * MB, 1); /* populated there: nothing moves */
    MUST(!add_all(p, 2 * MB));
    MUST(!add_all(p, 2 * MB)); /* resident */
    MUST(read_all(p, 2 * MB) == 3.0f * 2048);
    MUST(read_all(p, 2 * MB) == 3.0f * 2048);
    MUST(!add_all(p, GROUP / 2)); /* one group */
    MUST(cuda(cudaFree, p) == 0);
    p = managed(2 * MB);
    MUST(!add_all(p, 2 * MB)); /* nobody had it: faults, and nothing to move */
    return 0;
}

/* "cudaMemPrefetchAsync": moved before it is touched; what is there is not moved again. */
static int prefetched(void) {
    float *p = managed(3 * MB);
    write_all(p, 3 * MB, 1);
    MUST(ask(p, 4, cudaMemRangeAttributeLastPrefetchLocation) == -2);
    MUST(PREFETCH(p, 3 * MB, dev0) == 0);
    MUST(ask(p, 3 * MB, cudaMemRangeAttributeLastPrefetchLocation) == 0);
    MUST(ask(p, 3 * MB, cudaMemRangeAttributeLastPrefetchLocationType) ==
         cudaMemLocationTypeDevice);
    MUST(PREFETCH(p, 3 * MB, dev0) == 0);
    MUST(!add_all(p, 3 * MB));
    MUST(PREFETCH(p, MB, home) == 0);
    MUST(ask(p, MB, cudaMemRangeAttributeLastPrefetchLocation) == -1);
    MUST(ask(p, 3 * MB, cudaMemRangeAttributeLastPrefetchLocation) == -2); /* not one for all */
    MUST(ask(p, 3 * MB, cudaMemRangeAttributeLastPrefetchLocationId) == -2);
    MUST(ask(p, 3 * MB, cudaMemRangeAttributeLastPrefetchLocationType) ==
         cudaMemLocationTypeInvalid);
    MUST(ask(p + MB / 4, 2 * MB, cudaMemRangeAttributeLastPrefetchLocation) == 0);
    MUST(ask(p + MB / 4 - 1, MB, cudaMemRangeAttributeLastPrefetchLocation) == -2);
    MUST(cuda(cudaDeviceSynchronize) == 0);
    MUST(read_all(p, MB) == 2.0f * 1024);
    MUST(PREFETCH(p, 4 * MB, dev0) == cudaErrorInvalidValue);
    MUST(PREFETCH(p, MB, ((place){cudaMemLocationTypeDevice, 5})) == cudaErrorInvalidDevice);
    return 0;
}

/* "cudaMemAdviseSetReadMostly": readers get copies; a write leaves only the writer's. */
static int read_mostly(void) {
    float *p = managed(2 * MB), *d;
    MUST(cuda(cudaMalloc, &d, (size_t)2 * MB) == 0);
    write_all(p, 2 * MB, 1);
    MUST(ADVISE(p, 2 * MB, cudaMemAdviseSetReadMostly, dev0) == 0);
    MUST(ask(p, 2 * MB, cudaMemRangeAttributeReadMostly) == 1);
    MUST(ADVISE(p, MB, cudaMemAdviseUnsetReadMostly, dev0) == 0);
    MUST(ask(p, 2 * MB, cudaMemRangeAttributeReadMostly) == 0); /* of all of it, or of none */
    MUST(ask(p, MB, cudaMemRangeAttributeReadMostly) == 0);
    MUST(ask(p + MB / 4, MB, cudaMemRangeAttributeReadMostly) == 1);
    MUST(ADVISE(p, 2 * MB, cudaMemAdviseSetReadMostly, dev0) == 0);
    MUST(PREFETCH(p, 2 * MB, dev0) == 0); /* a copy: the host keeps its own */
    MUST(!take_all(d, p, 2 * MB));
    MUST(read_all(p, 2 * MB) == 2048);
    MUST(!take_all(d, p, 2 * MB));
    write_all(p, GROUP, 5); /* the device's copy of this group is no longer one */
    MUST(!take_all(d, p, 2 * MB));
    MUST(!add_all(p, GROUP));      /* a write by the device: the host's copy goes */
    MUST(p[0] == 6);               /* and it has to fetch it */
    MUST(!take_all(d, p, 2 * MB)); /* which left a copy behind */
    return 0;
}

/* "cudaMemAdviseSetAccessedBy": mapped, so it neither faults nor moves. Preferred there without it:
 * the first touch of each group faults, and maps it. */
static int stays_home(void) {
    float *p = managed(2 * MB), *d;
    int by[3];
    MUST(cuda(cudaMalloc, &d, (size_t)2 * MB) == 0);
    write_all(p, 2 * MB, 1);
    MUST(ADVISE(p, 2 * MB, cudaMemAdviseSetPreferredLocation, home) == 0);
    MUST(ask(p, 2 * MB, cudaMemRangeAttributePreferredLocation) == -1);
    MUST(ask(p, 2 * MB, cudaMemRangeAttributePreferredLocationType) == cudaMemLocationTypeHost);
    MUST(!take_all(d, p, 2 * MB));
    MUST(!take_all(d, p, 2 * MB));
    MUST(ADVISE(p, MB, cudaMemAdviseUnsetPreferredLocation, home) == 0);
    MUST(ask(p, 2 * MB, cudaMemRangeAttributePreferredLocation) == -2);
    MUST(ask(p, 2 * MB, cudaMemRangeAttributePreferredLocationType) == cudaMemLocationTypeInvalid);
    MUST(ask(p + MB / 4, MB, cudaMemRangeAttributePreferredLocation) == -1);
    MUST(ADVISE(p, 2 * MB, cudaMemAdviseUnsetPreferredLocation, home) == 0);
    MUST(ask(p, 2 * MB, cudaMemRangeAttributePreferredLocation) == -2);
    MUST(ask(p, 2 * MB, cudaMemRangeAttributePreferredLocationType) == cudaMemLocationTypeInvalid);
    float *q = managed(2 * MB);
    write_all(q, 2 * MB, 1);
    MUST(ADVISE(q, 2 * MB, cudaMemAdviseSetAccessedBy, dev0) == 0);
    MUST(cuda(cudaMemRangeGetAttribute, by, sizeof by, cudaMemRangeAttributeAccessedBy, q, 8ul) ==
         0);
    MUST(by[0] == 0 && by[1] == -2 && by[2] == -2);
    MUST(!take_all(d, q, 2 * MB));
    MUST(ADVISE(q, 2 * MB, cudaMemAdviseUnsetAccessedBy, dev0) == 0);
    MUST(!take_all(d, q, 2 * MB)); /* now it comes */
    return 0;
}

/* More than the device has: what came first goes first, and cudaMalloc has no room. */
static int too_much(void) {
    float *p = managed(6 * MB), *d;
    size_t left, total;
    write_all(p, 6 * MB, 1);
    MUST(cuda(cudaMemGetInfo, &left, &total) == 0 && total == 4 * MB && left == 4 * MB);
    MUST(cuda(cudaMalloc, &d, (size_t)5 * MB) == cudaErrorMemoryAllocation);
    MUST(!add_all(p, 6 * MB));
    MUST(!add_all(p, 6 * MB));
    MUST(cuda(cudaMalloc, &d, (size_t)3 * MB) == 0); /* evicts both: a block goes as a whole */
    MUST(!add_all(p, GROUP));
    MUST(read_all(p, 6 * MB) == 3.0f * 6 * 1024 + 256.0f / 4);
    MUST(cuda(cudaDeviceSynchronize) == 0); /* when the touches are told */
    return 0;
}

/* Room for two blocks: the one that came first goes, wherever it lies, and no other. */
static int out_of_order(void) {
    enum { BLOCK = 2 * MB };
    static const int walk[] = {1, 0, 2, 0, 1};
    float *p = managed(3 * BLOCK);
    write_all(p, 3 * BLOCK, 1);
    for (int i = 0; i < 5; i++) MUST(!add_all(p + walk[i] * (BLOCK / 4), BLOCK));
    return 0;
}

static void test_residency(void) {
    const dev_op IN = DEV_OP_PAGES_IN, OUT = DEV_OP_PAGES_OUT, RUN_ = DEV_OP_LAUNCH;
    RUN(on_demand, 0, {RUN_, WALK, 2 * MB}, {RUN_, 0, 0}, {OUT, WALK, 2 * MB}, {RUN_, 1, GROUP},
        {RUN_, WALK, 0});
    /* 3 MB: a block, and half a one */
    RUN(prefetched, 0, {IN, 0, 3 * MB}, {RUN_, 0, 0}, {OUT, 0, MB});
    RUN(read_mostly, 0, {IN, 0, 2 * MB}, {RUN_, 0, 0}, {RUN_, 0, 0}, {RUN_, 1, GROUP}, {RUN_, 1, 0},
        {OUT, 1, GROUP}, {RUN_, 0, 0});
    RUN(stays_home, 0, {RUN_, 2 * MB / GROUP, 0}, {RUN_, 0, 0}, {RUN_, 0, 0}, {RUN_, WALK, 2 * MB});
    RUN(out_of_order, 4 * MB, {RUN_, WALK, 2 * MB}, {RUN_, WALK, 2 * MB}, {RUN_, WALK, 4 * MB},
        {RUN_, 0, 0}, {RUN_, WALK, 4 * MB});
    /* three blocks through room for two: each of the second walk's finds its own gone */
    RUN(too_much, 4 * MB, {RUN_, 3 * WALK, 8 * MB}, {RUN_, 3 * WALK, 12 * MB}, {RUN_, 1, GROUP},
        {OUT, 1, GROUP});
}

/* ---- a lab's call: memory that only kernels use is not the host's */

static float *kept;
static int lab_body(void) {
    int (*next)(uint64_t *, unsigned) =
        (int (*)(uint64_t *, unsigned))dlsym(library, "__warplab_next");
    uint64_t a[WARPLAB_MAX_ARGS];
    while (next(a, WARPLAB_MAX_ARGS)) {
        float *out = (float *)(uintptr_t)a[0];
        kept = managed(GROUP);
        MUST(kept && !add_all(kept, GROUP));
        if (a[1]) MUST(kept[0] > 3e38f); /* no zero: 0x7f7f7f7f is 3.39e38, and so is one more */
        MUST(!take_all(out, kept, GROUP));
        MUST(cuda(cudaFree, kept) == 0);
    }
    return 0;
}

static void test_kept(void) {
    dev_session *s = session(NULL);
    dev_client *c = NULL;
    lib_message msg;
    dev_flow f;
    uint64_t out = 0;
    pid_t pid = start(s, lab_body, &c);
    CHECK(c);
    CHECK_INT(dev_alloc(s, GROUP, "out", &out), SIM_OK);
    CHECK_INT(dev_client_run(c, 60, &msg), DEV_READY);
    for (int looks = 0; looks < 2; looks++) {
        dev_client_mark(c);
        dev_arg a[] = {{.kind = DEV_ARG_PTR, .v.addr = out}, {.kind = DEV_ARG_I32, .v.i32 = looks}};
        CHECK_INT(dev_client_call(c, a, 2), SIM_OK);
        CHECK_INT(dev_client_run(c, 60, &msg), DEV_READY);
        dev_client_flow(c, &f);
        CHECK_INT(f.data, looks); /* it saw what a kernel had made, and then launched another */
        if (looks) CHECK_INT(f.saw.bytes, GROUP);
    }
    dev_client_finish(c);
    CHECK_INT(dev_client_run(c, 60, &msg), DEV_CLOSED);
    CHECK_INT(finish(pid), 0);
    dev_client_free(c);
    dev_session_free(s);
}

/* ---- a lab's call: page-locked memory that copies are filling ---- */

enum { LOOKS_LATE, LOOKS_BESIDE, LOOKS_EARLY, WRITES_EARLY, LOOKS_BETWEEN, LOOKS_AT_ROW, WAYS };
enum { PAGES_ = 4096, HALF = 2 * PAGES_ + 100, ROOM = 8 * PAGES_ };
static int held_body(void) {
    int (*next)(uint64_t *, unsigned) =
        (int (*)(uint64_t *, unsigned))dlsym(library, "__warplab_next");
    uint64_t a[WARPLAB_MAX_ARGS];
    volatile char *h;
    char *d, other[PAGES_];
    void *first;
    int null = open("/dev/null", O_WRONLY), seen = 0;
    MUST(cuda(cudaMallocHost, &h, (size_t)ROOM) == 0 && cuda(cudaMalloc, &d, (size_t)ROOM) == 0);
    MUST(cuda(cudaEventCreate, &first) == 0);
    for (; next(a, WARPLAB_MAX_ARGS); seen++) {
        bool rows = a[0] >= LOOKS_BETWEEN;
        memset((char *)(uintptr_t)h, 1, ROOM);
        MUST(cuda(cudaMemset, d, seen + 2, (size_t)ROOM) == 0);
        if (rows)
            MUST(cuda(cudaMemcpy2DAsync, h, (size_t)300, d, (size_t)100, (size_t)100, (size_t)20,
                      cudaMemcpyDeviceToHost, NULL) == 0);
        else {
            MUST(cuda(cudaMemcpyAsync, h, d, (size_t)HALF, cudaMemcpyDeviceToHost, NULL) == 0);
            MUST(cuda(cudaEventRecord, first, NULL) == 0);
            MUST(cuda(cudaMemcpyAsync, h + HALF, d, (size_t)HALF, cudaMemcpyDeviceToHost, NULL) ==
                 0);
            MUST(cuda(cudaEventSynchronize, first) == 0);
        }
        switch (a[0]) {
        case LOOKS_BESIDE: /* what has come, behind all, and by the system */
            MUST(h[0] == seen + 2 && h[HALF - 1] == seen + 2 && h[2 * HALF] == 1);
            h[ROOM - 1] = 5;
            MUST(h[ROOM - 1] == 5 && write(null, (char *)(uintptr_t)h, PAGES_) == PAGES_);
            MUST(read(open("/dev/zero", O_RDONLY), other, PAGES_) == PAGES_);
            break;
        case LOOKS_EARLY: MUST(h[HALF + 7] && h[2 * HALF - 1] && h[HALF]); break;
        case WRITES_EARLY: h[HALF + 8] = (char)(seen + 2); break;
        case LOOKS_BETWEEN: MUST(h[100] == 1 && h[299] == 1 && h[19 * 300 + 100] == 1); break;
        case LOOKS_AT_ROW: MUST(h[19 * 300 + 99]); break;
        default: break;
        }
        MUST(cuda(cudaDeviceSynchronize) == 0);
        MUST(h[0] == seen + 2 && h[rows ? 19 * 300 + 99 : 2 * HALF - 1] == seen + 2);
    }
    return seen;
}

static void test_filled(void) {
    static const struct {
        bool told, write;
        uint64_t byte; /* of the allocation */
        const char *says;
    } want[WAYS] = {
        [LOOKS_EARLY] = {true, false, HALF + 7,
                         "the host reads page-locked memory while an asynchronous copy to it is "
                         "under way (byte 7 of its 8,292)"},
        [WRITES_EARLY] = {true, true, HALF + 8,
                          "the host changes page-locked memory while an asynchronous copy to it is "
                          "under way (byte 8 of its 8,292)"},
        [LOOKS_AT_ROW] = {true, false, 19 * 300 + 99, "the host reads page-locked memory"}};
    dev_session *s = session(NULL);
    dev_client *c = NULL;
    lib_message msg;
    pid_t pid = start(s, held_body, &c);
    CHECK(c);
    CHECK_INT(dev_client_run(c, 60, &msg), DEV_READY);
    for (int way = 0; way < WAYS; way++) {
        const sim_finding *f;
        dev_arg a = {.kind = DEV_ARG_I32, .v.i32 = way};
        printf("# way %d\n", way);
        dev_client_mark(c);
        CHECK_INT(dev_client_call(c, &a, 1), SIM_OK);
        CHECK_INT(dev_client_run(c, 60, &msg), DEV_READY);
        CHECK_INT(dev_client_findings(c, &f), want[way].told);
        if (!want[way].told || !dev_client_findings(c, &f)) continue;
        CHECK_INT(f->kind, SIM_FIND_RACE);
        CHECK_INT(f->write, want[way].write);
        CHECK_INT(f->address - f->alloc_base, want[way].byte);
        CHECK_CONTAINS(said(&f->said), want[way].says);
    }
    dev_client_finish(c);
    CHECK_INT(dev_client_run(c, 60, &msg), DEV_CLOSED);
    CHECK_INT(finish(pid), WAYS);
    dev_client_free(c);
    dev_session_free(s);
}

int main(void) {
    if (!MAPPED) {
        puts("skip managed memory (not under the thread sanitizer)");
        return check_done();
    }
    if (access("/proc/self/pagemap", R_OK)) {
        puts("skip managed memory (this kernel does not tell which pages a process uses)");
        return check_done();
    }
    test_residency();
    test_kept();
    test_filled();
    return check_done();
}
