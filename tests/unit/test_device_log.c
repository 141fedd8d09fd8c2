/* A client's log, asked directly: findings that are one and those that are not, what is said of
 * leaks, of failed assertions and of faults in host code, records and their limits, device printf,
 * the errors and lines that programs get, handles and strings, and the budget's arithmetic.
 * Expected: the contracts of core/log.h, core/answer.h, core/object.h and core/budget.h; of an
 * error what the runtime's reference calls it (cudaError). */
#include "runner/device/server/core/client.h"
#include "runner/base/message.h"
#include "runner/device/server/core/answer.h"
#include "runner/device/server/core/budget.h"
#include "runner/device/server/core/code.h"
#include "runner/device/server/core/memory.h"
#include "runner/device/server/core/object.h"
#include "runner/device/server/core/stream.h"
#include "runner/device/server/gpu/gpu.h"
#include "tests/check.h"
#include "tests/said.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static dev_session s;
static dev_client c;

static void client_drop(void) {
    dev_replay_free(&c);
    dev_log_free(&c);
    for (size_t i = 0; i < c.objects.string_room; i++)
        free((void *)(uintptr_t)c.objects.strings[i]);
    free(c.objects.strings), free(c.memory.ranges), free(c.times.clock), free(c.times.began),
        free(c.objects.slot);
    memset(&c, 0, sizeof c);
    c.s = &s;
}
static void client_new(void) {
    client_drop();
    s = (dev_session){.count = 1, .total = 1 << 20};
    s.opt.launch_limit = 100, s.opt.print_limit = 10;
    s.device[0].backend = &dev_backend_sim;
    c.budget.limit = 1 << 20;
}

/* ---- findings */

static const sim_finding plain = {.kind = SIM_FIND_OOB,
                                  .count = 2,
                                  .kernel = "k",
                                  .file = "x.cu",
                                  .line = 7,
                                  .space = "global",
                                  .alloc_name = "a",
                                  .alloc_size = 64,
                                  .other_line = 9,
                                  .other_file = "y.cu",
                                  .other_kernel = "o"};

static void test_one_site(void) {
    sim_finding no_line = plain, leak = plain;
    no_line.line = 0;
    leak.kind = SIM_FIND_LEAK, leak.line = 0;
    struct {
        sim_finding a, b;
        bool same;
    } rows[20];
    unsigned n = 0;
#define BUT(base, change, one)                                                                     \
    rows[n].a = rows[n].b = (base), rows[n].same = (one), rows[n++].b.change
    BUT(plain, count = 2, true);
    BUT(plain, kind = SIM_FIND_UNINIT, false);
    BUT(plain, line = 8, false);
    BUT(plain, other_line = 8, false);
    BUT(plain, write = true, false);
    BUT(plain, kernel = "l", false);
    BUT(plain, file = "z.cu", false);
    BUT(plain, space = "shared", false);
    BUT(plain, alloc_name = "b", false);
    BUT(plain, alloc_size = 32, true);
    BUT(plain, address = 1234, true);
    BUT(plain, other_file = "z.cu", true);
    /* without a line, whatever array it was */
    BUT(no_line, alloc_name = "b", true);
    BUT(no_line, alloc_size = 32, true);
    BUT(no_line, file = "z.cu", false);
    /* but a leak is of one allocation's name and size */
    BUT(leak, alloc_name = "b", false);
    BUT(leak, alloc_size = 32, false);
    BUT(leak, address = 1234, true);
#undef BUT
    for (unsigned i = 0; i < 4 * n; i++) { /* in both orders, and whichever was heard of first */
        const sim_finding *f;
        const sim_finding *a = i % 2 ? &rows[i / 4].b : &rows[i / 4].a,
                          *b = i % 2 ? &rows[i / 4].a : &rows[i / 4].b;
        client_new();
        dev_log_finding(&c, i % 4 < 2 ? a : b);
        dev_log_clear(&c);
        dev_log_finding(&c, a);
        dev_log_finding(&c, b);
        dev_log_finding(&c, b);
        CHECK_INT(dev_client_findings(&c, &f), rows[i / 4].same ? 1 : 2);
        CHECK_INT(f[0].count, rows[i / 4].same ? 6 : 2);
        if (!rows[i / 4].same) CHECK_INT(f[1].count, 4);
        CHECK_INT(f[0].address, a->address); /* the first is what is told of */
    }
    /* What it names is the client's own copy. */
    const sim_finding *f;
    char name[] = "kernel";
    sim_finding mine = plain;
    mine.kernel = mine.file = mine.space = mine.alloc_name = mine.other_file = mine.other_kernel =
        name;
    client_new();
    dev_log_finding(&c, &mine);
    name[0] = 'x';
    dev_client_findings(&c, &f);
    CHECK_STR(f->kernel, "kernel");
    CHECK_STR(f->other_kernel, "kernel");
    CHECK(f->file == f->kernel && f->space == f->kernel && f->alloc_name == f->kernel &&
          f->other_file == f->kernel && f->other_kernel == f->kernel);
}

