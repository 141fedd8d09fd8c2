/* What one executed instruction adds to the counters of its launch, its line and its row of the
 * PTX: the fields that counters.def names for it and no other, for the lanes whose guard holds. The
 * rows say which by the classes of the CUDA Programming Guide's throughput table; a fused
 * multiply-add is two operations. */
#include <stdlib.h>
#include "check.h"
#include "tests/said.h"
#include "runner/base/message.h"
#include "runner/device/sim/sim.h"

enum { THREADS = 40, WARPS = 2, FEW = 5, MARK = 23 }; /* MARK: the instruction's line in the PTX */
static const char head[] = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n"
                           ".reg .pred %p<3>;\n.reg .b16 %h<4>;\n.reg .b32 %r<6>;\n"
                           ".reg .b64 %d<4>;\n.reg .f32 %f<4>;\n.reg .f64 %g<4>;\n"
                           "mov.u32 %r1, %tid.x;\n"
                           "setp.lt.u32 %p1, %r1, 5;\n"
                           "add.u32 %r1, %r1, 1;\n"
                           "mov.u32 %r3, 31;\n"
                           "mov.u32 %r4, -1;\n"
                           "mov.u64 %d1, 7;\n"
                           "mov.b16 %h1, 15360;\n"
                           "mov.f32 %f1, 0f3f800000;\n"
                           "mov.f64 %g1, 0d3ff0000000000000;\n"
                           "activemask.b32 %r5;\n"
                           "bar.sync 0;\n";

typedef struct {
    const char *text;
    unsigned integer, fp16, fp32, fp64, sfu, fp64_other, convert, division, hp, sp, dp, shuffle,
        barrier, warp_barrier;
    bool together; /* all lanes must execute it */
} row;

static const row rows[] = {
    {"add.u32 %r2, %r1, %r1;", .integer = 1},
    {"sub.s64 %d2, %d1, %d1;", .integer = 1},
    {"mul.lo.s32 %r2, %r1, %r1;", .integer = 1},
    {"mul.hi.u64 %d2, %d1, %d1;", .integer = 1},
    {"mad.lo.s32 %r2, %r1, %r1, %r1;", .integer = 1},
    {"shl.b32 %r2, %r1, 3;", .integer = 1},
    {"popc.b32 %r2, %r1;", .integer = 1},
    {"vadd.s32.s32.s32 %r2, %r1, %r1;", .integer = 1},
    {"div.u32 %r2, %r1, %r1;", .integer = 1, .division = 1},
    {"rem.s64 %d2, %d1, %d1;", .integer = 1, .division = 1},
    {"add.f16 %h2, %h1, %h1;", .fp16 = 1, .hp = 1},
    {"fma.rn.f16 %h2, %h1, %h1, %h1;", .fp16 = 1, .hp = 2},
    {"add.f16x2 %r2, %r1, %r1;", .fp16 = 1, .hp = 2},
    {"fma.rn.f16x2 %r2, %r1, %r1, %r1;", .fp16 = 1, .hp = 4},
    {"max.f16 %h2, %h1, %h1;", .fp16 = 1},
    {"add.f32 %f2, %f1, %f1;", .fp32 = 1, .sp = 1},
    {"sub.f32 %f2, %f1, %f1;", .fp32 = 1, .sp = 1},
    {"mul.f32 %f2, %f1, %f1;", .fp32 = 1, .sp = 1},
    {"fma.rn.f32 %f2, %f1, %f1, %f1;", .fp32 = 1, .sp = 2},
    {"mad.rn.f32 %f2, %f1, %f1, %f1;", .fp32 = 1, .sp = 2},
    {"div.rn.f32 %f2, %f1, %f1;", .fp32 = 1, .sp = 1, .division = 1},
    {"rcp.rn.f32 %f2, %f1;", .fp32 = 1, .sp = 1, .division = 1},
    {"sqrt.rn.f32 %f2, %f1;", .fp32 = 1, .sp = 1},
    {"neg.f32 %f2, %f1;", .fp32 = 1},
    {"max.f32 %f2, %f1, %f1;", .fp32 = 1},
    {"add.f64 %g2, %g1, %g1;", .fp64 = 1, .dp = 1},
    {"sub.f64 %g2, %g1, %g1;", .fp64 = 1, .dp = 1},
    {"mul.f64 %g2, %g1, %g1;", .fp64 = 1, .dp = 1},
    {"fma.rn.f64 %g2, %g1, %g1, %g1;", .fp64 = 1, .dp = 2},
    {"mad.rn.f64 %g2, %g1, %g1, %g1;", .fp64 = 1, .dp = 2},
    {"div.rn.f64 %g2, %g1, %g1;", .fp64 = 1, .dp = 1, .division = 1},
    {"rcp.rn.f64 %g2, %g1;", .fp64 = 1, .dp = 1, .division = 1},
    {"sqrt.rn.f64 %g2, %g1;", .fp64 = 1, .dp = 1},
    {"abs.f64 %g2, %g1;", .fp64 = 1},
    {"div.approx.f32 %f2, %f1, %f1;", .sfu = 1, .sp = 1},
    {"div.full.f32 %f2, %f1, %f1;", .sfu = 1, .sp = 1},
    {"rcp.approx.f32 %f2, %f1;", .sfu = 1, .sp = 1},
    {"sqrt.approx.f32 %f2, %f1;", .sfu = 1, .sp = 1},
    {"rsqrt.approx.f32 %f2, %f1;", .sfu = 1, .sp = 1},
    {"sin.approx.f32 %f2, %f1;", .sfu = 1},
    {"ex2.approx.f32 %f2, %f1;", .sfu = 1},
    {"rsqrt.approx.f64 %g2, %g1;", .sfu = 1, .fp64_other = 1, .dp = 1},
    {"rcp.approx.ftz.f64 %g2, %g1;", .sfu = 1, .fp64_other = 1, .dp = 1},
    {"cvt.rn.f32.s32 %f2, %r1;", .convert = 1},
    {"cvt.rzi.s64.f64 %d2, %g1;", .convert = 1},
    {"shfl.sync.idx.b32 %r2, %r1, 0, %r3, %r5;", .shuffle = 1, .together = true},
    {"vote.sync.any.pred %p2, %p1, %r5;", .shuffle = 1, .together = true},
    {"match.any.sync.b32 %r2, %r1, %r5;", .shuffle = 1, .together = true},
    {"redux.sync.add.s32 %r2, %r1, %r5;", .shuffle = 1, .together = true},
    {"activemask.b32 %r2;", .shuffle = 0},
    {"bar.warp.sync %r5;", .warp_barrier = 1, .together = true},
    {"bar.sync 0;", .barrier = 1, .together = true},
    {"bar.red.popc.u32 %r2, 0, %p1;", .barrier = 1, .together = true},
    {"membar.gl;", .barrier = 0},
    {"mov.u32 %r2, %r1;", .integer = 0},
};

