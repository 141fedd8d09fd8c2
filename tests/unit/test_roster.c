/* Who takes part, and what is said of work that could not be placed: rosters as each system exports
 * them (the headings are those that roster.c names with their systems), cells of CSV by RFC 4180,
 * reasons in two languages, moments and spans at their edges, by `date -d TEXT +%s`. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include "runner/base/buffer.h"
#include "runner/base/file.h"
#include "runner/base/message.h"
#include "grader/intake/csv_read.h"
#include "grader/intake/intake.h"
#include "grader/intake/roster.h"
#include "grader/intake/when.h"
#include "tests/check.h"
#include "tests/said.h"
#include "tests/unit/folder_fixture.h"

/* ---- cells ---- */

/* Each cell as it stands, "|" behind it, "/" behind a row. */
static void cells(void) {
    static const struct {
        const char *text, *want;
        bool mark;
    } rows[] = {
        {"", "", false},
        {"a", "a|/", false},
        {"a,b\n", "a|b|/", false},
        {"a,b\r\nc,d\r\n", "a|b|/c|d|/", false},
        {"a,\n,b", "a||/|b|/", false},
        {"\n\n", "|/|/", false},
        {"\xEF\xBB\xBF"
         "a",
         "a|/", true},
        {"\xEF\xBB"
         "a",
         "\xEF\xBB"
         "a|/",
         false},
        {"\"a,b\",c", "a,b|c|/", false},
        {"\"a\nb\",c", "a\nb|c|/", false},
        {"\"a\"\"b\"\"\"", "a\"b\"|/", false},
        {"\"\",x", "|x|/", false},
        {"\"a\"junk,b\nc", "a|b|/c|/", false}, /* behind a closing quote nothing counts */
        {"\"a", "a|/", false},
        {"a\"b,c", "a\"b|c|/", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        csv_table t;
        lib_buffer b = {0};
        CHECK(csv_read(rows[i].text, &t));
        lib_buffer_puts(&b, "");
        for (size_t r = 0; r < t.count; r++) {
            for (size_t k = 0; k < t.row[r].count; k++)
                lib_buffer_printf(&b, "%s|", t.row[r].cell[k]);
            lib_buffer_puts(&b, "/");
        }
        char *got = lib_buffer_take(&b);
        CHECK_STR(got, rows[i].want);
        CHECK_INT(t.mark, rows[i].mark);
        free(got);
        csv_free(&t);
    }
    csv_table t;
    CHECK(csv_read("", &t) && csv_column(&t, "a") == SIZE_MAX);
    csv_free(&t);
    CHECK(csv_read(" \t,  x y\t \n", &t));
    CHECK_STR(csv_cell(&t.row[0], 0), "");
    CHECK_STR(csv_cell(&t.row[0], 1), "x y");
    CHECK_STR(csv_cell(&t.row[0], 2), "");
    csv_free(&t);
}

/* ---- rosters ---- */

/* A person a line: STUDENT (NAME): ID ID ... @TIME */
static char *people(const roster *r) {
    lib_buffer b = {0};
    lib_buffer_puts(&b, "");
    for (size_t i = 0; i < r->count; i++) {
        const roster_person *p = &r->person[i];
        lib_buffer_printf(&b, "%s (%s):", p->student ? p->student : "-", p->name);
        for (unsigned k = 0; k < p->count; k++) lib_buffer_printf(&b, " %s", p->id[k]);
        if (p->submitted) lib_buffer_printf(&b, " @%lld", (long long)p->time);
        lib_buffer_puts(&b, "\n");
    }
    return lib_buffer_take(&b);
}

static void rosters(void) {
    static const struct {
        const char *text, *want;
        bool worksheet;
    } rows[] = {
        /* Brightspace: its mark is no part of a name; elsewhere it is */
        {"OrgDefinedId,Username,Last Name,First Name,End-of-Line Indicator\n#0042,#f.c,C,F,#\n",
         "f.c (F C): f.c 0042\n", false},
        {"student\n#x\n", "#x (): #x\n", false},
        /* a course's own */
        {"student,name,email\nann,Ann,a@u\nbob\n", "ann (Ann): ann a@u\nbob (): bob\n", false},
        /* Canvas: what it calls a student is a name; the points possible and its test student */
        {"Student,ID,SIS User ID,SIS Login ID,Section\n    Points Possible,,,,\n\"Lee, "
         "A\",7,u1,ann,S\n"
         "\"Student, Test\",8,,t,\n",
         "ann (Lee, A): ann u1 7\nt (Student, Test): t 8\n", false},
        {"SIS User ID,Student\nu1,Ann\n", "u1 (Ann): u1\n", false},
        {"SIS Login ID,ID,Student\nx,9,Points Possible (of 10)\nann,7,Ann\n", "ann (Ann): ann 7\n",
         false},
        /* Moodle's worksheet, and its list of participants */
        {"Identifier,Full name,Email address,Grade,Last modified (submission)\n"
         "Participant 4321,Ann Lee,a@u,-,\"Thursday, 1 October 2026, 11:59 PM\"\n"
         "Participant 5,Bob,,-,-\n",
         "a@u (Ann Lee): 4321 a@u @1790899140\n5 (Bob): 5\n", true},
        {"identifier,成绩,全名,电子邮件地址,最后修改（提交）\n参与者 9,-,李雷,l@u,2026年10月1日 "
         "星期四 23:59\n",
         "l@u (李雷): 9 l@u @1790899140\n", true},
        {"First name,Last name,Username,ID number,Email address\nAnn,Lee,ann,77,a@u\n",
         "ann (Ann Lee): ann 77 a@u\n", false},
        /* Gradescope, GitHub Classroom, PrairieLearn */
        {"First Name,Last Name,SID,Email\nAnn,Lee,77,a@u\n,Lee,78,\n",
         "77 (Ann Lee): 77 a@u\n78 (Lee): 78\n", false},
        {"identifier,github_username,github_id,name\nann@u,annl,123,\n",
         "ann@u (): ann@u annl 123\n", false},
        {"UID,UIN,Username,Name,Role\na@u,77,ann,Ann,Student\n", "ann (Ann): ann a@u 77\n", false},
        {"学号,姓名\n77,李雷\n", "77 (李雷): 77\n", false},
        /* the same under two headings is one; nobody's line */
        {"login,email,SID\nann,ANN,ann\n,,\n", "ann (): ann\n- ():\n", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        roster r;
        put("r.csv", rows[i].text);
        msg = (lib_message){0};
        CHECK(roster_read(in("r.csv"), 0, &r, &msg));
        CHECK(!lib_message_any(&msg));
        char *got = people(&r);
        CHECK_STR(got, rows[i].want);
        CHECK_INT(r.worksheet, rows[i].worksheet);
        CHECK_INT(r.count ? r.person[r.count - 1].row : 0, r.table.count - 1);
        free(got);
        roster_free(&r);
    }
    roster r;
    CHECK(!roster_read(in("none.csv"), 0, &r, &msg));
    CHECK_CONTAINS(said(&msg), "cannot read the roster ");
    put("r.csv", "Last modified (submission),Section\nx,y\n");
    CHECK(!roster_read(in("r.csv"), 0, &r, &msg));
    CHECK_CONTAINS(said(&msg), "has none of the columns that name a student");
    put("r.csv", ""); /* not even a heading */
    CHECK(!roster_read(in("r.csv"), 0, &r, &msg));
    /* 64 MiB are read, and no more. */
    put("r.csv", "student\nann\n");
    CHECK(!truncate(in("r.csv"), 64 << 20) && roster_read(in("r.csv"), 0, &r, &msg));
    CHECK_INT(r.count, 1);
    roster_free(&r);
    CHECK(!truncate(in("r.csv"), (64 << 20) + 1) && !roster_read(in("r.csv"), 0, &r, &msg));
    CHECK_CONTAINS(said(&msg), "cannot read the roster ");
    /* No more names than there is room for: student, login, ..., the last heading of ten is left
     * out. */
    put("r.csv", "student,login,Username,UID,idnumber,ID number,SID,Student ID,UIN,Email\n"
                 "1,2,3,4,5,6,7,8,9,10\n");
    CHECK(roster_read(in("r.csv"), 0, &r, &msg));
    CHECK_INT(r.person[0].count, ROSTER_IDS);
    CHECK_STR(r.person[0].id[7], "8");
    roster_free(&r);
}

static void who_is_who(void) {
    put("w.csv", "login,email,name\n"
                 "ann,ann.lee@u.example,\"Lee, Ann\"\n"
                 "bob,bob@u.example,Bob Ray\n"
                 "bob2,bob@other.example,Bob Ray\n"
                 "cy@v.example,,Cy\n"
                 "7,,\n"
                 "li,,李雷\n"
                 "han,,韩梅 梅\n"
                 "zoe,,Zoë O'Neil\n");
    static const struct {
        const char *ids[3], *name;
        int row; /* 0: nobody, -1: several */
    } rows[] = {
        {{"ann"}, "", 1},
        {{"ANN"}, "", 1},
        {{"an"}, "", 0},
        {{"annn"}, "", 0},
        {{"", "ann"}, "", 1},
        {{"zz", "ann"}, "Bob Ray", 1}, /* an id goes before a name */
        {{"Ann.Lee@U.example"}, "", 1},
        {{"ann.lee"}, "", 1}, /* before its @ */
        {{"ann@elsewhere"}, "", 1},
        {{"zz@u.example"}, "", 0},
        {{"bob"}, "", -1}, /* a login, and what is before two addresses */
        {{"bob@u.example"}, "", 2},
        {{"bob@other.example"}, "", -1},
        {{"bob2"}, "", 3},
        {{"ann", "bob2"}, "", -1},
        {{"ann", "ann.lee@u.example"}, "", 1},
        {{"cy"}, "", 4},
        {{"@"}, "", 0},
        {{"7"}, "", 5},
        {{""}, "lee, ANN", 1},
        {{""}, "leeann", 1},
        {{""}, "Ann Lee", 0},
        {{""}, "Bob-Ray", -1},
        {{""}, "C y", 4},
        {{""}, "李雷", 6}, /* letters beyond ASCII are letters */
        {{""}, "李 雷", 6},
        {{""}, "韩梅梅", 7},
        {{""}, "李梅", 0},
        {{""}, "zoë oneil", 8},
        {{""}, "zo oneil", 0},
        {{""}, "雷", 0},
        {{""}, "", 0},
    };
    roster r;
    CHECK(roster_read(in("w.csv"), 0, &r, &msg));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t n = 0;
        bool several = true;
        while (n < 3 && rows[i].ids[n]) n++;
        const roster_person *p = roster_find(&r, rows[i].ids, n, rows[i].name, &several);
        printf("# %s %s\n", rows[i].ids[0], rows[i].name);
        CHECK_INT(several, rows[i].row < 0);
        CHECK_INT(p ? (int)p->row : 0, rows[i].row > 0 ? rows[i].row : 0);
    }
    CHECK(!roster_nobody(&r.person[0]));
    roster_free(&r);
    bool several = true;
    CHECK(!roster_find(&r, rows[0].ids, 1, "", &several) && !several);
    CHECK(roster_nobody(&(roster_person){.name = (char *)"Student, Test"}) &&
          roster_nobody(&(roster_person){.name = (char *)"Test Student"}) &&
          !roster_nobody(&(roster_person){.name = (char *)"Test"}));
}

/* ---- importers ---- */

static void importers(void) {
    CHECK(intake_importer_known("canvas") && intake_importer_known("plain") &&
          !intake_importer_known("canva") && !intake_importer_known(""));
    char *all = intake_importers(LIB_EN), *zh = intake_importers(LIB_ZH);
    CHECK(all &&
          !strncmp(all, "gradescope (a Gradescope export), canvas (a Canvas bulk download), ", 67));
    CHECK(zh && !strncmp(zh, "gradescope（Gradescope 导出的提交）、canvas（", 52));
    CHECK_CONTAINS(all, ", plain (STUDENT/LAB.cu or an archive a student)");
    free(all);
    free(zh);
}

/* ---- moments at their edges ---- */

static void moments(void) {
    static const struct {
        const char *text;
        int64_t at; /* -1: none */
    } rows[] = {
        {"2026年10月1日 23:59", 1790899140},
        {"  2026-10-01 23:59", 1790899140},
        {"2026年10月1日 24:00", 1790899200}, /* the day's end */
        {"2026年10月1日 25:00", -1},
        {"2026年10月1日", -1},     /* no clock */
        {"2026年10月1 23:59", -1}, /* no day's sign */
        {"2026年13月1日 23:59", -1},
        {"2026-1-1 00:00", 1767225600},
        {"2026-1-1", 1767311999},
        {"26-10-01 23:59", -1},
        {"2026-10-01T23:59", 1790899140},
        {"2026-10-01 23", -1},
        {"2026-10-01 23:59.5", 1790899140},
        {"2026-10-01 23:59:", -1},
        {"2026-10-01 -1:59", -1},
        {"2026-10-01 23:-9", -1},
        {"2026-10-01 23:59:-9", -1},
        {"2026-10-01x", -1},
        {"2026-10-01Z", 1790899199},
        {"Thursday, 1 October 2026, 11:59 AM", 1790855940},
        {"Thursday, 1 October 2026, 23:59", 1790899140},
        {"Thursday, 1 October 2026, 12:00 PM", 1790856000},
        {"Thursday, 1 October 2026, 12:00 AM", 1790812800},
        {"Thursday, 1 October 2026, 13:00 PM", 1790859600},
        {"Thursday, 1 October 2026", -1},
        {"Thursday, 1 Octobers 2026, 23:59", -1},
        {"Thursday, 1 October 2026, -1:59", -1},
        {"Thursday, 1 October 2026, 23:-9", -1},
        {"Thursday, 0 October 2026, 23:59", -1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t at = -1;
        char *text = strdup(rows[i].text); /* its very bytes */
        printf("# %s\n", text);
        CHECK_INT(when_read(text, 0, &at) ? at : -1, rows[i].at);
        free(text);
    }
    static const struct {
        const char *text;
        double s; /* -1: none */
    } spans[] = {{"9999999999", 9999999999},
                 {"1e10", -1},
                 {"0.5 h", 1800},
                 {"-0", 0},
                 {"1  h", 3600},
                 {"1h ", -1},
                 {"3 secss", -1},
                 {"3 ss", -1},
                 {"3 hs", -1},
                 {"3 ds", -1},
                 {"3 minutess", -1},
                 {"3 WEEKs", 1814400},
                 {"days", -1},
                 {"x 3", -1},
                 {"3 averyveryverylongunit", -1}};
    for (size_t i = 0; i < sizeof spans / sizeof *spans; i++) {
        double s = -1;
        printf("# %s\n", spans[i].text);
        CHECK_NEAR(when_span(spans[i].text, &s) ? s : -1, spans[i].s, 0);
    }
    char text[64];
    when_write(-1, 0, text, sizeof text);
    CHECK_STR(text, "1969-12-31 23:59 +00:00");
    when_write(-86400, 0, text, sizeof text);
    CHECK_STR(text, "1969-12-31 00:00 +00:00");
    when_write(-86401, 0, text, sizeof text);
    CHECK_STR(text, "1969-12-30 23:59 +00:00");
    when_write(INT64_C(-62135596800), 0, text, sizeof text); /* 719162 days before 1970 */
    CHECK_STR(text, "0001-01-01 00:00 +00:00");
    /* The calendar goes on before that: year 0 has a 29 February, 719469 days before 1970, and so
     * has year -400, a cycle of 146097 days before. */
    static const struct {
        int64_t day;
        const char *date;
    } early[] = {{-719468, "0000-03-01"},          {-719469, "0000-02-29"},
                 {-719528, "0000-01-01"},          {-719529, "-001-12-31"},
                 {-719468 - 146097, "-400-03-01"}, {-719469 - 146097, "-400-02-29"}};
    for (size_t i = 0; i < sizeof early / sizeof *early; i++) {
        char want[64];
        snprintf(want, sizeof want, "%s 00:00 +00:00", early[i].date);
        when_write(early[i].day * 86400, 0, text, sizeof text);
        CHECK_STR(text, want);
    }
    when_write(INT64_C(951782400), 0, text, sizeof text);
    CHECK_STR(text, "2000-02-29 00:00 +00:00");
    when_write(0, -1, text, sizeof text);
    CHECK_STR(text, "1969-12-31 23:59 -00:01");
}

int main(void) {
    snprintf(root, sizeof root, "/tmp/warplab-roster-XXXXXX");
    if (!mkdtemp(root)) return 1;
    cells();
    rosters();
    who_is_who();
    importers();
    moments();
    lib_remove_tree(root);
    return check_done();
}
