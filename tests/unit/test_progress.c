/* Progress is kept over sessions, and a disk that refuses costs the record, not the session. */
#include <sqlite3.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <signal.h>
#include <unistd.h>
#include "../check.h"
#include "runner/lesson/progress.h"

int main(void) {
    char dir[] = "/tmp/warplab-progress-XXXXXX", path[64];
    if (!mkdtemp(dir)) return 1;
    snprintf(path, sizeof path, "%s/p.db", dir);

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
    CHECK(progress_warning(p, LIB_EN) != NULL);
    progress_put(p, &(progress_lab){.lab = "x", .step = 2});
    progress_get(p, "x", &l);
    CHECK_INT(l.step, 2);
    progress_close(p);
    p = progress_open("/nonexistent/folder/p.db");
    CHECK(progress_warning(p, LIB_EN) != NULL);
    progress_close(p);
    remove(path);
    strcat(path, "-journal"); /* of the one that was refused */
    remove(path);
    strcpy(strrchr(path, '-'), ".form0"); /* of the one that was brought up to date */
    CHECK_INT(remove(path), 0);
    CHECK_INT(rmdir(dir), 0);
    return check_done();
}