static sim_device *d;

/* The counters of the kernel with this instruction, or without one; `result` with more than
 * them. */
static bool run(const char *insn, sim_result *result) {
    char text[2048];
    lib_message msg = {0};
    sim_module_options mo = {.ptxas = ""};
    snprintf(text, sizeof text, "%s%s\nret;\n}\n", head, insn);
    sim_module *m = sim_module_new(d, text, strlen(text), &mo, &msg);
    sim_launch l = {.kernel = m ? sim_module_kernel(m, "k") : NULL,
                    .grid = {1, 1, 1},
                    .block = {THREADS, 1, 1}};
    memset(result, 0, sizeof *result);
    bool ran = m && sim_run(d, &l, result, &msg) == SIM_OK;
    check_that(ran, __FILE__, __LINE__, insn, said(&msg));
    sim_module_free(m);
    return ran;
}

static sim_counters counted(const row *r, unsigned lanes) {
    return (sim_counters){.warp_inst = WARPS,
                          .thread_inst = THREADS,
                          .idle_lanes = 32 * WARPS - lanes,
                          .inst_int = r->integer * lanes,
                          .inst_fp16 = r->fp16 * lanes,
                          .inst_fp32 = r->fp32 * lanes,
                          .inst_fp64 = r->fp64 * lanes,
                          .inst_sfu = r->sfu * lanes,
                          .fp64_other = r->fp64_other * lanes,
                          .inst_convert = r->convert * lanes,
                          .inst_div = r->division * lanes,
                          .flop_hp = r->hp * lanes,
                          .flop_sp = r->sp * lanes,
                          .flop_dp = r->dp * lanes,
                          .shuffles = r->shuffle * WARPS,
                          .barriers = r->barrier * WARPS,
                          .warp_barriers = r->warp_barrier * WARPS};
}

static void instructions(void) {
    sim_result without, with;
    if (!run("", &without)) return;
    /* eleven before it and the ret */
    CHECK_INT(without.counters.warp_inst, 12 * WARPS);
    CHECK_INT(without.counters.thread_inst, 12 * THREADS);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        for (unsigned guarded = 0; guarded < 2; guarded++) {
            char text[100];
            const row *r = &rows[k];
            if (guarded && r->together) continue;
            snprintf(text, sizeof text, "%s%s", guarded ? "@%p1 " : "", r->text);
            sim_counters one = counted(r, guarded ? FEW : THREADS), all = without.counters;
            sim_counters_add(&all, &one);
            if (!run(text, &with)) continue;
            check_that(!memcmp(&with.counters, &all, sizeof all), __FILE__, __LINE__, text,
                       "the launch's counters");
            unsigned at = 0;
            for (size_t i = 0; i < with.line_count; i++)
                if (with.lines[i].line == MARK) {
                    at++;
                    check_that(!memcmp(&with.lines[i].counters, &one, sizeof one), __FILE__,
                               __LINE__, text, "the counters of its line");
                }
            CHECK_INT(at, 1);
            CHECK_INT(with.line_count, 13);
            CHECK_INT(with.ptx_count, 13);
            unsigned wrong = 0;
            for (size_t i = 0; i < with.ptx_count; i++) {
                const sim_ptx_count *p = &with.ptx[i];
                wrong += p->ptx_line != 12 + i || p->warps != WARPS || p->line || *p->file ||
                         p->lanes != (p->ptx_line == MARK && guarded ? FEW : THREADS);
            }
            CHECK_INT(wrong, 0);
            sim_result_free(&with);
        }
    sim_result_free(&without);
}

