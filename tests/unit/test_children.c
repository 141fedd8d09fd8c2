/* Kernels that launch kernels, by their PTX names, and copies between devices: what the log has of
 * them, when it was on the timeline, and that a replay does the same again. Expected: CUDA C++
 * Programming Guide, "CUDA Dynamic Parallelism": work of one stream is in order, fire-and-forget
 * launches wait for nobody, the tail stream for all. */
#include "runner/base/message.h"
#include "device_fixture.h"

#include "runner/device/cudart/glue.h"
#include "runner/device/sim/profile.h"

#define CALLED                                                                                     \
    ".extern .func (.param .b64 r) cudaGetParameterBufferV2(.param .b64 f, .param .align 4 .b8 "   \
    "g[12], .param .align 4 .b8 b[12], .param .b32 s);\n"                                          \
    ".extern .func (.param .b32 r) cudaLaunchDeviceV2(.param .b64 p, .param .b64 s);\n"            \
    ".extern .func (.param .b64 r) cudaGetParameterBuffer(.param .b64 a, .param .b64 n);\n"        \
    ".extern .func (.param .b32 r) cudaLaunchDevice(.param .b64 f, .param .b64 p, .param .align "  \
    "4 .b8 g[12], .param .align 4 .b8 b[12], .param .b32 s, .param .b64 t);\n"
/* one(int *p): p[0] += 1, in order or not. */
static const char launching[] =
    ".version 7.5\n.target sm_75\n.address_size 64\n" CALLED
    ".visible .entry one(.param .u64 p) {\n"
    ".reg .b32 %r<4>; .reg .b64 %rd<4>;\n"
    "ld.param.u64 %rd1, [p]; atom.global.add.u32 %r1, [%rd1], 1; ret;\n}\n"
    /* first(int *p, int *e): the first form of both calls, with a grid of 2 x 1 x 3 and a block of
     * 1 x 5 x 1; then with 4 KB and a byte more of parameters than a place holds, a block without
     * threads, an alignment that places have not, and the same place again */
    ".visible .entry first(.param .u64 p, .param .u64 e) {\n"
    ".reg .pred %p<2>; .reg .b32 %r<9>; .reg .b64 %rd<9>;\n"
    "ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [e]; mov.u64 %rd3, one; mov.u32 %r1, 5;\n"
    "{ .param .b64 a; st.param.b64 [a], 64; .param .b64 n; st.param.b64 [n], 8; .param .b64 q;\n"
    "call.uni (q), cudaGetParameterBuffer, (a, n); ld.param.b64 %rd4, [q]; }\n"
    "{ .param .b64 a; st.param.b64 [a], 65; .param .b64 n; st.param.b64 [n], 8; .param .b64 q;\n"
    "call.uni (q), cudaGetParameterBuffer, (a, n); ld.param.b64 %rd5, [q]; }\n"
    "{ .param .b64 a; st.param.b64 [a], 8; .param .b64 n; st.param.b64 [n], 4097; .param .b64 q;\n"
    "call.uni (q), cudaGetParameterBuffer, (a, n); ld.param.b64 %rd6, [q]; }\n"
    "st.global.u64 [%rd2+8], %rd5; st.global.u64 [%rd2+16], %rd6; st.u64 [%rd4], %rd1;\n"
    "mov.u32 %r2, 0;\n"
    "again: mov.u32 %r3, 0; setp.eq.u32 %p1, %r2, 0; @%p1 mov.u32 %r1, 0;\n"
    "{ .param .b64 f; st.param.b64 [f], %rd3; .param .b64 q; st.param.b64 [q], %rd4;\n"
    ".param .align 4 .b8 g[12]; st.param.b32 [g], 2; st.param.b32 [g+4], 1; st.param.b32 [g+8], "
    "3;\n"
    ".param .align 4 .b8 b[12]; st.param.b32 [b], 1; st.param.b32 [b+4], %r1; st.param.b32 [b+8], "
    "1;\n"
    ".param .b32 s; st.param.b32 [s], 0; .param .b64 t; st.param.b64 [t], 0; .param .b32 e;\n"
    "call.uni (e), cudaLaunchDevice, (f, q, g, b, s, t); ld.param.b32 %r4, [e]; }\n"
    "mul.wide.u32 %rd7, %r2, 4; add.u64 %rd7, %rd7, %rd2; st.global.u32 [%rd7+24], %r4;\n"
    "mov.u32 %r1, 5; add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 3; @%p1 bra again;\n"
    "ret;\n}\n"
    /* many(int *p, long stream, int n): n times one<<<1, 1, 0, stream>>>(p), and one behind all */
    ".visible .entry many(.param .u64 p, .param .u64 stream, .param .u32 n) {\n"
    ".reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<6>;\n"
    "ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [stream]; ld.param.u32 %r1, [n];\n"
    "mov.u64 %rd3, one;\n"
    "more: setp.eq.u32 %p1, %r1, 0; @%p1 bra done;\n"
    "{ .param .b64 f; st.param.b64 [f], %rd3; .param .align 4 .b8 g[12]; st.param.b32 [g], 1;\n"
    "st.param.b32 [g+4], 1; st.param.b32 [g+8], 1; .param .align 4 .b8 b[12];\n"
    "st.param.b32 [b], 1; st.param.b32 [b+4], 1; st.param.b32 [b+8], 1; .param .b32 s;\n"
    "st.param.b32 [s], 0; .param .b64 q; call.uni (q), cudaGetParameterBufferV2, (f, g, b, s);\n"
    "ld.param.b64 %rd4, [q]; }\n"
    "st.u64 [%rd4], %rd1;\n"
    "{ .param .b64 a; st.param.b64 [a], %rd4; .param .b64 t; st.param.b64 [t], %rd2;\n"
    ".param .b32 e; call.uni (e), cudaLaunchDeviceV2, (a, t); ld.param.b32 %r3, [e]; }\n"
    "sub.u32 %r1, %r1, 1; bra more;\n"
    "done: ret;\n}\n";

