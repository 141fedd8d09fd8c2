/* The protocol between a student's program (client.c and the other files here) and the device
 * server (../server/dispatch/client.c): everything that both sides share.
 *
 *   request   wire_head, in-scalars (64 bits each), span lengths (32 bits each, padded to 8), spans
 *             (each padded to 8)
 *   reply     the same, op repeated; the first scalar is the error, then the out-scalars; spans out
 *
 * One rule for every call: its row in calls.def names the scalars in and out and how many byte
 * spans it takes. The client's stubs, the server's dispatch table and the types below are made from
 * these rows. A reply may carry one descriptor (SCM_RIGHTS). A posted call has no reply. Requests
 * are handled one at a time, in the order of arrival. The server only sends replies.
 *
 * The socket is a stream socket. Both ends are on one machine and from one build: native byte
 * order, and no version except WIRE_VERSION. */
#ifndef WARPLAB_PROTOCOL_H
#define WARPLAB_PROTOCOL_H

#include "runner/device/cudart/api.h"

enum {
    WIRE_VERSION = 1,
    WIRE_MAX_SCALARS = 24,
    WIRE_MAX_SPANS = 4,
    WIRE_MAX_BYTES = 1 << 20, /* a whole request or reply */
    /* host data up to this size are part of the message; larger data go through the window */
    WIRE_INLINE_BYTES = 1 << 16,
    WIRE_CHUNK_BYTES = 1 << 19, /* a piece of a fat binary */
    WIRE_MAX_PARAMS = 4096,     /* parameters of a kernel */
    WIRE_PARAM_BYTES = 32764    /* of a kernel: CUDA C++ Programming Guide, "Function Parameters" */
};
#define WIRE_WINDOW_BYTES ((size_t)8 << 20)

/* Heads and span lengths are in buffers of 64-bit words. */
typedef uint32_t __attribute__((may_alias)) wire_length;
typedef struct __attribute__((may_alias)) {
    uint32_t bytes; /* of the whole message, a multiple of 8 */
    uint16_t op;    /* a WIRE_OP_* */
    uint8_t scalars, spans;
    uint16_t thread; /* the client's number for the calling thread, 0, 1, ... */
    uint16_t device; /* that thread's current device */
    uint32_t flags;  /* WIRE_F_* */
} wire_head;
_Static_assert(sizeof(wire_head) == 16, "wire_head");

enum {
    /* requests */
    /* stream 0 means the thread's own stream (the _ptsz and _ptds entry points) */
    WIRE_F_PER_THREAD = 1,
    /* the thread's capture mode is relaxed (cudaThreadExchangeStreamCaptureMode) */
    WIRE_F_RELAXED = 256,
    /* replies */
    WIRE_F_AGAIN = 2,   /* not yet: do the service that WIRE_F_SERVICE announces, then ask again */
    WIRE_F_SERVICE = 4, /* a host function (or a host copy of a graph) waits: call Service */
    WIRE_F_FD = 8,      /* a descriptor came with it */
    WIRE_F_PRINT = 16,  /* one more span at the end: the output of device printf, for stdout */
    WIRE_F_NOTE = 32,   /* one more span at the end (after PRINT's): a line for stderr */
    /* the last scalar is the error of a posted call; it becomes the thread's last error */
    WIRE_F_DEFERRED = 64,
    /* the reply's error is sticky: the device's context is broken, every call fails with it */
    WIRE_F_BROKEN = 128,
    /* a stream is capturing: launches wait for a reply, because they may be refused */
    WIRE_F_CAPTURE = 512,
    /* kernels for which the host has not waited use managed memory; the program's own code may only
     * use pages that they do not, so each use of a page asks first (HostWant) */
    WIRE_F_IN_USE = 1024,
    /* other page-locked memory than before is the target of copies under way (HostHeld); until the
     * program has waited for them, each use of it asks first (HostWant) */
    WIRE_F_HELD = 2048
};
enum { WIRE_HELD = 64, WIRE_PAGE = 4096 };
typedef struct {
    uint64_t from, to;
} wire_range;

/* ---- from calls.def ---- */

/* WIRE_EACH(m, (A, ...), (B, ...)) is m(A, ...) m(B, ...); WIRE_LIST puts commas between them. Up
 * to 16 arguments. */
