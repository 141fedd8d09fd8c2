/* Pages of managed memory and the table of ranges, called directly: what each touch, prefetch and
 * piece of advice moves, to the byte, and who holds what then. Expected: the rules of
 * docs/model-tables.md, "Managed memory" (groups of 64 KB, blocks of 32, more than 51 % of a half,
 * a quarter ... bring the rest of it; what came longest ago goes first), by hand. test_managed.c
 * has the same through a program. */
#include "runner/device/server/core/client.h"
#include "tests/check.h"
#include "runner/device/server/core/budget.h"
#include "runner/device/server/core/residency.h"
#include "runner/device/sim/profile.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { GROUP = 64 << 10, BLOCK = 32, LINE = 128, MB = 1 << 20, HOME = -1 };
#define BASE (DEV_HOST_LOW + GROUP)

static dev_session s;
static dev_client c;
static struct sim_profile profile;
static dev_mem *m; /* the managed range that a test is about */

/* ---- a device that is nothing but bytes */

static uint8_t contents[3 * GROUP];
static bool full;
static unsigned released, unmapped;

static sim_status fake_read(void *hw, void *to, sim_addr from, uint64_t n) {
    (void)hw;
    if (from - BASE > sizeof contents || n > sizeof contents - (from - BASE))
        return SIM_ILLEGAL_ADDRESS;
    memcpy(to, contents + (from - BASE), n);
    return SIM_OK;
}
static sim_status fake_alloc(void *hw, uint64_t n, sim_addr *out) {
    static sim_addr next = DEV_ADDRESS_LOW;
    (void)hw;
    *out = next, next += n;
    return full ? SIM_NOMEM : SIM_OK;
}
static sim_status fake_release(void *hw, sim_addr a) {
    (void)hw, (void)a;
    released++;
    return SIM_OK;
}
static sim_status fake_unmap(void *hw, sim_addr a) {
    (void)hw;
    unmapped += a == 0x1000;
    return SIM_OK;
}
static const dev_backend fake = {
    .read = fake_read, .alloc = fake_alloc, .release = fake_release, .unmap = fake_unmap};

/* Two devices of so much memory, and a managed range of so many bytes. */
static void begin_range(uint64_t memory, uint64_t bytes) {
    memset(&s, 0, sizeof s);
    memset(&c, 0, sizeof c);
    profile = *sim_profile_find("h200");
    s.count = 2, s.total = UINT64_MAX, s.opt.device_memory = memory;
    for (unsigned d = 0; d < s.count; d++)
        s.device[d] = (dev_device){.backend = &fake, .profile = &profile};
    c.s = &s, c.budget.limit = 1 << 20;
    m = dev_mem_add(&c, &(dev_mem){.base = BASE,
                                   .bytes = bytes,
                                   .kind = DEV_MEM_MANAGED,
                                   .on_host = true,
                                   .pages = dev_pages_new(bytes)});
}
static void end_range(void) {
    for (size_t k = 0; k < c.memory.count; k++) dev_pages_drop(&c, &c.memory.ranges[k]);
    CHECK_INT(c.memory.managed_count, 0);
    CHECK_INT(c.memory.device[0].managed_bytes, 0);
    CHECK_INT(c.memory.device[1].managed_bytes, 0);
    for (unsigned d = 0; d < s.count; d++) free(c.memory.device[d].came.at);
    free(c.memory.ranges);
}

/* ---- what moved, who holds */

static void moved_is(int line, const char *what, dev_moved got, dev_moved want) {
    char why[300];
    snprintf(why, sizeof why,
             "faults %llu of %llu, host's %llu of %llu, in %llu of %llu, out %llu of %llu, far "
             "read %llu of %llu, far written %llu of %llu",
             (unsigned long long)got.faults, (unsigned long long)want.faults,
             (unsigned long long)got.host_faults, (unsigned long long)want.host_faults,
             (unsigned long long)got.in, (unsigned long long)want.in, (unsigned long long)got.out,
             (unsigned long long)want.out, (unsigned long long)got.far_read,
             (unsigned long long)want.far_read, (unsigned long long)got.far_written,
             (unsigned long long)want.far_written);
    check_that(got.faults == want.faults && got.host_faults == want.host_faults &&
                   got.in == want.in && got.out == want.out && got.far_read == want.far_read &&
                   got.far_written == want.far_written,
               __FILE__, line, what, why);
}
#define MOVED(call, ...) moved_is(__LINE__, #call, call, (dev_moved){__VA_ARGS__})

/* Groups that the host and the devices hold. */
static void hold(int line, uint64_t home, uint64_t on0, uint64_t on1) {
    const uint64_t want[3] = {home, on0, on1};
    char why[100];
    for (int place = HOME; place < 2; place++) {
        uint64_t got = dev_pages_held(m, place);
        bool ok = got == want[place + 1] * GROUP;
        if (place >= 0) ok &= c.memory.device[place].managed_bytes == got;
        snprintf(why, sizeof why, "%llu KB at %d, not %llu", (unsigned long long)got >> 10, place,
                 (unsigned long long)want[place + 1] * 64);
        check_that(ok, __FILE__, line, "held", why);
    }
}
#define HOLD(home, on0, on1) hold(__LINE__, home, on0, on1)

