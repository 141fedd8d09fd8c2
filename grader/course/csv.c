/* Grades as CSV for a course's system (export.h says how systems differ). If the roster is the
 * course's own export, its rows and columns are kept, and the labs' columns are added or filled.
 * Otherwise there is one row per student, with the identity from the kept roster. A submission
 * without a score has an empty cell, never a zero. A file with non-ASCII letters begins with a
 * byte-order mark, because spreadsheets otherwise assume another encoding. Canvas ignores the mark,
 * Moodle removes it (lib/csvlib.class.php of moodle/moodle). */
#include "grader/course/export.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include "runner/base/buffer.h"
#include "runner/base/message.h"
#include "runner/base/say.h"
#include "runner/base/word.h"
#include "words/course.h"
#include "words/intake.h"
#include "words/said.h"

/* A cell that a spreadsheet would run as a formula gets a leading quote. */
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

/* ---- points ---- */

/* Returns the full marks in the gradebook: from the course's own export, or otherwise from the
 * rules. */
static double worth(const course *c, const char *lab, double max, double asked) {
    double rules = policy_for(&c->rules, lab).points;
    return asked > 0 ? asked : rules > 0 ? rules : max;
}

static double lab_most(const course *c, const char *lab) {
    for (size_t i = 0; i < c->count; i++)
        if (!strcmp(c->row[i].lab, lab)) return c->row[i].most;
    return 0;
}

/* Returns "" if there is no score. */
static const char *points(char text[32], const course *c, const course_row *r, double asked) {
    double score;
    if (!r || !course_score(r, &score)) return "";
    return lib_number(text,
                      r->most > 0 ? score * worth(c, r->lab, r->most, asked) / r->most : score);
}

/* ---- the course's own export ---- */

typedef struct {
    const course *c;
    const csv_format *f;
    grade_csv *how;
    lib_message *msg;
    roster people;
    const char **who;   /* per row of the table: our student, or NULL */
    const char **lab;   /* per column: the lab, or NULL */
    double *asked;      /* per column: the full marks, 0 if unknown */
    size_t grade, most; /* columns of Moodle's worksheet: Grade, Maximum Grade */
    size_t last;        /* the column that ends a row; labs are added before it */
} filling;

static void note(grade_csv *how, lib_words words) {
    if (how->noted < 3) lib_message_set(&how->first[how->noted], words);
    how->noted++;
}

/* Matches rows and our students. Reports every student without a row. */
static bool match_people(filling *t) {
    size_t hits = 0;
    for (size_t s = 0; s < t->c->students; s++) {
        const char *student = t->c->student[s], *name = csv_name(t->c, student);
        bool several;
        const roster_person *p = csv_person(&t->people, t->c, student, &several);
        if (p && t->who[p->row]) note(t->how, w_course_same_on_roster(student, t->who[p->row]));
        else if (p) {
            t->who[p->row] = student;
            hits++;
        } else if (several) note(t->how, w_course_several_on_roster(student));
        else if (*name) note(t->how, w_course_called_not_on_roster(student, name));
        else note(t->how, w_course_not_on_roster(student));
    }
    if (hits || !t->c->students) return true;
    const char *here = t->c->student[0],
               *theirs = t->people.count ? t->people.person[0].student : NULL;
    lib_message_set(
        t->msg,
        theirs ? w_course_roster_names_none(t->people.path, (long long)t->c->students, here, theirs)
               : w_course_roster_names_none_here(t->people.path, (long long)t->c->students, here));
    return false;
}

/* Returns whether the heading belongs to the lab: "LAB", "LAB (1234)", "Assignment: LAB (Real)". If
 * the rules have a name for the lab, that name is used instead. */
static bool is_column(const filling *t, const char *heading, const char *lab) {
    const char *own = policy_for(&t->c->rules, lab).column, *suffix = t->f->suffix;
    size_t n = strlen(own ? own : lab);
    for (const char *p = heading; (p = strstr(p, own ? own : lab)); p++) {
        bool left = p == heading || p[-1] == ' ' || p[-1] == ':',
             right = *suffix ? !strncmp(p + n, suffix, strlen(suffix)) : !p[n] || p[n] == ' ';
        if (left && right) return true;
    }
    return false;
}

