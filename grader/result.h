/* What a grading found. grade_run() fills a grade_result; reports, pictures and the prompt read it.
 *
 * A result also contains what happened in hidden cases. The functions at the end of this file and
 * report/student.c decide how much of it a student may read. */
#ifndef WARPLAB_GRADE_RESULT_H
#define WARPLAB_GRADE_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "runner/base/message.h"
#include "runner/device/server/device.h"
#include "runner/device/sim/sim.h"
#include "grader/lab.h"

typedef enum { GRADE_PASS, GRADE_FAIL, GRADE_ERROR, GRADE_AMBIGUOUS, GRADE_SUSPECT } grade_verdict;
const char *grade_verdict_name(grade_verdict v); /* "pass" ... */
/* a finding of this kind fails the goal `correct` */
bool grade_finding_forbids(sim_finding_kind k);
lib_word_id grade_finding_title(sim_finding_kind k); /* "data race"; 0: no such kind */
/* One finding as a sentence, with its count. The caller frees it. */
char *grade_finding_text(const sim_finding *f, lib_lang lang);

typedef struct grade_case_result {
    grade_param *params;
    size_t param_count;
    bool pass, hidden, timed;
    bool near;        /* hidden, with sizes near those of the timed case (grade_draw_near) */
    bool large;       /* hidden, with one size above all others: called once, for its outputs */
    double max_error; /* the largest |got - want| of all outputs */
    bool has_mismatch;
    const char *mismatch_arg;
    uint64_t index; /* of the first element that differs */
    double expected, actual;
    char expected_text[32], actual_text[32]; /* exact, as a person reads them */
    uint64_t wrong, total;                   /* elements that differ, and all elements */
    bool unwritten;                          /* none of the differing elements was ever written */
    bool extremes;        /* wrong only on inputs of runs and extremes (grade_fill_extremes) */
    bool compared, blank; /* outputs were compared; outputs of zeros would pass */
    /* Where outputs differ: 64 cells in one line. '.' equal, '#' all wrong, a digit: tenths that
     * are wrong, '?' never written. */
    char picture[512];
    lib_message message; /* empty if the case passed */
} grade_case_result;

typedef struct {
    const grade_goal *goal;
    bool pass;
    bool undecided; /* measured, but the interval contains the threshold: `pass` means nothing */
    double expected, actual, points;
    lib_message message;
} grade_goal_result;

/* One launch of the timed case, for pictures (occupancy, roofline) and JSON. At most GRADE_LAUNCHES
 * are kept. */
enum { GRADE_LAUNCHES = 64 };
typedef struct {
    char kernel[64];
    unsigned grid[3], block[3], registers;
    uint64_t shared; /* static + dynamic, bytes per block */
    sim_occupancy occupancy;
    double achieved_occupancy_pct, time_us;
    char limiter[16];
    /* as in sim_result; if not, the reason, "" if nobody asked for machine code */
    bool by_machine_code;
    lib_message by_counters_why;
} grade_launch;

/* What the timed case's launches would save without one of their costs (sim_cost), if the device
 * was asked (dev_options.sim.what_if). The savings of all launches are added; the lines are those
 * of the launch that saves most. */
typedef struct {
    double saves_us, most_us; /* of all launches; of the launch that has these lines */
    unsigned line_count, line[SIM_IF_LINES];
    const char *file[SIM_IF_LINES]; /* owned by the result */
    double part[SIM_IF_LINES];
} grade_cost;

/* How often each instruction of a kernel was executed in the timed case, over all launches, if the
 * device was asked (dev_options.sim.count_ptx). */
enum { GRADE_KERNELS = 16 };
typedef struct {
    /* readable and mangled; the result owns them and the file names of the rows */
    const char *kernel, *name;
    sim_ptx_count *rows;
    size_t count;
    /* with count_machine; NULL: machine_why, "" if nobody asked */
    sim_machine_count *machine;
    size_t machine_count;
    lib_message machine_why;
} grade_kernel_ptx;