enum { LEGACY = 0, TAIL = 3, FIRE = 4, COUNT = 4 };
/* Called with the stream and where to count. */
static int lab(void) {
    uint64_t a[WARPLAB_MAX_ARGS];
    cudaLibrary_t lib = NULL;
    cudaKernel_t many = NULL;
    int (*next)(uint64_t *, unsigned) =
        (int (*)(uint64_t *, unsigned))dlsym(library, "__warplab_next");
    MUST(load_text(&lib, launching, sizeof launching) == 0);
    MUST(cuda(cudaLibraryGetKernel, &many, lib, "many") == 0);
    while (next(a, WARPLAB_MAX_ARGS)) {
        int n = COUNT;
        MUST(launch(many, 1, 1, (void *[]){&a[0], &a[1], &n}, NULL) == 0);
    }
    return 0;
}

/* What the log has of one launch of `many`: itself and COUNT children behind it. */
static void look(dev_client *c, uint64_t stream) {
    const dev_record *r;
    CHECK_INT(dev_client_log(c, &r), 1 + COUNT);
    CHECK(!strcmp(r[0].kernel, "many"));
    for (int i = 1; i <= COUNT; i++) {
        CHECK(!strcmp(r[i].kernel, "one") && r[i].op == DEV_OP_LAUNCH && r[i].status == SIM_OK);
        CHECK(r[i].start_us >= r[0].end_us);
        CHECK(r[i].result && r[i].result->counters.atom_global_lanes == 1);
        if (i == 1) continue;
        if (stream == FIRE) CHECK_NEAR(r[i].start_us, r[1].start_us, 1e-6);
        else CHECK(r[i].start_us >= r[i - 1].end_us);
    }
}

static void test_children(void) {
    static const uint64_t streams[] = {LEGACY, FIRE, TAIL};
    lib_message msg;
    dev_client *c = NULL;
    uint64_t p;
    int count;
    dev_session *s = session(NULL);
    if (!s) return;
    pid_t pid = start(s, lab, &c);
    CHECK_INT(dev_client_run(c, 10, &msg), DEV_READY);
    CHECK_INT(dev_alloc(s, 4, "p", &p), SIM_OK);
    for (unsigned k = 0; k < 3; k++) {
        dev_arg a[] = {{.kind = DEV_ARG_PTR, .v.addr = p},
                       {.kind = DEV_ARG_I64, .v.i64 = (int64_t)streams[k]}};
        count = 10;
        dev_write(s, p, &count, 4);
        dev_client_mark(c);
        CHECK_INT(dev_client_call(c, a, 2), SIM_OK);
        CHECK_INT(dev_client_run(c, 10, &msg), DEV_READY);
        look(c, streams[k]);
        dev_read(s, &count, p, 4);
        CHECK_INT(count, 10 + COUNT);
        double busy = dev_client_busy_us(c);
        CHECK_INT(dev_client_replay(c), SIM_OK);
        look(c, streams[k]);
        dev_read(s, &count, p, 4);
        CHECK_INT(count, 10 + 2 * COUNT);
        CHECK_NEAR(dev_client_busy_us(c), busy, busy * 0.2);
    }
    dev_client_finish(c);
    CHECK_INT(dev_client_run(c, 10, &msg), DEV_CLOSED);
    CHECK_INT(finish(pid), 0);
    dev_client_free(c);
    dev_session_free(s);
}

