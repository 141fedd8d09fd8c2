/* slow: make test FAST=1 leaves it out */
/* Clients that break the protocol: bad messages end that client with a line, nothing else; scripts
 * of random messages, and the fuzzer's corpus, end without a report of the sanitizers. */
#include "runner/base/message.h"
#include "tests/check.h"
#include "tests/said.h"
#include "tests/fuzz/fuzz_protocol.c"

#include <dirent.h>
#include <stdio.h>
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The server's answer to raw bytes. */
static dev_event answer(dev_session *d, const void *bytes, size_t n, lib_message *msg,
                        double timeout) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) return DEV_CLOSED;
    dev_client *c = dev_client_new(d, pair[0], msg);
    ssize_t k = send(pair[1], bytes, n, 0);
    (void)k;
    dev_event e = dev_client_run(c, timeout, msg);
    dev_client_free(c);
    close(pair[1]);
    return e;
}

static void test_messages(void) {
    dev_options o;
    lib_message msg;
    uint8_t m[4096];
    dev_options_default(&o);
    dev_session *d = dev_session_new(&o, &msg);
    uint64_t hello[3] = {WIRE_VERSION, 1, 0};
    size_t n = simple(m, WIRE_OP_Hello, hello, NULL, 0);
    CHECK_INT(answer(d, m, n, &msg, 0.05), DEV_TIMEOUT);     /* nothing wrong yet */
    CHECK_INT(answer(d, m, n - 3, &msg, 0.05), DEV_TIMEOUT); /* the rest never comes */
    m[n] = 5;                                                /* a second message of 5 bytes */
    memset(m + n + 1, 0, 32);
    CHECK_INT(answer(d, m, n + 16, &msg, 5), DEV_PROTOCOL);
    CHECK_CONTAINS(said(&msg), "5 bytes");
    wire_head h;
    memcpy(&h, m, sizeof h);
    h.bytes = 0x7fffff00;
    memcpy(m, &h, sizeof h);
    CHECK_INT(answer(d, m, n, &msg, 5), DEV_PROTOCOL);
    CHECK_CONTAINS(said(&msg), "2,147,483,392 bytes");
    n = simple(m, WIRE_OP_Hello, (uint64_t[]){99, 1, 0}, NULL, 0);
    CHECK_INT(answer(d, m, n, &msg, 5), DEV_PROTOCOL);
    CHECK_CONTAINS(said(&msg), "version");
    n = simple(m, WIRE_OP_Malloc, &(uint64_t){16}, NULL, 0);
    CHECK_INT(answer(d, m, n, &msg, 5), DEV_PROTOCOL);
    CHECK_CONTAINS(said(&msg), "before the greeting");
    n = simple(m, WIRE_OP_Hello, hello, NULL, 0);
    n += simple(m + n, WIRE_OP_Hello, hello, NULL, 0);
    CHECK_INT(answer(d, m, n, &msg, 5), DEV_PROTOCOL);
    CHECK_CONTAINS(said(&msg), "second greeting");
    n = simple(m, WIRE_OP_Hello, hello, NULL, 0);
    h = (wire_head){.bytes = 16, .op = 60000};
    memcpy(m + n, &h, 16);
    CHECK_INT(answer(d, m, n + 16, &msg, 5), DEV_PROTOCOL);
    CHECK_CONTAINS(said(&msg), "60000");
    h = (wire_head){.bytes = 16, .op = WIRE_OP_Malloc};
    memcpy(m + n, &h, 16);
    CHECK_INT(answer(d, m, n + 16, &msg, 5), DEV_PROTOCOL);
    CHECK_CONTAINS(said(&msg), "Malloc takes 1 numbers");
    h = (wire_head){.bytes = 24, .op = WIRE_OP_Malloc, .scalars = 1, .device = 7};
    memcpy(m + n, &h, 16);
    CHECK_INT(answer(d, m, n + 24, &msg, 5), DEV_PROTOCOL);
    CHECK_CONTAINS(said(&msg), "no device 7");
    /* a span that reaches past the message */
    size_t at = n;
    n += simple(m + n, WIRE_OP_KernelGet, &(uint64_t){0}, "abcdefgh", 8);
    uint64_t long_span = 9999;
    memcpy(m + at + 24, &long_span, 8);
    CHECK_INT(answer(d, m, n, &msg, 5), DEV_PROTOCOL);
    CHECK_CONTAINS(said(&msg), "past the message's end");
    dev_session_free(d);
}

