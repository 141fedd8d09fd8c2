/* Modules, inside the room. */
#ifndef WARPLAB_DEVICE_CODE_MODULE_H
#define WARPLAB_DEVICE_CODE_MODULE_H

#include "runner/device/server/core/code.h"

/* On the call's device. The first failure is told, as a line for the program's stderr and in the
 * list of what is unsupported, and kept. */
cudaError_t dev_module_load(dev_call *k, dev_module *m);
/* A name that came over the wire, as a string; false: it is none. */
bool dev_module_name(const dev_call *k, char *to, size_t n);

/* ---- managed.c */
typedef struct {
    dev_client *c;
    dev_module *m;
    unsigned device;
} dev_placing;
/* sim_place_managed; user: a dev_placing. */
sim_status dev_managed_place(void *user, sim_managed *v, size_t n, bool *fresh);
void dev_managed_drop(dev_client *c, dev_module *m);

#endif
