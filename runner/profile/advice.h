/* Advice in words: what limits a kernel and what to try first (advice.def), from its counters and from
 * what-if. */
#ifndef WARPLAB_PROFILE_ADVICE_H
#define WARPLAB_PROFILE_ADVICE_H

#include <jansson.h>
#include "runner/profile/report.h"

typedef struct {
    const char *name, *text[LIB_LANGS], *lab;
    sim_cost cost;
    double saves_us, factor; /* without the cost */
} profile_advice;
enum { PROFILE_ADVICE = 3 };
/* The best few, the first first; 0 when nothing is worth a twentieth of the launch, or nothing is
 * known. */
size_t profile_advise(const profile_kernel *k, profile_advice out[PROFILE_ADVICE]);
void profile_print_advice(FILE *to, const profile_kernel *k, lib_lang lang);
json_t *profile_advice_json(const profile_kernel *k);

#endif
