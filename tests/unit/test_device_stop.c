/* slow: make test FAST=1 leaves it out */
/* The server hears of a stop whatever it does: each call of the protocol with extreme sizes, alone
 * and after others, and the longest work that a client can ask for in one call. A session is
 * cancelled while it runs; the server is back within a bounded processor time. */
#include "runner/base/message.h"
#include "runner/device/sim/parse/parse.h"
#include "tests/check.h"
#include "tests/said.h"
#include "tests/fuzz/fuzz_extreme.c"

#include <stdio.h>
#include <sys/stat.h>

/* Seconds of processor time from the cancellation to the answer, and for a whole module. */
#ifdef __SANITIZE_ADDRESS__
#define BOUND 4.0
#define WHOLE 20.0
#elif defined __SANITIZE_THREAD__
#define BOUND 8.0
#define WHOLE 40.0
#else
#define BOUND 0.5
#define WHOLE 2.0
#endif

typedef struct {
    dev_session *s;
    uint64_t memory;
    const char *ptxas;
    writer w;
} stop_test;

static dev_session *session(uint64_t memory, const char *ptxas) {
    dev_options o;
    lib_message msg;
    dev_options_default(&o);
    o.ptxas = ptxas;
    o.cancel = &extreme_cancel;
    o.sim.threads = 1, o.sim.memory_limit = memory, o.sim.inst_budget = (uint64_t)1 << 60;
    dev_session *s = dev_session_new(&o, &msg);
    if (!s) printf("# %s\n", said(&msg));
    return s;
}

static stop_test begin(uint64_t memory, const char *ptxas) {
    static uint8_t room[OUT_ROOM];
    stop_test t = {session(memory, ptxas), memory, ptxas, {.at = room}};
    prologue(&t.w);
    return t;
}

/* From the first message to the cancellation. What a client asks for goes through many passes, and
 * each has to hear of it. */
static const long moments_ms[] = {10, 60, 250};
enum { MOMENTS = sizeof moments_ms / sizeof *moments_ms };

static double serve_after(stop_test *t, long ns) {
    if (!t->s) t->s = session(t->memory, t->ptxas);
    extreme_delay_ns = ns;
    double took = t->s ? extreme_serve(t->s, t->w.at, t->w.n) : -1;
    if (t->s) dev_session_free(t->s);
    t->s = NULL;
    return took;
}

/* What was asked is cancelled at each moment, and ends soon. At the first one it was still going
 * on: on a host so fast that it was over, it is asked again and cancelled earlier. Later it may be
 * over. */
static void ends_soon(stop_test *t, const char *what) {
    double worst = 0;
    for (unsigned k = 0; k < MOMENTS; k++) {
        long ns = moments_ms[k] * 1000000;
        double took = serve_after(t, ns);
        while (!k && took == 0 && (ns /= 2) > 100000) took = serve_after(t, ns);
        CHECK(k ? took >= 0 : took > 0);
        CHECK(took < BOUND);
        if (took > worst) worst = took;
    }
    printf("# %s: %.3f s after the cancellation\n", what, worst);
}

