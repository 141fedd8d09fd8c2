/* The whole course on one page: distribution of scores, missed goals, ranges of counters, and one
 * row per submission. */
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "runner/base/buffer.h"
#include "runner/base/message.h"
#include "runner/base/order.h"
#include "runner/base/say.h"
#include "grader/course/similar.h"
#include "grader/report/html.h"
#include "words/base.h"
#include "words/course.h"
#include "words/said.h"

enum { BINS = 10, MAX_GOALS = 16, MAX_SHARE = 12, MAX_PAIRS = 20 };

static void course_heading(lib_buffer *b, int level, const char *text) {
    lib_buffer_printf(b, "<h%d>", level);
    html_escape(b, text);
    lib_buffer_printf(b, "</h%d>\n", level);
}

static void course_summary(lib_buffer *b, const course *c, lib_lang lang) {
    static const char *const verdicts[] = {"pass",       "fail",        "suspect", "ambiguous",
                                           "ungradable", "infra_error", "missing"};
    html_bar bars[sizeof verdicts / sizeof *verdicts];
    size_t n = 0;
    for (size_t k = 0; k < sizeof verdicts / sizeof *verdicts; k++) {
        double count = 0;
        for (size_t i = 0; i < c->count; i++)
            count += !strcmp(course_verdict(&c->row[i]), verdicts[k]);
        if (count > 0) bars[n++] = (html_bar){report_verdict(verdicts[k], lang), count, NULL};
    }
    lib_buffer_puts(b, "<p class=\"dim\">");
    lib_words_put(
        b, lang,
        w_course_page_size((long long)c->count, (long long)c->students, (long long)c->labs));
    lib_buffer_puts(b, "</p>\n");
    html_rows(b, lib_word(lang, W_COURSE_VERDICTS), bars, n, (double)c->count);
}

/* Shares of the maximum, in tenths. Full marks have the last bin for themselves. */
static void distribution(lib_buffer *b, const course *c, const char *lab, lib_lang lang) {
    html_bar bars[BINS + 1];
    char label[BINS][24];
    for (int i = 0; i < BINS; i++) {
        lib_words_text(label[i], sizeof label[i], lang, w_course_percents(10 * i, 10 * i + 9));
        bars[i] = (html_bar){label[i], 0, NULL};
    }
    bars[BINS] = (html_bar){"100%", 0, NULL};
    for (size_t i = 0; i < c->count; i++) {
        double score, max;
        if (strcmp(c->row[i].lab, lab) != 0 || !course_score(&c->row[i], &score) ||
            !((max = report_number(c->row[i].record, "max_score")) > 0))
            continue;
        double tenth = floor(score / max * BINS + 1e-9);
        bars[tenth < 0 ? 0 : tenth > BINS ? BINS : (size_t)tenth].value++;
    }
    course_heading(b, 3, lib_word(lang, W_COURSE_SCORES));
    html_columns(b, lib_word(lang, W_COURSE_SCORE_DISTRIBUTION), bars, BINS + 1);
}

static void missed(lib_buffer *b, const course *c, const char *lab, lib_lang lang) {
    char *titles[MAX_GOALS] = {0};
    double count[MAX_GOALS] = {0};
    size_t n = 0, k, graded = 0;
    const json_t *g;
    for (size_t i = 0; i < c->count; i++) {
        double score;
        if (strcmp(c->row[i].lab, lab) != 0 || !course_score(&c->row[i], &score)) continue;
        graded++;
        json_array_foreach(json_object_get(c->row[i].record, "goals"), k, g) {
            if (k >= MAX_GOALS) break;
            if (!titles[k]) titles[k] = report_goal_title(g, lang);
            if (k >= n) n = k + 1;
            count[k] += !report_true(g, "pass");
        }
    }
    html_bar bars[MAX_GOALS];
    char notes[MAX_GOALS][48];
    for (size_t i = 0; i < n; i++) {
        lib_words_text(notes[i], sizeof notes[i], lang,
                       w_course_bar_of((long long)count[i], (long long)graded));
        bars[i] = (html_bar){titles[i] ? titles[i] : "", count[i], notes[i]};
    }
    course_heading(b, 3, lib_word(lang, W_COURSE_GOALS_MISSED));
    if (n) html_rows(b, lib_word(lang, W_COURSE_GOALS_MISSED), bars, n, (double)graded);
    for (size_t i = 0; i < MAX_GOALS; i++) free(titles[i]);
}

