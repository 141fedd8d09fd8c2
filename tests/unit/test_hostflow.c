/* What a call let the host see and gave the device afterwards; and who shares the device's
 * units. */
#include "runner/device/server/core/client.h"
#include "runner/device/server/core/memory.h"
#include "runner/device/server/core/stream.h"
#include "runner/device/sim/profile.h"
#include "tests/check.h"

#include <stdlib.h>

static dev_session session = {.count = 1, .opt = {.launch_limit = 3}};

static void begin(dev_client *c) {
    free(c->times.engine[0].levels), free(c->log.records), free(c->log.results);
    *c = (dev_client){.s = &session};
    session.device[0].profile = sim_profile_find("h200");
    dev_replay_begins(c);
}

static dev_flow flow(const dev_client *c) {
    dev_flow f;
    dev_client_flow(c, &f);
    return f;
}

static void flows(dev_client *c) {
    begin(c);
    dev_flow_gave(c, DEV_OP_H2D, 400, "");
    dev_flow_gave(c, DEV_OP_LAUNCH, 0, "k");
    dev_flow_saw(c, DEV_OP_D2H, 400, "");
    CHECK(flow(c).complete && !flow(c).data && !flow(c).times); /* seen last: nothing came of it */
    dev_flow_saw(c, DEV_OP_D2H, 100, "");
    dev_flow_gave(c, DEV_OP_LAUNCH, 0, "later");
    dev_flow f = flow(c);
    CHECK(f.data);
    CHECK_INT(f.most, 500);
    CHECK_INT(f.saw.bytes, 500);
    CHECK_STR(f.gave.kernel, "later");
    dev_flow_saw(c, DEV_OP_LAUNCH, 40, "writes");
    dev_flow_gave(c, DEV_OP_MEMSET, 8, "");
    CHECK_INT(flow(c).most, 500); /* the most stays the example */
    CHECK_INT(flow(c).all, 540);
    CHECK_STR(flow(c).gave.kernel, "later");

    begin(c); /* another call knows nothing of it; times count where something is given then */
    CHECK(!flow(c).data);
    dev_flow_timed(c), dev_flow_timed(c);
    CHECK_INT(flow(c).times, 0);
    dev_flow_gave(c, DEV_OP_D2D, 8, "");
    CHECK_INT(flow(c).times, 2);
    CHECK(!flow(c).data);

    /* a launch that may have been answered: what it left is seen all the same, and counted once */
    begin(c);
    dev_flow_gave(c, DEV_OP_LAUNCH, 0, "asks");
    dev_flow_within(c, "asks");
    CHECK(!flow(c).within); /* it stored nothing that the host sees */
    dev_flow_saw(c, DEV_OP_LAUNCH, 64, "asks");
    dev_flow_within(c, "asks");
    f = flow(c);
    CHECK(f.within && !f.data);
    CHECK_INT(f.most, 64);
    CHECK_STR(f.saw.kernel, "asks");
    dev_flow_gave(c, DEV_OP_LAUNCH, 0, "next");
    CHECK(flow(c).within && flow(c).data);
    CHECK_INT(flow(c).all, 64);

    begin(c);
    CHECK(!flow(c).within);
    c->log.replaying = true; /* not the program's doing */
    dev_flow_saw(c, DEV_OP_D2H, 4, "");
    dev_flow_gave(c, DEV_OP_LAUNCH, 0, "k");
    c->log.replaying = false;
    CHECK(!flow(c).data);
}

/* What the host puts into a buffer: a fill of one value does not count, and only one value is a
 * fill. */
static void puts_of(dev_client *c) {
    enum { AT = 1 << 20, BYTES = 16 };
    begin(c);
    CHECK(dev_mem_add(c, &(dev_mem){.base = AT, .bytes = BYTES, .kind = DEV_MEM_GRANTED}));
    dev_flow_filled(c, AT, 0, BYTES);
    dev_flow_filled(c, AT, 0, 1);
    CHECK_INT(dev_client_put(c, AT), 0);
    dev_flow_put(c, AT, BYTES);
    CHECK_INT(dev_client_put(c, AT), BYTES);
    dev_flow_begins(c);
    for (unsigned i = 0; i < BYTES; i++) dev_flow_filled(c, AT + i, i + 1, 1);
    CHECK_INT(dev_client_put(c, AT), BYTES - 1);
    dev_flow_begins(c);
    dev_flow_put(c, AT, 3);
    dev_flow_put(c, AT, 0);
    CHECK_INT(dev_client_put(c, AT), 3);
    free(c->memory.ranges);
}

static void records(dev_client *c) {
    begin(c);
    for (int i = 0; i < 3; i++) CHECK(dev_log(c, DEV_OP_SYNC, 0, NULL, 0, 0, 0, SIM_OK));
    CHECK(flow(c).complete);
    CHECK(!dev_log(c, DEV_OP_LAUNCH, 0, NULL, 0, 0, 0, SIM_OK));
    CHECK(!flow(c).complete);
    CHECK_INT(flow(c).room, 3);
}

/* When the last of n equal pieces of work that may all begin at once is done. */
static double last_of(dev_client *c, unsigned n, dev_demand d) {
    double start, end = 0, last = 0;
    begin(c);
    for (unsigned i = 0; i < n; i++) {
        dev_place_kernel(c, 0, 100, &d, &start, &end);
        if (end > last) last = end;
    }
    return last - 100;
}

