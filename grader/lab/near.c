/* Draws cases whose sizes are near those of the timed case, and cases with one large size. Everyone
 * knows the public sizes: without these cases a program could do what the lab asks at the timed
 * size only, or fail at every larger one.
 *
 *   near    one with a smaller first size (down to half of it), or one with a larger one; all other
 *           sizes are a little larger. The secret decides (has_way)
 *   large   for each size one case in which it is at least twice as large as in any other, and the
 *           others are small; none where such a case would cost much
 *
 * Without a secret there are none: a student's own grading takes no longer for them. A test of the
 * lab has all of them.
 *
 * The first size becomes odd. A size of a row or a tile can make any program fast or slow, so the
 * others stay multiples of the power of two (up to 32) of which they are multiples in the timed
 * case. Values from a list stay as they are. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/say.h"
#include "grader/rng.h"
#include "grader/lab/inputs.h"
#include "words/said.h"

/* The largest change of a size, as a part of it. A larger case takes as much more time. */
static const double MOST_ABOVE = 0.125, MOST_BELOW = 0.5;
/* A large size, as a multiple of the largest that other cases have: as large as it may be, from
 * twice to 16 to 32 times; to 32 to 64 times if the lab says how large it may be. If it does not,
 * the limit where it is above twice: a grid has as many rows of blocks. The bytes that the buffers
 * of such a case may have: if the lab has other sizes, which are small, and if it has none. */
static const double LARGE_FROM = 2, LARGE_TO = 16, LARGE_MOST = 65535, LARGE_BYTES = 4 << 20,
                    LARGE_ALONE = 1 << 20;

/* Returns the largest power of two up to 32 of which v is a multiple; of a v below 32, up to a
 * quarter of it. */
static double step_of(double v) {
    double step = 32;
    while (v < 32 && step > 1 && step > v / 4) step /= 2;
    while (step > 1 && fmod(v, step) != 0) step /= 2;
    return step;
}

static bool sized(const grade_range *r) {
    return !r->from_count;
}

/* The largest value for which the lab asks for right results. */
static double most_of(const grade_range *r, double timed) {
    return r->most ? r->most : timed <= r->hi ? r->hi : INFINITY;
}

/* Draws a value above v (way 1) or below it (way -1), in steps. */
static double draw_near(grade_rng *g, const grade_range *r, double v, bool odd, int way) {
    double step = odd ? 1 : step_of(v);
    if (r->multiple > step) step = r->multiple;
    double most = floor(v * (way < 0 ? MOST_BELOW : MOST_ABOVE) / step),
           n = 1 + floor(grade_rng_uniform(g) * fmax(most, 0)), near = v + way * n * step;
    if (odd && step == 1 && fmod(near, 2) == 0) near += way;
    if (near > most_of(r, v)) return v;
    return near < 1 || (v >= r->lo && near < r->lo) ? v : near;
}

static void seed_near(grade_rng *g, const grade_lab *lab, uint64_t seed, const char *what,
                      int way) {
    char label[256];
    lib_say(label, sizeof label, "%s/near/%s/%d", lab->id, what, way);
    grade_rng_seed(g, seed, label);
}

static grade_param *param_of(grade_case_result *c, const grade_range *r) {
    for (size_t k = 0; k < c->param_count; k++)
        if (c->params[k].name && !strcmp(c->params[k].name, r->name)) return &c->params[k];
    return NULL;
}

/* Changes the sizes of a copy of the timed case. Returns whether any of them changed. */
static bool make_near(const grade_lab *lab, uint64_t seed, int way, grade_case_result *c) {
    bool odd = true, changed = false;
    for (size_t i = 0; i < lab->range_count; i++) {
        grade_param *p = param_of(c, &lab->ranges[i]);
        if (!p || !sized(&lab->ranges[i]) || !(p->value >= 1)) continue;
        grade_rng g;
        seed_near(&g, lab, seed, p->name, way);
        double near = draw_near(&g, &lab->ranges[i], p->value, odd, odd ? way : 1);
        changed = changed || near != p->value;
        odd = false;
        p->value = near;
    }
    return changed;
}

/* Returns the bytes of all buffers; infinity: too many. */
static double near_bytes(const grade_lab *lab, const grade_case_result *c) {
    double all = 0;
    for (size_t i = 0; i < lab->arg_count; i++) {
        const grade_arg *a = &lab->args[i];
        lib_message ignored = {0};
        uint64_t n = 0;
        if (a->role == GRADE_SCALAR) continue;
        if (!grade_expr_count(a->count, a->name, c->params, c->param_count, &n, &ignored))
            return INFINITY;
        all += (double)n * grade_type_size(a->type);
    }
    return all;
}

/* Returns whether the sizes of buffers grow with the parameter. */
static bool is_size(const grade_lab *lab, const grade_range *r, grade_case_result *c) {
    grade_param *p = param_of(c, r);
    if (!p || !sized(r) || !(p->value >= 1)) return false;
    double now = p->value, before = near_bytes(lab, c);
    p->value = now + fmax(r->multiple, 1);
    bool grows = near_bytes(lab, c) > before;
    p->value = now;
    return grows;
}

