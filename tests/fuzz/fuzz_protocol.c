/* Fuzzes the device server's side of the wire. An input is a script of messages, so that most of
 * them are well formed and reach what lies behind the checks of form; an input that begins with an
 * odd byte is sent as it is.
 *
 *   message   operation, flags, thread and device, a word for each scalar, for each span: its length in
 *             words, and the words
 *   word      a selector byte: zero, a small number, a handle as the server would make it, a device or host
 *             address, eight raw bytes */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "runner/base/message.h"
#include "runner/device/cudart/protocol.h"
#include "runner/device/server/device.h"
#include "tests/fuzz/shape.h"

int fuzz_protocol(const uint8_t *data, size_t size);

static const char ptx[] =
    ".version 7.5\n.target sm_75\n.address_size 64\n.visible .global .align 4 .b8 v[64];\n"
    ".visible .entry k(.param .u64 p, .param .u32 n) {\n.reg .b32 %r<3>; .reg .b64 %rd<3>;\n"
    "ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n]; cvta.to.global.u64 %rd2, %rd1; st.global.u32 "
    "[%rd2], "
    "%r1; ret;\n}\n";

/* A fat binary with the text as it is, as nvcc --no-compress makes them. */
static size_t fatbin(uint8_t *to, const char *from, size_t bytes) {
    uint64_t text = (bytes + 7) & ~7u, w[10] = {0};
    w[0] = 0xBA55ED50u | (uint64_t)1 << 32 | (uint64_t)16 << 48, w[1] = 64 + text;
    w[2] = 1 | 0x101 << 16 | (uint64_t)64 << 32, w[3] = text,
    w[5] = 5 | 7 << 16 | (uint64_t)75 << 32;
    memcpy(to, w, sizeof w);
    memset(to + sizeof w, 0, text);
    memcpy(to + sizeof w, from, bytes);
    return sizeof w + text;
}

typedef struct {
    const uint8_t *p, *end;
} source;
static uint8_t byte(source *src) {
    return src->p < src->end ? *src->p++ : 0;
}
static uint64_t word(source *src) {
    uint8_t how = byte(src);
    uint64_t w = 0;
    switch (how % 8) {
    case 0: return 0;
    case 1: return byte(src);
    case 2: { /* a handle: kind, generation 1 to 4, index */
        uint8_t a = byte(src), b = byte(src);
        return (uint64_t)0x57 << 56 | (uint64_t)(a % 16) << 48 | (uint64_t)(1 + a / 64) << 24 |
               b % 32;
    }
    case 3: return 0x300000000000u + (uint64_t)byte(src) * 256;
    case 4: return 0x2d0000000000u + (uint64_t)byte(src) * 4096;
    case 5: return (uint64_t)0 - byte(src);
    case 6: return (uint64_t)byte(src) << (how & 0x38);
    default:
        for (int i = 0; i < 8; i++) w = w << 8 | byte(src);
        return w;
    }
}

/* One message; 0: no room. */
static size_t message(source *src, uint8_t *to, size_t room) {
    uint64_t at[2 + WIRE_MAX_SCALARS + 2 + 4 * 64];
    wire_head h = {.op = byte(src) % WIRE_OP_COUNT, .flags = byte(src) & 257};
    uint8_t who = byte(src);
    h.thread = who & 3, h.device = who >> 7;
    h.scalars = shape[h.op].scalars, h.spans = shape[h.op].spans;
    size_t n = 2;
    for (unsigned i = 0; i < h.scalars; i++) at[n++] = word(src);
    uint32_t lens[4] = {0};
    size_t lens_at = n;
    n += (h.spans + 1u) / 2;
    for (unsigned i = 0; i < h.spans; i++) {
        uint8_t words = byte(src);
        if (words == 255) { /* the name of a kernel or a variable */
            at[n++] = byte(src) & 1 ? 'k' : 'v';
            lens[i] = 1;
            continue;
        }
        words %= 48;
        for (unsigned j = 0; j < words; j++) at[n++] = word(src);
        lens[i] = words * 8u;
    }
    memcpy(at + lens_at, lens, (h.spans + 1u) / 2 * 8);
    h.bytes = (uint32_t)n * 8;
    memcpy(at, &h, sizeof h);
    if (h.bytes > room) return 0;
    memcpy(to, at, h.bytes);
    return h.bytes;
}

