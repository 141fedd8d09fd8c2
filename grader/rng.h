/* Deterministic random numbers (xoshiro256**). The stream follows from a seed and a label, so that
 * a new argument of a lab does not change the values of the others. */
#ifndef WARPLAB_GRADE_RNG_H
#define WARPLAB_GRADE_RNG_H

#include <stdint.h>

typedef struct {
    uint64_t s[4];
} grade_rng;
/* Starts the stream of a seed and a label. */
void grade_rng_seed(grade_rng *g, uint64_t seed, const char *label);
uint64_t grade_rng_next(grade_rng *g);  /* 64 random bits */
double grade_rng_uniform(grade_rng *g); /* [0, 1) */

#endif
