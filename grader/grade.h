/* Grading: a lab's rules and a program in, a verdict out. Knows the device, nothing of Lua or the
 * REPL.
 *
 *   lesson (Lua) --runner/lesson/lab.c   --> grade_lab --+
 *   .cu ----------runner/build/build.c----> program ----+--> grade_run() --> grade_result --> report_*.c
 *
 * Inputs, outputs and expected values live here, on the trusted side. */
#ifndef WARPLAB_GRADE_H
#define WARPLAB_GRADE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "runner/base/lang.h"
#include "runner/base/message.h"
#include "runner/device/server/device.h"

/* ---- what a lab asks ---- */

typedef enum {
    GRADE_I8,
    GRADE_U8,
    GRADE_I16,
    GRADE_U16,
    GRADE_I32,
    GRADE_U32,
    GRADE_I64,
    GRADE_U64,
    GRADE_F16,
    GRADE_F32,
    GRADE_F64
} grade_type;
unsigned grade_type_size(grade_type t);

typedef enum {
    GRADE_SCALAR, /* an integer or real parameter: `expr` of the case's values gives it */
    GRADE_INPUT,  /* a device buffer the call may read; changing it fails the case */
    GRADE_OUTPUT, /* a device buffer, poisoned before the call and compared after it */
    GRADE_INOUT   /* both */
} grade_arg_role;

typedef enum {
    GRADE_GEN_UNIFORM,
    GRADE_GEN_INTEGERS,
    GRADE_GEN_NORMAL,
    GRADE_GEN_IOTA,
    GRADE_GEN_ZERO,
    GRADE_GEN_CONSTANT,
    GRADE_GEN_SKEWED,
    GRADE_GEN_SORTED,
    GRADE_GEN_CSR_ROWS,
    GRADE_GEN_CSR_COLS
} grade_gen;

/* An expression over a case's parameters: numbers, names, + - * / % ( ) min(a, b) max(a, b)
 * ceil_div(a, b) ceil_log2(a); "n", "w*h", "ceil_div(n, 256)". Between whole numbers / truncates as
 * in C. */
typedef struct grade_expr grade_expr;
/* NULL and a message with a caret */
grade_expr *grade_expr_new(const char *text, lib_message *msg);
void grade_expr_free(grade_expr *e);
typedef struct {
    const char *name;
    double value;
} grade_param;
/* False and *msg: unknown name, division by zero, overflow past 2^53, negative where n is a
 * count. */
bool grade_expr_eval(const grade_expr *e, const grade_param *params, size_t n, double *value,
                     lib_message *msg);

typedef struct {
    const char *name;
    grade_type type;
    grade_arg_role role;
    grade_expr *count; /* elements of a buffer; NULL: scalar */
    grade_expr *value; /* scalar */
    grade_gen gen;
    /* generator's range, inclusive for integers; normal: mean and deviation; iota: start and
     * step */
    double lo, hi;
    /* not NULL: the range depends on the case ("n - 1"); lo and hi are then ignored */
    grade_expr *lo_expr, *hi_expr;
    bool host, pinned; /* a host buffer (DEV_ARG_HOST) instead of device memory; page-locked */
    /* Comparison of an output: |got - want| <= atol + rtol * |want|. Derived: rtol = g and atol = g
     * * the output's largest |want|, where g = 2 * min(ops, 6 * sqrt(ops)) * the type's unit
     * roundoff (docs/grading.md). Integers exactly. NaN matches only NaN, infinity only the same
     * infinity. */
    grade_expr *ops;   /* rounding operations behind one element; NULL: 0, equal values */
    double rtol, atol; /* < 0: derived from ops (a lab that sets neither must put -1 in both) */
} grade_arg;

typedef struct {
    const grade_param *params; /* owned by the lab */
    size_t param_count;
    bool timed; /* goals of speed are judged on this case */
    bool hidden;
} grade_case;

