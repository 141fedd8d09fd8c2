/* The list of labs, and what is suggested for a name that is none. Expected orders: by chapter, then by name, behind what a lab of the
 * same chapter needs; the nearest three names, none that differs by more than a third of its letters and one. */
#include <stdlib.h>
#include <sys/stat.h>
#include "tests/check.h"
#include "runner/base/file.h"
#include "runner/lesson/lab.h"

static char root[64];
static void put_lab(const char *id, int chapter, int minutes, const char *needs) {
    char path[128];
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
    } rows[] = {{"abcdefghi", "abcdefgh1, abcdefg12, abcdef123"}, /* 1, 2, 3; not the fourth */
                {"xbcde5678", ""}, /* nine letters: four may differ */
                {"ybcde1567", "abcde1234"},
                {"gamna", "gamma"},
                {"gaxxa", "gamma"}, /* five: two */
                {"gxxxa", ""},
                {"delt", "delta"}, /* how it begins, or what it holds */
                {"elt", "delta, eta"} /* three: two */,
                {"lph", "alpha"},
                {"", ""}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char near[200];
        lab_suggest(root, rows[k].id, near, sizeof near);
        check_that(!strcmp(near, rows[k].near), __FILE__, __LINE__, rows[k].id, near);
    }
}

int main(void) {
    char path[80];
    snprintf(root, sizeof root, "/tmp/warplab-list-XXXXXX");
    if (!mkdtemp(root)) return 1;
    setenv("XDG_DATA_HOME", root, 1);
    snprintf(path, sizeof path, "%s/labs", root);
    mkdir(path, 0700);
    listed();
    suggested();
    lib_remove_tree(root);
    return check_done();
}
