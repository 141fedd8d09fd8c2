/* Finds similar submissions of a lab, for staff to look at. This never changes a verdict, and no
 * student's report shows it. The method is winnowing (Schleimer, Wilkerson, Aiken, SIGMOD 2003)
 * over tokens. Names, numbers, comments and layout do not count, nor does the code that everyone
 * was given. */
#ifndef WARPLAB_GRADER_SIMILAR_H
#define WARPLAB_GRADER_SIMILAR_H

#include "grader/course/rows.h"

typedef struct {
    size_t a, b;  /* rows of the course */
    double share; /* of the fingerprints of the shorter one */
    size_t shared;
} similar_pair;
/* Finds at most `max` pairs of a lab that share at least half, most similar first. Returns false if
 * memory ran out. */
bool similar_pairs(const course *c, int out, const char *lab, similar_pair *pairs, size_t max,
                   size_t *count);

#endif
