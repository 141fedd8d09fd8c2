/* What changes when a case's function is called again at the same sizes: scalars, and data in the
 * middle of arrays. A program may keep a factor, a graph or a table for sizes that it has seen, and
 * look at a few elements only to know whether they have changed. */
#include <math.h>
#include <string.h>
#include "runner/base/say.h"
#include "grader/rng.h"
#include "grader/lab/inputs.h"

static bool same_sizes(const grade_lab *lab, const grade_param *params, size_t n,
                       const uint64_t *counts) {
    lib_message ignored = {0};
    for (size_t i = 0; i < lab->arg_count; i++) {
        uint64_t now = 0;
        if (lab->args[i].role == GRADE_SCALAR) continue;
        if (!grade_expr_count(lab->args[i].count, lab->args[i].name, params, n, &now, &ignored) ||
            now != counts[i])
            return false;
    }
    return true;
}

/* Draws another value than `now`; returns `now` if the range has no other. */
static double draw_other(const grade_range *r, grade_rng *g, double now) {
    double step = r->multiple >= 1 ? r->multiple : 1;
    for (int attempt = 0; attempt < 16; attempt++) {
        double u = grade_rng_uniform(g), v;
        if (r->from_count) v = r->from[(size_t)(u * (double)r->from_count)];
        else v = ceil(r->lo / step) * step + floor(u * floor((r->hi - r->lo) / step + 1)) * step;
        if (v != now && v >= r->lo && v <= r->hi) return v;
    }
    return now;
}

/* Changes parameter p if the range has another value with which all sizes are the same. */
static bool change(const grade_lab *lab, const grade_range *r, grade_rng *g, grade_param *params,
                   size_t n, grade_param *p, const uint64_t *counts) {
    double now = p->value;
    p->value = draw_other(r, g, now);
    if (p->value != now && same_sizes(lab, params, n, counts)) return true;
    p->value = now;
    return false;
}

void grade_draw_again(const grade_lab *lab, uint64_t seed, size_t index, grade_param *params,
                      size_t n) {
    enum { ARGS = 64 };
    uint64_t counts[ARGS] = {0};
    lib_message ignored = {0};
    char label[256];
    grade_rng g;
    if (lab->arg_count > ARGS || !lab->range_count) return;
    for (size_t i = 0; i < lab->arg_count; i++)
        if (lab->args[i].role != GRADE_SCALAR &&
            !grade_expr_count(lab->args[i].count, lab->args[i].name, params, n, &counts[i],
                              &ignored))
            return;
    lib_say(label, sizeof label, "%s/again", lab->id);
    grade_rng_seed(&g, seed, label);
    size_t first = index + (size_t)(grade_rng_uniform(&g) * (double)lab->range_count);
    lib_say(label, sizeof label, "%s/again/%zu", lab->id, index);
    grade_rng_seed(&g, seed, label);
    for (size_t k = 0; k < lab->range_count; k++) {
        const grade_range *r = &lab->ranges[(first + k) % lab->range_count];
        for (size_t i = 0; i < n; i++)
            if (!strcmp(params[i].name, r->name) &&
                change(lab, r, &g, params, n, &params[i], counts))
                return;
    }
}

void grade_keep_some(const grade_lab *lab, size_t arg, const grade_param *params, size_t n_params,
                     uint64_t count, uint64_t seed, const char *label, grade_extremes extremes,
                     const void *earlier, void *out) {
    const grade_arg *a = &lab->args[arg];
    size_t size = grade_type_size(a->type);
    lib_message ignored = {0};
    double hi = INFINITY;
    bool drawn = a->gen == GRADE_GEN_UNIFORM || a->gen == GRADE_GEN_INTEGERS ||
                 a->gen == GRADE_GEN_NORMAL || a->gen == GRADE_GEN_SKEWED;
    if (!drawn || (!a->host && extremes == GRADE_ONE_RUN)) return; /* or all elements are equal */
    /* a range that follows another scalar */
    if (a->lo_expr || (a->hi_expr && !grade_expr_eval(a->hi_expr, params, n_params, &hi, &ignored)))
        return;
    char whole[256];
    grade_rng g;
    lib_say(whole, sizeof whole, "%s/%s/keep/%s", lab->id, label, a->name);
    grade_rng_seed(&g, seed, whole);
    for (uint64_t i = 0; i < count; i++) {
        bool keep = !i || i + 1 == count || (a->host && grade_rng_uniform(&g) < 0.5);
        if (keep && grade_element(a->type, earlier, i) <= hi)
            memcpy((char *)out + i * size, (const char *)earlier + i * size, size);
    }
}
