/* Machine code of hot kernels (runner/device/sim/native/native.h) against the handlers: every row
 * that is compiled, on the same values, bit for bit; and whole kernels, with all their counters.
 * What is expected comes from the handlers, which test_exec_ops.c holds to a GPU's results. */
#include "runner/base/message.h"
#include "runner/device/server/device.h"
#include "runner/device/sim/machine/device.h"
#include "runner/device/sim/module/module.h"
#include "runner/device/sim/native/native.h"
#include "tests/check.h"
#include "tests/said.h"
/* after what it names */
#include "runner/device/sim/exec/families.h"
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- every row ---- */

enum {
    SLOT = 256,
    INPUTS = 6,
    MAX_ROWS = 600,
    IN32 = 0,
    IN64 = INPUTS * SLOT,
    INP = 2 * INPUTS * SLOT,
    OUT = 3 * INPUTS * SLOT
};

static uint64_t state = 1;
static uint64_t draw(void) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state ^ state >> 29;
}
/* Values that hurt: zeros, ones, signs, infinities, NaNs, subnormals, bounds of integers; else
 * anything. */
static uint64_t value(int wide) {
    static const uint32_t hurt[] = {0,          1,          0x80000000, 0x7fffffff, 0xffffffff,
                                    0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000,
                                    0x7f812345, 0xffc54321, 0x00000001, 0x807fffff, 0x00800000,
                                    0x7f7fffff, 0x4f000000, 0xcf000001, 0x3effffff, 31,
                                    32,         0x0000ffff, 0x00008000, 0x42fe0000};
    uint64_t r = draw(), h = hurt[r % (sizeof hurt / sizeof *hurt)];
    if (r >> 40 & 1) h = draw() & 0xffffffff;
    if (!wide) return h;
    return r >> 41 & 1 ? h << 32 : r >> 42 & 1 ? draw() : h;
}

static sim_insn insns[MAX_ROWS + 1];
static unsigned insn_count;
static uint32_t frame_bytes = OUT;
static ptx_insn nothing;
static uint8_t pool[SLOT * 1024] __attribute__((aligned(64)));

static sim_opnd source(unsigned kind, unsigned n) {
    if (kind == SIM_SLOT_NONE) return 0;
    if (kind == SIM_SLOT_PRED) return sim_opnd_make(INP + n * SLOT, SIM_BASE_REGS);
    if (draw() % 4 == 0) { /* an immediate: the same in each lane */
        static uint32_t at;
        at = (at + 1) % 1024;
        uint64_t v = value(kind == SIM_SLOT_64);
        for (int l = 0; l < 32; l++)
            memcpy(pool + at * SLOT + (kind == SIM_SLOT_64 ? 8 : 4) * l, &v,
                   kind == SIM_SLOT_64 ? 8 : 4);
        return sim_opnd_make(at * SLOT, SIM_BASE_POOL);
    }
    return sim_opnd_make((kind == SIM_SLOT_64 ? IN64 : IN32) + n * SLOT, SIM_BASE_REGS);
}

static void add_row(const sim_exec_row *r) {
    if (insn_count == MAX_ROWS || (r->slots >> 16)) return;
    sim_insn *i = &insns[insn_count++];
    *i = (sim_insn){.fn = {r->fn[0], r->fn[1]}, .ptx = &nothing};
    i->a = source(r->slots >> 4 & 15, (unsigned)(draw() % INPUTS));
    i->b = source(r->slots >> 8 & 15, (unsigned)(draw() % INPUTS));
    i->c = source(r->slots >> 12 & 15, (unsigned)(draw() % INPUTS));
    i->e = sim_opnd_make(frame_bytes + SLOT, SIM_BASE_REGS); /* carries go nowhere */
    i->d = sim_opnd_make(frame_bytes, SIM_BASE_REGS);
    frame_bytes += 2 * SLOT;
}

