/* Which window an address lies in, and whose block's memory it is: isspacep, mapa and getctarank
 * (PTX ISA 9.7.9) at the edges of each window. Windows are those of memory/memory.h; an address of
 * shared memory has its block's rank in bits 24 to 31 and the offset below (access/access.h). */
#include "runner/base/message.h"
#include "runner/device/sim/machine/device.h"
#include "runner/device/sim/memory/memory.h"
#include "runner/device/sim/sim.h"
#include "tests/check.h"
#include "tests/said.h"

enum { LANES = 32, RANKS = 3 };
/* What a lane leaves: bits of the spaces, then addresses and ranks; lanes not divisible by 3 leave
 * 7's. */
enum { GLOBAL = 1, SHARED = 2, CLUSTER = 4, LOCAL = 8, CONST = 16, PARAM = 32 };
typedef struct {
    uint64_t spaces, generic, shared, generic_rank, shared_rank;
} told;

static const char ptx[] =
    ".version 8.5\n.target sm_90\n.address_size 64\n"
    ".entry k(.param .u64 in, .param .u64 out, .param .u32 rank) {\n"
    ".reg .pred %p<8>; .reg .b32 %r<20>; .reg .b64 %d<12>;\n"
    "ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out]; ld.param.u32 %r10, [rank];\n"
    "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r3, %r2, 32, %r1;\n"
    "mul.wide.u32 %d3, %r1, 8; add.u64 %d1, %d1, %d3; ld.global.u64 %d4, [%d1];\n"
    "mul.wide.u32 %d3, %r3, 40; add.u64 %d2, %d2, %d3;\n"
    "isspacep.global %p1, %d4; isspacep.shared %p2, %d4; isspacep.shared::cluster %p3, %d4;\n"
    "isspacep.local %p4, %d4; isspacep.const %p5, %d4; isspacep.param %p6, %d4;\n"
    "mov.u32 %r4, 0; @%p1 or.b32 %r4, %r4, 1; @%p2 or.b32 %r4, %r4, 2; @%p3 or.b32 %r4, %r4, 4;\n"
    "@%p4 or.b32 %r4, %r4, 8; @%p5 or.b32 %r4, %r4, 16; @%p6 or.b32 %r4, %r4, 32;\n"
    "mov.u64 %d5, 7; mov.u64 %d6, 7; mov.u32 %r6, 7; mov.u32 %r7, 7; cvt.u32.u64 %r5, %d4;\n"
    "rem.u32 %r8, %r1, 3; setp.eq.u32 %p7, %r8, 0;\n"
    "mov.u32 %r9, 7;\n"
    "@%p7 mapa.u64 %d5, %d4, %r10; @%p7 mapa.shared::cluster.u32 %r9, %r5, %r10;\n"
    "@%p7 getctarank.u64 %r6, %d4; @%p7 getctarank.shared::cluster.u32 %r7, %r5;\n"
    "cvt.u64.u32 %d7, %r4; st.global.u64 [%d2], %d7; st.global.u64 [%d2+8], %d5;\n"
    "cvt.u64.u32 %d7, %r9; st.global.u64 [%d2+16], %d7; cvt.u64.u32 %d7, %r6;\n"
    "st.global.u64 [%d2+24], %d7; cvt.u64.u32 %d7, %r7; st.global.u64 [%d2+32], %d7;\nret; }\n";

#define IN(rank, offset) (SIM_SHARED_WINDOW + ((uint64_t)(rank) << 24) + (offset))
#define END(window)      ((window) + SIM_WINDOW_BYTES)
static const struct {
    uint64_t at;
    unsigned spaces; /* but for SHARED and CLUSTER */
} rows[LANES] = {{0, GLOBAL},
                 {SIM_SHARED_WINDOW - 1, GLOBAL},
                 {IN(0, 0), 0},
                 {IN(0, 0xffffff), 0},
                 {IN(1, 0), 0},
                 {IN(1, 0xabcdef), 0},
                 {IN(2, 4), 0},
                 {IN(2, 0xffffff), 0},
                 {IN(3, 0), 0},
                 {IN(4, 8), 0},
                 {IN(255, 0), 0},
                 {END(SIM_SHARED_WINDOW) - 1, 0},
                 {SIM_LOCAL_WINDOW, LOCAL},
                 {END(SIM_LOCAL_WINDOW) - 1, LOCAL},
                 {SIM_PARAM_WINDOW, PARAM | GLOBAL},
                 {END(SIM_PARAM_WINDOW) - 1, PARAM | GLOBAL},
                 {END(SIM_PARAM_WINDOW), GLOBAL},
                 {SIM_CONST_WINDOW(0) - 1, GLOBAL},
                 /* a kernel's parameters: the first that a device keeps there */
                 {SIM_CONST_WINDOW(0), PARAM | GLOBAL},
                 {SIM_CONST_WINDOW(0) + SIM_PARAM_BLOCK - 1, PARAM | GLOBAL},
                 {SIM_CONST_WINDOW(0) + SIM_PARAM_BLOCK, CONST},
                 {SIM_CONST_WINDOW(1), CONST},
                 {SIM_CONST_WINDOW(16) - 1, CONST},
                 {SIM_CONST_WINDOW(16), GLOBAL},
                 {SIM_DEV_BASE(0), GLOBAL},
                 {SIM_DEV_BASE(3) + 5, GLOBAL},
                 {SIM_DEV_BASE(16) - 1, GLOBAL},
                 {SIM_DEV_BASE(16), GLOBAL},
                 {0x7fffffffffff, GLOBAL},
                 {1ull << 63, GLOBAL},
                 {SIM_SHARED_WINDOW | 1ull << 63, GLOBAL},
                 {UINT64_MAX, GLOBAL}};

