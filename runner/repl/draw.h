/* Runs of the open lab, and pictures of them. */
#ifndef WARPLAB_REPL_DRAW_H
#define WARPLAB_REPL_DRAW_H

#include "runner/repl/session.h"
#include "grader/lab.h"
#include "grader/result.h"

/* ---- measured.c ---- */

/* Sets how the REPL grades: its device and seed, and a sandbox if there is one. */
void measured_options(repl *r, grading_options *o);
/* Grades. l: NULL for the whole open lab, or the lab reduced to what is measured. While this runs,
 * typed text is not echoed into the status line; the prompt shows it afterwards. Ctrl-C works as
 * always. */
void measured_grade(repl *r, const grade_lab *l, const char *path, const grading_options *o,
                    grade_result *g);

/* Grades the student's file as it is now. The result is kept while file and device stay the same;
 * *kept says that nothing was run. again: run in any case. Returns NULL if it was stopped, or if
 * the file cannot be read (reported). */
const grade_result *measured_check(repl *r, bool again, bool *kept);
/* Returns the last grading, whatever the file is now; NULL if there is none. */
const grade_result *measured_last(const repl *r);
/* The finding to look at first, by its index; 0 if there is none. */
size_t measured_first_finding(const grade_result *g);

typedef struct {
    const grade_result *result;
    bool baseline; /* the baseline's figures are wanted */
    /* the program, if its instructions are wanted (repl.ask_ptx); otherwise NULL */
    const char *program;
} measured_run;
/* Makes the run that `m` describes, unless it is kept. lines: source lines and launches are wanted,
 * not only figures. Returns false if that failed; the reason was printed. */
bool measured_get(repl *r, const lab_measure *m, const lab_drawn *d, bool lines, measured_run *out);
double measured_figure(const measured_run *run, const char *name); /* 0 if there is none */
void measured_clear(repl *r);

/* ---- draw.c ---- */

/* Draws a picture of a model or a measured run. Returns 0, or 1 if the run failed; the reason
 * was printed. */
int repl_draw(repl *r, const lab_show *s, const lab_drawn *d);
/* Prints the limiter of the launch that took longest: the name that an answer about it takes, and
 * its meaning. Prints nothing if no launch has a limiter. */
void repl_say_limiter(repl *r, const grade_result *g);

#endif
