/* Graphs, their instances and captures, asked directly: which nodes and edges there are, what a
 * launch does and when, what the program is asked for on the way, and what a capture makes of a
 * stream's work. Expected: the runtime's reference ("Graph Management", "Stream Management"), the
 * Programming Guide ("CUDA Graphs") and, for times, the device's profile. */
#include "runner/device/server/core/client.h"
#include "calls_fixture.h"

#include "runner/device/server/graph/capture.h"
#include "runner/device/server/graph/exec.h"
#include "runner/device/server/graph/graph.h"
#include "runner/device/sim/profile.h"
#include "tests/said.h"

enum { BAD = cudaErrorInvalidValue, HANDLE = cudaErrorInvalidResourceHandle };
enum { NOT = cudaErrorNotSupported };
enum {
    KERNEL = cudaGraphNodeTypeKernel,
    COPY = cudaGraphNodeTypeMemcpy,
    FILL = cudaGraphNodeTypeMemset,
    HOST = cudaGraphNodeTypeHost,
    CHILD = cudaGraphNodeTypeGraph,
    EMPTY = cudaGraphNodeTypeEmpty,
    WAIT = cudaGraphNodeTypeWaitEvent,
    RECORD = cudaGraphNodeTypeEventRecord,
    ALLOC = cudaGraphNodeTypeMemAlloc,
    FREE = cudaGraphNodeTypeMemFree,
    CONDITIONAL = cudaGraphNodeTypeConditional
};
static const sim_profile *profile;
static uint64_t memory; /* 4 KB of the device's */

static void start(void) {
    CHECK(begin());
    profile = session->device[0].profile;
    CHECK_INT(dev_mem_allocate(c, 0, 4096, DEV_MEM_DEVICE, 0, &memory), 0);
}
static double now(void) {
    return *dev_clock(c, 0);
}

/* ---- shorter words for calls */

static uint64_t graph(void) {
    struct wire_out_GraphCreate g = {0};
    CHECK_INT(CALL(GraphCreate, &g, {}), 0);
    return g.graph;
}
static uint64_t event(void) {
    struct wire_out_cudaEventCreate e = {0};
    CHECK_INT(CALL(cudaEventCreate, &e, {}), 0);
    return e.event;
}
static uint64_t stream(void) {
    struct wire_out_cudaStreamCreate s = {0};
    CHECK_INT(CALL(cudaStreamCreate, &s, {}), 0);
    return s.pStream;
}
static struct wire_out_GraphAdd added;
static cudaError_t add(uint64_t g, int type, const uint64_t *behind, size_t count,
                       const void *params, size_t bytes) {
    added = (struct wire_out_GraphAdd){0};
    spans(behind, count * 8, params, bytes);
    return CALL(GraphAdd, &added, {g, (uint64_t)type});
}
/* An empty node, or one of a type with a handle for its parameter. */
static uint64_t node(uint64_t g, int type, uint64_t handle, const uint64_t *behind, size_t count) {
    CHECK_INT(add(g, type, behind, count, &handle, type == EMPTY ? 0 : sizeof handle), 0);
    return added.node;
}
static uint64_t instance(uint64_t g) {
    struct wire_out_GraphInstantiate x = {0};
    spans(NULL, 0, NULL, 0);
    CHECK_INT(CALL(GraphInstantiate, &x, {g, 0}), 0);
    CHECK_INT(x.result, cudaGraphInstantiateSuccess);
    return x.exec;
}
static void launch(uint64_t exec, uint64_t to) {
    struct wire_out_cudaGraphLaunch none;
    spans(NULL, 0, NULL, 0);
    CHECK_INT(CALL(cudaGraphLaunch, &none, {exec, to}), 0);
}
/* The letters of what span i of the answer lists. */
static const char *letters(unsigned i, const uint64_t *nodes, size_t n) {
    static char text[2][32];
    char *to = text[i];
    size_t at = 0;
    for (size_t j = 0; i < k.outs && j < k.out[i].bytes / 8 && at < 31; j++) {
        uint64_t h;
        size_t x = 0;
        memcpy(&h, (const uint8_t *)k.out[i].data + 8 * j, 8);
        while (x < n && nodes[x] != h) x++;
        to[at++] = x < n ? (char)('a' + x) : '?';
    }
    to[at] = 0;
    return to;
}
static const char *list(int what, uint64_t of, const uint64_t *nodes, size_t n) {
    struct wire_out_GraphList none;
    spans(NULL, 0, NULL, 0);
    CHECK_INT(CALL(GraphList, &none, {(uint64_t)what, of}), 0);
    CHECK_INT(k.outs, what == WIRE_GRAPH_EDGES ? 2 : 1);
    return letters(0, nodes, n);
}

/* ---- nodes */

