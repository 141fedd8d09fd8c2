/* What differs between the exports of a course's grades: a row of GRADE_EXPORTS (course.h) and a
 * file export_NAME.c with its csv_format each. csv.c makes the table of it. */
#ifndef WARPLAB_GRADER_EXPORT_H
#define WARPLAB_GRADER_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include "runner/base/message.h"
#include "grader/course/course.h"
#include "grader/course/rows.h"
#include "grader/intake/roster.h"

enum { EXPORT_CELL = 300 };
typedef struct {
    /* Who a row is about, in a file without a roster. */
    const char *const *columns;
    size_t column_count;
    const char *title; /* of the system, as messages name it */
    /* What it takes as roster, for who gives it another system's, and the headings to look for. */
    lib_word_id takes;
    const char *headings; /* a line each */
    /* Is a table this system's own export and no other's? NULL: it cannot be known. */
    bool (*sure)(const csv_table *t);
    /* May the roster be its own, where no other system is sure of it? NULL: any may. */
    bool (*own)(const roster *people);
    /* What the system knows a student by in one of the columns. kept: the roster that the grading
     * keeps, or an empty one. text: room for what is made here. NULL: the student's name here. */
    const char *(*cell)(const course *c, const roster *kept, const char *student,
                        const char *column, char text[EXPORT_CELL]);
    const char *suffix; /* behind a lab's name in a heading; "" */
    const char *last;   /* the heading of a column that ends each row with "#"; NULL: none */
    bool worksheet;     /* the roster may be one assignment's worksheet, whose Grade is filled */
    bool points_row;    /* the second row says what full marks are worth */
    /* What full marks are worth in a column of the roster, 0: not said; and what says so there.
     * NULL: such a roster never says it. */
    double (*asked)(const csv_table *t, size_t column);
    const char *asked_name;
    /* The system's own columns, which are no assignment's; up to a NULL. */
    const char *const *people;
} csv_format;

#define ROW(id, name) extern const csv_format csv_##name;
GRADE_EXPORTS(ROW)
#undef ROW

/* The kept roster's person that a student is, by any name; NULL: nobody, or *several. */
const roster_person *csv_person(const roster *people, const course *c, const char *student,
                                bool *several);
/* A student's full name; "" where none is known. */
const char *csv_name(const course *c, const char *student);
/* Is there a column of that heading? */
bool csv_has(const csv_table *t, const char *heading);

#endif