static size_t simple(uint8_t *to, wire_op op, const uint64_t *scalars, const void *span,
                     size_t bytes) {
    wire_head h = {.op = (uint16_t)op, .scalars = shape[op].scalars, .spans = shape[op].spans};
    size_t n = sizeof h;
    memcpy(to + n, scalars, h.scalars * 8u);
    n += h.scalars * 8u;
    if (h.spans) {
        uint64_t len = bytes;
        memcpy(to + n, &len, 8);
        if (bytes) memcpy(to + n + 8, span, bytes);
        memset(to + n + 8 + bytes, 0, -bytes & 7);
        n += 8 + ((bytes + 7) & ~7ul);
    }
    h.bytes = (uint32_t)n;
    memcpy(to, &h, sizeof h);
    return n;
}

static void *drain(void *fd) {
    char buffer[4096];
    while (recv((int)(intptr_t)fd, buffer, sizeof buffer, 0) > 0) {
    }
    return NULL;
}

static dev_session *s; /* one for all inputs: a device is costly to make */
static void done(void) {
    dev_session_free(s);
}

int fuzz_protocol(const uint8_t *data, size_t size) {
    static uint8_t out[1 << 18];
    lib_message msg;
    if (!s) {
        dev_options o;
        dev_options_default(&o);
        o.ptxas = "";
        o.device = "sim:h200,sim:t4";
        o.sim.threads = 1, o.sim.inst_budget = 100000, o.sim.memory_limit = 64 << 20;
        s = dev_session_new(&o, &msg);
        if (!s) abort();
        atexit(done);
    }
    size_t n = 0;
    if (size && data[0] & 1) {
        n = size - 1 < sizeof out ? size - 1 : sizeof out;
        memcpy(out, data + 1, n);
    } else {
        uint8_t binary[2048];
        size_t bytes = fatbin(binary, ptx, sizeof ptx);
        source in = {data + (size ? 1 : 0), data + size};
        n += simple(out + n, WIRE_OP_Hello, (uint64_t[]){WIRE_VERSION, 1, 0}, NULL, 0);
        if (size && data[0] & 2) { /* a module and a kernel: objects 0 and 1 */
            n += simple(out + n, WIRE_OP_ModuleBegin, &(uint64_t){bytes}, NULL, 0);
            n += simple(out + n, WIRE_OP_ModuleData,
                        &(uint64_t){(uint64_t)0x57 << 56 | (uint64_t)3 << 48 | 1 << 24}, binary,
                        bytes);
            n += simple(out + n, WIRE_OP_KernelGet,
                        &(uint64_t){(uint64_t)0x57 << 56 | (uint64_t)3 << 48 | 1 << 24}, "k", 1);
        }
        while (in.p < in.end) {
            size_t k = message(&in, out + n, sizeof out - n);
            if (!k) break;
            n += k;
        }
    }
    int pair[2], wide = 1 << 20;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) return 0;
    setsockopt(pair[1], SOL_SOCKET, SO_SNDBUF, &wide, sizeof wide);
    dev_client *c = dev_client_new(s, pair[0], &msg);
    if (!c) abort();
    pthread_t reader;
    if (pthread_create(&reader, NULL, drain, (void *)(intptr_t)pair[1])) abort();
    size_t sent = 0;
    for (int round = 0; round < 64; round++) {
        ssize_t k = sent < n ? send(pair[1], out + sent, n - sent, MSG_DONTWAIT | MSG_NOSIGNAL) : 0;
        if (k > 0) sent += (size_t)k;
        if (sent == n) shutdown(pair[1], SHUT_WR);
        dev_event e = dev_client_run(c, sent == n ? 5 : 0.01, &msg);
        if (e == DEV_READY) {
            dev_arg a[2] = {{.kind = DEV_ARG_I32, .v.i32 = 3},
                            {.kind = DEV_ARG_HOST, .bytes = 100, .pinned = round & 1}};
            if (round < 4) dev_client_call(c, a, 2);
            else dev_client_finish(c);
            dev_client_replay(c);
            continue;
        }
        if (e == DEV_TIMEOUT && sent < n) continue;
        if (e == DEV_PROTOCOL && !lib_message_any(&msg)) abort();
        break;
    }
    const dev_record *r;
    const sim_finding *f;
    dev_client_log(c, &r);
    dev_client_findings(c, &f);
    dev_client_busy_us(c);
    dev_client_replay(c);
    dev_client_mark(c);
    dev_client_free(c);
    shutdown(pair[1], SHUT_RDWR);
    pthread_join(reader, NULL);
    close(pair[1]);
    /* Nothing of a client stays behind. */
    uint64_t free_bytes, total;
    sim_memory_info(dev_session_sim(s, 0), &free_bytes, &total);
    static uint64_t first;
    if (!first) first = free_bytes;
    if (free_bytes + (1 << 20) < first) abort();
    return 0;
}

#ifdef WARPLAB_LIBFUZZER
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    return fuzz_protocol(data, size);
}
#endif
