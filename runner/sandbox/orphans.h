/* Processes that fall to this one because their parents ended: what a program without a sandbox
 * left behind when it had killed the warplab-init that should have ended it. */
#ifndef WARPLAB_SANDBOX_ORPHANS_H
#define WARPLAB_SANDBOX_ORPHANS_H

#include <sys/types.h>

/* From now on they come to this process and not to the machine's init. */
void orphans_adopt(void);
/* A child of our own that leads a session, and its end. */
void orphans_know(pid_t pid);
void orphans_forget(pid_t pid);
/* Kills them all, those included that fall to us while we are at it. */
void orphans_end(void);

#endif
