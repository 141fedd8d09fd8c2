/* The statistics behind a measured verdict, on samples whose answer is known. */
#include "grader/judge/timing.h"
#include "grader/rng.h"
#include "tests/check.h"

#include <stdlib.h>

enum { MOST = 200 };
static double s[MOST], b[MOST];

/* Normal noise by the central limit theorem: twelve uniforms have variance 1. */
static double noise(grade_rng *g) {
    double sum = -6;
    for (int i = 0; i < 12; i++) sum += grade_rng_uniform(g);
    return sum;
}

static void exact(void) {
    grade_ratio q;
    for (int i = 0; i < 10; i++) s[i] = 50, b[i] = 150;
    grade_bootstrap(s, b, 10, &q);
    CHECK_NEAR(q.ratio, 3, 0);
    CHECK_NEAR(q.lo, 3, 0);
    CHECK_NEAR(q.hi, 3, 0);
    CHECK_NEAR(q.student_lo, 50, 0);
    CHECK_NEAR(q.student_hi, 50, 0);
    /* Times below a microsecond are times as well, and of no time there is no ratio. */
    for (int i = 0; i < 10; i++) s[i] = 0.25, b[i] = 0.75;
    grade_bootstrap(s, b, 10, &q);
    CHECK(q.ratio == 3 && q.lo == 3 && q.hi == 3);
    CHECK(q.student == 0.25 && q.baseline == 0.75);
    CHECK(q.student_lo == 0.25 && q.student_hi == 0.25);
    for (int i = 0; i < 10; i++) s[i] = 0;
    grade_bootstrap(s, b, 10, &q);
    CHECK(q.ratio == 0 && q.lo == 0 && q.hi == 0);
    for (int i = 0; i < 10; i++) s[i] = 50, b[i] = 150;
    /* One sample says nothing of its spread, and is its own interval. */
    grade_bootstrap(s, b, 1, &q);
    CHECK(q.lo == 3 && q.hi == 3);
    CHECK(q.student == 50 && q.baseline == 150 && q.student_lo == 50 && q.student_hi == 50);
    /* Of none there is nothing. */
    grade_bootstrap(s, b, 0, &q);
    CHECK(!q.ratio && !q.lo && !q.hi && !q.student && !q.baseline && !q.student_lo &&
          !q.student_hi);
    /* The median of 1, 2, 3 is 2. */
    for (int i = 0; i < 3; i++) s[i] = 3 - i, b[i] = 10;
    grade_bootstrap(s, b, 3, &q);
    CHECK(q.student == 2 && q.ratio == 5);
    /* The median of 1, 2, 3, 4 is 2.5. */
    for (int i = 0; i < 4; i++) s[i] = i + 1, b[i] = 10;
    grade_bootstrap(s, b, 4, &q);
    CHECK_NEAR(q.student, 2.5, 0);
    CHECK_NEAR(q.ratio, 4, 0);
    CHECK(q.student_lo >= 1 && q.student_hi <= 4 && q.student_lo < 2.5 && q.student_hi > 2.5);
}

/* A hiccup of the machine in a few samples moves nothing. */
static void outliers(void) {
    grade_ratio q;
    for (int i = 0; i < 40; i++) s[i] = 100 + i % 3, b[i] = 200 + i % 3;
    s[3] = s[17] = 1e6;
    b[8] = 1e6;
    grade_bootstrap(s, b, 40, &q);
    CHECK_NEAR(q.ratio, 201.0 / 101, 0.03);
    CHECK(q.lo > 1.9 && q.hi < 2.1);
}

/* Of intervals at 95% about 95 in a hundred hold the true ratio; and four times the samples halve
 * them. */
static void coverage(void) {
    grade_rng g;
    grade_rng_seed(&g, 1, "coverage");
    int held = 0;
    double width[2] = {0};
    const size_t sizes[2] = {20, 80};
    for (int k = 0; k < 200; k++)
        for (int w = 0; w < 2; w++) {
            grade_ratio q;
            for (size_t i = 0; i < sizes[w]; i++)
                s[i] = 100 + 5 * noise(&g), b[i] = 200 + 10 * noise(&g);
            grade_bootstrap(s, b, sizes[w], &q);
            if (!w) held += q.lo <= 2 && q.hi >= 2;
            width[w] += q.hi - q.lo;
        }
    /* 190 of 200 are expected; under 178 or all of them would be four standard deviations off. */
    CHECK(held >= 178 && held < 200);
    printf("# %d of 200 intervals hold the ratio; widths %.4f and %.4f\n", held, width[0] / 200,
           width[1] / 200);
    CHECK_NEAR(width[0] / width[1], 2, 0.4);
}

static void repeatable(void) {
    grade_ratio q, again;
    for (int i = 0; i < 30; i++) s[i] = 10 + i % 7, b[i] = 20 + i % 5;
    grade_bootstrap(s, b, 30, &q);
    grade_bootstrap(s, b, 30, &again);
    CHECK(q.lo == again.lo && q.hi == again.hi);
}

int main(void) {
    exact();
    outliers();
    coverage();
    repeatable();
    return check_done();
}
