/* When work happens on the modelled timeline, asked of it directly: a client of two devices whose
 * figures are round numbers. Expected: the header's contract (core/timeline.h) worked out by hand
 * beside each row; the Programming Guide's "Technical Specifications per Compute Capability" for
 * how many grids are resident; its "Default stream" for what waits for what. */
#include "runner/device/server/core/client.h"
#include "runner/base/message.h"
#include "runner/device/cudart/api.h"
#include "runner/device/server/core/stream.h"
#include "runner/device/sim/profile.h"
#include "tests/check.h"

#include <stdlib.h>

static sim_profile profiles[2];
static dev_session both = {.count = 2};
static dev_client c;

static void client_drop(void) {
    for (unsigned d = 0; d < 2; d++) free(c.times.engine[d].levels);
    free(c.times.clock), free(c.times.began);
}
/* A client that has done nothing yet. */
static void client_new(void) {
    client_drop();
    memset(&c, 0, sizeof c);
    profiles[0] = (sim_profile){.concurrent_grids = 128,
                                .dram_gbs = 1000,
                                .dram_efficiency = 0.8, /* 800000 bytes a microsecond */
                                .kernel_us = 2,
                                .launch_us = 5,
                                .malloc_us = 100,
                                .free_us = 50,
                                .memcpy_us = 7,
                                .memcpy_pageable_us = 11,
                                .h2d_pinned_gbs = 40,
                                .d2h_pinned_gbs = 50,
                                .h2d_pageable_gbs = 4,
                                .d2h_pageable_gbs = 5,
                                .peer_gbs = 200};
    profiles[1] = profiles[0];
    profiles[1].memcpy_us = 9;
    profiles[1].h2d_pinned_gbs = 25, profiles[1].d2h_pinned_gbs = 100;
    profiles[1].peer_gbs = 100;
    for (unsigned d = 0; d < 2; d++) both.device[d].profile = &profiles[d];
    c.s = &both;
}

/* ---- host calls */

static void test_clocks(void) {
    client_new();
    c.times.latest = 40;
    CHECK_NEAR(*dev_clock(&c, 0), 40, 0); /* begins when it is first heard of */
    CHECK_INT(c.times.threads, 16);
    c.times.latest = 50;
    CHECK_NEAR(*dev_clock(&c, 0), 40, 0);
    CHECK_NEAR(*dev_clock(&c, 15), 50, 0);
    CHECK_INT(c.times.threads, 16);
    c.times.latest = 60;
    CHECK_NEAR(*dev_clock(&c, 16), 60, 0);
    CHECK_INT(c.times.threads, 32);
    CHECK_NEAR(c.times.began[0], 40, 0);
    CHECK_NEAR(c.times.began[16], 60, 0);

    /* One that is first heard of at the very beginning has begun. */
    client_new();
    CHECK_NEAR(*dev_clock(&c, 3), 0, 0);
    c.times.latest = 5;
    CHECK_NEAR(*dev_clock(&c, 3), 0, 0);

    static const struct wire_in_Clock in;
    struct wire_out_Clock out = {0};
    dev_call k = {.c = &c, .thread = 1};
    CHECK_INT(dev_on_Clock(&k, &in, &out), cudaSuccess);
    CHECK_INT(out.ns, 0); /* of its own time */
    *dev_clock(&c, 1) += 2.5;
    dev_on_Clock(&k, &in, &out);
    CHECK_INT(out.ns, 2500);
}

