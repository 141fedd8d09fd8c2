/* What ptxas makes of PTX, as the model of time guesses it where there is no machine code, against
 * an H200 and an H100. */
#include "runner/base/message.h"
#include "tests/check.h"
#include "tests/said.h"
#include "runner/device/sim/parse/parse.h"
#include "runner/device/sim/time/time.h"
#include "runner/device/sim/time/time_internal.h"
#include <stdlib.h>

/* A kernel whose instructions [0, body) are run `rounds` times by each warp, then the rest once. */
typedef struct {
    const char *body; /* PTX, one instruction a line; L: is its label */
    unsigned rounds, blocks, threads;
    unsigned shared_kb; /* per block: limits what is resident */
    const sim_trace_event
        *events; /* of one round, in the text's order; pc_low is set from `event_at` */
    const unsigned *event_at;
    unsigned event_count;
    bool one_slice;                         /* its atomics all go to one slice of the L2 */
    double dram_read_per_event, dram_write; /* bytes; written in all */
    const char *profile;
    sim_counters also;  /* what the launch counted besides */
    double worst;       /* the busiest multiprocessor's share of the work, 1: all have the same */
    double atom_passes; /* of atomics in L2, of all blocks */
    unsigned middle;    /* times as many rounds of the sampled blocks after the first wave; 0: 1 */
} script;

static time_result run(const script *s, double *cycles) {
    char text[8192];
    snprintf(text, sizeof text,
             ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 a){\n "
             ".reg .pred "
             "%%p<4>; .reg .b32 %%r<64>; .reg .f32 %%f<64>; "
             ".reg .b64 %%d<64>; .reg .f64 %%g<16>; .reg .b16 %%h<4>;\nL:\n%s\n ret;\n}\n",
             s->body);
    lib_message msg = {0};
    time_result out = {0};
    const sim_profile *p = sim_profile_find(s->profile ? s->profile : "h200");
    ptx_module *m = ptx_parse(text, strlen(text), &msg);
    CHECK(m != NULL);
    if (!m) {
        printf("# %s\n", said(&msg));
        exit(1);
    }
    unsigned n = (unsigned)m->funcs[0]->insn_count - 1, warps = (s->threads + 31) / 32;
    time_code *code = time_code_new(p, m, NULL, NULL);
    sim_occupancy occ;
    sim_occupancy_get(p, s->threads, 16, s->shared_kb * 1024u, 0, &occ);
    sim_trace *t = sim_trace_new(p, s->blocks, warps, occ.blocks, 0);
    for (unsigned b = 0; b < t->block_count; b++) {
        sim_trace_block *blk = sim_trace_block_begin(t, t->blocks[b].block);
        for (unsigned w = 0; w < warps; w++) {
            unsigned times = b >= t->first_count && s->middle ? s->middle : 1;
            for (unsigned r = 0; r < s->rounds * times; r++) {
                sim_trace_steps(&blk->warps[w], 0, n);
                for (unsigned e = 0; e < s->event_count; e++) {
                    sim_trace_event ev = s->events[e];
                    ev.pc_low = (uint16_t)s->event_at[e];
                    sim_trace_event_add(&blk->warps[w], ev);
                }
            }
            sim_trace_steps(&blk->warps[w], n, 1);
        }
        sim_trace_finish(blk);
    }
    t->slice_ops[0] = s->one_slice;
    sim_counters c = s->also;
    c.warp_inst = (uint64_t)s->blocks * warps * (n * s->rounds + 1);
    c.dram_read =
        (uint64_t)(s->dram_read_per_event * s->event_count * s->rounds * warps * s->blocks);
    c.dram_write = (uint64_t)s->dram_write;
    c.gst_sectors = (uint64_t)(s->dram_write / 32);
    time_launch l = {.grid_blocks = s->blocks,
                     .threads = s->threads,
                     .worst = s->worst,
                     .atom_passes = s->atom_passes};
    time_places *places = time_places_new(code);
    time_model(p, code, t, &l, &c, &occ, places, &out);
    if (out.achieved_occupancy_pct > occ.pct || out.achieved_occupancy_pct <= 0) CHECK(false);
    time_places_free(places);
    if (cycles) *cycles = (out.time_us - p->kernel_us) * p->clock_ghz * 1e3;
    sim_trace_free(t);
    time_code_free(code);
    ptx_free(m);
    return out;
}

