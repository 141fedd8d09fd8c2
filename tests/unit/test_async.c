/* mbarriers and bulk copies as the PTX ISA has them, and as nobody should use them: kernels from
 * PTX written here, whose results, statuses and findings are what the ISA (9.7.13.15, 9.7.9.25)
 * says; tensor maps that change in memory. Copies by tensor maps are test_async_maps.c's. */
#include "async_fixture.h"
#include "tests/said.h"

/* ---- mbarriers ---- */

/* clang-format off */ /* PTX in strings and macros */


static void test_phases(void) {
    CHECK_INT(run("mbarrier.init.shared.b64 [%r2], 3;\n" PARITY(1, 0) PARITY(0, 4)
                  "mbarrier.arrive.noComplete.shared.b64 %d4, [%r2], 2;\n"
                  "mbarrier.pending_count.b64 %r3, %d4;\n" STORE("%r3", 8) PARITY(0, 12)
                  "mbarrier.arrive.shared.b64 %d5, [%r2];\n" PARITY(0, 16) PARITY(1, 20)
                  "mbarrier.test_wait.shared.b64 %p1, [%r2], %d5; selp.u32 %r4, 1, 0, %p1;\n"
                  STORE("%r4", 24)
                  "mbarrier.try_wait.acquire.cta.shared::cta.b64 %p1, [%r2], %d4, 1000;\n"
                  "selp.u32 %r4, 1, 0, %p1;\n" STORE("%r4", 28)
                  /* the expected count is lowered: two arrivals, one of them for good */
                  "mbarrier.arrive_drop.shared.b64 _, [%r2]; mbarrier.arrive.shared::cta.b64 _, [%r2], 2;\n"
                  PARITY(1, 32)
                  "mbarrier.arrive.shared::cta.b64 _, [%r2], 2;\n" PARITY(0, 36)
                  "mbarrier.inval.shared.b64 [%r2];\n"),
              SIM_OK);
    static const uint32_t want[] = {1, 0, 3, 0, 1, 0, 1, 1, 1, 1};
    for (unsigned i = 0; i < 10; i++) CHECK_INT(got[i], want[i]);
    CHECK_INT(r.finding_count, 0);
}

/* Lanes that are not on keep what they had. */
static void test_pending_of_some(void) {
    CHECK_INT(run_on(4, "setp.eq.u32 %p1, %r0, 1;\n"
                        "@%p1 mbarrier.init.shared.b64 [%r2], 9;\n"
                        "@%p1 mbarrier.arrive.noComplete.shared.b64 %d4, [%r2], 2;\n"
                        "mov.u32 %r3, 77;\n"
                        "@%p1 mbarrier.pending_count.b64 %r3, %d4;\n"
                        "mul.wide.u32 %d6, %r0, 4; add.s64 %d6, %d6, %d1; st.global.u32 [%d6], %r3;\n"),
              SIM_OK);
    CHECK(got[0] == 77 && got[1] == 9 && got[2] == 77 && got[3] == 77);
}

static void test_bytes(void) {
    CHECK_INT(run("mbarrier.init.shared.b64 [%r2], 1;\n"
                  "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r2], 100;\n"
                  "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r2], 60;\n"
                  "mbarrier.arrive.shared.b64 _, [%r2];\n" PARITY(0, 0)
                  "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r2], 40;\n" PARITY(0, 4)
                  "mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 1048575;\n" PARITY(1, 8)
                  "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r2], 1048575;\n" PARITY(1, 12)),
              SIM_OK);
    static const uint32_t want[] = {0, 1, 0, 1};
    for (unsigned i = 0; i < 4; i++) CHECK_INT(got[i], want[i]);
}

static void test_misused_barriers(void) {
    CHECK_INT(run("mbarrier.init.shared.b64 [%r2], 1;\n"
                  "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r2], 1048575;\n"
                  "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r2], 1;\n"),
              SIM_TRAP);
    CHECK_CONTAINS(found(), "takes the bytes that an mbarrier waits for out of their range of 2^20 - 1");
    CHECK_INT(run("mbarrier.init.shared.b64 [%r2], 1;\n"
                  "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r2], 0xffffffff;\n"),
              SIM_TRAP);
    CHECK_INT(run("mbarrier.init.shared.b64 [%r2], 0;\n"), SIM_TRAP);
    CHECK_CONTAINS(found(), "sets up an mbarrier for no arrivals, or more than 2^20 - 1");
    CHECK_INT(run("mbarrier.init.shared.b64 [%r2], 1048576;\n"), SIM_TRAP);
    CHECK_INT(run("mbarrier.init.shared.b64 [%r2], 2; mbarrier.arrive.noComplete.shared.b64 _, "
                  "[%r2], 2;\n"),
              SIM_TRAP);
    CHECK_CONTAINS(found(), "arrives with .noComplete, but nothing more is missing: that may not complete the phase");
    CHECK_INT(run("mbarrier.init.shared.b64 [%r2], 2; mbarrier.arrive.shared::cta.b64 _, [%r2], 3;\n"),
              SIM_TRAP);
    CHECK_CONTAINS(found(), "arrives at an mbarrier that expects no more arrivals");
    CHECK_INT(run("mbarrier.init.shared.b64 [%r2+4], 2;\n"), SIM_MISALIGNED);
    CHECK_INT(run("mbarrier.init.shared.b64 [%r2+4096], 2;\n"), SIM_ILLEGAL_ADDRESS);
}

/* A wait that ends when another warp arrives, and one that never does. */
static void test_waits(void) {
    CHECK_INT(run_on(64, "setp.eq.u32 %p1, %r0, 0; @%p1 mbarrier.init.shared.b64 [%r2], 1;\n"
                         "bar.sync 0; setp.lt.u32 %p2, %r0, 32; @!%p2 bra OTHER;\n"
                         "AGAIN: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r2], 0; @!%p3 bra AGAIN;\n"
                         "mov.u32 %r5, 7;\n" STORE("%r5", 0) "bra DONE;\n"
                         "OTHER: setp.eq.u32 %p2, %r0, 40; @%p2 mbarrier.arrive.shared.b64 _, [%r2];\n"
                         "DONE:"),
              SIM_OK);
    CHECK_INT(got[0], 7);
    CHECK_INT(run_on(64, "setp.eq.u32 %p1, %r0, 0; @%p1 mbarrier.init.shared.b64 [%r2], 2;\n"
                         "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 48;\n"
                         "bar.sync 0;\n"
                         "AGAIN: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r2], 0; @!%p3 bra AGAIN;\n"),
              SIM_DEADLOCK);
    CHECK_CONTAINS(found(), "never completes: 1 arrivals and 48 bytes are missing");
}

/* Waits that never end say of their own mbarrier what it misses, by whichever address it is waited
 * for. */
static void test_endless_waits(void) {
    static const char *const waits[] = {
        "mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r2+8], 0",
        "mbarrier.test_wait.parity.shared::cta.b64 %p3, [%r2+8], 0",
        "mbarrier.try_wait.parity.b64 %p3, [%d9+8], 0",
        "mbarrier.test_wait.parity.b64 %p3, [%d9+8], 0",
        "mbarrier.try_wait.b64 %p3, [%d9+8], %d4",
        "mbarrier.test_wait.shared.b64 %p3, [%r2+8], %d4",
    };
    for (size_t k = 0; k < sizeof waits / sizeof *waits; k++) {
        char body[800];
        snprintf(body, sizeof body, "%s%s%s; @!%%p3 bra AGAIN;\n",
                 "mbarrier.init.shared.b64 [%r2], 9; mbarrier.init.shared.b64 [%r2+8], 7;\n"
                 "cvt.u64.u32 %d9, %r2; cvta.shared.u64 %d9, %d9;\n"
                 "mbarrier.arrive.shared::cta.b64 %d4, [%r2+8], 2;\n"
                 "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r2+8], 48;\n",
                 "AGAIN: ", waits[k]);
        CHECK_INT(run(body), SIM_DEADLOCK);
        CHECK_CONTAINS(found(), "never completes: 5 arrivals and 48 bytes are missing");
    }
}

