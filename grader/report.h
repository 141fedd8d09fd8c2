/* Reports of one grading; each is a text in some format, and each format is a row here and a file
 * report_NAME.c. The options of `grade`, its usage and help, completion, manual page, and the files
 * that a batch keeps all follow from the row. */
#ifndef WARPLAB_GRADE_REPORT_H
#define WARPLAB_GRADE_REPORT_H

#include "runner/base/lang.h"
#include "grader/result.h"

/* ROW(ID, function, option, suffix, reader, what the option does, the same in Chinese), in the
 * order in which they are written:
 *
 *   function  report_FUNCTION(view, lang) makes the text (report/formats.h)
 *   option    `grade LAB FILE.cu --OPTION F` writes it
 *   suffix    a batch keeps it as OUT/reports/KEY.SUFFIX; "": it does not
 *   reader    what the view holds, see below */
#define GRADE_REPORTS(ROW)                                                                         \
    ROW(JSON, json, "json", "", TEACHER,                                                           \
        "write the whole result as JSON to F (-: standard output)",                                \
        "把完整结果以 JSON 写入这个文件（-：标准输出）")                                           \
    ROW(JUNIT, junit, "junit", "junit.xml", STUDENT, "write JUnit XML to F",                       \
        "把 JUnit XML 写入这个文件")                                                               \
    ROW(GRADESCOPE, gradescope, "gradescope", "gradescope.json", BOTH,                             \
        "write Gradescope's results.json to F", "把 Gradescope 的 results.json 写入这个文件")      \
    ROW(PRAIRIELEARN, prairielearn, "prairielearn", "", STUDENT,                                   \
        "write PrairieLearn's results.json to F", "把 PrairieLearn 的 results.json 写入这个文件")  \
    ROW(CLASSROOM, classroom, "classroom", "", STUDENT,                                            \
        "write what GitHub Classroom's reporter reads to F",                                       \
        "把 GitHub Classroom 报告程序所读的内容写入这个文件")                                      \
    ROW(AUTOLAB, autolab, "autolab", "", STUDENT, "write Autolab's scores line to F",              \
        "把 Autolab 的分数行写入这个文件")                                                         \
    ROW(HTML, html, "html", "html", TEACHER, "write a page with everything to F",                  \
        "把含全部内容的网页写入这个文件")                                                          \
    ROW(STUDENT_HTML, html, "student-html", "student.html", STUDENT,                               \
        "write a page without hidden cases to F", "把不含隐藏用例的网页写入这个文件")

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