static void test_many_findings(void) {
    const sim_finding *f;
    sim_finding x = plain;
    client_new();
    for (x.line = 0; x.line < DEV_FINDINGS - 1; x.line++) dev_log_finding(&c, &x);
    CHECK_INT(dev_client_findings(&c, &f), DEV_FINDINGS - 1);
    for (; x.line < DEV_FINDINGS + 3; x.line++) dev_log_finding(&c, &x);
    CHECK_INT(dev_client_findings(&c, &f), DEV_FINDINGS);
    x.line = 5; /* one that is there goes on counting */
    dev_log_finding(&c, &x);
    CHECK_INT(f[5].count, 4);
    dev_log_clear(&c);
    CHECK_INT(dev_client_findings(&c, &f), 0);
}

/* What the runtime prints to the program's stderr, once. */
static void test_assertion(void) {
    sim_finding x = {.kind = SIM_FIND_ASSERT,
                     .count = 1,
                     .kernel = "k(int)",
                     .block = {4, 5, 6},
                     .thread = {1, 2, 3}};
    client_new();
    tell(&x.said, "k(int) fails", "k(int) 失败");
    dev_log_finding(&c, &x);
    CHECK_STR(said(&c.wire.notice), "Assertion failed: k(int) fails");
    CHECK_STR(said_zh(&c.wire.notice), "断言失败：k(int) 失败");
    tell(&x.said, "another", "另一个");
    dev_log_finding(&c, &x);
    CHECK_STR(said(&c.wire.notice), "Assertion failed: k(int) fails");

    client_new();
    x.kind = SIM_FIND_TRAP; /* no other is said there */
    dev_log_finding(&c, &x);
    CHECK_STR(said(&c.wire.notice), "");
}

static void test_leaks(void) {
    static const struct {
        dev_mem_kind kind;
        const char *text; /* NULL: none */
    } rows[] = {{DEV_MEM_DEVICE, "100 bytes of device memory allocated with cudaMalloc were never "
                                 "freed"},
                {DEV_MEM_POOL, "101 bytes of device memory allocated with cudaMallocAsync were "
                               "never freed"},
                {DEV_MEM_GRAPH, NULL},
                {DEV_MEM_ARRAY, NULL},
                {DEV_MEM_SYMBOL, NULL},
                {DEV_MEM_HOST, NULL},
                {DEV_MEM_REGISTERED, NULL},
                {DEV_MEM_MANAGED,
                 "107 bytes of device memory allocated with cudaMallocManaged were "
                 "never freed"},
                {DEV_MEM_VARIABLE, NULL},
                {DEV_MEM_GRANTED, NULL}};
    enum { ROWS = sizeof rows / sizeof *rows };
    const sim_finding *f;
    unsigned n = 0;
    client_new();
    for (unsigned i = 0; i < ROWS; i++)
        dev_mem_add(&c, &(dev_mem){.base = 4096 * (i + 1), .bytes = 100 + i, .kind = rows[i].kind});
    dev_log_leaks(&c);
    size_t count = dev_client_findings(&c, &f);
    for (unsigned i = 0; i < ROWS; i++) {
        if (!rows[i].text || n >= count) continue;
        CHECK_INT(f[n].kind, SIM_FIND_LEAK);
        CHECK_INT(f[n].count, 1);
        CHECK_INT(f[n].address, 4096 * (i + 1));
        CHECK_INT(f[n].alloc_base, 4096 * (i + 1));
        CHECK_INT(f[n].alloc_size, 100 + i);
        CHECK_STR(said(&f[n++].said), rows[i].text);
    }
    CHECK_INT(n, 3);
    CHECK_INT(count, 3);
}

