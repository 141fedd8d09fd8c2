/* Lanes of a warp that meet at .sync instructions, each group with a mask of its own, and what is
 * said of a block in which nobody goes on: whole sentences. What a vote gives is what the PTX ISA
 * (9.7.13) says of the lanes that the mask names; who is missing follows from the kernels' masks,
 * as said beside them. */
#include <stdlib.h>
#include "check.h"
#include "tests/said.h"
#include "runner/base/message.h"
#include "runner/device/sim/sim.h"

/* A kernel's own lines are between the two, from line 11 of the text on; %r10 is what a thread
 * leaves. */
static const char head[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                           ".visible .entry k(.param .u64 p)\n{\n"
                           ".reg .pred %p<9>;\n.reg .b32 %r<20>;\n.reg .b64 %d<4>;\n"
                           "ld.param.u64 %d1, [p];\nmov.u32 %r1, %tid.x;\n",
                  tail[] = "DONE:\nmul.wide.u32 %d2, %r1, 4;\nadd.s64 %d2, %d1, %d2;\n"
                           "st.global.u32 [%d2], %r10;\nOUT:\nret;\n}\n";

enum { THREADS = 128 };
static sim_device *d;
static sim_addr out;

/* Runs `own` between the two; words of the threads in `got`, the first finding in `text`. */
static sim_status run(const char *own, unsigned block, uint32_t got[THREADS], char text[512]) {
    char ptx[8192];
    lib_message msg = {0};
    sim_module_options mo = {.ptxas = ""};
    snprintf(ptx, sizeof ptx, "%s%s%s", head, own, tail);
    sim_module *m = sim_module_new(d, ptx, strlen(ptx), &mo, &msg);
    check_that(m != NULL, __FILE__, __LINE__, "a module", said(&msg));
    sim_launch l = {.kernel = m ? sim_module_kernel(m, "k") : NULL,
                    .grid = {1, 1, 1},
                    .block = {block, 1, 1},
                    .params = &out,
                    .param_bytes = sizeof out};
    sim_result r = {0};
    sim_fill(d, out, 0, 4, THREADS);
    sim_status s = m ? sim_run(d, &l, &r, &msg) : SIM_BAD_ARGUMENT;
    sim_read(d, got, out, THREADS * sizeof *got);
    snprintf(text, 512, "%s", r.finding_count == 1 ? said(&r.findings[0].said) : "");
    sim_result_free(&r);
    sim_module_free(m);
    return s;
}

/* The mask of lane l in each of the tests below: groups of the lanes that have it. */
static void masks(void) {
    static const struct {
        const char *mask; /* of %r2, the lane */
        unsigned group;   /* lanes side by side that share a mask */
    } rows[] = {{"mov.u32 %r3, 0xffffffff;\n", 32},
                {"and.b32 %r3, %r2, 16;\nshl.b32 %r3, 0xffff, %r3;\n", 16},
                {"and.b32 %r3, %r2, 24;\nshl.b32 %r3, 0xff, %r3;\n", 8},
                {"and.b32 %r3, %r2, 30;\nshl.b32 %r3, 3, %r3;\n", 2},
                {"shl.b32 %r3, 1, %r2;\n", 1}};
    /* The lanes whose turn it is vote for being odd; the others come behind them. `late`: from
     * which lane of each group on a lane comes by another way to another vote. */
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        for (unsigned late = 0; late < rows[k].group; late += 1 + late) {
            uint32_t got[THREADS];
            char own[1024], text[512];
            snprintf(own, sizeof own,
                     "and.b32 %%r2, %%r1, 31;\nand.b32 %%r4, %%r2, 1;\n"
                     "setp.ne.u32 %%p1, %%r4, 0;\n%s"
                     "and.b32 %%r5, %%r2, %u;\nsetp.lt.u32 %%p2, %%r5, %u;\n@%%p2 bra EARLY;\n"
                     "vote.sync.ballot.b32 %%r10, %%p1, %%r3;\nbra DONE;\n"
                     "EARLY:\nvote.sync.ballot.b32 %%r10, %%p1, %%r3;\nadd.u32 %%r10, %%r10, 0;\n",
                     rows[k].mask, rows[k].group - 1, late);
            CHECK_INT(run(own, 64, got, text), SIM_OK);
            unsigned wrong = 0;
            for (unsigned t = 0; t < 64; t++) {
                unsigned lane = t % 32, first = lane / rows[k].group * rows[k].group;
                uint32_t mask = (rows[k].group == 32 ? ~0u : (1u << rows[k].group) - 1) << first;
                wrong += got[t] != (0xaaaaaaaa & mask);
            }
            CHECK_INT(wrong, 0);
            CHECK_STR(text, "");
        }
}

/* Groups of which some are complete at once and others, three of them, wait for lanes by another
 * way, in whatever order those come: lanes 0-7, 8-15 and 16-23 lack one each of 24, 25 and 26;
 * 27-31 are complete. */
static void some_wait(void) {
    static const unsigned lacks[][3] = {{24, 25, 26}, {24, 26, 25}, {25, 24, 26},
                                        {25, 26, 24}, {26, 24, 25}, {26, 25, 24}};
    for (size_t k = 0; k < sizeof lacks / sizeof *lacks; k++) {
        char own[2048], text[512];
        size_t n = 0;
        n += (size_t)snprintf(own + n, sizeof own - n,
                              "and.b32 %%r2, %%r1, 31;\nmov.u32 %%r3, 0xf8000000;\n");
        for (unsigned g = 0; g < 3; g++)
            n += (size_t)snprintf(own + n, sizeof own - n,
                                  "shr.u32 %%r4, %%r2, 3;\nsetp.eq.u32 %%p1, %%r4, %u;\n"
                                  "setp.eq.or.u32 %%p1, %%r2, %u, %%p1;\n"
                                  "@%%p1 mov.u32 %%r3, 0x%08x;\n",
                                  g, lacks[k][g], 1u << lacks[k][g] | 0xffu << 8 * g);
        snprintf(own + n, sizeof own - n,
                 "setp.ne.u32 %%p5, %%r2, 99;\nsetp.ge.u32 %%p6, %%r2, 24;\n"
                 "setp.le.and.u32 %%p6, %%r2, 26, %%p6;\n@%%p6 bra LATE;\n"
                 "vote.sync.ballot.b32 %%r10, %%p5, %%r3;\nbra DONE;\n"
                 "LATE:\nvote.sync.ballot.b32 %%r10, %%p5, %%r3;\nadd.u32 %%r10, %%r10, 0;\n");
        uint32_t got[THREADS];
        unsigned wrong = 0;
        CHECK_INT(run(own, 32, got, text), SIM_OK);
        for (unsigned l = 0; l < 32; l++) {
            uint32_t want = 0xf8000000;
            for (unsigned g = 0; g < 3; g++)
                if (l / 8 == g || l == lacks[k][g]) want = 1u << lacks[k][g] | 0xffu << 8 * g;
            wrong += got[l] != want;
        }
        CHECK_INT(wrong, 0);
        CHECK_STR(text, "");
    }
}

/* One operation at two places of the text, some lanes at each: it is one all the same, with all its
 * sources and both its results. Lane l has 7 l + 1 in %r6, its parity in %r4 and %p1, 31 - l in %r7
 * and 31 in %r8. */
static uint32_t from(int lane) {
    return (uint32_t)(7 * lane + 1);
}
static void apart(void) {
    static const char *const ops[] = {"shfl.sync.bfly.b32 %r10|%p3, %r6, 1, 31, %r3",
                                      "shfl.sync.up.b32 %r10|%p3, %r6, 3, 0, %r3",
                                      "shfl.sync.down.b32 %r10|%p3, %r6, 5, 31, %r3",
                                      "shfl.sync.idx.b32 %r10|%p3, %r6, %r7, %r8, %r3",
                                      "vote.sync.all.pred %p3, %p1, %r3",
                                      "vote.sync.any.pred %p3, %p1, %r3",
                                      "vote.sync.uni.pred %p3, %p1, %r3",
                                      "vote.sync.ballot.b32 %r10, %p1, %r3",
                                      "match.any.sync.b32 %r10, %r4, %r3",
                                      "match.all.sync.b32 %r10|%p3, %r4, %r3",
                                      "match.all.sync.b32 %r10|%p3, %r8, %r3",
                                      "redux.sync.add.s32 %r10, %r6, %r3"};
    enum { OPS = sizeof ops / sizeof *ops };
    static const unsigned firsts[] = {1, 16, 31, 32};
    for (unsigned k = 0; k < OPS; k++)
        for (unsigned turn = 0; turn < 8; turn++) {
            unsigned first = firsts[turn / 2], before = turn % 2, wrong = 0;
            char own[1024], text[512];
            uint32_t got[THREADS];
            snprintf(own, sizeof own,
                     "mov.u32 %%r3, -1;\nmul.lo.u32 %%r6, %%r1, 7;\nadd.u32 %%r6, %%r6, 1;\n"
                     "and.b32 %%r4, %%r1, 1;\nsetp.ne.u32 %%p1, %%r4, 0;\nmov.u32 %%r8, 31;\n"
                     "sub.u32 %%r7, %%r8, %%r1;\nmov.u32 %%r10, 0;\nsetp.eq.u32 %%p3, %%r3, %d;\n"
                     "setp.ge.u32 %%p2, %%r1, %u;\n@%%p2 bra LATE;\n%s;\nbra BOTH;\nLATE:\n%s;\n"
                     "BOTH:\n@%%p3 add.u32 %%r10, %%r10, 1000;\n",
                     before ? -1 : 0, first, ops[k], ops[k]);
            CHECK_INT(run(own, 32, got, text), SIM_OK);
            for (int l = 0; l < 32; l++) {
                const struct {
                    uint32_t d;
                    bool p;
                } want[OPS] = {{from(l ^ 1), true},
                               {from(l < 3 ? l : l - 3), l >= 3},
                               {from(l > 26 ? l : l + 5), l <= 26},
                               {from(31 - l), true},
                               {0, false},
                               {0, true},
                               {0, false},
                               {0xaaaaaaaa, before},
                               {l & 1 ? 0xaaaaaaaa : 0x55555555, before},
                               {0, false},
                               {0xffffffff, true},
                               {7 * 31 * 32 / 2 + 32, before}};
                wrong += got[l] != want[k].d + (want[k].p ? 1000 : 0);
            }
            check_that(!wrong, __FILE__, __LINE__, ops[k], "lanes have something else");
        }
    /* who is not named keeps what he has: lane 0, or 31 */
    for (unsigned k = 0; k < 2; k++) {
        char own[1024], text[512];
        uint32_t got[THREADS];
        unsigned aside = k ? 31 : 0, wrong = 0;
        snprintf(own, sizeof own,
                 "mov.u32 %%r10, 0x12345678;\nsetp.eq.u32 %%p1, %%r1, %u;\n@%%p1 bra DONE;\n"
                 "setp.ge.u32 %%p2, %%r1, 16;\n@%%p2 bra LATE;\n"
                 "redux.sync.add.s32 %%r10, %%r1, %u;\nbra DONE;\n"
                 "LATE:\nredux.sync.add.s32 %%r10, %%r1, %u;\nadd.u32 %%r10, %%r10, 0;\n",
                 aside, ~(1u << aside), ~(1u << aside));
        CHECK_INT(run(own, 32, got, text), SIM_OK);
        for (unsigned l = 0; l < 32; l++)
            wrong += got[l] != (l == aside ? 0x12345678 : 31 * 32 / 2 - aside);
        CHECK_INT(wrong, 0);
    }
}

/* Nobody goes on: who is told, what he waits for, and who is not there. */
static void stuck(void) {
    static const struct {
        const char *own;
        unsigned block;
        const char *text;
    } rows[] = {
        /* Lanes 0-7 lack lane 8, the others lack lane 0: the mask less those at it. */
        {"setp.lt.u32 %p1, %r1, 8;\n@%p1 bra FEW;\nbar.warp.sync 0xffffff01;\nbra DONE;\nFEW:\n"
         "bar.warp.sync 0x000001ff;\n",
         32,
         "PTX line 16: thread 0 of block 0 of k and its neighbours (lanes 0x000000ff) wait for "
         "lanes 0x00000100 of the mask 0x000001ff, which never come"},
        /* Lanes 16-31 have left; of the mask of 0-7 only 8-15 are missing, of the rest lane 3. */
        {"setp.ge.u32 %p1, %r1, 16;\n@%p1 bra OUT;\nsetp.ge.u32 %p1, %r1, 8;\n@%p1 bra FEW;\n"
         "bar.warp.sync 0xffffffff;\nbra DONE;\nFEW:\nbar.warp.sync 0x0000ff08;\n",
         32,
         "PTX line 15: thread 0 of block 0 of k and its neighbours (lanes 0x000000ff) wait for "
         "lanes 0x0000ff00 of the mask 0xffffffff, which never come"},
        /* Two places with one mask: lanes 0-3 and 4-7 wait for 8-11 alike. */
        {"setp.lt.u32 %p1, %r1, 4;\n@%p1 bra A;\nsetp.lt.u32 %p1, %r1, 8;\n@%p1 bra B;\n"
         "bar.warp.sync 0xffffffff;\nbra DONE;\nA:\nbar.warp.sync 0xfff;\nbra DONE;\n"
         "B:\nbar.warp.sync 0xfff;\nadd.u32 %r10, %r10, 0;\n",
         32,
         "PTX line 18: thread 0 of block 0 of k and its neighbours (lanes 0x0000000f) wait for "
         "lanes 0x00000f00 of the mask 0x00000fff, which never come"},
        /* Odd lanes of each warp wait for the warp, even ones at a barrier of the block. */
        {"and.b32 %r2, %r1, 1;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra ODD;\nbar.sync 1, 64;\n"
         "bra DONE;\nODD:\nbar.warp.sync 0xffffffff;\n",
         64,
         "PTX line 14: thread 0 of block 0 of k waits at a barrier that never opens: threads of "
         "the block wait at PTX line 17 for lanes 0x55555555 of their warp, which are not there"},
        /* 40 of 64 come to barrier 1, which expects all; in the second as many as it says */
        {"setp.ge.u32 %p1, %r1, 40;\n@%p1 bra WAIT;\nbar.sync 1;\nbra DONE;\nWAIT:\n"
         "bar.sync 2;\n",
         64,
         "PTX line 13: thread 0 of block 0 of k waits at barrier 1, which never opens: 40 of 64 "
         "threads have arrived, others wait at barrier 2"},
        {"setp.lt.u32 %p1, %r1, 32;\n@%p1 bra OUT;\nbar.sync 3, 96;\n", 64,
         "PTX line 13: thread 32 of block 0 of k waits at barrier 3, which never opens: 32 of 96 "
         "threads have arrived"},
        {"AGAIN:\nmov.u32 %r4, 5;\nld.volatile.global.u32 %r5, [%d1];\nsetp.eq.u32 %p1, %r5, "
         "0;\n@%p1 bra AGAIN;\n",
         64,
         "PTX line 13: thread 0 of block 0 of k waits in a loop for memory that no thread will "
         "ever change: 64 threads of the block go round such loops"},
        /* Warp 0 reads for ever what nobody writes; two threads wait for their warp, 62 at a
         * barrier. */
        {"setp.lt.u32 %p2, %r1, 32;\n@%p2 bra AGAIN;\nand.b32 %r2, %r1, -2;\n"
         "setp.eq.u32 %p2, %r2, 64;\n@%p2 bra WARP;\nbar.sync 1, 96;\nbra DONE;\n"
         "WARP:\nbar.warp.sync 0xffffffff;\nbra DONE;\n"
         "AGAIN:\nld.volatile.global.u32 %r5, [%d1];\nsetp.eq.u32 %p1, %r5, 0;\n@%p1 bra AGAIN;\n",
         96,
         "PTX line 22: thread 0 of block 0 of k waits in a loop for memory that no thread will "
         "ever change: 32 threads of the block go round such loops, 64 wait at PTX line 16"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        uint32_t got[THREADS];
        char text[512];
        CHECK_INT(run(rows[k].own, rows[k].block, got, text), SIM_DEADLOCK);
        CHECK_STR(text, rows[k].text);
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
    sim_malloc(d, THREADS * 4, &out);
    masks();
    some_wait();
    apart();
    stuck();
    sim_device_free(d);
    return check_done();
}
