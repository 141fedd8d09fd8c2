/* What the files of the device server share. Nothing outside runner/device includes this.
 *
 *   socket --client.c: frames, limits--> dispatch.c: one handler a row of calls.def
 *          --> memory.c, copy.c, launch.c, stream.c, graph.c, texture.c, ...: handlers
 *          --dev_work--> stream.c: order of streams; capture.c
 *          --> work.c: executes on the backend, timeline.c: when, log.c: what it counted and found
 *
 * A device executes work when its turn in its stream comes, which is at once unless a host function
 * of the program has to run first. When it would have run is another matter: timeline.c. */
#ifndef WARPLAB_DEVICE_SERVER_H
#define WARPLAB_DEVICE_SERVER_H

#include "runner/base/message.h"
#include "runner/device/backend.h"
#include "runner/cudart/protocol.h"

enum {
    DEV_MAX = 16,              /* devices of a session */
    DEV_THREADS = 4096,        /* threads of a client */
    DEV_OBJECTS = 1 << 18,     /* handles of a client */
    DEV_GRAPH_NODES = 1 << 16, /* nodes of a graph, children's included */
    DEV_FINDINGS = 4096,
    DEV_UNSUPPORTED = 256
};
#define DEV_MODULE_BYTES ((uint64_t)512 << 20) /* fat binaries of a client */
#define DEV_HOST_BYTES   ((uint64_t)16 << 30)  /* page-locked and managed memory of a client */
#define DEV_QUEUE_BYTES                                                                            \
    ((uint64_t)256 << 20) /* work waiting for host functions, graphs, and what replay() keeps */
#define DEV_RESULT_BYTES ((uint64_t)256 << 20) /* per-line counters kept in the log */
/* Where page-locked and managed memory lies: where Linux puts nothing of a process by itself, just
 * below the device's addresses. */
#define DEV_HOST_LOW  0x2d0000000000ull
#define DEV_HOST_HIGH 0x2f0000000000ull
/* Where device addresses lie: runner/sim/memory/memory.h. */
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
};

/* Streams that are not handles. */
#define WL_LEGACY     1
#define WL_PER_THREAD 2

/* ---- objects: what a handle names (object.c) */

typedef enum {
    DEV_NONE,
    DEV_STREAM,
    DEV_EVENT,
    DEV_MODULE,
    DEV_KERNEL,
    DEV_ARRAY,
    DEV_TEXTURE,
    DEV_SURFACE,
    DEV_POOL,
    DEV_GRAPH,
    DEV_NODE,
    DEV_EXEC,
    DEV_CONDITION
} dev_kind;
/* NULL when h is not a live handle of that kind. */
void *dev_object(dev_client *c, uint64_t h, dev_kind kind);
/* 0 when the client has too many. The object is malloc'ed; dev_object_drop() forgets the handle,
 * its owner frees the object. */
uint64_t dev_object_new(dev_client *c, dev_kind kind, void *object);
uint64_t dev_object_handle(const dev_client *c, size_t i); /* of the live object in slot i */
void dev_object_drop(dev_client *c, uint64_t h);
/* A stable copy of s, the same pointer for equal strings; lives as long as the client. */
const char *dev_intern(dev_client *c, const char *s);

/* ---- memory a client may name */

typedef enum {
    DEV_MEM_DEVICE,
    DEV_MEM_POOL,
    DEV_MEM_GRAPH,
    DEV_MEM_ARRAY,
    DEV_MEM_SYMBOL,
    DEV_MEM_HOST,
    DEV_MEM_REGISTERED,
    DEV_MEM_MANAGED,
    DEV_MEM_VARIABLE, /* a __managed__ one: its module has the memory */
    DEV_MEM_GRANTED
} dev_mem_kind;
typedef struct {
    uint64_t base, bytes;
    dev_mem_kind kind;
    unsigned device, flags;
    uint64_t pool;      /* of DEV_MEM_POOL */
    bool on_host;       /* HOST, REGISTERED, MANAGED, VARIABLE, and GRANTED page-locked memory */
    int fd;             /* of host memory until it is mapped; 0: none */
    void *host;         /* HOST, REGISTERED, MANAGED: the server's mapping, */
    uint64_t map_bytes; /* its size, */
    uint64_t map_skip;  /* where base lies in it */
    bool mapped;        /* the client has it: it is visible to the devices */
    int advice; /* MANAGED, VARIABLE: cudaMemAdviseSetReadMostly and so on, bits by number */
    int preferred_type, preferred_id, prefetch_type, prefetch_id;
} dev_mem;
dev_mem *dev_mem_find(dev_client *c, uint64_t a);              /* the one that holds a */
dev_mem *dev_mem_range(dev_client *c, uint64_t a, uint64_t n); /* the one that holds all of it */
dev_mem *dev_mem_add(dev_client *c,
                     const dev_mem *m); /* NULL: no memory. Pointers to others become invalid. */
