/* The functions behind the rows of grader/report.h. A student's is given what student.c makes:
 * nothing in it varies with what a hidden case held, so none of them has to look. */
#ifndef WARPLAB_GRADER_FORMATS_H
#define WARPLAB_GRADER_FORMATS_H

#include "grader/report/model.h"

/* What a student may know of a result or record; NULL only when memory ran out. */
json_t *report_student(const json_t *o);
/* For instructors alone: hidden cases that failed, a line each; malloc'ed. */
char *report_hidden_details(const json_t *o, lib_lang lang);

/* Each makes a text of a whole object, or of a student's view of it; malloc'ed. */
#define ROW(id, function, ...) char *report_##function(const json_t *view, lib_lang lang);
GRADE_REPORTS(ROW)
#undef ROW

#endif
