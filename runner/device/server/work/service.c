/* A queue of what only the program's process can do for the device: run a host function in stream
 * order, and read or write its own ordinary memory for a graph's copy. */
#include "runner/device/server/core/client.h"
#include "runner/device/server/core/concurrent.h"
#include "runner/device/server/core/stream.h"

#include <stdlib.h>

cudaError_t dev_service_add(dev_client *c, dev_stream *s, int what, uint64_t fn, uint64_t data) {
    dev_service *v = calloc(1, sizeof *v), **end = &c->services.first;
    if (!v) return cudaErrorMemoryAllocation;
    dev_held_forget(c, 0, UINT64_MAX); /* what it does comes after the earlier copies */
    dev_concurrent_open(c);            /* and after the earlier kernels */
    v->id = ++c->services.next_id;
    v->what = what, v->fn = fn, v->data = data, v->on = s, v->stream = s->handle;
    while (*end) end = &(*end)->next;
    *end = v;
    return cudaSuccess;
}

void dev_services_free(dev_client *c) {
    while (c->services.first) {
        dev_service *n = c->services.first->next;
        free(c->services.first);
        c->services.first = n;
    }
}
