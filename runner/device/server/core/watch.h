/* The watchdog (watch.c): sets c->limits.stop if the deadline passes while a launch runs. */
#ifndef WARPLAB_DEVICE_WATCH_H
#define WARPLAB_DEVICE_WATCH_H

#include "runner/device/server/core/server.h"

/* Limits that end a client which takes too long: the clock for the program, instructions for its
 * work. */
typedef struct {
    struct dev_watch *watch; /* made on first need */
    volatile int stop;       /* set by the watchdog's thread */
    /* of dev_client_run(), lib_now(); moved later by the duration of simulated work */
    double deadline;
    double spent_s;      /* dev_client_spent_s() */
    uint64_t work;       /* instructions requested since dev_client_allow(), */
    uint64_t work_limit; /* and their limit; 0: no limit */
} dev_limits;

/* During dev_client_run(): a deadline; otherwise 0. */
void dev_watch_start(dev_client *c, double deadline);
/* moves the deadline while the watchdog runs */
void dev_watch_move(dev_client *c, double deadline);
void dev_watch_free(dev_client *c);

#endif
