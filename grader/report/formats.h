/* The formats behind report_write(). Each is given what student.c makes: nothing in it varies with
 * what a hidden case held, so none of them has to look. */
#ifndef WARPLAB_GRADER_FORMATS_H
#define WARPLAB_GRADER_FORMATS_H

#include "grader/report/model.h"

/* What a student may know of a result or record; NULL only when memory ran out. */
json_t *report_student(const json_t *o);
/* For instructors alone: hidden cases that failed, a line each; malloc'ed. */
char *report_hidden_details(const json_t *o, lib_lang lang);

char *report_junit(const json_t *view, lib_lang lang);
/* `secret`: the text of a test that Gradescope shows to instructors only */
char *report_gradescope(const json_t *view, const char *secret, lib_lang lang);
char *report_prairielearn(const json_t *view, lib_lang lang);
char *report_classroom(const json_t *view, lib_lang lang);
char *report_autolab(const json_t *view, lib_lang lang);
char *report_html(const json_t *o, lib_lang lang);

#endif