/* Time passes for who asks for a phase until it is late, however late; but what others bring is
 * there before that. */
static void test_waits_with_a_limit(void) {
    enum { ROUNDS = 300000, SECOND = 1000000000 };
    static const char *const waits[] = {"test", "try"};
    for (size_t k = 0; k < 2; k++) {
        char body[1200];
        snprintf(body, sizeof body,
                 "mbarrier.init.shared.b64 [%%r2], 1; mov.u32 %%r9, 7; bar.sync 0;\n"
                 "setp.lt.u32 %%p0, %%r0, 32; @%%p0 bra ASKS; mov.u32 %%r5, 0;\n"
                 "WORK: fma.rn.f32 %%f1, %%f1, %%f1, %%f1; add.u32 %%r5, %%r5, 1;\n"
                 "setp.lt.u32 %%p1, %%r5, %d; @%%p1 bra WORK;\n"
                 "setp.eq.u32 %%p1, %%r0, 32;\n"
                 "@%%p1 mbarrier.arrive.shared.b64 _, [%%r2]; bra END;\n"
                 "ASKS: mov.u64 %%d3, %%globaltimer;\n"
                 "AGAIN: mbarrier.%s_wait.parity.shared.b64 %%p3, [%%r2], 0; @%%p3 bra THERE;\n"
                 "mov.u64 %%d4, %%globaltimer; sub.u64 %%d4, %%d4, %%d3;\n"
                 "setp.lt.u64 %%p2, %%d4, %d; @%%p2 bra AGAIN; mov.u32 %%r9, 1; bra TOLD;\n"
                 "THERE: mov.u32 %%r9, 2;\n"
                 "TOLD: st.global.u32 [%%d1], %%r9; END:\n",
                 ROUNDS, waits[k], SECOND);
        CHECK_INT(run_on(32, body), SIM_OK);
        CHECK_INT(got[0], 1);
        CHECK(r.counters.warp_inst < 1000000);
        CHECK(r.time_us >= SECOND / 1e3 && r.time_us < 1.2 * SECOND / 1e3);
        CHECK_INT(run_on(64, body), SIM_OK);
        CHECK_INT(got[0], 2);
        CHECK(r.counters.warp_inst > 4 * ROUNDS);
    }
}

/* ---- bulk copies ---- */

#define LOAD(to, from, n) "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [" to "], [" from "], " n ", [%r2];"

static void test_misused_copies(void) {
    bad_copy(INIT LOAD("%r1", "%d0", "20"), SIM_TRAP,
             "a bulk copy of 20 bytes: the size must be a multiple of 16");
    bad_copy(INIT LOAD("%r1", "%d0+8", "32"), SIM_MISALIGNED, "not a multiple of 16");
    bad_copy(INIT LOAD("%r1+4", "%d0", "32"), SIM_MISALIGNED, "not a multiple of 16");
    bad_copy(INIT LOAD("%r1+4096", "%d0", "32"), SIM_ILLEGAL_ADDRESS, "out of bounds");
    bad_copy(INIT LOAD("%r1", "%d0", "0xfffffff0"), SIM_ILLEGAL_ADDRESS, "out of bounds");
    bad_copy(INIT LOAD("%r1", "%d0+8176", "32"), SIM_ILLEGAL_ADDRESS, "16 bytes of it past the end");
    bad_copy(INIT LOAD("0xfffffff0", "%d0", "32"), SIM_ILLEGAL_ADDRESS, "out of bounds");
    bad_copy(INIT LOAD("%r1", "16", "32"), SIM_ILLEGAL_ADDRESS, "null pointer");
    bad_copy("mov.u32 %r2, 0xfffffff8;" LOAD("%r1", "%d0", "32"), SIM_ILLEGAL_ADDRESS,
             "out of bounds");
    bad_copy("cp.async.bulk.global.shared::cta.bulk_group [%d1+8176], [%r1], 32;\n",
             SIM_ILLEGAL_ADDRESS, "out of bounds");
    bad_copy("cp.async.bulk.global.shared::cta.bulk_group [%d1], [%r1+4080], 64;\n",
             SIM_ILLEGAL_ADDRESS, "out of bounds");
    /* a source that was never written, in shared and in global memory */
    CHECK_INT(run("cp.async.bulk.global.shared::cta.bulk_group [%d1], [%r1], 64;\n"), SIM_OK);
    CHECK_CONTAINS(found(), "nothing has written");
    sim_addr written = in;
    sim_malloc(d, 256, &in);
    CHECK_INT(run(INIT LOAD("%r1", "%d0", "64")), SIM_OK);
    CHECK_CONTAINS(found(), "nothing has written");
    sim_free(d, in);
    CHECK_INT(run(INIT LOAD("%r1", "%d0", "64")), SIM_ILLEGAL_ADDRESS);
    CHECK_CONTAINS(found(), "freed");
    in = written;
    /* this launch has no cluster dimensions */
#define NEAR ".shared::cluster.shared::cta.mbarrier::complete_tx::bytes"
    bad_copy(INIT "cp.async.bulk" NEAR " [%r1+128], [%r1], 64, [%r2];\n", SIM_ILLEGAL_INSTRUCTION,
             "without cluster dimensions: they are needed, __cluster_dims__(1, 1, 1) or the launch attribute");
    bad_copy(INIT "cp.reduce.async.bulk" NEAR ".add.u32 [%r1+128], [%r1], 64, [%r2];\n",
             SIM_ILLEGAL_INSTRUCTION, "without cluster dimensions");
}

#define SET(field, at, v) "tensormap.replace.tile." field ".b1024.b32 [" at "], " v ";\n"
#define COPY(to, from)                                                                             \
    "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [" to  \
    "], [" from "], 128;\n"
static void test_changed_maps(void) {
    bad_copy(SET("rank.shared::cta", "%r1", "1"), SIM_TRAP, "changes a tensor map that is none");
    bad_copy(SET("rank.global", "%d0", "1"), SIM_TRAP, "changes a tensor map that is none");
    bad_copy(SET("rank", "%d0", "1"), SIM_TRAP, "changes a tensor map that is none");
    bad_copy(SET("rank.shared::cta", "%r1+32", "1"), SIM_MISALIGNED, "not a multiple of 64");
    bad_copy(SET("rank.global", "%d0+32", "1"), SIM_MISALIGNED, "not a multiple of 64");
    bad_copy(SET("rank.shared::cta", "%r1+4096", "1"), SIM_ILLEGAL_ADDRESS, "out of bounds");
    bad_copy(SET("rank.global", "%d0+8128", "1"), SIM_ILLEGAL_ADDRESS, "out of bounds");
    bad_copy(COPY("%d0+8128", "%r1"), SIM_ILLEGAL_ADDRESS, "out of bounds");
    bad_copy(COPY("%d0", "%r1+4096"), SIM_ILLEGAL_ADDRESS, "out of bounds");
    bad_copy(COPY("%d0+32", "%r1"), SIM_MISALIGNED, "not a multiple of 64");
}
/* A box that tensormap.replace gave and no hardware has is an illegal instruction to whoever copies
 * it, as on an H100; what else it may have made wrong ends the launch. */
