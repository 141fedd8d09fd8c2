/* Expressions of a lab's declaration: values, and messages that point at the place. */
#include "runner/base/message.h"
#include "grader/lab/inputs.h"
#include "grader/lab.h"
#include "tests/check.h"
#include "tests/said.h"

static const grade_param P[] = {{"n", 1003}, {"w", 7}, {"h", 6}, {"alpha", 2.5}, {"zero", 0}};

static double value(const char *text) {
    lib_message msg;
    grade_expr *e = grade_expr_new(text, &msg);
    double v = -12345;
    if (!e || !grade_expr_eval(e, P, 5, &v, &msg)) printf("# %s\n", said(&msg));
    grade_expr_free(e);
    return v;
}

static const char *parse_error(const char *text) {
    static lib_message msg;
    grade_expr *e = grade_expr_new(text, &msg);
    grade_expr_free(e);
    return e ? "" : said(&msg);
}

static const char *eval_error(const char *text) {
    static lib_message msg;
    double v;
    grade_expr *e = grade_expr_new(text, &msg);
    bool ok = e && grade_expr_eval(e, P, 5, &v, &msg);
    grade_expr_free(e);
    return ok ? "" : said(&msg);
}

/* How deep, how long and how large: the last that is taken, and the first that is not. */
static void limits(void) {
    /* 32 deep: the outermost sum is one, each parenthesis and each sign one more. */
    static const struct {
        char open;
        int count;
        bool taken;
    } nested[] = {{'(', 31, true}, {'(', 32, false}, {'-', 31, true}, {'-', 32, false}};
    for (size_t i = 0; i < sizeof nested / sizeof *nested; i++) {
        char text[80] = "";
        int n = nested[i].count;
        memset(text, nested[i].open, (size_t)n);
        text[n] = '1';
        if (nested[i].open == '(') memset(text + n + 1, ')', (size_t)n);
        CHECK(!strcmp(parse_error(text), "") == nested[i].taken);
        if (nested[i].taken) CHECK_NEAR(value(text), nested[i].open == '-' ? -1 : 1, 0);
    }
    /* What is closed counts no more. */
    char row[401] = "0";
    for (int i = 0; i < 40; i++) strcat(row, "+-1");
    for (int i = 0; i < 40; i++) strcat(row, "+(1)");
    CHECK_NEAR(value(row), 0, 0);
    /* 256 operations: 128 numbers and 127 sums are 255. */
    strcpy(row, "1");
    for (int i = 0; i < 127; i++) strcat(row, "+1");
    CHECK_NEAR(value(row), 128, 0);
    char sign[401] = "-";
    strcat(sign, row);
    CHECK_NEAR(value(sign), 126, 0); /* 256 */
    strcat(row, "+1");
    CHECK_CONTAINS(parse_error(row), "too many operations");
    /* 400 characters */
    char blank[402];
    memset(blank, ' ', sizeof blank);
    blank[401] = 0;
    blank[200] = '7';
    CHECK_STR(parse_error(blank), "more than 400 characters in the expression\n  \n  ^");
    blank[400] = 0;
    CHECK_NEAR(value(blank), 7, 0);
    /* A number has at most 63 characters and is at most 2^53. */
    char digits[70];
    memset(digits, '0', sizeof digits);
    digits[62] = '9', digits[63] = 0;
    CHECK_NEAR(value(digits), 9, 0);
    digits[62] = '0', digits[63] = '9', digits[64] = 0;
    CHECK_CONTAINS(parse_error(digits), "expected a number in");
    CHECK_NEAR(value("9007199254740992"), 0x1p53, 0);
    CHECK_CONTAINS(parse_error("9007199254740994"), "a number past 2^53");
    CHECK_NEAR(value("9007199254740991 + 1"), 0x1p53, 0);
    CHECK_CONTAINS(eval_error("9007199254740992 + 2"), "a value past 2^53");
    CHECK_NEAR(value("-9007199254740992"), -0x1p53, 0);
    CHECK_CONTAINS(eval_error("0 - 9007199254740992 - 2"), "a value past 2^53");
    static const grade_param big[] = {{"b", -0x1p53}, {"c", -0x1p53 - 2}, {"nan", NAN}};
    lib_message msg;
    double v;
    for (size_t i = 0; i < 3; i++) {
        grade_expr *e = grade_expr_new(big[i].name, &msg);
        CHECK(e && grade_expr_eval(e, big, 3, &v, &msg) == (i == 0));
        if (i) CHECK_CONTAINS(said(&msg), "a value past 2^53");
        else CHECK_NEAR(v, -0x1p53, 0);
        grade_expr_free(e);
    }
}

