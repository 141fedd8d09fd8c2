/* Chooses the cases on which a submission is judged: the lab's public cases, then hidden cases
 * drawn from its ranges.  Hidden cases have the sizes at which kernels break: the smallest size,
 * primes, sizes just above and below powers of two and multiples of a block, and random sizes of
 * every magnitude. Each parameter goes through the same list of kinds from its own random start,
 * so that two dimensions do not always break together. In the last hidden case all parameters
 * are near the ends of their ranges, so that arrays of the public cases' sizes are too small. If
 * the range has room, a prime is larger than one block. Then two hidden cases are enough to find
 * a kernel that fails on a partly filled last block, or on more than one block. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/message.h"
#include "runner/base/say.h"
#include "grader/rng.h"
#include "grader/lab/inputs.h"
#include "words/lab.h"
#include "words/said.h"

typedef enum {
    KIND_SMALLEST,
    KIND_PRIME,
    KIND_ABOVE_POW2,
    KIND_BELOW_BLOCK,
    KIND_ABOVE_BLOCK,
    KIND_BELOW_POW2,
    KIND_ANY,
    KIND_LARGE,
    KIND_COUNT
} kind;

static uint64_t draw_below(grade_rng *g, uint64_t n) {
    return (uint64_t)(grade_rng_uniform(g) * (double)n);
}

/* Draws with equal probability per magnitude, from the upper half of the magnitudes of [lo, hi].
 * Tiny sizes find little that the smallest size does not find. */
static double draw_magnitude(grade_rng *g, double lo, double hi) {
    lo = sqrt((lo < 1 ? 1 : lo) * (hi < 1 ? 1 : hi));
    double a = log(lo < 1 ? 1 : lo), b = log(hi < 1 ? 1 : hi);
    return floor(exp(a + (b - a) * grade_rng_uniform(g)));
}

static bool is_prime(uint64_t n) {
    if (n < 2) return false;
    for (uint64_t d = 2; d * d <= n; d++)
        if (n % d == 0) return false;
    return true;
}

/* Returns the largest block of which the range has room for more than two; 0 if there is none. */
static double block_within(const grade_range *r) {
    double block = 1024;
    while (block >= 32 && block * 2 >= r->hi) block /= 2;
    return block >= 32 ? block : 0;
}

/* Returns a prime from the upper half of the magnitudes that is larger than one block. If the range
 * is too narrow for that, returns its lowest prime. */
static double draw_prime(grade_rng *g, const grade_range *r) {
    double hi = r->hi < 0x1p36 ? r->hi : 0x1p36, block = block_within(r),
           lo = block > r->lo ? block + 1 : r->lo, middle = sqrt((r->lo < 1 ? 1 : r->lo) * hi);
    double a = log(fmax(middle, lo < 1 ? 1 : lo)),
           v = floor(exp(a + (log(hi < 1 ? 1 : hi) - a) * grade_rng_uniform(g))), from = v;
    while (v > lo && !is_prime((uint64_t)v)) v--;
    if (v <= lo && !is_prime((uint64_t)v)) /* no prime from lo to v: take the next one */
        for (v = from; v < hi && !is_prime((uint64_t)v);) v++;
    return v;
}

static double draw_value(grade_rng *g, const grade_range *r, kind k) {
    double step = r->multiple >= 1 ? r->multiple : 1, v = r->lo;
    switch (k) {
    case KIND_SMALLEST: break;
    case KIND_PRIME: v = draw_prime(g, r); break;
    case KIND_ABOVE_POW2:
    case KIND_BELOW_POW2:
        v = ldexp(1, (int)floor(log2(draw_magnitude(g, r->lo, r->hi)))) +
            (k == KIND_ABOVE_POW2 ? step : -step);
        break;
    case KIND_BELOW_BLOCK:
    case KIND_ABOVE_BLOCK: {
        static const double block[] = {32, 64, 128, 256, 512, 1024};
        double b = block[draw_below(g, 6)], m = draw_magnitude(g, r->lo, r->hi);
        v = (floor(m / b) < 1 ? 1 : floor(m / b)) * b + (k == KIND_ABOVE_BLOCK ? step : -step);
        break;
    }
    case KIND_LARGE:
        v = r->hi - floor((r->hi - r->lo) * 0.1 * grade_rng_uniform(g));
        if (r->hi - r->lo >= 32 && fmod(v, 16) == 0) v--; /* the last block is not full */
        break;
    default: v = draw_magnitude(g, r->lo, r->hi); break;
    }
    v = floor(v / step) * step;
    double lo = ceil(r->lo / step) * step, hi = floor(r->hi / step) * step;
    return v < lo ? lo : v > hi ? hi : v;
}

