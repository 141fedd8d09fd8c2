/* Spaced repetition (Leitner): a question that was right comes back later each time, a missed one at once and from the
 * beginning. And how good predictions are.
 *
 *   answer --review_told--> progress_card (box, due)      guesses --review_guesses--> how far off, better or worse */
#ifndef WARPLAB_PRACTICE_REVIEW_H
#define WARPLAB_PRACTICE_REVIEW_H

#include "runner/lesson/progress.h"

enum { REVIEW_BOXES = 7 };
extern const int review_days[REVIEW_BOXES]; /* until it comes back, by box */

/* The card after an answer at `now`. A missed one is due at once, and is not counted up on the day it was missed. */
void review_told(progress_card *c, bool right, int64_t now);
/* Takes a question's answer into the record. */
void review_add(progress *p, const char *lab, const char *key, bool right, int64_t now);
size_t review_due(progress *p, int64_t now);

/* A prediction's factor: 1 is exact, 2 is twice or half. INFINITY where one of the two is 0 or they differ in sign. */
double review_factor(double said, double truth);
/* Three digits, and as many more as it takes to differ from 1. */
const char *review_factor_text(char out[32], double factor);
enum { REVIEW_LAST = 10 };
typedef struct {
    size_t count, hits;
    double typical; /* the median factor of all; INFINITY */
    /* Of the last REVIEW_LAST and of those before, once there are as many of each. */
    bool trend;
    double last, before;
} review_guess_sum;
void review_guesses(const progress_guess *v, size_t n, review_guess_sum *out);

#endif
