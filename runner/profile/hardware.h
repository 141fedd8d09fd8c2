/* What ncu counted on the hardware, put to the kernels of our own table: on the terminal and on the
 * page. tools.c reads ncu. */
#ifndef WARPLAB_PROFILE_HARDWARE_H
#define WARPLAB_PROFILE_HARDWARE_H

#include <jansson.h>
#include "runner/profile/report.h"

/* Are they one kernel? ncu's "void f<(int)3>(float *)" is our "f<3>". */
bool profile_same_kernel(const char *ncu, const char *ours);
/* A row of the table: a figure a launch, ours and the hardware's. */
typedef struct {
    const char *name; /* "time_us", or of a counter */
    const char *unit;
    bool has_ours, has_hardware; /* what nobody measured is not 0 */
    double ours, hardware;
} profile_both;
enum { PROFILE_BOTH = 64 };
/* Rows that are not 0 on both sides; 0: ncu saw no such launch. */
size_t profile_hardware(const profile_report *r, const profile_kernel *k,
                        profile_both rows[PROFILE_BOTH]);
/* --ncu: below a kernel's row. */
void profile_print_hardware(FILE *to, const profile_report *r, const profile_kernel *k);
/* On the page, a section. */
void profile_page_hardware(FILE *f, const profile_report *r, const profile_kernel *k);

#endif
