/* Which blocks the model of time looks at, and whether they are like the launch. Expected:
 * sim_options.sample, sim_result.unlike and the head of trace.h. The launches are timed by machine
 * code. */
#include <stdlib.h>
#include <string.h>
#include "tests/check.h"
#include "tests/said.h"
#include "runner/base/message.h"
#include "runner/device/sim/profile.h"
#include "runner/device/sim/time/time.h"
#include "assembled_fixture.h"

/* With a number that is drawn: as many blocks as without, of two multiprocessors, the first of
 * those that have the most; the same for the same number. */
static void drawn(void) {
    static const struct {
        uint64_t grid;
        unsigned resident;
    } rows[] = {{1, 1}, {2, 1}, {40, 1}, {132, 1}, {132, 8}, {140, 2}, {1000, 4}, {100000, 8}};
    const sim_profile *p = sim_profile_find("h200");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t grid = rows[i].grid, sms = p->sms, last = grid % sms;
        unsigned seen[256] = {0}, kinds = 0;
        for (uint64_t draw = 1; draw <= 300; draw++) {
            sim_trace *t = sim_trace_new(p, grid, 1, rows[i].resident, draw),
                      *same = sim_trace_new(p, grid, 1, rows[i].resident, draw),
                      *fixed = sim_trace_new(p, grid, 1, rows[i].resident, 0);
            bool good = t->first_count == fixed->first_count && t->block_count == same->block_count;
            good = good && t->blocks[0].block == t->sm && fixed->blocks[0].block == 0;
            good = good && (grid < sms || !last || t->sm < last);
            good = good && (t->block_count > t->first_count || grid == 1);
            for (unsigned k = 0; k < t->block_count; k++) {
                uint64_t b = t->blocks[k].block,
                         at = t->blocks[k < t->first_count ? 0 : t->first_count].block;
                good = good && b < grid && b == same->blocks[k].block && b % sms == at % sms;
            }
            for (unsigned k = t->first_count; k < t->block_count; k++)
                good = good && t->blocks[k].block % sms != t->sm;
            if (!good) printf("# grid %u, draw %u\n", (unsigned)grid, (unsigned)draw);
            if (!good || draw == 1) CHECK(good);
            kinds += !seen[t->sm]++;
            sim_trace_free(t), sim_trace_free(same), sim_trace_free(fixed);
        }
        /* 300 draws of 132: all but some 10% of them (e^-2.3) */
        CHECK(grid < sms || last || kinds > 100);
        CHECK(grid != 1 || kinds == 1);
    }
}

/* The blocks that open the launch find in DRAM what they all read; those that stand for the others
 * are none of them, if the launch has others. */
static void later(void) {
    static const struct {
        uint64_t grid;
        unsigned resident;
    } rows[] = {{133, 1}, {1100, 8}, {2048, 8}, {2640, 8}, {3300, 8}};
    const sim_profile *p = sim_profile_find("h200");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (uint64_t draw = 0; draw < 20; draw++) {
            sim_trace *t = sim_trace_new(p, rows[i].grid, 1, rows[i].resident, draw);
            uint64_t opens = (uint64_t)p->sms * rows[i].resident;
            for (unsigned k = t->first_count; k < t->block_count; k++) {
                uint64_t per_sm =
                    rows[i].grid / p->sms + (rows[i].grid % p->sms > t->blocks[k].block % p->sms);
                CHECK(t->blocks[k].block >= opens || per_sm <= rows[i].resident);
            }
            sim_trace_free(t);
        }
}

/* The busiest multiprocessor against the one that is replayed: 10 blocks, of which the third has
 * three times as much to do as each of the others. */
static void busiest(void) {
    for (unsigned first = 0; first < 4; first++) {
        sim_spread s;
        sim_spread_begin(&s, 132, 1);
        s.first = first;
        for (unsigned b = 0; b < 10; b++) sim_spread_block(&s, b == 2 ? 300 : 100);
        CHECK_NEAR(sim_spread_worst(&s), first == 2 ? 1 : 3, 0);
    }
}

/* ---- like the launch? */

/* A device whose launches are timed by machine code, with `sample`. */
static sim_device *device_of(uint64_t sample) {
    lib_message msg = {0};
    sim_options o;
    sim_options_default(&o);
    o.threads = 1, o.sample = sample, o.machine_code = true;
    o.check_race_global = false; /* blocks store what keeps ptxas from leaving their work out */
    sim_device *d = sim_device_new(sim_profile_find("h200"), &o, &msg);
    CHECK_STR(said(&msg), "");
    if (!d) exit(1);
    return d;
}

