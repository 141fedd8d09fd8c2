/* Taking in: the recorded layouts of tests/grade/imports, each as a folder and as one archive, git
 * repositories at a commit and at a moment, moments and spans, names in disguise, rosters. What is
 * expected stands here by hand, from the definitions that tests/grade/imports/README.md names. */
#include <archive.h>
#include <archive_entry.h>
#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "runner/base/buffer.h"
#include "runner/base/file.h"
#include "grader/intake/csv_read.h"
#include "grader/intake/import.h"
#include "grader/intake/intake.h"
#include "grader/intake/roster.h"
#include "grader/intake/when.h"
#include "tests/check.h"
#include "tests/said.h"

static char scratch[64];
static char *line[200];
static size_t lines;

static bool known(void *user, const char *lab) {
    (void)user;
    return !strcmp(lab, "vector-add") || !strcmp(lab, "transpose");
}

static void add(lib_buffer *b) {
    if (lines < 200) line[lines++] = lib_buffer_take(b);
}
/* STUDENT|NAME|LAB|when|the file's text */
static bool on_submission(void *user, const intake_submission *s) {
    lib_buffer b = {0};
    char when[64] = "";
    (void)user;
    if (s->timed) when_write(s->time, 0, when, sizeof when);
    for (const char *p = s->ids; p && *p;
         p += strcspn(p, "\n") + 1) { /* whole lines, each a name */
        CHECK(*p != '\n' && strchr(p, '\n') && strncmp(p, "(null)", 6) != 0);
    }
    lib_buffer_printf(&b, "%s|%s|%s|%s%s|%.*s", s->student, s->name, s->lab, when,
                      s->late ? "LATE" : "", s->data ? (int)strcspn(s->data, "\n") : 4,
                      s->data ? s->data : "NONE");
    add(&b);
    return true;
}
static void on_other(void *user, intake_kind kind, const char *path, lib_words why) {
    lib_buffer b = {0};
    (void)user;
    lib_buffer_printf(&b, "%s %s: ", kind == INTAKE_LEFT ? "LEFT" : "-", path);
    lib_words_put(&b, LIB_EN, why);
    CHECK(why.id != 0); /* a row of the catalogue, and so in each language */
    add(&b);
}

static intake_told told;
static lib_message msg;
static void read_in(intake_options o) {
    intake_sink sink = {on_submission, on_other, NULL};
    for (size_t i = 0; i < lines; i++) free(line[i]);
    lines = 0;
    msg = (lib_message){0};
    o.lab_known = known;
    o.source_limit = 1000;
    CHECK(intake_read(&o, &sink, &told, &msg));
    CHECK_STR(said(&msg), "");
}

/* Each expected line is there, as it stands or as the end of one; and there are no others. */
static void expect(const char *const *want, size_t n) {
    for (size_t i = 0; i < n; i++) {
        bool there = false;
        for (size_t k = 0; k < lines; k++) there |= strstr(line[k], want[i]) != NULL;
        printf("# %s\n", want[i]);
        CHECK(there);
    }
    CHECK_INT(lines, n);
    for (size_t k = 0; lines != n && k < lines; k++) printf("# got: %s\n", line[k]);
}
#define EXPECT(...)                                                                                \
    do {                                                                                           \
        static const char *const want[] = {__VA_ARGS__};                                           \
        expect(want, sizeof want / sizeof *want);                                                  \
    } while (0)

/* ---- a folder as one archive ---- */

static struct archive *packing;
static size_t packing_base;
static int pack_one(const char *path, const struct stat *st, int type, struct FTW *ftw) {
    (void)ftw;
    if (type != FTW_F) return 0;
    size_t n;
    char *text = lib_read_file(path, 0, &n, &msg);
    struct archive_entry *e = archive_entry_new();
    archive_entry_set_pathname(e, path + packing_base);
    archive_entry_set_filetype(e, AE_IFREG);
    archive_entry_set_perm(e, 0644);
    archive_entry_set_size(e, st->st_size);
    archive_write_header(packing, e);
    archive_write_data(packing, text, n);
    archive_entry_free(e);
    free(text);
    return 0;
}
static const char *pack(const char *folder) {
    static char path[200];
    snprintf(path, sizeof path, "%s/in.zip", scratch);
    packing = archive_write_new();
    packing_base = strlen(folder) + 1;
    archive_write_set_format_zip(packing);
    archive_write_open_filename(packing, path);
    nftw(folder, pack_one, 20, FTW_PHYS);
    archive_write_close(packing);
    archive_write_free(packing);
    return path;
}
#define IMPORTS "tests/grade/imports/"

