/* nvcc's own steps, two chains of them at a time. */
#ifndef WARPLAB_STEPS_H
#define WARPLAB_STEPS_H

#include "runner/base/message.h"

/* From what `nvcc --dryrun` printed to a recipe: the text that build_steps_main() takes. NULL when there is
 * anything in it that this does not know, with the reason in *msg: then nvcc itself has to run.
 * malloc'ed. */
char *build_recipe_parse(const char *dryrun, lib_message *msg);
/* Adds a last step, which needs all others. */
char *build_recipe_append(const char *recipe, const char *const *argv);
/* Adds, for each cubin that a step of the recipe makes, a step beside the others: `tool` (nvdisasm)
 * reads it, and what it prints becomes BUILD_MACHINE_FILE in `folder`. Nobody waits for it but the
 * end, and the build is none the worse where it fails, computes for more than
 * BUILD_MACHINE_SECONDS, or prints more than BUILD_MACHINE_BYTES: then the file is not there. To be
 * called before build_recipe_append(). */
char *build_recipe_machine(const char *recipe, const char *tool, const char *folder);
/* The same of one file that is there. */
char *build_recipe_machine_of(const char *recipe, const char *tool, const char *folder,
                              const char *cubin);
#define BUILD_MACHINE_FILE "%s.sass" /* of the cubin's SHA-256, 64 lower-case digits */
enum { BUILD_MACHINE_SECONDS = 5, BUILD_MACHINE_BYTES = 16 << 20 };

enum { BUILD_STEPS_TROUBLE = 125 }; /* exit status: the driver itself could not go on */
/* `warplab --steps RECIPE`, run inside the compile's sandbox: runs the steps, each as soon as what it reads
 * is there, prints their messages in nvcc's order, and returns the status of the first that
 * failed. A step that a signal ends (its limit of time or memory, a crash) ends all: then its messages alone,
 * and 128 and the signal's number. */
int build_steps_main(const char *path);

#endif
