/* Grades as CSV for Canvas and Moodle. With the course's own export as roster its rows and columns
 * are kept and the labs' columns added or filled; without, a row a student. A submission without a
 * score has an empty cell, never a zero. */
#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/buffer.h"
#include "runner/base/message.h"
#include "runner/base/say.h"
#include "grader/course/rows.h"

/* ---- RFC 4180 ---- */

typedef struct {
    char **cell;
    size_t count;
} csv_row;
typedef struct {
    csv_row *row;
    size_t count;
} csv;

static void csv_free(csv *t) {
    for (size_t i = 0; i < t->count; i++) {
        for (size_t k = 0; k < t->row[i].count; k++) free(t->row[i].cell[k]);
        free(t->row[i].cell);
    }
    free(t->row);
    *t = (csv){0};
}

static bool add_cell(csv_row *r, char *text) {
    char **more = text ? realloc(r->cell, (r->count + 1) * sizeof *more) : NULL;
    if (!more) {
        free(text);
        return false;
    }
    r->cell = more;
    r->cell[r->count++] = text;
    return true;
}

static csv_row *add_row(csv *t) {
    csv_row *more = realloc(t->row, (t->count + 1) * sizeof *more);
    if (!more) return NULL;
    t->row = more;
    t->row[t->count] = (csv_row){0};
    return &t->row[t->count++];
}

static bool csv_parse(const char *s, csv *t) {
    *t = (csv){0};
    if (!strncmp(s, "\xEF\xBB\xBF", 3)) s += 3; /* the mark that spreadsheets put in front */
    while (*s) {
        csv_row *row = add_row(t);
        if (!row) return false;
        for (;;) {
            lib_buffer b = {0};
            lib_buffer_puts(&b, "");
            if (*s == '"') {
                for (s++; *s && (*s != '"' || s[1] == '"'); s++) {
                    if (*s == '"') s++;
                    lib_buffer_add(&b, s, 1);
                }
                if (*s == '"') s++;
                while (*s && *s != ',' && *s != '\n') s++;
            } else {
                size_t n = strcspn(s, ",\r\n");
                lib_buffer_add(&b, s, n);
                s += n;
            }
            if (!add_cell(row, lib_buffer_take(&b))) return false;
            while (*s == '\r') s++;
            if (*s != ',') break;
            s++;
        }
        if (*s == '\n') s++;
    }
    return true;
}

/* A cell that a spreadsheet would run as a formula gets a quote in front. */
static void put_cell(lib_buffer *b, const char *text, bool ours, bool first) {
    char *clean = lib_clean(text, strlen(text));
    if (!first) lib_buffer_puts(b, ",");
    if (!clean) {
        b->failed = true;
        return;
    }
    bool formula = ours && *clean && strchr("=+-@\t", *clean);
    if (formula || strpbrk(clean, ",\"\n\r")) {
        lib_buffer_puts(b, formula ? "\"'" : "\"");
        for (const char *p = clean; *p; p++) {
            if (*p == '"') lib_buffer_puts(b, "\"");
            lib_buffer_add(b, p, 1);
        }
        lib_buffer_puts(b, "\"");
    } else lib_buffer_puts(b, clean);
    free(clean);
}

static void put_score(lib_buffer *b, const course_row *r) {
    double score;
    char num[32];
    lib_buffer_puts(b, ",");
    if (course_score(r, &score)) lib_buffer_puts(b, lib_number(num, score));
}

/* ---- rosters ---- */

static size_t roster_column(const csv_row *head, const char *const *names, size_t n) {
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; head && i < head->count; i++)
            if (!strcasecmp(head->cell[i], names[k])) return i;
    return SIZE_MAX;
}

/* Who of ours a roster's row is: by login, id, e-mail (whole or before the @) or name. */
static const char *roster_student(const course *c, const csv_row *r, const size_t *columns,
                                  size_t n) {
    for (size_t k = 0; k < n; k++) {
        if (columns[k] >= r->count || !*r->cell[columns[k]]) continue;
        const char *cell = r->cell[columns[k]], *at = strchr(cell, '@');
        for (size_t i = 0; i < c->students; i++)
            if (!strcasecmp(c->student[i], cell) ||
                (at && strlen(c->student[i]) == (size_t)(at - cell) &&
                 !strncasecmp(c->student[i], cell, (size_t)(at - cell))))
                return c->student[i];
    }
    return NULL;
}

/* The roster's column for a lab: "LAB", "LAB (1234)", "Assignment: LAB (Real)". */
static size_t lab_column(const csv_row *head, const char *lab) {
    size_t n = strlen(lab);
    for (size_t i = 0; i < head->count; i++)
        for (const char *p = head->cell[i]; (p = strstr(p, lab)); p++) {
            bool left = p == head->cell[i] || p[-1] == ' ' || p[-1] == ':',
                 right = !p[n] || p[n] == ' ';
            if (left && right) return i;
        }
    return SIZE_MAX;
}

