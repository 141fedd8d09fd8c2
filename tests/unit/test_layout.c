/* Layouts path by path, and what a tree or an archive is told as. The paths are those that the
 * comments at the head of grader/intake/import_*.c give, with the sources named there; limits are
 * those of tree.h and of the sentences in en.po (140 and 1000 bytes); moments are by `date -d TEXT
 * +%s`. */
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "runner/base/buffer.h"
#include "runner/base/file.h"
#include "grader/intake/import.h"
#include "grader/intake/intake.h"
#include "grader/intake/tree.h"
#include "tests/check.h"
#include "tests/said.h"

static char scratch[64];
static lib_message msg;

/* ---- a layout by hand ---- */

enum { ITEMS = 8 };
/* "a/": a folder, "!a/": a repository. */
static layout laid(const char *const paths[ITEMS], layout_item items[ITEMS],
                   const intake_options *o) {
    static char text[ITEMS][200];
    layout l = {.item = items, .in = "in", .o = o};
    for (; l.count < ITEMS && paths[l.count]; l.count++) {
        const char *p = paths[l.count];
        bool repository = *p == '!', folder = p[strlen(p) - 1] == '/';
        snprintf(text[l.count], sizeof text[0], "%s", p + repository);
        if (folder) text[l.count][strlen(text[l.count]) - 1] = 0;
        items[l.count] = (layout_item){.path = text[l.count],
                                       .folder = folder,
                                       .repository = repository,
                                       .source = !folder && layout_source(p)};
    }
    return l;
}

/* ---- paths, names ---- */

static bool is_one_of(void *user, const char *lab) {
    return !strcmp(lab, user) || !strcmp(lab, "many");
}
static bool is_many(void *user, const char *lab) {
    (void)user;
    return !strcmp(lab, "many");
}

static void paths(void) {
    /* Below a root of so many bytes; NULL: what is not below it. */
    static const struct {
        const char *path;
        size_t root;
        const char *below;
    } roots[] = {{"a/b", 0, "a/b"},   {"", 0, ""},     {"a/b", 2, "b"},
                 {"a/b/c", 2, "b/c"}, {"a/", 2, NULL}, {"a", 2, NULL}};
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
        layout_item item = {.path = (char *)roots[i].path};
        layout l = {.item = &item, .count = 1, .root = roots[i].root};
        const char *below = layout_path(&l, 0);
        printf("# %s, %zu\n", roots[i].path, roots[i].root);
        CHECK(roots[i].below ? below && !strcmp(below, roots[i].below) : !below);
    }
    static const struct {
        const char *path;
        unsigned depth;
        const char *part[4];
        const char *file;
        const char *lab; /* its folder's, where that is one of several files */
    } rows[] = {
        {"", 0, {"", "", "", ""}, "", ""},
        {"x.cu", 1, {"x.cu", "", "", ""}, "x.cu", ""},
        {"many", 1, {"many", "", "", ""}, "many", ""},
        {"many/x.cu", 2, {"many", "x.cu", "", ""}, "x.cu", "many"},
        {"ann/many/x.cu", 3, {"ann", "many", "x.cu", ""}, "x.cu", "many"},
        {"many/ann/x.cu", 3, {"many", "ann", "x.cu", ""}, "x.cu", ""},
        {"many/many/y/x.cu", 4, {"many", "many", "y", "x.cu"}, "x.cu", ""},
        {"1/2/many/x.cu", 4, {"1", "2", "many", "x.cu"}, "x.cu", "many"},
        {"a//b", 3, {"a", "", "b", ""}, "b", ""},
        {"many/", 1, {"many", "", "", ""}, "", ""},
    };
    intake_options o = {.lab_folder = is_many}, no = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char part[INTAKE_NAME];
        printf("# %s\n", rows[i].path);
        for (unsigned k = 0; k < 4; k++) {
            CHECK_INT(layout_component(rows[i].path, k, part), rows[i].depth);
            CHECK_STR(part, rows[i].part[k]);
        }
        CHECK_STR(layout_file(rows[i].path), rows[i].file);
        layout_lab_folder(&(layout){.o = &o}, rows[i].path, part);
        CHECK_STR(part, rows[i].lab);
        layout_lab_folder(&(layout){.o = &no}, rows[i].path, part);
        CHECK_STR(part, "");
    }
    /* What a number is that ends so: 18 digits at most. */
    static const struct {
        const char *text;
        char end;
        const char *behind;
    } digits[] = {{"7_x", '_', "x"},
                  {"07_", '_', ""},
                  {"_x", '_', NULL},
                  {"7x", '_', NULL},
                  {"7", '_', NULL},
                  {"x7_", '_', NULL},
                  {"123456789012345678)", ')', ""},
                  {"1234567890123456789)", ')', NULL}};
    for (size_t i = 0; i < sizeof digits / sizeof *digits; i++) {
        const char *behind = layout_digits(digits[i].text, digits[i].end);
        printf("# %s\n", digits[i].text);
        CHECK(digits[i].behind ? behind && !strcmp(behind, digits[i].behind) : !behind);
    }
}

