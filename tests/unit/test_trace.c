/* What is written down of a launch for the model of time: passes over the banks of L1, against
 * their definition (runner/device/sim/time/trace.h), taken word by word, and against an H100's. */
#include <math.h>
#include <stdint.h>
#include "runner/base/message.h"
#include "runner/device/sim/time/time.h"
#include "runner/device/sim/access/access_internal.h"
#include "runner/device/sim/time/trace.h"
#include "tests/check.h"

static uint64_t state = 42;
static uint32_t draw(void) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33);
}

/* Of the lines' tag banks: bits of the line's number, each bank's by both sums. */
static unsigned bit_sum(uint64_t line, const unsigned *bits, unsigned n) {
    unsigned sum = 0;
    for (unsigned k = 0; k < n; k++)
        for (unsigned fold = 0; fold < 39; fold += 13)
            sum += (unsigned)(line >> (bits[k] + fold) & 1);
    return sum % 2;
}

/* A line waits for those in its tag bank that a lane before it asked for. Those that are looked up
 * together give their words, the warp in one part or with 8 and 16 bytes a lane in two and four; in
 * each the bank that must give the most different words decides. */
static unsigned passes(const uint64_t address[32], uint32_t mask, unsigned bytes) {
    static const unsigned low[] = {0, 2, 4, 5, 7, 9, 12}, high[] = {1, 3, 4, 6, 7, 8, 10, 11, 12};
    unsigned unit = bytes <= 4   ? 4
                    : bytes <= 8 ? 8
                                 : 16,
             part = unit == 4 ? 32 : 128 / unit, turn[32] = {0}, total = 0;
    for (unsigned l = 0; l < 32; l++) {
        if (!(mask >> l & 1)) continue;
        unsigned before = 0, same = 32;
        for (unsigned k = 0; k < l && same == 32; k++) {
            if (!(mask >> k & 1)) continue;
            uint64_t a = address[k] / 128, b = address[l] / 128;
            unsigned again = 0; /* a lane before has asked for k's line */
            for (unsigned q = 0; q < k; q++) again |= mask >> q & 1 && address[q] / 128 == a;
            if (a == b) same = k;
            else if (!again && bit_sum(a, low, 7) == bit_sum(b, low, 7) &&
                     bit_sum(a, high, 9) == bit_sum(b, high, 9))
                before++;
        }
        turn[l] = same < 32 ? turn[same] : before;
    }
    for (unsigned now = 0; now < 32; now++)
        for (unsigned from = 0; from < 32; from += part) {
            unsigned most = 0;
            for (unsigned bank = 0; bank < 128 / unit; bank++) {
                uint64_t seen[32];
                unsigned n = 0;
                for (unsigned l = from; l < from + part; l++) {
                    uint64_t word = address[l] / unit;
                    unsigned k = 0;
                    if (!(mask >> l & 1) || turn[l] != now || word % (128 / unit) != bank) continue;
                    while (k < n && seen[k] != word) k++;
                    if (k == n) seen[n++] = word;
                }
                if (n > most) most = n;
            }
            total += most;
        }
    return total ? total : 1;
}

/* The same where no line has to come: all lookups, or the passes of the whole warp, whichever are
 * more. */
