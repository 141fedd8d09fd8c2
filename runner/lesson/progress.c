/* Progress in SQLite, see progress.h. There is one row per lab and one per setting. Each change is
 * written at once, so that nothing is lost when the terminal closes. If the file cannot be used,
 * the same tables are in memory, and the prompt prints a warning. */
#include "runner/lesson/progress.h"
#include "runner/base/buffer.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "runner/base/file.h"
#include "runner/base/message.h"
#include "runner/base/paths.h"
#include "runner/base/say.h"
#include "words/lesson.h"

struct progress {
    sqlite3 *db;
    char path[600];
    bool memory; /* the file cannot be used */
    bool warned, pending;
    lib_message warning;
    char shown[1024]; /* the warning in a language */
};

static const char schema[] =
    "CREATE TABLE IF NOT EXISTS lab("
    "  lab TEXT PRIMARY KEY, step INTEGER, started INTEGER, passed INTEGER, answer_seen INTEGER, "
    "hints "
    "INTEGER,"
    "  best_score REAL, max_score REAL, best_speedup REAL, checks INTEGER, right_answers INTEGER, "
    "wrong_answers INTEGER,"
    "  started_at INTEGER, passed_at INTEGER) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS setting(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS question("
    "  lab TEXT, key TEXT, tries INTEGER, first INTEGER, right INTEGER, PRIMARY KEY(lab, key)) "
    "WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS rung("
    "  lab TEXT, device TEXT, text TEXT, limiter TEXT, time_us REAL, speedup REAL, score REAL, "
    "at INTEGER, PRIMARY KEY(lab, device, text));"
    "CREATE TABLE IF NOT EXISTS rung_counters("
    "  lab TEXT, device TEXT, text TEXT, counters TEXT, PRIMARY KEY(lab, device, text)) "
    "WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS card("
    "  lab TEXT, key TEXT, box INTEGER, lapses INTEGER, seen INTEGER, due INTEGER, "
    "PRIMARY KEY(lab, key)) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS guess("
    "  lab TEXT, key TEXT, said REAL, truth REAL, hit INTEGER, at INTEGER);"
    "CREATE TABLE IF NOT EXISTS note("
    "  id INTEGER PRIMARY KEY, lab TEXT, step INTEGER, text TEXT, at INTEGER);"
    "PRAGMA user_version = 3;";
/* The number of the tables' format. If the tables change, raise it, add a row to `upgrades`, and
 * add a fixture to tests/unit/upgrades. */
enum { PROGRESS_FORM = 3 };

/* Changes form N into form N + 1, beyond the tables that `schema` adds. 0: before there was a
 * number (0.1.0); 1: questions; 2: rungs; 3: their counters, cards, guesses. */
static const char *const upgrades[PROGRESS_FORM] = {"", "", ""};

static void warn_in(progress *p, const lib_message *what) {
    if (p->warned) return;
    p->warned = p->pending = true;
    char text[1024];
    lib_message_text(text, sizeof text, LIB_EN, what);
    bool named = !strncmp(text, p->path, strlen(p->path));
    if (named) p->warning = *what;
    else lib_message_set(&p->warning, w_lesson_in_file(p->path, what));
}

static void warn(progress *p, const char *what) {
    lib_message msg;
    lib_message_set(&msg, w_lesson_sqlite(what));
    warn_in(p, &msg);
}

static int pragma_number(sqlite3 *db, const char *sql) {
    sqlite3_stmt *s = NULL;
    int v = -1;
    if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) == SQLITE_OK && sqlite3_step(s) == SQLITE_ROW)
        v = sqlite3_column_int(s, 0);
    sqlite3_finalize(s);
    return v;
}

/* Converts the file to PROGRESS_FORM, completely or not at all, and keeps a copy of the old one.
 * Returns false and sets *msg if the file is from a newer version or cannot be written. */
