/* The first message, and the memory that both sides share from then on. */
#include "runner/device/server/core/client.h"
#include "runner/device/server/core/answer.h"
#include "runner/device/server/core/memory.h"
#include "words/server.h"
#include <string.h>

#include <unistd.h>

cudaError_t dev_on_Hello(dev_call *k, const struct wire_in_Hello *in, struct wire_out_Hello *out) {
    dev_client *c = k->c;
    if (in->version != WIRE_VERSION) {
        lib_message_set(&c->wire.error, w_server_other_version());
        return cudaErrorInsufficientDriver;
    }
    void *page;
    c->process.control_fd = dev_shared("warplab-control", 4096, &page);
    if (c->process.control_fd < 0) return cudaErrorMemoryAllocation;
    c->process.control = page;
    c->process.pid = (int)in->pid, c->process.base = in->base;
    c->wire.greeted = true;
    k->fd = dup(c->process.control_fd);
    out->devices = c->s->count;
    out->simulated = c->s->device[0].backend == &dev_backend_sim;
    out->low = DEV_ADDRESS_LOW, out->high = DEV_ADDRESS_HIGH;
    return cudaSuccess;
}

cudaError_t dev_on_Window(dev_call *k, const struct wire_in_Window *in,
                          struct wire_out_Window *out) {
    dev_client *c = k->c;
    void *at;
    (void)in, (void)out;
    if (!c->window.at) {
        c->window.fd = dev_shared("warplab-window", WIRE_WINDOW_BYTES, &at);
        if (c->window.fd < 0) return cudaErrorMemoryAllocation;
        c->window.at = at;
    }
    k->fd = dup(c->window.fd);
    return cudaSuccess;
}

/* Returns the library's own name of the function. Text that a program sends instead is never
 * repeated. */
static const char *unsupported_name(const char *sent, size_t n) {
    static const char *const names[] = {
#define UNSUPPORTED(name) #name,
#include "runner/device/cudart/unsupported.def"
#undef UNSUPPORTED
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == n && !memcmp(names[i], sent, n)) return names[i];
    return NULL;
}

cudaError_t dev_on_Unsupported(dev_call *k, const struct wire_in_Unsupported *in,
                               struct wire_out_Unsupported *out) {
    const char *name = unsupported_name((const char *)k->span[0], k->span_bytes[0]);
    (void)in, (void)out;
    if (!k->c->log.unsupported_call) k->c->log.unsupported_call = name;
    dev_unsupported(k->c, name ? w_server_call_unsupported(name) : w_server_other_library());
    return cudaSuccess;
}
