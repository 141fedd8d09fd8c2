/* The reports over a result, as grade.h offers them: the JSON object is made once, then the report
 * from it. */
#include "grader/report/report.h"

char *grade_report_json(const grade_result *r, lib_lang lang, bool pretty) {
    json_t *o = report_object(r, lang);
    char *s = o ? report_dump(o, pretty) : NULL;
    json_decref(o);
    return s;
}

#define FROM_RESULT(name)                                                                          \
    char *grade_report_##name(const grade_result *r, lib_lang lang) {                              \
        json_t *o = report_object(r, lang);                                                        \
        char *s = o ? report_##name(o, lang) : NULL;                                               \
        json_decref(o);                                                                            \
        return s;                                                                                  \
    }
FROM_RESULT(junit)
FROM_RESULT(gradescope)
FROM_RESULT(prairielearn)
FROM_RESULT(classroom)
FROM_RESULT(autolab)

char *grade_report_html(const grade_result *r, lib_lang lang, bool instructor) {
    json_t *o = report_object(r, lang);
    char *s = o ? report_html(o, lang, instructor) : NULL;
    json_decref(o);
    return s;
}
