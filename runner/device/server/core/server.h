/* The structs that the device server turns on: a session's devices, a client, a call. Private to
 * runner/device/server; its door is device.h. What one file has for others is in that file's header, or
 * in its room's.
 *
 *   socket --server/client.c: frames, limits--> server/dispatch.c: one handler a row of calls.def
 *          --> calls/ (some in graph/ and server/): handlers, named dev_on_CALL
 *          --dev_work--> stream/order.c: order of streams; graph/: captures and graphs
 *          --> work/run.c: executes on the backend; log/: when, what it counted and found; memory/: where
 *          --> answer.c: spans and lines for the program --server/reply.c--> socket
 *
 * A device executes work when its turn in its stream comes, which is at once unless a host function
 * of the program has to run first. When it would have run is another matter: timeline.c.
 *
 * Errors: a sim_status is the device's, a cudaError_t the program's (answer.c turns one into the
 * other); words are a lib_message, filled with lib_message_set(). */
#ifndef WARPLAB_DEVICE_SERVER_H
#define WARPLAB_DEVICE_SERVER_H

#include "runner/base/message.h"
#include "runner/base/cancel.h"
#include "runner/device/cudart/protocol.h"
#include "runner/device/server/backend.h"
#include "runner/device/server/core/log.h"
#include "runner/device/server/core/timeline.h"

enum {
    DEV_MAX = 16,      /* devices of a session */
    DEV_THREADS = 4096 /* threads of a client */
};
/* Work waiting for host functions and graphs; what replay() keeps; counters of lines in the log: each
 * at most so much, and an eighth of what the client may hold (dev_part_limit). */
#define DEV_PART_BYTES ((uint64_t)256 << 20)
/* Where page-locked and managed memory lies: where Linux puts nothing of a process by itself, just
 * below the device's addresses. */
#define DEV_HOST_LOW  0x2d0000000000ull
#define DEV_HOST_HIGH 0x2f0000000000ull
/* Where device addresses lie: runner/device/sim/memory/memory.h. */
#define DEV_ADDRESS_LOW  0x2f0000000000ull
#define DEV_ADDRESS_HIGH 0x400000000000ull

typedef struct {
    char name[64];
    const dev_backend *backend;
    void *hw; /* the backend's */
    const sim_profile *profile;
} dev_device;
/* HW(device, alloc, n, &a): an operation of a device's backend. */
#define HW(d, op, ...) ((d)->backend->op((d)->hw, ##__VA_ARGS__))

struct dev_session {
    dev_options opt;
    unsigned count;
    dev_device device[DEV_MAX];
    uint64_t host_next;
    struct {
        uint64_t base, bytes;
    } * buffers; /* of dev_alloc */
    size_t buffer_count;
    /* What clients may make the server hold, less what is set aside for buffers of dev_alloc(), and
     * what they do hold (budget.h). */
    uint64_t total, reserved, buffer_bytes, held;
};

/* ---- a call under way */

typedef struct dev_call {
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
    int fd;           /* to pass along and close, or -1 */
    bool again;       /* a host function must run first */
    bool hold;        /* Next: the reply comes later */
    lib_message note; /* a line for the program's stderr */
} dev_call;
/* One handler a row of calls.def; *in and *out are the row's scalars. */
#define CALL(name, mode, doc, ...)                                                                 \
    cudaError_t dev_on_##name(dev_call *k, const struct wire_in_##name *in,                        \
                              struct wire_out_##name *out);
#define CALL_S CALL
#define MSG    CALL
#include "runner/device/cudart/calls.def"
#undef CALL
#undef CALL_S
#undef MSG

/* ---- a client */

typedef enum { DEV_STATE_RUN, DEV_STATE_READY, DEV_STATE_CLOSED } dev_state;
/* A HOST argument of the lab's function. */
typedef struct {
    int fd;
    void *at;
    uint64_t bytes, map_bytes, address;
    bool pinned, live;
} dev_buffer;

typedef struct dev_mem dev_mem;
typedef struct dev_pages dev_pages;
typedef struct dev_module dev_module;
typedef struct dev_kernel dev_kernel;
typedef struct dev_service dev_service;

/* Blocks of managed memory in the order in which pages last came to them; what is no longer so is
 * left in until there is no room. */
typedef struct {
    uint64_t base, block, stamp;
} dev_came;
typedef struct {
    dev_came *at;
    size_t first, count, room;
} dev_came_list;

