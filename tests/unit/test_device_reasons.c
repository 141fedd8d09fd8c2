/* What fails says why: where a sentence ends in ": " and a reason, the reason is there, in both
 * languages. Memory runs out at each allocation in turn, descriptors run out, a client has used up
 * what it may hold. */
#include "runner/device/server/core/client.h"
#include "runner/device/server/core/budget.h"
#include "runner/device/server/gpu/gpu_device.h"
#include "runner/device/server/gpu/gpu_process.h"
#include "calls_fixture.h"
#include "fatbin_fixture.h"

#include <string.h>
#include <sys/resource.h>
#include "tests/said.h"

#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
#define STARVES 1
/* libc's, but this many more in this thread: the next one gets none. < 0: any number. */
static _Thread_local int allocations = -1;
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t size);
static bool refused(void) {
    return allocations >= 0 && allocations-- == 0;
}
void *malloc(size_t size) {
    return refused() ? NULL : __libc_malloc(size);
}
void *calloc(size_t n, size_t size) {
    return refused() ? NULL : __libc_calloc(n, size);
}
void *realloc(void *p, size_t size) {
    return refused() ? NULL : __libc_realloc(p, size);
}
#endif

static const char text[] = ".version 7.8\n.target sm_75\n.address_size 64\n"
                           ".global .align 8 .b8 known[24];\n"
                           ".visible .entry plain() { ret; }\n";

static bool has_reason(const lib_message *m) {
    return m->id;
}
/* What comes behind the colon. */
static bool ends_in_reason(const lib_message *m) {
    const char *en = strstr(said(m), ": "), *zh = strstr(said_zh(m), "：");
    return en && en[2] && zh && zh[strlen("：")];
}

static uint64_t module_begin(void) {
    size_t bytes;
    fatbin_file *f = fatbin_of(text, sizeof text, &bytes);
    struct wire_out_ModuleBegin m = {0};
    struct wire_out_ModuleData data;
    CHECK_INT(CALL(ModuleBegin, &m, {bytes}), 0);
    spans(f, bytes, NULL, 0);
    CHECK_INT(CALL(ModuleData, &data, {m.module}), 0);
    free(f);
    return m.module;
}

#if STARVES
/* A client that there is no memory for. */
static void test_client(void) {
    int at = 0;
    CHECK(begin());
    for (dev_client *other = NULL; !other && at < 100; at++) {
        lib_message msg = {0};
        int pair[2];
        CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
        allocations = at;
        other = dev_client_new(session, pair[0], &msg);
        allocations = -1;
        CHECK(other ? !lib_message_any(&msg) : has_reason(&msg));
        dev_client_free(other);
        close(pair[1]);
    }
    CHECK(at > 4); /* the client, two buffers, a stream */
    end();
}

static void test_module(void) {
    unsigned failed = 0;
    bool all = false; /* there were fewer allocations than that */
    for (int at = 0; !all && at < 1000; at++) {
        struct wire_out_ModuleLoad loaded;
        CHECK(begin());
        uint64_t module = module_begin();
        allocations = at;
        cudaError_t e = CALL(ModuleLoad, &loaded, {module});
        all = allocations >= 0;
        allocations = -1;
        failed += e != 0;
        if (!CHECK(!e || ends_in_reason(&k.note)))
            printf("# allocation %d: %s\n", at, said(&k.note));
        end();
    }
    CHECK(all && failed > 4);
}
#endif

/* All that the client may hold is what the module takes, less a byte. */
static void test_room(void) {
    struct wire_out_ModuleLoad loaded;
    CHECK(begin());
    uint64_t module = module_begin(), before = c->budget.held;
    CHECK_INT(CALL(ModuleLoad, &loaded, {module}), 0);
    uint64_t taken = c->budget.held - before;
    CHECK(taken > 1000);
    end();
    CHECK(begin());
    module = module_begin();
    c->budget.limit = c->budget.held + taken - 1;
    CHECK_INT(CALL(ModuleLoad, &loaded, {module}), cudaErrorMemoryAllocation);
    CHECK(ends_in_reason(&k.note));
    end();
}

/* The GPU's helper is another process, to which a socket leads; a module travels in a memory
 * file. */
static void test_descriptors(void) {
    struct rlimit was, few = {0};
    lib_message msg = {0};
    sim_status status = SIM_OK;
    CHECK(!getrlimit(RLIMIT_NOFILE, &was));
    few.rlim_max = was.rlim_max;
    setenv("WARPLAB_GPU_HELPER", "/bin/true", 1);
    CHECK(!setrlimit(RLIMIT_NOFILE, &few));
    char *list = gpu_process_list(&msg);
    CHECK(!list && has_reason(&msg));
    gpu_process p = {.path = NULL};
    msg = (lib_message){0};
    CHECK(!gpu_process_start(&p, &msg) && has_reason(&msg));
    msg = (lib_message){0};
    CHECK(!dev_gpu_module_new(NULL, text, sizeof text, NULL, &status, &msg));
    CHECK(status == SIM_NOMEM && has_reason(&msg));
    CHECK(!setrlimit(RLIMIT_NOFILE, &was));
    msg = (lib_message){0};
    CHECK(!dev_gpu_module_new(NULL, text, 0, NULL, &status, &msg));
    CHECK(status == SIM_NOT_FOUND && has_reason(&msg));
}

int main(void) {
#if STARVES
    test_client();
    test_module();
#endif
    test_room();
    test_descriptors();
    return check_done();
}