static unsigned had(const uint64_t address[32], uint32_t mask, unsigned bytes) {
    unsigned unit = bytes <= 4   ? 4
                    : bytes <= 8 ? 8
                                 : 16,
             part = unit == 4 ? 32 : 128 / unit, together = 0, asked[4] = {0}, most_asked = 0;
    static const unsigned low[] = {0, 2, 4, 5, 7, 9, 12}, high[] = {1, 3, 4, 6, 7, 8, 10, 11, 12};
    for (unsigned l = 0; l < 32; l++) {
        bool again = false;
        for (unsigned k = 0; k < l; k++)
            again |= mask >> k & 1 && address[k] / 128 == address[l] / 128;
        if (!(mask >> l & 1) || again) continue;
        unsigned n =
            ++asked[bit_sum(address[l] / 128, low, 7) + 2 * bit_sum(address[l] / 128, high, 9)];
        if (n > most_asked) most_asked = n;
    }
    for (unsigned from = 0; from < 32; from += part) {
        unsigned most = 0;
        for (unsigned bank = 0; bank < 128 / unit; bank++) {
            unsigned n = 0;
            for (unsigned l = from; l < from + part; l++) {
                bool first = mask >> l & 1 && address[l] / unit % (128 / unit) == bank;
                for (unsigned k = from; k < l; k++)
                    first &= !(mask >> k & 1 && address[k] / unit == address[l] / unit);
                n += first;
            }
            if (n > most) most = n;
        }
        together += most;
    }
    return mask ? most_asked > together ? most_asked : together : 1;
}

/* Passes of loads of 4, 8 and 16 bytes a lane as an H100 counts them
 * (l1tex__data_pipe_lsu_wavefronts_cmd_read over the requests, all lines in L1 or on their way
 * there alike). Lane l reads at (l * mul % mod) * stride + (l * of / per % 32) * 4, rounded down to
 * its width. And the cycles that such a load takes when 32 warps make it again and again and L1 has
 * its lines. */
