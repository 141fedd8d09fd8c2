/* One budget for what a client makes the server hold: whatever kind it asks for, and however often,
 * the server's memory grows by no more than the client may take, and the calls past it answer
 * cudaErrorMemoryAllocation; buffers that were set aside stay to be had; and when the client goes,
 * all of it comes back. */
#include "runner/base/message.h"
#include "tests/check.h"
#include "tests/said.h"
#include "tests/fuzz/fuzz_extreme.c"
#include "runner/device/server/core/client.h"

#include <stdio.h>

/* A client may take so much; what the server has besides it (buffers of a connection, a window,
 * queues, graphs and logs at an eighth each) is below the slack. */
#define CLIENT ((uint64_t)32 << 20)
#ifdef __SANITIZE_ADDRESS__
#define SLACK ((uint64_t)800 << 20) /* shadow, red zones, a quarantine of 256 MB that is kept */
#else
#define SLACK ((uint64_t)80 << 20)
#endif

static uint64_t status_kb(const char *what) {
    char line[256];
    uint64_t kb = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, what, strlen(what))) kb = strtoull(line + strlen(what) + 1, NULL, 10);
    if (f) fclose(f);
    return kb;
}
/* The peak counts from here on. */
static void peak_reset(void) {
    FILE *f = fopen("/proc/self/clear_refs", "w");
    if (f) fputs("5", f), fclose(f);
}

typedef struct {
    dev_session *s;
    dev_client *c;
    int fd;
    uint64_t refused, granted; /* answers */
    pthread_t reader;
    size_t have;
    uint8_t in[2 << 20];
} budget_test;

/* Reads replies, and cancels the session at that of Clock, which is the last of a batch. */
static void *answers(void *user) {
    budget_test *t = user;
    for (ssize_t k; (k = recv(t->fd, t->in + t->have, sizeof t->in - t->have, 0)) > 0;) {
        size_t used = 0;
        t->have += (size_t)k;
        for (;;) {
            wire_head h;
            uint64_t error;
            if (t->have - used < sizeof h) break;
            memcpy(&h, t->in + used, sizeof h);
            if (t->have - used < h.bytes) break;
            memcpy(&error, t->in + used + sizeof h, 8);
            used += h.bytes;
            if (h.op == WIRE_OP_Clock) {
                extreme_cancel = 1;
                continue;
            }
            if (error == cudaErrorMemoryAllocation) t->refused++;
            else if (!error) t->granted++;
        }
        memmove(t->in, t->in + used, t->have - used);
        t->have -= used;
    }
    return NULL;
}

static void *send_all(void *user) {
    const extreme_sender *x = user;
    for (size_t at = 0; at < x->n;) {
        ssize_t k = send(x->fd, x->bytes + at, x->n - at, MSG_NOSIGNAL);
        if (k <= 0) break;
        at += (size_t)k;
    }
    return NULL;
}

/* Sends what was written and serves it. */
static void serve(budget_test *t, writer *w) {
    lib_message msg;
    pthread_t sender;
    message_send(w, WIRE_OP_Clock, (uint64_t[1]){0}, NULL, 0, NULL, 0);
    extreme_sender out = {t->fd, w->at, w->n};
    extreme_cancel = 0;
    if (pthread_create(&sender, NULL, send_all, &out)) return;
    dev_event e = dev_client_run(t->c, 60, &msg);
    if (e != DEV_CANCELLED) {
        printf("# %s\n", said(&msg));
        CHECK_INT(e, DEV_CANCELLED);
        shutdown(t->fd, SHUT_RDWR);
    }
    pthread_join(sender, NULL);
    extreme_cancel = 0;
    w->n = 0;
}

/* Another client of the session. */
static bool connect_client(budget_test *t) {
    lib_message msg;
    int pair[2];
    if (!t->s || socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) return false;
    t->c = dev_client_new(t->s, pair[0], &msg);
    t->fd = pair[1], t->granted = t->refused = 0, t->have = 0;
    return t->c && !pthread_create(&t->reader, NULL, answers, t);
}
static void disconnect_client(budget_test *t) {
    dev_client_free(t->c);
    shutdown(t->fd, SHUT_RDWR);
    pthread_join(t->reader, NULL);
    close(t->fd);
}

static void begin(budget_test *t, uint64_t memory, uint64_t client) {
    dev_options o;
    lib_message msg;
    memset(t, 0, sizeof *t);
    dev_options_default(&o);
    o.ptxas = "";
    o.cancel = &extreme_cancel;
    o.sim.threads = 1, o.sim.memory_limit = memory;
    o.client_bytes = client;
    t->s = dev_session_new(&o, &msg);
    if (!t->s) printf("# %s\n", said(&msg));
    CHECK(connect_client(t));
    peak_reset();
}

