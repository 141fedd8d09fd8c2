/* Scratch folders that outlive no process for long: a folder is locked while its maker lives, and whoever
 * makes the next one removes those that nobody holds. So SIGKILL, or a power cut, leaves nothing for ever. */
#ifndef WARPLAB_SCRATCH_H
#define WARPLAB_SCRATCH_H

#include "util.h"

typedef struct {
    char *path; /* absolute where `parent` was; malloc'ed */
    int lock;   /* the folder itself, flock'ed; the kernel lets go of it with the process */
} lab_scratch;
/* An empty folder of mode 0700 in `parent`, which is made where it is not there. False and *msg. */
bool lab_scratch_make(lab_scratch *s, const char *parent, sim_message *msg);
/* Removes it with what is in it. A zeroed one is fine. */
void lab_scratch_remove(lab_scratch *s);

#endif
