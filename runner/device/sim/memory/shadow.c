/* Bitmaps of written bytes. Workers of a launch set bits concurrently, so they do it atomically,
 * and only if a bit is clear: most stores go to bytes that were written before. */
#include "runner/device/sim/memory/shadow.h"

static uint64_t piece(uint64_t at, uint64_t n, unsigned *k) {
    unsigned bit = at % 64;
    *k = n < 64 - bit ? (unsigned)n : 64 - bit;
    return (*k == 64 ? ~0ull : (1ull << *k) - 1) << bit;
}

void sim_bits_set(uint64_t *b, uint64_t at, uint64_t n, bool on) {
    while (n) {
        unsigned k;
        uint64_t m = piece(at, n, &k);
        if (on) b[at / 64] |= m;
        else b[at / 64] &= ~m;
        at += k;
        n -= k;
    }
}

bool sim_bits_mark(uint64_t *b, uint64_t at, uint64_t n) {
    bool any = false;
    while (n) {
        unsigned k;
        uint64_t m = piece(at, n, &k), *w = &b[at / 64];
        if (~__atomic_load_n(w, __ATOMIC_RELAXED) & m) {
            if (k == 64) __atomic_store_n(w, ~0ull, __ATOMIC_RELAXED);
            else __atomic_fetch_or(w, m, __ATOMIC_RELAXED);
            any = true;
        }
        at += k;
        n -= k;
    }
    return any;
}

bool sim_bits_all(const uint64_t *b, uint64_t at, uint64_t n) {
    while (n) {
        unsigned k;
        uint64_t m = piece(at, n, &k);
        if (~__atomic_load_n(&b[at / 64], __ATOMIC_RELAXED) & m) return false;
        at += k;
        n -= k;
    }
    return true;
}
