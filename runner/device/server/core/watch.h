/* The watchdog (watch.c): raises c->limits.stop when the deadline passes while a launch runs. */
#ifndef WARPLAB_DEVICE_WATCH_H
#define WARPLAB_DEVICE_WATCH_H

#include "runner/device/server/core/server.h"

/* What ends a client that takes too long: the program by the clock, its work by instructions. */
typedef struct {
    struct dev_watch *watch; /* made when first needed */
    volatile int stop;       /* raised by the watch's thread */
    double deadline;         /* of dev_client_run(), lib_now(); later by what simulated work took */
    double spent_s;          /* dev_client_spent_s() */
    uint64_t work;           /* instructions asked for since dev_client_allow(), */
    uint64_t work_limit;     /* and allowed; 0: any number */
} dev_limits;

/* While dev_client_run() is in: a deadline; outside: 0. */
void dev_watch_start(dev_client *c, double deadline);
void dev_watch_move(dev_client *c, double deadline); /* of a watch that runs */
void dev_watch_free(dev_client *c);

#endif