/* A recorded layout. Where its names have blanks, quotes or Chinese in them it is a list, PATH|TEXT
 * a line, and laid out here: names that not every tool copes with stay out of the repository. */
static const char *laid_out(const char *name) {
    static char folder[300];
    char list[200];
    size_t n;
    snprintf(folder, sizeof folder, IMPORTS "%s/in", name);
    if (lib_is_folder(folder)) return folder;
    snprintf(list, sizeof list, IMPORTS "%s/in.txt", name);
    char *text = lib_read_file(list, 0, &n, &msg);
    CHECK(text != NULL);
    for (char *p = text; p && *p;) {
        char path[600], *bar = strchr(p, '|'), *end = strchr(p, '\n');
        if (!bar || !end) break;
        snprintf(path, sizeof path, "%s/%s/%.*s", scratch, name, (int)(bar - p), p);
        *strrchr(path, '/') = 0;
        lib_make_folders(path, &msg);
        path[strlen(path)] = '/';
        lib_write_file(path, bar + 1, (size_t)(end + 1 - bar - 1), &msg);
        p = end + 1;
    }
    free(text);
    snprintf(folder, sizeof folder, "%s/%s", scratch, name);
    return folder;
}
/* As a folder, then as an archive: the same. */
#define BOTH(folder, importer_name, options, ...)                                                  \
    for (int packed = 0; packed < 2; packed++) {                                                   \
        printf("# %s, %s\n", folder, packed ? "an archive" : "a folder");                          \
        intake_options o = options;                                                                \
        o.in = laid_out(folder);                                                                   \
        if (packed) o.in = pack(o.in);                                                             \
        read_in(o);                                                                                \
        CHECK_STR(told.importer, importer_name);                                                   \
        EXPECT(__VA_ARGS__);                                                                       \
    }
#define PLAIN ((intake_options){0})

static void systems(void) {
    BOTH("canvas", "canvas", PLAIN, "12345|doejane|vector-add||// Jane Doe",
         "12346|liumei|vector-add|LATE|// late, in disguise",
         "12347|obrienpat|vector-add||// first", "12347|obrienpat|vector-add||// second",
         "12348|smith99bo|transpose||// another lab", "x1Y2z||vector-add||// anonymous marking",
         "LEFT zhang_12349_67912_homework.cu: there is no lab of the name of homework.cu",
         "LEFT zhang_12349_67912_homework.cu: nothing of 12349 was taken",
         "- kimlee_12350_67913_text.html: not a .cu file", ": nothing of 12350 was taken");
    BOTH("moodle", "moodle", PLAIN, "4321|Jane Doe|vector-add||// Jane",
         "4322|李 雷|vector-add||// in a folder", "4323|Pat O'Brien|vector-add||// an older Moodle",
         "- Bo Smith_4324_assignsubmission_onlinetext/onlinetext.html: not a .cu file",
         ": nothing of 4324 was taken");
    BOTH("moodle-flat", "moodle", PLAIN, "4321|Jane Doe|vector-add||// Jane",
         "4323|Pat O'Brien|vector-add||// Pat");
    BOTH("gradescope", "gradescope", PLAIN,
         "1001|Jane Doe|vector-add|2026-10-02 06:58 +00:00|// solo",
         "1002|Pat O'Brien|vector-add|2026-10-02 08:00 +00:00|// a group of two",
         "mei@uni.example|Liu Mei|vector-add|2026-10-02 08:00 +00:00|// a group of two",
         "submission_300000003/answers.txt: not a .cu file", ": nothing of 1003 was taken",
         "submission_300000009/vector-add.cu: it does not say whose work it is");
    BOTH("prairielearn", "prairielearn", PLAIN, "jane_doe@uni.example||vector-add||// first",
         "jane_doe@uni.example||vector-add||// second",
         "pat@uni.example||vector-add||// an underscore in the question",
         "liu@uni.example||vector-add||// a slash in the question");
    BOTH("classroom", "classroom", PLAIN, "janedoe||vector-add||// Jane",
         "li-lei||vector-add||// a login with a dash",
         "pat||vector-add||// the assignment names the lab");
    BOTH("plain", "plain", PLAIN, "ann||vector-add||// one", "ann||transpose||// two",
         "bob||vector-add||// early", "bob||vector-add||// later",
         "李雷||vector-add|2026-10-01 23:58 +00:00|// dated", "kim||vector-add||// deep",
         "- eve/notes.txt: not a .cu file", ": nothing of eve was taken: no file is a lab's",
         "- gus/notes.txt: not a .cu file", "- gus/vector-add.ipynb: not a .cu file",
         "LEFT gus/vector-add.ipynb: nothing of gus was taken: this is a Jupyter notebook");
}

