/* Labs and their steps. */
#ifndef WARPLAB_REPL_STEPS_H
#define WARPLAB_REPL_STEPS_H

#include "runner/repl/session.h"

bool repl_open(repl *r, const char *id); /* loads a lab and makes it current */
/* fresh: with other numbers. asked: a question that was answered already is asked again. */
void repl_show_step(repl *r, bool fresh, bool asked);
void repl_passed(repl *r); /* what is said once the exercise is passed for the first time */

/* ---- check.c ---- */

/* Puts a new grading into the record. */
void check_keep(repl *r, const grade_result *g);

/* ---- question.c ---- */

void step_save(repl *r);
void step_say(repl *r, const lab_text *t, int indent); /* with the drawn numbers filled in */
void question_ask(repl *r, const lab_step *s);
void question_predict(repl *r, const lab_step *s);
/* Right already; in a quiz, where the first try counts: tried. */
bool question_answered(repl *r, const lab_step *s);

#endif
