/* The list of labs, and what is suggested for a name that is none. Expected orders: by chapter,
 * then by name, behind what a lab of the same chapter needs; the nearest three names, none that
 * differs by more than a third of its letters and one. */
#include <stdlib.h>
#include <sys/stat.h>
#include "tests/check.h"
#include "tests/said.h"
#include "runner/base/file.h"
#include "runner/lesson/lab.h"

static char root[128];
static void put_lab(const char *id, int chapter, int minutes, const char *needs) {
    char path[200];
    snprintf(path, sizeof path, "%s/labs/%s.lua", root, id);
    FILE *f = fopen(path, "w");
    fprintf(
        f,
        "return lab {\n  id = \"%s\", title = { en = \"Lab %s\", zh = \"实验 %s\" }, chapter = %d, "
        "minutes = %d, needs = { %s },\n  entry = \"void f(float *c, int n)\",\n  args = { c = "
        "output(\"n\") },\n  cases = { { n = 10, timed = true } },\n  goals = { correct { points "
        "= 4 } },\n  hints = { { en = \"a\", zh = \"a\" }, { en = \"a\", zh = \"a\" }, { en = "
        "\"a\", zh = \"a\" } },\n  after = { en = \"a\", zh = \"a\" }, more = { en = \"a\", zh = "
        "\"a\" },\n  steps = { exercise { en = \"a\", zh = \"a\" } },\n}\n",
        id, id, id, chapter, minutes, needs);
    fclose(f);
}

static void listed(void) {
    static const struct {
        const char *id;
        int chapter, minutes;
        const char *needs, *need;
    } rows[] = {{"delta", 1, 10, "", NULL},
                {"gamma", 1, 20, "", NULL},
                {"beta", 1, 30, "\"gamma\"", "gamma"}, /* behind it */
                {"alpha", 1, 40, "\"beta\"", "beta"},
                {"abcdefgh1", 2, 1, "\"zeta\"", "zeta"}, /* of another chapter */
                {"abcdefg12", 3, 2, "", NULL},
                {"abcdef123", 10, 3, "", NULL},
                {"abcde1234", 11, 4, "", NULL},
                {"zeta", 12, 5, "\"eta\"", "eta"},
                {"eta", 12, 6, "\"zeta\"", "zeta"}}; /* a circle ends */
    enum { ROWS = sizeof rows / sizeof *rows };
    for (int i = ROWS; i--;) put_lab(rows[i].id, rows[i].chapter, rows[i].minutes, rows[i].needs);
    lab_header *h;
    CHECK_INT(lab_list(root, &h), ROWS);
    for (int i = 0; i < ROWS; i++) {
        char title[40];
        if (i < 8) CHECK_STR(h[i].id, rows[i].id);
        for (int k = 0; k < ROWS; k++) {
            if (strcmp(h[i].id, rows[k].id) != 0) continue;
            snprintf(title, sizeof title, "Lab %s", rows[k].id);
            CHECK_STR(h[i].title[LIB_EN], title);
            CHECK(h[i].chapter == rows[k].chapter && h[i].minutes == rows[k].minutes);
            CHECK(!h[i].broken && !h[i].quiz && !*h[i].pack);
            CHECK(h[i].need_count == (rows[k].need != NULL));
            if (rows[k].need) CHECK_STR(h[i].needs[0], rows[k].need);
        }
    }
    free(h);
}

static void suggested(void) {
    static const struct {
        const char *id, *near;
    } rows[] = {{"abcdefghi", "abcdefgh1\nabcdefg12\nabcdef123"}, /* 1, 2, 3; not the fourth */
                {"xbcde5678", ""}, /* nine letters: four may differ */
                {"ybcde1567", "abcde1234"},
                {"gamna", "gamma"},
                {"gaxxa", "gamma"}, /* five: two */
                {"gxxxa", ""},
                {"delt", "delta"}, /* how it begins, or what it holds */
                {"elt", "delta\neta"} /* three: two */,
                {"lph", "alpha"},
                {"", ""}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char near[200];
        lab_suggest(root, rows[k].id, near, sizeof near);
        check_that(!strcmp(near, rows[k].near), __FILE__, __LINE__, rows[k].id, near);
    }
}