/* Each type's parameters: taken in one size alone, and answered as they were given. */
static void test_nodes(void) {
    start();
    const uint64_t g = graph(), inner = graph(), e = event();
    node(inner, EMPTY, 0, NULL, 0);
    const wire_host host = {0x1111, 0x2222};
    const wire_alloc alloc = {512, 0};
    wire_copy copy = {.width = 16, .height = 1, .depth = 1, .kind = cudaMemcpyDefault};
    copy.to = (wire_place){.device = -1, .address = memory, .pitch = 16, .rows = 1};
    copy.from = (wire_place){.device = -1, .address = memory + 64, .pitch = 16, .rows = 1};
    wire_fill fill = {
        .to = copy.to, .width = 16, .height = 1, .depth = 1, .value = 7, .element = 4};
    const struct {
        int type;
        const void *params;
        size_t bytes;
    } rows[] = {{COPY, &copy, sizeof copy},
                {FILL, &fill, sizeof fill},
                {HOST, &host, sizeof host},
                {CHILD, &inner, 8},
                {EMPTY, NULL, 0},
                {WAIT, &e, 8},
                {RECORD, &e, 8},
                {ALLOC, &alloc, sizeof alloc}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wire_out_GraphNodeGet got = {.type = 99};
        uint8_t more[sizeof(wire_copy) + 1] = {0};
        printf("# node of type %d\n", rows[i].type);
        if (rows[i].bytes) memcpy(more, rows[i].params, rows[i].bytes);
        uint64_t used = c->budget.queued;
        CHECK_INT(add(g, rows[i].type, NULL, 0, more, rows[i].bytes + 1), BAD);
        if (rows[i].bytes) CHECK_INT(add(g, rows[i].type, NULL, 0, more, rows[i].bytes - 1), BAD);
        CHECK_INT(c->budget.queued, used);
        CHECK_INT(add(g, rows[i].type, NULL, 0, more, rows[i].bytes), 0);
        CHECK(c->budget.queued > used);
        CHECK((added.address != 0) == (rows[i].type == ALLOC));
        spans(NULL, 0, NULL, 0);
        CHECK_INT(CALL(GraphNodeGet, &got, {added.node}), 0);
        CHECK_INT(got.type, rows[i].type);
        CHECK_INT(k.outs, rows[i].type != EMPTY);
        if (!k.outs || !CHECK(k.out[0].bytes == rows[i].bytes)) continue;
        if (rows[i].type == ALLOC) {
            const wire_alloc want = {512, added.address};
            CHECK(!memcmp(k.out[0].data, &want, sizeof want));
        } else if (rows[i].type == CHILD) { /* its own copy, which has the one node */
            uint64_t copied;
            memcpy(&copied, k.out[0].data, 8);
            CHECK(copied != inner);
            CHECK_STR(list(WIRE_GRAPH_NODES, copied, NULL, 0), "?");
        } else {
            if (rows[i].type == COPY) copy.async = 1; /* a node is */
            CHECK(!memcmp(k.out[0].data, rows[i].params, rows[i].bytes));
        }
    }
    /* What there is none of. */
    struct wire_out_GraphNodeGet got;
    struct wire_out_cudaGraphDestroyNode gone;
    CHECK_INT(CALL(GraphNodeGet, &got, {77}), BAD);
    CHECK_INT(CALL(cudaGraphDestroyNode, &gone, {77}), BAD);
    CHECK_INT(CALL(cudaGraphDestroyNode, &gone, {added.node}), NOT); /* an allocation's */
    CHECK_INT(add(77, EMPTY, NULL, 0, NULL, 0), BAD);
    CHECK_INT(add(g, -1, NULL, 0, NULL, 0), NOT);
    CHECK_INT(add(g, 8, NULL, 0, NULL, 0), NOT); /* semaphores of other libraries */
    CHECK_INT(add(g, 14, NULL, 0, NULL, 0), NOT);
    CHECK_INT(add(g, WAIT, NULL, 0, &g, 8), HANDLE);
    CHECK_INT(add(g, CHILD, NULL, 0, &e, 8), BAD);
    copy.kind = 5;
    CHECK_INT(add(g, COPY, NULL, 0, &copy, sizeof copy), cudaErrorInvalidMemcpyDirection);
    copy.kind = cudaMemcpyDefault, copy.width = 4097;
    CHECK_INT(add(g, COPY, NULL, 0, &copy, sizeof copy), BAD);
    copy.width = 16, copy.to.at = copy.from.at = WIRE_AT_PAGEABLE;
    CHECK_INT(add(g, COPY, NULL, 0, &copy, sizeof copy), NOT);
    fill.element = 3;
    CHECK_INT(add(g, FILL, NULL, 0, &fill, sizeof fill), BAD);
    /* What is freed is what a graph allocated, at its beginning. */
    const uint64_t address = added.address;
    CHECK_INT(add(g, ALLOC, NULL, 0, &alloc, sizeof alloc), 0);
    wire_alloc gives = {0, added.address + 1};
    CHECK_INT(add(g, FREE, NULL, 0, &gives, sizeof gives), BAD);
    gives.address = memory;
    CHECK_INT(add(g, FREE, NULL, 0, &gives, sizeof gives), BAD);
    CHECK_INT(add(g, ALLOC, NULL, 0, &alloc, sizeof alloc), 0);
    gives.address = added.address;
    CHECK_INT(add(g, FREE, NULL, 0, &gives, sizeof gives), 0);
    CHECK(added.node && !added.address && !address);
    end();
}

/* a to e, and f alone: a before b and c, both before d, d before e. */
static void test_shape(void) {
    struct wire_out_cudaGraphDestroyNode gone;
    struct wire_out_GraphClone cloned = {0};
    struct wire_out_cudaGraphNodeFindInClone found = {0};
    struct wire_out_GraphList none;
    struct wire_out_cudaGraphDestroy destroyed;
    uint64_t n[6], there[6];
    start();
    const uint64_t bytes = c->budget.queued;
    const uint64_t g = graph();
    n[0] = node(g, EMPTY, 0, NULL, 0);
    n[1] = node(g, EMPTY, 0, n, 1);
    n[2] = node(g, EMPTY, 0, n, 1);
    n[3] = node(g, EMPTY, 0, n + 1, 2);
    n[4] = node(g, EMPTY, 0, n + 3, 1);
    n[5] = node(g, EMPTY, 0, NULL, 0);
    CHECK_STR(list(WIRE_GRAPH_NODES, g, n, 6), "abcdef");
    CHECK_STR(list(WIRE_GRAPH_ROOTS, g, n, 6), "af");
    CHECK_STR(list(WIRE_GRAPH_EDGES, g, n, 6), "aabcd"); /* from */
    CHECK_STR(letters(1, n, 6), "bcdde");                /* to */
    static const char *const before[] = {"", "a", "a", "bc", "d", ""}, *const after[] = {"bc", "d",
                                                                                         "d",  "e",
                                                                                         "",   ""};
    for (unsigned i = 0; i < 6; i++) {
        CHECK_STR(list(WIRE_NODE_DEPENDENCIES, n[i], n, 6), before[i]);
        CHECK_STR(list(WIRE_NODE_DEPENDENTS, n[i], n, 6), after[i]);
    }
    CHECK_INT(CALL(GraphList, &none, {WIRE_GRAPH_NODES, n[0]}), BAD);
    CHECK_INT(CALL(GraphList, &none, {WIRE_NODE_DEPENDENTS, g}), BAD);
    CHECK_INT(CALL(GraphList, &none, {5, g}), BAD);
    /* Behind what is no node of it. */
    const uint64_t own = c->budget.queued - bytes, other = graph();
    const uint64_t far[2] = {n[0], node(other, EMPTY, 0, NULL, 0)};
    CHECK_INT(add(g, EMPTY, far, 2, NULL, 0), BAD);
    spans(far, 9, NULL, 0);
    CHECK_INT(CALL(GraphAdd, &added, {g, EMPTY}), BAD);
    /* A copy has the same shape, and knows which node is whose. */
    CHECK_INT(CALL(GraphClone, &cloned, {g}), 0);
    for (unsigned i = 0; i < 6; i++) {
        CHECK_INT(CALL(cudaGraphNodeFindInClone, &found, {n[i], cloned.clone}), 0);
        there[i] = found.pNode;
        CHECK(there[i] != n[i]);
    }
    CHECK_INT(CALL(cudaGraphNodeFindInClone, &found, {far[1], cloned.clone}), BAD);
    CHECK_INT(CALL(cudaGraphNodeFindInClone, &found, {n[0], 77}), BAD);
    CHECK_STR(list(WIRE_GRAPH_NODES, cloned.clone, there, 6), "abcdef");
    CHECK_STR(list(WIRE_GRAPH_EDGES, cloned.clone, there, 6), "aabcd");
    CHECK_STR(letters(1, there, 6), "bcdde");
    CHECK_INT(CALL(GraphClone, &cloned, {77}), BAD);
    /* Without its third: those behind move up, in its copies too. */
    CHECK_INT(CALL(cudaGraphDestroyNode, &gone, {n[2]}), 0);
    CHECK_STR(list(WIRE_GRAPH_NODES, g, n, 6), "abdef");
    CHECK_STR(list(WIRE_GRAPH_EDGES, g, n, 6), "abd");
    CHECK_STR(letters(1, n, 6), "bde");
    const dev_graph *of = dev_object(c, g, DEV_GRAPH);
    for (size_t i = 0; of && i < of->count; i++) CHECK_INT(of->nodes[i]->index, i);
    struct wire_out_GraphClone again = {0};
    CHECK_INT(CALL(GraphClone, &again, {g}), 0);
    CHECK_INT(CALL(cudaGraphNodeFindInClone, &found, {n[4], again.clone}), 0);
    CHECK_STR(list(WIRE_NODE_DEPENDENCIES, found.pNode, &found.pNode, 1), "?");
    CHECK_INT(CALL(cudaGraphDestroy, &destroyed, {again.clone}), 0);
    CHECK_INT(CALL(cudaGraphDestroy, &destroyed, {g}), 0);
    CHECK_INT(CALL(cudaGraphDestroy, &destroyed, {g}), BAD);
    CHECK_INT(CALL(cudaGraphDestroy, &destroyed, {other}), 0);
    CHECK_INT(c->budget.queued - bytes, own);                            /* what a copy takes */
    CHECK_STR(list(WIRE_GRAPH_NODES, cloned.clone, there, 6), "abcdef"); /* it stays */
    CHECK_INT(CALL(cudaGraphDestroy, &destroyed, {cloned.clone}), 0);
    CHECK_INT(c->budget.queued, bytes);
    end();
}

