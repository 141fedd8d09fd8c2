/* Well-formed requests with extreme values: every call of the wire protocol in its right shape, on
 * objects that exist (a kernel that ends and one that never does, memory of each kind, streams,
 * events, arrays, graphs and an instance), with sizes, pitches, counts and lists that are tiny,
 * huge, or overflow when they are multiplied. What is asked may take for ever; the session is
 * cancelled soon, and then the server has to be back within a bounded processor time.
 *
 *   input    a byte an operation, then a byte for each scalar and each field of its structs */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include "runner/base/message.h"
#include "runner/device/cudart/protocol.h"
#include "runner/device/server/device.h"
#include "tests/fuzz/shape.h"

int fuzz_extreme(const uint8_t *data, size_t size);

/* Processor time, of all threads, between the cancellation and the answer: the most so far. */
double fuzz_extreme_worst;

static const char extreme_ptx[] =
    ".version 7.5\n.target sm_75\n.address_size 64\n.visible .global .align 4 .b8 v[64];\n"
    ".visible .entry k(.param .u64 p, .param .u32 n) {\n.reg .b32 %r<3>; .reg .b64 %rd<3>;\n"
    "ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n]; cvta.to.global.u64 %rd2, %rd1; st.global.u32 "
    "[%rd2], %r1; ret;\n}\n"
    ".visible .entry spin() {\nloop: bra loop;\n}\n";

/* Where the memory of prologue() lies: behind the grid barrier and the variable v. */
#define DEVICE_AT 0x300000000400ull
enum { OUT_ROOM = 4 << 20, MEMORY = 1 << 30, BIG = 1 << 27, LIST_MOST = 60000 };
/* Objects, in the order in which prologue() makes them. */
enum {
    K_STREAM = 1,
    K_EVENT = 2,
    K_MODULE = 3,
    K_KERNEL = 4,
    K_ARRAY = 5,
    K_TEXTURE = 6,
    K_SURFACE = 7,
    K_POOL = 8,
    K_GRAPH = 9,
    K_NODE = 10,
    K_EXEC = 11
};
enum {
    AT_MODULE,
    AT_KERNEL,
    AT_SPIN,
    AT_STREAM,
    AT_OTHER,
    AT_EVENT,
    AT_GRAPH,
    AT_FIRST_NODE,
    AT_NODE,
    AT_EXEC,
    AT_ARRAY
};
static uint64_t extreme_handle(unsigned kind, unsigned index) {
    return (uint64_t)0x57 << 56 | (uint64_t)kind << 48 | (uint64_t)1 << 24 | index;
}

typedef struct {
    uint8_t *at;
    size_t n;
    const uint8_t *p, *end;
} writer;

static uint8_t take(writer *w) {
    return w->p < w->end ? *w->p++ : 0;
}

/* A value that may be anything: a size, an address, a handle, a flag. */
static uint64_t extreme(writer *w) {
    static const uint64_t sizes[] = {0,          1,          2,          3,          4,
                                     511,        512,        4095,       1 << 16,    1 << 20,
                                     BIG / 2,    BIG - 1,    BIG,        BIG + 1,    0x7fffffff,
                                     0x80000000, 0xffffffff, 1ull << 32, 1ull << 34, 1ull << 40,
                                     1ull << 46, 1ull << 62, 1ull << 63, UINT64_MAX};
    static const uint64_t memory[] = {DEVICE_AT, DEVICE_AT + 256, 0x2d0000000000};
    static const struct {
        uint8_t kind, index;
    } objects[] = {{K_STREAM, AT_STREAM}, {K_STREAM, AT_OTHER},    {K_EVENT, AT_EVENT},
                   {K_MODULE, AT_MODULE}, {K_KERNEL, AT_KERNEL},   {K_KERNEL, AT_SPIN},
                   {K_GRAPH, AT_GRAPH},   {K_NODE, AT_FIRST_NODE}, {K_NODE, AT_NODE},
                   {K_EXEC, AT_EXEC},     {K_ARRAY, AT_ARRAY},     {K_POOL, AT_ARRAY + 1}};
    enum { SIZES = sizeof sizes / sizeof *sizes, OBJECTS = sizeof objects / sizeof *objects };
    uint8_t b = take(w);
    if (b < 96) return sizes[b % SIZES];
    if (b < 112) return memory[b % 3];
    if (b < 160) return extreme_handle(objects[b % OBJECTS].kind, objects[b % OBJECTS].index);
    if (b < 176) return extreme_handle(1 + b % 12, take(w) % 64);
    if (b < 200) return b % 8;
    return memory[b % 2] + take(w) * 256ull;
}