static void counted(void) {
    static const struct {
        unsigned mul, mod, stride, of, per, passes[3];
        double cycles[3];
    } rows[] = {
        {1, 32, 128, 1, 1, {8, 16, 32}, {8.02, 8.03, 16.04}},
        {1, 32, 128, 1, 2, {16, 32, 32}, {8.02, 8.07, 32.01}},
        {1, 32, 128, 1, 4, {32, 32, 32}, {8.06, 16.07, 31.87}},
        {1, 16, 128, 1, 1, {4, 16, 32}, {4.03, 4.09, 16.05}},
        {1, 16, 128, 1, 2, {8, 32, 32}, {4.05, 8.08, 32.04}},
        {1, 8, 128, 1, 1, {2, 8, 32}, {3.1, 4.06, 16.08}},
        {1, 8, 128, 1, 2, {4, 16, 32}, {3.12, 8.07, 31.91}},
        {1, 4, 128, 1, 2, {2, 8, 16}, {3.12, 8.03, 16.0}},
        {1, 5, 128, 1, 1, {2, 6, 18}, {3.11, 4.06, 16.02}},
        {1, 5, 128, 1, 2, {3, 10, 20}, {3.11, 8.05, 19.82}},
        {7, 32, 128, 1, 2, {11, 20, 32}, {8.03, 8.05, 31.92}},
        {7, 13, 128, 3, 2, {6, 10, 23}, {4.04, 4.06, 12.57}},
        {5, 23, 8192, 3, 4, {7, 17, 26}, {6.41, 6.7, 22.7}},
        {11, 32, 8192, 5, 3, {8, 10, 17}, {8.67, 8.56, 12.67}},
        {3, 6, 8320, 1, 3, {2, 4, 8}, {3.52, 4.73, 8.48}},
        {1, 32, 8192, 1, 1, {8, 16, 32}, {8.29, 8.7, 16.4}},
        {1, 3, 128, 0, 1, {3, 6, 12}, {3.67, 6.6, 12.56}},
        {1, 32, 96, 0, 1, {12, 12, 12}, {8.68, 8.71, 8.46}},
        {1, 32, 52, 0, 1, {4, 8, 10}, {4.43, 4.84, 8.5}},
        {1, 32, 36, 0, 1, {3, 6, 6}, {3.72, 4.65, 4.88}},
        {1, 32, 12, 0, 1, {1, 4, 4}, {3.56, 4.6, 4.68}},
        {1, 32, 20, 0, 1, {2, 4, 8}, {3.73, 4.69, 8.58}},
        {13, 32, 4, 0, 1, {1, 2, 4}, {3.53, 3.87, 4.8}},
        {13, 32, 40, 0, 1, {3, 4, 14}, {3.54, 3.84, 8.69}},
        {1, 32, 72, 0, 1, {5, 6, 7}, {5.51, 5.33, 5.57}},
        {1, 32, 136, 0, 1, {9, 9, 17}, {9.56, 9.39, 9.53}},
        {1, 32, 264, 0, 1, {8, 8, 16}, {8.52, 8.66, 8.68}},
        {9, 17, 400, 7, 2, {10, 18, 26}, {9.14, 9.5, 10.62}},
        {3, 29, 1028, 0, 1, {8, 13, 20}, {8.62, 8.72, 8.66}},
        {5, 31, 2060, 1, 5, {12, 18, 25}, {9.65, 9.63, 15.96}},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        for (unsigned w = 0; w < 3; w++) {
            uint64_t address[32];
            for (unsigned l = 0; l < 32; l++)
                address[l] = (l * rows[k].mul % rows[k].mod * rows[k].stride +
                              l * rows[k].of / rows[k].per % 32 * 4) /
                             (4u << w) * (4u << w);
            sim_l1_passes got = sim_trace_l1_passes(address, 0, ~0u, 4u << w);
            CHECK_INT(got.absent, rows[k].passes[w]);
            /* what the loop around them takes hides the fewest */
            CHECK(rows[k].cycles[w] < 4.9
                      ? got.had <= 4
                      : rows[k].cycles[w] > got.had - 0.2 && rows[k].cycles[w] < got.had + 1.1);
        }
}

/* The loads of rotate_load (tests/truth/spaces.cu) by 45 degrees, in blocks of 32 x 8 and 16 x 16,
 * as an H100 counts them: requests; lookups and bank conflicts,
 * l1tex__data_pipe_lsu_wavefronts_cmd_read without what waited for the banks because something else
 * had them (..._conflicts_type_arbitration; of that a tenth is the stores'). */
static void rotation(void) {
    static const struct {
        unsigned wide, high;
        uint64_t requests;
        double wavefronts;
    } rows[] = {{32, 8, 363300, 3716060 - 304388}, {16, 16, 361132, 3285690 - 318287}};
    const int w = 2048;
    const float c = 0.707106769f;
    for (unsigned k = 0; k < 2; k++) {
        uint64_t requests = 0, all = 0;
        for (unsigned block = 0; block < 16384; block++)
            for (unsigned warp = 0; warp < 8; warp++) {
                uint64_t address[32] = {0};
                uint32_t mask = 0;
                for (unsigned l = 0; l < 32; l++) {
                    unsigned t = warp * 32 + l, across = (unsigned)w / rows[k].wide,
                             column = block % across * rows[k].wide + t % rows[k].wide,
                             row = block / across * rows[k].high + t / rows[k].wide;
                    float x = (float)column, y = (float)row;
                    int i = (int)floorf(fmaf(c, x, -(c * y)) + (float)w * .25f),
                        j = (int)floorf(fmaf(c, x, c * y) - (float)w * .1f);
                    if (i < 0 || j < 0 || i >= w - 1 || j >= w - 1) continue;
                    mask |= UINT32_C(1) << l;
                    address[l] = 4 * (uint64_t)(j * w + i);
                }
                for (unsigned q = 0; mask && q < 4; q++) {
                    requests++;
                    all +=
                        sim_trace_l1_passes(address, q / 2 * 4 * (uint64_t)w + q % 2 * 4, mask, 4)
                            .absent;
                }
            }
        printf("# rotation in blocks of %u x %u: %llu requests, %.2f passes each\n", rows[k].wide,
               rows[k].high, (unsigned long long)requests, (double)all / (double)requests);
        CHECK_NEAR((double)requests, (double)rows[k].requests, 100); /* borders, by the last bit */
        CHECK_NEAR((double)all, rows[k].wavefronts, 0.01 * rows[k].wavefronts);
    }
}

/* What the counters alone say (time_model() without a trace): each resource at its own pace, by the
 * profile's rates; the slowest is the limit. Floors are by peak rates. All in microseconds: GB/s is
 * 1e3 bytes a us. */
static void bounds(void) {
    static const char *const names[] = {"h200", "a100", "t4"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        const sim_profile *p = sim_profile_find(names[n]);
        for (unsigned few = 0; few < 2; few++) {
            double sms = few ? 10 : p->sms, cycles = sms * p->clock_ghz * 1e3; /* in a us, of all */
            time_launch l = {.grid_blocks = few ? 10 : 8 * (uint64_t)p->sms,
                             .threads = p->max_threads_sm * 3 / 4 / 8};
            sim_occupancy occ = {.blocks = 8, .pct = 75};
            const struct {
                const char *limiter;
                sim_counters c;
                double us, floor, dram_floor, fp32_floor;
            } rows[] = {
                {"latency", {.warp_inst = 1}, p->lat_dram / (p->clock_ghz * 1e3), 0, 0, 0},
                {"dram",
                 {.dram_read = 3000000000, .dram_write = 1000000000},
                 4e9 / (p->dram_gbs * p->dram_efficiency * 1e3),
                 4e9 / (p->dram_gbs * 1e3),
                 4e9 / (p->dram_gbs * 1e3),
                 0},
                {"l2", {.l2_sectors = 1000000000}, 32e9 / (p->l2_gbs * 1e3), 0, 0, 0},
                {"l1",
                 {.gld_requests = 600000000, .gst_requests = 400000000},
                 1e9 / (p->rate_ldst * cycles),
                 0,
                 0,
                 0},
                {"shared",
                 {.shared_ld_wavefronts = 700000000, .shared_st_wavefronts = 300000000},
                 1e9 * p->bank_lanes * 4 / p->shared_bytes_cycle / cycles,
                 0,
                 0,
                 0},
                {"issue", {.warp_inst = 1000000000}, 1e9 / (p->issue_per_cycle * cycles), 0, 0, 0},
                {"issue",
                 {.warp_inst = 1000000000, .inst_fp32 = 64000000000},
                 1e9 / (p->issue_per_cycle * cycles),
                 2e9 / (p->rate_fp32 * cycles),
                 0,
                 2e9 / (p->rate_fp32 * p->sms * p->clock_ghz * 1e3)},
                {"issue",
                 {.warp_inst = 1000000000, .inst_fp64 = 64000000000},
                 1e9 / (p->issue_per_cycle * cycles),
                 2e9 / (p->rate_fp64 * cycles),
                 0,
                 0},
                {"issue",
                 {.warp_inst = 1000000000, .inst_sfu = 64000000000},
                 1e9 / (p->issue_per_cycle * cycles),
                 2e9 / (p->rate_sfu * cycles),
                 0,
                 0},
            };
            for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
                time_result r = {0};
                if (!k && !few) continue; /* handing out so many blocks takes longer */
                printf("# %s, %u blocks: %s\n", p->name, (unsigned)l.grid_blocks, rows[k].limiter);
                time_model(p, NULL, NULL, &l, &rows[k].c, &occ, NULL, &r);
                double want = p->kernel_us + rows[k].us;
                if (rows[k].floor > want) want = rows[k].floor;
                CHECK_STR(r.limiter, rows[k].limiter);
                CHECK_NEAR(r.time_us, want, 1e-9 * want);
                CHECK_NEAR(r.time_floor_us, rows[k].floor, 1e-9 * rows[k].floor);
                CHECK_NEAR(r.dram_floor_us, rows[k].dram_floor, 1e-9 * rows[k].dram_floor);
                CHECK_NEAR(r.fp32_floor_us, rows[k].fp32_floor, 1e-9 * rows[k].fp32_floor);
                /* eight blocks on each multiprocessor, or one on ten of them */
                CHECK_NEAR(r.achieved_occupancy_pct, few ? 75 / 8.0 : 75, 0);
                CHECK(r.link_bytes == 0);
            }
        }
        /* many blocks that do nothing: handing them out */
        time_launch l = {.grid_blocks = 1000000000};
        sim_counters none = {0};
        sim_occupancy occ = {.blocks = 8, .pct = 100};
        time_result r = {0};
        time_model(p, NULL, NULL, &l, &none, &occ, NULL, &r);
        CHECK_STR(r.limiter, "launch");
        CHECK_NEAR(r.time_us, p->kernel_us + 1e6 * p->block_dispatch_ns, 1e-6);
        /* conflicts that nobody can be without: at least as long as they take */
        sim_counters banks = {.shared_ld_conflicts = 600000000, .shared_st_conflicts = 400000000};
        l.grid_blocks = 8 * (uint64_t)p->sms;
        time_model(p, NULL, NULL, &l, &banks, &occ, NULL, &r);
        CHECK_NEAR(r.time_us,
                   1e9 * p->bank_lanes * 4 / p->shared_bytes_cycle / (p->sms * p->clock_ghz * 1e3),
                   1e-6);
        CHECK(r.time_floor_us == 0);
    }
}