/* What the fault handler in the program's process left on the control page. */
static void test_fault(void) {
    wire_control page = {.write = 1, .address = 0x5000 + 12, .pc = 0x401234, .base = 0x400000};
    const sim_finding *f;
    uint64_t pc = 1, base = 2;
    client_new();
    dev_log_fault(&c); /* there is no page yet */
    c.process.control = &page;
    dev_log_fault(&c); /* and nothing on it */
    CHECK_INT(dev_client_findings(&c, &f), 0);
    CHECK(!dev_client_fault(&c, &pc, &base) && pc == 1 && base == 2);
    dev_mem_add(&c, &(dev_mem){.base = 0x5000, .bytes = 16});
    page.fault = 1;
    dev_log_fault(&c);
    CHECK_INT(dev_client_findings(&c, &f), 1);
    CHECK_INT(page.fault, 0);
    CHECK_STR(said(&f->said),
              "host code wrote device memory at 0x500c, byte 12 of an allocation of 16 bytes "
              "(program counter 0x1234); copy it with cudaMemcpy first");
    CHECK(f->kind == SIM_FIND_HOST_DEREF && f->count == 1 && f->write);
    CHECK(f->address == 0x500c && f->alloc_base == 0x5000 && f->alloc_size == 16);
    CHECK(dev_client_fault(&c, &pc, &base) && pc == 0x401234 && base == 0x400000);
    page = (wire_control){.fault = 1, .address = 0x5010, .pc = 0x1234};
    dev_log_fault(&c);
    CHECK_INT(dev_client_findings(&c, &f), 2);
    CHECK_STR(said(&f[1].said),
              "host code read device memory at 0x5010, which is in no live allocation "
              "(program counter 0x1234); copy it with cudaMemcpy first");
    CHECK(!f[1].write && f[1].alloc_base == 0 && f[1].alloc_size == 0);
    c.process.control = NULL;
}

/* ---- records */

static void test_records(void) {
    static const bool on_device[] = {
        [DEV_OP_LAUNCH] = true, [DEV_OP_H2D] = true,      [DEV_OP_D2H] = true,
        [DEV_OP_D2D] = true,    [DEV_OP_PAGES_IN] = true, [DEV_OP_PAGES_OUT] = true,
        [DEV_OP_MEMSET] = true, [DEV_OP_MALLOC] = false,  [DEV_OP_FREE] = false,
        [DEV_OP_SYNC] = false,  [DEV_OP_HOST] = false,    [DEV_OP_GRAPH] = false};
    const dev_record *r;
    client_new();
    c.times.latest = 30;
    for (unsigned op = 0; op < sizeof on_device / sizeof *on_device; op++) {
        CHECK_INT(dev_log_on_device(op), on_device[op]);
        dev_log_clear(&c);
        dev_stream stream = {.id = 3};
        dev_log(&c, op, 2, op ? &stream : NULL, 1, 2.5, 77, SIM_NOMEM);
        CHECK_INT(dev_client_log(&c, &r), 1);
        CHECK(r->op == (dev_op)op && r->device == 2 && r->start_us == 1 && r->end_us == 2.5);
        CHECK(r->bytes == 77 && r->status == SIM_NOMEM && !r->in_graph && !r->call);
        CHECK_INT(r->stream, op ? 3 : 0);
        CHECK_STR(r->kernel, "");
        CHECK_INT(c.log.once, op == DEV_OP_H2D);
        CHECK_INT(dev_client_read_back(&c), op == DEV_OP_D2H);
    }
    dev_log_clear(&c);
    CHECK(!c.log.once && !dev_client_read_back(&c));
    /* Memory that both sides see may be read without a call. */
    dev_mem_add(&c, &(dev_mem){.base = 4096, .bytes = 1});
    CHECK(!dev_client_read_back(&c));
    dev_mem_add(&c, &(dev_mem){.base = 8192, .bytes = 1, .on_host = true});
    CHECK(dev_client_read_back(&c));

    /* Host calls: at the thread's own time. */
    dev_call k = {.c = &c, .thread = 1, .device = 3};
    *dev_clock(&c, 1) = 45;
    r = dev_log_call(&k, DEV_OP_SYNC, 9, cudaSuccess);
    CHECK(r->start_us == 45 && r->end_us == 45 && r->device == 3 && r->bytes == 9);
    CHECK(r->status == SIM_OK && !r->call);
    r = dev_log_memory(&k, DEV_OP_FREE, "cudaFree", 0x100, 8, cudaErrorInvalidValue);
    CHECK(r->op == DEV_OP_FREE && r->bytes == 8 && r->status == SIM_BAD_ARGUMENT);
    CHECK_STR(r->call, "cudaFree");

    /* The limit; what is not kept is counted. */
    client_new();
    s.opt.launch_limit = 2;
    CHECK(dev_log(&c, DEV_OP_D2D, 0, NULL, 0, 1, 1, SIM_OK) != NULL);
    CHECK(dev_log_memory(&k, DEV_OP_MALLOC, "cudaMalloc", 0x100, 1, 0) != NULL && !c.log.overflow);
    CHECK(!dev_log(&c, DEV_OP_D2D, 0, NULL, 0, 1, 1, SIM_OK));
    CHECK(!dev_log_memory(&k, DEV_OP_MALLOC, "cudaMalloc", 0x100, 1, 0));
    CHECK(c.log.overflow && c.log.dropped == 2 && dev_client_log(&c, &r) == 2);
    /* A replay takes the place of what is there. */
    c.log.replaying = true, c.log.replay_record = 1;
    CHECK(dev_log(&c, DEV_OP_D2D, 0, NULL, 5, 6, 1, SIM_TRAP) == &c.log.records[1]);
    CHECK(r[1].start_us == 5 && r[1].end_us == 6 && r[1].status == SIM_TRAP);
    CHECK(r[1].op == DEV_OP_MALLOC);
    c.log.replay_record = 2;
    CHECK(!dev_log(&c, DEV_OP_D2D, 0, NULL, 5, 6, 1, SIM_OK));
    CHECK(dev_client_log(&c, &r) == 2 && c.log.dropped == 2);
    c.log.replaying = false;
    dev_log_clear(&c);
    CHECK(!c.log.overflow && c.log.dropped == 0 && dev_client_log(&c, &r) == 0);
    CHECK(!c.log.freed);

    /* A kept work's record is the first that it puts on the device. */
    client_new();
    dev_work w = {.kind = DEV_WORK_COPY, .bytes = sizeof w};
    dev_stream stream = {.id = 3};
    dev_replay_begins(&c);
    dev_log(&c, DEV_OP_H2D, 0, NULL, 0, 1, 1, SIM_OK);
    dev_replay_keep(&c, &stream, &w, 0);
    CHECK_INT(c.log.work_count, 1);
    CHECK(c.log.works[0].record == SIZE_MAX);
    dev_log(&c, DEV_OP_MALLOC, 0, NULL, 0, 0, 1, SIM_OK);
    CHECK(c.log.works[0].record == SIZE_MAX);
    dev_log(&c, DEV_OP_D2D, 0, NULL, 0, 1, 1, SIM_OK);
    dev_log(&c, DEV_OP_D2D, 0, NULL, 0, 1, 1, SIM_OK);
    CHECK_INT(c.log.works[0].record, 2);
}

