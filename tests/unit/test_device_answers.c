/* Handlers of calls for memory, arrays, streams, events and copies, asked directly: their answers,
 * what they put in the log, and by how much each moves the thread's clock. Expected: the runtime's
 * reference ("Memory Management", "Stream Ordered Memory Allocator", "Stream Management", "Event
 * Management", "Unified Addressing"), and for times the device's profile with the costs of
 * docs/model-tables.md. */
#include "runner/device/server/core/client.h"
#include "calls_fixture.h"

#include "runner/device/sim/profile.h"

enum { KB = 1 << 10, MB = 1 << 20, PAGE = 4096, GROUP = 64 << 10 };
enum { BAD = cudaErrorInvalidValue, HANDLE = cudaErrorInvalidResourceHandle };
enum { FULL = cudaErrorMemoryAllocation };
static const sim_profile *profile;

static void start(void) {
    CHECK(begin());
    profile = session->device[0].profile;
}
static double now(void) {
    return *dev_clock(c, 0);
}
static size_t records(const dev_record **r) {
    return dev_client_log(c, r);
}
/* The one record that came since there were `before`. */
static dev_record since(int line, size_t before) {
    const dev_record *r;
    bool one = records(&r) == before + 1;
    check_that(one, __FILE__, line, "one record", "not one");
    return one ? r[before] : (dev_record){.op = DEV_OP_GRAPH};
}
static void is_call(int line, size_t before, dev_op op, const char *call, uint64_t bytes,
                    sim_status status) {
    dev_record r = since(line, before);
    bool ok = r.op == op && r.bytes == bytes && r.status == status && !r.device && !r.stream &&
              (call ? r.call && !strcmp(r.call, call) : !r.call) && r.start_us == r.end_us &&
              r.end_us == now();
    check_that(ok, __FILE__, line, call ? call : "a call", "another record");
}
#define LOGGED(before, op, call, bytes, status)                                                    \
    is_call(__LINE__, before, DEV_OP_##op, call, bytes, status)
/* What a call answers, by how much it moves the clock, and how many records it leaves. */
#define TAKES(us, logged, error, ...)                                                              \
    do {                                                                                           \
        const dev_record *r_;                                                                      \
        double t_ = now();                                                                         \
        size_t n_ = records(&r_);                                                                  \
        CHECK_INT(CALL(__VA_ARGS__), error);                                                       \
        CHECK_NEAR(now() - t_, us, 1e-6);                                                          \
        CHECK_INT(records(&r_) - n_, logged);                                                      \
        CHECK(!k.again);                                                                           \
    } while (0)
/* Of an allocation or a free of more than 4 MB: 0.7 us for each more. */
static double larger(uint64_t bytes) {
    return bytes > 4 * MB ? 0.7 * (double)(bytes - 4 * MB) / MB : 0;
}

/* ---- device memory */

static void test_malloc(void) {
    static const struct {
        uint64_t width, height, depth, pitch, bytes;
        cudaError_t error;
        bool logged;
    } rows[] = {
        {1, 1, 1, 512, 512, 0, true},
        {511, 2, 1, 512, 1024, 0, true},
        {512, 3, 1, 512, 1536, 0, true},
        {513, 2, 3, 1024, 6144, 0, true},
        {8192, 1024, 1, 8192, 8 * MB, 0, true},
        {0, 3, 1, 0, 0, 0, true},
        {5, 0, 1, 512, 0, 0, true},
        {(uint64_t)1 << 46, 1, 1, (uint64_t)1 << 46, (uint64_t)1 << 46, FULL, true},
        {((uint64_t)1 << 46) + 1, 1, 1, 7, 0, FULL, false},
        {512, (uint64_t)1 << 32, (uint64_t)1 << 32, 7, 0, FULL, false},
        {512, (uint64_t)1 << 55, 1, 7, 0, FULL, false},
    };
    struct wire_out_Free none;
    const dev_record *r;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wire_out_MallocPitch out = {.devPtr = 9, .pitch = 7};
        printf("# rows %zu\n", i);
        start();
        uint64_t used = c->memory.device[0].bytes;
        size_t before = records(&r);
        TAKES(rows[i].logged ? profile->malloc_us + larger(rows[i].bytes) : 0, rows[i].logged,
              rows[i].error, MallocPitch, &out, {rows[i].width, rows[i].height, rows[i].depth});
        CHECK_INT(out.pitch, rows[i].pitch);
        bool made = !rows[i].error && rows[i].bytes;
        CHECK(made ? out.devPtr >= DEV_ADDRESS_LOW && out.devPtr % 256 == 0 : out.devPtr == 9);
        if (rows[i].logged)
            LOGGED(before, MALLOC, "cudaMalloc", rows[i].bytes,
                   rows[i].error ? SIM_BAD_ARGUMENT : SIM_OK);
        CHECK_INT(c->memory.device[0].bytes - used, made ? rows[i].bytes : 0);
        end();
    }
    struct wire_out_Malloc a = {.devPtr = 9};
    start();
    TAKES(profile->malloc_us, 1, 0, Malloc, &a, {0});
    CHECK_INT(a.devPtr, 9);
    TAKES(profile->malloc_us, 1, 0, Malloc, &a, {4 * MB});
    TAKES(profile->free_us, 1, 0, Free, &none, {a.devPtr});
    TAKES(0, 0, BAD, Free, &none, {a.devPtr}); /* again */
    size_t before = records(&r);
    TAKES(profile->malloc_us + 1.4, 1, 0, Malloc, &a, {6 * MB});
    LOGGED(before, MALLOC, "cudaMalloc", 6 * MB, SIM_OK);
    TAKES(0, 0, BAD, Free, &none, {a.devPtr + 1});
    TAKES(0, 0, BAD, Free, &none, {a.devPtr + 6 * MB});
    TAKES(0, 0, 0, Free, &none, {0});
    before = records(&r);
    TAKES(profile->free_us + 1.4, 1, 0, Free, &none, {a.devPtr});
    LOGGED(before, FREE, "cudaFree", 6 * MB, SIM_OK);
    CHECK_INT(c->memory.device[0].bytes, 0);
    end();
}

/* ---- pools: 32 MB are taken from the device at a time */

static uint64_t pool_value(uint64_t pool, int attr) {
    struct wire_out_MemPoolGet got = {.value = 77};
    CHECK_INT(CALL(MemPoolGet, &got, {pool, .attr = (uint64_t)attr}), 0);
    return got.value;
}
static void pool_is(int line, uint64_t pool, uint64_t used, uint64_t high, uint64_t reserved,
                    uint64_t reserved_high) {
    bool ok = pool_value(pool, cudaMemPoolAttrUsedMemCurrent) == used &&
              pool_value(pool, cudaMemPoolAttrUsedMemHigh) == high &&
              pool_value(pool, cudaMemPoolAttrReservedMemCurrent) == reserved &&
              pool_value(pool, cudaMemPoolAttrReservedMemHigh) == reserved_high;
    check_that(ok, __FILE__, line, "what the pool holds", "something else");
}
#define POOL(...) pool_is(__LINE__, __VA_ARGS__)

