/* Slices: which instructions of a launch lead to which of its stores (sim_launch.stored). Each
 * row is a kernel of 32 threads, with two buffers; in it the f32 multiplications that lead to
 * the first buffer, and to the second, and the threads that leave something that leads there. */
#include <stdlib.h>
#include <string.h>
#include "check.h"
#include "tests/said.h"
#include "runner/base/message.h"
#include "runner/device/sim/race_check.h"
#include "runner/device/sim/sim.h"

enum { THREADS = 32, BYTES = THREADS * 4, LAST = 2 };
static sim_device *d;
static sim_addr buffer[LAST];

/* %d1, %d2: the thread's word of either buffer; %r1: the thread; %r2: its word in shared memory;
 * %f1, %f2: numbers; %p1: never; %p2: an even thread. m: a multiplication. */
static const char head[] =
    ".version 8.1\n.target sm_90\n.address_size 64\n"
    ".func (.param .f32 to) twice(.param .f32 of) { .reg .f32 %g<3>; ld.param.f32 %g1, [of];\n"
    "mul.f32 %g2, %g1, 0f40000000; st.param.f32 [to], %g2; ret; }\n"
    ".visible .entry k(.param .u64 p, .param .u64 q)\n{\n"
    ".reg .pred %p<6>;\n.reg .b32 %r<12>;\n.reg .b64 %d<6>;\n.reg .f32 %f<12>;\n"
    ".shared .align 4 .b8 room[128];\n"
    "ld.param.u64 %d3, [p]; ld.param.u64 %d4, [q]; cvta.to.global.u64 %d3, %d3; cvta.to.global.u64 "
    "%d4, %d4;\n"
    "mov.u32 %r1, %tid.x; mul.wide.u32 %d5, %r1, 4; add.s64 %d1, %d3, %d5; add.s64 %d2, %d4, %d5;\n"
    "mov.u32 %r3, room; shl.b32 %r2, %r1, 2; add.u32 %r2, %r2, %r3;\n"
    "cvt.rn.f32.u32 %f1, %r1; mov.f32 %f2, 0f3F000000; setp.ne.u32 %p1, %r1, %r1;\n"
    "and.b32 %r4, %r1, 1; setp.eq.u32 %p2, %r4, 0; mov.u32 %r5, 0;\n";

static void add_stored(void *bits, sim_addr from, uint64_t bytes, unsigned store) {
    uint64_t *of = bits;
    for (unsigned k = 0; k < LAST; k++)
        if (from >= buffer[k] && from + bytes <= buffer[k] + BYTES) of[k] |= UINT64_C(1) << store;
}

static void check_kernel(const char *body, const unsigned leads[LAST],
                         const unsigned threads[LAST]) {
    char text[8192];
    uint64_t params[LAST] = {buffer[0], buffer[1]}, bits[LAST] = {0};
    lib_message msg = {0};
    sim_module_options mo = {.ptxas = ""};
    snprintf(text, sizeof text, "%s%s\nret;\n}\n", head, body);
    sim_module *m = sim_module_new(d, text, strlen(text), &mo, &msg);
    sim_launch l = {.kernel = m ? sim_module_kernel(m, "k") : NULL,
                    .grid = {1, 1, 1},
                    .block = {THREADS, 1, 1},
                    .params = params,
                    .param_bytes = sizeof params,
                    .stored = add_stored,
                    .stored_user = bits};
    sim_result r = {0};
    check_that(m && sim_run(d, &l, &r, &msg) == SIM_OK && r.slice_count, __FILE__, __LINE__, body,
               said(&msg));
    for (unsigned k = 0; k < LAST; k++) {
        uint64_t flops = 0, who = 0, blocks = 0;
        for (size_t i = 0; i < r.slice_count; i++)
            if (r.slices[i].stores & (bits[k] | SIM_STORE_ANY)) {
                flops += r.slices[i].counters.flop_sp;
                who += r.slices[i].threads, blocks += r.slices[i].blocks;
            }
        printf("# %u: %llu by %llu\n", k, (unsigned long long)flops / THREADS,
               (unsigned long long)who);
        check_that(who == threads[k], __FILE__, __LINE__, body, "threads lead there");
        check_that(blocks == (threads[k] > 0), __FILE__, __LINE__, body, "the block leads there");
        check_that(flops == (uint64_t)leads[k] * THREADS, __FILE__, __LINE__, body, "leads there");
    }
    sim_result_free(&r);
    sim_module_free(m);
}