/* What each counter and speed goal measured: minimum, quartiles, maximum, and the threshold. */
static void spread(lib_buffer *b, const course *c, const char *lab, lib_lang lang) {
    double *v = malloc((c->count + 1) * sizeof *v);
    bool head = false;
    for (size_t k = 0; v && k < MAX_GOALS; k++) {
        size_t n = 0;
        const json_t *goal = NULL;
        for (size_t i = 0; i < c->count; i++) {
            double score;
            if (strcmp(c->row[i].lab, lab) != 0 || !course_score(&c->row[i], &score)) continue;
            const json_t *g = json_array_get(json_object_get(c->row[i].record, "goals"), k);
            if (!g || report_correctness(g) || !isfinite(report_number(g, "actual"))) continue;
            if (report_number(c->row[i].record, "time_us") > 0) v[n++] = report_number(g, "actual");
            goal = g;
        }
        if (!n || !goal) continue;
        qsort(v, n, sizeof *v, lib_by_value);
        if (!head) {
            course_heading(b, 3, lib_word(lang, W_COURSE_WHAT_WAS_MEASURED));
            lib_buffer_printf(
                b,
                "<div class=\"scroll\"><table><tr><th>%s</th><th class=\"n\">%s</th><th "
                "class=\"n\">25%%</th><th class=\"n\">%s</th><th class=\"n\">75%%</th><th "
                "class=\"n\">%s</th></tr>\n",
                lib_word(lang, W_COURSE_GOAL), lib_word(lang, W_COURSE_LEAST),
                lib_word(lang, W_COURSE_MEDIAN), lib_word(lang, W_COURSE_MOST));
            head = true;
        }
        char *title = report_goal_title(goal, lang);
        lib_buffer_puts(b, "<tr>");
        html_cell(b, title ? title : "");
        html_number(b, v[0]);
        html_number(b, v[n / 4]);
        html_number(b, v[n / 2]);
        html_number(b, v[n * 3 / 4]);
        html_number(b, v[n - 1]);
        lib_buffer_puts(b, "</tr>\n");
        free(title);
    }
    if (head) lib_buffer_puts(b, "</table></div>\n");
    free(v);
}

static void rows(lib_buffer *b, const course *c, const char *lab, lib_lang lang) {
    lib_buffer_printf(b,
                      "<h3>%s</h3>\n<div class=\"scroll\"><table><tr><th>%s</th><th></th><th "
                      "class=\"n\">%s</th><th "
                      "class=\"n\">%s</th><th>%s</th></tr>\n",
                      lib_word(lang, W_COURSE_SUBMISSIONS), lib_word(lang, W_COURSE_STUDENT),
                      lib_word(lang, W_COURSE_SCORE), lib_word(lang, W_COURSE_SPEED_UP),
                      lib_word(lang, W_COURSE_REMARK));
    for (size_t i = 0; i < c->count; i++) {
        const course_row *r = &c->row[i];
        double score;
        char num[32], max[32];
        if (strcmp(r->lab, lab) != 0) continue;
        lib_buffer_puts(b, "<tr><td>");
        if (r->record) lib_buffer_printf(b, "<a href=\"%s.html\">", report_text(r->record, "key"));
        html_escape(b, r->student);
        if (*r->entry->name && strcmp(r->entry->name, r->student) != 0) {
            lib_buffer_puts(b, " (");
            html_escape(b, r->entry->name);
            lib_buffer_puts(b, ")");
        }
        lib_buffer_printf(b, "%s</td><td>", r->record ? "</a>" : "");
        html_badge(b, lang, course_verdict(r));
        lib_buffer_puts(b, "</td><td class=\"n\">");
        if (course_score(r, &score))
            lib_buffer_printf(b, "%s / %s", lib_number(num, score),
                              lib_number(max, report_number(r->record, "max_score")));
        lib_buffer_puts(b, "</td><td class=\"n\">");
        if (r->record && report_number(r->record, "speedup") > 0)
            lib_buffer_printf(b, "%.2f", report_number(r->record, "speedup"));
        lib_buffer_puts(b, "</td><td>");
        char *rules = policy_said(&c->rules, r->entry, lang);
        if (rules && *rules) {
            html_escape(b, rules);
            lib_buffer_puts(b, lib_word(lang, W_COURSE_SENTENCE_END));
        }
        free(rules);
        if (r->unsettled) lib_buffer_puts(b, lib_word(lang, W_COURSE_ANOTHER_ATTEMPT_NOT_GRADED));
        if (r->older) lib_buffer_puts(b, lib_word(lang, W_COURSE_OF_EARLIER_RUN));
        if (r->record) html_said(b, report_said(r->record, lang));
        lib_buffer_puts(b, "</td></tr>\n");
    }
    lib_buffer_puts(b, "</table></div>\n");
}

/* For places with room for one only: writes the student's name instead of a mere number. */
static void put_called(lib_buffer *b, const course_row *r) {
    char who[256];
    store_called(r->entry, who, sizeof who);
    html_escape(b, who);
}

