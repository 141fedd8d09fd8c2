/* Ctrl-C as a flag that all long work checks. */
#include "runner/base/cancel.h"

#include <unistd.h>

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