static void test_rows(void) {
    for (size_t k = 0; k < exec_int_count_base; k++) add_row(&exec_int_rows_base[k]);
    for (size_t k = 0; k < exec_fp_count_base; k++) add_row(&exec_fp_rows_base[k]);
    for (size_t k = 0; k < exec_cvt_count_base; k++) add_row(&exec_cvt_rows_base[k]);
    CHECK(insn_count > 500 && insn_count < MAX_ROWS);
    /* An image of one segment, in a module and on a device that have only what is asked of them. */
    uint32_t block_of = 0;
    ptx_block block = {.succ = {-1, -1}};
    ptx_func ptx = {.insns = &nothing,
                    .insn_count = 1,
                    .blocks = &block,
                    .block_count = 1,
                    .block_of = &block_of};
    sim_seg seg = {.count = insn_count, .end = SIM_END_RET, .ptx_count = 1};
    sim_func func = {.ptx = &ptx,
                     .insns = insns,
                     .insn_count = insn_count,
                     .segs = &seg,
                     .seg_count = 1,
                     .frame_bytes = frame_bytes};
    setenv("WARPLAB_SIM_NATIVE", "now", 1);
    sim_device device = {.isa = SIM_ISA_base, .native = sim_native_new(dev_run_command, NULL)};
    sim_module module = {.device = &device};
    sim_image image = {.owner = &module,
                       .funcs = &func,
                       .func_count = 1,
                       .pool = pool,
                       .pool_bytes = sizeof pool,
                       .seg_count = 1};
    func.image = &image;
    CHECK(device.native != NULL);
    sim_native_image *x = sim_native_image_new(device.native, &image);
    unsetenv("WARPLAB_SIM_NATIVE");
    const sim_native_seg *native = seg.native;
    CHECK(native != NULL); /* a compiler is there: the tests need one anyway */
    if (!native) return;
    unsigned alone = 0;
    for (uint32_t k = 0; k < native->step_count; k++)
        alone += native->steps[k].fn == native->steps[k].insn->fn[0];
    printf("# %u of %u rows compiled\n", insn_count - alone, insn_count);
    CHECK(insn_count - alone > 350);
    uint8_t *frames[2];
    for (int k = 0; k < 2; k++) frames[k] = aligned_alloc(64, frame_bytes);
    uint8_t areas[2][SLOT * 4] __attribute__((aligned(64))) = {{0}};
    unsigned bad = 0;
    for (int round = 0; round < 60; round++) {
        for (uint32_t at = 0; at < frame_bytes; at += 8) {
            uint64_t v = value(1);
            if (at < IN64) v = value(0) | value(0) << 32;
            memcpy(frames[0] + at, &v, 8);
        }
        memcpy(frames[1], frames[0], frame_bytes);
        /* lanes that are dead: their predicates stay, their registers may change */
        uint32_t mask = round % 4 == 3 ? (uint32_t)draw() | 1 : SIM_ALL_LANES;
        for (int k = 0; k < 2; k++) {
            sim_warp w = {
                .base = {frames[k], pool, areas[0], areas[1]}, .mask = mask, .live = mask};
            if (!k)
                for (unsigned n = 0; n < insn_count; n++) insns[n].fn[0](&w, &insns[n]);
            else
                for (uint32_t n = 0; n < native->step_count; n++)
                    native->steps[n].fn(&w, native->steps[n].insn);
        }
        for (unsigned n = 0; n < insn_count; n++) {
            uint32_t at = insns[n].d >> 2;
            if (!memcmp(frames[0] + at, frames[1] + at, SLOT)) continue;
            unsigned family;
            size_t row;
            const sim_exec_row *r = sim_exec_row_of(SIM_ISA_base, insns[n].fn[0], &family, &row);
            if (bad++ < 10 && r)
                printf("# op %u types %u %u variant 0x%x differ\n", r->op, r->t0, r->t1,
                       r->variant);
        }
        bad += memcmp(frames[0], frames[1], frame_bytes) != 0;
    }
    CHECK_INT(bad, 0);
    free(frames[0]);
    free(frames[1]);
    sim_native_image_free(x);
    sim_native_free(device.native);
}

/* ---- whole kernels ---- */

