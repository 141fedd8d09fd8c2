/* Device memory: addresses, host access, written-byte marks, freeing, mapped ranges; what the
 * host's memory use comes to. */
#include "runner/base/message.h"
#include "check.h"
#include "tests/said.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "runner/device/sim/memory/memory.h"
#include "runner/device/sim/memory/shadow.h"

static uint64_t resident(void) {
    unsigned long size = 0, rss = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%lu %lu", &size, &rss) != 2) rss = 0;
    if (f) fclose(f);
    return (uint64_t)rss * 4096;
}

static sim_memory *fresh(uint64_t limit) {
    lib_message msg;
    return sim_memory_new(limit, 3, true, &msg);
}

static void addresses(void) {
    sim_memory *m = fresh(1 << 20);
    sim_addr a, b, c;
    CHECK_INT(sim_memory_alloc(m, 100, SIM_ALLOC_USER, "a", &a), SIM_OK);
    CHECK_INT(sim_memory_alloc(m, 1, SIM_ALLOC_USER, NULL, &b), SIM_OK);
    CHECK_INT(sim_memory_alloc(m, 0, SIM_ALLOC_USER, NULL, &c), SIM_BAD_ARGUMENT);
    CHECK_INT(a % 256, 0);
    CHECK_INT(b % 256, 0);
    CHECK(a >= SIM_DEV_BASE(3) && a < SIM_DEV_BASE(4));
    CHECK(b >= a + 100 + 256); /* a gap between them */
    CHECK(sim_memory_find(m, a + 99) && sim_memory_find(m, a + 99)->base == a);
    CHECK(!sim_memory_find(m, a + 100));
    CHECK(!sim_memory_find(m, a - 1));
    CHECK(sim_memory_nearest(m, a + 120)->base == a);
    CHECK(sim_memory_nearest(m, b - 1)->base == b);
    CHECK(!sim_memory_nearest(m, 2 * b + 16) && !sim_memory_nearest(m, 3 * a + 1)); /* far away */
    CHECK(!sim_memory_nearest(m, b + (64u << 20)));
    CHECK(!sim_memory_find(m, 0) && !sim_memory_nearest(m, 0));
    CHECK(!sim_memory_find(m, UINT64_MAX) && !sim_memory_nearest(m, UINT64_MAX));
    uint64_t left, total;
    sim_memory_usage(m, &left, &total);
    CHECK_INT(total, 1 << 20);
    CHECK_INT(left, (1 << 20) - 512);
    CHECK_INT(sim_memory_alloc(m, 1 << 20, SIM_ALLOC_USER, NULL, &c), SIM_NOMEM);
    CHECK_INT(sim_memory_alloc(m, UINT64_MAX, SIM_ALLOC_USER, NULL, &c), SIM_NOMEM);
    CHECK_INT(sim_memory_alloc(m, UINT64_MAX - 100, SIM_ALLOC_USER, NULL, &c), SIM_NOMEM);
    CHECK_INT(sim_memory_release(m, a + 4), SIM_BAD_ADDRESS);
    CHECK_INT(sim_memory_release(m, a), SIM_OK);
    CHECK_INT(sim_memory_release(m, a), SIM_BAD_ADDRESS);
    CHECK_INT(sim_memory_release(m, 0), SIM_OK);
    CHECK(sim_memory_find(m, a)->freed); /* remembered */
    CHECK(!sim_memory_host(m, a, 1));
    CHECK_STR(sim_memory_find(m, a)->name, "a");
    sim_memory_name(m, b, "bee");
    CHECK_STR(sim_memory_find(m, b)->name, "bee");
    sim_memory_usage(m, &left, &total);
    CHECK_INT(left, (1 << 20) - 256);
    CHECK_INT(sim_memory_alloc(m, 100, SIM_ALLOC_USER, NULL, &c), SIM_OK);
    CHECK(c > b); /* not a's old place */
    CHECK_INT(sim_memory_alloc(m, 4096, SIM_ALLOC_CONST, "table", &c), SIM_OK);
    CHECK(c - SIM_CONST_WINDOW(3) < SIM_WINDOW_BYTES);
    sim_memory_free(m);
}

static void host_access(void) {
    sim_memory *m = fresh(1 << 24);
    sim_addr a, b;
    uint8_t in[1000], out[1000] = {0};
    for (unsigned i = 0; i < 1000; i++) in[i] = (uint8_t)(i * 7);
    sim_memory_alloc(m, 1000, SIM_ALLOC_USER, NULL, &a);
    sim_memory_alloc(m, 5000, SIM_ALLOC_USER, NULL, &b);
    CHECK_INT(sim_memory_write(m, a, in, 1000), SIM_OK);
    CHECK_INT(sim_memory_write(m, a + 1, in, 1000), SIM_BAD_ADDRESS);
    CHECK_INT(sim_memory_write(m, a, in, UINT64_MAX), SIM_BAD_ADDRESS);
    CHECK_INT(sim_memory_copy(m, b + 2000, a + 10, 900), SIM_OK);
    CHECK_INT(sim_memory_read(m, out, b + 2000, 900), SIM_OK);
    CHECK(!memcmp(out, in + 10, 900));
    CHECK_INT(sim_memory_read(m, out, b + 4500, 501), SIM_BAD_ADDRESS);
    CHECK_INT(sim_memory_copy(m, b + 2100, b + 2000, 900), SIM_OK); /* overlapping */
    sim_memory_read(m, out, b + 2100, 900);
    CHECK(!memcmp(out, in + 10, 900));
    CHECK_INT(sim_memory_fill(m, b, 0x01020304, 4, 1250), SIM_OK);
    sim_memory_read(m, out, b + 4996, 4);
    CHECK_INT(out[0], 4);
    CHECK_INT(out[3], 1);
    CHECK_INT(sim_memory_fill(m, b, 0xabcd, 2, 2500), SIM_OK);
    CHECK_INT(sim_memory_fill(m, b, 0xabcd, 2, 2501), SIM_BAD_ADDRESS);
    CHECK_INT(sim_memory_fill(m, b, 0, 3, 1), SIM_BAD_ARGUMENT);
    CHECK_INT(sim_memory_fill(m, b, 0, 4, UINT64_MAX / 2), SIM_BAD_ARGUMENT);
    float f;
    double d;
    sim_memory_poison(m, b, 5000);
    sim_memory_read(m, &f, b + 400, 4);
    sim_memory_read(m, &d, b + 400, 8);
    CHECK(f != f && d != d); /* what nobody wrote is no number */
    sim_memory_free(m);
}

