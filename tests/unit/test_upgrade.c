/* Progress of every form that there was opens in this program: what it held is there, what it
 * lacked works, and the file as it was lies beside it. A newer program's file is refused with a
 * sentence and stays the same bytes. Fixtures: tests/unit/upgrades/progress-N.sql. */
#include <sqlite3.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>
#include "tests/check.h"
#include "tests/said.h"
#include "runner/base/buffer.h"
#include "runner/base/file.h"
#include "runner/base/paths.h"
#include "runner/lesson/progress.h"

enum { FORMS = 4 }; /* 0 ... 3; the newest is this program's own */

static char *read_all(const char *path, size_t *n) {
    lib_message msg = {0};
    char *text = lib_read_file(path, 0, n, &msg);
    if (!text) fprintf(stderr, "%s\n", said(&msg));
    return text;
}

static bool same_file(const char *path, const char *text, size_t n) {
    size_t m = 0;
    char *now = read_all(path, &m);
    bool same = now && n == m && !memcmp(now, text, n);
    free(now);
    return same;
}

/* The fixture as a database at `path`; its bytes. */
static char *fixture(const lib_paths *where, int form, const char *path, size_t *n) {
    char *sql_path = lib_format("%s/tests/unit/upgrades/progress-%d.sql", where->root, form);
    char *sql = read_all(sql_path, n);
    sqlite3 *db = NULL;
    CHECK(sql != NULL);
    CHECK_INT(sqlite3_open(path, &db), SQLITE_OK);
    CHECK_INT(sqlite3_exec(db, sql ? sql : "", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    free(sql);
    free(sql_path);
    return read_all(path, n);
}

static void test_form(const lib_paths *where, const char *dir, int form) {
    char *path = lib_format("%s/%d.db", dir, form), *copy = lib_format("%s.form%d", path, form);
    size_t n = 0;
    char *before = fixture(where, form, path, &n);
    for (int turn = 0; turn < 2; turn++) { /* the second time there is nothing to do */
        progress *p = progress_open(path);
        progress_lab l;
        progress_question q;
        progress_rung *rungs;
        char v[16];
        CHECK(!progress_warning(p, LIB_EN));
        progress_get(p, "vector-add", &l);
        CHECK(l.started && l.passed && l.step == 4 && l.hints == 2 && l.checks == 3);
        CHECK(l.right == 5 && l.wrong == 4 && l.passed_at == 1795385600);
        CHECK_NEAR(l.best_score, 7.5, 0);
        CHECK_NEAR(l.best_speedup, 1.25, 0);
        progress_get(p, "hello", &l);
        CHECK(l.started && !l.passed && l.step == 1 && l.hints == 1);
        progress_setting(p, "lang", v, sizeof v);
        CHECK_STR(v, "zh");
        progress_question_get(p, "vector-add", "k", &q);
        CHECK_INT(q.tries, form >= 1 ? 2 : 0);
        size_t had = progress_rungs(p, "vector-add", "sim:h200", &rungs);
        CHECK_INT(had, form >= 2 ? 1 + turn : turn);
        if (form >= 2) CHECK_NEAR(rungs[0].time_us, 12.5, 0);
        free(rungs);
        /* What the old form had no place for is kept now. */
        progress_rung r = {.device = "sim:h200", .text = "new", .counters = "gld_sectors=4"};
        progress_rung_add(p, "vector-add", &r);
        CHECK_INT(progress_rungs(p, "vector-add", "sim:h200", &rungs), form >= 2 ? 2 : 1);
        CHECK_STR(rungs[form >= 2].counters, "gld_sectors=4");
        free(rungs);
        CHECK(!progress_warning(p, LIB_EN));
        progress_close(p);
    }
    if (form < FORMS - 1) CHECK(before && same_file(copy, before, n));
    else CHECK(access(copy, F_OK));
    free(before);
    free(copy);
    free(path);
}

static void test_newer(const lib_paths *where, const char *dir) {
    char *path = lib_format("%s/newer.db", dir);
    size_t n = 0;
    free(fixture(where, FORMS - 1, path, &n));
    sqlite3 *db = NULL;
    CHECK_INT(sqlite3_open(path, &db), SQLITE_OK);
    CHECK_INT(sqlite3_exec(db, "PRAGMA user_version = 900; ALTER TABLE lab RENAME TO labs;", NULL,
                           NULL, NULL),
              SQLITE_OK);
    sqlite3_close(db);
    char *before = read_all(path, &n);
    progress *p = progress_open(path);
    progress_put(p, &(progress_lab){.lab = "x", .step = 2}); /* goes on, in memory */
    progress_lab l;
    progress_get(p, "x", &l);
    CHECK_INT(l.step, 2);
    const char *warning = progress_warning(p, LIB_ZH);
    CHECK(warning != NULL);
    CHECK_CONTAINS(warning, path);
    CHECK_CONTAINS(warning, "900");
    progress_close(p);
    p = progress_open(path);
    warning = progress_warning(p, LIB_EN);
    CHECK_CONTAINS(warning ? warning : "", "newer Warplab");
    progress_close(p);
    CHECK(before && same_file(path, before, n));
    free(before);
    free(path);
}

/* No room for the copy: the old file is not changed without one. */
static void test_no_copy(const lib_paths *where, const char *dir) {
    char *path = lib_format("%s/full.db", dir);
    size_t n = 0;
    char *before = fixture(where, 0, path, &n);
    struct rlimit old, small;
    getrlimit(RLIMIT_FSIZE, &old);
    small = old;
    small.rlim_cur = n / 2; /* the journal of a small change fits, the copy does not */
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    progress *p = progress_open(path);
    const char *warning = progress_warning(p, LIB_EN);
    progress_lab l;
    progress_put(p, &(progress_lab){.lab = "x", .step = 2});
    progress_get(p, "x", &l);
    setrlimit(RLIMIT_FSIZE, &old); /* the checks below write, too */
    CHECK(warning != NULL);
    CHECK_INT(l.step, 2);
    progress_close(p);
    CHECK(before && same_file(path, before, n));
    free(before);
    free(path);
}

int main(void) {
    char dir[] = "/tmp/warplab-upgrade-XXXXXX";
    lib_message msg;
    const lib_paths *where = lib_paths_get(&msg);
    if (!where || !mkdtemp(dir)) return 1;
    for (int form = 0; form < FORMS; form++) test_form(where, dir, form);
    test_newer(where, dir);
    test_no_copy(where, dir);
    lib_remove_tree(dir);
    return check_done();
}