static void test_replaced_boxes(void) {
    static const struct {
        const char *value;
        unsigned swizzle;
        sim_status status;
        const char *words;
    } rows[] = {
        {"box_dim.global.b1024.b32 [%d1+256], 0, 3", 0, SIM_ILLEGAL_INSTRUCTION,
         "boxDim[0] times the element's size is not a multiple of 16"},
        {"box_dim.global.b1024.b32 [%d1+256], 0, 16", 1, SIM_ILLEGAL_INSTRUCTION,
         "boxDim[0] times the element's size is greater than the swizzle's span"},
        {"global_stride.global.b1024.b64 [%d1+256], 0, 24", 0, SIM_TRAP, "a globalStride is not"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const sim_tensor_map plain = {.type = 2,
                                      .rank = 2,
                                      .base = in,
                                      .dim = {32, 16},
                                      .stride = {128},
                                      .box = {8, 4},
                                      .step = {1, 1},
                                      .swizzle = rows[k].swizzle};
        uint8_t map[SIM_TENSOR_MAP_BYTES];
        char body[1200];
        sim_tensor_map_pack(&plain, map);
        memcpy(params.map, map, sizeof map);
        snprintf(body, sizeof body,
                 "mov.u32 %%r6, 0;\nMAP: cvt.u64.u32 %%d6, %%r6; add.u64 %%d7, %%d2, %%d6; ld.b32 "
                 "%%r8, [%%d7]; add.u64 %%d7, %%d1, %%d6; st.global.u32 [%%d7+256], %%r8;\n"
                 "add.u32 %%r6, %%r6, 4; setp.lt.u32 %%p1, %%r6, 128; @%%p1 bra MAP;\n"
                 "tensormap.replace.tile.%s;\nfence.proxy.tensormap::generic.release.gpu;\n"
                 "fence.proxy.tensormap::generic.acquire.gpu [%%d1+256], 128;\nadd.u64 %%d7, %%d1, 256;\n"
                 "mbarrier.init.shared.b64 [%%r2], 1;\n"
                 "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                 "[%%r1], [%%d7, {0, 0}], [%%r2];\n",
                 rows[k].value);
        bad_copy(body, rows[k].status, rows[k].words);
    }
}

/* tensormap.replace (PTX ISA 9.7.9.28): each field of a map in shared and in global memory, named
 * and by generic addresses, which changes nothing else of it, nor the other map; .cp_fenceproxy
 * brings the one to the other. */
static void test_replaced_fields(void) {
    static const char maps[] = /* at s + 128 and out + 256 */
        "cvt.u64.u32 %d8, %r1; cvta.shared.u64 %d8, %d8; mov.u32 %r6, 0;\n"
        "MAP: cvt.u64.u32 %d6, %r6; add.u64 %d7, %d2, %d6; ld.b32 %r8, [%d7]; add.u32 %r7, %r1, %r6;\n"
        "st.shared.u32 [%r7+128], %r8; add.u64 %d7, %d1, %d6; st.global.u32 [%d7+256], %r8;\n"
        "add.u32 %r6, %r6, 4; setp.lt.u32 %p1, %r6, 128; @%p1 bra MAP;\n";
    static const struct {
        const char *space, *at;
        bool shared;
    } places[] = {{".shared::cta", "%r1+128", true}, {".global", "%d1+256", false}, {"", "%d8+128", true}, {"", "%d1+256", false}};
#define FIELD(name, bits, value, member, is) {name, value, bits, offsetof(sim_tensor_map, member), sizeof((sim_tensor_map *)0)->member, is}
    static const struct {
        const char *field, *value;
        unsigned bits;
        size_t at, bytes;
        uint64_t is;
    } rows[] = {
        FIELD("global_address", 64, "0x123456789ab0", base, 0x123456789ab0),
        FIELD("rank", 32, "0", rank, 1), /* one less than the rank */
        FIELD("rank", 32, "4", rank, 5),
        FIELD("box_dim", 32, "0, 256", box[0], 256),
        FIELD("box_dim", 32, "4, 3", box[4], 3),
        FIELD("global_dim", 32, "0, 77", dim[0], 77),
        FIELD("global_dim", 32, "4, -1", dim[4], UINT32_MAX),
        FIELD("element_stride", 32, "0, 2", step[0], 2),
        FIELD("element_stride", 32, "4, 8", step[4], 8),
        FIELD("global_stride", 64, "0, 4096", stride[0], 4096),
        FIELD("global_stride", 64, "3, 0xfffffffff0", stride[3], 0xfffffffff0),
        /* Table 33: .u8 .u16 .u32 .s32 .u64 .s64 .f16 .f32 .f32.ftz .f64 .bf16 .tf32 .tf32.ftz;
         * cuda.h has .f64 8th, .bf16 9th */
        FIELD("elemtype", 32, "0", type, 0),
        FIELD("elemtype", 32, "1", type, 1),
        FIELD("elemtype", 32, "2", type, 2),
        FIELD("elemtype", 32, "3", type, 3),
        FIELD("elemtype", 32, "4", type, 4),
        FIELD("elemtype", 32, "5", type, 5),
        FIELD("elemtype", 32, "6", type, 6),
        FIELD("elemtype", 32, "7", type, 7),
        FIELD("elemtype", 32, "8", type, 10),
        FIELD("elemtype", 32, "9", type, 8),
        FIELD("elemtype", 32, "10", type, 9),
        FIELD("elemtype", 32, "11", type, 11),
        FIELD("elemtype", 32, "12", type, 12),
        FIELD("interleave_layout", 32, "0", interleave, 0),
        FIELD("interleave_layout", 32, "1", interleave, 1),
        FIELD("interleave_layout", 32, "2", interleave, 2),
        FIELD("swizzle_mode", 32, "0", swizzle, 0),
        FIELD("swizzle_mode", 32, "2", swizzle, 2),
        FIELD("swizzle_mode", 32, "3", swizzle, 3),
        FIELD("fill_mode", 32, "0", fill, 0),
        FIELD("fill_mode", 32, "1", fill, 1),
    };
    const sim_tensor_map plain = {.type = 2, .rank = 5, .base = in, .dim = {32, 16, 4, 2, 9}, .stride = {128, 2048, 8192, 16384},
                                  .box = {8, 4, 2, 1, 5}, .step = {1, 1, 1, 1, 7}, .swizzle = 1};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
            sim_tensor_map t = plain;
            uint8_t was[SIM_TENSOR_MAP_BYTES], is[SIM_TENSOR_MAP_BYTES];
            char body[2000];
            sim_tensor_map_pack(&plain, was);
            memcpy((char *)&t + rows[k].at, &rows[k].is, rows[k].bytes);
            sim_tensor_map_pack(&t, is);
            memcpy(params.map, was, sizeof was);
            snprintf(body, sizeof body, "%stensormap.replace.tile.%s%s.b1024.b%u [%s], %s;\n%s", maps, rows[k].field,
                     places[p].space, rows[k].bits, places[p].at, rows[k].value, COPY("%d1+512", "%r1+128"));
            bool ran = run(body) == SIM_OK && !r.finding_count;
            const uint32_t *changed = got + (places[p].shared ? 128 : 64), *other = got + (places[p].shared ? 64 : 128);
            /* the dimensions behind the rank stay in the map, where sim_tensor_map_pack() has
             * none */
            bool rank = rows[k].at == offsetof(sim_tensor_map, rank);
            bool right = rank ? sim_tensor_map_unpack(&t, (const uint8_t *)changed, &msg) && t.rank == rows[k].is
                              : !memcmp(changed, is, sizeof is);
            check_that(ran && right && !memcmp(other, was, sizeof was), __FILE__, __LINE__, rows[k].field, places[p].at);
        }
    /* all lanes copy the same one; who does not is named */
    static const char *const apart[] = {COPY("%d1", "%r3"), COPY("%d3", "%r1")};
    for (unsigned k = 0; k < 2; k++) {
        char body[600];
        snprintf(body, sizeof body, "shr.u32 %%r3, %%r0, 2; shl.b32 %%r3, %%r3, 7; cvt.u64.u32 %%d3, %%r3;\n"
                                    "add.u32 %%r3, %%r3, %%r1; add.u64 %%d3, %%d3, %%d1;\n%s", apart[k]);
        CHECK_INT(run_on(5, body), SIM_TRAP); /* thread 4 */
        CHECK_CONTAINS(found(), "copies a tensor map from or to another place than other lanes of its warp");
        CHECK_INT(r.findings[0].thread[0], 4);
    }
}
static void test_generic_posts(void) {
    bad_copy("st.async.weak.mbarrier::complete_tx::bytes.b32 [%d0], %r0, [%d0];\n", SIM_TRAP,
             "gives the address");
    bad_copy("cvta.shared.u64 %d3, %d0;\n"
             "red.async.relaxed.cluster.mbarrier::complete_tx::bytes.add.u32 [%d0], %r0, [%d3];\n",
             SIM_TRAP, "which is no address of shared memory");
    bad_copy("cvt.u64.u32 %d3, %r1; cvta.shared.u64 %d3, %d3;\n"
             "st.async.weak.mbarrier::complete_tx::bytes.b32 [%d3], %r0, [%d0];\n",
             SIM_TRAP, "gives an mbarrier at");
    bad_copy("cvt.u64.u32 %d3, %r1; cvta.shared.u64 %d3, %d3;\n"
             "st.async.weak.mbarrier::complete_tx::bytes.v4.b32 [%d3+8], {%r0, %r0, %r0, %r0}, [%d3];\n",
             SIM_MISALIGNED, "not a multiple of 16");
    /* the window of shared memory is of 4 GB (memory.h): the bytes on both sides of it are not */
    static const char *const beside[] = {"0x2effffffffff", "0x2f0100000000"};
    for (unsigned k = 0; k < 4; k++) {
        char body[400], text[100];
        snprintf(body, sizeof body,
                 "cvt.u64.u32 %%d3, %%r1; cvta.shared.u64 %%d3, %%d3; mov.u64 %%d4, %s;\n"
                 "st.async.weak.mbarrier::complete_tx::bytes.b32 [%s], %%r0, [%s];\n",
                 beside[k % 2], k < 2 ? "%d4" : "%d3", k < 2 ? "%d3" : "%d4");
        snprintf(text, sizeof text, "gives %s %s, which is no address of shared memory",
                 k < 2 ? "the address" : "an mbarrier at", beside[k % 2]);
        bad_copy(body, SIM_TRAP, text);
    }
    bad_copy("mov.u64 %d4, 0x2f0100000000;" SET("rank", "%d4", "1"), SIM_ILLEGAL_ADDRESS, "0x2f0100000000");
}

