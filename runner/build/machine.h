/* The text of a program's machine code, kept with the program.
 *
 *   lab's file      a step of nvcc's recipe, in parallel to the host's compile (steps.h) -->
 *                   out/HASH.sass
 *   others          once the program is linked: its cubins --nvdisasm--> out/HASH.sass
 *   out/HASH.sass --build_machine_take()--> new/HASH.sass, kept with the program
 *
 * Its text is also kept by itself, for other programs with the same machine code (an edit of the
 * host's part or of a comment leaves it as it is): cache/machine/TOOL/HASH/HASH.sass, where TOOL
 * is the SHA-256 of nvdisasm's path (cache.h). A side step copies it from there
 * (build_recipe_kept()).
 *
 * HASH is the cubin's SHA-256: a text belongs to the machine code from which it was made, whatever
 * else a submission puts into its program. build.h has the readers. */
#ifndef WARPLAB_BUILD_MACHINE_H
#define WARPLAB_BUILD_MACHINE_H

#include "runner/build/job.h"

/* Returns nvdisasm's path where this build's tools run; NULL: it is not here, its text is not
 * wanted, or the build is for the debugger, which times nothing. */
#define BUILD_MACHINE_TOOL "/nvdisasm" /* in the sandbox */
const char *build_machine_tool(const build_job *b);
/* Adds the folder of kept texts to a recipe; malloc'ed. */
char *build_machine_recipe(const build_job *b, const char *recipe);
/* For the linked program out/program. Best effort, except for failures that are not the source's
 * fault. */
bool build_machine_make(build_job *b);
/* Returns false on failure; b->r says why (a full disk). A missing text is not a failure. */
bool build_machine_take(build_job *b);

#endif
