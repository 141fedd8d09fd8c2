/* For tests of the device server: a session, and a child process that uses our client library,
 * which it loads by path. The child's kernels come from PTX written here, wrapped as nvcc wraps
 * it. */
#ifndef WARPLAB_DEVICE_FIXTURE_H
#define WARPLAB_DEVICE_FIXTURE_H

#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "fatbin_fixture.h"
#include "runner/base/message.h"
#include "tests/check.h"
#include "tests/said.h"
#include "runner/device/cudart/api.h"
#include "runner/device/server/device.h"

/* Functions found by name are called without a prototype. */
#pragma GCC diagnostic ignored "-Wstrict-prototypes"

static void *library;
/* cuda(cudaMalloc, &p, 4): a function of the client library by name, its arguments converted as C
 * does without a prototype. */
#define cuda(name, ...) ((int (*)())dlsym(library, #name))(__VA_ARGS__)

static const char ptx_text[] =
    ".version 7.5\n.target sm_75\n.address_size 64\n"
    ".visible .global .align 4 .b8 table[64];\n"
    /* add(float *p, float v, int n): p[i] += v */
    ".visible .entry add(.param .u64 p, .param .f32 v, .param .u32 n) {\n"
    ".reg .pred %p1; .reg .b32 %r<6>; .reg .f32 %f<4>; .reg .b64 %rd<4>;\n"
    "ld.param.u64 %rd1, [p]; ld.param.f32 %f1, [v]; ld.param.u32 %r1, [n];\n"
    "mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.s32 %r5, %r2, %r3, "
    "%r4;\n"
    "setp.ge.s32 %p1, %r5, %r1; @%p1 bra done;\n"
    "cvta.to.global.u64 %rd2, %rd1; mul.wide.s32 %rd3, %r5, 4; add.s64 %rd2, %rd2, %rd3;\n"
    "ld.global.f32 %f2, [%rd2]; add.f32 %f3, %f2, %f1; st.global.f32 [%rd2], %f3;\n"
    "done: ret;\n}\n"
    /* set(float *p, float v): p[tid] = v */
    ".visible .entry set(.param .u64 p, .param .f32 v) {\n"
    ".reg .b32 %r1; .reg .f32 %f1; .reg .b64 %rd<4>;\n"
    "ld.param.u64 %rd1, [p]; ld.param.f32 %f1, [v]; mov.u32 %r1, %tid.x; mul.wide.s32 %rd2, %r1, "
    "4; add.s64 "
    "%rd3, %rd1, %rd2;\n"
    "st.global.f32 [%rd3], %f1; ret;\n}\n"
    /* take(float *q, float *p, int n): q[i] = p[i] */
    ".visible .entry take(.param .u64 q, .param .u64 p, .param .u32 n) {\n"
    ".reg .pred %p1; .reg .b32 %r<6>; .reg .f32 %f<4>; .reg .b64 %rd<6>;\n"
    "ld.param.u64 %rd1, [p]; ld.param.u64 %rd4, [q]; ld.param.u32 %r1, [n];\n"
    "mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.s32 %r5, %r2, %r3, "
    "%r4;\n"
    "setp.ge.s32 %p1, %r5, %r1; @%p1 bra done;\n"
    "mul.wide.s32 %rd3, %r5, 4; add.s64 %rd1, %rd1, %rd3; add.s64 %rd4, %rd4, %rd3;\n"
    "ld.global.f32 %f2, [%rd1]; st.global.f32 [%rd4], %f2;\n"
    "done: ret;\n}\n"
    /* texel(float4 *q, texture t): q[tid] = tex1Dfetch(t, tid) */
    ".visible .entry texel(.param .u64 q, .param .u64 t) {\n"
    ".reg .b32 %r1; .reg .f32 %f<4>; .reg .b64 %rd<5>;\n"
    "ld.param.u64 %rd1, [q]; ld.param.u64 %rd2, [t]; mov.u32 %r1, %tid.x;\n"
    "tex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%rd2, {%r1}];\n"
    "mul.wide.s32 %rd3, %r1, 16; add.s64 %rd4, %rd1, %rd3;\n"
    "st.global.v4.f32 [%rd4], {%f0, %f1, %f2, %f3}; ret;\n}\n"
    /* spin(): for ever */
    ".visible .entry spin() {\nloop: bra loop;\n}\n";