/* What an operation leaves of the words 10, 20, 30, 40 in shared memory; its mbarrier's phase,
 * which waits for so many bytes, is then over, and that of a byte more is not. */
typedef struct {
    const char *op;
    unsigned bytes;
    uint32_t want[4];
} effect;
static const char words[] =
    "mov.u32 %r3, 10; mov.u32 %r4, 20; mov.u32 %r5, 30; mov.u32 %r6, 40;\n"
    "st.shared.v4.u32 [%r1], {%r3, %r4, %r5, %r6};\n";
static void effects(const effect *e, size_t n) {
    static const char before[] =
        INIT "mov.u32 %r6, 6; mov.u32 %r7, 7; mov.b64 %d6, {%r6, %r7}; mov.u64 %d7, 9;\n"
             "cvt.u64.u32 %d8, %r1; cvta.shared.u64 %d8, %d8;\n"
             "cvt.u64.u32 %d9, %r2; cvta.shared.u64 %d9, %d9; mov.f32 %f1, 0f3F800000;\n"
             "mbarrier.arrive.expect_tx.shared.b64 _, [%r2], ",
        after[] = PARITY(0, 0) "ld.shared.v4.u32 {%r3, %r4, %r5, %r6}, [%r1];\n"
                               "st.global.v4.u32 [%d1+16], {%r3, %r4, %r5, %r6};\n";
    for (size_t k = 0; k < 2 * n; k++) {
        const effect *at = &e[k / 2];
        unsigned more = k % 2;
        char body[2000];
        snprintf(body, sizeof body, "%s%s%u;\n%s\n%s", words, before, at->bytes + more, at->op,
                 after);
        bool ran = run(body) == SIM_OK && got[0] == !more;
        check_that(ran && (more || (!memcmp(got + 4, at->want, 16) && !r.finding_count)), __FILE__,
                   __LINE__, at->op, more ? "bytes" : "values or findings");
    }
}