static void test_times(void) {
    /* the device: [10,20) and [15,18) and [15,30), [40,50) alone: 20 + 10; a host call is none of
     * it */
    static const struct {
        dev_op op;
        double start, end;
    } rows[] = {{DEV_OP_LAUNCH, 40, 50}, {DEV_OP_HOST, 33, 60}, {DEV_OP_H2D, 10, 20},
                {DEV_OP_D2H, 15, 18},    {DEV_OP_SYNC, 5, 5},   {DEV_OP_MEMSET, 15, 30}};
    client_new();
    CHECK_NEAR(dev_client_busy_us(&c), 0, 0);
    CHECK_NEAR(dev_client_elapsed_us(&c), 0, 0);
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        dev_log(&c, rows[i].op, 0, NULL, rows[i].start, rows[i].end, 1, SIM_OK);
    CHECK_NEAR(dev_client_busy_us(&c), 30, 1e-9);
    CHECK_NEAR(dev_client_elapsed_us(&c), 55, 1e-9); /* 5 to 60 */
    client_new();
    dev_log(&c, DEV_OP_SYNC, 0, NULL, 7, 7, 0, SIM_OK);
    CHECK_NEAR(dev_client_elapsed_us(&c), 0, 0);
}

/* ---- results of launches */

static unsigned heard;
static void hear(void *user, const dev_record *r) {
    heard++;
    CHECK(user == &heard && r->result != NULL);
    CHECK_STR(r->kernel, "pretty");
}

/* A result that weighs itself and so many lines. */
static sim_result *result(size_t lines, size_t findings) {
    sim_result *r = calloc(1, sizeof *r);
    r->lines = calloc(lines + 1, sizeof *r->lines), r->line_count = lines;
    r->findings = calloc(findings + 1, sizeof *r->findings), r->finding_count = findings;
    for (size_t i = 0; i < findings; i++) r->findings[i] = plain, r->findings[i].line = (unsigned)i;
    r->status = SIM_TRAP;
    return r;
}