/* What the device did in the timed call, for the timeline. At most GRADE_OPS are kept. */
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
    /* "gpu:0" if the GPU's outputs were wrong and `device` is the simulated device; or "" */
    char asked_device[64];
    uint64_t seed;
    bool build_ok;
    char *build_log; /* malloc'ed or NULL */
    /* with build_ok false: `message` names the part of the source that is to blame */
    bool build_blame;
    grade_case_result *cases;
    size_t case_count;
    grade_goal_result *goals;
    size_t goal_count;
    double time_us, baseline_us, speedup;
    sim_counters counters; /* of the timed case's launches */
    sim_counters baseline_counters;
    sim_finding *findings;
    size_t finding_count;
    /* Findings from this index on occurred only in hidden cases, or at the end of a grading with
     * hidden cases. Students must not read their texts. */
    size_t finding_public;
    sim_line *lines;
    size_t line_count; /* of the timed case; the result owns the strings */
    grade_launch *launches;
    size_t launch_count;   /* of the timed case; NULL: not measured */
    grade_cost *costs;     /* SIM_COST_COUNT elements; NULL: the device was not asked */
    double costs_us;       /* the time of these launches */
    grade_kernel_ptx *ptx; /* NULL: the device was not asked */
    size_t ptx_count;
    grade_op *ops; /* in the order of the calls; of a real call, not of a replay */
    size_t op_count, op_total;
    bool replayed;       /* the times are those of a replay; false: the call was repeated */
    lib_message message; /* the reason of ERROR or SUSPECT, or what ended the program */
    bool message_hidden; /* the message is from a hidden case: not for students */
    /* With ERROR: another try will not help, because the submission uses what the device lacks. */
    bool ungradable;
    char nvcc[128], arch[32];
    char sandbox[256]; /* how the program was confined, written by the runner; "": unknown */
    uint64_t secret;
    /* 95% interval of the speedup on measured devices; 0, 0 if the time is modelled */
    double ci_lo, ci_hi;
    double time_lo, time_hi; /* the same of time_us */
    size_t samples;          /* timed pairs of baseline and submission; 0 if the time is modelled */
    double floor_us;         /* a lower bound for any real device, whatever its scheduling */
    /* the time was measured on this GPU; its clocks are those after the last sample */
    bool has_gpu;
    dev_gpu_state gpu;
    uint64_t throttle;      /* throttle reasons seen before or after the samples */
    char counters_from[64]; /* the device that counted, "sim:h200"; "": `device` itself */
    double modelled_us, modelled_speedup; /* the prediction of that device */
    char **strings;
    size_t string_count; /* owned strings, used by findings and lines */
    char *output;        /* the program's output, possibly cut; malloc'ed or NULL */
    size_t output_len;
    bool output_cut; /* the program printed more than is kept */
    /* of the timed case's last call, by the submission and by the baseline; see grade_figure() */
    double *figures[2];
} grade_result;

/* Reads a figure of the measured call, under any name that a counter goal may have; with
 * `baseline`, of the baseline's call. Returns false if nothing was measured or the figure does not
 * exist (for example a ratio of accesses in a call without accesses). */
bool grade_figure(const grade_result *r, bool baseline, const char *name, double *v);
/* Returns whether the submission has failed beyond doubt. An AMBIGUOUS verdict can hide this: the
 * speed goal is too close to decide, but another goal is decided and missed. */
bool grade_fails_surely(const grade_result *r);
struct grade_options; /* grade.h */
/* Makes an empty result, for a failed build. */
void grade_result_init(grade_result *r, const grade_lab *lab, const struct grade_options *o);
/* Returns whether finding i occurred only in hidden cases. A student may then read only its
 * kind. */
bool grade_finding_hidden(const grade_result *r, size_t i);
/* Returns whether no kernel ran and an output was never written. This happens if a launch was
 * refused or if the program launches nothing. */
bool grade_result_nothing_ran(const grade_result *r);
/* What a student reads if the message is from a hidden case. */
lib_word_id grade_hidden_message(bool ungraded);
/* The result's message as a student may read it, empty if there is none. Borrowed from r. */
lib_words grade_result_said(const grade_result *r);
/* Makes a FAIL result without points for a submission that does not compile or may not be graded.
 * Sets message and build log. */
void grade_result_fail(grade_result *r, lib_words message, const char *build_log);
void grade_result_free(grade_result *r);

#endif
