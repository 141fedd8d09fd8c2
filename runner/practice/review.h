/* Spaced repetition (Leitner): a question that is answered right comes back later each time. A
 * question that is answered wrong comes back at once, in the first box. Also says how good
 * predictions are.
 *
 *   answer --review_told--> progress_card (box, due)
 *   guesses --review_guesses--> how far off, better or worse */
#ifndef WARPLAB_PRACTICE_REVIEW_H
#define WARPLAB_PRACTICE_REVIEW_H

#include "runner/lesson/progress.h"

enum { REVIEW_BOXES = 7 };
extern const int review_days[REVIEW_BOXES]; /* days until a question comes back, by box */

/* Updates a card after an answer at `now`. A wrong answer puts it into box 0, where it is due at
 * once. A right answer moves it up one box if it is due. */
void review_told(progress_card *c, bool right, int64_t now);
/* Records the answer of a question. */
void review_add(progress *p, const char *lab, const char *key, bool right, int64_t now);
size_t review_due(progress *p, int64_t now); /* number of due questions */

/* Returns a prediction's factor: 1 is exact, 2 is twice or half. INFINITY if one value is 0 or the
 * signs differ. */
double review_factor(double said, double truth);
/* Writes a factor with three digits, or with more if it would otherwise look like 1. */
const char *review_factor_text(char out[32], double factor);
enum { REVIEW_LAST = 10 };
typedef struct {
    size_t count, hits;
    double typical; /* the median factor; may be INFINITY */
    /* trend: there are enough guesses. Median factors of the last REVIEW_LAST guesses, and of as
     * many before them. */
    bool trend;
    double last, before;
} review_guess_sum;
void review_guesses(const progress_guess *v, size_t n, review_guess_sum *out);

#endif