/* One submitted file of a lab: its row, and the first row with the same bytes. */
typedef struct {
    const course_row *row, *first;
} handed;

static int by_bytes(const void *a, const void *b) {
    const handed *x = a, *y = b;
    int c = strcmp(x->row->sha, y->row->sha);
    return c ? c : (x->row > y->row) - (x->row < y->row);
}

static int by_first(const void *a, const void *b) {
    const handed *x = a, *y = b;
    int c = (x->first > y->first) - (x->first < y->first);
    return c ? c : (x->row > y->row) - (x->row < y->row);
}

/* Finds all files handed in for the lab. Files with the same bytes are neighbours, in the order of
 * their first rows. */
static size_t find_handed(const course *c, const char *lab, handed *h) {
    size_t n = 0;
    for (size_t i = 0; i < c->count; i++)
        if (!strcmp(c->row[i].lab, lab) && *c->row[i].sha) h[n++].row = &c->row[i];
    if (n) qsort(h, n, sizeof *h, by_bytes);
    for (size_t i = 0; i < n; i++)
        h[i].first = i && !strcmp(h[i].row->sha, h[i - 1].row->sha) ? h[i - 1].first : h[i].row;
    if (n) qsort(h, n, sizeof *h, by_first);
    return n;
}

/* Lists equal files of different students: to be looked at, not a verdict. */
static void shared(lib_buffer *b, const course *c, const char *lab, lib_lang lang) {
    bool head = false;
    handed *h = malloc((c->count + 1) * sizeof *h);
    size_t n = h ? find_handed(c, lab, h) : 0;
    b->failed = b->failed || !h;
    for (size_t i = 0, e; i < n; i = e) {
        for (e = i; e < n && h[e].first == h[i].first;) e++;
        if (e - i < 2) continue;
        if (!head) course_heading(b, 3, lib_word(lang, W_COURSE_HANDED_IN_BY_SEVERAL));
        head = true;
        lib_buffer_puts(b, "<p>");
        for (size_t k = i; k < e && k - i < MAX_SHARE; k++) {
            lib_buffer_puts(b, k > i ? lib_word(lang, W_BASE_LIST_COMMA) : "");
            put_called(b, h[k].row);
        }
        if (e - i > MAX_SHARE) lib_words_put(b, lang, w_course_and_more((long long)(e - i)));
        lib_buffer_puts(b, "</p>\n");
    }
    free(h);
}

/* ---- similar submissions ---- */

/* Estimates the width of a text of 12 pixels. */
static double label_width(const char *s) {
    double w = 0;
    for (; *s; s++) w += (*s & 0xc0) == 0x80 ? 0 : (unsigned char)*s < 0x80 ? 7.2 : 12.5;
    return w;
}

/* Draws the students of the pairs on a circle, with a line for each pair; a wider line means that
 * they share more. The picture grows with its contents. A pair fits a telephone; a larger picture
 * is scrolled, because it could not be read if it were scaled down. */
static void pairs_picture(lib_buffer *b, const course *c, const similar_pair *p, size_t n,
                          lib_lang lang) {
    size_t who[2 * MAX_PAIRS] = {0}, count = 0;
    double x[2 * MAX_PAIRS] = {0}, y[2 * MAX_PAIRS] = {0}, left = 0, right = 0;
    char name[2 * MAX_PAIRS][32];
    for (size_t i = 0; i < 2 * n; i++) {
        size_t row = i % 2 ? p[i / 2].b : p[i / 2].a, k = 0;
        while (k < count && who[k] != row) k++;
        if (k == count) who[count++] = row;
    }
    double radius = fmin(30 + 15 * (double)count, 150);
    for (size_t k = 0; k < count; k++) {
        double a = 2 * 3.14159265358979 * (double)k / (double)count;
        x[k] = radius * cos(a);
        y[k] = radius * sin(a);
        store_called(c->row[who[k]].entry, name[k], sizeof name[k]);
        double w = label_width(name[k]) + 8;
        if (x[k] > 0) right = fmax(right, x[k] + w);
        else left = fmin(left, x[k] - w);
    }
    double width = ceil(right - left), height = ceil(2 * radius + 28);
    lib_buffer_printf(b,
                      "<div class=\"scroll\"><svg viewBox=\"%.0f %.0f %.0f %.0f\" width=\"%.0f\" "
                      "style=\"min-width:%.0fpx\" role=\"img\" aria-label=\"%s\">\n",
                      floor(left), -ceil(radius + 14), width, height, width, width,
                      lib_word(lang, W_COURSE_SIMILAR_PAIRS));
    for (size_t i = 0; i < n; i++) {
        size_t s = 0, t = 0;
        while (s < count && who[s] != p[i].a) s++;
        while (t < count && who[t] != p[i].b) t++;
        lib_buffer_printf(b,
                          "<line x1=\"%.0f\" y1=\"%.0f\" x2=\"%.0f\" y2=\"%.0f\" "
                          "stroke=\"currentColor\" stroke-width=\"%.1f\" opacity=\"0.6\"/>\n",
                          x[s], y[s], x[t], y[t], 8 * (p[i].share - 0.4));
    }
    for (size_t k = 0; k < count; k++) {
        lib_buffer_printf(b,
                          "<text x=\"%.0f\" y=\"%.0f\" font-size=\"12\" fill=\"currentColor\" "
                          "text-anchor=\"%s\">",
                          x[k] + (x[k] > 0 ? 6 : -6), y[k] + 4, x[k] > 0 ? "start" : "end");
        html_escape(b, name[k]);
        lib_buffer_puts(b, "</text>\n");
    }
    lib_buffer_puts(b, "</svg></div>\n");
}