static bool match_columns(filling *t) {
    const csv_table *table = &t->people.table;
    const csv_row *head = &table->row[0];
    for (size_t k = 0; k < head->count; k++) {
        for (size_t l = 0; l < t->c->labs && !t->lab[k]; l++)
            if ((!t->how->lab || !strcmp(t->how->lab, t->c->lab[l])) &&
                is_column(t, head->cell[k], t->c->lab[l]))
                t->lab[k] = t->c->lab[l];
        if (t->f->asked && t->lab[k]) t->asked[k] = t->f->asked(table, k);
    }
    t->grade = t->most = SIZE_MAX;
    t->last = t->f->last ? csv_column(table, t->f->last) : SIZE_MAX;
    if (!t->people.worksheet || !t->f->worksheet) return true;
    t->grade = roster_column(table, "Grade", W_INTAKE_HEADING_GRADE);
    t->most = roster_column(table, "Maximum Grade", W_INTAKE_HEADING_MAXIMUM_GRADE);
    if (t->grade == SIZE_MAX) return true;
    if (!t->how->lab && t->c->labs != 1) {
        lib_message_set(t->msg, w_course_worksheet_of_one(t->people.path, t->c->labs));
        return false;
    }
    t->lab[t->grade] = t->how->lab ? t->how->lab : t->c->lab[0];
    return true;
}

/* Returns the place for the next warning. If all are used, the last one is overwritten. */
static lib_message *warn(grade_csv *how) {
    size_t n = sizeof how->warning / sizeof *how->warning;
    return &how->warning[how->warned < n ? how->warned++ : n - 1];
}

static bool about_people(const csv_format *f, const char *heading) {
    for (const char *const *own = f->people; *own; own++)
        if (!strcasecmp(*own, heading)) return true;
    return false;
}

/* Warns that no column of the roster has the course's name for a lab. */
static void warn_column(filling *t, const char *lab, const char *own) {
    const csv_row *head = &t->people.table.row[0];
    const char *end = *t->f->suffix ? t->f->suffix : " ("; /* ends the name of an assignment */
    lib_buffer all = {0};
    char **name = calloc(head->count + 1, sizeof *name);
    size_t n = 0;
    for (size_t k = 0; name && k < head->count; k++) {
        const char *heading = head->cell[k], *number = strstr(heading, end);
        if (!*heading || about_people(t->f, heading)) continue;
        if (n < 8) lib_buffer_printf(&all, "%s\n", heading);
        name[n] = strndup(heading, number ? (size_t)(number - heading) : strlen(heading));
        if (name[n]) n++;
    }
    const char *near = name ? lib_nearest(own, (const char *const *)name, n) : NULL;
    char *list = lib_buffer_take(&all);
    const char *columns = list && n ? list : "-";
    lib_message_set(warn(t->how),
                    near ? w_course_no_column_near(lab, own, t->people.path, columns, near)
                         : w_course_no_column(lab, own, t->people.path, columns));
    free(list);
    for (size_t i = 0; i < n; i++) free(name[i]);
    free(name);
}

/* Warns about columns and points that are in the course's rules, but not in the roster. */
static void warn_rules(filling *t) {
    size_t width = t->people.table.row[0].count;
    for (size_t l = 0; l < t->c->labs && t->f->asked; l++) {
        const char *lab = t->c->lab[l];
        policy_lab rules = policy_for(&t->c->rules, lab);
        size_t k = 0;
        if (t->how->lab && strcmp(t->how->lab, lab) != 0) continue;
        while (k < width && t->lab[k] != lab) k++;
        if (k == width && rules.column) warn_column(t, lab, rules.column);
        if (k < width && t->asked[k] > 0 && rules.points > 0 && t->asked[k] != rules.points)
            lib_message_set(warn(t->how), w_course_points_differ(lab, rules.points,
                                                                 t->f->asked_name, t->asked[k]));
    }
}