/* Long fills are made by doubling a first piece: every byte, and none around. What nobody wrote
 * reads the same wherever it begins: words of the pattern, as an aligned reader sees them. */
static void patterns(void) {
    enum { BYTES = 20000, AT = 100 };
    static const unsigned widths[] = {1, 2, 4};
    static const unsigned lengths[] = {4, 8, 4092, 4096, 4100, 8188, 8192, 8196, 12288, 19896};
    static uint8_t got[BYTES];
    sim_memory *m = fresh(1 << 24);
    sim_addr a;
    sim_memory_alloc(m, BYTES, SIM_ALLOC_USER, NULL, &a);
    for (unsigned k = 0; k < 4 * (sizeof lengths / sizeof *lengths); k++) {
        unsigned n = lengths[k / 4], width = k % 4 < 3 ? widths[k % 4] : 0, at = AT, wrong = 0;
        uint32_t value = 0xA1B2C3D4;
        sim_memory_fill(m, a, 0x77, 1, BYTES);
        if (width) CHECK_INT(sim_memory_fill(m, a + at, value, width, n / width), SIM_OK);
        else {
            at += n / 4 % 4, n -= n / 4 % 4 + (n > 8 ? n / 16 % 4 : 0);
            CHECK_INT(sim_memory_poison(m, a + at, n), SIM_OK);
            const sim_alloc *x = sim_memory_find(m, a);
            for (unsigned i = 0; i < BYTES; i++)
                wrong += sim_bits_get(x->init, i, 1) != !(i >= at && i < at + n);
            sim_memory_read(m, &value, a + (at + 3) / 4 * 4, 4); /* the first whole word of it */
            float f;
            memcpy(&f, &value, 4);
            CHECK(n < 7 || f != f);
            if (n < 7) continue;
        }
        sim_memory_read(m, got, a, BYTES);
        for (unsigned i = 0; i < BYTES; i++) {
            unsigned of = width ? (i - at) % width : i % 4;
            wrong += got[i] != (i >= at && i < at + n ? (uint8_t)(value >> 8 * of) : 0x77);
        }
        CHECK_INT(wrong, 0);
    }
    sim_memory_free(m);
}

/* A snapshot: what a launch did to memory is undone, contents and marks and allocations. */
static void kept(void) {
    sim_memory *m = fresh(1 << 20);
    static uint8_t host[300], data[5000], got[5000];
    sim_addr part, whole, heap, gone, more, map = 0x7f0000001000;
    uint64_t left, now, serial = 0;
    for (unsigned i = 0; i < sizeof data; i++) data[i] = (uint8_t)(i * 13 + 1);
    sim_memory_set_heap_limit(m, 4000);
    sim_memory_alloc(m, 1000, SIM_ALLOC_USER, NULL, &part);
    sim_memory_alloc(m, 5000, SIM_ALLOC_USER, NULL, &whole);
    sim_memory_alloc(m, 700, SIM_ALLOC_USER, NULL, &gone);
    sim_memory_device_alloc(m, 2000, &heap);
    sim_memory_map(m, host, sizeof host, map, false);
    sim_memory_write(m, part + 10, data, 500);
    sim_memory_write(m, whole, data, 5000);
    sim_memory_write(m, map, data, 300);
    sim_memory_write(m, heap, data, 2000);
    sim_memory_release(m, gone);
    sim_memory_usage(m, &left, NULL);
    enum { LIVE = 1000 + 5000 + 2000 + 300 };
    CHECK(!sim_memory_keep(m, LIVE - 1));
    sim_snapshot *s = sim_memory_keep(m, LIVE);
    if (!CHECK(s != NULL)) return;
    for (unsigned turn = 0; turn < 2; turn++) { /* as often as wanted */
        sim_memory_write(m, part, data + 7, 1000);
        sim_memory_poison(m, whole + 64, 100);
        sim_memory_write(m, map + 1, data + 9, 200);
        CHECK_INT(sim_memory_device_free(m, heap), SIM_OK);
        for (unsigned k = 0; k < 2; k++) CHECK_INT(sim_memory_device_alloc(m, 1500, &more), SIM_OK);
        CHECK_INT(sim_memory_device_alloc(m, 1001, &more), SIM_NOMEM);
        CHECK_INT(sim_memory_device_alloc(m, 1000, &more), SIM_OK);
        uint64_t before = *sim_memory_generation(m);
        sim_memory_restore(m, s);
        CHECK(*sim_memory_generation(m) > before);
        const sim_alloc *x = sim_memory_find(m, part);
        unsigned wrong = 0;
        for (unsigned i = 0; i < 1000; i++)
            wrong += !x->init || sim_bits_get(x->init, i, 1) != (i >= 10 && i < 510);
        sim_memory_read(m, got, part + 10, 500);
        wrong += memcmp(got, data, 500) != 0;
        CHECK_INT(wrong, 0);
        CHECK(!sim_memory_find(m, whole)->init && !sim_memory_find(m, map)->init);
        sim_memory_read(m, got, whole, 5000);
        CHECK(!memcmp(got, data, 5000) && !memcmp(host, data, 300));
        x = sim_memory_find(m, heap);
        CHECK(x && !x->freed && x->size == 2000 && !sim_memory_find(m, more));
        sim_memory_read(m, got, heap, 2000);
        CHECK(!memcmp(got, data, 2000));
        CHECK(sim_memory_find(m, gone)->freed);
        if (turn) CHECK_INT(sim_memory_find(m, gone)->serial, serial);
        serial = sim_memory_find(m, gone)->serial;
        sim_memory_usage(m, &now, NULL);
        CHECK_INT(now, left);
    }
    sim_addr first;
    CHECK_INT(sim_memory_device_alloc(m, 2001, &first), SIM_NOMEM); /* of 4000, 2000 are in use */
    CHECK_INT(sim_memory_heap_used(m), 2000);
    CHECK_INT(sim_memory_device_alloc(m, 2000, &first), SIM_OK);
    CHECK_INT(sim_memory_heap_used(m), 4000);
    CHECK(first > heap && first <= more); /* where what was undone had been */
    sim_memory_forget(m, s);
    sim_memory_forget(m, NULL);
    sim_memory_free(m);
}

