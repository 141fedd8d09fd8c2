/* Moodle: one row per student, identified by the ID number; or the course's own export, filled in.
 * That is the grading worksheet, whose Grade belongs to one assignment, or the list of
 * participants. */
#include "grader/course/export.h"
#include "words/course.h"

static const char *const columns[] = {"idnumber"};
const csv_format csv_moodle = {.columns = columns,
                               .column_count = sizeof columns / sizeof *columns,
                               .title = "Moodle",
                               .takes = W_COURSE_TAKES_MOODLE,
                               .suffix = "",
                               .worksheet = true};