/* PTX ISA 9.7.9.13 (st.async) and 9.7.13.8 (red.async). */
static void test_posts(void) {
#define ST(form, at, v)  "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes." form " [" at "], " v ", [%r2];"
#define RED(op, at, v)   "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes." op " [" at "], " v ", [%r2];"
    static const effect rows[] = {
        {ST("b32", "%r1", "%r6"), 4, {6, 20, 30, 40}},
        {ST("u32", "%r1+4", "5"), 4, {10, 5, 30, 40}},
        {ST("s32", "%r1+12", "-1"), 4, {10, 20, 30, UINT32_MAX}},
        {ST("f32", "%r1+8", "0f40000000"), 4, {10, 20, 0x40000000, 40}},
        {ST("v2.b32", "%r1+8", "{%r6, %r7}"), 8, {10, 20, 6, 7}},
        {ST("v4.u32", "%r1", "{%r7, %r6, %r7, %r6}"), 16, {7, 6, 7, 6}},
        {ST("v4.f32", "%r1", "{%f1, %f1, %f1, %f1}"), 16, {0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000}},
        {ST("b64", "%r1+8", "%d6"), 8, {10, 20, 6, 7}},
        {ST("u64", "%r1", "0x500000004"), 8, {4, 5, 30, 40}},
        {ST("v2.b64", "%r1", "{%d7, %d6}"), 16, {9, 0, 6, 7}},
        {ST("f64", "%r1", "0d3FF0000000000000"), 8, {0, 0x3ff00000, 30, 40}},
        {"st.async.weak.mbarrier::complete_tx::bytes.b32 [%d8+4], %r6, [%d9];", 4, {10, 6, 30, 40}},
        {"st.async.mbarrier::complete_tx::bytes.v2.b64 [%d8], {%d6, %d7}, [%d9];", 16, {6, 7, 9, 0}},
        {"red.async.relaxed.cluster.mbarrier::complete_tx::bytes.add.u32 [%d8+8], %r6, [%d9];", 4, {10, 20, 36, 40}},
        {RED("add.u32", "%r1", "%r6"), 4, {16, 20, 30, 40}},
        {RED("add.s32", "%r1+12", "-41"), 4, {10, 20, 30, UINT32_MAX}},
        {RED("add.u64", "%r1", "%d6"), 8, {16, 27, 30, 40}},
        {RED("add.s64", "%r1+8", "-31"), 8, {10, 20, UINT32_MAX, 39}},
        {RED("min.u32", "%r1", "-1"), 4, {10, 20, 30, 40}},
        {RED("min.s32", "%r1", "-1"), 4, {UINT32_MAX, 20, 30, 40}},
        {RED("max.u32", "%r1+4", "-1"), 4, {10, UINT32_MAX, 30, 40}},
        {RED("max.s32", "%r1+4", "-1"), 4, {10, 20, 30, 40}},
        {RED("inc.u32", "%r1", "10"), 4, {0, 20, 30, 40}}, /* old >= b ? 0 : old + 1 */
        {RED("inc.u32", "%r1", "11"), 4, {11, 20, 30, 40}},
        {RED("dec.u32", "%r1", "10"), 4, {9, 20, 30, 40}}, /* old == 0 || old > b ? b : old - 1 */
        {RED("dec.u32", "%r1", "9"), 4, {9, 20, 30, 40}},
        {RED("dec.u32", "%r1", "5"), 4, {5, 20, 30, 40}},
        {RED("and.b32", "%r1", "%r6"), 4, {2, 20, 30, 40}},
        {RED("or.b32", "%r1", "%r6"), 4, {14, 20, 30, 40}},
        {RED("xor.b32", "%r1", "%r6"), 4, {12, 20, 30, 40}},
    };
    clustered = true;
    effects(rows, sizeof rows / sizeof *rows);
    /* each lane its own, of one barrier; lanes that are off store nothing */
    CHECK_INT(run_on(8, "setp.eq.u32 %p1, %r0, 0; @%p1 mbarrier.init.shared.b64 [%r2], 1;\n"
                        "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 20; bar.sync 0;\n"
                        "shl.b32 %r3, %r0, 2; add.u32 %r4, %r1, %r3; mov.u32 %r5, 99;\n"
                        "st.shared.u32 [%r4], %r5; setp.lt.u32 %p2, %r0, 5; add.u32 %r6, %r0, 1;\n"
                        "@%p2 " ST("b32", "%r4", "%r6") "\n"
                        "AGAIN: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r2], 0; @!%p3 bra AGAIN;\n"
                        "ld.shared.u32 %r7, [%r4]; cvt.u64.u32 %d3, %r3; add.u64 %d3, %d3, %d1;\n"
                        "st.global.u32 [%d3], %r7;\n"),
              SIM_OK);
    for (unsigned l = 0; l < 8; l++) CHECK_INT(got[l], l < 5 ? l + 1 : 99);
    CHECK_INT(r.finding_count, 0);
    /* its bytes, and those alone, are under way until the phase has been waited for */
    static const struct {
        const char *op;
        unsigned bytes;
    } ways[] = {{ST("b32", "%r1+16", "%r3"), 4},
                {ST("v2.b32", "%r1+16", "{%r3, %r4}"), 8},
                {ST("v4.b32", "%r1+16", "{%r3, %r4, %r5, %r6}"), 16},
                {ST("b64", "%r1+16", "9"), 8},
                {ST("v2.b64", "%r1+16", "{%d0, %d1}"), 16},
                {RED("add.u32", "%r1+16", "1"), 4},
                {RED("add.u64", "%r1+16", "1"), 8}};
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        const unsigned at[] = {15, 16, 15 + ways[k].bytes, 16 + ways[k].bytes};
        for (unsigned n = 0; n < 4; n++) {
            char body[1000];
            snprintf(body, sizeof body,
                     "%sst.shared.v4.u32 [%%r1+16], {%%r3, %%r4, %%r5, %%r6}; st.shared.u8 [%%r1+32], %%r3;\n"
                     "%smbarrier.arrive.expect_tx.shared.b64 _, [%%r2], %u;\n%s\nld.shared.u8 %%r8, [%%r1+%u];\n",
                     words, INIT, ways[k].bytes, ways[k].op, at[n]);
            CHECK_INT(run(body), SIM_OK);
            check_that(!strstr(found(), "until its mbarrier's phase has been waited for") == (n % 3 == 0), __FILE__,
                       __LINE__, ways[k].op, n < 2 ? "its first byte" : "its last byte");
        }
    }
    /* of lanes 3 to 5 each its own: who reads lane k's word early */
    for (unsigned k = 2; k < 7; k++) {
        char body[1000];
        snprintf(body, sizeof body,
                 "setp.eq.u32 %%p1, %%r0, 0; @%%p1 mbarrier.init.shared.b64 [%%r2], 1;\n"
                 "@%%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%%r2], 12; bar.sync 0;\n"
                 "shl.b32 %%r3, %%r0, 2; add.u32 %%r4, %%r1, %%r3; st.shared.u32 [%%r4], %%r0;\n"
                 "sub.u32 %%r5, %%r0, 3; setp.lt.u32 %%p2, %%r5, 3;\n@%%p2 %s\n"
                 "setp.eq.u32 %%p3, %%r0, %u; @%%p3 ld.shared.u32 %%r7, [%%r4];\n"
                 "AGAIN: mbarrier.try_wait.parity.shared::cta.b64 %%p3, [%%r2], 0; @!%%p3 bra AGAIN;\n",
                 ST("b32", "%r4", "%r0"), k);
        CHECK_INT(run_on(8, body), SIM_OK);
        CHECK(!strstr(found(), "until its mbarrier's phase has been waited for") == (k < 3 || k > 5));
    }
    bad_copy(INIT ST("b32", "%r1+2", "%r6"), SIM_MISALIGNED, "not a multiple of 4");
    bad_copy(INIT ST("b32", "%r1+5000", "%r6"), SIM_ILLEGAL_ADDRESS, "out of bounds");
    clustered = false;
    bad_copy(INIT ST("b32", "%r1", "%r6"), SIM_ILLEGAL_INSTRUCTION,
             "sends to shared memory in a launch without cluster dimensions: they are needed, "
             "__cluster_dims__(1, 1, 1) or the launch attribute");
}

/* Ranges within shared memory, and reductions there; and one of no bytes, which changes nothing. */
static void test_near_copies(void) {
#define HALF(op, to, from, n) op NEAR to ", [" from "], " n ", [%r2];"
#define WORDS16 "mov.u32 %r3, 64; add.u32 %r3, %r1, %r3; mov.u32 %r4, 1; mov.u32 %r5, 2; st.shared.v4.u32 [%r3], {%r4, %r5, %r4, %r5}; fence.proxy.async; "
    static const effect rows[] = {
        {WORDS16 HALF("cp.async.bulk", " [%r1]", "%r1+64", "16"), 16, {1, 2, 1, 2}},
        {WORDS16 HALF("cp.reduce.async.bulk", ".add.u32 [%r1]", "%r1+64", "16"), 16, {11, 22, 31, 42}},
        {WORDS16 HALF("cp.reduce.async.bulk", ".xor.b32 [%r1]", "%r1+64", "16"), 16, {11, 22, 31, 42}},
        {WORDS16 HALF("cp.reduce.async.bulk", ".min.s32 [%r1]", "%r1+64", "16"), 16, {1, 2, 1, 2}},
        {WORDS16 HALF("cp.reduce.async.bulk", ".add.u64 [%r1]", "%r1+64", "16"), 16, {11, 22, 31, 42}},
        {HALF("cp.async.bulk", " [%r1]", "%r1+64", "0"), 0, {10, 20, 30, 40}},
    };
    clustered = true;
    effects(rows, sizeof rows / sizeof *rows);
    clustered = false;
}

