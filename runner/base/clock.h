/* The one monotonic clock. */
#ifndef WARPLAB_BASE_CLOCK_H
#define WARPLAB_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t lib_now_ns(void) { /* nanoseconds since some start */
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
static inline double lib_now(void) { /* the same in seconds */
    return (double)lib_now_ns() * 1e-9;
}

#endif