static void put_heading(lib_buffer *b, const course *c, const csv_format *f, const char *lab) {
    const char *own = policy_for(&c->rules, lab).column;
    char *heading = lib_format("%s%s", own ? own : lab, f->suffix);
    put_cell(b, heading, true, false);
    free(heading);
}

/* Adds the labs without a column in the roster. A worksheet takes no other columns. */
static void add_labs(filling *t, lib_buffer *b, size_t i) {
    const course *c = t->c;
    size_t width = t->people.table.row[0].count;
    char num[32];
    for (size_t l = 0; l < c->labs && t->grade == SIZE_MAX; l++) {
        bool there = t->how->lab && strcmp(t->how->lab, c->lab[l]) != 0;
        for (size_t k = 0; k < width && !there; k++) there = t->lab[k] == c->lab[l];
        const course_row *row = there || !t->who[i] ? NULL : course_find(c, t->who[i], c->lab[l]);
        if (there) continue;
        if (!i) put_heading(b, c, t->f, c->lab[l]);
        else put_cell(b, points(num, c, row, 0), false, false);
    }
}

static void fill_row(filling *t, lib_buffer *b, size_t i) {
    const csv_row *r = &t->people.table.row[i];
    const course *c = t->c;
    size_t width = t->people.table.row[0].count;
    char num[32];
    bool blank = r->count < 2 && !*csv_cell(r, 0);
    size_t cells = r->count < width && !blank ? width : r->count; /* missing cells are empty */
    for (size_t k = 0; k < cells; k++) {
        if (k == t->last) add_labs(t, b, i);
        const char *lab = i && k < width ? t->lab[k] : NULL;
        double asked = k < width ? t->asked[k] : 0;
        if (k == t->grade && t->most != SIZE_MAX) asked = strtod(csv_cell(r, t->most), NULL);
        const course_row *row = lab && t->who[i] ? course_find(c, t->who[i], lab) : NULL;
        const char *text = points(num, c, row, asked);
        put_cell(b, *text || k >= r->count ? text : r->cell[k], false, !k);
    }
    if (t->last == SIZE_MAX) add_labs(t, b, i);
    lib_buffer_puts(b, "\r\n");
}

static const csv_format *const formats[] = {
#define ROW(id, name) &csv_##name,
    GRADE_EXPORTS(ROW)
#undef ROW
};

/* Checks that the roster is from the export's own system. */
static bool right_system(filling *t) {
    const csv_format *f = t->f;
    for (size_t k = 0; k < GRADE_EXPORT_FORMATS; k++) {
        if (formats[k] == f || !formats[k]->sure || !formats[k]->sure(&t->people.table)) continue;
        lib_message_set(t->msg, w_course_roster_of_other(t->people.path, formats[k]->title,
                                                         f->title, f->takes));
        return false;
    }
    if (!f->own || f->own(&t->people)) return true;
    lib_message_set(t->msg, w_course_roster_not_of_system(t->people.path, f->title, f->headings));
    return false;
}

static char *fill_roster(const course *c, const csv_format *f, grade_csv *how, lib_message *msg) {
    filling t = {.c = c, .f = f, .how = how, .msg = msg};
    lib_buffer b = {0};
    if (!roster_read(how->roster, c->rules.zone, &t.people, msg)) return NULL;
    size_t rows = t.people.table.count, width = rows ? t.people.table.row[0].count : 0;
    t.who = calloc(rows + 1, sizeof *t.who);
    t.lab = calloc(width + 1, sizeof *t.lab);
    t.asked = calloc(width + 1, sizeof *t.asked);
    bool ok = t.who && t.lab && t.asked && rows && right_system(&t) && match_people(&t) &&
              match_columns(&t);
    if (ok) warn_rules(&t);
    if (ok && t.people.table.mark) lib_buffer_puts(&b, "\xEF\xBB\xBF");
    for (size_t i = 0; ok && i < rows; i++) fill_row(&t, &b, i);
    free(t.who);
    free(t.lab);
    free(t.asked);
    roster_free(&t.people);
    return ok ? lib_buffer_take(&b) : NULL;
}