/* ---- copies between two devices: 64 MB through the host, then over the link */

enum { BYTES = 64 << 20 };
static int copies(void) {
    char *p[2];
    for (int d = 0; d < 2; d++)
        MUST(cuda(cudaSetDevice, d) == 0 && cuda(cudaMalloc, &p[d], (size_t)BYTES) == 0);
    MUST(cuda(cudaMemset, p[1], 3, (size_t)BYTES) == 0 && cuda(cudaDeviceSynchronize) == 0);
    MUST(cuda(cudaMemcpyPeer, p[0], 0, p[1], 1, (size_t)BYTES) == 0);
    MUST(cuda(cudaDeviceEnablePeerAccess, 0, 0) == 0);
    MUST(cuda(cudaMemcpyPeer, p[0], 0, p[1], 1, (size_t)BYTES) == 0);
    return 0;
}

static void test_peer_copies(void) {
    lib_message msg;
    dev_client *c = NULL;
    const dev_record *r;
    double us[2] = {0};
    unsigned n = 0;
    dev_session *s = session("sim:h200,sim:h200");
    if (!s) return;
    pid_t pid = start(s, copies, &c);
    CHECK_INT(dev_client_run(c, 30, &msg), DEV_CLOSED);
    CHECK_INT(finish(pid), 0);
    size_t count = dev_client_log(c, &r);
    for (size_t i = 0; i < count; i++)
        if (r[i].op == DEV_OP_D2D && n < 2) us[n++] = r[i].end_us - r[i].start_us;
    CHECK_INT(n, 2);
    /* bytes over GB/s, and what a copy takes at least */
    const sim_profile *p = sim_profile_find("h200");
    CHECK_NEAR(us[0], BYTES / (1e3 * p->d2h_pinned_gbs) + p->memcpy_us, 1);
    CHECK_NEAR(us[1], BYTES / (1e3 * p->peer_gbs) + p->memcpy_us, 1);
    dev_client_free(c);
    dev_session_free(s);
}

/* Launches of the first form: 2 x 3 blocks of 5 threads, each adds one; and what is refused. */
static int first_form(void) {
    cudaLibrary_t lib = NULL;
    cudaKernel_t first = NULL;
    int *p, n = 0;
    uint64_t *e, seen[5];
    MUST(load_text(&lib, launching, sizeof launching) == 0);
    MUST(cuda(cudaLibraryGetKernel, &first, lib, "first") == 0);
    MUST(cuda(cudaMalloc, &p, (size_t)4) == 0 && cuda(cudaMalloc, &e, sizeof seen) == 0);
    MUST(cuda(cudaMemset, p, 0, (size_t)4) == 0 && cuda(cudaMemset, e, 7, sizeof seen) == 0);
    MUST(launch(first, 1, 1, (void *[]){&p, &e}, NULL) == 0);
    MUST(cuda(cudaDeviceSynchronize) == 0);
    MUST(cuda(cudaMemcpy, &n, p, sizeof n, cudaMemcpyDeviceToHost) == 0);
    MUST(cuda(cudaMemcpy, seen, e, sizeof seen, cudaMemcpyDeviceToHost) == 0);
    const uint32_t *error = (const uint32_t *)&seen[3];
    MUST(n == 30);
    MUST(seen[1] == 0 && seen[2] == 0);                       /* no place */
    MUST(error[0] == cudaErrorInvalidConfiguration);          /* no threads */
    MUST(error[1] == 0 && error[2] == cudaErrorInvalidValue); /* once; the place is used up */
    return 0;
}

static void test_first_form(void) {
    lib_message msg;
    dev_client *c = NULL;
    dev_session *s = session(NULL);
    if (!s) return;
    pid_t pid = start(s, first_form, &c);
    CHECK_INT(dev_client_run(c, 20, &msg), DEV_CLOSED);
    CHECK_INT(finish(pid), 0);
    dev_client_free(c);
    dev_session_free(s);
}

int main(void) {
    test_first_form();
    test_children();
    test_peer_copies();
    return check_done();
}
