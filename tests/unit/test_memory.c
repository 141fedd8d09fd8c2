/* Device memory: addresses, host access, written-byte marks, freeing, mapped ranges; what the
 * host's memory use comes to. */
#include "runner/base/message.h"
#include "check.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "runner/sim/memory/memory.h"
#include "runner/sim/memory/shadow.h"

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
    CHECK_INT(sim_memory_device_alloc(m, 9u << 20, &x), SIM_NOMEM);
    sim_memory_set_heap_limit(m, 16u << 20);
    CHECK_INT(sim_memory_device_alloc(m, 9u << 20, &x), SIM_OK);
    CHECK_INT(sim_memory_device_alloc(m, 9u << 20, &x), SIM_NOMEM);
    sim_memory_set_heap_limit(m, 1u << 20); /* less than is in use: there is no more */
    CHECK_INT(sim_memory_device_alloc(m, 1, &x), SIM_NOMEM);
    sim_memory_set_heap_limit(m, 16u << 20);
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
    marks();
    mapped();
    cost();
    wrap();
    heap();
    neighbours();
    leaks();
    return check_done();
}