static void end(budget_test *t, const char *what) {
    uint64_t peak = status_kb("VmHWM:");
    printf("# %s: %llu granted, %llu refused, peak %llu MiB\n", what,
           (unsigned long long)t->granted, (unsigned long long)t->refused,
           (unsigned long long)(peak >> 10));
    CHECK(t->granted > 0);
    CHECK(t->refused > 0);
    CHECK(peak << 10 < CLIENT + SLACK);
    uint64_t address;
    CHECK_INT(dev_alloc(t->s, CLIENT / 4, "set aside", &address), SIM_OK);
    disconnect_client(t);
    dev_session_free(t->s);
}

#define SEND(w, name, a, an, b, bn, ...)                                                           \
    message_send(w, WIRE_OP_##name, (uint64_t[WIRE_MAX_SCALARS]){__VA_ARGS__}, a, an, b, bn)

static uint8_t room[OUT_ROOM];

static wire_fill whole(uint64_t address, uint64_t bytes) {
    return (wire_fill){
        .to = {.at = WIRE_AT_POINTER, .device = -1, .address = address, .pitch = bytes, .rows = 1},
        .width = bytes,
        .height = 1,
        .depth = 1,
        .value = 1,
        .element = 1,
        .async = 1};
}

/* `count` requests of one kind, a few at a time; each may use its number. */
static void many(const char *what, unsigned count, void (*one)(writer *w, unsigned i)) {
    static budget_test t;
    writer w = {.at = room};
    begin(&t, 8 * CLIENT, CLIENT);
    prologue(&w);
    serve(&t, &w);
    for (unsigned i = 0; i < count; i++) {
        one(&w, i);
        if (w.n > 400000) serve(&t, &w);
    }
    serve(&t, &w);
    end(&t, what);
}

enum { PIECE = 1 << 20 };
static void device_memory(writer *w, unsigned i) {
    SEND(w, Malloc, NULL, 0, NULL, 0, PIECE);
    /* behind the array of prologue(), allocations of this size lie 64 KiB apart */
    wire_fill f = whole(DEVICE_AT + (256 << 10) + 65536 + i * (PIECE + 65536ull), PIECE);
    SEND(w, Fill, &f, sizeof f, NULL, 0, 0);
}
static void small_memory(writer *w, unsigned i) {
    (void)i;
    SEND(w, Malloc, NULL, 0, NULL, 0, 1);
}
static void pool_memory(writer *w, unsigned i) {
    (void)i;
    SEND(w, MallocAsync, NULL, 0, NULL, 0, 4 * PIECE, 0, 0);
}
static void host_memory(writer *w, unsigned i) {
    uint64_t at = 0x2d0000000000 + (1 << 20) + 4096 + i * (PIECE + 4096ull);
    SEND(w, HostAlloc, NULL, 0, NULL, 0, PIECE, 0, i % 2);
    SEND(w, HostReady, NULL, 0, NULL, 0, at, 1);
    wire_fill f = whole(at, PIECE);
    SEND(w, Fill, &f, sizeof f, NULL, 0, 0);
}
static void events(writer *w, unsigned i) {
    (void)i;
    SEND(w, cudaEventCreate, NULL, 0, NULL, 0, 0);
}
static void streams(writer *w, unsigned i) {
    (void)i;
    SEND(w, cudaStreamCreate, NULL, 0, NULL, 0, 0);
}
static void arrays(writer *w, unsigned i) {
    struct cudaChannelFormatDesc d = {32, 0, 0, 0, cudaChannelFormatKindFloat};
    (void)i;
    SEND(w, ArrayCreate, &d, sizeof d, NULL, 0, 512, 512, 0, 0);
}
static void heap(writer *w, unsigned i) {
    SEND(w, cudaDeviceSetLimit, NULL, 0, NULL, 0, cudaLimitMallocHeapSize,
         ((uint64_t)16 << 20) + i * ((uint64_t)64 << 20));
}
static void nodes(writer *w, unsigned i) {
    wire_fill f = whole(DEVICE_AT, 4);
    (void)i;
    SEND(w, GraphAdd, NULL, 0, &f, sizeof f, extreme_handle(K_GRAPH, AT_GRAPH),
         cudaGraphNodeTypeMemset);
}
static void clones(writer *w, unsigned i) {
    if (i < 500) nodes(w, i);
    else SEND(w, GraphClone, NULL, 0, NULL, 0, extreme_handle(K_GRAPH, AT_GRAPH));
}
static void instances(writer *w, unsigned i) {
    if (i < 500) nodes(w, i);
    else SEND(w, GraphInstantiate, NULL, 0, NULL, 0, extreme_handle(K_GRAPH, AT_GRAPH), 0);
}
/* Work behind a host function that nobody runs. */
static void queue(writer *w, unsigned i) {
    wire_fill f = whole(DEVICE_AT, 4);
    uint64_t s = extreme_handle(K_STREAM, AT_STREAM);
    if (!i) SEND(w, HostFunction, NULL, 0, NULL, 0, s, 1, 2, 0);
    SEND(w, Fill, &f, sizeof f, NULL, 0, s);
}
/* Events of a capture that note a long list each. */
static void lists(writer *w, unsigned i) {
    static uint64_t list[LIST_MOST];
    uint64_t s = extreme_handle(K_STREAM, AT_STREAM);
    for (unsigned k = 0; !i && k < LIST_MOST; k++) list[k] = extreme_handle(K_NODE, AT_FIRST_NODE);
    if (!i)
        SEND(w, CaptureToGraph, list, LIST_MOST * 8, NULL, 0, s, extreme_handle(K_GRAPH, AT_GRAPH),
             2);
    SEND(w, cudaEventCreate, NULL, 0, NULL, 0, 0);
    SEND(w, cudaEventRecord, NULL, 0, NULL, 0, extreme_handle(K_EVENT, AT_ARRAY + 1 + i), s);
}
static void textures(writer *w, unsigned i) {
    struct cudaResourceDesc r = {.resType = cudaResourceTypeArray};
    struct cudaTextureDesc x = {0};
    uint64_t array = extreme_handle(K_ARRAY, AT_ARRAY);
    (void)i;
    memcpy(&r.res.array.array, &array, sizeof array);
    SEND(w, TextureCreate, &r, sizeof r, &x, sizeof x, 0);
}
/* Modules of a few variables, or of much text. */
static void module(writer *w, unsigned i, const char *text, size_t n) {
    static uint8_t binary[1 << 19];
    uint64_t bytes = extreme_fatbin(binary, text, n),
             m = extreme_handle(K_MODULE, AT_ARRAY + 1 + i);
    SEND(w, ModuleBegin, NULL, 0, NULL, 0, bytes);
    SEND(w, ModuleData, binary, (uint32_t)bytes, NULL, 0, m);
    SEND(w, ModuleLoad, NULL, 0, NULL, 0, m);
}
static void variables(writer *w, unsigned i) {
    static const char text[] = ".version 7.5\n.target sm_75\n.address_size 64\n"
                               ".global .align 4 .b8 big[1048576] = {1};\n"
                               ".visible .entry k() { ret; }\n";
    module(w, i, text, sizeof text);
}
static void code(writer *w, unsigned i) {
    static char text[300000];
    static size_t n;
    if (!n) {
        n = (size_t)snprintf(text, sizeof text, ".version 7.5\n.target sm_75\n.address_size 64\n");
        for (int k = 0; n + 100 < sizeof text; k++)
            n += (size_t)snprintf(text + n, sizeof text - n, ".global .b8 v%d;\n", k);
    }
    module(w, i, text, n + 1);
}

/* Blocks that wait for each other are kept: a launch may not keep more of them than fit. */
static void test_blocks(void) {
    static const char text[] =
        ".version 7.5\n.target sm_75\n.address_size 64\n"
        ".visible .entry k(.param .u64 p, .param .u32 n) {\n"
        ".reg .b64 %rd<3>; .reg .b32 %r<3>; .reg .pred %p; .shared .align 4 .b8 s[40000];\n"
        ".local .align 4 .b8 mine[65536];\n"
        "ld.param.u64 %rd1, [p]; mov.u32 %r1, 0;\n"
        "fill: st.local.u32 [mine], %r1; add.u32 %r1, %r1, 1; setp.lt.u32 %p, %r1, 8; @%p bra "
        "fill;\n"
        "wait: ld.volatile.global.u32 %r2, [%rd1]; setp.ne.u32 %p, %r2, 77; @%p bra wait; "
        "ret;\n}\n";
    static budget_test t;
    static uint8_t binary[4096];
    writer w = {.at = room};
    begin(&t, 8 * CLIENT, CLIENT);
    prologue(&w);
    uint64_t bytes = extreme_fatbin(binary, text, sizeof text),
             m = extreme_handle(K_MODULE, AT_ARRAY + 1), at = DEVICE_AT;
    uint8_t params[12] = {0};
    memcpy(params, &at, 8);
    wire_launch l = {.kernel = extreme_handle(K_KERNEL, AT_ARRAY + 2),
                     .grid = {1000, 1, 1},
                     .block = {1024, 1, 1},
                     .param_bytes = sizeof params};
    SEND(&w, Malloc, NULL, 0, NULL, 0, 1 << 20);
    SEND(&w, ModuleBegin, NULL, 0, NULL, 0, bytes);
    SEND(&w, ModuleData, binary, (uint32_t)bytes, NULL, 0, m);
    SEND(&w, KernelGet, "k", 1, NULL, 0, m);
    SEND(&w, Launch, &l, sizeof l, params, sizeof params, 0);
    SEND(&w, cudaDeviceSynchronize, NULL, 0, NULL, 0, 0);
    serve(&t, &w);
    end(&t, "blocks that wait");
}

/* What graphs hold counts for as long as they are there: clones and nodes that come and go leave it
 * as it was, and nothing is left of all of them. */
static void test_graphs_gone(void) {
    static budget_test t;
    writer w = {.at = room};
    begin(&t, 8 * CLIENT, CLIENT);
    prologue(&w);
    wire_fill f = whole(DEVICE_AT, 4);
    uint64_t graph = extreme_handle(K_GRAPH, AT_GRAPH),
             two[2] = {extreme_handle(K_NODE, AT_FIRST_NODE), extreme_handle(K_NODE, AT_NODE)};
    serve(&t, &w);
    uint64_t before = t.c->budget.queued; /* NOLINT(clang-analyzer-core.NullDereference) */
    CHECK(before > 0);
    /* a node behind two others; its handle's number follows the array's */
    SEND(&w, GraphAdd, two, sizeof two, &f, sizeof f, graph, cudaGraphNodeTypeMemset);
    serve(&t, &w);
    uint64_t grown = t.c->budget.queued;
    CHECK(grown > before);
    SEND(&w, GraphClone, NULL, 0, NULL, 0, graph);
    serve(&t, &w);
    uint64_t cloned = t.c->budget.queued;
    SEND(&w, cudaGraphDestroy, NULL, 0, NULL, 0, extreme_handle(K_GRAPH, AT_ARRAY + 2));
    serve(&t, &w);
    CHECK_INT(t.c->budget.queued, grown);
    SEND(&w, cudaGraphDestroyNode, NULL, 0, NULL, 0, extreme_handle(K_NODE, AT_ARRAY + 1));
    serve(&t, &w);
    CHECK_INT(t.c->budget.queued, before);
    SEND(&w, cudaGraphExecDestroy, NULL, 0, NULL, 0, extreme_handle(K_EXEC, AT_EXEC));
    serve(&t, &w); /* what is left is the graph; with the node, the clone was as much */
    CHECK_INT(t.c->budget.queued + (grown - before), cloned - grown);
    SEND(&w, cudaGraphDestroy, NULL, 0, NULL, 0, graph);
    serve(&t, &w);
    CHECK_INT(t.c->budget.queued, 0);
    end(&t, "graphs that are gone");
}

/* A budget is the session's too: two clients together leave what was set aside. */
static void test_reserved(void) {
    static budget_test t;
    begin(&t, (uint64_t)256 << 20, (uint64_t)1 << 40);
    disconnect_client(&t);
    dev_reserve(t.s, (uint64_t)128 << 20);
    CHECK(connect_client(&t));
    writer w = {.at = room};
    SEND(&w, Hello, NULL, 0, NULL, 0, WIRE_VERSION, 1, 0);
    for (int i = 0; i < 300; i++) SEND(&w, Malloc, NULL, 0, NULL, 0, PIECE);
    serve(&t, &w);
    CHECK(t.granted > 40 && t.granted <= 65); /* half of what is not set aside */
    uint64_t a, b;
    CHECK_INT(dev_alloc(t.s, (uint64_t)60 << 20, "a", &a), SIM_OK);
    CHECK_INT(dev_alloc(t.s, (uint64_t)60 << 20, "b", &b), SIM_OK);
    /* and what it had is there again */
    uint64_t granted = t.granted;
    disconnect_client(&t);
    CHECK(connect_client(&t));
    SEND(&w, Hello, NULL, 0, NULL, 0, WIRE_VERSION, 1, 0);
    for (int i = 0; i < 300; i++) SEND(&w, Malloc, NULL, 0, NULL, 0, PIECE);
    serve(&t, &w);
    CHECK_INT(t.granted, granted);
    disconnect_client(&t);
    dev_session_free(t.s);
}

int main(void) {
    many("device memory", 400, device_memory);
    many("small allocations", 40000, small_memory);
    many("memory of pools", 400, pool_memory);
    many("page-locked and managed memory", 400, host_memory);
    many("arrays", 400, arrays);
    many("a heap", 40, heap);
    many("events", 130000, events);
    many("streams", 20000, streams);
    many("textures", 50000, textures);
    many("nodes of graphs", 20000, nodes);
    many("graphs", 2100, clones);
    many("instances", 2100, instances);
    many("work that waits", 25000, queue);
    many("lists of dependencies", 400, lists);
    many("variables of modules", 60, variables);
    many("text of modules", 60, code);
    test_blocks();
    test_graphs_gone();
    test_reserved();
    return check_done();
}
