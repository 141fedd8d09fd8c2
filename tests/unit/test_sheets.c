/* The sheets for Canvas, Moodle and Brightspace, a rule at a time: small gradings, a roster each,
 * and the whole sheet or the whole message. What is expected follows from the rules at the top of
 * csv.c and in course.h, and from what the systems' exports look like (export_*.c names the
 * sources). */
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <unistd.h>
#include "runner/base/buffer.h"
#include "runner/base/message.h"
#include "grader/course/course.h"
#include "grader/course/rows.h"
#include "grader/course/store.h"
#include "tests/check.h"
#include "tests/said.h"
#include "tests/unit/folder_fixture.h"

typedef struct {
    const char *student, *lab, *source, *name, *ids;
    double score, max;
    bool graded;
    int64_t time; /* 0: not known */
} handed;

/* A grading in the folder "g". */
static void grading(const handed *h, size_t n, const char *rules) {
    store_manifest m = {0};
    store_remove_tree(AT_FDCWD, in("g"));
    put("g/course.json", rules ? rules : "{}");
    for (size_t i = 0; i < n; i++) {
        const char *lab = h[i].lab ? h[i].lab : "add";
        store_entry *e = manifest_add(&m, h[i].student, lab, h[i].source ? h[i].source : "x.cu");
        char path[120], text[600];
        if (h[i].name) free(e->name), e->name = strdup(h[i].name);
        if (h[i].ids) free(e->ids), e->ids = strdup(h[i].ids);
        snprintf(e->key, sizeof e->key, "%064zu", i);
        snprintf(e->sha, sizeof e->sha, "%064zu", i);
        e->timed = h[i].time != 0, e->time = h[i].time;
        if (!h[i].graded) continue;
        snprintf(path, sizeof path, "g/records/%s.json", e->key);
        snprintf(text, sizeof text,
                 "{\"version\":1,\"key\":\"%s\",\"student\":\"%s\",\"lab\":\"%s\",\"submission\":"
                 "\"%s\",\"state\":\"graded\",\"verdict\":\"pass\",\"score\":%g,\"max_score\":%g}",
                 e->key, e->student, e->lab, e->sha, h[i].score, h[i].max);
        put(path, text);
    }
    manifest_sort(&m);
    int fd = open(in("g"), O_RDONLY | O_DIRECTORY);
    CHECK(manifest_save(&m, fd, &msg));
    close(fd);
    manifest_free(&m);
}
#define GRADING(rows, rules) grading(rows, sizeof(rows) / sizeof *(rows), rules)

static void is(char *got, const char *want) {
    CHECK_STR(got ? got : said(&msg), want);
    free(got);
}
#define HEAD      "Student,ID,SIS User ID,SIS Login ID,Section,add\r\n"
#define NO_POINTS "    Points Possible,,,,,\r\n"

/* ---- without a roster ---- */

/* Canvas calls a download's files NAME_USER_FILE_what: USER is its own number of the student. */
static void numbers(void) {
    static const handed rows[] = {
        {"0", .source = "x_0_1.cu"},
        {"10", .source = "in/x_10_0.cu"},
        {"11", .source = "x_11_9.cu"},
        {"12", .source = "x_12_/1.cu"}, /* beside '0' ... */
        {"13", .source = "x_13_:1.cu"}, /* ... and '9' */
        {"14", .source = "x_14.cu"},
        {"15", .source = "x_150_1.cu"},
        {"16", .source = "x16_1.cu"},
        {"17", .source = "_17_1"},
        {"1a", .source = "x_1a_1.cu"},
        {"a1", .source = "x_a1_1.cu"},
        {"ann", .source = "lee_ann_12_add.cu"},
    };
    GRADING(rows, NULL);
    is(grade_export(in("g"), GRADE_EXPORT_CANVAS, NULL, &msg),
       HEAD NO_POINTS "0,0,,,,\r\n10,10,,,,\r\n11,11,,,,\r\n12,,,12,,\r\n13,,,13,,\r\n14,,,14,,\r\n"
                      "15,,,15,,\r\n16,,,16,,\r\n17,17,,,,\r\n1a,,,1a,,\r\na1,,,a1,,\r\n"
                      "ann,,,ann,,\r\n");
}