static void test_results(void) {
    sim_kernel_info info = {.name = "name", .pretty = "pretty"};
    dev_kernel kernel = {.info = &info};
    dev_work w = {
        .kind = DEV_WORK_LAUNCH,
        .launch = {.kernel = &kernel, .at = {.grid = {1, 2, 3}, .block = {4, 5, 6}, .shared = 7}}};
    const dev_record *r;
    const sim_finding *f;
    client_new();
    dev_client_on_launch(&c, hear, &heard);
    dev_record *to = dev_log(&c, DEV_OP_LAUNCH, 0, NULL, 0, 1, 0, SIM_OK);
    dev_log_launch(&c, to, &w, result(2, 3), false);
    dev_client_log(&c, &r);
    CHECK_STR(r->kernel, "pretty");
    static const unsigned grid[] = {1, 2, 3}, block[] = {4, 5, 6};
    CHECK(!memcmp(r->grid, grid, sizeof grid) && !memcmp(r->block, block, sizeof block));
    CHECK(r->dynamic_shared == 7 && r->info == &info && r->result && heard == 1);
    CHECK_INT(dev_client_findings(&c, &f), 3);
    const uint64_t one = sizeof(sim_result), line = sizeof(sim_line);
    CHECK_INT(c.log.result_bytes, one + 2 * line + 3 * sizeof(sim_finding));
    /* One that is replayed replaces it, without being heard of. */
    c.log.replaying = true;
    dev_log_launch(&c, to, &w, result(1, 0), false);
    c.log.replaying = false;
    CHECK(heard == 1 && r->result->line_count == 1);
    CHECK_INT(c.log.result_bytes, one + line);
    /* What was asked for besides counts too. */
    sim_result *asked = result(1, 0);
    asked->what_if = calloc(SIM_COST_COUNT, sizeof *asked->what_if);
    asked->spans = calloc(3, sizeof *asked->spans), asked->span_count = 3;
    dev_log_launch(&c, to, &w, asked, false);
    CHECK_INT(c.log.result_bytes,
              one + line + 3 * sizeof(sim_block_span) + SIM_COST_COUNT * sizeof(sim_what_if));
    /* Without a record it is heard of, and its findings are kept. */
    dev_log_launch(&c, NULL, &w, result(1, 4), false);
    CHECK_INT(heard, 3);
    CHECK_INT(dev_client_findings(&c, &f), 4);
    CHECK_INT(dev_client_log(&c, &r), 1);
    /* Lines up to the limit, an eighth of what the client may hold; totals always. */
    dev_log_clear(&c);
    CHECK_INT(c.log.result_bytes, 0);
    c.budget.limit = 8 * (2 * one + 5 * line);
    for (unsigned i = 0; i < 3; i++) {
        to = dev_log(&c, DEV_OP_LAUNCH, 0, NULL, 0, 1, 0, SIM_OK);
        dev_log_launch(&c, to, &w, result(i < 2 ? 2 + i : 1, 0), false);
    }
    dev_client_log(&c, &r);
    CHECK_INT(r[0].result->line_count, 2);
    CHECK_INT(r[1].result->line_count, 3); /* to the last byte */
    CHECK_INT(r[2].result->line_count, 0);
    CHECK(!r[2].result->lines);
    CHECK_INT(c.log.result_bytes, 3 * one + 5 * line);
}

/* ---- device printf */

static const char *printed(void) {
    size_t n;
    const char *text = dev_client_printed(&c, &n);
    CHECK_INT(n, strlen(text));
    return text;
}
static const char *undelivered(void) {
    size_t n;
    const char *text = dev_client_undelivered(&c, &n);
    CHECK_INT(n, strlen(text));
    return text;
}

static void test_print(void) {
    client_new();
    CHECK_STR(printed(), "");
    CHECK_STR(undelivered(), "");
    dev_log_print(&c, "1234", 4);
    c.log.replaying = true; /* said already */
    dev_log_print(&c, "x", 1);
    c.log.replaying = false;
    dev_log_print(&c, "567890", 6); /* ten bytes are the limit */
    CHECK_STR(printed(), "1234567890");
    c.log.delivered = 4;
    CHECK_STR(undelivered(), "567890");
    dev_log_print(&c, "x", 1);
    dev_log_print(&c, "y", 1);
    CHECK_STR(printed(), "1234567890[warplab: more device printf output is dropped]\n");
    /* The mark: what the program has been given is gone, the rest stays. */
    dev_log_clear(&c);
    CHECK_STR(printed(), "567890[warplab: more device printf output is dropped]\n");
    CHECK_STR(undelivered(), printed());
    dev_log_clear(&c);
    CHECK_STR(printed(), "567890[warplab: more device printf output is dropped]\n");
    c.log.delivered = c.log.printed.n;
    dev_log_clear(&c);
    CHECK_STR(printed(), "");
    CHECK_STR(undelivered(), "");
}

/* ---- what programs get */