/* A client that never reads: its replies fill the socket, and it is ended. */
static void test_silent(void) {
    dev_options o;
    lib_message msg;
    static uint8_t m[1 << 19];
    dev_options_default(&o);
    dev_session *d = dev_session_new(&o, &msg);
    uint64_t hello[3] = {WIRE_VERSION, 1, 0}, query = 0;
    size_t n = simple(m, WIRE_OP_Hello, hello, NULL, 0);
    while (n + 64 < 100000) n += simple(m + n, WIRE_OP_cudaGetDeviceProperties, &query, NULL, 0);
    double t = now();
    dev_event e = answer(d, m, n, &msg, 1);
    CHECK(e == DEV_PROTOCOL || e == DEV_TIMEOUT);
    CHECK(now() - t < 5);
    dev_session_free(d);
}

/* A module's managed variables: who asks for another module's, asks twice, or frees what is not his
 * to free. */
static void test_managed(void) {
    static const char text[] = ".version 7.5\n.target sm_75\n.address_size 64\n"
                               ".visible .global .attribute(.managed) .align 4 .u32 first = 5;\n"
                               ".visible .global .attribute(.managed) .align 4 .b8 table[5000];\n"
                               ".visible .global .align 4 .u32 plain;\n";
    const uint64_t module = (uint64_t)0x57 << 56 | (uint64_t)3 << 48 | 1 << 24;
    /* of a session's first host memory; the second variable lies 512 behind it */
    const uint64_t at = 0x2d0000000000;
    static uint8_t m[16384], binary[2048], in[16384];
    uint64_t bytes = fatbin(binary, text, sizeof text);
    size_t n = simple(m, WIRE_OP_Hello, (uint64_t[]){WIRE_VERSION, 1, 0}, NULL, 0);
    n += simple(m + n, WIRE_OP_ModuleBegin, &bytes, NULL, 0);
    n += simple(m + n, WIRE_OP_ModuleData, &module, binary, bytes); /* posted: no reply */
    const struct {
        wire_op op;
        uint64_t in[4];
        const char *name;
        uint64_t error;
    } ask[] = {
        {WIRE_OP_ModuleManaged, {module + 1}, "first", cudaErrorInvalidResourceHandle},
        {WIRE_OP_ModuleManaged, {module}, "first", cudaSuccess},
        {WIRE_OP_ModuleManaged, {module}, "first", cudaErrorInvalidValue},
        {WIRE_OP_SymbolGet, {module}, "table", cudaSuccess},
        {WIRE_OP_SymbolGet, {module}, "second", cudaErrorInvalidSymbol},
        {WIRE_OP_HostReady, {at, 0}, NULL, cudaSuccess}, /* not mapped: the module still has it */
        {WIRE_OP_HostFree, {at}, NULL, cudaErrorInvalidValue},
        {WIRE_OP_Free, {at}, NULL, cudaErrorInvalidValue},
        {WIRE_OP_HostUnregister, {at}, NULL, cudaErrorHostMemoryNotRegistered},
        {WIRE_OP_HostWant, {at}, NULL, cudaErrorInvalidValue}, /* not kept back */
        {WIRE_OP_HostWant, {UINT64_MAX}, NULL, cudaErrorInvalidValue},
        {WIRE_OP_cudaStreamAttachMemAsync, {0, at + 512, 5000, 1}, NULL, cudaSuccess},
        {WIRE_OP_cudaStreamAttachMemAsync, {0, at + 512, 5001, 1}, NULL, cudaErrorInvalidValue},
        {WIRE_OP_DeviceReset, {0}, NULL, cudaSuccess},
        {WIRE_OP_cudaStreamAttachMemAsync, {0, at, 4, 1}, NULL, cudaSuccess},
        {WIRE_OP_cudaStreamAttachMemAsync, {0, at, 5, 1}, NULL, cudaErrorInvalidValue},
        {WIRE_OP_ModuleUnload, {module}, NULL, cudaSuccess}};
    enum { ASKED = sizeof ask / sizeof *ask };
    for (size_t i = 0; i < ASKED; i++)
        n +=
            simple(m + n, ask[i].op, ask[i].in, ask[i].name, ask[i].name ? strlen(ask[i].name) : 0);
    dev_options o;
    lib_message msg;
    int pair[2];
    dev_options_default(&o);
    dev_session *d = dev_session_new(&o, &msg);
    CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
    dev_client *c = dev_client_new(d, pair[0], &msg);
    CHECK_INT(send(pair[1], m, n, 0), n);
    CHECK_INT(dev_client_run(c, 0.3, &msg), DEV_TIMEOUT);
    size_t have = 0, used = 0, next = 0;
    for (ssize_t k; (k = recv(pair[1], in + have, sizeof in - have, MSG_DONTWAIT)) > 0;)
        have += (size_t)k;
    while (have - used >= sizeof(wire_head) + 8) {
        wire_head h;
        uint64_t error;
        memcpy(&h, in + used, sizeof h);
        memcpy(&error, in + used + sizeof h, 8);
        if (h.bytes < sizeof h || h.bytes > have - used) break;
        used += h.bytes;
        if (next >= ASKED || h.op != ask[next].op) continue;
        CHECK_INT(error, ask[next].error);
        next++;
    }
    CHECK_INT(next, ASKED - 1); /* the last is posted */
    dev_client_free(c);
    close(pair[1]);
    dev_session_free(d);
}

