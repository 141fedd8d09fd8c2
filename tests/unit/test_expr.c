/* Expressions of a lab's declaration: values, and messages that point at the place. */
#include "runner/base/message.h"
#include "grader/lab/lab.h"
#include "tests/check.h"

static const grade_param P[] = {{"n", 1003}, {"w", 7}, {"h", 6}, {"alpha", 2.5}, {"zero", 0}};

static double value(const char *text) {
    lib_message msg;
    grade_expr *e = grade_expr_new(text, &msg);
    double v = -12345;
    if (!e || !grade_expr_eval(e, P, 5, &v, &msg)) printf("# %s\n", msg.text);
    grade_expr_free(e);
    return v;
}

static const char *parse_error(const char *text) {
    static lib_message msg;
    grade_expr *e = grade_expr_new(text, &msg);
    grade_expr_free(e);
    return e ? "" : msg.text;
}

static const char *eval_error(const char *text) {
    static lib_message msg;
    double v;
    grade_expr *e = grade_expr_new(text, &msg);
    bool ok = e && grade_expr_eval(e, P, 5, &v, &msg);
    grade_expr_free(e);
    return ok ? "" : msg.text;
}

int main(void) {
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
    CHECK_CONTAINS(msg.text, "'b' is -996");
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
