/* Fills buffers before a call. Each argument of each set of inputs has its own stream of random
 * numbers, named by lab, case, set and argument. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/message.h"
#include "runner/base/order.h"
#include "runner/base/say.h"
#include "grader/rng.h"
#include "grader/lab/inputs.h"
#include "words/lab.h"

unsigned grade_type_size(grade_type t) {
    static const unsigned char size[] = {1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8};
    return size[t];
}

static bool is_real(grade_type t) {
    return t >= GRADE_F16;
}

double grade_half_to_double(uint16_t h) {
    unsigned exp = h >> 10 & 31, frac = h & 1023;
    double v = exp == 31 ? (frac ? NAN : INFINITY)
               : exp     ? ldexp(1024 + frac, (int)exp - 25)
                         : ldexp(frac, -24);
    return h & 0x8000 ? -v : v;
}

/* Rounds to nearest, ties to even (IEEE 754 binary16). */
uint16_t grade_double_to_half(double v) {
    uint16_t sign = signbit(v) ? 0x8000 : 0;
    double a = fabs(v);
    if (isnan(v)) return 0x7E00;
    /* halfway between the largest half and 2^16; ties go to infinity */
    if (a >= 65520) return sign | 0x7C00;
    if (a < 0x1p-14) return sign | (uint16_t)nearbyint(a * 0x1p24);
    int e;
    double m = nearbyint(frexp(a, &e) * 2048); /* a = m / 2048 * 2^e, m in 1024 .. 2048 */
    /* (e + 14) << 10 | (m - 1024); a carry to 2048 moves the exponent */
    return sign | (uint16_t)((unsigned)(e + 13) * 1024 + (unsigned)m);
}

double grade_element(grade_type t, const void *data, uint64_t i) {
    const char *at = (const char *)data + i * grade_type_size(t);
    union {
        int8_t i8;
        uint8_t u8;
        int16_t i16;
        uint16_t u16;
        int32_t i32;
        uint32_t u32;
        int64_t i64;
        uint64_t u64;
        float f32;
        double f64;
    } v;
    memcpy(&v, at, grade_type_size(t));
    switch (t) {
    case GRADE_I8: return v.i8;
    case GRADE_U8: return v.u8;
    case GRADE_I16: return v.i16;
    case GRADE_U16: return v.u16;
    case GRADE_I32: return v.i32;
    case GRADE_U32: return v.u32;
    case GRADE_I64: return (double)v.i64;
    case GRADE_U64: return (double)v.u64;
    case GRADE_F16: return grade_half_to_double(v.u16);
    case GRADE_F32: return v.f32;
    case GRADE_F64: break;
    }
    return v.f64;
}

/* Stores v as type t. Integers saturate: a range may be wider than the type, and the conversion of
 * such a value would be undefined. */
static void input_put(grade_type t, void *data, uint64_t i, double v) {
    char *at = (char *)data + i * grade_type_size(t);
    static const double lo[] = {-128, 0, -32768, 0, -2147483648.0, 0, -0x1p63, 0},
                        hi[] = {127,        255,        32767,         65535,
                                2147483647, 4294967295, 0x1p63 - 1024, 0x1p64 - 2048};
    if (!is_real(t)) v = isnan(v) ? 0 : v < lo[t] ? lo[t] : v > hi[t] ? hi[t] : trunc(v);
    int64_t s = t == GRADE_U64 || is_real(t) ? 0 : (int64_t)v;
    uint64_t u = t == GRADE_U64 ? (uint64_t)v : (uint64_t)s;
    float f = (float)v;
    uint16_t h = t == GRADE_F16 ? grade_double_to_half(v) : 0;
    switch (t) {
    case GRADE_F16: memcpy(at, &h, 2); break;
    case GRADE_F32: memcpy(at, &f, 4); break;
    case GRADE_F64: memcpy(at, &v, 8); break;
    default: memcpy(at, &u, grade_type_size(t)); break; /* little-endian: copies the low bytes */
    }
}

