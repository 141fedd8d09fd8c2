/* A whole grading as the reports see it: one row a student and lab, which is the attempt that counts
 * by the course's rules, read from the records. */
#ifndef WARPLAB_GRADER_ROWS_H
#define WARPLAB_GRADER_ROWS_H

#include "runner/base/message.h"
#include "grader/course/policy.h"

typedef struct {
    const char *student, *lab, *sha, *key; /* point into the manifest */
    json_t *record;                        /* NULL: not graded yet */
    /* the record is of an earlier grading of the same file: the newest one has not succeeded */
    bool older;
    const store_entry *entry;
    policy_verdict when; /* in time or late, and what that costs */
    bool unsettled;      /* another attempt could count for more, and is not graded yet */
    double most;         /* the lab's full marks: the largest of all its records */
} course_row;
typedef struct {
    store_manifest m;
    policy rules;
    course_row *row; /* by lab, then student */
    size_t count;
    const course_row **by_student; /* the same rows by student, then lab */
    char **lab, **student;         /* sorted, each once; point into the manifest */
    size_t labs, students;
} course;
/* False and *msg; true: *msg says nothing. */
bool course_load(course *c, const char *out, lib_message *msg);
/* The same under other rules than those that are kept (policy_load). */
bool course_load_under(course *c, const char *out, const char *rules, const char *pack,
                       lib_message *msg);
void course_free(course *c);
const course_row *course_find(const course *c, const char *student, const char *lab);
/* The first row of a student's, by lab; NULL: nobody is called so. */
const course_row *course_first(const course *c, const char *student);
/* One attempt by itself, whether it counts or not; the caller lets its record go. out: OUT, opened. */
course_row course_attempt(const course *c, int out, const store_entry *e);
const char *course_state(const course_row *r); /* graded, ..., "missing" */
/* What a page's badge says: pass or fail of a graded one, else the state. */
const char *course_verdict(const course_row *r);
/* The same on a terminal: English has the word of the records, which programs look for. */
const char *course_verdict_word(const char *verdict, lib_lang lang);
/* A score that may be published, what lateness costs taken off: graded and suspect ones have one. */
bool course_score(const course_row *r, double *score);
bool course_earned(const course_row *r, double *score); /* nothing taken off */
/* The record with what the course's rules make of it as "course": attempt, due, late, cut, score,
 * and a sentence in each language; the caller lets it go. NULL: no record. */
json_t *course_record(const course *c, const course_row *r);
/* A student by any name that the system has for them: their rows' student. What is before the @ of an address, and
 * the person's own name, will do where nothing else fits. NULL: nobody, or *several. */
const char *course_who(const course *c, const char *name, bool *several);

#endif
