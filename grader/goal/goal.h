/* What a goal of a lab is. A kind of goal is one row of grader/goals.def and one file of this room.
 * This file has everything about the kind: how a lesson writes it, what can be wrong with it, how
 * it is judged, worded and drawn. The rest of Warplab calls the functions below and never tests for
 * a kind.
 *
 *   lesson --goal_source--> read() --> grade_goal --check()--> labcheck.c
 *                                          |
 *   grade_evidence --grade_judge()---> judge() --> grade_goal_result --> sentence(), json() ... */
#ifndef WARPLAB_GRADER_GOAL_H
#define WARPLAB_GRADER_GOAL_H

#include <jansson.h>
#include "runner/base/buffer.h"
#include "grader/figure.h"
#include "grader/grade.h"
#include "grader/lab.h"
#include "grader/result.h"
#include "grader/judge/metrics.h"
#include "grader/judge/timing.h"

/* ---- what is judged ---- */

typedef struct {
    metric_status status;
    double value;
    /* of a kernel with which another is compared: the share of its time that counts; 0: all of
     * it */
    double part;
    /* the baseline's threads over the call's, if a goal per thread multiplied the value by it; 0:
     * it did not */
    double fewer;
    /* the launch with this value, if there are several: "sum<<<64, 256>>>"; otherwise "" */
    char launch[128];
} grade_metric_value;
typedef struct {
    bool outputs_right;            /* in every case, with every set of inputs */
    bool measured;                 /* the timed case was run */
    const bool *far;               /* per goal: missed by far in a near case; NULL: in none */
    const lib_message *unmeasured; /* of the public case for which it was not; NULL: unknown */
    const grade_metric_value *student, *baseline; /* per goal of the lab; of counted goals only */
    double copy_gbs, fp32_gflops;                 /* of the device; 0: unknown */
    double useful_bytes, useful_flops;            /* of the timed case */
    /* not NULL: the first one that forbids full marks */
    const sim_finding *finding;
    /* the times are measured, and r->ci_lo and r->ci_hi are valid */
    bool sampled;
    /* judge goals about counters by this result; or NULL */
    const grade_result *explained;
    const char *submission; /* as in grade_options */
    const grade_truth *truths;
} grade_evidence;
/* Fills r->goals, the score and the verdict. If the verdict is already ERROR or SUSPECT, it stays,
 * and the goals only say what was measured. */
void grade_judge(grade_result *r, const grade_evidence *e);
double grade_curve(double value, double full_at, double none_at); /* share of the points, 0 to 1 */
bool grade_holds(double value, grade_relation rel, double threshold);

/* The figures of a near case (grade_draw_near). */
typedef struct {
    const grade_metric_value *mine, *base; /* as student and baseline in grade_evidence */
    const grade_metric_value *timed;       /* the baseline's in the timed case */
    double speedup;                        /* 0: unknown */
} goal_near;
/* Returns whether they miss the goal by far: by more than an honest program's figures change with
 * the size. */
bool grade_goal_far(const grade_goal *g, const goal_near *near);

/* ---- how a lesson writes a goal ---- */

/* A word of the lesson language. It is written NAME { ... } if `fields` is NULL, otherwise
 * NAME(...) { ... } with these positional fields. */
typedef struct {
    const char *name, *fields;
    const char *named; /* all fields it may have, separated by blanks */
    const char *doc;   /* one sentence */
} goal_word;
/* Enumerates the words of all kinds, with the kind that each one writes. NULL after the last. */
const goal_word *goal_word_at(size_t i, grade_goal_kind *kind);

/* Reads the fields that a lesson wrote. If a function finds an unexpected field or value, it
 * reports that with a message and does not return. */