/* ---- instances */

static void test_instances(void) {
    struct wire_out_GraphInstantiate x = {0};
    struct wire_out_cudaGraphExecGetFlags flags;
    struct wire_out_cudaGraphExecDestroy destroyed;
    struct wire_out_cudaGraphUpload uploaded;
    struct wire_out_cudaGraphLaunch launched;
    struct wire_out_cudaDeviceGraphMemTrim trimmed;
    struct wire_out_GraphMemory used = {0};
    struct wire_out_GraphEdges edges;
    start();
    const uint64_t g = graph(), loop = graph();
    node(g, EMPTY, 0, NULL, 0);
    for (uint64_t f = 0; f < 18; f++) {
        double t = now();
        cudaError_t error = f == 16 || f == 17 ? BAD
                            : f & 4            ? NOT
                                               : 0; /* 4: by the device itself */
        CHECK_INT(CALL(GraphInstantiate, &x, {g, f}), error);
        CHECK_INT(x.result, error ? cudaGraphInstantiateError : cudaGraphInstantiateSuccess);
        CHECK_NEAR(now() - t, error ? 0 : profile->launch_us, 1e-9);
        if (error) continue;
        CHECK_INT(CALL(cudaGraphExecGetFlags, &flags, {x.exec}), 0);
        CHECK_INT(flags.flags, f);
        CHECK_INT(CALL(cudaGraphExecDestroy, &destroyed, {x.exec}), 0);
        CHECK_INT(CALL(cudaGraphExecDestroy, &destroyed, {x.exec}), BAD);
        CHECK_INT(CALL(cudaGraphExecGetFlags, &flags, {x.exec}), BAD);
    }
    CHECK_INT(CALL(GraphInstantiate, &x, {77, 0}), BAD);
    /* Round in a circle. */
    uint64_t n[2] = {node(loop, EMPTY, 0, NULL, 0)};
    n[1] = node(loop, EMPTY, 0, n, 1);
    spans(n + 1, 8, n, 8);
    CHECK_INT(CALL(GraphEdges, &edges, {loop, 1}), 0);
    spans(n, 16, n, 8);
    CHECK_INT(CALL(GraphEdges, &edges, {loop, 1}), BAD); /* as many from as to */
    CHECK_INT(CALL(GraphInstantiate, &x, {loop, 0}), BAD);
    CHECK_INT(x.result, cudaGraphInstantiateError);
    /* A launch is one call, however many nodes there are. */
    const uint64_t exec = instance(g);
    const dev_record *r;
    size_t before = dev_client_log(c, &r);
    double t = now();
    launch(exec, 0);
    CHECK_NEAR(now() - t, profile->launch_us, 1e-9);
    CHECK_INT(dev_client_log(c, &r), before + 1);
    CHECK(r[before].op == DEV_OP_GRAPH && r[before].start_us == now() && !r[before].bytes);
    CHECK_INT(CALL(cudaGraphLaunch, &launched, {77, 0}), BAD);
    CHECK_INT(CALL(cudaGraphLaunch, &launched, {exec, 77}), HANDLE);
    CHECK_INT(CALL(cudaGraphUpload, &uploaded, {exec, 0}), 0);
    CHECK_INT(CALL(cudaGraphUpload, &uploaded, {77, 0}), BAD);
    CHECK_INT(CALL(cudaGraphUpload, &uploaded, {exec, 77}), HANDLE);
    CHECK_INT(CALL(cudaDeviceGraphMemTrim, &trimmed, {0}), 0);
    for (uint64_t d = 1; d < 3; d++) {
        CHECK_INT(CALL(cudaDeviceGraphMemTrim, &trimmed, {d}), cudaErrorInvalidDevice);
        CHECK_INT(CALL(GraphMemory, &used, {d, 0}), cudaErrorInvalidDevice);
    }
    for (uint64_t attr = 0; attr < 5; attr++)
        CHECK_INT(CALL(GraphMemory, &used, {0, attr}), attr < 4 ? 0 : BAD);
    end();
}

/* Each node begins when all before it are done: told by events, which cost nothing. `late` is known
 * to have happened at a time to come, for which who waits for it waits. */
