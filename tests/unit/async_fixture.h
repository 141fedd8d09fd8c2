/* For tests of asynchronous copies: a kernel from PTX, what it left in `out`, and the first
 * finding. */
#ifndef WARPLAB_ASYNC_FIXTURE_H
#define WARPLAB_ASYNC_FIXTURE_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include "runner/base/message.h"
#include "check.h"
#include "tests/said.h"
#include "runner/device/sim/memory/tensor_map.h"
#include "runner/device/sim/sim.h"

static sim_device *d;
static sim_result r;
static lib_message msg;
static sim_addr in, out;
enum { BYTES = 8192 };
static uint32_t got[BYTES / 4];

/* k(in, out, map): %d0 in, %d1 out, %d2 the map's generic address, %r0 the thread, %r1 = s, 4 KB of
 * shared memory, %r2 = bar. */
static const char head[] =
    ".version 9.0\n.target sm_90a\n.address_size 64\n"
    ".entry k(.param .u64 in, .param .u64 out, .param .align 64 .b8 map[128]) {\n"
    ".reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %d<20>; .reg .f32 %f<9>;\n"
    ".shared .align 1024 .b8 s[4096]; .shared .align 8 .b8 bar[16];\n"
    "ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out]; mov.b64 %d2, map; cvta.param.u64 %d2, %d2;\n"
    "mov.u32 %r0, %tid.x; mov.u32 %r1, s; mov.u32 %r2, bar;\n";

static struct {
    uint64_t in, out;
    uint8_t pad[48];
    uint8_t map[SIM_TENSOR_MAP_BYTES];
} params;

static bool clustered; /* the next launches ask for clusters, of a block each */

static inline sim_status run_on(unsigned threads, const char *body) {
    static char text[20000];
    sim_module_options mo = {.ptxas = ""};
    snprintf(text, sizeof text, "%s%s\nret; }\n", head, body);
    sim_result_free(&r);
    memset(&r, 0, sizeof r);
    sim_module *m = sim_module_new(d, text, strlen(text), &mo, &msg);
    sim_kernel *k = m ? sim_module_kernel(m, "k") : NULL;
    if (!k) {
        printf("# %s\n", said(&msg));
        return SIM_BAD_PTX;
    }
    params.in = in, params.out = out;
    sim_launch l = {.kernel = k,
                    .grid = {1, 1, 1},
                    .block = {threads, 1, 1},
                    .cluster = {clustered, clustered, clustered},
                    .params = &params,
                    .param_bytes = sizeof params};
    sim_fill(d, out, 0xdddddddd, 4, BYTES / 4);
    sim_status s = sim_run(d, &l, &r, &msg);
    sim_read(d, got, out, BYTES);
    sim_module_free(m);
    return s;
}
static inline sim_status run(const char *body) {
    return run_on(1, body);
}
static inline const char *found(void) {
    return r.finding_count ? said(&r.findings[0].said) : "nothing";
}

/* clang-format off */
#define INIT            "mbarrier.init.shared.b64 [%r2], 1;\n"
#define STORE(reg, at)  "st.global.u32 [%d1+" #at "], " reg ";\n"
#define PARITY(p, at)                                                                              \
    "mbarrier.test_wait.parity.shared.b64 %p0, [%r2], " #p "; selp.u32 %r9, 1, 0, %p0;\n"           \
    STORE("%r9", at)
/* clang-format on */

static inline void bad_copy(const char *body, sim_status status, const char *words) {
    CHECK_INT(run(body), status);
    CHECK_CONTAINS(found(), words);
}

/* First and last in main(). Word k of `in` is 100 (k / 32) + k % 32. */
static inline bool async_begin(void) {
    sim_options o;
    sim_options_default(&o);
    o.threads = 1;
    d = sim_device_new(sim_profile_find("h200"), &o, &msg);
    if (!d) return false;
    sim_malloc(d, BYTES, &in);
    sim_malloc(d, BYTES, &out);
    for (unsigned i = 0; i < BYTES / 4; i++) got[i] = i / 32 * 100 + i % 32;
    sim_write(d, in, got, BYTES);
    return true;
}
static inline int async_done(void) {
    sim_result_free(&r);
    sim_device_free(d);
    return check_done();
}

#endif