/* Element k of `in` is 100 (k / 32) + k % 32. */
static void test_ranges(void) {
    static const effect rows[] = {
        {LOAD("%r1", "%d0", "16"), 16, {0, 1, 2, 3}},
        {LOAD("%r1", "%d0+112", "32"), 32, {28, 29, 30, 31}},
        {LOAD("%r1", "%d0+128", "16"), 16, {100, 101, 102, 103}},
        {LOAD("%r1+16", "%d0", "48"), 48, {10, 20, 30, 40}},
        {LOAD("%r1", "%d0+8176", "16"), 16, {6328, 6329, 6330, 6331}},
    };
    effects(rows, sizeof rows / sizeof *rows);
    /* from shared memory, and reductions of what is there: 0xdddddddd in all of `out` */
    static const struct {
        const char *op;
        uint32_t want[4];
    } there[] = {
        {"cp.async.bulk.global.shared::cta.bulk_group [%d1+16], [%r1], 16;", {10, 20, 30, 40}},
        {"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%d1+16], [%r1], 16;",
         {0xdddddde7, 0xddddddf1, 0xddddddfb, 0xddddde05}},
        {"cp.reduce.async.bulk.global.shared::cta.bulk_group.and.b32 [%d1+16], [%r1], 16;",
         {8, 20, 28, 8}}, /* 0xdd is 1101 1101 */
        {"cp.reduce.async.bulk.global.shared::cta.bulk_group.min.u32 [%d1+16], [%r1], 16;",
         {10, 20, 30, 40}},
        {"cp.reduce.async.bulk.global.shared::cta.bulk_group.max.s32 [%d1+16], [%r1], 16;",
         {10, 20, 30, 40}},
        {"cp.reduce.async.bulk.global.shared::cta.bulk_group.inc.u32 [%d1+16], [%r1], 16;",
         {0, 0, 0, 0}},
        {"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u64 [%d1+16], [%r1], 16;",
         {0xdddddde7, 0xddddddf1, 0xddddddfb, 0xddddde05}},
        /* subnormal numbers are no zeros (H100) */
        {"cp.async.bulk.global.shared::cta.bulk_group [%d1+16], [%r1], 16; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; "
         "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%d1+16], [%r1], 16;",
         {20, 40, 60, 80}},
    };
    for (size_t k = 0; k < sizeof there / sizeof *there; k++) {
        char body[900];
        snprintf(body, sizeof body,
                 "%sfence.proxy.async;\n%s\ncp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n",
                 words, there[k].op);
        CHECK_INT(run(body), SIM_OK);
        check_that(!memcmp(got + 4, there[k].want, 16), __FILE__, __LINE__, there[k].op, "values");
        CHECK_INT(r.finding_count, 0);
        CHECK(got[3] == 0xdddddddd && got[8] == 0xdddddddd);
    }
}

/* cp.async (PTX ISA 9.7.9.25.3.1): 4, 8 or 16 bytes, of which so many are read and the others are
 * zero. */
static void test_small_copies(void) {
    static const struct {
        const char *op;
        uint32_t want[4];
    } rows[] = {
        {"cp.async.ca.shared.global [%r1], [%d0+4], 4;", {1, 20, 30, 40}},
        {"cp.async.ca.shared.global [%r1+8], [%d0+8], 8;", {10, 20, 2, 3}},
        {"cp.async.cg.shared.global [%r1], [%d0+16], 16;", {4, 5, 6, 7}},
        {"cp.async.ca.shared.global [%r1+4], [%d0+4], 4, 0;", {10, 0, 30, 40}},
        {"cp.async.ca.shared.global [%r1], [%d0+4], 4, 3;", {1, 20, 30, 40}},
        {"cp.async.ca.shared.global [%r1], [%d0+32], 16, 4;", {8, 0, 0, 0}},
        {"cp.async.cg.shared.global [%r1], [%d0+32], 16, 12;", {8, 9, 10, 0}},
        {"cp.async.cg.shared.global [%r1], [%d0+32], 16, 16;", {8, 9, 10, 11}},
        {"mov.u32 %r3, 8; cp.async.ca.shared.global [%r1], [%d0+32], 16, %r3;", {8, 9, 0, 0}},
        {"mov.u32 %r3, 8; cp.async.ca.shared.global [%r1+8], [%d0], 8, %r3;", {10, 20, 0, 1}},
        {"mov.u32 %r3, 0; cp.async.ca.shared.global [%r1+8], [%d0], 8, %r3;", {10, 20, 0, 0}},
        {"mov.u32 %r3, 5; cp.async.ca.shared.global [%r1+8], [%d0], 8, %r3;", {10, 20, 0, 1}},
        {"mov.b64 %d3, 0; cp.async.ca.shared.global.L2::cache_hint [%r1], [%d0+32], 16, 8, %d3;", {8, 9, 0, 0}},
        {"mov.b64 %d3, 0; cp.async.cg.shared.global.L2::cache_hint [%r1], [%d0+32], 16, %d3;", {8, 9, 10, 11}},
        {"setp.eq.u32 %p1, %r0, 0; cp.async.ca.shared.global [%r1], [%d0+16], 8, !%p1;", {4, 5, 30, 40}},
        /* what is not read need not be there */
        {"setp.eq.u32 %p1, %r0, 0; cp.async.ca.shared.global [%r1], [0], 8, %p1;", {0, 0, 30, 40}},
        {"cp.async.ca.shared.global [%r1], [%d0+8188], 16, 0;", {0, 0, 0, 0}},
        /* who is not on does not count */
        {"setp.ne.u32 %p1, %r0, 0; mov.u32 %r3, 99; @%p1 cp.async.ca.shared.global [%r1], [%d0], 8, %r3;", {10, 20, 30, 40}},
        {"setp.eq.u32 %p1, %r0, 0; cp.async.ca.shared.global [%r1], [%d0+16], 16, %p1;", {0, 0, 0, 0}},
        {"setp.ne.u32 %p1, %r0, 0; cp.async.ca.shared.global [%r1], [%d0+16], 16, %p1;", {4, 5, 6, 7}},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char body[900];
        snprintf(body, sizeof body,
                 "%s%s\ncp.async.commit_group; cp.async.wait_group 0;\n"
                 "ld.shared.v4.u32 {%%r3, %%r4, %%r5, %%r6}, [%%r1];\n"
                 "st.global.v4.u32 [%%d1], {%%r3, %%r4, %%r5, %%r6};\n",
                 words, rows[k].op);
        CHECK_INT(run(body), SIM_OK);
        check_that(!memcmp(got, rows[k].want, 16), __FILE__, __LINE__, rows[k].op, "values");
    }
    for (unsigned n = 0; n < 4; n++) {
        static const uint32_t most[] = {4, 8, 16, 16};
        static const char *const reads[] = {"5", "9", "17", "0xffffffff"};
        char body[200], says[100];
        snprintf(body, sizeof body, "mov.u32 %%r3, %s; cp.async.ca.shared.global [%%r1], [%%d0], %u, %%r3;\n", reads[n],
                 most[n]);
        snprintf(says, sizeof says, "asks cp.async to read %s bytes of the %u that it copies",
                 n == 3 ? "4,294,967,295" : reads[n], most[n]);
        bad_copy(body, SIM_TRAP, says);
    }
    bad_copy("cp.async.ca.shared.global [%r1+4], [%d0], 8;\n", SIM_MISALIGNED, "not a multiple of 8");
    bad_copy("cp.async.ca.shared.global [%r1], [%d0+4], 8;\n", SIM_MISALIGNED, "not a multiple of 8");
    bad_copy("cp.async.ca.shared.global [%r1+4112], [%d0], 16;\n", SIM_ILLEGAL_ADDRESS, "out of bounds");
    bad_copy("cp.async.ca.shared.global [%r1], [%d0+8192], 16;\n", SIM_ILLEGAL_ADDRESS, "");
}

