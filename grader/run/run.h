/* A grading under way: what goes in is a lab, two programs and options, what comes out is a
 * grade_result (grade_run(), declared in grader/grade.h).
 *
 *   calls.c <- measure.c <- pairs.c <- run.c
 *
 * A function that returns bool returns false when the case is over: the case or the result says why. */
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
    bool measured;
    bool outputs_right;
    bool races;      /* those in global memory are looked for */
    bool only_timed; /* the lab has no other case on which to call twice */
    bool warmed;     /* the next call finds the L2 as the last one left it */
    bool replay;     /* the second pair replays the launches; cleared when that could not be done */
    bool hidden;     /* in a hidden case: what is said now is not for students */
    bool stopped;    /* nothing more can be run */
    bool proven;     /* run_host_proven() has had to run the call's launches again */
    double kernels_us; /* of the call that was measured: its launches */
    double call_us;    /* the same of the call that is replayed; 0: its sample says too little */
    double useful_bytes, useful_flops;
    double out_bytes;                 /* as grade_call_log */
    double *student_us, *baseline_us; /* samples of a measured device */
    size_t samples;
} run;

/* ---- calls.c ---- */

/* Not the submission's fault: the verdict is ERROR, and nothing more is run. False. */
bool run_infra(run *u, lib_words why);
bool run_infra_message(run *u, const lib_message *msg);
/* Too good to be true: a person is to look. False. */
bool run_suspect(run *u, lib_words why);

/* What a program's last call did; the records are the client's. */
grade_call_log run_call_log(const player *p);
/* The microseconds of it that the lab asks for: of the device's work, or of the whole call. */
double run_log_time(const run *u, const grade_call_log *log);
/* Adds to the result what the device found in a program's last call. */
void run_take_findings(run *u, player *p);

/* Races in global memory are looked for in the calls of who is judged, where that is wanted (u->races):
 * it costs as much as the call. mine: it is the submission's turn. */
void run_watch_races(run *u, bool mine);
/* What a call begins on: its inputs, poisoned outputs, and a cold L2 unless the call before was to
 * warm it. */
bool run_begin_call(run *u, grade_buffers *b);
/* One call on b's inputs; then its outputs are in b. */
bool run_baseline_call(run *u, grade_buffers *b, grade_case_result *c);
bool run_student_call(run *u, grade_buffers *b, grade_case_result *c);
/* What the grader could not do while the submission held the device: both programs are stopped, to
 * try once more without it. False when there is no submission, or the grading was cancelled. */
bool run_without_submission(run *u);
/* The case fails since that helped: the submission keeps too much of the device. */
void run_in_the_way(grade_case_result *c);
/* Adds to the case's message the first call that the device does not support, if it made one. */
void run_add_unsupported_call(run *u, grade_case_result *c);

/* ---- measure.c ---- */

/* What the device can do at most: copy in GB/s, FP32 in GFLOP/s. */
void run_device_peaks(const run *u, grade_evidence *e);
/* Suspect when time_us is less than the device's peaks, or the launches' own floors, allow. */
void run_check_peaks(run *u, const grade_buffers *b, double time_us);
void run_check_floor(run *u, const grade_call_log *log, double time_us);
/* After a proof: its launches are those of the call that was measured. What they count and take there is
 * what counts, where it is worse: a kernel may know by the data that it is in a proof. */
void run_take_proof(run *u);
/* The same of the call whose launches were replayed for their time: kept before that, and taken
 * behind it where it is worse. */
void run_keep_call(run *u);
void run_take_call(run *u);
/* Launches whose sampled blocks say little of the rest (sim_result.unlike) have a part in the time of the
 * submission's last call: worth another draw, and after that a person's look where it beats the baseline. */
bool run_is_unlike(const run *u);
void run_check_unlike(run *u);
/* Values of the goals, figures, launches and times of both programs' last calls. */
void run_take_metrics(run *u, const grade_buffers *b);

/* ---- pairs.c ---- */

/* Compares the outputs in b; a mismatch goes into c. */
bool run_compare(run *u, grade_buffers *b, grade_case_result *c);
/* A call in whose work the host had a part passes where the lab's host may do that, or where the
 * launches alone are right on other inputs: then nothing that the host saw has gone into them. */
bool run_host_proven(run *u, grade_buffers *b, grade_case_result *c, unsigned set);
/* The submission's last call may be timed by a replay of its launches. */
bool run_may_replay(const run *u);
/* One more pair on fresh inputs, number `set`. The submission's launches are replayed where that can
 * be, else its function is called again. */
bool run_second_pair(run *u, grade_buffers *b, grade_case_result *c, unsigned set,
                     bool student_first);
/* Real clocks: pairs until the interval clears every threshold, at least 10 and half a second, at
 * most 15 s. */
bool run_sample(run *u, grade_buffers *b, grade_case_result *c);

#endif
