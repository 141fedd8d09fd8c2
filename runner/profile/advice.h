/* Advice in words: what limits a kernel and what to try first (advice.def), from its counters and from
 * what-if. */
#ifndef WARPLAB_PROFILE_ADVICE_H
#define WARPLAB_PROFILE_ADVICE_H

#include <jansson.h>
#include "runner/profile/report.h"

typedef struct {
    const char *name, *lab;
    lib_word_id text;
    sim_cost cost;
    double saves_us, factor; /* without the cost */
} profile_advice;
enum { PROFILE_ADVICE = 3 };
/* The best few, the first first; 0 when nothing is worth a twentieth of the launch, or nothing is
 * known. */
size_t profile_advise(const profile_kernel *k, profile_advice out[PROFILE_ADVICE]);
void profile_print_advice(FILE *to, const profile_kernel *k, lib_lang lang);
/* Copies between host and device, of the whole run. True where they take more time than all kernels: then
 * that is said before any kernel is. */
typedef struct {
    double us, kernels_us;
    uint64_t copies, pageable, bytes; /* pageable: how many of them */
} profile_copying;
#define PROFILE_COPYING_LAB "transfers"
bool profile_copying_of(const profile_report *r, profile_copying *out);
bool profile_copying_sum(const dev_record *records, size_t n, profile_copying *out);
lib_words profile_copying_words(const profile_copying *c);
void profile_print_copying(FILE *to, const profile_report *r);
json_t *profile_advice_json(const profile_kernel *k);

#endif