#define SEND(t, name, a, an, b, bn, ...)                                                           \
    message_send(&(t)->w, WIRE_OP_##name, (uint64_t[WIRE_MAX_SCALARS]){__VA_ARGS__}, a, an, b, bn)

static const uint64_t device_at = DEVICE_AT;

static wire_place rows(uint64_t address, uint64_t pitch, uint64_t count) {
    return (wire_place){
        .at = WIRE_AT_POINTER, .device = -1, .address = address, .pitch = pitch, .rows = count};
}
static wire_fill long_fill(void) {
    return (wire_fill){.to = rows(device_at, 2, BIG / 2),
                       .width = 1,
                       .height = BIG / 2,
                       .depth = 1,
                       .value = 1,
                       .element = 1,
                       .async = 1};
}

static void test_rows(void) {
    stop_test t = begin(MEMORY, "");
    wire_fill f = long_fill();
    SEND(&t, Fill, &f, sizeof f, NULL, 0, 0);
    ends_soon(&t, "a memset of rows of one byte");

    t = begin(MEMORY, "");
    f.to.pitch = 2, f.to.rows = 2, f.height = 2, f.depth = BIG / 4;
    SEND(&t, Fill, &f, sizeof f, NULL, 0, 0);
    ends_soon(&t, "a memset of slices");

    t = begin(MEMORY, "");
    wire_copy c = {.to = rows(device_at, 2, BIG / 4),
                   .from = rows(device_at + BIG / 2, 2, BIG / 4),
                   .width = 1,
                   .height = BIG / 4,
                   .depth = 1,
                   .kind = cudaMemcpyDefault,
                   .async = 1};
    SEND(&t, Copy, &c, sizeof c, NULL, 0, 0);
    ends_soon(&t, "a copy of rows of one byte");

    t = begin(MEMORY, "");
    c = (wire_copy){.to = rows(device_at + 64, BIG - 64, 1),
                    .from = rows(device_at, BIG - 64, 1),
                    .width = BIG - 64,
                    .height = 1,
                    .depth = 1,
                    .kind = cudaMemcpyDefault,
                    .async = 1};
    for (int i = 0; i < 100; i++) SEND(&t, Copy, &c, sizeof c, NULL, 0, 0);
    ends_soon(&t, "copies that overlap");
}

static void test_graphs(void) {
    uint64_t graph = extreme_handle(K_GRAPH, AT_GRAPH), type = cudaGraphNodeTypeMemset;
    wire_fill f = long_fill();
    stop_test t = begin(MEMORY, "");
    for (int i = 0; i < 5000; i++) SEND(&t, GraphAdd, NULL, 0, &f, sizeof f, graph, type);
    SEND(&t, GraphInstantiate, NULL, 0, NULL, 0, graph, 0);
    SEND(&t, cudaGraphLaunch, NULL, 0, NULL, 0, extreme_handle(K_EXEC, AT_ARRAY + 1 + 5000), 0);
    ends_soon(&t, "a graph of memsets");

    /* a list of what the next node depends on, against a list as long */
    static uint64_t list[LIST_MOST];
    t = begin(MEMORY, "");
    for (int i = 0; i < LIST_MOST / 4; i++)
        SEND(&t, GraphAdd, NULL, 0, NULL, 0, graph, cudaGraphNodeTypeEmpty);
    for (unsigned i = 0; i < LIST_MOST; i++)
        list[i] = extreme_handle(K_NODE, AT_ARRAY + 1 + i % (LIST_MOST / 4));
    SEND(&t, CaptureToGraph, list, LIST_MOST / 4 * 8, NULL, 0, extreme_handle(K_STREAM, AT_STREAM),
         graph, 2);
    for (int i = 0; i < 2; i++)
        SEND(&t, CaptureDependencies, list, LIST_MOST * 8, NULL, 0,
             extreme_handle(K_STREAM, AT_STREAM), 0);
    ends_soon(&t, "a list of dependencies");
}

static void test_launches(void) {
    wire_launch l = {
        .kernel = extreme_handle(K_KERNEL, AT_SPIN), .grid = {1, 1, 1}, .block = {32, 1, 1}};
    stop_test t = begin(MEMORY, "");
    SEND(&t, Launch, &l, sizeof l, NULL, 0, 0);
    ends_soon(&t, "a kernel without end");
    uint8_t params[12];
    memcpy(params, &device_at, 8);
    memset(params + 8, 0, 4);
    t = begin(MEMORY, "");
    l.kernel = extreme_handle(K_KERNEL, AT_KERNEL), l.param_bytes = sizeof params;
    l.grid[0] = 0x7fffffff, l.grid[1] = l.grid[2] = 65535;
    SEND(&t, Launch, &l, sizeof l, params, sizeof params, 0);
    ends_soon(&t, "a grid of 2^63 blocks");
}

/* ---- modules */

typedef enum {
    CHAIN,
    JUMPS,
    WEB,
    ENTRIES,
    VARIABLES,
    COPIES,
    CALLS,
    LINES,
    INLINED,
    FUNCTIONS,
    SHARED,
    TABLES,
    LOADS,
    LADDER,
    NESTED,
    BACK,
    DEEP,
    PRODUCTS,
    SKIPS,
    UNROLLED,
    MODULES
} module_kind;
static const struct {
    const char *name;
    long count;
} module_of[MODULES] = {
    [CHAIN] = {"a chain of sums", 80000},
    [JUMPS] = {"jumps", 90000},
    [WEB] = {"sums between jumps", 40000},
    [ENTRIES] = {"entries", 60000},
    [VARIABLES] = {"variables", 60000},
    [COPIES] = {"copies of copies", 90000},
    [CALLS] = {"calls by register", 40000},
    [LINES] = {"a source line an instruction", 80000},
    [INLINED] = {"a chain of inlined calls", 38000},
    [FUNCTIONS] = {"functions", 40000},
    [SHARED] = {"shared variables", 60000},
    [TABLES] = {"tables of labels", 1000},
    [LOADS] = {"loads", 60000},
    [LADDER] = {"copies in a loop", 60000},
    [NESTED] = {"loops in loops", 90000},
    [BACK] = {"jumps back to one place", 90000},
    [DEEP] = {"functions that call the next twice", 60},
    [PRODUCTS] = {"addresses of products of products", 60000},
    [SKIPS] = {"jumps to one long block", 90000},
    [UNROLLED] = {"short loops", 30000},
};

/* What stands before the kernel, for each of n. */
static void module_head(FILE *f, module_kind kind, long n) {
    static const char *const each[MODULES] = {
        [VARIABLES] = ".global .b32 v%ld = 7;\n", [ENTRIES] = ".visible .entry e%ld() { ret; }\n",
        [CALLS] = ".func f%ld() { ret; }\n",      [FUNCTIONS] = ".func f%ld() { ret; }\n",
        [SHARED] = ".shared .b32 s%ld;\n",        [DEEP] = ".func d%ld();\n",
    };
    for (long i = 0; each[kind] && i < n; i++) fprintf(f, each[kind], i);
    for (long i = 0; kind == DEEP && i < n; i++)
        fprintf(f,
                i + 1 < n ? ".func d%ld() { call d%ld; call d%ld; ret; }\n"
                          : ".func d%ld() { ret; }\n",
                i, i + 1, i + 1);
    if (kind == LINES || kind == INLINED) fprintf(f, ".file 1 \"a.cu\"\n");
}

/* The kernel's line i of n. */
static void module_line(FILE *f, module_kind kind, long i, long n) {
    switch (kind) {
    case CHAIN: fprintf(f, "add.s32 %%r%ld, %%r%ld, 1;\n", i + 1, i); break;
    case JUMPS: fprintf(f, "L%ld: @%%p bra L%ld;\n", i, i * 7919 % n); break;
    case WEB:
        fprintf(f, "L%ld: add.s32 %%r%ld, %%r%ld, 1; @%%p bra L%ld;\n", i, i + 1, i, i * 7919 % n);
        break;
    case COPIES: fprintf(f, "mov.b32 %%r%ld, %%r%ld;\n", n - 1 - i, n - i); break;
    case LADDER: fprintf(f, "mov.b32 %%r%ld, %%r%ld;\n", i + 1, i); break;
    case CALLS: fprintf(f, "call %%a, proto;\n"); break;
    case LINES: fprintf(f, ".loc 1 %ld 1\nadd.s32 %%r1, %%r1, 1;\n", i + 1); break;
    case INLINED:
        fprintf(f, ".loc 1 %ld 1, function_name L, inlined_at 1 %ld 1\nadd.s32 %%r1, %%r1, 1;\n",
                i + 2, i + 1);
        break;
    case FUNCTIONS: fprintf(f, "call f%ld;\n", i); break;
    case SHARED: fprintf(f, "ld.shared.b32 %%r1, [s%ld];\n", i); break;
    case TABLES: fprintf(f, "L%ld: @%%p brx.idx %%r1, table;\n", i); break;
    case LOADS: fprintf(f, "ld.global.b32 %%r1, [%%a+%ld];\n", 4 * (i % 8)); break;
    case NESTED: fprintf(f, "L%ld:\n", i); break;
    case BACK: fprintf(f, "@%%p bra L0;\n"); break;
    case DEEP: fprintf(f, i ? "" : "@%%p call d0;\n"); break;
    case PRODUCTS:
        if (i < 16) fprintf(f, "mad.lo.s32 %%r%ld, %%r%ld, %%r%ld, %%r%ld;\n", i + 1, i, i, i);
        else fprintf(f, "ld.shared.b32 %%r17, [%%r16+%ld];\n", 4 * (i % 8));
        break;
    case SKIPS:
        fprintf(f, i < n / 2 ? "@%%p bra L0;\n" : "%sadd.s32 %%r%ld, %%r1, 1;\n",
                i == n / 2 ? "L0: " : "", i);
        break;
    case UNROLLED:
        fprintf(f, "L%ld: add.s32 %%r0, %%r0, 1; setp.lt.s32 %%p, %%r0, 0; @%%p bra L%ld;\n", i, i);
        break;
    default: break;
    }
}

static char *module_text(module_kind kind, long n, size_t *len) {
    char *text = NULL;
    FILE *f = open_memstream(&text, len);
    fprintf(f, ".version 7.5\n.target sm_75\n.address_size 64\n");
    module_head(f, kind, n);
    fprintf(
        f,
        ".visible .entry k(.param .u64 p, .param .u32 n) {\n.reg .b32 %%r<%ld>; .reg .b64 "
        "%%a; .reg .pred %%p;\nmov.b32 %%r0, 0; setp.ne.s32 %%p, %%r0, 0;\n", /* no jump is taken */
        n + 2);
    if (kind == CALLS) fprintf(f, "proto: .callprototype _ ();\n");
    if (kind == LOADS) fprintf(f, "ld.param.u64 %%a, [p];\n");
    if (kind == LADDER || kind == BACK) fprintf(f, "L0:\n");
    if (kind == TABLES) {
        fprintf(f, "table: .branchtargets L0");
        for (long i = 1; i < n; i++) fprintf(f, ", L%ld", i);
        fprintf(f, ";\n");
    }
    for (long i = 0; i < n; i++) module_line(f, kind, i, n);
    if (kind == LADDER) fprintf(f, "add.s32 %%r0, %%r%ld, 1; @%%p bra L0;\n", n);
    for (long i = n; kind == NESTED && i-- > 0;) fprintf(f, "@%%p bra L%ld;\n", i);
    fprintf(f, "ret;\n}\n");
    fclose(f);
    return text;
}

/* ModuleBegin, its bytes, the kernel asked for and launched. */
static void send_module(stop_test *t, const char *text, size_t len) {
    uint64_t module = extreme_handle(K_MODULE, AT_ARRAY + 1);
    uint8_t *binary = malloc(len + 256);
    uint64_t bytes = extreme_fatbin(binary, text, len);
    SEND(t, ModuleBegin, NULL, 0, NULL, 0, bytes);
    for (uint64_t at = 0, n; at < bytes; at += n) {
        n = bytes - at < WIRE_CHUNK_BYTES ? bytes - at : WIRE_CHUNK_BYTES;
        SEND(t, ModuleData, binary + at, (uint32_t)n, NULL, 0, module);
    }
    free(binary);
    SEND(t, KernelGet, "k", 1, NULL, 0, module);
    uint8_t params[12] = {0};
    memcpy(params, &device_at, 8);
    wire_launch l = {.kernel = extreme_handle(K_KERNEL, AT_ARRAY + 2),
                     .grid = {1, 1, 1},
                     .block = {32, 1, 1},
                     .param_bytes = sizeof params};
    SEND(t, Launch, &l, sizeof l, params, sizeof params, 0);
}

/* Every text is PTX that can be read: else the tests below would show little. */
static void test_texts(void) {
    for (module_kind kind = 0; kind < MODULES; kind++) {
        size_t len;
        lib_message msg;
        char *text = module_text(kind, 20, &len);
        ptx_module *m = ptx_parse(text, len, &msg);
        if (!m) printf("# %s: %s\n", module_of[kind].name, said(&msg));
        CHECK(m);
        ptx_free(m);
        free(text);
    }
}

/* Reading, launching and modelling a module takes time in proportion to its text: what looked at
 * all for each took 3 to 20 s for these. */
static void test_modules(void) {
    for (module_kind kind = 0; kind < MODULES; kind++) {
        size_t len;
        char *text = module_text(kind, module_of[kind].count, &len);
        stop_test t = begin(MEMORY, "");
        CHECK(len < OUT_ROOM - WIRE_MAX_BYTES / 2);
        send_module(&t, text, len);
        free(text);
        if (kind != DEEP) ends_soon(&t, module_of[kind].name); /* that one is short */
        double from = cpu_now();
        CHECK(serve_after(&t, 60 * 1000000000L) == 0);
        printf("# %s: %.3f s in all\n", module_of[kind].name, cpu_now() - from);
        CHECK(cpu_now() - from < WHOLE);
    }
}

/* An assembler that does not come back. */
static void test_assembler(void) {
    const char *tmp = getenv("TMPDIR");
    char path[512];
    snprintf(path, sizeof path, "%s/endless-ptxas-%d", tmp ? tmp : "/tmp", (int)getpid());
    FILE *f = fopen(path, "w");
    if (f) fputs("#!/bin/sh\nexec sleep 60\n", f), fclose(f);
    chmod(path, 0700);
    stop_test t = begin(MEMORY, path);
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    CHECK(serve_after(&t, 60000000) >= 0);
    clock_gettime(CLOCK_MONOTONIC, &to);
    CHECK(to.tv_sec - from.tv_sec < 5);
    remove(path);
}

/* Each call with many draws, then scripts of all calls. */
static void test_every_call(void) {
    uint64_t state = 88172645463325252u;
    uint8_t script[400];
    unsigned runs = 0;
    for (unsigned op = 1; op < WIRE_OP_COUNT; op++)
        for (unsigned k = 0; k < 8; k++, runs++) {
            for (size_t i = 0; i < sizeof script; i++) {
                state ^= state << 13, state ^= state >> 7, state ^= state << 17;
                script[i] = (uint8_t)(state >> 32);
            }
            script[0] = (uint8_t)(op - 1);
            extreme_delay_ns = moments_ms[runs % MOMENTS] * 1000000;
            fuzz_extreme(script, k < 4 ? 100 : sizeof script);
        }
    printf("# %u scripts; the slowest came back %.3f s after its cancellation\n", runs,
           fuzz_extreme_worst);
    CHECK(fuzz_extreme_worst < BOUND);
}

int main(void) {
    test_rows();
    test_graphs();
    test_launches();
    test_texts();
    test_modules();
    test_assembler();
    test_every_call();
    return check_done();
}
