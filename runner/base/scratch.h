/* Scratch folders that outlive no process for long: a folder is locked while its maker lives, and
 * whoever makes the next one removes those that nobody holds. So SIGKILL, or a power cut, leaves
 * nothing for ever. */
#ifndef WARPLAB_SCRATCH_H
#define WARPLAB_SCRATCH_H

#include <stdbool.h>
#include "runner/base/message.h"

typedef struct {
    char *path; /* absolute where `parent` was; malloc'ed */
    int lock;   /* the folder itself, flock'ed; the kernel lets go of it with the process */
} lib_scratch;
/* An empty folder "scratch-..." of mode 0700 in `parent`, which is made where it is not there. False and *msg. */
bool lib_scratch_make(lib_scratch *s, const char *parent, lib_message *msg);
/* Removes it with what is in it. A zeroed one is fine. */
void lib_scratch_remove(lib_scratch *s);

#endif
