/* Checks an output element by element against the baseline's output. The tolerance follows from the
 * arithmetic.
 *
 * Let u be the unit roundoff. After n rounding operations the relative error is at most n*u. If the
 * roundings are nearly independent, it is at most lambda*sqrt(n)*u, with a probability that lambda
 * = 6 makes almost 1 (Higham and Mary, "A new approach to probabilistic rounding error analysis",
 * SIAM J. Sci. Comput. 41, 2019). The smaller bound is used, and doubled because the baseline
 * rounds, too. After a million additions of floats, the largest element may be wrong by 1.4e-3 of
 * its value (rtol and atol together). With n*u it could be wrong by 0.24, and a kernel that leaves
 * out a tenth of the additions would pass. */
#include "grader/judge/compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "runner/base/say.h"
#include "grader/lab/inputs.h"

enum { CELLS = 64 };

static double roundoff(grade_type t) {
    return t == GRADE_F16 ? 0x1p-11 : t == GRADE_F32 ? 0x1p-24 : t == GRADE_F64 ? 0x1p-53 : 0;
}

void grade_tolerance(const grade_arg *a, double ops, double scale, double *rtol, double *atol) {
    double g = 0;
    if (ops > 0) g = 2 * fmin(ops, 6 * sqrt(ops)) * roundoff(a->type);
    bool real = a->type >= GRADE_F16;
    *rtol = !real ? 0 : a->rtol >= 0 ? a->rtol : g;
    *atol = !real ? 0 : a->atol >= 0 ? a->atol : g * scale;
}

static bool equal(grade_type t, const char *x, const char *y, double got, double want, double rtol,
                  double atol) {
    if (t < GRADE_F16) return !memcmp(x, y, grade_type_size(t));
    if (isnan(want) || isnan(got)) return isnan(want) && isnan(got);
    if (isinf(want) || isinf(got)) return got == want;
    return fabs(got - want) <= atol + rtol * fabs(want);
}

static void text_of(grade_type t, const void *data, uint64_t i, char out[32]) {
    double v = grade_element(t, data, i);
    char digits[24];
    uint64_t bits;
    if (t < GRADE_F16) {
        if (t == GRADE_I64 || t == GRADE_U64) {
            memcpy(&bits, (const char *)data + 8 * i, 8);
            if (t == GRADE_I64) snprintf(digits, sizeof digits, "%" PRId64, (int64_t)bits);
            else snprintf(digits, sizeof digits, "%" PRIu64, bits);
        } else snprintf(digits, sizeof digits, "%.0f", v);
        lib_group(out, 32, digits);
    } else if (isfinite(v) && v != trunc(v)) /* enough digits to distinguish neighbouring values */
        lib_figure(out, t == GRADE_F16 ? 5 : t == GRADE_F32 ? 9 : 17, v);
    else lib_figure(out, 6, v);
}

static bool untouched(const char *got, uint64_t at, unsigned size, const unsigned char *poison) {
    if (!poison) return false;
    for (unsigned k = 0; k < size; k++)
        if ((unsigned char)got[at + k] != poison[(at + k) % GRADE_POISON_BYTES]) return false;
    return true;
}

static void scale_up(double *scale, double want) {
    double w = fabs(want);
    if (isfinite(w) && w > *scale) *scale = w;
}

void grade_compare(const grade_arg *a, double ops, uint64_t row, const void *got, const void *want,
                   uint64_t count, const unsigned char *poison, grade_diff *d) {
    const char *x = got, *y = want;
    unsigned size = grade_type_size(a->type);
    double scale = 0;
    memset(d, 0, sizeof *d);
    for (uint64_t i = 0; i < count && a->type >= GRADE_F16 && !row; i++)
        scale_up(&scale, grade_element(a->type, want, i));
    grade_tolerance(a, ops, scale, &d->rtol, &d->atol);
    d->blank = true;

    uint64_t wrong[CELLS] = {0}, blank[CELLS] = {0};
    for (uint64_t i = 0; i < count; i++) {
        double g = grade_element(a->type, got, i), w = grade_element(a->type, want, i);
        double error = fabs(g - w);
        if (row) {
            if (i % row == 0) scale = 0;
            scale_up(&scale, w);
            grade_tolerance(a, ops, scale, &d->rtol, &d->atol);
        }
        d->blank = d->blank && fabs(w) <= d->atol + d->rtol * fabs(w);
        if (isnan(error)) error = isnan(g) && isnan(w) ? 0 : g == w ? 0 : INFINITY;
        if (error > d->max_error) d->max_error = error;
        if (equal(a->type, x + i * size, y + i * size, g, w, d->rtol, d->atol)) continue;
        unsigned cell =
            count <= CELLS ? (unsigned)i : (unsigned)((double)i / (double)count * CELLS);
        wrong[cell]++;
        if (untouched(x, i * size, size, poison)) {
            blank[cell]++;
            d->unwritten++;
        }
        if (!d->wrong++) {
            d->first = i;
            d->expected = w;
            d->actual = g;
            text_of(a->type, want, i, d->expected_text);
            text_of(a->type, got, i, d->actual_text);
        }
    }

    unsigned cells = count < CELLS ? (unsigned)count : CELLS;
    uint64_t total[CELLS] = {0};
    for (uint64_t i = 0; i < count; i++)
        total[count <= CELLS ? (unsigned)i : (unsigned)((double)i / (double)count * CELLS)]++;
    for (unsigned c = 0; c < cells; c++) {
        uint64_t tenths = total[c] ? wrong[c] * 10 / total[c] : 0;
        d->picture[c] = !wrong[c]                                      ? '.'
                        : blank[c] == wrong[c] && wrong[c] == total[c] ? '?'
                        : wrong[c] == total[c]                         ? '#'
                                                                       : (char)('0' + tenths);
    }
}
