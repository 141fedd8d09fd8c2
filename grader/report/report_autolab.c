/* Autolab: a text for the student, and the scores in the last line. Without a verdict each score is
 * null, and Autolab records no score for the problem. If Autolab could not read the last line, it
 * would record 0 for every problem of the submission (saveAutograde in
 * app/helpers/assessment_autograde_core.rb). A text of the submission cannot forge this line: it
 * comes before our last line and cannot begin a line with '{'. */
#include <stdlib.h>
#include <string.h>
#include "runner/base/buffer.h"
#include "runner/base/say.h"
#include "grader/report/formats.h"
#include "grader/json/json.h"

static void said(lib_buffer *b, const char *text) {
    char *clean = lib_clean(text, strlen(text));
    for (char *line = clean; line && *line;) {
        size_t n = strcspn(line, "\n");
        lib_buffer_printf(b, "  %.*s\n", (int)n, line);
        line += n + (line[n] == '\n');
    }
    free(clean);
}

char *report_autolab(const json_t *o, lib_lang lang) {
    lib_buffer b = {0};
    const json_t *g;
    size_t i;
    json_t *scores = json_object();
    lib_buffer_printf(&b, "%s: %s\n", report_text(o, "lab"), report_text(o, "verdict"));
    said(&b, report_said(o, lang));
    said(&b, report_text(json_object_get(o, "build"), "log"));
    json_array_foreach(json_object_get(o, "goals"), i, g) {
        char *title = report_goal_title(g, lang), points[32], max[32], name[160];
        if (report_ungraded(o)) lib_buffer_printf(&b, "%s\n", title ? title : "");
        else
            lib_buffer_printf(&b, "%s: %s / %s\n", title ? title : "",
                              lib_number(points, report_number(g, "points")),
                              lib_number(max, report_number(g, "max_points")));
        said(&b, report_said(g, lang));
        free(title);
        /* A goal without points is no problem of the assessment. */
        if (!report_ungraded(o) && report_number(g, "max_points") == 0) continue;
        /* Autolab's problems have the names of goals. If two goals have the same name, the second
         * gets a number. */
        lib_say(name, sizeof name, "%s", report_text(g, "name"));
        for (unsigned k = 2; json_object_get(scores, name); k++)
            lib_say(name, sizeof name, "%s_%u", report_text(g, "name"), k);
        json_object_set_new(scores, name,
                            report_ungraded(o) ? json_null()
                                               : json_value(report_number(g, "points")));
    }
    char *hidden = report_hidden(o, lang);
    if (hidden && *hidden) lib_buffer_printf(&b, "%s\n", hidden);
    free(hidden);
    if (json_object_size(scores)) {
        json_t *last = json_pack("{s:O}", "scores", scores);
        if (!report_ungraded(o))
            json_object_set_new(last, "scoreboard",
                                json_pack("[o,o]", json_value(report_number(o, "score")),
                                          json_value(report_number(o, "speedup"))));
        char *text = last ? json_written(last, false) : NULL;
        lib_buffer_puts(&b, text ? text : "");
        lib_buffer_puts(&b, "\n");
        free(text);
        json_decref(last);
    }
    json_decref(scores);
    return lib_buffer_take(&b);
}