static void test_order(void) {
    enum { AT = 4 };
    uint64_t e[AT], n[6];
    start();
    const uint64_t s = stream(), late = event(), later = event();
    for (int i = 0; i < AT; i++) e[i] = event();
    dev_mark *mark = dev_object(c, late, DEV_EVENT), *more = dev_object(c, later, DEV_EVENT);
    const uint64_t g = graph();
    /* a: wait; b: records behind it; c: records at once; d: another wait, behind c; f: records
     * behind b and d */
    n[0] = node(g, WAIT, late, NULL, 0);
    n[1] = node(g, RECORD, e[0], n, 1);
    n[2] = node(g, RECORD, e[1], NULL, 0);
    n[3] = node(g, WAIT, later, n + 2, 1);
    const uint64_t both[2] = {n[1], n[3]};
    n[4] = node(g, RECORD, e[2], both, 2);
    const uint64_t exec = instance(g);
    dev_stream *of = dev_object(c, s, DEV_STREAM);
    for (int i = 0; i < 2; i++) { /* whichever of them is the later */
        double first = now() + 1000, t[2] = {first + (i ? 100 : 300), first + (i ? 250 : 50)};
        of->ready = first;
        mark->when = t[0], more->when = t[1];
        launch(exec, s);
        const double want[] = {t[0], first, i ? t[1] : t[0]};
        for (int j = 0; j < 3; j++) {
            const dev_mark *got = dev_object(c, e[j], DEV_EVENT);
            CHECK(got->recorded);
            CHECK_NEAR(got->when, want[j], 1e-6);
        }
        CHECK_NEAR(of->ready, i ? t[1] : t[0], 1e-6); /* it is over with the last of them */
    }
    /* In a child graph, too: what is behind it waits for all of it. */
    const uint64_t outer = graph();
    n[0] = node(outer, RECORD, e[3], NULL, 0);
    n[1] = node(outer, CHILD, g, n, 1);
    n[2] = node(outer, RECORD, e[3], n + 1, 1);
    const uint64_t nested = instance(outer);
    double first = now() + 1000;
    of->ready = first, mark->when = first + 77, more->when = first + 11;
    launch(nested, s);
    CHECK_NEAR(((dev_mark *)dev_object(c, e[3], DEV_EVENT))->when, first + 77, 1e-6);
    CHECK_NEAR(((dev_mark *)dev_object(c, e[1], DEV_EVENT))->when, first, 1e-6);
    end();
}

/* What is switched off does nothing, and holds up nobody. */
static void test_enabled(void) {
    struct wire_out_cudaGraphNodeSetEnabled none;
    struct wire_out_cudaGraphNodeGetEnabled got = {0};
    const dev_record *r;
    start();
    const uint64_t g = graph();
    wire_fill fill = {.width = 16, .height = 1, .depth = 1, .value = 7, .element = 1};
    fill.to = (wire_place){.device = -1, .address = memory, .pitch = 16, .rows = 1};
    CHECK_INT(add(g, FILL, NULL, 0, &fill, sizeof fill), 0);
    const uint64_t n = added.node;
    const uint64_t empty = node(g, EMPTY, 0, &n, 1), exec = instance(g);
    for (int on = 1; on >= 0; on--) {
        CHECK_INT(CALL(cudaGraphNodeSetEnabled, &none, {exec, n, on ? 5 : 0}), 0);
        CHECK_INT(CALL(cudaGraphNodeGetEnabled, &got, {exec, n}), 0);
        CHECK_INT(got.isEnabled, on);
        size_t before = dev_client_log(c, &r);
        launch(exec, 0);
        CHECK_INT(dev_client_log(c, &r), before + 1 + on);
        if (!on) continue;
        const dev_record *f = &r[before + 1];
        CHECK(f->op == DEV_OP_MEMSET && f->bytes == 16 && f->in_graph && !f->stream);
        CHECK_NEAR(f->start_us, now(), 1e-6);
    }
    CHECK_INT(CALL(cudaGraphNodeSetEnabled, &none, {exec, empty, 1}), BAD);
    CHECK_INT(CALL(cudaGraphNodeGetEnabled, &got, {exec, empty}), BAD);
    CHECK_INT(CALL(cudaGraphNodeSetEnabled, &none, {exec, 77, 1}), BAD);
    CHECK_INT(CALL(cudaGraphNodeGetEnabled, &got, {77, n}), BAD);
    end();
}

/* The program's part in a launch: functions, and rows of its own memory, read and written one by
 * one. */