/* The first line of each of the groups, all four sectors. */
static dev_moved touch(unsigned device, unsigned first, unsigned last, bool write) {
    dev_touching t;
    dev_pages_begin(&c, device, &t);
    for (unsigned g = first; g <= last; g++)
        dev_pages_touch(&t, BASE + (uint64_t)g * GROUP, 0xf, write);
    return t.moved;
}
#define READ(device, first, last)  touch(device, first, last, false)
#define WRITE(device, first, last) touch(device, first, last, true)
static dev_moved host(unsigned first, unsigned last) {
    dev_moved to = {0};
    dev_pages_host(&c, m, first, last, &to);
    return to;
}
static dev_moved prefetch(int place, unsigned first, unsigned last) {
    dev_moved to = {0};
    dev_pages_prefetch(&c, m, BASE + (uint64_t)first * GROUP, (uint64_t)(last - first + 1) * GROUP,
                       place, place < 0 ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice, &to);
    return to;
}
static dev_moved make_room(unsigned device, uint64_t groups) {
    dev_moved to = {0};
    dev_pages_make_room(&c, device, groups * GROUP, &to);
    return to;
}
static void advise(unsigned first, unsigned last, int advice, int place) {
    dev_pages_advise(m, BASE + (uint64_t)first * GROUP, (uint64_t)(last - first + 1) * GROUP,
                     advice, place,
                     place < 0 ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice);
}

/* ---- faults */

/* Nobody has a page before it is touched, so nothing moves then; a device's walk through a block
 * faults at 0, 1, 2, 4, 8, 16. */
static void test_walk(void) {
    static const struct {
        unsigned group, faults, held; /* then */
    } rows[] = {{0, 1, 1},  {1, 1, 2},   {2, 1, 4},   {3, 0, 4},   {4, 1, 8},  {7, 0, 8},
                {8, 1, 16}, {16, 1, 32}, {31, 0, 32}, {32, 1, 33}, {33, 1, 34}};
    begin_range(0, 2 * BLOCK * GROUP);
    HOLD(0, 0, 0);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        MOVED(READ(0, rows[k].group, rows[k].group), .faults = rows[k].faults);
        HOLD(0, rows[k].held, 0);
    }
    /* the host takes a block back by the same rule; of what nobody has it makes one page at a
     * time */
    MOVED(host(0, BLOCK - 1), .host_faults = 6, .out = BLOCK * GROUP);
    HOLD(BLOCK, 2, 0);
    MOVED(host(BLOCK + 4, BLOCK + 4), .out = 0);
    HOLD(BLOCK + 1, 2, 0);
    /* pages that nobody has do not come along: two are the device's, one the host's, the fourth is
     * new */
    MOVED(host(BLOCK, BLOCK + 2), .host_faults = 2, .out = 2 * GROUP);
    HOLD(BLOCK + 4, 0, 0);
    MOVED(host(2 * BLOCK - 1, 2 * BLOCK + 5), 0); /* behind the end there is nothing */
    HOLD(BLOCK + 5, 0, 0);
    /* and to a device that fills more than half of a block all of it comes, what was home moves */
    MOVED(READ(1, 0, BLOCK - 1), .faults = 6, .in = BLOCK * GROUP);
    HOLD(5, 0, BLOCK);
    MOVED(READ(0, 0, 0), .faults = 1, .in = GROUP); /* from the other device */
    HOLD(5, 1, BLOCK - 1);
    end_range();
}

/* A block that ends early: 25 groups, of which 12 are 48 % and 13 are 52 %; the last has 100
 * bytes. */
static void test_halves(void) {
    const uint64_t bytes = 24 * GROUP + 100;
    for (unsigned there = 11; there < 13; there++) {
        begin_range(0, bytes);
        host(0, 24);
        CHECK_INT(dev_pages_held(m, HOME), bytes);
        MOVED(prefetch(0, 0, there - 1), .in = there * GROUP);
        if (there == 11) MOVED(READ(0, 20, 20), .faults = 1, .in = GROUP);
        else MOVED(READ(0, 20, 20), .faults = 1, .in = 12 * GROUP + 100);
        CHECK_INT(dev_pages_held(m, 0), there == 11 ? 12 * GROUP : bytes);
        CHECK_INT(c.memory.device[0].managed_bytes, dev_pages_held(m, 0));
        end_range();
    }
    /* two of three: a pair, then the half-full four that ends behind them */
    begin_range(0, 2 * GROUP + 1);
    host(0, 2);
    MOVED(READ(0, 0, 0), .faults = 1, .in = GROUP);
    MOVED(READ(0, 1, 1), .faults = 1, .in = GROUP + 1);
    MOVED(READ(0, 2, 2), 0);
    CHECK_INT(dev_pages_held(m, 0), 2 * GROUP + 1);
    end_range();
}

