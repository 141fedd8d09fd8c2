/* The interface between the files that prove a lab.
 *
 *   prove.c        labs in parallel; runs: skeleton, answer, traps, measurements
 *   prove_text.c   what needs no run: texts, shape, files
 *   order.c        what must come before the lab: other labs, terms
 *   keep.c         keeps gradings whose claims all held
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
    int cut; /* claims that Ctrl-C interrupted: neither held nor failed */
    /* a first cause is found that would make the rest fail, too: nothing more is run */
    bool stopped;
    /* The current grading: its name ("answers/LAB.cu", "predict (line 9)"), its device, what was
     * measured. */
    const char *what, *on;
    lib_buffer measured;
} prover;

enum { PROVE_SOURCE_BYTES = 1 << 20 };

/* Counts a claim, and prints it if it does not hold, in the language of the options. Returns ok.
 * After Ctrl-C a claim that does not hold says nothing about the lab, because the run was
 * interrupted. */
bool prove_claim(prover *p, bool ok, lib_words why, lib_words what);
/* A reason that is in that language already. */
static inline lib_words prove_said(const char *text) {
    return lib_words_plain((lib_texts){{text}});
}
/* Prints something that deserves a look but is no failure. */
void prove_note(prover *p, lib_words what);

/* Adds a line about what the current grading measured. It is printed with --verbose, and kept with
 * the grading. */
void prove_measured(prover *p, lib_words what);
/* Adds lines that were kept. */
void prove_measured_before(prover *p, const char *lines);

/* ---- prove_text.c ---- */

/* Checks both languages, widths, terms and shape. */
void prove_texts(prover *p);
/* Checks that skeleton, answer and baseline exist and are sound, and that `needs` is right. */
void prove_files(prover *p);

/* ---- order.c ---- */

/* Checks that what the lab builds on, and the terms it uses, come before it. For a lab outside all
 * lists it only looks for circles. */
void prove_order(prover *p);

/* ---- keep.c ---- */

enum { KEEP_KEY = 65 };
/* The key of a grading: a hash of everything on which it depends. That is program, device,
 * baseline, headers, the lab's requirements (not its texts), compiler and Warplab. more: anything
 * else, or "". */
void keep_key(const prover *p, const char *program, const char *baseline, const char *device,
              const char *more, char key[KEEP_KEY]);
/* Returns how many claims held the last time, and in *measured (malloc'ed) what was measured; -1:
 * it must be run. */
int keep_get(const char key[KEEP_KEY], char **measured);
/* Keeps a grading of which all claims held. */
void keep_put(const char key[KEEP_KEY], int claims, const char *measured);

#endif
