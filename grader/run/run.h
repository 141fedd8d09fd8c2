/* One grading in progress. In: a lab, two programs and options. Out: a grade_result (grade_run(),
 * declared in grader/grade.h).
 *
 *   calls.c <- measure.c <- pairs.c <- run.c
 *
 * A bool function returns false if the case is over; the case or the result says why. */
#ifndef WARPLAB_GRADER_RUN_H
#define WARPLAB_GRADER_RUN_H

#include "grader/grade.h"
#include "grader/lab.h"
#include "grader/result.h"
#include "grader/goal/goal.h"
#include "grader/judge/buffers.h"
#include "grader/judge/metrics.h"
#include "grader/judge/player.h"

typedef struct run {
    const grade_lab *lab;
    const grade_options *o;
    grade_result *r;
    dev_session *session;
    player student, baseline;
    grade_metric_value *mine, *base, *call; /* per goal; call: of the call that is replayed */
    bool *far;                              /* per goal: missed by far in a near case */
    bool measured;
    /* a goal compares two kernels: the call was made in which the results of one are changed; the
     * program did not notice */
    bool spoilt, unchecked;
    const grade_case_result *unmeasured; /* the case that kept the timed one from its end */
    bool outputs_right;
    bool races;             /* look for races in global memory */
    bool only_timed;        /* the lab has no other case that could be called twice */
    grade_buffers *earlier; /* in the second call of a hidden case: those of the first; or NULL */
    bool warmed;            /* the next call finds the L2 as the last one left it */
    bool replay;            /* the second pair replays the launches; cleared if it cannot */
    bool hidden;            /* in a hidden case: messages are not for students */
    bool stopped;           /* nothing more can be run */
    bool proven;            /* run_host_proven() had to run the call's launches again */
    double kernels_us;      /* time of the launches of the measured call */
    double call_us; /* the same of the call that is replayed; 0: its sample says too little */
    double useful_bytes, useful_flops;
    double out_bytes;                 /* as in grade_call_log */
    double *student_us, *baseline_us; /* samples, if times are measured */
    size_t samples;
} run;

/* ---- calls.c ---- */

/* For what is not the submission's fault: sets the verdict ERROR, and nothing more is run. Returns
 * false. */
bool run_infra(run *u, lib_words why);
bool run_infra_message(run *u, const lib_message *msg);
/* For what is too good to be true: sets SUSPECT, so that a person looks at it. Returns false. */
bool run_suspect(run *u, lib_words why);

/* What a program's last call did. The records belong to the client. */
grade_call_log run_call_log(const player *p);
/* The time of a call as the lab defines it, in us: of the device's work, or of the whole call. */
double run_log_time(const run *u, const grade_call_log *log);
/* Adds to the result what the device found in a program's last call. */
void run_take_findings(run *u, player *p);

/* Switches the search for races in global memory on or off for the next call, which then costs
 * twice the time. Only calls of the judged program are searched, and only with u->races. mine: the
 * submission is next. */
void run_watch_races(run *u, bool mine);
/* Whether launches from now on are timed by their machine code, or by their counters. */
void run_exact_times(run *u, bool exact);
/* Prepares a call: inputs, poisoned outputs, and a cold L2 unless the previous call was to warm
 * it. */
bool run_begin_call(run *u, grade_buffers *b);
/* Each makes one call on b's inputs and leaves the outputs in b. */
bool run_baseline_call(run *u, grade_buffers *b, grade_case_result *c);
bool run_student_call(run *u, grade_buffers *b, grade_case_result *c);
/* Stops both programs, to try something again that failed while the submission held the device.
 * Returns false if there is no submission, or if the grading was cancelled. */
bool run_without_submission(run *u);
/* Fails the case because that helped: the submission keeps too much of the device. */
void run_in_the_way(grade_case_result *c);
/* Adds to the case's message the first call that the device does not support, if there was one. */
void run_add_unsupported_call(run *u, grade_case_result *c);

/* ---- measure.c ---- */

/* The device's peaks: copy in GB/s, FP32 in GFLOP/s. */
void run_device_peaks(const run *u, grade_evidence *e);
/* Set SUSPECT if time_us is below what the device's peaks, or the launches' own floors, allow. */
void run_check_peaks(run *u, const grade_buffers *b, double time_us);
void run_check_floor(run *u, const grade_call_log *log, double time_us);
/* After a proof, which repeats the launches of the measured call: takes its counts and times if
 * they are worse. A kernel may recognise by the data that it is in a proof. */
void run_take_proof(run *u);
/* The same for the call whose launches are replayed for their time: run_keep_call() keeps its
 * counts and its time before the replay, run_take_call() takes them after it if they are worse. */
void run_keep_call(run *u);
void run_take_call(run *u);
/* The time of some launches is doubtful: sampled blocks that say little about the other blocks
 * (sim_result.unlike), or a time by counters (sim_result.machine_refusal), which is the least that
 * the counters allow. run_is_unlike() returns whether launches of the first kind matter for the
 * time of the submission's last call: then another draw is worthwhile. run_check_doubts() sets
 * SUSPECT if a submission with doubtful launches beats the baseline, or has a goal on their time.
 * Times by counters matter only if a goal with points asks for time. Then it sets ERROR if the
 * baseline has no other. */
bool run_is_unlike(const run *u);
void run_check_doubts(run *u);
/* Takes the values of the goals, figures, launches and times from both programs' last calls. */
void run_take_metrics(run *u, const grade_buffers *b);
/* After a call of a near case: returns whether it misses a goal by far. note: keeps which. */
bool run_take_near(run *u, const grade_buffers *b, bool note);

/* ---- pairs.c ---- */

/* Compares the outputs in b; a mismatch goes into c. */
bool run_compare(run *u, grade_buffers *b, grade_case_result *c);
/* Decides about a call in whose work the host had a part. It passes if the lab allows that, or if
 * its launches, run again on other inputs, give right outputs: then they used nothing that the host
 * computed. */
bool run_host_proven(run *u, grade_buffers *b, grade_case_result *c, unsigned set);
/* Returns whether a replay of the launches may time the submission's last call. */
bool run_may_replay(const run *u);
enum { RUN_SECOND = 2000 }; /* the set of an untimed case's second pair */
/* Makes one more pair of calls on new inputs, number `set`. Replays the submission's launches if
 * that is possible; otherwise calls its function again. */
bool run_second_pair(run *u, grade_buffers *b, grade_case_result *c, unsigned set,
                     bool student_first);
/* The second call of an untimed case. In a hidden case, scalars on which no size depends have other
 * values, all buffers other addresses, and some elements the same values as in the first call. If
 * it fails, c has the parameters of this call. */
bool run_again(run *u, grade_buffers *b, grade_case_result *c);
/* For measured times: makes pairs until the interval contains no threshold, at least 10 pairs and
 * half a second, at most 15 s. */
bool run_sample(run *u, grade_buffers *b, grade_case_result *c);

#endif
