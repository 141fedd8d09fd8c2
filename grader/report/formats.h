/* The functions behind the rows of grader/report.h. A student's report is made from student.c's
 * view, in which nothing depends on hidden cases. Therefore the functions need not check for
 * them. */
#ifndef WARPLAB_GRADER_FORMATS_H
#define WARPLAB_GRADER_FORMATS_H

#include "grader/report/model.h"

/* Makes the student's view of a result or record; NULL only if memory ran out. */
json_t *report_student(const json_t *o);
/* For instructors only: the hidden cases that failed, one per line; malloc'ed. */
char *report_hidden_details(const json_t *o, lib_lang lang);

/* Each of these makes a text from a whole object, or from a student's view; malloc'ed. */
#define ROW(id, function, ...) char *report_##function(const json_t *view, lib_lang lang);
GRADE_REPORTS(ROW)
#undef ROW

#endif