/* An mbarrier's numbers (PTX ISA 9.7.13.15.2): 1 to 2^20 - 1 arrivals, -(2^20 - 1) to 2^20 - 1
 * bytes; a phase is over when neither arrivals nor bytes are missing. */
static void test_ranges_of_barriers(void) {
#define OP(name, v)   "mbarrier." name " [%r2], " v "; "
#define EXPECT(v)     OP("expect_tx.relaxed.cta.shared::cta.b64", v)
#define COMPLETE(v)   OP("complete_tx.relaxed.cta.shared::cta.b64", v)
#define ARRIVE(v)     OP("arrive.shared::cta.b64 _,", v)
#define DROP(v)       OP("arrive_drop.shared::cta.b64 _,", v)
#define INIT_(v)      OP("init.shared.b64", v)
    static const struct {
        const char *ops;
        int over; /* the first phase; -1: a trap */
    } rows[] = {
        {INIT_("1048575") ARRIVE("1048574"), 0},
        {INIT_("1048575") ARRIVE("1048575"), 1},
        {INIT_("1048575") ARRIVE("1048574") ARRIVE("2"), -1},
        {INIT_("2") ARRIVE("1") ARRIVE("1"), 1},
        {INIT_("2") ARRIVE("3"), -1},
        /* the second phase is: parity is as at first */
        {INIT_("2") ARRIVE("2") ARRIVE("2") ARRIVE("1"), 0},
        {INIT_("2") ARRIVE("2") ARRIVE("1"), 1},
        {INIT_("1") EXPECT("1048575"), 0},
        {INIT_("1") EXPECT("1048575") EXPECT("1"), -1},
        {INIT_("1") EXPECT("1048575") ARRIVE("1"), 0},
        {INIT_("1") EXPECT("1048575") ARRIVE("1") COMPLETE("1048574"), 0},
        {INIT_("1") EXPECT("1048575") ARRIVE("1") COMPLETE("1048575"), 1},
        {INIT_("1") EXPECT("1048575") ARRIVE("1") COMPLETE("1048575") ARRIVE("1"), 0},
        {INIT_("1") EXPECT("7") ARRIVE("1") COMPLETE("8"), 0}, /* one too many */
        {INIT_("1") EXPECT("7") ARRIVE("1") COMPLETE("8") EXPECT("1"), 1},
        {INIT_("1") COMPLETE("1048575"), 0},
        {INIT_("1") COMPLETE("1048575") COMPLETE("1"), -1},
        {INIT_("1") COMPLETE("1048575") ARRIVE("1") EXPECT("1048575"), 1},
        {INIT_("2") OP("arrive.expect_tx.shared.b64 _,", "4") COMPLETE("4"), 0},
        {INIT_("2") OP("arrive.expect_tx.shared.b64 _,", "4") COMPLETE("4") ARRIVE("1"), 1},
        {INIT_("1") EXPECT("1048575") OP("arrive.expect_tx.shared.b64 _,", "0") COMPLETE("1048575"), 1},
        {INIT_("1") EXPECT("1048575") OP("arrive.expect_tx.shared.b64 _,", "1"), -1},
        {INIT_("1") DROP("1"), 1},
        {INIT_("2") DROP("2"), 1},
        {INIT_("2") DROP("3"), -1},
        {INIT_("3") DROP("1") ARRIVE("1"), 0},
        {INIT_("3") DROP("1") ARRIVE("2"), 1},
        {INIT_("3") DROP("1") ARRIVE("2") ARRIVE("2"), 0}, /* two each phase from then on */
        {INIT_("3") DROP("1") ARRIVE("2") ARRIVE("3"), -1},
        {INIT_("3") OP("arrive_drop.expect_tx.shared.b64 _,", "4") ARRIVE("2"), 0},
        {INIT_("3") OP("arrive_drop.expect_tx.shared.b64 _,", "4") ARRIVE("2") COMPLETE("4"), 1},
        {INIT_("3") OP("arrive_drop.expect_tx.shared.b64 _,", "4") ARRIVE("2") COMPLETE("4") ARRIVE("2"), 0},
        {INIT_("2") OP("arrive.noComplete.shared.b64 _,", "1"), 0},
        {INIT_("2") "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%r2];", 0},
        {INIT_("1") "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%r2];", 1},
        {INIT_("1") "cp.async.mbarrier.arrive.shared::cta.b64 [%r2];", 0},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char body[1000];
        snprintf(body, sizeof body, "%s%s", rows[k].ops, PARITY(0, 0) PARITY(1, 4));
        sim_status s = run(body);
        bool ok = rows[k].over < 0 ? s == SIM_TRAP
                                   : s == SIM_OK && got[0] == (uint32_t)rows[k].over &&
                                         got[1] == !rows[k].over;
        check_that(ok, __FILE__, __LINE__, rows[k].ops, "another phase");
    }
    /* a generic address, and an offset to it */
    CHECK_INT(run(INIT "cvt.u64.u32 %d9, %r2; cvta.shared.u64 %d9, %d9;\n"
                  "mbarrier.init.b64 [%d9+8], 1; mbarrier.arrive.b64 %d4, [%d9+8];\n"
                  "mbarrier.test_wait.parity.b64 %p1, [%d9+8], 0; selp.u32 %r3, 1, 0, %p1;\n" STORE("%r3", 0)
                  "mbarrier.test_wait.b64 %p1, [%d9+8], %d4; selp.u32 %r3, 1, 0, %p1;\n" STORE("%r3", 4)
                  "mbarrier.test_wait.parity.shared.b64 %p1, [%r2+8], 0; selp.u32 %r3, 1, 0, %p1;\n"
                  STORE("%r3", 8) PARITY(0, 12)),
              SIM_OK);
    CHECK(got[0] == 1 && got[1] == 1 && got[2] == 1 && got[3] == 0);
    /* the state that an arrival returns: how many were missing before it, and which phase it was */
    CHECK_INT(run(INIT_("5") "mbarrier.arrive.shared::cta.b64 %d4, [%r2], 3;\n"
                  "mbarrier.pending_count.b64 %r3, %d4;\n" STORE("%r3", 0)
                  "mbarrier.arrive_drop.shared::cta.b64 %d5, [%r2];\n"
                  "mbarrier.pending_count.b64 %r3, %d5;\n" STORE("%r3", 4)
                  "mbarrier.arrive.expect_tx.shared.b64 %d6, [%r2], 0;\n"
                  "mbarrier.pending_count.b64 %r3, %d6;\n" STORE("%r3", 8)
                  "mbarrier.arrive.shared.b64 %d7, [%r2];\n"
                  "mbarrier.pending_count.b64 %r3, %d7;\n" STORE("%r3", 12)
                  "mbarrier.test_wait.shared.b64 %p1, [%r2], %d6; selp.u32 %r4, 1, 0, %p1;\n"
                  STORE("%r4", 16)
                  "mbarrier.test_wait.shared.b64 %p1, [%r2], %d7; selp.u32 %r4, 1, 0, %p1;\n"
                  STORE("%r4", 20)),
              SIM_OK);
    static const uint32_t want[] = {5, 2, 1, 4, 1, 0};
    for (unsigned k = 0; k < 6; k++) CHECK_INT(got[k], want[k]);
}

/* clang-format on */

