/* The modelled timeline: each pair of host habits comes out in the order in which an H200 and its
 * host gave them (pageable and pinned, many copies and one, one stream and several, allocation in
 * the loop and outside). */
#include "runner/base/message.h"
#include "device_fixture.h"

static const size_t bytes = 8 << 20;
static char *device, *pin, *page;

static int prepare(void) {
    page = calloc(1, bytes);
    MUST(page && cuda(cudaMalloc, &device, bytes) == 0 && cuda(cudaMallocHost, &pin, bytes) == 0);
    MUST(cuda(cudaMemcpy, device, page, bytes, 1) == 0);
    return 0;
}
static int add(char *p, size_t n, cudaStream_t s) {
    float v = 1;
    int count = (int)(n / 4);
    return launch(kernel("add"), (unsigned)(count + 255) / 256, 256, (void *[]){&p, &v, &count}, s);
}

/* Each body does its preparation, then waits for the call that is measured. */
static int (*next)(uint64_t *, unsigned);
#define BODY(name, ...)                                                                            \
    static int name(void) {                                                                        \
        uint64_t a[64];                                                                            \
        next = (int (*)(uint64_t *, unsigned))dlsym(library, "__warplab_next");                    \
        MUST(prepare() == 0 && add(device, 64, NULL) == 0 && next(a, 64));                         \
        __VA_ARGS__ MUST(cuda(cudaDeviceSynchronize) == 0);                                        \
        MUST(!next(a, 64));                                                                        \
        return 0;                                                                                  \
    }
BODY(h2d_pageable, MUST(cuda(cudaMemcpy, device, page, bytes, 1) == 0);)
BODY(h2d_pinned, MUST(cuda(cudaMemcpy, device, pin, bytes, 1) == 0);)
BODY(d2h_pageable, MUST(cuda(cudaMemcpy, page, device, bytes, 2) == 0);)
BODY(d2h_pinned, MUST(cuda(cudaMemcpy, pin, device, bytes, 2) == 0);)
BODY(many_copies, for (size_t i = 0; i < 256; i++)
                      MUST(cuda(cudaMemcpy, device + i * 4096, pin + i * 4096, 4096ul, 1) == 0);)
BODY(one_copy, MUST(cuda(cudaMemcpy, device, pin, 256ul * 4096, 1) == 0);)

static int chunks(int k, int streams) {
    cudaStream_t s[8] = {NULL};
    for (int i = 0; i < streams; i++) MUST(cuda(cudaStreamCreateWithFlags, &s[i], 0) == 0);
    size_t n = bytes / (size_t)k;
    for (int i = 0; i < k; i++) {
        cudaStream_t t = streams ? s[i % streams] : NULL;
        char *d = device + n * (size_t)i, *h = pin + n * (size_t)i;
        MUST(cuda(cudaMemcpyAsync, d, h, n, 1, t) == 0);
        MUST(add(d, n, t) == 0);
        MUST(cuda(cudaMemcpyAsync, h, d, n, 2, t) == 0);
    }
    return 0;
}
BODY(serial, MUST(chunks(1, 0) == 0);)
BODY(two_streams, MUST(chunks(2, 2) == 0);)
BODY(four_streams, MUST(chunks(4, 4) == 0);)
BODY(
    churn, for (int i = 0; i < 20; i++) {
        char *p;
        MUST(cuda(cudaMalloc, &p, 65536ul) == 0 && add(p, 65536, NULL) == 0 &&
             cuda(cudaFree, p) == 0);
    })
BODY(
    pool, for (int i = 0; i < 20; i++) {
        char *p;
        MUST(cuda(cudaMallocAsync, &p, 65536ul, NULL) == 0 && add(p, 65536, NULL) == 0 &&
             cuda(cudaFreeAsync, p, NULL) == 0);
    })
BODY(once, for (int i = 0; i < 20; i++) MUST(add(device, 65536, NULL) == 0);)
BODY(big_kernel, MUST(add(device, 20 * 65536, NULL) == 0);)

/* Microseconds of the modelled timeline that the measured call took. */
static double measure(int (*body)(void)) {
    lib_message msg;
    dev_client *c = NULL;
    dev_session *s = session(NULL);
    pid_t pid = start(s, body, &c);
    CHECK_INT(dev_client_run(c, 30, &msg), DEV_READY);
    dev_client_mark(c);
    dev_client_call(c, NULL, 0);
    CHECK_INT(dev_client_run(c, 30, &msg), DEV_READY);
    double us = dev_client_elapsed_us(c), busy = dev_client_busy_us(c);
    CHECK(busy > 0 && busy <= us + 0.001);
    dev_client_finish(c);
    CHECK_INT(dev_client_run(c, 30, &msg), DEV_CLOSED);
    CHECK_INT(finish(pid), 0);
    dev_client_free(c);
    dev_session_free(s);
    return us;
}

int main(void) {
#define MEASURE(name)                                                                              \
    double name##_us = measure(name);                                                              \
    printf("# %s: %.1f us\n", #name, name##_us)
    MEASURE(h2d_pageable);
    MEASURE(h2d_pinned);
    MEASURE(d2h_pageable);
    MEASURE(d2h_pinned);
    /* measured there: 7.3 and 3.9 times */
    CHECK(h2d_pageable_us > 4 * h2d_pinned_us && h2d_pageable_us < 12 * h2d_pinned_us);
    CHECK(d2h_pageable_us > 2 * d2h_pinned_us && d2h_pageable_us < 8 * d2h_pinned_us);
    MEASURE(many_copies);
    MEASURE(one_copy);
    CHECK(many_copies_us > 20 * one_copy_us);
    MEASURE(serial);
    MEASURE(two_streams);
    MEASURE(four_streams);
    CHECK(serial_us > 1.15 * two_streams_us && two_streams_us > 1.05 * four_streams_us);
    MEASURE(churn);
    MEASURE(pool);
    MEASURE(once);
    CHECK(churn_us > 5 * once_us && churn_us > 4 * pool_us && pool_us > once_us);
    MEASURE(big_kernel);
    CHECK(once_us > 3 * big_kernel_us);
    return check_done();
}