static void names(void) {
    /* A name that is too long is none: it is not cut. */
    char longest[INTAKE_NAME + 1], to[INTAKE_NAME];
    memset(longest, 'n', INTAKE_NAME), longest[INTAKE_NAME] = 0;
    layout_put(to, longest, INTAKE_NAME - 1);
    CHECK_INT(strlen(to), INTAKE_NAME - 1);
    layout_put(to, longest, INTAKE_NAME);
    CHECK_STR(to, "");
    layout_put(to, "abc", 2);
    CHECK_STR(to, "ab");
    longest[TREE_NAME + 1] = 0;
    CHECK(!intake_name_ok(longest));
    longest[TREE_NAME] = 0;
    CHECK(intake_name_ok(longest));
    static const struct {
        const char *name;
        bool ok;
    } rows[] = {{"a", true},     {"", false},     {".a", false},    {"a.", true},
                {"a b", true},   {"变量", true},  {"a/b", false},   {"a\\b", false},
                {"a\nb", false}, {"a\tb", false}, {"a\x7F", false}, {"a\xFF", false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_that(intake_name_ok(rows[i].name) == rows[i].ok, __FILE__, __LINE__, rows[i].name,
                   "a name");
    static const struct {
        const char *file;
        bool source;
    } files[] = {{"a.cu", true},   {"a.CU", true}, {".cu", false}, {"d/.cu", true},
                 {"a.cuh", false}, {"acu", false}, {"a.c", false}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        check_that(layout_source(files[i].file) == files[i].source, __FILE__, __LINE__,
                   files[i].file, "a source");
    /* Which lab a file is for: by the course's own table, whole or without its end; else by its
     * name, as it stands, tidied, and at last without a number behind it. */
    static const intake_file table[] = {{"hw", "many"}, {"notes.cu", ""}, {"last", "gone"}};
    static const struct {
        const char *file, *lab; /* NULL: none */
        bool ignored;
    } labs[] = {
        {"hw.cu", "many", false},      {"HW", "many", false},       {"HW.CU", "many", false},
        {"hw2.cu", NULL, false},       {"h.cu", NULL, false},       {"notes.cu", NULL, true},
        {"Notes.CU", NULL, true},      {"notes.cu.cu", NULL, true}, {"last.cu", "gone", false},
        {"many.cu", "many", false},    {"Many.cu", "many", false},  {"many (1).cu", "many", false},
        {"many (x).cu", NULL, false},  {"many (1", NULL, false},    {"(1).cu", NULL, false},
        {"_many_.cu", "many", false},  {"ma-ny.cu", NULL, false},   {"many-copy.cu", "many", false},
        {"many-12.cu", "many", false}, {"many12.cu", NULL, false},  {"many-1-2.cu", NULL, false},
        {"-1.cu", NULL, false},        {"-copy.cu", NULL, false},   {"many", NULL, false}};
    intake_options o = {.lab_known = is_many, .file = table, .files = 3};
    for (size_t i = 0; i < sizeof labs / sizeof *labs; i++) {
        bool ignored = !labs[i].ignored, is = intake_lab(&o, labs[i].file, to, &ignored);
        printf("# %s\n", labs[i].file);
        CHECK_INT(is, labs[i].lab != NULL);
        CHECK_INT(ignored, labs[i].ignored);
        if (labs[i].lab) CHECK_STR(to, labs[i].lab);
    }
    /* A name as it stands goes before what it might be a copy, a number or a disguise of. */
    static const char *const as_it_is[] = {"many-copy", "Ma_ny", "many-2"};
    for (size_t i = 0; i < 3; i++) {
        char file[40];
        bool ignored = true;
        snprintf(file, sizeof file, "%s.cu", as_it_is[i]);
        o = (intake_options){.lab_known = is_one_of, .user = (void *)as_it_is[i]};
        CHECK(intake_lab(&o, file, to, &ignored) && !ignored);
        CHECK_STR(to, as_it_is[i]);
        o.user = (void *)"none";
        CHECK(intake_lab(&o, file, to, &ignored) == (i != 1));
        if (i != 1) CHECK_STR(to, "many");
    }
}

/* Half of the files at least are a layout's. */
static bool begins_with_y(const layout *l, const char *path, unsigned k, found *f) {
    (void)l, (void)f;
    return !k && *path == 'y';
}
static void mostly(void) {
    static const struct {
        const char *paths[ITEMS];
        size_t root;
        bool is;
    } rows[] = {{{NULL}, 0, false},
                {{"y"}, 0, true},
                {{"n"}, 0, false},
                {{"y", "n"}, 0, true},
                {{"y", "n", "n"}, 0, false},
                {{"y", "n", "n", "y"}, 0, true},
                {{"y", "n/", "z/"}, 0, true}, /* folders do not count */
                {{"y/"}, 0, false},
                {{"n/y", "n", "n/n"}, 2, true}, /* nor does what is not below the root */
                {{"n/y", "n/n", "n/n1"}, 2, false}};
    intake_options o = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        layout_item items[ITEMS];
        layout l = laid(rows[i].paths, items, &o);
        l.root = rows[i].root;
        printf("# row %zu\n", i);
        CHECK_INT(layout_mostly(&l, begins_with_y), rows[i].is);
    }
}

/* STUDENT|NAME|LAB|FILE|ORDER, then the moment and LATE where they are known. */
static const char *told(const found *f) {
    static char text[4 * INTAKE_NAME + 80];
    int n = snprintf(text, sizeof text, "%s|%s|%s|%s|%lld", f->student, f->name, f->lab, f->file,
                     (long long)f->order);
    if (f->timed) n += snprintf(text + n, sizeof text - (size_t)n, "|%lld", (long long)f->time);
    if (f->late) snprintf(text + n, sizeof text - (size_t)n, "|LATE");
    return text;
}

/* want NULL: nobody's. */
static void finds(bool (*find)(const layout *, const char *, unsigned, found *), const layout *l,
                  const char *path, unsigned k, const char *want) {
    found f = {0};
    printf("# %s\n", path);
    CHECK_INT(find(l, path, k, &f), want != NULL);
    if (want) CHECK_STR(told(&f), want);
}

static void classroom(void) {
    static const struct {
        const char *in, *given, *path[ITEMS], *prefix; /* prefix NULL: it is none */
        size_t root;
    } rows[] = {
        {"x/vector-add-submissions", NULL, {"vector-add-ann/vector-add.cu"}, "vector-add-", 0},
        {"vector-add-submissions", NULL, {"vector-add-ann/vector-add.cu"}, "vector-add-", 0},
        {"x/vector-add-submissions//", NULL, {"vector-add-ann/vector-add.cu"}, "vector-add-", 0},
        {"a-submissions", NULL, {"a-ann/x.cu"}, "a-", 0},
        {"-submissions", NULL, {"-ann/x.cu"}, NULL, 0},
        {"a-submission", NULL, {"a-ann/x.cu"}, NULL, 0},
        {"x", NULL, {"hw-submissions/", "hw-submissions/hw-ann/x.cu"}, "hw-", 15},
        {"x", NULL, {"y/", "y/hw-ann/x.cu"}, NULL, 2},
        {"a-submissions", NULL, {"x.cu"}, NULL, 0},    /* nobody */
        {"a-submissions", NULL, {"a-/x.cu"}, NULL, 0}, /* no login */
        {"a-submissions", NULL, {"a-ann/x.cu", "b-ann/x.cu"}, NULL, 0},
        {"a-submissions", NULL, {"a-ann/", "x.cu"}, "a-", 0},
        /* What all repositories begin with, up to its last dash. */
        {"x", NULL, {"!hw-two-b/", "!hw-one-c/"}, "hw-", 0},
        {"x", NULL, {"!hw1-ann/", "!hw1-abe/"}, "hw1-", 0},
        {"x", NULL, {"!hw1-a/", "hw1-a/b/", "!hw1-b/", "!hw1-c-d/"}, "hw1-", 0},
        {"x", NULL, {"!hw1-ann/"}, NULL, 0},
        {"x", NULL, {"!ann/", "!abe/"}, NULL, 0},
        {"x", NULL, {"!hw1-ann/", "hw1-abe/"}, NULL, 0},
        {"x", NULL, {"hw1-ann/", "hw1-abe/"}, NULL, 0},
        {"x", "hw1-", {"hw1-ann/x.cu"}, "hw1-", 0},
        {"x", "hw2-", {"hw1-ann/x.cu"}, NULL, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        layout_item items[ITEMS];
        intake_options o = {.prefix = rows[i].given};
        layout l = laid(rows[i].path, items, &o);
        l.in = rows[i].in;
        l.root = rows[i].root;
        printf("# %s: %s\n", rows[i].in, rows[i].path[0]);
        CHECK_INT(classroom_is(&l), rows[i].prefix != NULL);
        if (rows[i].prefix) CHECK_STR(l.prefix, rows[i].prefix);
    }
    layout l = {.prefix = "hw-"};
    finds(classroom_find, &l, "hw-ann/x.cu", 0, "ann||hw|x.cu|0");
    finds(classroom_find, &l, "hw-li-lei/src/x.cu", 0, "li-lei||hw|x.cu|0");
    finds(classroom_find, &l, "hw-ann/x.cu", 1, NULL);
    finds(classroom_find, &l, "hw-ann", 0, NULL);
    finds(classroom_find, &l, "hw-/x.cu", 0, NULL);
    finds(classroom_find, &l, "hx-ann/x.cu", 0, NULL);
    l.prefix[0] = 0;
    finds(classroom_find, &l, "ann/x.cu", 0, "ann|||x.cu|0");
    /* The importer "git": repositories, all of them. */
    static const struct {
        const char *path[ITEMS];
        bool is;
    } git[] = {{{"!ann/", "ann/x.cu", "!bob/"}, true},
               {{"!ann/", "ann/x.cu", "bob/"}, false},
               {{"ann/", "ann/x.cu"}, false},
               {{"!ann/"}, false}};
    for (size_t i = 0; i < sizeof git / sizeof *git; i++) {
        layout_item items[ITEMS];
        intake_options o = {0};
        layout g = laid(git[i].path, items, &o);
        CHECK_INT(git_is(&g), git[i].is);
    }
}

static void plain(void) {
    static const struct {
        const char *path[ITEMS];
        bool archive, is;
        size_t level;
    } rows[] = {
        {{"ann/x.cu"}, false, true, 0},
        {{"ann/"}, false, false, 0},
        {{"x.cu"}, false, false, 0},
        {{"hw/ann/x.cu"}, false, true, 0},
        {{"ann/x.cu"}, true, true, 0},
        {{"hw/ann/x.cu", "hw/bob/x.cu"}, true, true, 1},
        {{"hw/ann/x.cu", "hw/bob/src/x.cu"}, true, true, 1},
        {{"hw/s1/ann/x.cu", "hw/s1/bob/x.cu"}, true, true, 2},
        {{"x.cu", "hw/ann/x.cu", "read.me"}, true, true, 1},
        {{"ann/x.cu", "hw/bob/x.cu"}, true, true, 0},
        /* folders that are all attempts are no students */
        {{"ann/attempt1/x.cu", "bob/attempt2/x.cu"}, true, true, 0},
        {{"ann/attempt1/x.cu", "bob/other/x.cu"}, true, true, 1},
        {{"hw/ann/v1/x.cu", "hw/ann/v2/x.cu"}, true, true, 1},
        {{"hw/ann/v1/x.cu", "hw/ann/v2/x.cu", "hw/bob/v1/a/b/x.cu"}, true, true, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        layout_item items[ITEMS];
        intake_options o = {0};
        layout l = laid(rows[i].path, items, &o);
        l.archive = rows[i].archive;
        printf("# %s\n", rows[i].path[0]);
        CHECK_INT(plain_is(&l), rows[i].is);
        CHECK_INT(l.level, rows[i].level);
    }
    /* A folder's name as an attempt: its number and one, so that 0 is none; or its moment. */
    static const struct {
        const char *folder, *order; /* and the moment */
    } attempts[] = {
        {"attempt2", "3"},
        {"Attempt 2", "3"},
        {"submission_3", "4"},
        {"version 10", "11"},
        {"try-1", "2"},
        {"v4", "5"},
        {"V _-0", "1"},
        {"2", "3"},
        {"第2次", "3"},
        {"2次", "3"},
        {" 2", "0"},
        {"v", "0"},
        {"v2x", "0"},
        {"src", "0"},
        {"attempt12345", "12346"},
        {"attempt123456", "0"},
        {"2026-10-01T23-58", "0|1790899080"},
        {"2026-10-01_23.58", "0|1790899080"},
        {"2026-10-01 23_58", "0|1790899080"},
        {"2026-10-01T23:58", "0|1790899080"},
        {"2026-10-01T23-58-30", "0|1790899110"},
        {"2026-10-01T23-58 -0700", "0|1790924280"},
        {"2026-10-01T9-5", "0|1790845500"},
        {"2026-10-01", "0|1790899199"},
        {"2026-10-01X23-58", "0"},
        {"Friday, 1 May 2026, 12:30 PM", "0"}, /* as worksheets have it, not folders */
    };
    intake_options o = {0};
    layout l = {.o = &o};
    char path[200], want[200];
    for (size_t i = 0; i < sizeof attempts / sizeof *attempts; i++) {
        snprintf(path, sizeof path, "ann/%s/x.cu", attempts[i].folder);
        snprintf(want, sizeof want, "ann|||x.cu|%s", attempts[i].order);
        finds(plain_find, &l, path, 0, want);
    }
    finds(plain_find, &l, "ann/attempt2/attempt5/x.cu", 0, "ann|||x.cu|3"); /* the outermost */
    finds(plain_find, &l, "ann/src/attempt5/x.cu", 0, "ann|||x.cu|6");
    finds(plain_find, &l, "ann/v4", 0, "ann|||v4|0");   /* a file is no attempt */
    finds(plain_find, &l, "v1/x.cu", 0, "v1|||x.cu|0"); /* nor is the student */
    finds(plain_find, &l, "ann.tar.gz/try 2.zip/x.cu", 0, "ann|||x.cu|3");
    finds(plain_find, &l, "ann/x.cu", 1, NULL);
    finds(plain_find, &l, "x.cu", 0, NULL);
    l.level = 1;
    finds(plain_find, &l, "hw/ann/x.cu", 0, "ann|||x.cu|0");
    finds(plain_find, &l, "v9/ann/v2/x.cu", 0, "ann|||x.cu|3");
    finds(plain_find, &l, "ann/x.cu", 0, NULL);
    o.zone = 480; /* eight hours east of Greenwich it is that late eight hours earlier */
    l.level = 0;
    finds(plain_find, &l, "ann/2026-10-01T23-58/x.cu", 0, "ann|||x.cu|0|1790870280");
}

static void canvas(void) {
    layout l = {0};
    finds(canvas_find, &l, "doejane_12345_67890_v.cu", 0, "12345|doejane||v.cu|67890");
    finds(canvas_find, &l, "doejane_LATE_12345_67890_v.cu", 0, "12345|doejane||v.cu|67890|LATE");
    finds(canvas_find, &l, "a_b_1_2_v_3_4.cu", 0, "1|a_b||v_3_4.cu|2");
    finds(canvas_find, &l, "x_LATE_1_2_v.cu", 0, "1|x||v.cu|2|LATE");
    finds(canvas_find, &l, "LATE_1_2_v.cu", 0, "1|LATE||v.cu|2");   /* their name */
    finds(canvas_find, &l, "_LATE_1_2_v.cu", 0, "1|_LATE||v.cu|2"); /* of nobody else's */
    finds(canvas_find, &l, "李_1_2_v.cu", 0, "1|李||v.cu|2");
    finds(canvas_find, &l, "anon_x1Y2z_67890_v.cu", 0, "x1Y2z|||v.cu|67890");
    finds(canvas_find, &l, "anon_x1Y2z_v.cu", 0, NULL);
    finds(canvas_find, &l, "a_1_2_", 0, NULL);
    finds(canvas_find, &l, "a_1_v.cu", 0, NULL);
    finds(canvas_find, &l, "a-b_1_2_v.cu", 0, NULL);
    finds(canvas_find, &l, "v.cu", 0, NULL);
    finds(canvas_find, &l, "a_1_2_v.cu", 1, NULL);
    finds(canvas_find, &l, "doe_1_2_x.zip/src/v.cu", 0, "1|doe||v.cu|2");
    l.level = 1;
    finds(canvas_find, &l, "hw.zip/doe_1_2_v.cu", 0, "1|doe||v.cu|2");
    finds(canvas_find, &l, "hw.zip/doe_1_2_x.zip/v.cu", 0, "1|doe||v.cu|2");
    static const struct {
        const char *path[ITEMS];
        bool is;
        size_t level;
    } rows[] = {
        {{"a_1_2_v.cu", "x.cu"}, true, 0}, /* half of them */
        {{"a_1_2_v.cu", "x.cu", "y.cu"}, false, 0},
        {{"a_1_2_v.cu", "b/"}, true, 0},
        {{"x.cu"}, false, 0},
        {{NULL}, false, 0},
        {{"h.zip/", "h.zip/a_1_2_v.cu", "i.zip/", "i.zip/a_1_3_v.cu"}, true, 1},
        {{"h.zip/", "h.zip/a_1_2_v.cu"}, false, 0},
        {{"h.zip/", "h.zip/a_1_2_v.cu", "i/", "i/a_1_3_v.cu"}, false, 0},
        {{"h.zip/", "h.zip/a_1_2_v.cu", "i.zip/", "i.zip/v.cu"}, false, 0},
        {{"h.zip/", "h.zip/a_1_2_v.cu", "h.zip/d/", "h.zip/x", "i.zip/", "i.zip/a_1_3_v.cu"},
         true,
         1},
        {{"h.zip/", "h.zip/a_1_2_v.cu", "h.zip/x", "h.zip/y", "i.zip/", "i.zip/a_1_3_v.cu"},
         false,
         0},
        {{"h.zip/", "h.zip/a_1_2_v.cu", "i.zip/", "i.zip/a_1_3_v.cu", "read.me"}, true, 1},
        {{"h.zip/", "h.zip/a_1_2_v.cu", "i.zip/", "i.zip/a_1_3_v.cu", "v.cu"}, false, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        layout_item items[ITEMS];
        layout c = laid(rows[i].path, items, NULL);
        printf("# row %zu\n", i);
        CHECK_INT(canvas_is(&c), rows[i].is);
        CHECK_INT(c.level, rows[i].level);
    }
}

static void moodle(void) {
    layout l = {0};
    finds(moodle_find, &l, "Jane Doe_4321_assignsubmission_file/v.cu", 0, "4321|Jane Doe||v.cu|0");
    finds(moodle_find, &l, "Jane Doe_4321_assignsubmission_file_/v.cu", 0, "4321|Jane Doe||v.cu|0");
    finds(moodle_find, &l, "J_1_assignsubmission_file_/a/b.cu", 0, "1|J||b.cu|0");
    finds(moodle_find, &l, "J_1_assignsubmission_file_v.cu", 0, "1|J||v.cu|0");
    finds(moodle_find, &l, "J_1_assignsubmission_onlinetext/x.html", 0, "1|J|||0");
    finds(moodle_find, &l, "J_1_comment/x.html", 0, NULL);
    finds(moodle_find, &l, "J_x_assignsubmission_file/v.cu", 0, NULL);
    finds(moodle_find, &l, "4321/v.cu", 0, NULL);
    finds(moodle_find, &l, "J_1_assignsubmission_file/v.cu", 1, NULL);
}

static void prairielearn(void) {
    layout l = {0};
    finds(prairielearn_find, &l, "j@u.example_1_gpu/vector-add_1_3_70012_v.cu", 0,
          "j@u.example||vector-add|v.cu|70012");
    finds(prairielearn_find, &l, "j@u.example_1_add_1_3_70012_v.cu", 0,
          "j@u.example||add|v.cu|70012");
    finds(prairielearn_find, &l, "j@u.example_1_a_b_1_3_7_d/v.cu", 0, "j@u.example||a_b|v.cu|7");
    finds(prairielearn_find, &l, "j@u.example_1_add_1_3_v.cu", 0, NULL);
    finds(prairielearn_find, &l, "j@u.example_1_add_1_3_7_", 0, NULL);
    finds(prairielearn_find, &l, "j@u.example_add_1_3_7_v.cu", 0, NULL);
    finds(prairielearn_find, &l, "@u.example_1_add_1_3_7_v.cu", 0, NULL);
    finds(prairielearn_find, &l, "hw/j@u.example_1_add_1_3_7_v.cu", 0, NULL);
    finds(prairielearn_find, &l, "j@u.example_1_add_1_3_7_v.cu", 1, NULL);
}

static void gradescope(void) {
    static char metadata[] = "---\n"
                             "submission_1:\n"
                             "  :submitters:\n"
                             "  - :name: Jane Doe\n"
                             "    :sid: '1001'\n"
                             "    :email: jane@u.example\n"
                             "  - :name: \"Bo \"\n"
                             "    :sid: null\n"
                             "    :email: bo@u.example \r\n"
                             "  :created_at: 2026-10-01 23:58:12.123456000 -07:00\n"
                             "  :history:\n"
                             "  - :name: nobody\n"
                             "    :created_at: 2020-01-01 00:00\n"
                             "submission_10: x\n"
                             "submission_10: \r\n"
                             "  :submitters:\n"
                             "  - :email: ''\n"
                             "submission_2:\n"
                             "  :submitters:\n"
                             "  - :email: last@u.example";
    intake_options o = {0};
    layout l = {.o = &o, .metadata = metadata};
    found f;
    CHECK(gradescope_is(&l));
    finds(gradescope_find, &l, "submission_1/a/v.cu", 0, "1001|Jane Doe||v.cu|0|1790924292");
    CHECK(gradescope_find(&l, "submission_1/v.cu", 0, &f));
    CHECK_STR(f.id[0], "jane@u.example");
    finds(gradescope_find, &l, "submission_1/v.cu", 1, "bo@u.example|Bo ||v.cu|0|1790924292");
    CHECK(gradescope_find(&l, "submission_1/v.cu", 1, &f));
    CHECK_STR(f.id[0], "");
    finds(gradescope_find, &l, "submission_1/v.cu", 2, NULL);
    finds(gradescope_find, &l, "submission_1", 0, NULL);
    finds(gradescope_find, &l, "submission_10/v.cu", 0, NULL); /* nobody's name */
    finds(gradescope_find, &l, "submission_2/v.cu", 0, "last@u.example|||v.cu|0");
    finds(gradescope_find, &l, "submission_3/v.cu", 0, NULL);
    l.metadata = NULL;
    CHECK(!gradescope_is(&l));
    finds(gradescope_find, &l, "submission_1/v.cu", 0, NULL);
    l.metadata = "---\n";
    CHECK(!gradescope_is(&l));
}

/* ---- trees ---- */

static lib_buffer seen;
/* PATH, "/" behind a folder, its marks, then what is wrong, else the first bytes: five where there
 * are more than the four that are asked for. */
static bool visit(void *user, const tree_file *f) {
    lib_word_id problem = 0;
    size_t n = 0;
    (void)user;
    lib_buffer_printf(&seen, "%s%s%s%s", f->path, f->folder ? "/" : "",
                      f->repository ? " repository" : "", f->packed ? " packed" : "");
    if (f->problem) lib_buffer_printf(&seen, ": %s", lib_word(LIB_EN, f->problem));
    else if (!f->folder) {
        errno = EINTR; /* whatever failed before */
        char *data = tree_bytes(f, 4, &n, &problem);
        CHECK(!data || !data[n]);
        lib_buffer_printf(&seen, " %s", data ? data : lib_word(LIB_EN, problem));
        free(data);
    }
    lib_buffer_puts(&seen, "\n");
    return true;
}
static void walks(const char *path, const char *want) {
    msg = (lib_message){0};
    CHECK(tree_walk(path, visit, NULL, &msg));
    char *text = lib_buffer_take(&seen);
    CHECK_STR(said(&msg), "");
    if (!CHECK(!strcmp(text ? text : "", want))) printf("# got:\n%s# want:\n%s", text, want);
    free(text);
}

static const char *in(const char *name) {
    static char p[8][300];
    static int k;
    char *s = p[k = (k + 1) % 8];
    snprintf(s, sizeof p[0], "%s/%s", scratch, name);
    return s;
}
static void put(const char *name, const char *text) {
    char path[300];
    snprintf(path, sizeof path, "%s", in(name));
    *strrchr(path, '/') = 0;
    CHECK(lib_make_folders(path, &msg) && lib_write_file(in(name), text, strlen(text), &msg));
}

static struct archive *open_tar(const char *path, bool zstd) {
    struct archive *a = archive_write_new();
    archive_write_set_format_pax_restricted(a);
    if (zstd) archive_write_add_filter_zstd(a);
    CHECK(archive_write_open_filename(a, path) == ARCHIVE_OK);
    return a;
}
/* target: a link's; blocks: the text so often. */
static void add(struct archive *a, const char *path, unsigned type, const char *text,
                const char *target, size_t blocks) {
    struct archive_entry *e = archive_entry_new();
    archive_entry_set_pathname(e, path);
    archive_entry_set_filetype(e, type);
    archive_entry_set_perm(e, 0644);
    archive_entry_set_size(e, target ? 0 : (la_int64_t)(strlen(text) * blocks));
    if (type == AE_IFLNK) archive_entry_set_symlink(e, target);
    else if (target) archive_entry_set_hardlink(e, target);
    archive_write_header(a, e);
    for (size_t i = 0; !target && i < blocks; i++) archive_write_data(a, text, strlen(text));
    archive_entry_free(e);
}
static void close_tar(struct archive *a) {
    archive_write_close(a);
    archive_write_free(a);
}
static void add_whole(struct archive *a, const char *name, const char *file) {
    size_t n;
    char *bytes = lib_read_file(file, 0, &n, &msg);
    struct archive_entry *e = archive_entry_new();
    archive_entry_set_pathname(e, name);
    archive_entry_set_filetype(e, AE_IFREG);
    archive_entry_set_perm(e, 0644);
    archive_entry_set_size(e, (la_int64_t)n);
    archive_write_header(a, e);
    archive_write_data(a, bytes, n);
    archive_entry_free(e);
    free(bytes);
}

static void folders(void) {
    put("f/ann/.git/HEAD", "x");
    put("f/ann/four.cu", "1234");
    put("f/bob/.git", "a file makes no repository");
    put("f/bob/five.cu", "12345");
    put("f/bob/six.cu", "123456");
    put("f/.hidden/x.cu", "x");
    put("f/__MACOSX/x.cu", "x");
    put("f/lie.zip", "this is no archive");
    put("f/1/2/3/4/5/6/7/8/9/10/11/12/13/x.cu", "too deep");
    put("f/1/2/3/4/5/6/7/8/9/10/11/x.cu", "ok");
    CHECK(!symlink("/etc/passwd", in("f/link.cu")));
    walks(in("f"),
          "1/\n1/2/\n1/2/3/\n1/2/3/4/\n1/2/3/4/5/\n1/2/3/4/5/6/\n1/2/3/4/5/6/7/\n1/2/3/4/5/6/7/8/\n"
          "1/2/3/4/5/6/7/8/9/\n1/2/3/4/5/6/7/8/9/10/\n1/2/3/4/5/6/7/8/9/10/11/\n"
          "1/2/3/4/5/6/7/8/9/10/11/12/\n1/2/3/4/5/6/7/8/9/10/11/12/: the folder cannot be read\n"
          "1/2/3/4/5/6/7/8/9/10/11/x.cu ok\n"
          "ann/ repository\nann/four.cu 1234\nbob/\nbob/five.cu 12345\nbob/six.cu 12345\n"
          "lie.zip/\nlie.zip: not an archive that can be read (zip, tar, tar.gz, tar.bz2, tar.xz, "
          "tar.zst)\n"
          "link.cu: not a regular file (a link or a special file)\n");
    CHECK(!tree_walk(in("nowhere"), visit, NULL, &msg));
    CHECK_CONTAINS(said(&msg), "nowhere: No such file or directory");
    msg = (lib_message){0};
    CHECK(!tree_walk("/dev/null", visit, NULL, &msg));
    CHECK_STR(said(&msg), "/dev/null is neither a folder nor an archive");
}

/* A folder may get the descriptor 0, as where somebody has closed the standard input. */
static bool visit_without_input(void *user, const tree_file *f) {
    bool ok = visit(user, f);
    if (!strcmp(f->path, "a.cu")) close(0);
    return ok;
}
static void first_descriptor(void) {
    put("i/a.cu", "a");
    put("i/b/c.cu", "c");
    int input = fcntl(0, F_DUPFD_CLOEXEC, 3);
    CHECK(input >= 0);
    CHECK(tree_walk(in("i"), visit_without_input, NULL, &msg));
    char *text = lib_buffer_take(&seen);
    CHECK_STR(text ? text : "", "a.cu a\nb/\nb/c.cu c\n");
    free(text);
    CHECK(fcntl(0, F_GETFD) == -1); /* it was closed again */
    CHECK(dup2(input, 0) == 0);
    close(input);
}

static void archives(void) {
    char part[125], longest[141], path[1100] = "", want[8000];
    memset(part, 'p', 124), part[124] = 0;
    memset(longest, 'n', 140), longest[140] = 0;
    for (int i = 0; i < 7; i++) {
        strcat(path, i ? "/" : "");
        strcat(path, part);
    } /* 7 * 124 + 6 = 874 bytes */
    CHECK_INT(strlen(path), 874);
    struct archive *a = open_tar(in("inner2.tar"), false);
    add(a, "k.cu", AE_IFREG, "k", NULL, 1);
    close_tar(a);
    a = open_tar(in("inner.tar"), false);
    add(a, "i.cu", AE_IFREG, "i", NULL, 1);
    add_whole(a, "in2.tar", in("inner2.tar"));
    close_tar(a);
    CHECK(!mkdir(in("t"), 0700));
    a = open_tar(in("t/c.tar"), false);
    add(a, "d/", AE_IFDIR, "", NULL, 0);
    add(a, "../up/", AE_IFDIR, "", NULL, 0); /* a folder that may not be is nobody's work */
    add(a, "./d//x.cu", AE_IFREG, "1234567", NULL, 1);
    add(a, "./", AE_IFDIR, "", NULL, 0);
    add(a, "d/../y.cu", AE_IFREG, "y", NULL, 1);
    add(a, "d/..y/y..cu", AE_IFREG, "y", NULL, 1); /* hidden */
    add(a, "d/.y/y.cu", AE_IFREG, "y", NULL, 1);   /* as long as "..", and climbs nowhere */
    add(a, "/abs.cu", AE_IFREG, "y", NULL, 1);
    add(a, "l.cu", AE_IFLNK, "", "/etc/passwd", 0);
    add(a, "h.cu", AE_IFREG, "", "d/x.cu", 0);
    add(a, "d/._x.cu", AE_IFREG, "y", NULL, 1);
    add(a, "__MACOSX/x.cu", AE_IFREG, "y", NULL, 1);
    add(a, longest, AE_IFREG, "y", NULL, 1);
    char name[1200];
    snprintf(name, sizeof name, "%sn", longest);
    add(a, name, AE_IFREG, "y", NULL, 1);
    snprintf(name, sizeof name, "%s/%sz", path, part); /* 874 + 1 + 125 */
    add(a, name, AE_IFREG, "y", NULL, 1);
    snprintf(name, sizeof name, "%s/%szz", path, part);
    add(a, name, AE_IFREG, "y", NULL, 1);
    add(a, "bad.zip", AE_IFREG, "no archive", NULL, 1);
    add_whole(a, "in.tar", in("inner.tar"));
    add(a, "last.cu", AE_IFREG, "z", NULL, 1);
    close_tar(a);
    snprintf(want, sizeof want,
             "c.tar/\n"
             "c.tar/d/ packed\n"
             "c.tar/d/x.cu packed 12345\n"
             "c.tar/d/../y.cu packed: a path that leads upwards (..)\n"
             "c.tar/abs.cu packed: a path that starts at the root\n"
             "c.tar/l.cu packed: a link or a special file\n"
             "c.tar/h.cu packed: a link or a special file\n"
             "c.tar/%s packed y\n"
             "c.tar/%sn packed: a name of more than 140 bytes\n"
             "c.tar/%s/%sz packed y\n"
             "c.tar/%s packed: a path of more than 1000 bytes\n"
             "c.tar/bad.zip packed: not an archive\n"
             "c.tar/in.tar/ packed\n"
             "c.tar/in.tar/i.cu packed i\n",
             longest, longest, path, part, path);
    /* No deeper than an archive in an archive: the third is a file, which begins with its entry's
     * name. */
    strcat(want, "c.tar/in.tar/in2.tar packed k.cu\nc.tar/last.cu packed z\n");
    walks(in("t"), want);
    /* The whole of a course in one: its paths have no archive's name in front. */
    a = open_tar(in("course.tar.zst"), true);
    add(a, "ann/x.cu", AE_IFREG, "x", NULL, 1);
    close_tar(a);
    walks(in("course.tar.zst"), "ann/x.cu packed x\n");
}

/* Cut off: behind three bytes of ten, and within what is packed. */
static void damaged(void) {
    static char noise[1 << 19];
    uint64_t state = 88172645463325252u;
    for (size_t i = 0; i + 1 < sizeof noise; i++) { /* nothing that packs well */
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        noise[i] = (char)('a' + state % 16);
    }
    CHECK(!mkdir(in("cut"), 0700));
    struct archive *a = open_tar(in("cut/a.tar"), false);
    add(a, "x.cu", AE_IFREG, "1234567890", NULL, 1);
    add(a, "y.cu", AE_IFREG, "y", NULL, 1);
    close_tar(a);
    a = open_tar(in("cut/b.tar.zst"), true);
    add(a, "x.cu", AE_IFREG, noise, NULL, 1);
    add(a, "y.cu", AE_IFREG, "y", NULL, 1);
    close_tar(a);
    struct stat st;
    CHECK(!truncate(in("cut/a.tar"), 512 + 3)); /* a header is 512 bytes */
    CHECK(!stat(in("cut/b.tar.zst"), &st) && !truncate(in("cut/b.tar.zst"), st.st_size / 2));
    walks(in("cut"), "a.tar/\na.tar/x.cu packed the archive is damaged at this file\n"
                     "a.tar packed: the archive is damaged\n"
                     "b.tar.zst/\nb.tar.zst/x.cu packed alafc\n"
                     "b.tar.zst packed: the archive is damaged\n");
}

static size_t files, problems, folders_told;
static char problem_said[200];
static bool count(void *user, const tree_file *f) {
    (void)user;
    files += !f->folder && !f->problem;
    folders_told += f->folder;
    problems += f->problem != 0;
    if (f->problem)
        snprintf(problem_said, sizeof problem_said, "%s: %s", f->path,
                 lib_word(LIB_EN, f->problem));
    return true;
}
static void counts(const char *path, size_t many, const char *problem) {
    files = problems = folders_told = 0;
    problem_said[0] = 0;
    CHECK(tree_walk(path, count, NULL, &msg));
    CHECK_INT(files, many);
    CHECK_INT(problems, *problem ? 1 : 0);
    CHECK_STR(problem_said, problem);
}

/* 20000 files of one archive in a folder are read; of one in another archive 256 MiB, whatever they
 * are. */
static void limits(void) {
    enum { MANY = 20000, MIB = 1 << 20 };
    CHECK(!mkdir(in("m"), 0700) && !mkdir(in("n"), 0700));
    for (int more = 0; more < 2; more++) {
        const char *to = in(more ? "n/many.tar.zst" : "m/many.tar.zst");
        struct archive *a = open_tar(to, true);
        for (int i = 0; i < MANY + more; i++) {
            char name[20];
            snprintf(name, sizeof name, "f%d", i);
            add(a, name, AE_IFREG, "", NULL, 0);
        }
        close_tar(a);
    }
    counts(in("m"), MANY, "");
    counts(in("n"), MANY,
           "many.tar.zst: the archive contains more files than the limit for one archive");
    counts(in("n/many.tar.zst"), MANY + 1, ""); /* a whole course */

    char *block = malloc(MIB + 1);
    memset(block, ' ', MIB);
    block[MIB] = 0;
    for (size_t size = 250; size <= 257; size += 7) {
        struct archive *a = open_tar(in("bomb.tar.zst"), true);
        add(a, "big", AE_IFREG, block, NULL, size);
        add(a, "behind.cu", AE_IFREG, "x", NULL, 1);
        close_tar(a);
        a = open_tar(in("outer.tar"), false);
        add_whole(a, "bomb.tar.zst", in("bomb.tar.zst"));
        add(a, "other.cu", AE_IFREG, "x", NULL, 1);
        close_tar(a);
        if (size == 250) counts(in("outer.tar"), 3, "");
        else /* what stands behind it is lost, what is another's is not */
            counts(in("outer.tar"), 2,
                   "bomb.tar.zst: the archive unpacks to more than the limit for one archive");
    }
    free(block);
    /* An archive in an archive has 64 MiB at most: what is as long is looked into, and is none; 5
     * times so many bytes are one more. */
    enum { FIFTH = ((64 << 20) + 1) / 5 };
    CHECK_INT(5 * FIFTH, (64 << 20) + 1);
    block = malloc(FIFTH + 1);
    memset(block, ' ', FIFTH);
    block[FIFTH] = 0;
    struct archive *a = open_tar(in("outer.tar.zst"), true);
    add(a, "more.zip", AE_IFREG, block, NULL, 5);
    close_tar(a);
    counts(in("outer.tar.zst"), 0, "more.zip: an archive of more than 64 MiB inside another");
    block[1 << 20] = 0;
    a = open_tar(in("outer.tar.zst"), true);
    add(a, "most.zip", AE_IFREG, block, NULL, 64);
    close_tar(a);
    counts(in("outer.tar.zst"), 0, "most.zip: not an archive");
    free(block);
}

static void endings(void) {
    static const struct {
        const char *name, *stripped;
        bool archive;
    } rows[] = {{"ann.zip", "ann", true},     {"ann.ZIP", "ann", true},
                {"ann.tar", "ann", true},     {"ann.tar.gz", "ann", true},
                {"ann.tgz", "ann", true},     {"ann.tar.xz", "ann", true},
                {"ann.tar.zst", "ann", true}, {"ann.tar.bz2", "ann", true},
                {"ann.zip.zip", "ann", true}, {"a.tar.zip", "a", true},
                {"a.b.zip", "a.b", true},     {"ann", "ann", false},
                {"ann.gz", "ann.gz", false},  {"annzip", "annzip", false},
                {".zip", ".zip", false},      {"a.zip/x.cu", "a.zip/x.cu", false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char name[40];
        snprintf(name, sizeof name, "%s", rows[i].name);
        CHECK_INT(tree_is_archive(name), rows[i].archive);
        tree_strip(name);
        CHECK_STR(name, rows[i].stripped);
    }
}

int main(void) {
    snprintf(scratch, sizeof scratch, "/tmp/warplab-layout-XXXXXX");
    if (!mkdtemp(scratch)) return 1;
    paths();
    names();
    mostly();
    classroom();
    plain();
    canvas();
    moodle();
    prairielearn();
    gradescope();
    endings();
    folders();
    first_descriptor();
    archives();
    damaged();
    limits();
    lib_remove_tree(scratch);
    return check_done();
}