void dev_mem_remove(dev_client *c, uint64_t base);
static inline bool dev_mem_on_host(const dev_mem *m) {
    return m->on_host;
}

/* ---- calls */

typedef struct {
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
    int fd;     /* to pass along and close, or -1 */
    bool again; /* a host function must run first */
    bool hold;  /* Next: the reply comes later */
    char note[512];
} dev_call;
/* One handler a row of calls.def; *in and *out are the row's scalars. */
#define CALL(name, mode, doc, ...)                                                                 \
    cudaError_t dev_on_##name(dev_call *k, const struct wire_in_##name *in,                        \
                              struct wire_out_##name *out);
#define CALL_S CALL
#define MSG    CALL
#include "runner/cudart/calls.def"
#undef CALL
#undef CALL_S
#undef MSG
/* Adds a span to the reply; copied. */
cudaError_t dev_answer(dev_call *k, const void *data, size_t bytes);
cudaError_t dev_dispatch(dev_call *k, const uint64_t *in, unsigned scalars, uint64_t *out,
                         unsigned *outs);
const char *dev_call_name(wire_op op);
/* False, and a message, when scalars and spans are not what the row says. */
bool dev_call_check(wire_op op, unsigned scalars, unsigned spans, lib_message *msg);
bool dev_call_posted(wire_op op);
bool dev_call_despite_fault(wire_op op); /* answers even when the device's context is broken */
/* "cudaFoo: reason", each line once. */
void dev_unsupported(dev_client *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
cudaError_t dev_error(sim_status s); /* error.c */

/* ---- modules (module.c) */

typedef struct {
    uint64_t handle, bytes, have;
    uint8_t *data;
    void *on[DEV_MAX]; /* the backend's module */
    const dev_device *device[DEV_MAX];
    bool tried[DEV_MAX];
    cudaError_t error[DEV_MAX];
    bool unloaded;
    struct { /* its __managed__ variables: one block of host memory, at one address on both sides */
        sim_managed *v;
        size_t count; /* 0: it has none, or is not loaded yet */
        uint64_t base, map_bytes;
        void *host;
        int fd;
        bool given; /* the client has the descriptor */
    } managed;
} dev_module;
typedef struct {
    uint64_t handle;
    dev_module *module;
    unsigned device;
    void *kernel; /* the backend's */
    const sim_kernel_info *info;
    unsigned max_threads; /* with its registers */
    int carveout;
} dev_kernel;
void dev_module_free(dev_client *c, dev_module *m);
void dev_modules_reset(dev_client *c,
                       unsigned device); /* variables are as at the start again; kernels stay */

cudaError_t dev_allocate(dev_client *c, unsigned device, uint64_t n, dev_mem_kind kind,
                         uint64_t pool, uint64_t *out);
void dev_set_heap(dev_client *c, unsigned device, uint64_t bytes); /* of device malloc() */

/* ---- arrays and textures (texture.c) */

typedef struct {
    uint64_t handle, base, pitch, bytes;
    unsigned device, flags, element;
    struct cudaChannelFormatDesc desc;
    uint64_t width, height, depth; /* as given: 0 where a dimension does not exist */
} dev_array;
void dev_texture_free(dev_client *c, dev_kind kind, void *object);

/* ---- work: what is executed in stream order, captured, put in graphs, replayed */

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
    DEV_WORK_GRAPH
} dev_work_kind;
typedef struct dev_mark dev_mark; /* what the runtime calls an event */
typedef struct dev_graph dev_graph;
typedef struct dev_exec dev_exec;
typedef struct dev_condition dev_condition;
typedef struct dev_stream dev_stream;
typedef struct {
    dev_work_kind kind;
    unsigned device;
    size_t bytes; /* of the whole struct, parameters included */
    union {
        struct {
            dev_kernel *kernel;
            wire_launch at; /* the parameter block follows the struct */
        } launch;
        wire_copy copy;
        wire_fill fill;
        struct {
            uint64_t fn, data, stream;
            bool callback;
        } host;
        struct {
            dev_mark *event;
            uint64_t seq; /* WAIT: of the record that is waited for */
        } event;
        wire_alloc alloc;
        dev_graph *child;
        struct {
            dev_condition *on;
            dev_graph **bodies;
            uint32_t type, size;
        } conditional;
        dev_exec *exec;
    };
    uint8_t params[];
} dev_work;
dev_work *dev_work_copy(const dev_work *w); /* events, conditions and instances gain a reference */
void dev_work_free(dev_client *c, dev_work *w);

