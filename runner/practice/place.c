/* See place.h. */
#include "runner/practice/place.h"

#include <math.h>

void place_begin(place_belief *b, int chapters) {
    b->chapters = chapters < 1 ? 1 : chapters > PLACE_CHAPTERS ? PLACE_CHAPTERS : chapters;
    for (int k = 0; k <= PLACE_CHAPTERS; k++)
        b->p[k] = k <= b->chapters ? 1.0 / (b->chapters + 1) : 0;
}

int place_chapter(const place_belief *b, const int *left) {
    int best = 0;
    double nearest = 2;
    double knows = 1; /* probability that chapter c is known */
    for (int c = 1; c <= b->chapters; c++) {
        knows -= b->p[c - 1];
        if (left[c] > 0 && fabs(knows - 0.5) < nearest) {
            nearest = fabs(knows - 0.5);
            best = c;
        }
    }
    return best;
}

void place_told(place_belief *b, int chapter, int choices, bool right) {
    double luck = choices > 0 ? 1.0 / choices : PLACE_LUCK_NUMBER, sum = 0;
    for (int k = 0; k <= b->chapters; k++) {
        double yes = k >= chapter ? PLACE_KNOWN : luck;
        b->p[k] *= right ? yes : 1 - yes;
        sum += b->p[k];
    }
    for (int k = 0; k <= b->chapters; k++) b->p[k] /= sum;
}

int place_start(const place_belief *b) {
    int best = 0;
    for (int k = 1; k <= b->chapters; k++)
        if (b->p[k] > b->p[best]) best = k;
    return best + 1;
}
