/* GitHub Classroom: the object that the autograding reporter reads, as base64 (RFC 4648) for the
 * output variable of a step.
 *
 * The reporter (classroom-resources/autograding-grading-reporter, src/notify-classroom.js) leaves
 * out a runner whose max_score is 0 or missing. It adds the scores of all tests of the other
 * runners, and reports no points if no runner is left. Therefore a submission that could not be
 * graded has max_score 0 and tests with status error and no score. Any other form would count as
 * zero points. */
#include <stdlib.h>
#include <string.h>
#include "runner/base/buffer.h"
#include "runner/base/say.h"
#include "grader/report/formats.h"
#include "grader/json/json.h"

static char *base64(const char *s, size_t n) {
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    lib_buffer b = {0};
    for (size_t i = 0; i < n; i += 3) {
        uint32_t v = (uint32_t)(unsigned char)s[i] << 16;
        if (i + 1 < n) v |= (uint32_t)(unsigned char)s[i + 1] << 8;
        if (i + 2 < n) v |= (unsigned char)s[i + 2];
        char four[4] = {digit[v >> 18], digit[v >> 12 & 63], i + 1 < n ? digit[v >> 6 & 63] : '=',
                        i + 2 < n ? digit[v & 63] : '='};
        lib_buffer_add(&b, four, 4);
    }
    return lib_buffer_take(&b);
}

char *report_classroom(const json_t *o, lib_lang lang) {
    json_t *out = json_object(), *tests = json_array();
    const json_t *g;
    size_t i;
    const char *verdict = report_text(o, "verdict");
    bool undecided = strcmp(verdict, "pass") != 0 && strcmp(verdict, "fail") != 0;
    char file[160];
    lib_say(file, sizeof file, "%s.cu", report_text(o, "lab"));
    double line = report_number(json_array_get(json_object_get(o, "findings"), 0), "line");
    json_object_set_new(out, "version", json_integer(1));
    json_object_set_new(out, "status", json_text(undecided ? "error" : verdict));
    json_object_set_new(out, "max_score",
                        json_value(report_ungraded(o) ? 0 : report_number(o, "max_score")));
    json_array_foreach(json_object_get(o, "goals"), i, g) {
        json_t *t = json_object();
        char *title = report_goal_title(g, lang);
        bool pass = report_true(g, "pass");
        json_object_set_new(t, "name", json_text(title));
        json_object_set_new(t, "status",
                            json_text(report_ungraded(o) ? "error"
                                      : pass             ? "pass"
                                                         : "fail"));
        json_object_set_new(t, "message", json_text(report_said(g, lang)));
        json_object_set_new(t, "test_code", json_text(""));
        json_object_set_new(t, "filename", json_text(file));
        json_object_set_new(t, "line_no", json_value(line));
        json_object_set_new(t, "execution_time", json_integer(0));
        if (!report_ungraded(o)) {
            json_object_set_new(t, "score", json_value(report_number(g, "points")));
            json_object_set_new(t, "max_score", json_value(report_number(g, "max_points")));
        }
        json_array_append_new(tests, t);
        free(title);
    }
    json_object_set_new(out, "tests", tests);
    char *text = json_written(out, false), *coded = text ? base64(text, strlen(text)) : NULL;
    json_decref(out);
    free(text);
    return coded;
}
