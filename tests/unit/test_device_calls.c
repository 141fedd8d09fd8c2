/* Handlers of calls, asked directly with a client of a simulated device: pieces of device code,
 * captures, edges of graphs, what a greeting shares, and which textures there are. Expected: the
 * runtime's reference ("Stream Management", "Graph Management", "Texture Object Management") and
 * the Programming Guide's "Technical Specifications per Compute Capability" for the sizes of
 * textures. */
#include "runner/device/server/core/client.h"
#include "calls_fixture.h"

#include "runner/device/server/graph/capture.h"
#include "runner/device/server/graph/graph.h"

#include <sys/stat.h>
#include "tests/said.h"

static void test_greeting(void) {
    struct wire_out_Hello hello;
    struct wire_out_Window window;
    struct stat st;
    static const struct wire_in_Window nothing;
    CHECK(begin());
    CHECK_INT(CALL(Hello, &hello, {.version = WIRE_VERSION + 1}), cudaErrorInsufficientDriver);
    CHECK_STR(said(&c->wire.error), "its CUDA library is of another version of Warplab");
    CHECK(!c->wire.greeted && k.fd < 0);
    CHECK_INT(CALL(Hello, &hello, {.version = WIRE_VERSION, .pid = 7, .base = 0x400000}), 0);
    CHECK(c->wire.greeted && c->process.pid == 7 && c->process.base == 0x400000);
    CHECK(hello.devices == 1 && hello.simulated == 1);
    CHECK(hello.low == DEV_ADDRESS_LOW && hello.high == DEV_ADDRESS_HIGH);
    CHECK(k.fd >= 0 && k.fd != c->process.control_fd && !fstat(k.fd, &st) && st.st_size == 4096);
    spans(NULL, 0, NULL, 0);
    for (int i = 0; i < 2; i++) { /* one window, however often it is asked for */
        static uint8_t *at;
        CHECK_INT(dev_on_Window(&k, &nothing, &window), cudaSuccess);
        CHECK(k.fd >= 0 && !fstat(k.fd, &st) && st.st_size == WIRE_WINDOW_BYTES);
        CHECK(c->window.at && (!i || c->window.at == at));
        at = c->window.at;
        spans(NULL, 0, NULL, 0);
    }
    end();
}

/* A fat binary comes in pieces, and no more of it than was said. */
static void test_module(void) {
    struct wire_out_ModuleBegin m;
    struct wire_out_ModuleData none;
    CHECK(begin());
    uint64_t held = c->budget.held;
    CHECK_INT(CALL(ModuleBegin, &m, {.bytes = 8}), cudaSuccess);
    CHECK_INT(c->budget.held - held, 8 + 32 + 1024); /* its bytes, and a handle */
    CHECK_INT(c->code.bytes, 8);
    static const struct {
        uint32_t bytes;
        cudaError_t error;
    } pieces[] = {{9, cudaErrorInvalidValue}, {5, 0}, {4, cudaErrorInvalidValue}, {0, 0}, {3, 0},
                  {1, cudaErrorInvalidValue}, {0, 0}};
    uint32_t at = 0;
    for (unsigned i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        spans("abcdefgh!" + at, pieces[i].bytes, NULL, 0);
        CHECK_INT(CALL(ModuleData, &none, {.module = m.module}), pieces[i].error);
        if (!pieces[i].error) at += pieces[i].bytes;
    }
    const dev_module *x = dev_object(c, m.module, DEV_MODULE);
    CHECK(x && x->have == 8 && x->bytes == 8 && !memcmp(x->data, "abcdefgh", 8));
    CHECK_INT(CALL(ModuleData, &none, {.module = m.module + 1}), cudaErrorInvalidValue);
    /* 512 MiB of them are the most. */
    held = c->budget.held;
    CHECK_INT(CALL(ModuleBegin, &m, {.bytes = DEV_MODULE_BYTES - 7}), cudaErrorMemoryAllocation);
    CHECK_STR(said(&k.note), "the program's device code is larger than 512 MiB");
    CHECK_INT(CALL(ModuleBegin, &m, {.bytes = DEV_MODULE_BYTES + 1}), cudaErrorMemoryAllocation);
    CHECK_INT(c->budget.held, held);
    CHECK_INT(CALL(ModuleBegin, &m, {.bytes = DEV_MODULE_BYTES - 8}), cudaSuccess);
    CHECK_INT(c->code.bytes, DEV_MODULE_BYTES);
    end();
}

