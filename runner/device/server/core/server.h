/* The central structs of the device server: a session's devices, and a call. client.h has a client.
 * Private to runner/device/server; its door is device.h. The functions of a file are declared in
 * that file's header, or in its room's.
 *
 *   socket --dispatch/client.c: frames, limits--> dispatch/dispatch.c: a handler for each row of
 *            calls.def
 *          --> calls/ (some in graph/ and dispatch/): handlers, named dev_on_CALL
 *          --dev_work--> stream/order.c: order of streams; graph/: captures and graphs
 *          --> work/run.c: executes on the backend; log/: when, its counters and findings; memory/:
 *              where
 *          --> answer.c: spans and lines for the program --dispatch/reply.c--> socket
 *
 * A device executes work when it is its turn in its stream. That is at once, unless a host function
 * of the program must run first. timeline.c computes when the work would have run.
 *
 * Errors: a sim_status is the device's, a cudaError_t the program's (answer.c converts one to the
 * other). Words are a lib_message, filled with lib_message_set(). */
#ifndef WARPLAB_DEVICE_SERVER_H
#define WARPLAB_DEVICE_SERVER_H

#include "runner/base/message.h"
#include "runner/base/cancel.h"
#include "runner/device/cudart/protocol.h"
#include "runner/device/server/backend.h"

enum {
    DEV_MAX = 16,      /* devices of a session */
    DEV_THREADS = 4096 /* threads of a client */
};
/* Addresses of page-locked and managed memory: a region that Linux itself does not use in a
 * process, just below the device's addresses. */
#define DEV_HOST_LOW  0x2d0000000000ull
#define DEV_HOST_HIGH 0x2f0000000000ull
/* Device addresses: runner/device/sim/memory/memory.h. */
#define DEV_ADDRESS_LOW  0x2f0000000000ull
#define DEV_ADDRESS_HIGH 0x400000000000ull

typedef struct {
    char name[64];
    const dev_backend *backend;
    void *hw; /* the backend's */
    const sim_profile *profile;
} dev_device;
/* HW(device, alloc, n, &a): calls an operation of a device's backend. */
#define HW(d, op, ...) ((d)->backend->op((d)->hw, ##__VA_ARGS__))

typedef struct dev_call dev_call;
typedef struct dev_stream dev_stream;
typedef struct dev_work dev_work;
typedef struct dev_mem dev_mem;
typedef struct dev_pages dev_pages;
typedef struct dev_side dev_side;
typedef struct dev_module dev_module;
typedef struct dev_kernel dev_kernel;
typedef struct dev_service dev_service;

struct dev_session {
    dev_options opt;
    unsigned count;
    dev_device device[DEV_MAX];
    uint64_t host_next;
    struct {
        uint64_t base, bytes;
    } * buffers; /* of dev_alloc */
    size_t buffer_count;
    /* What clients may make the server hold, minus what is set aside for buffers of dev_alloc(),
     * and what they hold now (budget.h). */
    uint64_t total, reserved, buffer_bytes, held;
};

/* ---- the present call */

struct dev_call {
    dev_client *c;
    wire_op op;
    unsigned thread, device;
    uint32_t flags;
    const uint8_t *span[WIRE_MAX_SPANS];
    uint32_t span_bytes[WIRE_MAX_SPANS];
    /* the reply */
    struct {
        void *data;
        uint32_t bytes;
    } out[WIRE_MAX_SPANS];
    unsigned outs;
    int fd;           /* to be passed along and closed, or -1 */
    bool again;       /* a host function must run first */
    bool hold;        /* Next: the reply is sent later */
    lib_message note; /* a line for the program's stderr */
    /* Why it fails, if the error's name does not say it; for a launch also its kernel. */
    lib_message why;
    const char *kernel;
};
/* One handler for each row of calls.def; *in and *out are the row's scalars. */
#define CALL(name, mode, doc, ...)                                                                 \
    cudaError_t dev_on_##name(dev_call *k, const struct wire_in_##name *in,                        \
                              struct wire_out_##name *out);
#define CALL_S CALL
#define MSG    CALL
#include "runner/device/cudart/calls.def"
#undef CALL
#undef CALL_S
#undef MSG

/* Returns whether two devices have a link of their own (peer.c). */
bool dev_linked(const dev_session *s, unsigned a, unsigned b);

#endif
