/* What the table of kernels is followed by, in either language: what if a cost were not there, where the
 * cycles went, what to try first. */
#ifndef WARPLAB_PROFILE_WORDS_H
#define WARPLAB_PROFILE_WORDS_H

#include "runner/base/buffer.h"
#include "runner/profile/report.h"

/* Each prints nothing where the simulated device did not tell. */
void profile_print_what_if(FILE *to, const profile_kernel *k, lib_lang lang);
void profile_print_stalls(FILE *to, const profile_kernel *k, lib_lang lang);
/* Of the run as a whole: copies and gaps. False where there is no timeline. */
bool profile_whole(const profile_report *r, dev_whole *out);
void profile_print_whole(FILE *to, const profile_report *r);
/* The source lines that pay for a cost: "t.cu:15 (94%), t.cu:11 (6%)", or nothing. */
void profile_put_payers(lib_buffer *b, const profile_kernel *k, const sim_what_if *w,
                        lib_lang lang);
/* The costs whose absence is worth at least `factor`, most first: their numbers into `out`
 * (SIM_COST_COUNT). */
size_t profile_costs(const profile_kernel *k, double factor, unsigned *out);

/* Words of the text under each other, in lines of `width` columns; the lines after the first are
 * indented by `indent` columns. */
void profile_put_wrapped(FILE *to, const char *text, int indent, int width);

#endif