/* The range hidden cases draw a parameter from: [lo, hi], multiples of `multiple`. */
typedef struct {
    const char *name;
    double lo, hi, multiple;
} grade_range;

typedef enum {
    GRADE_GOAL_CORRECT,
    GRADE_GOAL_COUNTER,
    GRADE_GOAL_SPEEDUP,
    GRADE_GOAL_FRACTION,
    GRADE_GOAL_ANSWERS, /* questions, judged by who asks them; no file is graded */
    GRADE_GOAL_ANSWER   /* a line `// answer NAME: VALUE` of the submission */
} grade_goal_kind;
/* "correct" "counter" "speedup" "fraction" "answers" "answer" */
enum { GRADE_GOAL_KINDS = 6 };
const char *grade_goal_kind_name(grade_goal_kind k);
typedef enum { GRADE_LE, GRADE_LT, GRADE_EQ, GRADE_GE, GRADE_GT } grade_relation;
const char *grade_relation_text(grade_relation rel); /* "<=" */

/* What an answer is judged against: what the device measured of a program, or fixed forms. */
typedef enum {
    GRADE_SAID_LIMITER,      /* of the launch that took longest */
    GRADE_SAID_LINE,         /* where `counter` is largest */
    GRADE_SAID_FINDING_LINE, /* of a finding of this kind */
    GRADE_SAID_LETTERS,      /* for each access c coalesced, u not, x no access to global memory */
    GRADE_SAID_NUMBER,       /* goals[0].actual of the measured program */
    GRADE_SAID_TEXT
} grade_said_kind;
enum { GRADE_ACCESSES = 32 };
typedef struct {
    const char *text; /* found in exactly one line of the program's file */
    bool load, store; /* which requests of that line count */
} grade_access;
typedef struct {
    grade_said_kind kind;
    const char *counter;
    sim_finding_kind finding;
    const grade_access *accesses;
    size_t access_count;
    double tolerance;
    const char *const *accept; /* compared without case, blanks and punctuation */
    size_t accept_count;
} grade_said;

typedef struct {
    grade_goal_kind kind;
    const char *name; /* counter: its name; fraction: "copy" or "fp32" */
    grade_relation relation;
    double threshold; /* counter value, speedup factor, or fraction 0..1 */
    bool relative;    /* counter: threshold is times the baseline's value */
    double points;
    /* Partial credit of speedup and fraction: the measured value that earns all points and the one
     * that earns none, linear in time between. Either <= 0: pass or fail. GRADING's default is
     * full_at = threshold, none_at = threshold / 10. */
    double full_at, none_at;
    const char *per;    /* counter: NULL sums the call's launches; "max" the worst launch */
    const char *kernel; /* NULL, or only launches whose name holds this */
    /* counter: threshold is times what the call's launches whose name holds this have; NULL: not */
    const char *than;
    const grade_said *said; /* ANSWER; its threshold is not used. ANSWERS: threshold is the share */
    const char *message[LIB_LANGS]; /* the lab's own advice when it is missed, or NULL */
} grade_goal;

/* What a lab's host code is for (docs/grading.md). In a call that lets the host see what the device
 * holds and then gives the device something, the work may be the host's. */
typedef enum {
    GRADE_HOST_LAUNCHES, /* such a call passes where its work, run again on other inputs, is right */
    GRADE_HOST_FLAGS,    /* a few bytes may be seen: a loop that ends when something converged */
    GRADE_HOST_ANYTHING
} grade_host_work;
const char *grade_host_work_name(grade_host_work w); /* "launches" */