/* Cells by RFC 4180; what a spreadsheet would run is text. */
static void formulas(void) {
    static const handed rows[] = {
        {"a", .name = "=1"},   {"b", .name = "+1"},   {"c", .name = "-1"},    {"d", .name = "@x"},
        {"e", .name = "\tx"},  {"f", .name = "a=b"},  {"g", .name = "a\"b"},  {"h", .name = "a,b"},
        {"i", .name = "a\nb"}, {"j", .name = "a\rb"}, {"k", .name = "=\"\""}, {"l", .name = " "},
    };
    GRADING(rows, NULL);
    is(grade_export(in("g"), GRADE_EXPORT_CANVAS, NULL, &msg),
       HEAD NO_POINTS "\"'=1\",,,a,,\r\n\"'+1\",,,b,,\r\n\"'-1\",,,c,,\r\n\"'@x\",,,d,,\r\n"
                      "\"'\tx\",,,e,,\r\na=b,,,f,,\r\n\"a\"\"b\",,,g,,\r\n\"a,b\",,,h,,\r\n"
                      "\"a\nb\",,,i,,\r\nab,,,j,,\r\n\"'=\"\"\"\"\",,,k,,\r\n ,,,l,,\r\n");
}

/* A lab's full marks are the largest of its records', wherever they stand; what has none is not
 * scaled. */
static void full_marks(void) {
    static const handed rows[] = {
        {"ann", .graded = true, .score = 6, .max = 10},
        {"bob", .graded = true, .score = 2.5, .max = 5},
        {"cy", .graded = true, .score = 0, .max = 4},
        {.student = "dan"},
        {"ann", .lab = "sub", .graded = true, .score = 3, .max = 0},
    };
    static const char head[] = "Student,ID,SIS User ID,SIS Login ID,Section,add,sub\r\n";
    char want[400];
    GRADING(rows, NULL);
    snprintf(want, sizeof want,
             "%s    Points Possible,,,,,10,\r\nann,,,ann,,6,3\r\n"
             "bob,,,bob,,2.5,\r\ncy,,,cy,,0,\r\ndan,,,dan,,,\r\n",
             head);
    is(grade_export(in("g"), GRADE_EXPORT_CANVAS, NULL, &msg), want);
    /* (6 + 2.5 + 0) / 3 = 2.8333 */
    is(course_status(in("g"), LIB_EN, &msg),
       "4 students, 2 labs\nadd: 4, 3 graded, 1 not graded yet; mean 2.83 of 10\n"
       "sub: 1, 1 graded; mean 3 of 0\n");
    GRADING(rows, "{\"points\":50}");
    snprintf(want, sizeof want,
             "%s    Points Possible,,,,,50,50\r\nann,,,ann,,30,3\r\n"
             "bob,,,bob,,12.5,\r\ncy,,,cy,,0,\r\ndan,,,dan,,,\r\n",
             head);
    is(grade_export(in("g"), GRADE_EXPORT_CANVAS, NULL, &msg), want);
}

/* Of several attempts the best, the later of equals; another one may still count for more while it
 * has no score. */