static void rosters(void) {
    intake_options o = {
        .in = laid_out("moodle"), .roster = IMPORTS "moodle/worksheet.csv", .zone = 480};
    read_in(o);
    EXPECT("jane@uni.example|Jane Doe|vector-add|2026-10-01 15:58 +00:00|",
           "lilei@uni.example|李 雷|vector-add|2026-10-01 16:10 +00:00|",
           "pat@uni.example|Pat O'Brien|vector-add|2026-10-01 01:00 +00:00|", "- Bo Smith_4324",
           ": nothing of 4324 was taken");
    CHECK_INT(told.without, 1); /* Kim */
    CHECK_INT(told.off_roster, 0);
    o = (intake_options){.in = IMPORTS "classroom/in/vector-add-submissions",
                         .roster = IMPORTS "classroom/roster.csv"};
    read_in(o);
    EXPECT("jane@uni.example|Jane Doe|vector-add|", "lilei@uni.example|李雷|vector-add|",
           "pat@uni.example||vector-add|");
    CHECK_STR(told.importer, "classroom");
    /* Canvas's people are not on a Moodle worksheet: said, and graded all the same. */
    o = (intake_options){.in = laid_out("moodle-flat"), .roster = IMPORTS "classroom/roster.csv"};
    read_in(o);
    CHECK_INT(told.off_roster, 1);
    EXPECT("jane@uni.example|Jane Doe|vector-add|", "4323|Pat O'Brien|vector-add|",
           "LEFT Pat O'Brien_4323_assignsubmission_file_vector-add (1).cu: the roster");
    roster r;
    CHECK(!roster_read(IMPORTS "README.md", 0, &r, &msg));
    CHECK_CONTAINS(said(&msg), "none of the columns that name a student");
}

static void one_lab(void) {
    intake_options o = {.in = IMPORTS "canvas/in", .lab = "vector-add"};
    read_in(o);
    EXPECT("12345|doejane|vector-add|", "12346|liumei|vector-add|LATE",
           "12347|obrienpat|vector-add||// first", "12347|obrienpat|vector-add||// second",
           "x1Y2z||vector-add|", "12349|zhang|vector-add||// a name that is no lab's",
           "LEFT smith99bo_12348_67911_transpose.cu: by its name it is for transpose",
           ": nothing of 12348 was taken", "- kimlee", ": nothing of 12350 was taken");
    static const intake_file files[] = {{"homework", "transpose"}, {"vector-add-1.cu", ""}};
    o = (intake_options){.in = IMPORTS "canvas/in", .file = files, .files = 2};
    read_in(o);
    EXPECT("12345|", "12346|", "12347|obrienpat|vector-add||// first", "12348|", "x1Y2z|",
           "12349|zhang|transpose||", "- kimlee", ": nothing of 12350 was taken",
           "- obrienpat_12347_67950_vector-add-1.cu: the course says that vector-add-1.cu is no");
    /* A layout that was asked for by name, and one that is none. */
    o = (intake_options){.in = IMPORTS "canvas/in", .from = "plain"};
    read_in(o);
    CHECK_INT(lines, 8);
    for (size_t i = 0; i < lines; i++) CHECK(!strchr(line[i], '|'));
    o = (intake_options){.in = "runner/base"};
    read_in(o);
    CHECK(!told.importer);
}

