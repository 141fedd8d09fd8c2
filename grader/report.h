/* Reports of one grading; each is a text in some format, and each format is a row here and a file
 * report_NAME.c. The options of `grade`, its usage and help, completion, manual page, and the files
 * that a batch keeps all follow from the row. */
#ifndef WARPLAB_GRADE_REPORT_H
#define WARPLAB_GRADE_REPORT_H

#include "runner/base/lang.h"
#include "grader/result.h"

/* ROW(ID, function, option, suffix, reader), in the order in which they are written; what the
 * option does is the row help.grade.OPTION of the catalogue:
 *
 *   function  report_FUNCTION(view, lang) makes the text (report/formats.h)
 *   option    `grade LAB FILE.cu --OPTION F` writes it
 *   suffix    a batch keeps it as OUT/reports/KEY.SUFFIX; "": it does not
 *   reader    what the view holds, see below */
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
    GRADE_FOR_STUDENT, /* made from what a student may know: of a hidden case its verdict and the
                          kind of its first mistake */
    GRADE_FOR_TEACHER, /* from all that is known */
    GRADE_FOR_BOTH     /* a student's, and `hidden_details`, which the system shows to teachers */
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

/* malloc'ed; NULL only when memory ran out. */
char *grade_report(const grade_result *r, grade_report_format f, lib_lang lang);

#endif