/* What L2 had of a block's accesses, by the stream's entries: sectors of an access that were sent
 * and missed; lines of loads that missed, and halves of them, each once. Entries that were not kept
 * are like those before. */
/* What a block finds on its way: lines that one of the 32 blocks before it asked DRAM for, until it
 * has gone back. */
static void brought(void) {
    sim_stream_entry first[] = {{.line = 9, .sectors = 3, .missed = 3, .op = SIM_STREAM_LOAD},
                                {.line = 10, .sectors = 3, .op = SIM_STREAM_LOAD},
                                {.line = 11, .sectors = 3, .missed = 3, .op = SIM_STREAM_ATOM}},
                     again[] = {{.line = 9, .sectors = 3, .op = SIM_STREAM_LOAD},
                                {.line = 10, .sectors = 3, .op = SIM_STREAM_LOAD},
                                {.line = 11, .sectors = 3, .op = SIM_STREAM_LOAD},
                                {.line = 9, .sectors = 7, .missed = 4, .op = SIM_STREAM_LOAD},
                                {.line = 9, .sectors = 3, .op = SIM_STREAM_LOAD}};
    static const uint16_t place[] = {0, 1, 2, 3, 1}; /* the last one is a loop's */
    sim_block_mem before = {.stream = first, .stream_n = 3, .stream_cap = 3},
                  mem = {.stream = again, .stream_n = 5, .stream_cap = 5};
    for (unsigned by = 0; by < 2; by++)
        for (uint64_t ago = 1; ago <= 33; ago += 8) {
            sim_trace *t = sim_trace_new(sim_profile_find("h200"), 132 * 8, 1, 8, 0);
            uint64_t at = 132 * 2;
            sim_trace_block *b = sim_trace_block_begin(t, at);
            sim_trace_steps(&b->warps[0], 0, 5);
            for (unsigned k = 0; k < 5; k++)
                sim_trace_event_add(&b->warps[0], (sim_trace_event){.pc_low = place[k],
                                                                    .space = PTX_SPACE_GLOBAL,
                                                                    .sectors = 2,
                                                                    .stream_at = k,
                                                                    .stream_n = 1});
            if (by) sim_trace_pass(t, at - ago, &before);
            sim_trace_resolve(t, b, &mem);
            for (unsigned k = 0; k < 5; k++)
                CHECK_INT(b->warps[0].events[k].late, by && !k && ago <= 32 ? ago : 0);
            sim_trace_free(t);
        }
}

