/* How the replay goes through what ptxas is guessed to make of PTX: what costs nothing, the order
 * within a loop, loops that are unrolled. */
#include "guess_fixture.h"

static void goes_on(void) {
    for (unsigned d = 0; d < 2; d++) {
        const sim_profile *p = sim_profile_find(devices[d]);
        sim_trace_event word = {
            .space = PTX_SPACE_SHARED, .lanes = 32, .bytes_lane = 4, .passes = 1};
        /* both loads, then the comparison, while they are waited for; the sums; the jump */
        play loop = {.profile = devices[d],
                     .body = "ld.shared.u32 %r1,[%r9];\nadd.s32 %r8,%r1,%r8;\n"
                             "ld.shared.u32 %r2,[%r7];\nadd.s32 %r6,%r2,%r6;\n"
                             "setp.ne.s32 %p1,%r20,%r21;\n@%p1 bra L;\n",
                     .event = {word, word},
                     .event_at = {0, 2},
                     .event_count = 2,
                     .share = rates};
        SAME(devices[d], "a loop of two loads", round_of(loop),
             1 + p->lat_shared + 1 + 1 + p->branch_cycles);
        /* what costs nothing hands on when its operand is there: copies, sums that go into
         * addresses */
        static const char *const free_ones[] = {"mov.u32 %r3,%r1;\nmov.u32 %r6,%r3;\n",
                                                "cvta.shared.u32 %r5,%r1;\nmov.u32 %r6,%r5;\n",
                                                "mov.u32 %r5,%r1;\nadd.u32 %r6,%r5,16;\n"};
        for (unsigned k = 0; k < 3;
             k++) { /* the second load's register is another than the first's */
            char body[200];
            snprintf(
                body, sizeof body,
                "ld.shared.u32 %%r1,[%%r2];\n%sld.shared.u32 %%r4,[%%r6];\nmov.u32 %%r2,%%r4;\n",
                free_ones[k]);
            play chain = {.profile = devices[d],
                          .body = body,
                          .event = {word, word},
                          .event_at = {0, 3},
                          .event_count = 2,
                          .share = rates};
            SAME(devices[d], "a chain through what is free", round_of(chain), 2 * p->lat_shared);
        }
    }
}

/* Of four whole rounds of a loop that the assembler unrolls the first three issue no step of the
 * counter, no comparison and no branch; what is left over of fours, everything. The first round is
 * in one run with the instructions before the loop, the last one with the end. */
static void unrolled(void) {
    for (unsigned before = 0; before < 3; before++)
        for (unsigned rounds = 1; rounds < 14; rounds++) {
            static const char *const setups[] = {"", "xor.b32 %r8,%r6,%r7;\n",
                                                 "xor.b32 %r8,%r6,%r7;\nxor.b32 %r9,%r6,%r7;\n"};
            play y = {.profile = "h200",
                      .setup = setups[before],
                      .body = "xor.b32 %r5,%r6,%r7;\nadd.s32 %r2,%r2,1;\n"
                              "setp.lt.s32 %p1,%r2,%r3;\n@%p1 bra L;\n",
                      .rounds = rounds,
                      .share = rates};
            char name[60];
            unsigned fours = rounds / 4;
            snprintf(name, sizeof name, "%u rounds behind %u", rounds, before);
            SAME("h200", name, replay_of(&y).slots, before + 4 * rounds - 9 * fours + 1);
        }
}

int main(void) {
    goes_on();
    unrolled();
    return check_done();
}