/* What one owner had at a mark comes back as often as is wanted, whoever wrote it: the host, a
 * store of a launch, a fill, device malloc(); another's memory stays as it is. */
static void past(void) {
    sim_memory *m = fresh(1 << 24);
    enum { MOST = 100000, LARGE = 300000 };
    static uint8_t got[LARGE], ones[LARGE], zeros[LARGE];
    uint8_t data[5000], host[64];
    sim_addr others, mine, filled, gone, heap, made, variable, later, large, heap_at = 0;
    uint64_t left, now;
    for (unsigned i = 0; i < sizeof data; i++) data[i] = (uint8_t)(i * 7 + 3);
    memset(ones, 0x11, sizeof ones);
    sim_memory_set_heap_limit(m, 4000);
    sim_past *p = sim_past_new(m);
    sim_memory_alloc(m, 100, SIM_ALLOC_USER, NULL, &others);
    sim_past_use(m, p);
    sim_memory_alloc(m, 1000, SIM_ALLOC_USER, NULL, &mine);
    sim_memory_alloc(m, 5000, SIM_ALLOC_USER, NULL, &filled);
    sim_memory_alloc(m, 700, SIM_ALLOC_USER, NULL, &gone);
    sim_memory_alloc(m, 300, SIM_ALLOC_MODULE, "v", &variable);
    sim_memory_write(m, variable, data, 300);
    sim_past_adopt(m, variable);
    CHECK_INT(sim_memory_device_alloc(m, 2000, &heap), SIM_OK);
    sim_memory_write(m, mine + 10, data, 500);
    sim_memory_write(m, filled, data, 5000);
    sim_memory_write(m, gone, data, 700);
    sim_memory_write(m, heap, data, 2000);
    sim_past_mark(p, MOST);
    sim_memory_usage(m, &left, NULL);
    for (unsigned turn = 0; turn < 3; turn++) {
        sim_memory_write(m, others, data + turn, 100);
        uint8_t *to = sim_memory_used(m, mine, 1000, true); /* as a launch does */
        memset(to, 0x22, 1000);
        sim_memory_fill(m, filled + 8, 0x33, 1, 100);
        sim_memory_write(m, variable, ones, 300);
        if (!turn) {
            CHECK_INT(sim_memory_release(m, gone), SIM_OK);
            CHECK_INT(sim_memory_alloc(m, 600, SIM_ALLOC_USER, NULL, &made), SIM_OK);
            CHECK_INT(sim_memory_alloc(m, LARGE, SIM_ALLOC_USER, NULL, &large), SIM_OK);
            sim_memory_alloc(m, 400, SIM_ALLOC_MODULE, "w",
                             &later); /* of a module that comes now */
            sim_memory_write(m, later, data, 400);
            sim_past_adopt(m, later);
        }
        sim_memory_write(m, made, ones, 600);
        sim_memory_write(m, large, ones, LARGE);
        sim_memory_write(m, later, ones, 400);
        if (!turn) CHECK_INT(sim_memory_device_free(m, heap), SIM_OK);
        sim_addr more;
        CHECK_INT(sim_memory_device_alloc(m, 4000, &more), SIM_OK);
        if (!turn) CHECK_INT(sim_memory_release(m, made), SIM_OK);
        CHECK(sim_past_rewind(p));

        const sim_alloc *x = sim_memory_find(m, mine);
        unsigned wrong = 0;
        for (unsigned i = 0; i < 1000; i++)
            wrong += !x->init || sim_bits_get(x->init, i, 1) != (i >= 10 && i < 510);
        sim_memory_read(m, got, mine, 1000);
        CHECK(!memcmp(got + 10, data, 500) && !memcmp(got, zeros, 10) && !wrong);
        CHECK(!sim_memory_read(m, got, filled, 5000) && !memcmp(got, data, 5000));
        CHECK(!sim_memory_read(m, got, variable, 300) && !memcmp(got, data, 300));
        CHECK(!sim_memory_read(m, got, later, 400) && !memcmp(got, data, 400));
        CHECK(!sim_memory_read(m, got, gone, 700) && !memcmp(got, data, 700));
        CHECK(!sim_memory_read(m, got, heap, 2000) && !memcmp(got, data, 2000));
        CHECK(!sim_memory_read(m, got, others, 100) && !memcmp(got, data + turn, 100));
        CHECK(!sim_memory_read(m, got, made, 600) && !memcmp(got, zeros, 600));
        CHECK(!sim_memory_read(m, got, large, LARGE) && !memcmp(got, zeros, LARGE));
        x = sim_memory_find(m, large);
        CHECK(x->init && !sim_bits_get(x->init, 0, 64) && !sim_bits_get(x->init, LARGE - 64, 64));
        if (!turn) heap_at = more; /* device code gets the same addresses again */
        CHECK(!sim_memory_find(m, more) && more == heap_at);
        sim_past_end(p); /* and what the call freed is gone again */
        CHECK(sim_memory_find(m, gone)->freed && sim_memory_find(m, made)->freed);
        CHECK(!sim_memory_find(m, large)->freed);
        sim_memory_usage(m, &now, NULL);
        CHECK_INT(left - now, (LARGE + 255) / 256 * 256 + 512 - 768);
    }
    /* More than may be kept: it says so, until the next mark. */
    sim_past_mark(p, 999);
    sim_memory_write(m, mine, ones, 1);
    CHECK(!sim_past_rewind(p));
    sim_past_mark(p, 1000);
    sim_memory_write(m, mine, zeros, 1);
    CHECK(sim_past_rewind(p) && !sim_memory_read(m, got, mine, 1) && *got == 0x11);
    sim_past_end(p);
    /* A launch's first use of the host's memory is told, whatever it does; where its bytes lie may
     * change. */
    sim_memory_map(m, host, sizeof host, 0x7f0000001000, false);
    sim_memory_wrote_begin(m);
    CHECK(!sim_memory_launch_stored(m, 0x7f0000001000) &&
          !sim_memory_launch_loaded(m, 0x7f0000001000));
    CHECK(sim_memory_used(m, 0x7f0000001010, 4, false) == host + 16);
    CHECK(!sim_memory_launch_stored(m, 0x7f0000001000) &&
          sim_memory_launch_loaded(m, 0x7f0000001000));
    sim_memory_used(m, 0x7f0000001010, 4, true);
    CHECK(sim_memory_launch_stored(m, 0x7f0000001000));
    CHECK(!sim_memory_launch_stored(m, mine) && !sim_memory_rehost(m, mine, host));
    CHECK(sim_memory_rehost(m, 0x7f0000001000, data) == host);
    CHECK(sim_memory_used(m, 0x7f0000001010, 4, false) == data + 16);
    sim_past_free(p);
    CHECK(!sim_memory_find(m, mine)->of);
    sim_memory_free(m);
}

