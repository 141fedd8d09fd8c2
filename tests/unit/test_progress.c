/* Progress is kept over sessions, and a disk that refuses costs the record, not the session. */
#include <sqlite3.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <signal.h>
#include <unistd.h>
#include "tests/check.h"
#include "runner/lesson/progress.h"

static bool same_lab(const progress_lab *a, const progress_lab *b) {
    return !strcmp(a->lab, b->lab) && a->step == b->step && a->started == b->started &&
           a->passed == b->passed && a->answer_seen == b->answer_seen && a->hints == b->hints &&
           a->best_score == b->best_score && a->max_score == b->max_score &&
           a->best_speedup == b->best_speedup && a->checks == b->checks && a->right == b->right &&
           a->wrong == b->wrong && a->started_at == b->started_at && a->passed_at == b->passed_at;
}

/* Every field of every record comes back as it was put, after the file was closed; no two are
 * alike. */
static void test_records(const char *path) {
    static const progress_lab labs[] = {
        {"b", 11, true, false, true, 2, 3.5, 4.5, 5.5, 6, 7, 8, 1LL << 40, 0},
        {"a", 21, true, true, false, 1, 13.5, 14.5, 15.5, 16, 17, 18, 19, (1LL << 40) + 1},
        {"c", 31, false, false, true, 3, 0, 1, 0, 26, 0, 28, 0, 0}};
    static const progress_rung rungs[] = {
        {"sim:t4", "one", "dram", "gld_sectors=1", 1.5, 2.5, 3.5, 4},
        {"sim:t4", "two", "", "", 11.5, 12.5, 13.5, 1LL << 40}};
    static const progress_card cards[] = {{"b", "k", 1, 2, 3, 1LL << 40},
                                          {"a", "m", 5, 6, 1LL << 41, 8},
                                          {"a", "l", 0, 7, 9, 8},
                                          {"0", "z", 4, 0, 10, 7}};
    static const progress_guess guesses[] = {{1.5, 2.5, true, 3}, {4.5, 5.5, false, 1LL << 40}};
    progress *p = progress_open(path);
    for (int i = 0; i < 3; i++) progress_put(p, &labs[i]);
    for (int i = 0; i < 2; i++) progress_rung_add(p, "b", &rungs[i]);
    for (int i = 0; i < 4; i++) progress_card_put(p, &cards[i]);
    for (int i = 0; i < 2; i++) progress_guess_add(p, "b", "k", &guesses[i]);
    CHECK(progress_note_add(p, "b", 5, "first"));
    CHECK(progress_note_add(p, "a", -1, ""));
    CHECK(!progress_warning(p, LIB_EN));
    progress_close(p);

    p = progress_open(path);
    progress_lab l, *all;
    for (int i = 0; i < 3; i++) {
        progress_get(p, labs[i].lab, &l);
        CHECK(same_lab(&l, &labs[i]));
    }
    CHECK_INT(progress_all(p, &all), 3); /* by name */
    CHECK(same_lab(&all[0], &labs[1]) && same_lab(&all[1], &labs[0]) &&
          same_lab(&all[2], &labs[2]));
    free(all);
    progress_rung *r;
    CHECK_INT(progress_rungs(p, "b", "sim:t4", &r), 2);
    for (int i = 0; i < 2; i++) {
        CHECK_STR(r[i].device, rungs[i].device);
        CHECK_STR(r[i].text, rungs[i].text);
        CHECK_STR(r[i].limiter, rungs[i].limiter);
        CHECK_STR(r[i].counters, rungs[i].counters);
        CHECK(r[i].time_us == rungs[i].time_us && r[i].speedup == rungs[i].speedup &&
              r[i].score == rungs[i].score && r[i].at == rungs[i].at);
    }
    free(r);
    progress_card c, *due;
    for (int i = 0; i < 4; i++) {
        CHECK(progress_card_get(p, cards[i].lab, cards[i].key, &c));
        CHECK(!strcmp(c.lab, cards[i].lab) && !strcmp(c.key, cards[i].key));
        CHECK(c.box == cards[i].box && c.lapses == cards[i].lapses && c.seen == cards[i].seen &&
              c.due == cards[i].due);
    }
    CHECK(!progress_card_get(p, "a", "k", &c)); /* a card that is not there has its name */
    CHECK(!strcmp(c.lab, "a") && !strcmp(c.key, "k") && !c.box && !c.lapses && !c.seen && !c.due);
    CHECK_INT(progress_cards(p, 8, &due), 3); /* the longest due first, then by name */
    CHECK(!strcmp(due[0].key, "z") && !strcmp(due[1].key, "l") && !strcmp(due[2].key, "m"));
    CHECK(due[2].box == 5 && due[2].lapses == 6 && due[2].seen == 1LL << 41 && due[2].due == 8);
    free(due);
    CHECK_INT(progress_cards(p, 7, &due), 1);
    free(due);
    CHECK_INT(progress_cards(p, 6, &due), 0);
    free(due);
    progress_guess *g;
    CHECK_INT(progress_guesses(p, &g), 2);
    for (int i = 0; i < 2; i++)
        CHECK(g[i].said == guesses[i].said && g[i].truth == guesses[i].truth &&
              g[i].hit == guesses[i].hit && g[i].at == guesses[i].at);
    free(g);
    progress_note *n;
    CHECK_INT(progress_notes(p, &n), 2);
    CHECK(!strcmp(n[0].lab, "b") && n[0].step == 5 && !strcmp(n[0].text, "first"));
    CHECK(!strcmp(n[1].lab, "a") && n[1].step == -1 && !*n[1].text && n[1].id != n[0].id);
    CHECK(n[0].at > 1600000000 && n[1].at >= n[0].at);
    int64_t first = n[0].id;
    free(n);
    progress_note_drop(p, first);
    CHECK_INT(progress_notes(p, &n), 1);
    CHECK_STR(n[0].lab, "a");
    free(n);
    /* put again it replaces; a lab that was started or passed now has the time of now */
    progress_put(p, &(progress_lab){.lab = "c", .started = true, .passed = true, .passed_at = 5});
    progress_get(p, "c", &l);
    CHECK(l.started_at > 1600000000 && l.passed_at == 5 && !l.step && !l.checks);
    progress_put(p, &(progress_lab){.lab = "c", .passed = true});
    progress_get(p, "c", &l);
    CHECK(!l.started_at && l.passed_at > 1600000000);
    progress_set(p, "lang", "en");
    progress_set(p, "lang", "zh");
    char v[3];
    progress_setting(p, "lang", v, sizeof v);
    CHECK_STR(v, "zh");
    progress_close(p);
    remove(path);
}