/* Numbers as they are written, and what is said of those that are none, at their place. */
static void written(void) {
    static const struct {
        const char *text;
        double value;
    } good[] = {{"0", 0},
                {"007", 7},
                {"5.", 5},
                {"0.25", 0.25},
                {"1e2", 100},
                {"1E+2", 100},
                {"25e-2", 0.25},
                {"1.e1", 10},
                {"\t2\t*\t3\t", 6},
                {"7%4", 3},
                {"7 / 2.", 3},
                {"7 / 2.5", 2.8},
                {"7.5 / 2", 3.75},
                {"min(2,2)", 2},
                {"max( w , h )", 7},
                {"min(h, w)", 6},
                {"ceil_div(8, 4)", 2},
                {"ceil_div(9, 4)", 3},
                {"ceil_div(-9, 4)", -2},
                {"ceil_log2(2)", 1},
                {"ceil_log2(3)", 2},
                {"ceil_log2(1.5)", 1},
                {"- w", -7},
                {"w - -h", 13},
                {"0 * -1", 0},
                {"alpha", 2.5},
                {"(w)", 7},
                {"w--h", 13},
                {"2*3%4", 2},
                {"2-3*4+1", -9}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        printf("# %s\n", good[i].text);
        CHECK_NEAR(value(good[i].text), good[i].value, 0);
        CHECK(!signbit(value(good[i].text)) || good[i].value < 0); /* no -0 */
    }
    static const struct {
        const char *text, *what;
        int at;
    } bad[] = {{"1e", "expected an operator between the number and the name", 1},
               {"1e+", "expected an operator between the number and the name", 1},
               {"3_", "expected an operator between the number and the name", 1},
               {"1 + 2n", "expected an operator between the number and the name", 5},
               {"1..2", "expected an operator or the end", 2},
               {"w )", "expected an operator or the end", 2},
               {"(w h", "expected ')'", 3},
               {"min(w h)", "expected ','", 6},
               {"min(w, h, n)", "expected ')'", 8},
               {"ceil_log2(w, h)", "expected ')'", 11},
               {"1 + mi(w, h)", "no such function (there are min, max, ceil_div, ceil_log2)", 4},
               {"minn(w, h)", "no such function (there are min, max, ceil_div, ceil_log2)", 0},
               {"ceil_log(w)", "no such function (there are min, max, ceil_div, ceil_log2)", 0},
               {"1 + .", "expected a number", 4},
               {"w * /", "expected a number, a name or '('", 4},
               {"w *", "expected a number, a name or '(' at the end", 3}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char want[200];
        snprintf(want, sizeof want, "%s in the expression\n  %s\n  %*s^", bad[i].what, bad[i].text,
                 bad[i].at, "");
        CHECK_STR(parse_error(bad[i].text), want);
    }
    static const struct {
        const char *text, *what;
        int at;
    } wrong[] = {{"w + m", "no parameter of that name in the case", 4},
                 {"w + ww", "no parameter of that name in the case", 4},
                 {"alph", "no parameter of that name in the case", 0},
                 {"w / zero", "division by zero", 2},
                 {"w % .5", "whole numbers are needed", 2},
                 {".5 % w", "whole numbers are needed", 3},
                 {"1 + ceil_div(.5, 2)", "whole numbers are needed", 4},
                 {"ceil_log2(.5)", "ceil_log2 of a number below 1", 0},
                 {"1 + 9007199254740992 * 9007199254740992", "a value past 2^53", 21}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char want[200];
        snprintf(want, sizeof want, "%s in the expression\n  %s\n  %*s^", wrong[i].what,
                 wrong[i].text, wrong[i].at, "");
        CHECK_STR(eval_error(wrong[i].text), want);
    }
}