typedef struct goal_source goal_source;
struct goal_source {
    const char *word;
    double (*number)(goal_source *s, const char *field, double otherwise, bool required);
    /* Reads a number, or NUMBER * baseline; *relative says which. */
    double (*times)(goal_source *s, const char *field, bool *relative);
    const char *(*text)(goal_source *s, const char *field, bool required);
    bool (*flag)(goal_source *s, const char *field);
    size_t (*texts)(goal_source *s, const char *field, const char *const **out);
    size_t (*accesses)(goal_source *s, const char *field, const grade_access **out);
    void (*counter)(goal_source *s, const char *name); /* fails unless this counter exists */
    void *(*alloc)(goal_source *s, size_t n);          /* zeroed; lives as long as the lab */
    __attribute__((noreturn)) void (*fail)(goal_source *s, const char *field, lib_words why);
};
/* Reads a lesson's goal of this kind into *g, without points and advice. s->fail() ends the
 * reading. */
void grade_goal_read(goal_source *s, grade_goal_kind kind, grade_goal *g);
/* Returns false and sets *why if the lab's author made a mistake. */
bool grade_goal_check(const grade_goal *g, lib_message *why);

/* ---- properties of a kind ---- */

bool grade_goal_correctness(const grade_goal *g); /* it asks for right outputs */
bool grade_goal_in_words(const grade_goal *g);    /* it asks for answers: no program has to run */
/* questions at the prompt; always a lab's only goal */
bool grade_goal_quiz(const grade_goal *g);
bool grade_goal_counted(const grade_goal *g);    /* it compares the counter `name` by `relation` */
bool grade_goal_figure(const grade_goal *g);     /* it judges a figure of the timed case */
bool grade_goal_timed(const grade_goal *g);      /* it judges speed */
bool grade_goal_per_thread(const grade_goal *g); /* a counter goal with per = "thread" */
bool grade_goal_rule(const grade_goal *g);       /* it has no points of its own (slowest) */
/* Whether it is one of the lab's main goals: of the goals about figures, those with the most
 * points, if they are worth a fifth of the lab's points (docs/grading.md). */
bool grade_goal_main(const grade_lab *lab, const grade_goal *g);
grade_relation grade_goal_relation(const grade_goal *g);
/* Returns GRADE_GOAL_KINDS if no kind has this name. */
grade_goal_kind grade_goal_kind_find(const char *name);
/* Returns whether the goal has this name, or its kind has. Hints name goals in this way. */
bool grade_goal_called(const grade_goal *g, const char *name);
/* Returns whether every goal of correctness is met. */
bool grade_result_correct(const grade_result *r);

/* A limit of the device. Goals may ask for a share of it. */
typedef struct {
    const char *name, *unit;
    /* after "the"; with the device's name; as a goal's name */
    lib_word_id called, of_device, share;
} goal_bound;
/* NULL: the goal asks for no share of a limit */
const goal_bound *grade_goal_bound(const grade_goal *g);
/* Returns the share of the limit that the evidence's work reaches in time_us; 0: unknown. */
double grade_goal_share(const grade_goal *g, const grade_evidence *e, double time_us);
/* For measured times: returns whether no threshold of the goal is inside the interval of its
 * figure. */
bool grade_goal_decided(const grade_goal *g, const grade_evidence *e, const grade_ratio *q);

/* ---- wording ---- */

/* Returns what the goal asks: "2 times as fast as the baseline". malloc'ed; NULL: no memory. */
char *grade_goal_sentence(const grade_goal *g, lib_lang lang);
/* Makes a title from a record, which may be of another version: "Speed-up >= 2". malloc'ed. */
char *grade_goal_title(const char *kind, const char *name, const char *relation, double expected,
                       lib_lang lang);
/* Writes a value of the goal's figure for a table: "71 %". */
const char *grade_goal_value(const grade_goal *g, double v, char buf[32]);
/* Returns one line with what the goal asks and the figure reached: "2 times as fast as the baseline
 * (1.5)". malloc'ed. */
char *grade_goal_line(const grade_goal_result *r, lib_lang lang);
double grade_goal_near(const grade_goal_result *r); /* 0 to 1, for a bar */
/* *room: how far the figure is inside its limit, as a ratio; 1 is met exactly. Returns false if the
 * goal can only be met or missed. */
bool grade_goal_room(const grade_goal_result *r, double *room);
/* Adds to the goal's JSON what only this kind has. */
void grade_goal_json(const grade_goal_result *r, json_t *o);

#endif