static void test_costs(void) {
    static const struct {
        dev_cost what;
        double us;
    } costs[] = {{DEV_COST_LAUNCH, 5},   {DEV_COST_ASYNC, 5}, {DEV_COST_SYNC, 2},
                 {DEV_COST_MALLOC, 100}, {DEV_COST_FREE, 50}, {DEV_COST_POOL, 0.56},
                 {DEV_COST_EVENT, 1},    {DEV_COST_GRAPH, 5}};
    client_new();
    dev_call k = {.c = &c, .thread = 2, .device = 1};
    double now = 0;
    for (unsigned i = 0; i < sizeof costs / sizeof *costs; i++) {
        dev_spend(&k, costs[i].what);
        now += costs[i].us;
        CHECK_NEAR(*dev_clock(&c, 2), now, 1e-9);
        CHECK_NEAR(c.times.latest, now, 1e-9);
    }
    c.times.latest = now + 1000; /* somebody else is further */
    dev_spend(&k, DEV_COST_SYNC);
    CHECK_NEAR(*dev_clock(&c, 2), now + 2, 1e-9);
    CHECK_NEAR(c.times.latest, now + 1000, 1e-9);

    /* Memory: up to 4 MB at the profile's price, and 0.7 us more for each MB beyond. */
    static const struct {
        dev_cost what;
        uint64_t bytes;
        double us;
    } memory[] = {{DEV_COST_MALLOC, 1, 100},          {DEV_COST_MALLOC, 4 << 20, 100},
                  {DEV_COST_MALLOC, 5 << 20, 100.7},  {DEV_COST_FREE, 4 << 20, 50},
                  {DEV_COST_FREE, 64 << 20, 50 + 42}, {DEV_COST_POOL, 6 << 20, 0.56 + 1.4}};
    for (unsigned i = 0; i < sizeof memory / sizeof *memory; i++) {
        double before = *dev_clock(&c, 2);
        dev_spend_memory(&k, memory[i].what, memory[i].bytes);
        CHECK_NEAR(*dev_clock(&c, 2) - before, memory[i].us, 1e-9);
    }
}

/* What work of one stream waits for. */
static void test_streams(void) {
    enum { LEGACY, BLOCKING, OTHER, FREE, FAR, STREAMS };
    static const struct {
        unsigned stream;
        double issued, after;
    } rows[] = {
        {LEGACY, 0, 40},                    /* for the blocking ones of its device */
        {LEGACY, 45, 45},                   /* which are done by then */
        {BLOCKING, 0, 20},                  /* for itself (10) and the legacy one */
        {BLOCKING, 25, 25}, {OTHER, 0, 40}, /* for itself */
        {FREE, 0, 80},                      /* for itself alone */
        {FREE, 90, 90},     {FAR, 0, 160},  /* no legacy one on its device */
    };
    dev_stream s[STREAMS] = {[LEGACY] = {.ready = 20, .legacy = true},
                             [BLOCKING] = {.ready = 10},
                             [OTHER] = {.ready = 40},
                             [FREE] = {.ready = 80, .flags = cudaStreamNonBlocking},
                             [FAR] = {.ready = 160, .device = 1}};
    client_new();
    for (unsigned i = 0; i < STREAMS; i++) s[i].next = i + 1 < STREAMS ? &s[i + 1] : NULL;
    c.streams.first = s;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK_NEAR(dev_stream_after(&c, &s[rows[i].stream], rows[i].issued), rows[i].after, 0);
    c.streams.first = NULL;
}

/* ---- copies between host and device */

enum { MB4 = 4000000 };
static void copy(const dev_move *m, unsigned device, double after, double *start, double *end) {
    *start = *end = -1;
    dev_place_copy(&c, device, m, after, start, end);
}

