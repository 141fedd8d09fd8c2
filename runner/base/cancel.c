/* Ctrl-C as a flag that all long work checks, and children that end with it. */
#include "runner/base/cancel.h"

#include <errno.h>
#include <math.h>
#include <sys/wait.h>
#include <unistd.h>
#include "runner/base/clock.h"

volatile sig_atomic_t lib_cancel_flag;

/* The first signal asks everything to stop. The third in a row means that something does not
 * react. */
static void on_signal(int signal) {
    if (lib_cancel_flag >= 2) _exit(128 + signal);
    lib_cancel_flag++;
}

void lib_cancel_install(void) {
    struct sigaction a = {.sa_handler = on_signal};
    sigemptyset(&a.sa_mask);
    sigaction(SIGINT, &a, NULL);
    sigaction(SIGTERM, &a, NULL);
    sigaction(SIGHUP, &a, NULL);
    signal(SIGPIPE, SIG_IGN);
}

_Static_assert(sizeof(sig_atomic_t) == sizeof(int), "the flag is handed on as a volatile int");
const volatile int *lib_cancel(void) {
    return &lib_cancel_flag;
}
void lib_cancel_clear(void) {
    lib_cancel_flag = 0;
}

int lib_child_wait(pid_t pid, bool group, const volatile int *cancel, double until) {
    enum { FIRST_NS = 200000, LAST_NS = 20000000 };
    long pause = FIRST_NS;
    double kill_at = INFINITY;
    int status;
    for (;;) {
        pid_t ended = waitpid(pid, &status, WNOHANG);
        if (ended == pid) return status;
        if (ended < 0 && errno != EINTR) return -1;
        double now = lib_now();
        if (isinf(kill_at) && (lib_raised(cancel) || (until > 0 && now > until))) {
            kill(group ? -pid : pid, SIGTERM);
            kill_at = now + LIB_GRACE;
        }
        if (now > kill_at) kill(group ? -pid : pid, SIGKILL);
        nanosleep(&(struct timespec){.tv_nsec = pause}, NULL);
        pause = pause < LAST_NS / 2 ? 2 * pause : LAST_NS;
    }
}
