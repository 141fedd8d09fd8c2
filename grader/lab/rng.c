/* Random numbers that follow from a seed and a label, so that a new argument of a lab does not
 * change the values of the others.
 *
 * The generator is xoshiro256** (Blackman and Vigna, "Scrambled linear pseudorandom number
 * generators", 2018). Its state can be computed from its output. Therefore the state is
 * SHA-256(seed, label): inputs that a submission sees reveal neither the seed nor the inputs of any
 * other label. */
#include <string.h>
#include "runner/base/sha256.h"
#include "grader/rng.h"

void grade_rng_seed(grade_rng *g, uint64_t seed, const char *label) {
    unsigned char bytes[8], d[32];
    for (int i = 0; i < 8; i++) bytes[i] = (unsigned char)(seed >> (8 * i));
    lib_sha256 h;
    lib_sha256_init(&h);
    lib_sha256_add(&h, bytes, sizeof bytes);
    lib_sha256_add(&h, label, strlen(label));
    lib_sha256_end(&h, d);
    for (int i = 0; i < 4; i++) {
        g->s[i] = 0;
        for (int j = 0; j < 8; j++) g->s[i] |= (uint64_t)d[8 * i + j] << (8 * j);
    }
    /* the generator never leaves the state 0 */
    if (!(g->s[0] | g->s[1] | g->s[2] | g->s[3])) g->s[0] = 1;
}

uint64_t grade_rng_next(grade_rng *g) {
    uint64_t *s = g->s, x = s[1] * 5, result = (x << 7 | x >> 57) * 9, t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = s[3] << 45 | s[3] >> 19;
    return result;
}

double grade_rng_uniform(grade_rng *g) {
    return (double)(grade_rng_next(g) >> 11) * 0x1p-53;
}