/* Executes and logs. `after`: when it may start at the earliest on the timeline; *end: when it is
 * done. Errors of a launch go to the device's fault; the result says what the call that submitted
 * it should hear. */
cudaError_t dev_work_run(dev_client *c, dev_stream *s, const dev_work *w, double after,
                         double *end);
/* A copy's two places as byte ranges of memory the client may use; false: not allowed. */
cudaError_t dev_copy_check(dev_client *c, unsigned device, wire_copy *w);
cudaError_t dev_fill_check(dev_client *c, unsigned device, const wire_fill *f);
/* Row by row: moves [offset, offset+n) of the copy's bytes between device-side place and a host
 * buffer. */
cudaError_t dev_copy_bytes(dev_client *c, const wire_copy *w, bool to_device, uint64_t offset,
                           void *buffer, uint64_t n);
cudaError_t dev_launch_check(dev_client *c, unsigned device, const wire_launch *l,
                             size_t param_bytes, dev_kernel **k);

/* ---- streams and events (stream.c) */

typedef struct dev_item {
    dev_work *work;
    uint64_t seq;
    double issued;    /* host time of the call */
    size_t at, nodes; /* GRAPH: nodes done, of how many */
    double *ends;     /* GRAPH: when each was */
    uint64_t offset;  /* GRAPH: bytes of a pageable copy done */
    struct dev_item *next;
} dev_item;

typedef struct dev_capture dev_capture;
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
    uint64_t *tail_nodes; /* of the capture: handles of the nodes that the next one follows */
    size_t tail_count;
    cudaLaunchAttributeValue attribute[16];
    dev_stream *next;
};
struct dev_mark {
    uint64_t handle;
    unsigned device, flags, refs;
    bool recorded, destroyed;
    uint64_t seq, done; /* of the last record submitted, and done */
    double when;
    dev_capture *capture; /* recorded in a capture */
    uint64_t *deps;
    size_t dep_count;
};
void dev_mark_release(dev_mark *e);

/* The stream that a call names; NULL: no such stream. */
dev_stream *dev_stream_get(dev_call *k, uint64_t h);
/* Submits work: captures it, runs it, or queues it. */
cudaError_t dev_submit(dev_call *k, dev_stream *s, const dev_work *w);
/* Whether all work of the stream (NULL: of the device) is done; else the call answers `again`. */
bool dev_idle(dev_client *c, unsigned device, const dev_stream *s);
/* For calls that wait: true when they must answer now with k->again set. Advances the thread's
 * clock to the end of the work. */
bool dev_wait(dev_call *k, dev_stream *s);
/* Captures forbid calls that wait or allocate: an error, and the capture is spoilt. NULL stream:
 * the whole device. */
cudaError_t dev_capture_forbids(dev_call *k, dev_stream *s, bool unsafe);
void dev_progress(dev_client *c);
void dev_streams_free(dev_client *c);
dev_stream *dev_stream_default(dev_client *c, unsigned device);