static void test_errors(void) {
    static const struct {
        unsigned status;
        cudaError_t error;
    } rows[] = {{SIM_OK, 0},
                {SIM_NOMEM, 2},
                {SIM_BAD_ADDRESS, 1},
                {SIM_BAD_ARGUMENT, 1},
                {SIM_BAD_PTX, 218},
                {SIM_NOT_FOUND, 500},
                {SIM_BAD_LAUNCH, 9},
                {SIM_TOO_MANY_RESOURCES, 701},
                {SIM_ILLEGAL_ADDRESS, 700},
                {SIM_MISALIGNED, 716},
                {SIM_TRAP, 719},
                {SIM_ILLEGAL_INSTRUCTION, 715},
                {SIM_ASSERT, 710},
                {SIM_STACK_OVERFLOW, 714},
                {SIM_DEADLOCK, 702},
                {SIM_BUDGET, 702},
                {SIM_CANCELLED, 702},
                {SIM_UNSUPPORTED, 801},
                {SIM_BAD_CLUSTER, 912},
                {SIM_STATUS_COUNT, 999},
                {SIM_STATUS_COUNT + 1, 999}};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK_INT(dev_error((sim_status)rows[i].status), rows[i].error);
}

static lib_words texts(const char *en, const char *zh) {
    return lib_words_plain((lib_texts){{en, zh}});
}

static void test_answers(void) {
    static uint8_t much[WIRE_MAX_BYTES / 2 + 1];
    dev_call k = {.fd = -1};
    CHECK_INT(dev_answer(&k, "abc", 3), cudaSuccess);
    CHECK_INT(dev_answer(&k, NULL, 0), cudaSuccess);
    CHECK_INT(dev_answer(&k, much, sizeof much), cudaErrorUnknown);
    CHECK_INT(k.outs, 2);
    CHECK_INT(dev_answer(&k, much, sizeof much - 1), cudaSuccess);
    CHECK(k.out[0].bytes == 3 && !memcmp(k.out[0].data, "abc", 3));
    CHECK(k.out[1].bytes == 0 && k.out[1].data && k.out[2].bytes == WIRE_MAX_BYTES / 2);
    CHECK_INT(dev_answer(&k, "d", 1), cudaSuccess);
    CHECK_INT(k.outs, 4);
    CHECK_INT(dev_answer(&k, "e", 1), cudaErrorUnknown); /* four spans are the most */
    CHECK_INT(k.outs, 4);
    int copy = dup(0);
    k.fd = copy;
    dev_answer_free(&k);
    CHECK(k.outs == 0 && k.fd == -1);
    CHECK_INT(fcntl(copy, F_GETFD), -1); /* closed */
    dev_answer_free(&k);
    CHECK(fcntl(0, F_GETFD) >= 0); /* which no descriptor is not */

    CHECK_INT(dev_refuse(&k, texts("not 100%", "不是 100%")), cudaErrorNotSupported);
    CHECK_STR(said(&k.note), "not 100%");
    CHECK_STR(said_zh(&k.note), "不是 100%");
}

static void test_unsupported(void) {
    const lib_message *const *lines;
    char text[64];
    client_new();
    CHECK_INT(dev_client_unsupported(&c, &lines), 0);
    dev_unsupported(&c, texts("cudaFoo: a b", NULL));
    dev_unsupported(&c, texts("cudaFoo: a b", NULL)); /* the same */
    dev_unsupported(&c, texts("cudaBar", NULL));
    CHECK_INT(dev_client_unsupported(&c, &lines), 2);
    CHECK_STR(said(lines[0]), "cudaFoo: a b");
    CHECK_STR(said(lines[1]), "cudaBar");
    for (int i = 2; i < DEV_UNSUPPORTED + 3; i++) {
        snprintf(text, sizeof text, "%d", i);
        dev_unsupported(&c, texts(text, NULL));
        CHECK_INT(dev_client_unsupported(&c, &lines),
                  i < DEV_UNSUPPORTED ? i + 1 : DEV_UNSUPPORTED);
    }
    CHECK_STR(said(lines[DEV_UNSUPPORTED - 1]), "255");
    dev_log_clear(&c); /* they are of the whole time */
    CHECK_INT(dev_client_unsupported(&c, &lines), DEV_UNSUPPORTED);
}

/* The program says by itself which function is missing, and may say anything: only names of our own
 * table are kept. */
