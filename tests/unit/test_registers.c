/* What a thread finds in its special registers and its parameters: PTX ISA, chapter 10, for blocks
 * of 5 x 4 x 3 threads, whose second warp is not whole, without clusters and in clusters of 2 x 2 x
 * 2 blocks. An H200 has 132 multiprocessors of 64 warps. */
#include <stdlib.h>
#include "runner/base/message.h"
#include "runner/device/sim/sim.h"
#include "tests/check.h"
#include "tests/said.h"

enum { GX = 6, GY = 4, GZ = 2, BX = 5, BY = 4, BZ = 3, CX = 2, CY = 2, CZ = 2 };
enum { BLOCKS = GX * GY * GZ, THREADS = BX * BY * BZ, SMS = 132, STATIC = 132, DYNAMIC = 256 };

/* x, y and z of a thread, t, and of its block, b; the thread's lane and warp. */
typedef struct {
    unsigned t[3], b[3], lane, warp;
} here;

static unsigned tid_x(const here *h) {
    return h->t[0];
}
static unsigned tid_y(const here *h) {
    return h->t[1];
}
static unsigned tid_z(const here *h) {
    return h->t[2];
}
static unsigned ctaid_x(const here *h) {
    return h->b[0];
}
static unsigned ctaid_y(const here *h) {
    return h->b[1];
}
static unsigned ctaid_z(const here *h) {
    return h->b[2];
}
static unsigned laneid(const here *h) {
    return h->lane;
}
static unsigned warpid(const here *h) {
    return h->warp;
}
static unsigned equal(const here *h) {
    return 1u << h->lane;
}
static unsigned below(const here *h) {
    return equal(h) - 1;
}
static unsigned up_to(const here *h) {
    return below(h) | equal(h);
}
static unsigned from(const here *h) {
    return ~below(h);
}
static unsigned above(const here *h) {
    return ~up_to(h);
}
static unsigned clusterid_x(const here *h) {
    return h->b[0] / CX;
}
static unsigned clusterid_y(const here *h) {
    return h->b[1] / CY;
}
static unsigned clusterid_z(const here *h) {
    return h->b[2] / CZ;
}
static unsigned in_x(const here *h) {
    return h->b[0] % CX;
}
static unsigned in_y(const here *h) {
    return h->b[1] % CY;
}
static unsigned in_z(const here *h) {
    return h->b[2] % CZ;
}
static unsigned rank(const here *h) {
    return in_x(h) + CX * (in_y(h) + CY * in_z(h));
}

/* The device's launches, from 1. */
static unsigned launches;
static unsigned launch(const here *h) {
    (void)h;
    return launches;
}