/* Lane l of the block of rank `own` in a cluster of `size`, asked for the block of rank `of`. */
static told expected(unsigned l, unsigned own, unsigned size, uint32_t of) {
    uint64_t at = rows[l].at;
    uint32_t low = (uint32_t)at, rank = low >> 24;
    bool inside = at >= SIM_SHARED_WINDOW && at < END(SIM_SHARED_WINDOW);
    told t = {rows[l].spaces, 7, 7, 7, 7};
    if (inside && rank == own) t.spaces |= SHARED;
    if (inside && rank < size) t.spaces |= CLUSTER;
    if (l % 3) return t;
    uint32_t to = of < 255 ? of : 255; /* 255: no cluster is as large */
    t.shared = (low & 0xffffff) | to << 24;
    t.generic = SIM_SHARED_WINDOW + ((low & 0xffffff) | (inside ? to : 255u) << 24);
    t.generic_rank = t.shared_rank = rank;
    return t;
}

int main(void) {
    static const uint32_t asked[] = {0, 1, 2, 3, 254, 255, 256, UINT32_MAX};
    lib_message msg = {0};
    sim_options o;
    sim_module_options mo = {.ptxas = ""};
    sim_options_default(&o);
    o.threads = 1;
    sim_device *d = sim_device_new(sim_profile_find("h200"), &o, &msg);
    sim_module *m = d ? sim_module_new(d, ptx, sizeof ptx - 1, &mo, &msg) : NULL;
    if (!m) printf("# %s\n", said(&msg));
    if (!CHECK(m != NULL)) return check_done();
    static told got[RANKS * LANES];
    uint64_t in[LANES];
    sim_addr from, to;
    for (unsigned l = 0; l < LANES; l++) in[l] = rows[l].at;
    sim_malloc(d, sizeof in, &from);
    sim_malloc(d, sizeof got, &to);
    sim_write(d, from, in, sizeof in);
    for (unsigned k = 0; k < 2 * (sizeof asked / sizeof *asked); k++) {
        struct {
            uint64_t in, out;
            uint32_t rank;
        } params = {from, to, asked[k / 2]};
        unsigned size = k % 2 ? RANKS : 1, wrong = 0; /* without clusters each block is alone */
        sim_launch l = {.kernel = sim_module_kernel(m, "k"),
                        .grid = {RANKS, 1, 1},
                        .block = {LANES, 1, 1},
                        .cluster = {k % 2 ? RANKS : 0, k % 2, k % 2},
                        .params = &params,
                        .param_bytes = 20};
        sim_result r = {0};
        sim_fill(d, to, 0xee, 1, sizeof got);
        CHECK_INT(sim_run(d, &l, &r, &msg), SIM_OK);
        CHECK_INT(r.finding_count, 0);
        sim_read(d, got, to, sizeof got);
        for (unsigned i = 0; i < RANKS * LANES; i++) {
            told want = expected(i % LANES, k % 2 ? i / LANES : 0, size, asked[k / 2]);
            bool bad = memcmp(&got[i], &want, sizeof want) != 0;
            if (bad && !wrong++)
                printf("# block %u lane %u: %llx %llx %llx %llx %llx\n", i / LANES, i % LANES,
                       (unsigned long long)got[i].spaces, (unsigned long long)got[i].generic,
                       (unsigned long long)got[i].shared, (unsigned long long)got[i].generic_rank,
                       (unsigned long long)got[i].shared_rank);
        }
        CHECK_INT(wrong, 0);
        sim_result_free(&r);
    }
    sim_module_free(m);
    sim_device_free(d);
    return check_done();
}