static bool upgrade(progress *p, const char *path, lib_message *msg) {
    int form = pragma_number(p->db, "PRAGMA user_version"),
        tables = pragma_number(p->db, "SELECT count(*) FROM sqlite_master");
    bool ok = form >= 0 && tables >= 0;
    if (!ok) lib_message_set(msg, w_lesson_sqlite(sqlite3_errmsg(p->db)));
    if (!ok || !lib_known_form(path, form, PROGRESS_FORM, msg)) return false;
    if (form == PROGRESS_FORM) return true;
    /* From here on no other process writes. Another process may have converted the file already. */
    ok = sqlite3_exec(p->db, "BEGIN IMMEDIATE", NULL, NULL, NULL) == SQLITE_OK;
    form = ok ? pragma_number(p->db, "PRAGMA user_version") : form;
    ok = ok && form >= 0;
    if (ok && !lib_known_form(path, form, PROGRESS_FORM, msg)) return false;
    if (ok && tables && form < PROGRESS_FORM && !lib_keep_form(path, form, msg)) return false;
    for (size_t f = (size_t)form; ok && tables && f < sizeof upgrades / sizeof *upgrades; f++)
        ok = sqlite3_exec(p->db, upgrades[f], NULL, NULL, NULL) == SQLITE_OK;
    ok = ok && sqlite3_exec(p->db, schema, NULL, NULL, NULL) == SQLITE_OK &&
         sqlite3_exec(p->db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK;
    if (!ok) lib_message_set(msg, w_lesson_sqlite(sqlite3_errmsg(p->db)));
    return ok;
}

static bool open_at(progress *p, const char *path, lib_message *msg) {
    if (sqlite3_open_v2(path, &p->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) !=
        SQLITE_OK) {
        lib_message_set(msg, w_lesson_sqlite(p->db ? sqlite3_errmsg(p->db) : "out of memory"));
    } else {
        sqlite3_busy_timeout(p->db, 2000); /* a process in another terminal may be writing */
        /* The rollback journal is truncated, not deleted: that saves two writes to the folder for
         * each change. */
        if (upgrade(p, path, msg)) {
            if (sqlite3_exec(p->db, "PRAGMA journal_mode=TRUNCATE; PRAGMA synchronous=NORMAL;",
                             NULL, NULL, NULL) == SQLITE_OK)
                return true;
            lib_message_set(msg, w_lesson_sqlite(sqlite3_errmsg(p->db)));
        }
    }
    sqlite3_close(p->db);
    p->db = NULL;
    return false;
}

progress *progress_open(const char *path) {
    progress *p = calloc(1, sizeof *p);
    if (!p) abort();
    lib_message msg = {0};
    bool there = true;
    if (path) {
        snprintf(p->path, sizeof p->path, "%s", path);
    } else {
        const lib_paths *where = lib_paths_get(&msg);
        snprintf(p->path, sizeof p->path, "%s/progress.db", where ? where->data : "/nowhere");
        there = where && lib_make_folders(where->data, &msg);
    }
    if (there && open_at(p, p->path, &msg)) return p;
    warn_in(p, &msg);
    p->memory = true;
    if (!open_at(p, ":memory:", &msg)) abort();
    return p;
}

void progress_close(progress *p) {
    if (!p) return;
    sqlite3_close(p->db);
    free(p);
}

const char *progress_warning(progress *p, lib_lang lang) {
    if (!p->pending) return NULL;
    p->pending = false;
    return lib_message_text(p->shown, sizeof p->shown, lang, &p->warning);
}

/* After a failed write, copies the file's contents into memory, so that later reads see the
 * changes. */
static void fall_back(progress *p) {
    warn(p, sqlite3_errmsg(p->db));
    if (p->memory) return;
    sqlite3 *memory = NULL;
    if (sqlite3_open(":memory:", &memory) != SQLITE_OK) {
        sqlite3_close(memory);
        return;
    }
    sqlite3_backup *b = sqlite3_backup_init(memory, "main", p->db, "main");
    bool copied = b && sqlite3_backup_step(b, -1) == SQLITE_DONE;
    if (b) sqlite3_backup_finish(b);
    if (!copied) sqlite3_exec(memory, schema, NULL, NULL, NULL);
    sqlite3_close(p->db);
    p->db = memory;
    p->memory = true;
}

static sqlite3_stmt *progress_prepare(progress *p, const char *sql) {
    sqlite3_stmt *s = NULL;
    return sqlite3_prepare_v2(p->db, sql, -1, &s, NULL) == SQLITE_OK ? s : NULL;
}

/* `bind` fills in the statement's values. If the file fails, it is called again for the copy in
 * memory. */
static void change(progress *p, const char *sql, void (*bind)(sqlite3_stmt *s, const void *user),
                   const void *user) {
    for (int attempt = 0; attempt < 2; attempt++) {
        sqlite3_stmt *s = progress_prepare(p, sql);
        if (s) bind(s, user);
        int status = s ? sqlite3_step(s) : SQLITE_ERROR;
        if (status == SQLITE_DONE) {
            sqlite3_finalize(s);
            return;
        }
        if (!p->memory) warn(p, sqlite3_errmsg(p->db));
        sqlite3_finalize(s);
        if (attempt == 0) fall_back(p);
    }
}

static void read_row(sqlite3_stmt *s, progress_lab *l) {
    *l = (progress_lab){0};
    const unsigned char *id = sqlite3_column_text(s, 0);
    snprintf(l->lab, sizeof l->lab, "%s", id ? (const char *)id : "");
    l->step = sqlite3_column_int(s, 1);
    l->started = sqlite3_column_int(s, 2);
    l->passed = sqlite3_column_int(s, 3);
    l->answer_seen = sqlite3_column_int(s, 4);
    l->hints = sqlite3_column_int(s, 5);
    l->best_score = sqlite3_column_double(s, 6);
    l->max_score = sqlite3_column_double(s, 7);
    l->best_speedup = sqlite3_column_double(s, 8);
    l->checks = sqlite3_column_int(s, 9);
    l->right = sqlite3_column_int(s, 10);
    l->wrong = sqlite3_column_int(s, 11);
    l->started_at = sqlite3_column_int64(s, 12);
    l->passed_at = sqlite3_column_int64(s, 13);
}
#define COLUMNS                                                                                    \
    "lab, step, started, passed, answer_seen, hints, best_score, max_score, best_speedup, "        \
    "checks, "                                                                                     \
    "right_answers, "                                                                              \
    "wrong_answers, started_at, passed_at"

void progress_get(progress *p, const char *lab, progress_lab *out) {
    *out = (progress_lab){0};
    snprintf(out->lab, sizeof out->lab, "%s", lab);
    sqlite3_stmt *s = progress_prepare(p, "SELECT " COLUMNS " FROM lab WHERE lab = ?");
    if (s) {
        sqlite3_bind_text(s, 1, lab, -1, SQLITE_STATIC);
        if (sqlite3_step(s) == SQLITE_ROW) read_row(s, out);
    }
    sqlite3_finalize(s);
}

static void bind_lab(sqlite3_stmt *s, const void *user) {
    const progress_lab *l = user;
    sqlite3_bind_text(s, 1, l->lab, -1, SQLITE_STATIC);
    const int ints[] = {l->step, l->started, l->passed, l->answer_seen, l->hints};
    for (int i = 0; i < 5; i++) sqlite3_bind_int(s, 2 + i, ints[i]);
    sqlite3_bind_double(s, 7, l->best_score);
    sqlite3_bind_double(s, 8, l->max_score);
    sqlite3_bind_double(s, 9, l->best_speedup);
    sqlite3_bind_int(s, 10, l->checks);
    sqlite3_bind_int(s, 11, l->right);
    sqlite3_bind_int(s, 12, l->wrong);
    sqlite3_bind_int64(s, 13, l->started_at);
    sqlite3_bind_int64(s, 14, l->passed_at);
}

void progress_put(progress *p, const progress_lab *l) {
    progress_lab copy = *l;
    if (copy.started && !copy.started_at) copy.started_at = (int64_t)time(NULL);
    if (copy.passed && !copy.passed_at) copy.passed_at = (int64_t)time(NULL);
    change(p, "INSERT OR REPLACE INTO lab(" COLUMNS ") VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
           bind_lab, &copy);
}

static void progress_bind(sqlite3_stmt *s, const void *user) {
    sqlite3_bind_text(s, 1, user, -1, SQLITE_STATIC);
}
void progress_forget(progress *p, const char *lab) {
    change(p, "DELETE FROM lab WHERE lab = ?", progress_bind, lab);
    progress_questions_forget(p, lab);
}

void progress_questions_forget(progress *p, const char *lab) {
    change(p, "DELETE FROM question WHERE lab = ?", progress_bind, lab);
}

void progress_question_get(progress *p, const char *lab, const char *key, progress_question *out) {
    *out = (progress_question){0};
    sqlite3_stmt *s =
        progress_prepare(p, "SELECT tries, first, right FROM question WHERE lab = ? AND key = ?");
    if (s) {
        sqlite3_bind_text(s, 1, lab, -1, SQLITE_STATIC);
        sqlite3_bind_text(s, 2, key, -1, SQLITE_STATIC);
        if (sqlite3_step(s) == SQLITE_ROW)
            *out = (progress_question){sqlite3_column_int(s, 0), sqlite3_column_int(s, 1),
                                       sqlite3_column_int(s, 2)};
    }
    sqlite3_finalize(s);
}

typedef struct {
    const char *lab, *key;
    bool right;
} question_try;

static void bind_try(sqlite3_stmt *s, const void *user) {
    const question_try *t = user;
    sqlite3_bind_text(s, 1, t->lab, -1, SQLITE_STATIC);
    sqlite3_bind_text(s, 2, t->key, -1, SQLITE_STATIC);
    sqlite3_bind_int(s, 3, t->right);
}

void progress_question_add(progress *p, const char *lab, const char *key, bool right) {
    question_try t = {lab, key, right};
    change(p,
           "INSERT INTO question(lab, key, tries, first, right) VALUES(?1, ?2, 1, ?3, ?3) "
           "ON CONFLICT(lab, key) DO UPDATE SET tries = tries + 1, right = max(right, ?3)",
           bind_try, &t);
}

typedef struct {
    const char *lab;
    const progress_rung *r;
} rung_row;

static void bind_rung(sqlite3_stmt *s, const void *user) {
    const rung_row *w = user;
    const char *const texts[] = {w->lab, w->r->device, w->r->text, w->r->limiter};
    const double numbers[] = {w->r->time_us, w->r->speedup, w->r->score};
    for (int i = 0; i < 4; i++) sqlite3_bind_text(s, 1 + i, texts[i], -1, SQLITE_STATIC);
    for (int i = 0; i < 3; i++) sqlite3_bind_double(s, 5 + i, numbers[i]);
    sqlite3_bind_int64(s, 8, w->r->at ? w->r->at : (int64_t)time(NULL));
}

static void bind_rung_counters(sqlite3_stmt *s, const void *user) {
    const rung_row *w = user;
    const char *const texts[] = {w->lab, w->r->device, w->r->text, w->r->counters};
    for (int i = 0; i < 4; i++) sqlite3_bind_text(s, 1 + i, texts[i], -1, SQLITE_STATIC);
}

void progress_rung_add(progress *p, const char *lab, const progress_rung *r) {
    change(p, "INSERT OR IGNORE INTO rung VALUES(?,?,?,?,?,?,?,?)", bind_rung, &(rung_row){lab, r});
    if (r->counters[0])
        change(p, "INSERT OR IGNORE INTO rung_counters VALUES(?,?,?,?)", bind_rung_counters,
               &(rung_row){lab, r});
}

static void column_copy(sqlite3_stmt *s, int i, char *out, size_t n) {
    const unsigned char *text = sqlite3_column_text(s, i);
    snprintf(out, n, "%s", text ? (const char *)text : "");
}

size_t progress_rungs(progress *p, const char *lab, const char *device, progress_rung **out) {
    size_t n = 0;
    *out = calloc(PROGRESS_RUNGS, sizeof **out);
    if (!*out) abort();
    sqlite3_stmt *s = progress_prepare(
        p,
        "SELECT r.device, r.text, limiter, time_us, speedup, score, at, counters FROM (SELECT *, "
        "rowid AS n FROM rung WHERE lab = ?1 AND device = ?2 ORDER BY n DESC LIMIT ?3) AS r LEFT "
        "JOIN rung_counters AS c ON c.lab = r.lab AND c.device = r.device AND c.text = r.text "
        "ORDER BY n");
    if (s) {
        sqlite3_bind_text(s, 1, lab, -1, SQLITE_STATIC);
        sqlite3_bind_text(s, 2, device, -1, SQLITE_STATIC);
        sqlite3_bind_int(s, 3, PROGRESS_RUNGS);
    }
    while (s && n < PROGRESS_RUNGS && sqlite3_step(s) == SQLITE_ROW) {
        progress_rung *r = &(*out)[n++];
        column_copy(s, 0, r->device, sizeof r->device);
        column_copy(s, 1, r->text, sizeof r->text);
        column_copy(s, 2, r->limiter, sizeof r->limiter);
        r->time_us = sqlite3_column_double(s, 3);
        r->speedup = sqlite3_column_double(s, 4);
        r->score = sqlite3_column_double(s, 5);
        r->at = sqlite3_column_int64(s, 6);
        column_copy(s, 7, r->counters, sizeof r->counters);
    }
    sqlite3_finalize(s);
    return n;
}

bool progress_best(progress *p, const progress_lab *l, const char *device, progress_rung *out) {
    progress_rung *v;
    size_t n = progress_rungs(p, l->lab, device, &v), best = n;
    for (size_t i = 0; i < n; i++) {
        if (l->passed && v[i].speedup > l->best_speedup) continue;
        if (best == n || v[i].score > v[best].score ||
            (v[i].score >= v[best].score && v[i].time_us < v[best].time_us))
            best = i;
    }
    if (best < n) *out = v[best];
    free(v);
    return best < n;
}

/* ---- practice ---- */

static void read_card(sqlite3_stmt *s, progress_card *c) {
    column_copy(s, 0, c->lab, sizeof c->lab);
    column_copy(s, 1, c->key, sizeof c->key);
    c->box = sqlite3_column_int(s, 2);
    c->lapses = sqlite3_column_int(s, 3);
    c->seen = sqlite3_column_int64(s, 4);
    c->due = sqlite3_column_int64(s, 5);
}

bool progress_card_get(progress *p, const char *lab, const char *key, progress_card *out) {
    *out = (progress_card){0};
    snprintf(out->lab, sizeof out->lab, "%s", lab);
    snprintf(out->key, sizeof out->key, "%s", key);
    sqlite3_stmt *s = progress_prepare(
        p, "SELECT lab, key, box, lapses, seen, due FROM card WHERE lab = ? AND key = ?");
    if (s) {
        sqlite3_bind_text(s, 1, lab, -1, SQLITE_STATIC);
        sqlite3_bind_text(s, 2, key, -1, SQLITE_STATIC);
    }
    bool there = s && sqlite3_step(s) == SQLITE_ROW;
    if (there) read_card(s, out);
    sqlite3_finalize(s);
    return there;
}

static void bind_card(sqlite3_stmt *s, const void *user) {
    const progress_card *c = user;
    sqlite3_bind_text(s, 1, c->lab, -1, SQLITE_STATIC);
    sqlite3_bind_text(s, 2, c->key, -1, SQLITE_STATIC);
    sqlite3_bind_int(s, 3, c->box);
    sqlite3_bind_int(s, 4, c->lapses);
    sqlite3_bind_int64(s, 5, c->seen);
    sqlite3_bind_int64(s, 6, c->due);
}

void progress_card_put(progress *p, const progress_card *c) {
    change(p, "INSERT OR REPLACE INTO card VALUES(?,?,?,?,?,?)", bind_card, c);
}

size_t progress_cards(progress *p, int64_t by, progress_card **out) {
    size_t n = 0, cap = 0;
    *out = NULL;
    sqlite3_stmt *s = progress_prepare(p, "SELECT lab, key, box, lapses, seen, due FROM card WHERE "
                                          "due <= ? ORDER BY due, lab, key");
    if (s) sqlite3_bind_int64(s, 1, by);
    while (s && sqlite3_step(s) == SQLITE_ROW) {
        if (!lib_grow(out, &cap, n, sizeof **out, 16)) abort();
        read_card(s, &(*out)[n++]);
    }
    sqlite3_finalize(s);
    return n;
}

typedef struct {
    const char *lab, *key;
    const progress_guess *g;
} guess_row;

static void bind_guess(sqlite3_stmt *s, const void *user) {
    const guess_row *w = user;
    sqlite3_bind_text(s, 1, w->lab, -1, SQLITE_STATIC);
    sqlite3_bind_text(s, 2, w->key, -1, SQLITE_STATIC);
    sqlite3_bind_double(s, 3, w->g->said);
    sqlite3_bind_double(s, 4, w->g->truth);
    sqlite3_bind_int(s, 5, w->g->hit);
    sqlite3_bind_int64(s, 6, w->g->at ? w->g->at : (int64_t)time(NULL));
}

void progress_guess_add(progress *p, const char *lab, const char *key, const progress_guess *g) {
    change(p, "INSERT INTO guess VALUES(?,?,?,?,?,?)", bind_guess, &(guess_row){lab, key, g});
}

size_t progress_guesses(progress *p, progress_guess **out) {
    size_t n = 0;
    *out = calloc(PROGRESS_GUESSES, sizeof **out);
    if (!*out) abort();
    sqlite3_stmt *s =
        progress_prepare(p, "SELECT said, truth, hit, at FROM (SELECT *, rowid AS n FROM guess "
                            "ORDER BY n DESC LIMIT ?) ORDER BY n");
    if (s) sqlite3_bind_int(s, 1, PROGRESS_GUESSES);
    while (s && n < PROGRESS_GUESSES && sqlite3_step(s) == SQLITE_ROW) {
        progress_guess *g = &(*out)[n++];
        g->said = sqlite3_column_double(s, 0);
        g->truth = sqlite3_column_double(s, 1);
        g->hit = sqlite3_column_int(s, 2) != 0;
        g->at = sqlite3_column_int64(s, 3);
    }
    sqlite3_finalize(s);
    return n;
}

/* ---- notes ---- */

static void bind_note(sqlite3_stmt *s, const void *user) {
    const progress_note *n = user;
    sqlite3_bind_text(s, 1, n->lab, -1, SQLITE_STATIC);
    sqlite3_bind_int(s, 2, n->step);
    sqlite3_bind_text(s, 3, n->text, -1, SQLITE_STATIC);
    sqlite3_bind_int64(s, 4, n->at);
}

bool progress_note_add(progress *p, const char *lab, int step, const char *text) {
    progress_note n = {.step = step, .at = (int64_t)time(NULL)}, *all;
    size_t there = progress_notes(p, &all);
    free(all);
    if (there >= PROGRESS_NOTES) return false;
    SAY(n.lab, "%s", lab);
    SAY(n.text, "%s", text);
    change(p, "INSERT INTO note(lab, step, text, at) VALUES(?,?,?,?)", bind_note, &n);
    return true;
}

static void bind_id(sqlite3_stmt *s, const void *user) {
    sqlite3_bind_int64(s, 1, *(const int64_t *)user);
}

void progress_note_drop(progress *p, int64_t id) {
    change(p, "DELETE FROM note WHERE id = ?", bind_id, &id);
}

size_t progress_notes(progress *p, progress_note **out) {
    size_t n = 0;
    *out = calloc(PROGRESS_NOTES, sizeof **out);
    if (!*out) abort();
    sqlite3_stmt *s = progress_prepare(p, "SELECT lab, text, id, step, at FROM note ORDER BY id");
    while (s && n < PROGRESS_NOTES && sqlite3_step(s) == SQLITE_ROW) {
        progress_note *q = &(*out)[n++];
        column_copy(s, 0, q->lab, sizeof q->lab);
        column_copy(s, 1, q->text, sizeof q->text);
        q->id = sqlite3_column_int64(s, 2);
        q->step = sqlite3_column_int(s, 3);
        q->at = sqlite3_column_int64(s, 4);
    }
    sqlite3_finalize(s);
    return n;
}

size_t progress_all(progress *p, progress_lab **out) {
    size_t n = 0, cap = 0;
    *out = NULL;
    sqlite3_stmt *s = progress_prepare(p, "SELECT " COLUMNS " FROM lab ORDER BY lab");
    while (s && sqlite3_step(s) == SQLITE_ROW) {
        if (!lib_grow(out, &cap, n, sizeof **out, 16)) abort();
        read_row(s, &(*out)[n++]);
    }
    sqlite3_finalize(s);
    return n;
}

void progress_setting(progress *p, const char *key, char *value, size_t n) {
    value[0] = 0;
    sqlite3_stmt *s = progress_prepare(p, "SELECT value FROM setting WHERE key = ?");
    if (s) {
        sqlite3_bind_text(s, 1, key, -1, SQLITE_STATIC);
        if (sqlite3_step(s) == SQLITE_ROW && sqlite3_column_text(s, 0))
            snprintf(value, n, "%s", (const char *)sqlite3_column_text(s, 0));
    }
    sqlite3_finalize(s);
}

static void bind_two(sqlite3_stmt *s, const void *user) {
    const char *const *two = user;
    sqlite3_bind_text(s, 1, two[0], -1, SQLITE_STATIC);
    sqlite3_bind_text(s, 2, two[1], -1, SQLITE_STATIC);
}
void progress_set(progress *p, const char *key, const char *value) {
    const char *two[] = {key, value};
    change(p, "INSERT OR REPLACE INTO setting(key, value) VALUES(?,?)", bind_two, two);
}