static void within(const char *what, double got, double want, double part) {
    char why[160];
    snprintf(why, sizeof why, "got %.4g, hardware %.4g, allowed %.0f%%", got, want, part * 100);
    check_that(fabs(got - want) <= part * want, __FILE__, __LINE__, what, why);
    printf("#   %-44s %10.4g  hardware %10.4g  %+.0f%%\n", what, got, want,
           100 * (got - want) / want);
}

#define LOAD_EVENT                                                                                 \
    {                                                                                              \
        .space = PTX_SPACE_GLOBAL, .lanes = 32, .bytes_lane = 4, .passes = 1, .lines = 1,          \
        .sectors = 4, .stream_n = 1, .l2_sectors = 4, .misses = 4                                  \
    }

/* Constants that are converted where they are used, as __float2half(.999f) in a loop, cost nothing:
 * an H200 executed 2,064 instructions a warp for 2,048 multiply-adds of two such (spaces.cu,
 * chain_half). */
static void constants(void) {
    double cycles[2];
    for (unsigned k = 0; k < 2; k++) {
        char body[4096];
        int at =
            snprintf(body, sizeof body, "mov.f32 %%f20,0f3F7FBE77;\nadd.f32 %%f21,%%f20,%%f20;\n");
        for (unsigned n = 10; n < 40; n++) {
            if (k)
                at += snprintf(body + at, sizeof body - (size_t)at,
                               "cvt.rzi.s32.f32 %%r%u,%%f21;\n", n);
            at += snprintf(body + at, sizeof body - (size_t)at,
                           "mad.lo.s32 %%r1,%%r1,%%r1,%%r%u;\n", n);
        }
        run(&(script){.body = body, .rounds = 64, .blocks = 132, .threads = 1024}, &cycles[k]);
    }
    within("converted constants", cycles[1], cycles[0], 0.01);
}

/* ISETP takes a second predicate in: the loops of mandelbrot and collatz (held_out.cu) have 11
 * instructions a round in the assembler's output, no PLOP3 among them. */
static void predicates(void) {
    static const char compare[] = "setp.lt.u32 %p1,%r40,%r41;\nsetp.lt.u32 %p2,%r42,%r43;\n";
    static const struct {
        const char *name, *text;
        double more; /* instructions of the ALU, one in two cycles */
    } rows[] = {
        {"and", "and.pred %p3,%p1,%p2;\nselp.u32 %r1,%r2,%r3,%p3;", 0},
        {"or", "or.pred %p3,%p1,%p2;\nselp.u32 %r1,%r2,%r3,%p3;", 0},
        {"negation", "not.pred %p3,%p1;\nselp.u32 %r1,%r2,%r3,%p3;", 0},
        /* both are used again, so none of the comparisons can be the sum */
        {"and of what is used again",
         "and.pred %p3,%p1,%p2;\nselp.u32 %r1,%r2,%r3,%p3;\nselp.u32 %r4,%r2,%r3,%p1;\nselp.u32 "
         "%r5,%r2,%r3,%p2;",
         3},
    };
    for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
        char body[1024];
        double cycles;
        snprintf(body, sizeof body, "%s%s", compare, rows[k].text);
        run(&(script){.body = body, .rounds = 500, .blocks = 132, .threads = 1024}, &cycles);
        within(rows[k].name, cycles / (500 * 8), 2 * (3 + rows[k].more), 0.05);
    }
}

/* ptxas makes four copies of a short loop whose counter steps by a constant (seen in its output for
 * sm_90): four loads are under way at once, and a round takes a quarter of the latency of one.
 * Where the counter steps by a variable, there is one at a time. */