/* Which range a line is of: one that begins in it, and none where there is none. */
static void test_lines(void) {
    dev_touching t;
    begin_range(0, 2 * GROUP);
    const uint64_t late = BASE + 4 * GROUP + 96, plain = BASE + 6 * GROUP;
    CHECK(dev_mem_add(&c, &(dev_mem){.base = late,
                                     .bytes = 32,
                                     .kind = DEV_MEM_VARIABLE,
                                     .on_host = true,
                                     .pages = dev_pages_new(32)}));
    CHECK(dev_mem_add(&c, &(dev_mem){.base = plain, .bytes = GROUP, .kind = DEV_MEM_HOST}));
    m = dev_mem_find(&c, BASE);
    CHECK_INT(c.memory.managed_count, 2);
    CHECK(dev_pages_any(&c));
    dev_pages_begin(&c, 1, &t);
    const uint64_t nowhere[] = {BASE - LINE, BASE + 2 * GROUP, late - 96 - LINE, late + 32, plain};
    for (size_t k = 0; k < sizeof nowhere / sizeof *nowhere; k++)
        dev_pages_touch(&t, nowhere[k], 0xf, true);
    MOVED(t.moved, 0);
    dev_pages_touch(&t, BASE + 2 * GROUP - LINE, 1, false);
    MOVED(t.moved, .faults = 1);
    HOLD(0, 0, 1);
    c.memory.device[1].managed_bytes = 0; /* HOLD is of one range */
    dev_pages_touch(&t, late - 96, 8, true);
    MOVED(t.moved, .faults = 2);
    CHECK_INT(c.memory.device[1].managed_bytes, 32);
    CHECK_INT(dev_pages_held(dev_mem_find(&c, late), 1), 32);
    c.memory.device[1].managed_bytes += GROUP;
    end_range();
    CHECK(!dev_pages_any(&c));
}

/* ---- advice */

/* What stays where it is wanted is read across the link, 32 bytes a sector. */
static void test_preferred(void) {
    dev_touching t;
    begin_range(0, 8 * GROUP);
    advise(0, 7, cudaMemAdviseSetPreferredLocation, HOME);
    MOVED(WRITE(0, 0, 1), .faults = 2, .far_written = 2 * LINE); /* begins where it is wanted */
    HOLD(2, 0, 0);
    MOVED(WRITE(0, 0, 1), .far_written = 2 * LINE); /* mapped */
    MOVED(READ(1, 0, 1), .faults = 2, .far_read = 2 * LINE);
    dev_pages_begin(&c, 0, &t);
    for (unsigned sectors = 1; sectors < 16; sectors++) dev_pages_touch(&t, BASE, sectors, false);
    MOVED(t.moved, .far_read = 32 * 32); /* 4 x 8 set bits of 1 to 15 */
    MOVED(host(2, 2), 0);
    MOVED(READ(0, 2, 2), .faults = 1, .far_read = LINE); /* there before a device asked */
    HOLD(3, 0, 0);
    /* no longer wanted: what is mapped stays mapped until it moves */
    advise(0, 0, cudaMemAdviseUnsetPreferredLocation, HOME);
    MOVED(READ(0, 0, 0), .far_read = LINE);
    MOVED(prefetch(0, 0, 0), .in = GROUP);
    MOVED(prefetch(HOME, 0, 0), .out = GROUP);
    MOVED(READ(0, 0, 0), .faults = 1, .in = GROUP);
    HOLD(2, 1, 0);
    /* the other device's: what it prefers it gets, and holds for the first */
    advise(0, 7, cudaMemAdviseSetPreferredLocation, 1);
    MOVED(READ(0, 4, 4), .faults = 1, .far_read = LINE);
    HOLD(2, 1, 1);
    MOVED(READ(0, 4, 4), .far_read = LINE);
    MOVED(READ(1, 4, 4), 0);
    MOVED(host(3, 3), 0);
    MOVED(READ(1, 3, 3), .faults = 1, .in = GROUP); /* to where it is wanted */
    MOVED(READ(0, 2, 2), .far_read = LINE);         /* mapped since it was home's */
    HOLD(2, 1, 2);
    advise(7, 7, cudaMemAdviseSetPreferredLocation, 0);
    MOVED(READ(1, 7, 7), .faults = 1, .far_read = LINE);
    HOLD(2, 2, 2);
    /* the host can map no device's memory */
    MOVED(host(4, 4), .host_faults = 1, .out = GROUP);
    HOLD(3, 2, 1);
    end_range();
}

/* Accessed by: reached without a fault from the beginning, and never moved by it. */
static void test_accessed(void) {
    int list[DEV_MAX + 1];
    begin_range(0, 4 * GROUP);
    host(0, 3);
    advise(0, 2, cudaMemAdviseSetAccessedBy, 0);
    MOVED(READ(0, 0, 2), .far_read = 3 * LINE);
    MOVED(READ(0, 3, 3), .faults = 1, .in = GROUP);
    MOVED(READ(1, 0, 0), .faults = 1, .in = GROUP);
    HOLD(2, 1, 1);
    MOVED(WRITE(0, 0, 0), .far_written = LINE); /* of the other device */
    advise(1, 1, cudaMemAdviseSetAccessedBy, 1);
    advise(1, 2, cudaMemAdviseSetAccessedBy, HOME);
    const struct {
        unsigned first, last, count;
        int list[3];
    } rows[] = {{0, 0, 1, {0}},     {1, 1, 3, {-1, 0, 1}}, {2, 2, 2, {-1, 0}},
                {1, 2, 2, {-1, 0}}, {0, 2, 1, {0}},        {2, 3, 0, {0}}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        uint64_t n = (rows[k].last - rows[k].first) * (uint64_t)GROUP + 1;
        CHECK_INT(dev_pages_accessed_by(m, BASE + rows[k].first * (uint64_t)GROUP, n, list),
                  rows[k].count);
        CHECK(!memcmp(list, rows[k].list, rows[k].count * sizeof *list));
    }
    advise(1, 1, cudaMemAdviseUnsetAccessedBy, 0);
    CHECK_INT(dev_pages_accessed_by(m, BASE + GROUP, GROUP, list), 2);
    CHECK(list[0] == -1 && list[1] == 1);
    MOVED(READ(0, 1, 2), .faults = 1, .in = GROUP,
          .far_read = LINE); /* what stays does not come along */
    end_range();
}