/* ---- host functions that wait for the program (service.c) */
typedef struct dev_service {
    uint64_t id, fn, data, stream;
    int what;
    bool given;
    dev_stream *on;
    struct dev_service *next;
} dev_service;
cudaError_t dev_service_add(dev_client *c, dev_stream *s, int what, uint64_t fn, uint64_t data);

/* ---- graphs (graph.c, graph_exec.c) */
struct dev_capture {
    dev_graph *graph;
    bool own; /* the graph was made for this capture */
    bool spoilt;
    int mode;
    unsigned thread;
    uint64_t id;
    dev_stream *origin;
};
void dev_capture_free(dev_client *c);
/* Streams that capture to a graph that is going do so no more. */
void dev_capture_forget(dev_client *c, const dev_graph *g);
bool dev_graph_owned(const dev_graph *g); /* by a node of another graph, which frees it */
bool dev_capture_blocking(
    dev_client *c,
    unsigned device); /* spoils them: a blocking stream captures, and the legacy stream is used */
void dev_exec_served(dev_client *c, dev_stream *s, dev_item *i, int what, const uint8_t *data,
                     size_t bytes);
cudaError_t dev_exec_bytes(dev_client *c, dev_stream *s, void *to, size_t bytes);
cudaError_t dev_capture_work(dev_call *k, dev_stream *s, const dev_work *w);
cudaError_t dev_capture_event(dev_call *k, dev_stream *s, dev_mark *e);
cudaError_t dev_capture_wait(dev_call *k, dev_stream *s, dev_mark *e);
/* Runs an instance's nodes from item->at on. *blocked: it waits for a service. */
cudaError_t dev_exec_run(dev_client *c, dev_stream *s, dev_item *item, double after, double *end,
                         bool *blocked);
void dev_graph_free(dev_client *c, dev_graph *g);
void dev_exec_release(dev_client *c, dev_exec *e);
void dev_exec_retain(dev_exec *e);
void dev_condition_retain(dev_condition *x);
void dev_condition_release(dev_client *c, dev_condition *x);
/* sim_launch.condition; user: a dev_setter. */
typedef struct {
    dev_client *c;
    unsigned device;
} dev_setter;
bool dev_condition_set(void *user, uint64_t handle, uint32_t value);

/* ---- the timeline (timeline.c) */

typedef struct {
    struct {
        double start, end, share;
    } kernels[64]; /* the last ones */
    unsigned next;
    double h2d, d2h; /* when the copy engines are free */
    double tail;     /* when the work of destroyed streams is done */
} dev_engines;
double *dev_clock(dev_client *c, unsigned thread);
/* What a host call costs, in microseconds. */
typedef enum {
    DEV_COST_LAUNCH,
    DEV_COST_ASYNC,
    DEV_COST_SYNC,
    DEV_COST_MALLOC,
    DEV_COST_FREE,
    DEV_COST_POOL,
    DEV_COST_EVENT,
    DEV_COST_GRAPH
} dev_cost;
void dev_spend(dev_call *k, dev_cost what);
void dev_place_kernel(dev_client *c, unsigned device, double after, double us, double share,
                      double *start, double *end);
typedef enum { DEV_DIR_H2D, DEV_DIR_D2H, DEV_DIR_D2D, DEV_DIR_H2H, DEV_DIR_FILL } dev_direction;
/* measured: its time where the device measured it, else 0. */
void dev_place_copy(dev_client *c, unsigned device, dev_direction d, bool pageable, bool async,
                    uint64_t bytes, double measured, double after, double *start, double *end);
/* Order of the default stream: when work of s may start. */
double dev_stream_after(dev_client *c, const dev_stream *s, double issued);

/* ---- the log (log.c) */
dev_record *dev_log(dev_client *c, dev_op op, unsigned device, const dev_stream *s, double start,
                    double end, uint64_t bytes, sim_status status);
void dev_log_launch(dev_client *c, dev_record *r, const dev_work *w,
                    sim_result *result); /* takes the result over */
void dev_log_call(dev_call *k, dev_op op, uint64_t bytes, cudaError_t e);          /* a host call */
void dev_log_work(dev_client *c, dev_stream *s, const dev_work *w, double issued); /* for replay */
void dev_log_finding(dev_client *c, const sim_finding *f);
void dev_log_print(void *client, const char *text, size_t n);
void dev_log_call_begins(
    dev_client *c); /* a lab's function is called: forgets what replay would run */
