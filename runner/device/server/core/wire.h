/* A client's connection: its socket and messages, the process at the other end, the window for
 * copies, and the call of a lab's function.
 *
 *   in    the socket (dispatch/client.c), Hello and Window (dispatch/hello.c), dev_client_call()
 *   out   messages, replies (dispatch/reply.c) */
#ifndef WARPLAB_DEVICE_WIRE_H
#define WARPLAB_DEVICE_WIRE_H

#include "runner/device/server/core/log.h"
#include "runner/device/server/core/server.h"

typedef enum { DEV_STATE_RUN, DEV_STATE_READY, DEV_STATE_CLOSED } dev_state;

/* The socket (dispatch/client.c, dispatch/reply.c). */
typedef struct {
    int fd; /* -1: closed */
    dev_state state;
    bool greeted;          /* Hello was received */
    uint8_t *in;           /* WIRE_MAX_BYTES; received and not yet handled: from in_at to in_used */
    size_t in_at, in_used; /* bytes */
    uint8_t *out;          /* WIRE_MAX_BYTES: the reply */
    lib_message error;     /* how the client broke the protocol; empty: it did not */
    lib_message notice;    /* a line for the program's stderr, with the next reply */
} dev_wire;

/* The program's process, as Hello describes it (dispatch/hello.c), and how it ended
 * (log/finding.c). */
typedef struct {
    int pid;
    uint64_t base;         /* load address of its file; 0: as the file says */
    wire_control *control; /* a page that both sides map; NULL before Hello */
    int control_fd;        /* -1: none */
    bool host_fault;       /* it used a device pointer itself and crashed: */
    uint64_t fault_pc, fault_base;
    char *path;       /* its file, dev_client_program(); NULL: unknown */
    dev_lines *lines; /* of that file, on first need; NULL: none */
} dev_process;

/* A copy whose data the program transfers through a window that both sides map (calls/copy.c). */
typedef struct {
    uint8_t *at; /* WIRE_WINDOW_BYTES; NULL before Window */
    int fd;      /* -1: none */
    bool copying;
    unsigned thread; /* the thread that copies */
    wire_copy copy;
    uint64_t done; /* bytes copied so far */
    dev_stream *stream;
} dev_window;

/* A HOST argument of the lab's function. */
typedef struct {
    int fd;
    void *at;
    uint64_t bytes, map_bytes, address;
    bool pinned, live;
    unsigned serial;
    void *left; /* what a proof left in it; NULL: none since the last call */
} dev_buffer;
/* The present call of a lab's function (dispatch/entry.c). */
typedef struct {
    unsigned thread; /* the thread that waits for the next call */
    dev_buffer buffer[DEV_ARGS];
    size_t args;
    uint64_t slots[DEV_ARGS]; /* the values, as sent */
} dev_entry;

#endif
