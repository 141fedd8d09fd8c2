/* Shared by the files of the client library.
 *
 *   program --entry point (stubs.c, load.c, launch.c, memory.c, copy.c, ...)--> wl_begin, wl_span,
 *           wl_send --client.c: socket--> server
 *
 * One lock is held from wl_begin() to wl_end(), so there is one message at a time, whatever the
 * number of threads. The library keeps no state of the device, except what it needs to answer or
 * post without asking: kernels' limits, host memory, the thread's last error. */
#ifndef WARPLAB_CUDART_CLIENT_H
#define WARPLAB_CUDART_CLIENT_H

#include <pthread.h>
#include <stdbool.h>
#include "runner/device/cudart/protocol.h"

#define WL_EXPORT __attribute__((visibility("default")))
/* An entry point: WL_DEFINE(name, (parameters), body). */
#define WL_DEFINE(name, args, ...)                                                                 \
    WL_EXPORT cudaError_t name args;                                                               \
    cudaError_t name args {                                                                        \
        __VA_ARGS__                                                                                \
    }

typedef struct {
    wire_mode mode;
    void *in;                            /* the in-scalars; fill them before the first span */
    const void *out;                     /* the out-scalars, valid until wl_end() */
    const uint8_t *span[WIRE_MAX_SPANS]; /* of the reply, valid until wl_end() */
    uint32_t span_bytes[WIRE_MAX_SPANS];
    unsigned spans;
    int fd;         /* came with the reply, or -1; the caller closes it */
    uint32_t flags; /* of the reply */
    unsigned out_expected;
    cudaError_t error; /* why the call cannot be made at all; otherwise success */
} wl_call;

/* Connects if necessary, takes the lock, and starts a message. in-scalars are zero. wl_send()
 * checks c->error. */
void *wl_begin(wl_call *c, wire_op op, unsigned scalars, unsigned spans, unsigned outs,
               unsigned flags);
/* Appends a span. If the message becomes too long, wl_send() fails. */
void wl_span(wl_call *c, const void *data, size_t bytes);
/* Sends, and waits for the reply unless it is a posted call. On success, the reply has at least the
 * out-scalars of calls.def. */
cudaError_t wl_send(wl_call *c);
/* Releases the lock; the reply becomes invalid. */
void wl_end(wl_call *c);
/* Starts another message without releasing the lock in between. */
void *wl_again(wl_call *c, wire_op op, unsigned scalars, unsigned spans, unsigned outs,
               unsigned flags);
/* Makes e the thread's last error if it is one, and tells the server; returns e. Every entry point
 * returns through this function. */
cudaError_t wl_result(cudaError_t e);

/* struct wire_in_NAME *in = WL_BEGIN(&c, NAME, flags) */
#define WL_BEGIN(c, NAME, flags)                                                                   \
    ((struct wire_in_##NAME *)wl_begin(c, WIRE_OP_##NAME, sizeof(struct wire_in_##NAME) / 8,       \
                                       WIRE_SPANS_OF_##NAME, sizeof(struct wire_out_##NAME) / 8,   \
                                       flags))
#define WL_AGAIN(c, NAME, flags)                                                                   \
    ((struct wire_in_##NAME *)wl_again(c, WIRE_OP_##NAME, sizeof(struct wire_in_##NAME) / 8,       \
                                       WIRE_SPANS_OF_##NAME, sizeof(struct wire_out_##NAME) / 8,   \
                                       flags))
#define WL_OUT(c, NAME)    ((const struct wire_out_##NAME *)(c)->out)
#define WL_U64(x)          ((uint64_t)(uintptr_t)(x))
#define WL_HANDLE(type, x) ((type)(uintptr_t)(x))

typedef struct {
    bool known;      /* number is set */
    bool in_service; /* the thread runs a host function, which may not call the runtime */
    int device;
    unsigned number;
    cudaError_t last;
    int capture_mode;
    struct {
        dim3 grid, block;
        size_t shared;
        cudaStream_t stream;
        uint64_t from; /* where the program has its <<<>>> */
    } config[8];
    unsigned configs;
    uint64_t copied_from, /* the same for an asynchronous copy, until it is sent; 0 */
        launched_from;    /* the same for the last popped configuration, until its launch is over */
    wire_launch refused;  /* the last launch that wl_launch_pack() refused, */
    bool has_refused;     /* if the server has not been told yet */
    /* clock.c: calls in progress, when the outermost began, real time in all that have ended, in
     * ns */
    unsigned inside;
    int64_t entered, spent;
    int64_t entered_busy, spent_busy; /* the same in CPU time */
} wl_thread;
wl_thread *wl_self(void); /* that of the calling thread */
/* whether it runs a host function; asking does not make it a thread that uses CUDA */
bool wl_in_service(void);

unsigned wl_devices(void);                         /* connects; 0 when there is no server */
bool wl_device_range(const void *p);               /* whether an address is one of device memory */
void wl_device_add(uint64_t base, uint64_t bytes); /* adds a variable outside the range */
cudaError_t wl_connect(void);
bool wl_simulated(void);           /* connected, and the server's time is modelled */
bool wl_capturing(void);           /* a stream was capturing at the server's last reply */
cudaError_t wl_broken(int device); /* the sticky error of a device's context, as far as known */
/* A line for the user, on stderr: "warplab: ...". The rows of "cudart" in runner/base/words become
 * calls of it in words/cudart.h: w_cudart_no_connection(once, fd). It prints once for each `once`;
 * NULL: always. */
