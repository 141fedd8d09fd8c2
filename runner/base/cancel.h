/* Ctrl-C, and other flags that end long work. */
#ifndef WARPLAB_BASE_CANCEL_H
#define WARPLAB_BASE_CANCEL_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/* Nonzero after Ctrl-C (or SIGTERM, SIGHUP); all long work checks it. lib_cancel_install() sets the
 * handlers, without SA_RESTART, so that blocked reads wake. A third signal in a row ends the
 * process at once. */
extern volatile sig_atomic_t lib_cancel_flag;
void lib_cancel_install(void);
/* the same flag, in the type of the device's and grader's options */
const volatile int *lib_cancel(void);
void lib_cancel_clear(void);

/* Waits for a child process. If *cancel (may be NULL) becomes nonzero, or at `until` on lib_now()'s
 * clock (0: never), the child is ended: by SIGTERM, and after LIB_GRACE seconds by SIGKILL. group:
 * with its process group. Returns its status as waitpid() gives it; -1: there is no such child. */
enum { LIB_GRACE = 2 };
int lib_child_wait(pid_t pid, bool group, const volatile int *cancel, double until);

/* Returns whether a flag is raised. Another thread or a signal handler raises it and passes nothing
 * else with it. NULL: never. */
static inline bool lib_raised(const volatile int *flag) {
    return flag && __atomic_load_n(flag, __ATOMIC_RELAXED);
}

#endif