static bool launched(sim_device *d, const sim_launch *l, sim_result *r) {
    lib_message msg = {0};
    bool ok = sim_run(d, l, r, &msg) == SIM_OK && r->by_machine_code;
    if (!ok) printf("# %s\n", r->machine_refusal ? said(r->machine_refusal) : said(&msg));
    return CHECK(ok);
}

enum { BLOCKS = 132, DRAWS = 24 };
typedef struct {
    unsigned like, half, most; /* draws by what is unlike: up to 5%, 45 to 55%, over 90% */
} shares;

/* BLOCKS blocks of a warp, each of a multiprocessor of its own; `choose` sets %p1 where a block
 * goes the other way, round a loop of `rounds`. */
static shares drawn_of(const char *choose, unsigned rounds, uint64_t sample) {
    char text[1024];
    shares n = {0};
    snprintf(text, sizeof text,
             ".version 8.0\n.target sm_80\n.address_size 64\n.global .u32 sink;\n"
             ".visible .entry k()\n{\n.reg .pred %%p<3>;\n.reg .b32 %%r<6>;\nmov.u32 %%r1, "
             "%%ctaid.x;\nmov.u32 %%r2, 0;\n"
             "%s\n@%%p1 bra B;\n"
             "A: .pragma \"nounroll\";\nadd.u32 %%r2, %%r2, 1;\nsetp.lt.u32 %%p2, %%r2, 100;\n"
             "@%%p2 bra A;\nst.global.u32 [sink], %%r2;\nret;\n"
             "B: .pragma \"nounroll\";\nadd.u32 %%r2, %%r2, 1;\nsetp.lt.u32 %%p2, %%r2, %u;\n"
             "@%%p2 bra B;\nst.global.u32 [sink], %%r2;\nret;\n}\n",
             choose, rounds);
    sim_device *d = device_of(sample);
    sim_module *m = assembled_module(d, "h200", text);
    sim_launch l = {
        .kernel = sim_module_kernel(m, "k"), .grid = {BLOCKS, 1, 1}, .block = {32, 1, 1}};
    for (unsigned k = 0; k < DRAWS && l.kernel; k++) {
        sim_result r;
        if (!launched(d, &l, &r)) break;
        n.like += r.unlike <= 0.05;
        n.half += r.unlike >= 0.45 && r.unlike <= 0.55;
        n.most += r.unlike > 0.9;
        sim_result_free(&r);
    }
    sim_module_free(m);
    sim_device_free(d);
    return n;
}

static void unlike(void) {
    shares n = drawn_of("setp.lt.u32 %p1, %r1, 0;", 1, 5);
    CHECK_INT(n.like, DRAWS); /* all blocks alike */
    n = drawn_of("setp.lt.u32 %p1, %r1, 1000;", 7, 5);
    CHECK_INT(n.like, DRAWS);
    /* Every other one goes the other way, with as many instructions: two blocks of one kind say
     * half of it, one of each all of it. */
    n = drawn_of("and.b32 %r3, %r1, 1; setp.eq.u32 %p1, %r3, 1;", 100, 5);
    CHECK_INT(n.like + n.half, DRAWS);
    CHECK(n.like > 0 && n.half > 0);
    /* One alone does nearly all: 3,000,000 instructions of 3,000,000 + 131 * 300. Once it is known,
     * half of the draws have it. */
    n = drawn_of("setp.eq.u32 %p1, %r1, 77;", 1000000, 5);
    CHECK_INT(n.most + n.like, DRAWS);
    CHECK(n.most > 4 && n.like > 2);
    n = drawn_of("setp.eq.u32 %p1, %r1, 77;", 1000000, 0); /* nothing is drawn, and nothing told */
    CHECK_INT(n.like, DRAWS);
}

/* Block 77 adds floats sixteen times in a row, the others sixteen side by side: as many
 * instructions, and several times as long, a sum after another. The sample does not have it but
 * once in 132 draws; then it is known, and looked at in half of the launches until it was. */
