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

int main(void) {
    constants();
    predicates();
    short_loops();
    predication();
    put_behind();
    return check_done();
}
