/* The whole course on one page: where scores lie, which goals are missed, how counters spread, and
 * a row a submission. */
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

enum { BINS = 10, MAX_GOALS = 16, MAX_SHARE = 12, MAX_PAIRS = 20 };

static void course_heading(lib_buffer *b, int level, const char *text) {
    lib_buffer_printf(b, "<h%d>", level);
    html_escape(b, text);
    lib_buffer_printf(b, "</h%d>\n", level);
}

static void course_summary(lib_buffer *b, const course *c, lib_lang lang) {
    static const struct {
        const char *verdict, *text[LIB_LANGS];
    } kinds[] = {{"pass", {"passed", "通过"}},
                 {"fail", {"not passed", "未通过"}},
                 {"suspect", {"to be reviewed", "需人工检查"}},
                 {"ambiguous", {"ambiguous", "无法判定"}},
                 {"ungradable", {"cannot be graded", "不能评分"}},
                 {"infra_error", {"could not grade, will be tried again", "未能评分，将重试"}},
                 {"missing", {"not graded yet", "尚未评分"}}};
    html_bar bars[sizeof kinds / sizeof *kinds];
    size_t n = 0;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        double count = 0;
        for (size_t i = 0; i < c->count; i++)
            count += !strcmp(course_verdict(&c->row[i]), kinds[k].verdict);
        if (count > 0) bars[n++] = (html_bar){kinds[k].text[lang], count, NULL};
    }
    lib_buffer_printf(b,
                      T(lang, "<p class=\"dim\">%zu submission%s · %zu student%s · %zu lab%s</p>\n",
                        "<p class=\"dim\">%zu 份提交%.0s · %zu 名学生%.0s · %zu 个实验%.0s</p>\n"),
                      c->count, LIB_S(c->count), c->students, LIB_S(c->students), c->labs,
                      LIB_S(c->labs));
    html_rows(b, T(lang, "Verdicts", "评判结果"), bars, n, (double)c->count);
}

/* Shares of the maximum, in tenths; full marks stand alone in the last bin. */
static void distribution(lib_buffer *b, const course *c, const char *lab, lib_lang lang) {
    static const char *const label[BINS + 1] = {"0–9",   "10–19", "20–29", "30–39",
                                                "40–49", "50–59", "60–69", "70–79",
                                                "80–89", "90–99", "100%"};
    html_bar bars[BINS + 1];
    for (size_t i = 0; i <= BINS; i++) bars[i] = (html_bar){label[i], 0, NULL};
    for (size_t i = 0; i < c->count; i++) {
        double score, max;
        if (strcmp(c->row[i].lab, lab) != 0 || !course_score(&c->row[i], &score) ||
            !((max = report_number(c->row[i].record, "max_score")) > 0))
            continue;
        double tenth = floor(score / max * BINS + 1e-9);
        bars[tenth < 0 ? 0 : tenth > BINS ? BINS : (size_t)tenth].value++;
    }
    course_heading(b, 3, T(lang, "Scores", "得分分布"));
    html_columns(b, T(lang, "Score distribution", "得分分布"), bars, BINS + 1);
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
        SAY(notes[i], "%.0f %s %zu", count[i], T(lang, "of", "/"), graded);
        bars[i] = (html_bar){titles[i] ? titles[i] : "", count[i], notes[i]};
    }
    course_heading(b, 3, T(lang, "Goals missed", "未达成的目标"));
    if (n) html_rows(b, T(lang, "Goals missed", "未达成的目标"), bars, n, (double)graded);
    for (size_t i = 0; i < MAX_GOALS; i++) free(titles[i]);
}

/* What each counter and speed goal measured: least, quartiles, most, against what was asked. */
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
            course_heading(b, 3, T(lang, "What was measured", "测量结果"));
            lib_buffer_printf(
                b,
                "<div class=\"scroll\"><table><tr><th>%s</th><th class=\"n\">%s</th><th "
                "class=\"n\">25%%</th><th class=\"n\">%s</th><th class=\"n\">75%%</th><th "
                "class=\"n\">%s</th></tr>\n",
                T(lang, "Goal", "目标"), T(lang, "least", "最小"), T(lang, "median", "中位数"),
                T(lang, "most", "最大"));
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
                      T(lang, "Submissions", "提交"), T(lang, "Student", "学生"),
                      T(lang, "Score", "得分"), T(lang, "Speed-up", "加速比"),
                      T(lang, "Remark", "说明"));
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
            lib_buffer_puts(b, T(lang, ". ", "。"));
        }
        free(rules);
        if (r->unsettled)
            lib_buffer_puts(b, T(lang, "Another attempt could not be graded yet. ",
                                 "另有一次提交尚未能评分。"));
        if (r->older)
            lib_buffer_puts(b,
                            T(lang, "The grade of an earlier run: the newest could not be done. ",
                              "沿用之前的评分：最新一次未能完成。"));
        if (r->record) html_said(b, report_said(r->record, lang));
        lib_buffer_puts(b, "</td></tr>\n");
    }
    lib_buffer_puts(b, "</table></div>\n");
}