static void test_copy_times(void) {
    static const struct {
        dev_move move;
        double us;
    } rows[] = {
        /* 4 MB at 40, 50, 4 and 5 GB/s, and what a copy takes at least */
        {{.direction = DEV_DIR_H2D, .bytes = MB4}, 7 + 100},
        {{.direction = DEV_DIR_D2H, .bytes = MB4}, 7 + 80},
        {{.direction = DEV_DIR_H2D, .bytes = MB4, .pageable = true}, 11 + 1000},
        {{.direction = DEV_DIR_D2H, .bytes = MB4, .pageable = true}, 11 + 800},
        {{.direction = DEV_DIR_H2D, .bytes = MB4, .async = true}, 1.5 + 100},
        {{.direction = DEV_DIR_D2H, .bytes = MB4, .async = true}, 1.5 + 80},
        {{.direction = DEV_DIR_H2D, .bytes = MB4, .async = true, .pageable = true}, 1.5 + 1000},
        {{.direction = DEV_DIR_H2D}, 7},
        /* the host's own copies cost the call */
        {{.direction = DEV_DIR_H2H, .bytes = MB4}, 7},
        {{.direction = DEV_DIR_H2H, .bytes = MB4, .pageable = true}, 11},
        {{.direction = DEV_DIR_H2H, .bytes = MB4, .async = true}, 1.5},
        /* what was measured counts */
        {{.direction = DEV_DIR_H2D, .bytes = MB4, .measured = 0.25}, 0.25},
        {{.direction = DEV_DIR_D2H, .bytes = MB4, .measured = 33}, 33},
        {{.direction = DEV_DIR_D2D, .bytes = MB4, .measured = 33}, 33},
        {{.direction = DEV_DIR_PEER, .bytes = MB4, .to = 1, .measured = 33}, 33},
        /* 8 MB read and written, 8 MB written, at 0.8 MB/us, behind the start of a grid */
        {{.direction = DEV_DIR_D2D, .bytes = 2 * MB4, .sectors = 500000}, 2 + 20},
        {{.direction = DEV_DIR_FILL, .bytes = 2 * MB4, .sectors = 250000}, 2 + 10},
        /* rows that leave more than two sectors at each end count what they touch */
        {{.direction = DEV_DIR_FILL, .bytes = 3200, .sectors = 104}, 2 + 3200 / 8e5},
        {{.direction = DEV_DIR_FILL, .bytes = 3200, .sectors = 105}, 2 + 3360 / 8e5},
        {{.direction = DEV_DIR_D2D, .bytes = 3200, .sectors = 204}, 2 + 6400 / 8e5},
        {{.direction = DEV_DIR_D2D, .bytes = 3200, .sectors = 205}, 2 + 6560 / 8e5},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        double start, end;
        client_new();
        copy(&rows[i].move, 0, 30, &start, &end);
        CHECK_NEAR(start, 30, 0);
        CHECK_NEAR(end, 30 + rows[i].us, 1e-9);
        CHECK_NEAR(c.times.latest, end, 0);
        c.times.latest = 5000;
        copy(&rows[i].move, 0, 40, &start, &end);
        CHECK_NEAR(c.times.latest, 5000, 0);
    }
}

/* One engine a direction and device; the host's own copies and others' engines are free. */
static void test_copy_engines(void) {
    static const struct {
        dev_direction direction;
        unsigned device;
        double after, start, us;
    } rows[] = {
        {DEV_DIR_H2D, 0, 10, 10, 107},                                      /* until 117 */
        {DEV_DIR_D2H, 0, 10, 10, 87},                                       /* until 97 */
        {DEV_DIR_H2D, 0, 20, 117, 107},                                     /* until 224 */
        {DEV_DIR_D2H, 0, 20, 97, 87},                                       /* until 184 */
        {DEV_DIR_H2H, 0, 20, 20, 7},     {DEV_DIR_H2D, 1, 20, 20, 9 + 160}, /* 25 GB/s */
        {DEV_DIR_H2D, 0, 300, 300, 107},
    };
    client_new();
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        double start, end;
        copy(&(dev_move){.direction = rows[i].direction, .bytes = MB4}, rows[i].device,
             rows[i].after, &start, &end);
        CHECK_NEAR(start, rows[i].start, 1e-9);
        CHECK_NEAR(end, rows[i].start + rows[i].us, 1e-9);
    }
    CHECK_NEAR(c.times.engine[0].h2d, 407, 1e-9);
    CHECK_NEAR(c.times.engine[0].d2h, 184, 1e-9);
    CHECK_NEAR(c.times.engine[1].h2d, 189, 1e-9);
    CHECK_NEAR(c.times.engine[1].d2h, 0, 0);
}

/* From device to device: over the link where access was enabled either way, else through the
 * host. */
