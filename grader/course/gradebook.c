/* The gradebook in SQLite. A new file is made from the records and renamed into place, so all its
 * rows are of the same age. Deleting it loses nothing. */
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "runner/base/buffer.h"
#include "runner/base/file.h"
#include "runner/base/message.h"
#include "runner/base/paths.h"
#include "runner/base/say.h"
#include "grader/course/rows.h"
#include "grader/intake/when.h"
#include "grader/json/json.h"
#include "words/course.h"
#include "words/said.h"

enum { BOOK_FORM = 1 }; /* user_version of the tables below */
static const char schema[] = "PRAGMA user_version = 1;"
                             "CREATE TABLE submissions (student TEXT NOT NULL, lab TEXT NOT NULL, "
                             "state TEXT NOT NULL, verdict TEXT "
                             "NOT NULL, score REAL, max_score REAL,"
                             " speedup REAL, time_us REAL, device TEXT, submission TEXT, key TEXT, "
                             "older INTEGER NOT NULL, message_en "
                             "TEXT, message_zh TEXT,"
                             " PRIMARY KEY (lab, student)) WITHOUT ROWID;"
                             "CREATE TABLE goals (student TEXT NOT NULL, lab TEXT NOT NULL, "
                             "position INTEGER NOT NULL, kind TEXT, "
                             "name TEXT, pass INTEGER, expected REAL,"
                             " actual REAL, points REAL, max_points REAL, PRIMARY KEY (lab, "
                             "student, position)) WITHOUT ROWID;";
/* Gradebooks of version 0.1.0 lack these tables, and 0.1.0 can still read a book that has them. */
static const struct {
    const char *name, *columns;
} later_tables[] = {
    {"students", "(student TEXT PRIMARY KEY, name TEXT NOT NULL)"},
    {"attempts", "(student TEXT NOT NULL, lab TEXT NOT NULL, attempt INTEGER, attempts INTEGER, "
                 "handed_in TEXT, due TEXT, late INTEGER, late_s REAL, cut REAL, earned REAL, "
                 "PRIMARY KEY (lab, student))"}};
enum { LATER_TABLES = sizeof later_tables / sizeof *later_tables };

static bool make_table(sqlite3 *db, const char *kind, unsigned i) {
    char sql[400];
    SAY(sql, "CREATE %sTABLE %s %s WITHOUT ROWID", kind, later_tables[i].name,
        later_tables[i].columns);
    return sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK;
}

/* path NULL: the message names no file. */
static bool db_fail(lib_message *msg, sqlite3 *db, const char *path) {
    const char *why = db ? sqlite3_errmsg(db) : "out of memory";
    lib_message_set(msg, path ? w_course_gradebook_fails(path, why)
                              : w_course_gradebook_not_readable(why));
    return false;
}

static void gradebook_bind(sqlite3_stmt *s, int i, const char *text) {
    sqlite3_bind_text(s, i, text, -1, SQLITE_TRANSIENT);
}

static bool insert_goals(sqlite3_stmt *s, const course_row *r) {
    size_t i;
    const json_t *g;
    json_array_foreach(json_object_get(r->record, "goals"), i, g) {
        gradebook_bind(s, 1, r->student);
        gradebook_bind(s, 2, r->lab);
        sqlite3_bind_int64(s, 3, (sqlite3_int64)i);
        gradebook_bind(s, 4, report_text(g, "kind"));
        gradebook_bind(s, 5, report_text(g, "name"));
        sqlite3_bind_int(s, 6, report_true(g, "pass"));
        sqlite3_bind_double(s, 7, report_number(g, "expected"));
        sqlite3_bind_double(s, 8, report_number(g, "actual"));
        sqlite3_bind_double(s, 9, report_number(g, "points"));
        sqlite3_bind_double(s, 10, report_number(g, "max_points"));
        if (sqlite3_step(s) != SQLITE_DONE) return false;
        sqlite3_reset(s);
    }
    return true;
}

/* Binds a figure that is 0 if nothing was measured; then NULL is bound. */
static void bind_measured(sqlite3_stmt *s, int i, double v) {
    if (v > 0) sqlite3_bind_double(s, i, v);
    else sqlite3_bind_null(s, i);
}

static void bind_moment(sqlite3_stmt *s, int i, bool known, int64_t at, int zone) {
    char text[64];
    if (!known) {
        sqlite3_bind_null(s, i);
        return;
    }
    when_write(at, zone, text, sizeof text);
    gradebook_bind(s, i, text);
}