static void short_loops(void) {
    static const struct {
        const char *name, *step;
        double want; /* 288 cycles to L2, 4 for each addition, 10 for the branch */
    } rows[] = {{"a sum's loop, by a constant", "add.s32 %r1,%r1,1;", 314.0 / 4},
                {"a sum's loop, down by a constant", "sub.s32 %r1,%r1,2;", 314.0 / 4},
                {"a sum's loop, by a variable", "add.s32 %r1,%r1,%r2;", 302}};
    sim_trace_event e = {.space = PTX_SPACE_GLOBAL,
                         .lanes = 32,
                         .bytes_lane = 4,
                         .passes = 1,
                         .lines = 1,
                         .sectors = 4,
                         .stream_n = 1,
                         .l2_sectors = 4};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char body[300];
        double cycles;
        snprintf(body, sizeof body,
                 " ld.global.f32 %%f1,[%%d1];\n add.f32 %%f9,%%f9,%%f1;\n add.s64 %%d1,%%d1,128;\n"
                 " %s\n setp.lt.s32 %%p1,%%r1,%%r3;\n @%%p1 bra L;",
                 rows[k].step);
        run(&(script){.body = body,
                      .rounds = 1000,
                      .blocks = 1,
                      .threads = 32,
                      .events = &e,
                      .event_at = (unsigned[]){0},
                      .event_count = 1},
            &cycles);
        within(rows[k].name, cycles / 1000, rows[k].want, 0.15);
    }
}

/* A short forward if is no branch of the machine: the assembler guards its instructions. Which way
 * an arm leaves, by a jump or by falling through, makes no difference; where it goes does. */
static void predication(void) {
    static const struct {
        const char *body;
        unsigned at; /* of the branch */
        bool guarded;
    } cases[] = {
        {"@%p1 bra X; add.s32 %r1,%r2,%r3; X: mul.lo.s32 %r4,%r1,%r1;", 0, true},
        /* then: jumps; else: falls through */
        {"@%p1 bra E; add.s32 %r1,%r2,%r3; bra X; E: sub.s32 %r1,%r2,%r3; X: not.b32 %r4,%r1;", 0,
         true},
        /* and the other way round: then lies behind */
        {"bra S; T: add.s32 %r1,%r2,%r3; bra X; S: @%p1 bra T; sub.s32 %r1,%r2,%r3; bra X; "
         "U: not.b32 %r4,%r1; X: not.b32 %r5,%r1;",
         3, true},
        /* the arms meet nowhere at once: one jumps past where the other goes on */
        {"@%p1 bra E; add.s32 %r1,%r2,%r3; bra X; E: sub.s32 %r1,%r2,%r3; M: not.b32 %r4,%r1; "
         "@%p2 bra M; X: not.b32 %r5,%r1;",
         0, false},
        /* an arm that goes two ways is not straight */
        {"@%p1 bra X; @%p2 bra X; add.s32 %r1,%r2,%r3; X: not.b32 %r4,%r1;", 0, false},
        {"@%p1 bra X; bar.sync 0; X: not.b32 %r4,%r1;", 0, false},
        /* the last arm ends the text, and nothing stands behind its branch */
        {"bra S; X: not.b32 %r4,%r1; ret; E: sub.s32 %r1,%r2,%r3; bra X; S: @%p1 bra E; "
         "add.s32 %r1,%r2,%r3; bra X;",
         5, true},
    };
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[2048];
        lib_message msg = {0};
        snprintf(text, sizeof text,
                 ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(){\n"
                 ".reg .pred %%p<4>; .reg .b32 %%r<8>;\n%s\n%s}\n",
                 cases[k].body, strstr(cases[k].body, "ret;") ? "" : "ret;\n");
        ptx_module *m = ptx_parse(text, strlen(text), &msg);
        CHECK_STR(said(&msg), "");
        time_code *code = m ? time_code_new(sim_profile_find("h200"), m, NULL, NULL) : NULL;
        CHECK(code != NULL);
        if (code) {
            bool guarded = code->ops[cases[k].at].flags & TIME_PREDICATED;
            check_that(guarded == cases[k].guarded, __FILE__, __LINE__, cases[k].body,
                       guarded ? "it is taken for a guarded one" : "it is taken for a branch");
            time_code_free(code);
        }
        ptx_free(m);
    }
}

/* Stores behind short branches wait for what they load only when somebody sees them: an H100 takes
 * 320, 319, 334, 346 and 371 cycles for 1, 2, 3, 5 and 8 of `if (..) t[k] = x[k];` one after the
 * other, from L2 into shared memory, and a barrier. */