static void test_unsupported_by_name(void) {
    static const struct {
        const char *sent, *line, *call;
    } rows[] = {
        {"the first input is 0.7231", "a function of another library: not supported", NULL},
        {"cudaIpcGetMemHandle 0.7231", "a function of another library: not supported", NULL},
        {"cudaIpcGetMemHandl", "a function of another library: not supported", NULL},
        {"", "a function of another library: not supported", NULL},
        {"cudaIpcGetMemHandle", "cudaIpcGetMemHandle: not supported", "cudaIpcGetMemHandle"},
        {"cudaIpcOpenMemHandle", "cudaIpcOpenMemHandle: not supported", "cudaIpcGetMemHandle"},
    };
    const lib_message *const *lines;
    client_new();
    CHECK(dev_client_unsupported_call(&c) == NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        dev_call k = {.c = &c};
        k.span[0] = (const uint8_t *)rows[i].sent;
        k.span_bytes[0] = (uint32_t)strlen(rows[i].sent);
        CHECK_INT(dev_on_Unsupported(&k, NULL, NULL), cudaSuccess);
        size_t n = dev_client_unsupported(&c, &lines);
        CHECK_STR(n ? said(lines[n - 1]) : "", rows[i].line);
        const char *call = dev_client_unsupported_call(&c);
        CHECK_STR(call ? call : "", rows[i].call ? rows[i].call : "");
    }
}

/* ---- handles and strings */

static void test_handles(void) {
    static char things[3];
    client_new();
    /* a kind, how often the slot was used, the slot */
    const uint64_t first = 0x5702000001000000, second = 0x5702000001000001;
    CHECK(dev_object_new(&c, DEV_EVENT, &things[0]) == first);
    CHECK(dev_object_new(&c, DEV_EVENT, &things[1]) == second);
    CHECK(dev_object(&c, first, DEV_EVENT) == &things[0]);
    CHECK(dev_object(&c, second, DEV_EVENT) == &things[1]);
    CHECK(dev_object_handle(&c, 1) == second);
    static const uint64_t none[] = {0,
                                    0x5702000001000002,
                                    0x5702000000000000,
                                    0x5702000002000000,
                                    0x5602000001000000,
                                    0x5703000001000000,
                                    0x1000000};
    for (unsigned i = 0; i < sizeof none / sizeof *none; i++)
        CHECK(!dev_object(&c, none[i], DEV_EVENT));
    CHECK(!dev_object(&c, first, DEV_STREAM) && !dev_object(&c, 0x5703000001000000, DEV_MODULE));
    CHECK_INT(c.budget.held, 2 * (32 + 256));
    CHECK_INT(s.held, 2 * (32 + 256));
    dev_object_drop(&c, 0x5702000001000002); /* no such slot */
    dev_object_drop(&c, first);
    CHECK(!dev_object(&c, first, DEV_EVENT) && !dev_object(&c, first, DEV_NONE));
    CHECK_INT(c.budget.held, 32 + 256);
    /* The lowest free slot, under another handle. */
    CHECK(dev_object_new(&c, DEV_STREAM, &things[2]) == 0x5701000002000000);
    CHECK(dev_object_new(&c, DEV_EVENT, &things[2]) == 0x5702000001000002);
    dev_object_drop(&c, second);
    dev_object_drop(&c, 0x5702000001000002);
    CHECK(dev_object_new(&c, DEV_EVENT, &things[2]) == 0x5702000002000001);
    CHECK(dev_object_new(&c, DEV_EVENT, &things[2]) == 0x5702000002000002);

    /* What each kind counts for besides the handle's 32 bytes. */
    static const uint16_t bytes[] = {
        [DEV_STREAM] = 2048, [DEV_EVENT] = 256,   [DEV_MODULE] = 1024, [DEV_KERNEL] = 256,
        [DEV_ARRAY] = 256,   [DEV_TEXTURE] = 768, [DEV_SURFACE] = 768, [DEV_POOL] = 256,
        [DEV_GRAPH] = 0,     [DEV_NODE] = 0,      [DEV_EXEC] = 512,    [DEV_CONDITION] = 256,
        [DEV_MIPMAP] = 512};
    for (unsigned kind = DEV_STREAM; kind <= DEV_MIPMAP; kind++) {
        client_new();
        uint64_t h = dev_object_new(&c, kind, things);
        CHECK_INT(c.budget.held, 32 + bytes[kind]);
        dev_object_drop(&c, h);
        CHECK_INT(c.budget.held, 0);
    }

    /* There is room for so many bytes: one more event does not fit. */
    client_new();
    c.budget.limit = 2 * 288 - 1;
    CHECK(dev_object_new(&c, DEV_EVENT, things) != 0 && !dev_object_new(&c, DEV_EVENT, things));
    /* And for 2^18 handles; one that is given up is found again. */
    client_new();
    s.total = c.budget.limit = (uint64_t)1 << 40;
    unsigned made = 0;
    while (made < DEV_OBJECTS + 1 && dev_object_new(&c, DEV_NODE, things)) made++;
    CHECK_INT(made, DEV_OBJECTS);
    CHECK_INT(c.budget.held, 32 * (uint64_t)DEV_OBJECTS);
    dev_object_drop(&c, dev_object_handle(&c, 1000));
    CHECK(dev_object_new(&c, DEV_NODE, things) == 0x570a0000020003e8);
    CHECK(!dev_object_new(&c, DEV_NODE, things));
}