/* ---- one message */

static void put(writer *w, const void *from, size_t n) {
    if (!n || w->n + n > OUT_ROOM) return;
    memcpy(w->at + w->n, from, n);
    w->n += n;
}

/* The head, the scalars; the spans' lengths follow, then extreme_span() for each. */
static void message_begin(writer *w, wire_op op, const uint64_t *scalars, const uint32_t *lens,
                          size_t *start) {
    wire_head h = {.op = (uint16_t)op, .scalars = shape[op].scalars, .spans = shape[op].spans};
    uint32_t padded[4] = {0};
    *start = w->n;
    put(w, &h, sizeof h);
    put(w, scalars, h.scalars * 8u);
    for (unsigned i = 0; i < h.spans; i++) padded[i] = lens[i];
    put(w, padded, (h.spans + 1u) / 2 * 8);
}
static void message_span(writer *w, const void *bytes, size_t n) {
    static const uint8_t zero[8];
    put(w, bytes, n);
    put(w, zero, -n & 7);
}
static void message_end(writer *w, size_t start) {
    uint32_t bytes = (uint32_t)(w->n - start);
    memcpy(w->at + start, &bytes, sizeof bytes);
}
static void message_send(writer *w, wire_op op, const uint64_t *scalars, const void *a, uint32_t an,
                         const void *b, uint32_t bn) {
    size_t start;
    message_begin(w, op, scalars, (uint32_t[4]){an, bn}, &start);
    if (shape[op].spans > 0) message_span(w, a, an);
    if (shape[op].spans > 1) message_span(w, b, bn);
    if (shape[op].spans > 2) message_span(w, "", 0);
    message_end(w, start);
}

/* ---- structs */

static wire_place extreme_place(writer *w, bool fill) {
    uint8_t how = take(w);
    wire_place p = {.at = WIRE_AT_POINTER,
                    .device = -1,
                    .address = DEVICE_AT,
                    .pitch = extreme(w),
                    .rows = extreme(w)};
    if (how & 1) p.pitch = 2;
    if (how & 2) p.address += how;
    if (!fill && how % 16 == 15)
        p.at = WIRE_AT_ARRAY, p.address = extreme_handle(K_ARRAY, AT_ARRAY);
    if (!fill && how % 32 == 14) p.at = WIRE_AT_PAGEABLE, p.address = 0x10000;
    if (how % 8 == 5) p.x = extreme(w), p.y = extreme(w), p.z = extreme(w);
    return p;
}
static wire_copy extreme_copy(writer *w) {
    wire_copy c = {.to = extreme_place(w, false), .from = extreme_place(w, false)};
    uint8_t how = take(w);
    c.width = how & 1 ? 1 : extreme(w);
    c.height = how & 2 ? BIG / 4 : extreme(w);
    c.depth = how & 4 ? 1 : extreme(w);
    if (how & 8) c.to.pitch = c.from.pitch = 2;
    if (how & 16) c.from.address = c.to.address + BIG / 2;
    c.kind = cudaMemcpyDefault, c.async = how >> 7;
    return c;
}
static wire_fill extreme_fill(writer *w) {
    wire_fill f = {.to = extreme_place(w, true), .value = 7, .element = 1};
    uint8_t how = take(w);
    f.width = how & 1 ? 1 : extreme(w);
    f.height = how & 2 ? BIG / 4 : extreme(w);
    f.depth = how & 4 ? 1 : extreme(w);
    if (how & 8) f.to.pitch = 2;
    if (how & 64) f.element = 1u << how % 3;
    f.async = how >> 7;
    return f;
}
static wire_launch extreme_launch(writer *w, uint8_t *params, uint32_t *bytes) {
    uint8_t how = take(w);
    bool spin = how & 1;
    wire_launch l = {.kernel = extreme_handle(K_KERNEL, spin ? AT_SPIN : AT_KERNEL),
                     .grid = {1, 1, 1},
                     .block = {32, 1, 1}};
    const uint64_t p = DEVICE_AT;
    memset(params, 0, 12);
    memcpy(params, &p, sizeof p);
    l.param_bytes = *bytes = spin ? 0 : 12;
    for (unsigned i = 0; i < 3; i++) {
        if (how >> i & 2) l.grid[i] = (uint32_t)extreme(w);
        if (how >> i & 16) l.block[i] = (uint32_t)extreme(w);
    }
    if (how & 128) l.shared = extreme(w);
    l.cooperative = how % 16 == 2;
    return l;
}

