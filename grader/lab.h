/* What a lab asks: its arguments, cases, goals and rules. The lesson's Lua file becomes one of
 * these (runner/lesson/lab.c); grade_run() holds a program to it. Inputs and expected values
 * are drawn from it on the trusted side. */
#ifndef WARPLAB_GRADE_LAB_H
#define WARPLAB_GRADE_LAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "runner/base/lang.h"
#include "runner/base/message.h"
#include "runner/device/sim/sim.h"

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

/* Everything about a kind lies in its file of grader/goal (goal.h). */
typedef enum {
#define GOAL(ID, name) GRADE_GOAL_##ID,
#include "grader/goals.def"
#undef GOAL
    GRADE_GOAL_KINDS
} grade_goal_kind;
const char *grade_goal_kind_name(grade_goal_kind k); /* "counter" */
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
    const char *per; /* counter: NULL sums the call's launches; "max" the worst launch */
    /* NULL, or only launches of the kernel of this name: with or without its namespaces and what its
     * template is given; "red*": all that begin so */
    const char *kernel;
    /* counter: threshold is times what the call's launches of that name have; NULL: not */
    const char *than;
    const grade_said *said; /* ANSWER; its threshold is not used. ANSWERS: threshold is the share */
    const void *own;        /* what a kind keeps besides; its read() made it */
    const char *message[LIB_LANGS]; /* the lab's own advice when it is missed, or NULL */
} grade_goal;

/* What a lab's host code is for (docs/grading.md). In a call that lets the host see what the device
 * holds and then gives the device something, the work may be the host's. */
typedef enum {
    /* such a call passes where its work, run again on other inputs, is right */
    GRADE_HOST_LAUNCHES,
    GRADE_HOST_FLAGS, /* a few bytes may be seen: a loop that ends when something converged */
    GRADE_HOST_ANYTHING
} grade_host_work;
const char *grade_host_work_name(grade_host_work w); /* "launches" */

typedef struct {
    const char *id;
    /* The folder that holds its labs/ and kernels/; NULL: Warplab's own. */
    const char *home;
    /* Its author is unknown: the lab's own programs are held like a submission. */
    bool untrusted;
    const char *title[LIB_LANGS];
    /* name of the function and its declaration; NULL: nothing is run, answers are all there is */
    const char *entry, *entry_text;
    /* The files that a submission is made of (base/file.h); 0: it is one file. */
    const char *const *files;
    size_t file_count;
    /* No function is called but the submission's main(); the entry says what it is given and
     * what it prints, and every buffer is a host's. */
    bool whole_program;
    const grade_arg *args;
    size_t arg_count; /* in the order of the entry's parameters */
    const grade_case *cases;
    size_t case_count; /* public ones */
    /* Cases whose buffers are taken and given back first, so that those of the others lie where
     * they lie in a grading that has them: the model of the L2 looks at addresses. */
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

/* Looks for the lab's forbidden identifiers in a source, outside comments and strings; an entry
 * that ends in "::" or "." forbids everything under it, and #include lines are searched with
 * their file names. True and *msg ("FILE:12: ...") when one is there; `file` is what it calls
 * the source. */
bool grade_forbidden(const grade_lab *lab, const char *file, const char *source, size_t len,
                     lib_message *msg);

/* The same for what was compiled: a program's PTX (names, instructions, headers whose code was
 * inlined), and the names that its dynamic linker looks up, each ended by a NUL. The PTX's line
 * table says which line of the submission it was ("FILE:12: ..."), where it does. */
bool grade_forbidden_ptx(const grade_lab *lab, const char *ptx, size_t len, lib_message *msg);
bool grade_forbidden_symbols(const grade_lab *lab, const char *names, size_t len, lib_message *msg);

#endif
