/* What a lab asks: arguments, cases, goals and rules. runner/lesson/lab.c makes one of these from
 * the lesson's Lua file, and grade_run() grades a program by it. The grader's process draws inputs
 * and expected values from it. */
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
unsigned grade_type_size(grade_type t); /* in bytes */

typedef enum {
    GRADE_SCALAR, /* a number, given by `value` from the case's parameters */
    /* a device buffer that the call may read; a call that changes it fails the case */
    GRADE_INPUT,
    GRADE_OUTPUT, /* a device buffer, poisoned before the call and compared after it */
    GRADE_INOUT   /* an input that the call changes: filled before it, compared after it */
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
 * ceil_div(a, b) ceil_log2(a). Examples: "n", "w*h", "ceil_div(n, 256)". The quotient of two whole
 * numbers is truncated, as in C. */
typedef struct grade_expr grade_expr;
/* Returns NULL and a message with a caret if the text is wrong. Free with grade_expr_free(). */
grade_expr *grade_expr_new(const char *text, lib_message *msg);
void grade_expr_free(grade_expr *e);
typedef struct {
    const char *name;
    double value;
} grade_param;
/* Returns false and sets *msg if a name is unknown, a divisor is zero, or a value exceeds 2^53. */
bool grade_expr_eval(const grade_expr *e, const grade_param *params, size_t n, double *value,
                     lib_message *msg);

typedef struct {
    const char *name;
    grade_type type;
    grade_arg_role role;
    grade_expr *count; /* number of elements of a buffer; NULL: this is a scalar */
    grade_expr *value; /* of a scalar */
    grade_gen gen;
    /* The range of the generator, both ends included for integers. For GRADE_GEN_NORMAL: mean and
     * standard deviation. For GRADE_GEN_IOTA: start and step. */
    double lo, hi;
    /* If not NULL, the range depends on the case ("n - 1"), and lo and hi are ignored. */
    grade_expr *lo_expr, *hi_expr;
    /* Of GRADE_GEN_INTEGERS, if least < most: the values that the lab promises. Those that are
     * drawn are from lo to hi, but runs in hidden cases (grade_fill_extremes) from least to most */
    double least, most;
    bool host, pinned; /* in host memory (DEV_ARG_HOST) instead of device memory; page-locked */
    /* The tolerance of an output: |got - want| <= atol + rtol * |want|. A derived tolerance has
     * rtol = g and atol = g * (the largest |want| of the output), where g = 2 * min(ops, 6 *
     * sqrt(ops)) * (unit roundoff of the type); see docs/grading.md. With `row`, the output is rows
     * of so many elements, each computed from those before it in its row, and atol has the largest
     * |want| up to the element in its row. Integers must be equal. NaN equals only NaN, and an
     * infinity only the same infinity. */
    grade_expr *ops;   /* rounding operations for one element; NULL: 0, values must be equal */
    grade_expr *row;   /* NULL: the output is no such rows */
    double rtol, atol; /* < 0: derived from ops; a lab that sets neither must set both to -1 */
} grade_arg;

typedef struct {
    const grade_param *params; /* owned by the lab */
    size_t param_count;
    bool timed; /* speed goals are judged on this case */
    bool hidden;
} grade_case;

/* Hidden cases draw a parameter from [lo, hi], as a multiple of `multiple`; or, if from_count is
 * not 0, from the values `from`, of which lo is the smallest and hi the largest. `most` is the
 * largest value for which the lab asks for right results; 0: hi if the timed case's is not above
 * it, else any value. */
typedef struct {
    const char *name;
    double lo, hi, multiple, most;
    const double *from;
    size_t from_count;
} grade_range;

/* The kinds of goals. Each kind is one file of grader/goal (see goal.h there). */
typedef enum {
#define GOAL(ID, name) GRADE_GOAL_##ID,
#include "grader/goals.def"
#undef GOAL
    GRADE_GOAL_KINDS
} grade_goal_kind;
const char *grade_goal_kind_name(grade_goal_kind k); /* "counter" */
typedef enum { GRADE_LE, GRADE_LT, GRADE_EQ, GRADE_GE, GRADE_GT } grade_relation;
const char *grade_relation_text(grade_relation rel); /* "<=" */

/* What an answer is compared with: a measurement of a program, or fixed texts. */
typedef enum {
    GRADE_SAID_LIMITER,      /* the limiter of the launch that took longest */
    GRADE_SAID_LINE,         /* the line where `counter` is largest */
    GRADE_SAID_FINDING_LINE, /* the line of a finding of this kind */
    /* one letter for each access: c coalesced, u uncoalesced, x no access to global memory */
    GRADE_SAID_LETTERS,
    GRADE_SAID_NUMBER, /* goals[0].actual of the measured program */
    GRADE_SAID_TEXT
} grade_said_kind;
enum { GRADE_ACCESSES = 32 };
typedef struct {
    const char *text; /* occurs in exactly one line of the program's file */
    bool load, store; /* which requests of this line count */
} grade_access;
typedef struct {
    grade_said_kind kind;
    const char *counter;
    sim_finding_kind finding;
    const grade_access *accesses;
    size_t access_count;
    double tolerance;
    const char *const *accept; /* compared without regard to case, blanks and punctuation */
    size_t accept_count;
} grade_said;

typedef struct {
    grade_goal_kind kind;
    const char *name; /* of a counter goal: the counter; of a fraction goal: "copy" or "fp32" */
    grade_relation relation;
    double threshold; /* a counter's value, a speedup, or a fraction from 0 to 1 */
    bool relative;    /* of a counter goal: the limit is threshold x the baseline's value */
    double points;
    /* Partial credit for speedup and fraction: the value that earns all points, and the value that
     * earns none. Points are linear in time between them. If either is <= 0, there is no partial
     * credit. The lesson reader's default is full_at = threshold and none_at = threshold / 10. */
    double full_at, none_at;
    /* of a counter goal: NULL adds the call's launches, "max" takes the worst launch. "thread" adds
     * them, too; but if fewer threads than the baseline's work, the sum counts as many times as
     * there are fewer. */
    const char *per;
    /* Count only the launches of this kernel; NULL: all launches. The name may leave out namespaces
     * and template arguments. "red*" stands for all names that begin with "red". */
    const char *kernel;
    /* Of a counter goal: the limit is threshold x the counter in the launches of this kernel. NULL:
     * unused. */
    const char *than;
    /* of an ANSWER goal, instead of threshold; in an ANSWERS goal, threshold is the share of right
     * answers */
    const grade_said *said;
    const void *own;                /* data of this kind only; the kind's read() made it */
    const char *message[LIB_LANGS]; /* the lab's own advice when the goal is missed, or NULL */
} grade_goal;

/* What a lab's host code may do (docs/grading.md). If a call reads results from the device and then
 * sends data to the device, the host may have done the work that the device should do. */
typedef enum {
    /* such a call passes only if its launches, run again on other inputs, are right */
    GRADE_HOST_LAUNCHES,
    GRADE_HOST_FLAGS, /* the host may read a few bytes, for example the flag that ends a loop */
    GRADE_HOST_ANYTHING
} grade_host_work;
const char *grade_host_work_name(grade_host_work w); /* "launches" */

typedef struct {
    const char *id;
    /* The folder with the lab's labs/ and kernels/; NULL: Warplab's own. */
    const char *home;
    /* The author is unknown: the lab's own programs are sandboxed like a submission. */
    bool untrusted;
    const char *title[LIB_LANGS];
    /* Name of the function, and its declaration. NULL: nothing is run, only answers are judged. */
    const char *entry, *entry_text;
    /* The files of a submission (base/file.h); 0: it is a single file. */
    const char *const *files;
    size_t file_count;
    /* The submission has its own main(), and no other function of it is called. The entry declares
     * what main() reads and prints. All buffers are host buffers. */
    bool whole_program;
    const grade_arg *args;
    size_t arg_count; /* in the order of the entry's parameters */
    const grade_case *cases;
    size_t case_count; /* the public cases */
    /* The buffers of these cases are allocated and freed first. Thereby the buffers of `cases` get
     * the same addresses as in a grading of all these cases: the model of the L2 depends on
     * addresses. */
    const grade_case *before;
    size_t before_count;
    const grade_range *ranges;
    size_t range_count;    /* for hidden cases; 0: there are none */
    unsigned hidden_cases; /* how many are drawn */
    bool near_none;        /* no cases near the timed one */
    const grade_goal *goals;
    size_t goal_count;
    /* How many times the baseline's time a call may take; threshold 0: any time. Its message says
     * why the lab asks for another number than usual, or is NULL. */
    grade_goal slowest;
    const char *const *forbidden;
    size_t forbidden_count; /* identifiers that the source must not contain ("cublas", "cub::") */
    double time_limit_s;    /* for the program's own time in one grading; grade_options caps it */
    /* Time goals judge the call from start to end, with the host's gaps, not the device's busy
     * time. */
    bool host_time;
    grade_host_work host_work;
    uint64_t device_memory; /* memory of a simulated device, in bytes; 0: as in its profile */
    /* Timed runs find in the L2 what a run on other inputs left there. Otherwise the L2 is cold. */
    bool warm;
} grade_lab;

/* Checks what a lab's author wrote, before anyone is graded: names, counts, the memory of each
 * case, counter goals without a known counter, speed goals without a timed case. Returns true and
 * an empty msg if the lab can be graded. */
bool grade_lab_check(const grade_lab *lab, lib_message *msg);

/* Returns the name of a parameter that all hidden cases take from the first public case, or for
 * which their range has only one value; NULL: there is none, or there are no hidden cases. The lab
 * owns the name. */
const char *grade_lab_fixed_parameter(const grade_lab *lab);

/* Returns the name of a scalar that has the same value in every case, public and hidden; NULL:
 * there is none. A program can leave such an argument unread. The lab owns the name. */
const char *grade_lab_constant_scalar(const grade_lab *lab);

/* Looks for the lab's forbidden identifiers in a source, outside comments and strings. An entry
 * that ends in "::" or "." forbids every name that begins with it. Paths in #include lines are
 * searched, too. A lab that asks for a line allows no directives that number lines (#line 7, # 7
 * "file"). Returns true and sets *msg ("FILE:12: ...") if something is found; `file` is the name of
 * the source in it. */
bool grade_forbidden(const grade_lab *lab, const char *file, const char *source, size_t len,
                     lib_message *msg);

/* Look for the same identifiers in a compiled program. PTX contains names, instructions, and code
 * that was inlined from headers; *msg names the line of the submission if the PTX's line table has
 * it. `names` are the names that the dynamic linker looks up, each ended by a NUL. */
bool grade_forbidden_ptx(const grade_lab *lab, const char *ptx, size_t len, lib_message *msg);
/* Whether each of the fat binaries that stand one after another in `loaded` stands in `built`, too:
 * the device code of a program as it was compiled. */
bool grade_own_code(const void *built, size_t built_bytes, const void *loaded, size_t bytes);
/* The fat binary at `from` of n bytes: its size, at least 1 and at most n; 0: there is none. */
size_t grade_fatbin_bytes(const void *from, size_t n);
bool grade_forbidden_symbols(const grade_lab *lab, const char *names, size_t len, lib_message *msg);

#endif