static void names(void) {
    static const struct {
        const char *file, *lab;
    } want[] = {{"vector-add.cu", "vector-add"},
                {"Vector_Add.cu", "vector-add"},
                {"VECTOR-ADD.CU", "vector-add"},
                {"vector add.cu", "vector-add"},
                {"vector-add (1).cu", "vector-add"},
                {"vector-add(12).cu", "vector-add"},
                {"vector-add-3.cu", "vector-add"},
                {"vector-add - Copy.cu", "vector-add"},
                {"vectoradd.cu", NULL},
                {"vector-add.cu.txt", NULL},
                {".cu", NULL},
                {"my-vector-add.cu", NULL}};
    intake_options o = {.lab_known = known};
    char lab[INTAKE_NAME];
    bool ignored;
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        printf("# %s\n", want[i].file);
        CHECK_INT(intake_lab(&o, want[i].file, lab, &ignored), want[i].lab != NULL);
        if (want[i].lab) CHECK_STR(lab, want[i].lab);
    }
}

static void moments(void) {
    static const struct {
        const char *text;
        int zone;
        int64_t at; /* by `date -d TEXT +%s` */
    } want[] = {{"2026-10-01 23:59", 0, 1790899140},
                {"2026-10-01T23:59:30Z", 480, 1790899170},
                {"2026-10-01 23:59", 480, 1790870340},
                {"2026-10-01 23:59 +08:00", 0, 1790870340},
                {"2026-10-01", 0, 1790899199},
                {"2026-10-01 23:58:12.123456000 -07:00", 0, 1790924292},
                {"Thursday, 1 October 2026, 11:59 PM", 0, 1790899140},
                {"Thursday, 1 October 2026, 12:05 AM", 0, 1790813100},
                {"2026年10月1日 星期四 23:59", 480, 1790870340},
                {"2024-02-29 12:00", 0, 1709208000}};
    static const char *const wrong[] = {"",
                                        "-",
                                        "tomorrow",
                                        "2026-13-01",
                                        "2026-02-30x",
                                        "23:59",
                                        "2026-10-01 25:00",
                                        "2026-10-01 23:59 Mars"};
    int64_t at;
    char text[64];
    double s;
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        printf("# %s\n", want[i].text);
        CHECK(when_read(want[i].text, want[i].zone, &at));
        CHECK_INT(at, want[i].at);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        printf("# '%s'\n", wrong[i]);
        CHECK(!when_read(wrong[i], 0, &at));
    }
    when_write(1790870340, 480, text, sizeof text);
    CHECK_STR(text, "2026-10-01 23:59 +08:00");
    CHECK(when_span("1.5 days", &s) && s == 129600);
    CHECK(when_span("15 min", &s) && s == 900);
    CHECK(when_span("2h", &s) && s == 7200);
    CHECK(!when_span("soon", &s) && !when_span("-1 h", &s) && !when_span("3 moons", &s));
    lib_message span;
    when_say_span(93784, &span);
    CHECK_STR(lib_message_text(text, sizeof text, LIB_EN, &span), "1 d 2 h");
    when_say_span(59, &span);
    CHECK_STR(lib_message_text(text, sizeof text, LIB_ZH, &span), "59 秒");
}