#define WIRE_N_(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, ...) q
#define WIRE_N(...)                                                     WIRE_N_(__VA_ARGS__, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define WIRE_CAT_(a, b)                                                 a##b
#define WIRE_CAT(a, b)                                                  WIRE_CAT_(a, b)
#define WIRE_EACH(m, ...)                                               WIRE_CAT(WIRE_EACH_, WIRE_N(__VA_ARGS__))(m, , __VA_ARGS__)
#define WIRE_LIST(m, ...)                                               WIRE_CAT(WIRE_LIST_, WIRE_N(__VA_ARGS__))(m, __VA_ARGS__)
#define WIRE_EACH_1(m, s, x)                                            m x
#define WIRE_EACH_2(m, s, x, ...)                                       m x WIRE_EACH_1(m, s, __VA_ARGS__)
#define WIRE_EACH_3(m, s, x, ...)                                       m x WIRE_EACH_2(m, s, __VA_ARGS__)
#define WIRE_EACH_4(m, s, x, ...)                                       m x WIRE_EACH_3(m, s, __VA_ARGS__)
#define WIRE_EACH_5(m, s, x, ...)                                       m x WIRE_EACH_4(m, s, __VA_ARGS__)
#define WIRE_EACH_6(m, s, x, ...)                                       m x WIRE_EACH_5(m, s, __VA_ARGS__)
#define WIRE_EACH_7(m, s, x, ...)                                       m x WIRE_EACH_6(m, s, __VA_ARGS__)
#define WIRE_EACH_8(m, s, x, ...)                                       m x WIRE_EACH_7(m, s, __VA_ARGS__)
#define WIRE_EACH_9(m, s, x, ...)                                       m x WIRE_EACH_8(m, s, __VA_ARGS__)
#define WIRE_EACH_10(m, s, x, ...)                                      m x WIRE_EACH_9(m, s, __VA_ARGS__)
#define WIRE_EACH_11(m, s, x, ...)                                      m x WIRE_EACH_10(m, s, __VA_ARGS__)
#define WIRE_EACH_12(m, s, x, ...)                                      m x WIRE_EACH_11(m, s, __VA_ARGS__)
#define WIRE_EACH_13(m, s, x, ...)                                      m x WIRE_EACH_12(m, s, __VA_ARGS__)
#define WIRE_EACH_14(m, s, x, ...)                                      m x WIRE_EACH_13(m, s, __VA_ARGS__)
#define WIRE_LIST_1(m, x)                                               m x
#define WIRE_LIST_2(m, x, ...)                                          m x, WIRE_LIST_1(m, __VA_ARGS__)
#define WIRE_LIST_3(m, x, ...)                                          m x, WIRE_LIST_2(m, __VA_ARGS__)
#define WIRE_LIST_4(m, x, ...)                                          m x, WIRE_LIST_3(m, __VA_ARGS__)
#define WIRE_LIST_5(m, x, ...)                                          m x, WIRE_LIST_4(m, __VA_ARGS__)
#define WIRE_LIST_6(m, x, ...)                                          m x, WIRE_LIST_5(m, __VA_ARGS__)
#define WIRE_LIST_7(m, x, ...)                                          m x, WIRE_LIST_6(m, __VA_ARGS__)
#define WIRE_LIST_8(m, x, ...)                                          m x, WIRE_LIST_7(m, __VA_ARGS__)

typedef enum { WIRE_WAIT, WIRE_POST } wire_mode;

typedef enum {
    WIRE_OP_NONE,
#define CALL(name, mode, doc, ...)   WIRE_OP_##name,
#define CALL_S(name, mode, doc, ...) WIRE_OP_##name,
#define MSG(name, mode, doc, ...)    WIRE_OP_##name,
#include "runner/device/cudart/calls.def"
#undef CALL
#undef CALL_S
#undef MSG
    WIRE_OP_COUNT
} wire_op;