/* Which allocation is the nearest to an address: the one that ends or begins at less distance,
 * within 16 MB. */
static void nearest(void) {
    sim_memory *m = fresh(1 << 28);
    static uint8_t host[64];
    enum { FAR = 16 << 20 };
    sim_addr a, b, c, low = 0x7f0000000000, high = low + 64 + 1000;
    sim_memory_alloc(m, 1000, SIM_ALLOC_USER, "a", &a);
    sim_memory_alloc(m, 8000, SIM_ALLOC_USER, "gap", &b);
    sim_memory_alloc(m, 1000, SIM_ALLOC_USER, "c", &c);
    sim_memory_release(m, b);
    sim_memory_map(m, host, 64, low, false);
    sim_memory_map(m, host, 64, high, false);
    const struct {
        sim_addr at, base;  /* 0: none */
    } rows[] = {{a - 1, 0}, /* another device's */
                {a, a},
                {a + 999, a},
                {a + 1000, a},
                {(a + 1000 + c) / 2 - 1, a},
                {(a + 1000 + c) / 2, a}, /* as far from both: the one below */
                {(a + 1000 + c) / 2 + 1, c},
                {c - 1, c},
                {c + 1000 + FAR, c},
                {c + 1000 + FAR + 1, 0},
                {low - FAR, low},
                {low - FAR - 1, 0},
                {low + 64 + 500, low},
                {low + 64 + 501, high},
                {high + 64 + FAR, high},
                {high + 64 + FAR + 1, 0}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const sim_alloc *x = sim_memory_nearest(m, rows[k].at);
        CHECK_INT(x ? x->base : 0, rows[k].base);
    }
    sim_memory_free(m);
}

/* The marks after random host operations, against a byte each. */
static void marks(void) {
    enum { N = 3 };
    static const unsigned size[N] = {1000, 4096, 333};
    sim_memory *m = fresh(1 << 24);
    sim_addr at[N];
    static uint8_t model[N][4096], data[4096];
    for (unsigned i = 0; i < N; i++) sim_memory_alloc(m, size[i], SIM_ALLOC_USER, NULL, &at[i]);
    uint64_t rnd = 1, wrong = 0;
    for (unsigned r = 0; r < 20000; r++) {
        rnd = rnd * 6364136223846793005u + 1442695040888963407u;
        unsigned i = (unsigned)(rnd >> 33) % N, j = (unsigned)(rnd >> 40) % N,
                 n = 1 + (unsigned)(rnd >> 20) % (r % 3 ? 200 : 1200);
        if (n > size[i]) n = size[i];
        if (n > size[j]) n = size[j];
        unsigned to = (unsigned)(rnd >> 10) % (size[i] - n + 1),
                 from = (unsigned)(rnd >> 50) % (size[j] - n + 1);
        switch (rnd >> 61) {
        case 0:
        case 1:
            sim_memory_write(m, at[i] + to, data, n);
            memset(model[i] + to, 1, n);
            break;
        case 2:
        case 3:
        case 4:
            sim_memory_poison(m, at[i] + to, n);
            memset(model[i] + to, 0, n);
            break;
        default:
            sim_memory_copy(m, at[i] + to, at[j] + from, n);
            memmove(model[i] + to, model[j] + from, n);
        }
        if (r % 100 == 0) sim_memory_settle(m);
        const sim_alloc *x = sim_memory_find(m, at[i]);
        for (unsigned k = 0; k < size[i]; k++)
            wrong += (x->init ? sim_bits_get(x->init, k, 1) : 1) != model[i][k];
    }
    CHECK_INT(wrong, 0);
    sim_memory_write(m, at[0], data, 1000);
    CHECK(!sim_memory_find(m, at[0])->init); /* all written: no bitmap */
    sim_memory_free(m);
}

static void mapped(void) {
    sim_memory *m = fresh(1 << 20);
    static uint8_t host[8192];
    sim_addr at = 0x7f0000001000;
    CHECK_INT(sim_memory_map(m, host, sizeof host, at, false), SIM_OK);
    CHECK_INT(sim_memory_map(m, host, 100, at + 8000, false), SIM_BAD_ARGUMENT); /* overlaps */
    CHECK_INT(sim_memory_map(m, host, 100, SIM_DEV_BASE(2), false), SIM_BAD_ARGUMENT);
    CHECK_INT(sim_memory_map(m, host, 100, SIM_SHARED_WINDOW - 50, false), SIM_BAD_ARGUMENT);
    CHECK_INT(sim_memory_map(m, host, 100, UINT64_MAX - 50, false), SIM_BAD_ARGUMENT);
    CHECK_INT(sim_memory_write(m, at + 8190, "xy", 2), SIM_OK);
    CHECK_INT(host[8191], 'y');
    CHECK_INT(sim_memory_write(m, at + 8191, "xy", 2), SIM_BAD_ADDRESS);
    CHECK(sim_memory_host(m, at, 8192) == host);
    CHECK_INT(sim_memory_release(m, at), SIM_BAD_ADDRESS);
    CHECK_INT(sim_memory_unmap(m, at + 1), SIM_BAD_ADDRESS);
    CHECK_INT(sim_memory_unmap(m, at), SIM_OK);
    CHECK(!sim_memory_find(m, at));
    CHECK_INT(sim_memory_map(m, host, 100, at + 8000, false), SIM_OK);
    sim_memory_free(m);
}