static void test_captures(void) {
    struct wire_out_cudaStreamBeginCapture none;
    struct wire_out_cudaStreamEndCapture ended;
    struct wire_out_cudaStreamIsCapturing is;
    struct wire_out_CaptureInfo info;
    CHECK(begin());
    static const struct wire_in_cudaStreamCreate in;
    struct wire_out_cudaStreamCreate made;
    uint64_t h[2];
    const dev_stream *s[2];
    for (unsigned i = 0; i < 2; i++) {
        CHECK_INT(dev_on_cudaStreamCreate(&k, &in, &made), cudaSuccess);
        h[i] = made.pStream;
        CHECK((s[i] = dev_object(c, h[i], DEV_STREAM)) != NULL);
        if (!s[i]) return;
    }
#define BEGIN(stream, m) CALL(cudaStreamBeginCapture, &none, {stream, .mode = (uint64_t)(m)})
    CHECK_INT(BEGIN(5, 0), cudaErrorInvalidResourceHandle);
    CHECK_INT(BEGIN(h[0], -1), cudaErrorInvalidValue);
    CHECK_INT(BEGIN(h[0], 3), cudaErrorInvalidValue);
    CHECK_INT(BEGIN(0, 0), cudaErrorStreamCaptureUnsupported); /* the legacy stream */
    CHECK_INT(c->streams.captures, 0);
    info.id = 9;
    CHECK_INT(CALL(CaptureInfo, &info, {h[0]}), cudaSuccess);
    CHECK_INT(info.id, 9); /* none */
    CHECK_INT(CALL(cudaStreamEndCapture, &ended, {h[0]}), cudaErrorIllegalState);
    /* Each has a number of its own, from 1 on. */
    for (unsigned i = 0; i < 2; i++) {
        CHECK_INT(BEGIN(h[i], i * 2), cudaSuccess);
        CHECK_INT(BEGIN(h[i], 0), cudaErrorIllegalState);
        CHECK_INT(c->streams.captures, i + 1);
        CHECK_INT(CALL(CaptureInfo, &info, {h[i]}), cudaSuccess);
        CHECK(info.status == cudaStreamCaptureStatusActive && info.id == i + 1);
        CHECK(info.graph == s[i]->capture->graph->handle && s[i]->capture->origin == s[i]);
        CHECK_INT(CALL(cudaStreamIsCapturing, &is, {h[i]}), cudaSuccess);
        CHECK_INT(is.pCaptureStatus, cudaStreamCaptureStatusActive);
    }
    /* Asking about the legacy stream answers that, and spoils nothing. */
    CHECK_INT(CALL(cudaStreamIsCapturing, &is, {0}), cudaErrorStreamCaptureImplicit);
    CHECK_INT(CALL(CaptureInfo, &info, {0}), cudaErrorStreamCaptureImplicit);
    /* It ends in the thread in which it began, unless it is relaxed. */
    k.thread = 1;
    CHECK_INT(CALL(cudaStreamEndCapture, &ended, {h[0]}), cudaErrorStreamCaptureWrongThread);
    CHECK_INT(CALL(cudaStreamEndCapture, &ended, {h[1]}), cudaSuccess);
    CHECK(dev_object(c, ended.pGraph, DEV_GRAPH) != NULL);
    k.thread = 0;
    CHECK_INT(CALL(cudaStreamEndCapture, &ended, {h[0]}), cudaSuccess);
    CHECK_INT(c->streams.captures, 0);
    CHECK_INT(CALL(cudaStreamIsCapturing, &is, {h[0]}), cudaSuccess);
    CHECK_INT(is.pCaptureStatus, cudaStreamCaptureStatusNone);
    CHECK_INT(BEGIN(h[0], 1), cudaSuccess);
    CHECK_INT(s[0]->capture->id, 3);
    /* Work of it does: of this capture, and of none of a stream that does not block. */
    struct wire_out_cudaStreamCreateWithFlags apart;
    CHECK_INT(CALL(cudaStreamCreateWithFlags, &apart, {cudaStreamNonBlocking}), cudaSuccess);
    CHECK_INT(BEGIN(apart.pStream, 2), cudaSuccess);
    CHECK_INT(dev_capture_forbids(&k, dev_stream_default(c, 0), false),
              cudaErrorStreamCaptureImplicit);
    CHECK_INT(CALL(cudaStreamEndCapture, &ended, {h[0]}), cudaErrorStreamCaptureInvalidated);
    CHECK_INT(CALL(cudaStreamIsCapturing, &is, {0}), cudaSuccess);
    CHECK_INT(CALL(cudaStreamEndCapture, &ended, {apart.pStream}), cudaSuccess);
    end();
}

