/* What the program's own code does with memory that both sides see, in a lab's call; and a proof's
 * memory. */
#include "runner/device/server/core/client.h"
#include "runner/device/server/core/log.h"
#include "runner/device/server/core/memory.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

enum { BYTES = 10000, AT = 100 };
static const uint64_t HOST = DEV_HOST_LOW + 4096;
static uint8_t shared[BYTES];
static dev_session *session;

/* A client in a lab's call, with one range of the kind. */
static dev_client *begin(dev_mem_kind kind, bool given) {
    dev_client *c = calloc(1, sizeof *c);
    c->s = session;
    c->budget.limit = dev_hold_limit(session);
    CHECK(dev_rewind_new(c));
    for (unsigned i = 0; i < BYTES; i++) shared[i] = (uint8_t)i;
    CHECK_INT(HW(&session->device[0], map, shared, BYTES, HOST, true, -1, 0, 0), SIM_OK);
    CHECK(dev_mem_add(
        c,
        &(dev_mem){.base = HOST, .bytes = BYTES, .kind = kind, .on_host = true, .given = given}));
    dev_replay_begins(c);
    return c;
}

static void end(dev_client *c) {
    dev_replay_free(c);
    dev_mem_remove(c, HOST);
    HW(&session->device[0], unmap, HOST);
    dev_log_free(c);
    dev_mem_free(c);
    free(c);
}

static bool patched(const dev_client *c, size_t i, uint64_t at, uint64_t n) {
    const dev_patch *p = &c->log.patches[i];
    return i < c->log.patch_count && p->at == HOST + at && p->bytes == n &&
           !memcmp(c->log.tape.s + p->data, shared + at, n);
}

static void patches(void) {
    dev_client *c = begin(DEV_MEM_HOST, true);
    dev_work launch = {.kind = DEV_WORK_LAUNCH, .bytes = sizeof launch};
    const uint8_t *first;
    CHECK(dev_side_kept(c) && !dev_side_first(c->memory.ranges, &first));
    dev_side_before(c, HOST + AT, 1, NULL); /* what it holds by then is where a proof begins */
    shared[AT] = 1;
    CHECK(dev_side_first(c->memory.ranges, &first) && first && first[AT] == AT);
    CHECK_INT(c->log.patch_count, 0);
    dev_replay_keep(c, NULL, &launch, 0);
    dev_replay_keep(c, NULL, &launch, 0);
    memset(shared + 4090, 0xee, 10); /* across two pages; and two bytes in one sector */
    shared[AT + 2] = 2;
    dev_side_before(c, HOST, BYTES, NULL);
    CHECK_INT(c->log.patch_count, 4);
    CHECK(patched(c, 0, AT, 1) && patched(c, 1, AT + 2, 1) && patched(c, 2, 4090, 6) &&
          patched(c, 3, 4096, 4));
    CHECK_INT(c->log.patches[3].work, 1);
    /* What the device wrote is in none, until the host changes it. */
    memset(shared + 640, 0x77, 64);
    dev_side_after(c, HOST, BYTES, false);
    dev_side_before(c, HOST, BYTES, NULL);
    CHECK_INT(c->log.patch_count, 4);
    CHECK_INT(dev_side_hosts(c, HOST + 640, 64), 0);
    CHECK_INT(dev_side_hosts(c, HOST + 608, 96), 32);
    shared[640] = 0;
    dev_side_before(c, HOST + 640, 1, NULL);
    CHECK(patched(c, 4, 640, 1));
    CHECK_INT(dev_side_hosts(c, HOST + 640, 64), 32); /* its sector is the host's now */
    memset(shared + 3200, 5, 320);
    dev_side_before(c, HOST, BYTES, NULL);
    CHECK_INT(dev_side_hosts(c, HOST + 3200, 320), 0); /* one value: no more than a memset */
    memset(shared + 6400, 9, 100);
    dev_side_after(c, HOST + 6399, 98, true); /* a copy: all whole sectors of it */
    CHECK_INT(dev_side_hosts(c, HOST + 6400, 96), 0);
    /* Nothing is kept in a replay, or where nobody asks. */
    c->log.replaying = true;
    CHECK(!dev_side_kept(c));
    c->log.replaying = false, c->log.tape_off = true;
    CHECK(!dev_side_kept(c));
    c->log.tape_off = false;
    /* Too much of it: no proof. */
    c->log.tape.n = dev_part_limit(c);
    shared[0]++;
    dev_side_before(c, HOST, 1, NULL);
    CHECK(c->log.unproven);
    end(c);
}

