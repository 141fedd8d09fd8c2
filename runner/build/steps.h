/* nvcc's own steps, run as two parallel chains. */
#ifndef WARPLAB_STEPS_H
#define WARPLAB_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include "runner/base/message.h"

/* Turns the output of `nvcc --dryrun` into a recipe: the text for build_steps_main(). Returns NULL
 * if it has anything unknown, with the reason in *msg: then nvcc itself must run. malloc'ed. */
char *build_recipe_parse(const char *dryrun, lib_message *msg);
/* Adds a last step, which needs all others. */
char *build_recipe_append(const char *recipe, const char *const *argv);
/* Adds a side step for each cubin that a step of the recipe makes: `tool` (nvdisasm) reads it, and
 * its output becomes BUILD_MACHINE_FILE in `folder`. Only the end of the build waits for it, and a
 * failure does not affect the build: if it fails, computes for more than BUILD_MACHINE_SECONDS, or
 * prints more than BUILD_MACHINE_BYTES, the file does not exist. Call it before
 * build_recipe_append(). */
char *build_recipe_machine(const char *recipe, const char *tool, const char *folder);
/* The same for one existing file. Where no instruction jumps by a table, nvdisasm takes a quarter
 * less time without its search for the targets (BUILD_MACHINE_QUICK); otherwise it is run again. */
char *build_recipe_machine_of(const char *recipe, const char *tool, const char *folder,
                              const char *cubin);
/* Side steps first look for their output in `kept`, as HASH/HASH.sass, and copy it if it is there.
 * Call it before build_recipe_append(). malloc'ed. */
char *build_recipe_kept(const char *recipe, const char *kept);
#define BUILD_MACHINE_FILE  "%s.sass" /* of the cubin's SHA-256, 64 lower-case digits */
#define BUILD_MACHINE_QUICK "-ndf"
/* Returns whether instructions of the text jump by a table. */
bool build_machine_jumps(const char *text, size_t n);
enum { BUILD_MACHINE_SECONDS = 5, BUILD_MACHINE_BYTES = 16 << 20 };

enum { BUILD_STEPS_TROUBLE = 125 }; /* exit status: the driver itself failed */
/* `warplab --steps RECIPE`, run inside the compile's sandbox: runs each step as soon as its inputs
 * are there, prints the messages in nvcc's order, and returns the status of the first step that
 * failed. A step that ends by a signal (its limit of time or memory, a crash) ends all; then only
 * its messages are printed, and the status is 128 plus the signal's number. */
int build_steps_main(const char *path);

#endif
