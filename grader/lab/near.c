/* Draws cases whose sizes are near those of the timed case. Everyone knows the timed size: without
 * these cases a program could do what the lab asks at that size only, or fail at every larger one.
 *
 *   timed case --> one with a smaller first size, or one with all sizes larger: the secret decides
 *              --> both, in a test of the lab
 *
 * Without a secret there are none: a student's own grading takes no longer for them.
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

/* The largest change of a size, as a part of it. A call takes as much more time. */
static const double MOST = 0.125;

/* Returns the largest power of two up to 32 of which v is a multiple; of a v below 32, up to a
 * quarter of it. */
static double step_of(double v) {
    double step = 32;
    while (v < 32 && step > 1 && step > v / 4) step /= 2;
    while (step > 1 && fmod(v, step) != 0) step /= 2;
    return step;
}

/* Draws a value above v (way 1) or below it (way -1), in steps. Where v is within the lab's range
 * its ends hold; most timed sizes are above it. */
static double draw_near(grade_rng *g, const grade_range *r, double v, bool odd, int way) {
    double step = odd ? 1 : step_of(v);
    if (r->multiple > step) step = r->multiple;
    double most = floor(v * MOST / step), n = 1 + floor(grade_rng_uniform(g) * fmax(most, 0));
    double near = v + way * n * step;
    if (odd && step == 1 && fmod(near, 2) == 0) near += way;
    if (v <= r->hi && near > r->hi) return v;
    return near < 1 || (v >= r->lo && near < r->lo) ? v : near;
}

static const grade_range *range_of(const grade_lab *lab, const char *name) {
    for (size_t i = 0; i < lab->range_count; i++)
        if (!strcmp(lab->ranges[i].name, name) && !lab->ranges[i].from_count)
            return &lab->ranges[i];
    return NULL;
}

/* Changes the sizes of a copy of the timed case. Returns whether any of them changed. */
static bool make_near(const grade_lab *lab, uint64_t seed, int way, grade_case_result *c) {
    bool odd = true, changed = false;
    for (size_t i = 0; i < lab->range_count; i++)
        for (size_t k = 0; k < c->param_count; k++) {
            grade_param *p = &c->params[k];
            if (!p->name || strcmp(p->name, lab->ranges[i].name) != 0 || !range_of(lab, p->name))
                continue;
            if (!(p->value >= 1) || (way < 0 && !odd)) continue;
            char label[256];
            grade_rng g;
            lib_say(label, sizeof label, "%s/near/%s/%d", lab->id, p->name, way);
            grade_rng_seed(&g, seed, label);
            double near = draw_near(&g, &lab->ranges[i], p->value, odd, way);
            changed = changed || near != p->value;
            odd = false;
            p->value = near;
        }
    return changed;
}

static bool copy_case(grade_case_result *to, const grade_case_result *from) {
    *to = (grade_case_result){.hidden = true, .near = true};
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

/* Draws whether the sizes are smaller (-1) or larger (1). */
static int way_of(const grade_lab *lab, uint64_t seed) {
    char label[256];
    grade_rng g;
    lib_say(label, sizeof label, "%s/near", lab->id);
    grade_rng_seed(&g, seed, label);
    return grade_rng_uniform(&g) < 0.5 ? -1 : 1;
}

bool grade_draw_near(const grade_lab *lab, const grade_options *o, grade_case_result **cases,
                     size_t *count, lib_message *msg) {
    size_t timed = 0;
    while (timed < *count && !(*cases)[timed].timed) timed++;
    if (timed == *count || !lab->hidden_cases || lab->near_none) return true;
    if (!o->secret && !o->tests_lab) return true;
    grade_case_result *more = realloc(*cases, (*count + 2) * sizeof *more);
    if (!more) goto nomem;
    *cases = more;
    for (int way = -1; way <= 1; way += 2) {
        grade_case_result *c = &more[*count];
        if (o->secret && way != way_of(lab, o->secret)) continue;
        bool copied = copy_case(c, &more[timed]);
        if (copied && make_near(lab, o->secret ? o->secret : o->seed, way, c)) ++*count;
        else forget_case(c);
        if (!copied) goto nomem;
    }
    return true;
nomem:
    lib_message_set(msg, w_said_out_of_memory());
    return false;
}
