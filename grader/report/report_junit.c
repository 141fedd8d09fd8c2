/* JUnit XML (the schema that Jenkins, GitLab and GitHub read): a goal is a test case. `failure` is
 * wrong or slow, `error` is what kept the grader from judging. */
#include <stdlib.h>
#include <string.h>
#include "grader/report/report.h"

void html_escape(grade_buf *b, const char *s) {
    char *clean = grade_clean(s, strlen(s));
    if (!clean) {
        b->failed = true;
        return;
    }
    for (const char *p = clean; *p;) {
        size_t n = strcspn(p, "<>&\"'");
        buf_add(b, p, n);
        p += n;
        switch (*p) {
        case '<': buf_puts(b, "&lt;"); break;
        case '>': buf_puts(b, "&gt;"); break;
        case '&': buf_puts(b, "&amp;"); break;
        case '"': buf_puts(b, "&quot;"); break;
        case '\'': buf_puts(b, "&#39;"); break;
        default: continue;
        }
        p++;
    }
    free(clean);
}

static void element(grade_buf *b, const char *name, const char *message, const char *text) {
    buf_printf(b, "      <%s message=\"", name);
    html_escape(b, message);
    buf_puts(b, "\">");
    html_escape(b, text);
    buf_printf(b, "</%s>\n", name);
}

char *report_junit(const json_t *o, grade_lang lang) {
    grade_buf cases = {0}, b = {0};
    const json_t *goals = json_object_get(o, "goals"), *g;
    const char *lab = report_text(o, "lab"), *verdict = report_text(o, "verdict");
    bool undecided =
        !strcmp(verdict, "error") || !strcmp(verdict, "ambiguous") || !strcmp(verdict, "suspect");
    size_t i, tests = 0, failures = 0, errors = 0;
    json_array_foreach(goals, i, g) {
        char *title = report_goal_title(g, lang);
        bool pass = report_true(g, "pass"), error = report_ungraded(o);
        tests++;
        buf_puts(&cases, "    <testcase classname=\"");
        html_escape(&cases, lab);
        buf_puts(&cases, "\" name=\"");
        html_escape(&cases, title ? title : "");
        buf_puts(&cases, "\">\n");
        if (error) errors++, element(&cases, "error", report_said(o, lang), "");
        else if (!pass) failures++, element(&cases, "failure", report_said(g, lang), "");
        buf_puts(&cases, "    </testcase>\n");
        free(title);
    }
    if (undecided &&
        !report_ungraded(
            o)) { /* the goals were judged, the verdict needs a person or another run */
        tests++;
        errors++;
        buf_puts(&cases, "    <testcase classname=\"");
        html_escape(&cases, lab);
        buf_puts(&cases, "\" name=\"verdict\">\n");
        element(&cases, "error", verdict, report_said(o, lang));
        buf_puts(&cases, "    </testcase>\n");
    }
    char *text = buf_take(&cases);
    buf_puts(&b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    buf_printf(&b,
               "<testsuites tests=\"%zu\" failures=\"%zu\" errors=\"%zu\">\n  <testsuite name=\"",
               tests, failures, errors);
    html_escape(&b, lab);
    buf_printf(&b, "\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\">\n", tests, failures, errors);
    buf_puts(&b, text ? text : "");
    if (*report_text(json_object_get(o, "build"), "log")) {
        buf_puts(&b, "    <system-err>");
        html_escape(&b, report_text(json_object_get(o, "build"), "log"));
        buf_puts(&b, "</system-err>\n");
    }
    buf_puts(&b, "  </testsuite>\n</testsuites>\n");
    b.failed = b.failed || !text;
    free(text);
    return buf_take(&b);
}