static void test_pool_handles(void) {
    struct wire_out_cudaMemPoolCreate made = {0}, other = {0};
    struct wire_out_cudaDeviceGetDefaultMemPool own = {0}, again = {0};
    struct wire_out_cudaDeviceGetMemPool current = {0};
    struct wire_out_cudaDeviceSetMemPool none;
    struct wire_out_cudaMemPoolDestroy gone;
    struct wire_out_MemPoolAccess access;
    struct wire_out_MemPoolSet set;
    struct wire_out_MemPoolGet got;
    start();
    static const struct {
        int type, id, cut;
        cudaError_t error;
    } props[] = {{cudaMemLocationTypeDevice, 0, 1, BAD},  {cudaMemLocationTypeHost, 0, 0, BAD},
                 {cudaMemLocationTypeInvalid, 0, 0, BAD}, {cudaMemLocationTypeDevice, -1, 0, BAD},
                 {cudaMemLocationTypeDevice, 1, 0, BAD},  {cudaMemLocationTypeDevice, 2, 0, BAD},
                 {cudaMemLocationTypeDevice, 0, 0, 0}};
    for (size_t i = 0; i < sizeof props / sizeof *props; i++) {
        struct cudaMemPoolProps p = {.location = {props[i].type, props[i].id}};
        spans(&p, sizeof p - (size_t)props[i].cut, NULL, 0);
        TAKES(0, 0, props[i].error, cudaMemPoolCreate, &made, {});
    }
    const uint64_t pool = made.memPool;
    for (uint64_t d = 1; d < 3; d++) { /* there is one */
        CHECK_INT(CALL(cudaDeviceGetDefaultMemPool, &own, {d}), cudaErrorInvalidDevice);
        CHECK_INT(CALL(cudaDeviceGetMemPool, &current, {d}), cudaErrorInvalidDevice);
        CHECK_INT(CALL(cudaDeviceSetMemPool, &none, {d, pool}), cudaErrorInvalidDevice);
        CHECK_INT(CALL(MemPoolAccess, &access, {pool, d, 3}), cudaErrorInvalidDevice);
    }
    CHECK_INT(CALL(cudaDeviceGetMemPool, &current, {0}), 0); /* at first its own */
    CHECK_INT(CALL(cudaDeviceGetDefaultMemPool, &own, {0}), 0);
    CHECK_INT(CALL(cudaDeviceGetDefaultMemPool, &again, {0}), 0);
    CHECK(own.memPool && own.memPool == again.memPool && own.memPool == current.memPool);
    CHECK_INT(CALL(cudaDeviceSetMemPool, &none, {0, pool + 77}), BAD);
    CHECK_INT(CALL(cudaDeviceSetMemPool, &none, {0, pool}), 0);
    CHECK_INT(CALL(cudaDeviceGetMemPool, &current, {0}), 0);
    CHECK(current.memPool == pool && pool != own.memPool);
    CHECK_INT(CALL(cudaMemPoolDestroy, &gone, {own.memPool}), BAD);
    struct cudaMemPoolProps p = {.location = {cudaMemLocationTypeDevice, 0}};
    spans(&p, sizeof p, NULL, 0);
    CHECK_INT(CALL(cudaMemPoolCreate, &other, {}), 0);
    CHECK_INT(CALL(cudaMemPoolDestroy, &gone, {other.memPool}), 0); /* not the one in use */
    CHECK_INT(CALL(cudaDeviceGetMemPool, &current, {0}), 0);
    CHECK_INT(current.memPool, pool);
    /* What may be set, and what a new one says. */
    static const struct {
        int attr;
        uint64_t at_first, set, then;
        cudaError_t error;
    } attributes[] = {
        {cudaMemPoolReuseFollowEventDependencies, 1, 0, 0, 0},
        {cudaMemPoolReuseAllowOpportunistic, 1, 0, 0, 0},
        {cudaMemPoolReuseAllowInternalDependencies, 1, 0, 0, 0},
        {cudaMemPoolReuseFollowEventDependencies, 0, 5, 1, 0},
        {cudaMemPoolReuseAllowInternalDependencies, 0, 1, 1, 0},
        {cudaMemPoolAttrReleaseThreshold, 0, UINT64_MAX, UINT64_MAX, 0},
        {cudaMemPoolAttrReservedMemCurrent, 0, 0, 0, BAD},
        {cudaMemPoolAttrReservedMemHigh, 0, 1, 0, BAD}, /* it can be reset only */
        {cudaMemPoolAttrReservedMemHigh, 0, 0, 0, 0},
        {cudaMemPoolAttrUsedMemCurrent, 0, 0, 0, BAD},
        {cudaMemPoolAttrUsedMemHigh, 0, 1, 0, BAD},
        {cudaMemPoolAttrUsedMemHigh, 0, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        int attr = attributes[i].attr;
        printf("# attribute %d\n", attr);
        CHECK_INT(pool_value(pool, attr), attributes[i].at_first);
        CHECK_INT(CALL(MemPoolSet, &set, {pool, .attr = (uint64_t)attr, attributes[i].set}),
                  attributes[i].error);
        CHECK_INT(pool_value(pool, attr), attributes[i].then);
    }
    for (uint64_t attr = 0; attr < 10; attr += 9) {
        CHECK_INT(CALL(MemPoolGet, &got, {pool, .attr = attr}), BAD);
        CHECK_INT(CALL(MemPoolSet, &set, {pool, .attr = attr, 0}), BAD);
    }
    CHECK_INT(CALL(MemPoolGet, &got, {0, .attr = 1}), BAD);
    CHECK_INT(CALL(MemPoolSet, &set, {0, .attr = 1, 0}), BAD);
    /* Its own device always has access: read and write, no less. */
    static const cudaError_t flags[] = {BAD, BAD, BAD, 0, BAD};
    for (uint64_t f = 0; f < 5; f++)
        CHECK_INT(CALL(MemPoolAccess, &access, {pool, 0, f}), flags[f]);
    CHECK_INT(CALL(MemPoolAccess, &access, {0, 0, 3}), BAD);
    CHECK_INT(CALL(cudaMemPoolDestroy, &gone, {pool}), 0);
    CHECK_INT(CALL(cudaDeviceGetMemPool, &current, {0}), 0);
    CHECK_INT(current.memPool, own.memPool);
    CHECK_INT(CALL(cudaMemPoolDestroy, &gone, {pool}), BAD);
    end();
}

static void test_pool_memory(void) {
    enum { UNIT = 32 * MB };
    struct wire_out_cudaDeviceGetDefaultMemPool own = {0};
    struct wire_out_MallocAsync a = {.devPtr = 9}, b = {0};
    struct wire_out_FreeAsync none;
    struct wire_out_cudaMemPoolTrimTo trimmed;
    struct wire_out_cudaStreamSynchronize synced;
    struct wire_out_MemPoolSet set;
    const dev_record *r;
    start();
    const double taken = profile->malloc_us + larger(UNIT), given = profile->free_us + larger(UNIT);
    CHECK_INT(CALL(cudaDeviceGetDefaultMemPool, &own, {0}), 0);
    const uint64_t pool = own.memPool;
    TAKES(0, 0, HANDLE, MallocAsync, &a, {1, 0, 5});
    TAKES(0, 0, BAD, MallocAsync, &a, {1, pool + 77, 0});
    TAKES(0, 0, 0, MallocAsync, &a, {0, 0, 0});
    CHECK_INT(a.devPtr, 9);
    TAKES(0.56, 0, FULL, MallocAsync, &a, {(uint64_t)1 << 46, 0, 0});
    POOL(pool, 0, 0, 0, 0);
    size_t before = records(&r);
    TAKES(0.56 + taken, 1, 0, MallocAsync, &a, {1, 0, 0});
    LOGGED(before, MALLOC, "cudaMallocAsync", 1, SIM_OK);
    CHECK(since(__LINE__, before).pooled);
    POOL(pool, 1, 1, UNIT, UNIT);
    TAKES(0.56, 1, 0, MallocAsync, &b, {UNIT - 1, pool, 0}); /* it fits to the byte */
    POOL(pool, UNIT, UNIT, UNIT, UNIT);
    TAKES(0, 0, BAD, FreeAsync, &none, {b.devPtr + 1, 0});
    TAKES(0, 0, HANDLE, FreeAsync, &none, {b.devPtr, 5});
    TAKES(0, 0, 0, FreeAsync, &none, {0, 0});
    before = records(&r);
    TAKES(0.56, 1, 0, FreeAsync, &none, {b.devPtr, 0});
    LOGGED(before, FREE, "cudaFreeAsync", UNIT - 1, SIM_OK);
    CHECK(since(__LINE__, before).pooled);
    POOL(pool, 1, UNIT, UNIT, UNIT);
    TAKES(0, 0, BAD, FreeAsync, &none, {b.devPtr, 0});
    TAKES(0.56 + taken, 1, 0, MallocAsync, &b, {UNIT, 0, 0}); /* one more than it has */
    POOL(pool, UNIT + 1, UNIT + 1, 2 * UNIT, 2 * UNIT);
    CHECK_INT(CALL(FreeAsync, &none, {b.devPtr, 0}), 0);
    /* A trim keeps what is used, and whole pieces. */
    TAKES(0, 0, BAD, cudaMemPoolTrimTo, &trimmed, {pool + 77, 0});
    TAKES(0, 0, 0, cudaMemPoolTrimTo, &trimmed, {pool, 2 * UNIT});
    TAKES(0, 0, 0, cudaMemPoolTrimTo, &trimmed, {pool, UNIT + 1});
    POOL(pool, 1, UNIT + 1, 2 * UNIT, 2 * UNIT);
    TAKES(given, 0, 0, cudaMemPoolTrimTo, &trimmed, {pool, UNIT});
    TAKES(0, 0, 0, cudaMemPoolTrimTo, &trimmed, {pool, 0});
    POOL(pool, 1, UNIT + 1, UNIT, 2 * UNIT);
    /* The high marks start again from what is. */
    CHECK_INT(CALL(MemPoolSet, &set, {pool, cudaMemPoolAttrReservedMemHigh, 0}), 0);
    POOL(pool, 1, UNIT + 1, UNIT, UNIT);
    CHECK_INT(CALL(MemPoolSet, &set, {pool, cudaMemPoolAttrUsedMemHigh, 0}), 0);
    POOL(pool, 1, 1, UNIT, UNIT);
    /* Whoever waits gives back what is beyond the threshold. */
    CHECK_INT(CALL(MallocAsync, &b, {2 * UNIT, 0, 0}), 0);
    CHECK_INT(CALL(FreeAsync, &none, {b.devPtr, 0}), 0);
    POOL(pool, 1, 2 * UNIT + 1, 3 * UNIT, 3 * UNIT);
    CHECK_INT(CALL(MemPoolSet, &set, {pool, cudaMemPoolAttrReleaseThreshold, UNIT + 1}), 0);
    TAKES(2 + given, 1, 0, cudaStreamSynchronize, &synced, {0});
    POOL(pool, 1, 2 * UNIT + 1, 2 * UNIT, 3 * UNIT);
    CHECK_INT(CALL(MemPoolSet, &set, {pool, cudaMemPoolAttrReleaseThreshold, 0}), 0);
    TAKES(2 + given, 1, 0, cudaStreamSynchronize, &synced, {0});
    TAKES(2, 1, 0, cudaStreamSynchronize, &synced, {0});
    CHECK_INT(CALL(FreeAsync, &none, {a.devPtr, 0}), 0);
    TAKES(2 + given, 1, 0, cudaStreamSynchronize, &synced, {0});
    POOL(pool, 0, 2 * UNIT + 1, 0, 3 * UNIT);
    end();
}

/* ---- memory on the host */

static uint64_t host_alloc(uint64_t size, int managed, cudaError_t error) {
    struct wire_out_HostAlloc out = {0};
    spans(NULL, 0, NULL, 0);
    TAKES(error ? 0 : profile->malloc_us, !error, error, HostAlloc, &out,
          {size, .managed = (uint64_t)managed});
    if (!error) CHECK(out.bytes == size && k.fd >= 0);
    return out.address;
}

static void test_host(void) {
    struct wire_out_HostReady ready;
    struct wire_out_HostFree none;
    struct wire_out_HostRegister registered;
    struct wire_out_HostUnregister unregistered;
    const dev_record *r;
    start();
    host_alloc(0, 0, BAD);
    host_alloc(DEV_HOST_BYTES + 1, 0, FULL);
    /* In whole pages, with one between them; managed memory begins a group. */
    uint64_t a = host_alloc(1, 0, 0), b = host_alloc(PAGE, 0, 0), m = host_alloc(PAGE + 1, 1, 0),
             n = host_alloc(1, 0, 0);
    CHECK_INT(a, DEV_HOST_LOW);
    CHECK_INT(b - a, 2 * PAGE);
    CHECK_INT(m - a, GROUP);
    CHECK_INT(n - m, 3 * PAGE);
    size_t before = records(&r);
    CHECK_INT(host_alloc(GROUP, 1, 0) - a, 2 * GROUP);
    LOGGED(before, MALLOC, "cudaMallocManaged", GROUP, SIM_OK);
    before = records(&r);
    uint64_t gone = host_alloc(1, 0, 0);
    LOGGED(before, MALLOC, "cudaMallocHost", 1, SIM_OK);
    CHECK_INT(CALL(HostReady, &ready, {a + 1, 1}), BAD);
    CHECK_INT(CALL(HostReady, &ready, {a - 1, 1}), BAD);
    CHECK_INT(CALL(HostReady, &ready, {a, 1}), 0);
    CHECK_INT(CALL(HostReady, &ready, {a, 0}), 0); /* it is */
    CHECK_INT(CALL(HostReady, &ready, {m, 1}), 0);
    CHECK_INT(CALL(HostReady, &ready, {gone, 0}), FULL); /* the program could not map it */
    CHECK_INT(CALL(HostReady, &ready, {gone, 1}), BAD);
    TAKES(0, 0, BAD, HostFree, &none, {a + 1});
    before = records(&r);
    TAKES(profile->free_us, 1, 0, HostFree, &none, {a});
    LOGGED(before, FREE, "cudaFreeHost", 1, SIM_OK);
    TAKES(0, 0, BAD, HostFree, &none, {a});
    before = records(&r);
    TAKES(profile->free_us, 1, 0, HostFree, &none, {m});
    LOGGED(before, FREE, "cudaFree", PAGE + 1, SIM_OK);
    /* The program's own pages: where they begin, how many, and which bytes of them. */
    enum { AT = 0x10000000 };
    static const struct {
        uint64_t pages, size, address, bytes;
        cudaError_t error;
    } rows[] = {
        {AT + 1, PAGE, AT + 1, 1, BAD},
        {AT, PAGE + 1, AT, 1, BAD},
        {AT, PAGE, AT + PAGE, 1, BAD},
        {AT, PAGE, AT - 1, 1, BAD},
        {AT, PAGE, AT, 0, BAD},
        {AT, PAGE, AT, PAGE + 1, BAD},
        {AT, PAGE, AT + 1, PAGE, BAD},
        {AT, PAGE, AT + 1, UINT64_MAX, BAD},
        {AT, PAGE, AT + 1, PAGE - 1, 0},
        {AT, PAGE, AT, 1, 0}, /* before it */
        {AT + PAGE, PAGE, AT + PAGE, PAGE, 0},
        {AT, 2 * PAGE, AT, 2 * PAGE, cudaErrorHostMemoryAlreadyRegistered},
        {AT, 2 * PAGE, AT + PAGE - 1, 1, cudaErrorHostMemoryAlreadyRegistered},
        {DEV_HOST_LOW - PAGE, PAGE, DEV_HOST_LOW - PAGE, PAGE, 0},
        {DEV_HOST_LOW - 2 * PAGE, 2 * PAGE, DEV_HOST_LOW - 2 * PAGE, 2 * PAGE,
         cudaErrorHostMemoryAlreadyRegistered},
        {DEV_HOST_HIGH - PAGE, PAGE, DEV_HOST_HIGH - 1, 1, BAD},
        {DEV_ADDRESS_LOW, PAGE, DEV_ADDRESS_LOW, 1, BAD},
        {DEV_ADDRESS_HIGH - PAGE, PAGE, DEV_ADDRESS_HIGH - 1, 1, BAD},
        {DEV_ADDRESS_HIGH, PAGE, DEV_ADDRESS_HIGH, 1, 0},
        {(uint64_t)-PAGE, PAGE, (uint64_t)-PAGE, PAGE, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool wraps = rows[i].address + rows[i].bytes < rows[i].address;
        cudaError_t error = wraps ? BAD : rows[i].error;
        printf("# registered %zu\n", i);
        spans(NULL, 0, NULL, 0);
        TAKES(error ? 0 : profile->malloc_us, !error, error, HostRegister, &registered,
              {rows[i].pages, rows[i].size, rows[i].address, rows[i].bytes, 0});
    }
    CHECK_INT(CALL(HostReady, &ready, {AT + 1, 1}), 0);
    TAKES(0, 0, BAD, HostFree, &none, {AT + 1});
    TAKES(0, 0, cudaErrorHostMemoryNotRegistered, HostUnregister, &unregistered, {AT + 2, 0});
    TAKES(0, 0, cudaErrorHostMemoryNotRegistered, HostUnregister, &unregistered, {b, 0});
    TAKES(profile->free_us, 1, 0, HostUnregister, &unregistered, {AT + 1, 0});
    TAKES(0, 0, cudaErrorHostMemoryNotRegistered, HostUnregister, &unregistered, {AT + 1, 0});
    /* after the lab's function: no time, and the program has freed nothing */
    TAKES(profile->malloc_us, 1, 0, HostRegister, &registered,
          {AT + 64 * PAGE, PAGE, AT + 64 * PAGE, PAGE, 0});
    TAKES(0, 0, 0, HostUnregister, &unregistered, {AT + 64 * PAGE, 1});
    TAKES(0, 0, cudaErrorHostMemoryNotRegistered, HostUnregister, &unregistered,
          {AT + 64 * PAGE, 0});
    end();
}

/* ---- questions, and advice */

static void test_pointers(void) {
    struct wire_out_cudaPointerGetAttributes none;
    struct wire_out_Malloc a = {0};
    start();
    CHECK_INT(CALL(Malloc, &a, {256}), 0);
    const uint64_t h = host_alloc(16, 0, 0), m = host_alloc(16, 1, 0);
    const struct {
        uint64_t at;
        int type, device;
        bool on_device, on_host;
    } rows[] = {
        {0, cudaMemoryTypeUnregistered, -2, false, true},
        {0x1234, cudaMemoryTypeUnregistered, -2, false, true},
        {a.devPtr, cudaMemoryTypeDevice, 0, true, false},
        {a.devPtr + 255, cudaMemoryTypeDevice, 0, true, false},
        {a.devPtr + 256, cudaMemoryTypeUnregistered, -2, false, true},
        {a.devPtr - 1, cudaMemoryTypeUnregistered, -2, false, true},
        {h + 15, cudaMemoryTypeHost, 0, true, true},
        {m + 15, cudaMemoryTypeManaged, 0, true, true},
        {m + 16, cudaMemoryTypeUnregistered, -2, false, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct cudaPointerAttributes p;
        printf("# pointer %zu\n", i);
        spans(NULL, 0, NULL, 0);
        CHECK_INT(CALL(cudaPointerGetAttributes, &none, {rows[i].at}), 0);
        CHECK(k.outs == 1 && k.out[0].bytes == sizeof p);
        memcpy(&p, k.out[0].data, sizeof p);
        CHECK_INT(p.type, rows[i].type);
        CHECK_INT(p.device, rows[i].device);
        CHECK_INT((uintptr_t)p.devicePointer, rows[i].on_device ? rows[i].at : 0);
        CHECK_INT((uintptr_t)p.hostPointer, rows[i].on_host ? rows[i].at : 0);
    }
    end();
}

static void test_advice(void) {
    enum { DEVICE = cudaMemLocationTypeDevice, HOST = cudaMemLocationTypeHost };
    enum { NOWHERE = cudaErrorInvalidDevice };
    static const struct {
        int advice, where, id;
        uint64_t skip, bytes;
        cudaError_t error;
    } advice[] = {
        {0, DEVICE, 0, 0, GROUP, BAD},
        {7, DEVICE, 0, 0, GROUP, BAD},
        {1, DEVICE, 0, 0, 0, BAD},
        {0, DEVICE, 0, 0, 0, BAD},
        {1, DEVICE, 0, 1, GROUP, BAD},
        {1, DEVICE, 0, 0, GROUP, 0},
        {1, DEVICE, 9, 0, GROUP, 0}, /* of these no place is asked for */
        {2, 9, 9, 0, GROUP, 0},
        {4, 9, 9, 0, GROUP, 0},
        {3, DEVICE, 0, 0, GROUP, 0},
        {3, DEVICE, 1, 0, GROUP, NOWHERE},
        {3, DEVICE, 2, 0, GROUP, NOWHERE},
        {3, DEVICE, -1, 0, GROUP, NOWHERE},
        {3, HOST, 5, 0, GROUP, 0},
        {3, HOST + 2, 0, 0, GROUP, 0},
        {3, HOST + 3, 0, 0, GROUP, NOWHERE},
        {3, 0, 0, 0, GROUP, NOWHERE},
        {5, DEVICE, 0, 0, GROUP, 0},
        {5, DEVICE, 1, 0, GROUP, NOWHERE},
        {6, DEVICE, 1, 0, GROUP, NOWHERE},
        {6, DEVICE, 0, 0, GROUP, 0},
        {5, DEVICE, 0, GROUP - 1, 1, 0},
    };
    struct wire_out_MemAdvise none;
    struct wire_out_MemPrefetch moved;
    struct wire_out_MemRange asked = {0};
    struct wire_out_cudaStreamAttachMemAsync attached;
    struct wire_out_HostTouched touched;
    struct wire_out_HostReady ready;
    struct wire_out_Malloc device = {0};
    const dev_record *r;
    start();
    CHECK_INT(CALL(Malloc, &device, {GROUP}), 0);
    const uint64_t m = host_alloc(GROUP, 1, 0), h = host_alloc(GROUP, 0, 0);
    CHECK_INT(CALL(HostReady, &ready, {m, 1}), 0);
    for (size_t i = 0; i < sizeof advice / sizeof *advice; i++) {
        printf("# advice %zu\n", i);
        TAKES(0, 0, advice[i].error, MemAdvise, &none,
              {m + advice[i].skip, advice[i].bytes, (uint64_t)advice[i].advice,
               (uint64_t)advice[i].where, (uint64_t)advice[i].id});
    }
    TAKES(0, 0, BAD, MemAdvise, &none, {h, GROUP, 1, DEVICE, 0}); /* managed memory alone */
    TAKES(0, 0, BAD, MemAdvise, &none, {device.devPtr, GROUP, 1, DEVICE, 0});
    for (uint64_t attribute = 0; attribute < 10; attribute++)
        CHECK_INT(CALL(MemRange, &asked, {attribute, m, GROUP}),
                  attribute < 1 || attribute > 8 ? BAD : 0);
    CHECK_INT(CALL(MemRange, &asked, {1, m, 0}), BAD);
    CHECK_INT(CALL(MemRange, &asked, {0, m, 0}), BAD);
    CHECK_INT(CALL(MemRange, &asked, {1, m, GROUP + 1}), BAD);
    CHECK_INT(CALL(MemRange, &asked, {1, h, GROUP}), BAD);
    CHECK_INT(CALL(MemRange, &asked, {cudaMemRangeAttributeLastPrefetchLocation, m, GROUP}), 0);
    CHECK_INT((int)asked.value, -2);
    CHECK_INT(CALL(cudaStreamAttachMemAsync, &attached, {0, m, 0, 0}), 0);
    CHECK_INT(CALL(cudaStreamAttachMemAsync, &attached, {0, m, GROUP, 0}), 0);
    CHECK_INT(CALL(cudaStreamAttachMemAsync, &attached, {0, m, GROUP + 1, 0}), BAD);
    CHECK_INT(CALL(cudaStreamAttachMemAsync, &attached, {0, m + GROUP, 0, 0}), BAD);
    CHECK_INT(CALL(cudaStreamAttachMemAsync, &attached, {5, m, 0, 0}), HANDLE);
    /* Prefetches: a call's price, and what was not there yet. */
    const double call = profile->launch_us;
    TAKES(0, 0, HANDLE, MemPrefetch, &moved, {m, GROUP, DEVICE, 0, 5});
    TAKES(0, 0, BAD, MemPrefetch, &moved, {m, 0, DEVICE, 0, 0});
    TAKES(0, 0, BAD, MemPrefetch, &moved, {h, GROUP, DEVICE, 0, 0});
    TAKES(0, 0, NOWHERE, MemPrefetch, &moved, {m, GROUP, DEVICE, 1, 0});
    TAKES(0, 0, NOWHERE, MemPrefetch, &moved, {m, GROUP, 0, 0, 0});
    uint8_t bit = 1;
    spans(&bit, 1, NULL, 0); /* the host has it now: nothing moved for that */
    CHECK_INT(CALL(HostTouched, &touched, {m}), 0);
    size_t before = records(&r);
    double from = now();
    TAKES(call, 1, 0, MemPrefetch, &moved, {m, GROUP, DEVICE, 0, 0});
    dev_record one = since(__LINE__, before);
    const dev_moved in = {.in = GROUP}, out = {.out = GROUP};
    CHECK_INT(one.op, DEV_OP_PAGES_IN);
    CHECK(one.bytes == GROUP && one.migrated_bytes == GROUP);
    CHECK_NEAR(one.start_us, from + call, 1e-6);
    CHECK_NEAR(one.end_us - one.start_us, dev_moved_us(profile, &in), 1e-6);
    double ends = one.end_us;
    TAKES(call, 0, 0, MemPrefetch, &moved, {m, GROUP, DEVICE, 0, 0}); /* it is there */
    CHECK_INT(CALL(MemRange, &asked, {cudaMemRangeAttributeLastPrefetchLocation, m, GROUP}), 0);
    CHECK_INT((int)asked.value, 0);
    before = records(&r);
    TAKES(call, 1, 0, MemPrefetch, &moved, {m, GROUP, HOST, 3, 0});
    one = since(__LINE__, before);
    CHECK_INT(one.op, DEV_OP_PAGES_OUT);
    CHECK(one.bytes == GROUP && one.migrated_bytes == GROUP);
    CHECK_NEAR(one.start_us, ends > now() ? ends : now(), 1e-6); /* in the stream's order */
    CHECK_NEAR(one.end_us - one.start_us, dev_moved_us(profile, &out), 1e-6);
    end();
}

/* ---- arrays */

enum { FLOAT = cudaChannelFormatKindFloat, SIGNED = cudaChannelFormatKindSigned };
enum { LAYERED = cudaArrayLayered, CUBE = cudaArrayCubemap, GATHER = cudaArrayTextureGather };
enum { SURFACE = cudaArraySurfaceLoadStore, FORMAT = cudaErrorInvalidChannelDescriptor };

static void test_arrays(void) {
    /* rows are 512 bytes apart, or a multiple of that */
    static const struct {
        struct cudaChannelFormatDesc f;
        uint64_t w, h, d, flags, bytes;
        cudaError_t error;
    } rows[] = {
        {{32, 0, 0, 0, FLOAT}, 1, 0, 0, 0, 512, 0},
        {{32, 0, 0, 0, FLOAT}, 128, 0, 0, 0, 512, 0},
        {{32, 0, 0, 0, FLOAT}, 129, 2, 0, 0, 2048, 0},
        {{32, 0, 0, 0, FLOAT}, 1, 3, 5, 0, 15 * 512, 0},
        {{8, 0, 0, 0, SIGNED}, 513, 1, 0, 0, 1024, 0},
        {{16, 16, 0, 0, FLOAT}, 129, 1, 0, 0, 1024, 0},
        {{32, 32, 32, 32, SIGNED}, 33, 1, 0, 0, 1024, 0},
        {{32, 32, 32, 32, SIGNED}, 32, 1, 0, 0, 512, 0},
        {{8, 0, 0, 0, FLOAT}, 1, 0, 0, 0, 0, FORMAT},
        {{24, 0, 0, 0, SIGNED}, 1, 0, 0, 0, 0, FORMAT},
        {{64, 0, 0, 0, SIGNED}, 1, 0, 0, 0, 0, FORMAT},
        {{8, 8, 8, 0, SIGNED}, 1, 0, 0, 0, 0, FORMAT},
        {{8, 16, 0, 0, SIGNED}, 1, 0, 0, 0, 0, FORMAT},
        {{8, 8, 16, 8, SIGNED}, 1, 0, 0, 0, 0, FORMAT},
        {{8, 8, 8, 16, SIGNED}, 1, 0, 0, 0, 0, FORMAT},
        {{32, 0, 0, 0, FLOAT + 1}, 1, 0, 0, 0, 0, FORMAT},
        {{32, 0, 0, 0, -1}, 1, 0, 0, 0, 0, FORMAT},
        {{8, 0, 0, 0, SIGNED}, 0, 0, 0, 0, 0, BAD},
        {{8, 0, 0, 0, SIGNED}, 131072, 0, 0, 0, 131072, 0},
        {{8, 0, 0, 0, SIGNED}, 131073, 0, 0, 0, 0, BAD},
        {{8, 0, 0, 0, SIGNED}, 1, 65536, 0, 0, 512 * 65536, 0},
        {{8, 0, 0, 0, SIGNED}, 1, 65537, 0, 0, 0, BAD},
        {{8, 0, 0, 0, SIGNED}, 1, 1, 16384, 0, 512 * 16384, 0},
        {{8, 0, 0, 0, SIGNED}, 1, 1, 16385, 0, 0, BAD},
        {{8, 0, 0, 0, SIGNED}, 1, 1, 2, LAYERED | SURFACE, 1024, 0},
        {{8, 0, 0, 0, SIGNED}, 1, 1, 0, 16, 0, BAD}, /* no such flag */
        {{8, 0, 0, 0, SIGNED}, 2, 2, 6, CUBE, 12 * 512, 0},
        {{8, 0, 0, 0, SIGNED}, 2, 3, 6, CUBE, 0, BAD},
        {{8, 0, 0, 0, SIGNED}, 2, 2, 0, CUBE, 0, BAD},
        {{8, 0, 0, 0, SIGNED}, 2, 2, 5, CUBE, 0, BAD},
        {{8, 0, 0, 0, SIGNED}, 2, 2, 12, CUBE, 0, BAD},
        {{8, 0, 0, 0, SIGNED}, 2, 2, 12, CUBE | LAYERED, 24 * 512, 0},
        {{8, 0, 0, 0, SIGNED}, 2, 2, 13, CUBE | LAYERED, 0, BAD},
        {{8, 0, 0, 0, SIGNED}, 2, 2, 0, GATHER, 1024, 0},
        {{8, 0, 0, 0, SIGNED}, 2, 0, 0, GATHER, 0, BAD},
        {{8, 0, 0, 0, SIGNED}, 2, 2, 1, GATHER, 0, BAD},
    };
    struct wire_out_ArrayCreate made = {0};
    struct wire_out_ArrayInfo info;
    struct wire_out_cudaFreeArray none;
    const dev_record *r;
    start();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        printf("# array %zu\n", i);
        spans(&rows[i].f, sizeof rows[i].f, NULL, 0);
        size_t before = records(&r);
        bool ok = !rows[i].error;
        TAKES(ok ? profile->malloc_us : 0, ok, rows[i].error, ArrayCreate, &made,
              {rows[i].w, rows[i].h, rows[i].d, rows[i].flags});
        if (!ok) continue;
        LOGGED(before, MALLOC, "cudaMallocArray", rows[i].bytes, SIM_OK);
        CHECK_INT(c->memory.device[0].bytes, rows[i].bytes);
        spans(NULL, 0, NULL, 0);
        CHECK_INT(CALL(ArrayInfo, &info, {made.array}), 0);
        CHECK(info.width == rows[i].w && info.height == rows[i].h && info.depth == rows[i].d &&
              info.flags == rows[i].flags);
        CHECK(k.outs == 1 && k.out[0].bytes == sizeof rows[i].f &&
              !memcmp(k.out[0].data, &rows[i].f, sizeof rows[i].f));
        before = records(&r);
        TAKES(profile->free_us, 1, 0, cudaFreeArray, &none, {made.array});
        LOGGED(before, FREE, "cudaFreeArray", rows[i].bytes, SIM_OK);
        CHECK_INT(c->memory.device[0].bytes, 0);
    }
    TAKES(0, 0, cudaErrorContextIsDestroyed, cudaFreeArray, &none, {made.array});
    TAKES(0, 0, 0, cudaFreeArray, &none, {0});
    CHECK_INT(CALL(ArrayInfo, &info, {made.array}), HANDLE);
    spans(&rows[0].f, sizeof rows[0].f - 1, NULL, 0);
    TAKES(0, 0, BAD, ArrayCreate, &made, {1, 0, 0, 0});
    end();
}

/* "clamped to the range [1, 1 + floor(log2(max(width, height, depth)))]"; layers do not shrink. */
static void test_mipmaps(void) {
    static const struct cudaChannelFormatDesc bytes = {8, 0, 0, 0, SIGNED};
    static const struct {
        uint64_t w, h, d, flags, asked, levels, bytes;
    } rows[] = {
        {1, 0, 0, 0, 5, 1, 512},
        {2, 0, 0, 0, 0, 1, 512},
        {2, 0, 0, 0, 1, 1, 512},
        {2, 0, 0, 0, 5, 2, 1024},
        {3, 0, 0, 0, 5, 2, 1024},
        {4, 0, 0, 0, 3, 3, 3 * 512},
        {4, 0, 0, 0, 2, 2, 2 * 512},
        {4, 7, 0, 0, 9, 3, (7 + 3 + 1) * 512},
        {4, 8, 0, 0, 9, 4, (8 + 4 + 2 + 1) * 512},
        {1, 1, 4, 0, 9, 3, (4 + 2 + 1) * 512},
        {1, 1, 4, LAYERED, 9, 1, 4 * 512},
        {2, 2, 6, CUBE, 9, 2, (12 + 6) * 512},
        {1024, 2, 0, 0, 99, 11, (2 * 1024 + 9 * 512) + 512},
    };
    struct wire_out_MipmapCreate made = {0};
    struct wire_out_cudaGetMipmappedArrayLevel level = {0}, again = {0};
    struct wire_out_cudaFreeMipmappedArray none;
    struct wire_out_cudaFreeArray freed;
    struct wire_out_ArrayInfo info;
    const dev_record *r;
    start();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        printf("# mipmap %zu\n", i);
        spans(&bytes, sizeof bytes, NULL, 0);
        size_t before = records(&r);
        TAKES(profile->malloc_us, 1, 0, MipmapCreate, &made,
              {rows[i].w, rows[i].h, rows[i].d, rows[i].asked, rows[i].flags});
        LOGGED(before, MALLOC, "cudaMallocMipmappedArray", rows[i].bytes, SIM_OK);
        CHECK_INT(c->memory.device[0].bytes, rows[i].bytes);
        const dev_mipmap *all = dev_object(c, made.mipmap, DEV_MIPMAP);
        CHECK(all && all->levels == rows[i].levels);
        uint64_t at = all ? all->all.base : 0;
        for (unsigned n = 0; n < rows[i].levels; n++) {
            CHECK_INT(CALL(cudaGetMipmappedArrayLevel, &level, {made.mipmap, n}), 0);
            CHECK_INT(CALL(cudaGetMipmappedArrayLevel, &again, {made.mipmap, n}), 0);
            CHECK_INT(level.levelArray, again.levelArray);
            spans(NULL, 0, NULL, 0);
            CHECK_INT(CALL(ArrayInfo, &info, {level.levelArray}), 0);
            bool layers = rows[i].flags & (LAYERED | CUBE);
            CHECK_INT(info.width, rows[i].w >> n ? rows[i].w >> n : 1);
            CHECK_INT(info.height, rows[i].h >> n ? rows[i].h >> n : rows[i].h > 0);
            CHECK_INT(info.depth, layers           ? rows[i].d
                                  : rows[i].d >> n ? rows[i].d >> n
                                                   : rows[i].d > 0);
            const dev_array *a = dev_object(c, level.levelArray, DEV_ARRAY);
            CHECK(a && a->base == at && a->level);
            at += a ? a->bytes : 0;
            TAKES(0, 0, BAD, cudaFreeArray, &freed, {level.levelArray});
        }
        CHECK_INT(at - (all ? all->all.base : 0), rows[i].bytes);
        CHECK_INT(CALL(cudaGetMipmappedArrayLevel, &level, {made.mipmap, rows[i].levels}), BAD);
        before = records(&r);
        TAKES(profile->free_us, 1, 0, cudaFreeMipmappedArray, &none, {made.mipmap});
        LOGGED(before, FREE, "cudaFreeMipmappedArray", rows[i].bytes, SIM_OK);
        CHECK_INT(c->memory.device[0].bytes, 0);
        CHECK_INT(CALL(ArrayInfo, &info, {again.levelArray}), HANDLE);
    }
    TAKES(0, 0, cudaErrorContextIsDestroyed, cudaFreeMipmappedArray, &none, {made.mipmap});
    TAKES(0, 0, 0, cudaFreeMipmappedArray, &none, {0});
    CHECK_INT(CALL(cudaGetMipmappedArrayLevel, &level, {made.mipmap, 0}), HANDLE);
    spans(&bytes, sizeof bytes, NULL, 0);
    TAKES(0, 0, BAD, MipmapCreate, &made, {0, 0, 0, 1, 0});
    spans(&bytes, sizeof bytes - 1, NULL, 0);
    TAKES(0, 0, BAD, MipmapCreate, &made, {4, 0, 0, 1, 0});
    end();
}

/* ---- streams and events */

static void test_streams(void) {
    static const struct {
        int flags, priority, then;
        cudaError_t error;
    } rows[] = {{0, 0, 0, 0},   {0, 1, 0, 0},   {1, -1, -1, 0}, {1, -5, -5, 0},
                {0, -6, -5, 0}, {2, 0, 0, BAD}, {-1, 0, 0, BAD}};
    struct wire_out_cudaStreamCreateWithPriority s = {0};
    struct wire_out_cudaStreamGetPriority priority;
    struct wire_out_cudaStreamGetFlags flags;
    struct wire_out_cudaStreamGetDevice device;
    struct wire_out_cudaStreamGetId id;
    struct wire_out_cudaStreamGetAttribute none;
    struct wire_out_cudaStreamSetAttribute set;
    struct wire_out_cudaStreamCopyAttributes copied;
    struct wire_out_cudaStreamDestroy gone;
    struct wire_out_cudaStreamSynchronize synced;
    struct wire_out_cudaStreamQuery asked;
    struct wire_out_cudaDeviceSynchronize all;
    struct wire_out_cudaDeviceGetStreamPriorityRange range;
    cudaLaunchAttributeValue v = {0}, got;
    const dev_record *r;
    uint64_t last = 0;
    start();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        printf("# stream %zu\n", i);
        double from = now();
        TAKES(rows[i].error ? 0 : 1, 0, rows[i].error, cudaStreamCreateWithPriority, &s,
              {(uint64_t)rows[i].flags, (uint64_t)rows[i].priority});
        if (rows[i].error) continue;
        const dev_stream *made = dev_object(c, s.pStream, DEV_STREAM);
        CHECK(made && made->ready == from);
        CHECK_INT(CALL(cudaStreamGetPriority, &priority, {s.pStream}), 0);
        CHECK_INT((int)priority.priority, rows[i].then);
        CHECK_INT(CALL(cudaStreamGetFlags, &flags, {s.pStream}), 0);
        CHECK_INT(flags.flags, rows[i].flags);
        CHECK_INT(CALL(cudaStreamGetDevice, &device, {s.pStream}), 0);
        CHECK_INT(device.device, 0);
        CHECK_INT(CALL(cudaStreamGetId, &id, {s.pStream}), 0);
        CHECK(id.streamId > last); /* each its own, and none the default stream's */
        last = id.streamId;
    }
    CHECK_INT(CALL(cudaDeviceGetStreamPriorityRange, &range, {}), 0);
    CHECK((int)range.leastPriority == 0 && (int)range.greatestPriority == -5);
    CHECK_INT(CALL(cudaStreamGetPriority, &priority, {5}), HANDLE);
    /* Attributes: kept as set, but for the priority, which is what the stream has. */
    for (uint64_t attr = 1; attr < 17; attr += 15 - (attr == 1)) {
        v.syncPolicy = (int)attr + 40;
        spans(&v, sizeof v, NULL, 0);
        CHECK_INT(CALL(cudaStreamSetAttribute, &set, {s.pStream, attr}), attr < 16 ? 0 : BAD);
        CHECK_INT(CALL(cudaStreamCopyAttributes, &copied, {0, s.pStream}), 0);
        spans(NULL, 0, NULL, 0);
        CHECK_INT(CALL(cudaStreamGetAttribute, &none, {0, attr}), attr < 16 ? 0 : BAD);
        if (attr >= 16) continue;
        CHECK(k.outs == 1 && k.out[0].bytes == sizeof got);
        memcpy(&got, k.out[0].data, sizeof got);
        CHECK_INT(got.syncPolicy, attr + 40);
    }
    spans(&v, sizeof v - 1, NULL, 0);
    CHECK_INT(CALL(cudaStreamSetAttribute, &set, {s.pStream, 1}), BAD);
    spans(NULL, 0, NULL, 0);
    CHECK_INT(CALL(cudaStreamGetAttribute, &none, {s.pStream, cudaLaunchAttributePriority}), 0);
    memcpy(&got, k.out[0].data, sizeof got);
    CHECK_INT(got.priority, -5);
    CHECK_INT(CALL(cudaStreamCopyAttributes, &copied, {5, 0}), HANDLE);
    CHECK_INT(CALL(cudaStreamCopyAttributes, &copied, {0, 5}), HANDLE);
    /* To wait is to be where its work ends, and 2 us. */
    dev_stream *work = dev_object(c, s.pStream, DEV_STREAM);
    work->ready = now() + 100;
    size_t before = records(&r);
    TAKES(102, 1, 0, cudaStreamSynchronize, &synced, {s.pStream});
    LOGGED(before, SYNC, NULL, 0, SIM_OK);
    TAKES(2, 1, 0, cudaStreamSynchronize, &synced, {s.pStream});
    TAKES(0, 0, HANDLE, cudaStreamSynchronize, &synced, {5});
    work->ready = now() + 50;
    TAKES(50, 0, 0, cudaStreamQuery, &asked, {s.pStream});
    TAKES(0, 0, HANDLE, cudaStreamQuery, &asked, {5});
    work->ready = now() + 30;
    TAKES(32, 1, 0, cudaDeviceSynchronize, &all, {});
    /* What a stream had under way goes on without it. */
    double ends = work->ready = now() + 70;
    TAKES(0, 0, 0, cudaStreamDestroy, &gone, {s.pStream});
    CHECK_NEAR(c->times.engine[0].tail, ends, 0);
    CHECK_NEAR(dev_stream_default(c, 0)->ready, ends, 0); /* it was a blocking one */
    TAKES(0, 0, HANDLE, cudaStreamDestroy, &gone, {s.pStream});
    TAKES(72, 1, 0, cudaDeviceSynchronize, &all, {});
    CHECK_INT(CALL(cudaStreamCreateWithPriority, &s, {1, 0}), 0);
    work = dev_object(c, s.pStream, DEV_STREAM);
    work->ready = now() + 90;
    TAKES(0, 0, 0, cudaStreamDestroy, &gone, {s.pStream});
    CHECK_NEAR(dev_stream_default(c, 0)->ready, ends, 0); /* that one was not */
    TAKES(92, 1, 0, cudaDeviceSynchronize, &all, {});
    end();
}