static void attempts(void) {
    static const handed rows[] = {
        {"ann", .time = 1, .graded = true, .score = 4, .max = 10},
        {"ann", .time = 2, .graded = true, .score = 9, .max = 10},
        {"ann", .time = 3, .graded = true, .score = 8, .max = 10},
        {"bob", .time = 1, .graded = true, .score = 5, .max = 10},
        {"bob", .time = 2, .graded = true, .score = 5, .max = 10},
        {"cy", .time = 1},
        {"cy", .time = 2, .graded = true, .score = 0, .max = 10},
        {"dan", .time = 1, .graded = true, .score = 7, .max = 10},
        {"dan", .time = 2},
        {"eve", .time = 1},
        {"eve", .time = 2},
        {"fay", .time = 1},
        {"fay", .time = 2, .graded = true, .score = 3, .max = 10},
        {"fay", .time = 3, .graded = true, .score = 4, .max = 10},
    };
    static const struct {
        const char *student;
        unsigned attempt;
        bool unsettled;
    } counts[] = {{"ann", 2, false}, {"bob", 2, false}, {"cy", 2, true},
                  {"dan", 1, true},  {"eve", 1, false}, {"fay", 3, true}};
    course c;
    GRADING(rows, "{\"attempts\":\"best\"}");
    CHECK(course_load(&c, in("g"), &msg));
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const course_row *row = course_find(&c, counts[i].student, "add");
        printf("# %s\n", counts[i].student);
        CHECK_INT(row->entry->attempt, counts[i].attempt);
        CHECK_INT(row->unsettled, counts[i].unsettled);
    }
    course_free(&c);
}