/* What a fault brings along is what lies elsewhere and may move: not what the device reaches where
 * it is, and not what it has, whose copies elsewhere stay. */
static void test_along(void) {
    begin_range(0, 8 * GROUP);
    host(0, 7);
    prefetch(0, 0, 1);
    advise(3, 3, cudaMemAdviseSetAccessedBy, 0);
    MOVED(READ(0, 2, 2), .faults = 1, .in = GROUP); /* three of four */
    HOLD(5, 3, 0);
    MOVED(READ(0, 3, 3), .far_read = LINE);
    advise(4, 5, cudaMemAdviseSetReadMostly, 0);
    prefetch(0, 4, 5);
    advise(4, 5, cudaMemAdviseUnsetReadMostly, 0);
    HOLD(5, 5, 0);
    MOVED(WRITE(0, 6, 6), .faults = 1, .in = 2 * GROUP); /* and the seventh */
    HOLD(3, 7, 0);
    end_range();
}

/* Read mostly: readers get copies, a write leaves the writer's alone; the host's writes are seen by
 * what the bytes are. */
static void test_copies(void) {
    const uint64_t bytes = 2 * GROUP + 100;
    memset(contents, 7, sizeof contents);
    begin_range(0, bytes);
    host(0, 2);
    advise(0, 2, cudaMemAdviseSetReadMostly, 0);
    MOVED(prefetch(0, 0, 2), .in = bytes);
    CHECK_INT(dev_pages_held(m, HOME), bytes);
    CHECK_INT(c.memory.device[0].managed_bytes, bytes);
    MOVED(prefetch(0, 0, 2), 0);
    MOVED(READ(1, 0, 0), .faults = 1, .in = GROUP);
    CHECK_INT(c.memory.device[1].managed_bytes, GROUP);
    MOVED(host(0, 2), 0); /* nothing changed */
    static const unsigned at[] = {GROUP, GROUP + 4096, 2 * GROUP - 1, 2 * GROUP, 2 * GROUP + 99};
    for (size_t k = 0; k < sizeof at / sizeof *at; k++) {
        uint64_t group = at[k] < 2 * GROUP ? GROUP : 100;
        contents[at[k]] ^= 0x80;
        MOVED(host(0, 2), 0); /* the device's copy goes */
        CHECK_INT(c.memory.device[0].managed_bytes, bytes - group);
        CHECK_INT(dev_pages_held(m, HOME), bytes);
        MOVED(prefetch(0, 0, 2), .in = group);
        MOVED(host(0, 2), 0);
        CHECK_INT(c.memory.device[0].managed_bytes, bytes);
    }
    /* a device's write is a fault of protection: the copies of the others go, nothing moves */
    MOVED(WRITE(1, 0, 0), .faults = 1);
    CHECK_INT(c.memory.device[0].managed_bytes, bytes - GROUP);
    CHECK_INT(c.memory.device[1].managed_bytes, GROUP);
    CHECK_INT(dev_pages_held(m, HOME), bytes - GROUP);
    MOVED(WRITE(1, 0, 0), 0);
    MOVED(host(0, 0), .host_faults = 1, .out = GROUP); /* a copy again */
    CHECK_INT(c.memory.device[1].managed_bytes, GROUP);
    /* a write by who has none: it comes, and is the only one */
    MOVED(WRITE(0, 0, 0), .faults = 1, .in = GROUP);
    CHECK_INT(c.memory.device[0].managed_bytes, bytes);
    CHECK_INT(c.memory.device[1].managed_bytes, 0);
    CHECK_INT(dev_pages_held(m, HOME), bytes - GROUP);
    /* no longer: whoever prefetches has it alone */
    advise(1, 1, cudaMemAdviseUnsetReadMostly, 0);
    MOVED(prefetch(0, 1, 2), 0);
    CHECK_INT(dev_pages_held(m, HOME), 100);
    end_range();
}

/* Answers are of all of a range, or that they differ. */
static void test_questions(void) {
    enum { HOST_TYPE = cudaMemLocationTypeHost, DEVICE = cudaMemLocationTypeDevice };
    begin_range(0, 4 * GROUP);
    advise(0, 1, cudaMemAdviseSetReadMostly, 0);
    advise(0, 0, cudaMemAdviseSetPreferredLocation, HOME);
    advise(1, 2, cudaMemAdviseSetPreferredLocation, 1);
    prefetch(0, 0, 1);
    prefetch(HOME, 2, 2);
    static const struct {
        int attribute, each[4], first2, all; /* of each group, of groups 0 and 1, of all four */
    } rows[] = {
        {cudaMemRangeAttributeReadMostly, {1, 1, 0, 0}, 1, 0},
        {cudaMemRangeAttributePreferredLocation, {-1, 1, 1, -2}, -2, -2},
        {cudaMemRangeAttributePreferredLocationId, {-1, 1, 1, -2}, -2, -2},
        {cudaMemRangeAttributePreferredLocationType, {HOST_TYPE, DEVICE, DEVICE, 0}, 0, 0},
        {cudaMemRangeAttributeLastPrefetchLocation, {0, 0, -1, -2}, 0, -2},
        {cudaMemRangeAttributeLastPrefetchLocationId, {0, 0, -1, -2}, 0, -2},
        {cudaMemRangeAttributeLastPrefetchLocationType, {DEVICE, DEVICE, HOST_TYPE, 0}, DEVICE, 0},
        {99, {-2, -2, -2, -2}, -2, -2}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        for (unsigned g = 0; g < 4; g++) {
            CHECK_INT(dev_pages_ask(m, BASE + g * (uint64_t)GROUP, GROUP, rows[k].attribute),
                      rows[k].each[g]);
            CHECK_INT(
                dev_pages_ask(m, BASE + g * (uint64_t)GROUP + GROUP - 1, 1, rows[k].attribute),
                rows[k].each[g]);
        }
        CHECK_INT(dev_pages_ask(m, BASE, 2 * GROUP, rows[k].attribute), rows[k].first2);
        CHECK_INT(dev_pages_ask(m, BASE + GROUP - 1, 2, rows[k].attribute), rows[k].first2);
        CHECK_INT(dev_pages_ask(m, BASE, 4 * GROUP, rows[k].attribute), rows[k].all);
    }
    advise(0, 3, cudaMemAdviseUnsetPreferredLocation, 0);
    CHECK_INT(dev_pages_ask(m, BASE, 4 * GROUP, cudaMemRangeAttributePreferredLocation), -2);
    CHECK_INT(dev_pages_ask(m, BASE, 4 * GROUP, cudaMemRangeAttributePreferredLocationType), 0);
    end_range();
}