static uint64_t event(unsigned flags) {
    struct wire_out_cudaEventCreateWithFlags e = {0};
    CHECK_INT(CALL(cudaEventCreateWithFlags, &e, {flags}), 0);
    return e.event;
}

static void test_events(void) {
    struct wire_out_cudaEventCreateWithFlags made;
    struct wire_out_cudaEventCreate plain = {0};
    struct wire_out_cudaEventRecord recorded;
    struct wire_out_cudaEventRecordWithFlags flagged;
    struct wire_out_cudaEventQuery asked;
    struct wire_out_cudaEventSynchronize synced;
    struct wire_out_cudaEventDestroy gone;
    struct wire_out_cudaStreamWaitEvent waited;
    struct wire_out_cudaStreamCreate made_stream = {0};
    struct wire_out_EventElapsed elapsed;
    const dev_record *r;
    float ms;
    start();
    /* An event of several processes has no timing. */
    static const cudaError_t flags[9] = {[4] = BAD, [5] = BAD, [8] = BAD};
    for (uint64_t f = 0; f < 9; f++) TAKES(0, 0, flags[f], cudaEventCreateWithFlags, &made, {f});
    CHECK_INT(CALL(cudaEventCreate, &plain, {}), 0);
    const uint64_t a = plain.event, b = event(0), untimed = event(cudaEventDisableTiming);
    CHECK_INT(CALL(cudaStreamCreate, &made_stream, {}), 0);
    const uint64_t stream = made_stream.pStream;
    dev_stream *s = dev_object(c, stream, DEV_STREAM);
    /* One that was not recorded has happened, and has no time. */
    TAKES(0, 0, 0, cudaEventQuery, &asked, {a});
    TAKES(2, 1, 0, cudaEventSynchronize, &synced, {a});
    TAKES(0, 0, 0, cudaStreamWaitEvent, &waited, {stream, a, 0});
    CHECK_INT(CALL(EventElapsed, &elapsed, {a, b}), HANDLE);
    TAKES(0, 0, HANDLE, cudaEventRecord, &recorded, {a, 5});
    TAKES(0, 0, HANDLE, cudaEventRecord, &recorded, {5, 0});
    s->ready = now() + 1000;
    double first = s->ready;
    TAKES(1, 0, 0, cudaEventRecord, &recorded, {a, stream});
    CHECK_INT(CALL(EventElapsed, &elapsed, {a, b}), HANDLE);
    CHECK_INT(CALL(EventElapsed, &elapsed, {b, a}), HANDLE);
    TAKES(0, 0, BAD, cudaEventRecordWithFlags, &flagged, {b, stream, 2});
    s->ready += 2500;
    TAKES(1, 0, 0, cudaEventRecordWithFlags, &flagged, {b, stream, 1});
    TAKES(1, 0, 0, cudaEventRecord, &recorded, {untimed, stream});
    CHECK_INT(CALL(EventElapsed, &elapsed, {a, b}), 0);
    uint32_t bits = (uint32_t)elapsed.bits;
    memcpy(&ms, &bits, sizeof ms);
    CHECK_NEAR(ms, 2.5, 1e-6);
    CHECK_INT(CALL(EventElapsed, &elapsed, {b, a}), 0);
    bits = (uint32_t)elapsed.bits;
    memcpy(&ms, &bits, sizeof ms);
    CHECK_NEAR(ms, -2.5, 1e-6);
    CHECK_INT(CALL(EventElapsed, &elapsed, {a, untimed}), HANDLE);
    CHECK_INT(CALL(EventElapsed, &elapsed, {untimed, b}), HANDLE);
    CHECK_INT(CALL(EventElapsed, &elapsed, {a, 5}), HANDLE);
    CHECK_INT(CALL(EventElapsed, &elapsed, {5, b}), HANDLE);
    /* Another stream waits for it, and nobody for the one behind it. */
    CHECK_INT(CALL(cudaStreamCreate, &made_stream, {}), 0);
    const dev_stream *other = dev_object(c, made_stream.pStream, DEV_STREAM);
    TAKES(0, 0, BAD, cudaStreamWaitEvent, &waited, {made_stream.pStream, a, 2});
    TAKES(0, 0, HANDLE, cudaStreamWaitEvent, &waited, {5, a, 0});
    TAKES(0, 0, HANDLE, cudaStreamWaitEvent, &waited, {made_stream.pStream, 5, 0});
    TAKES(0, 0, 0, cudaStreamWaitEvent, &waited, {made_stream.pStream, a, 1});
    CHECK_NEAR(other->ready, first, 1e-6);
    /* To have seen it is to be where it happened. */
    CHECK_INT(CALL(cudaEventQuery, &asked, {a}), 0);
    CHECK_NEAR(now(), first, 1e-6);
    TAKES(0, 0, 0, cudaEventQuery, &asked, {a});
    TAKES(0, 0, HANDLE, cudaEventQuery, &asked, {5});
    size_t before = records(&r);
    TAKES(2502, 1, 0, cudaEventSynchronize, &synced, {b});
    LOGGED(before, SYNC, NULL, 0, SIM_OK);
    TAKES(0, 0, HANDLE, cudaEventSynchronize, &synced, {5});
    CHECK_INT(CALL(cudaEventDestroy, &gone, {a}), 0);
    CHECK_INT(CALL(cudaEventDestroy, &gone, {a}), HANDLE);
    CHECK_INT(CALL(EventElapsed, &elapsed, {a, b}), HANDLE);
    end();
}