static void test_served(void) {
    enum { W = 24, PITCH = 40, ROWS = 3, DEPTH = 2, ALL = W * ROWS * DEPTH, THERE = 0x100000 };
    struct wire_out_Service v = {0};
    uint8_t bytes[ALL], back[ALL];
    const dev_record *r;
    start();
    const uint64_t g = graph(), s = stream();
    dev_stream *of = dev_object(c, s, DEV_STREAM);
    const wire_host host = {0x1111, 0x2222};
    wire_copy in = {.width = W, .height = ROWS, .depth = DEPTH, .kind = cudaMemcpyDefault}, out;
    /* from its second slice, second row and fourth byte on, of slices of five rows */
    in.from = (wire_place){.at = WIRE_AT_PAGEABLE,
                           .device = -1,
                           .address = THERE,
                           .pitch = PITCH,
                           .rows = 5,
                           .x = 4,
                           .y = 1,
                           .z = 1};
    in.to = (wire_place){.device = -1, .address = memory, .pitch = W, .rows = ROWS};
    out = in;
    out.from = in.to, out.to = in.from;
    uint64_t n[3];
    CHECK_INT(add(g, HOST, NULL, 0, &host, sizeof host), 0);
    n[0] = added.node;
    CHECK_INT(add(g, COPY, n, 1, &in, sizeof in), 0);
    n[1] = added.node;
    CHECK_INT(add(g, COPY, n + 1, 1, &out, sizeof out), 0);
    for (int i = 0; i < ALL; i++) bytes[i] = (uint8_t)(i * 3 + 1);
    const uint64_t exec = instance(g);
    launch(exec, s);
    CHECK_INT(CALL(Service, &v, {0}), 0);
    CHECK(v.what == WIRE_SERVE_FUNCTION && v.fn == 0x1111 && v.data == 0x2222);
    *dev_clock(c, 0) += 100; /* what it took */
    const double from = now();
    size_t before = dev_client_log(c, &r), at = 0;
    for (int row = 0; row < ROWS * DEPTH; row++) {
        uint64_t id = v.id;
        CHECK_INT(CALL(Service, &v, {id}), 0);
        CHECK(v.id != id && v.what == WIRE_SERVE_READ && v.fn == W);
        CHECK_INT(v.data, THERE + ((1 + row / ROWS) * 5 + 1 + row % ROWS) * PITCH + 4);
        spans(bytes + at, W, NULL, 0);
        at += W;
    }
    for (int row = 0; row < ROWS * DEPTH; row++) {
        uint64_t id = v.id;
        CHECK_INT(CALL(Service, &v, {id}), 0);
        CHECK(v.id != id && v.what == WIRE_SERVE_WRITE && v.fn == W);
        CHECK_INT(v.data, THERE + ((1 + row / ROWS) * 5 + 1 + row % ROWS) * PITCH + 4);
        if (!CHECK(k.outs == 1 && k.out[0].bytes == W)) return;
        memcpy(back + row * W, k.out[0].data, W);
        spans(NULL, 0, NULL, 0);
    }
    CHECK(!memcmp(back, bytes, ALL));
    uint64_t id = v.id;
    v.what = 77;
    CHECK_INT(CALL(Service, &v, {id}), 0);
    CHECK_INT(v.what, 77); /* no more */
    CHECK(dev_idle(c, 0, of));
    /* Two copies, one behind the other, and each but one. */
    CHECK_INT(dev_client_log(c, &r), before + 2);
    double t = from;
    for (int i = 0; i < 2; i++) {
        const dev_record *x = &r[before + (size_t)i];
        CHECK_INT(x->op, i ? DEV_OP_D2H : DEV_OP_H2D);
        CHECK(x->pageable && x->in_graph && x->bytes == ALL && x->stream == of->id);
        CHECK_NEAR(x->start_us, t, 1e-6);
        t += 1.5 + ALL / (1e3 * (i ? profile->d2h_pageable_gbs : profile->h2d_pageable_gbs));
        CHECK_NEAR(x->end_us, t, 1e-6);
    }
    CHECK_NEAR(of->ready, t, 1e-6);
    /* Who gives another number of bytes has not done it: the copy ends, and the next begins. */
    launch(exec, s);
    CHECK_INT(CALL(Service, &v, {0}), 0);
    CHECK_INT(CALL(Service, &v, {v.id}), 0);
    CHECK_INT(v.what, WIRE_SERVE_READ);
    spans(bytes, W - 1, NULL, 0);
    CHECK_INT(CALL(Service, &v, {v.id}), 0);
    CHECK_INT(v.what, WIRE_SERVE_WRITE);
    end();
    start(); /* one byte more is as wrong, be it in the first row or in the last */
    const uint64_t longer = graph();
    CHECK_INT(add(longer, COPY, NULL, 0, &in, sizeof in), 0);
    const uint64_t again = instance(longer);
    for (int wrong = 0; wrong < ROWS * DEPTH; wrong += ROWS * DEPTH - 1) {
        launch(again, 0);
        CHECK_INT(CALL(Service, &v, {0}), 0);
        for (int row = 0; row < wrong; row++) {
            CHECK_INT(v.what, WIRE_SERVE_READ);
            spans(bytes, W, NULL, 0);
            CHECK_INT(CALL(Service, &v, {v.id}), 0);
        }
        CHECK_INT(v.what, WIRE_SERVE_READ);
        spans(bytes, W + 1, NULL, 0);
        v.what = 77;
        CHECK_INT(CALL(Service, &v, {v.id}), 0);
        CHECK_INT(v.what, 77); /* it is over */
        CHECK(dev_idle(c, 0, dev_object(c, 0, DEV_STREAM)));
    }
    end();
}

/* An instance whose child graph is exchanged while the program does its part: that launch is over
 * with an error, and nothing more of it is done. What it waited for stands behind the two entries
 * of the child, its nodes and its end: in a list that was made anew for the next launch there
 * stands another, nothing, or, where the new child is as large, the same. */
static void test_changed_midway(void) {
    enum { BEFORE = 3, MOST = 5, BYTES = 8 };
    struct wire_out_GraphNodeSet set;
    const uint8_t first[BYTES] = {1, 2, 3, 4, 5, 6, 7, 8}, second[BYTES] = {9};
    const dev_record *r;
    for (unsigned n = 0; n <= MOST; n++)
        for (int launched = 0; launched < 2; launched++) {
            struct wire_out_Service v = {0};
            printf("# %u nodes for %d, launched again: %d\n", n, BEFORE, launched);
            start();
            const uint64_t g = graph(), was = graph(), then = graph(), s = stream(), t = stream();
            for (unsigned i = 0; i < BEFORE; i++) node(was, EMPTY, 0, NULL, 0);
            for (unsigned i = 0; i < n; i++) node(then, EMPTY, 0, NULL, 0);
            const uint64_t child = node(g, CHILD, was, NULL, 0);
            wire_copy in = {.width = BYTES, .height = 1, .depth = 1, .kind = cudaMemcpyDefault};
            in.from = (wire_place){.at = WIRE_AT_PAGEABLE,
                                   .device = -1,
                                   .address = 0x100000,
                                   .pitch = BYTES,
                                   .rows = 1};
            in.to = (wire_place){.device = -1, .address = memory, .pitch = BYTES, .rows = 1};
            CHECK_INT(add(g, COPY, NULL, 0, &in, sizeof in), 0);
            const uint64_t exec = instance(g);
            launch(exec, s);
            CHECK_INT(CALL(Service, &v, {0}), 0);
            CHECK_INT(v.what, WIRE_SERVE_READ);
            spans(&then, sizeof then, NULL, 0);
            CHECK_INT(CALL(GraphNodeSet, &set, {exec, child, CHILD}), 0);
            if (launched) launch(exec, t);
            const size_t before = dev_client_log(c, &r);
            CHECK_INT(c->context[0].deferred, 0);
            spans(first, sizeof first, NULL, 0);
            const uint64_t id = v.id;
            v.what = WIRE_SERVE_NOTHING;
            CHECK_INT(CALL(Service, &v, {id}), 0);
            const bool same = launched && n == BEFORE;
            CHECK_INT(c->context[0].deferred, same ? 0 : BAD);
            CHECK_INT(dev_client_log(c, &r), before + same);
            CHECK(dev_idle(c, 0, dev_object(c, s, DEV_STREAM)));
            CHECK_INT(v.what, launched ? WIRE_SERVE_READ : WIRE_SERVE_NOTHING);
            if (launched) { /* the other is as always */
                spans(second, sizeof second, NULL, 0);
                CHECK_INT(CALL(Service, &v, {v.id}), 0);
                CHECK_INT(dev_client_log(c, &r), before + same + 1);
            }
            CHECK(dev_idle(c, 0, dev_object(c, t, DEV_STREAM)));
            end();
        }
    /* The other way round its bytes are not given, once they are asked for. */
    struct wire_out_Service v = {0};
    start();
    const uint64_t g = graph(), was = graph(), then = graph(), s = stream();
    const uint64_t child = node(g, CHILD, was, NULL, 0);
    wire_copy out = {.width = BYTES, .height = 1, .depth = 1, .kind = cudaMemcpyDefault};
    out.from = (wire_place){.device = -1, .address = memory, .pitch = BYTES, .rows = 1};
    out.to = (wire_place){
        .at = WIRE_AT_PAGEABLE, .device = -1, .address = 0x100000, .pitch = BYTES, .rows = 1};
    CHECK_INT(add(g, COPY, NULL, 0, &out, sizeof out), 0);
    const uint64_t exec = instance(g);
    launch(exec, s);
    spans(&then, sizeof then, NULL, 0);
    CHECK_INT(CALL(GraphNodeSet, &set, {exec, child, CHILD}), 0);
    spans(NULL, 0, NULL, 0);
    CHECK_INT(CALL(Service, &v, {0}), cudaErrorUnknown);
    CHECK_INT(k.outs, 0);
    CHECK_INT(CALL(Service, &v, {v.id}), 0);
    CHECK_INT(c->context[0].deferred, BAD);
    CHECK(dev_idle(c, 0, dev_object(c, s, DEV_STREAM)));
    end();
}