/* Handles of the graph's nodes, over and over. */
static uint32_t extreme_list(writer *w, uint64_t *to) {
    static const uint32_t counts[] = {0, 1, 2, 7, 1000, LIST_MOST};
    uint8_t how = take(w);
    uint32_t n = counts[how % 6];
    for (uint32_t i = 0; i < n; i++)
        to[i] = extreme_handle(K_NODE, how & 64 ? AT_NODE : AT_FIRST_NODE + i % 2);
    return n * 8;
}

/* A node's parameters, of any type. */
static uint32_t extreme_node(writer *w, uint64_t *type, uint8_t *to) {
    *type = take(w) % 14;
    uint32_t n = 0;
    if (*type == cudaGraphNodeTypeKernel) {
        wire_launch l = extreme_launch(w, to + sizeof l, &n);
        memcpy(to, &l, sizeof l);
        return (uint32_t)sizeof l + n;
    }
    if (*type == cudaGraphNodeTypeMemcpy) {
        wire_copy c = extreme_copy(w);
        memcpy(to, &c, n = sizeof c);
    } else if (*type == cudaGraphNodeTypeMemset) {
        wire_fill f = extreme_fill(w);
        memcpy(to, &f, n = sizeof f);
    } else if (*type != cudaGraphNodeTypeEmpty) {
        uint64_t any[2] = {extreme(w), extreme(w)};
        bool one = *type == cudaGraphNodeTypeGraph || *type == cudaGraphNodeTypeWaitEvent ||
                   *type == cudaGraphNodeTypeEventRecord;
        memcpy(to, any, n = one ? 8 : 16);
    }
    return n;
}

/* A tensor map: each field by itself as a program has it, or not. */
static wire_tensor_map extreme_tensor_map(writer *w) {
    uint16_t how = (uint16_t)(take(w) | take(w) << 8);
    uint8_t modes = take(w);
    wire_tensor_map t = {.address = how & 1 ? extreme(w) : DEVICE_AT,
                         .rank = how & 2 ? (uint32_t)extreme(w) : 1u + (how >> 4) % 5,
                         .type = (how >> 8) % 17,
                         .interleave = modes % 4,
                         .swizzle = (modes >> 2) % 8,
                         .promotion = (modes >> 5) % 4,
                         .fill = modes >> 7};
    for (unsigned i = 0; i < WIRE_TENSOR_DIMS; i++) {
        uint8_t odd = how & 4 ? take(w) : 0;
        t.dim[i] = odd & 1 ? extreme(w) : 64;
        if (i + 1 < WIRE_TENSOR_DIMS) t.stride[i] = odd & 2 ? extreme(w) : 256ull << 6 * i;
        t.box[i] = odd & 4 ? (uint32_t)extreme(w) : 8;
        t.step[i] = odd & 8 ? (uint32_t)extreme(w) : 1;
    }
    return t;
}

/* Any struct of so many 32-bit words. */
static uint32_t extreme_words(writer *w, uint8_t *to, uint32_t bytes) {
    for (uint32_t i = 0; i + 4 <= bytes; i += 4) {
        uint32_t v = (uint32_t)extreme(w);
        memcpy(to + i, &v, 4);
    }
    return bytes;
}

