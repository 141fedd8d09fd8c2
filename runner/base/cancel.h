/* Ctrl-C, and other flags that end long work. */
#ifndef WARPLAB_BASE_CANCEL_H
#define WARPLAB_BASE_CANCEL_H

#include <signal.h>
#include <stdbool.h>

/* Nonzero after Ctrl-C (or SIGTERM, SIGHUP); all long work checks it. lib_cancel_install() sets the
 * handlers, without SA_RESTART, so that blocked reads wake. A third signal in a row ends the
 * process at once. */
extern volatile sig_atomic_t lib_cancel_flag;
void lib_cancel_install(void);
/* the same flag, in the type of the device's and grader's options */
const volatile int *lib_cancel(void);
void lib_cancel_clear(void);

/* Returns whether a flag is raised. Another thread or a signal handler raises it and passes nothing
 * else with it. NULL: never. */
static inline bool lib_raised(const volatile int *flag) {
    return flag && __atomic_load_n(flag, __ATOMIC_RELAXED);
}

#endif