/* ---- changes of an instance */

static void test_update(void) {
    enum { SAME, COUNT, TYPE, EDGE, MORE_EDGES, PARAMS, CHANGES };
    static const int results[] = {cudaGraphExecUpdateSuccess,
                                  cudaGraphExecUpdateErrorTopologyChanged,
                                  cudaGraphExecUpdateErrorNodeTypeChanged,
                                  cudaGraphExecUpdateErrorTopologyChanged,
                                  cudaGraphExecUpdateErrorTopologyChanged,
                                  cudaGraphExecUpdateSuccess};
    struct wire_out_GraphNodeSet set;
    struct wire_out_GraphExecUpdate updated;
    struct wire_out_Service v = {0};
    start();
    const uint64_t s = stream();
    const wire_host host = {0x1111, 0x2222}, other = {0x3333, 0x4444};
    uint64_t n[4], m[4];
    const uint64_t g = graph();
    CHECK_INT(add(g, HOST, NULL, 0, &host, sizeof host), 0);
    n[0] = added.node;
    n[1] = node(g, EMPTY, 0, n, 1);
    n[2] = node(g, EMPTY, 0, n, 2);
    const uint64_t exec = instance(g);
    for (int change = 0; change < CHANGES; change++) {
        printf("# change %d\n", change);
        const uint64_t from = graph();
        CHECK_INT(add(from, HOST, NULL, 0, change == PARAMS ? &other : &host, sizeof host), 0);
        m[0] = added.node;
        m[1] = change == TYPE ? node(from, RECORD, event(), m, 1) : node(from, EMPTY, 0, m, 1);
        const uint64_t turned[2] = {m[1], m[0]}, twice[1] = {m[1]};
        if (change == EDGE) m[2] = node(from, EMPTY, 0, twice, 1);
        else
            m[2] = node(from, EMPTY, 0, change == MORE_EDGES ? m : turned,
                        change == MORE_EDGES ? 1 : 2);
        if (change == COUNT) m[3] = node(from, EMPTY, 0, NULL, 0);
        updated = (struct wire_out_GraphExecUpdate){.result = 99};
        spans(NULL, 0, NULL, 0);
        CHECK_INT(CALL(GraphExecUpdate, &updated, {exec, from}), 0);
        CHECK_INT(updated.result, results[change]);
        /* The first pair that differs, but where there is another number of them. */
        bool pair = change == TYPE || change == EDGE || change == MORE_EDGES;
        const dev_exec *x = dev_object(c, exec, DEV_EXEC);
        unsigned at = change == TYPE ? 1 : 2;
        CHECK_INT(updated.node, pair ? x->graph->nodes[at]->origin : 0);
        CHECK_INT(updated.from, pair ? m[at] : 0);
    }
    CHECK_INT(CALL(GraphExecUpdate, &updated, {77, g}), BAD);
    CHECK_INT(CALL(GraphExecUpdate, &updated, {exec, 77}), BAD);
    launch(exec, s);
    CHECK_INT(CALL(Service, &v, {0}), 0);
    CHECK(v.fn == 0x3333 && v.data == 0x4444);
    CHECK_INT(CALL(Service, &v, {v.id}), 0);
    /* One node's parameters, of an instance or of the graph. */
    const uint64_t own = instance(g);
    spans(&other, sizeof other, NULL, 0);
    CHECK_INT(CALL(GraphNodeSet, &set, {own, n[0], HOST}), 0);
    CHECK_INT(CALL(GraphNodeSet, &set, {own, n[0], EMPTY}), BAD); /* another type */
    CHECK_INT(CALL(GraphNodeSet, &set, {77, n[0], HOST}), BAD);
    CHECK_INT(CALL(GraphNodeSet, &set, {own, 77, HOST}), BAD);
    CHECK_INT(CALL(GraphNodeSet, &set, {0, 77, HOST}), BAD);
    spans(&other, sizeof other - 1, NULL, 0);
    CHECK_INT(CALL(GraphNodeSet, &set, {0, n[0], HOST}), BAD);
    launch(own, s);
    CHECK_INT(CALL(Service, &v, {0}), 0);
    CHECK(v.fn == 0x3333 && v.data == 0x4444);
    CHECK_INT(CALL(Service, &v, {v.id}), 0);
    const uint64_t fresh = instance(g); /* the graph is as it was */
    launch(fresh, s);
    CHECK_INT(CALL(Service, &v, {0}), 0);
    CHECK_INT(v.fn, 0x1111);
    CHECK_INT(CALL(Service, &v, {v.id}), 0);
    const uint64_t used = c->budget.queued;
    spans(&other, sizeof other, NULL, 0);
    CHECK_INT(CALL(GraphNodeSet, &set, {0, n[0], HOST}), 0);
    CHECK_INT(c->budget.queued, used);
    launch(instance(g), s);
    CHECK_INT(CALL(Service, &v, {0}), 0);
    CHECK_INT(v.fn, 0x3333);
    end();
}

/* A conditional node's parameters stay, and why is said: not even another condition of its graph
 * can take the place of its own. */
static void test_conditional(void) {
    struct wire_out_cudaGraphConditionalHandleCreate h = {0};
    struct wire_out_GraphNodeSet set;
    start();
    const uint64_t g = graph();
    wire_conditional p = {.type = cudaGraphCondTypeIf, .size = 1};
    CHECK_INT(CALL(cudaGraphConditionalHandleCreate, &h, {.graph = g}), 0);
    p.handle = h.pHandle_out;
    CHECK_INT(add(g, CONDITIONAL, NULL, 0, &p, sizeof p), 0);
    CHECK_INT(CALL(cudaGraphConditionalHandleCreate, &h, {.graph = g}), 0);
    p.handle = h.pHandle_out;
    spans(&p, sizeof p, NULL, 0);
    CHECK_INT(CALL(GraphNodeSet, &set, {0, added.node, CONDITIONAL}), NOT);
    CHECK_STR(said(&k.note), "the parameters of a conditional node cannot be changed");
    end();
}

