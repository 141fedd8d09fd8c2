/* Grades one submission: takes a lab's rules and a program, returns a verdict. This floor knows the
 * device, but neither Lua nor the prompt.
 *
 *   lesson (Lua) --runner/lesson/lab.c--> lab.h -----+
 *   .cu --runner/build/build.c--> program -----------+--> grade_run() --> result.h --> report.h
 *
 * The grader's process draws the inputs, has the expected values and compares the outputs. The
 * submission's process gets only the inputs. */
#ifndef WARPLAB_GRADE_H
#define WARPLAB_GRADE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "runner/base/lang.h"
#include "runner/base/message.h"
#include "runner/device/server/device.h"
#include "grader/lab.h"
#include "grader/result.h"

/* A program that runs in the sandbox. */
typedef struct {
    int pid;
    int fd;     /* the server's end of the socket */
    int out_fd; /* read end of its stdout and stderr, merged; or -1 */
    /* set by reap(): it was ended because it used more memory than this many bytes; 0: no */
    uint64_t over_memory;
} grade_child;
typedef struct {
    /* Starts the program at `path` in the sandbox and fills *child. Returns 0; or -1 and *msg. */
    int (*spawn)(void *user, const char *path, grade_child *child, lib_message *msg);
    /* Waits for the program's end and closes out_fd. With `kill_it`, kills the program first.
     * Returns the wait status; or -1 if the program was never started: the output then says why.
     * `output` may be NULL; otherwise the caller frees *output. */
    int (*reap)(void *user, grade_child *child, bool kill_it, char **output, size_t *output_len);
    void *user;
} grade_host;

typedef struct grade_options {
    const char *device; /* "sim:h200" */
    uint64_t seed;      /* public seed: with the lab's id it decides hidden cases and inputs ... */
    /* ... and so does this one if it is not 0: a seed that students do not know */
    uint64_t secret;
    double time_limit_s;     /* upper bound for the lab's own limit, in seconds; 0: 60 */
    bool first_failure_only; /* stop at the first failing case */
    /* This is a test of the lab: look for races in the baseline, too, and draw near cases without a
     * secret. */
    bool tests_lab;
    dev_options dev;
    /* On a GPU: the result of the same submission on the most similar simulated device, with the
     * same seeds. Goals about counters, findings and lines are judged with it. NULL: counters are
     * not known. */
    const grade_result *explained;
    /* For goals about answers: the submission's text, and one truth for each goal of the lab, in
     * the same order. NULL if the lab has no such goal. */
    const char *submission;
    /* The device code that the build of the submission made. A lab that forbids anything allows no
     * other, and no lab allows other machine code. NULL: any other is searched for what is
     * forbidden. */
    const void *code;
    size_t code_bytes;
    const struct grade_truth *truths;
    /* Called before each case with the number of cases done and of all cases. May be NULL. */
    void (*progress)(void *user, size_t done, size_t total);
    void *user;
} grade_options;

/* What one answer is compared with. */
typedef struct grade_truth {
    const grade_result *measured; /* NULL: the submission itself */
    /* the name of the measured program's file in the result's lines */
    const char *file;
    unsigned lines[GRADE_ACCESSES]; /* the line of each access of the goal, in order */
} grade_truth;

/* One call of the lab's function on one case, under a debugger (options->dev.sim.debug). The
 * baseline is called first, so that the outputs can be compared at the end. Nothing is judged. */
typedef struct {
    const grade_lab *lab;
    const char *program, *baseline; /* paths of the built programs */
    const grade_host *host;
    const struct grade_options *options;
    size_t number; /* which public case, from 1; 0: the timed case */
    /* called before each of the two programs is called; may be NULL */
    void (*turn)(void *user, bool student);
    /* Called after the submission's call, with the comparison of the outputs. May be NULL. */
    void (*ended)(void *user, const grade_case_result *r);
    void *user;
} grade_play;
/* Returns false and sets *msg if the programs could not be run, or if the submission ended
 * early. */
bool grade_play_run(const grade_play *q, lib_message *msg);

/* Grades `program` against `baseline`; both were built from a .cu file and the lab's glue. Never
 * exits and never prints. The verdict is ERROR if the grading itself could not be done, and FAIL if
 * the submission is at fault. *r must be zero or initialised; its old contents are freed. Free it
 * with grade_result_free(). */
void grade_run(const grade_lab *lab, const char *program, const char *baseline,
               const grade_host *host, const grade_options *o, grade_result *r);
/* Judges a lab that has no entry: only the answers in the submission count. */
void grade_answers(const grade_lab *lab, const grade_options *o, grade_result *r);
/* Finds the value in the line `// answer NAME: VALUE` (the slashes may be missing). Returns how
 * many lines of this name have a value: 0, 1, or more if they disagree. */
int grade_answer_find(const char *text, const char *name, char *value, size_t n);

#endif
