/* Between the files that prove a lab: what is under way, and how a claim is made.
 *
 *   prove.c        labs side by side; runs: skeleton, answer, traps, measures
 *   prove_text.c   what no run says: texts, shape, files
 *   order.c        what comes before it: labs and terms
 *   keep.c         gradings whose claims all held, kept
 *   claim.c        a claim, a note */
#ifndef WARPLAB_PROVER_H
#define WARPLAB_PROVER_H

#include <stdio.h>
#include "runner/base/buffer.h"
#include "runner/lesson/lab.h"
#include "runner/prove/prove.h"

typedef struct {
    const prove_options *o;
    lab *l;
    FILE *to;
    const char *device;
    int good, bad, kept, notes;
    int cut;      /* claims that Ctrl-C took the run from: neither held nor failed */
    bool stopped; /* the first cause of what would fail as well is found: nothing more is run */
    /* Of the grading under way: which it is ("answers/LAB.cu", "predict (line 9)"), where, what was measured. */
    const char *what, *on;
    lib_buffer measured;
} prover;

enum { PROVE_SOURCE_BYTES = 1 << 20 };

/* Counts it and prints it when it does not hold, in the language of the options. Returns ok. Once Ctrl-C was pressed a claim that does not
 * hold says nothing of the lab: it was not looked at. */
bool prove_claim(prover *p, bool ok, lib_words why, lib_words what);
/* A reason that is in that language already. */
static inline lib_words prove_said(const char *text) {
    return lib_words_plain((lib_texts){{text}});
}
/* Worth a look, and no failure. */
void prove_note(prover *p, lib_words what);

/* What the grading under way has measured, a line: told with --verbose, and kept with it. */
void prove_measured(prover *p, lib_words what);
/* The same of lines that were kept. */
void prove_measured_before(prover *p, const char *lines);

/* ---- prove_text.c ---- */

void prove_texts(prover *p);
/* Skeleton, answer, baseline are there and sound; needs. */
void prove_files(prover *p);

/* ---- order.c ---- */

/* What the lab builds on and speaks of comes before it; of a lab that no list has, only circles. */
void prove_order(prover *p);

/* ---- keep.c ---- */

enum { KEEP_KEY = 65 };
/* What a grading follows from: program, device, baseline, headers, what the lab asks (not its texts),
 * compiler, Warplab. more: what else, or "". */
void keep_key(const prover *p, const char *program, const char *baseline, const char *device,
              const char *more, char key[KEEP_KEY]);
/* How many claims held the last time, and in *measured (malloc'ed) what was; -1: it has to be run. */
int keep_get(const char key[KEEP_KEY], char **measured);
void keep_put(const char key[KEEP_KEY], int claims, const char *measured);

#endif