/* Makes range `large` of a copy of the timed case large, and the others small. Returns false if the
 * lab does not ask for that, or if it would cost too much: where buffers have the square of a size,
 * work may have its cube. */
static bool make_large(const grade_lab *lab, uint64_t seed, size_t large, bool alone,
                       grade_case_result *c) {
    const grade_range *r = &lab->ranges[large];
    grade_param *p = param_of(c, r);
    double may = alone ? LARGE_ALONE : LARGE_BYTES, step = fmax(r->multiple, 1),
           most = most_of(r, p->value), top = fmax(p->value, r->hi);
    for (size_t i = 0; i < lab->case_count; i++)
        for (size_t k = 0; k < lab->cases[i].param_count; k++)
            if (!strcmp(lab->cases[i].params[k].name, r->name))
                top = fmax(top, lab->cases[i].params[k].value);
    grade_rng g;
    seed_near(&g, lab, seed, r->name, 2);
    double times = LARGE_TO * (r->most ? 2 : 1) * (1 + grade_rng_uniform(&g));
    for (size_t i = 0; i < lab->range_count; i++) {
        grade_param *o = param_of(c, &lab->ranges[i]);
        double lo = lab->ranges[i].lo, m = fmax(lab->ranges[i].multiple, 1);
        if (i == large || !o || !sized(&lab->ranges[i])) continue;
        o->value = ceil(lo / m) * m + floor(grade_rng_uniform(&g) * 3) * m;
        if (o->value > lab->ranges[i].hi) o->value = ceil(lo / m) * m;
    }
    double least = near_bytes(lab, c);
    p->value *= 2;
    bool linear = near_bytes(lab, c) <= 2 * least;
    for (; linear && times >= LARGE_FROM; times *= 0.9) { /* as large as it may be */
        double v = fmin(floor(top * times), r->most ? r->most : fmax(LARGE_MOST, LARGE_FROM * top));
        p->value = floor(fmin(v + step, most) / step) * step;
        if (p->value >= top * LARGE_FROM && near_bytes(lab, c) <= may) return true;
    }
    return false;
}

static bool copy_case(grade_case_result *to, const grade_case_result *from) {
    *to = (grade_case_result){.hidden = true};
    to->params = calloc(from->param_count + 1, sizeof *to->params);
    if (!to->params) return false;
    for (; to->param_count < from->param_count; to->param_count++) {
        const grade_param *p = &from->params[to->param_count];
        char *name = strdup(p->name);
        if (!name) return false;
        to->params[to->param_count] = (grade_param){name, p->value};
    }
    return true;
}

static void forget_case(grade_case_result *c) {
    for (size_t i = 0; i < c->param_count; i++) free((char *)c->params[i].name);
    free(c->params);
    *c = (grade_case_result){0};
}

/* Draws whether there is a case with a smaller size (way -1), with larger ones (way 1). With
 * several sizes there is one of them, mostly the smaller one, which costs less; with one, always
 * the larger one, and in half of the draws both. */
static bool has_way(const grade_lab *lab, const grade_options *o, bool several, int way) {
    char label[256];
    grade_rng g;
    if (!o->secret) return true; /* a test of the lab */
    lib_say(label, sizeof label, "%s/near", lab->id);
    grade_rng_seed(&g, o->secret, label);
    double u = grade_rng_uniform(&g);
    if (several) return (u < 0.75) == (way < 0);
    return way > 0 || u < 0.5;
}

bool grade_draw_near(const grade_lab *lab, const grade_options *o, grade_case_result **cases,
                     size_t *count, lib_message *msg) {
    size_t timed = 0, sizes = 0, numbers = 0;
    while (timed < *count && !(*cases)[timed].timed) timed++;
    if (timed == *count || !lab->hidden_cases || lab->near_none) return true;
    if (!o->secret && !o->tests_lab) return true;
    grade_case_result *more = realloc(*cases, (*count + 2 + lab->range_count) * sizeof *more);
    if (!more) goto nomem;
    *cases = more;
    uint64_t seed = o->secret ? o->secret : o->seed;
    for (size_t i = 0; i < lab->range_count; i++) {
        sizes += is_size(lab, &lab->ranges[i], &more[timed]);
        numbers += sized(&lab->ranges[i]);
    }
    for (int way = -1; way <= 1; way += 2) {
        grade_case_result *c = &more[*count];
        if (!has_way(lab, o, sizes > 1, way)) continue;
        bool copied = copy_case(c, &more[timed]);
        c->near = true;
        if (copied && make_near(lab, seed, way, c)) ++*count;
        else forget_case(c);
        if (!copied) goto nomem;
    }
    for (size_t i = 0; i < lab->range_count; i++) {
        grade_case_result *c = &more[*count];
        if (!is_size(lab, &lab->ranges[i], &more[timed])) continue;
        bool copied = copy_case(c, &more[timed]);
        c->large = true;
        if (copied && make_large(lab, seed, i, numbers < 2, c)) ++*count;
        else forget_case(c);
        if (!copied) goto nomem;
    }
    return true;
nomem:
    lib_message_set(msg, w_said_out_of_memory());
    return false;
}