/* Where the host's memory may be made visible: below 2^47, beside the device's windows and whatever
 * is there. */
static void places(void) {
    static uint8_t host[4096];
    const sim_addr top = 1ull << 47, low = 0x7f0000001000;
    const struct {
        sim_addr at;
        uint64_t n;
        sim_status want;
    } rows[] = {{low, 100, SIM_OK},
                {low + 99, 1, SIM_BAD_ARGUMENT},
                {low - 1, 2, SIM_BAD_ARGUMENT},
                {low - 1, 200, SIM_BAD_ARGUMENT},
                {low + 100, 10, SIM_OK},
                {low - 10, 10, SIM_OK},
                {low - 11, 2, SIM_BAD_ARGUMENT},
                {low + 109, 2, SIM_BAD_ARGUMENT},
                {top, 1, SIM_BAD_ARGUMENT},
                {top - 1, 2, SIM_BAD_ARGUMENT},
                {top - 1, 1, SIM_OK},
                {top - 100, 0, SIM_BAD_ARGUMENT},
                {0, 1, SIM_BAD_ARGUMENT},
                {1, 1, SIM_OK},
                {SIM_SHARED_WINDOW - 9, 10, SIM_BAD_ARGUMENT},
                {SIM_SHARED_WINDOW - 10, 10, SIM_OK},
                {SIM_SHARED_WINDOW, 1, SIM_BAD_ARGUMENT},
                {SIM_DEV_BASE(16) - 1, 1, SIM_BAD_ARGUMENT},
                {SIM_DEV_BASE(16) - 1, 10, SIM_BAD_ARGUMENT},
                {SIM_DEV_BASE(16), 10, SIM_OK}};
    static const sim_addr order[] = {
        1, SIM_SHARED_WINDOW - 10, SIM_DEV_BASE(16), low - 10, low, low + 100, top - 1};
    sim_memory *m = fresh(1 << 20);
    CHECK(!sim_memory_has_mapped(m) && !sim_memory_mapped(m, 0));
    CHECK_INT(sim_memory_map(m, NULL, 10, low, false), SIM_BAD_ARGUMENT);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        CHECK_INT(sim_memory_map(m, host, rows[k].n, rows[k].at, k % 2), rows[k].want);
    for (size_t k = 0; k < 7; k++) CHECK_INT(sim_memory_mapped(m, k)->base, order[k]);
    CHECK(sim_memory_has_mapped(m) && !sim_memory_mapped(m, 7));
    CHECK_INT(sim_memory_find(m, low)->kind, SIM_ALLOC_MAPPED);      /* row 0 */
    CHECK_INT(sim_memory_find(m, low - 10)->kind, SIM_ALLOC_REMOTE); /* row 5 */
    /* what a launch stored into: each once, whole */
    sim_alloc *of[3];
    for (unsigned k = 0; k < 3; k++)
        of[k] = (sim_alloc *)(uintptr_t)sim_memory_mapped(m, 3 + k); /* 10, 100, 10 bytes */
    sim_addr own;
    sim_memory_alloc(m, 1000, SIM_ALLOC_USER, NULL, &own);
    for (unsigned launch = 0; launch < 2; launch++) {
        sim_memory_wrote_begin(m);
        CHECK_INT(sim_memory_wrote_bytes(m), 0);
        sim_memory_wrote(m, (sim_alloc *)(uintptr_t)sim_memory_find(m, own));
        CHECK_INT(sim_memory_wrote_bytes(m), 0);
        for (unsigned k = 0; k < 6; k++) {
            sim_memory_wrote(m, of[k % 3]);
            CHECK_INT(sim_memory_wrote_bytes(m), k == 0 ? 10 : k == 1 ? 110 : 120);
        }
    }
    /* away again, whichever: the others stay */
    for (unsigned k = 0; k < 7; k++) {
        unsigned at = (k * 3 + 1) % 7, found = 0;
        uint64_t before = *sim_memory_generation(m);
        CHECK_INT(sim_memory_unmap(m, order[at]), SIM_OK);
        CHECK(*sim_memory_generation(m) != before);
        CHECK_INT(sim_memory_unmap(m, order[at]), SIM_BAD_ADDRESS);
        for (unsigned i = 0; i < 7; i++) found += sim_memory_find(m, order[i]) != NULL;
        CHECK_INT(found, 6 - k);
    }
    CHECK(!sim_memory_has_mapped(m));
    sim_memory_free(m);
}

/* Allocating costs what is used; freeing gives it back. */
static void cost(void) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return; /* the tools keep shadows of their own */
#endif
    uint64_t before = resident();
    sim_memory *m = fresh(4ull << 30);
    sim_addr a[64], big;
    sim_memory_alloc(m, 1ull << 30, SIM_ALLOC_USER, NULL, &big);
    CHECK(resident() - before < 20u << 20); /* nothing was touched yet */
    sim_memory_fill(m, big, 1, 4, 50u << 18);
    CHECK(resident() - before < (50u << 20) * 12 / 10 + (20u << 20));
    sim_memory_release(m, big);
    CHECK(resident() - before < 10u << 20);
    for (unsigned r = 0; r < 15; r++) { /* churn: 15 times 64 MB */
        for (unsigned i = 0; i < 64; i++) {
            sim_memory_alloc(m, 1u << 20, SIM_ALLOC_USER, NULL, &a[i]);
            sim_memory_fill(m, a[i], r, 4, 1u << 18);
        }
        for (unsigned i = 0; i < 64; i++) sim_memory_release(m, a[(i * 7) % 64]);
    }
    CHECK(resident() - before < 20u << 20);
    for (unsigned r = 0; r < 300000; r++) { /* small ones */
        sim_addr x;
        sim_memory_alloc(m, 300, SIM_ALLOC_USER, NULL, &x);
        sim_memory_write(m, x, "abc", 3);
        sim_memory_release(m, x);
    }
    CHECK(resident() - before < 40u << 20);
    sim_memory_free(m);
    m = fresh(4ull << 30); /* a live neighbour keeps its page */
    sim_addr x, y, z;
    sim_memory_alloc(m, 300, SIM_ALLOC_USER, NULL, &x);
    sim_memory_alloc(m, 20000, SIM_ALLOC_USER, NULL, &y);
    sim_memory_alloc(m, 300, SIM_ALLOC_USER, NULL, &z);
    sim_memory_fill(m, x, 17, 1, 300);
    sim_memory_fill(m, z, 18, 1, 300);
    sim_memory_release(m, y);
    uint8_t got[2];
    sim_memory_read(m, got, x + 299, 1);
    sim_memory_read(m, got + 1, z, 1);
    CHECK_INT(got[0], 17);
    CHECK_INT(got[1], 18);
    sim_memory_free(m);
}