static void slower(void) {
    char text[4096], *to = text;
    to += sprintf(to, ".version 8.0\n.target sm_80\n.address_size 64\n.global .f32 sink[16];\n"
                      ".visible .entry k()\n{\n"
                      ".reg .pred %%p<3>;\n.reg .b32 %%r<3>;\n.reg .f32 %%f<30>;\n"
                      "mov.u32 %%r1, %%ctaid.x;\nmov.u32 %%r2, 0;\ncvt.rn.f32.u32 %%f1, %%r1;\n");
    for (unsigned k = 0; k < 16; k++)
        to += sprintf(to, "add.f32 %%f%u, %%f1, 0f4%x000000;\n", 10 + k, k);
    to += sprintf(to, "setp.eq.u32 %%p1, %%r1, 77;\n@%%p1 bra B;\n");
    for (unsigned side = 0; side < 2; side++) {
        to += sprintf(to, "%c: .pragma \"nounroll\";\n", "AB"[side]);
        for (unsigned k = 0; k < 16; k++) {
            unsigned reg = side ? 10 : 10 + k;
            to += sprintf(to, "add.f32 %%f%u, %%f%u, %%f1;\n", reg, reg);
        }
        to += sprintf(to, "add.u32 %%r2, %%r2, 1;\nsetp.lt.u32 %%p2, %%r2, 1000;\n@%%p2 bra %c;\n",
                      "AB"[side]);
        for (unsigned k = 0; k < 16; k++)
            to += sprintf(to, "st.global.f32 [sink+%u], %%f%u;\n", 4 * k, 10 + k);
        to += sprintf(to, "ret;\n");
    }
    sprintf(to, "}\n");
    sim_device *d = device_of(5);
    sim_module *m = assembled_module(d, "h200", text);
    sim_launch l = {
        .kernel = sim_module_kernel(m, "k"), .grid = {BLOCKS, 1, 1}, .block = {32, 1, 1}};
    unsigned unlike = 0, like = 0;
    double slow = 0, fast = 1e9;
    for (unsigned k = 0; k < DRAWS && l.kernel; k++) {
        sim_result r;
        if (!launched(d, &l, &r)) break;
        unlike += r.unlike > 0.25;
        like += r.unlike <= 0.05;
        if (r.unlike <= 0.05) slow = r.time_us;
        else fast = r.time_us;
        sim_result_free(&r);
    }
    CHECK_INT(unlike + like, DRAWS);
    CHECK(unlike > 4 && like > 2);
    /* Whatever was sampled, the launch takes 16 additions one after another in 1000 rounds. */
    CHECK(fmin(slow, fast) > 1000 * 16 * 4 / 1980.0);
    sim_module_free(m);
    sim_device_free(d);
}

/* Each block loads 200 times, each time from where the value says that it loaded before: one block
 * from another line of 16 MB each time, the others from one line. */
