/* The text of a program's machine code, beside the program.
 *
 *   lab's file      a step of nvcc's recipe, beside the host's compile (steps.h) --> out/HASH.sass
 *   anything else   once the program is linked: its cubins --nvdisasm--> out/HASH.sass
 *   out/HASH.sass --build_machine_take()--> new/HASH.sass, kept with the program
 *
 * HASH is the cubin's SHA-256: a text belongs to the machine code that it was made of, whatever
 * else a submission puts into its program. Who reads it: build.h. */
#ifndef WARPLAB_BUILD_MACHINE_H
#define WARPLAB_BUILD_MACHINE_H

#include "runner/build/job.h"

/* What nvdisasm is called where this build's tools run; NULL: it is not here, nobody wants its text,
 * or the build is for the debugger, which times nothing. */
#define BUILD_MACHINE_TOOL "/nvdisasm" /* in the sandbox */
const char *build_machine_tool(const build_job *b);
/* The program that is linked: out/program. Best effort, but for what is not the source's fault. */
bool build_machine_make(build_job *b);
/* False: b->r says why (a full disk). No text is no failure. */
bool build_machine_take(build_job *b);

#endif
