/* Advice in words: what limits a kernel and what to try first (advice.def), derived from its
 * counters and from what-if. */
#ifndef WARPLAB_PROFILE_ADVICE_H
#define WARPLAB_PROFILE_ADVICE_H

#include <jansson.h>
#include "runner/profile/report.h"

typedef struct {
    const char *name, *lab;
    lib_word_id text;
    sim_cost cost;
    double saves_us, factor; /* if the cost were gone */
} profile_advice;
enum { PROFILE_ADVICE = 3 };
/* Finds the best advice, best first, and returns how many. Returns 0 if nothing would save a
 * twentieth of the launch, or if nothing is known. */
size_t profile_advise(const profile_kernel *k, profile_advice out[PROFILE_ADVICE]);
void profile_print_advice(FILE *to, const profile_kernel *k, lib_lang lang);
/* Copies between host and device in the whole run. profile_copying_of() returns whether they take
 * more time than all kernels; the report then begins with that. */
typedef struct {
    double us, kernels_us;
    uint64_t copies, pageable, bytes; /* pageable: number of copies from or to pageable memory */
} profile_copying;
#define PROFILE_COPYING_LAB "transfers"
bool profile_copying_of(const profile_report *r, profile_copying *out);
/* The same for these records. */
bool profile_copying_sum(const dev_record *records, size_t n, profile_copying *out);
lib_words profile_copying_words(const profile_copying *c);
/* Prints a remark about copies if profile_copying_of() returns true. */
void profile_print_copying(FILE *to, const profile_report *r);
json_t *profile_advice_json(const profile_kernel *k);

#endif
