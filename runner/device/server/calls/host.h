/* Host memory, for the files of this room. */
#ifndef WARPLAB_DEVICE_MEMORY_HOST_H
#define WARPLAB_DEVICE_MEMORY_HOST_H

#include "runner/device/server/core/memory.h"

void dev_host_drop(dev_client *c, dev_mem *m);

#endif
