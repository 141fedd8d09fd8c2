/* Measured runs and their pictures, and grading with the REPL's status line. */
#ifndef WARPLAB_REPL_DRAW_H
#define WARPLAB_REPL_DRAW_H

#include "runner/repl/session.h"

/* How the REPL grades: its device and seed, a sandbox where there is one. */
void draw_options(repl *r, grading_options *o);
/* l: NULL for the open lab as a whole, or what it is narrowed to.
 * What is typed meanwhile is not echoed into the status line; the prompt shows it when it is back.
 * Ctrl-C works as ever. */
void draw_grade(repl *r, const grade_lab *l, const char *path, const grading_options *o,
                grade_result *g);

/* Runs what `m` says and leaves one value per counter in the cached result's goals, in order. NULL:
 * it said why. */
const repl_cached *repl_measure(repl *r, const lab_measure *m, const lab_drawn *d,
                                const char *const *counters, size_t n);
void repl_cache_clear(repl *r);
int repl_draw(repl *r, const lab_show *s, const lab_drawn *d);

#endif