/* Every day of a century and a bit, at odd seconds, against libc; then each part at its limits. */
static void calendar(void) {
    int wrong = 0, back = 0, days = 0;
    for (int64_t at = 3723; at < INT64_C(4133980800); at += 86400 - 61, days++) { /* to 2101 */
        time_t t = (time_t)at;
        struct tm tm;
        char text[64], want[64], got[64];
        gmtime_r(&t, &tm);
        strftime(text, sizeof text, "%Y-%m-%d %H:%M:%SZ", &tm);
        strftime(want, sizeof want, "%Y-%m-%d %H:%M +00:00", &tm);
        int64_t read = -1;
        wrong += !when_read(text, 480, &read) || read != at;
        when_write(at, 0, got, sizeof got);
        back += strcmp(got, want) != 0;
    }
    CHECK(days > 45000);
    CHECK_INT(wrong, 0);
    CHECK_INT(back, 0);

    static const struct {
        const char *text;
        bool read;
    } limits[] = {
        {"1969-12-31 12:00", false},
        {"1970-01-01 00:00", true},
        {"9999-12-31 12:00", true},
        {"2026-00-10", false},
        {"2026-01-10", true},
        {"2026-12-10", true},
        {"2026-13-10", false},
        {"2026-05-00", false},
        {"2026-05-01", true},
        {"2026-01-31", true},
        {"2026-01-32", false},
        {"2026-03-31", true},
        {"2026-04-30", true},
        {"2026-04-31", false},
        {"2026-05-31", true},
        {"2026-06-31", false},
        {"2026-07-31", true},
        {"2026-08-31", true},
        {"2026-09-31", false},
        {"2026-10-31", true},
        {"2026-11-31", false},
        {"2026-12-31", true},
        {"2024-02-30", false},
        {"2026-05-01 00:00", true},
        {"2026-05-01 23:59:60", true},
        {"2026-05-01 23:59:61", false},
        {"2026-05-01 23:60", false},
        {"2026-05-01 12:00 +14:00", true},
        {"2026-05-01 12:00 +15:00", false},
        {"2026-05-01 12:00 -0559", true},
        {"2026-05-01 12:00 -0560", false},
        {"2026-05-01 12:00 GMT", true},
        {"2026-05-01 12:00 +5", false},
        {"2026-05-01 12:00 +05:30x", false},
        {"2026-05-01 12:00 +0530x", false},
    };
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        int64_t at;
        check_that(when_read(limits[i].text, 0, &at) == limits[i].read, __FILE__, __LINE__,
                   limits[i].text, "a limit of a date, a time or a zone");
    }
    int zone = 0;
    CHECK(when_zone("+05:30", &zone) && zone == 330);
    CHECK(when_zone("-05:30", &zone) && zone == -330);
    CHECK(when_zone("+0545", &zone) && zone == 345);
    CHECK(when_zone("utc", &zone) && zone == 0);
    CHECK(!when_zone("05:30", &zone));

    char text[64];
    when_write(0, -330, text, sizeof text);
    CHECK_STR(text, "1969-12-31 18:30 -05:30");
    when_write(86399, 0, text, sizeof text);
    CHECK_STR(text, "1970-01-01 23:59 +00:00");

    static const char *const months[] = {"January",   "February", "March",    "April",
                                         "May",       "June",     "July",     "August",
                                         "September", "October",  "November", "December"};
    for (int m = 0; m < 12; m++) {
        char moodle[80], iso[40];
        int64_t a = 0, b = 1;
        snprintf(moodle, sizeof moodle, "Monday, 28 %s 2026, 1:07 PM", months[m]);
        snprintf(iso, sizeof iso, "2026-%02d-28 13:07:00", m + 1);
        check_that(when_read(moodle, 60, &a) && when_read(iso, 60, &b) && a == b, __FILE__,
                   __LINE__, moodle, "not the same moment");
    }
    int64_t noon = 0, clock = 1;
    CHECK(when_read("Friday, 1 May 2026, 12:30 PM", 0, &noon) &&
          when_read("2026-05-01 12:30:00", 0, &clock));
    CHECK_INT(noon, clock);
    CHECK(!when_read("Friday, 1 Maybe 2026, 12:30 PM", 0, &noon));
}

static void spans(void) {
    static const struct {
        const char *text;
        double seconds;
    } units[] = {{"7", 7},           {"7 s", 7},           {"7 sec", 7},     {"7 secs", 7},
                 {"7 second", 7},    {"7 seconds", 7},     {"7 min", 420},   {"7 mins", 420},
                 {"7 minutes", 420}, {"1 minute", 60},     {"2 h", 7200},    {"2 hours", 7200},
                 {"1 hour", 3600},   {"3 d", 259200},      {"1 day", 86400}, {"3 days", 259200},
                 {"1 week", 604800}, {"2 weeks", 1209600}, {"2 w", 1209600}, {"0", 0}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        double s = -1;
        check_that(when_span(units[i].text, &s) && s == units[i].seconds, __FILE__, __LINE__,
                   units[i].text, "not so many seconds");
    }
    double s;
    CHECK(!when_span("", &s) && !when_span("inf", &s) && !when_span("nan", &s));
    static const struct {
        double seconds;
        const char *en, *zh;
    } texts[] = {{0, "0 s", "0 秒"},
                 {1.9, "1 s", "1 秒"},
                 {-5, "0 s", "0 秒"},
                 {60, "1 min", "1 分钟"},
                 {61, "1 min 1 s", "1 分钟 1 秒"},
                 {3599, "59 min 59 s", "59 分钟 59 秒"},
                 {3600, "1 h", "1 小时"},
                 {3660, "1 h 1 min", "1 小时 1 分钟"},
                 {3661, "1 h 1 min", "1 小时 1 分钟"},
                 {86399, "23 h 59 min", "23 小时 59 分钟"},
                 {86400, "1 d", "1 天"},
                 {86460, "1 d", "1 天"},
                 {176400, "2 d 1 h", "2 天 1 小时"}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char text[64];
        lib_message span;
        when_say_span(texts[i].seconds, &span);
        CHECK_STR(lib_message_text(text, sizeof text, LIB_EN, &span), texts[i].en);
        CHECK_STR(lib_message_text(text, sizeof text, LIB_ZH, &span), texts[i].zh);
    }
}

