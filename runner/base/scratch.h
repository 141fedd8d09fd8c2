/* Scratch folders that soon disappear after their process. A folder is locked while its maker
 * lives, and the maker of the next one removes those that are not locked. So SIGKILL, or a power
 * cut, leaves nothing for ever. */
#ifndef WARPLAB_SCRATCH_H
#define WARPLAB_SCRATCH_H

#include <stdbool.h>
#include "runner/base/message.h"

typedef struct {
    char *path; /* absolute if `parent` was; malloc'ed */
    int lock;   /* the folder itself, flock'ed; the kernel releases it when the process ends */
} lib_scratch;
/* Makes an empty folder "scratch-..." of mode 0700 in `parent`, which is made if it does not exist.
 * Returns false and sets *msg on failure. */
bool lib_scratch_make(lib_scratch *s, const char *parent, lib_message *msg);
/* Removes it with its contents. A zeroed one is allowed. */
void lib_scratch_remove(lib_scratch *s);

#endif
