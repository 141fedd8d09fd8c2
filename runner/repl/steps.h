/* Labs and their steps. */
#ifndef WARPLAB_REPL_STEPS_H
#define WARPLAB_REPL_STEPS_H

#include "runner/practice/bank.h"
#include "runner/repl/session.h"

bool repl_open(repl *r, const char *id); /* loads a lab and makes it current */
/* fresh: with other numbers. asked: a question that was answered already is asked again. */
void repl_show_step(repl *r, bool fresh, bool asked);
void repl_passed(repl *r); /* what is said once the exercise is passed for the first time */

/* ---- check.c ---- */

/* Puts a new grading into the record. */
void check_keep(repl *r, const grade_result *g);

/* ---- practice.c ---- */

/* For a question outside its lesson: the open lab is set aside, and comes back. */
repl *practice_begin(repl *r, repl_asking asking);
void practice_end(repl *r, repl *aside);
/* Holds this lab in place of the one that is open; NULL: none. */
void practice_take(repl *r, lab *l);
/* Puts the item's lab in its place, draws the numbers of the seed and shows the question's text. */
void practice_show(repl *r, const bank_item *at, uint64_t seed);

size_t practice_due(repl *r);   /* the questions that are due again */
void practice_guesses(repl *r); /* how good the predictions are; nothing when there is none */

/* ---- question.c ---- */

void step_save(repl *r);
void step_say(repl *r, const lab_text *t, int indent); /* with the drawn numbers filled in */
void question_ask(repl *r, const lab_step *s);
void question_predict(repl *r, const lab_step *s);
/* Outside its lesson (r->asking): one try, which the caller takes into the record. */
typedef enum { QUESTION_RIGHT, QUESTION_WRONG, QUESTION_OPEN, QUESTION_ENDED } question_outcome;
question_outcome question_once(repl *r, const lab_step *s);
/* An answer that can be read, not judged; malloc'ed. NULL: *how says open or ended. */
char *question_answer(repl *r, const lab_step *s, question_outcome *how);
/* Right already; in a quiz, where the first try counts: tried. */
bool question_answered(repl *r, const lab_step *s);

/* Reads the open lab again when its lesson was saved meanwhile. */
void repl_reload(repl *r);

#endif