typedef struct {
    const char *id;
    /* The folder that holds its labs/ and kernels/; NULL: Warplab's own. */
    const char *home;
    bool
        untrusted; /* whoever wrote it is nobody we know: its own programs are held like a submission */
    const char *title[LIB_LANGS];
    /* name of the function and its declaration; NULL: nothing is run, answers are all there is */
    const char *entry, *entry_text;
    /* The files that a submission is made of (base/file.h); 0: it is one file. */
    const char *const *files;
    size_t file_count;
    /* No function is called but the submission's main(); the entry says what it is given and what it
     * prints, and every buffer is a host's. */
    bool whole_program;
    const grade_arg *args;
    size_t arg_count; /* in the order of the entry's parameters */
    const grade_case *cases;
    size_t case_count; /* public ones */
    /* Cases whose buffers are taken and given back first, so that those of the others lie where they lie
     * in a grading that has them: the model of the L2 looks at addresses. */
    const grade_case *before;
    size_t before_count;
    const grade_range *ranges;
    size_t range_count;    /* for hidden cases; 0: none are drawn */
    unsigned hidden_cases; /* how many to draw */
    const grade_goal *goals;
    size_t goal_count;
    const char *const *forbidden;
    size_t forbidden_count; /* identifiers the source may not use ("cublas", "cub::") */
    double time_limit_s;    /* the program's own time in one grading; capped by grade_options */
    /* time goals judge the call from start to end, host gaps included, not the device's busy
     * time */
    bool host_time;
    grade_host_work host_work;
    uint64_t device_memory; /* bytes that a simulated device has; 0: as its profile says */
    /* times are of a run that finds in the L2 what one on other inputs left there; else of a
     * cold L2 */
    bool warm;
} grade_lab;

/* What a lab's author got wrong, before anyone is graded: names, counts and memory of every case,
 * goals that name no counter, a speed goal without a timed case. True and msg "" when the lab can
 * be graded. */
bool grade_lab_check(const grade_lab *lab, lib_message *msg);

/* A name that a counter goal may have: a counter, a derived ratio, or one of the call's own figures
 * (metrics.def: launches, registers, occupancy_pct, h2d_bytes, ...). */
bool grade_metric_known(const char *name);
size_t grade_metric_count(void); /* the call's own figures only */
const sim_counter_info *grade_metric_at(size_t i);
/* What a counter, a ratio or a figure of a call means; "" when there is none of that name. */
const char *grade_meaning(const char *name, lib_lang lang);
/* The word for a counter's unit: for a column, or `counted`, behind a number. A unit that has no word
 * of its own in `lang` (%, GB/s) is returned as it is. */
const char *grade_unit_word(const char *unit, lib_lang lang, bool counted);
const char *grade_limiter_word(const char *limiter); /* "dram" in Chinese */

/* Looks for the lab's forbidden identifiers in a source, outside comments and strings; an entry
 * that ends in "::" or "." forbids everything under it, and #include lines are searched with their
 * file names. True and *msg ("FILE:12: ...") when one is there; `file` is what it calls the source. */
bool grade_forbidden(const grade_lab *lab, const char *file, const char *source, size_t len,
                     lib_message *msg);

/* The same for what was compiled: a program's PTX (names, instructions, headers whose code was
 * inlined), and the names that its dynamic linker looks up, each ended by a NUL. The PTX's line
 * table says which line of the submission it was ("FILE:12: ..."), where it does. */
bool grade_forbidden_ptx(const grade_lab *lab, const char *ptx, size_t len, lib_message *msg);
bool grade_forbidden_symbols(const grade_lab *lab, const char *names, size_t len, lib_message *msg);

/* ---- running it ---- */

/* Starts the program at `path` in the sandbox with its socket; the runner supplies it. Returns 0,
 * or -1 and *msg. */
typedef struct {
    int pid;
    int fd;     /* the server's end */
    int out_fd; /* its stdout and stderr, merged, or -1 */
} grade_child;
typedef struct {
    int (*spawn)(void *user, const char *path, grade_child *child, lib_message *msg);
    /* Waits for it (killing it first when `kill_it`), closes out_fd; returns the wait status, or
     * -1: it was never started, and the output says why. output (malloc'ed) may be NULL. */
    int (*reap)(void *user, grade_child *child, bool kill_it, char **output, size_t *output_len);
    void *user;
} grade_host;