/* What simulated work takes is not the program's time as long as it is paid for in instructions:
 * `limit` of them (0: any number), of which `spent` are gone. A fill of 256 bytes is 128: a quarter
 * of its bytes, and 64 for its row. */
static void test_time(void) {
    static const struct {
        uint64_t limit, spent;
        bool stands;
    } rows[] = {{0, 0, true},    {129, 0, true}, {128, 0, false}, {130, 1, true},
                {129, 1, false}, {5, 5, false},  {5, 6, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double end_us;
        start();
        dev_work w = {.kind = DEV_WORK_FILL, .bytes = sizeof w};
        w.fill = (wire_fill){.width = 256, .height = 1, .depth = 1, .element = 1};
        w.fill.to = (wire_place){.device = -1, .address = memory, .pitch = 256, .rows = 1};
        c->limits.work_limit = rows[i].limit, c->limits.work = rows[i].spent,
        c->limits.deadline = 0;
        dev_work_run(c, dev_stream_default(c, 0), &w, 0, &end_us);
        CHECK_INT(c->limits.work, rows[i].spent + 128);
        CHECK_INT(c->limits.deadline > 0, rows[i].stands);
        end();
    }
}

/* ---- captures */

static void record(uint64_t e, uint64_t s, cudaError_t error) {
    struct wire_out_cudaEventRecord none;
    CHECK_INT(CALL(cudaEventRecord, &none, {e, s}), error);
}
static void wait_for(uint64_t s, uint64_t e, cudaError_t error) {
    struct wire_out_cudaStreamWaitEvent none;
    CHECK_INT(CALL(cudaStreamWaitEvent, &none, {s, e, 0}), error);
}
static void call_back(uint64_t s) {
    struct wire_out_HostFunction none;
    CHECK_INT(CALL(HostFunction, &none, {s, 1, 2, 0}), 0);
}
static void begin_capture(uint64_t s, uint64_t mode) {
    struct wire_out_cudaStreamBeginCapture none;
    CHECK_INT(CALL(cudaStreamBeginCapture, &none, {s, mode}), 0);
}
static uint64_t end_capture(uint64_t s, cudaError_t error) {
    struct wire_out_cudaStreamEndCapture g = {0};
    CHECK_INT(CALL(cudaStreamEndCapture, &g, {s}), error);
    return g.pGraph;
}
/* What the stream's next node would be behind, of the nodes that were captured: the first is a. */
static const char *tail(uint64_t s, uint64_t g) {
    struct wire_out_CaptureInfo info = {0};
    struct wire_out_GraphList none;
    uint64_t n[16];
    spans(NULL, 0, NULL, 0);
    CHECK_INT(CALL(GraphList, &none, {WIRE_GRAPH_NODES, g}), 0);
    size_t count = k.outs ? k.out[0].bytes / 8 : 0;
    if (!CHECK(count <= 16)) return "";
    if (count) memcpy(n, k.out[0].data, count * 8);
    spans(NULL, 0, NULL, 0);
    CHECK_INT(CALL(CaptureInfo, &info, {s}), 0);
    return letters(0, n, count);
}

static void test_forks(void) {
    struct wire_out_CaptureInfo info = {0};
    struct wire_out_CaptureDependencies none;
    struct wire_out_cudaEventQuery asked;
    struct wire_out_cudaEventSynchronize synced;
    struct wire_out_EventElapsed elapsed;
    struct wire_out_cudaStreamDestroy gone;
    start();
    const uint64_t s = stream(), t = stream(), u = stream(), e = event(), f = event(),
                   old = event();
    record(old, u, 0);
    begin_capture(s, cudaStreamCaptureModeGlobal);
    spans(NULL, 0, NULL, 0);
    CHECK_INT(CALL(CaptureInfo, &info, {s}), 0);
    const uint64_t g = info.graph;
    call_back(s); /* a */
    CHECK_STR(tail(s, g), "a");
    record(e, s, 0);
    wait_for(t, e, 0); /* t takes part */
    CHECK_STR(tail(t, g), "a");
    call_back(t); /* b, behind a */
    call_back(s); /* c, behind a */
    CHECK_STR(tail(t, g), "b");
    CHECK_STR(tail(s, g), "c");
    CHECK_INT(CALL(cudaStreamDestroy, &gone, {t}), cudaErrorStreamCaptureUnsupported);
    record(f, t, 0);
    wait_for(s, f, 0); /* and joins */
    CHECK_STR(tail(s, g), "cb");
    wait_for(s, f, 0); /* which adds it but once */
    wait_for(s, e, 0);
    CHECK_STR(tail(s, g), "cba");
    call_back(s); /* d */
    CHECK_STR(tail(s, g), "d");
    CHECK_INT(CALL(EventElapsed, &elapsed, {e, f}), cudaErrorCapturedEvent);
    CHECK_INT(CALL(cudaStreamDestroy, &gone, {t}), 0); /* all of it has been joined */
    const uint64_t made = end_capture(s, 0);
    CHECK_INT(made, g);
    struct wire_out_GraphList listed;
    spans(NULL, 0, NULL, 0);
    CHECK_INT(CALL(GraphList, &listed, {WIRE_GRAPH_NODES, g}), 0);
    uint64_t n[4] = {0};
    if (CHECK(k.outs && k.out[0].bytes == sizeof n)) memcpy(n, k.out[0].data, sizeof n);
    CHECK_STR(list(WIRE_GRAPH_EDGES, g, n, 4), "aacba");
    CHECK_STR(letters(1, n, 4), "bcddd");
    /* Its events are as if they had not been recorded. */
    CHECK_INT(CALL(cudaEventQuery, &asked, {e}), 0);
    CHECK_INT(CALL(EventElapsed, &elapsed, {e, f}), HANDLE);
    /* Behind nodes of a given graph, and of the program's choice. */
    struct wire_out_CaptureToGraph to;
    spans(n + 1, 16, NULL, 0);
    CHECK_INT(CALL(CaptureToGraph, &to, {s, 77, 0}), BAD);
    CHECK_INT(CALL(CaptureToGraph, &to, {s, g, 0}), 0);
    CHECK_STR(tail(s, g), "bc");
    spans(n, 16, NULL, 0);
    CHECK_INT(CALL(CaptureDependencies, &none, {s, 0}), 0);
    CHECK_STR(tail(s, g), "bca");
    spans(n + 3, 8, NULL, 0);
    CHECK_INT(CALL(CaptureDependencies, &none, {s, 1}), 0);
    CHECK_STR(tail(s, g), "d");
    spans(n + 3, 7, NULL, 0);
    CHECK_INT(CALL(CaptureDependencies, &none, {s, 1}), BAD);
    CHECK_INT(CALL(CaptureDependencies, &none, {u, 1}), cudaErrorIllegalState);
    CHECK_INT(CALL(CaptureDependencies, &none, {77, 1}), HANDLE);
    CHECK_INT(end_capture(s, 0), g);
    /* What spoils one. */
    static const struct {
        cudaError_t error, ends;
        bool kept; /* it does not */
    } rows[] = {{cudaErrorStreamCaptureIsolation, cudaErrorStreamCaptureInvalidated, false},
                {cudaErrorStreamCaptureMerge, cudaErrorStreamCaptureInvalidated, false},
                {cudaErrorStreamCaptureImplicit, cudaErrorStreamCaptureInvalidated, false},
                {cudaErrorCapturedEvent, cudaErrorStreamCaptureInvalidated, false},
                {cudaErrorCapturedEvent, cudaErrorStreamCaptureInvalidated, false},
                {0, cudaErrorStreamCaptureUnjoined, false},
                {0, cudaErrorStreamCaptureUnmatched, true}};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        printf("# spoilt %u\n", i);
        const uint64_t a = stream(), b = stream();
        begin_capture(a, cudaStreamCaptureModeRelaxed);
        call_back(a);
        record(e, a, 0);
        switch (i) {
        case 0: wait_for(a, old, rows[i].error); break; /* of work outside */
        case 1:
            begin_capture(b, cudaStreamCaptureModeRelaxed);
            wait_for(b, e, rows[i].error);
            end_capture(b, cudaErrorStreamCaptureInvalidated);
            break;
        case 2: wait_for(0, e, rows[i].error); break; /* by the legacy stream */
        case 3: CHECK_INT(CALL(cudaEventQuery, &asked, {e}), rows[i].error); break;
        case 4: CHECK_INT(CALL(cudaEventSynchronize, &synced, {e}), rows[i].error); break;
        default:
            wait_for(b, e, 0);
            if (i == 5) call_back(b); /* nobody waits for that */
        }
        const dev_stream *of = dev_object(c, a, DEV_STREAM);
        CHECK_INT(of->capture->spoilt, i < 5);
        if (i < 5) record(f, a, cudaErrorStreamCaptureInvalidated);
        if (rows[i].kept) end_capture(b, rows[i].ends);
        CHECK(!!end_capture(a, rows[i].kept ? 0 : rows[i].ends) == rows[i].kept);
        CHECK_INT(c->streams.captures, 0);
    }
    end();
}