typedef struct {
    const char *const *columns; /* of a file without a roster */
    /* own: which of them holds the student's folder name; the first does too in Canvas */
    size_t column_count, own;
    const char *const *match; /* a roster's columns that say who somebody is */
    size_t match_count;
    bool points_row; /* Canvas: a row "Points Possible" */
} csv_format;

static char *fill_roster(const course *c, const csv *t, const csv_format *f, lib_message *msg) {
    lib_buffer b = {0};
    size_t match[8], n = 0;
    const csv_row *head = t->count ? &t->row[0] : NULL;
    for (size_t k = 0; k < f->match_count && k < 8; k++) {
        size_t at = roster_column(head, &f->match[k], 1);
        if (at != SIZE_MAX) match[n++] = at;
    }
    if (!n) {
        lib_message_set2(
            msg,
            "the roster has none of the columns that name a student: expected one of %s, %s, ...",
            "名册中没有标明学生的列：应有 %s、%s 等之一", f->match[0], f->match[1]);
        return NULL;
    }
    for (size_t i = 0; i < t->count; i++) {
        const csv_row *r = &t->row[i];
        const char *student = i ? roster_student(c, r, match, n) : NULL;
        for (size_t k = 0; k < r->count; k++) {
            size_t l = 0;
            while (l < c->labs && lab_column(head, c->lab[l]) != k) l++;
            const course_row *row =
                l < c->labs && student ? course_find(c, student, c->lab[l]) : NULL;
            double score;
            char num[32];
            put_cell(&b, row && course_score(row, &score) ? lib_number(num, score) : r->cell[k],
                     false, !k);
        }
        for (size_t l = 0; l < c->labs; l++) {
            if (lab_column(head, c->lab[l]) != SIZE_MAX) continue;
            if (!i) put_cell(&b, c->lab[l], true, false);
            else put_score(&b, student ? course_find(c, student, c->lab[l]) : NULL);
        }
        lib_buffer_puts(&b, "\r\n");
    }
    return lib_buffer_take(&b);
}

static char *csv_fresh(const course *c, const csv_format *f) {
    lib_buffer b = {0};
    for (size_t k = 0; k < f->column_count; k++) put_cell(&b, f->columns[k], true, !k);
    for (size_t l = 0; l < c->labs; l++) put_cell(&b, c->lab[l], true, false);
    lib_buffer_puts(&b, "\r\n");
    if (f->points_row) {
        put_cell(&b, "    Points Possible", true, true);
        for (size_t k = 1; k < f->column_count; k++) lib_buffer_puts(&b, ",");
        for (size_t l = 0; l < c->labs; l++) {
            double max = 0;
            char num[32];
            for (size_t i = 0; i < c->count; i++)
                if (!strcmp(c->row[i].lab, c->lab[l]) && c->row[i].record &&
                    report_number(c->row[i].record, "max_score") > max)
                    max = report_number(c->row[i].record, "max_score");
            lib_buffer_printf(&b, ",%s", max > 0 ? lib_number(num, max) : "");
        }
        lib_buffer_puts(&b, "\r\n");
    }
    for (size_t s = 0; s < c->students; s++) {
        for (size_t k = 0; k < f->column_count; k++)
            put_cell(&b, !k || k == f->own ? c->student[s] : "", true, !k);
        for (size_t l = 0; l < c->labs; l++)
            put_score(&b, course_find(c, c->student[s], c->lab[l]));
        lib_buffer_puts(&b, "\r\n");
    }
    return lib_buffer_take(&b);
}

static char *csv_make(const char *out, const char *roster, const csv_format *f, lib_message *msg) {
    course c;
    csv t = {0};
    char *result = NULL;
    msg->text[0] = 0;
    if (!course_load(&c, out, msg)) {
        course_free(&c);
        return NULL;
    }
    if (!roster) result = csv_fresh(&c, f);
    else {
        size_t n;
        char *text = store_read(AT_FDCWD, roster, (size_t)64 << 20, &n);
        if (!text) lib_message_set2(msg, "cannot read the roster %s", "无法读取名册 %s", roster);
        else if (csv_parse(text, &t)) result = fill_roster(&c, &t, f, msg);
        free(text);
    }
    if (!result && !msg->text[0]) lib_message_set2(msg, "out of memory", "内存不足");
    csv_free(&t);
    course_free(&c);
    return result;
}

char *grade_csv_canvas(const char *out, const char *roster, lib_message *msg) {
    static const char *const columns[] = {"Student", "ID", "SIS User ID", "SIS Login ID",
                                          "Section"},
                             *const match[] = {"SIS Login ID", "SIS User ID", "ID", "Student"};
    static const csv_format f = {columns, 5, 3, match, 4, true};
    return csv_make(out, roster, &f, msg);
}

char *grade_csv_moodle(const char *out, const char *roster, lib_message *msg) {
    static const char *const columns[] = {"idnumber"}, *const match[] = {"idnumber", "ID number",
                                                                         "email", "Email address",
                                                                         "Username"};
    static const csv_format f = {columns, 1, 0, match, 5, false};
    return csv_make(out, roster, &f, msg);
}