/* The attempt that counts: which one, when, how late, and its points before the cost of
 * lateness. */
static bool insert_attempt(sqlite3_stmt *s, const course *c, const course_row *r) {
    double earned;
    bool known = r->entry->timed && r->when.dated;
    gradebook_bind(s, 1, r->student);
    gradebook_bind(s, 2, r->lab);
    sqlite3_bind_int64(s, 3, r->entry->attempt);
    sqlite3_bind_int64(s, 4, r->entry->attempts);
    bind_moment(s, 5, r->entry->timed, r->entry->time, c->rules.zone);
    bind_moment(s, 6, r->when.dated, r->when.due, c->rules.zone);
    sqlite3_bind_int(s, 7, r->when.late);
    if (known) sqlite3_bind_double(s, 8, r->when.late_s);
    else sqlite3_bind_null(s, 8);
    sqlite3_bind_double(s, 9, r->when.cut);
    if (course_earned(r, &earned)) sqlite3_bind_double(s, 10, earned);
    else sqlite3_bind_null(s, 10);
    bool ok = sqlite3_step(s) == SQLITE_DONE;
    sqlite3_reset(s);
    return ok;
}

static bool gradebook_insert(sqlite3_stmt *s, const course_row *r) {
    double score;
    gradebook_bind(s, 1, r->student);
    gradebook_bind(s, 2, r->lab);
    gradebook_bind(s, 3, course_state(r));
    gradebook_bind(s, 4, course_verdict(r));
    if (course_score(r, &score)) sqlite3_bind_double(s, 5, score);
    else sqlite3_bind_null(s, 5);
    sqlite3_bind_double(s, 6, report_number(r->record, "max_score"));
    bind_measured(s, 7, report_number(r->record, "speedup"));
    bind_measured(s, 8, report_number(r->record, "time_us"));
    gradebook_bind(s, 9, report_text(r->record, "device"));
    gradebook_bind(s, 10, r->sha);
    gradebook_bind(s, 11, r->record ? report_text(r->record, "key") : r->key);
    sqlite3_bind_int(s, 12, r->older);
    gradebook_bind(s, 13, report_said(r->record, LIB_EN));
    gradebook_bind(s, 14, report_said(r->record, LIB_ZH));
    bool ok = sqlite3_step(s) == SQLITE_DONE;
    sqlite3_reset(s);
    return ok;
}

/* Inserts a student's name, if the course's system has one. */
static bool insert_name(sqlite3_stmt *s, const course_row *r) {
    if (!*r->entry->name || !strcmp(r->entry->name, r->student)) return true;
    gradebook_bind(s, 1, r->student);
    gradebook_bind(s, 2, r->entry->name);
    bool ok = sqlite3_step(s) == SQLITE_DONE;
    sqlite3_reset(s);
    return ok;
}

static bool gradebook_fill(sqlite3 *db, const course *c) {
    sqlite3_stmt *rows = NULL, *goals = NULL, *names = NULL, *attempts = NULL;
    bool ok = sqlite3_exec(db, schema, NULL, NULL, NULL) == SQLITE_OK;
    for (unsigned i = 0; ok && i < LATER_TABLES; i++) ok = make_table(db, "", i);
    ok = ok && sqlite3_exec(db, "BEGIN", NULL, NULL, NULL) == SQLITE_OK &&
         sqlite3_prepare_v2(db, "INSERT INTO submissions VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)", -1,
                            &rows, NULL) == SQLITE_OK &&
         sqlite3_prepare_v2(db, "INSERT INTO goals VALUES (?,?,?,?,?,?,?,?,?,?)", -1, &goals,
                            NULL) == SQLITE_OK &&
         sqlite3_prepare_v2(db, "INSERT OR IGNORE INTO students VALUES (?,?)", -1, &names, NULL) ==
             SQLITE_OK &&
         sqlite3_prepare_v2(db, "INSERT INTO attempts VALUES (?,?,?,?,?,?,?,?,?,?)", -1, &attempts,
                            NULL) == SQLITE_OK;
    for (size_t i = 0; ok && i < c->count; i++)
        ok = gradebook_insert(rows, &c->row[i]) && insert_goals(goals, &c->row[i]) &&
             insert_name(names, &c->row[i]) && insert_attempt(attempts, c, &c->row[i]);
    sqlite3_finalize(rows);
    sqlite3_finalize(goals);
    sqlite3_finalize(names);
    sqlite3_finalize(attempts);
    return ok && sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK;
}