static void put_behind(void) {
    static const struct {
        unsigned n;
        double cycles;
    } rows[] = {{1, 320}, {2, 318.6}, {3, 333.9}, {5, 345.7}, {8, 370.7}};
    sim_trace_event load = LOAD_EVENT,
                    store = {.space = PTX_SPACE_SHARED, .lanes = 32, .bytes_lane = 4, .passes = 1};
    load.misses = 0;
    for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
        char body[4096], name[64];
        sim_trace_event events[17];
        unsigned event_at[17], pc = 0, e = 0;
        int at = 0;
        for (unsigned n = 0; n < rows[k].n; n++, pc += 4) {
            at += snprintf(body + at, sizeof body - (size_t)at,
                           "setp.lt.u32 %%p1,%%r40,%%r41;\n@%%p1 bra X%u;\nld.global.f32 "
                           "%%f%u,[%%d1+%u];\nst.shared.f32 [%%r42+%u],%%f%u;\nX%u:\n",
                           n, n + 10, 128 * n, 128 * n, n + 10, n);
            events[e] = load, event_at[e++] = pc + 2;
            events[e] = store, event_at[e++] = pc + 3;
        }
        snprintf(body + at, sizeof body - (size_t)at, "bar.sync 0;");
        events[e] = (sim_trace_event){0}, event_at[e++] = pc;
        double cycles;
        run(&(script){.body = body,
                      .rounds = 64,
                      .blocks = 1,
                      .threads = 32,
                      .events = events,
                      .event_at = event_at,
                      .event_count = e},
            &cycles);
        snprintf(name, sizeof name, "%u stores behind branches", rows[k].n);
        within(name, cycles / 64, rows[k].cycles, 0.1);
    }
}

static void same(int line, const char *device, const char *what, double got, double want) {
    char name[200], why[100];
    snprintf(name, sizeof name, "%s: %s", device, what);
    snprintf(why, sizeof why, "got %.6f, by the rule %.6f", got, want);
    check_that(fabs(got - want) <= 1e-5 * (1e-3 + fabs(want)), __FILE__, line, name, why);
}
#define SAME(device, what, got, want) same(__LINE__, device, what, got, want)

static ptx_module *parsed(const char *body) {
    char text[4096];
    lib_message msg = {0};
    snprintf(text, sizeof text,
             ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a){\n"
             ".reg .pred %%p<4>; .reg .b32 %%r<80>; .reg .f32 %%f<80>; .reg .b64 %%d<64>; "
             ".reg .f64 %%g<16>; .reg .b16 %%h<4>; .reg .f16x2 %%x<16>;\n%s\nret;\n}\n",
             body);
    ptx_module *m = ptx_parse(text, strlen(text), &msg);
    if (!m) {
        CHECK_STR(said(&msg), "");
        exit(1);
    }
    return m;
}

/* ---- from PTX to the machine ---- */

static const char *const devices[] = {"h200", "a100"};

static time_op op_of(const char *profile, const char *body, unsigned at) {
    ptx_module *m = parsed(body);
    time_code *code = time_code_new(sim_profile_find(profile), m, NULL, NULL);
    time_op o = code->ops[at];
    time_code_free(code);
    ptx_free(m);
    return o;
}

/* A product of m x n x k takes so many multiply-adds of halves: floats of 19 bits go in 32, doubles
 * at a sixteenth of the rate; half of A are zeros in mma.sp. 28 cycles more until the result. */