/* Which names are ids, how one is found, and what is said where none is. */
static void found(void) {
    lib_message msg;
#define TEN "abcdefghij"
    static const struct {
        const char *id;
        bool valid;
    } ids[] = {{TEN TEN TEN TEN "abcdefgh", true}, /* 48 letters */
               {TEN TEN TEN TEN "abcdefghi", false},
               {"a", true},
               {"a-b-2", true},
               {"-a", false},
               {"a-", false},
               {"a--b", false},
               {"A", false},
               {"", false},
               {"/a", false},
               {"p/", false},
               {"p/a/b", false},
               {"P/a", false},
               {TEN TEN "abcd/a", true}, /* a pack's 24 */
               {TEN TEN "abcde/a", false},
               {TEN TEN "abcd/" TEN TEN TEN "abcdefgh", true}, /* 63 in all */
               {TEN TEN "abcd/" TEN TEN TEN "abcdefghi", false}};
    for (size_t k = 0; k < sizeof ids / sizeof *ids; k++) {
        lab *l = lab_load(root, ids[k].id, &msg);
        char is_none[200];
        snprintf(is_none, sizeof is_none,
                 "\"%s\" is no lab id: expected lower-case letters, digits and dashes, behind "
                 "PACK/ for a lab of a pack",
                 ids[k].id);
        CHECK(!l && !lab_exists(root, ids[k].id));
        check_that(!strcmp(said(&msg), is_none) == !ids[k].valid, __FILE__, __LINE__, ids[k].id,
                   said(&msg));
        lab_free(l);
    }
    char *id = lab_find(root, "gamma", &msg);
    CHECK_STR(id, "gamma");
    CHECK(lab_exists(root, "gamma"));
    free(id);
    CHECK(!lab_find(root, "gamna", &msg));
    CHECK_STR(said(&msg),
              "There is no lab `gamna`, did you mean gamma? `warplab list` shows them all");
    CHECK(!lab_find(root, "qqqq", &msg));
    CHECK_STR(said(&msg), "There is no lab `qqqq`; `warplab list` shows them all");
    lab *l = lab_load(root, "gamma", &msg);
    char path[300];
    static const char *const where[] = {"labs/gamma.lua", "labs/gamma.cu", "kernels/gamma.cu",
                                        "answers/gamma.cu", "answers/traps/gamma"};
    const char *const paths[] = {l ? l->lesson_path : "", l ? l->skeleton_path : "",
                                 l ? l->baseline_path : "", l ? l->answer_path : "",
                                 l ? l->traps_dir : ""};
    for (int k = 0; k < 5; k++) {
        snprintf(path, sizeof path, "%s/%s", root, where[k]);
        CHECK_STR(paths[k], path);
    }
    CHECK(l && !l->grade.home && !l->grade.untrusted && l->only == LAB_BOTH);
    lab_free(l);
}

/* A pack's labs stand behind the others, in the pack's order; those that it does not order by
 * chapter, then by name. What they need is theirs where they have such a lab. */
