/* Modules, for the files of this room. */
#ifndef WARPLAB_DEVICE_CODE_MODULE_H
#define WARPLAB_DEVICE_CODE_MODULE_H

#include "runner/device/server/core/code.h"

/* Loads it on the call's device. The first failure is reported, as a line on the program's stderr
 * and in the list of what is unsupported, and remembered. */
cudaError_t dev_module_load(dev_call *k, dev_module *m);
/* Copies a name from the message as a string. Returns false if it is not one. */
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
