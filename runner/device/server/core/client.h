/* A client: one process of a program under test, and all that the server keeps for it. It has one
 * struct for each room, declared and described in the header of the room that owns it.
 *
 *   wire, process, window, entry   wire.h      dispatch/, calls/copy.c
 *   objects                        object.h    core/object.c
 *   code                           code.h      calls/module.c, core/kernel_object.c
 *   memory                         memory.h    memory/, calls/ (pools)
 *   budget                         budget.h    core/budget.c
 *   context                        context.h   dispatch/settings.c; all rooms set faults and read
 *                                              them
 *   streams, services              stream.h    stream/, work/service.c
 *   times                          timeline.h  log/timeline.c
 *   concurrent                     concurrent.h  work/concurrent.c
 *   held                           concurrent.h  work/held.c
 *   log                            log.h       log/, work/replay.c
 *   limits                         watch.h     dispatch/client.c, core/watch.c
 *
 * dev_client_new() fills it, dev_client_free() frees what it holds (dispatch/client.c). */
#ifndef WARPLAB_DEVICE_CLIENT_H
#define WARPLAB_DEVICE_CLIENT_H

#include "runner/device/server/core/budget.h"
#include "runner/device/server/core/code.h"
#include "runner/device/server/core/context.h"
#include "runner/device/server/core/log.h"
#include "runner/device/server/core/memory.h"
#include "runner/device/server/core/object.h"
#include "runner/device/server/core/stream.h"
#include "runner/device/server/core/timeline.h"
#include "runner/device/server/core/watch.h"
#include "runner/device/server/core/wire.h"

struct dev_client {
    dev_session *s;
    dev_wire wire;
    dev_process process;
    dev_window window;
    dev_entry entry;
    dev_objects objects;
    dev_code code;
    dev_memory memory;
    dev_budget budget;
    dev_context context[DEV_MAX]; /* by device */
    dev_streams streams;
    dev_services services;
    dev_times times;
    struct dev_concurrent *concurrent; /* made on first need */
    struct dev_held *held;             /* the same (work/held.c) */
    dev_log_state log;
    dev_limits limits;
};

static inline dev_device *dev_hw(const dev_client *c, unsigned device) {
    return &c->s->device[device];
}
/* The client's time, or the session, is over. Every loop whose length a client can choose checks
 * this, and work that runs is ended like a kernel. */
static inline bool dev_stopped(const dev_client *c) {
    return lib_raised(&c->limits.stop) || lib_raised(c->s->opt.cancel);
}

#endif