static void test_peers(void) {
    static const struct {
        unsigned from, peers[2], pools[2];
        bool link;
        double us; /* of 4 MB */
    } rows[] = {
        /* through the host: at the slower of d2h there and h2d here, the source's least time */
        {0, {0, 0}, {0, 0}, false, 7 + 160}, /* 50 and 25 GB/s */
        {1, {0, 0}, {0, 0}, false, 9 + 100}, /* 100 and 40 */
        {0, {1, 2}, {1, 2}, false, 7 + 160}, /* each to itself */
        /* 200 and 100 GB/s, the source's */
        {0, {2, 0}, {0, 0}, true, 7 + 20},
        {0, {0, 1}, {0, 0}, true, 7 + 20},
        {0, {0, 0}, {2, 0}, true, 7 + 20},
        {0, {0, 0}, {0, 1}, true, 7 + 20},
        {1, {2, 0}, {0, 0}, true, 9 + 40},
        {1, {0, 0}, {0, 1}, true, 9 + 40},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        unsigned from = rows[i].from, to = !from;
        dev_move m = {.direction = DEV_DIR_PEER, .bytes = MB4, .from = from, .to = to};
        double start, end;
        client_new();
        for (unsigned d = 0; d < sizeof rows[i].peers / sizeof *rows[i].peers; d++) {
            c.context[d].peers = rows[i].peers[d];
            c.context[d].pool_peers = rows[i].pools[d];
        }
        double *out = rows[i].link ? &c.times.engine[from].out : &c.times.engine[from].d2h,
               *in = rows[i].link ? &c.times.engine[to].in : &c.times.engine[to].h2d;
        copy(&m, from, 3, &start, &end);
        CHECK_NEAR(start, 3, 0);
        CHECK_NEAR(end, 3 + rows[i].us, 1e-9);
        CHECK(*out == end && *in == end && c.times.latest == end);
        /* and of nothing else */
        dev_engines *e = c.times.engine;
        double all = 0;
        for (unsigned d = 0; d < 2; d++) all += e[d].h2d + e[d].d2h + e[d].in + e[d].out;
        CHECK_NEAR(all, 2 * end, 1e-9);
        m.async = true;
        double fixed = from ? 9 : 7;
        *out = 500, *in = 600; /* both have to be free */
        copy(&m, from, 3, &start, &end);
        CHECK_NEAR(start, 600, 0);
        CHECK_NEAR(end, 600 + rows[i].us - fixed + 1.5, 1e-9);
        *out = 900, *in = 800;
        copy(&m, from, 3, &start, &end);
        CHECK_NEAR(start, 900, 0);
    }
}

/* ---- bandwidths */

typedef struct {
    double t, dram, l2;
} want_level;
static void check_levels(const want_level *want, unsigned n) {
    const dev_engines *e = &c.times.engine[0];
    CHECK_INT(e->level_count, n);
    for (unsigned i = 0; i < n && i < e->level_count; i++) {
        CHECK_NEAR(e->levels[i].t, want[i].t, 1e-9);
        CHECK_NEAR(e->levels[i].used[DEV_DRAM], want[i].dram, 1e-9);
        CHECK_NEAR(e->levels[i].used[DEV_L2], want[i].l2, 1e-9);
    }
}
#define LEVELS(...)                                                                                \
    check_levels((const want_level[]){__VA_ARGS__},                                                \
                 sizeof((const want_level[]){__VA_ARGS__}) / sizeof(want_level))

/* A grid of no multiprocessors to speak of; when it ends. */
static double place(double after, double us, double dram, double l2) {
    double start = -1, end = -1;
    dev_place_kernel(&c, 0, after, &(dev_demand){.us = us, .used = {dram, l2}}, &start, &end);
    CHECK_NEAR(start, after, 0);
    return end;
}

/* Each unit is one: who comes later goes on at the rate that is left. */
static void test_units(void) {
    for (unsigned k = DEV_UNITS; k < DEV_BANDWIDTHS; k++) {
        dev_demand all = {.us = 10, .share = 0.01}, half = all, other = all;
        double start, end;
        all.used[k] = 1, half.used[k] = 0.5, other.used[k == DEV_UNITS ? k + 1 : DEV_UNITS] = 1;
        client_new();
        dev_place_kernel(&c, 0, 0, &half, &start, &end);
        CHECK_NEAR(end, 10, 1e-9);
        dev_place_kernel(&c, 0, 0, &all, &start, &end); /* half of it by 10, then the rest alone */
        CHECK_NEAR(start, 0, 0);
        CHECK_NEAR(end, 15, 1e-9);
        dev_place_kernel(&c, 0, 0, &other, &start, &end);
        CHECK_NEAR(end, 10, 1e-9);
        dev_place_kernel(&c, 0, 0, &half, &start, &end); /* nothing is left until 15 */
        CHECK_NEAR(end, 25, 1e-9);
    }
}

