/* Grades one submission from start to end: builds it, builds the lab's baseline, grades. `warplab
 * grade`, the prompt's `check`, the prover of lessons and batches use this.
 *
 *   grade_lab (lab.c) + FILE.cu --build_file()--> program --grade_run()--> grade_result */
#ifndef WARPLAB_GRADING_H
#define WARPLAB_GRADING_H

#include "runner/base/cancel.h"
#include "grader/grade.h"
#include "grader/lab.h"
#include "grader/result.h"
#include "runner/build/build.h"

typedef struct {
    const char *device; /* NULL: the default device */
    uint64_t seed;
    uint64_t secret;     /* a seed that students do not know; 0: none */
    uint64_t sample;     /* chooses the sampled blocks if there is no secret (sim_options.sample) */
    sandbox_mode mode;   /* of the compile and of the run */
    double time_limit_s; /* 0: the lab's */
    double compile_limit_s; /* CPU time of each step of the compiler, in seconds; 0: build.h's */
    /* Threads of a simulated device; 0: one per core. With 1, even the results of racing blocks are
     * the same on every machine. */
    unsigned threads;
    bool first_failure_only;
    bool tests_lab;     /* see grade_options */
    bool what_if;       /* fill grade_result.costs; replays each kernel a dozen times more */
    bool count_ptx;     /* fill grade_result.ptx */
    bool count_machine; /* with count_ptx: executions of machine code, too */
    /* if not NULL, receives the path of the program in the cache, malloc'ed */
    char **program;
    const char *shown_as; /* the file's name in messages; NULL: its path */
    const char *baseline; /* NULL: kernels/ID.cu */
    /* The same program is graded on this device next, so it is compiled for both at once; NULL:
     * none. */
    const char *next_device;
    /* For each goal, what an answer is compared with (lab_grade() fills it); NULL: no such goal. */
    const grade_truth *answers;
    /* Called with "compiling" or "running", for a status line. May be NULL. */
    void (*stage)(void *user, const char *what);
    /* Called before each case with the number of cases done and of all cases. May be NULL. */
    void (*progress)(void *user, size_t done, size_t total);
    void *user;
} grading_options;
void grading_options_init(grading_options *o); /* the defaults */

/* Fills *r; free it with grade_result_free(). A failed build is a FAIL with build_ok false. What is
 * not the submission's fault is an ERROR with r->message. Stops early if lib_cancel() is set.
 * Returns r->verdict. */
grade_verdict grading_run(const grade_lab *lab, const char *source, const grading_options *o,
                          grade_result *r);

/* The default device: WARPLAB_DEVICE; otherwise gpu:0 if there is a GPU; otherwise sim:h200. */
const char *grading_device(void);

/* The exit status for a verdict: 0 passed, 1 failed, 3 could not grade. */
int grading_status(grade_verdict v);

/* A grade_host that uses the sandbox: with it the grader starts and reaps programs, several at the
 * same time. It must exist until the grading ends. */
enum { GRADING_PROCESSES = 8 };
typedef struct {
    sandbox_mode mode;
    double cpu_s;                                 /* CPU time of each program, in seconds */
    sandbox_process processes[GRADING_PROCESSES]; /* pid 0: free */
} grading_host;
/* cpu_s: CPU time of each program, in seconds. */
void grading_host_init(grading_host *h, sandbox_mode mode, double cpu_s);
grade_host grading_host_calls(grading_host *h); /* to pass to the grader; points to h */

#endif