/* What the program's own code wrote is told word by word, where it is more than a fill. */
static uint64_t told_bytes;
static uint8_t told_first;
static void told(dev_client *c, const void *bytes, uint64_t n) {
    (void)c;
    if (!told_bytes) told_first = *(const uint8_t *)bytes;
    told_bytes += n;
}
static void words(void) {
    dev_client *c = begin(DEV_MEM_HOST, true);
    memset(shared + 64, 7, 32); /* a sector of one value */
    told_bytes = 0;
    dev_side_before(c, HOST, 1, told);
    CHECK_INT(told_bytes, BYTES - 32);
    told_bytes = 0;
    memset(shared + 128, 0x5a, 8); /* the device's */
    dev_side_after(c, HOST, BYTES, false);
    shared[257] ^= 1; /* the host's */
    dev_side_before(c, HOST, BYTES, told);
    CHECK_INT(told_bytes, 4);
    CHECK_INT(told_first, shared[256]);
    end(c);
}

/* Managed memory that the program has not asked for is the device's alone. */
static void kept_back(void) {
    dev_client *c = begin(DEV_MEM_MANAGED, false);
    const uint8_t *first;
    dev_side_before(c, HOST, BYTES, NULL);
    CHECK(dev_side_first(c->memory.ranges, &first) && first); /* there before the call */
    shared[7] = 0xcc;
    dev_side_before(c, HOST, BYTES, NULL);
    CHECK_INT(c->log.patch_count, 0);
    CHECK_INT(dev_side_hosts(c, HOST, BYTES), 0);
    dev_side_given(c, c->memory.ranges);
    CHECK(c->memory.ranges[0].given);
    CHECK_INT(dev_side_hosts(c, HOST, BYTES), 0);
    shared[9] = 0xdd;
    dev_side_before(c, HOST, BYTES, NULL);
    CHECK(c->log.patch_count == 1 && patched(c, 0, 9, 1));
    end(c);
}

/* In a proof the devices see a copy of what was there at first, in which nothing of the program's
 * is; what the call freed is there too. */
static void rewound(void) {
    dev_client *c = begin(DEV_MEM_HOST, true);
    uint64_t mine;
    uint8_t x[4];
    dev_rewind_turn(c, true);
    CHECK_INT(dev_mem_allocate(c, 0, 512, DEV_MEM_DEVICE, 0, &mine), cudaSuccess);
    dev_rewind_turn(c, false);
    dev_replay_begins(c);
    dev_side_before(c, HOST, 4, NULL);
    CHECK_INT(dev_mem_release(c, dev_mem_find(c, mine)), SIM_OK);
    CHECK(!c->log.freed && !dev_mem_find(c, mine));
    uint64_t held = c->budget.held;
    for (unsigned turn = 0; turn < 2; turn++) {
        shared[1] = (uint8_t)(0x40 + turn);
        CHECK(dev_rewind_back(c, true));
        CHECK(dev_mem_find(c, mine) && c->budget.held > held);
        HW(&session->device[0], read, x, HOST, 4);
        CHECK(x[0] == 0 && x[1] == 1 && x[3] == 3);
        HW(&session->device[0], write, HOST, "wxyz", 4);
        dev_rewind_done(c);
        CHECK(shared[1] == 0x40 + turn && !dev_mem_find(c, mine));
        HW(&session->device[0], read, x, HOST, 4);
        CHECK_INT(x[1], 0x40 + turn);
        CHECK_INT(c->budget.held, held);
    }
    /* The lab's own page-locked buffer takes part as it is now, with the inputs of the proof; it is
     * not written to. */
    c->memory.ranges[0].kind = DEV_MEM_GRANTED;
    shared[1] = 0x55;
    CHECK(dev_rewind_back(c, true));
    HW(&session->device[0], read, x, HOST, 4);
    CHECK_INT(x[1], 0x55);
    HW(&session->device[0], write, HOST, "wxyz", 4);
    dev_rewind_done(c);
    CHECK_INT(shared[1], 0x55);
    CHECK(dev_rewind_back(c, false));
    dev_rewind_done(c);
    c->budget.limit = held; /* no room for the copies */
    CHECK(!dev_rewind_back(c, true));
    end(c);
}

int main(void) {
    lib_message msg;
    dev_options o;
    dev_options_default(&o);
    session = dev_session_new(&o, &msg);
    if (!CHECK(session != NULL)) return check_done();
    patches();
    words();
    kept_back();
    rewound();
    dev_session_free(session);
    return check_done();
}