/* struct wire_in_NAME and wire_out_NAME: a call's scalars by name, in order. */
#define WIRE_IN(kind, type, name)  WIRE_IN_##kind(type, name)
#define WIRE_IN_VAL(type, name)    uint64_t name;
#define WIRE_IN_STREAM(type, name) uint64_t name;
#define WIRE_IN_NONE(type, name)
#define WIRE_IN_IN(type, name)
#define WIRE_IN_STR(type, name)
#define WIRE_IN_SPAN(type, name)
#define WIRE_IN_OUT(type, name)
#define WIRE_IN_OPT(type, name)
#define WIRE_IN_FILL(type, name)
#define WIRE_OUT(kind, type, name) WIRE_OUT_##kind(type, name)
#define WIRE_OUT_VAL(type, name)
#define WIRE_OUT_STREAM(type, name)
#define WIRE_OUT_NONE(type, name)
#define WIRE_OUT_IN(type, name)
#define WIRE_OUT_STR(type, name)
#define WIRE_OUT_SPAN(type, name)
#define WIRE_OUT_OUT(type, name) uint64_t name;
#define WIRE_OUT_OPT(type, name) uint64_t name;
#define WIRE_OUT_FILL(type, name)
#define WIRE_SPANS(kind, type, name) WIRE_SPANS_##kind
#define WIRE_SPANS_VAL               +0
#define WIRE_SPANS_STREAM            +0
#define WIRE_SPANS_NONE              +0
#define WIRE_SPANS_IN                +1
#define WIRE_SPANS_STR               +1
#define WIRE_SPANS_SPAN              +1
#define WIRE_SPANS_OUT               +0
#define WIRE_SPANS_OPT               +0
#define WIRE_SPANS_FILL              +0
#define CALL(name, mode, doc, ...)                                                                 \
    struct wire_in_##name {                                                                        \
        WIRE_EACH(WIRE_IN, __VA_ARGS__)                                                            \
    };                                                                                             \
    struct wire_out_##name {                                                                       \
        WIRE_EACH(WIRE_OUT, __VA_ARGS__)                                                           \
    };                                                                                             \
    enum { WIRE_SPANS_OF_##name = 0 WIRE_EACH(WIRE_SPANS, __VA_ARGS__) };
#define CALL_S CALL
#define MSG    CALL
#include "runner/device/cudart/calls.def"
#undef CALL
#undef CALL_S
#undef MSG

/* ---- spans with a layout ---- */

/* KernelGet's first span. The second is param_count pairs (offset, size) of uint32_t, the third the
 * mangled name. With the limits the client can refuse a bad launch itself, so that a launch needs
 * no reply; the server checks again. */
typedef struct {
    uint64_t handle;
    uint64_t static_shared, max_dynamic_shared;
    uint32_t param_count, param_bytes;
    uint32_t max_threads;      /* per block: by its registers, .maxntid and the device */
    uint32_t declared_threads; /* only .maxntid: more is an invalid value */
    uint32_t max_block[3], max_grid[3];
    uint32_t reqntid[3];
    /* a launch may have clusters without asking: the server replies whether they are valid */
    uint32_t clusters;
} wire_kernel;

/* The place of one side of a copy. */
enum { WIRE_AT_POINTER, WIRE_AT_PAGEABLE, WIRE_AT_ARRAY };
typedef struct {
    uint32_t at;          /* WIRE_AT_* */
    int32_t device;       /* for a peer copy; -1: the current device */
    uint64_t address;     /* or the array's handle */
    uint64_t pitch, rows; /* bytes from row to row; rows from slice to slice (memory only) */
    uint64_t x, y, z;     /* start: bytes, rows, slices */
} wire_place;

typedef struct {
    wire_place to, from;
    uint64_t width, height, depth; /* bytes, rows, slices */
    uint32_t kind;                 /* cudaMemcpyKind */
    uint32_t async;
    uint64_t caller; /* async: where the program called, as in CallFailed; 0: unknown */
} wire_copy;

typedef struct {
    wire_place to;
    uint64_t width, height, depth; /* bytes, rows, slices */
    uint32_t value, element;       /* element: 1, 2 or 4 bytes */
    uint32_t async, unused;
} wire_fill;

/* A launch in a Launch message and in a graph's kernel node. The parameter block is a separate
 * span, or follows it (graph). */
typedef struct {
    uint64_t kernel;
    uint32_t grid[3], block[3];
    uint64_t shared;
    uint32_t cooperative, param_bytes;
    uint32_t cluster[3]; /* in blocks; 0: not asked for */
    uint32_t wait; /* for the client: the kernel may have clusters, so it waits for the reply */
    uint32_t has_carveout, carveout; /* per cent; overrides the kernel's preference */
    uint32_t early,
        /* programmatic stream serialization: it may begin before the previous kernel ends */
        unused;
} wire_launch;

/* The parameters of cuTensorMapEncodeTiled or -Im2col; `rank` elements of the arrays are used, or
 * one less. */
enum { WIRE_TENSOR_DIMS = 5, WIRE_TENSOR_MAP_BYTES = 128 };
typedef struct {
    uint64_t address, dim[WIRE_TENSOR_DIMS], stride[WIRE_TENSOR_DIMS - 1];
    uint32_t type, rank, box[WIRE_TENSOR_DIMS], step[WIRE_TENSOR_DIMS];
    uint32_t interleave, swizzle, promotion, fill;
    uint32_t im2col, pixels; /* channels are box[0] */
    int32_t lower[WIRE_TENSOR_DIMS - 2], upper[WIRE_TENSOR_DIMS - 2];
} wire_tensor_map;

/* A graph node's parameters in GraphAdd, GraphNodeGet and GraphNodeSet: the type's own struct. */
typedef struct {
    uint64_t fn, data;
} wire_host;
typedef struct {
    uint64_t bytes, address;
} wire_alloc;
typedef struct {
    uint64_t handle;
    uint32_t type, size; /* cudaGraphConditionalNodeType; bodies */
} wire_conditional;

/* GraphList: what to list, of a graph or of a node. */
enum {
    WIRE_GRAPH_NODES,
    WIRE_GRAPH_ROOTS,
    WIRE_GRAPH_EDGES,
    WIRE_NODE_DEPENDENCIES,
    WIRE_NODE_DEPENDENTS
};

/* The services for the client. */
enum {
    WIRE_SERVE_NOTHING,
    WIRE_SERVE_FUNCTION,
    WIRE_SERVE_CALLBACK,
    WIRE_SERVE_READ,
    WIRE_SERVE_WRITE
};

/* The control page: a memfd that Hello passes. The fault handler writes here, because it must not
 * use the socket. */
typedef struct {
    uint32_t fault;   /* 1: the rest is valid */
    uint32_t write;   /* the access was a store */
    uint64_t address; /* of the access */
    uint64_t pc;      /* of the instruction */
    /* load address of the program; pc - base is the address for addr2line in a position-independent
     * program */
    uint64_t base;
    uint32_t thread;
} wire_control;

#endif
