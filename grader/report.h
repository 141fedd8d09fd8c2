/* Reports of one grading (report_*.c); each returns a malloc'ed NUL-terminated text that the
 * caller frees. All but the JSON and the instructor's page are made from what a student may
 * know: of a hidden case its verdict and the kind of its first mistake. */
#ifndef WARPLAB_GRADE_REPORT_H
#define WARPLAB_GRADE_REPORT_H

#include <stdbool.h>
#include "runner/base/lang.h"
#include "grader/result.h"

char *grade_report_json(const grade_result *r, lib_lang lang, bool pretty);
char *grade_report_junit(const grade_result *r, lib_lang lang);
char *grade_report_gradescope(const grade_result *r, lib_lang lang);
char *grade_report_prairielearn(const grade_result *r, lib_lang lang);
/* base64, as GitHub Classroom's reporter reads it */
char *grade_report_classroom(const grade_result *r, lib_lang lang);
/* the text and, last, the line of scores */
char *grade_report_autolab(const grade_result *r, lib_lang lang);
/* One self-contained page. `instructor`: with the arguments of hidden cases. */
char *grade_report_html(const grade_result *r, lib_lang lang, bool instructor);

#endif