static void resolved(void) {
    sim_stream_entry stream[] = {{.line = 9, .sectors = 0xf, .missed = 0xe, .op = SIM_STREAM_LOAD},
                                 {.line = 9, .sectors = 0x1, .missed = 0x1, .op = SIM_STREAM_LOAD},
                                 {.line = 10, .sectors = 0x2, .missed = 0x2, .op = SIM_STREAM_LOAD},
                                 {.line = 11, .sectors = 0x6, .missed = 0x2, .op = SIM_STREAM_LOAD},
                                 {.line = 12, .sectors = 0x3, .missed = 0x0, .op = SIM_STREAM_LOAD},
                                 {.line = 10, .sectors = 0x8, .missed = 0x8, .op = SIM_STREAM_LOAD},
                                 {.line = SIM_DEV_BASE(1) / SIM_LINE_BYTES, .sectors = 0x7}};
    static const struct {
        uint16_t at, n, sectors, hits, sent, missed;
    } rows[] = {{0, 1, 9, 5, 4, 3},
                {1, 2, 2, 0, 2, 2},
                {3, 2, 4, 0, 4, 1},
                /* not kept: 7 of 11 were missed so far, 5.09 of 8 */
                {5, 1, 1, 0, 1, 1},
                {6, 1, 9, 1, 8, 5},
                {0, 0, 4, 4, 0, 0}};
    sim_block_mem mem = {.stream = stream, .stream_n = 6, .stream_cap = 7};
    lib_message msg;
    sim_trace *t = sim_trace_new(sim_profile_find("h200"), 1, 1, 1, 0);
    sim_trace_block *b = sim_trace_block_begin(t, 0);
    sim_trace_steps(&b->warps[0], 0, 6);
    for (unsigned k = 0; k < 6; k++)
        sim_trace_event_add(&b->warps[0], (sim_trace_event){.pc_low = (uint16_t)k,
                                                            .space = PTX_SPACE_GLOBAL,
                                                            .lanes = 32,
                                                            .sectors = rows[k].sectors,
                                                            .l1_hits = rows[k].hits,
                                                            .stream_at = rows[k].at,
                                                            .stream_n = rows[k].n});
    sim_memory *device = sim_memory_new(1 << 20, 0, false, &msg);
    t->memory = device;
    sim_trace_resolve(t, b, &mem);
    CHECK_INT(t->peer_read, 0); /* what lies behind the stream's end is none of the block's */
    CHECK(b->done && b->warps[0].at.off);
    for (unsigned k = 0; k < 6; k++) {
        CHECK_INT(b->warps[0].events[k].l2_sectors, rows[k].sent);
        CHECK_INT(b->warps[0].events[k].misses, rows[k].missed);
    }
    CHECK_INT(t->dram_lines, 3);  /* 9, 10, 11; all of 12 was there */
    CHECK_INT(t->dram_halves, 5); /* both of 9 and of 10, the first of 11 */
    mem.stream_n = 7;             /* with the load from another device */
    sim_trace_resolve(t, b, &mem);
    CHECK_INT(t->peer_read, 3);
    CHECK(!t->peer_written && !t->link_read && !t->link_written);
    /* Host memory that the device reads over the link, wherever the process has it: pages of its
     * own that are registered lie above the devices' addresses, page-locked ones below. */
    static const uint64_t place[] = {0x2d0000000000, 0x555500000000, 0x7f1200000000};
    static uint8_t bytes[2 * SIM_LINE_BYTES];
    for (unsigned k = 0; k < sizeof place / sizeof *place; k++) {
        CHECK_INT(sim_memory_map(device, bytes, sizeof bytes, place[k], true), SIM_OK);
        uint64_t read = t->link_read, written = t->link_written;
        stream[6] = (sim_stream_entry){
            .line = place[k] / SIM_LINE_BYTES, .sectors = 0x7, .op = SIM_STREAM_LOAD};
        sim_trace_resolve(t, b, &mem);
        CHECK_INT(t->link_read - read, 3);
        stream[6].line++, stream[6].op = SIM_STREAM_STORE;
        sim_trace_resolve(t, b, &mem);
        CHECK_INT(t->link_written - written, 3);
    }
    sim_memory_free(device);
    sim_trace_free(t);
}

