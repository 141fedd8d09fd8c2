/* See quiz.h. */
#include "runner/lesson/quiz.h"

#include <math.h>

void quiz_count(const lab *l, progress *p, quiz_score *out) {
    *out = (quiz_score){.points = l->grade.goals[0].points};
    for (size_t i = 0; i < l->step_count; i++) {
        if (!lab_step_asks(&l->steps[i])) continue;
        char key[LAB_QUESTION_KEY];
        progress_question q;
        lab_question_key(&l->steps[i], key);
        progress_question_get(p, l->id, key, &q);
        out->total++;
        out->answered += q.tries > 0;
        out->right += q.first;
    }
    double share = out->total ? (double)out->right / (double)out->total : 0;
    out->score = floor(share * out->points * 100 + 0.5) / 100;
    out->passed = out->answered == out->total && share + 1e-9 >= l->grade.goals[0].threshold;
}
