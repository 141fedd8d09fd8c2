/* cudaDeviceReset: frees everything that the client has on the device. */
#include "runner/device/server/core/client.h"
#include "runner/device/server/core/code.h"
#include "runner/device/server/calls/host.h"
#include "runner/device/server/core/stream.h"

cudaError_t dev_on_DeviceReset(dev_call *k, const struct wire_in_DeviceReset *in,
                               struct wire_out_DeviceReset *out) {
    dev_client *c = k->c;
    (void)in, (void)out;
    if (dev_wait(k, NULL)) return cudaSuccess;
    /* the last first: each removal closes the gap in the table */
    for (size_t i = c->memory.count; i--;) {
        dev_mem *m = &c->memory.ranges[i];
        if (m->host && c->s->count == 1) dev_host_drop(c, m);
        else if (!m->host && m->kind <= DEV_MEM_ARRAY && m->device == k->device)
            dev_mem_release(c, m);
    }
    dev_modules_reset(c, k->device);
    c->context[k->device].peers = c->context[k->device].pool_peers = 0;
    /* A context that a kernel broke cannot be restored: the process must end. */
    if (c->context[k->device].fault)
        c->context[k->device].fault = c->context[k->device].sticky = cudaErrorDevicesUnavailable;
    return cudaSuccess;
}