static void test_strings(void) {
    const char *at[2000];
    unsigned wrong = 0;
    char name[32];
    client_new();
    CHECK_STR(dev_intern(&c, NULL), "");
    CHECK_STR(dev_intern(&c, ""), "");
    CHECK_INT(c.objects.string_count, 0);
    for (unsigned i = 0; i < 2000; i++) {
        snprintf(name, sizeof name, "name %u", i);
        at[i] = dev_intern(&c, name);
    }
    for (unsigned i = 0; i < 2000; i++) {
        snprintf(name, sizeof name, "name %u", i);
        wrong += dev_intern(&c, name) != at[i] || strcmp(at[i], name) != 0;
    }
    CHECK_INT(wrong, 0);
    CHECK_INT(c.objects.string_count, 2000);
    CHECK_INT(c.objects.string_room, 4096); /* doubled from 256 on, when half of it is in use */
}

/* ---- the budget */

static void test_budget(void) {
    static const struct {
        uint64_t total, reserved, buffers, client, limit;
    } rows[] = {
        {1000, 0, 0, 0, 1000},
        {1000, 300, 0, 0, 700},
        {1000, 0, 300, 0, 700},
        {1000, 300, 400, 0, 600}, /* what is set aside is what buffers are put in */
        {1000, 400, 300, 0, 600},
        {1000, 999, 0, 0, 1},
        {1000, 1000, 0, 0, 0},
        {1000, 1001, 0, 0, 0}, /* and none is left of more */
        {1000, 0, 0, 90, 80},  /* a bit for each byte comes on top */
        {1000, 0, 0, 99, 88},
        {1000, 0, 0, 98, 80},
        {1000, 0, 0, 567, 500}, /* 504: half of all at most */
        {1000, 200, 0, 900, 400},
        {1000, 2000, 0, 900, 0},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        s = (dev_session){
            .total = rows[i].total, .reserved = rows[i].reserved, .buffer_bytes = rows[i].buffers};
        s.opt.client_bytes = rows[i].client;
        CHECK_INT(dev_hold_limit(&s), rows[i].limit);
    }
    client_new();
    dev_client other = {.s = &s, .budget.limit = 70};
    s.total = 100, c.budget.limit = 60;
    CHECK_INT(dev_hold_room(&c), 60);
    CHECK(!dev_hold(&c, 61) && dev_hold(&c, 50));
    CHECK_INT(dev_hold_room(&c), 10);     /* of its own */
    CHECK_INT(dev_hold_room(&other), 50); /* of the session's */
    CHECK(!dev_hold(&other, 51) && dev_hold(&other, 45));
    CHECK_INT(dev_hold_room(&c), 5);
    CHECK(!dev_hold(&c, 6) && dev_hold(&c, 5) && !dev_hold(&c, 1) && dev_hold(&c, 0));
    CHECK(c.budget.held == 55 && other.budget.held == 45 && s.held == 100);
    dev_let_go(&other, 15);
    CHECK(other.budget.held == 30 && s.held == 85);
    CHECK_INT(dev_hold_room(&c), 5);
    s.reserved = 30; /* less than what is held is left: nothing more */
    CHECK_INT(dev_hold_room(&other), 0);
    s.reserved = 0, c.budget.limit = 54;
    CHECK_INT(dev_hold_room(&c), 0);
    /* a simulated device's memory is the server's, a GPU's is its own */
    CHECK_INT(dev_hold_device(&c, 0, 5000), 6024);
    s.device[0].backend = &dev_backend_gpu;
    CHECK_INT(dev_hold_device(&c, 0, 5000), 1024);
    /* A part is an eighth, and 256 MiB at most. */
    static const struct {
        uint64_t limit, part;
    } parts[] = {{0, 0},
                 {7, 0},
                 {8, 1},
                 {2047ull << 20, 2047ull << 17},
                 {2048ull << 20, 256 << 20},
                 {2056ull << 20, 256 << 20}};
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) {
        c.budget.limit = parts[i].limit;
        CHECK_INT(dev_part_limit(&c), parts[i].part);
    }
}

int main(void) {
    c.s = &s;
    test_one_site();
    test_many_findings();
    test_assertion();
    test_leaks();
    test_fault();
    test_records();
    test_times();
    test_results();
    test_print();
    test_errors();
    test_answers();
    test_unsupported();
    test_unsupported_by_name();
    test_handles();
    test_strings();
    test_budget();
    client_drop();
    return check_done();
}