/* Which nodes come before `node`: letters, in order. */
static const char *before(uint64_t node, const uint64_t *nodes, size_t n) {
    static char text[16];
    static struct wire_out_GraphList none;
    spans(NULL, 0, NULL, 0);
    CHECK_INT(CALL(GraphList, &none, {WIRE_NODE_DEPENDENCIES, node}), cudaSuccess);
    size_t at = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; k.outs && j < k.out[0].bytes / 8; j++)
            if (((const uint64_t *)k.out[0].data)[j] == nodes[i]) text[at++] = (char)('a' + i);
    text[at] = 0;
    CHECK_INT(at, k.outs ? k.out[0].bytes / 8 : 0);
    return text;
}

static void test_edges(void) {
    struct wire_out_GraphCreate g;
    struct wire_out_GraphAdd added;
    struct wire_out_GraphEdges none;
    struct wire_out_cudaGraphDestroyNode nothing;
    struct wire_out_GraphInstantiate exec;
    struct wire_out_cudaGraphLaunch launched;
    static const struct wire_in_GraphCreate in;
    uint64_t n[5];
    CHECK(begin());
    CHECK_INT(dev_on_GraphCreate(&k, &in, &g), cudaSuccess);
    for (unsigned i = 0; i < 5; i++) { /* the fourth behind three, the fifth behind it */
        spans(i == 4 ? n + 3 : n, i < 3 ? 0 : i == 3 ? 24 : 8, NULL, 0);
        CHECK_INT(CALL(GraphAdd, &added, {g.graph, cudaGraphNodeTypeEmpty}), cudaSuccess);
        n[i] = added.node;
    }
    CHECK_STR(before(n[3], n, 5), "abc");
    CHECK_STR(before(n[4], n, 5), "d");
    uint64_t bytes = c->budget.queued;
#define EDGE(from, to, what)                                                                       \
    (spans(&n[from], 8, &n[to], 8), CALL(GraphEdges, &none, {g.graph, what}))
    CHECK_INT(EDGE(1, 3, 0), cudaSuccess); /* neither the first nor the last */
    CHECK_STR(before(n[3], n, 5), "ac");
    CHECK_INT(bytes - c->budget.queued, DEV_EDGE_BYTES);
    CHECK_INT(EDGE(1, 3, 0), cudaErrorInvalidValue);
    CHECK_INT(EDGE(2, 3, 0), cudaSuccess); /* the last */
    CHECK_STR(before(n[3], n, 5), "a");
    CHECK_INT(EDGE(0, 3, 1), cudaErrorInvalidValue); /* it is there */
    CHECK_INT(EDGE(3, 3, 1), cudaErrorInvalidValue);
    CHECK_INT(EDGE(2, 3, 1), cudaSuccess);
    CHECK_INT(EDGE(1, 3, 1), cudaSuccess);
    CHECK_STR(before(n[3], n, 5), "abc");
    CHECK_INT(c->budget.queued, bytes);
    CHECK_INT(CALL(cudaGraphDestroyNode, &nothing, {n[2]}), cudaSuccess);
    CHECK_STR(before(n[3], n, 5), "ab");
    CHECK_STR(before(n[4], n, 5), "d");

    /* A launch holds what it needs while it is there. */
    CHECK_INT(CALL(GraphInstantiate, &exec, {g.graph, 0}), cudaSuccess);
    CHECK(dev_stream_default(c, 0) != NULL);
    uint64_t held = c->budget.held;
    bytes = c->budget.queued;
    spans(NULL, 0, NULL, 0);
    CHECK_INT(CALL(cudaGraphLaunch, &launched, {exec.exec, 0}), cudaSuccess);
    /* The instance keeps what comes before each of its six nodes, its begin and end among them. */
    CHECK_INT(c->budget.held, held + 6 * sizeof(uint64_t));
    spans(NULL, 0, NULL, 0);
    CHECK_INT(CALL(cudaGraphLaunch, &launched, {exec.exec, 0}), cudaSuccess);
    CHECK_INT(c->budget.held, held + 6 * sizeof(uint64_t));
    CHECK_INT(c->budget.queued, bytes);
    end();
}

