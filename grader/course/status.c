/* How far a grading is, and why a student's grade is what it is. The texts are for a terminal and
 * are made only from the records. */
#include <ctype.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>
#include "runner/base/buffer.h"
#include "runner/base/message.h"
#include "runner/base/say.h"
#include "grader/course/rows.h"
#include "grader/intake/roster.h"
#include "grader/intake/when.h"
#include "grader/report/model.h"
#include "words/course.h"
#include "words/said.h"

static const char *const states[] = {"graded",    "suspect",     "ungradable",
                                     "ambiguous", "infra_error", "missing"};
enum { STATES = sizeof states / sizeof *states };

const char *course_state_word(const char *state, lib_lang lang) {
    return report_verdict(state, lang);
}

const char *course_verdict_word(const char *verdict, lib_lang lang) {
    return lang == LIB_EN ? verdict : report_verdict(verdict, lang);
}

static bool at_work(int out) {
    int fd = openat(out, "lock", O_RDONLY | O_CLOEXEC);
    bool busy = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB);
    if (fd >= 0) close(fd);
    return busy;
}

/* Adds a line after `indent`. */
static void put_line(lib_buffer *b, lib_lang lang, const char *indent, lib_words words) {
    lib_buffer_puts(b, indent);
    lib_words_put(b, lang, words);
    lib_buffer_puts(b, "\n");
}

/* "4321 (Jane Doe)" */
static lib_words called(const char *student, const char *name) {
    return *name ? w_course_student_called(student, name) : w_course_as_it_is(student);
}

/* Adds a line of what is left over. */
static void put_left(lib_buffer *b, const course *c, const char *line, lib_lang lang) {
    lib_message said;
    manifest_said(&c->m, line, &said);
    put_line(b, lang, "  ", lib_message_words(&said));
}

static size_t count_state(const course *c, const char *lab, const char *state) {
    size_t n = 0;
    for (size_t i = 0; i < c->count; i++)
        n += !strcmp(c->row[i].lab, lab) && !strcmp(course_state(&c->row[i]), state);
    return n;
}

static void status_lab(lib_buffer *b, const course *c, const char *lab, lib_lang lang) {
    size_t late = 0, rows = 0, scored = 0;
    double sum = 0, most = 0, score;
    for (size_t i = 0; i < c->count; i++) {
        const course_row *r = &c->row[i];
        if (strcmp(r->lab, lab) != 0) continue;
        rows++;
        late += r->when.late;
        if (!course_score(r, &score)) continue;
        scored++;
        sum += score;
        if (report_number(r->record, "max_score") > most)
            most = report_number(r->record, "max_score");
    }
    lib_words_put(b, lang, w_course_lab_count(lab, (long long)rows));
    for (size_t k = 0; k < STATES; k++) {
        size_t n = count_state(c, lab, states[k]);
        if (n)
            lib_words_put(b, lang,
                          w_course_and_state((long long)n, report_verdict_word(states[k])));
    }
    if (late) lib_words_put(b, lang, w_course_and_late((long long)late));
    if (scored)
        lib_words_put(b, lang, w_course_mean(round(100 * sum / (double)scored) / 100, most));
    lib_buffer_puts(b, "\n");
}

/* ---- who is on the roster ---- */

/* Reads OUT's roster and marks each person of whom something was taken; NULL: there is no
 * roster. */
static char *roster_marks(const course *c, const char *out, roster *people) {
    char path[4200];
    lib_message ignored;
    lib_say(path, sizeof path, "%s/roster.csv", out);
    *people = (roster){0};
    if (access(path, R_OK) || !roster_read(path, 0, people, &ignored)) return NULL;
    char *marks = calloc(people->count + 1, 1);
    for (size_t i = 0; marks && i < c->count; i++) {
        const char *ids[64];
        char *copy = strdup(c->row[i].entry->ids), *rest;
        size_t n = 0;
        bool several;
        ids[n++] = c->row[i].student;
        for (char *p = copy ? strtok_r(copy, "\n", &rest) : NULL; p && n < 64;
             p = strtok_r(NULL, "\n", &rest))
            ids[n++] = p;
        const roster_person *p = roster_find(people, ids, n, "", &several);
        if (p) marks[p - people->person] = 1;
        free(copy);
    }
    if (!marks) roster_free(people);
    return marks;
}

