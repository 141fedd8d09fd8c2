/* For tests of the replay: a body of machine code (written_fixture.h) that warps run round after
 * round, and what one multiprocessor then had. */
#ifndef WARPLAB_REPLAY_FIXTURE_H
#define WARPLAB_REPLAY_FIXTURE_H

#include "runner/base/message.h"
#include "tests/check.h"
#include "tests/said.h"
#include "runner/device/sim/time/time.h"
#include "runner/device/sim/time/time_internal.h"
#include "written_fixture.h"
#include <stdlib.h>

/* Warps of equal streams: `setup` once, `body` (`rounds` times), and the end. */
typedef struct {
    const char *profile, *setup, *body;
    unsigned rounds, warps, blocks, resident;
    sim_trace_event event[4]; /* of a round, in the text's order */
    unsigned event_at[4], event_count;
    unsigned skip_at, skip; /* a branch goes over so many of the body's instructions */
    sim_trace_event others; /* of warps but the first, in place of event[0]; no lanes: the same */
    time_share share;
    bool at_once;     /* nothing takes time before the first instructions: all warps begin at 0 */
    bool free_blocks; /* as what-if has them: a block's successor begins when it ends */
    size_t figure_at; /* a figure of the profile, a double at this offset, that is to be another */
    double figure;
    uint8_t role[4]; /* time_role, of the instructions that have the events */
} play;

static const time_share rates = {.l2_sector_cycles = 2,
                                 .l2_line_cycles = 3,
                                 .l2_store_cycles = 5,
                                 .l2_written_cycles = 2,
                                 .dram_sector_cycles = 7,
                                 .dram_write_cycles = 1.5,
                                 .atom_cycles = 11,
                                 .dispatch_cycles = 1,
                                 .resident = 1,
                                 .blocks = 1,
                                 .budget = 100000000};

/* Instructions: lines without labels. */
static inline unsigned lines_of(const char *s) {
    unsigned n = 0;
    for (; *s; s += strcspn(s, "\n") + 1) n += *s != '.';
    return n;
}

static inline time_usage replay_at(const play *y, time_places **places) {
    char text[4096];
    const char *setup = y->setup ? y->setup : "";
    snprintf(text, sizeof text, "%s%s", setup, y->body);
    sass_module *m = written_code(text);
    sim_profile own = *sim_profile_find(y->profile);
    const sim_profile *p = &own;
    if (y->figure_at) memcpy((char *)&own + y->figure_at, &y->figure, sizeof y->figure);
    if (y->at_once) own.warp_first_cycles = own.warp_launch_cycles = 0;
    if (y->free_blocks) own.block_launch_cycles = 0;
    time_code *code = time_code_machine(p, m->funcs);
    unsigned first = lines_of(setup), n = lines_of(y->body), warps = y->warps ? y->warps : 1;
    time_share share = y->share;
    for (unsigned e = 0; e < y->event_count; e++)
        code->ops[first + y->event_at[e]].role = y->role[e];
    if (y->blocks) share.blocks = y->blocks;
    if (y->resident) share.resident = y->resident;
    sim_trace *t = sim_trace_new(p, (uint64_t)share.blocks * p->sms, warps, share.resident, 0);
    for (unsigned b = 0; b < t->block_count; b++) {
        sim_trace_block *k = sim_trace_block_begin(t, t->blocks[b].block);
        for (unsigned w = 0; w < warps; w++) {
            if (first) sim_trace_steps(&k->warps[w], 0, first);
            for (unsigned r = 0; r < y->rounds; r++) {
                sim_trace_steps(&k->warps[w], first, y->skip ? y->skip_at : n);
                unsigned on = y->skip_at + y->skip;
                if (y->skip) sim_trace_steps(&k->warps[w], first + on, n - on);
                for (unsigned e = 0; e < y->event_count; e++) {
                    sim_trace_event v = w && !e && y->others.lanes ? y->others : y->event[e];
                    v.pc_low = (uint16_t)(first + y->event_at[e]);
                    sim_trace_event_add(&k->warps[w], v);
                }
            }
            sim_trace_steps(&k->warps[w], first + n, 1);
        }
        sim_trace_finish(k);
    }
    time_usage u;
    if (places) *places = time_places_new(code);
    if (!time_replay(code, t, &share, places ? *places : NULL, &u)) CHECK(!"time_replay()");
    sim_trace_free(t);
    time_code_free(code);
    sass_free(m);
    return u;
}

static inline time_usage replay_of(const play *y) {
    return replay_at(y, NULL);
}

/* What a round takes, without the start and the end of the launch. */
static inline double round_of(play y) {
    y.rounds = 60;
    double few = replay_of(&y).cycles;
    y.rounds = 300;
    return (replay_of(&y).cycles - few) / 240;
}

static inline void same(int line, const char *device, const char *what, double got, double want) {
    char name[160], why[100];
    snprintf(name, sizeof name, "%s: %s", device, what);
    snprintf(why, sizeof why, "got %.6f, by the rule %.6f", got, want);
    check_that(fabs(got - want) <= 1e-5 * (1 + fabs(want)), __FILE__, line, name, why);
}
#define SAME(device, what, got, want) same(__LINE__, device, what, got, want)

static inline double max_of(double a, double b) {
    return a > b ? a : b;
}

static const char *const devices[] = {"h200", "a100", "t4"};
enum { DEVICES = sizeof devices / sizeof *devices };

#endif