static inline int load_text(cudaLibrary_t *lib, const char *text, size_t n) {
    fatbin_file *f = fatbin_of(text, n, NULL);
    int e = cuda(cudaLibraryLoadData, lib, f, NULL, NULL, 0, NULL, NULL, 0);
    free(f);
    return e;
}
static inline cudaKernel_t kernel(const char *name) {
    static cudaLibrary_t lib;
    cudaKernel_t k = NULL;
    if (!lib) load_text(&lib, ptx_text, sizeof ptx_text);
    cuda(cudaLibraryGetKernel, &k, lib, name);
    return k;
}
typedef int (*launch_fn)(const void *, dim3, dim3, void **, size_t, cudaStream_t);
static inline int launch(cudaKernel_t k, unsigned grid, unsigned block, void **args,
                         cudaStream_t s) {
    return ((launch_fn)dlsym(library, "cudaLaunchKernel"))(k, (dim3){grid, 1, 1},
                                                           (dim3){block, 1, 1}, args, 0, s);
}

static inline dev_session *session(const char *device) {
    dev_options o;
    lib_message msg;
    dev_options_default(&o);
    if (device) o.device = device;
    o.ptxas = ""; /* estimated registers will do */
    dev_session *s = dev_session_new(&o, &msg);
    if (!s) printf("# %s\n", said(&msg));
    return s;
}

/* Starts a child that runs body() and exits with what it returns; the server's client in *c. */
static inline pid_t start(dev_session *s, int (*body)(void), dev_client **c) {
    int pair[2];
    lib_message msg;
    fflush(NULL);
    *c = NULL;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) return -1;
    pid_t pid = fork();
    if (!pid) {
        char number[16], path[512];
        const char *b = getenv("B");
        snprintf(number, sizeof number, "%d", dup(pair[1]));
        close(pair[0]), close(pair[1]);
        setenv("WARPLAB_FD", number, 1);
        snprintf(path, sizeof path, "%s/libcudart.so.13", b ? b : "build");
        library = dlopen(path, RTLD_NOW);
        if (!library) {
            printf("# %s\n", dlerror());
            fflush(stdout);
            _exit(99);
        }
        signal(SIGSEGV, SIG_DFL); /* not the sanitizers' */
        int status = body();
        fflush(stdout);
        _exit(status);
    }
    close(pair[1]);
    *c = dev_client_new(s, pair[0], &msg);
    return pid;
}
static inline int finish(pid_t pid) {
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
/* In the child: the line of the first thing that is not so, as the exit status. */
#define MUST(cond)                                                                                 \
    do {                                                                                           \
        if (!(cond)) {                                                                             \
            fprintf(stderr, "# child, line %d: %s\n", __LINE__, #cond);                            \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

/* What device.h says of every record of a client's log, whatever the program did. */
static inline void fixture_log(dev_client *c) {
    const dev_record *r;
    size_t n = dev_client_log(c, &r);
    for (size_t i = 0; i < n; i++) {
        bool launch = r[i].op == DEV_OP_LAUNCH,
             memory = r[i].op == DEV_OP_MALLOC || r[i].op == DEV_OP_FREE,
             host = memory || r[i].op == DEV_OP_SYNC || r[i].op == DEV_OP_HOST ||
                    r[i].op == DEV_OP_GRAPH,
             ok = r[i].end_us >= r[i].start_us && (!host || r[i].end_us == r[i].start_us) &&
                  (memory ? r[i].call != NULL : !r[i].call) && (!r[i].pooled || memory) &&
                  (!r[i].pageable || r[i].op == DEV_OP_H2D || r[i].op == DEV_OP_D2H) &&
                  (!launch || r[i].kernel) && (!launch || (r[i].grid[0] && r[i].block[2])) &&
                  (r[i].bytes == 0 || !(launch || r[i].op == DEV_OP_SYNC ||
                                        r[i].op == DEV_OP_HOST || r[i].op == DEV_OP_GRAPH)) &&
                  (r[i].bytes != 0 || r[i].op == DEV_OP_FREE || launch || (host && !memory));
        if (!ok)
            printf("# record %zu: op %d, %g to %g us, %llu bytes, %s\n", i, r[i].op, r[i].start_us,
                   r[i].end_us, (unsigned long long)r[i].bytes, r[i].call ? r[i].call : "no call");
        if (!ok) CHECK(ok);
    }
    CHECK(n > 0);
}

#endif