/* A byte-order mark where a letter is not English, and one only. */
static void marks(void) {
    static const char *const rows[][2] = {{"", ""},
                                          {"a~\x7F", "a~\x7F"},
                                          {"a\xC2\x80", "\xEF\xBB\xBF"
                                                        "a\xC2\x80"},
                                          {"\xEF\xBB\xBF"
                                           "é",
                                           "\xEF\xBB\xBF"
                                           "é"},
                                          {"\xEF\xBB\xBE", "\xEF\xBB\xBF\xEF\xBB\xBE"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        is(grade_csv_marked(strdup(rows[i][0])), rows[i][1]);
    CHECK(!grade_csv_marked(NULL));
}

/* ---- with a roster ---- */

static grade_csv how;
/* The sheet that a roster is made, for the lab or all. */
static char *filled(bool canvas, const char *roster, const char *lab) {
    put("r.csv", roster);
    how = (grade_csv){.roster = in("r.csv"), .lab = lab};
    msg = (lib_message){0};
    return grade_export(in("g"), canvas ? GRADE_EXPORT_CANVAS : GRADE_EXPORT_MOODLE, &how, &msg);
}
/* What is said in both languages, ROSTER being the roster's path. */
static void says(const lib_message *m, const char *en, const char *zh) {
    const char *want[] = {en, zh}, *got[] = {said(m), said_zh(m)};
    for (int i = 0; i < 2; i++) {
        const char *at = strstr(want[i], "ROSTER");
        char whole[1024];
        snprintf(whole, sizeof whole, "%.*s%s%s", (int)(at ? at - want[i] : 0), want[i],
                 at ? in("r.csv") : "", at ? at + 6 : want[i]);
        CHECK_STR(got[i], whole);
    }
}

static const handed three[] = {
    {"ann", .name = "Lee, Ann", .ids = "7\nann@u\n", .graded = true, .score = 6, .max = 10},
    {"bob", .graded = true, .score = 10, .max = 10},
    {.student = "cy"},
};

/* Who is on it, by any name, and who is told of. */
static void people(void) {
    GRADING(three, NULL);
    is(filled(true, "SIS Login ID,add\nANN@U,\nBob,1\ncy,2\nzoe,3\n", NULL),
       "SIS Login ID,add\r\nANN@U,6\r\nBob,10\r\ncy,2\r\nzoe,3\r\n");
    CHECK_INT(how.noted, 0);
    /* a row that is shorter than its heading */
    is(filled(true, "Student,SIS Login ID,Section,add,x\nAnn,ann\nBob,bob,S\n", NULL),
       "Student,SIS Login ID,Section,add,x\r\nAnn,ann,,6,\r\nBob,bob,S,10,\r\n");
    is(filled(true, "Student,SIS Login ID,Section\nAnn,ann\n", NULL),
       "Student,SIS Login ID,Section,add\r\nAnn,ann,,6\r\n");
    is(filled(true, "SIS Login ID,SIS User ID,add\nx,ann,1\ny,Ann,2\nbob,,3\nbob,,4\ncy,,5\n",
              NULL),
       "SIS Login ID,SIS User ID,add\r\nx,ann,1\r\ny,Ann,2\r\nbob,,3\r\nbob,,4\r\ncy,,5\r\n");
    CHECK_INT(how.noted, 2);
    CHECK_STR(said(&how.first[0]), "ann could be several people on the roster");
    CHECK_STR(said(&how.first[1]), "bob could be several people on the roster");
    CHECK_STR(said(&how.first[2]), "");
    /* Nobody of ours: no sheet, and who is meant on either side. */
    CHECK(!filled(true, "SIS Login ID,add\nzoe,3\nyan,\n", NULL));
    says(&msg,
         "the roster ROSTER names none of the 3 students: here they are called ann and the like, "
         "there zoe",
         "名册 ROSTER 中没有这 3 名学生中的任何一个：这里的学生名如 ann，名册里如 zoe");
    CHECK_INT(how.noted, 3);
    CHECK_STR(said(&how.first[0]), "the roster does not name ann (Lee, Ann)");
    CHECK_STR(said(&how.first[2]), "the roster does not name cy");
    CHECK(!filled(true, "SIS Login ID,add\nzoe,3\n", NULL)); /* the only one */
    CHECK_CONTAINS(said(&msg), "there zoe");
    CHECK(!filled(true, "SIS Login ID,add\n,3\nyan,\n", NULL)); /* the first has no name */
    CHECK_CONTAINS(said(&msg), "called ann and the like");
    CHECK(!strstr(said(&msg), "there "));
    CHECK(!filled(false, "idnumber\n", NULL));
    says(&msg,
         "the roster ROSTER names none of the 3 students: here they are called ann and the like",
         "名册 ROSTER 中没有这 3 名学生中的任何一个：这里的学生名如 ann");
    /* A grading of nothing takes any roster. */
    grading(NULL, 0, NULL);
    is(filled(true, "SIS Login ID,x\nzoe,3\n", NULL), "SIS Login ID,x\r\nzoe,3\r\n");
}

/* No more than 64 names of a student are asked for, their own among them. */
static void many_names(void) {
    char ids[400] = "", roster[60];
    for (int i = 1; i < 66; i++) snprintf(ids + strlen(ids), 10, "n%d\n", i);
    const handed one[] = {{"ann", .ids = ids, .graded = true, .score = 1, .max = 1}};
    GRADING(one, NULL);
    for (int i = 62; i < 66; i++) {
        snprintf(roster, sizeof roster, "SIS Login ID,add\nn%d,\n", i);
        char *sheet = filled(true, roster, NULL), want[60];
        snprintf(want, sizeof want, "SIS Login ID,add\r\nn%d,1\r\n", i);
        if (i < 64) CHECK_STR(sheet, want);
        else CHECK(!sheet);
        free(sheet);
    }
}

/* Which system's it is: each takes its own. */
static void systems(void) {
    GRADING(three, NULL);
    for (int i = 0; i < 2; i++) {
        CHECK(!filled(false, i ? "SIS Login ID,add\nann,\n" : "SIS User ID,add\nann,\n", NULL));
        says(&msg,
             "the roster ROSTER is Canvas's: Moodle takes its own worksheet or list of "
             "participants; export for each system with its own roster",
             "名册 ROSTER 是 Canvas 的：Moodle 要用自己的评分表或名单；请分别导出");
        CHECK(!filled(true, i ? "idnumber,add\nann,\n" : "Identifier,Grade,Student\nann,-,ann\n",
                      NULL));
        says(&msg,
             "the roster ROSTER is not Canvas's gradebook: expected the columns Student, ID, SIS "
             "Login ID; export for each system with its own roster",
             "名册 ROSTER 不是 Canvas 的成绩册：应有 Student、ID、SIS Login ID "
             "等列；请分别导出");
    }
    is(filled(true, "Student,add\nann,\n", NULL), "Student,add\r\nann,6\r\n");
    CHECK_INT(how.noted, 2);
    CHECK(!filled(true, "", NULL));
    CHECK_CONTAINS(said(&msg), "has none of the columns that name a student");
}

/* Canvas's row of points stands among the first four; what it says goes before the course's
 * rules. */
static void points_possible(void) {
    static const struct {
        const char *before, *points; /* rows above it, its cell */
        const char *cell;            /* ann's: 6 of 10 */
        bool differs;                /* from the course's 40 */
    } rows[] = {
        {"", "20", "12", true},
        {"", "40", "24", false},
        {"", "", "24", false},
        {"", "0", "24", false},
        {"", "-5", "24", false},
        {"", "0.5", "0.3", true},
        {"x,x,\n", "20", "12", true},
        {"x,x,\ny,y,\n", "20", "12", true},
        {"x,x,\ny,y,\nz,z,\n", "20", "24", false},
    };
    GRADING(three, "{\"points\":40}");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char roster[200], want[200];
        lib_buffer above = {0};
        for (const char *p = rows[i].before; *p; p++) {
            if (*p == '\n') lib_buffer_puts(&above, "\r");
            lib_buffer_add(&above, p, 1);
        }
        lib_buffer_puts(&above, "");
        char *lines = lib_buffer_take(&above);
        snprintf(roster, sizeof roster,
                 "Student,SIS Login ID,add\n%s  Points Possible,,%s\nAnn,ann,\n", rows[i].before,
                 rows[i].points);
        snprintf(want, sizeof want,
                 "Student,SIS Login ID,add\r\n%s  Points Possible,,%s\r\nAnn,ann,%s\r\n", lines,
                 rows[i].points, rows[i].cell);
        printf("# %s%s\n", rows[i].before, rows[i].points);
        is(filled(true, roster, NULL), want);
        CHECK_INT(how.warned, rows[i].differs);
        free(lines);
    }
    /* 40 by the rules, 20 there: both figures, in both languages. */
    free(filled(true, "Student,SIS Login ID,add\nPoints Possible,,20\nAnn,ann,\n", "add"));
    CHECK_INT(how.warned, 1);
    says(&how.warning[0],
         "add: course.lua says 40 points, the roster's Points Possible 20: full marks are written "
         "as 20",
         "add：course.lua 给的是 40 分，名册的 Points Possible 是 20：满分按 20 分填写");
    free(filled(true, "Student,SIS Login ID,add\nPoints Possible,,20\nAnn,ann,\n", "sub"));
    CHECK_INT(how.warned, 0);
    /* Where the rules say nothing, the roster contradicts nothing. */
    GRADING(three, NULL);
    is(filled(true, "Student,SIS Login ID,add\nPoints Possible,,20\nAnn,ann,\n", NULL),
       "Student,SIS Login ID,add\r\nPoints Possible,,20\r\nAnn,ann,12\r\n");
    CHECK_INT(how.warned, 0);
}

/* A lab's own heading, and the roster has none of that name: which there are, the first eight of
 * them, people's own left out. */
static void misnamed(void) {
    static const struct {
        const char *head, *en, *zh;
    } rows[] = {
        {"Student,ID,SIS User ID,SIS Login ID,Integration ID,Root Account,section", "-", "-"},
        {"SIS Login ID,,One (1),Sums (2)", "One (1), Sums (2); did you mean \"Sums\"?",
         "One (1)、Sums (2)；是否想写“Sums”？"},
        {"SIS Login ID,a,b,c,d,e,f,g,h", "a, b, c, d, e, f, g, h", "a、b、c、d、e、f、g、h"},
        {"SIS Login ID,a,b,c,d,e,f,g,h,Sumi", "a, b, c, d, e, f, g, h; did you mean \"Sumi\"?",
         "a、b、c、d、e、f、g、h；是否想写“Sumi”？"},
    };
    GRADING(three, "{\"labs\":{\"add\":{\"column\":\"Sum\"}}}");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char roster[200], en[400], zh[400], want[400];
        const char *before = i ? "" : ",,,", *given = i ? "" : ",,,", *c = rows[i].head;
        char behind[16] = ""; /* the row is filled to its heading's width */
        for (size_t n = 0, k = 0; (c = strchr(c, ',')) != NULL; c++)
            if (n++ >= strlen(before)) behind[k++] = ',', behind[k] = 0;
        snprintf(roster, sizeof roster, "%s\n%sann%s\n", rows[i].head, before, given);
        snprintf(want, sizeof want, "%s,Sum\r\n%sann%s,6\r\n", rows[i].head, before, behind);
        snprintf(en, sizeof en,
                 "course.lua calls add \"Sum\", and ROSTER has no such column: it was added. There "
                 "are %s",
                 rows[i].en);
        snprintf(zh, sizeof zh,
                 "course.lua 把 add 叫作“Sum”，ROSTER 中没有这一列：已另加一列。现有：%s",
                 rows[i].zh);
        is(filled(true, roster, NULL), want);
        CHECK_INT(how.warned, 1);
        says(&how.warning[0], en, zh);
    }
    /* Four are kept, the last of which is the last of all. */
    static const handed six[] = {{"ann", .lab = "l1"}, {"ann", .lab = "l2"}, {"ann", .lab = "l3"},
                                 {"ann", .lab = "l4"}, {"ann", .lab = "l5"}, {"ann", .lab = "l6"}};
    static const char *const kept[] = {"l1", "l2", "l3", "l6"};
    GRADING(six, "{\"labs\":{\"l1\":{\"column\":\"A\"},\"l2\":{\"column\":\"B\"},"
                 "\"l3\":{\"column\":\"C\"},\"l4\":{\"column\":\"D\"},\"l5\":{\"column\":\"E\"},"
                 "\"l6\":{\"column\":\"F\"}}}");
    is(filled(true, "SIS Login ID\nann\n", NULL), "SIS Login ID,A,B,C,D,E,F\r\nann,,,,,,\r\n");
    CHECK_INT(how.warned, 4);
    for (size_t i = 0; i < 4; i++) {
        char start[40];
        snprintf(start, sizeof start, "course.lua calls %s ", kept[i]);
        CHECK_CONTAINS(said(&how.warning[i]), start);
    }
}

