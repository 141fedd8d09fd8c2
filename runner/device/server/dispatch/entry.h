/* Calls of a lab's function (entry.c). device.h has the public part. */
#ifndef WARPLAB_DEVICE_ENTRY_H
#define WARPLAB_DEVICE_ENTRY_H

#include "runner/device/server/core/server.h"

void dev_buffers_free(dev_client *c); /* HOST arguments of all calls */

#endif