/* What comes along with a fault of the host's is what a device has; what nobody has yet is made
 * when it is touched. */
static void test_host_region(void) {
    begin_range(0, 4 * GROUP);
    host(0, 1);
    MOVED(READ(0, 2, 2), .faults = 1);
    HOLD(2, 1, 0);
    MOVED(host(2, 2), .host_faults = 1, .out = GROUP); /* with it three of four are at home */
    HOLD(3, 0, 0);
    MOVED(host(3, 3), 0);
    HOLD(4, 0, 0);
    end_range();
}

/* ---- a device that is full */

static void test_eviction(void) {
    begin_range(2 * BLOCK * GROUP, 3 * BLOCK * GROUP); /* room for two of three blocks */
    host(0, 3 * BLOCK - 1);
    MOVED(prefetch(0, 0, 2 * BLOCK - 1), .in = 2 * BLOCK * GROUP);
    HOLD(BLOCK, 2 * BLOCK, 0);
    /* one group more: the block that came first goes, all of it */
    MOVED(READ(0, 2 * BLOCK, 2 * BLOCK), .faults = 1, .in = GROUP, .out = BLOCK * GROUP);
    HOLD(2 * BLOCK - 1, BLOCK + 1, 0);
    MOVED(READ(0, 0, 0), .faults = 1, .in = GROUP);
    MOVED(prefetch(0, 2 * BLOCK + 1, 3 * BLOCK - 2), .in = 30 * GROUP); /* 64 are there: full */
    HOLD(BLOCK, 2 * BLOCK, 0);
    MOVED(prefetch(0, 3 * BLOCK - 1, 3 * BLOCK - 1), .in = GROUP, .out = BLOCK * GROUP);
    HOLD(2 * BLOCK - 1, BLOCK + 1, 0); /* the second block; the first had been touched since */
    MOVED(READ(0, 0, 0), 0);
    /* what the host has a copy of is given up without moving */
    advise(0, 0, cudaMemAdviseSetReadMostly, 0);
    MOVED(host(0, 0), .host_faults = 1, .out = GROUP);
    HOLD(2 * BLOCK, BLOCK + 1, 0);
    MOVED(make_room(0, BLOCK), .out = 0);
    HOLD(2 * BLOCK, BLOCK, 0);
    /* room that is there is not made */
    MOVED(make_room(0, BLOCK), 0);
    MOVED(make_room(0, BLOCK + 1), .out = BLOCK * GROUP);
    HOLD(3 * BLOCK, 0, 0);
    MOVED(make_room(0, 3 * BLOCK), 0); /* more than there can be */
    advise(0, 0, cudaMemAdviseUnsetReadMostly, 0);
    /* device memory counts, of this device alone, and what is freed no longer does */
    CHECK(dev_mem_add(&c, &(dev_mem){.base = DEV_ADDRESS_LOW, .bytes = 63 * GROUP, .device = 1}));
    CHECK(dev_mem_add(&c, &(dev_mem){.base = DEV_ADDRESS_LOW + 64 * GROUP, .bytes = 32 * GROUP}));
    m = dev_mem_find(&c, BASE);
    MOVED(prefetch(0, 0, BLOCK - 1), .in = BLOCK * GROUP);
    MOVED(prefetch(0, BLOCK, BLOCK), .in = GROUP, .out = BLOCK * GROUP);
    dev_mem_remove(&c, DEV_ADDRESS_LOW + 64 * GROUP);
    CHECK_INT(c.memory.device[0].bytes, 0);
    CHECK_INT(c.memory.device[1].bytes, 63 * GROUP);
    MOVED(prefetch(0, 0, BLOCK - 1), .in = BLOCK * GROUP);
    HOLD(2 * BLOCK - 1, BLOCK + 1, 0);
    MOVED(prefetch(1, 2 * BLOCK, 2 * BLOCK), .in = GROUP);
    MOVED(prefetch(1, 2 * BLOCK + 1, 2 * BLOCK + 1), 0); /* its own block is not made room of */
    HOLD(2 * BLOCK - 2, BLOCK + 1, 1);
    MOVED(prefetch(1, BLOCK + 1, BLOCK + 1), .in = GROUP, .out = GROUP); /* another is */
    HOLD(2 * BLOCK - 2, BLOCK + 1, 1);
    end_range();
}