/* ---- paths ---- */

static void components(void) {
    static const struct {
        const char *path;
        unsigned depth;
        const char *part[4];
    } want[] = {{"a", 1, {"a", "", "", ""}},
                {"a/b", 2, {"a", "b", "", ""}},
                {"ann/lab 1/x.cu", 3, {"ann", "lab 1", "x.cu", ""}},
                {"a/b/c/d", 4, {"a", "b", "c", "d"}},
                {"a/", 1, {"a", "", "", ""}},
                {"", 0, {"", "", "", ""}}};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        for (unsigned level = 0; level < 4; level++) {
            char out[INTAKE_NAME] = "of before";
            CHECK_INT(layout_component(want[i].path, level, out), want[i].depth);
            CHECK_STR(out, want[i].part[level]);
        }
    /* a lab of several files: the folder that the file is in */
    static const struct {
        const char *path, *lab;
    } folders[] = {{"transpose/x.cu", "transpose"},
                   {"ann/transpose/x.cu", "transpose"},
                   {"2026/ann/transpose/x.cu", "transpose"},
                   {"a/2026/ann/transpose/x.cu", "transpose"},
                   {"transpose/ann/x.cu", ""},
                   {"ann/blur/x.cu", ""},
                   {"x.cu", ""}};
    intake_options o = {.lab_folder = known};
    layout l = {.o = &o};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char lab[INTAKE_NAME] = "of before";
        layout_lab_folder(&l, folders[i].path, lab);
        CHECK_STR(lab, folders[i].lab);
    }
    CHECK_STR(layout_file("a/b.cu"), "b.cu");
    CHECK_STR(layout_file("b.cu"), "b.cu");
    /* what does not fit is no name: the last that does, the first that does not */
    char longer[INTAKE_NAME + 8], out[INTAKE_NAME];
    memset(longer, 'x', sizeof longer);
    layout_put(out, longer, INTAKE_NAME - 1);
    CHECK_INT(strlen(out), INTAKE_NAME - 1);
    layout_put(out, longer, INTAKE_NAME);
    CHECK_STR(out, "");
    /* digits up to a sign: at most 18 of them */
    CHECK_STR(layout_digits("12_x", '_'), "x");
    CHECK_STR(layout_digits("123456789012345678_", '_'), "");
    CHECK(!layout_digits("1234567890123456789_", '_'));
    CHECK(!layout_digits("_x", '_') && !layout_digits("12x_", '_') && !layout_digits("", '_'));
}

/* ---- repositories ---- */

