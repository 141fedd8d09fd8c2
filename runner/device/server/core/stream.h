/* Streams and events, and the work that runs in their order.
 *
 *   in    dev_work of calls/ and graph/
 *   out   work executed on the backend, or queued; the order for the timeline and captures
 *
 *   work/work.c            a piece of work: copied, freed
 *   work/run.c             executes launches, copies, fills; children.c: those for which kernels
 *                          ask; complete.c: a piece of work with all of these, and its cost
 *   work/service.c         what waits for the program's process; calls/service_calls.c: its replies
 *   stream/stream.c        streams: found, made, freed
 *   stream/order.c         dev_submit: runs now, or queues
 *   calls/stream_calls.c   calls of streams
 *   calls/event_calls.c    calls of events */
#ifndef WARPLAB_DEVICE_STREAM_H
#define WARPLAB_DEVICE_STREAM_H

#include "runner/device/server/core/server.h"

typedef struct dev_mark dev_mark; /* an event of the runtime */
typedef struct dev_graph dev_graph;
typedef struct dev_exec dev_exec;
typedef struct dev_condition dev_condition;
typedef struct dev_capture dev_capture;

/* ---- work: executed in stream order, captured, put into graphs, replayed (work.c) */

typedef enum {
    DEV_WORK_EMPTY,
    DEV_WORK_LAUNCH,
    DEV_WORK_COPY,
    DEV_WORK_FILL,
    DEV_WORK_HOST,
    DEV_WORK_RECORD,
    DEV_WORK_WAIT,
    DEV_WORK_ALLOC,
    DEV_WORK_FREE,
    DEV_WORK_CHILD,
    DEV_WORK_CONDITIONAL,
    DEV_WORK_GRAPH,
    DEV_WORK_PUT, /* in a replay: bytes that a copy took from the program's memory */
    DEV_WORK_GOT  /* and bytes that a copy brought there */
} dev_work_kind;
struct dev_work {
    dev_work_kind kind;
    unsigned device;
    size_t bytes; /* of the whole struct, including parameters */
    union {
        struct {
            dev_kernel *kernel;
            wire_launch at; /* the parameter block follows the struct */
            int carveout;   /* that of sim_kernel_info when the launch was requested */
            uint32_t stack; /* cudaLimitStackSize at that time; 0: its value when this runs */
        } launch;
        wire_copy copy;
        wire_fill fill;
        struct {
            wire_copy copy;
            uint64_t offset, bytes; /* of the copy; the bytes follow the struct */
        } put;
        struct {
            uint64_t fn, data, stream;
            bool callback;
        } host;
        struct {
            dev_mark *event;
            uint64_t seq; /* WAIT: number of the record to wait for */
        } event;
        wire_alloc alloc;
        dev_graph *child;
        struct {
            dev_condition *on;
            dev_graph **bodies;
            uint32_t type, size;
        } conditional;
        dev_exec *exec; /* only in a stream's queue, where the item holds a reference */
    };
    uint8_t params[];
};
dev_work *dev_work_copy(const dev_work *w); /* adds a reference to events and conditions */
void dev_work_free(dev_client *c, dev_work *w);
void dev_mark_forget(dev_client *c, dev_mark *e); /* drops what a capture noted there */
void dev_mark_release(dev_client *c, dev_mark *e);

/* Executes and logs the work (complete.c). after: its earliest start on the timeline; *end: when it
 * is done. Errors of a launch go to the device's fault; the result is the error for the submitting
 * call. */
cudaError_t dev_work_run(dev_client *c, dev_stream *s, const dev_work *w, double after,
                         double *end);

/* ---- the order of work (work/concurrent.c): a clock for each of a few lines, by streams; streams
 * that share a line count as ordered more often than they are, never less */
enum { DEV_LINES = 32 };
typedef struct {
    uint32_t at[DEV_LINES];
} dev_clocks;

/* ---- streams and events (stream.c) */

