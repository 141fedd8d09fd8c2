/* Measured times: the ratio of medians and its interval. */
#include "grader/judge/timing.h"

#include <stdlib.h>
#include <string.h>
#include "runner/base/order.h"
#include "grader/rng.h"

enum { RESAMPLES = 1000 };

static double median(double *v, size_t n) {
    qsort(v, n, sizeof *v, lib_by_value);
    return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

static double timing_ratio(double a, double b) {
    return b > 0 ? a / b : 0;
}

void grade_bootstrap(const double *student, const double *baseline, size_t n, grade_ratio *out) {
    double *s = malloc(n * sizeof *s), *b = malloc(n * sizeof *b),
           *r = malloc(RESAMPLES * sizeof *r), *t = malloc(RESAMPLES * sizeof *t);
    memset(out, 0, sizeof *out);
    if (s && b && r && t && n) {
        memcpy(s, student, n * sizeof *s);
        memcpy(b, baseline, n * sizeof *b);
        out->student = median(s, n);
        out->baseline = median(b, n);
        out->ratio = timing_ratio(out->baseline, out->student);
        grade_rng g;
        grade_rng_seed(&g, n, "bootstrap");
        for (int k = 0; k < RESAMPLES; k++) {
            for (size_t i = 0; i < n; i++) {
                s[i] = student[(size_t)(grade_rng_uniform(&g) * (double)n)];
                b[i] = baseline[(size_t)(grade_rng_uniform(&g) * (double)n)];
            }
            double below = median(b, n), above = median(s, n);
            r[k] = timing_ratio(below, above);
            t[k] = above;
        }
        qsort(r, RESAMPLES, sizeof *r, lib_by_value);
        out->lo = r[RESAMPLES * 25 / 1000];
        out->hi = r[RESAMPLES * 975 / 1000 - 1];
        qsort(t, RESAMPLES, sizeof *t, lib_by_value);
        out->student_lo = t[RESAMPLES * 25 / 1000];
        out->student_hi = t[RESAMPLES * 975 / 1000 - 1];
    }
    free(s);
    free(b);
    free(r);
    free(t);
}