/* ---- graphs: who owns what, and who is told that it is gone */

static uint64_t handle(unsigned kind, unsigned generation, unsigned index) {
    return (uint64_t)0x57 << 56 | (uint64_t)kind << 48 | (uint64_t)generation << 24 | index;
}
enum { STREAM = 1, EVENT = 2, GRAPH = 9, NODE = 10, EXEC = 11 };

typedef struct {
    wire_op op;
    uint64_t in[4];
    const void *span[2];
    size_t bytes[2];
    uint64_t error;
    uint64_t out; /* the reply's first scalar, 0: any */
} step;

/* The steps as messages behind a greeting. */
static size_t build(uint8_t *m, const step *ask, size_t count) {
    size_t n = simple(m, WIRE_OP_Hello, (uint64_t[]){WIRE_VERSION, 1, 0}, NULL, 0);
    for (size_t i = 0; i < count; i++) {
        wire_head h = {.op = (uint16_t)ask[i].op,
                       .scalars = shape[ask[i].op].scalars,
                       .spans = shape[ask[i].op].spans};
        size_t at = n + sizeof h;
        memcpy(m + at, ask[i].in, h.scalars * 8u);
        at += h.scalars * 8u;
        if (h.spans) {
            uint32_t lens[2] = {(uint32_t)ask[i].bytes[0], (uint32_t)ask[i].bytes[1]};
            memcpy(m + at, lens, 8);
            at += 8;
        }
        for (unsigned k = 0; k < h.spans; k++) {
            size_t pad = -ask[i].bytes[k] & 7;
            if (ask[i].span[k]) memcpy(m + at, ask[i].span[k], ask[i].bytes[k]);
            memset(m + at + ask[i].bytes[k], 0, pad);
            at += ask[i].bytes[k] + pad;
        }
        h.bytes = (uint32_t)(at - n);
        memcpy(m + n, &h, sizeof h);
        n = at;
    }
    return n;
}