static void status_absent(lib_buffer *b, const course *c, const char *out, lib_lang lang) {
    roster people;
    char *marks = roster_marks(c, out, &people);
    size_t n = 0, said = 0;
    for (size_t i = 0; marks && i < people.count; i++)
        n += !marks[i] && !roster_nobody(&people.person[i]);
    if (n) put_line(b, lang, "", w_course_absent((long long)n));
    for (size_t i = 0; n && i < people.count && said < 50; i++) {
        const roster_person *p = &people.person[i];
        if (marks[i] || roster_nobody(p)) continue;
        put_line(b, lang, "  ", called(p->student ? p->student : "-", p->name));
        said++;
    }
    if (n > said) lib_buffer_puts(b, "  ...\n");
    free(marks);
    roster_free(&people);
}

char *course_status(const char *out, lib_lang lang, lib_message *msg) {
    course c;
    lib_buffer b = {0};
    bool ok = course_load(&c, out, msg);
    int fd = ok ? open(out, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (ok) {
        long long students = (long long)c.students, labs = (long long)c.labs;
        put_line(&b, lang, "",
                 at_work(fd) ? w_course_size_at_work(students, labs)
                             : w_course_size(students, labs));
        for (size_t l = 0; l < c.labs; l++) status_lab(&b, &c, c.lab[l], lang);
        if (!faccessat(fd, "secret", F_OK, 0)) put_line(&b, lang, "", w_course_secret_kept());
        if (c.m.left_count) put_line(&b, lang, "", w_course_left_over_n((long long)c.m.left_count));
        for (size_t i = 0; i < c.m.left_count && i < 20; i++) put_left(&b, &c, c.m.left[i], lang);
        if (c.m.left_count > 20) lib_buffer_puts(&b, "  ...\n");
        status_absent(&b, &c, out, lang);
        char *strangers = course_strangers(out, NULL, lang);
        if (strangers) lib_buffer_puts(&b, strangers);
        free(strangers);
    }
    if (fd >= 0) close(fd);
    course_free(&c);
    char *text = ok ? lib_buffer_take(&b) : NULL;
    if (ok && !text) lib_message_set(msg, w_said_out_of_memory());
    if (!ok) lib_buffer_free(&b);
    return text;
}

/* ---- one grade ---- */

/* Adds what one of several attempts is worth: "6 of 10" after the cost of lateness, or why it has
 * no score. */
static void put_worth(lib_buffer *b, const course *c, int out, const store_entry *e,
                      lib_lang lang) {
    course_row r = course_attempt(c, out, e);
    double worth;
    if (course_score(&r, &worth))
        lib_words_put(b, lang, w_course_attempt_score(worth, report_number(r.record, "max_score")));
    else if (e->graded || r.record)
        lib_words_put(b, lang, w_course_attempt_state(course_state_word(course_state(&r), lang)));
    else lib_words_put(b, lang, w_course_attempt_not_graded());
    json_decref(r.record);
}

static void explain_attempts(lib_buffer *b, const course *c, const course_row *r, int out,
                             lib_lang lang) {
    char at[64];
    for (size_t i = 0; i < c->m.count; i++) {
        const store_entry *e = &c->m.entry[i];
        if (strcmp(e->student, r->student) != 0 || strcmp(e->lab, r->lab) != 0) continue;
        if (e->timed) when_write(e->time, c->rules.zone, at, sizeof at);
        else SAY(at, "%s", lib_word(lang, W_COURSE_TIME_NOT_KNOWN));
        lib_buffer_puts(b, "  ");
        lib_words_put(b, lang, w_course_attempt(e->attempt, e->source, at));
        if (e->late) lib_words_put(b, lang, w_course_attempt_late());
        if (e->attempts > 1) put_worth(b, c, out, e, lang);
        if (e == r->entry) lib_words_put(b, lang, w_course_attempt_counts());
        lib_buffer_puts(b, "\n");
    }
}

static void explain_goals(lib_buffer *b, const json_t *record, lib_lang lang) {
    size_t i;
    const json_t *g;
    char points[32], max[32];
    json_array_foreach(json_object_get(record, "goals"), i, g) {
        char *title = report_goal_title(g, lang);
        bool scored = json_is_number(json_object_get(g, "points"));
        lib_buffer_shown(b, "  %-4s %s/%s  %s\n", report_true(g, "pass") ? "ok" : "--",
                         scored ? lib_number(points, report_number(g, "points")) : "-",
                         lib_number(max, report_number(g, "max_points")), title ? title : "");
        if (*report_said(g, lang)) lib_buffer_shown(b, "       %s\n", report_said(g, lang));
        free(title);
    }
}

/* Adds the compiler's first error. The report has all of them. */
static void explain_build(lib_buffer *b, const json_t *record) {
    const json_t *build = json_object_get(record, "build");
    const char *log = report_text(build, "log"), *first = log;
    if (!json_is_false(json_object_get(build, "ok")) || !*log) return;
    for (const char *p = log; *p; p += strcspn(p, "\n"), p += *p == '\n') {
        const char *error = strstr(p, "error");
        if (!error || error > p + strcspn(p, "\n")) continue;
        first = p;
        break;
    }
    size_t n = strcspn(first, "\n");
    lib_buffer_shown(b, "  %.*s\n", (int)(n < 300 ? n : 300), first);
}

static void explain_row(lib_buffer *b, const course *c, const course_row *r, int out,
                        lib_lang lang) {
    char due[64];
    double score, whole;
    lib_message who;
    lib_message_set(&who, called(r->student, r->entry->name));
    put_line(b, lang, "",
             w_course_grade_of(&who, r->lab, course_verdict_word(course_verdict(r), lang)));
    explain_attempts(b, c, r, out, lang);
    if (r->when.dated) {
        when_write(r->when.due, c->rules.zone, due, sizeof due);
        put_line(b, lang, "  ", r->when.extended ? w_course_due_extended(due) : w_course_due(due));
    }
    char *rules = policy_said(&c->rules, r->entry, lang);
    if (rules && *rules) lib_buffer_shown(b, "  %s\n", rules);
    free(rules);
    if (!r->record) {
        put_line(b, lang, "  ", lib_words_of(report_verdict_word("missing")));
        return;
    }
    if (*report_said(r->record, lang)) lib_buffer_shown(b, "  %s\n", report_said(r->record, lang));
    explain_build(b, r->record);
    explain_goals(b, r->record, lang);
    if (course_score(r, &score) && course_earned(r, &whole)) {
        double max = report_number(r->record, "max_score");
        put_line(b, lang, "  ",
                 r->when.cut > 0 ? w_course_points_counted(whole, max, score)
                                 : w_course_points(score, max));
    } else put_line(b, lang, "  ", w_course_no_score());
    if (r->older) put_line(b, lang, "  ", w_course_newest_not_done());
    lib_buffer_shown(b, "  records/%s.json\n  reports/%s.html\n", report_text(r->record, "key"),
                     report_text(r->record, "key"));
}

/* Returns whether the line contains `name` as a word. */
static bool names(const char *line, const char *name) {
    size_t n = strlen(name);
    for (const char *p = line; n && (p = strstr(p, name)); p++) {
        bool left = p == line || !isalnum((unsigned char)p[-1]),
             right = !isalnum((unsigned char)p[n]);
        if (left && right) return true;
    }
    return false;
}

/* Explains what is known about a student of whom nothing was taken. Returns false if nothing is. */
static bool explain_absent(lib_buffer *b, const course *c, const char *out, const char *student,
                           lib_lang lang) {
    bool several, known = false;
    roster people;
    char *marks = roster_marks(c, out, &people);
    const roster_person *p = marks ? roster_find(&people, &student, 1, student, &several) : NULL;
    lib_buffer left = {0};
    size_t lines = 0;
    for (size_t i = 0; i < c->m.left_count; i++) {
        bool of = names(c->m.left[i], student);
        for (unsigned k = 0; p && k < p->count; k++) of = of || names(c->m.left[i], p->id[k]);
        if (!of) continue;
        put_left(&left, c, c->m.left[i], lang);
        lines++;
    }
    known = p || lines;
    lib_message who;
    lib_message_set(&who, called(p && p->student ? p->student : student, p ? p->name : ""));
    if (known)
        put_line(b, lang, "",
                 lines ? w_course_nothing_taken_left_over(&who) : w_course_nothing_handed_in(&who));
    char *text = lib_buffer_take(&left);
    if (known && lines && text) lib_buffer_puts(b, text);
    free(text);
    free(marks);
    roster_free(&people);
    return known;
}

/* Finds a student in the records, otherwise on the roster. */
static const char *find_student(const course *c, const char *out, const char *name, bool *several) {
    const char *who = course_who(c, name, several);
    roster people;
    char *marks = who || *several ? NULL : roster_marks(c, out, &people);
    if (!marks) return who;
    const roster_person *p = roster_find(&people, &name, 1, name, several);
    for (unsigned k = 0; p && k < p->count && !who; k++) who = course_who(c, p->id[k], several);
    free(marks);
    roster_free(&people);
    return who;
}

/* Adds what was left over although something of the student was taken: a header, a second file. */
static void explain_left(lib_buffer *b, const course *c, const char *who, lib_lang lang) {
    const course_row *r = course_first(c, who);
    size_t said = 0;
    for (size_t i = 0; r && i < c->m.left_count; i++) {
        bool of = names(c->m.left[i], who);
        char *ids = strdup(r->entry->ids), *rest;
        for (char *p = ids ? strtok_r(ids, "\n", &rest) : NULL; p && !of;
             p = strtok_r(NULL, "\n", &rest))
            of = names(c->m.left[i], p);
        free(ids);
        if (!of) continue;
        if (!said++) put_line(b, lang, "", w_course_left_over());
        put_left(b, c, c->m.left[i], lang);
    }
}

char *course_explain(const char *out, const char *student, const char *lab, lib_lang lang,
                     lib_message *msg) {
    course c;
    lib_buffer b = {0};
    bool ok = course_load(&c, out, msg);
    bool several = false;
    const char *who = ok ? find_student(&c, out, student, &several) : NULL;
    int fd = who ? open(out, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    size_t shown = 0;
    for (size_t i = 0; who && i < c.count; i++) {
        const course_row *r = &c.row[i];
        if (strcmp(r->student, who) != 0 || (lab && strcmp(r->lab, lab) != 0)) continue;
        explain_row(&b, &c, r, fd, lang);
        shown++;
    }
    if (shown) explain_left(&b, &c, who, lang);
    if (fd >= 0) close(fd);
    if (several) lib_message_set(msg, w_course_several_students(student));
    else if (ok && !who && explain_absent(&b, &c, out, student, lang)) shown = 1;
    else if (ok && !who) lib_message_set(msg, w_course_nobody_of_name(out, student));
    else if (ok && !shown) lib_message_set(msg, w_course_handed_nothing_in(who, lab));
    course_free(&c);
    char *text = shown ? lib_buffer_take(&b) : NULL;
    if (shown && !text) lib_message_set(msg, w_said_out_of_memory());
    return text;
}
