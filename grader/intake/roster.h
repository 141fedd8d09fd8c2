/* Reads who takes part: a CSV exported by the course's system becomes people and their names.
 * Headings identify the columns (the table is in roster.c). Known are Canvas's gradebook, Moodle's
 * grading worksheet and participants, the rosters of Gradescope and GitHub Classroom,
 * PrairieLearn's scores, Brightspace's grades, and a course's own CSV with student, name, email,
 * id. */
#ifndef WARPLAB_GRADER_ROSTER_H
#define WARPLAB_GRADER_ROSTER_H

#include <stdbool.h>
#include <stdint.h>
#include "runner/base/message.h"
#include "grader/intake/csv_read.h"

enum { ROSTER_IDS = 8 };
typedef struct {
    char *id[ROSTER_IDS]; /* logins, numbers, e-mail addresses; each belongs only to this person */
    unsigned count;
    char *name;     /* "" if unknown */
    char *student;  /* the one of id[] that reports use */
    bool submitted; /* a worksheet has the time of submission */
    int64_t time;   /* with submitted */
    size_t row;     /* in the table */
} roster_person;
typedef struct roster_key roster_key;
typedef struct {
    csv_table table;
    roster_person *person;
    size_t count;
    roster_key *key; /* every name of every person, for look-up */
    size_t keys;
    bool worksheet; /* Moodle's grading worksheet: its Grade column belongs to one assignment */
    char path[512];
} roster;
/* Returns false and sets *msg if the file cannot be read, or no column identifies people. zone: for
 * the times of a worksheet, in minutes east of Greenwich. */
bool roster_read(const char *path, int zone, roster *r, lib_message *msg);
void roster_free(roster *r);
/* Returns the first column with this heading, or with the word `word` in any language; SIZE_MAX:
 * none. */
size_t roster_column(const csv_table *t, const char *heading, lib_word_id word);
/* Canvas's "Student, Test", a row that every gradebook has and that is no person. */
bool roster_nobody(const roster_person *p);
/* Finds the one person with one of the ids, ignoring case; the part of an address before the @ also
 * counts. If no id fits, finds the person with this name. NULL: not found, or ambiguous
 * (*several). */
const roster_person *roster_find(const roster *r, const char *const *ids, size_t count,
                                 const char *name, bool *several);

#endif