/* Sends the steps and compares what they answer; the client ends with whatever is left. */
static void steps(const step *ask, size_t count) {
    static uint8_t m[1 << 16], in[1 << 18];
    size_t n = build(m, ask, count);
    dev_options o;
    lib_message msg;
    int pair[2];
    dev_options_default(&o);
    dev_session *d = dev_session_new(&o, &msg);
    CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
    dev_client *c = dev_client_new(d, pair[0], &msg);
    CHECK_INT(send(pair[1], m, n, 0), n);
    CHECK_INT(dev_client_run(c, 0.3, &msg), DEV_TIMEOUT);
    size_t have = 0, used = 0, next = 0;
    for (ssize_t k; (k = recv(pair[1], in + have, sizeof in - have, MSG_DONTWAIT)) > 0;)
        have += (size_t)k;
    while (have - used >= sizeof(wire_head) + 8 && next < count) {
        wire_head h;
        uint64_t answer[2] = {0};
        memcpy(&h, in + used, sizeof h);
        if (h.bytes < sizeof h + 8 || h.bytes > have - used) break;
        memcpy(answer, in + used + sizeof h, h.scalars > 1 ? 16 : 8);
        used += h.bytes;
        if (h.op != ask[next].op) continue;
        if (answer[0] != ask[next].error ||
            (ask[next].out && (h.scalars < 2 || answer[1] != ask[next].out)))
            printf("# step %zu, %d: error %d, %llx\n", next, h.op, (int)answer[0],
                   (unsigned long long)answer[1]);
        CHECK_INT(answer[0], ask[next].error);
        if (ask[next].out) CHECK_INT(answer[1], ask[next].out);
        next++;
    }
    CHECK_INT(next, count);
    dev_client_free(c);
    close(pair[1]);
    dev_session_free(d);
}
#define STEPS(list) steps(list, sizeof(list) / sizeof *(list))
#define ASK(name, ...)                                                                             \
    { .op = WIRE_OP_##name, __VA_ARGS__ }
#define IN(...) .in = {__VA_ARGS__}

static void test_graphs(void) {
    const uint64_t a = handle(GRAPH, 1, 1), b = handle(GRAPH, 1, 2), child = handle(GRAPH, 2, 0);
    const uint64_t node = handle(NODE, 1, 3), stream = handle(STREAM, 1, 4),
                   event = handle(EVENT, 1, 0);
    /* A child whose handle comes before its parent's is freed once, when the client goes. */
    const step order[] = {ASK(cudaEventCreate, .out = event),
                          ASK(GraphCreate, .out = a),
                          ASK(GraphCreate, .out = b),
                          ASK(cudaEventDestroy, IN(event)),
                          ASK(GraphAdd, IN(b, 4), .span[1] = &a, .bytes[1] = 8, .out = node),
                          ASK(cudaGraphDestroy, IN(child), .error = cudaErrorInvalidValue)};
    STEPS(order);
    /* A child that a stream captures to goes with its node. */
    const step capture[] = {ASK(cudaEventCreate, .out = event),
                            ASK(GraphCreate, .out = a),
                            ASK(GraphCreate, .out = b),
                            ASK(cudaEventDestroy, IN(event)),
                            ASK(GraphAdd, IN(b, 4), .span[1] = &a, .bytes[1] = 8, .out = node),
                            ASK(cudaStreamCreate, .out = stream),
                            ASK(CaptureToGraph, IN(stream, child, 2)),
                            ASK(cudaGraphDestroyNode, IN(node)),
                            ASK(CaptureInfo, IN(stream)),
                            ASK(cudaStreamEndCapture, IN(stream), .error = cudaErrorIllegalState)};
    STEPS(capture);
    /* An instance's child is replaced while its host node runs: what follows does not. */
    const uint64_t host[2] = {1, 2}, inner = handle(GRAPH, 1, 0), outer = handle(GRAPH, 1, 1);
    const uint64_t first = handle(NODE, 1, 3), then = handle(NODE, 1, 6), x = handle(EXEC, 1, 7);
    const step running[] = {ASK(GraphCreate, .out = inner),
                            ASK(GraphCreate, .out = outer),
                            ASK(GraphAdd, IN(inner, 5)),
                            ASK(GraphAdd, IN(outer, 3), .span[1] = host, .bytes[1] = 16),
                            ASK(GraphAdd, IN(outer, 4), .span = {&first, &inner}, .bytes = {8, 8}),
                            ASK(GraphInstantiate, IN(outer, 0)),
                            ASK(cudaGraphLaunch, IN(x, 0)),
                            ASK(Service, IN(0), .out = 1),
                            ASK(GraphNodeSet, IN(x, then, 4), .span[0] = &inner, .bytes[0] = 8),
                            ASK(Service, IN(1))};
    STEPS(running);
    /* A child that an instance was given has no handles by which its nodes could go. */
    const uint64_t own = handle(NODE, 1, 5), y = handle(EXEC, 1, 6);
    const step private[] = {
        ASK(GraphCreate, .out = inner),
        ASK(GraphCreate, .out = outer),
        ASK(GraphAdd, IN(inner, 5)),
        ASK(GraphAdd, IN(outer, 4), .span[1] = &inner, .bytes[1] = 8, .out = own),
        ASK(GraphInstantiate, IN(outer, 0), .out = y),
        ASK(GraphNodeSet, IN(y, own, 4), .span[0] = &inner, .bytes[0] = 8),
        ASK(cudaGraphLaunch, IN(y, 0)),
        ASK(cudaGraphDestroyNode, IN(handle(NODE, 1, 8)), .error = cudaErrorInvalidValue),
        ASK(cudaGraphLaunch, IN(y, 0))};
    STEPS(private);
}

/* ---- conditional nodes */

enum { CONDITION = 12, CONDITIONAL = cudaGraphNodeTypeConditional };
#define COND(h, t, s) (&(const wire_conditional){h, t, s})
#define NODE_OF(graph, params, n, ...)                                                             \
    ASK(GraphAdd, IN(graph, CONDITIONAL), .span[1] = params, .bytes[1] = n, __VA_ARGS__)

static void test_conditional(void) {
    const uint64_t g = handle(GRAPH, 1, 0), h = handle(CONDITION, 1, 1),
                   other = handle(GRAPH, 1, 2);
    const uint64_t spare = handle(CONDITION, 1, 3);
    enum { BAD = cudaErrorInvalidValue, NOT = cudaErrorNotSupported };
    const step parameters[] = {
        ASK(GraphCreate, .out = g),
        ASK(cudaGraphConditionalHandleCreate, IN(h, 1, 1), .error = BAD), /* of no graph */
        ASK(cudaGraphConditionalHandleCreate, IN(g, 1, 2), .error = BAD), /* unknown flag */
        ASK(cudaGraphConditionalHandleCreate, IN(g, 1, 1ull << 40), .error = BAD),
        ASK(cudaGraphConditionalHandleCreate, IN(g, 1, 1), .out = h),
        ASK(GraphCreate, .out = other),
        ASK(cudaGraphConditionalHandleCreate, IN(other, 1, 1), .out = spare),
        NODE_OF(g, NULL, 0, .error = BAD),
        NODE_OF(g, COND(h, 0, 1), 15, .error = BAD),
        NODE_OF(g, (const uint64_t[3]){0}, 24, .error = BAD),
        NODE_OF(g, COND(g, 0, 1), 16, .error = BAD), /* no handle of a condition */
        NODE_OF(g, COND(h + 1, 0, 1), 16, .error = BAD),
        NODE_OF(g, COND(h + (1 << 24), 0, 1), 16, .error = BAD), /* another generation */
        NODE_OF(g, COND(~0ull, 0, 1), 16, .error = BAD),
        NODE_OF(g, COND(spare, 0, 1), 16, .error = BAD), /* of another graph */
        NODE_OF(g, COND(h, 3, 1), 16, .error = BAD),
        NODE_OF(g, COND(h, ~0u, 1), 16, .error = BAD),
        NODE_OF(g, COND(h, 0, 0), 16, .error = BAD),
        NODE_OF(g, COND(h, 0, 3), 16, .error = BAD),
        NODE_OF(g, COND(h, 1, 2), 16, .error = BAD),
        NODE_OF(g, COND(h, 2, 0), 16, .error = BAD),
        NODE_OF(g, COND(h, 2, ~0u), 16, .error = NOT),
        NODE_OF(g, COND(h, 2, 4097), 16, .error = NOT),
        ASK(GraphInstantiate, IN(g, 0), .error = BAD, .out = 0), /* the handle has no node */
        NODE_OF(g, COND(h, 2, 4096), 16, .out = handle(NODE, 1, 4 + 4096)),
        NODE_OF(g, COND(h, 2, 1), 16, .error = BAD), /* it has its node */
        ASK(GraphInstantiate, IN(g, 0)),
        ASK(GraphInstantiate, IN(g, 0), .error = NOT),
        ASK(cudaGraphDestroyNode, IN(handle(NODE, 1, 4 + 4096))),
        NODE_OF(g, COND(h, 1, 1), 16), /* and now it has none */
        ASK(cudaGraphDestroy, IN(other)),
        NODE_OF(g, COND(spare, 0, 1), 16, .error = BAD)}; /* its graph is gone */
    STEPS(parameters);

    /* A body belongs to its node, and no graph comes to lie in itself. */
    const uint64_t body = handle(GRAPH, 1, 2), node = handle(NODE, 1, 3), x = handle(EXEC, 1, 6);
    const uint64_t in[2] = {node, 0}, stream = handle(STREAM, 1, 5);
    const wire_conditional loop = {h, cudaGraphCondTypeIf, 1};
    const step owner[] = {
        ASK(GraphCreate, .out = g),
        ASK(cudaGraphConditionalHandleCreate, IN(g, 1, 1), .out = h),
        NODE_OF(g, &loop, 16, .out = node),
        ASK(cudaGraphDestroy, IN(body), .error = BAD),
        ASK(GraphInstantiate, IN(body, 0), .error = NOT),
        ASK(GraphClone, IN(g), .error = NOT),
        ASK(GraphAdd, IN(body, 4), .span[1] = &g, .bytes[1] = 8, .error = NOT),
        ASK(GraphAdd, IN(g, 4), .span[1] = &g, .bytes[1] = 8, .error = NOT),
        ASK(GraphAdd, IN(body, 5), .span[0] = in, .bytes[0] = 8,
            .error = BAD), /* behind an outer node */
        ASK(GraphNodeSet, IN(0, node, CONDITIONAL), .span[0] = &loop, .bytes[0] = 16, .error = NOT),
        ASK(GraphAdd, IN(body, 5), .out = handle(NODE, 1, 4)),
        ASK(cudaStreamCreate, .out = stream),
        ASK(GraphInstantiate, IN(g, 0), .out = x),
        ASK(GraphNodeSet, IN(x, node, CONDITIONAL), .span[0] = &loop, .bytes[0] = 16, .error = NOT),
        ASK(CaptureToGraph, IN(stream, body, 2)),
        ASK(HostFunction, IN(stream, 1, 2, 0)),
        ASK(cudaGraphDestroy, IN(g)), /* with the capture; the instance stays */
        ASK(cudaStreamEndCapture, IN(stream), .error = cudaErrorIllegalState),
        ASK(GraphNodeGet, IN(node), .error = BAD),
        ASK(GraphList, IN(0, body), .error = BAD),
        ASK(cudaGraphLaunch, IN(x, 0)),
        ASK(cudaDeviceSynchronize, .error = 0),
        ASK(cudaGraphExecDestroy, IN(x)),
        ASK(cudaGraphExecDestroy, IN(x), .error = BAD)};
    STEPS(owner);

    /* What a body may not hold may lie there, but neither become an instance nor get into one. */
    const uint64_t wrong = handle(NODE, 1, 4);
    const step unfit[] = {
        ASK(GraphCreate, .out = g),
        ASK(cudaGraphConditionalHandleCreate, IN(g, 1, 1), .out = h),
        NODE_OF(g, &loop, 16, .out = node),
        ASK(GraphAdd, IN(body, 3), .span[1] = in, .bytes[1] = 16,
            .out = wrong), /* a host function */
        ASK(GraphInstantiate, IN(g, 0), .error = BAD),
        ASK(cudaGraphDestroyNode, IN(wrong)),
        ASK(GraphInstantiate, IN(g, 0), .out = handle(EXEC, 2, 4)),
        ASK(GraphAdd, IN(body, 3), .span[1] = in, .bytes[1] = 16, .out = handle(NODE, 1, 5)),
        ASK(GraphExecUpdate, IN(handle(EXEC, 2, 4), g), .error = BAD),
        ASK(cudaGraphLaunch, IN(handle(EXEC, 2, 4), 0)),
        ASK(cudaDeviceSynchronize, .error = 0)};
    STEPS(unfit);

    /* An update to another kind of node, and to one with other bodies; then all is left behind. */
    const uint64_t second = handle(GRAPH, 1, 4);
    const step update[] = {
        ASK(GraphCreate, .out = g),
        ASK(cudaGraphConditionalHandleCreate, IN(g, 1, 1), .out = h),
        NODE_OF(g, &loop, 16, .out = node),
        ASK(GraphCreate, .out = second),
        ASK(cudaGraphConditionalHandleCreate, IN(second, 0, 1), .out = handle(CONDITION, 1, 5)),
        NODE_OF(second, COND(handle(CONDITION, 1, 5), 0, 2), 16),
        ASK(GraphInstantiate, IN(g, 0), .out = handle(EXEC, 1, 9)),
        ASK(GraphExecUpdate, IN(handle(EXEC, 1, 9), second),
            .out = cudaGraphExecUpdateErrorParametersChanged),
        ASK(GraphExecUpdate, IN(handle(EXEC, 1, 9), body),
            .out = cudaGraphExecUpdateErrorTopologyChanged),
        ASK(cudaGraphLaunch, IN(handle(EXEC, 1, 9), 0))};
    STEPS(update);

    /* A conditional node in a child, which an instance replaces. */
    const uint64_t plain = handle(GRAPH, 1, 0), top = handle(GRAPH, 1, 1),
                   child = handle(NODE, 1, 3);
    const uint64_t cond = handle(CONDITION, 1, 4), made = handle(EXEC, 1, 7);
    const step replaced[] = {
        ASK(GraphCreate, .out = plain),
        ASK(GraphCreate, .out = top),
        ASK(GraphAdd, IN(top, 4), .span[1] = &plain, .bytes[1] = 8, .out = child),
        ASK(cudaGraphConditionalHandleCreate, IN(top, 0, 1), .out = cond),
        NODE_OF(handle(GRAPH, 1, 2), COND(cond, cudaGraphCondTypeSwitch, 1), 16),
        ASK(GraphInstantiate, IN(top, 0), .out = made),
        ASK(cudaGraphLaunch, IN(made, 0)),
        ASK(GraphNodeSet, IN(made, child, 4), .span[0] = &plain, .bytes[0] = 8),
        ASK(cudaGraphLaunch, IN(made, 0)),
        ASK(GraphExecUpdate, IN(made, top), .out = cudaGraphExecUpdateErrorTopologyChanged)};
    STEPS(replaced);

    /* Nodes in bodies of nodes, until it is too deep. */
    enum { DEEP = 18 };
    step nested[1 + 2 * DEEP] = {ASK(GraphCreate, .out = g)};
    wire_conditional each[DEEP];
    for (unsigned i = 0; i < DEEP; i++) {
        unsigned at = i < 16 ? 1 + 3 * i : 1 + 3 * 15 + (i - 15);
        uint64_t in_body = i ? handle(GRAPH, 1, 3 * (i < 16 ? i : 15) - 1) : g;
        each[i] = (wire_conditional){handle(CONDITION, 1, at), cudaGraphCondTypeWhile, 1};
        nested[1 + 2 * i] =
            (step)ASK(cudaGraphConditionalHandleCreate, IN(g, 0, 1), .out = each[i].handle);
        nested[2 + 2 * i] = (step)NODE_OF(in_body, &each[i], 16,
                                          .error = i < 15 ? 0 : (uint64_t)cudaErrorNotSupported);
    }
    STEPS(nested);
}

/* Rows and slices that are said to lie in each other are refused, as the runtime refuses them:
 * their number would have no bound. */
static void test_shapes(void) {
    const uint64_t at = 0x300000000200; /* of a session's first memory */
    static const struct {
        uint64_t pitch, rows, width, height, depth, error;
    } form[] = {{0, 1, 1, 1ull << 34, 1, cudaErrorInvalidValue},
                {0, 1, 1, 1, 1ull << 34, cudaErrorInvalidValue},
                {1, 1, 1, 2, 1ull << 34, cudaErrorInvalidValue},
                {3, 9, 4, 9, 1, cudaErrorInvalidValue},
                {1024, 0, 4, 1, 5, cudaErrorInvalidValue},
                {0, 0, 1, 1ull << 33, 1ull << 33, cudaErrorInvalidValue},
                {0, 0, 4, 1, 1, cudaSuccess},
                {4, 2, 4, 2, 3, cudaSuccess},
                {8, 1, 4, 9, 1, cudaSuccess}};
    for (size_t i = 0; i < sizeof form / sizeof *form; i++) {
        const wire_place p = {.at = WIRE_AT_POINTER,
                              .device = -1,
                              .address = at,
                              .pitch = form[i].pitch,
                              .rows = form[i].rows};
        const wire_fill f = {.to = p,
                             .width = form[i].width,
                             .height = form[i].height,
                             .depth = form[i].depth,
                             .element = 1};
        const wire_copy c = {.to = p,
                             .from = p,
                             .width = f.width,
                             .height = f.height,
                             .depth = f.depth,
                             .kind = cudaMemcpyDefault,
                             .async = 1};
        const step ask[] = {ASK(Malloc, IN(1 << 20), .out = at),
                            ASK(Fill, .span[0] = &f, .bytes[0] = sizeof f, .error = form[i].error),
                            ASK(Copy, .span[0] = &c, .bytes[0] = sizeof c, .error = form[i].error)};
        STEPS(ask);
    }
}

static void *raise_soon(void *flag) {
    usleep(200000);
    __atomic_store_n((volatile int *)flag, 1, __ATOMIC_RELAXED);
    return NULL;
}

/* A WHILE node with an empty body and a condition that stays: it ends by the work allowed, by the
 * clock, by the session's end, and says so. */
static void test_endless(void) {
    static uint8_t m[4096];
    static volatile int cancel;
    const uint64_t g = handle(GRAPH, 1, 0);
    const wire_conditional loop = {handle(CONDITION, 1, 1), cudaGraphCondTypeWhile, 1};
    const step ask[] = {ASK(GraphCreate), ASK(cudaGraphConditionalHandleCreate, IN(g, 1, 1)),
                        NODE_OF(g, &loop, 16), ASK(GraphInstantiate, IN(g, 0)),
                        ASK(cudaGraphLaunch, IN(handle(EXEC, 1, 4), 0))};
    size_t n = build(m, ask, sizeof ask / sizeof *ask);
    const struct {
        uint64_t allowed;
        int cancel;
        dev_event event;
        const char *why;
    } ends[] = {{1 << 20, 0, DEV_TIMEOUT, "the work allowed to the program was done"},
                {0, 0, DEV_TIMEOUT, "the program's time was over"},
                {0, 1, DEV_CANCELLED, "it was cancelled"}};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        dev_options o;
        lib_message msg;
        int pair[2];
        dev_options_default(&o);
        o.cancel = &cancel;
        o.sim.inst_budget = (uint64_t)1 << 60;
        cancel = 0;
        dev_session *d = dev_session_new(&o, &msg);
        CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
        dev_client *c = dev_client_new(d, pair[0], &msg);
        dev_client_allow(c, ends[i].allowed);
        CHECK_INT(send(pair[1], m, n, 0), n);
        pthread_t later;
        if (ends[i].cancel)
            CHECK(!pthread_create(&later, NULL, raise_soon, (void *)(uintptr_t)&cancel));
        double t = now();
        CHECK_INT(dev_client_run(c, ends[i].cancel ? 30 : 0.5, &msg), ends[i].event);
        CHECK(now() - t < 5);
        if (ends[i].cancel) pthread_join(later, NULL);
        const sim_finding *f;
        size_t count = dev_client_findings(c, &f);
        CHECK_INT(count, 1);
        if (count) CHECK_INT(f[0].kind, SIM_FIND_BUDGET);
        if (count) CHECK_CONTAINS(said(&f[0].said), ends[i].why);
        dev_client_free(c);
        close(pair[1]);
        dev_session_free(d);
    }
}

