/* Puts ncu's counts of the hardware beside the kernels of our table: on the terminal and on the
 * page. tools.c reads ncu's output. */
#ifndef WARPLAB_PROFILE_HARDWARE_H
#define WARPLAB_PROFILE_HARDWARE_H

#include <jansson.h>
#include "runner/profile/report.h"

/* Returns whether both names are one kernel. ncu's "void f<(int)3>(float *)" is our "f<3>". */
bool profile_same_kernel(const char *ncu, const char *ours);
/* A row of the table: a figure per launch, ours and the hardware's. */
typedef struct {
    const char *name; /* "time_us", or the name of a counter */
    const char *unit;
    bool has_ours, has_hardware; /* a figure that was not measured is not 0 */
    double ours, hardware;
} profile_both;
enum { PROFILE_BOTH = 64 };
/* Fills rows that are not 0 on at least one side, and returns their number; 0: ncu saw no launch of
 * the kernel. */
size_t profile_hardware(const profile_report *r, const profile_kernel *k,
                        profile_both rows[PROFILE_BOTH]);
/* For --ncu: prints the rows below a kernel's row. */
void profile_print_hardware(FILE *to, const profile_report *r, const profile_kernel *k);
/* Writes the rows as a section of the page. */
void profile_page_hardware(FILE *f, const profile_report *r, const profile_kernel *k);

#endif
