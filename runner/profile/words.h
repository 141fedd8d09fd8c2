/* What follows the table of kernels, in either language: what-if for each cost, where the cycles
 * went, and what to try first. */
#ifndef WARPLAB_PROFILE_WORDS_H
#define WARPLAB_PROFILE_WORDS_H

#include "runner/base/buffer.h"
#include "runner/profile/report.h"

/* These print nothing if the simulated device gave no figures. */
void profile_print_what_if(FILE *to, const profile_kernel *k, lib_lang lang);
void profile_print_stalls(FILE *to, const profile_kernel *k, lib_lang lang);
/* Sums up the copies and gaps of the whole run. Returns false if there is no timeline. */
bool profile_whole(const profile_report *r, dev_whole *out);
void profile_print_whole(FILE *to, const profile_report *r);
/* Writes the source lines that cause most of a cost: "t.cu:15 (94%), t.cu:11 (6%)", or nothing. */
void profile_put_payers(lib_buffer *b, const profile_kernel *k, const sim_what_if *w,
                        lib_lang lang);
/* Finds the costs whose absence is worth at least `factor`, largest first. Writes their numbers to
 * `out` (SIM_COST_COUNT elements) and returns how many. */
size_t profile_costs(const profile_kernel *k, double factor, unsigned *out);

/* Prints a text wrapped to lines of `width` columns. Lines after the first are indented by `indent`
 * columns. */
void profile_put_wrapped(FILE *to, const char *text, int indent, int width);

#endif