static void pair_name(lib_buffer *b, const course_row *r) {
    lib_buffer_puts(b, "<td>");
    if (r->record) lib_buffer_printf(b, "<a href=\"%s.html\">", report_text(r->record, "key"));
    put_called(b, r);
    lib_buffer_printf(b, "%s</td>", r->record ? "</a>" : "");
}

static void alike(lib_buffer *b, const course *c, int out, const char *lab, lib_lang lang) {
    similar_pair p[MAX_PAIRS];
    size_t n;
    if (out < 0 || !similar_pairs(c, out, lab, p, MAX_PAIRS, &n) || !n) return;
    course_heading(b, 3, lib_word(lang, W_COURSE_SIMILAR_SUBMISSIONS));
    lib_buffer_printf(b, "<p>%s</p>\n", lib_word(lang, W_COURSE_SIMILAR_FOR_A_PERSON));
    pairs_picture(b, c, p, n, lang);
    lib_buffer_printf(b,
                      "<div class=\"scroll\"><table><tr><th>%s</th><th>%s</th><th "
                      "class=\"n\">%s</th></tr>\n",
                      lib_word(lang, W_COURSE_STUDENT), lib_word(lang, W_COURSE_STUDENT),
                      lib_word(lang, W_COURSE_OF_SHORTER_ONE));
    for (size_t i = 0; i < n; i++) {
        lib_buffer_puts(b, "<tr>");
        pair_name(b, &c->row[p[i].a]);
        pair_name(b, &c->row[p[i].b]);
        lib_buffer_printf(b, "<td class=\"n\">%.0f%%</td></tr>\n", 100 * p[i].share);
    }
    lib_buffer_puts(b, "</table></div>\n");
}

static void listed(lib_buffer *b, const char *title, const store_manifest *m, char **line, size_t n,
                   lib_lang lang) {
    if (!n) return;
    course_heading(b, 2, title);
    lib_buffer_puts(b, "<pre>");
    for (size_t i = 0; i < n; i++) {
        lib_message said;
        manifest_said(m, line[i], &said);
        char *text = lib_words_take(lang, lib_message_words(&said));
        html_escape(b, text);
        free(text);
        lib_buffer_puts(b, "\n");
    }
    lib_buffer_puts(b, "</pre>\n");
}

char *grade_html_course(const char *out, lib_lang lang, lib_message *msg) {
    course c;
    lib_buffer b = {0};
    char *page = NULL;
    int fd = open(out, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (course_load(&c, out, msg)) {
        html_head(&b, lang, lib_word(lang, W_COURSE_GRADES));
        course_heading(&b, 1, lib_word(lang, W_COURSE_GRADES));
        course_summary(&b, &c, lang);
        for (size_t l = 0; l < c.labs; l++) {
            course_heading(&b, 2, c.lab[l]);
            distribution(&b, &c, c.lab[l], lang);
            missed(&b, &c, c.lab[l], lang);
            spread(&b, &c, c.lab[l], lang);
            rows(&b, &c, c.lab[l], lang);
            shared(&b, &c, c.lab[l], lang);
            alike(&b, &c, fd, c.lab[l], lang);
        }
        listed(&b, lib_word(lang, W_COURSE_LEFT_OVER_HEADING), &c.m, c.m.left, c.m.left_count,
               lang);
        listed(&b, lib_word(lang, W_COURSE_REFUSED_HEADING), &c.m, c.m.refused, c.m.refused_count,
               lang);
        html_foot(&b);
        page = lib_buffer_take(&b);
        if (!page) lib_message_set(msg, w_said_out_of_memory());
    }
    if (fd >= 0) close(fd);
    course_free(&c);
    return page;
}