static void extreme_message(writer *w) {
    static uint64_t lists[2][LIST_MOST];
    uint64_t in[WIRE_MAX_SCALARS];
    uint8_t a[2048] = {0}, b[2048] = {0};
    uint32_t an = 0, bn = 0;
    wire_op op = (wire_op)(1 + take(w) % (WIRE_OP_COUNT - 1));
    if (op == WIRE_OP_Hello || op == WIRE_OP_Next || op == WIRE_OP_ModuleBegin) return;
    const void *first = a, *second = b;
    for (unsigned i = 0; i < shape[op].scalars; i++) in[i] = extreme(w);
    switch (op) {
    case WIRE_OP_Copy: {
        wire_copy c = extreme_copy(w);
        memcpy(a, &c, an = sizeof c);
        in[0] %= 3;
        break;
    }
    case WIRE_OP_Fill: {
        wire_fill f = extreme_fill(w);
        memcpy(a, &f, an = sizeof f);
        in[0] %= 3;
        break;
    }
    case WIRE_OP_Launch:
    case WIRE_OP_LaunchWait: {
        wire_launch l = extreme_launch(w, b, &bn);
        memcpy(a, &l, an = sizeof l);
        in[0] = 0;
        break;
    }
    case WIRE_OP_TensorMap: {
        wire_tensor_map t = extreme_tensor_map(w);
        memcpy(a, &t, an = sizeof t);
        break;
    }
    case WIRE_OP_GraphAdd:
        an = extreme_list(w, lists[0]), first = lists[0];
        bn = extreme_node(w, &in[1], b);
        break;
    case WIRE_OP_GraphNodeSet: an = extreme_node(w, &in[2], a); break;
    case WIRE_OP_GraphEdges:
        an = extreme_list(w, lists[0]), first = lists[0];
        bn = extreme_list(w, lists[1]), second = lists[1];
        break;
    case WIRE_OP_CaptureToGraph:
    case WIRE_OP_CaptureDependencies: an = extreme_list(w, lists[0]), first = lists[0]; break;
    case WIRE_OP_KernelGet:
    case WIRE_OP_SymbolGet:
    case WIRE_OP_ModuleManaged: a[0] = take(w) & 1 ? 'k' : 'v', an = 1; break;
    case WIRE_OP_ArrayCreate:
        an = extreme_words(w, a, sizeof(struct cudaChannelFormatDesc));
        if (take(w) & 1) memcpy(a, &(struct cudaChannelFormatDesc){32, 0, 0, 0, 2}, an);
        break;
    case WIRE_OP_TextureCreate:
        an = extreme_words(w, a, sizeof(struct cudaResourceDesc));
        bn = extreme_words(w, b, sizeof(struct cudaTextureDesc));
        break;
    case WIRE_OP_cudaCreateSurfaceObject:
        an = extreme_words(w, a, sizeof(struct cudaResourceDesc));
        break;
    case WIRE_OP_cudaMemPoolCreate:
        an = extreme_words(w, a, sizeof(struct cudaMemPoolProps));
        break;
    case WIRE_OP_cudaStreamSetAttribute:
        an = extreme_words(w, a, sizeof(cudaLaunchAttributeValue));
        break;
    default:
        if (shape[op].spans) an = extreme_words(w, a, take(w) % 64u * 4);
        if (shape[op].spans > 1) bn = extreme_words(w, b, take(w) % 64u * 4);
        break;
    }
    message_send(w, op, in, first, an, second, bn);
}

/* ---- what there is before */

static size_t extreme_fatbin(uint8_t *to, const char *from, size_t bytes) {
    uint64_t text = (bytes + 7) & ~7u, h[10] = {0};
    h[0] = 0xBA55ED50u | (uint64_t)1 << 32 | (uint64_t)16 << 48, h[1] = 64 + text;
    h[2] = 1 | 0x101 << 16 | (uint64_t)64 << 32, h[3] = text,
    h[5] = 5 | 7 << 16 | (uint64_t)75 << 32;
    memcpy(to, h, sizeof h);
    memset(to + sizeof h, 0, text);
    memcpy(to + sizeof h, from, bytes);
    return sizeof h + text;
}

static void prologue(writer *w) {
    uint8_t binary[2048];
    uint64_t bytes = extreme_fatbin(binary, extreme_ptx, sizeof extreme_ptx),
             module = extreme_handle(K_MODULE, AT_MODULE),
             graph = extreme_handle(K_GRAPH, AT_GRAPH);
#define SEND(name, a, an, b, bn, ...)                                                              \
    message_send(w, WIRE_OP_##name, (uint64_t[WIRE_MAX_SCALARS]){__VA_ARGS__}, a, an, b, bn)
    SEND(Hello, NULL, 0, NULL, 0, WIRE_VERSION, 1, 0);
    SEND(ModuleBegin, NULL, 0, NULL, 0, bytes);
    SEND(ModuleData, binary, (uint32_t)bytes, NULL, 0, module);
    SEND(KernelGet, "k", 1, NULL, 0, module);
    SEND(KernelGet, "spin", 4, NULL, 0, module);
    SEND(cudaStreamCreate, NULL, 0, NULL, 0, 0);
    SEND(cudaStreamCreateWithFlags, NULL, 0, NULL, 0, cudaStreamNonBlocking);
    SEND(cudaEventCreate, NULL, 0, NULL, 0, 0);
    SEND(GraphCreate, NULL, 0, NULL, 0, 0);
    SEND(GraphAdd, NULL, 0, NULL, 0, graph, cudaGraphNodeTypeEmpty);
    SEND(GraphAdd, NULL, 0, NULL, 0, graph, cudaGraphNodeTypeEmpty);
    SEND(GraphInstantiate, NULL, 0, NULL, 0, graph, 0);
    SEND(Malloc, NULL, 0, NULL, 0, BIG);
    struct cudaChannelFormatDesc d = {32, 0, 0, 0, cudaChannelFormatKindFloat};
    SEND(ArrayCreate, &d, sizeof d, NULL, 0, 256, 256, 0, 0);
    SEND(HostAlloc, NULL, 0, NULL, 0, 1 << 20, 0, 0);
    SEND(HostReady, NULL, 0, NULL, 0, 0x2d0000000000, 1);
#undef SEND
}

/* ---- the run */

typedef struct {
    int fd;
    const uint8_t *bytes;
    size_t n;
} extreme_sender;
static void *extreme_send(void *user) {
    const extreme_sender *x = user;
    for (size_t at = 0; at < x->n;) {
        ssize_t k = send(x->fd, x->bytes + at, x->n - at, MSG_NOSIGNAL);
        if (k <= 0) break;
        at += (size_t)k;
    }
    shutdown(x->fd, SHUT_WR);
    return NULL;
}
static void *extreme_drain(void *fd) {
    static char buffer[1 << 16];
    while (recv((int)(intptr_t)fd, buffer, sizeof buffer, 0) > 0) {
    }
    return NULL;
}

static double cpu_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static volatile int extreme_cancel;
static long extreme_delay_ns = 60000000; /* from the first message to the cancellation */
typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool back;
    double raised; /* processor time then; 0: never */
} extreme_raiser;
static void *extreme_raise(void *user) {
    extreme_raiser *x = user;
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_nsec += extreme_delay_ns % 1000000000;
    t.tv_sec += extreme_delay_ns / 1000000000 + t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    pthread_mutex_lock(&x->lock);
    while (!x->back && !pthread_cond_timedwait(&x->wake, &x->lock, &t)) {
    }
    if (!x->back) x->raised = cpu_now(), __atomic_store_n(&extreme_cancel, 1, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&x->lock);
    return NULL;
}