/* No room but what the block itself has: it is used where it lies. */
static void test_no_room(void) {
    begin_range(16 * GROUP, 2 * BLOCK * GROUP);
    host(0, BLOCK - 1);
    MOVED(prefetch(0, 0, BLOCK - 1), .in = 16 * GROUP);
    HOLD(16, 16, 0);
    MOVED(READ(0, 20, 20), .faults = 1, .far_read = LINE);
    MOVED(WRITE(0, 20, 20), .far_written = LINE);
    HOLD(16, 16, 0);
    MOVED(READ(0, BLOCK, BLOCK), .faults = 1, .out = 16 * GROUP); /* a new one of another block */
    HOLD(BLOCK, 1, 0);
    MOVED(make_room(0, 16), .out = GROUP);
    CHECK(dev_mem_add(&c, &(dev_mem){.base = DEV_ADDRESS_LOW, .bytes = 16 * GROUP}));
    m = dev_mem_find(&c, BASE);
    MOVED(READ(0, BLOCK + 1, BLOCK + 1), .faults = 1,
          .far_read = LINE); /* a new one begins at home */
    HOLD(BLOCK + 2, 0, 0);
    end_range();
    /* not even for one byte */
    begin_range(GROUP, 1);
    CHECK(dev_mem_add(&c, &(dev_mem){.base = DEV_ADDRESS_LOW, .bytes = GROUP}));
    m = dev_mem_find(&c, BASE);
    host(0, 0);
    MOVED(READ(0, 0, 0), .faults = 1, .far_read = LINE);
    CHECK_INT(c.memory.device[0].managed_bytes, 0);
    MOVED(READ(1, 0, 0), .faults = 1, .in = 1);
    end_range();
    /* without a limit of the session the profile's memory is all that there is */
    begin_range(0, 4 * GROUP);
    profile.memory_bytes = 2 * GROUP;
    MOVED(prefetch(0, 0, 3), 0);
    HOLD(0, 2, 0);
    end_range();
}

/* More blocks than the list of who came when first has places for; each note but a block's last
 * lapses. */
static void test_order(void) {
    enum { BLOCKS = 40 };
    begin_range(2 * BLOCKS * GROUP, (uint64_t)BLOCKS * BLOCK * GROUP);
    for (unsigned b = 0; b < BLOCKS; b++) prefetch(0, b * BLOCK, b * BLOCK);
    for (unsigned b = BLOCKS; b-- > 0;) prefetch(0, b * BLOCK + 1, b * BLOCK + 1);
    HOLD(0, 2 * BLOCKS, 0);
    for (unsigned k = 0; k < BLOCKS; k++) { /* the last block came first */
        unsigned b = BLOCKS - 1 - k;
        MOVED(make_room(0, 2 * k + 1), .out = 2 * GROUP);
        HOLD(2 * (k + 1), 2 * (BLOCKS - 1 - k), 0);
        CHECK_INT(c.memory.device[0].came.count - c.memory.device[0].came.first >= BLOCKS - 1 - k,
                  1);
        MOVED(READ(1, b * BLOCK, b * BLOCK), .faults = 1, .in = GROUP); /* it was home */
        MOVED(host(b * BLOCK, b * BLOCK), .host_faults = 1, .out = GROUP);
    }
    end_range();
}

/* Sweeps ask for each line of a range, whole; an interrupt ends them, and prefetches. */
static void test_sweep(void) {
    static const struct {
        unsigned at, n, lines;
    } rows[] = {{0, 1, 1}, {0, 128, 1}, {0, 129, 2}, {0, 1000, 8}, {GROUP - LINE, 2 * LINE, 2}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        dev_moved to;
        begin_range(0, 4 * GROUP);
        host(0, 3);
        advise(0, 3, cudaMemAdviseSetAccessedBy, 0);
        dev_pages_sweep(&c, 0, BASE + rows[k].at, rows[k].n, true, &to);
        MOVED(to, .far_written = rows[k].lines * LINE);
        dev_pages_sweep(&c, 0, BASE + rows[k].at + 1, rows[k].n, false, &to);
        MOVED(to, .far_read = rows[k].lines * LINE);
        c.limits.stop = 1;
        dev_pages_sweep(&c, 0, BASE, GROUP, true, &to);
        MOVED(to, 0);
        MOVED(prefetch(0, 0, 3), 0);
        end_range();
    }
}

/* 40 us a fault of a kernel and 49 of the host; 0.91 of the pinned 55.2 GB/s there, at most 18.4
 * back; kernels have 0.76 of the link, each way by itself. */