static const char chase[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".global .align 128 .b8 field[16777216];\n.global .u32 sink;\n"
    ".visible .entry k(.param .u32 who)\n{\n"
    ".reg .pred %p<3>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<5>;\n"
    "mov.u32 %r1, %ctaid.x;\nld.param.u32 %r2, [who];\n"
    "setp.eq.u32 %p1, %r1, %r2;\nselp.u32 %r3, 20608, 0, %p1;\n"
    "mov.u64 %rd1, field;\nmov.u32 %r4, 0;\nmov.u32 %r5, 0;\n"
    "A: .pragma \"nounroll\";\ncvt.u64.u32 %rd2, %r5;\nadd.u64 %rd3, %rd1, %rd2;\n"
    "ld.global.u32 %r6, [%rd3];\nadd.u32 %r5, %r5, %r6;\n"
    "add.u32 %r5, %r5, %r3;\nand.b32 %r5, %r5, 16777088;\n"
    "add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p2, %r4, 200;\n@%p2 bra A;\n"
    "st.global.u32 [sink], %r5;\nret;\n}\n";

/* The same for words of shared memory: 400 loads, 32 passes each or one. */
static const char banks[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n.global .u32 sink;\n"
    ".visible .entry k(.param .u32 who)\n{\n.shared .align 16 .b8 words[4096];\n"
    ".reg .pred %p<3>;\n.reg .b32 %r<9>;\n"
    "mov.u32 %r1, %ctaid.x;\nmov.u32 %r7, %tid.x;\nld.param.u32 %r2, [who];\n"
    "setp.eq.u32 %p1, %r1, %r2;\nselp.u32 %r3, 128, 4, %p1;\nmul.lo.u32 %r5, %r7, %r3;\n"
    "mov.u32 %r8, words;\nadd.u32 %r5, %r5, %r8;\nmov.u32 %r4, 0;\n"
    "Z: .pragma \"nounroll\";\nshl.b32 %r6, %r4, 5;\nadd.u32 %r6, %r6, %r7;\nshl.b32 %r6, %r6, "
    "2;\nadd.u32 %r6, %r6, %r8;\n"
    "st.shared.u32 [%r6], 0;\nadd.u32 %r4, %r4, 1;\nsetp.lt.u32 %p2, %r4, 32;\n@%p2 bra Z;\n"
    "mov.u32 %r4, 0;\nbar.sync 0;\n"
    "A: .pragma \"nounroll\";\nld.shared.u32 %r6, [%r5];\nadd.u32 %r5, %r5, %r6;\n"
    "add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p2, %r4, 400;\n@%p2 bra A;\n"
    "st.global.u32 [sink], %r5;\nret;\n}\n";

/* Of so many launches, those of which the sample says little, and the shortest time of these; the
 * longest and the shortest time of the others. */
typedef struct {
    unsigned unlike, like;
    double least, most, surest;
} chased;
static chased chase_by(const char *text, unsigned blocks, unsigned who, unsigned draws) {
    chased n = {.least = 1e9, .surest = 1e9};
    sim_device *d = device_of(5);
    sim_module *m = assembled_module(d, "h200", text);
    sim_launch l = {.kernel = sim_module_kernel(m, "k"),
                    .grid = {blocks, 1, 1},
                    .block = {32, 1, 1},
                    .params = (const uint8_t *)&who,
                    .param_bytes = sizeof who};
    for (unsigned k = 0; k < draws && l.kernel; k++) {
        sim_result r;
        if (!launched(d, &l, &r)) break;
        n.unlike += r.unlike > 0.25;
        n.like += r.unlike <= 0.25;
        if (r.unlike <= 0.25)
            n.most = fmax(n.most, r.time_us), n.surest = fmin(n.surest, r.time_us);
        else n.least = fmin(n.least, r.time_us);
        sim_result_free(&r);
    }
    sim_module_free(m);
    sim_device_free(d);
    return n;
}
static chased chase_of(unsigned blocks, unsigned who, unsigned draws) {
    return chase_by(chase, blocks, who, draws);
}

/* One slow block of any number: no draw gives a time that is shorter than this block and says that
 * the sample is like the launch. */
static void one_of_any_number(void) {
    static const unsigned grids[] = {2, 3, 66, 131, 133, 300, 4096};
    for (size_t k = 0; k < sizeof grids / sizeof *grids; k++) {
        unsigned who = grids[k] / 3;
        chased n = chase_of(grids[k], who, DRAWS / 4);
        CHECK_INT(n.unlike + n.like, DRAWS / 4);
        CHECK(n.surest > 200 * 288 / 1980.0);
        n = chase_by(banks, grids[k], who, DRAWS / 4);
        CHECK_INT(n.unlike + n.like, DRAWS / 4);
        CHECK(n.surest > 400 * 32 / 1980.0);
        n = chase_by(banks, grids[k], UINT32_MAX, 2);
        CHECK_INT(n.like, 2);
    }
}

static void waiting(void) {
    /* Block 77 is found, and timed in half of the launches then: a load takes it what L2 takes at
     * least (DRAM the first time), the others what L1 does. H200: 288 and 33 cycles. */
    chased n = chase_of(BLOCKS, 77, DRAWS);
    CHECK_INT(n.unlike + n.like, DRAWS);
    CHECK(n.unlike > 4 && n.like > 2);
    CHECK(fmin(n.most, n.least) > 200 * 288 / 1980.0);
    /* None waits, or each in its turn does. */
    n = chase_of(BLOCKS, UINT32_MAX, DRAWS);
    CHECK_INT(n.like, DRAWS);
    /* A block of the third wave is never timed, but takes longer than all waves would: 200 times
     * 661 cycles of DRAM, against three times 32 warps that wait 200 times 33 cycles side by
     * side. */
    n = chase_of(3 * 32 * BLOCKS, 70 * BLOCKS + 9, 1);
    CHECK_INT(n.unlike, 1);
    n = chase_of(3 * 32 * BLOCKS, UINT32_MAX, 4);
    CHECK_INT(n.like, 4);
}

/* Block 77 of as many as there are multiprocessors does `its` where the others do `theirs`, as many
 * instructions, 200 times. */
static chased waits_of(const char *its, const char *theirs) {
    char text[2048];
    chased n = {.least = 1e9};
    snprintf(text, sizeof text,
             ".version 8.0\n.target sm_80\n.address_size 64\n.global .align 128 .b8 field[4096];\n"
             ".global .u32 sink;\n"
             ".visible .entry k()\n{\n.shared .align 16 .b8 to[16];\n"
             ".reg .pred %%p<3>;\n.reg .b32 %%r<6>;\n.reg .b64 %%rd<3>;\nmov.u32 %%r1, %%ctaid.x;\n"
             "mov.u32 %%r3, %%r1;\n"
             "mov.u64 %%rd1, field;\nmov.u64 %%rd2, to;\nmov.u32 %%r2, 0;\n"
             "setp.eq.u32 %%p1, %%r1, 77;\n@%%p1 bra B;\n"
             "A: .pragma \"nounroll\";\n%s\nadd.u32 %%r2, %%r2, 1;\nsetp.lt.u32 %%p2, %%r2, "
             "200;\n@%%p2 bra A;\n"
             "st.global.u32 [sink], %%r3;\nret;\n"
             "B: .pragma \"nounroll\";\n%s\nadd.u32 %%r2, %%r2, 1;\nsetp.lt.u32 %%p2, %%r2, "
             "200;\n@%%p2 bra B;\n"
             "st.global.u32 [sink], %%r3;\nret;\n}\n",
             theirs, its);
    sim_device *d = device_of(5);
    sim_module *m = assembled_module(d, "h200", text);
    sim_launch l = {
        .kernel = sim_module_kernel(m, "k"), .grid = {BLOCKS, 1, 1}, .block = {32, 1, 1}};
    for (unsigned k = 0; k < DRAWS && l.kernel; k++) {
        sim_result r;
        if (!launched(d, &l, &r)) break;
        n.unlike += r.unlike > 0.25;
        n.like += r.unlike <= 0.25;
        if (r.unlike <= 0.25) n.most = fmax(n.most, r.time_us);
        n.least = fmin(n.least, r.time_us);
        sim_result_free(&r);
    }
    sim_module_free(m);
    sim_device_free(d);
    return n;
}

/* A block that waits for something else than loads. H200: a fence for the system takes 1,000
 * cycles, one for the block 7.5; a copy from L2 takes 288, and 1.98 cycles are a nanosecond. */
static void waiting_otherwise(void) {
    static const char copy[] = "cp.async.cg.shared.global [%%rd2], [%%rd1], 16;\n"
                               "cp.async.commit_group;\ncp.async.wait_group %u;";
    char waits[128], goes_on[128];
    chased n = waits_of("membar.sys;", "membar.cta;");
    CHECK(n.unlike > 4 && n.like > 2);
    CHECK(n.most > 200 * 1000 / 1980.0);
    snprintf(waits, sizeof waits, copy, 0);
    snprintf(goes_on, sizeof goes_on, copy, 7);
    n = waits_of(waits, goes_on);
    CHECK(n.unlike > 4 && n.like > 2);
    CHECK(n.most > 200 * 288 / 1980.0);
    n = waits_of(waits, waits);
    CHECK_INT(n.like, DRAWS);
    /* Whichever blocks are timed, no launch is over before the block that sleeps 200 us. */
    n = waits_of("nanosleep.u32 1000;", "nanosleep.u32 0;");
    CHECK_INT(n.unlike + n.like, DRAWS);
    CHECK(n.least >= 200 && n.least < 1.1 * 200);
    /* A wait for a clock is no estimate, whichever blocks are timed: 20,000,000 cycles are 10,101
     * us. Of each wait the first 64 rounds, of less than 100 cycles, are executed. */
    n = waits_of("{\n.reg .b64 %c<3>;\n.reg .pred %q;\nmov.u64 %c1, %clock64;\n"
                 "W:\nmov.u64 %c2, %clock64;\nsub.u64 %c2, %c2, %c1;\n"
                 "setp.lt.u64 %q, %c2, 100000;\n@%q bra W;\n}",
                 "add.u32 %r3, %r3, 1;");
    CHECK(n.least > 200 * (100000 - 64 * 100) / 1980.0);
    CHECK(n.least < 1.1 * 200 * 100000 / 1980.0);
}

int main(void) {
    drawn();
    later();
    busiest();
    if (!assembled_here("launches that the sample is not like")) return check_done();
    slower();
    waiting();
    one_of_any_number();
    waiting_otherwise();
    unlike();
    return check_done();
}