static void shares(dev_client *c) {
    double start, end;
    CHECK_NEAR(last_of(c, 1, (dev_demand){.us = 10, .share = 1, .used = {1, 1}}), 10, 1e-9);
    CHECK_NEAR(last_of(c, 8, (dev_demand){.us = 10, .share = 0.125}), 10, 1e-9);
    CHECK_NEAR(last_of(c, 9, (dev_demand){.us = 10, .share = 0.125}), 20, 1e-9);
    /* a half each of the bandwidth: two at once, however many multiprocessors are free */
    CHECK_NEAR(last_of(c, 8, (dev_demand){.us = 10, .share = 0.01, .used = {0.5, 0}}), 40, 1e-6);
    CHECK_NEAR(last_of(c, 8, (dev_demand){.us = 10, .share = 0.01, .used = {0, 0.5}}), 40, 1e-6);
    /* no more than 128 grids, though 1,024 would fit */
    CHECK_NEAR(last_of(c, 1024, (dev_demand){.us = 10, .share = 0.0005}), 80, 1e-6);
    /* 5 us at the full rate, then beside another that leaves a quarter of it */
    begin(c);
    dev_place_kernel(c, 0, 5, &(dev_demand){.us = 4, .used = {0.75, 0}}, &start, &end);
    dev_place_kernel(c, 0, 0, &(dev_demand){.us = 7, .used = {1, 0}}, &start, &end);
    CHECK_NEAR(start, 0, 0);
    CHECK_NEAR(end, 5 + 4 + 1, 1e-9);
    /* copies on the device queue for the memory: eight take eight times as long as one */
    double one = 0, eight = 0;
    dev_move m = {.direction = DEV_DIR_D2D, .async = true, .bytes = 256 << 20};
    m.sectors = 2 * m.bytes / 32;
    begin(c);
    for (int i = 0; i < 8; i++) {
        dev_place_copy(c, 0, &m, 0, &start, &end);
        if (!i) one = end;
        eight = end;
    }
    CHECK_NEAR(eight / one, 8, 0.2);
    /* many streams of short work, more levels than are kept: no moment is forgotten */
    begin(c);
    dev_demand small = {.us = 1, .share = 0.001, .used = {0.25, 0}};
    double last = 0;
    for (int i = 0; i < 40000; i++) {
        dev_place_kernel(c, 0, 0, &small, &start, &end);
        if (end > last) last = end;
    }
    CHECK(last >= 40000 * 0.25 * (1 - 1e-6));
}

/* A buffer that goes to the device and back many times, with other values each time. */
static void many_words(dev_client *c) {
    enum { N = 1 << 18, PASSES = 12 };
    uint32_t *y = malloc(sizeof *y * N);
    begin(c);
    c->entry.args = 1;
    c->entry.buffer[0].live = true;
    for (uint32_t pass = 0; pass < PASSES; pass++) {
        for (uint32_t i = 0; i < N; i++) y[i] = 0x40000000 + pass * N + i;
        dev_words_seen(c, y, sizeof *y * N);
        if (pass + 1 < PASSES) dev_words_given(c, y, sizeof *y * N);
    }
    CHECK_INT(dev_client_gave(c, y, sizeof *y * N), N);
    for (uint32_t i = 0; i < N; i++) y[i] -= N; /* the pass before */
    CHECK_INT(dev_client_gave(c, y, sizeof *y * N), 0);
    for (uint32_t i = 0; i < N; i++) y[i] += 2 * N; /* never seen */
    CHECK_INT(dev_client_gave(c, y, sizeof *y * N), 0);
    dev_words_forget(c);
    free(y);
}

/* What the device gave the host, in a call that has a buffer there. */
static void words(dev_client *c) {
    static const uint32_t sum[] = {0x3f800001, 0x40000001, 0x40400001, 0x40800001},
                          in[] = {0x3f000001, 0x3e000001, 0x3d000001, 0x3c000001};
    begin(c);
    dev_words_seen(c, sum, sizeof sum);
    CHECK_INT(dev_client_gave(c, sum, sizeof sum), 0); /* no buffer on the host: not noted */
    begin(c);
    c->entry.args = 1;
    c->entry.buffer[0].live = true;
    CHECK(dev_words_wanted(c));
    dev_words_seen(c, sum, 3 * sizeof *sum);
    dev_words_given(c, in, sizeof in);
    CHECK_INT(dev_client_gave(c, sum, sizeof sum), 3);
    CHECK_INT(dev_client_gave(c, sum, 7), 1); /* whole words */
    CHECK_INT(dev_client_gave(c, in, sizeof in), 0);
    const uint32_t fill[] = {sum[0], sum[0], sum[0], sum[0], sum[0], sum[0], sum[0],
                             sum[0], sum[1], sum[1], sum[1], sum[1], sum[1], sum[1]};
    dev_words_given(c, fill, sizeof fill); /* a sector of sum[0], and not all of one of sum[1] */
    CHECK_INT(dev_client_gave(c, sum, sizeof sum), 2);
    dev_words_seen(c, in, sizeof in); /* to the device and back */
    CHECK_INT(dev_client_gave(c, in, sizeof in), 0);
    /* in[] was given and came back; of three more, one is an input and the 0 is nothing */
    static const uint32_t made[] = {0x41000001, 0x42000001, 0x43000001, 0};
    const dev_bytes known[] = {{sum, sizeof sum}, {&made[1], 4}};
    CHECK_INT(dev_client_computed(c, NULL, 0), 0);
    dev_words_given(c, made, sizeof made);
    CHECK_INT(dev_client_computed(c, NULL, 0), 3);
    CHECK_INT(dev_client_computed(c, known, 2), 2);
    c->log.replaying = true;
    CHECK(!dev_words_wanted(c));
    c->log.replaying = false;
    dev_words_forget(c);
    CHECK_INT(dev_client_gave(c, sum, sizeof sum), 0);
}

int main(void) {
    static dev_client c;
    flows(&c);
    puts_of(&c);
    records(&c);
    shares(&c);
    words(&c);
    many_words(&c);
    begin(&c);
    return check_done();
}
