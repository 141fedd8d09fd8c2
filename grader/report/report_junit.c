/* JUnit XML (the schema that Jenkins, GitLab and GitHub read). A goal is a test case. `failure`
 * means wrong or slow; `error` means that the grader could not judge. */
#include <stdlib.h>
#include <string.h>
#include "runner/base/buffer.h"
#include "grader/report/html.h"
#include "grader/report/formats.h"

static void element(lib_buffer *b, const char *name, const char *message, const char *text) {
    lib_buffer_printf(b, "      <%s message=\"", name);
    html_escape(b, message);
    lib_buffer_puts(b, "\">");
    html_escape(b, text);
    lib_buffer_printf(b, "</%s>\n", name);
}

char *report_junit(const json_t *o, lib_lang lang) {
    lib_buffer cases = {0}, b = {0};
    const json_t *goals = json_object_get(o, "goals"), *g;
    const char *lab = report_text(o, "lab"), *verdict = report_text(o, "verdict");
    bool undecided =
        !strcmp(verdict, "error") || !strcmp(verdict, "ambiguous") || !strcmp(verdict, "suspect");
    size_t i, tests = 0, failures = 0, errors = 0;
    json_array_foreach(goals, i, g) {
        char *title = report_goal_title(g, lang);
        bool pass = report_true(g, "pass"), error = report_ungraded(o);
        tests++;
        lib_buffer_puts(&cases, "    <testcase classname=\"");
        html_escape(&cases, lab);
        lib_buffer_puts(&cases, "\" name=\"");
        html_escape(&cases, title ? title : "");
        lib_buffer_puts(&cases, "\">\n");
        if (error) errors++, element(&cases, "error", report_said(o, lang), "");
        else if (!pass) failures++, element(&cases, "failure", report_said(g, lang), "");
        lib_buffer_puts(&cases, "    </testcase>\n");
        free(title);
    }
    if (undecided &&
        !report_ungraded(
            o)) { /* the goals are judged, but the verdict needs a person or another run */
        tests++;
        errors++;
        lib_buffer_puts(&cases, "    <testcase classname=\"");
        html_escape(&cases, lab);
        lib_buffer_puts(&cases, "\" name=\"verdict\">\n");
        element(&cases, "error", verdict, report_said(o, lang));
        lib_buffer_puts(&cases, "    </testcase>\n");
    }
    char *text = lib_buffer_take(&cases);
    lib_buffer_puts(&b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    lib_buffer_printf(
        &b, "<testsuites tests=\"%zu\" failures=\"%zu\" errors=\"%zu\">\n  <testsuite name=\"",
        tests, failures, errors);
    html_escape(&b, lab);
    lib_buffer_printf(&b, "\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\">\n", tests, failures,
                      errors);
    char *rules = report_course(o, lang);
    if (rules && *rules) {
        lib_buffer_puts(&b, "    <properties><property name=\"course\" value=\"");
        html_escape(&b, rules);
        lib_buffer_puts(&b, "\"/></properties>\n");
    }
    free(rules);
    lib_buffer_puts(&b, text ? text : "");
    if (*report_text(json_object_get(o, "build"), "log")) {
        lib_buffer_puts(&b, "    <system-err>");
        html_escape(&b, report_text(json_object_get(o, "build"), "log"));
        lib_buffer_puts(&b, "</system-err>\n");
    }
    lib_buffer_puts(&b, "  </testsuite>\n</testsuites>\n");
    b.failed = b.failed || !text;
    free(text);
    return lib_buffer_take(&b);
}
