/* Outputs against expected values: tolerance, first difference, picture. */
#ifndef WARPLAB_GRADER_COMPARE_H
#define WARPLAB_GRADER_COMPARE_H

#include "grader/lab.h"

typedef struct {
    uint64_t wrong, first; /* first: index of the first wrong element */
    uint64_t unwritten;    /* wrong elements that still hold poison */
    double max_error;  /* largest finite |got - want|; infinity when a NaN or infinity differs */
    double rtol, atol; /* what was allowed */
    bool blank;        /* nothing but zeros would have passed as well */
    double expected, actual;
    char expected_text[32], actual_text[32]; /* exact; of integers with commas, "1,048,576" */
    char picture[65];
} grade_diff;
enum { GRADE_POISON_BYTES = 8 };
/* poison: the bytes that an untouched element holds, repeating every GRADE_POISON_BYTES from the
 * buffer's start, or NULL. */
void grade_compare(const grade_arg *a, double ops, const void *got, const void *want,
                   uint64_t count, const unsigned char *poison, grade_diff *d);
void grade_tolerance(const grade_arg *a, double ops, double scale, double *rtol, double *atol);

#endif
