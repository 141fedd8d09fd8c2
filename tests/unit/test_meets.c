/* Warps of a block that wait for one another: the words by which they do so, and the time that it
 * takes. Expected: arithmetic, and what an H200 measured (tests/truth/h200.waits.jsonl). */
#include <math.h>
#include <string.h>
#include "tests/check.h"
#include "tests/said.h"
#include "runner/base/message.h"
#include "runner/device/sim/profile.h"
#include "runner/device/sim/time/time.h"
#include "assembled_fixture.h"

/* A wait is over after as many writes as there were when it saw its value. Words that one
 * instruction writes together have one count. */
static void words(void) {
    sim_meets *s = sim_meets_new(10);
    uint64_t turn = 64, row[] = {128, 132, 136}, third = 136, far = 1ull << 40;
    CHECK_INT(sim_meets_poll(s, &turn, 1).turn, 0);
    sim_meets_at first = sim_meets_write(s, &turn, 1, 100, true);
    CHECK(first.polled && first.turn == 0 && first.group);
    CHECK(!sim_meets_write(s, row, 3, 7, true).polled);
    CHECK_INT(sim_meets_poll(s, &turn, 1).turn, 1);
    sim_meets_at seen = sim_meets_poll(s, &third, 1);
    CHECK(seen.turn == 1 && seen.path == 7 && seen.group != first.group);
    CHECK(sim_meets_write(s, row, 1, 5, true).polled); /* the group's other word was */
    CHECK_INT(sim_meets_poll(s, &third, 1).turn, 2);
    CHECK_INT(sim_meets_poll(s, &third, 1).path, 7); /* the longest, not the last */
    /* another block's write: its path counts, but the block's own replay has no such write */
    sim_meets_write(s, &far, 1, (3ull << SIM_TRIPS) | 1, false);
    seen = sim_meets_poll(s, &far, 1);
    CHECK(seen.turn == 0 && seen.path == ((3ull << SIM_TRIPS) | 1)); /* 31 cycles */
    sim_meets_write(s, &far, 1, 30, false);
    CHECK(sim_meets_poll(s, &far, 1).path == ((3ull << SIM_TRIPS) | 1));
    /* of several words, the one that was written last */
    uint64_t both[] = {turn, far};
    CHECK(sim_meets_poll(s, both, 2).path == ((3ull << SIM_TRIPS) | 1));
    /* an mbarrier: writes of later phases do not count */
    uint64_t bar = 256;
    for (unsigned n = 0; n < 5; n++) {
        sim_meets_write(s, &bar, 1, 0, true);
        sim_meets_phase(s, bar, n >= 2, false); /* the third write ends the first phase */
    }
    CHECK_INT(sim_meets_phase(s, bar, true, true).turn, 3);
    sim_meets_begin(s);
    CHECK_INT(sim_meets_poll(s, &turn, 1).turn, 0);
    for (uint64_t k = 0; k < 100000; k++) { /* more words than are told apart */
        uint64_t at = 4 * k;
        sim_meets_write(s, &at, 1, k, true);
    }
    CHECK(sim_meets_poll(s, &turn, 1).group < SIM_MEETS_MOST);
    sim_meets_free(s);
}

/* A block's warps execute 2,000 dependent additions each, between `before` and `after`. */
enum { WARPS = 8, ADDITIONS = 2000, BLOCKS = 132 };
static sim_module *kernel_of(sim_device *d, const char *before, const char *after) {
    static char text[8192];
    char *to = text;
    to += sprintf(to,
                  ".version 8.0\n.target sm_90\n.address_size 64\n.global .f32 sink;\n"
                  ".global .align 4 .b8 words[%u];\n.visible .entry k(.param .u32 who)\n{\n"
                  ".shared .align 8 .b8 bars[128];\n.shared .align 4 .u32 word;\n"
                  ".reg .pred %%p<9>;\n.reg .b32 %%r<20>;\n.reg .b64 %%rd<9>;\n.reg .f32 %%f<4>;\n"
                  "mov.u32 %%r1, %%tid.x;\nshr.u32 %%r2, %%r1, 5;\nand.b32 %%r3, %%r1, 31;\n"
                  "setp.eq.u32 %%p1, %%r3, 0;\nsetp.eq.u32 %%p2, %%r1, 0;\nmov.u32 %%r4, bars;\n"
                  "shl.b32 %%r5, %%r2, 3;\nadd.u32 %%r5, %%r5, %%r4;\n"
                  "mov.u32 %%r6, %%ctaid.x;\nmul.wide.u32 %%rd1, %%r6, 4;\n"
                  "mov.u64 %%rd2, words;\nadd.u64 %%rd1, %%rd1, %%rd2;\nld.param.u32 %%r7, [who];\n"
                  "@%%p2 st.volatile.shared.u32 [word], 0;\n"
                  "@%%p2 st.volatile.global.u32 [%%rd1], 0;\n"
                  "@%%p1 mbarrier.init.shared.b64 [%%r5], 1;\nbar.sync 0;\n%s"
                  "cvt.rn.f32.u32 %%f1, %%r1;\nmov.u32 %%r10, 0;\nLOOP: .pragma \"nounroll\";\n",
                  4 * BLOCKS, before);
    for (unsigned k = 0; k < 20; k++) to += sprintf(to, "add.f32 %%f1, %%f1, 0f3F000000;\n");
    sprintf(to,
            "add.u32 %%r10, %%r10, 1;\nsetp.lt.u32 %%p3, %%r10, %u;\n@%%p3 bra LOOP;\n"
            "st.global.f32 [sink], %%f1;\n%sret;\n}\n",
            ADDITIONS / 20, after);
    return assembled_module(d, "h200", text);
}
static double time_of(const char *before, const char *after, unsigned who) {
    static unsigned draws;
    lib_message msg = {0};
    sim_options o;
    sim_options_default(&o);
    o.threads = 1, o.machine_code = true, o.sample = 11 + draws++;
    o.check_race_global = false;
    sim_device *d = sim_device_new(sim_profile_find("h200"), &o, &msg);
    CHECK_STR(said(&msg), "");
    if (!d) exit(1);
    sim_module *m = kernel_of(d, before, after);
    sim_launch l = {.kernel = m ? sim_module_kernel(m, "k") : NULL,
                    .grid = {BLOCKS, 1, 1},
                    .block = {32 * WARPS, 1, 1},
                    .params = (const uint8_t *)&who,
                    .param_bytes = sizeof who};
    sim_result r = {0};
    double us = -1;
    bool ok = l.kernel && sim_run(d, &l, &r, &msg) == SIM_OK && r.by_machine_code;
    if (ok) us = r.time_us;
    else printf("# %s\n", r.machine_refusal ? said(r.machine_refusal) : said(&msg));
    CHECK(ok);
    sim_result_free(&r);
    sim_module_free(m);
    sim_device_free(d);
    return us;
}

