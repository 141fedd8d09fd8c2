/* Processes that become children of this one because their parents ended: a program without a
 * sandbox left them behind after it had killed the warplab-init that should have ended them. */
#ifndef WARPLAB_SANDBOX_ORPHANS_H
#define WARPLAB_SANDBOX_ORPHANS_H

#include <sys/types.h>

/* From now on they become children of this process, not of the machine's init. */
void orphans_adopt(void);
/* A child of our own that leads a session, and its end. */
void orphans_know(pid_t pid);
void orphans_forget(pid_t pid);
/* Kills them all, including those that arrive meanwhile. */
void orphans_end(void);
/* Kills this one, if it is an orphan: quicker, where there can be no other. */
void orphans_end_one(pid_t pid);

#endif
