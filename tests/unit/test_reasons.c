/* Why something handed in was not taken, in both languages: what is said in English is said again in Chinese with the same names in it. */
#include <stdio.h>
#include <string.h>
#include "grader/course/course.h"
#include "grader/intake/intake.h"
#include "tests/check.h"

enum { REASONS = INTAKE_WHY_ORDER_UNKNOWN + 1 };

static const char *in_chinese(const char *why) {
    static char said[INTAKE_REASON];
    intake_reason_in(why, LIB_ZH, said, sizeof said);
    return said;
}

static int holes(const char *s) {
    int n = 0;
    for (; (s = strstr(s, "%s")); s += 2) n++;
    return n;
}

static void every_row(const char *a, const char *b, const char *c) {
    for (unsigned r = 0; r < REASONS; r++) {
        const char *en = intake_reason_text(r, LIB_EN), *zh = intake_reason_text(r, LIB_ZH);
        char said[INTAKE_REASON], want[INTAKE_REASON];
        CHECK_INT(holes(en), holes(zh));
        CHECK(!strstr(en, "%s%s")); /* nothing would say where the one ends */
        intake_reason_say(said, sizeof said, r, a, b, c);
        snprintf(want, sizeof want, zh, a, b, c);
        CHECK_STR(in_chinese(said), want);
        intake_reason_in(said, LIB_EN, want, sizeof want);
        CHECK_STR(want, said);
    }
}

static void lines(void) {
    char said[INTAKE_REASON];
    intake_line_in("ann.zip/a b.cu: the archive is damaged at this file", LIB_ZH, said,
                   sizeof said);
    CHECK_STR(said, "ann.zip/a b.cu：压缩包在这个文件处损坏");
    intake_line_in("ann.zip/a b.cu: the archive is damaged at this file", LIB_EN, said,
                   sizeof said);
    CHECK_STR(said, "ann.zip/a b.cu: the archive is damaged at this file");
    intake_line_in("no colon", LIB_ZH, said, sizeof said);
    CHECK_STR(said, "no colon");
    /* A path, and a name that the reason repeats, may hold what stands between the two. */
    intake_line_in("bob/a: b.cu: there is no lab of the name of a: b.cu", LIB_ZH, said,
                   sizeof said);
    CHECK_STR(said, "bob/a: b.cu：没有与 a: b.cu 同名的实验");
    intake_line_in("zed: nothing of zed was taken: no file is a lab's", LIB_ZH, said, sizeof said);
    CHECK_STR(said, "zed：没有收到 zed 的任何作业：没有一个文件属于哪个实验");
    intake_line_in("bob/x: the roster r does not name bob; graded as a: not a .cu file", LIB_ZH,
                   said, sizeof said);
    CHECK_STR(said, "bob/x: the roster r does not name bob; graded as a：不是 .cu 文件");
    intake_line_in("bob/x.cu: of a later version", LIB_ZH, said, sizeof said);
    CHECK_STR(said, "bob/x.cu: of a later version");
    CHECK_STR(in_chinese("/r has no such commit: before 2026-10-02 00:00"),
              "/r 中没有早于 2026-10-02 00:00 的提交");
    CHECK_STR(in_chinese("/r has no such commit: HEAD"), "/r 中没有这样的提交：HEAD");
    /* What no row says stays as it is, also where a row is its beginning or its end. */
    CHECK_STR(in_chinese("not an archive at all"), "not an archive at all");
    CHECK_STR(in_chinese("it is not an archive"), "it is not an archive");
    CHECK_STR(in_chinese("nothing of x was taken"), "nothing of x was taken");
    CHECK_STR(in_chinese(""), "");
    CHECK_STR(course_state_word("infra_error", LIB_EN), "could not be graded");
    CHECK_STR(course_state_word("infra_error", LIB_ZH), "未能评分");
    CHECK_STR(course_state_word("of a later version", LIB_ZH), "of a later version");
}

/* Paths and names as long as they may be. */
static void longest(void) {
    char name[1001], line[2500], said[INTAKE_LINE], why[INTAKE_REASON];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = 0;
    intake_reason_say(why, sizeof why, INTAKE_WHY_SAME_TWICE, "ann", "vector-add", name);
    snprintf(line, sizeof line, "%s: %s", name, why);
    intake_line_in(line, LIB_ZH, said, sizeof said);
    CHECK(!strncmp(said, name, 1000) && strstr(said, "：ann 交了两次 vector-add，与 n"));
    intake_reason_say(why, sizeof why, INTAKE_WHY_ORDER_UNKNOWN, "ann", "vector-add", name);
    CHECK_CONTAINS(in_chinese(why), "不知道哪一次更晚；评分的是 n");
}

int main(void) {
    every_row("ann", "vector-add", "1048576");
    every_row("李雷", "Vector Add (1).cu", "");
    every_row("%s %n", "100% of %s", "a;b");
    lines();
    longest();
    return check_done();
}
