/* What only the program's process can do for the device, in a queue: run a host function in stream
 * order, and read or write its own ordinary memory for a graph's copy. */
#include "runner/device/server/core/stream.h"

#include <stdlib.h>

cudaError_t dev_service_add(dev_client *c, dev_stream *s, int what, uint64_t fn, uint64_t data) {
    dev_service *v = calloc(1, sizeof *v), **end = &c->services;
    if (!v) return cudaErrorMemoryAllocation;
    v->id = ++c->next_service;
    v->what = what, v->fn = fn, v->data = data, v->on = s, v->stream = s->handle;
    while (*end) end = &(*end)->next;
    *end = v;
    return cudaSuccess;
}

void dev_services_free(dev_client *c) {
    while (c->services) {
        dev_service *n = c->services->next;
        free(c->services);
        c->services = n;
    }
}
