/* Ctrl-C, and other flags that end what is long. */
#ifndef WARPLAB_BASE_CANCEL_H
#define WARPLAB_BASE_CANCEL_H

#include <signal.h>
#include <stdbool.h>

/* Nonzero once Ctrl-C (or SIGTERM, SIGHUP) came; everything long looks at it. lib_cancel_install()
 * sets the handlers, without SA_RESTART so that blocked reads wake. A third one in a row ends the
 * process at once. */
extern volatile sig_atomic_t lib_cancel_flag;
void lib_cancel_install(void);
/* the same flag, as the device's and grader's options take it */
const volatile int *lib_cancel(void);
void lib_cancel_clear(void);

/* Whether a flag is raised that another thread or a signal's handler raises, and nothing else comes with; NULL: it never is. */
static inline bool lib_raised(const volatile int *flag) {
    return flag && __atomic_load_n(flag, __ATOMIC_RELAXED);
}

#endif