/* Moodle's worksheet is of one assignment: its Grade, of its Maximum Grade, in either language. */
static void worksheets(void) {
    GRADING(three, NULL);
    is(filled(false, "Identifier,Email address,Grade,Maximum Grade\nParticipant 1,ann,-,50\n",
              NULL),
       "Identifier,Email address,Grade,Maximum Grade\r\nParticipant 1,ann,30,50\r\n");
    is(filled(false, "identifier,电子邮件地址,成绩,最高分\n参与者 1,ann,-,20\n参与者 2,bob,-,20\n",
              NULL),
       "\xEF\xBB\xBF"
       "identifier,电子邮件地址,成绩,最高分\r\n参与者 1,ann,12,20\r\n"
       "参与者 2,bob,20,20\r\n");
    is(filled(false, "Identifier,Email address,Grade\nParticipant 1,ann,-\n", "add"),
       "Identifier,Email address,Grade\r\nParticipant 1,ann,6\r\n");
    /* Without a Grade it is a list of people. */
    is(filled(false, "Identifier,Full name,Email address\nParticipant 1,Ann,ann\n", NULL),
       "Identifier,Full name,Email address,add\r\nParticipant 1,Ann,ann,6\r\n");
    /* Its mark stays where it has one. */
    is(filled(false,
              "\xEF\xBB\xBF"
              "idnumber\nann\n",
              NULL),
       "\xEF\xBB\xBF"
       "idnumber,add\r\nann,6\r\n");
    /* More cells than headings stay as they are. */
    is(filled(false, "idnumber,add\nann,,x,y\n", NULL), "idnumber,add\r\nann,6,x,y\r\n");
    static const handed two[] = {{"ann", .graded = true, .score = 1, .max = 2},
                                 {"ann", .lab = "sub", .graded = true, .score = 1, .max = 4}};
    GRADING(two, NULL);
    CHECK(!filled(false, "Identifier,Email address,Grade\n1,ann,\n", NULL));
    says(&msg,
         "the worksheet ROSTER is of one assignment, and 2 labs are graded here: say which with "
         "--lab",
         "评分表 ROSTER 只属于一次作业，而这里评了 2 个实验：请用 --lab 指定");
}