/* Of a line there is one row, in the order of files and lines, however many of its instructions,
 * columns and places in the text there are. */
static void places(void) {
    static const char text[] =
        ".version 8.0\n.target sm_80\n.address_size 64\n"
        ".visible .entry k(.param .u64 p)\n{\n"
        ".reg .b32 %r<6>;\n.reg .b64 %d<4>;\n"
        ".loc 2 30 1\nmov.u32 %r1, %tid.x; add.u32 %r2, %r1, %r1;\n"
        ".loc 1 9 4\nadd.u32 %r2, %r2, %r1;\n"
        ".loc 1 7 4\nld.param.u64 %d1, [p];\n"
        ".loc 1 7 12\nadd.u32 %r2, %r2, %r1; add.u32 %r2, %r2, %r1;\n"
        ".loc 1 9 4\nld.global.u32 %r3, [%d1]; shfl.sync.idx.b32 %r3, %r2, 0, "
        "31, 0xff;\n"
        ".loc 2 30 9\nadd.u32 %r2, %r2, %r3; ld.global.u32 %r3, [%d1+64];\n"
        ".loc 1 7 4\nst.global.u32 [%d1], %r2;\nret;\n}\n"
        ".file 1 \"a.cu\"\n.file 2 \"b.cu\"\n";
    static const struct {
        const char *file;
        unsigned line, insns, ints, shuffles, loads, stores;
    } want[] = {
        {"a.cu", 7, 5, 2, 0, 0, 1}, {"a.cu", 9, 3, 1, 1, 1, 0}, {"b.cu", 30, 4, 2, 0, 1, 0}};
    enum { LINES = sizeof want / sizeof *want, LANES = 8 };
    lib_message msg = {0};
    sim_module_options mo = {.ptxas = ""};
    sim_module *m = sim_module_new(d, text, strlen(text), &mo, &msg);
    sim_addr x = 0;
    sim_malloc(d, 128, &x);
    sim_fill(d, x, 0, 4, 32);
    sim_launch l = {.kernel = m ? sim_module_kernel(m, "k") : NULL,
                    .grid = {1, 1, 1},
                    .block = {LANES, 1, 1},
                    .params = &x,
                    .param_bytes = sizeof x};
    sim_result r = {0};
    bool ran = m && sim_run(d, &l, &r, &msg) == SIM_OK;
    check_that(ran, __FILE__, __LINE__, "runs", said(&msg));
    CHECK_INT(r.line_count, LINES);
    for (size_t k = 0; k < r.line_count && k < LINES; k++) {
        const sim_counters *c = &r.lines[k].counters;
        CHECK_STR(r.lines[k].file, want[k].file);
        CHECK_INT(r.lines[k].line, want[k].line);
        CHECK(c->warp_inst == want[k].insns && c->thread_inst == LANES * want[k].insns);
        CHECK(c->inst_int == LANES * want[k].ints && c->shuffles == want[k].shuffles);
        CHECK(c->gld_requests == want[k].loads && c->gst_requests == want[k].stores);
    }
    for (size_t k = 0; k < r.ptx_count; k++) /* each row of the PTX knows its line */
        CHECK(r.ptx[k].line == 7 || r.ptx[k].line == 9 ||
              (r.ptx[k].line == 30 && !strcmp(r.ptx[k].file, "b.cu")));
    CHECK_INT(r.ptx_count, 12);
    sim_result_free(&r);
    sim_free(d, x);
    sim_module_free(m);
}

/* A result that was given back is empty, and may be given back again. */
static void given_back(void) {
    sim_result r;
    if (!run("add.u32 %r2, %r1, %r1;", &r)) return;
    CHECK(r.lines && r.line_count && r.ptx && r.ptx_count);
    for (unsigned k = 0; k < 2; k++) {
        sim_result_free(&r);
        CHECK(!r.lines && !r.findings && !r.what_if && !r.spans && !r.ptx && !r.children);
        CHECK(!r.line_count && !r.finding_count && !r.span_count && !r.ptx_count && !r.child_count);
    }
    sim_result_free(NULL);
}

int main(void) {
    sim_options o;
    lib_message msg = {0};
    sim_options_default(&o);
    o.threads = 1;
    o.model_time = false;
    o.count_lines = o.count_ptx = true;
    d = sim_device_new(sim_profile_find("h200"), &o, &msg);
    if (!CHECK(d != NULL)) return check_done();
    instructions();
    places();
    given_back();
    sim_device_free(d);
    return check_done();
}