static void test_times(void) {
    struct sim_profile p = *sim_profile_find("h200");
    p.h2d_pinned_gbs = p.d2h_pinned_gbs = 55.2;
    CHECK_NEAR(dev_moved_us(&p, &(dev_moved){.faults = 3}), 120, 1e-9);
    CHECK_NEAR(dev_moved_us(&p, &(dev_moved){.host_faults = 2}), 98, 1e-9);
    CHECK_NEAR(dev_moved_us(&p, &(dev_moved){.in = 50232000}), 1000, 1e-6);
    CHECK_NEAR(dev_moved_us(&p, &(dev_moved){.out = 18400000}), 1000, 1e-6);
    CHECK_NEAR(dev_moved_us(&p, &(dev_moved){.far_read = 1000, .far_written = 9}), 0, 0);
    CHECK_NEAR(dev_moved_us(&p, &(dev_moved){1, 1, 50232000, 36800000, 5, 5}), 3089, 1e-6);
    p.d2h_pinned_gbs = 10; /* a slow link: 9.1 back */
    CHECK_NEAR(dev_moved_us(&p, &(dev_moved){.out = 9100000}), 1000, 1e-6);
    CHECK_NEAR(dev_moved_far_us(&p, &(dev_moved){.far_read = 41952000}), 1000, 1e-6);
    CHECK_NEAR(dev_moved_far_us(&p, &(dev_moved){.far_written = 7600000}), 1000, 1e-6);
    CHECK_NEAR(dev_moved_far_us(&p, &(dev_moved){9, 9, 9, 9, 41952000, 3800000}), 1000, 1e-6);
}

/* ---- the table of ranges */

static void test_table(void) {
    static const struct {
        unsigned base, bytes;
    } ranges[] = {{0x300, 0x10}, {0x100, 0x20}, {0x200, 1}}; /* added in any order */
    begin_range(0, GROUP);
    dev_mem_remove(&c, BASE);
    CHECK_INT(c.memory.count, 0);
    CHECK(!dev_mem_from(&c, 0) && !dev_mem_find(&c, BASE));
    for (unsigned k = 0; k < 3; k++) {
        dev_mem *a = dev_mem_add(&c, &(dev_mem){.base = ranges[k].base, .bytes = ranges[k].bytes});
        CHECK_INT(a ? a->base : 0, ranges[k].base);
    }
    static const struct {
        unsigned at, above, find, from;
    } rows[] = {{0, 0, 0, 0x100},         {0xff, 0, 0, 0x100},      {0x100, 1, 0x100, 0x100},
                {0x11f, 1, 0x100, 0x100}, {0x120, 1, 0, 0x100},     {0x1ff, 1, 0, 0x100},
                {0x200, 2, 0x200, 0x200}, {0x201, 2, 0, 0x200},     {0x2ff, 2, 0, 0x200},
                {0x300, 3, 0x300, 0x300}, {0x30f, 3, 0x300, 0x300}, {0x310, 3, 0, 0x300}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const dev_mem *found = dev_mem_find(&c, rows[k].at), *from = dev_mem_from(&c, rows[k].at);
        CHECK_INT(dev_mem_above(&c, rows[k].at), rows[k].above);
        CHECK_INT(found ? found->base : 0, rows[k].find);
        CHECK_INT(from ? from->base : 0, rows[k].from);
    }
    CHECK(dev_mem_range(&c, 0x100, 0x20) && !dev_mem_range(&c, 0x100, 0x21));
    CHECK(dev_mem_range(&c, 0x11f, 1) && !dev_mem_range(&c, 0x11f, 2));
    CHECK(dev_mem_range(&c, 0x100, 0) && !dev_mem_range(&c, 0x120, 0));
    CHECK(!dev_mem_range(&c, 0x110, UINT64_MAX));
    /* only a base names a range */
    CHECK_INT(c.memory.device[0].bytes, 0x31);
    dev_mem_remove(&c, 0x110);
    dev_mem_remove(&c, 0xff);
    CHECK_INT(c.memory.count, 3);
    dev_mem_remove(&c, 0x100);
    CHECK_INT(c.memory.count, 2);
    CHECK_INT(c.memory.device[0].bytes, 0x11);
    CHECK(c.memory.ranges[0].base == 0x200 && c.memory.ranges[1].base == 0x300);
    end_range();
}

/* What counts against a device's memory: what lies there. */
static void test_weights(void) {
    static const struct {
        dev_mem_kind kind;
        bool on_host, counts;
    } rows[] = {{DEV_MEM_DEVICE, false, true},     {DEV_MEM_POOL, false, true},
                {DEV_MEM_GRAPH, false, true},      {DEV_MEM_ARRAY, false, true},
                {DEV_MEM_SYMBOL, false, false},    {DEV_MEM_HOST, true, false},
                {DEV_MEM_REGISTERED, true, false}, {DEV_MEM_MANAGED, true, false},
                {DEV_MEM_VARIABLE, true, false},   {DEV_MEM_GRANTED, false, true},
                {DEV_MEM_GRANTED, true, false}};
    begin_range(0, GROUP);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        dev_mem a = {.base = 64, .bytes = 7, .kind = rows[k].kind, .device = 1};
        a.on_host = rows[k].on_host;
        CHECK(dev_mem_add(&c, &a));
        CHECK_INT(c.memory.device[1].bytes, rows[k].counts ? 7 : 0);
        CHECK_INT(c.memory.managed_count, 1);
        dev_mem_remove(&c, 64);
        CHECK_INT(c.memory.device[1].bytes, 0);
    }
    CHECK_INT(c.memory.device[0].bytes, 0);
    end_range();
}

/* cudaMalloc: the device's memory is all there is, managed pages make way, and whoever is refused
 * holds nothing. */