#define MOVE(name) "mov.u32 %r1, " name ";"
static const struct {
    const char *text; /* puts it into %r1 */
    unsigned (*of)(const here *h);
    unsigned constant; /* where it is the same for all */
    bool cluster;
} rows[] = {
    {.text = MOVE("%tid.x"), .of = tid_x},
    {.text = MOVE("%tid.y"), .of = tid_y},
    {.text = MOVE("%tid.z"), .of = tid_z},
    {.text = MOVE("%ntid.x"), .constant = BX},
    {.text = MOVE("%ntid.y"), .constant = BY},
    {.text = MOVE("%ntid.z"), .constant = BZ},
    {.text = MOVE("%ctaid.x"), .of = ctaid_x},
    {.text = MOVE("%ctaid.y"), .of = ctaid_y},
    {.text = MOVE("%ctaid.z"), .of = ctaid_z},
    {.text = MOVE("%nctaid.x"), .constant = GX},
    {.text = MOVE("%nctaid.y"), .constant = GY},
    {.text = MOVE("%nctaid.z"), .constant = GZ},
    {.text = MOVE("%laneid"), .of = laneid},
    {.text = MOVE("%warpid"), .of = warpid},
    {.text = MOVE("%nwarpid"), .constant = 64},
    {.text = MOVE("%nsmid"), .constant = SMS},
    {.text = MOVE("WARP_SZ"), .constant = 32},
    {.text = MOVE("%lanemask_eq"), .of = equal},
    {.text = MOVE("%lanemask_lt"), .of = below},
    {.text = MOVE("%lanemask_le"), .of = up_to},
    {.text = MOVE("%lanemask_ge"), .of = from},
    {.text = MOVE("%lanemask_gt"), .of = above},
    {.text = MOVE("%dynamic_smem_size"), .constant = DYNAMIC},
    /* in units of 128; with the 1024 that the system reserves (sm_90, measured on an H200) */
    {.text = MOVE("%total_smem_size"), .constant = (STATIC + DYNAMIC + 127) / 128 * 128},
    {.text = MOVE("%aggr_smem_size"), .constant = STATIC + DYNAMIC + 1024},
    {.text = "mov.u64 %d2, %gridid; cvt.u32.u64 %r1, %d2;", .of = launch},
    {.text = "mov.u64 %d2, %gridid; shr.u64 %d2, %d2, 32; cvt.u32.u64 %r1, %d2;", .constant = 0},
    {.text = "mov.u32 %r1, %gridid;", .of = launch},
    /* parameters: the sign goes up to the register's width, or none does */
    {.text = "ld.param.u8 %r1, [p1];", .constant = 0x85},
    {.text = "ld.param.s8 %r1, [p2];", .constant = 0xffffff86},
    {.text = "ld.param.u16 %r1, [p3];", .constant = 0x8765},
    {.text = "ld.param.s16 %r1, [p4];", .constant = 0xffff8766},
    {.text = "ld.param.u32 %r1, [p5];", .constant = 0x89abcdef},
    {.text = "ld.param.s32 %d2, [p5]; shr.u64 %d2, %d2, 32; cvt.u32.u64 %r1, %d2;",
     .constant = 0xffffffff},
    {.text = "ld.param.u32 %d2, [p5]; shr.u64 %d2, %d2, 32; cvt.u32.u64 %r1, %d2;", .constant = 0},
    {.text = "ld.param.u64 %d2, [p6]; shr.u64 %d2, %d2, 32; cvt.u32.u64 %r1, %d2;",
     .constant = 0x8abcdef0},
    {.text = "ld.param.u64 %d2, [p6]; cvt.u32.u64 %r1, %d2;", .constant = 0x12345678},
    {.text = MOVE("%clusterid.x"), .of = clusterid_x, .cluster = true},
    {.text = MOVE("%clusterid.y"), .of = clusterid_y, .cluster = true},
    {.text = MOVE("%clusterid.z"), .of = clusterid_z, .cluster = true},
    {.text = MOVE("%nclusterid.x"), .constant = GX / CX, .cluster = true},
    {.text = MOVE("%nclusterid.y"), .constant = GY / CY, .cluster = true},
    {.text = MOVE("%nclusterid.z"), .constant = GZ / CZ, .cluster = true},
    {.text = MOVE("%cluster_ctaid.x"), .of = in_x, .cluster = true},
    {.text = MOVE("%cluster_ctaid.y"), .of = in_y, .cluster = true},
    {.text = MOVE("%cluster_ctaid.z"), .of = in_z, .cluster = true},
    {.text = MOVE("%cluster_nctaid.x"), .constant = CX, .cluster = true},
    {.text = MOVE("%cluster_nctaid.y"), .constant = CY, .cluster = true},
    {.text = MOVE("%cluster_nctaid.z"), .constant = CZ, .cluster = true},
    {.text = MOVE("%cluster_ctarank"), .of = rank, .cluster = true},
    {.text = MOVE("%cluster_nctarank"), .constant = CX * CY * CZ, .cluster = true},
    {.text = "mov.pred %p1, %is_explicit_cluster; selp.u32 %r1, 7, 0, %p1;",
     .constant = 7,
     .cluster = true},
    {.text = MOVE("%smid"), .constant = 0}}; /* the last: looked at by itself */
enum { ROWS = sizeof rows / sizeof *rows };

static uint32_t got[BLOCKS][THREADS][ROWS];

