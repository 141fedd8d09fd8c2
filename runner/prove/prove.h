/* The prover of lessons, `warplab check`: a door of its own, since of all who load labs only the command
 * line proves them.
 *
 *   ids, devices --lab_prove()--> "ok ..." and "not ok ..." lines on stdout, the number of failures */
#ifndef WARPLAB_PROVE_H
#define WARPLAB_PROVE_H

#include <stdbool.h>
#include "runner/base/lang.h"

/* Proves lessons: the skeleton compiles, fails and has its TODO; the answer
 * passes every goal; every trap gives the verdict its first lines state; both languages are
 * complete; on each device. Prints to stdout; returns the number of failures. */
typedef struct {
    const char *root;
    const char *const *labs; /* ids; count 0: all */
    unsigned lab_count;
    const char *const *devices; /* count 0: sim:h200 and sim:t4 */
    unsigned device_count;
    unsigned jobs; /* labs side by side; 0: as many as cores */
    lib_lang lang;
    bool verbose;
    bool texts; /* only what needs no run */
    bool again; /* run what was kept, too */
} prove_options;
int lab_prove(const prove_options *o);

#endif