static void matrices(void) {
    static const struct {
        const char *text;
        double macs, bits;
    } rows[] = {
        /* four products at once */
        {"mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8},"
         "{%r1,%r2},{%r5,%r6},{%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8};",
         4 * 8 * 8 * 4, 16},
        {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4},{%r1,%r2,%r3,%r4},"
         "{%r5,%r6},{%f1,%f2,%f3,%f4};",
         16 * 8 * 16, 16},
        {"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4},{%r1,%r2},{%r5},"
         "{%f1,%f2,%f3,%f4};",
         16 * 8 * 8, 16},
        {"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f1,%f2,%f3,%f4},{%r1,%r2,%r3,%r4},"
         "{%r5,%r6},{%f1,%f2,%f3,%f4};",
         16 * 8 * 8, 32},
        {"mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%r11,%r12,%r13,%r14},{%r1,%r2,%r3,%r4},"
         "{%r5,%r6},{%r11,%r12,%r13,%r14};",
         16 * 8 * 32, 8},
        {"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%g1,%g2},{%g3},{%g4},{%g1,%g2};",
         8 * 8 * 4, 256},
        {"mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4},"
         "{%r1,%r2,%r3,%r4},{%r5,%r6,%r7,%r8},{%f1,%f2,%f3,%f4},%r9,0x0;",
         16 * 8 * 16, 16},
        {"mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4},{%r1,%r2},"
         "{%r5,%r6},{%f1,%f2,%f3,%f4},%r9,0x0;",
         16 * 8 * 8, 16},
    };
    for (unsigned d = 0; d < 2; d++)
        for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
            const sim_profile *p = sim_profile_find(devices[d]);
            time_op o = op_of(devices[d], rows[k].text, 0);
            double busy = rows[k].macs * rows[k].bits / 16 / (p->tensor_macs / p->schedulers);
            SAME(devices[d], rows[k].text, (double)o.busy, busy);
            SAME(devices[d], "its result", (double)o.latency, busy + 28);
            SAME(devices[d], "its slots", (double)o.slots, 2);
            CHECK_INT(o.pipe, TIME_PIPE_TENSOR);
        }
}

/* Conversions: between integers a move's; halves and floats the ALU's; from an integer the ALU's
 * from compute capability 8.6 on; the others, and all of eight bytes with a floating-point side,
 * those of a unit of their own rate. */
static void conversions(void) {
    static const char *const which[] = {"h200", "a100", "t4", "rtx4090", "g80"};
    enum { MOVE, HALF, TO_FLOAT, OWN };
    static const struct {
        const char *text;
        int kind;
    } rows[] = {{"cvt.s32.s8 %r1,%r2;", MOVE},         {"cvt.rn.f16.f32 %h1,%f2;", HALF},
                {"cvt.f32.f16 %f1,%h2;", HALF},        {"cvt.rn.f32.s32 %f1,%r2;", TO_FLOAT},
                {"cvt.rn.f32.u32 %f1,%r2;", TO_FLOAT}, {"cvt.rzi.s32.f32 %r1,%f2;", OWN},
                {"cvt.f64.f32 %g1,%f2;", OWN},         {"cvt.rn.f32.f64 %f1,%g2;", OWN},
                {"cvt.rn.f64.s32 %g1,%r2;", OWN},      {"cvt.rn.f32.s64 %f1,%d2;", OWN}};
    for (unsigned d = 0; d < sizeof which / sizeof *which; d++)
        for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
            const sim_profile *p = sim_profile_find(which[d]);
            time_op o = op_of(which[d], rows[k].text, 0);
            int kind = rows[k].kind;
            if (kind == TO_FLOAT && !p->int_to_float_alu) kind = OWN;
            double s = p->schedulers, more = p->lat_alu / 4.1,
                   busy = s / (kind == OWN ? p->rate_convert : p->rate_int),
                   latency = kind == OWN        ? p->lat_sfu + more
                             : kind == TO_FLOAT ? p->lat_alu + 2 * more
                             : kind == HALF     ? p->lat_alu + more
                                                : p->lat_alu;
            SAME(which[d], rows[k].text, (double)o.busy, busy);
            SAME(which[d], rows[k].text, (double)o.latency, latency);
            SAME(which[d], rows[k].text, (double)o.slots, s / p->issue_per_cycle);
            SAME(which[d], rows[k].text, (double)o.xu, 0);
        }
}