/* ---- one row per student ---- */

/* Reads the roster kept with the grading. A missing one counts as empty. */
static void kept_roster(const course *c, const char *out, roster *people) {
    char path[4200];
    lib_message ignored;
    *people = (roster){0};
    SAY(path, "%s/roster.csv", out);
    if (!access(path, R_OK) && !roster_read(path, c->rules.zone, people, &ignored))
        *people = (roster){0};
}

static void fresh_student(lib_buffer *b, const course *c, const csv_format *f, const roster *kept,
                          const char *student) {
    char text[EXPORT_CELL];
    for (size_t k = 0; k < f->column_count; k++)
        put_cell(b, f->cell ? f->cell(c, kept, student, f->columns[k], text) : student, true, !k);
}

static char *csv_fresh(const course *c, const char *out, const csv_format *f,
                       const grade_csv *how) {
    lib_buffer b = {0};
    char num[32];
    roster kept;
    kept_roster(c, out, &kept);
    for (size_t k = 0; k < f->column_count; k++) put_cell(&b, f->columns[k], true, !k);
    for (size_t l = 0; l < c->labs; l++)
        if (!how->lab || !strcmp(how->lab, c->lab[l])) put_heading(&b, c, f, c->lab[l]);
    if (f->last) put_cell(&b, f->last, true, false);
    lib_buffer_puts(&b, "\r\n");
    if (f->points_row) {
        put_cell(&b, "    Points Possible", true, true);
        for (size_t k = 1; k < f->column_count; k++) lib_buffer_puts(&b, ",");
        for (size_t l = 0; l < c->labs; l++) {
            double max = worth(c, c->lab[l], lab_most(c, c->lab[l]), 0);
            if (!how->lab || !strcmp(how->lab, c->lab[l]))
                lib_buffer_printf(&b, ",%s", max > 0 ? lib_number(num, max) : "");
        }
        lib_buffer_puts(&b, "\r\n");
    }
    for (size_t s = 0; s < c->students; s++) {
        fresh_student(&b, c, f, &kept, c->student[s]);
        for (size_t l = 0; l < c->labs; l++)
            if (!how->lab || !strcmp(how->lab, c->lab[l]))
                put_cell(&b, points(num, c, course_find(c, c->student[s], c->lab[l]), 0), false,
                         false);
        lib_buffer_puts(&b, f->last ? ",#\r\n" : "\r\n");
    }
    roster_free(&kept);
    return lib_buffer_take(&b);
}

char *grade_csv_marked(char *text) {
    const char *p = text;
    while (p && *p && !((unsigned char)*p & 0x80)) p++;
    if (!p || !*p || !strncmp(text, "\xEF\xBB\xBF", 3)) return text;
    lib_buffer b = {0};
    lib_buffer_printf(&b, "\xEF\xBB\xBF%s", text);
    free(text);
    return lib_buffer_take(&b);
}

const char *grade_export_name(unsigned f) {
    static const char *const names[] = {
#define ROW(id, name) #name,
        GRADE_EXPORTS(ROW)
#undef ROW
    };
    return f < GRADE_EXPORT_FORMATS ? names[f] : NULL;
}

char *grade_export(const char *out, grade_export_format format, grade_csv *how, lib_message *msg) {
    const csv_format *f = formats[format];
    course c;
    char *result = NULL;
    grade_csv plain = {0};
    if (!how) how = &plain;
    how->noted = how->warned = 0;
    bool ok = course_load(&c, out, msg);
    if (ok) result = how->roster ? fill_roster(&c, f, how, msg) : csv_fresh(&c, out, f, how);
    course_free(&c);
    if (!result && !lib_message_any(msg)) lib_message_set(msg, w_said_out_of_memory());
    return result ? grade_csv_marked(result) : NULL;
}