static void test_bandwidths(void) {
    client_new();
    /* What asks for no bandwidth, or for no time, leaves no level. */
    CHECK_NEAR(place(1, 9, 0, 0), 10, 1e-9);
    CHECK_NEAR(place(4, 0, 1, 1), 4, 1e-9);
    CHECK_INT(c.times.engine[0].level_count, 0);

    CHECK_NEAR(place(5, 10, 0.5, 0), 15, 1e-9); /* alone */
    LEVELS({5, 0.5, 0}, {15, 0, 0});
    CHECK_NEAR(place(5, 10, 0.5, 0.25), 15, 1e-9); /* both have what they ask for */
    LEVELS({5, 1, 0.25}, {15, 0, 0});
    CHECK_NEAR(place(5, 5, 0, 0.75), 10, 1e-9); /* another bandwidth */
    LEVELS({5, 1, 1}, {10, 1, 0.25}, {15, 0, 0});
    /* 5 us before the others come, nothing while they have it all, 15 us behind them */
    CHECK_NEAR(place(0, 20, 0.25, 0), 30, 1e-9);
    LEVELS({0, 0.25, 0}, {5, 1, 1}, {10, 1, 0.25}, {15, 0.25, 0}, {30, 0, 0});
    /* a quarter is taken: all of it goes on at three quarters of its pace, 12 us for 9 */
    CHECK_NEAR(place(16, 9, 1, 0), 28, 1e-9);
    LEVELS({0, 0.25, 0}, {5, 1, 1}, {10, 1, 0.25}, {15, 0.25, 0}, {16, 1, 0}, {28, 0.25, 0},
           {30, 0, 0});
    /* the tighter bandwidth sets the pace: at half of it both are used by half of what is asked
     * for */
    client_new();
    place(0, 100, 0.5, 0.75);
    CHECK_NEAR(place(0, 10, 0.5, 0.5), 20, 1e-9);
    LEVELS({0, 0.75, 1}, {20, 0.5, 0.75}, {100, 0, 0});

    /* and what that leaves the other is enough: half of 0.5 in 0.3 */
    client_new();
    place(0, 100, 0.5, 0.7);
    CHECK_NEAR(place(0, 10, 1, 0.5), 20, 1e-9);
    LEVELS({0, 1, 0.95}, {20, 0.5, 0.7}, {100, 0, 0});

    /* Less than a millionth of its pace is none: 10 us of it come behind. */
    client_new();
    place(0, 1000, 1 - 5e-7, 0);
    CHECK_NEAR(place(0, 10, 1, 0), 1010, 1e-6);
    client_new();
    place(0, 1000, 1 - 4e-6, 0); /* 4 millionths: 0.004 us are done before */
    CHECK_NEAR(place(0, 10, 1, 0), 1009.996, 1e-6);

    /* A time so late that a microsecond is nothing there. */
    client_new();
    CHECK_NEAR(place(1e17, 1, 0.5, 0), 1e17, 0);
    LEVELS({1e17, 0, 0});
}

/* A copy on the device uses its bandwidth as kernels do: 20 of its 22 us. */
static void test_copy_shares(void) {
    double start, end;
    client_new();
    copy(&(dev_move){.direction = DEV_DIR_D2D, .bytes = 2 * MB4, .sectors = 500000}, 0, 0, &start,
         &end);
    LEVELS({0, 20. / 22, 0}, {22, 0, 0});
    CHECK_NEAR(place(0, 10, 1, 0), 30, 1e-9); /* 2 us in those, 8 behind them */
    /* a measured one that is faster than memory has all of it */
    client_new();
    copy(&(dev_move){.direction = DEV_DIR_D2D, .bytes = 2 * MB4, .sectors = 500000, .measured = 4},
         0, 0, &start, &end);
    LEVELS({0, 1, 0}, {4, 0, 0});
}

/* The older half goes, and nothing begins there any more. */
static void test_forgotten(void) {
    enum { MOST = 1 << 14 };
    enum { HALF = MOST / 2 };
    const dev_engines *e = &c.times.engine[0];
    client_new();
    for (unsigned i = 0; i < HALF; i++) {
        double start, end;
        dev_place_kernel(&c, 0, 2. * i, &(dev_demand){.us = 1, .used = {0.5}}, &start, &end);
    }
    CHECK_INT(e->level_count, MOST); /* 0, 1, 2 ... */
    CHECK_NEAR(e->from, 0, 0);
    place(MOST, 1, 0.5, 0);
    CHECK_INT(e->level_count, HALF + 1);
    CHECK_NEAR(e->from, HALF + 1, 0);
    for (unsigned i = 0; i < 3; i++) {
        unsigned at = i < 2 ? i : HALF;
        CHECK_NEAR(e->levels[at].t, HALF + 1 + at, 0);
        CHECK_NEAR(e->levels[at].used[DEV_DRAM], at % 2 ? 0.5 : 0, 0);
    }
    c.times.engine[0].running_count = 0; /* as if all grids were done */
    double start, end;
    dev_place_kernel(&c, 0, 7, &(dev_demand){.us = 3}, &start, &end);
    CHECK_NEAR(start, HALF + 1, 0);
    CHECK_NEAR(end, HALF + 4, 0);
    dev_place_kernel(&c, 0, HALF + 2, &(dev_demand){.us = 3}, &start, &end);
    CHECK_NEAR(start, HALF + 2, 0);
}