/* What an instruction is to the machine. */
static void kinds(void) {
    static const char call[] = "{ .reg .b32 t; call f; }", far[] = ".func f() { ret; }\n";
    static const struct {
        const char *body;
        unsigned at;
        uint8_t kind, amount;
    } rows[] = {{"ret;", 0, TIME_EXIT, 0},
                {"exit;", 0, TIME_EXIT, 0},
                {"trap;", 0, TIME_EXIT, 0},
                {"brkpt;", 0, TIME_PLAIN, 0},
                {"membar.cta;", 0, TIME_FENCE, 0},
                {"membar.gl;", 0, TIME_FENCE, 1},
                {"membar.sys;", 0, TIME_FENCE, 2},
                {"fence.acq_rel.gpu;", 0, TIME_FENCE, 1},
                {"bar.sync 0;", 0, TIME_BARRIER, 0},
                {"bar.arrive 0,64;", 0, TIME_ARRIVE, 0},
                {"bar.warp.sync -1;", 0, TIME_PLAIN, 0},
                {"cp.async.commit_group;", 0, TIME_COMMIT, 0},
                {"cp.async.wait_group 3;", 0, TIME_WAIT, 3},
                {"cp.async.wait_all;", 0, TIME_WAIT, 0},
                {"ld.const.u32 %r1,[%r2];", 0, TIME_CONST, 0},
                {"ld.global.u32 %r1,[%d2];", 0, TIME_LOAD, 0},
                {"ld.param.u64 %d1,[a];", 0, TIME_PLAIN, 0},
                {"st.shared.u32 [%r1],%r2;", 0, TIME_STORE, 0},
                {"red.global.add.u32 [%d1],%r2;", 0, TIME_ATOM, 0}};
    for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
        time_op o = op_of("h200", rows[k].body, rows[k].at);
        check_that(o.kind == rows[k].kind && o.amount == rows[k].amount, __FILE__, __LINE__,
                   rows[k].body, "another kind");
    }
    /* a call is a branch, in a kernel too; so is a function's return */
    char text[400];
    snprintf(text, sizeof text,
             ".version 8.0\n.target sm_90\n.address_size 64\n%s.visible .entry k(){ %s ret; }\n",
             far, call);
    lib_message msg = {0};
    ptx_module *m = ptx_parse(text, strlen(text), &msg);
    CHECK_STR(said(&msg), "");
    time_code *code = m ? time_code_new(sim_profile_find("h200"), m, NULL, NULL) : NULL;
    if (code) {
        CHECK_INT(code->ops[0].kind, TIME_BRANCH); /* f's ret */
        CHECK_INT(code->ops[1].kind, TIME_BRANCH); /* the call */
        CHECK_INT(code->ops[2].kind, TIME_EXIT);
        for (unsigned k = 0; k < 3; k++) CHECK(code->ops[k].flags & TIME_SIGNALS); /* they go far */
    }
    time_code_free(code);
    ptx_free(m);
    /* A division by what does not change in its loop is ten instructions, otherwise eighteen; high
     * halves of products keep the port for two more, and three each. */
    static const struct {
        const char *body;
        unsigned at;
        double slots;
    } divisions[] = {
        {"div.u32 %r1,%r2,%r3;", 0, 24},
        {"div.u32 %r1,%r2,10;", 0, 12},
        {"mov.u32 %r3,%tid.x;\nL: div.u32 %r1,%r1,%r3;\nsetp.ne.u32 %p1,%r1,%r9;\n@%p1 bra L;", 1,
         12},
        {"L: add.u32 %r3,%r3,%r5;\ndiv.u32 %r1,%r1,%r3;\nsetp.ne.u32 %p1,%r1,%r9;\n@%p1 bra L;", 1,
         24},
        {"mov.u32 %r3,%tid.x;\nmov.u32 %r3,%tid.y;\nL: div.u32 %r1,%r1,%r3;\n"
         "setp.ne.u32 %p1,%r1,%r9;\n@%p1 bra L;",
         2, 24},
        {"mov.u64 %d3,%clock64;\nL: div.u64 %d1,%d1,%d3;\nsetp.ne.u64 %p1,%d1,%d9;\n@%p1 bra L;", 1,
         85}};
    for (unsigned k = 0; k < sizeof divisions / sizeof *divisions; k++)
        SAME("h200", divisions[k].body,
             (double)op_of("h200", divisions[k].body, divisions[k].at).slots, divisions[k].slots);
}

