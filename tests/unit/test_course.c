/* A grading of eight rows, its list and records written by hand, and each text that is made of
 * them, whole: the gradebook, what is exported, two of them compared, CSV for Canvas and Moodle,
 * the course's page, status, one grade explained. What is expected is worked out from the records
 * below and the rules: 2026-10-01 23:59 is when it was due, a begun day late costs a tenth, the
 * best attempt counts, `add` is worth 100 in the book. */
#include <dirent.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "runner/base/buffer.h"
#include "runner/base/file.h"
#include "runner/base/message.h"
#include "grader/course/course.h"
#include "grader/course/rows.h"
#include "grader/course/store.h"
#include "grader/json/json.h"
#include "tests/check.h"
#include "tests/said.h"
#include "words/intake.h"
#include "tests/unit/folder_fixture.h"

/* $c stands for 64 times c: a key, a hash. */
static char *expanded(const char *text) {
    lib_buffer b = {0};
    for (; *text; text++)
        if (*text == '$' && *++text)
            for (int i = 0; i < 64; i++) lib_buffer_add(&b, text, 1);
        else lib_buffer_add(&b, text, 1);
    return lib_buffer_take(&b);
}
/* A whole text, taken over. */
static void is_text(char *got, const char *want) {
    char *whole = expanded(want);
    size_t k = 0;
    while (got && got[k] && got[k] == whole[k]) k++;
    if (!CHECK(got && !strcmp(got, whole)))
        printf("# got: %s\n# where %.60s\n# should be %.60s\n", got ? got : said(&msg),
               got ? got + k : "", whole + k);
    free(whole);
    free(got);
}

/* ---- the grading ---- */

enum { T0 = 1790812800, HOUR = 3600 }; /* 2026-10-01 00:00 UTC */
#define RULES                                                                                      \
    "{\"deadline\":\"2026-10-01 23:59\",\"attempts\":\"best\",\"late\":{\"cut\":0.1},"             \
    "\"labs\":{\"add\":{\"points\":100,\"column\":\"Adding\"}},"                                   \
    "\"extensions\":{\"zzz\":\"1 h\"}}"
#define GOALS(first, points, second, actual, more)                                                 \
    "[{\"kind\":\"correct\",\"name\":\"correct\",\"pass\":" first                                  \
    ",\"expected\":0,\"actual\":0,\"points\":" points ",\"max_points\":6},"                        \
    "{\"kind\":\"speedup\",\"name\":\"speedup\",\"pass\":" second                                  \
    ",\"expected\":2,\"actual\":" actual ",\"points\":" more ",\"max_points\":4,"                  \
    "\"messages\":{\"en\":\"how fast\",\"zh\":\"快慢\"}}]"

typedef struct {
    const char *student, *lab, *source, *name, *ids;
    char key, sha;
    int64_t hours; /* behind T0; 0: at no known time */
    bool late;
} handed;
static const handed entries[] = {
    {"9999", "add", "li_9999_12_add.cu", "李雷", "", '4', '4', 0, true},
    {"amb", "add", "amb/add.cu", "", "", '5', '5', 0, false},
    {"ann", "add", "ann/1/add.cu", "Lee, Ann", "ann@u.example\n7\n", '6', '6', 10, false},
    {"ann", "add", "ann/2/add.cu", "Lee, Ann", "ann@u.example\n7\n", '7', '7', 34, false},
    {"ann", "add", "ann/3/add.cu", "Lee, Ann", "ann@u.example\n7\n", '8', '8', 35, false},
    {"bob", "add", "bob/add.cu", "bob", "", '9', '4', 0, false},
    {"eve", "add", "eve/add.cu", "", "", 'a', 'a', 0, false},
    {"inf", "add", "inf/add.cu", "", "", 'b', 'b', 0, false},
    {"nop", "add", "nop/add.cu", "", "", 'c', 'c', 0, false},
    {"zed", "add", "zed/add.cu", "", "", 'e', 'e', 0, false},
    {"ann", "sub", "ann/sub.cu", "Lee, Ann", "", 'd', 'd', 10, false},
};

typedef struct {
    char key, sha;
    const char *student, *state, *verdict;
    double score, max, speedup, time_us;
    const char *goals;
} graded;
static const graded records[] = {
    {'4', '4', "9999", "suspect", "suspect", 8, 10, 1.5, 20,
     GOALS("true", "6", "false", "1.5", "2")},
    {'5', '5', "amb", "ambiguous", "ambiguous", 9, 10, 0, 0, "[]"},
    {'6', '6', "ann", "graded", "fail", 4, 10, 0, 0, "[]"},
    {'7', '7', "ann", "graded", "pass", 10, 10, 2.5, 12.5, GOALS("true", "6", "true", "2.5", "4")},
    {'8', '8', "ann", "ambiguous", "ambiguous", 0, 10, 0, 0, "[]"},
    {'9', '4', "bob", "graded", "fail", 4, 10, 2, 30, GOALS("false", "0", "true", "2", "4")},
    {'b', 'b', "inf", "infra_error", "error", 0, 10, 0, 0, "[]"},
    /* Earlier ones of inf's: what has no score and what is of other bytes does not count, and of
     * the others the one with the smallest key does. */
    {'0', 'b', "inf", "ungradable", "error", 0, 10, 0, 0, "[]"},
    {'2', 'b', "inf", "graded", "fail", 3, 10, 0, 40, GOALS("true", "3", "false", "0.5", "0")},
    {'1', '1', "inf", "graded", "pass", 10, 10, 0, 0, "[]"},
    {'f', 'b', "inf", "graded", "pass", 9, 10, 0, 0, "[]"},
    /* an earlier one of bob's, who needs none */
    {'3', '4', "bob", "graded", "pass", 10, 10, 0, 0, "[]"},
    {'c', 'c', "nop", "ungradable", "error", 0, 10, 0, 0, "[]"},
    {'d', 'd', "ann", "graded", "pass", 5, 5, 0, 0,
     "[{\"kind\":\"counter\",\"name\":\"x\",\"relation\":\"<=\",\"pass\":false,\"expected\":4,"
     "\"actual\":8,\"points\":5,\"max_points\":5}]"},
};

static void put_record(const char *out, const graded *r) {
    char text[2000], path[200];
    snprintf(text, sizeof text,
             "{\"version\":1,\"key\":\"$%c\",\"student\":\"%s\",\"lab\":\"%s\",\"state\":\"%s\","
             "\"submission\":\"$%c\",\"verdict\":\"%s\",\"score\":%.17g,\"max_score\":%.17g,"
             "\"speedup\":%.17g,\"time_us\":%.17g,\"device\":\"sim:h200\",\"message\":\"old\","
             "\"messages\":{\"en\":\"%s: <seen>\",\"zh\":\"%s：看过\"},\"goals\":%s}",
             r->key, r->student, r->key == 'd' ? "sub" : "add", r->state, r->sha, r->verdict,
             r->score, r->max, r->speedup, r->time_us, r->student, r->student, r->goals);
    char *whole = expanded(text);
    snprintf(path, sizeof path, "%s/records/$%c.json", out, r->key);
    char *name = expanded(path);
    put(name, whole);
    free(name);
    free(whole);
}

/* other: the same course graded elsewhere. There bob has lost points, nothing is there of nop, eve
 * could not be graded, and zed is there. */