/* A function of the program in a stream: it holds up what comes behind it until the program says
 * so. */
static void test_services(void) {
    struct wire_out_HostFunction none;
    struct wire_out_Service served = {.what = 77};
    struct wire_out_cudaStreamQuery asked;
    struct wire_out_cudaStreamCreate made = {0};
    const dev_record *r;
    start();
    spans(NULL, 0, NULL, 0);
    CHECK_INT(CALL(cudaStreamCreate, &made, {}), 0);
    const uint64_t stream = made.pStream;
    dev_stream *s = dev_object(c, stream, DEV_STREAM);
    TAKES(0, 0, 0, Service, &served, {0});
    CHECK_INT(served.what, 77); /* there is none */
    TAKES(0, 0, HANDLE, HostFunction, &none, {5, 1, 2, 0});
    TAKES(profile->launch_us, 0, 0, HostFunction, &none, {stream, 0x1111, 0x2222, 0});
    TAKES(profile->launch_us, 0, 0, HostFunction, &none, {stream, 0x3333, 0x4444, 1});
    TAKES(0, 0, cudaErrorNotReady, cudaStreamQuery, &asked, {stream});
    size_t before = records(&r);
    s->ready = now() + 40;
    TAKES(40, 1, 0, Service, &served, {0}); /* what is before it is over */
    LOGGED(before, HOST, NULL, 0, SIM_OK);
    CHECK(served.what == WIRE_SERVE_FUNCTION && served.fn == 0x1111 && served.data == 0x2222);
    CHECK(served.status == 0 && served.id);
    uint64_t id = served.id;
    served.what = 77;
    TAKES(0, 0, 0, Service, &served, {0}); /* it is given once */
    TAKES(0, 0, 0, Service, &served, {id + 1});
    CHECK_INT(served.what, 77);
    *dev_clock(c, 0) += 9; /* what the function took */
    double then = now();
    TAKES(0, 1, 0, Service, &served, {id});
    CHECK_NEAR(s->ready, then, 1e-6);
    CHECK(served.what == WIRE_SERVE_CALLBACK && served.fn == 0x3333 && served.data == 0x4444);
    CHECK(served.stream == stream && served.id != id);
    TAKES(0, 0, cudaErrorNotReady, cudaStreamQuery, &asked, {stream});
    served.what = 77;
    TAKES(0, 0, 0, Service, &served, {served.id});
    CHECK_INT(served.what, 77);
    TAKES(0, 0, 0, cudaStreamQuery, &asked, {stream});
    end();
}

