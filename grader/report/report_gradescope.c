/* Gradescope's results.json. Only instructors see what was in hidden cases. If the grading could
 * not be done, there is no score, and Gradescope shows a failure of the autograder instead of zero
 * points. */
#include <stdlib.h>
#include <string.h>
#include "runner/base/buffer.h"
#include "runner/base/say.h"
#include "grader/report/formats.h"
#include "grader/json/json.h"
#include "words/report.h"

/* The cases and findings on which the goal of correctness depends. */
static char *details(const json_t *o, lib_lang lang) {
    lib_buffer b = {0};
    const json_t *x;
    size_t i;
    json_array_foreach(json_object_get(o, "cases"), i, x) {
        if (report_true(x, "hidden") || report_true(x, "pass")) continue;
        lib_buffer_printf(&b, "%s\n", report_said(x, lang));
        const char *picture = report_text(json_object_get(x, "mismatch"), "picture");
        if (*picture) lib_buffer_printf(&b, "  [%s]\n", picture);
    }
    json_array_foreach(json_object_get(o, "findings"), i, x) {
        lib_buffer_printf(&b, "%s: %s\n", report_text(x, "kind"), report_finding(x, lang));
    }
    return lib_buffer_take(&b);
}

static json_t *test(const char *name, size_t number, const char *status, const char *output,
                    const char *visibility) {
    json_t *t = json_object();
    json_object_set_new(t, "name", json_text(name));
    char num[24];
    lib_say(num, sizeof num, "%zu", number);
    json_object_set_new(t, "number", json_text(num));
    if (status) json_object_set_new(t, "status", json_text(status));
    json_object_set_new(t, "output", json_text(output));
    json_object_set_new(t, "output_format", json_text("text"));
    json_object_set_new(t, "visibility", json_text(visibility));
    return t;
}

char *report_gradescope(const json_t *o, lib_lang lang) {
    const char *secret = report_text(o, "hidden_details"); /* only for teachers */
    json_t *out = json_object(), *tests = json_array();
    const json_t *g;
    size_t i;
    lib_buffer head = {0};
    const char *log = report_text(json_object_get(o, "build"), "log");
    lib_buffer_printf(&head, "%s %s: %s\n", report_text(o, "lab"), report_text(o, "title"),
                      report_text(o, "verdict"));
    if (*report_said(o, lang)) lib_buffer_printf(&head, "%s\n", report_said(o, lang));
    if (*log) lib_buffer_printf(&head, "%s\n", log);
    char *hidden = report_hidden(o, lang), *rules = report_course(o, lang);
    if (hidden && *hidden) lib_buffer_printf(&head, "%s\n", hidden);
    if (rules && *rules) lib_buffer_printf(&head, "%s\n", rules);
    free(hidden);
    free(rules);
    char *text = lib_buffer_take(&head);
    if (!report_ungraded(o))
        json_object_set_new(out, "score", json_value(report_number(o, "score")));
    json_object_set_new(out, "output", json_text(text));
    json_object_set_new(out, "output_format", json_text("text"));
    json_object_set_new(out, "visibility", json_text("visible"));
    json_object_set_new(out, "stdout_visibility", json_text("hidden"));
    free(text);
    json_array_foreach(json_object_get(o, "goals"), i, g) {
        if (report_ungraded(o)) break;
        char *title = report_goal_title(g, lang),
             *more = report_correctness(g) ? details(o, lang) : NULL;
        lib_buffer output = {0};
        lib_buffer_puts(&output, report_said(g, lang));
        if (more && *more) lib_buffer_printf(&output, "\n\n%s", more);
        char *said = lib_buffer_take(&output);
        json_t *t =
            test(title, i + 1, report_true(g, "pass") ? "passed" : "failed", said, "visible");
        json_object_set_new(t, "score", json_value(report_number(g, "points")));
        json_object_set_new(t, "max_score", json_value(report_number(g, "max_points")));
        json_object_set_new(t, "tags", json_pack("[s]", report_text(g, "kind")));
        json_object_set_new(t, "extra_data",
                            json_pack("{s:o,s:o}", "expected",
                                      json_value(report_number(g, "expected")), "actual",
                                      json_value(report_number(g, "actual"))));
        json_array_append_new(tests, t);
        free(title);
        free(more);
        free(said);
    }
    if (!report_ungraded(o) && *secret)
        json_array_append_new(tests, test(lib_word(lang, W_REPORT_GRADESCOPE_HIDDEN),
                                          json_array_size(tests) + 1, NULL, secret, "hidden"));
    if (report_ungraded(o)) json_decref(tests);
    else {
        json_object_set_new(out, "tests", tests);
        if (report_number(o, "speedup") > 0 && !strcmp(report_text(o, "verdict"), "pass"))
            json_object_set_new(out, "leaderboard",
                                json_pack("[{s:s,s:o}]", "name",
                                          lib_word(lang, W_REPORT_LEADERBOARD_SPEEDUP), "value",
                                          json_value(report_number(o, "speedup"))));
    }
    char *s = json_written(out, true);
    json_decref(out);
    return s;
}