int main(void) {
    resolved();
    brought();
    bounds();
    counted();
    rotation();
    static const unsigned sizes[] = {1, 2, 4, 8, 16};
    static const uint64_t strides[] = {0, 1, 2, 3, 4, 8, 16, 31, 32, 33, 64};
    uint64_t address[32], plain[32];
    /* by hand: neighbours, one word for all, a word of each line, 16 bytes each */
    for (unsigned k = 0; k < 32; k++) address[k] = 4 * k;
    CHECK_INT(sim_trace_l1_passes(address, 0, ~0u, 4).absent, 1);
    for (unsigned k = 0; k < 32; k++) address[k] = 64;
    CHECK_INT(sim_trace_l1_passes(address, 0, ~0u, 4).absent, 1);
    for (unsigned k = 0; k < 32; k++) address[k] = 128 * k;
    CHECK_INT(sim_trace_l1_passes(address, 0, ~0u, 4).absent, 32);
    CHECK_INT(sim_trace_l1_passes(address, 0, 0xff, 4).absent, 8);
    CHECK_INT(sim_trace_l1_passes(address, 0, 0, 4).absent, 1);
    /* the sectors of the first and of the last lane that is on */
    sim_l1_passes ends = sim_trace_l1_passes(address, 8, 0xf0, 4),
                  none = sim_trace_l1_passes(address, 0, 0, 4);
    CHECK_INT(ends.ends[0], (address[4] + 8) / 32);
    CHECK_INT(ends.ends[1], (address[7] + 8 + 3) / 32);
    CHECK_INT(none.ends[0] + none.ends[1], 0);
    for (unsigned k = 0; k < 32; k++) address[k] = 8 * k;
    CHECK_INT(sim_trace_l1_passes(address, 0, ~0u, 8).absent, 2);
    for (unsigned k = 0; k < 32; k++) address[k] = 16 * k;
    CHECK_INT(sim_trace_l1_passes(address, 0, ~0u, 16).absent, 4);
    /* additions in L2: as many passes of a sector as its busiest word has lanes, sector after
     * sector, less one each but the first */
    for (unsigned k = 0; k < 32; k++) address[k] = 64;
    CHECK_INT(sim_trace_atom_passes(address, 0, ~0u), 32);
    CHECK_INT(sim_trace_atom_passes(address, 4096, 0x111), 3);
    for (unsigned k = 0; k < 32; k++) address[k] = 32 + k % 8 * 4;
    CHECK_INT(sim_trace_atom_passes(address, 0, ~0u), 4);
    CHECK_INT(sim_trace_atom_passes(address, 4, ~0u),
              1 + 3 + 3); /* four of seven words, four of one */
    for (unsigned k = 0; k < 32; k++) address[k] = 32 * k;
    CHECK_INT(sim_trace_atom_passes(address, 0, ~0u), 1);
    for (unsigned k = 0; k < 32; k++)
        address[k] = k < 3 ? 0 : k < 5 ? 8 : k < 10 ? 64 : 128 + 4 * (k % 8);
    CHECK_INT(sim_trace_atom_passes(address, 0, ~0u),
              1 + 2 + 4 + 2); /* 3 and 2, 5, and 22 of 8 words */
    CHECK_INT(sim_trace_atom_passes(address, 0, 1), 1);
    for (unsigned round = 0; round < 4000; round++) {
        unsigned bytes = sizes[draw() % 5], stride = (unsigned)strides[draw() % 11], wrong = 0;
        uint64_t offset = draw() % 3 ? 0 : 4ull * (draw() % 64);
        uint32_t mask = draw() % 3 ? ~0u : draw() << 1 ^ draw();
        for (unsigned l = 0; l < 32; l++) {
            plain[l] = (uint64_t)bytes * (draw() % 4 ? l * stride : draw() % 64) + 0x3000000000;
            address[l] = plain[l] + offset;
        }
        sim_l1_passes got = sim_trace_l1_passes(plain, offset, mask, bytes);
        wrong = got.absent != passes(address, mask, bytes) || got.had != had(address, mask, bytes);
        if (wrong) printf("# %u bytes, stride %u, mask %08x\n", bytes, stride, mask);
        if (wrong || round == 0) CHECK_INT(wrong, 0);
    }
    return check_done();
}
