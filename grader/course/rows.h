/* A whole grading as reports see it. There is one row for each student and lab: the attempt that
 * counts by the course's rules, read from the records. */
#ifndef WARPLAB_GRADER_ROWS_H
#define WARPLAB_GRADER_ROWS_H

#include "runner/base/message.h"
#include "grader/course/policy.h"

typedef struct {
    const char *student, *lab, *sha, *key; /* point into the manifest */
    json_t *record;                        /* NULL: not graded yet */
    /* the record is from an earlier grading of the same file, because the newest has not
     * succeeded */
    bool older;
    const store_entry *entry;
    policy_verdict when; /* in time or late, and the cost */
    bool unsettled;      /* another attempt could count for more, but is not graded yet */
    double most;         /* the lab's full marks: the largest of all its records */
} course_row;
typedef struct {
    store_manifest m;
    policy rules;
    course_row *row; /* by lab, then student */
    size_t count;
    const course_row **by_student; /* the same rows by student, then lab */
    char **lab, **student;         /* sorted, without duplicates; point into the manifest */
    size_t labs, students;
} course;
/* Returns false and sets *msg on an error; otherwise *msg is empty. Free with course_free(). */
bool course_load(course *c, const char *out, lib_message *msg);
/* The same, under rules other than the kept ones (policy_load). */
bool course_load_under(course *c, const char *out, const char *rules, const char *pack,
                       lib_message *msg);
void course_free(course *c);
/* Returns NULL if there is none. */
const course_row *course_find(const course *c, const char *student, const char *lab);
/* A student's first row, by lab; NULL: no such student. */
const course_row *course_first(const course *c, const char *student);
/* Makes the row of one attempt, whether it counts or not. The caller releases its record. out: an
 * open descriptor of OUT. */
course_row course_attempt(const course *c, int out, const store_entry *e);
const char *course_state(const course_row *r); /* graded, ..., "missing" */
/* The text of a page's badge: pass or fail if graded, otherwise the state. */
const char *course_verdict(const course_row *r);
/* The word for it on a terminal. In English it is the word of the records, which scripts look
 * for. */
const char *course_verdict_word(const char *verdict, lib_lang lang);
/* Reads a score that may be published, after the cost of lateness. Only graded and suspect rows
 * have one. */
bool course_score(const course_row *r, double *score);
bool course_earned(const course_row *r, double *score); /* before the cost of lateness */
/* Returns the record with a member "course": attempt, due, late, cut, score, and a sentence in each
 * language. The caller releases it. NULL: no record. */
json_t *course_record(const course *c, const course_row *r);
/* Finds a student by any name that the system has, and returns the student's name in the rows. If
 * no name fits, the part of an address before the @, or the person's own name, is enough. NULL: not
 * found, or ambiguous (*several). */
const char *course_who(const course *c, const char *name, bool *several);

#endif