static void packed(void) {
    char was[128], path[300];
    snprintf(was, sizeof was, "%s", root);
    snprintf(root + strlen(root), sizeof root - strlen(root), "/warplab/packs/p");
    snprintf(path, sizeof path, "%s/labs", root);
    lib_message msg;
    CHECK(lib_make_folders(path, &msg));
    put_lab("one", 5, 11, "\"two\", \"gamma\", \"q/x\"");
    put_lab("two", 4, 12, "");
    put_lab("three", 3, 13, "");
    put_lab("four", 3, 14, "");
    snprintf(path, sizeof path, "%s/pack.lua", root);
    FILE *f = fopen(path, "w");
    fputs("return pack { name = \"p\", title = { en = \"Pack\", zh = \"包\" }, version = \"1\", "
          "order = { \"one\", \"two\" } }\n",
          f);
    fclose(f);
    /* one whose pack.lua and one lab do not load, and a name twice */
    snprintf(root, sizeof root, "%s", was);
    snprintf(root + strlen(root), sizeof root - strlen(root), "/warplab/packs/r");
    snprintf(path, sizeof path, "%s/labs", root);
    CHECK(lib_make_folders(path, &msg));
    put_lab("two", 2, 9, "\"1\", \"2\", \"3\", \"4\", \"5\", \"6\", \"7\", \"8\", \"9\"");
    static const char *const bad[] = {"labs/bad.lua", "pack.lua"};
    for (int k = 0; k < 2; k++) {
        snprintf(path, sizeof path, "%s/%s", root, bad[k]);
        f = fopen(path, "w");
        fputs("return 3\n", f);
        fclose(f);
    }
    snprintf(path, sizeof path, "%s/labs/Bad-name.lua", root);
    fclose(fopen(path, "w"));
    snprintf(root, sizeof root, "%s", was);
    lab_header *h;
    size_t n = lab_list(root, &h);
    static const struct {
        const char *id;
        size_t place;
        int chapter;
    } want[] = {{"p/one", 0, 5},   {"p/two", 1, 4}, {"p/four", 2, 3},
                {"p/three", 2, 3}, {"r/two", 0, 2}, {"r/bad", 0, 99}};
    CHECK_INT(n, 16);
    for (size_t k = 0; n == 16 && k < 6; k++) {
        const lab_header *x = &h[10 + k];
        CHECK_STR(x->id, want[k].id);
        CHECK_INT(x->place, want[k].place);
        CHECK_INT(x->chapter, want[k].chapter);
        CHECK(x->broken == (k == 5) && x->points == (k == 5 ? 0 : 4) && !x->folder);
        CHECK_STR(x->pack, k < 4 ? "p" : "r");
        CHECK_STR(x->pack_title[LIB_EN], k < 4 ? "Pack" : "r");
        CHECK_STR(x->pack_title[LIB_ZH], k < 4 ? "包" : "r");
    }
    if (n == 16) {
        static const char *const needs[] = {"p/two", "gamma", "q/x"};
        CHECK_INT(h[10].need_count, 3);
        for (int k = 0; k < 3; k++) CHECK_STR(h[10].needs[k], needs[k]);
        CHECK_INT(h[14].need_count, 8); /* no more are kept */
        CHECK_STR(h[14].needs[7], "8");
        CHECK_STR(said(&h[15].why), "r/labs/bad.lua: the file must end in `return lab { ... }`");
        CHECK_STR(h[15].title[LIB_EN], "r/bad");
    }
    free(h);
    char *id = lab_find(root, "three", &msg);
    CHECK_STR(id, "p/three");
    free(id);
    id = lab_find(root, "r/two", &msg);
    CHECK_STR(id, "r/two");
    free(id);
    CHECK(!lab_find(root, "two", &msg));
    CHECK_STR(said(&msg), "two is in more than one pack: say which of p/two, r/two");
    lab *l = lab_load(root, "p/four", &msg);
    CHECK(l && l->grade.untrusted && l->grade.home == l->root);
    CHECK_STR(l ? l->id : "", "p/four");
    lab_free(l);
}

int main(void) {
    char path[200];
    snprintf(root, sizeof root, "/tmp/warplab-list-XXXXXX");
    if (!mkdtemp(root)) return 1;
    setenv("XDG_DATA_HOME", root, 1);
    snprintf(path, sizeof path, "%s/labs", root);
    mkdir(path, 0700);
    listed();
    suggested();
    found();
    packed();
    lib_remove_tree(root);
    return check_done();
}
