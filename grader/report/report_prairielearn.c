/* PrairieLearn's results.json of an external grader: a score from 0 to 1; or gradable false, which
 * costs the student no attempt. */
#include <stdlib.h>
#include "grader/report/formats.h"
#include "grader/json/json.h"

char *report_prairielearn(const json_t *o, lib_lang lang) {
    json_t *out = json_object(), *tests = json_array();
    const json_t *g;
    size_t i;
    double max = report_number(o, "max_score"),
           score = max > 0 ? report_number(o, "score") / max : 0;
    bool gradable = !report_ungraded(o);
    json_object_set_new(out, "gradable", json_boolean(gradable));
    if (gradable)
        json_object_set_new(out, "score", json_value(score < 0 ? 0 : score > 1 ? 1 : score));
    json_object_set_new(out, "message", json_text(report_said(o, lang)));
    json_object_set_new(out, "output", json_text(report_text(json_object_get(o, "build"), "log")));
    if (!gradable)
        json_object_set_new(out, "format_errors",
                            json_pack("[o]", json_text(report_said(o, lang))));
    json_array_foreach(json_object_get(o, "goals"), i, g) {
        if (!gradable) break;
        char *title = report_goal_title(g, lang), *hidden = i ? NULL : report_hidden(o, lang);
        json_t *t = json_object();
        json_object_set_new(t, "name", json_text(title));
        json_object_set_new(t, "description", json_text(report_text(o, "title")));
        json_object_set_new(t, "points", json_value(report_number(g, "points")));
        json_object_set_new(t, "max_points", json_value(report_number(g, "max_points")));
        json_object_set_new(t, "message", json_text(report_said(g, lang)));
        json_object_set_new(t, "output", json_text(hidden ? hidden : ""));
        json_array_append_new(tests, t);
        free(title);
        free(hidden);
    }
    json_object_set_new(out, "tests", tests);
    char *s = json_written(out, true);
    json_decref(out);
    return s;
}
