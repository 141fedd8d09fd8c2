/* Replays that are kept for launches that do the same (time_kept.c): what comes out is what a
 * replay would have given, for any number of threads, and nothing is taken for the same that is
 * not. Expected: the replay itself, of a kernel that was never launched before. */
#include "replay_fixture.h"
#include "runner/device/sim/sim.h"
#include "tests/said.h"

static bool same_bytes(const void *a, const void *b, size_t n) {
    return !memcmp(a, b, n);
}

/* ---- the same, or not ---- */

enum { BLOCKS = 4, WARPS = 2, ROUNDS = 20, BODY = 5 };
typedef struct {
    sass_module *module;
    time_code *code;
    sim_trace *trace;
} sample;

static void trace_finish(sim_trace *t) {
    for (unsigned b = 0; b < t->block_count; b++) {
        t->blocks[b].digest = t->seed; /* as sim_trace_block_begin() */
        sim_trace_finish(&t->blocks[b]);
    }
}

static sample sample_new(void) {
    static const char text[] = ".L_x_0:\nLDG.E R1, desc[UR4][R2.64] | w0\nFADD R4, R4, R1 | b0 s4\n"
                               "STG.E desc[UR4][R2.64], R4\n"
                               "REDG.E.ADD.F32.FTZ.RN.STRONG.GPU desc[UR4][R6.64], R5\n"
                               "BRA `(.L_x_0) | s5\n";
    static const uint16_t at[] = {0, 2, 3}; /* of the events */
    const sim_profile *p = sim_profile_find("h200");
    sample s = {.module = written_code(text)};
    s.code = time_code_machine(p, s.module->funcs);
    s.trace = sim_trace_new(p, (uint64_t)BLOCKS * p->sms, WARPS, 2, 0);
    for (unsigned b = 0; b < s.trace->block_count; b++)
        for (unsigned w = 0; w < WARPS; w++)
            for (unsigned r = 0; r < ROUNDS; r++) {
                sim_trace_warp *x = &s.trace->blocks[b].warps[w];
                sim_trace_steps(x, 0, BODY);
                for (unsigned e = 0; e < sizeof at / sizeof *at; e++)
                    sim_trace_event_add(x, (sim_trace_event){.pc_low = at[e],
                                                             .space = PTX_SPACE_GLOBAL,
                                                             .lanes = 32,
                                                             .bytes_lane = 4,
                                                             .passes = 1,
                                                             .lines = 1,
                                                             .sectors = 4,
                                                             .stream_n = 1,
                                                             .l2_sectors = 4,
                                                             .misses = (uint16_t)(r % 3)});
            }
    trace_finish(s.trace);
    return s;
}

static void sample_free(sample *s) {
    sim_trace_free(s->trace);
    time_code_free(s->code);
    sass_free(s->module);
}

typedef struct {
    time_usage usage;
    time_places *places;
} answer;
static answer ask(time_kept *k, const sample *s, const time_share *share) {
    answer a = {.places = time_places_new(s->code)};
    CHECK(time_replay_once(k, s->code, s->trace, share, a.places, &a.usage));
    return a;
}

static bool same_answer(const answer *a, const answer *b) {
    const time_places *x = a->places, *y = b->places;
    return same_bytes(&a->usage, &b->usage, sizeof a->usage) && x->count == y->count &&
           x->first == y->first && x->end == y->end && x->span_count == y->span_count &&
           same_bytes(x->stall, y->stall, x->count * SIM_STALL_COUNT * sizeof *x->stall) &&
           same_bytes(x->caused, y->caused, x->count * sizeof *x->caused) &&
           same_bytes(x->spans, y->spans, x->span_count * sizeof *x->spans);
}

/* Changed behind its digest's back, the trace is taken for what it was: so no replay was made. */
static void is_kept(void) {
    sample s = sample_new();
    time_kept *k = time_kept_new();
    answer plain = ask(NULL, &s, &rates), first = ask(k, &s, &rates);
    s.trace->blocks[0].warps[0].events[0].misses += 40;
    answer again = ask(k, &s, &rates), other = ask(NULL, &s, &rates);
    CHECK(plain.places->end > plain.places->first && plain.places->span_count > 0);
    CHECK(same_answer(&first, &plain));
    CHECK(same_answer(&again, &plain));
    CHECK(!same_answer(&other, &plain));
    trace_finish(s.trace);
    answer known = ask(k, &s, &rates);
    CHECK(same_answer(&known, &other));
    answer *all[] = {&plain, &first, &again, &other, &known};
    for (unsigned n = 0; n < sizeof all / sizeof *all; n++) time_places_free(all[n]->places);
    time_kept_free(k);
    sample_free(&s);
}

/* One thing is another each time: what comes out is its own replay. With a share the trace is
 * another, too, behind its digest's back: so that the answer tells what was taken, whether or not
 * the share means anything to this kernel. */
