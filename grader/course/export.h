/* How one system's export of grades differs from the others: a row of GRADE_EXPORTS (course.h), and
 * a csv_format in export_NAME.c. csv.c makes the table. */
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
    /* The columns that identify a student in a file without a roster. */
    const char *const *columns;
    size_t column_count;
    const char *title; /* the system's name in messages */
    /* The roster that this system expects, for a user who gives another system's; and its
     * headings. */
    lib_word_id takes;
    const char *headings; /* one per line */
    /* Returns whether a table surely is this system's own export. NULL: that cannot be known. */
    bool (*sure)(const csv_table *t);
    /* Returns whether a roster may be this system's if no other system is sure of it. NULL:
     * always. */
    bool (*own)(const roster *people);
    /* Returns what the system writes for a student in one of the columns. `kept` is the roster kept
     * with the grading, possibly empty; `text` is room for the result. NULL: the cell gets the
     * student's name in OUT. */
    const char *(*cell)(const course *c, const roster *kept, const char *student,
                        const char *column, char text[EXPORT_CELL]);
    const char *suffix; /* follows a lab's name in a heading; may be "" */
    const char *last;   /* heading of a last column that has "#" in each row; NULL: none */
    bool worksheet;     /* the roster may be a worksheet, whose Grade column is filled */
    bool points_row;    /* the second row contains the full marks */
    /* Returns the full marks of a column of the roster, 0 if unknown; and the name of that field.
     * NULL: the roster never has them. */
    double (*asked)(const csv_table *t, size_t column);
    const char *asked_name;
    /* Columns about people, not assignments; ends with NULL. */
    const char *const *people;
} csv_format;

#define ROW(id, name) extern const csv_format csv_##name;
GRADE_EXPORTS(ROW)
#undef ROW

/* Finds a student, by any name, on the kept roster. NULL: not found, or ambiguous (*several). */
const roster_person *csv_person(const roster *people, const course *c, const char *student,
                                bool *several);
/* A student's full name; "" if unknown. */
const char *csv_name(const course *c, const char *student);
/* Returns whether there is a column with this heading. */
bool csv_has(const csv_table *t, const char *heading);

#endif