/* What the grading's own roster says of people, where it is Canvas's. */
static void kept_roster(void) {
    GRADING(three, NULL);
    put("g/roster.csv", "SIS User ID,SIS Login ID,Student,ID,Section\n7,al,\"Lee, A\",12,S\n");
    is(grade_export(in("g"), GRADE_EXPORT_CANVAS, NULL, &msg), HEAD
       "    Points Possible,,,,,10\r\n\"Lee, A\",12,7,al,S,6\r\nbob,,,bob,,10\r\ncy,,,cy,,\r\n");
    put("g/roster.csv", "SIS User ID,Student\n7,A\n");
    is(grade_export(in("g"), GRADE_EXPORT_CANVAS, NULL, &msg),
       HEAD "    Points Possible,,,,,10\r\nA,,7,,,6\r\nbob,,,bob,,10\r\ncy,,,cy,,\r\n");
    put("g/roster.csv", "student,name\n7,A\n");
    is(grade_export(in("g"), GRADE_EXPORT_CANVAS, NULL, &msg), HEAD
       "    Points Possible,,,,,10\r\n\"Lee, Ann\",,,ann,,6\r\nbob,,,bob,,10\r\ncy,,,cy,,\r\n");
    put("g/roster.csv", "no roster\n");
    is(grade_export(in("g"), GRADE_EXPORT_CANVAS, NULL, &msg), HEAD
       "    Points Possible,,,,,10\r\n\"Lee, Ann\",,,ann,,6\r\nbob,,,bob,,10\r\ncy,,,cy,,\r\n");
}

