/* One submission as one page: verdict, goals, cases with a picture of where outputs differ, memory
 * errors, counters beside the baseline's, the most expensive lines. From student.c's view it makes
 * the student's page. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/buffer.h"
#include "runner/base/say.h"
#include "grader/report/formats.h"
#include "grader/report/html.h"
#include "grader/figure.h"
#include "words/report.h"

enum { SHOWN_LINES = 20 };

static void page_heading(lib_buffer *b, lib_lang lang, lib_word_id word) {
    lib_buffer_puts(b, "<h2>");
    html_escape(b, lib_word(lang, word));
    lib_buffer_puts(b, "</h2>\n");
}

static void page_verbatim(lib_buffer *b, const char *text) {
    lib_buffer_puts(b, "<pre>");
    html_escape(b, text);
    lib_buffer_puts(b, "</pre>\n");
}

static void page_header(lib_buffer *b, const json_t *o, lib_lang lang) {
    char score[32], max[32];
    const char *student = report_text(o, "student");
    lib_buffer_puts(b, "<h1>");
    html_escape(b, *report_text(o, "title") ? report_text(o, "title") : report_text(o, "lab"));
    lib_buffer_puts(b, "</h1>\n<p class=\"dim\">");
    if (*student) {
        html_escape(b, student);
        lib_buffer_puts(b, " &middot; ");
    }
    html_escape(b, report_text(o, "lab"));
    lib_buffer_puts(b, " &middot; ");
    html_escape(b, report_text(o, "device"));
    lib_buffer_puts(b, "</p>\n<p>");
    html_badge(b, lang, report_text(o, "verdict"));
    if (!report_ungraded(o))
        lib_buffer_printf(b, " <span class=\"score\">%s</span> / %s",
                          lib_number(score, report_number(o, "score")),
                          lib_number(max, report_number(o, "max_score")));
    lib_buffer_puts(b, "</p>\n");
    char *rules = report_course(o, lang);
    if (rules && *rules) {
        lib_buffer_puts(b, "<p><strong>");
        html_escape(b, rules);
        lib_buffer_puts(b, "</strong></p>\n");
    }
    free(rules);
    if (*report_said(o, lang)) {
        lib_buffer_puts(b, "<p>");
        html_said(b, report_said(o, lang));
        lib_buffer_puts(b, "</p>\n");
    }
}

static void page_goals(lib_buffer *b, const json_t *o, lib_lang lang) {
    const json_t *g;
    size_t i;
    page_heading(b, lang, W_REPORT_HEADING_GOALS);
    lib_buffer_printf(b,
                      "<div class=\"scroll\"><table><tr><th></th><th>%s</th><th "
                      "class=\"n\">%s</th><th>%s</th></tr>\n",
                      lib_word(lang, W_REPORT_COLUMN_GOAL), lib_word(lang, W_REPORT_COLUMN_POINTS),
                      lib_word(lang, W_REPORT_COLUMN_FOUND));
    json_array_foreach(json_object_get(o, "goals"), i, g) {
        char *title = report_goal_title(g, lang), points[32], max[32];
        bool pass = report_true(g, "pass");
        lib_buffer_printf(b, "<tr><td class=\"%s\">%s</td>", pass ? "ok" : "no",
                          pass ? "&check;" : "&cross;");
        html_cell(b, title ? title : "");
        if (report_ungraded(o)) lib_buffer_puts(b, "<td class=\"n\">&ndash;</td>");
        else
            lib_buffer_printf(b, "<td class=\"n\">%s / %s</td>",
                              lib_number(points, report_number(g, "points")),
                              lib_number(max, report_number(g, "max_points")));
        html_said_cell(b, report_said(g, lang));
        lib_buffer_puts(b, "</tr>\n");
        free(title);
    }
    lib_buffer_puts(b, "</table></div>\n");
}

static void page_cases(lib_buffer *b, const json_t *o, lib_lang lang) {
    bool pictures = false;
    const json_t *c, *v;
    const char *key;
    size_t i;
    if (!json_array_size(json_object_get(o, "cases"))) return;
    page_heading(b, lang, W_REPORT_HEADING_CASES);
    lib_buffer_puts(b, "<div class=\"scroll\"><table>\n");
    json_array_foreach(json_object_get(o, "cases"), i, c) {
        bool hidden = report_true(c, "hidden"), pass = report_true(c, "pass"), first = true;
        if (hidden && !json_object_get(c, "args")) continue; /* this is a student's page */
        lib_buffer_printf(b, "<tr><td class=\"%s\">%s</td><td><code>", pass ? "ok" : "no",
                          pass ? "&check;" : "&cross;");
        json_object_foreach((json_t *)json_object_get(c, "args"), key, v) {
            char num[32];
            lib_buffer_puts(b, first ? "" : ", ");
            html_escape(b, key);
            lib_buffer_printf(b, " = %s", lib_number(num, json_number_value(v)));
            first = false;
        }
        lib_buffer_puts(b, "</code>");
        if (hidden) lib_buffer_printf(b, " %s", lib_word(lang, W_REPORT_CASE_HIDDEN));
        if (report_true(c, "timed"))
            lib_buffer_printf(b, " %s", lib_word(lang, W_REPORT_CASE_TIMED));
        lib_buffer_puts(b, "</td><td>");
        html_said(b, report_said(c, lang));
        const char *picture = report_text(json_object_get(c, "mismatch"), "picture");
        if (*picture) {
            lib_buffer_puts(b, "<pre class=\"cells\">");
            html_escape(b, picture);
            lib_buffer_puts(b, "</pre>");
            pictures = true;
        }
        lib_buffer_puts(b, "</td></tr>\n");
    }
    lib_buffer_puts(b, "</table></div>\n");
    if (pictures)
        lib_buffer_printf(b, "<p class=\"dim\">%s</p>\n", lib_word(lang, W_REPORT_PICTURES));
    char *said = report_hidden(o, lang);
    if (said && *said) {
        lib_buffer_puts(b, "<p>");
        html_escape(b, said);
        lib_buffer_puts(b, "</p>\n");
    }
    free(said);
}