static void change_share(time_share *share, unsigned which) {
    double *rate[] = {
        &share->l2_line_cycles,     &share->l2_sector_cycles,  &share->l2_store_cycles,
        &share->l2_written_cycles,  &share->l2_filled_cycles,  &share->dram_alone,
        &share->dram_sector_cycles, &share->dram_write_cycles, &share->atom_cycles,
        &share->atom_even,          &share->dispatch_cycles,   &share->swaps};
    enum { RATES = sizeof rate / sizeof *rate };
    if (which < RATES) *rate[which] += 3;
    else if (which == RATES) share->resident = 2;
    else if (which == RATES + 1) share->blocks = 3;
    else share->budget = 50;
}
static void change_trace(sim_trace *t, unsigned which) {
    sim_trace_warp *w = &t->blocks[1].warps[1];
    if (which == 0) w->at.steps += 1;
    else if (which == 1) w->at.event_count--;
    else if (which == 2) w->at.run_count--;
    else if (which == 3) w->runs[w->at.run_count - 1].count--;
    else if (which == 4) w->runs[1].first++;
    else if (which == 5) t->first_count--;
    else {
        sim_trace_event *e = &w->events[w->at.event_count - 1];
        uint16_t *part = (uint16_t *)e + which - 6;
        *part ^= 1;
        if (part == &e->word) e->turn = 1; /* else nobody waits for the word */
    }
    trace_finish(t);
}
static void is_not_taken_for_another(void) {
    enum { SHARES = 14, TRACES = 6 + sizeof(sim_trace_event) / sizeof(uint16_t) };
    time_kept *k = time_kept_new();
    for (unsigned n = 0; n < SHARES + TRACES; n++) {
        sample s = sample_new();
        time_share share = rates;
        share.blocks = BLOCKS;
        answer before = ask(k, &s, &share);
        uint64_t digest = sim_trace_digest(s.trace);
        trace_finish(s.trace);
        CHECK(sim_trace_digest(s.trace) == digest); /* nothing was changed yet */
        if (n < SHARES) {
            change_share(&share, n);
            s.trace->blocks[0].warps[0].events[0].misses += 40;
        } else change_trace(s.trace, n - SHARES);
        char what[40];
        snprintf(what, sizeof what, "change %u", n);
        if (n >= SHARES)
            check_that(sim_trace_digest(s.trace) != digest, __FILE__, __LINE__, what, "same");
        answer with = ask(k, &s, &share), without = ask(NULL, &s, &share);
        check_that(same_answer(&with, &without), __FILE__, __LINE__, what, "another's");
        if (n < SHARES)
            check_that(!same_answer(&before, &without), __FILE__, __LINE__, what, "no difference");
        time_places_free(before.places), time_places_free(with.places);
        time_places_free(without.places);
        sample_free(&s);
    }
    time_kept_free(k);
}

/* Blocks that have not come to their end are replayed each time. */
static void unfinished(void) {
    sample s = sample_new();
    time_kept *k = time_kept_new();
    s.trace->blocks[1].done = false;
    CHECK_INT(sim_trace_digest(s.trace), 0);
    answer first = ask(k, &s, &rates);
    s.trace->blocks[0].warps[0].events[0].misses += 40;
    answer again = ask(k, &s, &rates);
    CHECK(!same_answer(&first, &again));
    time_places_free(first.places), time_places_free(again.places);
    time_kept_free(k);
    sample_free(&s);
}

/* ---- launches ---- */

#define ENTRY(name, regs)                                                                          \
    ".visible .entry " name "(.param .u64 a)\n{\n.reg .pred %p<4>; .reg .b32 %r<12>; .reg .b64 "   \
    "%d<8>; " regs "\nld.param.u64 %d1, [a];\nmov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %tid.x;\n"      \
    "mov.u32 %r3, %ntid.x;\nmad.lo.u32 %r4, %r1, %r3, %r2;\nmul.wide.u32 %d2, %r4, 4;\n"           \
    "add.u64 %d3, %d1, %d2;\n"