/* Where there is no room for both: the name is said where a number alone would be. */
static void put_called(lib_buffer *b, const course_row *r) {
    char who[256];
    store_called(r->entry, who, sizeof who);
    html_escape(b, who);
}

/* One of a lab's files: whose row, and the first row that has the same bytes. */
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

/* Everything handed in for the lab, files of the same bytes together, in the order of their first
 * rows. */
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

/* The same bytes under several names: worth a look, not a verdict. */
static void shared(lib_buffer *b, const course *c, const char *lab, lib_lang lang) {
    bool head = false;
    handed *h = malloc((c->count + 1) * sizeof *h);
    size_t n = h ? find_handed(c, lab, h) : 0;
    b->failed = b->failed || !h;
    for (size_t i = 0, e; i < n; i = e) {
        for (e = i; e < n && h[e].first == h[i].first;) e++;
        if (e - i < 2) continue;
        if (!head)
            course_heading(
                b, 3, T(lang, "Handed in by several, byte for byte", "多人提交的完全相同的文件"));
        head = true;
        lib_buffer_puts(b, "<p>");
        for (size_t k = i; k < e && k - i < MAX_SHARE; k++) {
            lib_buffer_puts(b, k > i ? T(lang, ", ", "、") : "");
            put_called(b, h[k].row);
        }
        if (e - i > MAX_SHARE) lib_buffer_printf(b, " … (%zu)", e - i);
        lib_buffer_puts(b, "</p>\n");
    }
    free(h);
}

/* ---- submissions that are alike ---- */

/* About as wide as a text of 12 pixels is. */
static double label_width(const char *s) {
    double w = 0;
    for (; *s; s++) w += (*s & 0xc0) == 0x80 ? 0 : (unsigned char)*s < 0x80 ? 7.2 : 12.5;
    return w;
}

/* The students of the pairs on a circle, a line for each pair, the wider the more they share. As large as what
 * is on it, so that a pair fits a telephone; a larger one is scrolled, not shrunk until nobody can read it. */
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
                      T(lang, "Pairs of similar submissions", "相似的提交"));
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
    course_heading(b, 3, T(lang, "Similar submissions", "相似的提交"));
    lib_buffer_printf(
        b, "<p>%s</p>\n",
        T(lang,
          "For a person to look at: names, numbers, comments and what everyone was "
          "given do not count. Small labs have few ways to be written, and likeness is "
          "no proof of anything.",
          "供人查看：名字、数字、注释和统一发放的代码都不计入。小实验本来写法就不多，"
          "相似并不能证明什么。"));
    pairs_picture(b, c, p, n, lang);
    lib_buffer_printf(b,
                      "<div class=\"scroll\"><table><tr><th>%s</th><th>%s</th><th "
                      "class=\"n\">%s</th></tr>\n",
                      T(lang, "Student", "学生"), T(lang, "Student", "学生"),
                      T(lang, "of the shorter one", "占较短一份的比例"));
    for (size_t i = 0; i < n; i++) {
        lib_buffer_puts(b, "<tr>");
        pair_name(b, &c->row[p[i].a]);
        pair_name(b, &c->row[p[i].b]);
        lib_buffer_printf(b, "<td class=\"n\">%.0f%%</td></tr>\n", 100 * p[i].share);
    }
    lib_buffer_puts(b, "</table></div>\n");
}

static void listed(lib_buffer *b, const char *title, char **line, size_t n, lib_lang lang) {
    if (!n) return;
    course_heading(b, 2, title);
    lib_buffer_puts(b, "<pre>");
    for (size_t i = 0; i < n; i++) {
        char said[INTAKE_LINE];
        intake_line_in(line[i], lang, said, sizeof said);
        html_escape(b, said);
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
        html_head(&b, lang, T(lang, "Grades", "成绩"));
        course_heading(&b, 1, T(lang, "Grades", "成绩"));
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
        listed(&b, T(lang, "Left over: somebody's work that could not be placed", "未能归位的作业"),
               c.m.left, c.m.left_count, lang);
        listed(&b, T(lang, "Files that are no submissions", "未被识别为提交的文件"), c.m.refused,
               c.m.refused_count, lang);
        html_foot(&b);
        page = lib_buffer_take(&b);
        if (!page) lib_message_set2(msg, "out of memory", "内存不足");
    }
    if (fd >= 0) close(fd);
    course_free(&c);
    return page;
}