/* Brightspace: "#" before both names and at each row's end, before which labs are added. */
static void brightspace(void) {
    static const handed rows[] = {{"20067930", .graded = true, .score = 6, .max = 10},
                                  {"cy", .name = "=C"},
                                  {"frank.catcher", .graded = true, .score = 10, .max = 10}};
    GRADING(rows, NULL);
    is(grade_export(in("g"), GRADE_EXPORT_BRIGHTSPACE, NULL, &msg),
       "OrgDefinedId,Username,add Points Grade,End-of-Line Indicator\r\n"
       "#20067930,,6,#\r\n,#cy,,#\r\n,#frank.catcher,10,#\r\n");
    put("g/roster.csv", "Username,OrgDefinedId,End-of-Line Indicator\n#frank.catcher,#0042,#\n");
    is(grade_export(in("g"), GRADE_EXPORT_BRIGHTSPACE, NULL, &msg),
       "OrgDefinedId,Username,add Points Grade,End-of-Line Indicator\r\n"
       "#20067930,,6,#\r\n,#cy,,#\r\n#0042,#frank.catcher,10,#\r\n");
    put("r.csv", "OrgDefinedId,Username,Last Name,add Points Grade <Numeric MaxPoints:20 "
                 "Weight:5>,add Text Grade,End-of-Line Indicator\n#20067930,#f.c,Catcher,,,#\n"
                 "#7,#cy,Y,3,,#\n#8,#Frank.Catcher,C,1,x,#\n#9,#zoe,Z,4,,#\n");
    how = (grade_csv){.roster = in("r.csv")};
    is(grade_export(in("g"), GRADE_EXPORT_BRIGHTSPACE, &how, &msg),
       "OrgDefinedId,Username,Last Name,add Points Grade <Numeric MaxPoints:20 Weight:5>,add Text "
       "Grade,End-of-Line Indicator\r\n#20067930,#f.c,Catcher,12,,#\r\n#7,#cy,Y,3,,#\r\n"
       "#8,#Frank.Catcher,C,20,x,#\r\n#9,#zoe,Z,4,,#\r\n");
    CHECK_INT(how.noted, 0);
    put("r.csv", "Username,x Points Grade,End-of-Line Indicator\n#cy,5,#\n#20067930,,#\n");
    how = (grade_csv){.roster = in("r.csv")};
    is(grade_export(in("g"), GRADE_EXPORT_BRIGHTSPACE, &how, &msg),
       "Username,x Points Grade,add Points Grade,End-of-Line Indicator\r\n#cy,5,,#\r\n"
       "#20067930,,6,#\r\n");
    CHECK_INT(how.noted, 1);
    CHECK_STR(said(&how.first[0]), "the roster does not name frank.catcher");
    /* What the rules call the lab and say of points, and the roster does not. */
    GRADING(rows, "{\"labs\":{\"add\":{\"points\":40,\"column\":\"Sums\"}}}");
    put("r.csv", "Username,Sums Points Grade <Numeric MaxPoints:20>,End-of-Line Indicator\n"
                 "#cy,,#\n#frank.catcher,,#\n");
    how = (grade_csv){.roster = in("r.csv")};
    is(grade_export(in("g"), GRADE_EXPORT_BRIGHTSPACE, &how, &msg),
       "Username,Sums Points Grade <Numeric MaxPoints:20>,End-of-Line Indicator\r\n#cy,,#\r\n"
       "#frank.catcher,20,#\r\n");
    CHECK_INT(how.warned, 1);
    says(&how.warning[0],
         "add: course.lua says 40 points, the roster's MaxPoints 20: full marks are written as 20",
         "add：course.lua 给的是 40 分，名册的 MaxPoints 是 20：满分按 20 分填写");
}

