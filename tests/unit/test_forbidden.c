/* What a lab forbids, in a source: names by their ends, files of includes by their folders, lines
 * as the source counts them; and what the C++ lexer takes for no code ([lex.phases],
 * [lex.string]). */
#include "runner/base/message.h"
#include "grader/lab.h"
#include "tests/check.h"
#include "tests/said.h"

static const char *const entries[] = {"cublas", "cub::", "std.", "x"};
static const grade_lab lab = {.id = "x", .forbidden = entries, .forbidden_count = 4};

/* Directives that number lines, as [cpp.line] and GCC's preprocessor write them; what only looks
 * like one stays. */
static void lines(void) {
    static const struct {
        const char *text;
        int line; /* 0: nothing is found */
    } rows[] = {{"#line 1", 1},
                {"int a;\n  #  line 7 \"b.cu\"\n", 2},
                {"# 12 \"b.cu\" 3", 1},
                {"\n%: line 9", 2},
                {"#/**/li\\\nne 9", 1},
                {"#define N 1\n#line N", 2},
                {"// #line 1\n/* \n#line 2\n*/ \"\\\n#line 3\"", 0},
                {"R\"(\n#line 1\n)\"", 0},
                {"#define line 1\nint x[] = {line};", 0},
                {"#pragma unroll 1\n#if 1\n#endif\n#include NAME", 0},
                {"#lines 1", 0},
                {"int a = 1 # line 1", 0},
                /* what g++ -E -std=c++17 reads as a directive: __LINE__ behind it is another */
                {"#if 1\n#endif '\n#line 7", 3},
                {"#define Q \"\n#line 7", 2},
                {"#define $R\n#define A $R\"(\n#line 7\n)\"", 3},
                {"#define A 1e+R\"(\"\n#line 7\n)\"", 2},
                {"int a;\r#line 7", 1},
                {"// a\r#line 7", 1}};
    static const grade_said line = {.kind = GRADE_SAID_LINE};
    static const grade_goal asks = {.kind = GRADE_GOAL_ANSWER, .said = &line};
    static const grade_lab free_lab = {.id = "x"},
                           line_lab = {.id = "x", .goals = &asks, .goal_count = 1};
    /* what it reads in two ways, by macros and by the kind of the line */
    static const char *const two[] = {"#define A \"x\"R\"(\"\n#line 7\n)\"",
                                      "#define A 'x'R\"(\"\n#line 7\n)\"",
                                      "#define A R\"(x)\"u8R\"(\"\n#line 7\n)\"",
                                      "#if __has_include(</*>)\n#endif\n#line 7\n//*/",
                                      "#if 0\n#include </*>\n#endif\n#line 7\n//*/"};
    for (size_t k = 0; k < sizeof two / sizeof *two; k++) {
        lib_message msg;
        CHECK(grade_forbidden(&line_lab, "a.cu", two[k], strlen(two[k]), &msg));
        CHECK_CONTAINS(said(&msg), "in two ways");
    }
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        lib_message msg;
        char want[32];
        CHECK(!grade_forbidden(&free_lab, "a.cu", rows[k].text, strlen(rows[k].text), &msg));
        bool bad = grade_forbidden(&line_lab, "a.cu", rows[k].text, strlen(rows[k].text), &msg);
        snprintf(want, sizeof want, "a.cu:%d: this directive", rows[k].line);
        CHECK_INT(bad, rows[k].line > 0);
        if (bad) CHECK_CONTAINS(said(&msg), want);
    }
}