/* ---- copies */

static wire_copy copy_of(uint64_t to, uint64_t from, uint64_t bytes, bool to_device) {
    wire_copy w = {.width = bytes, .height = 1, .depth = 1, .kind = to_device ? 1 : 2};
    w.to = (wire_place){.at = to_device ? WIRE_AT_POINTER : WIRE_AT_PAGEABLE,
                        .device = -1,
                        .address = to,
                        .pitch = bytes,
                        .rows = 1};
    w.from = (wire_place){.at = to_device ? WIRE_AT_PAGEABLE : WIRE_AT_POINTER,
                          .device = -1,
                          .address = from,
                          .pitch = bytes,
                          .rows = 1};
    return w;
}
/* The last record is a copy of the program's own memory, in the default stream, and the call is
 * over with it. */
static void pageable(int line, size_t before, bool to_device, uint64_t bytes, double from) {
    dev_record r = since(line, before);
    double us =
        profile->memcpy_pageable_us +
        (double)bytes / (1e3 * (to_device ? profile->h2d_pageable_gbs : profile->d2h_pageable_gbs));
    bool ok = r.op == (to_device ? DEV_OP_H2D : DEV_OP_D2H) && r.pageable && r.bytes == bytes &&
              !r.stream && !r.status && !r.in_graph;
    check_that(ok, __FILE__, line, "the copy's record", "another");
    check_that(fabs(r.start_us - from) < 1e-6 && fabs(r.end_us - from - us) < 1e-6, __FILE__, line,
               "when it was", "another time");
    check_that(now() == r.end_us && dev_stream_default(c, 0)->ready == r.end_us, __FILE__, line,
               "the call is over with it", "it is not");
}
#define PAGEABLE(...) pageable(__LINE__, __VA_ARGS__)

