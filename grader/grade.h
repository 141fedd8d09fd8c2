/* Grading: a lab's rules and a program in, a verdict out. Knows the device, nothing of Lua or the
 * REPL.
 *
 *   lesson (Lua) --runner/lesson/lab.c--> lab.h -----+
 *   .cu --runner/build/build.c--> program -----------+--> grade_run() --> result.h --> report.h
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
#include "grader/lab.h"
#include "grader/result.h"

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
    /* for races too: that is the lab's author's business, not a submission's */
    bool watch_baseline;
    dev_options dev;
    /* On a GPU: the same submission's result on the simulated device nearest to it, with the same
     * seeds. Goals of counters, findings and lines come from it. NULL: counters are not known
     * there. */
    const grade_result *explained;
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
    const grade_result *measured;   /* NULL: the submission itself */
    const char *file;               /* the measured program's, as the result's lines name it */
    unsigned lines[GRADE_ACCESSES]; /* of the accesses, in order */
} grade_truth;

/* One call of the lab's function on one case, with a debugger under it
 * (options->dev.sim.debug): the baseline first, so that at the end the outputs can be compared.
 * Nothing is judged. */
typedef struct {
    const grade_lab *lab;
    const char *program, *baseline; /* paths of what was built */
    const grade_host *host;
    const struct grade_options *options;
    size_t number;                          /* which public case, from 1; 0: the timed one */
    void (*turn)(void *user, bool student); /* before each of the two is called; may be NULL */
    /* how the outputs compare, once the call has ended; may be NULL */
    void (*ended)(void *user, const grade_case_result *r);
    void *user;
} grade_play;
/* False and *msg: it could not be done, or the program did not come back as it should. */
bool grade_play_run(const grade_play *q, lib_message *msg);

/* Grades `program` against `baseline` (both built from a .cu and the lab's glue). Never exits,
 * never prints. The verdict is ERROR when grading could not be done (infrastructure), FAIL when the
 * submission is at fault. *r must be zero or initialised; what it held is freed. Free with
 * grade_result_free(). */
void grade_run(const grade_lab *lab, const char *program, const char *baseline,
               const grade_host *host, const grade_options *o, grade_result *r);
/* A lab without an entry: only what the submission answers is judged. */
void grade_answers(const grade_lab *lab, const grade_options *o, grade_result *r);
/* The value of the line `// answer NAME: VALUE` (or without the slashes). Returns how many lines of
 * that name have a value: 0, 1, or more when they do not agree. */
int grade_answer_find(const char *text, const char *name, char *value, size_t n);

#endif