int main(void) {
    static const struct {
        const char *body;
        unsigned leads[LAST], threads[LAST];
    } rows[] = {
        /* by registers, each buffer its own */
        {"mul.f32 %f3, %f1, %f2; mul.f32 %f4, %f3, %f2; mul.f32 %f5, %f1, %f1;\n"
         "st.global.f32 [%d1], %f4;\nst.global.f32 [%d2], %f5;\n",
         {2, 1},
         {32, 32}},
        /* a value that nobody takes; one that another replaces in the same register */
        {"mul.f32 %f3, %f1, %f2;\nmul.f32 %f3, %f1, %f1;\nmul.f32 %f5, %f1, %f1;\nst.global.f32 "
         "[%d1], %f3;\n",
         {1, 0},
         {32, 0}},
        /* a store that the next replaces; under a guard that never holds */
        {"mul.f32 %f3, %f1, %f2;\nst.global.f32 [%d1], %f3;\nst.global.f32 [%d1], %f2;\n",
         {0, 0},
         {32, 0}},
        {"mul.f32 %f3, %f1, %f2;\n@%p1 st.global.f32 [%d1], %f3;\nst.global.f32 [%d2], %f2;\n",
         {0, 0},
         {0, 32}},
        /* a branch that always goes one way decides nothing; one that goes both ways does */
        {"mul.f32 %f3, %f1, %f2;\nsetp.gt.f32 %p3, %f3, 0f49000000;\n@%p3 bra A;\nst.global.f32 "
         "[%d1], %f1;\nA:\n",
         {0, 0},
         {32, 0}},
        {"mul.f32 %f3, %f1, %f2;\nsetp.gt.f32 %p3, %f3, 0f40000000;\n@%p3 bra A;\nst.global.f32 "
         "[%d1], %f1;\nA:\n",
         {1, 0},
         {5, 0}},
        /* round a loop */
        {"mov.f32 %f3, %f1; mov.f32 %f4, %f1;\nL: mul.f32 %f3, %f3, %f2;\nmul.f32 %f4, %f4, %f2;\n"
         "add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p3, %r5, 10;\n@%p3 bra L;\nst.global.f32 [%d1], "
         "%f3;\n",
         {10, 0},
         {32, 0}},
        /* through shared memory */
        {"mul.f32 %f3, %f1, %f2;\nst.shared.f32 [%r2], %f3;\nbar.sync 0;\nld.shared.f32 %f4, "
         "[%r2];\nst.global.f32 [%d1], %f4;\n",
         {1, 0},
         {32, 0}},
        /* through a called function and its argument */
        {"mul.f32 %f3, %f1, %f2;\n{ .param .f32 a; .param .f32 b; st.param.f32 [a], %f3;\n"
         "call (b), twice, (a);\nld.param.f32 %f4, [b]; }\nst.global.f32 [%d1], %f4;\n",
         {2, 0},
         {32, 0}},
        /* through memory that the launch loads, too */
        {"mul.f32 %f3, %f1, %f2;\nst.global.f32 [%d1], %f3;\nbar.sync 0;\nld.global.f32 %f4, "
         "[%d1];\nst.global.f32 [%d2], %f4;\n",
         {1, 1},
         {32, 32}},
        /* by the address of a load; by atomics */
        {"mul.f32 %f3, %f1, %f2; cvt.rzi.u32.f32 %r6, %f3; and.b32 %r6, %r6, 31; shl.b32 %r6, %r6, "
         "2;\n"
         "cvt.u64.u32 %d5, %r6; add.s64 %d5, %d4, %d5;\nld.global.f32 %f4, [%d5];\nst.global.f32 "
         "[%d1], %f4;\n",
         {1, 0},
         {32, 0}},
        {"mul.f32 %f3, %f1, %f2;\nred.global.add.f32 [%d1], %f3;\n", {1, 0}, {32, 0}},
        /* lanes under a guard, behind a branch; one thread that stores what all have computed */
        {"mul.f32 %f3, %f1, %f2;\n@%p2 st.global.f32 [%d1], %f3;\nst.global.f32 [%d2], %f2;\n",
         {1, 0},
         {16, 32}},
        {"mul.f32 %f3, %f1, %f2;\n@%p2 bra A;\nst.global.f32 [%d1], %f3;\nA:\n", {1, 0}, {16, 0}},
        {"mul.f32 %f3, %f1, %f2;\nsetp.eq.u32 %p3, %r1, 3;\n@%p3 st.global.f32 [%d1], %f3;\n",
         {1, 0},
         {1, 0}},
        /* the same behind a shuffle and a vote, to which all lanes give */
        {"mul.f32 %f3, %f1, %f2;\nsetp.eq.u32 %p3, %r1, 3;\nmov.b32 %r6, %f3;\n"
         "shfl.sync.down.b32 %r7, %r6, 1, 31, -1;\n@%p3 st.global.u32 [%d1], %r7;\n",
         {1, 0},
         {32, 0}},
        {"setp.eq.u32 %p3, %r1, 3;\nvote.sync.ballot.b32 %r7, %p2, -1;\n"
         "@%p3 st.global.u32 [%d1], %r7;\n",
         {0, 0},
         {32, 0}},
        /* and behind shared memory; what half of the threads put there leads nowhere else */
        {"setp.eq.u32 %p3, %r1, 3;\n@%p2 st.shared.u32 [%r2], %r1;\nbar.sync 0;\n"
         "@%p3 ld.shared.u32 %r7, [%r2+4];\n@%p3 st.global.u32 [%d1], %r7;\n",
         {0, 0},
         {17, 0}},
        /* data decide which lanes store: all have looked; a branch by the thread's number behind it
         * is not decided by data */
        {"ld.global.u32 %r6, [%d2];\nand.b32 %r6, %r6, 0;\nadd.u32 %r6, %r6, %r4;\nsetp.eq.u32 "
         "%p3, %r6, 0;\n"
         "@%p3 st.global.f32 [%d1], %f1;\n",
         {0, 0},
         {32, 0}},
        {"ld.global.u32 %r6, [%d2];\nand.b32 %r6, %r6, 0;\nadd.u32 %r6, %r6, %r4;\nsetp.eq.u32 "
         "%p3, %r6, 0;\n"
         "@%p3 bra A;\nst.global.f32 [%d1], %f1;\nA:\n",
         {0, 0},
         {32, 0}},
        {"ld.global.u32 %r6, [%d2];\nand.b32 %r6, %r6, 0;\nadd.u32 %r6, %r6, %r4;\nsetp.eq.u32 "
         "%p3, %r6, 0;\n"
         "setp.lt.u32 %p4, %r1, 3;\n@%p3 bra A;\n@!%p4 bra A;\nst.global.f32 [%d1], %f1;\nA:\n",
         {0, 0},
         {1, 0}},
        /* a store that leads nowhere */
        {"st.shared.u32 [%r2], %r1;\n@%p2 st.global.f32 [%d2], %f1;\n", {0, 0}, {0, 16}},
    };
    sim_options o;
    lib_message msg = {0};
    sim_options_default(&o);
    o.check_race_global = true;
    o.model_time = false;
    d = sim_device_new(sim_profile_find("h200"), &o, &msg);
    CHECK(d != NULL);
    for (unsigned k = 0; k < LAST; k++)
        CHECK(sim_malloc(d, BYTES, &buffer[k]) == SIM_OK &&
              sim_fill(d, buffer[k], 0, 4, THREADS) == SIM_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_kernel(rows[i].body, rows[i].leads, rows[i].threads);
    sim_device_free(d);
    return check_done();
}
