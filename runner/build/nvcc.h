/* The compile and the link: how nvcc and the linker are called. */
#ifndef WARPLAB_BUILD_NVCC_H
#define WARPLAB_BUILD_NVCC_H

#include "runner/build/job.h"

/* A lab's file: copied, with the headers it may include, into a folder of its own; nvcc sees only that
 * folder, the toolkit and /usr, in the sandbox; the link with the glue runs there too. */
bool build_lab(build_job *b);
/* A whole program (profile): compiled where it lies, with the user's own rights. */
bool build_program(build_job *b);

#endif