/* When the address range is used up, gaps between live allocations are used again. The range is a
 * terabyte, so this reserves a lot and touches little. */
static void wrap(void) {
    sim_memory *m = fresh(1ull << 42);
    sim_addr keep, x, last = 0;
    sim_memory_alloc(m, 1 << 20, SIM_ALLOC_USER, "keep", &keep);
    sim_memory_write(m, keep, "k", 1);
    unsigned wraps = 0, failed = 0;
    for (unsigned i = 0; i < 40; i++) {
        /* without marks: a bit per byte of 100 GB would be calloc'ed, and given back, each time */
        failed += sim_memory_alloc(m, 100ull << 30, SIM_ALLOC_MODULE, NULL, &x) != SIM_OK;
        if (x < last) wraps++;
        last = x;
        sim_memory_write(m, x + (99ull << 30), "x", 1);
        sim_memory_release(m, x);
    }
    CHECK_INT(failed, 0);
    CHECK(wraps > 0);
    char k;
    CHECK_INT(sim_memory_read(m, &k, keep, 1), SIM_OK);
    CHECK_INT(k, 'k');
    sim_memory_free(m);
}

/* What was freed is remembered until another allocation lies where it was, and no longer. */
static void wrap_remembers(void) {
    enum { N = 10 }; /* of half a terabyte, with gaps of 64 KB */
    const uint64_t size = 50ull << 30, step = size + (64u << 10);
    sim_memory *m = fresh(1ull << 42);
    sim_addr at[N], x, y;
    char name[8];
    for (unsigned i = 0; i < N; i++) {
        snprintf(name, sizeof name, "r%u", i);
        CHECK_INT(sim_memory_alloc(m, size, SIM_ALLOC_MODULE, name, &at[i]), SIM_OK);
        CHECK_INT(at[i], at[0] + i * step);
        CHECK_INT(sim_memory_release(m, at[i]), SIM_OK);
    }
    CHECK_INT(sim_memory_alloc(m, size, SIM_ALLOC_MODULE, "x", &x), SIM_OK);
    CHECK(x == at[0] && !sim_memory_find(m, x)->freed);
    for (unsigned i = 1; i < N; i++) {
        const sim_alloc *r = sim_memory_find(m, at[i] + size - 1);
        snprintf(name, sizeof name, "r%u", i);
        CHECK(r && r->freed && r->base == at[i] && !strcmp(r->name, name));
    }
    CHECK_INT(sim_memory_alloc(m, 2 * size, SIM_ALLOC_MODULE, "y", &y), SIM_OK);
    /* behind x: over all of r1 and into r2, which ends in the gap behind it */
    CHECK_INT(y, at[1]);
    CHECK(!sim_memory_find(m, at[2] + size - 1));
    CHECK_STR(sim_memory_find(m, at[2])->name, "y");
    CHECK_STR(sim_memory_find(m, at[3])->name, "r3");
    CHECK_STR(sim_memory_find(m, at[0])->name, "x");
    CHECK_INT(sim_memory_release(m, x), SIM_OK);
    /* where x was there is room for x again and for nothing larger */
    sim_addr z;
    CHECK_INT(sim_memory_alloc(m, size + 1, SIM_ALLOC_MODULE, "z", &z), SIM_OK);
    CHECK_INT(z, y + 2 * size + (64u << 10));
    CHECK_INT(sim_memory_alloc(m, size, SIM_ALLOC_MODULE, "x", &x), SIM_OK);
    CHECK_INT(x, at[0]);
    CHECK_INT(sim_memory_alloc(m, size * 6, SIM_ALLOC_MODULE, "none", &x), SIM_NOMEM);
    CHECK(!x && sim_memory_find(m, at[9])->freed);
    sim_memory_free(m);
}

/* Bases are multiples of 512, so that an array's slices of L2 do not depend on what was allocated
 * before it, here 256 bytes of a module. Behind each allocation lie unused addresses: 256 bytes, a
 * page from a page on, 64 KB from 64 KB on. What is in use are whole pieces of 256. */
