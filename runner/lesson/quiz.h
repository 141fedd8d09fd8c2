/* A quiz: a lab whose questions are scored.
 *
 *   a quiz's steps + the first tries in progress --quiz_count--> score, passed or not */
#ifndef WARPLAB_QUIZ_H
#define WARPLAB_QUIZ_H

#include "runner/lesson/lab.h"
#include "runner/lesson/progress.h"

typedef struct {
    size_t total, answered; /* questions and predictions */
    size_t right;           /* at the first try */
    double score, points;
    bool passed; /* all answered, and enough of them right at the first try */
} quiz_score;
/* Scores the quiz from the recorded first tries. */
void quiz_count(const lab *l, progress *p, quiz_score *out);

#endif
