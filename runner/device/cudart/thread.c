/* The calling thread: its number, its last error, and the time it spends inside our calls, in real
 * time and in the processor's, which clock.c takes off again. */
#include "runner/device/cudart/client.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static __thread wl_thread self;
static unsigned thread_count;

wl_thread *wl_self(void) {
    if (!self.known) {
        self.number = __atomic_fetch_add(&thread_count, 1, __ATOMIC_RELAXED) & 0xffff;
        self.known = true;
    }
    return &self;
}

bool wl_in_service(void) {
    return self.in_service;
}

cudaError_t wl_result(cudaError_t e) {
    if (e) wl_self()->last = e;
    return e;
}

/* ---- time spent inside */

int wl_clock_real(int id, struct timespec *t) {
    return (int)syscall(SYS_clock_gettime, id, t);
}

static int64_t spent_ns(int id) {
    struct timespec t = {0};
    wl_clock_real(id, &t);
    return (int64_t)t.tv_sec * WL_NS + t.tv_nsec;
}

void wl_clock_enter(void) {
    wl_thread *t = wl_self();
    if (t->inside++) return;
    t->entered = spent_ns(CLOCK_MONOTONIC);
    t->entered_busy = spent_ns(CLOCK_THREAD_CPUTIME_ID);
}
void wl_clock_leave(void) {
    wl_thread *t = wl_self();
    if (--t->inside) return;
    t->spent_busy += spent_ns(CLOCK_THREAD_CPUTIME_ID) - t->entered_busy;
    t->spent += spent_ns(CLOCK_MONOTONIC) - t->entered; /* last: asking takes time, too */
}
