/* A deed sums all instructions that do it (deeds.def): each way of doing it, as PTX, and what it
 * adds to the deed. Two warps of full lanes; where an address is asked for, lanes take neighbouring
 * words. */
#include <stdlib.h>
#include "check.h"
#include "tests/said.h"
#include "runner/base/message.h"
#include "runner/device/sim/sim.h"

enum { THREADS = 64, WORDS = 4096 };
static sim_device *d;
static sim_addr memory;
static uint64_t texture, surface;

/* %d1: global memory of the lane's own word; %d2: of the block; %r1: the thread; %r2: shared memory
 * of its own word; %r3: of the block; %r4: a bank's column, 128 bytes a lane; %r5: its own word in
 * the next block of the cluster; %r6: as %r4 there; [8192]: an mbarrier that has been set up; %p1:
 * an even lane; %p2: thread 0. */
static const char head[] =
    ".version 8.1\n.target sm_90\n.address_size 64\n"
    ".extern .func (.param .b64 r) malloc (.param .b64 n);\n"
    ".extern .func (.param .b32 r) cudaMalloc (.param .b64 to, .param .b64 n);\n"
    ".extern .func free (.param .b64 p);\n"
    ".const .align 4 .b32 table[32] = {1, 2, 3};\n"
    ".func even() { ret; }\n.func odd() { ret; }\n"
    ".func leaves(.param .b32 on) { .reg .pred %q; .reg .b32 %s; ld.param.b32 %s, [on];\n"
    "setp.ne.u32 %q, %s, 0; @%q ret; add.u32 %s, %s, 1; ret; }\n"
    ".visible .entry k(.param .u64 p, .param .u64 tex, .param .u64 surf)\n{\n"
    ".reg .pred %p<6>;\n.reg .b32 %r<20>;\n.reg .b64 %d<12>;\n.reg .f32 %f<8>;\n"
    ".shared .align 128 .b8 room[12288];\n.local .align 8 .b8 own[16];\n"
    "ld.param.u64 %d2, [p]; cvta.to.global.u64 %d2, %d2; mov.u32 %r1, %tid.x;\n"
    "mul.wide.u32 %d1, %r1, 4; add.s64 %d1, %d1, %d2;\n"
    "ld.param.u64 %d3, [tex]; ld.param.u64 %d4, [surf];\n"
    "mov.u32 %r3, room; shl.b32 %r2, %r1, 2; add.u32 %r2, %r2, %r3;\n"
    "and.b32 %r4, %r1, 31; shl.b32 %r4, %r4, 7; add.u32 %r4, %r4, %r3;\n"
    "mapa.shared::cluster.u32 %r5, %r2, 1; mapa.shared::cluster.u32 %r6, %r4, 1;\n"
    "and.b32 %r7, %r1, 1; setp.eq.u32 %p1, %r7, 0; setp.eq.u32 %p2, %r1, 0; mov.u32 %r8, 0;\n"
    "setp.lt.u32 %p3, %r1, 32; setp.ne.u32 %p4, %r1, %r1;\n"
    "@!%p2 bra READY; mbarrier.init.shared.b64 [%r3+8192], 64; READY:\n";

static bool run(const char *body, unsigned cluster, sim_counters *to) {
    char text[8192];
    uint64_t params[3] = {memory, texture, surface};
    lib_message msg = {0};
    sim_module_options mo = {.ptxas = ""};
    snprintf(text, sizeof text, "%s%s\nret;\n}\n", head, body);
    sim_module *m = sim_module_new(d, text, strlen(text), &mo, &msg);
    sim_launch l = {.kernel = m ? sim_module_kernel(m, "k") : NULL,
                    .grid = {cluster ? cluster : 1, 1, 1},
                    .cluster = {cluster, cluster ? 1 : 0, cluster ? 1 : 0},
                    .block = {THREADS, 1, 1},
                    .params = params,
                    .param_bytes = sizeof params};
    sim_result r = {0};
    bool ran = m && sim_run(d, &l, &r, &msg) == SIM_OK;
    check_that(ran, __FILE__, __LINE__, body, said(&msg));
    *to = r.counters;
    sim_result_free(&r);
    sim_module_free(m);
    return ran;
}

static double deed(const char *name, const sim_counters *c) {
    double v = -1;
    check_that(sim_counter_get(c, name, &v), __FILE__, __LINE__, name, "a deed");
    return v;
}

/* What the rest of the kernel does: cluster launches let each block end after the others'
 * accesses. */
#define TOGETHER "barrier.cluster.arrive; barrier.cluster.wait;\n"
#define WAIT     "W: mbarrier.test_wait.parity.shared::cta.b64 %p5, [%r3+8200], 0; @!%p5 bra W;\n"
#define ONE_BARRIER                                                                                \
    "@!%p2 bra L; mbarrier.init.shared.b64 [%r3+8200], 1;\n"                                       \
    "mbarrier.arrive.expect_tx.shared.b64 _, [%r3+8200], 256;\n"