/* Serves the messages; processor time from the cancellation to the server's return, 0 where it was
 * back before. */
static double extreme_serve(dev_session *s, const uint8_t *bytes, size_t n) {
    lib_message msg;
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) return 0;
    extreme_cancel = 0;
    dev_client *c = dev_client_new(s, pair[0], &msg);
    if (!c) abort();
    extreme_sender out = {pair[1], bytes, n};
    extreme_raiser r = {.lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER};
    pthread_t sender, reader, raiser;
    if (pthread_create(&sender, NULL, extreme_send, &out) ||
        pthread_create(&reader, NULL, extreme_drain, (void *)(intptr_t)pair[1]) ||
        pthread_create(&raiser, NULL, extreme_raise, &r))
        abort();
    dev_event e = dev_client_run(c, 5, &msg);
    double after = cpu_now();
    if (e == DEV_PROTOCOL) abort(); /* they are well formed */
    pthread_mutex_lock(&r.lock);
    r.back = true;
    pthread_cond_signal(&r.wake);
    pthread_mutex_unlock(&r.lock);
    pthread_join(raiser, NULL);
    dev_client_free(c);
    shutdown(pair[1], SHUT_RDWR);
    pthread_join(sender, NULL);
    pthread_join(reader, NULL);
    close(pair[1]);
    return r.raised > 0 && after > r.raised ? after - r.raised : 0;
}

static dev_session *extreme_session;
static void extreme_done(void) {
    dev_session_free(extreme_session);
}

int fuzz_extreme(const uint8_t *data, size_t size) {
    static uint8_t *out;
    lib_message msg;
    if (!extreme_session) {
        dev_options o;
        dev_options_default(&o);
        o.ptxas = "";
        o.cancel = &extreme_cancel;
        o.sim.threads = 1, o.sim.memory_limit = MEMORY;
        extreme_session = dev_session_new(&o, &msg);
        out = malloc(OUT_ROOM);
        if (!extreme_session || !out) abort();
        atexit(extreme_done);
    }
    writer w = {.at = out, .p = data, .end = data + size};
    prologue(&w);
    while (w.p < w.end && w.n + WIRE_MAX_BYTES + 4096 < OUT_ROOM) extreme_message(&w);
    double took = extreme_serve(extreme_session, out, w.n);
    if (took > fuzz_extreme_worst) fuzz_extreme_worst = took;
    if (took > 5) abort(); /* with sanitizers; tests/unit/test_device_stop.c is stricter */
    uint64_t free_bytes, total;
    sim_memory_info(dev_session_sim(extreme_session, 0), &free_bytes, &total);
    static uint64_t at_first;
    if (!at_first) at_first = free_bytes;
    if (free_bytes + (1 << 20) < at_first) abort(); /* nothing of a client stays behind */
    return 0;
}

#ifdef WARPLAB_LIBFUZZER
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    return fuzz_extreme(data, size);
}
#endif