/* Returns the user_version of a gradebook; -1 if there is none. */
static int book_form(sqlite3 *db) {
    sqlite3_stmt *s = NULL;
    int form = -1;
    if (sqlite3_prepare_v2(db, "PRAGMA user_version", -1, &s, NULL) == SQLITE_OK &&
        sqlite3_step(s) == SQLITE_ROW)
        form = sqlite3_column_int(s, 0);
    sqlite3_finalize(s);
    return form;
}

/* Returns whether the file may be replaced. A newer Warplab's may not; of an older one's, a copy is
 * kept. */
static bool book_replaceable(const char *path, lib_message *msg) {
    sqlite3 *db = NULL;
    int form =
        sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK ? book_form(db) : -1;
    sqlite3_close(db);
    return lib_known_form(path, form, BOOK_FORM, msg) &&
           (form < 0 || form == BOOK_FORM || lib_keep_form(path, form, msg));
}

/* Gives the file the rights of OUT's other files. SQLite creates it by the umask. */
static void book_share(const char *out, const char *name) {
    int fd = open(out, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) store_share(fd, name);
    if (fd >= 0) close(fd);
}

/* Makes the gradebook in memory, if the folder cannot be written but can be read. */
static sqlite3 *book_in_memory(const char *out, lib_message *msg) {
    course c;
    sqlite3 *db = NULL;
    bool ok = course_load(&c, out, msg) &&
              ((sqlite3_open(":memory:", &db) == SQLITE_OK && gradebook_fill(db, &c)) ||
               db_fail(msg, db, out));
    course_free(&c);
    if (ok) return db;
    sqlite3_close(db);
    return NULL;
}

int gradebook_rebuild(const char *out, lib_message *msg) {
    course c;
    sqlite3 *db = NULL;
    char path[4200], temporary[4300];
    SAY(path, "%s/gradebook.sqlite", out);
    if (!course_load(&c, out, msg) || !book_replaceable(path, msg)) {
        course_free(&c);
        return -1;
    }
    SAY(temporary, "%s.tmp%ld", path, (long)getpid());
    unlink(temporary);
    bool ok = (sqlite3_open_v2(temporary, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) ==
                   SQLITE_OK &&
               gradebook_fill(db, &c)) ||
              db_fail(msg, db, path);
    ok = sqlite3_close(db) == SQLITE_OK && ok;
    if (ok) book_share(out, strrchr(temporary, '/') + 1);
    if (ok && rename(temporary, path)) {
        lib_message_set(msg, w_course_cannot_write(path, errno));
        ok = false;
    }
    if (!ok) unlink(temporary);
    course_free(&c);
    return ok ? 0 : -1;
}

