/* Compares outputs with expected values: tolerance, first difference, picture. */
#ifndef WARPLAB_GRADER_COMPARE_H
#define WARPLAB_GRADER_COMPARE_H

#include "grader/lab.h"

typedef struct {
    uint64_t wrong, first; /* first: index of the first wrong element */
    uint64_t unwritten;    /* wrong elements that still contain the poison */
    double max_error;      /* largest finite |got - want|; infinity if a NaN or infinity differs */
    double rtol, atol;     /* the tolerance; with rows, that of the last element */
    bool blank;            /* an output of zeros would have passed, too */
    double expected, actual;
    char expected_text[32], actual_text[32]; /* exact; integers with commas, "1,048,576" */
    char picture[65];
} grade_diff;
enum { GRADE_POISON_BYTES = 8 };
/* row: elements of a row (grade_arg.row); 0: all of them are judged by the largest.
 * poison: the bytes in elements that were never written; they repeat every GRADE_POISON_BYTES from
 * the buffer's start. NULL: no poison. */
void grade_compare(const grade_arg *a, double ops, uint64_t row, const void *got, const void *want,
                   uint64_t count, const unsigned char *poison, grade_diff *d);
/* Computes the tolerance of a comparison. scale: the output's largest |want|. Both are 0 for
 * integers. */
void grade_tolerance(const grade_arg *a, double ops, double scale, double *rtol, double *atol);

#endif