static void test_copies(void) {
    enum { MOST = WIRE_INLINE_BYTES, THERE = 0x10000 };
    static uint8_t data[MOST + 1];
    struct wire_out_Copy out = {0};
    struct wire_out_CopyData none;
    struct wire_out_Window window;
    struct wire_out_Malloc a = {0};
    const dev_record *r;
    for (size_t i = 0; i < sizeof data; i++) data[i] = (uint8_t)(i * 7 + i / 256);
    start();
    CHECK_INT(CALL(Malloc, &a, {MB}), 0);
    wire_copy w = copy_of(a.devPtr, THERE, 100, true);
    /* What is no copy. */
    static const struct {
        int cut, kind, more;
        cudaError_t error;
    } rows[] = {{1, 1, 0, BAD},
                {0, 5, 0, cudaErrorInvalidMemcpyDirection},
                {0, 1, 1, BAD},
                {0, 1, -1, BAD}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        w.kind = (uint32_t)rows[i].kind;
        spans(&w, sizeof w - (size_t)rows[i].cut, data, (size_t)(100 + rows[i].more));
        TAKES(0, 0, rows[i].error, Copy, &out, {0});
    }
    spans(&w, sizeof w, data, 100);
    TAKES(0, 0, HANDLE, Copy, &out, {5});
    for (int i = 0; i < 3; i++) { /* of no bytes */
        wire_copy empty = w;
        *(i == 0 ? &empty.width : i == 1 ? &empty.height : &empty.depth) = 0;
        spans(&empty, sizeof empty, NULL, 0);
        TAKES(0, 0, 0, Copy, &out, {0});
    }
    w.to.address = a.devPtr + MB - 99;
    spans(&w, sizeof w, data, 100);
    TAKES(0, 0, BAD, Copy, &out, {0}); /* one byte beyond */
    /* With the message, there ... */
    w = copy_of(a.devPtr + 8, THERE, 100, true);
    w.kind = cudaMemcpyDefault;
    spans(&w, sizeof w, data, 100);
    size_t before = records(&r);
    double from = now();
    CHECK_INT(CALL(Copy, &out, {0}), 0);
    PAGEABLE(before, true, 100, from);
    CHECK(!out.stage && !k.outs && !c->window.copying);
    /* ... and back. */
    w = copy_of(THERE, a.devPtr + 8, 100, false);
    spans(&w, sizeof w, NULL, 0);
    before = records(&r);
    from = now();
    CHECK_INT(CALL(Copy, &out, {0}), 0);
    PAGEABLE(before, false, 100, from);
    CHECK(!out.stage && k.outs == 1 && k.out[0].bytes == 100 && !memcmp(k.out[0].data, data, 100));
    w = copy_of(THERE, a.devPtr, MOST, false); /* the most that goes with a message */
    spans(&w, sizeof w, NULL, 0);
    CHECK_INT(CALL(Copy, &out, {0}), 0);
    CHECK(!out.stage && k.outs == 1 && k.out[0].bytes == MOST);
    /* More goes through the window, piece by piece and in order. */
    w = copy_of(a.devPtr, THERE, MOST + 1, true);
    spans(&w, sizeof w, NULL, 0);
    TAKES(0, 0, 0, Copy, &out, {0});
    CHECK(out.stage == 1 && c->window.copying);
    TAKES(0, 0, BAD, CopyData, &none, {0, 10}); /* there is no window yet */
    CHECK_INT(CALL(Window, &window, {}), 0);
    spans(NULL, 0, NULL, 0);
    memcpy(c->window.at, data, 1000);
    TAKES(0, 0, BAD, CopyData, &none, {1, 10});
    TAKES(0, 0, BAD, CopyData, &none, {0, 0});
    TAKES(0, 0, BAD, CopyData, &none, {0, MOST + 2});
    TAKES(0, 0, 0, CopyData, &none, {0, 1000});
    TAKES(0, 0, BAD, CopyData, &none, {0, 10});
    TAKES(0, 0, BAD, CopyData, &none, {999, 10});
    TAKES(0, 0, BAD, CopyData, &none, {1001, 10});
    TAKES(0, 0, BAD, CopyData, &none, {1000, MOST + 2 - 1000});
    CHECK(c->window.copying);
    memcpy(c->window.at, data + 1000, MOST + 1 - 1000);
    before = records(&r);
    from = now();
    CHECK_INT(CALL(CopyData, &none, {1000, MOST + 1 - 1000}), 0);
    PAGEABLE(before, true, MOST + 1, from);
    CHECK(!c->window.copying);
    TAKES(0, 0, BAD, CopyData, &none, {0, 10});
    w = copy_of(THERE, a.devPtr, MOST + 1, false);
    spans(&w, sizeof w, NULL, 0);
    TAKES(0, 0, 0, Copy, &out, {0});
    CHECK(out.stage == 1 && !k.outs);
    before = records(&r);
    from = now();
    CHECK_INT(CALL(CopyData, &none, {0, MOST + 1}), 0);
    PAGEABLE(before, false, MOST + 1, from);
    CHECK(!memcmp(c->window.at, data, MOST + 1));
    /* Between two places of the program's own it only waits its turn. */
    w = copy_of(THERE, THERE, 64, true);
    w.to.at = WIRE_AT_PAGEABLE;
    spans(&w, sizeof w, NULL, 0);
    before = records(&r);
    out.stage = 0;
    TAKES(0, 1, 0, Copy, &out, {0});
    LOGGED(before, HOST, NULL, 64, SIM_OK);
    CHECK_INT(out.stage, 1);
    CHECK(!c->window.copying);
    end();
}

int main(void) {
    test_malloc();
    test_pool_handles();
    test_pool_memory();
    test_host();
    test_pointers();
    test_advice();
    test_arrays();
    test_mipmaps();
    test_streams();
    test_events();
    test_services();
    test_copies();
    return check_done();
}