/* Graphs that go leave the captures of others as they are, wherever they lie. */
static void test_destroyed(void) {
    enum { SOME = 8 };
    struct wire_out_cudaGraphDestroy none;
    struct wire_out_CaptureInfo info = {0};
    uint64_t others[2 * SOME];
    start();
    for (int i = 0; i < SOME; i++) others[i] = graph();
    const uint64_t s = stream(), t = stream();
    begin_capture(s, cudaStreamCaptureModeRelaxed);
    begin_capture(t, cudaStreamCaptureModeRelaxed);
    call_back(s);
    for (int i = SOME; i < 2 * SOME; i++) others[i] = graph();
    for (int i = 0; i < 2 * SOME; i++) CHECK_INT(CALL(cudaGraphDestroy, &none, {others[i]}), 0);
    const uint64_t of[] = {s, t};
    for (int i = 0; i < 2; i++) {
        spans(NULL, 0, NULL, 0);
        CHECK_INT(CALL(CaptureInfo, &info, {of[i]}), 0);
        CHECK_INT(info.status, cudaStreamCaptureStatusActive);
        CHECK_INT(k.outs ? k.out[0].bytes / 8 : 0, of[i] == s);
    }
    CHECK(end_capture(s, 0) != 0);
    CHECK(end_capture(t, 0) != 0);
    CHECK_INT(c->streams.captures, 0);
    end();
}

/* A call that is unsafe while something captures: which captures it spoils, by their mode and its
 * thread, unless the thread exchanged its own mode for the relaxed one
 * (cudaThreadExchangeStreamCaptureMode). */
static void test_unsafe(void) {
    static const struct {
        uint64_t mode;
        unsigned thread;
        bool exchanged, spoils;
    } rows[] = {{cudaStreamCaptureModeGlobal, 0, false, true},
                {cudaStreamCaptureModeGlobal, 1, false, true},
                {cudaStreamCaptureModeGlobal, 0, true, false},
                {cudaStreamCaptureModeThreadLocal, 0, false, true},
                {cudaStreamCaptureModeThreadLocal, 1, false, false},
                {cudaStreamCaptureModeThreadLocal, 0, true, false},
                {cudaStreamCaptureModeRelaxed, 0, false, false},
                {cudaStreamCaptureModeRelaxed, 1, false, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wire_out_Malloc made = {0};
        printf("# unsafe %zu\n", i);
        start();
        const uint64_t s = stream(), t = stream();
        begin_capture(s, rows[i].mode);
        begin_capture(t, cudaStreamCaptureModeRelaxed);
        k.thread = rows[i].thread;
        k.flags = rows[i].exchanged ? WIRE_F_RELAXED : 0;
        CHECK_INT(CALL(Malloc, &made, {256}),
                  rows[i].spoils ? cudaErrorStreamCaptureUnsupported : 0);
        CHECK_INT(made.devPtr != 0, !rows[i].spoils);
        k.thread = 0, k.flags = 0;
        CHECK(end_capture(t, 0) != 0);
        end_capture(s, rows[i].spoils ? cudaErrorStreamCaptureInvalidated : 0);
        end();
    }
}

/* Its end looks at the events of the table, and at nothing behind the last. */
static void test_table(void) {
    start();
    const uint64_t s = stream();
    begin_capture(s, cudaStreamCaptureModeRelaxed);
    const dev_stream *of = dev_object(c, s, DEV_STREAM);
    dev_mark behind = {.capture = of->capture, .recorded = true};
    const size_t n = c->objects.count;
    if (CHECK(n < c->objects.room)) {
        c->objects.slot[n].kind = DEV_EVENT, c->objects.slot[n].object = &behind;
        CHECK(end_capture(s, 0) != 0);
        CHECK_INT(c->objects.count, n);
        CHECK(behind.recorded);
        c->objects.slot[n].kind = DEV_NONE, c->objects.slot[n].object = NULL;
    }
    end();
}

int main(void) {
    test_nodes();
    test_shape();
    test_instances();
    test_order();
    test_enabled();
    test_served();
    test_changed_midway();
    test_update();
    test_conditional();
    test_time();
    test_forks();
    test_destroyed();
    test_unsafe();
    test_table();
    return check_done();
}
