/* The prover of lessons, `warplab check`. It is a door of its own because only the command line
 * proves labs.
 *
 *   ids, devices --lab_prove()--> "ok ..." and "not ok ..." lines on stdout, number of failures */
#ifndef WARPLAB_PROVE_H
#define WARPLAB_PROVE_H

#include <stdbool.h>
#include "runner/base/lang.h"

/* Proves lessons on each device: the skeleton compiles, fails and has its TODO; the answer meets
 * every goal; every trap gets the verdict that its first lines state; both languages are complete.
 * Prints to stdout. Returns the number of failures. */
typedef struct {
    const char *root;
    const char *const *labs; /* ids; count 0: all */
    unsigned lab_count;
    const char *const *devices; /* count 0: sim:h200 and sim:t4 */
    unsigned device_count;
    unsigned jobs; /* labs at the same time; 0: one per core */
    lib_lang lang;
    bool verbose;
    bool texts; /* only what needs no run */
    bool again; /* repeat gradings that were kept */
} prove_options;
int lab_prove(const prove_options *o);

#endif