#define POLLED(at)                                                                                 \
    "@!%p3 bra S; P: ld.volatile.global.u32 %r9, " at "; setp.eq.u32 %p5, %r9, 0; @%p5 bra P; "    \
    "st.volatile.global.u32 " at ", %r8; bra E; "                                                  \
    "S: mov.u32 %r10, 1; st.volatile.global.u32 " at ", %r10; E:"
#define FILLED "st.shared.u32 [%r2], %r1; bar.sync 0; fence.proxy.async.shared::cta;\n"

typedef struct {
    const char *deed, *before, *way;
    double adds;
    unsigned cluster;
} row;
static const row rows[] = {
    /* Two warps of 128 bytes: 2 requests, 8 sectors, 256 bytes. */
    {"global_loads", "", "ld.global.u32 %r9, [%d1];", 2, 0},
    {"global_loads", "", "ld.global.nc.u32 %r9, [%d1];", 2, 0},
    {"global_loads", "", "ld.u32 %r9, [%d1];", 2, 0},
    {"global_loads", "", "ldu.global.u32 %r9, [%d2];", 2, 0},
    {"global_loads", "", "atom.global.or.b32 %r9, [%d1], 0;", 2, 0},
    {"global_loads", "", "cp.async.ca.shared.global [%r2], [%d1], 4; cp.async.wait_all;", 2, 0},
    {"global_loads", "", "tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [%d3, {%r1}];", 2, 0},
    {"global_loads", "", "suld.b.1d.b32.trap %r9, [%d4, {%r8}];", 2, 0},
    {"global_loads", "",
     ONE_BARRIER "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%r3], [%d2], 256, [%r3+8200]; L: bar.sync 0; " WAIT,
     2, 0},
    {"global_loads", "", "st.global.u32 [%d1], %r1;", 0, 0},
    /* Warp 0 waits for warp 1. The first look counts, and the one that finds the word stored. */
    {"global_loads", "", POLLED("[%d2+8192]"), 2, 0},
    {"global_load_sectors", "", POLLED("[%d2+8192]"), 2, 0},
    {"all_loads", "", POLLED("[%d2+8192]"), 2, 0},
    {"global_loads", "add.s64 %d5, %d2, 8192;", POLLED("[%d5]"), 2, 0},
    {"global_loads", "cvt.u64.u32 %d5, %r3; cvta.shared.u64 %d5, %d5; st.shared.u32 [%r3], 0;",
     "@!%p3 bra S; P: ld.volatile.u32 %r9, [%d5]; setp.eq.u32 %p5, %r9, 0; @%p5 bra P; bra E; "
     "S: mov.u32 %r10, 1; st.volatile.u32 [%d5], %r10; E:",
     0, 0},
    /* Nor is a look at local memory a load that could be taken away: 3 rounds of each warp. */
    {"global_loads",
     "mov.u64 %d5, own; cvta.local.u64 %d5, %d5; st.u32 [%d5], 0; st.shared.u32 [%r2], 0;",
     "P: ld.volatile.u32 %r9, [%d5]; atom.shared.add.u32 %r10, [%r2], 1; "
     "add.u32 %r10, %r10, %r9; setp.lt.u32 %p5, %r10, 2; @%p5 bra P;",
     0, 0},
    /* A loop that goes on to the next word is no waiting. */
    {"global_loads", "add.s64 %d5, %d2, 8192; mov.u32 %r10, 0;",
     "L: ld.volatile.global.u32 %r9, [%d5]; add.s64 %d5, %d5, 4; add.u32 %r10, %r10, 1; "
     "setp.eq.u32 %p5, %r9, 0; setp.lt.and.u32 %p5, %r10, 4, %p5; @%p5 bra L;",
     8, 0},
    {"global_loads", "st.shared.u32 [%r2], %r1;", "ld.shared.u32 %r9, [%r2];", 0, 0},
    {"device_loads", "", "ld.global.u32 %r9, [%d1];", 2, 0},
    {"device_loads", "", "ld.const.u32 %r9, [table];", 2, 0},
    {"device_loads", "", "atom.global.or.b32 %r9, [%d1], 0;", 2, 0},
    {"device_loads", "", "tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [%d3, {%r1}];", 2, 0},
    {"device_loads", "st.shared.u32 [%r2], %r1;", "ld.shared.u32 %r9, [%r2];", 0, 0},
    {"global_load_sectors", "", "ld.global.u32 %r9, [%d1];", 8, 0},
    {"global_load_sectors", "", "atom.global.or.b32 %r9, [%d1], 0;", 8, 0},
    {"global_load_sectors", "", "cp.async.ca.shared.global [%r2], [%d1], 4; cp.async.wait_all;", 8,
     0},
    {"global_load_sectors", "",
     ONE_BARRIER "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%r3], [%d2], 256, [%r3+8200]; L: bar.sync 0; " WAIT,
     8, 0},
    {"global_load_bytes", "", "ld.global.u32 %r9, [%d1];", 256, 0},
    {"global_load_bytes", "", "atom.global.or.b32 %r9, [%d1], 0;", 256, 0},
    {"global_stores", "", "st.global.u32 [%d1], %r1;", 2, 0},
    {"global_stores", "", "st.u32 [%d1], %r1;", 2, 0},
    {"global_stores", "", "atom.global.exch.b32 %r9, [%d1], %r1;", 2, 0},
    {"global_stores", "", "red.global.add.u32 [%d1], %r1;", 2, 0},
    {"global_stores", "", "sust.b.1d.b32.trap [%d4, {%r8}], %r1;", 2, 0},
    {"global_stores", FILLED,
     "@!%p2 bra L; cp.async.bulk.global.shared::cta.bulk_group [%d2], [%r3], 256; "
     "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; L:",
     2, 0},
    {"global_stores", FILLED,
     "@!%p2 bra L; cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%d2], [%r3], 256; "
     "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; L:",
     2, 0},
    {"global_store_sectors", "", "st.global.u32 [%d1], %r1;", 8, 0},
    {"global_store_sectors", "", "red.global.add.u32 [%d1], %r1;", 8, 0},
    {"global_store_sectors", FILLED,
     "@!%p2 bra L; cp.async.bulk.global.shared::cta.bulk_group [%d2], [%r3], 256; "
     "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; L:",
     8, 0},
    {"global_store_bytes", "", "st.global.u32 [%d1], %r1;", 256, 0},
    /* 64 lanes of 4 bytes; of the second, each of two warps stores 4 distinct bytes */
    {"repeated_store_bytes", "", "st.global.u32 [%d1], %r1;", 0, 0},
    {"repeated_store_bytes", "", "st.volatile.global.u32 [%d2], 5;", 248, 0},
    {"repeated_store_bytes", "", "st.volatile.u32 [%d2], 5;", 248, 0},
    {"repeated_store_bytes", "", "sust.b.1d.b32.trap [%d4, {%r8}], %r7;", 248, 0},
    {"repeated_store_bytes", "", "atom.global.exch.b32 %r9, [%d2], 5;", 248, 0},
    {"repeated_store_bytes", "", "red.global.add.u32 [%d1], %r1;", 0, 0},
    {"repeated_store_bytes", "", "sured.b.add.1d.u32.trap [%d4, {%r8}], %r7;", 248, 0},
    {"repeated_store_bytes", "add.s64 %d5, %d2, 8192;", /* no balance between the two */
     "st.volatile.global.u32 [%d5], 5; red.global.add.u32 [%d1], %r1;", 248, 0},
    {"atomics", "", "red.global.add.u32 [%d1], %r1;", 64, 0},
    {"atomics", "", "sured.b.add.1d.u32.trap [%d4, {%r8}], %r7;", 64, 0},
    {"atomics", "st.shared.u32 [%r2], 0;", "red.shared.add.u32 [%r2], %r1;", 64, 0},
    {"atomics", "", "mbarrier.arrive.shared.b64 _, [%r3+8192];", 0, 0}, /* a barrier */
    {"shared_loads", "", "mbarrier.test_wait.parity.shared::cta.b64 %p5, [%r3+8192], 1;", 0, 0},
    {"atomics", "st.shared.u32 [%r2], 0;" TOGETHER,
     "red.shared::cluster.add.u32 [%r5], %r1;" TOGETHER, 128, 2},
    {"global_atomics", "", "red.global.add.u32 [%d1], %r1;", 64, 0},
    {"global_atomics", "", "atom.global.cas.b32 %r9, [%d1], 0, 0;", 64, 0},
    {"global_atomics", FILLED,
     "@!%p2 bra L; cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%d2], [%r3], 256; "
     "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; L:",
     64, 0},
    {"global_atomics", "", "sured.b.add.1d.u32.trap [%d4, {%r8}], %r7;", 64, 0},

    /* Shared memory: a request a warp; another block's by both blocks of the cluster. */
    {"shared_loads", "st.shared.u32 [%r2], %r1;", "ld.shared.u32 %r9, [%r2];", 2, 0},
    {"shared_loads", "st.shared.u32 [%r2], %r1;",
     "cvt.u64.u32 %d5, %r2; cvta.shared.u64 %d5, %d5; ld.u32 %r9, [%d5];", 2, 0},
    {"shared_loads", "st.shared.u32 [%r2], %r1;", "atom.shared.or.b32 %r9, [%r2], 0;", 2, 0},
    {"shared_loads",
     "and.b32 %r10, %r1, 7; shl.b32 %r10, %r10, 4; add.u32 %r10, %r10, %r3; st.shared.u32 [%r2], "
     "%r1; bar.sync 0;",
     "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r9}, [%r10];", 2, 0},
    {"shared_loads", "st.shared.u32 [%r2], %r1;" TOGETHER,
     "ld.shared::cluster.u32 %r9, [%r5];" TOGETHER, 4, 2},
    {"shared_loads", FILLED,
     "@!%p2 bra L; cp.async.bulk.global.shared::cta.bulk_group [%d2], [%r3], 256; "
     "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; L:",
     2, 0},
    {"shared_stores", "", "st.shared.u32 [%r2], %r1;", 2, 0},
    {"shared_stores", "st.shared.u32 [%r2], 0;", "red.shared.add.u32 [%r2], %r1;", 2, 0},
    {"shared_stores", "", "cp.async.ca.shared.global [%r2], [%d1], 4; cp.async.wait_all;", 2, 0},
    {"shared_stores",
     "and.b32 %r10, %r1, 7; shl.b32 %r10, %r10, 4; add.u32 %r10, %r10, %r3; shr.u32 %r11, %r1, 5; "
     "shl.b32 %r11, %r11, 8; add.u32 %r10, %r10, %r11;",
     "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r10], {%r1};", 2, 0},
    {"shared_stores", TOGETHER, "st.shared::cluster.u32 [%r5], %r1;" TOGETHER, 4, 2},
    {"shared_passes", "st.shared.u32 [%r4], %r8;", "ld.shared.u32 %r9, [%r4];", 64, 0},
    {"shared_passes", "", "st.shared.u32 [%r2], %r8;", 2, 0},
    {"shared_load_passes", "st.shared.u32 [%r4], %r8;", "ld.shared.u32 %r9, [%r4];", 64, 0},
    {"shared_load_passes", "", "st.shared.u32 [%r4], %r8;", 0, 0},
    {"shared_load_passes", "st.shared.u32 [%r2], 0;", "red.shared.add.u32 [%r2], %r1;", 2, 0},
    {"shared_store_passes", "", "st.shared.u32 [%r4], %r8;", 64, 0},
    {"shared_store_passes", "st.shared.u32 [%r2], 0;", "red.shared.add.u32 [%r2], %r1;", 2, 0},
    /* 32 words of one bank: 31 passes more than one. */
    {"shared_load_conflicts", "st.shared.u32 [%r4], %r8;", "ld.shared.u32 %r9, [%r4];", 62, 0},
    {"shared_store_conflicts", "", "st.shared.u32 [%r4], %r8;", 62, 0},
    {"shared_store_conflicts", "st.shared.u32 [%r4], %r8;", "red.shared.add.u32 [%r4], 1;", 62, 0},
    {"shared_load_conflicts", "st.shared.u32 [%r4], %r8;", "atom.shared.or.b32 %r9, [%r4], 0;", 62,
     0},
    {"shared_load_conflicts", "st.shared.u32 [%r4], %r8;" TOGETHER,
     "ld.shared::cluster.u32 %r9, [%r6];" TOGETHER, 124, 2},
    {"shared_load_conflicts", "st.shared.u32 [%r2], %r1;" TOGETHER,
     "ld.shared::cluster.u32 %r9, [%r5];" TOGETHER, 0, 2},
    {"shared_atomics", "st.shared.u32 [%r2], 0;", "red.shared.add.u32 [%r2], %r1;", 64, 0},
    {"shared_atomics", "st.shared.u32 [%r2], 0;" TOGETHER,
     "red.shared::cluster.add.u32 [%r5], %r1;" TOGETHER, 128, 2},
    {"shared_updates", "st.shared.u32 [%r2], 0;", "red.shared.add.u32 [%r2], %r1;", 64, 0},
    {"shared_updates", "st.shared.u32 [%r2], 0;" TOGETHER,
     "red.shared::cluster.add.u32 [%r5], %r1;" TOGETHER, 128, 2},
    {"shared_updates", "", "mbarrier.arrive.shared.b64 _, [%r3+8192];", 64, 0},
    {"shared_updates", "", "@%p1 mbarrier.arrive.shared.b64 _, [%r3+8192];", 32, 0},
    {"shared_updates", "", "cp.async.mbarrier.arrive.noinc.shared.b64 [%r3+8192];", 64, 0},
    {"shared_updates", "", "mbarrier.test_wait.parity.shared::cta.b64 %p5, [%r3+8192], 1;", 0, 0},
    {"shared_updates", "", "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r3+8192], 4;", 64, 0},
    {"shared_atomic_passes", "st.shared.u32 [%r2], 0;", "red.shared.add.u32 [%r2], %r1;", 2, 0},
    {"shared_atomic_passes", "st.shared.u32 [%r3], 0;", "red.shared.add.u32 [%r3], %r1;", 64, 0},
    {"block_barriers", "", "bar.sync 0;", 2, 0},
    {"block_barriers", "", "bar.sync 3, 64;", 2, 0},
    {"block_barriers", "", "barrier.sync 1;", 2, 0},
    {"block_barriers", "", "bar.arrive 2, 96; @%p3 bar.sync 2, 96;", 4, 0},
    {"block_barriers", "", "bar.red.popc.u32 %r9, 0, %p1;", 2, 0},
    {"block_barriers", "", TOGETHER, 4, 2},
    {"block_barriers", "bar.sync 0;", "mbarrier.arrive.shared.b64 _, [%r3+8192];", 2, 0},
    {"block_barriers", "bar.sync 0;", "mbarrier.arrive_drop.shared.b64 _, [%r3+8192];", 2, 0},
    {"block_barriers", "bar.sync 0;", "cp.async.mbarrier.arrive.noinc.shared.b64 [%r3+8192];", 2,
     0},
    /* Bytes in place of arrivals; st.async and red.async of two warps in each of two blocks. */
    {"block_barriers", "bar.sync 0;",
     "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r3+8192], 4;", 2, 0},
    {"block_barriers", "bar.sync 0;",
     "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r3+8192], 4;", 2, 0},
    {"block_barriers", "bar.sync 0;",
     "@%p2 mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r3+8192], 4;", 1, 0},
    {"block_barriers", TOGETHER,
     "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r2], %r1, [%r3+8192];" TOGETHER,
     8, 2},
    {"block_barriers", TOGETHER "st.shared.u32 [%r2], 0;",
     "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r2], "
     "%r1, [%r3+8192];" TOGETHER,
     8, 2},
    {"block_barriers", "@%p2 mbarrier.init.shared.b64 [%r3+8200], 1; bar.sync 0;",
     "@!%p2 bra L; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%d2], "
     "256, [%r3+8200]; L:",
     1, 0},
    /* Both warps wait for what one has done, whatever that was. */
    {"block_barriers", "@%p2 mbarrier.init.shared.b64 [%r3+8200], 1; bar.sync 0;",
     "@%p2 mbarrier.arrive.shared.b64 _, [%r3+8200]; " WAIT, 2, 0},
    {"block_barriers", "@%p2 mbarrier.init.shared.b64 [%r3+8200], 1; bar.sync 0;",
     "@%p2 st.shared.u64 [%r3+8200], 0x8000000000100001; bar.warp.sync -1; "
     "W: mbarrier.try_wait.parity.shared::cta.b64 %p5, [%r3+8200], 0; @!%p5 bra W;",
     2, 0},
    {"block_barriers", "bar.sync 0;",
     "mbarrier.test_wait.parity.shared::cta.b64 %p5, [%r3+8192], 0;", 0, 0},
    /* Warp 0 waits for a word: once; at the head of a loop of four rounds; each warp for a lock. To
     * update a word until nobody came between is no wait, nor is a loop over volatile words. */
    {"block_barriers", "", POLLED("[%d2+8192]"), 1, 0},
    {"block_barriers", "mov.u32 %r11, 0; st.shared.u32 [%r3], 0; bar.sync 0;",
     "@!%p3 bra S; P: ld.volatile.shared.u32 %r9, [%r3]; setp.lt.u32 %p5, %r9, %r11; @%p5 bra P; "
     "add.u32 %r11, %r11, 1; st.shared.u32 [%r2+256], %r11; setp.lt.u32 %p5, %r11, 4; @%p5 bra P; "
     "bra E; S: mov.u32 %r10, 3; st.volatile.shared.u32 [%r3], %r10; E:",
     4, 0},
    {"block_barriers", "st.shared.u32 [%r2], 0;",
     "L: atom.shared.exch.b32 %r9, [%r2], 1; setp.ne.u32 %p5, %r9, 0; @%p5 bra L;", 2, 0},
    {"block_barriers", "st.shared.u32 [%r2], 0; mov.u32 %r9, 0;",
     "U: add.u32 %r10, %r9, 1; atom.shared.cas.b32 %r11, [%r2], %r9, %r10; "
     "setp.ne.u32 %p5, %r11, %r9; mov.u32 %r9, %r11; @%p5 bra U;",
     0, 0},
    {"block_barriers", "st.shared.u32 [%r2], 0; mov.u32 %r11, 0;",
     "L: ld.volatile.shared.u32 %r9, [%r2]; add.u32 %r11, %r11, 1; add.u32 %r10, %r10, %r9; "
     "setp.lt.u32 %p5, %r11, 4; @%p5 bra L;",
     0, 0},
    {"block_barriers", "", "bar.warp.sync -1;", 0, 0},
    {"all_barriers", "", "bar.warp.sync -1;", 2, 0},
    {"all_barriers", "", "bar.sync 0;", 2, 0},

    {"jumps", "", "@%p1 bra L; add.u32 %r8, %r8, 1; L:", 2, 0},
    {"jumps", "", "T: .branchtargets A, B; brx.idx %r7, T; A: add.u32 %r8, %r8, 1; B:", 2, 0},
    {"jumps", "", "call even;", 2, 0},
    {"jumps", "", "{ .param .b32 a; st.param.b32 [a], %r7; call leaves, (a); }", 4, 0},
    {"jumps", "", "@%p4 exit;", 2, 0},
    /* What splits each of two warps. */
    {"divergent_jumps", "", "@%p1 bra L; add.u32 %r8, %r8, 1; L:", 2, 0},
    {"divergent_jumps", "", "@%p3 bra L; add.u32 %r8, %r8, 1; L:", 0, 0},
    {"divergent_jumps", "", "T: .branchtargets A, B; brx.idx %r7, T; A: add.u32 %r8, %r8, 1; B:", 2,
     0},
    {"divergent_jumps", "and.b32 %r7, %r1, 3;",
     "T: .branchtargets A, B, C, D; brx.idx %r7, T; A: add.u32 %r8, %r8, 1; B: add.u32 %r8, %r8, "
     "1; C: add.u32 %r8, %r8, 1; D:",
     6, 0},
    {"divergent_jumps", "mov.u64 %d5, even; mov.u64 %d6, odd; selp.b64 %d7, %d5, %d6, %p1;",
     "P: .callprototype _ (); call %d7, P;", 2, 0},
    {"divergent_jumps", "mov.u64 %d7, even;", "P: .callprototype _ (); call %d7, P;", 0, 0},
    {"divergent_jumps", "", "@%p1 call even;", 2, 0},
    {"divergent_jumps", "", "{ .param .b32 a; st.param.b32 [a], %r7; call leaves, (a); }", 2, 0},
    {"divergent_jumps", "", "@%p1 exit;", 2, 0},
    {"divergent_jumps_machine", "", "@%p1 exit;", 2, 0},
    {"divergent_jumps_machine", "", "@%p1 bra L; add.u32 %r8, %r8, 1; L:", 0, 0}, /* predicated */

    /* A request of 32 lanes is a pass if they want one word of constant memory, else one a word. */
    {"const_passes", "", "ld.const.u32 %r9, [table];", 2, 0},
    {"const_passes",
     "and.b32 %r10, %r1, 31; mul.wide.u32 %d5, %r10, 4; mov.u64 %d6, table; add.s64 %d5, %d5, %d6;",
     "ld.const.u32 %r9, [%d5];", 64, 0},
    {"all_load_bytes", "", "ld.global.u32 %r9, [%d1];", 256, 0},
    {"all_load_bytes", "shl.b32 %r11, %r1, 4; cvt.u64.u32 %d6, %r11; add.s64 %d6, %d6, %d2;",
     "ld.global.v4.u32 {%r9,%r10,%r12,%r13}, [%d6];", 1024, 0},
    {"all_load_bytes", "", "tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [%d3, {%r1}];", 256, 0},
    {"all_load_bytes", "", "ld.const.u32 %r9, [table];", 256, 0},
    {"all_load_bytes", "st.shared.u32 [%r2], %r1;", "ld.shared.u32 %r9, [%r2];", 256, 0},
    {"all_load_bytes", "st.shared.u32 [%r4], %r1;", "ld.shared.u32 %r9, [%r4];", 256, 0},
    {"all_load_bytes",
     "mad.lo.u32 %r11, %r1, 16, %r3; st.shared.v4.u32 [%r11], {%r1,%r1,%r1,%r1}; bar.sync 0;",
     "ld.shared.v4.u32 {%r9,%r10,%r12,%r13}, [%r11];", 1024, 0},
    {"all_load_bytes", "st.shared.u32 [%r2], %r1;", "atom.shared.or.b32 %r9, [%r2], 0;", 256, 0},
    {"all_load_bytes", "st.local.u32 [own], %r1;", "ld.local.u32 %r9, [own];", 256, 0},
    {"all_load_bytes", "", "atom.global.or.b32 %r9, [%d1], 0;", 256, 0},
    {"all_load_bytes", "", "shfl.sync.down.b32 %r9, %r1, 1, 31, -1;", 256, 0},
    {"all_loads", "", "ld.global.u32 %r9, [%d1];", 2, 0},
    {"all_loads", "", "tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [%d3, {%r1}];", 2, 0},
    {"all_loads", "", "ld.const.u32 %r9, [table];", 2, 0},
    {"all_loads", "st.shared.u32 [%r2], %r1;", "ld.shared.u32 %r9, [%r2];", 2, 0},
    {"all_loads", "st.shared.u32 [%r2], %r1;", "atom.shared.or.b32 %r9, [%r2], 0;", 2, 0},
    {"all_loads", "st.local.u32 [own], %r1;", "ld.local.u32 %r9, [own];", 2, 0},
    {"all_loads", "", "atom.global.or.b32 %r9, [%d1], 0;", 2, 0},
    {"all_loads", "", "shfl.sync.down.b32 %r9, %r1, 1, 31, -1;", 2, 0},
    /* 64 lanes; a division is 20 instructions of each */
    {"arithmetic_machine", "", "add.u32 %r9, %r1, %r1;", 64, 0},
    {"arithmetic_machine", "", "cvt.rn.f32.u32 %f1, %r1;", 64, 0},
    {"arithmetic_machine", "", "div.u32 %r9, %r1, %r4;", 1280, 0},
    {"arithmetic_machine", "", "rcp.rn.f32 %f1, %f1;", 1280, 0},
    {"arithmetic_machine", "", "rcp.approx.f32 %f1, %f1;", 64, 0},
    {"arithmetic", "", "add.f32 %f1, %f1, %f1;", 64, 0},
    {"arithmetic", "", "add.u32 %r9, %r1, %r1;", 64, 0},
    {"arithmetic", "", "{ .reg .b16 %h; mov.b16 %h, 0; add.f16 %h, %h, %h; }", 64, 0},
    {"arithmetic", "", "cvt.rn.f32.u32 %f1, %r1;", 64, 0},
    {"arithmetic", "", "mul.lo.u32 %r9, %r1, %r4;", 64, 0},
    /* Lanes that are apart, and lanes whose predicate is false: 16 of each of two warps. */
    {"idle_lanes", "", "@%p1 add.u32 %r8, %r8, 1;", 32, 0},
    {"idle_lanes", "", "add.u32 %r8, %r8, 1;", 0, 0},
    {"idle_lanes", "", "@%p1 st.shared.u32 [%r2], %r1;", 32, 0},
    /* Each word that a request gives, once. */
    {"gst_distinct_bytes", "", "st.global.u32 [%d1], %r1;", 256, 0},
    {"gst_distinct_bytes", "", "st.global.u32 [%d2], 7;", 8, 0},
    {"gst_distinct_bytes",
     "shr.u32 %r10, %r1, 1; mul.wide.u32 %d5, %r10, 4; add.s64 %d5, %d5, %d2;",
     "st.global.u32 [%d5], 7;", 128, 0},
    {"gst_distinct_bytes", "", "red.global.add.u32 [%d2], %r1;", 8, 0},
    {"gst_distinct_bytes", "", "red.global.add.u32 [%d1], %r1;", 256, 0},
    {"inst_float", "", "add.f32 %f1, %f1, %f1;", 64, 0},
    {"inst_float", "", "{ .reg .f64 %g; mov.f64 %g, 0d0000000000000000; add.f64 %g, %g, %g; }", 64,
     0},
    {"inst_float", "", "{ .reg .b16 %h; mov.b16 %h, 0; add.f16 %h, %h, %h; }", 64, 0},
    {"inst_float", "", "rcp.approx.f32 %f1, %f1;", 64, 0},
    {"inst_float", "", "red.global.add.f32 [%d1], %f1;", 64, 0},
    {"inst_float", "", "red.global.add.u32 [%d1], %r1;", 0, 0},
    /* 16 x 8 x 16 multiply-adds of each of two warps */
    {"inst_float", "",
     "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r7,%r7,%r7,%r7}, "
     "{%r7,%r7}, {%f1,%f2,%f3,%f4};",
     4096, 0},
    {"inst_float", "",
     "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%r9,%r10,%r11,%r12}, {%r7,%r7,%r7,%r7}, "
     "{%r7,%r7}, {%r7,%r7,%r7,%r7};",
     0, 0},
    {"inst_double", "", "{ .reg .f64 %g; mov.f64 %g, 0d0000000000000000; add.f64 %g, %g, %g; }", 64,
     0},
    {"inst_double", "", "{ .reg .f64 %g; mov.f64 %g, 0d3FF0000000000000; div.rn.f64 %g, %g, %g; }",
     64, 0},
    {"inst_double", "",
     "{ .reg .f64 %g; mov.f64 %g, 0d3FF0000000000000; rcp.approx.ftz.f64 %g, %g; }", 64, 0},
    {"inst_double", "",
     "{ .reg .f64 %g; mov.f64 %g, 0d3FF0000000000000; rsqrt.approx.f64 %g, %g; }", 64, 0},
    /* 8 x 8 x 4 of each of two warps */
    {"inst_double", "",
     "{ .reg .f64 %g<2>; mov.f64 %g0, 0d0000000000000000; mov.f64 %g1, %g0; "
     "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%g0,%g1}, {%g0}, {%g0}, {%g0,%g1}; }",
     512, 0},
    {"inst_double", "mul.wide.u32 %d5, %r1, 8; add.s64 %d5, %d5, %d2;",
     "{ .reg .f64 %g; mov.f64 %g, 0d0000000000000000; red.global.add.f64 [%d5], %g; }", 64, 0},
    {"inst_double",
     "mov.u64 %d5, 0; shl.b32 %r10, %r1, 3; add.u32 %r10, %r10, %r3; "
     "st.shared.u64 [%r10], %d5;",
     "{ .reg .f64 %g; mov.f64 %g, 0d0000000000000000; atom.shared.add.f64 %g, [%r10], %g; }", 64,
     0},
    {"inst_double", FILLED,
     "@!%p2 bra L; cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f64 [%d2], [%r3], 256; "
     "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; L:",
     32, 0},
    {"inst_double", "", "cvt.f64.f32 %d5, %f1;", 0, 0},
    {"inst_double", "", "add.f32 %f1, %f1, %f1;", 0, 0},
    {"divisions", "", "div.u32 %r9, %r1, %r4;", 64, 0},
    {"divisions", "", "rem.s32 %r9, %r1, %r4;", 64, 0},
    {"divisions", "", "div.rn.f32 %f1, %f1, %f2;", 64, 0},
    {"divisions", "", "div.full.f32 %f1, %f1, %f2;", 64, 0},
    {"divisions", "", "div.approx.f32 %f1, %f1, %f2;", 64, 0},
    {"divisions", "", "rcp.approx.f32 %f1, %f1;", 64, 0},
    {"divisions", "", "rcp.rn.f32 %f1, %f1;", 64, 0},
    {"divisions", "", "rsqrt.approx.f32 %f1, %f1;", 64, 0},
    {"divisions", "", "ex2.approx.f32 %f1, %f1;", 64, 0},
    {"divisions", "", "mul.f32 %f1, %f1, %f1;", 0, 0},
    {"divisions", "", "shr.u32 %r9, %r1, 3;", 0, 0},
    {"heap_allocs", "mov.u64 %d5, 16;",
     "{ .param .b64 n; .param .b64 r; st.param.b64 [n], %d5; call (r), malloc, (n); ld.param.b64 "
     "%d6, [r]; } { .param .b64 q; st.param.b64 [q], %d6; call free, (q); }",
     64, 0},
    {"heap_allocs", "mov.u64 %d5, 16; mov.u64 %d7, own; cvta.local.u64 %d7, %d7;",
     "{ .param .b64 t; .param .b64 n; .param .b32 r; st.param.b64 [t], %d7; st.param.b64 [n], "
     "%d5; call (r), cudaMalloc, (t, n); } ld.u64 %d6, [%d7]; { .param .b64 q; st.param.b64 [q], "
     "%d6; call free, (q); }",
     64, 0},
};