/* Opens a gradebook file, or makes the gradebook of a grading's folder and opens it. */
static sqlite3 *open_book(const char *path, lib_message *msg) {
    struct stat st;
    char file[4200];
    sqlite3 *db = NULL;
    *msg = (lib_message){0};
    SAY(file, "%s", path);
    if (!stat(path, &st) && S_ISDIR(st.st_mode)) {
        if (access(path, W_OK)) return book_in_memory(path, msg);
        if (gradebook_rebuild(path, msg)) return NULL;
        SAY(file, "%s/gradebook.sqlite", path);
    }
    if (sqlite3_open_v2(file, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK &&
        lib_known_form(file, book_form(db), BOOK_FORM, msg) &&
        sqlite3_exec(db, "SELECT count(*) FROM submissions", NULL, NULL, NULL) == SQLITE_OK)
        return db;
    if (!lib_message_any(msg)) db_fail(msg, db, file);
    sqlite3_close(db);
    return NULL;
}

static const char *column_text(sqlite3_stmt *s, int i) {
    const unsigned char *t = sqlite3_column_text(s, i);
    return t ? (const char *)t : "";
}

/* Estimates how many columns of a terminal a text fills. Wide characters count two; that is exact
 * enough for a table. */
static size_t width_of(const char *s) {
    size_t w = 0;
    for (; *s; s++) {
        unsigned char u = (unsigned char)*s;
        if ((u & 0xC0) != 0x80) w += u >= 0xE3 && u <= 0xED ? 2 : 1;
    }
    return w;
}

static void padded(lib_buffer *b, const char *s, size_t width) {
    lib_buffer_shown(b, "%s", s);
    for (size_t w = width_of(s); w < width; w++) lib_buffer_puts(b, " ");
    lib_buffer_puts(b, " ");
}

static void score_text(sqlite3_stmt *s, int score, int max, char out[72]) {
    char a[32], m[32];
    if (sqlite3_column_type(s, score) == SQLITE_NULL) strcpy(out, "-");
    else
        lib_say(out, 72, "%s/%s", lib_number(a, sqlite3_column_double(s, score)),
                lib_number(m, sqlite3_column_double(s, max)));
}

static char *done(sqlite3 *db, sqlite3_stmt *s, int rc, lib_buffer *b, lib_message *msg) {
    bool ok = rc == SQLITE_DONE || db_fail(msg, db, NULL);
    sqlite3_finalize(s);
    sqlite3_close(db);
    char *text = lib_buffer_take(b);
    if (ok && !text) lib_message_set(msg, w_said_out_of_memory());
    if (ok) return text;
    free(text);
    return NULL;
}

/* Returns whether the gradebook has names. Version 0.1.0 wrote none. */
static bool has_names(sqlite3 *db) {
    sqlite3_stmt *s = NULL;
    bool any =
        sqlite3_prepare_v2(db, "SELECT 1 FROM students LIMIT 1", -1, &s, NULL) == SQLITE_OK &&
        sqlite3_step(s) == SQLITE_ROW;
    sqlite3_finalize(s);
    return any;
}

static void list_head(lib_buffer *b, bool names, lib_lang lang) {
    padded(b, lib_word(lang, W_COURSE_COLUMN_LAB), 22);
    padded(b, lib_word(lang, W_COURSE_COLUMN_STUDENT), 22);
    if (names) padded(b, lib_word(lang, W_COURSE_COLUMN_NAME), 18);
    padded(b, lib_word(lang, W_COURSE_COLUMN_VERDICT), 12);
    padded(b, lib_word(lang, W_COURSE_COLUMN_SCORE), 10);
    padded(b, lib_word(lang, W_COURSE_COLUMN_SPEED_UP), 9);
    lib_buffer_puts(b, "\n");
}

char *gradebook_list(const char *path, const char *lab, lib_lang lang, lib_message *msg) {
    sqlite3 *db = open_book(path, msg);
    sqlite3_stmt *s = NULL;
    lib_buffer b = {0};
    if (!db) return NULL;
    static const char columns[] = "SELECT lab, student, verdict, score, max_score, speedup, "
                                  "message_en, message_zh, older, ",
                      rows[] = " FROM submissions AS x WHERE ?1 IS NULL OR lab = ?1 ORDER BY lab, "
                               "student",
                      name[] = "(SELECT name FROM students AS y WHERE y.student = x.student)";
    bool names = has_names(db);
    char sql[400];
    SAY(sql, "%s%s%s", columns, names ? name : "NULL", rows);
    int rc = sqlite3_prepare_v2(db, sql, -1, &s, NULL);
    if (rc == SQLITE_OK && lab) gradebook_bind(s, 1, lab);
    list_head(&b, names, lang);
    while (s && (rc = sqlite3_step(s)) == SQLITE_ROW) {
        char score[72], speed[32] = "";
        score_text(s, 3, 4, score);
        if (sqlite3_column_double(s, 5) > 0) SAY(speed, "%.2f", sqlite3_column_double(s, 5));
        padded(&b, column_text(s, 0), 22);
        padded(&b, column_text(s, 1), 22);
        if (names) padded(&b, column_text(s, 9), 18);
        padded(&b, course_verdict_word(column_text(s, 2), lang), 12);
        padded(&b, score, 10);
        padded(&b, speed, 9);
        lib_buffer_shown(&b, "%s%s\n",
                         sqlite3_column_int(s, 8) ? lib_word(lang, W_COURSE_COLUMN_EARLIER) : "",
                         column_text(s, lang == LIB_ZH ? 7 : 6));
    }
    return done(db, s, rc, &b, msg);
}

static void csv_text(lib_buffer *b, const char *s) {
    bool formula = *s && strchr("=+-@\t", *s);
    lib_buffer_puts(b, formula ? "\"'" : "\"");
    for (; *s; s++) {
        if (*s == '"') lib_buffer_puts(b, "\"");
        lib_buffer_add(b, s, 1);
    }
    lib_buffer_puts(b, "\"");
}

static bool has_table(sqlite3 *db, const char *name) {
    sqlite3_stmt *s = NULL;
    bool there = sqlite3_prepare_v2(db, "SELECT 1 FROM sqlite_master WHERE name = ?", -1, &s,
                                    NULL) == SQLITE_OK;
    if (there) gradebook_bind(s, 1, name);
    there = there && sqlite3_step(s) == SQLITE_ROW;
    sqlite3_finalize(s);
    return there;
}

/* Selects all rows to export. New columns come last, because programs read the others by position.
 * Tables that an older gradebook lacks count as empty. */
static int export_rows(sqlite3 *db, sqlite3_stmt **s) {
    static const char sql[] =
        "SELECT x.lab, x.student, state, verdict, score, max_score, NULLIF(speedup, 0) AS speedup, "
        "NULLIF(time_us, 0) AS time_us, device, submission, key, name, attempt, attempts, "
        "handed_in, due, late, late_s, cut, earned FROM submissions AS x "
        "LEFT JOIN students AS n ON n.student = x.student "
        "LEFT JOIN attempts AS a ON a.lab = x.lab AND a.student = x.student "
        "ORDER BY x.lab, x.student";
    for (unsigned i = 0; i < LATER_TABLES; i++)
        if (!has_table(db, later_tables[i].name) && !make_table(db, "TEMP ", i))
            return SQLITE_ERROR;
    return sqlite3_prepare_v2(db, sql, -1, s, NULL);
}

static char *export_csv(sqlite3 *db, lib_message *msg) {
    sqlite3_stmt *s = NULL;
    lib_buffer b = {0};
    int rc = export_rows(db, &s), columns = s ? sqlite3_column_count(s) : 0;
    for (int i = 0; i < columns; i++)
        lib_buffer_printf(&b, "%s%s", i ? "," : "", sqlite3_column_name(s, i));
    lib_buffer_puts(&b, "\r\n");
    while (s && (rc = sqlite3_step(s)) == SQLITE_ROW) {
        for (int i = 0; i < columns; i++) {
            char num[32];
            if (i) lib_buffer_puts(&b, ",");
            int type = sqlite3_column_type(s, i);
            if (type == SQLITE_TEXT) csv_text(&b, column_text(s, i));
            else if (type != SQLITE_NULL)
                lib_buffer_puts(&b, lib_number(num, sqlite3_column_double(s, i)));
        }
        lib_buffer_puts(&b, "\r\n");
    }
    return done(db, s, rc, &b, msg);
}

static json_t *goals_of(sqlite3 *db, const char *lab, const char *student) {
    sqlite3_stmt *s = NULL;
    json_t *list = json_array();
    if (sqlite3_prepare_v2(
            db,
            "SELECT kind, name, pass, expected, actual, points, max_points FROM goals WHERE "
            "lab = ? AND student = ? ORDER BY position",
            -1, &s, NULL) == SQLITE_OK) {
        gradebook_bind(s, 1, lab);
        gradebook_bind(s, 2, student);
        while (sqlite3_step(s) == SQLITE_ROW)
            json_array_append_new(
                list,
                json_pack("{s:o,s:o,s:b,s:o,s:o,s:o,s:o}", "kind", json_text(column_text(s, 0)),
                          "name", json_text(column_text(s, 1)), "pass", sqlite3_column_int(s, 2),
                          "expected", json_value(sqlite3_column_double(s, 3)), "actual",
                          json_value(sqlite3_column_double(s, 4)), "points",
                          json_value(sqlite3_column_double(s, 5)), "max_points",
                          json_value(sqlite3_column_double(s, 6))));
    }
    sqlite3_finalize(s);
    return list;
}

static json_t *export_field(sqlite3_stmt *s, int i) {
    int type = sqlite3_column_type(s, i);
    if (type == SQLITE_NULL) return json_null();
    if (!strcmp(sqlite3_column_name(s, i), "late")) return json_boolean(sqlite3_column_int(s, i));
    return type == SQLITE_TEXT ? json_text(column_text(s, i))
                               : json_value(sqlite3_column_double(s, i));
}

static char *export_json(sqlite3 *db, lib_message *msg) {
    sqlite3_stmt *s = NULL;
    lib_buffer b = {0};
    json_t *list = json_array();
    int rc = export_rows(db, &s);
    while (s && (rc = sqlite3_step(s)) == SQLITE_ROW) {
        json_t *o = json_object();
        for (int i = 0; i < sqlite3_column_count(s); i++)
            json_object_set_new(o, sqlite3_column_name(s, i), export_field(s, i));
        json_object_set_new(o, "goals", goals_of(db, column_text(s, 0), column_text(s, 1)));
        json_array_append_new(list, o);
    }
    char *text = json_written(list, true);
    json_decref(list);
    if (text) lib_buffer_puts(&b, text);
    else b.failed = true;
    free(text);
    return done(db, s, rc, &b, msg);
}

char *gradebook_export(const char *path, gradebook_format f, lib_message *msg) {
    sqlite3 *db = open_book(path, msg);
    return !db ? NULL : f == GRADEBOOK_JSON ? export_json(db, msg) : export_csv(db, msg);
}

static bool book_copy(sqlite3 *from, sqlite3 *to, const char *as) {
    sqlite3_backup *copy = sqlite3_backup_init(to, as, from, "main");
    return copy && sqlite3_backup_step(copy, -1) == SQLITE_DONE &&
           sqlite3_backup_finish(copy) == SQLITE_OK;
}

/* Both books in memory, as `main` and `b`, because either may have no file. */
static sqlite3 *open_both(const char *a, const char *b, lib_message *msg) {
    sqlite3 *first = open_book(a, msg), *second = first ? open_book(b, msg) : NULL, *db = NULL;
    bool ok =
        second && ((sqlite3_open(":memory:", &db) == SQLITE_OK &&
                    sqlite3_exec(db, "ATTACH ':memory:' AS b", NULL, NULL, NULL) == SQLITE_OK &&
                    book_copy(first, db, "main") && book_copy(second, db, "b")) ||
                   db_fail(msg, db, NULL));
    sqlite3_close(first);
    sqlite3_close(second);
    if (ok) return db;
    sqlite3_close(db);
    return NULL;
}

char *gradebook_compare(const char *a, const char *b, lib_lang lang, size_t *differ,
                        lib_message *msg) {
    sqlite3_stmt *s = NULL;
    lib_buffer text = {0};
    *differ = 0;
    sqlite3 *db = open_both(a, b, msg);
    if (!db) return NULL;
    int rc = SQLITE_DONE;
    /* Pairs of both sides, also of one side only. IS also compares NULLs. */
    static const char sql[] = "SELECT p.lab, p.student, x.verdict, y.verdict, x.score, "
                              "x.max_score, y.score, y.max_score FROM"
                              " (SELECT lab, student FROM main.submissions UNION SELECT lab, "
                              "student FROM b.submissions) p"
                              " LEFT JOIN main.submissions x ON x.lab = p.lab AND x.student = "
                              "p.student LEFT JOIN b.submissions y "
                              "ON y.lab = p.lab AND y.student = p.student"
                              " ORDER BY p.lab, p.student";
    size_t same = 0;
    if (rc == SQLITE_DONE) rc = sqlite3_prepare_v2(db, sql, -1, &s, NULL);
    while (s && (rc = sqlite3_step(s)) == SQLITE_ROW) {
        char one[72], two[72];
        bool in_a = sqlite3_column_type(s, 2) != SQLITE_NULL,
             in_b = sqlite3_column_type(s, 3) != SQLITE_NULL;
        score_text(s, 4, 5, one);
        score_text(s, 6, 7, two);
        if (in_a && in_b && !strcmp(column_text(s, 2), column_text(s, 3)) && !strcmp(one, two)) {
            same++;
            continue;
        }
        ++*differ;
        lib_buffer_shown(&text, "%s/%s: %s %s -> %s %s\n", column_text(s, 0), column_text(s, 1),
                         in_a ? course_verdict_word(column_text(s, 2), lang) : "-", in_a ? one : "",
                         in_b ? course_verdict_word(column_text(s, 3), lang) : "-",
                         in_b ? two : "");
    }
    lib_words_put(&text, lang, w_course_same_and_differ((long long)same, (long long)*differ));
    lib_buffer_puts(&text, "\n");
    return done(db, s, rc, &text, msg);
}
