/* The buffers of one case: what the lab's function is given, what it leaves behind. */
#ifndef WARPLAB_GRADER_BUFFERS_H
#define WARPLAB_GRADER_BUFFERS_H

#include "runner/base/message.h"
#include "runner/device/server/device.h"
#include "grader/lab.h"
#include "grader/result.h"
#include "grader/judge/compare.h"

typedef struct {
    const grade_arg *arg;
    uint64_t count, bytes, addr;
    double ops;
    void *in;                 /* inputs of the set in use */
    void *student, *baseline; /* outputs */
    unsigned char poison[GRADE_POISON_BYTES];
    bool has_poison;
} grade_buffer;

typedef struct {
    const grade_lab *lab;
    dev_session *session;
    const grade_param *params;
    size_t param_count;
    grade_buffer *buffer; /* one an argument; scalars have none (arg NULL) */
    dev_arg *args;
    double in_bytes, out_bytes;
    unsigned serial; /* differs from that of every other case */
    bool
        proof; /* outputs in ordinary memory of the host are not compared: nobody brought them there */
} grade_buffers;

/* What the buffers of a case take of the session's memory, about; 0: it cannot be told. */
uint64_t buffers_bytes(const grade_lab *lab, const grade_param *params, size_t n);
/* Each of these: false and *msg, which is the lab's or the machine's fault, never the
 * submission's. */
bool buffers_new(grade_buffers *b, const grade_lab *lab, dev_session *s, const grade_param *params,
                 size_t n, lib_message *msg);
void buffers_free(grade_buffers *b);
/* a fresh set of inputs */
bool buffers_draw(grade_buffers *b, uint64_t seed, const char *label, lib_message *msg);
/* Device buffers: inputs written, outputs poisoned. Host buffers are filled by buffers_fill_host
 * during the call. */
bool buffers_load(grade_buffers *b, lib_message *msg);
void buffers_fill_host(void *buffers, dev_client *c); /* for player_call */
/* Outputs into the student's or the baseline's copy. *changed: the first input that is no longer
 * what was put there, or NULL. */
bool buffers_collect(grade_buffers *b, dev_client *c, bool student, const grade_arg **changed,
                     lib_message *msg);
/* Compares every output; fills c's mismatch fields and its message when one differs. True when
 * all are right. */
bool buffers_compare(const grade_buffers *b, grade_case_result *c);
/* The case fails; the first reason is kept. */
void fail_case(grade_case_result *c, lib_words why);
/* "n = 1003, m = 4" */
void case_name(const grade_param *params, size_t n, char *out, size_t size);

#endif
