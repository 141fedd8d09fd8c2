/* Who takes part: a CSV that the course's system exports, whichever it is, to people and the names
 * that they go by. Columns are told by their headings (the table is in roster.c): Canvas's gradebook,
 * Moodle's grading worksheet and participants, Gradescope's and GitHub Classroom's rosters,
 * PrairieLearn's scores, Brightspace's grades, or a course's own with student, name, email, id. */
#ifndef WARPLAB_GRADER_ROSTER_H
#define WARPLAB_GRADER_ROSTER_H

#include <stdbool.h>
#include <stdint.h>
#include "runner/base/message.h"
#include "grader/intake/csv_read.h"

enum { ROSTER_IDS = 8 };
typedef struct {
    char *id[ROSTER_IDS]; /* logins, numbers, e-mail addresses: each names this person alone */
    unsigned count;
    char *name;     /* "" when there is none */
    char *student;  /* the one of id[] that reports call them by */
    bool submitted; /* a worksheet says when */
    int64_t time;   /* with submitted */
    size_t row;     /* in the table */
} roster_person;
typedef struct roster_key roster_key;
typedef struct {
    csv_table table;
    roster_person *person;
    size_t count;
    roster_key *key; /* every name that any of them goes by, to be looked up */
    size_t keys;
    bool worksheet; /* Moodle's grading worksheet: its Grade column is one assignment's */
    char path[512];
} roster;
/* False and *msg: it cannot be read, or no column names anybody. zone: of a worksheet's times. */
bool roster_read(const char *path, int zone, roster *r, lib_message *msg);
void roster_free(roster *r);
/* The first column of that heading, or of what `word` is in some language; SIZE_MAX: none. */
size_t roster_column(const csv_table *t, const char *heading, lib_word_id word);
/* Canvas's "Student, Test", whom every course has and nobody is. */
bool roster_nobody(const roster_person *p);
/* The one person that one of the ids names (in any case; an e-mail address also by what is before
 * its @); where no id does, the one whose name it is. NULL: nobody, or *several. */
const roster_person *roster_find(const roster *r, const char *const *ids, size_t count,
                                 const char *name, bool *several);

#endif