typedef struct grade_options {
    const char *device; /* "sim:h200" */
    uint64_t seed;      /* public seed; hidden cases and inputs come from it and the lab's id ... */
    uint64_t secret;    /* ... and from this, when it is not 0: a seed that students do not know */
    double time_limit_s;     /* ceiling that a lab cannot raise; 0: 60 */
    bool first_failure_only; /* stop at the first failing case */
    bool
        watch_baseline; /* for races too: that is the lab's author's business, not a submission's */
    dev_options dev;
    /* On a GPU: the same submission's result on the simulated device nearest to it, with the same
     * seeds. Goals of counters, findings and lines come from it. NULL: counters are not known
     * there. */
    const struct grade_result *explained;
    /* The submission's text, for what it answers; and for each goal what that is judged against.
     * NULL where the lab has no such goal. */
    const char *submission;
    const struct grade_truth *truths;
    /* Told before each case: how many are done, of how many. May be NULL. */
    void (*progress)(void *user, size_t done, size_t total);
    void *user;
} grade_options;

/* What an answer is judged against. */
typedef struct grade_truth {
    const struct grade_result *measured; /* NULL: the submission itself */
    const char *file;                    /* the measured program's, as the result's lines name it */
    unsigned lines[GRADE_ACCESSES];      /* of the accesses, in order */
} grade_truth;

struct grade_case_result;
/* One call of the lab's function on one case, with a debugger under it (options->dev.sim.debug): the
 * baseline first, so that at the end the outputs can be compared. Nothing is judged. */
typedef struct {
    const grade_lab *lab;
    const char *program, *baseline; /* paths of what was built */
    const grade_host *host;
    const struct grade_options *options;
    size_t number;                          /* which public case, from 1; 0: the timed one */
    void (*turn)(void *user, bool student); /* before each of the two is called; may be NULL */
    /* how the outputs compare, once the call has ended; may be NULL */
    void (*ended)(void *user, const struct grade_case_result *r);
    void *user;
} grade_play;
/* False and *msg: it could not be done, or the program did not come back as it should. */
bool grade_play_run(const grade_play *q, lib_message *msg);

typedef enum { GRADE_PASS, GRADE_FAIL, GRADE_ERROR, GRADE_AMBIGUOUS, GRADE_SUSPECT } grade_verdict;
const char *grade_verdict_name(grade_verdict v); /* "pass" ... */
bool grade_finding_forbids(sim_finding_kind k);  /* with one of these `correct` is missed */
const char *grade_finding_title(sim_finding_kind k, lib_lang lang);
/* One finding as a sentence: English as the device words it, Chinese from its fields. malloc'ed. */
char *grade_finding_text(const sim_finding *f, lib_lang lang);

typedef struct grade_case_result {
    grade_param *params;
    size_t param_count;
    bool pass, hidden, timed;
    double max_error; /* largest |got - want| over all outputs */
    bool has_mismatch;
    const char *mismatch_arg;
    uint64_t index; /* first element that differs */
    double expected, actual;
    uint64_t wrong, total; /* how many elements differ */
    bool unwritten;        /* none of those was ever written */
    bool compared, blank;  /* outputs were compared; with nothing but zeros it would have passed */
    /* where outputs differ, one line of 64 cells: '.' equal, '#' all wrong, digits: tenths
     * wrong, '?' never written */
    char picture[512];
    char message[512]; /* "" when it passed */
    char message_zh[512];
} grade_case_result;

typedef struct {
    const grade_goal *goal;
    bool pass;
    bool undecided; /* measured, and the interval holds the threshold: pass says nothing */
    double expected, actual, points;
    char message[LIB_LANGS][512];
} grade_goal_result;

/* One launch of the timed case, for pictures (occupancy, roofline) and the JSON: at most
 * GRADE_LAUNCHES are kept. */