/* Each refuses the others' rosters. */
static void brightspace_rosters(void) {
    GRADING(three, NULL);
    CHECK(!filled(true, "Username,Student,End-of-Line Indicator\n#ann,a,#\n", NULL));
    says(&msg,
         "the roster ROSTER is Brightspace's: Canvas takes its own gradebook; export for each "
         "system with its own roster",
         "名册 ROSTER 是 Brightspace 的：Canvas 要用自己的成绩册；请分别导出");
    CHECK(!filled(false, "OrgDefinedId,idnumber\n#ann,ann\n", NULL));
    CHECK_CONTAINS(said(&msg), "is Brightspace's: Moodle takes its own worksheet");
    put("r.csv", "SIS Login ID,add\nann,\n");
    how = (grade_csv){.roster = in("r.csv")};
    CHECK(!grade_export(in("g"), GRADE_EXPORT_BRIGHTSPACE, &how, &msg));
    CHECK_CONTAINS(said(&msg), "is Canvas's: Brightspace takes its own export of grades;");
    put("r.csv", "student,add\nann,\n");
    how = (grade_csv){.roster = in("r.csv")};
    CHECK(!grade_export(in("g"), GRADE_EXPORT_BRIGHTSPACE, &how, &msg));
    says(&msg,
         "the roster ROSTER is not Brightspace's gradebook: expected the columns OrgDefinedId, "
         "Username, End-of-Line Indicator; export for each system with its own roster",
         "名册 ROSTER 不是 Brightspace 的成绩册：应有 OrgDefinedId、Username、End-of-Line "
         "Indicator 等列；请分别导出");
}

int main(void) {
    snprintf(root, sizeof root, "/tmp/warplab-sheets-XXXXXX");
    if (!mkdtemp(root)) return 1;
    numbers();
    formulas();
    full_marks();
    attempts();
    marks();
    people();
    many_names();
    systems();
    points_possible();
    misnamed();
    worksheets();
    kept_roster();
    brightspace();
    brightspace_rosters();
    store_remove_tree(AT_FDCWD, root);
    return check_done();
}
