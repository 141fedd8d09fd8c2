/* A client's connection: its socket and messages, the process at the other end, the window that copies
 * go through, and the call of a lab's function.
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
    bool greeted; /* Hello came */
    uint8_t *in;  /* WIRE_MAX_BYTES; what came and is not handled: from in_at, to in_used */
    size_t in_at, in_used; /* bytes */
    uint8_t *out;          /* WIRE_MAX_BYTES: the reply */
    lib_message error;     /* how the client broke the protocol; empty: it did not */
    lib_message notice;    /* a line for the program's stderr, with the next reply */
} dev_wire;

/* The program's process, as Hello names it (dispatch/hello.c), and how it ended (log/finding.c). */
typedef struct {
    int pid;
    uint64_t base;         /* where its file lies in memory; 0: where the file says */
    wire_control *control; /* a page that both sides map; NULL before Hello */
    int control_fd;        /* -1: none */
    bool host_fault;       /* it used a device pointer itself, and died of it: */
    uint64_t fault_pc, fault_base;
    char *path;       /* its file, dev_client_program(); NULL: not known */
    dev_lines *lines; /* of that file, once asked for; NULL: none */
} dev_process;

/* A copy that the program feeds through a window that both sides map (calls/copy.c). */
typedef struct {
    uint8_t *at; /* WIRE_WINDOW_BYTES; NULL before Window */
    int fd;      /* -1: none */
    bool copying;
    unsigned thread; /* the one that copies */
    wire_copy copy;
    uint64_t done; /* bytes of it */
    dev_stream *stream;
} dev_window;

/* A HOST argument of the lab's function. */
typedef struct {
    int fd;
    void *at;
    uint64_t bytes, map_bytes, address;
    bool pinned, live;
    void *left; /* what a proof left in it; NULL: none since the last call */
} dev_buffer;
/* The call of a lab's function under way (dispatch/entry.c). */
typedef struct {
    unsigned thread; /* the one that waits for the next call */
    dev_buffer buffer[DEV_ARGS];
    size_t args;
    uint64_t slots[DEV_ARGS]; /* the values, as they are sent */
} dev_entry;

#endif
