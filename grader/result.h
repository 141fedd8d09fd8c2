/* What a grading found. grade_run() fills a grade_result; reports, pictures and the prompt read it.
 *
 * A result knows everything, hidden cases too: what a student may read of it is what the functions
 * at the end and student.c leave. */
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
const char *grade_verdict_name(grade_verdict v);     /* "pass" ... */
bool grade_finding_forbids(sim_finding_kind k);      /* with one of these `correct` is missed */
lib_word_id grade_finding_title(sim_finding_kind k); /* "data race"; 0: no such kind */
/* One finding as a sentence: English as the device words it, Chinese from its fields. malloc'ed. */
char *grade_finding_text(const sim_finding *f, lib_lang lang);
/* The same without its count, for other messages. */
void grade_finding_message(const sim_finding *f, lib_message *m);

typedef struct grade_case_result {
    grade_param *params;
    size_t param_count;
    bool pass, hidden, timed;
    double max_error; /* largest |got - want| over all outputs */
    bool has_mismatch;
    const char *mismatch_arg;
    uint64_t index; /* first element that differs */
    double expected, actual;
    char expected_text[32], actual_text[32]; /* as a person reads them: exact */
    uint64_t wrong, total;                   /* how many elements differ */
    bool unwritten;                          /* none of those was ever written */
    bool compared, blank; /* outputs were compared; with nothing but zeros it would have passed */
    /* where outputs differ, one line of 64 cells: '.' equal, '#' all wrong, digits: tenths
     * wrong, '?' never written */
    char picture[512];
    lib_message message; /* says nothing when it passed */
} grade_case_result;

typedef struct {
    const grade_goal *goal;
    bool pass;
    bool undecided; /* measured, and the interval holds the threshold: pass says nothing */
    double expected, actual, points;
    lib_message message;
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
    bool by_machine_code; /* sim_result; why not: "" where nobody asked */
    lib_message by_ptx_why;
} grade_launch;

/* What the timed case's launches would save without one of their costs (sim_cost), if the
 * device was asked (dev_options.sim.what_if): summed over launches, with the lines of the one
 * that pays most. */
typedef struct {
    double saves_us, most_us; /* in all; of the launch that the lines are of */
    unsigned line_count, line[SIM_IF_LINES];
    const char *file[SIM_IF_LINES]; /* owned by the result */
    double part[SIM_IF_LINES];
} grade_cost;

/* How often each PTX instruction of a kernel was executed, over the timed case's launches, if
 * it was asked (dev_options.sim.count_ptx). */
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
    bool replayed;       /* timing came from replay; false: the call was repeated */
    lib_message message; /* why it is an error or suspect, or what ended the program */
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

/* What the measured call counted, by any name that a counter goal may have; `baseline`: the
 * baseline's call. False: nothing was measured, or there is no such figure (a ratio of accesses
 * that there were none of). */
bool grade_figure(const grade_result *r, bool baseline, const char *name, double *v);
/* Has it failed beyond doubt? Also where the verdict is AMBIGUOUS, because a goal of speed is
 * too close to decide: another goal that is missed, and is decided, is enough. */
bool grade_fails_surely(const grade_result *r);
struct grade_options; /* grade.h */
/* an empty result: for a failed build */
void grade_result_init(grade_result *r, const grade_lab *lab, const struct grade_options *o);
/* Was finding i met in hidden cases only? A student is told its kind and no more. */
bool grade_finding_hidden(const grade_result *r, size_t i);
/* No kernel ran, and an output was never written: what a launch that was refused leaves behind,
 * or none at all. */
bool grade_result_nothing_ran(const grade_result *r);
/* What a student reads where the message came about in a hidden case. */
lib_word_id grade_hidden_message(bool ungraded);
/* The result's message as a student may read it: borrowed; nothing when there is none. */
lib_words grade_result_said(const grade_result *r);
/* Why a submission did not compile or may not be graded at all, as a result of its own: FAIL, no
 * points, message and build log set. */
void grade_result_fail(grade_result *r, lib_words message, const char *build_log);
void grade_result_free(grade_result *r);

#endif