enum { GRADE_LAUNCHES = 64 };
typedef struct {
    char kernel[64];
    unsigned grid[3], block[3], registers;
    uint64_t shared; /* static + dynamic bytes per block */
    sim_occupancy occupancy;
    double achieved_occupancy_pct, time_us;
    char limiter[16];
} grade_launch;

/* What the timed case's launches would save without one of their costs (sim_cost), if the device was
 * asked (dev_options.sim.what_if): summed over launches, with the lines of the one that pays most. */
typedef struct {
    double saves_us, most_us; /* in all; of the launch that the lines are of */
    unsigned line_count, line[SIM_IF_LINES];
    const char *file[SIM_IF_LINES]; /* owned by the result */
    double part[SIM_IF_LINES];
} grade_cost;

/* How often each PTX instruction of a kernel was executed, over the timed case's launches, if it was
 * asked (dev_options.sim.count_ptx). */
enum { GRADE_KERNELS = 16 };
typedef struct {
    const char *kernel, *name; /* shown, mangled; owned by the result, as the files of rows are */
    sim_ptx_count *rows;
    size_t count;
} grade_kernel_ptx;

/* What the timed call had the device do, for the timeline: at most GRADE_OPS are kept. */
enum { GRADE_OPS = 1024 };
typedef struct {
    dev_op op; /* LAUNCH, H2D, D2H, D2D, MEMSET */
    unsigned stream;
    double start_us, end_us;
    char kernel[32];
} grade_op;

typedef struct grade_result {
    grade_verdict verdict;
    const grade_lab *lab;
    double score, max_score;
    char device[64];
    /* "gpu:0" when its outputs are wrong and device is the simulated one; or "" */
    char asked_device[64];
    uint64_t seed;
    bool build_ok;
    char *build_log;  /* malloc'ed or NULL */
    bool build_blame; /* not build_ok: `message` says what of the source is to blame */
    grade_case_result *cases;
    size_t case_count;
    grade_goal_result *goals;
    size_t goal_count;
    double time_us, baseline_us, speedup;
    sim_counters counters; /* of the timed case's launches */
    sim_counters baseline_counters;
    sim_finding *findings;
    size_t finding_count;
    /* those from here on were met in hidden cases only, or at the end of a grading that had
     * some: their texts are not for students */
    size_t finding_public;
    sim_line *lines;
    size_t line_count; /* of the timed case, strings owned by the result */
    grade_launch *launches;
    size_t launch_count;   /* of the timed case; NULL where the grader does not fill it */
    grade_cost *costs;     /* SIM_COST_COUNT; NULL: not asked */
    double costs_us;       /* what those launches take in all */
    grade_kernel_ptx *ptx; /* NULL: not asked */
    size_t ptx_count;
    grade_op *ops; /* in the order of the calls; those of a call, not of a replay */
    size_t op_count, op_total;
    bool replayed;      /* timing came from replay; false: the call was repeated */
    char message[1024]; /* why it is an error or suspect, or what ended the program; "" otherwise */
    char message_zh[1024];
    bool message_hidden; /* the message came about in a hidden case: not for students */
    /* with ERROR: trying again will not help (the submission uses what the device lacks) */
    bool ungradable;
    char nvcc[128], arch[32];
    char sandbox[256]; /* what held the program, filled by the runner; "" : nothing said */
    uint64_t secret;
    /* 95% interval of the speedup on measured devices; 0, 0 where time is modelled */
    double ci_lo, ci_hi;
    double time_lo, time_hi; /* the same of time_us */
    size_t samples; /* pairs of baseline and submission that were timed; 0 where time is modelled */
    double floor_us; /* no real device could be faster, whatever the schedule */
    bool has_gpu; /* time was measured on this GPU; its clocks as they were after the last sample */
    dev_gpu_state gpu;
    uint64_t throttle;      /* throttle reasons seen before or after the samples */
    char counters_from[64]; /* "sim:h200": whose counters these are; "" : the device's own */
    double modelled_us, modelled_speedup; /* what that device predicted */
    char **strings;
    size_t string_count; /* what findings and lines point into */
    char *output;        /* what the program printed, cut; malloc'ed or NULL */
    size_t output_len;
    bool output_cut; /* it printed more than is kept */
    /* of the timed case's last call: the submission's and the baseline's; see grade_figure() */
    double *figures[2];
} grade_result;