static void page_findings(lib_buffer *b, const json_t *o, lib_lang lang) {
    const json_t *f;
    size_t i;
    if (!json_array_size(json_object_get(o, "findings"))) return;
    page_heading(b, lang, W_REPORT_HEADING_FINDINGS);
    json_array_foreach(json_object_get(o, "findings"), i, f) {
        lib_buffer_puts(b, "<p><code>");
        html_escape(b, report_text(f, "kind"));
        lib_buffer_puts(b, "</code> ");
        html_said(b, report_finding(f, lang));
        if (report_number(f, "count") > 1)
            lib_buffer_printf(b, " <span class=\"dim\">&times;%.0f</span>",
                              report_number(f, "count"));
        lib_buffer_puts(b, "</p>\n");
    }
}

static void page_launches(lib_buffer *b, const json_t *o, lib_lang lang) {
    const json_t *l;
    size_t i;
    if (!json_array_size(json_object_get(o, "launches"))) return;
    page_heading(b, lang, W_REPORT_HEADING_LAUNCHES);
    if (report_number(o, "time_us") > 0) {
        lib_buffer_puts(b, "<table><tr>");
        lib_buffer_printf(b, "<td>%s</td>", lib_word(lang, W_REPORT_ROW_TIME));
        html_number(b, report_number(o, "time_us"));
        lib_buffer_printf(b, "<td>%s</td>", lib_word(lang, W_REPORT_ROW_BASELINE));
        html_number(b, report_number(o, "baseline_us"));
        lib_buffer_printf(b, "<td>%s</td>", lib_word(lang, W_REPORT_ROW_SPEEDUP));
        html_number(b, report_number(o, "speedup"));
        html_pair(b, report_number(o, "time_us"), report_number(o, "baseline_us"));
        lib_buffer_puts(b, "</tr></table>\n");
    }
    lib_buffer_printf(
        b,
        "<div class=\"scroll\"><table><tr><th>%s</th><th>%s</th><th>%s</th><th "
        "class=\"n\">%s</th><th>%s</th><th class=\"n\">%s</th><th class=\"n\">%s</th></tr>\n",
        lib_word(lang, W_REPORT_COLUMN_KERNEL), lib_word(lang, W_REPORT_COLUMN_GRID),
        lib_word(lang, W_REPORT_COLUMN_BLOCK), lib_word(lang, W_REPORT_COLUMN_US),
        lib_word(lang, W_REPORT_COLUMN_LIMITER), lib_word(lang, W_REPORT_COLUMN_REGISTERS),
        lib_word(lang, W_REPORT_COLUMN_OCCUPANCY));
    json_array_foreach(json_object_get(o, "launches"), i, l) {
        lib_buffer_puts(b, "<tr>");
        html_cell(b, report_text(l, "kernel"));
        for (int k = 0; k < 2; k++) {
            const json_t *d = json_object_get(l, k ? "block" : "grid");
            lib_buffer_puts(b, "<td>");
            for (size_t x = 0; x < 3; x++)
                lib_buffer_printf(b, "%s%.0f", x ? "&times;" : "",
                                  json_number_value(json_array_get(d, x)));
            lib_buffer_puts(b, "</td>");
        }
        html_number(b, report_number(l, "time_us"));
        html_cell(b, report_text(l, "limiter"));
        html_number(b, report_number(l, "registers"));
        html_number(b, report_number(l, "occupancy_pct"));
        lib_buffer_puts(b, "</tr>\n");
    }
    lib_buffer_puts(b, "</table></div>\n");
}

