/* What a goal of a lab is. A kind is one row of grader/goals.def and one file of this room, which
 * has all of it: how a lesson writes it, what can be wrong with it, how it is judged, told and
 * drawn. The rest of Warplab asks the functions here and tests no kind.
 *
 *   lesson --goal_source--> read() --> grade_goal --check()--> labcheck.c
 *                                          |
 *   grade_evidence --grade_judge()---> judge() --> grade_goal_result --> sentence(), title(), json()
 */
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
    double part;      /* of a measure, which counts that far only; 0: it counts */
    char launch[128]; /* whose it is, of several: "sum<<<64, 256>>>"; else "" */
} grade_metric_value;
typedef struct {
    bool outputs_right;                           /* every case, every set of inputs */
    bool measured;                                /* the timed case was run */
    const grade_metric_value *student, *baseline; /* per goal of the lab; counted goals only */
    double copy_gbs, fp32_gflops;                 /* of the device; 0: not known */
    double useful_bytes, useful_flops;            /* of the timed case */
    const sim_finding *finding;                   /* not NULL: the first that forbids full marks */
    bool sampled;                                 /* times are measured: r->ci_lo, ci_hi hold */
    const grade_result *explained;                /* goals of counters were judged there; or NULL */
    const char *submission;                       /* as in grade_options */
    const grade_truth *truths;
} grade_evidence;
/* Fills r->goals, the score and the verdict, unless that is already ERROR or SUSPECT (then goals
 * say what was measured). */
void grade_judge(grade_result *r, const grade_evidence *e);
double grade_curve(double value, double full_at, double none_at); /* share of the points, 0..1 */
bool grade_holds(double value, grade_relation rel, double threshold);

/* ---- how a lesson writes a goal ---- */

/* A word of the lesson language: NAME { ... } where `fields` is NULL, else NAME(...) { ... } with
 * those positional fields. */
typedef struct {
    const char *name, *fields;
    const char *named; /* all the fields it may have, with blanks between */
    const char *doc;   /* a sentence */
} goal_word;
/* All words of all kinds by number, and the kind that each writes; NULL past the last. */
const goal_word *goal_word_at(size_t i, grade_goal_kind *kind);

/* The fields that a lesson wrote. A function that finds something else than it should ends the
 * reading with a message, and does not return. */
typedef struct goal_source goal_source;
struct goal_source {
    const char *word;
    double (*number)(goal_source *s, const char *field, double otherwise, bool required);
    /* A number, or NUMBER * baseline: then *relative is set. */
    double (*times)(goal_source *s, const char *field, bool *relative);
    const char *(*text)(goal_source *s, const char *field, bool required);
    bool (*flag)(goal_source *s, const char *field);
    size_t (*texts)(goal_source *s, const char *field, const char *const **out);
    size_t (*accesses)(goal_source *s, const char *field, const grade_access **out);
    void (*counter)(goal_source *s, const char *name); /* there is such a counter */
    void *(*alloc)(goal_source *s, size_t n);          /* zeroed; lives as long as the lab */
    __attribute__((noreturn)) void (*fail)(goal_source *s, const char *field, lib_words why);
};
void grade_goal_read(goal_source *s, grade_goal_kind kind, grade_goal *g);
/* What a lab's author got wrong: false and *why. */
bool grade_goal_check(const grade_goal *g, lib_message *why);

/* ---- what a kind is like ---- */

bool grade_goal_correctness(const grade_goal *g); /* it asks for right outputs */
bool grade_goal_in_words(const grade_goal *g);    /* it asks for answers: no program need be run */
bool grade_goal_quiz(const grade_goal *g);        /* questions at the prompt; a lab's only goal */
bool grade_goal_counted(const grade_goal *g);     /* of the counter `name`, by `relation` */
bool grade_goal_figure(const grade_goal *g);      /* of a figure of the timed case */
bool grade_goal_timed(const grade_goal *g);       /* of speed */
grade_relation grade_goal_relation(const grade_goal *g);
/* GRADE_GOAL_KINDS: none of that name. */
grade_goal_kind grade_goal_kind_find(const char *name);
/* Is it called so, by its own name or its kind's? As hints name goals. */
bool grade_goal_called(const grade_goal *g, const char *name);
/* Every goal of correctness is met. */
bool grade_result_correct(const grade_result *r);

/* A bound of the device that goals ask a share of. */
typedef struct {
    const char *name, *unit;
    lib_word_id called, of_device, share; /* behind "the"; with the device; as a goal's name */
} goal_bound;
const goal_bound *grade_goal_bound(const grade_goal *g); /* NULL: no share of a bound is asked */
/* The share of it that the evidence's work in that time is; 0: not known. */
double grade_goal_share(const grade_goal *g, const grade_evidence *e, double time_us);
/* Measured times: no threshold of the goal lies within the interval of its figure. */
bool grade_goal_decided(const grade_goal *g, const grade_evidence *e, const grade_ratio *q);

/* ---- how it is told ---- */

/* What it asks, as a sentence: "2 times as fast as the baseline". malloc'ed; NULL: no memory. */
char *grade_goal_sentence(const grade_goal *g, lib_lang lang);
/* The same from a record, which may be of another version: "Speed-up >= 2". malloc'ed. */
char *grade_goal_title(const char *kind, const char *name, const char *relation, double expected,
                       lib_lang lang);
/* A value of its figure, for tables: "71 %". */
const char *grade_goal_value(const grade_goal *g, double v, char buf[32]);
/* In one line what it asks and where it stands: "2 times as fast as the baseline (1.5)". malloc'ed. */
char *grade_goal_line(const grade_goal_result *r, lib_lang lang);
double grade_goal_near(const grade_goal_result *r); /* 0 to 1, for a bar */
/* How often the figure goes into what was asked, or the other way round: 1 is met by a hair. False:
 * it is met exactly or not at all. */
bool grade_goal_room(const grade_goal_result *r, double *room);
/* Adds what only this kind has to the goal's JSON. */
void grade_goal_json(const grade_goal_result *r, json_t *o);

#endif