struct dev_client {
    dev_session *s;
    int fd;
    dev_state state;
    bool (*code_allowed)(void *user, const void *fatbin, size_t n, unsigned arch);
    void *code_user;
    bool greeted;
    wire_control *control;
    int control_fd, pid;
    uint64_t base;
    bool host_fault; /* the program used a device pointer itself, and died of it */
    uint64_t fault_pc, fault_base;
    /* messages */
    uint8_t *in;
    size_t in_at, in_used;
    unsigned next_thread;
    uint8_t *out;
    lib_message error;  /* how it broke the protocol */
    lib_message notice; /* a line for the program's stderr, with the next reply */
    /* objects */
    struct {
        void *object;
        uint32_t generation;
        uint8_t kind;
    } * objects;
    size_t object_count, object_room;
    uint32_t object_free; /* a hint: where to look for a free slot */
    const char **strings;
    size_t string_count, string_room;
    dev_mem *mem;
    size_t mem_count, mem_room;
    uint64_t held, hold_limit; /* of the server's memory (budget.h) */
    uint64_t module_bytes, queue_bytes;
    dev_module **modules; /* unloaded ones stay: the log names them */
    size_t module_count, module_room;
    dev_kernel **kernels;
    size_t kernel_count, kernel_room;
    uint64_t device_bytes[DEV_MAX];  /* of each device's memory, in mem */
    uint64_t managed_bytes[DEV_MAX]; /* pages on each device */
    uint64_t managed_clock;          /* counts moves */
    size_t managed_count;            /* ranges of managed memory */
    dev_came_list came[DEV_MAX];
    /* streams */
    dev_stream *streams;
    uint64_t next_stream, seq, next_service, next_capture;
    dev_service *services;
    unsigned captures;
    /* contexts */
    unsigned generation[DEV_MAX];  /* of the device when the client came */
    cudaError_t fault[DEV_MAX];    /* happened; */
    cudaError_t sticky[DEV_MAX];   /* and heard of by the program */
    cudaError_t deferred[DEV_MAX]; /* of a posted call, not sticky */
    uint64_t limit[DEV_MAX][7];
    int cache_config[DEV_MAX];
    /* Whose memory kernels of the device may use: a bit a device, by cudaDeviceEnablePeerAccess and by
     * cudaMemPoolSetAccess. */
    unsigned peers[DEV_MAX], pool_peers[DEV_MAX];
    uint64_t pool[DEV_MAX], default_pool[DEV_MAX];
    uint64_t graph_bytes[DEV_MAX], graph_high[DEV_MAX];
    /* the timeline: of a thread, where it is, and where it was first heard of */
    double *clock, *began;
    unsigned threads;
    double latest;
    dev_engines engine[DEV_MAX];
    struct dev_concurrent *concurrent; /* work/concurrent.c; made when first needed */
    /* a copy that the program feeds through the window */
    uint8_t *window;
    int window_fd;
    bool copying;
    unsigned copy_thread;
    wire_copy copy;
    uint64_t copy_at;
    dev_stream *copy_stream;
    /* host blocks that the client has yet to map are in mem with mapped == false */
    dev_buffer buffer[DEV_ARGS]; /* of the call under way */
    size_t args;
    uint64_t slots[DEV_ARGS];
    /* the log */
    dev_log_state log;
    void (*on_launch)(void *user, const dev_record *r);
    void *on_launch_user;
    /* ending what takes too long: the program by the clock, its work by instructions */
    struct dev_watch *watch;
    volatile int stop;
    double deadline; /* of dev_client_run(); later by what simulated work took */
    double spent_s;
    uint64_t work, work_limit; /* instructions asked for, and allowed (0: any number) */
};
static inline dev_device *dev_hw(const dev_client *c, unsigned device) {
    return &c->s->device[device];
}
/* Whether two devices have a link of their own (peer.c). */
bool dev_linked(const dev_session *s, unsigned a, unsigned b);
static inline uint64_t dev_part_limit(const dev_client *c) {
    uint64_t part = c->hold_limit / 8;
    return part < DEV_PART_BYTES ? part : DEV_PART_BYTES;
}
/* The client's time is over, or the session is: every loop whose length a client chooses looks at
 * it, and what runs is ended as a kernel would be. */
static inline bool dev_stopped(const dev_client *c) {
    return lib_raised(&c->stop) || lib_raised(c->s->opt.cancel);
}

#endif