/* A record holds the last 200 guesses, the first 500 notes, and of a note's text 400 bytes; what
 * has no time has that of now. */
static void test_limits(const char *path) {
    progress *p = progress_open(path);
    sqlite3 *db;
    progress_guess *g;
    for (int i = 0; i < 3; i++)
        progress_guess_add(p, "a", "k", &(progress_guess){.said = i, .truth = 1});
    CHECK_INT(progress_guesses(p, &g), 3);
    CHECK(g[0].said == 0 && g[2].said == 2 && g[2].at > 1600000000 && !g[2].hit);
    free(g);
    progress_rung_add(p, "a", &(progress_rung){.device = "d", .text = "t"});
    progress_rung *r;
    CHECK_INT(progress_rungs(p, "a", "d", &r), 1);
    CHECK(r[0].at > 1600000000);
    free(r);
    progress_close(p);
    /* the rest in one statement: each of its own is a write to the disk */
    CHECK_INT(sqlite3_open(path, &db), SQLITE_OK);
    CHECK_INT(sqlite3_exec(db,
                           "WITH RECURSIVE n(i) AS (SELECT 3 UNION ALL SELECT i + 1 FROM n WHERE i "
                           "< 200) INSERT INTO guess SELECT 'a', 'k', i, 1, 0, 1 FROM n;"
                           "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i "
                           "< 499) INSERT INTO note SELECT i, 'a', i, 'x', 1 FROM n;",
                           NULL, NULL, NULL),
              SQLITE_OK);
    sqlite3_close(db);
    p = progress_open(path);
    CHECK_INT(progress_guesses(p, &g), 200);
    CHECK(g[0].said == 1 && g[199].said == 200);
    free(g);
    char text[500];
    memset(text, 'y', sizeof text - 1);
    text[sizeof text - 1] = 0;
    progress_note *n;
    CHECK(progress_note_add(p, "a", 500, text));
    CHECK(!progress_note_add(p, "a", 501, "one too many"));
    CHECK_INT(progress_notes(p, &n), 500);
    CHECK(n[0].step == 1 && n[499].step == 500 && strlen(n[499].text) == 400);
    free(n);
    progress_close(p);
    remove(path);
}

