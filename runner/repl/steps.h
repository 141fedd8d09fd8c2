/* Labs and their steps. */
#ifndef WARPLAB_REPL_STEPS_H
#define WARPLAB_REPL_STEPS_H

#include "runner/practice/bank.h"
#include "runner/repl/session.h"

bool repl_open(repl *r, const char *id); /* loads a lab and opens it */
/* Shows the current step. fresh: with new numbers. asked: ask a question again even if it is
 * answered. */
void repl_show_step(repl *r, bool fresh, bool asked);
void repl_passed(repl *r); /* what is printed when the exercise is passed for the first time */

/* ---- check.c ---- */

/* Records a new grading. */
void check_keep(repl *r, const grade_result *g);

/* ---- practice.c ---- */

/* For a question outside its lesson: sets the open lab aside, and restores it. */
repl *practice_begin(repl *r, repl_asking asking);
void practice_end(repl *r, repl *aside);
/* Opens this lab instead of the open one; NULL: none. Holds the lab. */
void practice_take(repl *r, lab *l);
/* Opens the item's lab, draws the seed's numbers, and shows the question's text. */
void practice_show(repl *r, const bank_item *at, uint64_t seed);

size_t practice_due(repl *r); /* number of questions that are due */
/* how good the predictions were; prints nothing if there are none */
void practice_guesses(repl *r);

/* ---- question.c ---- */

/* Records the student's progress in the open lab. */
void step_save(repl *r);
void step_say(repl *r, const lab_text *t, int indent); /* with drawn numbers filled in */
void question_ask(repl *r, const lab_step *s);
/* What helps with the question of the present step: what the lesson says before it. */
void question_hint(repl *r);
/* Asks for a prediction, measures, and prints and records how good it was. */
void question_predict(repl *r, const lab_step *s);
/* Asks a question outside its lesson (r->asking), with one try. The caller records the outcome. */
typedef enum { QUESTION_RIGHT, QUESTION_WRONG, QUESTION_OPEN, QUESTION_ENDED } question_outcome;
question_outcome question_once(repl *r, const lab_step *s);
/* Reads an answer, but does not judge it; malloc'ed. NULL: *how is QUESTION_OPEN or
 * QUESTION_ENDED. */
char *question_answer(repl *r, const lab_step *s, question_outcome *how);
/* Returns whether it was answered right; in a quiz, where only the first try counts, whether it was
 * tried. */
bool question_answered(repl *r, const lab_step *s);

/* Loads the open lab again if its lesson was saved. */
void repl_reload(repl *r);

#endif