typedef struct dev_item {
    dev_work *work;
    uint64_t seq;
    double issued;    /* host time of the call */
    size_t at, nodes; /* GRAPH: nodes done, number of nodes */
    double *ends;     /* GRAPH: when each was */
    uint64_t offset;  /* GRAPH: bytes of a pageable copy done so far */
    uint64_t launch;  /* GRAPH: number of this launch (concurrent.h) */
    struct dev_item *next;
} dev_item;

/* The size of an item besides its work. */
enum { DEV_ITEM_BYTES = sizeof(dev_item) + 32 };

struct dev_stream {
    uint64_t handle, id;
    unsigned device, flags;
    int priority;
    bool legacy, per_thread;
    unsigned thread;
    double ready; /* when its work is done, on the timeline */
    dev_item *head, *tail;
    bool busy; /* its head waits for a service */
    dev_capture *capture;
    uint64_t *tail_nodes; /* of the capture: handles of the nodes on which the next one depends */
    size_t tail_count, tail_room;
    cudaLaunchAttributeValue attribute[16];
    dev_clocks clocks; /* its next work comes after these */
    /* The last work was a kernel, and nothing was recorded or waited for since; the same for the
     * work before it. */
    bool behind_kernel, was_behind;
    /* Work of the stream that may still run while the last kernel does, because kernels were
     * launched programmatically: before that kernel waits, and after; bit n: the work n + 1 places
     * before it. Then the same for the next kernel. */
    uint64_t early, late, next_early, next_late;
    dev_stream *next;
};
struct dev_mark {
    uint64_t handle;
    unsigned device, flags, refs;
    bool recorded;
    uint64_t seq, done; /* of the last record that was submitted, that is done */
    double when;
    dev_clocks clocks;    /* of the stream at the record */
    dev_capture *capture; /* recorded in a capture */
    uint64_t *deps;
    size_t dep_count;
};
/* Streams of a client at a time. CUDA states no limit; here each piece of work looks at all of
 * them. */
enum { DEV_STREAMS = 1 << 14 };
/* A client's streams (stream.c, order.c), and the captures under way in them (graph/capture.c). */
typedef struct {
    dev_stream *first;
    size_t count;
    uint64_t next_id;
    uint64_t seq; /* numbers work in the order of submission */
    unsigned captures;
    uint64_t next_capture;
} dev_streams;
dev_stream *dev_stream_new(dev_client *c, unsigned device, unsigned flags, int priority);
/* Returns the stream that a call names; NULL: no such stream. */
dev_stream *dev_stream_get(dev_call *k, uint64_t h);
dev_stream *dev_stream_default(dev_client *c, unsigned device);
void dev_stream_pop(dev_client *c, dev_stream *s); /* its first item is done */
void dev_stream_free(dev_client *c, dev_stream *s);
void dev_streams_free(dev_client *c);

/* ---- order (order.c) */

/* Submits work: captures it, runs it, or queues it. */
cudaError_t dev_submit(dev_call *k, dev_stream *s, const dev_work *w);
/* Runs everything that can run now. */
void dev_progress(dev_client *c);
/* Returns whether all work of the stream (NULL: of the device) is done; if not, the call replies
 * `again`. */
bool dev_idle(dev_client *c, unsigned device, const dev_stream *s);
/* For calls that wait. Returns true if they must reply now, with k->again set. Advances the
 * thread's clock to the end of the work. */
bool dev_wait(dev_call *k, dev_stream *s);

/* ---- host functions that wait for the program (service.c) */

struct dev_service {
    uint64_t id, fn, data, stream;
    int what;
    bool given;
    dev_stream *on;
    struct dev_service *next;
};
/* What the program still has to do (service.c). */
typedef struct {
    dev_service *first;
    uint64_t next_id;
} dev_services;
cudaError_t dev_service_add(dev_client *c, dev_stream *s, int what, uint64_t fn, uint64_t data);
void dev_services_free(dev_client *c);

#endif