/* What one thread writes before it arrives, another that has waited may read: if the arrival
 * releases and the wait acquires, as both do unless they are .relaxed (PTX ISA 9.7.13.15.13 to
 * .16); counting bytes orders nothing. */
static void test_orders(void) {
    static const struct {
        const char *arrives;
        bool releases;
    } from[] = {
        {"st.shared.u32 [%r1], 7; mbarrier.arrive.shared.b64 _, [%r2];", true},
        {"st.shared.u32 [%r1], 7; mbarrier.arrive.release.cta.shared::cta.b64 _, [%r2];", true},
        {"st.shared.u32 [%r1], 7; mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [%r2];", false},
        {"st.shared.u32 [%r1], 7; mbarrier.arrive_drop.shared.b64 _, [%r2];", true},
        {"st.shared.u32 [%r1], 7; mbarrier.arrive_drop.relaxed.cta.shared::cta.b64 _, [%r2];",
         false},
        {"st.shared.u32 [%r1], 7; mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 0;", true},
        {"st.shared.u32 [%r1], 7; mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [%r2], "
         "0;",
         false},
        {"mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 16; st.shared.u32 [%r1], 7; "
         "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r2], 16;",
         false}};
    static const struct {
        const char *waits;
        bool acquires;
    } to[] = {{"mbarrier.test_wait.parity.shared.b64", true},
              {"mbarrier.try_wait.parity.shared::cta.b64", true},
              {"mbarrier.try_wait.parity.acquire.cta.shared::cta.b64", true},
              {"mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64", false},
              {"mbarrier.test_wait.parity.relaxed.cta.shared::cta.b64", false}};
    for (size_t k = 0; k < sizeof from / sizeof *from; k++)
        for (size_t n = 0; n < sizeof to / sizeof *to; n++) {
            char body[1000];
            snprintf(body, sizeof body,
                     "setp.eq.u32 %%p1, %%r0, 0; @%%p1 mbarrier.init.shared.b64 [%%r2], "
                     "1;\nbar.sync 0;\n"
                     "setp.eq.u32 %%p2, %%r0, 32; @%%p1 bra FIRST; @%%p2 bra AGAIN; bra END;\n"
                     "FIRST: %s\nbra END;\nAGAIN: %s %%p3, [%%r2], 0; @!%%p3 bra AGAIN;\n"
                     "ld.shared.u32 %%r5, [%%r1]; st.global.u32 [%%d1], %%r5;\nEND:\n",
                     from[k].arrives, to[n].waits);
            CHECK_INT(run_on(64, body), SIM_OK);
            check_that(got[0] == 7 && !r.finding_count == (from[k].releases && to[n].acquires),
                       __FILE__, __LINE__, from[k].arrives, to[n].waits);
        }
}

static void test_refused(void) {
    static const struct {
        const char *body, *words;
    } cases[] = {
        {"cp.async.bulk.tensor.3d.shared::cluster.global.im2col::w.mbarrier::complete_tx::bytes "
         "[%r1], [%d2, {%r0, %r0, %r0}], [%r2], {1, 2};",
         "'cp.async.bulk.tensor.im2col::w.shared::cluster' needs a target such as sm_100a"},
        {"cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%d0], [%r1], 16, 15;",
         "'cp.async.bulk.cp_mask' needs .target sm_100, and this module is for sm_90"},
        {"tensormap.replace.tile.elemtype.global.b1024.b32 [%d0], 13;",
         "operand 2 of 'tensormap.replace.elemtype' must be from 0 to 12"},
        {"tensormap.replace.tile.swizzle_mode.global.b1024.b32 [%d0], 4;",
         "operand 2 of 'tensormap.replace.swizzle_mode' must be from 0 to 3"},
        {"tensormap.replace.tile.swizzle_atomicity.global.b1024.b32 [%d0], 0;",
         "'tensormap.replace.swizzle_atomicity' needs a target such as sm_100a"},
        {"tensormap.replace.tile.interleave_layout.global.b1024.b32 [%d0], 3;",
         "operand 2 of 'tensormap.replace.interleave_layout' must be from 0 to 2"},
        {"tensormap.replace.tile.fill_mode.global.b1024.b32 [%d0], 2;",
         "operand 2 of 'tensormap.replace.fill_mode' must be from 0 to 1"},
        {"tensormap.replace.tile.box_dim.global.b1024.b32 [%d0], 5, 1;",
         "operand 2 of 'tensormap.replace.box_dim' must be from 0 to 4"},
        {"tensormap.replace.tile.global_stride.global.b1024.b64 [%d0], 5, 16;",
         "operand 2 of 'tensormap.replace.global_stride' must be from 0 to 4"},
        {"tensormap.replace.tile.global_stride.global.b1024.b64 [%d0], 4, 16;",
         "the ordinal of a stride is less than 4"},
        {"tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
         "[%d0], [%r1], 64;",
         "operand 3 of 'tensormap.cp_fenceproxy' must be from 128 to 128"},
        {"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.cta_"
         "group::1 [%r1], [%d2, {%r0, %r0}], [%r2];",
         "'cp.async.bulk.tensor.cta_group::1' needs a target such as sm_100a"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK(run(cases[i].body) != SIM_OK);
        CHECK_CONTAINS(said(&msg), cases[i].words);
    }
}

/* 4 KB of global memory, cold, are 4 KB of DRAM and in L2 what a warp's own loads of them are.
 * Lanes loaded nothing. */
static void test_counters(void) {
    sim_flush_caches(d, 0);
    CHECK_INT(
        run_on(32, "mul.lo.u32 %r3, %r0, 128; cvt.u64.u32 %d3, %r3; add.u64 %d3, %d0, %d3; mov.u32 "
                   "%r4, 0;\n"
                   "NEXT: ld.global.cg.v4.u32 {%r5, %r6, %r7, %r8}, [%d3]; add.u64 %d3, %d3, 32;\n"
                   "add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 4; @%p1 bra NEXT;\n"),
        SIM_OK);
    uint64_t sectors = r.counters.l2_sectors;
    CHECK_INT(r.counters.gld_sectors, 128);
    sim_flush_caches(d, 0);
    CHECK_INT(run(INIT LOAD("%r1", "%d0", "4096")), SIM_OK);
    CHECK_INT(r.counters.l2_sectors, sectors);
    CHECK_INT(r.counters.dram_read, 4096);
    CHECK_INT(r.counters.gld_requests, 0);
    CHECK(r.time_us > 0);
}

/* Without clusters a block is rank 0 of its own, and there is no other. */
static void test_multicast(void) {
#define CAST(ranks)                                                                                \
    "mbarrier.init.shared.b64 [%r2], 1; mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 16;\n"      \
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r1], " \
    "[%d0], 16, [%r2], " #ranks ";\n"
    CHECK_INT(run(CAST(1) PARITY(0, 0)), SIM_OK);
    CHECK_INT(got[0], 1);
    bad_copy(CAST(3), SIM_ILLEGAL_ADDRESS, "out of bounds");
}

int main(void) {
    if (!async_begin()) return 1;
    test_phases();
    test_pending_of_some();
    test_bytes();
    test_misused_barriers();
    test_waits();
    test_endless_waits();
    test_waits_with_a_limit();
    test_misused_copies();
    test_changed_maps();
    test_replaced_boxes();
    test_replaced_fields();
    test_generic_posts();
    test_posts();
    test_near_copies();
    test_ranges();
    test_small_copies();
    test_ranges_of_barriers();
    test_orders();
    test_refused();
    test_multicast();
    test_counters();
    return async_done();
}