/* ---- multiprocessors */

static double grid(double after, double us, double share) {
    double start = -1, end = -1;
    dev_place_kernel(&c, 0, after, &(dev_demand){.us = us, .share = share}, &start, &end);
    CHECK_NEAR(end, start + us, 1e-9);
    return start;
}

static void test_shares(void) {
    client_new();
    CHECK_NEAR(grid(0, 40, 0.25), 0, 0);
    CHECK_NEAR(grid(0, 20, 0.25), 0, 0);
    CHECK_NEAR(grid(0, 30, 0.25), 0, 0);
    CHECK_NEAR(grid(0, 10, 0.25), 0, 0);
    static const double ends[] = {10, 20, 30, 40};
    CHECK_INT(c.times.engine[0].running_count, 4);
    for (unsigned i = 0; i < 4; i++) CHECK_NEAR(c.times.engine[0].running[i].end, ends[i], 0);
    /* half of them are free when the second is done: then until 21 with those that end at 30 and
     * 40 */
    CHECK_NEAR(grid(0, 1, 0.5), 20, 0);
    CHECK_NEAR(grid(0, 1, 0.25), 21, 0); /* 30, 40 and half of them until then */
    CHECK_NEAR(grid(39, 1, 0.75), 39, 0);
    CHECK_NEAR(grid(39, 1, 1), 40, 0);
    CHECK_NEAR(grid(41, 5, 1), 41, 0); /* an end is no overlap */
    CHECK_NEAR(c.times.latest, 46, 0);
    grid(41, 0, 0);
    CHECK_NEAR(c.times.latest, 46, 0);

    /* Sums of shares are not exact: a ten-thousandth more still fits. */
    client_new();
    grid(0, 10, 0.5);
    CHECK_NEAR(grid(0, 10, 0.50005), 0, 0);
    client_new();
    grid(0, 10, 0.5);
    CHECK_NEAR(grid(0, 10, 0.5002), 10, 0);
}

/* As many resident grids as the profile has; 16 and 32 are those of compute capability 2 and 3. */
static void test_grids(void) {
    static const unsigned most[] = {1, 16, 32, 128};
    for (unsigned k = 0; k < sizeof most / sizeof *most; k++) {
        unsigned late = 0;
        client_new();
        profiles[0].concurrent_grids = most[k];
        for (unsigned i = 0; i < most[k]; i++) late += grid(0, 100 + i, 0) > 0;
        CHECK_INT(late, 0);
        CHECK_NEAR(grid(0, 50, 0), 100, 0); /* when the first of them is done */
        CHECK_NEAR(grid(0, 50, 0), most[k] == 1 ? 150 : 101, 0);
    }
    /* The table is full of those that end last: 102 to 227, and the two more at 150 and 151. */
    const dev_engines *e = &c.times.engine[0];
    unsigned wrong = 0;
    CHECK_INT(e->running_count, DEV_GRIDS);
    for (unsigned i = 0; i < DEV_GRIDS; i++) {
        double want = 102 + i - (i > 48) - (i > 50);
        wrong += e->running[i].end != want;
    }
    CHECK_INT(wrong, 0);
    CHECK_NEAR(grid(0, 0, 0.5), 102, 0); /* ends no later than any */
    CHECK_NEAR(e->running[0].end, 102, 0);
    CHECK_NEAR(e->running[0].share, 0, 0);
    CHECK_INT(e->running_count, DEV_GRIDS);
}

int main(void) {
    test_clocks();
    test_costs();
    test_streams();
    test_copy_times();
    test_copy_engines();
    test_peers();
    test_bandwidths();
    test_units();
    test_copy_shares();
    test_forgotten();
    test_shares();
    test_grids();
    client_drop();
    return check_done();
}