int main(void) {
    char dir[] = "/tmp/warplab-progress-XXXXXX", path[64];
    if (!mkdtemp(dir)) return 1;
    snprintf(path, sizeof path, "%s/p.db", dir);
    test_records(path);
    test_limits(path);

    progress *p = progress_open(path);
    CHECK(!progress_warning(p, LIB_EN));
    progress_lab l;
    progress_get(p, "vector-add", &l);
    CHECK_STR(l.lab, "vector-add");
    CHECK_INT(l.started, 0);
    l.started = l.passed = true;
    l.step = 3;
    l.hints = 2;
    l.best_score = 7.5;
    l.wrong = 4;
    progress_put(p, &l);
    progress_set(p, "lang", "zh");
    progress_close(p);

    p = progress_open(path);
    progress_get(p, "vector-add", &l);
    CHECK_INT(l.step, 3);
    CHECK_INT(l.hints, 2);
    CHECK_INT(l.wrong, 4);
    CHECK(l.passed && l.started && l.passed_at > 1600000000);
    CHECK_NEAR(l.best_score, 7.5, 0);
    char v[16];
    progress_setting(p, "lang", v, sizeof v);
    CHECK_STR(v, "zh");
    progress_setting(p, "device", v, sizeof v);
    CHECK_STR(v, "");
    /* Questions: the first try stays the first. */
    progress_question q;
    progress_question_get(p, "vector-add", "k", &q);
    CHECK(!q.tries && !q.first && !q.right);
    progress_question_add(p, "vector-add", "k", false);
    progress_question_add(p, "vector-add", "k", true);
    progress_question_add(p, "vector-add", "j", true);
    progress_question_add(p, "vector-add", "j", false);
    progress_close(p);
    p = progress_open(path);
    progress_question_get(p, "vector-add", "k", &q);
    CHECK(q.tries == 2 && !q.first && q.right);
    progress_question_get(p, "vector-add", "j", &q);
    CHECK(q.tries == 2 && q.first && q.right);
    progress_questions_forget(p, "hello");
    progress_question_get(p, "vector-add", "j", &q);
    CHECK_INT(q.tries, 2);
    progress_questions_forget(p, "vector-add");
    progress_question_get(p, "vector-add", "j", &q);
    CHECK_INT(q.tries, 0);
    /* Rungs: each text once a device, in the order of the checks, the last hundred of them. */
    progress_rung g = {.device = "sim:h200",
                       .limiter = "dram",
                       .counters = "gld_sectors=12 barriers=0",
                       .time_us = 9,
                       .at = 5},
                  *rungs;
    for (int i = 0; i < 103; i++) {
        snprintf(g.text, sizeof g.text, "%d", i);
        g.time_us = 200 - i;
        progress_rung_add(p, "vector-add", &g);
        g.time_us = 1;
        progress_rung_add(p, "vector-add", &g);
    }
    snprintf(g.device, sizeof g.device, "sim:t4");
    progress_rung_add(p, "vector-add", &g);
    CHECK_INT(progress_rungs(p, "vector-add", "sim:h200", &rungs), 100);
    CHECK_STR(rungs[0].text, "3");
    CHECK_NEAR(rungs[0].time_us, 197, 0);
    CHECK_STR(rungs[99].text, "102");
    CHECK_STR(rungs[99].limiter, "dram");
    CHECK_STR(rungs[99].counters, "gld_sectors=12 barriers=0");
    free(rungs);
    CHECK_INT(progress_rungs(p, "vector-add", "sim:t4", &rungs), 1);
    free(rungs);
    CHECK_INT(progress_rungs(p, "hello", "sim:t4", &rungs), 0);
    free(rungs);
    /* A file of the first version: no questions, no number. */
    progress_close(p);
    sqlite3 *db;
    CHECK_INT(sqlite3_open(path, &db), SQLITE_OK);
    CHECK_INT(
        sqlite3_exec(db, "DROP TABLE question; DROP TABLE rung; PRAGMA user_version = 0;", 0, 0, 0),
        SQLITE_OK);
    sqlite3_close(db);
    p = progress_open(path);
    CHECK(!progress_warning(p, LIB_EN));
    progress_get(p, "vector-add", &l);
    CHECK_INT(l.step, 3);
    progress_question_add(p, "vector-add", "k", true);
    progress_question_get(p, "vector-add", "k", &q);
    CHECK(q.tries == 1 && q.first);
    progress_lab *all;
    CHECK_INT(progress_all(p, &all), 1);
    free(all);

    /* A disk without room: the kernel refuses to let any file grow. What the file holds stays
     * readable, later changes are kept in memory. */
    struct rlimit old, none = {0, 0};
    getrlimit(RLIMIT_FSIZE, &old);
    signal(SIGXFSZ, SIG_IGN);
    none.rlim_max = old.rlim_max;
    setrlimit(RLIMIT_FSIZE, &none);
    l.step = 5;
    progress_put(p, &l);
    const char *warning = progress_warning(p, LIB_EN);
    CHECK(warning != NULL);
    CHECK_CONTAINS(warning, path);
    CHECK(!progress_warning(p, LIB_EN)); /* told once */
    progress_get(p, "vector-add", &l);
    CHECK_INT(l.step, 5);
    progress_setting(p, "lang", v, sizeof v);
    CHECK_STR(v, "zh");
    progress_put(p, &l);
    CHECK(!progress_warning(p, LIB_EN));
    setrlimit(RLIMIT_FSIZE, &old);
    progress_close(p);
    p = progress_open(path);
    progress_get(p, "vector-add", &l);
    CHECK_INT(l.step, 3); /* the file is whole, as it was before the disk was full */
    progress_forget(p, "vector-add");
    progress_get(p, "vector-add", &l);
    CHECK_INT(l.started, 0);
    progress_close(p);

    /* A file that is no database, and a folder that is not there. */
    FILE *f = fopen(path, "w");
    fputs("this is no database, but a text that is long enough to be looked at as one\n", f);
    fclose(f);
    p = progress_open(path);
    char want[200]; /* its name, once, and what SQLite says of it */
    snprintf(want, sizeof want, "%s: file is not a database", path);
    CHECK_STR(progress_warning(p, LIB_EN), want);
    CHECK(!progress_warning(p, LIB_ZH));
    progress_put(p, &(progress_lab){.lab = "x", .step = 2});
    progress_get(p, "x", &l);
    CHECK_INT(l.step, 2);
    progress_close(p);
    p = progress_open("/nonexistent/folder/p.db");
    CHECK_STR(progress_warning(p, LIB_ZH), "/nonexistent/folder/p.db：无法打开数据库文件");
    CHECK(!progress_warning(p, LIB_EN));
    progress_close(p);
    remove(path);
    strcat(path, "-journal"); /* of the one that was refused */
    remove(path);
    strcpy(strrchr(path, '-'), ".form0"); /* of the one that was brought up to date */
    CHECK_INT(remove(path), 0);
    CHECK_INT(rmdir(dir), 0);
    return check_done();
}
