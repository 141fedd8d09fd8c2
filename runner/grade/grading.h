/* One submission, start to end: build it, build the lab's baseline, grade. What `warplab grade`,
 * the REPL's check, the lesson prover and the batch have in common.
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
    uint64_t sample;     /* what the clock samples, where there is no secret (sim_options.sample) */
    sandbox_mode mode;   /* of the compile and of the run */
    double time_limit_s; /* 0: the lab's */
    double compile_limit_s; /* computing of each part of the compiler; 0: build.h's */
    /* of a simulated device; 0: one per core. With 1 even what racing blocks leave behind is the
     * same on every machine */
    unsigned threads;
    bool first_failure_only;
    bool watch_baseline;  /* races of the baseline are looked for, too */
    bool what_if;         /* fill grade_result.costs: a dozen replays more for each kernel */
    bool count_ptx;       /* fill grade_result.ptx */
    char **program;       /* not NULL: *program is the program's path in the cache, malloc'ed */
    const char *shown_as; /* what messages call the file; NULL: its path */
    const char *baseline; /* NULL: kernels/ID.cu */
    /* a device that the same program is graded on next, so that it is compiled once for both; NULL: none */
    const char *next_device;
    /* for each goal, what an answer is judged against (lab_grade() fills it); NULL: no such goal */
    const grade_truth *answers;
    /* "compiling", "running": for a status line; may be NULL */
    void (*stage)(void *user, const char *what);
    /* before each case: how many are done, of how many; may be NULL */
    void (*progress)(void *user, size_t done, size_t total);
    void *user;
} grading_options;
void grading_options_init(grading_options *o);

/* Fills *r (free with grade_result_free). A failed build is a FAIL with build_ok false; what is not
 * the submission's fault is an ERROR with r->message. Looks at lib_cancel(). Returns r->verdict. */
grade_verdict grading_run(const grade_lab *lab, const char *source, const grading_options *o,
                          grade_result *r);

/* The default device: WARPLAB_DEVICE, else gpu:0 where there is one, else sim:h200. */
const char *grading_device(void);

/* The exit status that a verdict stands for: 0 passed, 1 failed, 3 could not grade. */
int grading_status(grade_verdict v);

/* grade_host over the sandbox: how the grader starts and reaps programs, several at a time. It must
 * outlive the grading. */
enum { GRADING_PROCESSES = 8 };
typedef struct {
    sandbox_mode mode;
    double cpu_s;                                 /* of each program */
    sandbox_process processes[GRADING_PROCESSES]; /* pid 0: free */
} grading_host;
void grading_host_init(grading_host *h, sandbox_mode mode, double cpu_s);
grade_host grading_host_calls(grading_host *h);

#endif