static bool copy_params(grade_case_result *c, const grade_param *from, size_t n) {
    c->params = calloc(n ? n : 1, sizeof *c->params);
    if (!c->params) return false;
    for (; c->param_count < n; c->param_count++) {
        char *name = strdup(from[c->param_count].name);
        if (!name) return false;
        c->params[c->param_count] = (grade_param){name, from[c->param_count].value};
    }
    return true;
}

static bool same(const grade_case_result *a, const grade_case_result *b) {
    for (size_t i = 0; i < a->param_count; i++)
        if (a->params[i].value != b->params[i].value) return false;
    return true;
}

static grade_param *param_named(grade_case_result *c, const char *name) {
    for (size_t i = 0; i < c->param_count; i++)
        if (!strcmp(c->params[i].name, name)) return &c->params[i];
    return NULL;
}

/* Sets the parameters of c, which are a copy of a public case's, to those of hidden case `index`.
 * Parameters without a range keep their value. */
static bool draw_case(const grade_lab *lab, uint64_t seed, unsigned index, unsigned attempt,
                      grade_case_result *c, lib_message *msg) {
    for (size_t i = 0; i < lab->range_count; i++) {
        const grade_range *r = &lab->ranges[i];
        grade_param *p = param_named(c, r->name);
        if (!p) {
            lib_message_set(msg, w_lab_range_without_parameter(r->name));
            return false;
        }
        char label[256];
        grade_rng g;
        lib_say(label, sizeof label, "%s/hidden/%s", lab->id, r->name);
        grade_rng_seed(&g, seed, label);
        /* The first parameter starts with the smallest size, because every lab should test it. The
         * others start anywhere. */
        unsigned start = i ? (unsigned)draw_below(&g, KIND_COUNT) : 0;
        lib_say(label, sizeof label, "%s/hidden/%s/%u/%u", lab->id, r->name, index, attempt);
        grade_rng_seed(&g, seed, label);
        bool last = index && index + 1 == lab->hidden_cases;
        if (r->from_count) {
            p->value = r->from[(start + index + attempt) % r->from_count];
            continue;
        }
        p->value = draw_value(&g, r,
                              attempt > 4 ? KIND_ANY
                              : last      ? KIND_LARGE
                                          : (kind)((start + index) % KIND_COUNT));
    }
    return true;
}

bool grade_draw_cases(const grade_lab *lab, const grade_options *o, grade_case_result **cases,
                      size_t *count, lib_message *msg) {
    unsigned hidden = lab->range_count && lab->case_count ? lab->hidden_cases : 0;
    if (hidden > 64) hidden = 64;
    size_t n = 0, max = lab->case_count + hidden;
    grade_case_result *c = calloc(max ? max : 1, sizeof *c);
    *cases = c;
    *count = 0;
    if (!c) goto nomem;
    for (; n < lab->case_count; n++) {
        *count = n + 1;
        if (!copy_params(&c[n], lab->cases[n].params, lab->cases[n].param_count)) goto nomem;
        c[n].timed = lab->cases[n].timed;
        c[n].hidden = lab->cases[n].hidden;
    }
    uint64_t seed = o->secret ? o->secret : o->seed;
    for (unsigned h = 0; h < hidden; h++) {
        *count = n + 1;
        if (!copy_params(&c[n], lab->cases[0].params, lab->cases[0].param_count)) goto nomem;
        c[n].hidden = true;
        /* A duplicate finds nothing new. Draw again, and leave the case out if the ranges contain
         * no other. */
        bool fresh = false;
        for (unsigned attempt = 0; attempt < 16 && !fresh; attempt++) {
            if (!draw_case(lab, seed, h, attempt, &c[n], msg)) return false;
            fresh = true;
            for (size_t i = 0; i < n && fresh; i++)
                fresh = c[i].param_count != c[n].param_count || !same(&c[i], &c[n]);
        }
        if (fresh) n++;
        else {
            for (size_t i = 0; i < c[n].param_count; i++) free((char *)c[n].params[i].name);
            free(c[n].params);
            memset(&c[n], 0, sizeof c[n]);
        }
        *count = n;
    }
    return true;
nomem:
    lib_message_set(msg, w_said_out_of_memory());
    return false;
}