/* A number of elements: whole, from 0 to 2^40. */
static void counted(void) {
    static const struct {
        const char *text;
        bool ok;
        uint64_t count;
        const char *said;
    } rows[] = {{"0", true, 0, ""},
                {"1099511627776", true, (uint64_t)1 << 40, ""},
                {"1099511627777", false, 0, "1,099,511,627,777"},
                {"-1", false, 0, "-1"},
                {"zero - 0.5", false, 0, "-0.5"},
                {"alpha", false, 0, "2.5"},
                {"zero / zero", false, 0, NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        lib_message msg = {0};
        uint64_t count = 77;
        grade_expr *e = grade_expr_new(rows[i].text, &msg);
        CHECK_INT(grade_expr_count(e, "b", P, 5, &count, &msg), rows[i].ok);
        CHECK_INT(count, rows[i].ok ? rows[i].count : 77);
        char want[200] = "division by zero in the expression\n  zero / zero\n       ^";
        if (rows[i].said && !rows[i].ok)
            snprintf(want, sizeof want,
                     "the number of elements of 'b' is %s: expected a whole number from 0 to "
                     "2^40\n  %s",
                     rows[i].said, rows[i].text);
        CHECK_STR(said(&msg), rows[i].ok ? "" : want);
        grade_expr_free(e);
    }
    uint64_t none = 77;
    CHECK(grade_expr_count(NULL, "b", P, 5, &none, NULL));
    CHECK_INT(none, 0);
}

int main(void) {
    limits();
    written();
    counted();
    CHECK_NEAR(value("n"), 1003, 0);
    CHECK_NEAR(value("w*h"), 42, 0);
    CHECK_NEAR(value(" 2 + 3 * 4 "), 14, 0);
    CHECK_NEAR(value("(2 + 3) * 4"), 20, 0);
    CHECK_NEAR(value("10 - 4 - 3"), 3, 0);
    CHECK_NEAR(value("100 / 7 / 2"), 7, 0);
    CHECK_NEAR(value("-7 / 2"), -3, 0); /* as in C */
    CHECK_NEAR(value("-7 % 4"), -3, 0);
    CHECK_NEAR(value("- - 5"), 5, 0);
    CHECK_NEAR(value("2 * -3"), -6, 0);
    CHECK_NEAR(value("alpha / 2"), 1.25, 0);
    CHECK_NEAR(value("1.5e2"), 150, 0);
    CHECK_NEAR(value(".5"), 0.5, 0);
    CHECK_NEAR(value("ceil_div(n, 256)"), 4, 0);
    CHECK_NEAR(value("ceil_div(n + 21, 256)"), 4, 0);
    CHECK_NEAR(value("ceil_div(n + 22, 256)"), 5, 0);
    CHECK_NEAR(value("ceil_log2(n)"), 10, 0);
    CHECK_NEAR(value("ceil_log2(1024)"), 10, 0);
    CHECK_NEAR(value("ceil_log2(1025)"), 11, 0);
    CHECK_NEAR(value("ceil_log2(1)"), 0, 0);
    CHECK_NEAR(value("min(w, h) + max(w, h)"), 13, 0);
    CHECK_NEAR(value("9007199254740991 / 3"), 3002399751580330.0, 0);
    CHECK_NEAR(value("9007199254740991 % 2"), 1, 0);

    CHECK_CONTAINS(parse_error("n * + 2"), "expected a number, a name or '('");
    CHECK_CONTAINS(parse_error("n * + 2"), "\n  n * + 2\n      ^"); /* under the plus */
    CHECK_CONTAINS(parse_error("n +"), "at the end");
    CHECK_CONTAINS(parse_error(""), "at the end");
    CHECK_CONTAINS(parse_error("(n"), "expected ')'");
    CHECK_CONTAINS(parse_error("min(n)"), "expected ','");
    CHECK_CONTAINS(parse_error("sqrt(n)"), "no such function");
    CHECK_CONTAINS(parse_error("n n"), "expected an operator");
    CHECK_CONTAINS(parse_error("2n"), "between the number and the name");
    CHECK_CONTAINS(parse_error("0x10"), "between the number and the name");
    CHECK_CONTAINS(parse_error("n; rm"), "expected an operator or the end");
    CHECK_CONTAINS(parse_error("99999999999999999"), "2^53");
    CHECK_CONTAINS(parse_error("."), "expected a number");
    char deep[300];
    memset(deep, '(', 200);
    strcpy(deep + 200, "1");
    CHECK_CONTAINS(parse_error(deep), "too deeply");
    memset(deep, '-', 200);
    CHECK_CONTAINS(parse_error(deep), "too deeply");
    char many[401] = "1";
    for (int i = 0; i < 150; i++) strcat(many, "+1");
    CHECK_CONTAINS(parse_error(many), "too many operations");

    CHECK_CONTAINS(eval_error("n + m"), "no parameter of that name");
    CHECK_CONTAINS(eval_error("n + m"), "\n      ^");
    CHECK_CONTAINS(eval_error("n / zero"), "division by zero");
    CHECK_CONTAINS(eval_error("n % zero"), "division by zero");
    CHECK_CONTAINS(eval_error("ceil_div(n, zero)"), "division by zero");
    CHECK_CONTAINS(eval_error("9007199254740992 * 2"), "2^53");
    CHECK_CONTAINS(eval_error("alpha % 2"), "whole numbers");
    CHECK_CONTAINS(eval_error("ceil_log2(zero)"), "below 1");

    lib_message msg;
    uint64_t count = 0;
    grade_expr *e = grade_expr_new("w - n", &msg);
    CHECK(!grade_expr_count(e, "b", P, 5, &count, &msg));
    CHECK_CONTAINS(said(&msg), "'b' is -996");
    grade_expr_free(e);
    e = grade_expr_new("alpha", &msg);
    CHECK(!grade_expr_count(e, "b", P, 5, &count, &msg));
    grade_expr_free(e);
    e = grade_expr_new("n * 4", &msg);
    CHECK(grade_expr_count(e, "b", P, 5, &count, &msg));
    CHECK_INT(count, 4012);
    grade_expr_free(e);
    return check_done();
}
