/* The reports, as grader/report.h and model.h offer them. What a student reads is made from what
 * report_student() leaves, here and nowhere else. */
#include "grader/report/formats.h"
#include "grader/report.h"
#include "grader/result.h"
#include "grader/json/json.h"

#include <stdlib.h>

char *report_write(report_format f, const json_t *o, lib_lang lang) {
    json_t *view = report_student(o);
    char *secret, *text = NULL;
    if (!view) return NULL;
    switch (f) {
    case REPORT_JUNIT: text = report_junit(view, lang); break;
    case REPORT_GRADESCOPE:
        secret = report_hidden_details(o, lang);
        text = report_gradescope(view, secret, lang);
        free(secret);
        break;
    case REPORT_PRAIRIELEARN: text = report_prairielearn(view, lang); break;
    case REPORT_CLASSROOM: text = report_classroom(view, lang); break;
    case REPORT_AUTOLAB: text = report_autolab(view, lang); break;
    case REPORT_STUDENT_HTML: text = report_html(view, lang); break;
    case REPORT_FORMATS: break;
    }
    json_decref(view);
    return text;
}

char *report_instructor(const json_t *o, lib_lang lang) {
    return report_html(o, lang);
}

char *grade_report_json(const grade_result *r, lib_lang lang, bool pretty) {
    json_t *o = report_object(r, lang);
    char *s = o ? json_written(o, pretty) : NULL;
    json_decref(o);
    return s;
}

static char *from_result(const grade_result *r, report_format f, lib_lang lang) {
    json_t *o = report_object(r, lang);
    char *s = o ? report_write(f, o, lang) : NULL;
    json_decref(o);
    return s;
}

char *grade_report_junit(const grade_result *r, lib_lang lang) {
    return from_result(r, REPORT_JUNIT, lang);
}
char *grade_report_gradescope(const grade_result *r, lib_lang lang) {
    return from_result(r, REPORT_GRADESCOPE, lang);
}
char *grade_report_prairielearn(const grade_result *r, lib_lang lang) {
    return from_result(r, REPORT_PRAIRIELEARN, lang);
}
char *grade_report_classroom(const grade_result *r, lib_lang lang) {
    return from_result(r, REPORT_CLASSROOM, lang);
}
char *grade_report_autolab(const grade_result *r, lib_lang lang) {
    return from_result(r, REPORT_AUTOLAB, lang);
}

char *grade_report_html(const grade_result *r, lib_lang lang, bool instructor) {
    if (!instructor) return from_result(r, REPORT_STUDENT_HTML, lang);
    json_t *o = report_object(r, lang);
    char *s = o ? report_instructor(o, lang) : NULL;
    json_decref(o);
    return s;
}
