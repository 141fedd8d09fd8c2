/* The unit tests' whole framework. A test program includes this once, calls CHECK and friends, and
 * ends with `return check_done();`. Each CHECK prints one line, "ok FILE:LINE what" or "not ok
 * FILE:LINE what (why)"; tests/run counts those lines. */
#ifndef WARPLAB_CHECK_H
#define WARPLAB_CHECK_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int check_failures, check_count;

static inline int check_that(int ok, const char *file, int line, const char *what,
                             const char *why) {
    check_count++;
    if (!ok) check_failures++;
    printf("%sok %s:%d %s%s%s%s\n", ok ? "" : "not ", file, line, what, ok ? "" : " (",
           ok ? "" : why, ok ? "" : ")");
    fflush(stdout);
    return ok;
}
/* An expression: whether the condition holds. An analyser sees that what follows depends on it. */
#define CHECK(cond)                                                                                \
    ({                                                                                             \
        bool holds_ = (cond);                                                                      \
        check_that(holds_, __FILE__, __LINE__, #cond, "false");                                    \
        holds_;                                                                                    \
    })
#define CHECK_INT(got, want)                                                                       \
    do {                                                                                           \
        long long g_ = (long long)(got), w_ = (long long)(want);                                   \
        char why_[96];                                                                             \
        snprintf(why_, sizeof why_, "got %lld (0x%llx), want %lld", g_, g_, w_);                   \
        check_that(g_ == w_, __FILE__, __LINE__, #got " == " #want, why_);                         \
    } while (0)
#define CHECK_STR(got, want)                                                                       \
    do {                                                                                           \
        const char *g_ = (got), *w_ = (want);                                                      \
        char why_[512];                                                                            \
        snprintf(why_, sizeof why_, "got \"%.240s\", want \"%.240s\"", g_ ? g_ : "NULL",           \
                 w_ ? w_ : "NULL");                                                                \
        check_that(g_ &&w_ && !strcmp(g_, w_), __FILE__, __LINE__, #got, why_);                    \
    } while (0)
#define CHECK_CONTAINS(got, part)                                                                  \
    do {                                                                                           \
        const char *g_ = (got);                                                                    \
        char why_[900];                                                                            \
        snprintf(why_, sizeof why_, "\"%.800s\"", g_ ? g_ : "NULL");                               \
        check_that(g_ &&strstr(g_, part), __FILE__, __LINE__, #got " contains " #part, why_);      \
    } while (0)
#define CHECK_NEAR(got, want, tol)                                                                 \
    do {                                                                                           \
        double g_ = (got), w_ = (want);                                                            \
        char why_[96];                                                                             \
        snprintf(why_, sizeof why_, "got %.9g, want %.9g", g_, w_);                                \
        check_that(fabs(g_ - w_) <= (tol), __FILE__, __LINE__, #got " ~ " #want, why_);            \
    } while (0)

/* make test FAST=1: without what takes long. In a whole run FAST is there and empty. */
static inline bool check_fast(void) {
    const char *fast = getenv("FAST");
    return fast && *fast;
}

static inline int check_done(void) {
    return check_failures || !check_count ? 1 : 0;
}

#endif
