/* The clocks by which a program times itself. Simulating a launch takes longer than the launch
 * would, so on a simulated device
 *
 *   clock = real time - the time that this thread spent inside our calls + the modelled time of
 *           these calls
 *
 * Host code between the calls counts as it is. So a program's own timers around copies, launches
 * and cudaDeviceSynchronize() show the modelled device. These definitions precede libc's in the
 * order of lookup. A program that never called CUDA, and one on a real device, gets libc's answer.
 * Threads that call CUDA concurrently have clocks of their own, so differences are meaningful
 * within one thread. Waits with an absolute deadline are libc's and do not use these clocks. */
#include "runner/device/cudart/client.h"

#include <sys/time.h>
#include <time.h>

/* ThreadSanitizer reads the clock before a thread has what wl_self() needs, so with it the clocks
 * are libc's. */
#ifndef __SANITIZE_THREAD__

/* Returns the modelled time of the thread's calls, or -1: not to be asked for here. */
static int64_t clock_modelled(void) {
    wl_thread *t = wl_self();
    if (!wl_simulated() || t->inside || t->in_service || !t->spent) return -1;
    wl_call c;
    WL_BEGIN(&c, Clock, 0);
    int64_t ns = wl_send(&c) ? -1 : (int64_t)WL_OUT(&c, Clock)->ns;
    wl_end(&c);
    return ns;
}

WL_EXPORT int clock_gettime(clockid_t id, struct timespec *t);
int clock_gettime(clockid_t id, struct timespec *t) {
    /* The CPU time, too: a call that waits for the device spins. */
    bool processor = id == CLOCK_PROCESS_CPUTIME_ID || id == CLOCK_THREAD_CPUTIME_ID;
    bool ours = processor || id == CLOCK_REALTIME || id == CLOCK_MONOTONIC ||
                id == CLOCK_MONOTONIC_RAW || id == CLOCK_BOOTTIME || id == CLOCK_REALTIME_COARSE ||
                id == CLOCK_MONOTONIC_COARSE;
    int64_t add = ours ? clock_modelled() : -1;
    int rc = wl_clock_real(id, t);
    if (rc || add < 0) return rc;
    int64_t now = (int64_t)t->tv_sec * WL_NS + t->tv_nsec + add -
                  (processor ? wl_self()->spent_busy : wl_self()->spent);
    t->tv_sec = (time_t)(now / WL_NS);
    t->tv_nsec = (long)(now % WL_NS);
    return 0;
}

WL_EXPORT int gettimeofday(struct timeval *restrict v, void *restrict zone);
int gettimeofday(struct timeval *restrict v, void *restrict zone) {
    struct timespec t;
    if (zone) *(struct timezone *)zone = (struct timezone){0};
    int rc = clock_gettime(CLOCK_REALTIME, &t);
    if (!rc) *v = (struct timeval){.tv_sec = t.tv_sec, .tv_usec = t.tv_nsec / 1000};
    return rc;
}

WL_EXPORT clock_t clock(void);
clock_t clock(void) {
    struct timespec t;
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t)) return (clock_t)-1;
    return (clock_t)(t.tv_sec * CLOCKS_PER_SEC + t.tv_nsec / (WL_NS / CLOCKS_PER_SEC));
}

#endif