static void one_after_another(void) {
    static const struct {
        const char *name, *before, *after;
    } ways[] = {
        {"a volatile word",
         "W: ld.volatile.shared.u32 %r8, [word];\nsetp.lt.u32 %p4, %r8, %r2;\n@%p4 bra W;\n",
         "add.u32 %r9, %r2, 1;\nmembar.cta;\n@%p1 st.volatile.shared.u32 [word], %r9;\n"},
        {"a word of global memory",
         "W: ld.volatile.global.u32 %r8, [%rd1];\nsetp.lt.u32 %p4, %r8, %r2;\n@%p4 bra W;\n",
         "add.u32 %r9, %r2, 1;\nmembar.cta;\n@%p1 st.volatile.global.u32 [%rd1], %r9;\n"},
        {"a lock",
         "@!%p1 bra M;\nW: atom.shared.cas.b32 %r8, [word], 0, 1;\nsetp.ne.u32 %p4, %r8, 0;\n@%p4 "
         "bra W;\nM: bar.warp.sync -1;\n",
         "bar.warp.sync -1;\n@%p1 atom.shared.exch.b32 %r9, [word], 0;\n"},
        {"mbarriers",
         "setp.eq.u32 %p5, %r2, 0;\n@%p5 bra M;\nW: mbarrier.try_wait.parity.shared.b64 %p4, "
         "[%r5], 0;\n@!%p4 bra W;\nM: bar.warp.sync -1;\n",
         "add.u32 %r9, %r5, 8;\nsetp.lt.u32 %p6, %r2, 7;\nand.pred %p6, %p6, %p1;\n@%p6 "
         "mbarrier.arrive.shared.b64 %rd4, [%r9];\n"},
        {"named barriers", "setp.eq.u32 %p5, %r2, 0;\n@%p5 bra M;\nbar.sync %r2, 64;\nM:\n",
         "add.u32 %r9, %r2, 1;\nsetp.eq.u32 %p6, %r9, 8;\n@%p6 bra X;\nbar.arrive %r9, 64;\nX:\n"},
    };
    const double clock = 1980, chain = ADDITIONS * 4 / clock; /* us; an addition takes 4 cycles */
    double free = time_of("", "", 0);
    CHECK(free > chain && free < 2 * chain + 4);
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        double us = time_of(ways[k].before, ways[k].after, 0);
        printf("# %s: %.1f us, free %.1f, %d chains %.1f\n", ways[k].name, us, free, WARPS,
               WARPS * chain);
        check_that(us > WARPS * chain && us < 1.2 * WARPS * chain + 6, __FILE__, __LINE__,
                   ways[k].name, "eight turns");
    }
}

/* The same in one block of all, whichever it is and whichever are sampled. */
static void in_one_block(void) {
    static const char before[] =
        "setp.ne.u32 %p5, %r6, %r7;\nselp.u32 %r11, 0, %r2, %p5;\n"
        "W: ld.volatile.shared.u32 %r8, [word];\nsetp.lt.u32 %p4, %r8, %r11;\n@%p4 bra W;\n",
                      after[] = "add.u32 %r9, %r2, 1;\nmembar.cta;\n"
                                "@%p1 st.volatile.shared.u32 [word], %r9;\n";
    for (unsigned who = 3; who < BLOCKS; who += 40)
        CHECK(time_of(before, after, who) > WARPS * ADDITIONS * 4 / 1980.0);
}

int main(void) {
    words();
    if (assembled_here("waits by machine code")) one_after_another(), in_one_block();
    return check_done();
}