/* ---- textures */

enum { FLOAT = cudaChannelFormatKindFloat, SIGNED = cudaChannelFormatKindSigned };
static void test_textures(void) {
    static const struct wire_in_TextureCreate in;
    struct wire_out_TextureCreate out;
    struct wire_out_cudaDestroyTextureObject none;
    uint64_t a = 0;
    CHECK(begin());
    CHECK_INT(dev_mem_allocate(c, 0, 4096, DEV_MEM_DEVICE, 0, &a), cudaSuccess);
    enum { BAD = cudaErrorInvalidValue, FORMAT = cudaErrorInvalidChannelDescriptor };
    enum { FILTER = cudaErrorInvalidFilterSetting, NORM = cudaErrorInvalidNormSetting };
    /* linear memory: its format, where it begins, its bytes */
    const struct {
        struct cudaChannelFormatDesc f;
        uint64_t skip, bytes;
        cudaError_t error;
    } linear[] = {
        {{32, 0, 0, 0, FLOAT}, 0, 4096, 0},
        {{32, 0, 0, 0, FLOAT}, 0, 4097, BAD},
        {{32, 0, 0, 0, FLOAT}, 16, 4080, 0},
        {{32, 0, 0, 0, FLOAT}, 16, 4081, BAD},
        {{32, 0, 0, 0, FLOAT}, 8, 64, BAD}, /* 16-byte aligned */
        {{32, 0, 0, 0, FLOAT}, 0, 0, BAD},
        {{16, 0, 0, 0, FLOAT}, 0, 64, 0},
        {{8, 0, 0, 0, FLOAT}, 0, 64, FORMAT}, /* no such float */
        {{8, 0, 0, 0, SIGNED}, 0, 64, 0},
        {{8, 8, 0, 0, SIGNED}, 0, 64, 0},
        {{8, 8, 8, 8, cudaChannelFormatKindUnsigned}, 0, 64, 0},
        {{8, 8, 8, 0, SIGNED}, 0, 64, FORMAT}, /* 1, 2 or 4 channels of one width */
        {{8, 16, 0, 0, SIGNED}, 0, 64, FORMAT},
        {{8, 8, 16, 8, SIGNED}, 0, 64, FORMAT},
        {{8, 8, 8, 16, SIGNED}, 0, 64, FORMAT},
        {{24, 0, 0, 0, SIGNED}, 0, 64, FORMAT},
        {{64, 0, 0, 0, SIGNED}, 0, 64, FORMAT},
        {{32, 0, 0, 0, FLOAT + 1}, 0, 64, FORMAT},
        {{32, 0, 0, 0, -1}, 0, 64, FORMAT},
    };
    for (unsigned i = 0; i < sizeof linear / sizeof *linear; i++) {
        struct cudaResourceDesc r = {.resType = cudaResourceTypeLinear};
        struct cudaTextureDesc x = {0};
        r.res.linear.devPtr = (void *)(uintptr_t)(a + linear[i].skip); /* NOLINT */
        r.res.linear.desc = linear[i].f, r.res.linear.sizeInBytes = linear[i].bytes;
        spans(&r, sizeof r, &x, sizeof x);
        CHECK_INT(dev_on_TextureCreate(&k, &in, &out), linear[i].error);
        if (!linear[i].error)
            CHECK_INT(CALL(cudaDestroyTextureObject, &none, {out.object}), cudaSuccess);
    }
    /* rows: width, height, pitch */
    static const struct {
        uint64_t w, h, pitch;
        cudaError_t error;
    } rows[] = {{16, 4, 64, 0},   {16, 64, 64, 0},  {16, 65, 64, BAD},
                {17, 4, 64, BAD}, {16, 4, 65, BAD}, {16, 4, 48, BAD},
                {0, 4, 64, BAD},  {16, 0, 64, BAD}, {8, 42, 96, 0} /* 41 * 96 + 32 <= 4096 */,
                {8, 43, 96, 0},   {8, 44, 96, BAD}, {131073, 1, 1 << 20, BAD}};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct cudaResourceDesc r = {.resType = cudaResourceTypePitch2D};
        struct cudaTextureDesc x = {0};
        r.res.pitch2D.devPtr = (void *)(uintptr_t)a; /* NOLINT */
        r.res.pitch2D.desc = linear[0].f;
        r.res.pitch2D.width = rows[i].w, r.res.pitch2D.height = rows[i].h;
        r.res.pitch2D.pitchInBytes = rows[i].pitch;
        spans(&r, sizeof r, &x, sizeof x);
        CHECK_INT(dev_on_TextureCreate(&k, &in, &out), rows[i].error);
    }
    /* how it is read */
    const struct {
        struct cudaChannelFormatDesc f;
        int filter, read, address, axis;
        cudaError_t error;
    } reads[] = {
        {{32, 0, 0, 0, FLOAT}, 0, 0, 0, 0, 0},
        {{32, 0, 0, 0, FLOAT}, 1, 0, 0, 0, 0},
        {{32, 0, 0, 0, FLOAT}, 2, 0, 0, 0, BAD},
        {{32, 0, 0, 0, FLOAT}, -1, 0, 0, 0, BAD},
        {{32, 0, 0, 0, FLOAT}, 0, 1, 0, 0, NORM}, /* floats are no fractions (an H100's answer) */
        {{32, 0, 0, 0, FLOAT}, 0, 2, 0, 0, BAD},
        {{32, 0, 0, 0, FLOAT}, 0, -1, 0, 0, BAD},
        {{32, 0, 0, 0, FLOAT}, 0, 0, 3, 0, 0},
        {{32, 0, 0, 0, FLOAT}, 0, 0, 4, 0, BAD},
        {{32, 0, 0, 0, FLOAT}, 0, 0, -1, 1, BAD},
        {{32, 0, 0, 0, FLOAT}, 0, 0, 4, 2, BAD},
        {{16, 0, 0, 0, SIGNED}, 0, 0, 0, 0, 0},
        {{16, 0, 0, 0, SIGNED}, 1, 0, 0, 0, FILTER}, /* integers have no in-between, */
        {{16, 0, 0, 0, SIGNED}, 1, 1, 0, 0, 0},      /* fractions do, */
        {{32, 0, 0, 0, SIGNED}, 0, 1, 0, 0, NORM},   /* of 8 and 16 bits */
    };
    for (unsigned i = 0; i < sizeof reads / sizeof *reads; i++) {
        struct cudaResourceDesc r = {.resType = cudaResourceTypeLinear};
        struct cudaTextureDesc x = {.filterMode = reads[i].filter, .readMode = reads[i].read};
        x.addressMode[reads[i].axis] = reads[i].address;
        r.res.linear.devPtr = (void *)(uintptr_t)a; /* NOLINT */
        r.res.linear.desc = reads[i].f, r.res.linear.sizeInBytes = 64;
        spans(&r, sizeof r, &x, sizeof x);
        CHECK_INT(dev_on_TextureCreate(&k, &in, &out), reads[i].error);
    }
    CHECK_INT(CALL(cudaDestroyTextureObject, &none, {0}), cudaSuccess);
    CHECK_INT(CALL(cudaDestroyTextureObject, &none, {out.object + 12345}), cudaSuccess);
    CHECK_INT(CALL(cudaDestroyTextureObject, &none, {out.object}), cudaSuccess);
    CHECK_INT(CALL(cudaDestroyTextureObject, &none, {out.object}), cudaSuccess);
    end();
}

int main(void) {
    test_greeting();
    test_module();
    test_captures();
    test_edges();
    test_textures();
    return check_done();
}
