/* A process's measures of time and cores: the one monotonic clock, CPU time, and cores. */
#ifndef WARPLAB_BASE_CLOCK_H
#define WARPLAB_BASE_CLOCK_H

#include <sched.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

static inline uint64_t lib_now_ns(void) { /* nanoseconds since some start */
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
static inline double lib_now(void) { /* the same in seconds */
    return (double)lib_now_ns() * 1e-9;
}

/* Returns the seconds of CPU time that this thread has used: for limits that other processes must
 * not bring nearer. */
static inline double lib_worked(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Returns how many cores this process may use, at least 1: its share of the machine (taskset, the
 * cpuset of a cluster's job), not all of the machine's. */
static inline unsigned lib_cores(void) {
    cpu_set_t set; /* the kernel refuses a set that is too small for the machine */
    long n =
        sched_getaffinity(0, sizeof set, &set) ? sysconf(_SC_NPROCESSORS_ONLN) : CPU_COUNT(&set);
    return n < 1 ? 1 : (unsigned)n;
}

#endif