/* A loop of one block whose counter steps by a constant is made four times when it has no more than
 * 26 instructions and nothing in it waits, calls or writes what it may read. */
static void unrolling(void) {
    static const struct {
        const char *what, *extra, *step;
        unsigned fill; /* further instructions */
        bool four;
    } rows[] = {
        {"26 instructions", "", "add.s32 %r1,%r1,1;", 23, true},
        {"27 instructions", "", "add.s32 %r1,%r1,1;", 24, false},
        {"a few, down", "", "sub.s32 %r1,%r1,3;", 2, true},
        {"by a variable", "", "add.s32 %r1,%r1,%r5;", 2, false},
        {"by a product", "", "mul.lo.s32 %r1,%r1,3;", 2, false},
        {"a load", "ld.global.f32 %f60,[%d1];", "add.s32 %r1,%r1,1;", 2, true},
        {"a volatile load", "ld.volatile.global.f32 %f60,[%d1];", "add.s32 %r1,%r1,1;", 2, false},
        {"a constant by address", "ld.const.f32 %f60,[%r9];", "add.s32 %r1,%r1,1;", 2, false},
        {"a store", "st.global.f32 [%d1],%f60;", "add.s32 %r1,%r1,1;", 2, true},
        {"an atomic", "red.global.add.u32 [%d1],%r9;", "add.s32 %r1,%r1,1;", 2, false},
        {"a shuffle", "shfl.sync.bfly.b32 %r9,%r9,1,31,-1;", "add.s32 %r1,%r1,1;", 2, false},
        {"a division", "div.u32 %r9,%r9,%r8;", "add.s32 %r1,%r1,1;", 2, false},
        {"a fence", "membar.gl;", "add.s32 %r1,%r1,1;", 2, false},
        {"a guard", "@%p2 max.f32 %f60,%f61,%f62;", "add.s32 %r1,%r1,1;", 2, false},
    };
    static const char *const which[] = {"h200", "g80"};
    for (unsigned d = 0; d < 2; d++)
        for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
            char body[3000] = "L:\n";
            for (unsigned n = 0; n < rows[k].fill; n++)
                snprintf(body + strlen(body), sizeof body - strlen(body),
                         "max.f32 %%f%u,%%f70,%%f71;\n", n);
            snprintf(body + strlen(body), sizeof body - strlen(body),
                     "%s\n%s\nsetp.lt.s32 %%p1,%%r1,%%r3;\n@%%p1 bra L;", rows[k].extra,
                     rows[k].step);
            ptx_module *m = parsed(body);
            time_code *code = time_code_new(sim_profile_find(which[d]), m, NULL, NULL);
            const time_region *r = &code->regions[code->region_of[0]];
            unsigned count = rows[k].fill + 3 + (*rows[k].extra != 0);
            CHECK_INT(r->count, count);
            SAME(which[d], rows[k].what, r->unrolled, rows[k].four ? 4 : 0);
            CHECK_INT(code->extra, rows[k].four ? 4 * count : 0);
            /* but in the last copy, the counter, the comparison and the jump cost nothing */
            double slot = sim_profile_find(which[d])->schedulers /
                          sim_profile_find(which[d])->issue_per_cycle,
                   slots = 0;
            for (unsigned n = 0; n < code->extra; n++)
                slots += (double)code->ops[code->op_count + n].slots;
            if (rows[k].four) SAME(which[d], "slots of four", slots, (4 * count - 9) * slot);
            time_code_free(code);
            ptx_free(m);
        }
}

/* An if over at most eight instructions is none of the machine's branches: they are issued and
 * skipped. Otherwise there are two more around it. */