static void page_counters(lib_buffer *b, const json_t *o, lib_lang lang) {
    const json_t *mine = json_object_get(o, "counters"),
                 *base = json_object_get(o, "baseline_counters");
    if (!json_object_size(mine)) return;
    page_heading(b, lang, W_REPORT_HEADING_COUNTERS);
    lib_buffer_printf(
        b,
        "<div class=\"scroll\"><table><tr><th>%s</th><th class=\"n\">%s</th><th "
        "class=\"n\">%s</th><th>%s</th></tr>\n",
        lib_word(lang, W_REPORT_COLUMN_COUNTER), lib_word(lang, W_REPORT_COLUMN_SUBMISSION),
        lib_word(lang, W_REPORT_COLUMN_BASELINE), lib_word(lang, W_REPORT_COLUMN_BARS));
    for (size_t i = 0; i < sim_counter_count(); i++) {
        const sim_counter_info *info = sim_counter_at(i);
        double m = report_number(mine, info->name), s = report_number(base, info->name);
        if (m == 0 && s == 0) continue;
        lib_buffer_puts(b, "<tr><td title=\"");
        html_escape(b, grade_meaning(info->name, lang));
        lib_buffer_puts(b, "\"><code>");
        html_escape(b, info->name);
        lib_buffer_puts(b, "</code></td>");
        html_number(b, m);
        html_number(b, s);
        html_pair(b, m, s);
        lib_buffer_puts(b, "</tr>\n");
    }
    lib_buffer_puts(b, "</table></div>\n");
}

static int by_cost(const void *a, const void *b) {
    const json_t *x = *(const json_t *const *)a, *y = *(const json_t *const *)b;
    double p = report_number(x, "warp_inst"), q = report_number(y, "warp_inst"),
           i = report_number(x, "line"), k = report_number(y, "line");
    return p != q ? (p < q) - (p > q) : (i > k) - (i < k);
}

static void page_lines(lib_buffer *b, const json_t *o, lib_lang lang) {
    const json_t *list = json_object_get(o, "lines");
    size_t n = json_array_size(list);
    const json_t **sorted = n ? malloc(n * sizeof(json_t *)) : NULL;
    if (!sorted) return;
    for (size_t i = 0; i < n; i++) sorted[i] = json_array_get(list, i);
    qsort(sorted, n, sizeof(json_t *), by_cost);
    page_heading(b, lang, W_REPORT_HEADING_LINES);
    lib_buffer_printf(
        b,
        "<div class=\"scroll\"><table><tr><th>%s</th><th class=\"n\">warp_inst</th><th "
        "class=\"n\">gld_sectors</th><th class=\"n\">gst_sectors</th><th class=\"n\">%s</th><th "
        "class=\"n\">divergent_branches</th></tr>\n",
        lib_word(lang, W_REPORT_COLUMN_LINE), lib_word(lang, W_REPORT_COLUMN_CONFLICTS));
    for (size_t i = 0; i < n && i < SHOWN_LINES; i++) {
        const json_t *l = sorted[i];
        lib_buffer_puts(b, "<tr><td>");
        html_escape(b, report_text(l, "file"));
        lib_buffer_printf(b, ":%.0f</td>", report_number(l, "line"));
        html_number(b, report_number(l, "warp_inst"));
        html_number(b, report_number(l, "gld_sectors"));
        html_number(b, report_number(l, "gst_sectors"));
        html_number(b, report_number(l, "shared_ld_conflicts") +
                           report_number(l, "shared_st_conflicts"));
        html_number(b, report_number(l, "divergent_branches"));
        lib_buffer_puts(b, "</tr>\n");
    }
    lib_buffer_puts(b, "</table></div>\n");
    free(sorted);
}

char *report_html(const json_t *o, lib_lang lang) {
    lib_buffer b = {0}, title = {0};
    const json_t *build = json_object_get(o, "build");
    lib_buffer_printf(&title, "%s %s", report_text(o, "student"), report_text(o, "lab"));
    char *name = lib_buffer_take(&title);
    html_head(&b, lang, name ? name : "");
    free(name);
    page_header(&b, o, lang);
    if (*report_text(build, "log")) {
        page_heading(&b, lang, W_REPORT_HEADING_BUILD_LOG);
        page_verbatim(&b, report_text(build, "log"));
    }
    page_goals(&b, o, lang);
    page_cases(&b, o, lang);
    page_findings(&b, o, lang);
    page_launches(&b, o, lang);
    page_counters(&b, o, lang);
    page_lines(&b, o, lang);
    if (*report_text(o, "output")) { /* it may contain the inputs: not for students */
        page_heading(&b, lang, W_REPORT_HEADING_OUTPUT);
        page_verbatim(&b, report_text(o, "output"));
    }
    lib_buffer_puts(&b, "<p class=\"dim\">");
    html_escape(&b, report_text(json_object_get(o, "toolchain"), "nvcc"));
    lib_buffer_puts(&b, " ");
    html_escape(&b, report_text(json_object_get(o, "toolchain"), "arch"));
    if (*report_text(o, "sandbox")) {
        lib_buffer_puts(&b, " &middot; ");
        html_escape(&b, report_text(o, "sandbox"));
    }
    const char *timing = report_text(o, "timing");
    lib_word_id timed = !strcmp(timing, "replayed") ? W_REPORT_TIMED_BY_REPLAY
                        : !strcmp(timing, "called") ? W_REPORT_TIMED_BY_CALLS
                                                    : 0;
    if (timed) lib_buffer_printf(&b, " &middot; %s", lib_word(lang, timed));
    lib_buffer_puts(&b, "</p>\n");
    html_foot(&b);
    return lib_buffer_take(&b);
}