static void grading(const char *out, bool other) {
    store_manifest m = {0};
    char path[200];
    snprintf(path, sizeof path, "%s/records", out);
    CHECK(lib_make_folders(in(path), &msg));
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        const handed *h = &entries[i];
        if (!strcmp(h->student, other ? "nop" : "zed")) continue;
        store_entry *e = manifest_add(&m, h->student, h->lab, h->source);
        free(e->name);
        free(e->ids);
        e->name = strdup(h->name);
        e->ids = strdup(h->ids);
        memset(e->key, h->key, 64);
        memset(e->sha, h->sha, 64);
        e->timed = h->hours != 0;
        e->time = T0 + h->hours * HOUR;
        e->late = h->late;
    }
    manifest_leave(&m, "lost/x.cu", w_intake_nobody_named());
    manifest_refuse(&m, "read.me", w_intake_not_submission());
    manifest_sort(&m);
    int fd = open(in(out), O_RDONLY | O_DIRECTORY);
    CHECK(manifest_save(&m, fd, &msg));
    close(fd);
    manifest_free(&m);
    for (size_t i = 0; i < sizeof records / sizeof *records; i++) {
        graded r = records[i];
        if (other && r.key == '9') r.score = -5;
        put_record(out, &r);
    }
    graded eve = {'a', 'a', "eve", "infra_error", "error", 0, 10, 0, 0, "[]"},
           zed = {'e', 'e', "zed", "graded", "pass", 10, 10, 0, 0, "[]"};
    if (other) put_record(out, &eve), put_record(out, &zed);
    snprintf(path, sizeof path, "%s/course.json", out);
    put(path, RULES);
}

/* ---- the gradebook ---- */

