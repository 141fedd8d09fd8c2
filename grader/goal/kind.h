/* How the file of a kind defines the kind, and what these files share. Only this room includes
 * it. */
#ifndef WARPLAB_GRADER_GOAL_KIND_H
#define WARPLAB_GRADER_GOAL_KIND_H

#include "runner/base/say.h"
#include "grader/goal/goal.h"
#include "words/goal.h"

/* How far a goal is met, and what could not be decided. */
typedef struct {
    double share; /* of the goal's points */
    bool unsure;  /* too close to the threshold; set before a figure is judged */
    bool unknown; /* the device does not have the figure */
} goal_judged;

enum { GOAL_WORDS = 3 };
/* A kind. An operation that is NULL does not apply, or goals.c does the usual. */
typedef struct {
    goal_word words[GOAL_WORDS];
    /* The properties of goal.h. A goal about a `figure` earns nothing while an output is wrong. */
    bool correctness, in_words, quiz, counted, figure, timed, rule;
    void (*read)(goal_source *s, grade_goal *g); /* everything except points and advice */
    /* Returns what is wrong; id 0 if nothing is. */
    lib_words (*check)(const grade_goal *g);
    void (*judge)(grade_result *r, size_t i, const grade_evidence *e, goal_judged *j);
    const goal_bound *(*bound)(const grade_goal *g);
    /* The 95% interval of its figure, on a device with measured times. */
    void (*interval)(const grade_goal *g, const grade_evidence *e, const grade_ratio *q, double *lo,
                     double *hi);
    /* Returns the goal's smallest threshold above v, or infinity. NULL: the goal has only one
     * threshold. */
    double (*next)(const grade_goal *g, double v);
    lib_words (*sentence)(const grade_goal *g);
    lib_words (*title)(const char *name, const char *relation, double expected);
    const char *(*value)(char buf[32], double v);
    lib_words (*line)(const grade_goal_result *r);
    bool (*room)(const grade_goal_result *r, double *room);
    void (*json)(const grade_goal_result *r, json_t *o);
} goal_kind;
#define GOAL(ID, name) extern const goal_kind goal_##name;
#include "grader/goals.def"
#undef GOAL

const goal_kind *goal_kind_of(const grade_goal *g); /* kinds.c */

/* ---- common.c ---- */

/* The launch that took longest; NULL: there was none. */
const grade_launch *goal_longest(const grade_result *r);
/* These add to the goal's message: a sentence; the lab's own advice, or `ours` if it has none (0:
 * nothing); what to look at in a call that is too slow. */
void goal_add(grade_goal_result *g, lib_words words);
void goal_advise(grade_goal_result *g, lib_word_id ours);
void goal_advise_speed(grade_goal_result *g, const grade_result *r);
/* Lowers the points of the first n goals, all by the same factor, if they add up to more. */
void goal_keep_at_most(grade_result *r, size_t n, double most);

/* ---- mains.c ---- */

/* If a main goal is missed, lowers the points to half of (1 + the share of its points that was
 * earned), and says so in its message. Of several, the smallest share counts. */
void goal_keep_by_mains(grade_result *r);

/* ---- slowest.c ---- */

/* Judges the lab's goal `slowest` after all others: returns whether it is met. Otherwise adds it to
 * r->goals, which has room for it, and takes points away. */
bool goal_slowest_met(grade_result *r, const grade_evidence *e);

/* ---- speedup.c, fraction.c: goals of speed ---- */

/* Reads the threshold, `full` and `none` of a speed goal. */
void goal_read_curve(goal_source *s, grade_goal *g);
/* Returns what is wrong with `full` and `none`; id 0 if nothing is. */
lib_words goal_check_curve(const grade_goal *g);
/* Returns the goal's limit of the device, by its name. */
const goal_bound *goal_bound_of(const grade_goal *g);
/* The 95% interval of the share of the limit that was reached. */
void goal_bound_interval(const grade_goal *g, const grade_evidence *e, const grade_ratio *q,
                         double *lo, double *hi);
const char *goal_percent(char buf[32], double v); /* a share as "80%" */
/* Finds the limit's peak and what was reached. Returns false, with a message in g, if the device
 * does not have the peak. */
bool goal_bound_judge(const grade_result *r, grade_goal_result *g, const grade_evidence *e,
                      double *peak, double *reached);

#endif
