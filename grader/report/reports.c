/* The reports, behind grader/report.h and model.h. Only here is a student's report made, from the
 * view of report_student(). */
#include "grader/report/formats.h"

#include <stdlib.h>
#include "grader/json/json.h"

static const grade_report_info infos[] = {
#define ROW(id, function, option, suffix, reader) {option, suffix, GRADE_FOR_##reader},
    GRADE_REPORTS(ROW)
#undef ROW
};

static char *(*const makers[])(const json_t *view, lib_lang lang) = {
#define ROW(id, function, ...) report_##function,
    GRADE_REPORTS(ROW)
#undef ROW
};

const grade_report_info *grade_report_at(unsigned f) {
    return f < GRADE_REPORT_FORMATS ? &infos[f] : NULL;
}

char *report_json(const json_t *o, lib_lang lang) {
    (void)lang;
    return json_written(o, true);
}

/* Returns what the format's reader may know. */
static json_t *view_for(grade_report_reader reader, const json_t *o, lib_lang lang) {
    if (reader == GRADE_FOR_TEACHER) return json_incref((json_t *)(uintptr_t)o);
    json_t *view = report_student(o);
    if (view && reader == GRADE_FOR_BOTH) {
        char *details = report_hidden_details(o, lang);
        json_set(view, "hidden_details", json_text(details));
        free(details);
    }
    return view;
}

char *report_write(grade_report_format f, const json_t *o, lib_lang lang) {
    json_t *view = view_for(infos[f].reader, o, lang);
    char *text = view ? makers[f](view, lang) : NULL;
    json_decref(view);
    return text;
}

char *grade_report(const grade_result *r, grade_report_format f, lib_lang lang) {
    json_t *o = report_object(r, lang);
    char *text = o ? report_write(f, o, lang) : NULL;
    json_decref(o);
    return text;
}
