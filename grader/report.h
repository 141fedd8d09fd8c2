/* Reports of one grading. Each is a text in some format; each format is a row here and a file
 * report_NAME.c. These follow from the row: the options of `grade`, their help, the completion, the
 * manual page, and the files that a batch keeps. */
#ifndef WARPLAB_GRADE_REPORT_H
#define WARPLAB_GRADE_REPORT_H

#include "runner/base/lang.h"
#include "grader/result.h"

/* ROW(ID, function, option, suffix, reader), in the order in which they are written. The
 * catalogue's row help.grade.OPTION says what the option does.
 *
 *   function  report_FUNCTION(view, lang) makes the text (report/formats.h)
 *   option    `grade LAB FILE.cu --OPTION F` writes it
 *   suffix    a batch keeps it as OUT/reports/KEY.SUFFIX; "": it does not
 *   reader    who reads it, see below */
#define GRADE_REPORTS(ROW)                                                                         \
    ROW(JSON, json, "json", "", TEACHER)                                                           \
    ROW(JUNIT, junit, "junit", "junit.xml", STUDENT)                                               \
    ROW(GRADESCOPE, gradescope, "gradescope", "gradescope.json", BOTH)                             \
    ROW(PRAIRIELEARN, prairielearn, "prairielearn", "", STUDENT)                                   \
    ROW(CLASSROOM, classroom, "classroom", "", STUDENT)                                            \
    ROW(AUTOLAB, autolab, "autolab", "", STUDENT)                                                  \
    ROW(HTML, html, "html", "html", TEACHER)                                                       \
    ROW(STUDENT_HTML, html, "student-html", "student.html", STUDENT)

typedef enum {
    /* contains what a student may know: for a hidden case, its verdict and the kind of its first
     * mistake */
    GRADE_FOR_STUDENT,
    GRADE_FOR_TEACHER, /* contains everything */
    /* a student's report, and `hidden_details`, which the grading system shows only to teachers */
    GRADE_FOR_BOTH
} grade_report_reader;

typedef enum {
#define ROW(id, ...) GRADE_REPORT_##id,
    GRADE_REPORTS(ROW)
#undef ROW
        GRADE_REPORT_FORMATS
} grade_report_format;

typedef struct {
    const char *option, *suffix;
    grade_report_reader reader;
} grade_report_info;
const grade_report_info *grade_report_at(unsigned f); /* f < GRADE_REPORT_FORMATS */

/* Writes the report. The caller frees it; NULL only if memory ran out. */
char *grade_report(const grade_result *r, grade_report_format f, lib_lang lang);

#endif