/* a[i] := iterated; lanes leave the loop after different numbers of rounds; n cuts a warp. */
static const char loops[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry loops(.param .u64 a, .param .u32 n, .param .u32 rounds, .param .u32 "
    "spread)\n{\n"
    ".reg .pred %p<9>;\n.reg .f32 %f<9>;\n.reg .b32 %r<19>;\n.reg .b64 %d<9>;\n"
    "ld.param.u64 %d1, [a];\nld.param.u32 %r1, [n];\nld.param.u32 %r2, [rounds];\nld.param.u32 "
    "%r3, "
    "[spread];\n"
    "mov.u32 %r4, %ctaid.x;\nmov.u32 %r5, %ntid.x;\nmov.u32 %r6, %tid.x;\nmad.lo.s32 %r7, %r4, "
    "%r5, %r6;\n"
    "setp.ge.s32 %p1, %r7, %r1;\n@%p1 bra $end;\n"
    "cvta.to.global.u64 %d2, %d1;\nmul.wide.s32 %d3, %r7, 4;\nadd.s64 %d4, %d2, "
    "%d3;\nld.global.f32 %f1, "
    "[%d4];\n"
    "and.b32 %r8, %r7, %r3;\nadd.s32 %r9, %r2, %r8;\nmov.u32 %r10, 0;\nmov.u32 %r16, 7;\n"
    "$loop:\n"
    "fma.rn.f32 %f2, %f1, 0f3F7FF972, 0f3F000000;\nmul.f32 %f3, %f2, %f2;\nsetp.gt.f32 %p2, %f3, "
    "0f41000000;\n"
    "selp.f32 %f1, %f2, 0f3E800000, %p2;\nxor.b32 %r11, %r16, %r10;\nshl.b32 %r12, %r11, "
    "3;\nadd.s32 %r16, "
    "%r12, %r11;\n"
    "cvt.rn.f32.s32 %f4, %r16;\nfma.rn.f32 %f1, %f4, 0f30000000, %f1;\n"
    "add.s32 %r10, %r10, 1;\nsetp.lt.s32 %p3, %r10, %r9;\n@%p3 bra $loop;\n"
    "st.global.f32 [%d4], %f1;\n"
    "$end:\nret;\n}\n";

/* What a run has made is read once, behind it in its block: as an address, in a vector, under a
 * guard; and the last value in another block. Four words a thread. */
static const char once[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry once(.param .u64 a, .param .u32 n, .param .u32 rounds, .param .u32 "
    "spread)\n{\n"
    ".reg .pred %p<9>;\n.reg .f32 %f<19>;\n.reg .b32 %r<19>;\n.reg .b64 %d<19>;\n"
    "ld.param.u64 %d1, [a];\nld.param.u32 %r1, [n];\nld.param.u32 %r2, [rounds];\n"
    "mov.u32 %r4, %ctaid.x;\nmov.u32 %r5, %ntid.x;\nmov.u32 %r6, %tid.x;\n"
    "mad.lo.s32 %r7, %r4, %r5, %r6;\nshr.u32 %r8, %r1, 2;\nsetp.ge.u32 %p1, %r7, %r8;\n"
    "@%p1 bra $end;\n"
    "cvta.to.global.u64 %d2, %d1;\nmul.wide.s32 %d3, %r7, 16;\nadd.s64 %d4, %d2, %d3;\n"
    "ld.global.v2.f32 {%f1, %f2}, [%d4];\n"
    "mul.f32 %f3, %f1, %f2;\nadd.f32 %f4, %f1, %f2;\nadd.s64 %d5, %d2, %d3;\nadd.s64 %d6, %d5, 8;\n"
    "xor.b32 %r9, %r7, %r2;\nand.b32 %r10, %r9, 1;\nsetp.eq.u32 %p2, %r10, 0;\n"
    "sub.f32 %f5, %f3, %f4;\nadd.f32 %f6, %f5, %f4;\n"
    "st.global.v2.f32 [%d6], {%f3, %f5};\n@%p2 st.global.f32 [%d6+-8], %f6;\n"
    "add.f32 %f7, %f1, %f1;\nadd.f32 %f8, %f2, %f2;\nsetp.gt.f32 %p3, %f1, 0f42000000;\n"
    "@%p3 bra $end;\nadd.s64 %d7, %d2, %d3;\nst.global.f32 [%d7+4], %f8;\n"
    "st.global.f32 [%d7], %f7;\n"
    "$end:\nret;\n}\n";

typedef struct {
    sim_result result;
    float *out;
    lib_message msg;
} ran;
static ran run(const char *text, const char *name, const char *how, unsigned threads, unsigned n,
               unsigned rounds, unsigned spread, uint64_t budget) {
    ran x = {0};
    sim_options o;
    sim_options_default(&o);
    o.run_command = dev_run_command;
    o.threads = threads;
    o.inst_budget = budget;
    setenv("WARPLAB_SIM_NATIVE", how, 1);
    sim_device *d = sim_device_new(sim_profile_find("h200"), &o, &x.msg);
    unsetenv("WARPLAB_SIM_NATIVE");
    sim_module_options mo = {.ptxas = ""};
    sim_module *m = sim_module_new(d, text, strlen(text), &mo, &x.msg);
    sim_addr a;
    x.out = malloc(n * sizeof(float));
    for (unsigned k = 0; k < n; k++) x.out[k] = (float)k;
    CHECK(m && !sim_malloc(d, n * sizeof(float), &a) && !sim_write(d, a, x.out, n * sizeof(float)));
    struct {
        sim_addr a;
        unsigned n, rounds, spread;
    } params = {a, n, rounds, spread};
    sim_launch l = {.kernel = sim_module_kernel(m, name),
                    .grid = {(n + 127) / 128, 1, 1},
                    .block = {128, 1, 1},
                    .params = &params,
                    .param_bytes = sizeof params};
    sim_run(d, &l, &x.result, &x.msg);
    sim_read(d, x.out, a, n * sizeof(float));
    sim_module_free(m);
    sim_device_free(d);
    return x;
}

static void same_of(const char *text, const char *name, unsigned n, unsigned rounds,
                    unsigned spread, uint64_t budget, const char *how) {
    ran a = run(text, name, "off", 1, n, rounds, spread, budget),
        b = run(text, name, how, 2, n, rounds, spread, budget);
    CHECK_INT(b.result.status, a.result.status);
    CHECK_STR(said(&b.msg), said(&a.msg));
    CHECK_INT(memcmp(a.out, b.out, n * sizeof(float)), 0);
    if (a.result.status == SIM_OK) {
        CHECK_INT(memcmp(&a.result.counters, &b.result.counters, sizeof a.result.counters), 0);
        CHECK_INT(b.result.executed, a.result.executed);
        CHECK(a.result.time_us == b.result.time_us);
        CHECK_INT(b.result.line_count, a.result.line_count);
    }
    free(a.out);
    free(b.out);
    sim_result_free(&a.result);
    sim_result_free(&b.result);
}

static void same(unsigned n, unsigned rounds, unsigned spread, uint64_t budget, const char *how) {
    same_of(loops, "loops", n, rounds, spread, budget, how);
}

/* What an instruction reads that has no destination is kept for it, in whatever block it is, and
 * for what reads it afterwards. Each thread leaves r5, which an ISA without memory says. */
static const struct {
    const char *makes, *reads;
    uint32_t value;
} readers[] = {{"sub.u32 %r5, %r6, 6;", "bar.warp.sync %r5;", 0xffffffff},
               {"sub.u32 %r5, %r6, 4;", "bar.sync %r5;", 1},
               {"sub.u32 %r5, %r6, 4;", "bar.arrive %r5, 256;", 1},
               {"sub.u32 %r5, %r6, 4;", "bar.cta.sync %r5;", 1},
               {"sub.u32 %r5, %r6, 4;", "bar.cta.arrive %r5, 256;", 1},
               {"sub.u32 %r5, %r6, 4;", "barrier.sync %r5, 128;", 1},
               {"sub.u32 %r5, %r6, 4;", "barrier.arrive %r5, 256;", 1},
               {"sub.u32 %r5, %r6, 4;", "barrier.cta.sync %r5, 128;", 1},
               {"sub.u32 %r5, %r6, 4;", "barrier.cta.arrive %r5, 256;", 1},
               {"sub.u32 %r5, %r6, 2;", "nanosleep.u32 %r5;", 3},
               {"stacksave.u32 %r8; add.u32 %r5, %r8, %r6; sub.u32 %r5, %r5, 5;",
                "stackrestore.u32 %r5; sub.u32 %r5, %r5, %r8;", 0}};
static void test_readers(void) {
    enum { THREADS = 128 };
    for (size_t k = 0; k < 2 * sizeof readers / sizeof *readers; k++) {
        bool native = k & 1;
        char text[2000];
        uint32_t out[THREADS] = {0}, bad = 0;
        lib_message msg = {0};
        sim_options o;
        sim_options_default(&o);
        o.run_command = dev_run_command;
        o.threads = 1;
        o.count_lines = o.check_uninit = o.model_time = false; /* else less of it is compiled */
        setenv("WARPLAB_SIM_NATIVE", native ? "now" : "off", 1);
        sim_device *d = sim_device_new(sim_profile_find("h200"), &o, &msg);
        unsetenv("WARPLAB_SIM_NATIVE");
        snprintf(
            text, sizeof text,
            ".version 8.0\n.target sm_80\n.address_size 64\n"
            ".visible .entry k(.param .u64 out)\n{\n.reg .pred %%p<2>; .reg .b32 %%r<9>; .reg "
            ".b64 %%d<3>;\nld.param.u64 %%d1, [out]; mov.u32 %%r1, %%tid.x; mad.wide.u32 "
            "%%d2, %%r1, 4, %%d1;\nmul.lo.u32 %%r2, %%r1, 3; sub.u32 %%r3, %%r1, %%r2; add.u32 "
            "%%r4, %%r3, %%r1; add.u32 %%r4, %%r4, %%r1; add.u32 %%r6, %%r4, 5;\n%s\nsetp.gt.u32 "
            "%%p1, %%r1, 1000; @%%p1 bra skip;\n%s\nst.global.u32 [%%d2], %%r5;\nskip: "
            "ret;\n}\n",
            readers[k / 2].makes, readers[k / 2].reads);
        sim_module_options mo = {.ptxas = ""};
        sim_module *m = sim_module_new(d, text, strlen(text), &mo, &msg);
        sim_addr a;
        CHECK_STR(said(&msg), "");
        CHECK(m && !sim_malloc(d, sizeof out, &a));
        sim_launch l = {.kernel = sim_module_kernel(m, "k"),
                        .grid = {1, 1, 1},
                        .block = {THREADS, 1, 1},
                        .params = &a,
                        .param_bytes = sizeof a};
        sim_result r;
        CHECK_INT(sim_run(d, &l, &r, &msg), SIM_OK);
        sim_read(d, out, a, sizeof out);
        for (unsigned t = 0; t < THREADS; t++) bad += out[t] != readers[k / 2].value;
        if (bad) printf("# %s, %s\n", readers[k / 2].reads, native ? "compiled" : "not compiled");
        CHECK_INT(bad, 0);
        sim_result_free(&r);
        sim_module_free(m);
        sim_device_free(d);
    }
}

/* What a killed process left in TMPDIR goes, what may still be in use stays, and nothing of a run
 * is left. */
static void test_folders(void) {
    char tmp[] = "/tmp/warplab-test-XXXXXX", path[64];
    const struct timespec old[2] = {{1, 0}, {1, 0}};
    CHECK(mkdtemp(tmp) != NULL);
    setenv("TMPDIR", tmp, 1);
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/warplab-command-%d", tmp, i);
        CHECK_INT(mkdir(path, 0700), 0);
        if (i) continue;
        snprintf(path, sizeof path, "%s/warplab-command-%d/code.c", tmp, i);
        FILE *f = fopen(path, "w");
        if (f) fclose(f);
        CHECK(f != NULL);
        path[strlen(path) - sizeof "/code.c" + 1] = 0;
        CHECK_INT(utimensat(AT_FDCWD, path, old, 0), 0);
    }
    same(100000, 4, 0, 0, "now");
    unsigned left = 0;
    DIR *d = opendir(tmp);
    for (struct dirent *e; d && (e = readdir(d));)
        if (e->d_name[0] != '.') left++;
    if (d) closedir(d);
    CHECK_INT(left, 1);
    CHECK_INT(rmdir(path), 0); /* the younger one */
    CHECK_INT(rmdir(tmp), 0);
    unsetenv("TMPDIR");
}

int main(void) {
    test_rows();
    test_readers();
    test_folders();
    same(100000, 40, 0, 0, "now"); /* all lanes together; beyond the blocks that are recorded */
    same_of(once, "once", 4096, 1, 0, 0, "now");
    same(100003, 40, 0, 0, "now"); /* a ragged end */
    same(50000, 20, 31, 0, "now"); /* every lane its own number of rounds */
    same(256, 40000, 0, 0, "now"); /* longer than a look at the budget */
    same(4096, 1u << 30, 0, 1 << 24,
         "now");                      /* endless: stopped by the budget, with the same words */
    same(1 << 18, 2000, 0, 0, "hot"); /* becomes hot on the way */
    return check_done();
}