typedef struct {
    const char *lang, *text; /* "zh"; \1 to \8 stand for args[0] to args[7] */
} wl_text;
enum { WL_ARGS = 8, WL_NUMBER_BYTES = 24 };
/* texts: English first; the one after the last has lang NULL. */
void wl_say(bool *once, const wl_text *texts, const char *const *args);
const char *wl_number(char *buf, size_t n, long long number);
#define WL_NUMBER(x) wl_number((char[WL_NUMBER_BYTES]){0}, WL_NUMBER_BYTES, x)

void wl_fault_install(wire_control *page, uint64_t low, uint64_t high); /* fault.c */
uint64_t wl_program_base(void);

/* ---- thread.c: around everything that takes real time instead of modelled time; they may be
 * nested */
enum { WL_NS = 1000000000 };
void wl_clock_enter(void);
void wl_clock_leave(void);
struct timespec;
int wl_clock_real(int id, struct timespec *t); /* the kernel's answer, without clock.c */

/* ---- turns.c: threads of the program take turns; under the connection's lock */
/* Waits for the calling thread's turn. May release the lock meanwhile. */
void wl_turn_take(pthread_mutex_t *lock);
/* Locks it. A thread that sleeps here waits for no other thread's work: it counts as one that
 * runs. */
void wl_turn_lock(pthread_mutex_t *lock);
void wl_turn_end(void); /* its call is over */
/* starts a detached thread of this library; returns pthread_create()'s error */
int wl_thread_start(void *(*run)(void *));

/* ---- module.c, load.c: what the program registered */
typedef struct wl_kernel wl_kernel;
typedef struct {
    wire_kernel k;
    uint32_t *param; /* pairs (offset, size) */
    char *name;
} wl_kernel_info;
/* Finds the kernel of a stub's address or of a cudaKernel_t, loaded on the thread's device. *info
 * is valid as long as the process. */
cudaError_t wl_kernel_find(const void *func, const wl_kernel_info **info);
cudaError_t wl_symbol(const void *symbol, uint64_t *address, uint64_t *bytes);
void wl_kernels_reset(int device); /* after cudaDeviceReset: handles of that device are invalid */

/* ---- launch.c */
/* Checks a launch like the runtime, and packs it. params must hold WIRE_PARAM_BYTES. */
cudaError_t wl_launch_pack(const void *func, dim3 grid, dim3 block, void **args, void **extra,
                           size_t shared, bool cooperative, const unsigned cluster[3],
                           wire_launch *l, uint8_t *params);

/* ---- memory.c: host memory that the device sees */
/* Finds the block that contains p. Returns false if there is none. */
typedef struct {
    uint64_t address, bytes;
    bool managed, registered;
    bool variables; /* __managed__ variables of a module: they stay as long as the program */
    bool kept;      /* managed memory that the server keeps until the program's own code uses it */
    unsigned flags;
} wl_host_block;
bool wl_host_find(const void *p, wl_host_block *out);
void wl_host_reset(void);
void wl_host_each_managed(void (*fn)(const wl_host_block *b));
/* When the lab's function has ended: what it registered of a buffer of the lab and did not
 * unregister is unregistered, so that the buffer gets the device's values. It counts as kept. */
void wl_host_ended(const void *from, size_t bytes);
/* The block's memory replaces what was reserved for it. Returns false if that fails. */
bool wl_host_given(uint64_t address, uint64_t bytes, int fd);
bool wl_host_given_any(void);

/* ---- fault.c: what the program's own code does with managed memory */
/* Under the connection's lock: reports the pages that it has used since the last time. */
void wl_touched_say(void);
/* In a signal handler: asks for memory that was kept back, or is guarded. Returns true if it is
 * there now. */
bool wl_touched_want(uint64_t address, bool write);
/* Under the lock. Kernels use managed memory: each use of a page asks first. more: these are more
 * kernels than before. */
void wl_touched_guard(bool in_use, bool more);

/* Under the lock: asks which page-locked memory copies are filling; each use of it asks first. */
void wl_held_ask(void);

/* ---- client.c, for fault.c: a message under the lock, for any thread */
void *wl_begin_locked(wl_call *c, wire_op op, unsigned scalars, unsigned spans, unsigned outs);
/* takes the lock; false: there is no connection, and the lock is not taken */
bool wl_lock_connected(void);
bool wl_lock_threads(void); /* the same without a connection; false: in a forked process */
bool wl_connected(void);    /* under the lock: messages can be sent */
void wl_unlock(void);
/* Maps the memory that HostAlloc or ModuleManaged passed (fd, closed here) at its address, and
 * sends HostReady. */
cudaError_t wl_host_map(int fd, const wl_host_block *b);

/* ---- copy.c: descriptions of copies and fills, for streams (copy.c) and graphs (graph.c) */
cudaError_t wl_copy_3d(const struct cudaMemcpy3DParms *p, wire_copy *w);
cudaError_t wl_copy_linear(void *dst, const void *src, size_t n, int kind, wire_copy *w);
/* compares the kind with the places of the two sides; sets their `at` */
cudaError_t wl_copy_check(wire_copy *w);
cudaError_t wl_fill_describe(void *dst, size_t pitch, unsigned value, unsigned element,
                             size_t width, size_t height, wire_fill *f);
/* Elements of 1, 2 or 4 bytes. */
cudaError_t wl_fill(void *p, size_t pitch, unsigned value, unsigned element, size_t width,
                    size_t height, bool async, cudaStream_t s);

/* ---- misc.c */
typedef struct {
    struct cudaChannelFormatDesc desc;
    struct cudaExtent extent;
    unsigned flags;
    unsigned element; /* bytes */
} wl_array;
cudaError_t wl_array_info(cudaArray_t a, wl_array *out);

#endif