/* Draws a whole number in [lo, hi]. */
static double draw_whole(grade_rng *g, double lo, double hi) {
    lo = ceil(lo);
    hi = floor(hi);
    if (hi <= lo) return lo;
    double v = lo + floor(grade_rng_uniform(g) * (hi - lo + 1));
    return v > hi ? hi : v;
}

static double draw_normal(grade_rng *g) {
    double u = 1 - grade_rng_uniform(g), v = grade_rng_uniform(g); /* Box-Muller; u in (0, 1] */
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

static bool nomem(lib_message *msg) {
    lib_message_set(msg, w_lab_no_memory_inputs());
    return false;
}

static bool range_of(const grade_arg *a, const grade_param *params, size_t n, double *lo,
                     double *hi, lib_message *msg) {
    *lo = a->lo;
    *hi = a->hi;
    return (!a->lo_expr || grade_expr_eval(a->lo_expr, params, n, lo, msg)) &&
           (!a->hi_expr || grade_expr_eval(a->hi_expr, params, n, hi, msg));
}

static void seed_arg(grade_rng *g, const grade_lab *lab, size_t arg, uint64_t seed,
                     const char *label) {
    char whole[256];
    lib_say(whole, sizeof whole, "%s/%s/%s", lab->id, label, lab->args[arg].name);
    grade_rng_seed(g, seed, whole);
}

static size_t arg_of_gen(const grade_lab *lab, grade_gen gen) {
    size_t i = 0;
    while (i < lab->arg_count && (lab->args[i].gen != gen || lab->args[i].role == GRADE_SCALAR ||
                                  lab->args[i].role == GRADE_OUTPUT))
        i++;
    return i;
}

/* Makes the row offsets of a CSR matrix; `count` is rows + 1. They go from 0 to the number of
 * elements of the lab's CSR_COLS argument. The weights of the rows are evenly distributed from lo
 * to hi, so the lab decides how unequal the rows are. malloc'ed. */
static uint64_t *csr_rows(const grade_lab *lab, size_t arg, const grade_param *params, size_t n,
                          uint64_t count, uint64_t seed, const char *label, lib_message *msg) {
    const grade_arg *a = &lab->args[arg];
    double lo, hi, sum = 0, at = 0;
    uint64_t total = 0, *rows = calloc(count + 1, sizeof *rows);
    double *weight = calloc(count + 1, sizeof *weight);
    size_t cols = arg_of_gen(lab, GRADE_GEN_CSR_COLS);
    bool ok = rows && weight ? range_of(a, params, n, &lo, &hi, msg) : nomem(msg);
    if (ok && cols == lab->arg_count) {
        lib_message_set(msg, w_lab_offsets_without_columns(a->name));
        ok = false;
    }
    ok =
        ok && grade_expr_count(lab->args[cols].count, lab->args[cols].name, params, n, &total, msg);
    if (!ok) {
        free(rows);
        free(weight);
        return NULL;
    }
    grade_rng g;
    seed_arg(&g, lab, arg, seed, label);
    for (uint64_t r = 0; r + 1 < count; r++) {
        weight[r] = hi > lo ? lo + (hi - lo) * grade_rng_uniform(&g) : 1;
        if (!(weight[r] > 0)) weight[r] = 0;
        sum += weight[r];
    }
    for (uint64_t r = 0; r + 1 < count; r++) {
        at += sum > 0 ? weight[r] / sum : 1.0 / (double)(count - 1);
        double offset = floor(at * (double)total + 0.5);
        rows[r + 1] = offset > (double)total ? total : (uint64_t)offset;
    }
    if (count > 1) rows[count - 1] = total;
    free(weight);
    return rows;
}

/* Fills in column numbers, sorted within each row of the lab's CSR_ROWS argument. */
static bool csr_cols(const grade_lab *lab, size_t arg, const grade_param *params, size_t n,
                     uint64_t count, uint64_t seed, const char *label, void *out,
                     lib_message *msg) {
    const grade_arg *a = &lab->args[arg];
    double lo, hi;
    if (!range_of(a, params, n, &lo, &hi, msg)) return false;
    double *v = calloc(count + 1, sizeof *v);
    if (!v) return nomem(msg);
    grade_rng g;
    seed_arg(&g, lab, arg, seed, label);
    for (uint64_t i = 0; i < count; i++) v[i] = draw_whole(&g, lo, hi);
    size_t rows_arg = arg_of_gen(lab, GRADE_GEN_CSR_ROWS);
    bool ok = true;
    if (rows_arg < lab->arg_count) {
        uint64_t rows = 0, *offset = NULL;
        ok = grade_expr_count(lab->args[rows_arg].count, lab->args[rows_arg].name, params, n, &rows,
                              msg) &&
             (offset = csr_rows(lab, rows_arg, params, n, rows, seed, label, msg));
        for (uint64_t r = 0; ok && r + 1 < rows; r++)
            qsort(v + offset[r], offset[r + 1] - offset[r], sizeof *v, lib_by_value);
        free(offset);
    }
    for (uint64_t i = 0; ok && i < count; i++) input_put(a->type, out, i, v[i]);
    free(v);
    return ok;
}

bool grade_fill(const grade_lab *lab, size_t arg, const grade_param *params, size_t n_params,
                uint64_t count, uint64_t seed, const char *label, void *out, lib_message *msg) {
    const grade_arg *a = &lab->args[arg];
    double lo, hi;
    if (a->gen == GRADE_GEN_CSR_COLS)
        return csr_cols(lab, arg, params, n_params, count, seed, label, out, msg);
    if (a->gen == GRADE_GEN_CSR_ROWS) {
        uint64_t *rows = csr_rows(lab, arg, params, n_params, count, seed, label, msg);
        for (uint64_t i = 0; rows && i < count; i++) input_put(a->type, out, i, (double)rows[i]);
        free(rows);
        return rows != NULL;
    }
    if (!range_of(a, params, n_params, &lo, &hi, msg)) return false;
    grade_rng g;
    seed_arg(&g, lab, arg, seed, label);
    double *sorted = a->gen == GRADE_GEN_SORTED ? calloc(count + 1, sizeof *sorted) : NULL;
    if (a->gen == GRADE_GEN_SORTED && !sorted) return nomem(msg);
    for (uint64_t i = 0; i < count; i++) {
        double v = 0;
        switch (a->gen) {
        case GRADE_GEN_UNIFORM:
            v = is_real(a->type) ? lo + (hi - lo) * grade_rng_uniform(&g) : draw_whole(&g, lo, hi);
            break;
        case GRADE_GEN_INTEGERS: v = draw_whole(&g, lo, hi); break;
        case GRADE_GEN_NORMAL: v = lo + hi * draw_normal(&g); break;
        case GRADE_GEN_IOTA: v = lo + (double)i * (hi == 0 ? 1 : hi); break;
        case GRADE_GEN_CONSTANT: v = lo; break;
        case GRADE_GEN_SKEWED: {
            /* u^4: half of the values are in the lowest 6% of the range, so that atomics
             * collide. */
            double u = grade_rng_uniform(&g);
            u *= u;
            u *= u;
            v = is_real(a->type) ? lo + (hi - lo) * u : fmin(hi, lo + floor((hi - lo + 1) * u));
            break;
        }
        case GRADE_GEN_SORTED:
            sorted[i] =
                is_real(a->type) ? lo + (hi - lo) * grade_rng_uniform(&g) : draw_whole(&g, lo, hi);
            continue;
        default: break;
        }
        input_put(a->type, out, i, v);
    }
    if (sorted) {
        qsort(sorted, count, sizeof *sorted, lib_by_value);
        for (uint64_t i = 0; i < count; i++) input_put(a->type, out, i, sorted[i]);
        free(sorted);
    }
    return true;
}

/* ---- extremes ---- */

typedef enum {
    RUN_AS_DRAWN,
    RUN_EQUAL,
    RUN_LOWEST,
    RUN_HIGHEST,
    RUN_ZERO,
    RUN_TINY,
    RUN_ALL_SIZES /* real: of all magnitudes; integers: of all that the lab promises */
} run_kind;
enum { RUN_KINDS = RUN_ALL_SIZES + 1, LEAST_POWER = 60, LEAST_POWER_HALF = 6 };
static const double OUTLIERS = 1.0 / 16; /* the part of all elements that they are */

/* The value of a run, which stands in place of `drawn`. It stays in the range that the lab states.
 * Tiny values are no denormals, not even as halves. */
static double run_value(run_kind k, double drawn, double lo, double hi, grade_type t,
                        grade_rng *g) {
    bool real = is_real(t);
    unsigned least = t == GRADE_F16 ? LEAST_POWER_HALF : LEAST_POWER;
    double tiny = ldexp(drawn < 0 ? -1 : 1, -6 - (int)(grade_rng_uniform(g) * 8));
    switch (k) {
    case RUN_LOWEST: return lo;
    case RUN_HIGHEST: return hi;
    case RUN_ZERO: return lo <= 0 && hi >= 0 ? 0 : lo;
    case RUN_TINY: return real && lo <= tiny && tiny <= hi ? tiny : drawn;
    case RUN_ALL_SIZES:
        return real ? ldexp(drawn, -(int)(grade_rng_uniform(g) * least)) : draw_whole(g, lo, hi);
    default: return drawn;
    }
}

/* Of real numbers, runs are zero or small only: sums of many equal or large ones have rounding
 * errors that depend on the order of the sum, and are no fault of a program. */
static run_kind run_draw(grade_rng *g, bool real, double lo, double hi) {
    run_kind k = (run_kind)(grade_rng_uniform(g) * RUN_KINDS);
    bool has_zero = lo <= 0 && hi >= 0;
    return !real || (has_zero && k >= RUN_ZERO) ? k : RUN_AS_DRAWN;
}

bool grade_fill_extremes(const grade_lab *lab, size_t arg, const grade_param *params,
                         size_t n_params, uint64_t count, uint64_t seed, const char *label,
                         grade_extremes extremes, void *out, lib_message *msg) {
    const grade_arg *a = &lab->args[arg];
    double lo, hi;
    if (!grade_fill(lab, arg, params, n_params, count, seed, label, out, msg)) return false;
    bool drawn = a->gen == GRADE_GEN_UNIFORM || a->gen == GRADE_GEN_INTEGERS ||
                 a->gen == GRADE_GEN_NORMAL || a->gen == GRADE_GEN_SKEWED;
    if (!drawn || a->host || extremes == GRADE_AS_DRAWN) return true;
    if (!range_of(a, params, n_params, &lo, &hi, msg)) return false;
    if (a->gen == GRADE_GEN_NORMAL) {
        double mean = lo, wide = 4 * hi;
        lo = mean - wide, hi = mean + wide;
    }
    bool real = is_real(a->type), whole = extremes == GRADE_ONE_RUN && !real;
    if (a->least < a->most) lo = a->least, hi = a->most;
    if (a->gen == GRADE_GEN_INTEGERS || !real) lo = ceil(lo), hi = floor(hi);
    grade_rng g;
    char runs[128];
    lib_say(runs, sizeof runs, "%s/runs", label);
    seed_arg(&g, lab, arg, seed, runs);
    for (uint64_t at = 0; at < count;) {
        uint64_t n = (uint64_t)exp(grade_rng_uniform(&g) * log((double)count + 1));
        run_kind k = run_draw(&g, real, lo, hi);
        if (whole) n = count, k = k == RUN_AS_DRAWN || k == RUN_ALL_SIZES ? RUN_EQUAL : k;
        double v = run_value(k, grade_element(a->type, out, at), lo, hi, a->type, &g);
        for (uint64_t end = count - at < n ? count : at + n; at < end; at++) {
            if (k == RUN_ALL_SIZES)
                v = run_value(k, grade_element(a->type, out, at), lo, hi, a->type, &g);
            if (k != RUN_AS_DRAWN) input_put(a->type, out, at, v);
        }
    }
    bool more = real ? lo <= 0 && hi >= 0 : a->least < a->most && !whole;
    for (uint64_t i = 0; more && i < count; i++) /* a few of another size among many */
        if (grade_rng_uniform(&g) < OUTLIERS)
            input_put(
                a->type, out, i,
                run_value(RUN_ALL_SIZES, grade_element(a->type, out, i), lo, hi, a->type, &g));
    return true;
}