/* Grades `program` against `baseline` (both built from a .cu and the lab's glue). Never exits,
 * never prints. The verdict is ERROR when grading could not be done (infrastructure), FAIL when the
 * submission is at fault. *r must be zero or initialised; what it held is freed. Free with
 * grade_result_free(). */
void grade_run(const grade_lab *lab, const char *program, const char *baseline,
               const grade_host *host, const grade_options *o, grade_result *r);
/* What the measured call counted, by any name that a counter goal may have; `baseline`: the baseline's
 * call. False: nothing was measured, or there is no such figure (a ratio of accesses that there were
 * none of). */
bool grade_figure(const grade_result *r, bool baseline, const char *name, double *v);
/* Has it failed beyond doubt? Also where the verdict is AMBIGUOUS, because a goal of speed is too close to
 * decide: another goal that is missed, and is decided, is enough. */
bool grade_fails_surely(const grade_result *r);
/* A lab without an entry: only what the submission answers is judged. */
void grade_answers(const grade_lab *lab, const grade_options *o, grade_result *r);
/* The value of the line `// answer NAME: VALUE` (or without the slashes). Returns how many lines of
 * that name have a value: 0, 1, or more when they do not agree. */
int grade_answer_find(const char *text, const char *name, char *value, size_t n);
/* How such a value is to be written: "dram, l2, ... or launch", for messages. */
const char *grade_answer_form(const grade_said *s, lib_lang lang);
/* an empty result: for a failed build */
void grade_result_init(grade_result *r, const grade_lab *lab, const grade_options *o);
/* Was finding i met in hidden cases only? A student is told its kind and no more. */
bool grade_finding_hidden(const grade_result *r, size_t i);
/* No kernel ran, and an output was never written: what a launch that was refused leaves behind, or none at all. */
bool grade_result_nothing_ran(const grade_result *r);
/* What a student reads where the message came about in a hidden case. */
const char *grade_hidden_message(bool ungraded, lib_lang lang);
/* The result's message as a student may read it; "" when there is none. */
const char *grade_result_said(const grade_result *r, lib_lang lang);
void grade_result_free(grade_result *r);

/* ---- reports (report_*.c); each returns a malloc'ed NUL-terminated text the caller frees ----
 *
 * All but the JSON and the instructor's page are made from what a student may know: of a hidden
 * case its verdict and the kind of its first mistake. */
char *grade_report_json(const grade_result *r, lib_lang lang, bool pretty);
char *grade_report_junit(const grade_result *r, lib_lang lang);
char *grade_report_gradescope(const grade_result *r, lib_lang lang);
char *grade_report_prairielearn(const grade_result *r, lib_lang lang);
/* base64, as GitHub Classroom's reporter reads it */
char *grade_report_classroom(const grade_result *r, lib_lang lang);
/* the text and, last, the line of scores */
char *grade_report_autolab(const grade_result *r, lib_lang lang);
/* One self-contained page. `instructor`: with the arguments of hidden cases. */
char *grade_report_html(const grade_result *r, lib_lang lang, bool instructor);
/* Why a submission did not compile or may not be graded at all, as a result of its own: FAIL, no
 * points, message and build log set. */
void grade_result_fail(grade_result *r, const char *message, const char *message_zh,
                       const char *build_log);

/* Deterministic random numbers (xoshiro256**), seeded from a seed and a label, so that adding an
 * argument does not move the others. */
typedef struct {
    uint64_t s[4];
} grade_rng;
void grade_rng_seed(grade_rng *g, uint64_t seed, const char *label);
uint64_t grade_rng_next(grade_rng *g);
double grade_rng_uniform(grade_rng *g); /* [0, 1) */

#endif