static void book(void) {
    /* Columns of 22, 22, 18, 12, 10 and 9, a blank behind each; 李雷 fills four. */
    is_text(
        gradebook_list(in("a"), NULL, LIB_EN, &msg),
        "lab                    student                name               verdict      score      "
        "speed-up  \n"
        "add                    9999                   李雷               suspect      7.2/10     "
        "1.50      9999: <seen>\n"
        "add                    amb                                       ambiguous    -          "
        "          amb: <seen>\n"
        "add                    ann                    Lee, Ann           pass         9/10       "
        "2.50      ann: <seen>\n"
        "add                    bob                                       fail         4/10       "
        "2.00      bob: <seen>\n"
        "add                    eve                                       missing      -          "
        "          \n"
        "add                    inf                                       fail         3/10       "
        "          (of an earlier run) inf: <seen>\n"
        "add                    nop                                       ungradable   -          "
        "          nop: <seen>\n"
        "sub                    ann                    Lee, Ann           pass         5/5        "
        "          ann: <seen>\n");
    is_text(
        gradebook_list(in("a/gradebook.sqlite"), "sub", LIB_ZH, &msg),
        "实验                   学生                   姓名               评判         得分       "
        "加速比    \n"
        "sub                    ann                    Lee, Ann           通过         5/5        "
        "          ann：看过\n");
    char *list = gradebook_list(in("a"), "add", LIB_ZH, &msg);
    CHECK_CONTAINS(list, "（沿用之前的评分）inf：看过\n");
    free(list);
    is_text(
        gradebook_export(in("a"), GRADEBOOK_CSV, &msg),
        "lab,student,state,verdict,score,max_score,speedup,time_us,device,submission,key,name,"
        "attempt,attempts,handed_in,due,late,late_s,cut,earned\r\n"
        "\"add\",\"9999\",\"suspect\",\"suspect\",7.2,10,1.5,20,\"sim:h200\",\"$4\",\"$4\","
        "\"李雷\","
        "1,1,,\"2026-10-01 23:59 +00:00\",1,,0.1,8\r\n"
        "\"add\",\"amb\",\"ambiguous\",\"ambiguous\",,10,,,\"sim:h200\",\"$5\",\"$5\",,"
        "1,1,,\"2026-10-01 23:59 +00:00\",0,,0,\r\n"
        "\"add\",\"ann\",\"graded\",\"pass\",9,10,2.5,12.5,\"sim:h200\",\"$7\",\"$7\",\"Lee, Ann\","
        "2,3,\"2026-10-02 10:00 +00:00\",\"2026-10-01 23:59 +00:00\",1,36060,0.1,10\r\n"
        "\"add\",\"bob\",\"graded\",\"fail\",4,10,2,30,\"sim:h200\",\"$4\",\"$9\",,"
        "1,1,,\"2026-10-01 23:59 +00:00\",0,,0,4\r\n"
        "\"add\",\"eve\",\"missing\",\"missing\",,0,,,\"\",\"$a\",\"$a\",,"
        "1,1,,\"2026-10-01 23:59 +00:00\",0,,0,\r\n"
        "\"add\",\"inf\",\"graded\",\"fail\",3,10,,40,\"sim:h200\",\"$b\",\"$2\",,"
        "1,1,,\"2026-10-01 23:59 +00:00\",0,,0,3\r\n"
        "\"add\",\"nop\",\"ungradable\",\"ungradable\",,10,,,\"sim:h200\",\"$c\",\"$c\",,"
        "1,1,,\"2026-10-01 23:59 +00:00\",0,,0,\r\n"
        "\"sub\",\"ann\",\"graded\",\"pass\",5,5,,,\"sim:h200\",\"$d\",\"$d\",\"Lee, Ann\","
        "1,1,\"2026-10-01 10:00 +00:00\",\"2026-10-01 23:59 +00:00\",0,0,0,5\r\n");
    /* As JSON: two of them whole. */
    char *text = gradebook_export(in("a"), GRADEBOOK_JSON, &msg);
    json_t *all = text ? json_loads(text, 0, NULL) : NULL;
    CHECK_INT(json_array_size(all), 8);
    static const struct {
        size_t row;
        const char *text;
    } rows[] = {
        {2, "{\"lab\":\"add\",\"student\":\"ann\",\"state\":\"graded\",\"verdict\":\"pass\","
            "\"score\":9,\"max_score\":10,\"speedup\":2.5,\"time_us\":12.5,\"device\":\"sim:h200\","
            "\"submission\":\"$7\",\"key\":\"$7\",\"name\":\"Lee, Ann\",\"attempt\":2,"
            "\"attempts\":3,\"handed_in\":\"2026-10-02 10:00 +00:00\","
            "\"due\":\"2026-10-01 23:59 +00:00\",\"late\":true,\"late_s\":36060,\"cut\":0.1,"
            "\"earned\":10,\"goals\":[{\"kind\":\"correct\",\"name\":\"correct\",\"pass\":true,"
            "\"expected\":0,\"actual\":0,\"points\":6,\"max_points\":6},{\"kind\":\"speedup\","
            "\"name\":\"speedup\",\"pass\":true,\"expected\":2,\"actual\":2.5,\"points\":4,"
            "\"max_points\":4}]}"},
        {4, "{\"lab\":\"add\",\"student\":\"eve\",\"state\":\"missing\",\"verdict\":\"missing\","
            "\"score\":null,\"max_score\":0,\"speedup\":null,\"time_us\":null,\"device\":\"\","
            "\"submission\":\"$a\",\"key\":\"$a\",\"name\":null,\"attempt\":1,\"attempts\":1,"
            "\"handed_in\":null,\"due\":\"2026-10-01 23:59 +00:00\",\"late\":false,"
            "\"late_s\":null,\"cut\":0,\"earned\":null,\"goals\":[]}"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        json_t *got = json_array_get(all, rows[i].row);
        char *whole = expanded(rows[i].text), *dump = NULL, *asked = NULL;
        json_t *want = json_loads(whole, 0, NULL);
        dump = json_written(got, false), asked = json_written(want, false);
        if (!CHECK(dump && asked && !strcmp(dump, asked)))
            printf("# got:  %s\n# want: %s\n", dump, asked);
        json_decref(want);
        free(dump);
        free(asked);
        free(whole);
    }
    json_decref(all);
    free(text);
    /* Against another grading: what differs in verdict or score, or is on one side alone. */
    size_t differ = 99;
    is_text(gradebook_compare(in("a"), in("b"), LIB_EN, &differ, &msg),
            "add/bob: fail 4/10 -> fail -5/10\n"
            "add/eve: missing - -> infra_error -\n"
            "add/nop: ungradable - -> - \n"
            "add/zed: -  -> pass 10/10\n"
            "5 the same, 4 differ.\n");
    CHECK_INT(differ, 4);
    is_text(gradebook_compare(in("a"), in("a"), LIB_ZH, &differ, &msg), "8 份相同，0 份不同。\n");
    CHECK_INT(differ, 0);
    is_text(gradebook_compare(in("b"), in("a"), LIB_ZH, &differ, &msg),
            "add/bob: 未通过 -5/10 -> 未通过 4/10\n"
            "add/eve: 未能评分 - -> 尚未评分 -\n"
            "add/nop: -  -> 不能评分 -\n"
            "add/zed: 通过 10/10 -> - \n"
            "5 份相同，4 份不同。\n");
    CHECK(!gradebook_compare(in("a"), in("nowhere"), LIB_EN, &differ, &msg));
    CHECK(!gradebook_compare(in("nowhere"), in("a"), LIB_EN, &differ, &msg));
    CHECK_INT(differ, 0);
    put("text.sqlite", "this is no book");
    CHECK(!gradebook_list(in("text.sqlite"), NULL, LIB_EN, &msg));
    CHECK_CONTAINS(said(&msg), "gradebook ");
    CHECK_CONTAINS(said(&msg), "text.sqlite: ");
}

/* What stands in the book's place before. */
static void replaced(void) {
    /* A newer Warplab's book is neither read nor replaced; this one's is. */
    for (int form = 2; form > 0; form--) {
        sqlite3 *db = NULL;
        char pragma[40];
        snprintf(pragma, sizeof pragma, "PRAGMA user_version = %d", form);
        CHECK(sqlite3_open(in("a/gradebook.sqlite"), &db) == SQLITE_OK &&
              sqlite3_exec(db, pragma, NULL, NULL, NULL) == SQLITE_OK);
        sqlite3_close(db);
        msg = (lib_message){0};
        CHECK_INT(gradebook_rebuild(in("a"), &msg), form > 1 ? -1 : 0);
        if (form > 1) CHECK_CONTAINS(said(&msg), "gradebook.sqlite was written by a newer Warplab");
        char *text = gradebook_list(in("a/gradebook.sqlite"), NULL, LIB_EN, &msg);
        CHECK_INT(text != NULL, form == 1);
        if (form > 1) CHECK_CONTAINS(said(&msg), "gradebook.sqlite was written by a newer Warplab");
        free(text);
    }
    /* A book of 0.1.0 has no names and no attempts, and is read all the same: its columns are
     * empty. */
    sqlite3 *old = NULL;
    CHECK(sqlite3_open(in("a/gradebook.sqlite"), &old) == SQLITE_OK &&
          sqlite3_exec(old, "DROP TABLE students; DROP TABLE attempts", NULL, NULL, NULL) ==
              SQLITE_OK);
    sqlite3_close(old);
    char *csv = gradebook_export(in("a/gradebook.sqlite"), GRADEBOOK_CSV, &msg),
         *row = expanded("\r\n\"add\",\"ann\",\"graded\",\"pass\",9,10,2.5,12.5,\"sim:h200\","
                         "\"$7\",\"$7\",,,,,,,,,\r\n\"add\",\"bob\",");
    CHECK_CONTAINS(csv, row);
    free(row);
    free(csv);
    csv = gradebook_list(in("a/gradebook.sqlite"), "sub", LIB_EN, &msg);
    CHECK_CONTAINS(csv, "lab                    student                verdict ");
    free(csv);
    /* A book that there is no room for: the one of before stays. */
    struct stat before, after;
    struct rlimit was, page;
    CHECK(!stat(in("a/gradebook.sqlite"), &before) && !getrlimit(RLIMIT_FSIZE, &was));
    page = was;
    page.rlim_cur = 4096;
    signal(SIGXFSZ, SIG_IGN);
    CHECK(!setrlimit(RLIMIT_FSIZE, &page));
    int rebuilt = gradebook_rebuild(in("a"), &msg);
    CHECK(!setrlimit(RLIMIT_FSIZE, &was));
    CHECK_INT(rebuilt, -1);
    CHECK_CONTAINS(said(&msg), "gradebook ");
    CHECK(!stat(in("a/gradebook.sqlite"), &after) && after.st_ino == before.st_ino);
    size_t books = 0;
    DIR *d = opendir(in("a"));
    for (struct dirent *e; d && (e = readdir(d));) books += strstr(e->d_name, "gradebook") != NULL;
    if (d) closedir(d);
    CHECK_INT(books, 1); /* nor does anything of the new one */
}

/* ---- rows ---- */

static void looked_up(void) {
    static const struct {
        const char *student, *lab;
        char key; /* 0: none */
    } finds[] = {{"9999", "add", '4'}, {"zzz", "add", 0}, {"", "add", 0},     {"ann", "add", '7'},
                 {"ann", "sub", 'd'},  {"ann", "abc", 0}, {"ann", "zzz", 0},  {"an", "add", 0},
                 {"nop", "add", 'c'},  {"nop", "sub", 0}, {"inf", "add", 'b'}};
    course c;
    CHECK(course_load(&c, in("a"), &msg));
    CHECK_INT(c.count, 8);
    CHECK_INT(c.students, 7);
    CHECK_INT(c.labs, 2);
    for (size_t i = 0; i < sizeof finds / sizeof *finds; i++) {
        const course_row *r = course_find(&c, finds[i].student, finds[i].lab);
        printf("# %s %s\n", finds[i].student, finds[i].lab);
        CHECK_INT(r ? r->key[0] : 0, finds[i].key);
    }
    CHECK_STR(course_first(&c, "ann")->lab, "add");
    CHECK(!course_first(&c, "a") && !course_first(&c, "zzz") && !course_first(&c, ""));
    bool several;
    CHECK_STR(course_who(&c, "ANN", &several), "ann");
    CHECK_STR(course_who(&c, "Ann@U.example", &several), "ann");
    CHECK_STR(course_who(&c, "7", &several), "ann");
    CHECK(!course_who(&c, "ann@u", &several) && !course_who(&c, "77", &several) &&
          !course_who(&c, "", &several));
    const course_row *inf = course_find(&c, "inf", "add"), *eve = course_find(&c, "eve", "add"),
                     *ann = course_find(&c, "ann", "add"), *bob = course_find(&c, "bob", "add");
    CHECK(inf->older && !ann->older && !bob->older && !eve->older);
    CHECK(ann->unsettled && !bob->unsettled && !inf->unsettled);
    CHECK_STR(course_state(NULL), "missing");
    CHECK_STR(course_state(eve), "missing");
    CHECK_STR(course_verdict(inf), "fail");
    double score = 7;
    CHECK(!course_earned(eve, &score) && score == 0);
    CHECK(!course_score(NULL, &score));
    CHECK(course_earned(ann, &score) && score == 10);
    CHECK(course_score(ann, &score) && score == 9);
    for (size_t i = 0; i < c.count; i++)
        CHECK_NEAR(c.row[i].most, strcmp(c.row[i].lab, "sub") ? 10 : 5, 0);
    /* What a record says with the course's rules: where they have nothing to say, nothing. */
    json_t *o = course_record(&c, ann), *want;
    want = json_loads(
        "{\"attempt\":2,\"attempts\":3,\"time\":1790935200,\"due\":1790899140,\"late_s\":36060,"
        "\"cut\":0.1,\"earned\":10,\"score\":9,\"messages\":{\"en\":\"attempt 2 of 3 (the best "
        "counts); late by 10 h 1 min, 10% off\",\"zh\":\"第 2 次提交，共 3 "
        "次（取最好的一次）；迟交 "
        "10 小时 1 分钟，扣 10%\"}}",
        0, NULL);
    char *got = json_written(json_object_get(o, "course"), false),
         *asked = json_written(want, false);
    CHECK_STR(got, asked);
    CHECK_NEAR(report_number(o, "score"), 9, 0);
    free(got);
    free(asked);
    json_decref(want);
    json_decref(o);
    o = course_record(&c, bob);
    CHECK(o && !json_object_get(o, "course") && report_number(o, "score") == 4);
    json_decref(o);
    CHECK(!course_record(&c, eve));
    course_free(&c);
    CHECK(!course_load(&c, in("nowhere"), &msg));
    CHECK_CONTAINS(said(&msg), "cannot open the folder ");
    course_free(&c);
    CHECK(!mkdir(in("none"), 0700));
    CHECK(!course_load(&c, in("none"), &msg));
    CHECK_CONTAINS(said(&msg), "none holds no manifest.json: it is not the folder of a grading");
    course_free(&c);
    CHECK(course_load_under(&c, in("a"), "{\"attempts\":\"last\"}", NULL, &msg));
    CHECK_INT(course_find(&c, "ann", "add")->key[0], '8');
    CHECK(!course_find(&c, "ann", "add")->unsettled);
    course_free(&c);
}

/* ---- CSV ---- */

#define MARK "\xEF\xBB\xBF"
static void sheets(void) {
    grade_csv how = {0};
    /* The number is Canvas's, for the file is called as Canvas calls it. */
    is_text(grade_export(in("a"), GRADE_EXPORT_CANVAS, &how, &msg),
            MARK "Student,ID,SIS User ID,SIS Login ID,Section,Adding,sub\r\n"
                 "    Points Possible,,,,,100,5\r\n"
                 "李雷,9999,,,,72,\r\n"
                 "amb,,,amb,,,\r\n"
                 "\"Lee, Ann\",,,ann,,90,5\r\n"
                 "bob,,,bob,,40,\r\n"
                 "eve,,,eve,,,\r\n"
                 "inf,,,inf,,30,\r\n"
                 "nop,,,nop,,,\r\n");
    is_text(grade_export(in("a"), GRADE_EXPORT_MOODLE, NULL, &msg),
            "idnumber,Adding,sub\r\n9999,72,\r\namb,,\r\nann,90,5\r\nbob,40,\r\neve,,\r\n"
            "inf,30,\r\nnop,,\r\n");
    how.lab = "sub";
    is_text(grade_export(in("a"), GRADE_EXPORT_MOODLE, &how, &msg),
            "idnumber,sub\r\n9999,\r\namb,\r\nann,5\r\nbob,\r\neve,\r\ninf,\r\nnop,\r\n");
    is_text(grade_export(in("b"), GRADE_EXPORT_CANVAS, &how, &msg),
            MARK "Student,ID,SIS User ID,SIS Login ID,Section,sub\r\n    Points Possible,,,,,5\r\n"
                 "李雷,9999,,,,\r\namb,,,amb,,\r\n\"Lee, Ann\",,,ann,,5\r\nbob,,,bob,,\r\n"
                 "eve,,,eve,,\r\ninf,,,inf,,\r\nzed,,,zed,,\r\n");
    /* Canvas's own export: its rows and columns, its points; a lab that it lacks behind them. */
    put("canvas.csv", "Student,ID,SIS User ID,SIS Login ID,Section,Adding (12),Final\n"
                      "    Points Possible,,,,,50,\n"
                      "\"Lee, Ann\",1,u1,ann,S1,,77\n"
                      "Bob,2,u2,BOB,S1,3,\n"
                      "\"Else, X\",3,u3,xx,S1,8,\n");
    how = (grade_csv){.roster = in("canvas.csv")};
    is_text(grade_export(in("a"), GRADE_EXPORT_CANVAS, &how, &msg),
            "Student,ID,SIS User ID,SIS Login ID,Section,Adding (12),Final,sub\r\n"
            "    Points Possible,,,,,50,,\r\n"
            "\"Lee, Ann\",1,u1,ann,S1,45,77,5\r\n"
            "Bob,2,u2,BOB,S1,20,,\r\n"
            "\"Else, X\",3,u3,xx,S1,8,,\r\n");
    CHECK_INT(how.noted, 5);
    CHECK_STR(said(&how.first[0]), "the roster does not name 9999 (李雷)");
    CHECK_STR(said(&how.first[1]), "the roster does not name amb");
    CHECK_STR(said(&how.first[2]), "the roster does not name eve");
    CHECK_INT(how.warned, 1);
    CHECK_STR(said(&how.warning[0]),
              "add: course.lua says 100 points, the roster's Points Possible "
              "50: full marks are written as 50");
    how.lab = "sub";
    is_text(grade_export(in("a"), GRADE_EXPORT_CANVAS, &how, &msg),
            "Student,ID,SIS User ID,SIS Login ID,Section,Adding (12),Final,sub\r\n"
            "    Points Possible,,,,,50,,\r\n"
            "\"Lee, Ann\",1,u1,ann,S1,,77,5\r\n"
            "Bob,2,u2,BOB,S1,3,,\r\n"
            "\"Else, X\",3,u3,xx,S1,8,,\r\n");
    CHECK_INT(how.warned, 0);
    /* The course's name for a lab, misspelt; one person under two names. */
    put("other.csv", "Student,ID,SIS User ID,SIS Login ID,Section,Addin (3),Final\n"
                     "Ann,1,bob,ann,S1,9,\n");
    how = (grade_csv){.roster = in("other.csv")};
    is_text(grade_export(in("a"), GRADE_EXPORT_CANVAS, &how, &msg),
            "Student,ID,SIS User ID,SIS Login ID,Section,Addin (3),Final,Adding,sub\r\n"
            "Ann,1,bob,ann,S1,9,,90,5\r\n");
    CHECK_INT(how.warned, 1);
    char want[400];
    snprintf(want, sizeof want,
             "course.lua calls add \"Adding\", and %s has no such column: it was added. There are "
             "Addin (3), Final; did you mean \"Addin\"?",
             how.roster);
    CHECK_STR(said(&how.warning[0]), want);
    CHECK_INT(how.noted, 6);
    CHECK_STR(said(&how.first[2]), "bob and ann are the same person on the roster");
    /* Which headings are a lab's: its name, whole. */
    put("heads.csv", "SIS Login ID,Adding,x Adding,Assignment:Adding,xAdding,Addings,Adding "
                     "(Real),xAdding Adding\n"
                     "ann,1,2,3,4,5,6,7\n");
    how = (grade_csv){.roster = in("heads.csv"), .lab = "add"};
    is_text(grade_export(in("a"), GRADE_EXPORT_CANVAS, &how, &msg),
            "SIS Login ID,Adding,x Adding,Assignment:Adding,xAdding,Addings,Adding (Real),"
            "xAdding Adding\r\n"
            "ann,90,90,90,4,5,90,90\r\n");
    /* Moodle's worksheet is one assignment's. */
    put("sheet.csv", "Identifier,Full name,Email address,Grade,Maximum Grade,sub\n"
                     "Participant 1,Ann,ann@u.example,-,50,\n"
                     "Participant 2,Bob,bob,-,50,z\n");
    how = (grade_csv){.roster = in("sheet.csv")};
    CHECK(!grade_export(in("a"), GRADE_EXPORT_MOODLE, &how, &msg));
    snprintf(want, sizeof want,
             "the worksheet %s is of one assignment, and 2 labs are graded here: say which with "
             "--lab",
             how.roster);
    CHECK_STR(said(&msg), want);
    how.lab = "add";
    is_text(grade_export(in("a"), GRADE_EXPORT_MOODLE, &how, &msg),
            "Identifier,Full name,Email address,Grade,Maximum Grade,sub\r\n"
            "Participant 1,Ann,ann@u.example,45,50,\r\n"
            "Participant 2,Bob,bob,20,50,z\r\n");
    /* A number below 0 is no formula. */
    put("ids.csv", "idnumber\nbob\nxx\n");
    how = (grade_csv){.roster = in("ids.csv")};
    is_text(grade_export(in("b"), GRADE_EXPORT_MOODLE, &how, &msg),
            "idnumber,Adding,sub\r\nbob,-50,\r\nxx,,\r\n");
    is_text(grade_export(in("b"), GRADE_EXPORT_MOODLE, NULL, &msg),
            "idnumber,Adding,sub\r\n9999,72,\r\namb,,\r\nann,90,5\r\nbob,-50,\r\neve,,\r\n"
            "inf,30,\r\nzed,100,\r\n");
    /* The roster that is kept says what Canvas calls them. */
    put("a/roster.csv", "Student,ID,SIS User ID,SIS Login ID,Section\n"
                        "\"Annie, L\",1,u1,ann,S1\n=Bob,2,u2,bob,S2\n");
    is_text(grade_export(in("a"), GRADE_EXPORT_CANVAS, &(grade_csv){.lab = "sub"}, &msg),
            MARK "Student,ID,SIS User ID,SIS Login ID,Section,sub\r\n    Points Possible,,,,,5\r\n"
                 "李雷,9999,,,,\r\namb,,,amb,,\r\n\"Annie, L\",1,u1,ann,S1,5\r\n"
                 "\"'=Bob\",2,u2,bob,S2,\r\neve,,,eve,,\r\ninf,,,inf,,\r\nnop,,,nop,,\r\n");
    CHECK(!unlink(in("a/roster.csv")));
}

/* ---- the page ---- */

static void put_bar(lib_buffer *b, const char *label, const char *width, const char *note) {
    lib_buffer_printf(
        b,
        "<tr><td>%s</td><td class=\"bar\"><svg viewBox=\"0 0 100 14\" preserveAspectRatio=\"none\" "
        "aria-hidden=\"true\"><rect x=\"0\" y=\"0\" width=\"%s\" height=\"14\" "
        "fill=\"var(--mine)\"/></svg></td><td class=\"n dim\">%s</td></tr>\n",
        label, width, note);
}
/* Eleven columns of 560/11 each, a bar of four fifths of it; `one`: a bit for each that has one
 * submission. */
static void put_columns(lib_buffer *b, const char *title, unsigned one) {
    static const char *const label[] = {"0–9",   "10–19", "20–29", "30–39", "40–49", "50–59",
                                        "60–69", "70–79", "80–89", "90–99", "100%"};
    lib_buffer_printf(b,
                      "<svg viewBox=\"0 0 600 200\" width=\"600\" role=\"img\" "
                      "aria-label=\"%s\"><line x1=\"20\" y1=\"170\" x2=\"580\" y2=\"170\" "
                      "stroke=\"var(--line)\"/>",
                      title);
    for (int i = 0; i < 11; i++) {
        bool is = one >> i & 1;
        double x = 20 + 560.0 * i / 11;
        lib_buffer_printf(b,
                          "<rect x=\"%.1f\" y=\"%s\" width=\"40.7\" height=\"%s\" rx=\"2\" "
                          "fill=\"var(--mine)\"/><text x=\"%.1f\" y=\"%s\" "
                          "text-anchor=\"middle\">%s</text><text x=\"%.1f\" y=\"187.0\" "
                          "text-anchor=\"middle\" class=\"d\">%s</text>",
                          x + 5.0909, is ? "35.0" : "170.0", is ? "135.0" : "0.0", x + 25.4545,
                          is ? "29.0" : "164.0", is ? "1" : "", x + 25.4545, label[i]);
    }
    lib_buffer_puts(b, "</svg>\n");
}

static void is_page(lib_lang lang, const char *want) {
    char *page = grade_html_course(in("a"), lang, &msg), *body = page ? strstr(page, "<h1>") : NULL;
    is_text(strdup(body ? body : ""), want);
    free(page);
}

static void page(void) {
    lib_buffer b = {0};
    lib_buffer_puts(&b,
                    "<h1>Grades</h1>\n<p class=\"dim\">8 submissions · 7 students · 2 labs</p>\n"
                    "<table class=\"bars\" aria-label=\"Verdicts\">\n");
    put_bar(&b, "passed", "25.0", "2");
    put_bar(&b, "not passed", "25.0", "2");
    put_bar(&b, "to be reviewed", "12.5", "1");
    put_bar(&b, "ambiguous", "12.5", "1");
    put_bar(&b, "not gradable", "12.5", "1");
    put_bar(&b, "not graded yet", "12.5", "1");
    lib_buffer_puts(&b, "</table>\n<h2>add</h2>\n<h3>Scores</h3>\n");
    put_columns(&b, "Score distribution", 1 << 3 | 1 << 4 | 1 << 7 | 1 << 9);
    lib_buffer_puts(&b,
                    "<h3>Goals missed</h3>\n<table class=\"bars\" aria-label=\"Goals missed\">\n");
    put_bar(&b, "Correct", "25.0", "1 of 4");
    put_bar(&b, "Speed-up &gt;= 2", "50.0", "2 of 4");
    /* Of 0.5, 1.5, 2 and 2.5 the ones at 0, 4/4, 4/2, 12/4 and the last. */
    lib_buffer_puts(
        &b, "</table>\n<h3>What was measured</h3>\n"
            "<div class=\"scroll\"><table><tr><th>Goal</th><th class=\"n\">least</th><th "
            "class=\"n\">25%</th><th class=\"n\">median</th><th class=\"n\">75%</th><th "
            "class=\"n\">most</th></tr>\n"
            "<tr><td>Speed-up &gt;= 2</td><td class=\"n\">0.5</td><td class=\"n\">1.5</td><td "
            "class=\"n\">2</td><td class=\"n\">2.5</td><td class=\"n\">2.5</td></tr>\n"
            "</table></div>\n");
#define TABLE                                                                                      \
    "<h3>Submissions</h3>\n<div class=\"scroll\"><table><tr><th>Student</th><th></th><th "         \
    "class=\"n\">Score</th><th class=\"n\">Speed-up</th><th>Remark</th></tr>\n"
#define BADGE(kind, text)                                                                          \
    "</td><td><span class=\"badge " kind "\">" text "</span></td><td class=\"n\">"
#define NEXT "</td><td class=\"n\">"
    lib_buffer_puts(
        &b, TABLE "<tr><td><a href=\"$4.html\">9999 (李雷)</a>" BADGE(
                "suspect", "to be reviewed") "7.2 / 10" NEXT "1.50</td><td>late (the system says "
                                             "so, and not by how much), 10% off. "
                                             "9999: &lt;seen&gt;</td></tr>\n"
                                             "<tr><td><a href=\"$5.html\">amb</a>" BADGE(
                                                 "ambiguous", "ambiguous") NEXT
        "</td><td>amb: &lt;seen&gt;</td></tr>\n"
        "<tr><td><a href=\"$7.html\">ann (Lee, Ann)</a>" BADGE(
            "pass",
            "passed") "9 / 10" NEXT
                      "2.50</td><td>attempt 2 of 3 (the best counts); late by 10 h 1 min, 10% off. "
                      "Another attempt could not be graded yet. ann: &lt;seen&gt;</td></tr>\n"
                      "<tr><td><a href=\"$9.html\">bob</a>" BADGE(
                          "fail",
                          "not passed") "4 / 10" NEXT "2.00</td><td>bob: &lt;seen&gt;</td></tr>\n"
                                        "<tr><td>eve" BADGE("missing", "not graded yet") NEXT
        "</td><td></td></tr>\n"
        "<tr><td><a href=\"$2.html\">inf</a>" BADGE(
            "fail", "not passed") "3 / 10" NEXT "</td><td>The grade comes from an earlier run: the "
                                  "newest grading could not be done. inf: "
                                  "&lt;seen&gt;</td></tr>\n"
                                  "<tr><td><a href=\"$c.html\">nop</a>" BADGE("ungradable",
                                                                              "not gradable") NEXT
        "</td><td>nop: &lt;seen&gt;</td></tr>\n"
        "</table></div>\n"
        "<h3>Handed in by several, byte for byte</h3>\n<p>9999 (李雷), bob</p>\n"
        "<h2>sub</h2>\n<h3>Scores</h3>\n");
    put_columns(&b, "Score distribution", 1 << 10);
    lib_buffer_puts(&b,
                    "<h3>Goals missed</h3>\n<table class=\"bars\" aria-label=\"Goals missed\">\n");
    put_bar(&b, "Counter: x &lt;= 4", "100.0", "1 of 1");
    lib_buffer_puts(
        &b,
        "</table>\n" TABLE "<tr><td><a href=\"$d.html\">ann (Lee, Ann)</a>" BADGE(
            "pass", "passed") "5 / 5" NEXT "</td><td>ann: &lt;seen&gt;</td></tr>\n</table></div>\n"
                              "<h2>Left over: somebody&#39;s work that could not be placed</h2>\n"
                              "<pre>lost/x.cu: it does not say whose work it is\n</pre>\n"
                              "<h2>Files that are no submissions</h2>\n<pre>read.me: not a "
                              "submission\n</pre>\n"
                              "</body>\n</html>\n");
    char *want = lib_buffer_take(&b);
    is_page(LIB_EN, want);
    free(want);
    char *zh = grade_html_course(in("a"), LIB_ZH, &msg);
    CHECK_CONTAINS(zh, "<p class=\"dim\">8 份提交 · 7 名学生 · 2 个实验</p>");
    CHECK_CONTAINS(zh, "扣 10%。另有一次提交尚未能评分。ann：看过</td>");
    CHECK_CONTAINS(zh, "<td>沿用之前的评分：最新一次未能完成。inf：看过</td>");
    CHECK_CONTAINS(zh, "<p>9999 (李雷)、bob</p>");
    CHECK_CONTAINS(zh, "lost/x.cu：没有说明是谁的作业\n");
    free(zh);
}

/* ---- on a terminal ---- */

static void status(void) {
    static const char en[] =
        "add: 7, 3 graded, 1 to be reviewed, 1 not gradable, 1 ambiguous, 1 not graded yet, "
        "2 late; mean 5.8 of 10\n" /* (7.2 + 9 + 4 + 3) / 4 */
        "sub: 1, 1 graded; mean 5 of 5\n";
    static const char behind[] = "1 left over:\n  lost/x.cu: it does not say whose work it is\n"
                                 "course.lua: extensions[\"zzz\"]: no student of this name is on "
                                 "the roster or has handed in anything\n";
    char want[2000];
    snprintf(want, sizeof want, "7 students, 2 labs\n%s%s", en, behind);
    is_text(course_status(in("a"), LIB_EN, &msg), want);
    put("a/secret", "1\n");
    put("a/lock", "");
    put("a/roster.csv", "student,name\nann,Ann\nzoe,Zoe\nyan,\nx,\"Student, Test\"\n7,Nine\n");
    int fd = open(in("a/lock"), O_RDONLY);
    CHECK(!flock(fd, LOCK_EX));
    /* Not those whose work is there, by any name, nor Canvas's own student. 7 is ann as well: the
     * roster takes them for two, and so does whoever reads it. */
    snprintf(want, sizeof want,
             "7 students, 2 labs; a grading is at work\n%s"
             "its secret is kept, and the next run uses it\n%.*s"
             "of the roster, nothing of 3 was taken:\n  zoe (Zoe)\n  yan\n  7 (Nine)\n%s",
             en, (int)(strstr(behind, "course.lua") - behind), behind,
             strstr(behind, "course.lua"));
    is_text(course_status(in("a"), LIB_EN, &msg), want);
    close(fd);
    is_text(course_status(in("a"), LIB_ZH, &msg),
            "7 名学生，2 个实验\n"
            "add：7 份，3 已评分，1 需人工检查，1 不能评分，1 无法判定，1 尚未评分，迟交 2；平均 "
            "5.8，满分 10\n"
            "sub：1 份，1 已评分；平均 5，满分 5\n"
            "保密数已保存，下次运行沿用\n"
            "未能归位 1 项：\n  lost/x.cu：没有说明是谁的作业\n"
            "名册中有 3 人没有收到任何作业：\n  zoe（Zoe）\n  yan\n  7（Nine）\n"
            "course.lua：extensions[\"zzz\"]：名册和已收的提交里都没有这个人\n");
    CHECK(!unlink(in("a/roster.csv")) && !unlink(in("a/lock")) && !unlink(in("a/secret")));
    int input = fcntl(0, F_GETFD);
    CHECK(!course_status(in("nowhere"), LIB_EN, &msg));
    CHECK_INT(fcntl(0, F_GETFD), input); /* it opened nothing, so it closes nothing */
    CHECK_CONTAINS(said(&msg), "cannot open the folder");
}

/* Twenty lines are shown of what is left over, twenty strangers, fifty people: n, and n + 1. */
static void many(void) {
    CHECK(!mkdir(in("m"), 0700));
    int fd = open(in("m"), O_RDONLY | O_DIRECTORY);
    for (int more = 0; more < 2; more++) {
        store_manifest m = {0};
        lib_buffer want = {0}, roster = {0}, rules = {0};
        lib_buffer_printf(&want, "0 students, 0 labs\n%d left over:\n", 20 + more);
        for (int i = 0; i < 20 + more; i++) {
            char name[20];
            snprintf(name, sizeof name, "f%02d", i);
            manifest_leave(&m, name, lib_words_plain((lib_texts){{"why"}}));
            if (i < 20) lib_buffer_printf(&want, "  %s: why\n", name);
        }
        if (more) lib_buffer_puts(&want, "  ...\n");
        lib_buffer_printf(&want, "of the roster, nothing of %d was taken:\n", 50 + more);
        lib_buffer_puts(&roster, "student\n");
        for (int i = 0; i < 50 + more; i++) {
            lib_buffer_printf(&roster, "p%02d\n", i);
            if (i < 50) lib_buffer_printf(&want, "  p%02d\n", i);
        }
        if (more) lib_buffer_puts(&want, "  ...\n");
        lib_buffer_puts(&rules, "{\"extensions\":{\"P07\":\"1 h\"");
        for (int i = 0; i < 20 + more; i++) {
            lib_buffer_printf(&rules, ",\"%c stranger\":{\"a\":\"1 h\",\"b\":\"1 h\"}", 'A' + i);
            if (i < 20)
                lib_buffer_printf(&want,
                                  "course.lua: extensions[\"%c stranger\"]: no student of this "
                                  "name is on the roster or has handed in anything\n",
                                  'A' + i);
        }
        if (more) lib_buffer_puts(&want, "  ... and 1 more\n");
        lib_buffer_puts(&rules, "}}");
        char *text[3] = {lib_buffer_take(&want), lib_buffer_take(&roster), lib_buffer_take(&rules)};
        CHECK(manifest_save(&m, fd, &msg));
        put("m/roster.csv", text[1]);
        put("m/course.json", text[2]);
        is_text(course_status(in("m"), LIB_EN, &msg), text[0]);
        for (int i = 0; i < 3; i++) free(text[i]);
        manifest_free(&m);
    }
    close(fd);
}

static void explained(void) {
    is_text(course_explain(in("a"), "7", "add", LIB_EN, &msg),
            "ann (Lee, Ann), add: pass\n"
            "  attempt 1: ann/1/add.cu, 2026-10-01 10:00 +00:00, 4 of 10\n"
            "  attempt 2: ann/2/add.cu, 2026-10-02 10:00 +00:00, 9 of 10 <- counts\n"
            "  attempt 3: ann/3/add.cu, 2026-10-02 11:00 +00:00, ambiguous\n"
            "  due 2026-10-01 23:59 +00:00\n"
            "  attempt 2 of 3 (the best counts); late by 10 h 1 min, 10% off\n"
            "  ann: <seen>\n"
            "  ok   6/6  Correct\n"
            "  ok   4/4  Speed-up >= 2\n"
            "       how fast\n"
            "  10 of 10 earned, 9 counted\n"
            "  records/$7.json\n  reports/$7.html\n");
    is_text(course_explain(in("a"), "9999", NULL, LIB_ZH, &msg),
            "9999（李雷），add：需人工检查\n"
            "  第 1 次：li_9999_12_add.cu，时间不详，系统标为迟交 <- 计分\n"
            "  截止 2026-10-01 23:59 +00:00\n"
            "  迟交（系统标记，时长不详），扣 10%\n"
            "  9999：看过\n"
            "  ok   6/6  正确性\n"
            "  --   2/4  加速比 >= 2\n"
            "       快慢\n"
            "  得 8 分（满分 10），计 7.2 分\n"
            "  records/$4.json\n  reports/$4.html\n");
    is_text(course_explain(in("a"), "inf", "add", LIB_EN, &msg),
            "inf, add: fail\n"
            "  attempt 1: inf/add.cu, time not known <- counts\n"
            "  due 2026-10-01 23:59 +00:00\n"
            "  inf: <seen>\n"
            "  ok   3/6  Correct\n"
            "  --   0/4  Speed-up >= 2\n"
            "       how fast\n"
            "  3 of 10\n"
            "  (from an earlier run: the newest grading could not be done)\n"
            "  records/$2.json\n  reports/$2.html\n");
    is_text(course_explain(in("a"), "nop", "add", LIB_EN, &msg),
            "nop, add: ungradable\n"
            "  attempt 1: nop/add.cu, time not known <- counts\n"
            "  due 2026-10-01 23:59 +00:00\n"
            "  nop: <seen>\n"
            "  no score: an empty cell in the gradebook, never a zero\n"
            "  records/$c.json\n  reports/$c.html\n");
    is_text(course_explain(in("a"), "eve", NULL, LIB_EN, &msg),
            "eve, add: missing\n"
            "  attempt 1: eve/add.cu, time not known <- counts\n"
            "  due 2026-10-01 23:59 +00:00\n"
            "  not graded yet\n");
    CHECK(!course_explain(in("a"), "bob", "sub", LIB_EN, &msg));
    CHECK_STR(said(&msg), "bob handed nothing in for sub");
    CHECK(!course_explain(in("a"), "who", NULL, LIB_EN, &msg));
    CHECK_CONTAINS(said(&msg), "a has nothing of a student who; `warplab gradebook list ");
    /* Of whom nothing was taken: what is known of them. */
    put("a/roster.csv", "student,name,email\nzoe,Zoe,lost\nyan,,yan@u.example\n");
    is_text(
        course_explain(in("a"), "yan", NULL, LIB_EN, &msg),
        "yan: nothing of theirs was taken; they are on the roster, and nothing was handed in\n");
    is_text(course_explain(in("a"), "zoe", NULL, LIB_EN, &msg),
            "zoe (Zoe): nothing of theirs was taken; left over:\n"
            "  lost/x.cu: it does not say whose work it is\n");
    is_text(course_explain(in("a"), "x", NULL, LIB_ZH, &msg),
            "x：没有收到任何作业；未能归位：\n  lost/x.cu：没有说明是谁的作业\n");
    CHECK(!course_explain(in("a"), "los", NULL, LIB_EN, &msg)); /* part of a word */
    CHECK(!unlink(in("a/roster.csv")));
    /* The first error of a compiler's many lines. */
    static const struct {
        const char *build, *line;
    } builds[] = {
        {"{\"ok\":false,\"log\":\"x.cu: warning\\nx.cu(3): error: no\\nx.cu(4): error: b\\n\"}",
         "  x.cu(3): error: no\n"},
        {"{\"ok\":false,\"log\":\"ld: failed\\nmore\"}", "  ld: failed\n"},
        {"{\"ok\":true,\"log\":\"x.cu(3): error: no\"}", ""},
        {"{\"ok\":false,\"log\":\"\"}", ""}};
    for (size_t i = 0; i < sizeof builds / sizeof *builds; i++) {
        char text[1000], path[20] = "a/records/$c.json", want[600];
        snprintf(text, sizeof text,
                 "{\"key\":\"$c\",\"state\":\"ungradable\",\"submission\":\"$c\",\"build\":%s}",
                 builds[i].build);
        char *whole = expanded(text), *name = expanded(path);
        put(name, whole);
        free(whole);
        free(name);
        snprintf(want, sizeof want,
                 "nop, add: ungradable\n  attempt 1: nop/add.cu, time not known <- counts\n"
                 "  due 2026-10-01 23:59 +00:00\n%s  no score: an empty cell in the gradebook, "
                 "never a zero\n  records/$c.json\n  reports/$c.html\n",
                 builds[i].line);
        is_text(course_explain(in("a"), "nop", "add", LIB_EN, &msg), want);
    }
}

/* ---- alike ---- */

#define BODY(a, b, c)                                                                              \
    "__global__ void " a "(float *" b ", int " c ") {\n  int i = blockIdx.x * blockDim.x + "       \
    "threadIdx.x;\n  if (i < " c ") " b "[i] = " b "[i] * 2.0f + 1.0f;\n  for (int k = 0; k < "    \
    "8; k++) { __syncthreads(); " b "[k] += " c "; }\n  while (" c " > 3) { " c "--; }\n}\n"       \
    "void run(float *" b ", int " c ") { " a "<<<1, 64>>>(" b ", " c "); }\n"

static void pairs(void) {
    store_manifest m = {0};
    static const char *const who[] = {"ann", "bob"};
    CHECK(lib_make_folders(in("p/submissions"), &msg));
    for (size_t i = 0; i < 2; i++) {
        store_entry *e = manifest_add(&m, who[i], "add", "x.cu");
        memset(e->sha, (int)('0' + i), 64);
        char path[40], *name;
        snprintf(path, sizeof path, "p/submissions/$%zu.cu", i);
        name = expanded(path);
        put(name, i ? BODY("one", "p", "n") : BODY("two", "data", "count"));
        free(name);
    }
    int fd = open(in("p"), O_RDONLY | O_DIRECTORY);
    CHECK(manifest_save(&m, fd, &msg));
    manifest_free(&m);
    close(fd);
    /* What nothing is graded of has no points that are possible. */
    is_text(grade_export(in("p"), GRADE_EXPORT_CANVAS, NULL, &msg),
            "Student,ID,SIS User ID,SIS Login ID,Section,add\r\n    Points Possible,,,,,\r\n"
            "ann,,,ann,,\r\nbob,,,bob,,\r\n");
    /* Nobody has a name: there is no column of them. */
    is_text(gradebook_list(in("p"), NULL, LIB_EN, &msg),
            "lab                    student                verdict      score      speed-up  \n"
            "add                    ann                    missing      -                    \n"
            "add                    bob                    missing      -                    \n");
    char *html = grade_html_course(in("p"), LIB_EN, &msg),
         *at = html ? strstr(html, "<div class=\"scroll\"><svg") : NULL;
    if (at) *strstr(at, "</body>") = 0;
    /* Two on a circle of 30 + 2 * 15, right and left: 3 letters of 7.2 and a gap of 8 beyond it, 14
     * above and below. All tokens are the same: a share of 1, a line of 8 * 0.6. */
    is_text(strdup(at ? at : ""),
            "<div class=\"scroll\"><svg viewBox=\"-90 -74 180 148\" width=\"180\" "
            "style=\"min-width:180px\" role=\"img\" aria-label=\"Pairs of similar submissions\">\n"
            "<line x1=\"60\" y1=\"0\" x2=\"-60\" y2=\"0\" stroke=\"currentColor\" "
            "stroke-width=\"4.8\" opacity=\"0.6\"/>\n"
            "<text x=\"66\" y=\"4\" font-size=\"12\" fill=\"currentColor\" "
            "text-anchor=\"start\">ann</text>\n"
            "<text x=\"-66\" y=\"4\" font-size=\"12\" fill=\"currentColor\" "
            "text-anchor=\"end\">bob</text>\n"
            "</svg></div>\n"
            "<div class=\"scroll\"><table><tr><th>Student</th><th>Student</th><th class=\"n\">of "
            "the shorter one</th></tr>\n"
            "<tr><td>ann</td><td>bob</td><td class=\"n\">100%</td></tr>\n</table></div>\n");
    free(html);
}

/* n students with these files, as many as there are texts; the part of the page from `from` to
 * `to`. */
static char *part_of(size_t n, const char *const *name, const char *const *text, size_t texts,
                     const char *from, const char *to) {
    store_manifest m = {0};
    store_remove_tree(AT_FDCWD, in("q"));
    CHECK(lib_make_folders(in("q/submissions"), &msg));
    for (size_t i = 0; i < n; i++) {
        store_entry *e = manifest_add(&m, name[i], "add", "x.cu");
        char path[100];
        snprintf(e->sha, sizeof e->sha, "%zu",
                 texts - i % texts); /* the first is the last of them */
        snprintf(path, sizeof path, "q/submissions/%s.cu", e->sha);
        put(path, text[i % texts]);
    }
    int fd = open(in("q"), O_RDONLY | O_DIRECTORY);
    CHECK(manifest_save(&m, fd, &msg));
    manifest_free(&m);
    close(fd);
    char *html = grade_html_course(in("q"), LIB_EN, &msg), *at = html ? strstr(html, from) : NULL,
         *end = at ? strstr(at, to) : NULL,
         *part = strndup(end ? at : "", end ? (size_t)(end - at) : 0);
    free(html);
    return part;
}

static void pictures(void) {
    /* Five on a circle of 105 at 0, 72, 144, 216 and 288 degrees; é is as wide as a Chinese letter,
     * 12.5. */
    static const char *const five[] = {"a1", "a2", "é3", "é4", "é5"};
    static const char *const same[] = {BODY("two", "data", "count"), BODY("two", "data", "n"),
                                       BODY("two", "data", "k"), BODY("two", "a", "b"),
                                       BODY("x", "y", "z")};
    static const int x[] = {105, 32, -85, -85, 32}, y[] = {0, 100, 62, -62, -100},
                     text_x[] = {111, 38, -91, -91, 38}, text_y[] = {4, 104, 66, -58, -96};
    lib_buffer b = {0};
    /* to the right 105 + 2 * 7.2 + 8 = 127.4, to the left 84.95 + 12.5 + 7.2 + 8 = 112.65 */
    lib_buffer_puts(&b, "<svg viewBox=\"-113 -119 241 238\" width=\"241\" "
                        "style=\"min-width:241px\" role=\"img\" aria-label=\"Pairs of similar "
                        "submissions\">\n");
    for (int i = 0; i < 5; i++)
        for (int k = i + 1; k < 5; k++)
            lib_buffer_printf(&b,
                              "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" "
                              "stroke=\"currentColor\" stroke-width=\"4.8\" opacity=\"0.6\"/>\n",
                              x[i], y[i], x[k], y[k]);
    for (int i = 0; i < 5; i++)
        lib_buffer_printf(&b,
                          "<text x=\"%d\" y=\"%d\" font-size=\"12\" fill=\"currentColor\" "
                          "text-anchor=\"%s\">%s</text>\n",
                          text_x[i], text_y[i], x[i] > 0 ? "start" : "end", five[i]);
    char *want = lib_buffer_take(&b);
    is_text(part_of(5, five, same, 5, "<svg viewBox=\"-",
                    "</svg></div>\n<div class=\"scroll\"><table>"),
            want);
    free(want);
    /* Ten would be on one of 180: it is no larger than 150. */
    static const char *const ten[] = {"a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9"};
    char text[10][100];
    const char *texts[10];
    for (int i = 0; i < 10; i++) {
        unsigned state = (unsigned)i / 2 + 1; /* two and two are alike */
        for (int k = 0; k < 80; k++) {
            state = state * 1103515245u + 12345;
            text[i][k] = "+-*%&|<>=!?:;"[state / 65536 % 13];
        }
        snprintf(text[i] + 80, 20, "// %d", i);
        texts[i] = text[i];
    }
    char *picture = part_of(10, ten, texts, 10, "<svg viewBox=\"-", "</svg></div>\n<div class");
    int left = 0, top = 0, wide = 0, high = 0;
    CHECK_INT(sscanf(picture, "<svg viewBox=\"%d %d %d %d", &left, &top, &wide, &high), 4);
    CHECK_INT(top, -164);
    CHECK_INT(high, 328);
    CHECK_CONTAINS(picture, "<line x1=\"150\" y1=\"0\" ");
    free(picture);
    /* Twelve who share a file are named, and of thirteen as many. */
    static const char *const many[] = {"s01", "s02", "s03", "s04", "s05", "s06", "s07",
                                       "s08", "s09", "s10", "s11", "s12", "s13"};
#define TWELVE                                                                                     \
    "<h3>Handed in by several, byte for byte</h3>\n"                                               \
    "<p>s01, s02, s03, s04, s05, s06, s07, s08, s09, s10, s11, s12"
    static const char *const one[] = {"x"};
    is_text(part_of(12, many, one, 1, "<h3>Handed", "</body>"), TWELVE "</p>\n");
    is_text(part_of(13, many, one, 1, "<h3>Handed", "</body>"), TWELVE " … (13)</p>\n");
    is_text(part_of(1, many, one, 1, "<h3>Handed", "</body>"), "");
    /* In the order of their first rows. */
    static const char *const two[] = {"x", "y"};
    is_text(
        part_of(5, many, two, 2, "<h3>Handed", "</body>"),
        "<h3>Handed in by several, byte for byte</h3>\n<p>s01, s03, s05</p>\n<p>s02, s04</p>\n");
}

/* Whatever was said before, nothing is said where all is well. */
static void quiet(void) {
    size_t differ;
    char *text = NULL;
    for (int i = 0; i < 12; i++) {
        tell(&msg, "of before", NULL);
        switch (i) {
        case 0: text = gradebook_list(in("a"), NULL, LIB_EN, &msg); break;
        case 1: text = gradebook_list(in("a/gradebook.sqlite"), NULL, LIB_EN, &msg); break;
        case 2: text = gradebook_export(in("a"), GRADEBOOK_CSV, &msg); break;
        case 3: text = gradebook_export(in("a"), GRADEBOOK_JSON, &msg); break;
        case 4: text = gradebook_compare(in("a"), in("b"), LIB_EN, &differ, &msg); break;
        case 5: text = grade_export(in("a"), GRADE_EXPORT_CANVAS, NULL, &msg); break;
        case 6: text = grade_export(in("a"), GRADE_EXPORT_MOODLE, NULL, &msg); break;
        case 7: text = grade_html_course(in("a"), LIB_EN, &msg); break;
        case 8: text = course_status(in("a"), LIB_EN, &msg); break;
        case 9: text = course_explain(in("a"), "ann", NULL, LIB_EN, &msg); break;
        case 10: CHECK_INT(gradebook_rebuild(in("a"), &msg), 0); break;
        case 11: CHECK_INT(grade_batch_reports(in("a"), LIB_EN, &msg), 0); break;
        }
        printf("# %d\n", i);
        CHECK(i > 9 || text);
        CHECK_STR(said(&msg), "");
        free(text);
        text = NULL;
    }
}

static size_t open_files(void) {
    DIR *d = opendir("/proc/self/fd");
    size_t n = 0;
    while (d && readdir(d)) n++;
    if (d) closedir(d);
    return n;
}

int main(void) {
    snprintf(root, sizeof root, "/tmp/warplab-course-XXXXXX");
    if (!mkdtemp(root)) return 1;
    size_t open_before = open_files();
    grading("a", false);
    grading("b", true);
    book();
    replaced();
    looked_up();
    sheets();
    page();
    status();
    many();
    explained();
    pairs();
    pictures();
    quiet();
    CHECK_INT(open_files(), open_before); /* every file is closed again */
    store_remove_tree(AT_FDCWD, root);
    return check_done();
}
