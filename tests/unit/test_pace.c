/* Rounds of machine instructions in the replay against an H200 (h200.mix.txt, h200.pipes.txt,
 * h200.lanes.txt and h200.micro.jsonl of tests/truth). The machine code is recorded
 * (sass/pace.sm_90.sass). The loop of each kernel is replayed in one block, with as many warps on
 * each scheduler as were measured. */
#include <stdlib.h>
#include <string.h>
#include "runner/base/message.h"
#include "runner/device/sim/sass/sass.h"
#include "runner/device/sim/time/time_internal.h"
#include "tests/check.h"
#include "tests/unit/ptx_fixture.h"

enum { ROUNDS = 24, SCHEDULERS = 4 };
#define WITHIN 0.025

/* The last instruction of the loop: a branch back over some instructions. */
static uint32_t loop_end(const sass_func *f, uint32_t *first) {
    for (uint32_t n = 0; f && n < f->insn_count; n++) {
        const sass_opnd *to = f->insns[n].op == SASS_OP_BRA ? sass_target(&f->insns[n]) : NULL;
        if (!to || to->target + 8 >= n) continue;
        *first = to->target;
        return n;
    }
    return 0;
}

/* A warp's `rounds` of the loop; each access to shared memory takes one pass. */
static void record(sim_trace_warp *w, const time_code *c, uint32_t first, uint32_t last,
                   unsigned rounds) {
    for (unsigned r = 0; r < rounds; r++) {
        sim_trace_steps(w, first, last - first + 1);
        for (uint32_t n = first; n <= last; n++)
            if (c->ops[n].kind == TIME_LOAD || c->ops[n].kind == TIME_STORE)
                sim_trace_event_add(w, (sim_trace_event){.pc_low = (uint16_t)n,
                                                         .space = PTX_SPACE_SHARED,
                                                         .lanes = 32,
                                                         .bytes_lane = 4,
                                                         .passes = 1});
    }
}

static double cycles_of(const sass_func *f, unsigned warps, unsigned rounds) {
    const sim_profile *p = sim_profile_find("h200");
    time_code *c = time_code_machine(p, f);
    uint32_t first = 0, last = loop_end(f, &first);
    sim_occupancy occ = {.blocks = 1, .pct = 100};
    sim_trace *t = sim_trace_new(p, p->sms, warps * SCHEDULERS, 1, 0);
    time_usage u = {0};
    time_share share = {.resident = occ.blocks, .blocks = 1, .budget = UINT64_MAX};
    if (CHECK(c && t && last > first)) {
        sim_trace_block *b = sim_trace_block_begin(t, t->blocks[0].block);
        for (unsigned w = 0; w < b->warp_count; w++) record(&b->warps[w], c, first, last, rounds);
        sim_trace_finish(b);
        CHECK(time_replay(c, t, &share, NULL, &u));
    }
    sim_trace_free(t);
    time_code_free(c);
    return u.cycles;
}

/* Rounds of the source in a round of the loop, and their cycles for each warp of a scheduler, with
 * 1 and 8 warps; 0: not compared. */
static void test_round(const sass_module *m, const char *name, unsigned unrolled, double one,
                       double eight, double within) {
    const sass_func *f = sass_find(m, name);
    if (!CHECK(f != NULL)) return;
    for (unsigned warps = 1; warps <= 8; warps += 7) {
        double want = warps == 1 ? one : eight;
        if (want <= 0) continue;
        double got = (cycles_of(f, warps, 2 * ROUNDS) - cycles_of(f, warps, ROUNDS)) / ROUNDS /
                     unrolled / warps;
        printf("# %s, %u warps: %.2f cycles, an H200 %.2f\n", name, warps, got, want);
        check_that(got > want * (1 - within) && got < want * (1 + within), __FILE__, __LINE__, name,
                   "a round takes other cycles");
    }
}

int main(void) {
    size_t len = 0;
    lib_message msg = {0};
    char *text = read_text("tests/unit/sass/pace.sm_90.sass", &len);
    sass_module *m = text ? sass_read(text, len, &msg) : NULL;
    if (CHECK(m != NULL)) {
        test_round(m, "a8", 4, 11.23, 8.98, WITHIN);
        test_round(m, "d_f8", 8, 10.69, 9.75, WITHIN);
        test_round(m, "s32_f8", 8, 11.42, 10.48, WITHIN);
        /* when a lone warp's operands are read is not known */
        test_round(m, "cv", 8, 0, 9.06, WITHIN);
        test_round(m, "l32", 16, 6.52, 4.01, WITHIN);
        test_round(m, "_Z10round_highjjjffdiPy", 1, 302.26, 157.67, WITHIN);
        /* half of them with .MMA; "issue" of "fma_f16x2" */
        test_round(m, "_Z13thr_fma_f16x2PjjP4span", 32, 0, 1.157, 2 * WITHIN);
        test_round(m, "mvc", 8, 23.84, 4.02, 2 * WITHIN); /* one: with the loop's branch */
        test_round(m, "mv8", 4, 39.75, 32.10, WITHIN);
        test_round(m, "when_all", 8, 22.24, 17.22, WITHIN); /* a BSYNC in eight of them */
    }
    sass_free(m);
    free(text);
    return check_done();
}