void dev_log_forget_stream(dev_client *c, dev_stream *s);
void dev_log_clear(dev_client *c);
void dev_log_free(dev_client *c);
void dev_log_leaks(dev_client *c);
void dev_log_fault(dev_client *c);

typedef struct {
    dev_record *records;
    sim_result **results; /* of each record, or NULL */
    size_t count, room;
    uint64_t result_bytes;
    uint64_t dropped;
    struct {
        dev_work *work;
        dev_stream *stream;
        double issued;
        size_t record; /* index of its record, SIZE_MAX: none */
    } * works;
    size_t work_count, work_room;
    uint64_t work_bytes;
    bool overflow, read_back, freed, once; /* once: host memory, a host function or a graph */
    sim_finding *findings;
    size_t finding_count;
    char *printed;
    size_t printed_bytes, printed_room, delivered;
    bool print_full;
    const char *unsupported[DEV_UNSUPPORTED];
    size_t unsupported_count;
    bool in_call; /* a lab's function has been called: its works are kept */
    bool replaying;
    size_t replay_record;
} dev_log_state;

/* ---- a client */
typedef enum { DEV_STATE_RUN, DEV_STATE_READY, DEV_STATE_CLOSED } dev_state;
typedef struct {
    uint64_t handle;
    unsigned device;
    uint64_t threshold, used, high;
    int reuse[4];
    bool is_default;
} dev_pool;
typedef struct {
    int fd;
    void *at;
    uint64_t bytes, map_bytes, address;
    bool pinned, live;
} dev_buffer;

struct dev_client {
    dev_session *s;
    int fd;
    dev_state state;
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
    char error[512];
    char notice[512]; /* a line for the program's stderr, with the next reply */
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
    uint64_t host_bytes, module_bytes, queue_bytes;
    dev_module **modules; /* unloaded ones stay: the log names them */
    size_t module_count;
    dev_kernel **kernels;
    size_t kernel_count;
    dev_exec *execs;
    /* streams */
    dev_stream *streams;
    uint64_t next_stream, seq, next_service, next_capture;
    dev_service *services;
    unsigned captures;
    /* contexts */
    unsigned generation[DEV_MAX];                /* of the device when the client came */
    cudaError_t fault[DEV_MAX], sticky[DEV_MAX]; /* happened; and heard of by the program */
    cudaError_t deferred[DEV_MAX];               /* of a posted call, not sticky */
    uint64_t limit[DEV_MAX][7];
    int cache_config[DEV_MAX];
    uint32_t peers[DEV_MAX]; /* bits: access enabled */
    uint64_t pool[DEV_MAX], default_pool[DEV_MAX];
    uint64_t graph_bytes[DEV_MAX], graph_high[DEV_MAX];
    /* the timeline */
    double *clock,
        *began; /* a thread: where it is on the timeline, and where it was first heard of */
    unsigned threads;
    double latest;
    dev_engines engine[DEV_MAX];
    /* a copy that the program feeds through the window */
    uint8_t *window;
    int window_fd;
    bool copying;
    unsigned copy_thread;
    wire_copy copy;
    uint64_t copy_at;
    dev_stream *copy_stream;
    /* host blocks that the client has yet to map are in mem with mapped == false */
    dev_buffer buffer[64]; /* HOST arguments of the call under way */
    size_t args;
    uint64_t slots[64];
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
int dev_shared(const char *name, uint64_t bytes, void **at); /* a sealed memfd, mapped; -1 */
uint64_t dev_host_address(dev_client *c, uint64_t bytes); /* of page-locked memory; 0: none left */
bool dev_host_room(const dev_client *c, uint64_t bytes);  /* may it have so much more of it? */
/* Arms the watchdog around a launch. */
void dev_watch_start(dev_client *c, double deadline);
void dev_watch_move(dev_client *c, double deadline); /* of a watch that runs */
void dev_watch_free(dev_client *c);
static inline dev_device *dev_hw(const dev_client *c, unsigned device) {
    return &c->s->device[device];
}

#endif
