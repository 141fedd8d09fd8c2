/* The buffers of one case: what the lab's function gets, and what it leaves behind. */
#ifndef WARPLAB_GRADER_BUFFERS_H
#define WARPLAB_GRADER_BUFFERS_H

#include "runner/base/message.h"
#include "runner/device/server/device.h"
#include "grader/lab.h"
#include "grader/result.h"
#include "grader/judge/compare.h"
#include "grader/lab/inputs.h"

typedef struct {
    const grade_arg *arg;
    uint64_t count, bytes, addr;
    double ops;
    uint64_t row;             /* of grade_compare() */
    void *in;                 /* the inputs of the current set */
    void *student, *baseline; /* outputs */
    unsigned char poison[GRADE_POISON_BYTES];
    bool has_poison;
} grade_buffer;

typedef struct {
    const grade_lab *lab;
    dev_session *session;
    const grade_param *params;
    size_t param_count;
    grade_buffer *buffer; /* one per argument; arg is NULL for scalars */
    dev_arg *args;
    double in_bytes, out_bytes;
    unsigned serial; /* buffers_number() */
    /* do not compare outputs in ordinary host memory: a replay does not copy them there */
    bool proof;
} grade_buffers;

/* Estimates the device memory of a case's buffers, in bytes; 0: unknown. */
uint64_t buffers_bytes(const grade_lab *lab, const grade_param *params, size_t n);
/* Each of these returns false and sets *msg on an error. The error is the lab's or the machine's
 * fault, never the submission's. */
bool buffers_new(grade_buffers *b, const grade_lab *lab, dev_session *s, const grade_param *params,
                 size_t n, lib_message *msg);
void buffers_free(grade_buffers *b);
/* Sets the number of these buffers: those in host memory are at other places than those with
 * another number. */
void buffers_number(grade_buffers *b, unsigned serial);
/* After a draw: some elements are as in `earlier`, which has the same sizes (grade_keep_some). */
void buffers_keep_some(grade_buffers *b, const grade_buffers *earlier, uint64_t seed,
                       const char *label, grade_extremes extremes);
/* Draws a new set of inputs. */
bool buffers_draw(grade_buffers *b, uint64_t seed, const char *label, grade_extremes extremes,
                  lib_message *msg);
/* Writes the inputs of device buffers and poisons the outputs. buffers_fill_host fills host buffers
 * during the call. */
bool buffers_load(grade_buffers *b, lib_message *msg);
void buffers_fill_host(void *buffers, dev_client *c); /* for player_call() */
/* Reads the outputs into the student's or the baseline's copy. *changed: the first input that the
 * call has changed, or NULL. */
bool buffers_collect(grade_buffers *b, dev_client *c, bool student, const grade_arg **changed,
                     lib_message *msg);
/* Compares all outputs. If one differs, fills c's mismatch fields and message. Returns true if all
 * are right. */
bool buffers_compare(const grade_buffers *b, grade_case_result *c);
/* Fails the case. Only the first reason is kept. */
void fail_case(grade_case_result *c, lib_words why);
/* "n = 1003, m = 4" */
void case_name(const grade_param *params, size_t n, char *out, size_t size);

#endif
