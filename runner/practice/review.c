/* See review.h. */
#include "runner/practice/review.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "runner/base/buffer.h"
#include "runner/base/say.h"

const int review_days[REVIEW_BOXES] = {0, 1, 3, 7, 16, 35, 90};

enum { DAY_S = 24 * 3600 };

void review_told(progress_card *c, bool right, int64_t now) {
    bool first = !c->seen;
    if (!right) {
        c->box = 0;
        c->lapses++;
    } else if (first) {
        c->box = 2; /* known at the first time: need not come back tomorrow */
    } else if (c->box < REVIEW_BOXES - 1 && now >= c->due) {
        c->box++;
    }
    c->seen = now;
    c->due = now + (int64_t)review_days[c->box] * DAY_S;
}

void review_add(progress *p, const char *lab, const char *key, bool right, int64_t now) {
    progress_card c;
    progress_card_get(p, lab, key, &c);
    /* Asked before it is due: a right answer proves little, so the date stays. */
    if (right && c.seen && now < c.due) return;
    review_told(&c, right, now);
    progress_card_put(p, &c);
}

size_t review_due(progress *p, int64_t now) {
    progress_card *v;
    size_t n = progress_cards(p, now, &v);
    free(v);
    return n;
}

double review_factor(double said, double truth) {
    if (said == truth) return 1;
    double f = said / truth;
    if (!(f > 0) || isinf(f)) return INFINITY;
    return f < 1 ? 1 / f : f;
}

const char *review_factor_text(char out[32], double factor) {
    int digits = 3;
    if (factor >= 1000) return lib_figure(out, 4, factor);
    do snprintf(out, 32, "%.*g", digits, factor);
    while (factor != 1 && !strcmp(out, "1") && digits++ < 15);
    return out;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_factor(const progress_guess *v, size_t n) {
    if (!n) return 1;
    double *f = lib_malloc(n * sizeof *f);
    for (size_t i = 0; i < n; i++) f[i] = review_factor(v[i].said, v[i].truth);
    qsort(f, n, sizeof *f, by_size);
    double low = f[(n - 1) / 2], high = f[n / 2];
    free(f);
    return low == high ? low : (low + high) / 2;
}

void review_guesses(const progress_guess *v, size_t n, review_guess_sum *out) {
    *out = (review_guess_sum){.count = n, .typical = median_factor(v, n)};
    for (size_t i = 0; i < n; i++) out->hits += v[i].hit;
    if (n < 2 * REVIEW_LAST) return;
    out->trend = true;
    out->last = median_factor(v + n - REVIEW_LAST, REVIEW_LAST);
    out->before = median_factor(v + n - 2 * REVIEW_LAST, REVIEW_LAST);
}