static bool run(sim_device *d, bool clusters) {
    static char text[16000];
    lib_message msg = {0};
    size_t n = (size_t)snprintf(
        text, sizeof text,
        ".version 8.1\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out, .param "
        ".u8 p1, .param .s8 p2, .param .u16 p3, .param .s16 p4, .param .u32 p5, .param .u64 "
        "p6)\n{\n"
        ".reg .pred %%p<2>;\n.reg .b32 %%r<9>;\n.reg .b64 %%d<9>;\n.shared .align 128 .b8 s[%u];\n"
        "mov.u32 %%r2, s;\nst.shared.u32 [%%r2], %%r2;\nld.param.u64 %%d1, [out];\n"
        "mov.u32 %%r2, %%ctaid.z;\nmad.lo.u32 %%r2, %%r2, %u, 0;\nmov.u32 %%r3, %%ctaid.y;\n"
        "add.u32 %%r2, %%r2, %%r3;\nmov.u32 %%r3, %%ctaid.x;\nmad.lo.u32 %%r2, %%r2, %u, %%r3;\n"
        "mov.u32 %%r3, %%tid.z;\nmad.lo.u32 %%r2, %%r2, %u, %%r3;\nmov.u32 %%r3, %%tid.y;\n"
        "mad.lo.u32 %%r2, %%r2, %u, %%r3;\nmov.u32 %%r3, %%tid.x;\nmad.lo.u32 %%r2, %%r2, %u, "
        "%%r3;\nmul.wide.u32 %%d2, %%r2, %u;\nadd.u64 %%d1, %%d1, %%d2;\n",
        STATIC, GY, GX, BZ, BY, BX, ROWS * 4);
    for (unsigned k = 0; k < ROWS; k++)
        if (clusters || !rows[k].cluster)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s\nst.global.u32 [%%d1+%u], %%r1;\n",
                                  rows[k].text, 4 * k);
    snprintf(text + n, sizeof text - n, "ret;\n}\n");
    struct {
        sim_addr out;
        uint8_t p1, p2;
        uint16_t p3, p4;
        uint32_t p5;
        uint64_t p6;
    } p = {0, 0x85, 0x86, 0x8765, 0x8766, 0x89abcdef, 0x8abcdef012345678};
    sim_module_options mo = {.ptxas = ""};
    sim_module *m = sim_module_new(d, text, strlen(text), &mo, &msg);
    sim_result r = {0};
    sim_launch l = {.kernel = m ? sim_module_kernel(m, "k") : NULL,
                    .grid = {GX, GY, GZ},
                    .block = {BX, BY, BZ},
                    .dynamic_shared = DYNAMIC,
                    .params = &p,
                    .param_bytes = sizeof p};
    launches++;
    if (clusters) l.cluster[0] = CX, l.cluster[1] = CY, l.cluster[2] = CZ;
    bool ok = m && !sim_malloc(d, sizeof got, &p.out) && sim_run(d, &l, &r, &msg) == SIM_OK &&
              !sim_read(d, got, p.out, sizeof got);
    check_that(ok, __FILE__, __LINE__, clusters ? "in clusters" : "without clusters", said(&msg));
    sim_result_free(&r);
    sim_free(d, p.out);
    sim_module_free(m);
    return ok;
}

static void look(bool clusters) {
    for (unsigned k = 0; k + 1 < ROWS; k++) {
        unsigned bad = 0, first = 0;
        if (rows[k].cluster && !clusters) continue;
        for (unsigned b = 0; b < BLOCKS; b++)
            for (unsigned t = 0; t < THREADS; t++) {
                here h = {{t % BX, t / BX % BY, t / BX / BY},
                          {b % GX, b / GX % GY, b / GX / GY},
                          t % 32,
                          t / 32};
                uint32_t want = rows[k].of ? rows[k].of(&h) : rows[k].constant;
                if (got[b][t][k] == want) continue;
                if (!bad++) first = got[b][t][k];
            }
        char why[80];
        snprintf(why, sizeof why, "%u threads have another value, the first 0x%x", bad, first);
        check_that(!bad, __FILE__, __LINE__, rows[k].text, why);
    }
    /* the fewer blocks than multiprocessors have one each; all threads of a block are on it */
    unsigned bad = 0;
    bool taken[SMS] = {false};
    for (unsigned b = 0; b < BLOCKS; b++) {
        uint32_t sm = got[b][0][ROWS - 1];
        for (unsigned t = 0; t < THREADS; t++) bad += got[b][t][ROWS - 1] != sm;
        bad += sm >= SMS || taken[sm];
        if (sm < SMS) taken[sm] = true;
    }
    CHECK_INT(bad, 0);
}

/* Each block's clock starts at 0 and is the same in every run: 4 cycles for an instruction of a
 * warp and 20 for reading it (exec.c). The first instruction, a basic block by itself, reads 24 in
 * each block. */