static void distances(void) {
    static const struct {
        uint64_t n, next;
    } rows[] = {{1, 256 + 256},     {256, 256 + 256},      {257, 512 + 256},
                {4095, 4096 + 256}, {4096, 4096 + 4096},   {65535, 65536 + 4096},
                {65536, 2 * 65536}, {65537, 65792 + 65536}};
    sim_memory *m = fresh(1 << 20);
    sim_addr a, first = 0;
    uint64_t at = 0, used = 256, left;
    CHECK_INT(sim_memory_alloc(m, used, SIM_ALLOC_MODULE, "x", &a), SIM_OK);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        at = (at + 511) / 512 * 512;
        CHECK_INT(sim_memory_alloc(m, rows[k].n, SIM_ALLOC_USER, NULL, &a), SIM_OK);
        if (!k) first = a;
        CHECK_INT(a - first, at);
        CHECK_INT(a % 512, 0);
        at += rows[k].next, used += (rows[k].n + 255) / 256 * 256;
        sim_memory_usage(m, &left, NULL);
        CHECK_INT(left, (1 << 20) - used);
        CHECK_INT(sim_memory_extent(m), first - SIM_DEV_BASE(3) + at);
    }
    /* the rest to the last byte, and none more; by pieces of 256 */
    CHECK_INT(sim_memory_alloc(m, (1 << 20) - used + 1, SIM_ALLOC_USER, NULL, &a), SIM_NOMEM);
    CHECK_INT(a, 0);
    CHECK_INT(sim_memory_alloc(m, (1 << 20) - used, SIM_ALLOC_USER, NULL, &a), SIM_OK);
    sim_memory_usage(m, &left, NULL);
    CHECK_INT(left, 0);
    CHECK_INT(sim_memory_alloc(m, 1, SIM_ALLOC_USER, NULL, &first), SIM_NOMEM);
    CHECK_INT(sim_memory_release(m, a), SIM_OK);
    sim_memory_usage(m, &left, NULL);
    CHECK_INT(left, (1 << 20) - used);
    sim_memory_free(m);
    m = fresh(1000);
    CHECK_INT(sim_memory_alloc(m, 769, SIM_ALLOC_USER, NULL, &a), SIM_NOMEM);
    CHECK_INT(sim_memory_alloc(m, 768, SIM_ALLOC_USER, NULL, &a), SIM_OK);
    /* constants and what device code allocates are not of the limit; they go as well, once */
    sim_addr c, h;
    uint64_t before = *sim_memory_generation(m);
    CHECK_INT(sim_memory_alloc(m, 5000, SIM_ALLOC_CONST, "c", &c), SIM_OK);
    CHECK_INT(sim_memory_device_alloc(m, 5000, &h), SIM_OK);
    sim_memory_usage(m, &left, NULL);
    CHECK_INT(left, 1000 - 768);
    CHECK(!sim_memory_find(m, c)->init && sim_memory_find(m, h)->init);
    CHECK_INT(*sim_memory_generation(m), before);
    CHECK_INT(sim_memory_release(m, c), SIM_OK);
    CHECK(*sim_memory_generation(m) != before && sim_memory_find(m, c)->freed);
    CHECK_INT(sim_memory_release(m, c), SIM_BAD_ADDRESS);
    CHECK_INT(sim_memory_release(m, h), SIM_OK);
    CHECK_INT(sim_memory_release(m, h), SIM_BAD_ADDRESS);
    sim_memory_usage(m, &left, NULL);
    CHECK_INT(left, 1000 - 768);
    CHECK_INT(sim_memory_device_alloc(m, 8u << 20, &h), SIM_OK); /* all of the heap is free again */
    CHECK_INT(sim_memory_device_alloc(m, 1, &h), SIM_NOMEM);
    /* a name is its allocation's, from the first byte on */
    sim_memory_name(m, a + 1, "no");
    CHECK_STR(sim_memory_find(m, a)->name, "");
    sim_memory_name(m, a, "yes");
    CHECK_STR(sim_memory_find(m, a + 767)->name, "yes");
    sim_memory_name(m, a, NULL);
    CHECK_STR(sim_memory_find(m, a)->name, "");
    sim_memory_free(m);
}

/* Of the freed, the last 16384 are remembered once there are more than twice as many, and more than
 * live ones. */
static void remembered(void) {
    enum { KEPT = 16384, MOST = 33001 };
    static sim_addr at[MOST], live[33000];
    for (unsigned turn = 0; turn < 2; turn++) {
        sim_memory *m = fresh(1 << 28);
        unsigned lives = turn ? 33000 : 0, last = turn ? 33000 : 2 * KEPT;
        for (unsigned i = 0; i < lives; i++)
            sim_memory_alloc(m, 1, SIM_ALLOC_MODULE, NULL, &live[i]);
        for (unsigned i = 0; i <= last; i++) {
            if (i == last) CHECK(sim_memory_find(m, at[0]) && sim_memory_find(m, at[0])->freed);
            sim_memory_alloc(m, 1, SIM_ALLOC_MODULE, NULL, &at[i]);
            sim_memory_release(m, at[i]);
        }
        CHECK(!sim_memory_find(m, at[0]) && !sim_memory_find(m, at[last - KEPT - 1]));
        CHECK(sim_memory_find(m, at[last - KEPT]) && sim_memory_find(m, at[last]));
        if (lives) CHECK(!sim_memory_find(m, live[0])->freed && sim_memory_find(m, live[32999]));
        sim_memory_free(m);
    }
}

/* Where little address space is left, ranges and tables are as large as can be: half, and half
 * again; down to 64 MB of device memory and 1 MB of constants. Half of a range is the most that one
 * allocation takes. */
static void scarce(void) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return; /* the tools need it for themselves */
#endif
    enum { KB = 1 << 10, MB = 1 << 20 };
    static const struct {
        uint64_t left, device, constant; /* 0: not enough */
    } rows[] = {
        {16 * MB, 0, 0},
        {64 * MB - 64 * KB, 0, 0},
        /* 64 MB, a table of 2 MB, 1 MB, tables of 512 KB and 128 KB */
        {67 * MB + 900 * KB, 64 * MB, 1 * MB},
        /* 128 MB, a table of 32 MB (the next one would have 128), 32 MB, tables of 2 MB (the next:
         * 8) twice */
        {128 * MB + 70 * MB, 128 * MB, 32 * MB}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct rlimit was, now;
        unsigned long pages = 0;
        lib_message msg = {0};
        FILE *f = fopen("/proc/self/statm", "r");
        if (f && fscanf(f, "%lu", &pages) != 1) pages = 0;
        if (f) fclose(f);
        getrlimit(RLIMIT_AS, &was);
        now = was;
        now.rlim_cur = pages * 4096 + rows[k].left;
        if (!CHECK(pages && !setrlimit(RLIMIT_AS, &now))) return;
        sim_memory *m = sim_memory_new(1ull << 40, 3, false, &msg);
        setrlimit(RLIMIT_AS, &was);
        CHECK_INT(m != NULL, rows[k].device != 0);
        CHECK_STR(said(&msg), m ? ""
                                : "cannot reserve address space for the simulated device: Cannot "
                                  "allocate memory (is `ulimit -v` set?)");
        if (!m) continue;
        sim_addr a;
        uint64_t half = rows[k].device / 2;
        CHECK_INT(sim_memory_alloc(m, half + 1, SIM_ALLOC_USER, NULL, &a), SIM_NOMEM);
        CHECK_INT(sim_memory_alloc(m, half, SIM_ALLOC_USER, NULL, &a), SIM_OK);
        CHECK_INT(sim_memory_write(m, a + half - 1, "x", 1), SIM_OK);
        half = rows[k].constant / 2;
        CHECK_INT(sim_memory_alloc(m, half + 1, SIM_ALLOC_CONST, NULL, &a), SIM_NOMEM);
        CHECK_INT(sim_memory_alloc(m, half, SIM_ALLOC_CONST, NULL, &a), SIM_OK);
        CHECK_INT(sim_memory_write(m, a + half - 1, "x", 1), SIM_OK);
        sim_memory_free(m);
    }
}

