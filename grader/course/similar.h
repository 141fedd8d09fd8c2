/* Which submissions of a lab are alike, for staff to look at: never a verdict, and in no student's
 * report. By winnowing (Schleimer, Wilkerson, Aiken, SIGMOD 2003) over tokens: names and numbers do
 * not count, comments and layout neither; what everyone was given does not count. */
#ifndef WARPLAB_GRADER_SIMILAR_H
#define WARPLAB_GRADER_SIMILAR_H

#include "grader/course/rows.h"

typedef struct {
    size_t a, b;  /* rows of the course */
    double share; /* of the shorter one's fingerprints */
    size_t shared;
} similar_pair;
/* At most `max` pairs of a lab that share at least half, the most alike first. False: no memory. */
bool similar_pairs(const course *c, int out, const char *lab, similar_pair *pairs, size_t max,
                   size_t *count);

#endif