/* A texture and a surface over the memory's first words. */
static void make_textures(void) {
    sim_texture t = {.base = memory,
                     .pitch = WORDS,
                     .width = THREADS,
                     .height = 1,
                     .channels = 1,
                     .bits = 32,
                     .kind = SIM_TEX_FLOAT,
                     .address = {SIM_TEX_CLAMP, SIM_TEX_CLAMP, SIM_TEX_CLAMP}};
    CHECK_INT(sim_texture_new(d, &t, &texture), SIM_OK);
    t.surface = true;
    CHECK_INT(sim_texture_new(d, &t, &surface), SIM_OK);
}

/* No name is two things, and each deed has rows above. */
static void each_is_tested(void) {
    for (size_t i = 0; i < sim_counter_count(); i++) {
        const sim_counter_info *info = sim_counter_at(i);
        size_t ways = 0;
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
            ways += !strcmp(rows[k].deed, info->name) && rows[k].adds > 0;
        if (info->deed) check_that(ways > 0, __FILE__, __LINE__, info->name, "no way is tested");
        CHECK(!info->deed || info->derived);
    }
}

int main(void) {
    sim_options o;
    lib_message msg = {0};
    sim_options_default(&o);
    o.threads = 1;
    o.model_time = false;
    d = sim_device_new(sim_profile_find("h200"), &o, &msg);
    if (!CHECK(d != NULL)) return check_done();
    sim_malloc(d, WORDS * 4, &memory);
    sim_fill(d, memory, 0, 4, WORDS);
    make_textures();
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char text[4096], what[300];
        sim_counters without, with;
        const row *x = &rows[k];
        if (!run(x->before, x->cluster, &without)) continue;
        snprintf(text, sizeof text, "%s%s", x->before, x->way);
        if (!run(text, x->cluster, &with)) continue;
        double got = deed(x->deed, &with) - deed(x->deed, &without);
        snprintf(what, sizeof what, "%s by %.200s: %g", x->deed, x->way, got);
        check_that(got == x->adds, __FILE__, __LINE__, what, "what it adds");
    }
    each_is_tested();
    sim_device_free(d);
    return check_done();
}