static void short_ifs(void) {
    static const char *const which[] = {"h200", "g80"};
    for (unsigned d = 0; d < 2; d++)
        for (unsigned n = 1; n <= 10; n++)
            for (unsigned other = 0; other < 10; other += 3) {
                const sim_profile *p = sim_profile_find(which[d]);
                double slot = p->schedulers / p->issue_per_cycle;
                char body[3000] = "@%p1 bra E;\n", name[60];
                for (unsigned k = 0; k < n; k++)
                    snprintf(body + strlen(body), sizeof body - strlen(body),
                             "max.f32 %%f%u,%%f70,%%f71;\n", k);
                if (other) strcat(body, "bra X;\n");
                strcat(body, "E:\n");
                for (unsigned k = 0; k < other; k++)
                    snprintf(body + strlen(body), sizeof body - strlen(body),
                             "min.f32 %%f%u,%%f72,%%f73;\n", 20 + k);
                strcat(body, "X: max.f32 %f60,%f61,%f62;");
                time_op o = op_of(which[d], body, 0);
                bool guarded = n <= 8 && other <= 8;
                snprintf(name, sizeof name, "%u or %u instructions", n, other);
                CHECK_INT((o.flags & TIME_PREDICATED) != 0, guarded);
                SAME(which[d], name, (double)o.slots, guarded ? 0 : 2 * slot);
                if (guarded) SAME(which[d], name, o.amount, n * slot);
                if (!guarded || !other) continue;
                o = op_of(which[d], body, n + 1); /* the jump over the other arm */
                CHECK(o.flags & TIME_PREDICATED);
                SAME(which[d], name, (double)o.slots, 0);
                SAME(which[d], name, o.amount, other * slot);
            }
}

/* In what order a region is issued: values whose making takes longest first, within what is known
 * of latencies; memory keeps the order that it must. */
static void orders(void) {
    static const struct {
        const char *name, *body;
        unsigned n;
        uint8_t want[12];
    } rows[] = {
        {"loads before their uses",
         "ld.global.f32 %f1,[%d1];\nadd.f32 %f9,%f9,%f1;\nld.global.f32 %f2,[%d2];\n"
         "add.f32 %f8,%f8,%f2;",
         4,
         {0, 2, 1, 3}},
        {"the longer chain first",
         "add.f32 %f1,%f2,%f3;\nld.shared.f32 %f4,[%r1];\nadd.f32 %f5,%f4,%f1;",
         3,
         {1, 0, 2}},
        {"of equals the first",
         "add.f32 %f1,%f2,%f3;\nadd.f32 %f4,%f2,%f3;\nadd.f32 %f5,%f2,%f3;",
         3,
         {0, 1, 2}},
        {"a load behind a store to what may be the same",
         "st.global.f32 [%d1],%f1;\nld.global.f32 %f2,[%d2];\nadd.f32 %f3,%f2,%f2;",
         3,
         {0, 1, 2}},
        {"a load before a store to another space",
         "add.f32 %f1,%f1,%f5;\nst.shared.f32 [%r1],%f1;\nld.global.f32 %f2,[%d2];\n"
         "add.f32 %f3,%f2,%f2;",
         4,
         {2, 0, 1, 3}},
        {"loads of global memory before those of shared memory",
         "ld.shared.f32 %f1,[%r1];\nld.global.f32 %f2,[%d1];\nadd.f32 %f3,%f1,%f2;",
         3,
         {1, 0, 2}},
        {"a register that is written again waits for its readers",
         "ld.global.f32 %f1,[%d1];\nadd.f32 %f2,%f1,%f1;\nld.global.f32 %f1,[%d2];\n"
         "add.f32 %f3,%f1,%f1;",
         4,
         {0, 1, 2, 3}},
    };
    for (unsigned d = 0; d < 2; d++)
        for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
            ptx_module *m = parsed(rows[k].body);
            time_code *code = time_code_new(sim_profile_find(devices[d]), m, NULL, NULL);
            char got[40] = "", want[40] = "";
            for (unsigned i = 0; i < rows[k].n; i++) {
                snprintf(got + strlen(got), sizeof got - strlen(got), "%u ", code->order[i]);
                snprintf(want + strlen(want), sizeof want - strlen(want), "%u ", rows[k].want[i]);
            }
            char why[120];
            snprintf(why, sizeof why, "got %s, want %s", got, want);
            check_that(!strcmp(got, want), __FILE__, __LINE__, rows[k].name, why);
            time_code_free(code);
            ptx_free(m);
        }
}

int main(void) {
    constants();
    predicates();
    short_loops();
    predication();
    put_behind();
    matrices();
    conversions();
    kinds();
    unrolling();
    short_ifs();
    orders();
    return check_done();
}
