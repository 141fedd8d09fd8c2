/* Bitmaps with one bit for each byte of memory; 1: the byte was written. */
#ifndef WARPLAB_SIM_SHADOW_H
#define WARPLAB_SIM_SHADOW_H

#include <stdbool.h>
#include <stdint.h>

/* One thread at a time. */
void sim_bits_set(uint64_t *b, uint64_t at, uint64_t n, bool on);
/* Returns n in 1..64 bits from `at` on, the first in bit 0. */
static inline uint64_t sim_bits_get(const uint64_t *b, uint64_t at, unsigned n) {
    uint64_t v = __atomic_load_n(&b[at / 64], __ATOMIC_RELAXED) >> (at % 64);
    if (at % 64 + n > 64) v |= __atomic_load_n(&b[at / 64 + 1], __ATOMIC_RELAXED) << (64 - at % 64);
    return n == 64 ? v : v & ((1ull << n) - 1);
}
/* Sets n >= 1 bits; any thread. Returns true if one of them was clear. */
bool sim_bits_mark(uint64_t *b, uint64_t at, uint64_t n);
/* Returns whether all n >= 1 bits are set. */
bool sim_bits_all(const uint64_t *b, uint64_t at, uint64_t n);

#endif
