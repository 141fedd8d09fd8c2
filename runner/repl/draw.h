/* Runs of the open lab, and their pictures. */
#ifndef WARPLAB_REPL_DRAW_H
#define WARPLAB_REPL_DRAW_H

#include "runner/repl/session.h"
#include "grader/lab.h"
#include "grader/result.h"

/* ---- measured.c ---- */

/* How the REPL grades: its device and seed, a sandbox where there is one. */
void measured_options(repl *r, grading_options *o);
/* l: NULL for the open lab as a whole, or what it is narrowed to.
 * What is typed meanwhile is not echoed into the status line; the prompt shows it when it is back.
 * Ctrl-C works as ever. */
void measured_grade(repl *r, const grade_lab *l, const char *path, const grading_options *o,
                    grade_result *g);

/* The student's file as it is now, graded. Kept while file and device are the same: *kept says that
 * nothing was run. again: run it all the same. NULL: stopped, or the file cannot be read (said). */
const grade_result *measured_check(repl *r, bool again, bool *kept);
/* The last grading, whatever the file is now; NULL when there is none. */
const grade_result *measured_last(const repl *r);

typedef struct {
    const grade_result *result;
    bool baseline;       /* its baseline's figures are meant */
    const char *program; /* where it was asked for its instructions (repl.ask_ptx); else NULL */
} measured_run;
/* Runs what `m` says, unless a run of it is kept. lines: source lines and launches are wanted, not only
 * figures. False: it said why. */
bool measured_get(repl *r, const lab_measure *m, const lab_drawn *d, bool lines, measured_run *out);
double measured_figure(const measured_run *run, const char *name); /* 0 where there is none */
void measured_clear(repl *r);

/* ---- draw.c ---- */

int repl_draw(repl *r, const lab_show *s, const lab_drawn *d);
/* What limits the launch that took longest: by the name that an answer about it takes, and in words.
 * Says nothing where no launch has a limiter. */
void repl_say_limiter(repl *r, const grade_result *g);

#endif
