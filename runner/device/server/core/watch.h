/* The watchdog (watch.c): raises c->stop when the deadline passes while a launch runs. */
#ifndef WARPLAB_DEVICE_WATCH_H
#define WARPLAB_DEVICE_WATCH_H

#include "runner/device/server/core/server.h"

/* While dev_client_run() is in: a deadline; outside: 0. */
void dev_watch_start(dev_client *c, double deadline);
void dev_watch_move(dev_client *c, double deadline); /* of a watch that runs */
void dev_watch_free(dev_client *c);

#endif