static void clocks(sim_device *d) {
    static const char text[] =
        ".version 8.1\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
        ".reg .pred %p<2>;\n.reg .b32 %r<9>;\n.reg .b64 %d<9>;\nmov.u64 %d1, %clock64;\n"
        "AGAIN: setp.eq.u64 %p1, %d1, 0;\n@%p1 bra AGAIN;\n"
        "ld.param.u64 %d2, [out];\nmov.u32 %r1, %ctaid.x;\nmad.wide.u32 %d2, %r1, 8, %d2;\n"
        "st.global.u64 [%d2], %d1;\nret;\n}\n";
    lib_message msg = {0};
    sim_module_options mo = {.ptxas = ""};
    sim_module *m = sim_module_new(d, text, sizeof text - 1, &mo, &msg);
    sim_addr out = 0;
    sim_result r = {0};
    sim_launch l = {.kernel = m ? sim_module_kernel(m, "k") : NULL,
                    .grid = {BLOCKS, 1, 1},
                    .block = {1, 1, 1},
                    .params = &out,
                    .param_bytes = sizeof out};
    static uint64_t first[BLOCKS];
    bool ok = m && !sim_malloc(d, sizeof first, &out) && sim_run(d, &l, &r, &msg) == SIM_OK &&
              !sim_read(d, first, out, sizeof first);
    check_that(ok, __FILE__, __LINE__, "reading a clock", said(&msg));
    for (unsigned b = 0; ok && b < BLOCKS; b++) CHECK_INT(first[b], 24);
    sim_result_free(&r);
    sim_free(d, out);
    sim_module_free(m);
}

/* %clock64: four cycles for each instruction from one reading to the next, the latter counted,
 * and twenty for reading, wherever segments begin (there is one behind the branch). */
static void between_clocks(sim_device *d) {
    static const char text[] =
        ".version 8.1\n.target sm_80\n.address_size 64\n"
        ".visible .entry k(.param .u64 x) { .reg .b64 %d<7>; .reg .b32 %r<2>; .reg .pred %p<3>;\n"
        "ld.param.u64 %d1, [x]; mov.u32 %r1, %tid.x;\n"
        "setp.eq.u32 %p1, %r1, 99; setp.ne.u32 %p2, %r1, 99;\n"
        "mov.u64 %d2, %clock64; mov.u64 %d3, %clock64;\n"
        "add.u32 %r1, %r1, 1; add.u32 %r1, %r1, 1; @%p2 mov.u64 %d4, %clock64;\n"
        "add.u32 %r1, %r1, 1; @%p1 bra other;\n"
        "add.u32 %r1, %r1, 1; mov.u64 %d5, %clock64; add.u32 %r1, %r1, 1;\n"
        "mov.u64 %d6, %clock64;\n"
        "st.global.u64 [%d1], %d2; st.global.u64 [%d1+8], %d3; st.global.u64 [%d1+16], %d4;\n"
        "st.global.u64 [%d1+24], %d5; st.global.u64 [%d1+32], %d6;\n"
        "other: ret; }\n";
    static const unsigned instructions[] = {1, 3, 4, 2};
    lib_message m = {0};
    sim_module_options mo = {.ptxas = ""};
    sim_module *mod = sim_module_new(d, text, strlen(text), &mo, &m);
    CHECK_STR(said(&m), "");
    if (!mod) return;
    sim_addr x;
    uint64_t read[5] = {0};
    sim_malloc(d, sizeof read, &x);
    sim_launch l = {.kernel = sim_module_kernel(mod, "k"),
                    .grid = {1, 1, 1},
                    .block = {32, 1, 1},
                    .params = &x,
                    .param_bytes = 8};
    sim_result r = {0};
    CHECK_INT(sim_run(d, &l, &r, &m), SIM_OK);
    CHECK_INT(sim_read(d, read, x, sizeof read), SIM_OK);
    CHECK_INT(read[0], 5 * 4 + 20); /* the fifth instruction of the only warp */
    for (unsigned k = 0; k < 4; k++) CHECK_INT(read[k + 1] - read[k], instructions[k] * 4 + 20);
    sim_result_free(&r);
    sim_free(d, x);
    sim_module_free(mod);
}

int main(void) {
    for (unsigned threads = 1; threads <= 3; threads += 2) { /* of the host */
        sim_options o;
        lib_message msg = {0};
        sim_options_default(&o);
        o.threads = threads;
        sim_device *d = sim_device_new(sim_profile_find("h200"), &o, &msg);
        if (!CHECK(d != NULL)) return check_done();
        launches = 0;
        for (int clusters = 0; clusters < 2; clusters++)
            if (run(d, clusters)) look(clusters);
        clocks(d);
        between_clocks(d);
        sim_device_free(d);
    }
    return check_done();
}