static void scans(void) {
    static const struct {
        const char *text;
        int line; /* 0: nothing is found */
        const char *entry, *what;
    } rows[] = {
        {"", 0, NULL, NULL},
        {"cublas", 1, "cublas", "cublas"},
        {"\n\ncublas_v2;", 3, "cublas", "cublas_v2"},
        {"cublasSgemm", 1, "cublas", "cublasSgemm"},
        {"cublas2", 1, "cublas", "cublas2"},
        {"cublasting mycublas cubla Cublas", 0, NULL, NULL},
        {"cub", 1, "cub::", "cub"},
        {"cubic cub_ cub2 cubS", 0, NULL, NULL},
        {"std", 1, "std.", "std"},
        {"stdio", 0, NULL, NULL},
        {"a->x;", 1, "x", "x"},
        {"xX", 1, "x", "xX"},
        {"xy ax", 0, NULL, NULL},
        /* what is joined keeps the line it began on */
        {"cub\\\nlas;", 1, "cublas", "cublas"},
        {"cub\\\r\nlas;", 1, "cublas", "cublas"},
        {"a\\\n\\\nb\ncublas", 4, "cublas", "cublas"},
        /* blanks before a line's end are no hiding place: compilers join such lines too */
        {"cub\\ \nlas;", 1, "cublas", "cublas"},
        {"cub\\\t \r\nlas;", 1, "cublas", "cublas"},
        {"#inc\\ \nlude <cub>", 2, "cub::", "cub"},
        {"#\finclude <cub>", 1, "cub::", "cub"},
        {"\v#include\v<cub>", 1, "cub::", "cub"},
        {"// a\\\ncublas\ncublas", 3, "cublas", "cublas"},
        {"// cublas\ncublas", 2, "cublas", "cublas"},
        {"/* cublas\n */ cublas", 2, "cublas", "cublas"},
        {"/*/ cublas */", 0, NULL, NULL},
        {"/**/cublas", 1, "cublas", "cublas"},
        {"/* cublas", 0, NULL, NULL},
        {"a / cublas", 1, "cublas", "cublas"},
        {"\"cublas\" 'x' \"\\\"cublas\" '\\'x'", 0, NULL, NULL},
        {"\"a\\\\\" cublas", 1, "cublas", "cublas"},
        {"\"a\ncublas", 2, "cublas", "cublas"}, /* a text ends with its line */
        {"R\"(cublas)\" LR\"(cublas)\" u8R\"(cublas)\"", 0, NULL, NULL},
        {"R\"ab()ab cublas)ab\"", 0, NULL, NULL},
        {"R\"ab()ac\" )ab\" cublas", 1, "cublas", "cublas"},
        {"R\"(\")\"cublas", 1, "cublas", "cublas"},
        {"r\"(\" cublas", 1, "cublas", "cublas"},
        {"UR\"(cublas)\" uR\"(cublas)\"", 0, NULL, NULL},
        /* only five names begin a raw text */
        {"aR\"(\" cublas \")\"", 1, "cublas", "cublas"},
        {"abR\"(\" cublas \")\"", 1, "cublas", "cublas"},
        {"abcR\"(\" cublas", 1, "cublas", "cublas"},
        {"1'000 cublas", 1, "cublas", "cublas"},
        {"1.5x 0x1F 1'x 2x", 0, NULL, NULL}, /* suffixes of numbers */
        {"1'cublas", 0, NULL, NULL},
        {"#include <cub>", 1, "cub::", "cub"},
        {"#include <cub/a.h>", 1, "cub::", "cub/a.h"},
        {"#include <a/cub.cuh>", 1, "cub::", "a/cub.cuh"},
        {"#include <cubic.h>", 0, NULL, NULL},
        {"#include <a/mycub/b>", 0, NULL, NULL},
        {"#include \"cublasLt.h\"", 1, "cublas", "cublasLt.h"},
        {"#include \"cublasting.h\"", 1, "cublas", "cublasting.h"}, /* files by their beginning */
        {"#include \"cu\" cublas", 1, "cublas", "cublas"},
        {"\n # /* a */ include\t<cub>", 2, "cub::", "cub"},
        {"%: include <cub>", 1, "cub::", "cub"},
        {"% include <cub>", 1, "cub::", "cub"},
        {"#include_next \"cub\"", 1, "cub::", "cub"},
        {"#embed \"cub\"", 1, "cub::", "cub"},
        {"#import \"cub\"", 1, "cub::", "cub"},
        {"#includes <cubic>", 0, NULL, NULL},
        {"#define A cublas", 1, "cublas", "cublas"},
        {"#include <a\ncublas>", 2, "cublas", "cublas"},
        {"#include <a.h>\n#include <cub>", 2, "cub::", "cub"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        lib_message msg = {0};
        char want[300] = "";
        bool bad = grade_forbidden(&lab, "f.cu", rows[i].text, strlen(rows[i].text), &msg);
        CHECK_INT(bad, rows[i].line > 0);
        if (rows[i].line)
            snprintf(
                want, sizeof want,
                "f.cu:%d: this lab does not allow '%s' (found '%s'). Write the kernel yourself.",
                rows[i].line, rows[i].entry, rows[i].what);
        CHECK_STR(said(&msg), want);
        if (bad) CHECK(strstr(said_zh(&msg), "本实验不允许使用") != NULL);
    }
    lib_message msg = {0};
    CHECK(grade_forbidden(&lab, "f.cu", "a\n#include A", 12, &msg));
    CHECK_STR(
        said(&msg),
        "f.cu:2: expected a file name behind #include, not a macro: this lab looks at what is "
        "included.");
    static const grade_lab none = {.id = "x"};
    CHECK(!grade_forbidden(&none, "f.cu", "cublas", 6, &msg));
    CHECK(!grade_forbidden(&lab, "f.cu", "cublas", 5, &msg));   /* only so many bytes are read */
    CHECK(grade_forbidden(&lab, "f.cu", "a\0cublas", 8, &msg)); /* a NUL hides nothing */
}

/* Fat binaries: a header of 16 bytes, whose last 8 say how many come behind it (toolkit,
 * fatbinary_section.h). */
static void own_code(void) {
    enum { HEAD = 16, A = HEAD + 8, B = HEAD + 16 };
    uint8_t built[A + B] = {0}, other[B + A];
    built[8] = A - HEAD, built[HEAD] = 1;
    built[A + 8] = B - HEAD, built[A + HEAD] = 2;
    CHECK_INT(grade_fatbin_bytes(built, sizeof built), A);
    CHECK_INT(grade_fatbin_bytes(built + A, B), B);
    CHECK_INT(grade_fatbin_bytes(built + A, B - 1), B - 1);
    CHECK_INT(grade_fatbin_bytes(built, HEAD - 1), 0);
    CHECK(grade_own_code(built, sizeof built, built, A));
    CHECK(grade_own_code(built, sizeof built, built + A, B));
    memcpy(other, built + A, B), memcpy(other + B, built, A);
    CHECK(grade_own_code(built, sizeof built, other, sizeof other)); /* in any order */
    other[HEAD] = 3;
    CHECK(!grade_own_code(built, sizeof built, other, sizeof other));
    CHECK(!grade_own_code(built, A, built + A, B));
    CHECK(!grade_own_code("", 0, built, A));
    CHECK(!grade_own_code(built, sizeof built, built, A - 1));
}

int main(void) {
    scans();
    lines();
    own_code();
    return check_done();
}