static bool command(const char *text) {
    char whole[1500];
    snprintf(whole, sizeof whole, "cd %s && (%s) >/dev/null 2>&1", scratch, text);
    return system(whole) == 0;
}
static void repositories(void) {
    static const char setup[] =
        "g() { git -c user.name=x -c user.email=x@x -c init.defaultBranch=main \"$@\"; }\n"
        "for s in ann bob; do mkdir -p repos/lab1-$s && cd repos/lab1-$s && g init -q . &&\n"
        "echo \"// $s early\" >vector-add.cu && g add . &&\n"
        "GIT_COMMITTER_DATE='2026-10-01T10:00:00Z' g commit -qm one && g tag handed-in &&\n"
        "echo \"// $s late\" >vector-add.cu && g add . &&\n"
        "GIT_COMMITTER_DATE='2026-10-03T10:00:00Z' g commit -qm two && cd ../..; done\n"
        "mkdir -p repos/lab1-eve && cd repos/lab1-eve && g init -q .";
    char in[200];
    if (!command(setup)) {
        printf("skip git repositories (git is not installed)\n");
        return;
    }
    snprintf(in, sizeof in, "%s/repos", scratch);
    intake_options o = {.in = in};
    read_in(o);
    CHECK_STR(told.importer, "classroom");
    EXPECT("ann||vector-add|2026-10-03 10:00 +00:00|// ann late",
           "bob||vector-add|2026-10-03 10:00 +00:00|// bob late", ": nothing of eve was taken");
    o.at = "2026-10-02 00:00";
    read_in(o);
    EXPECT("ann||vector-add|2026-10-01 10:00 +00:00|// ann early",
           "bob||vector-add|2026-10-01 10:00 +00:00|// bob early",
           "LEFT lab1-eve: ", ": nothing of eve was taken");
    o.at = "handed-in";
    o.from = "git"; /* the same folders, by their whole names */
    read_in(o);
    EXPECT("lab1-ann||vector-add|2026-10-01 10:00 +00:00|// ann early",
           "lab1-bob||vector-add|2026-10-01 10:00 +00:00|// bob early",
           "LEFT lab1-eve: ", ": nothing of lab1-eve was taken");
    o.at = "--output=/tmp/evil";
    read_in(o);
    for (size_t i = 0; i < lines; i++) CHECK(!strchr(line[i], '|'));
    /* Logins with dashes: ASSIGNMENT- is what all of them begin with, the first among them. */
    CHECK(command("mkdir logins && cp -a repos/lab1-ann logins/lab1-ann && cp -a repos/lab1-ann "
                  "logins/lab1-two-b && cp -a repos/lab1-ann logins/lab1-two-c"));
    snprintf(in, sizeof in, "%s/logins", scratch);
    o = (intake_options){.in = in};
    read_in(o);
    CHECK_STR(told.importer, "classroom");
    EXPECT("ann||vector-add|2026-10-03 10:00 +00:00|// ann late",
           "two-b||vector-add|2026-10-03 10:00 +00:00|// ann late",
           "two-c||vector-add|2026-10-03 10:00 +00:00|// ann late");
    snprintf(in, sizeof in, "%s/repos", scratch);
    /* A repository's own configuration starts nothing. */
    CHECK(command("cd repos/lab1-ann && git config core.fsmonitor \"touch $PWD/../../ran\" && git "
                  "config core.sshCommand \"touch $PWD/../../ran\" && git config core.pager "
                  "\"touch $PWD/../../ran\" && git config extensions.partialClone origin && git "
                  "config remote.origin.url \"ext::touch $PWD/../../ran\" && git config "
                  "protocol.ext.allow always && git config remote.origin.promisor true && "
                  "rm -rf $(ls -d .git/objects/[0-9a-f]*) || true"));
    o.at = "2026-10-02 00:00";
    read_in(o);
    char ran[200];
    snprintf(ran, sizeof ran, "%s/ran", scratch);
    CHECK(access(ran, F_OK) != 0);
}

/* Cells as RFC 4180 has them, without the blanks around them; headings in any case; rows that are
 * short. */
static void cells(void) {
    static const char text[] =
        " Name ,ID\t,\" said \"\"hi\"\", \"\r\nAda  Lovelace  ,\t 7,x\n  ,\n";
    static const char *const want[][3] = {
        {"Name", "ID", "said \"hi\","}, {"Ada  Lovelace", "7", "x"}, {"", "", ""}};
    csv_table t;
    CHECK(csv_read(text, &t));
    CHECK_INT(t.count, 3);
    for (size_t r = 0; r < 3 && r < t.count; r++)
        for (size_t c = 0; c < 3; c++) CHECK_STR(csv_cell(&t.row[r], c), want[r][c]);
    CHECK_INT(csv_column(&t, "name"), 0);
    CHECK_INT(csv_column(&t, "id"), 1);
    CHECK(csv_column(&t, "nam") == SIZE_MAX && !t.mark);
    csv_free(&t);
}

int main(void) {
    snprintf(scratch, sizeof scratch, "/tmp/warplab-intake-XXXXXX");
    if (!mkdtemp(scratch)) return 1;
    cells();
    systems();
    rosters();
    one_lab();
    names();
    moments();
    components();
    calendar();
    spans();
    repositories();
    lib_remove_tree(scratch);
    return check_done();
}