static void test_allocate(void) {
    uint64_t a = 0, b = 0;
    const cudaError_t none = cudaErrorMemoryAllocation;
    begin_range(4 * MB, 2 * MB);
    host(0, BLOCK - 1);
    prefetch(1, 0, BLOCK - 1);
    CHECK_INT(dev_mem_allocate(&c, 1, 0, DEV_MEM_DEVICE, 0, &a), cudaErrorInvalidValue);
    CHECK_INT(dev_mem_allocate(&c, 1, 4 * MB + 1, DEV_MEM_DEVICE, 0, &a), none);
    CHECK_INT(dev_mem_allocate(&c, 1, ((uint64_t)1 << 46) + 1, DEV_MEM_DEVICE, 0, &a), none);
    HOLD(0, 0, BLOCK);
    CHECK_INT(dev_mem_allocate(&c, 1, 2 * MB, DEV_MEM_DEVICE, 0, &a), cudaSuccess);
    m = dev_mem_find(&c, BASE);
    HOLD(0, 0, BLOCK);
    CHECK_INT(c.budget.held, 1024); /* what is noted of it */
    full = true;
    CHECK_INT(dev_mem_allocate(&c, 1, MB, DEV_MEM_DEVICE, 0, &b), none);
    full = false;
    CHECK_INT(c.budget.held, 1024);
    HOLD(BLOCK, 0, 0);
    CHECK_INT(dev_mem_allocate(&c, 1, 2 * MB + 1, DEV_MEM_DEVICE, 0, &b), none);
    CHECK_INT(dev_mem_allocate(&c, 1, 2 * MB, DEV_MEM_ARRAY, 5, &b), cudaSuccess);
    const dev_mem *got = dev_mem_find(&c, b);
    CHECK(got && got->base == b && got->bytes == 2 * MB && got->kind == DEV_MEM_ARRAY &&
          got->device == 1 && got->pool == 5);
    CHECK_INT(dev_mem_allocate(&c, 1, 1, DEV_MEM_DEVICE, 0, &b), none);
    CHECK_INT(c.memory.device[1].bytes, 4 * MB);
    CHECK_INT(c.budget.held, 2048);
    released = 0;
    CHECK_INT(dev_mem_release(&c, dev_mem_find(&c, a)), SIM_OK);
    CHECK_INT(released, 1);
    CHECK(!dev_mem_find(&c, a) && c.log.freed);
    CHECK_INT(c.budget.held, 1024);
    CHECK_INT(c.memory.device[1].bytes, 2 * MB);
    c.budget.limit = 2047; /* a byte short of what is noted of another */
    CHECK_INT(dev_mem_allocate(&c, 1, 1, DEV_MEM_DEVICE, 0, &a), none);
    CHECK_INT(c.budget.held, 1024);
    CHECK_INT(c.memory.device[1].bytes, 2 * MB);
    c.budget.limit = 2048;
    CHECK_INT(dev_mem_allocate(&c, 1, 1, DEV_MEM_DEVICE, 0, &a), cudaSuccess);
    end_range();
    begin_range(0, GROUP); /* no limit but a GPU's own */
    CHECK_INT(dev_mem_allocate(&c, 0, (uint64_t)1 << 46, DEV_MEM_DEVICE, 0, &a), cudaSuccess);
    end_range();
}

/* A client that goes gives all back: allocations, mappings in each device that had them,
 * descriptors and the server's own mappings. */
static void test_free(void) {
    begin_range(0, GROUP);
    void *host_at[2];
    int fd[2];
    for (unsigned k = 0; k < 2; k++) { /* mapped, and not yet */
        fd[k] = dev_shared("test", GROUP, &host_at[k]);
        CHECK(fd[k] >= 0);
        CHECK_INT(fcntl(fd[k], F_GET_SEALS), F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
        CHECK_INT(lseek(fd[k], 0, SEEK_END), GROUP);
        memset(host_at[k], 1, GROUP);
        CHECK(dev_mem_add(&c, &(dev_mem){.base = 0x1000 + k * GROUP,
                                         .bytes = GROUP,
                                         .kind = DEV_MEM_HOST,
                                         .fd = fd[k],
                                         .host = host_at[k],
                                         .map_bytes = GROUP,
                                         .mapped = k == 0}));
    }
    CHECK(dev_mem_add(&c, &(dev_mem){.base = DEV_ADDRESS_LOW, .bytes = 8, .kind = DEV_MEM_ARRAY}));
    CHECK(dev_mem_add(
        &c, &(dev_mem){.base = DEV_ADDRESS_LOW + 64, .bytes = 8, .kind = DEV_MEM_SYMBOL}));
    CHECK(dev_mem_add(&c, &(dev_mem){.base = DEV_ADDRESS_LOW + 128,
                                     .bytes = 8,
                                     .kind = DEV_MEM_VARIABLE,
                                     .pages = dev_pages_new(8)}));
    dev_mem_find(&c, BASE)->kind = DEV_MEM_VARIABLE; /* nothing but pages */
    released = unmapped = 0;
    dev_mem_free(&c);
    CHECK_INT(released, 1); /* the array */
    CHECK_INT(unmapped, 2); /* of two devices */
    CHECK_INT(c.memory.managed_count, 0);
    for (unsigned k = 0; k < 2; k++) {
        CHECK(fcntl(fd[k], F_GETFD) < 0);
        CHECK(msync(host_at[k], GROUP, MS_ASYNC) < 0 && errno == ENOMEM);
    }
}

int main(void) {
    test_walk();
    test_halves();
    test_lines();
    test_preferred();
    test_accessed();
    test_along();
    test_copies();
    test_questions();
    test_host_region();
    test_eviction();
    test_no_room();
    test_order();
    test_sweep();
    test_times();
    test_table();
    test_weights();
    test_allocate();
    test_free();
    return check_done();
}