int main(void) {
    test_messages();
    test_managed();
    test_graphs();
    test_conditional();
    test_endless();
    test_shapes();
    test_silent();
    uint64_t seed = 88172645463325252u;
    static uint8_t script[1 << 15]; /* random ones are of at most 2000 bytes */
    double until = now() + 4;
    unsigned count = 0;
    while (now() < until) {
        for (size_t i = 0; i < 2000; i++) {
            seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
            script[i] = (uint8_t)(seed >> 32);
        }
        script[0] = (uint8_t)(count % 5 == 4 ? 1 : 2);
        fuzz_protocol(script, 20 + seed % 1900);
        count++;
    }
    printf("# %u random scripts\n", count);
    CHECK(count > 20);
    DIR *folder = opendir("tests/fuzz/protocol");
    unsigned files = 0;
    for (struct dirent *e; folder && (e = readdir(folder));) {
        char path[512];
        snprintf(path, sizeof path, "tests/fuzz/protocol/%s", e->d_name);
        FILE *f = e->d_name[0] == '.' ? NULL : fopen(path, "rb");
        if (!f) continue;
        size_t n = fread(script, 1, sizeof script, f);
        fclose(f);
        fuzz_protocol(script, n);
        files++;
    }
    if (folder) closedir(folder);
    printf("# %u scripts of the corpus\n", files);
    CHECK(files >= 50);
    return check_done();
}