static const char text[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
    /* a block has as many rounds as its number says, a lane twice as many as its neighbour */
    ENTRY("uneven",
          "") "and.b32 %r5, %r1, 15; and.b32 %r6, %r2, 1; shl.b32 %r5, %r5, %r6;\n"
              "L1: ld.global.u32 %r7, [%d3]; add.u32 %r7, %r7, 1; st.global.u32 [%d3], %r7;\n"
              "setp.eq.u32 %p1, %r5, 0; @%p1 bra E1; sub.u32 %r5, %r5, 1; bra L1;\nE1: "
              "ret;\n}\n" ENTRY(
                  "sums",
                  "") "and.b32 %r5, %r2, 7; mul.wide.u32 %d4, %r5, 4; add.u64 %d5, %d1, %d4;\n"
                      "red.global.add.u32 [%d5], 1; red.global.add.u32 [%d1], 1; ret;\n}\n"
    /* whoever comes first has 0: blocks one after another */
    ENTRY("tickets",
          "") "atom.global.add.u32 %r5, [%d1], 1; add.u64 %d4, %d3, 64;\n"
              "st.global.u32 [%d4], %r5; ret;\n}\n" ENTRY(
                  "barriers",
                  ".shared .align 4 .b8 s[4096];") "shl.b32 %r5, %r2, 2; mov.u32 %r6, s; add.u32 "
                                                   "%r5, "
                                                   "%r5, %r6;\nld.global.u32 %r7, [%d3]; mov.u32 "
                                                   "%r8, 5;\n"
                                                   "L2: st.shared.u32 [%r5], %r7; bar.sync 0; "
                                                   "ld.shared.u32 %r9, [s]; add.u32 %r7, %r7, %r9; "
                                                   "bar.sync 0;\n"
                                                   "sub.u32 %r8, %r8, 1; setp.ne.u32 %p1, %r8, 0; "
                                                   "@%p1 bra L2;\nst.global.u32 [%d3], %r7; "
                                                   "ret;\n}\n";

enum { BYTES = 1 << 20, LAUNCHES = 4 };
typedef struct {
    const char *kernel;
    unsigned grid, block;
    bool cooperative;
} launch;

typedef struct {
    sim_device *device;
    sim_module *module[LAUNCHES]; /* the same text */
    sim_addr memory;
} lab;

static lab lab_new(unsigned threads) {
    lab b = {0};
    lib_message msg = {0};
    sim_options o;
    sim_options_default(&o);
    o.threads = threads;
    b.device = sim_device_new(sim_profile_find("h200"), &o, &msg);
    for (unsigned n = 0; n < LAUNCHES; n++)
        b.module[n] = sim_module_new(b.device, text, sizeof text - 1, NULL, &msg);
    CHECK_STR(said(&msg), "");
    sim_malloc(b.device, BYTES, &b.memory);
    sim_fill(b.device, b.memory, 0, 4, BYTES / 4);
    return b;
}
static void lab_free(lab *b) {
    for (unsigned n = 0; n < LAUNCHES; n++) sim_module_free(b->module[n]);
    sim_device_free(b->device);
}
static sim_result lab_run(lab *b, unsigned module, const launch *y) {
    sim_launch l = {.kernel = sim_module_kernel(b->module[module], y->kernel),
                    .grid = {y->grid, 1, 1},
                    .block = {y->block, 1, 1},
                    .params = &b->memory,
                    .param_bytes = 8,
                    .cooperative = y->cooperative};
    sim_result r;
    lib_message msg = {0};
    sim_run(b->device, &l, &r, &msg);
    CHECK_STR(said(&msg), "");
    return r;
}

static bool same_lines(const sim_result *a, const sim_result *b) {
    bool same = a->line_count == b->line_count;
    for (size_t k = 0; same && k < a->line_count; k++)
        same = a->lines[k].line == b->lines[k].line &&
               same_bytes(&a->lines[k].counters, &b->lines[k].counters, sizeof(sim_counters)) &&
               same_bytes(a->lines[k].stall_us, b->lines[k].stall_us, sizeof a->lines[k].stall_us);
    return same;
}
static bool same_result(const sim_result *a, const sim_result *b) {
    const double one[] = {a->time_us,       a->time_floor_us, a->link_bytes,
                          a->dram_floor_us, a->fp32_floor_us, a->achieved_occupancy_pct},
                 two[] = {b->time_us,       b->time_floor_us, b->link_bytes,
                          b->dram_floor_us, b->fp32_floor_us, b->achieved_occupancy_pct};
    return a->status == b->status && a->time_us > 0 && same_bytes(one, two, sizeof one) &&
           !strcmp(a->limiter, b->limiter) &&
           same_bytes(&a->counters, &b->counters, sizeof a->counters) &&
           same_bytes(&a->stalls, &b->stalls, sizeof a->stalls) && same_lines(a, b);
}

/* One kernel launched over and over by one, two and three threads, against kernels that are
 * launched once each, by one. */
static void launches(void) {
    static const launch rows[] = {
        {"uneven", 1000, 64, false},   {"uneven", 3, 96, false},    {"uneven", 133, 1024, false},
        {"sums", 700, 128, false},     {"sums", 2, 32, false},      {"tickets", 300, 64, false},
        {"barriers", 600, 128, false}, {"barriers", 1, 256, false}, {"barriers", 132, 64, true}};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        for (unsigned threads = 1; threads <= 3; threads++) {
            lab kept = lab_new(threads), fresh = lab_new(1);
            char what[80];
            for (unsigned n = 0; n < LAUNCHES; n++) {
                sim_result a = lab_run(&kept, 0, &rows[i]), b = lab_run(&fresh, n, &rows[i]);
                snprintf(what, sizeof what, "%s, %u blocks, %u threads, launch %u", rows[i].kernel,
                         rows[i].grid, threads, n);
                check_that(same_result(&a, &b), __FILE__, __LINE__, what, "differs");
                sim_result_free(&a);
                sim_result_free(&b);
            }
            lab_free(&kept);
            lab_free(&fresh);
        }
}

int main(void) {
    is_kept();
    is_not_taken_for_another();
    unfinished();
    launches();
    return check_done();
}