/* Device malloc and free by many threads, with lookups in between. */
typedef struct {
    sim_memory *m;
    unsigned seed, wrong;
} job;
static void *worker(void *arg) {
    job *j = arg;
    sim_addr mine[64] = {0};
    for (unsigned r = 0; r < 4000; r++) {
        j->seed = j->seed * 1664525 + 1013904223;
        unsigned i = j->seed >> 26;
        if (!mine[i]) {
            if (sim_memory_device_alloc(j->m, 16 + i, &mine[i]) != SIM_OK) mine[i] = 0;
            else *(uint32_t *)sim_memory_host(j->m, mine[i], 4) = j->seed;
        } else {
            const sim_alloc *x = sim_memory_find(j->m, mine[i]);
            j->wrong += !x || x->freed || x->base != mine[i] || x->size != 16 + i;
            j->wrong += sim_memory_device_free(j->m, mine[i]) != SIM_OK;
            mine[i] = 0;
        }
    }
    return NULL;
}
/* What is freed goes back to the host by pages, and none that a live neighbour has a part of. */
static void neighbours(void) {
    enum { COUNT = 120 };
    static const unsigned sizes[] = {100, 3000, 4096, 5000, 8192, 20000, 4095, 256};
    for (unsigned step = 2; step < 6; step++) {
        sim_memory *m = fresh(1 << 28);
        sim_addr at[COUNT];
        unsigned char text[20000], got[20000];
        unsigned wrong = 0;
        for (unsigned i = 0; i < COUNT; i++) {
            unsigned n = sizes[(i * step + i / 8) % 8];
            memset(text, (int)(i + 1), n);
            CHECK_INT(sim_memory_alloc(m, n, SIM_ALLOC_USER, NULL, &at[i]), SIM_OK);
            CHECK_INT(sim_memory_write(m, at[i], text, n), SIM_OK);
        }
        for (unsigned i = 0; i < COUNT; i++)
            if (i % step) CHECK_INT(sim_memory_release(m, at[i]), SIM_OK);
        for (unsigned i = 0; i < COUNT; i += step) {
            unsigned n = sizes[(i * step + i / 8) % 8];
            memset(text, (int)(i + 1), n);
            wrong += sim_memory_read(m, got, at[i], n) != SIM_OK || memcmp(got, text, n) != 0;
        }
        CHECK_INT(wrong, 0);
        sim_memory_free(m);
    }
}

static void heap(void) {
    sim_memory *m = fresh(1 << 28);
    sim_addr user, x;
    sim_memory_alloc(m, 64, SIM_ALLOC_USER, NULL, &user);
    CHECK_INT(sim_memory_device_free(m, user), SIM_BAD_ADDRESS); /* not of this heap */
    CHECK(sim_memory_set_heap_limit(m, 8u << 20));
    CHECK(sim_memory_set_heap_limit(m, 16u << 20));
    CHECK_INT(sim_memory_device_alloc(m, 9u << 20, &x), SIM_OK);
    CHECK_INT(sim_memory_device_alloc(m, 9u << 20, &x), SIM_NOMEM);
    /* an H200's driver answers INVALID_VALUE to every size once a kernel has asked for memory */
    CHECK(!sim_memory_set_heap_limit(m, 1u << 20));
    CHECK(!sim_memory_set_heap_limit(m, 16u << 20));
    CHECK_INT(sim_memory_device_alloc(m, 1, &x), SIM_OK);
    CHECK_INT(sim_memory_device_free(m, x), SIM_OK);
    pthread_t t[4];
    job j[4];
    unsigned wrong = 0;
    for (unsigned i = 0; i < 4; i++) {
        j[i] = (job){m, i, 0};
        pthread_create(&t[i], NULL, worker, &j[i]);
    }
    for (unsigned i = 0; i < 4; i++) {
        pthread_join(t[i], NULL);
        wrong += j[i].wrong;
    }
    CHECK_INT(wrong, 0);
    sim_memory_settle(m);
    sim_memory_free(m);
}

static void count_one(void *user, sim_addr base, uint64_t size) {
    (void)base;
    *(uint64_t *)user += size;
}
static void leaks(void) {
    sim_memory *m = fresh(1 << 20);
    sim_addr x, y;
    uint64_t bytes = 0;
    sim_memory_alloc(m, 100, SIM_ALLOC_USER, NULL, &x);
    sim_memory_alloc(m, 1000, SIM_ALLOC_USER, NULL, &y);
    sim_memory_alloc(m, 10, SIM_ALLOC_MODULE, NULL, &y);
    sim_memory_release(m, x);
    sim_memory_each(m, count_one, &bytes);
    CHECK_INT(bytes, 1000);
    sim_memory_free(m);
}

/* Another device's memory is found while launches are let use it, and only its own. */
static void peers(void) {
    lib_message msg;
    sim_memory *m = fresh(1 << 20), *other = sim_memory_new(1 << 20, 5, true, &msg);
    sim_addr a;
    CHECK_INT(sim_memory_alloc(other, 100, SIM_ALLOC_USER, "theirs", &a), SIM_OK);
    CHECK(!sim_memory_find(m, a));
    sim_memory_reach(m, 1u << 5); /* nobody has told of it yet */
    CHECK(!sim_memory_find(m, a));
    sim_memory_peer(m, other);
    CHECK(sim_memory_find(m, a) == sim_memory_find(other, a) && sim_memory_host(m, a, 100));
    CHECK(!sim_memory_find(m, a + 100) && !sim_memory_find(other, SIM_DEV_BASE(3)));
    sim_memory_reach(m, 1u << 4);
    CHECK(!sim_memory_find(m, a));
    sim_memory_reach(m, 0);
    CHECK(!sim_memory_find(m, a));
    sim_memory_free(m);
    sim_memory_free(other);
}

int main(void) {
    peers();
    addresses();
    host_access();
    patterns();
    kept();
    past();
    nearest();
    marks();
    mapped();
    places();
    distances();
    cost();
    wrap();
    wrap_remembers();
    heap();
    neighbours();
    leaks();
    remembered();
    scarce();
    return check_done();
}
