/* What the grader's files share and nobody else sees. Reading order: expr.c and rng.c (values),
 * cases.c (which cases), inputs.c (what the buffers hold), run.c (one grading), compare.c
 * (outputs), goals.c and metrics.c (points), result.c, then report_*.c. */
#ifndef WARPLAB_GRADER_INTERNAL_H
#define WARPLAB_GRADER_INTERNAL_H

#include "runner/base/message.h"
#include "grader/grade.h"
#include "runner/base/sha256.h"

/* ---- text.c ---- */
/* snprintf that cuts at a whole UTF-8 character. */
void grade_say(char *buf, size_t n, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
#define SAY(buf, fmt, ...) grade_say(buf, sizeof(buf), fmt, ##__VA_ARGS__)
/* The same sentence in both languages; both formats are checked. The buffers must be arrays. */
#define SAY2(en_buf, zh_buf, en, zh, ...)                                                          \
    (grade_say(en_buf, sizeof(en_buf), en, ##__VA_ARGS__),                                         \
     grade_say(zh_buf, sizeof(zh_buf), zh, ##__VA_ARGS__))

/* A text that grows; `failed` once memory ran out, then everything else is ignored and buf_take
 * gives NULL. */
typedef struct {
    char *data;
    size_t len, cap;
    bool failed;
} grade_buf;
void buf_add(grade_buf *b, const char *s, size_t n);
void buf_puts(grade_buf *b, const char *s);
void buf_printf(grade_buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
char *buf_take(grade_buf *b); /* NUL-terminated, the caller frees */

/* Valid UTF-8 without control characters but newline and tab: bytes that are not become U+FFFD.
 * NULL gives "". malloc'ed. */
char *grade_clean(const char *s, size_t n);
/* A number as a person writes it: 6 significant digits, no trailing zeros, NaN and infinity by
 * name. */
const char *grade_number(char buf[32], double v);

/* ---- expr.c ---- */
/* Evaluates a buffer's element count: whole, 0 .. 2^40. NULL counts as 0. */
bool grade_expr_count(const grade_expr *e, const char *what, const grade_param *params, size_t n,
                      uint64_t *count, lib_message *msg);

/* ---- cases.c ---- */
/* The public cases in order, then the hidden ones drawn with the options' secret. Names and values
 * are malloc'ed into each result. */
bool grade_draw_cases(const grade_lab *lab, const grade_options *o, grade_case_result **cases,
                      size_t *count, lib_message *msg);

/* ---- inputs.c ---- */
/* Fills `count` elements of argument `arg`; `label` names seed, case and set of inputs ("case 3/set
 * 1"). */
bool grade_fill(const grade_lab *lab, size_t arg, const grade_param *params, size_t n_params,
                uint64_t count, uint64_t seed, const char *label, void *out, lib_message *msg);
double grade_half_to_double(uint16_t h);
uint16_t grade_double_to_half(double v);
/* Element i of a buffer, for comparison and messages. */
double grade_element(grade_type t, const void *data, uint64_t i);

/* ---- compare.c ---- */
typedef struct {
    uint64_t wrong, first; /* first: index of the first wrong element */
    uint64_t unwritten;    /* wrong elements that still hold poison */
    double max_error;  /* largest finite |got - want|; infinity when a NaN or infinity differs */
    double rtol, atol; /* what was allowed */
    double expected, actual;
    char expected_text[32], actual_text[32]; /* exact, also for 64-bit integers */
    char picture[65];
} grade_diff;
enum { GRADE_POISON_BYTES = 8 };
/* poison: the bytes that an untouched element holds, repeating every GRADE_POISON_BYTES from the
 * buffer's start, or NULL. */
void grade_compare(const grade_arg *a, double ops, const void *got, const void *want,
                   uint64_t count, const unsigned char *poison, grade_diff *d);
void grade_tolerance(const grade_arg *a, double ops, double scale, double *rtol, double *atol);

/* ---- metrics.c ---- */
typedef struct {
    const dev_record *records;
    size_t count;
    double busy_us, elapsed_us;
} grade_call_log;
typedef enum { METRIC_OK, METRIC_UNKNOWN, METRIC_NO_LAUNCH, METRIC_UNDEFINED } metric_status;
/* The value of a goal's counter over one call. UNDEFINED: a ratio of which nothing was counted (no
 * global load at all). */
metric_status grade_metric(const grade_goal *g, const grade_call_log *log, double *value);
const char *grade_metric_unit(const char *name);
bool grade_launch_counts(const grade_goal *g,
                         const dev_record *r); /* a launch that the goal looks at */

/* ---- timing.c ---- */
typedef struct {
    double ratio, lo, hi; /* baseline / submission of the medians, and its 95% interval */
    double student, baseline;
    double student_lo, student_hi; /* 95% interval of the submission's median */
} grade_ratio;
/* A percentile bootstrap with a stream of its own, so that the same samples give the same interval.
 * n >= 1 samples of each. */
void grade_bootstrap(const double *student, const double *baseline, size_t n, grade_ratio *out);

/* ---- goals.c ---- */
typedef struct {
    metric_status status;
    double value;
} grade_metric_value;
typedef struct {
    bool outputs_right;                           /* every case, every set of inputs */
    bool measured;                                /* the timed case was run */
    const grade_metric_value *student, *baseline; /* per goal of the lab; counter goals only */
    double copy_gbs, fp32_gflops;                 /* of the device; 0: not known */
    double useful_bytes, useful_flops;            /* of the timed case */
    const sim_finding *finding;                   /* not NULL: the first that forbids full marks */
    bool sampled;                                 /* times are measured: r->ci_lo, ci_hi hold */
    const grade_result *explained;                /* goals of counters were judged there; or NULL */
} grade_evidence;
/* Fills r->goals, the score and the verdict, unless that is already ERROR or SUSPECT (then goals
 * say what was measured). */
void grade_judge(grade_result *r, const grade_evidence *e);
double grade_curve(double value, double full_at, double none_at); /* share of the points, 0..1 */
bool grade_holds(double value, grade_relation rel, double threshold);
const char *grade_relation_text(grade_relation rel); /* "<=" */

/* ---- result.c ---- */
const char *result_string(grade_result *r,
                          const char *s); /* a copy that the result owns; "" when s is NULL */
void result_add_findings(grade_result *r, const sim_finding *f, size_t n);
void result_set_launches(grade_result *r, const dev_record *records,
                         size_t n); /* counters, lines and launches */

/* ---- explain.c ---- */
void result_explain(grade_result *r, const grade_result *by);

#endif
