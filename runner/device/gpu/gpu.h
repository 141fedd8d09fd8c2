/* The protocol between the device server (../device/gpu) and the GPU helper. The helper is a
 * process of its own that holds the driver's context. So an endless kernel, or an error that breaks
 * the context, costs only that process.
 *
 *   server --gpu_request--> helper --CUDA driver API--> GPU
 *          <--gpu_reply----
 *
 * One request at a time over a SOCK_SEQPACKET pair (the helper's descriptor 3). Bytes are passed in
 * a shared window (descriptor 4). Both ends come from one build. */
#ifndef WARPLAB_GPU_H
#define WARPLAB_GPU_H

#include <stdint.h>

enum { GPU_FD = 3, GPU_WINDOW_FD = 4, GPU_VERSION = 2, GPU_TEXT = 512 };
#define GPU_WINDOW_BYTES ((uint64_t)32 << 20)

/* ---- data */

/* The reply to Measure. */
typedef struct {
    double copy_gbs;     /* a large device-to-device copy; counts bytes read and written */
    double event_gap_us; /* between two events with nothing between them */
    /* the time between two events around an empty kernel, including the gap */
    double empty_kernel_us;
    double launch_us; /* host time of one launch call */
    double h2d_gbs, d2h_gbs;
    double memcpy_us; /* a small blocking copy, from call to return */
} gpu_measured;

/* The reply to Kernel: what the driver says about a function. */
typedef struct {
    uint64_t registers, static_shared, local_bytes, const_bytes;
    uint64_t max_threads, max_dynamic_shared, ptx_version;
} gpu_function;

/* The reply to Open, in the window. Attributes by number; -1: the driver does not have it. */
enum {
#define ATTR(number, name, value) GPU_ATTR_##name = number,
#include "runner/device/gpu/attributes.def"
#undef ATTR
    GPU_ATTRIBUTES = 160
};
typedef struct {
    char name[128], uuid[48], driver[32];
    uint64_t memory_bytes;
    int32_t attribute[GPU_ATTRIBUTES];
    int32_t version; /* cuDriverGetVersion */
} gpu_machine;

/* A texture or surface, with the fields of sim_texture (../sim/sim.h) and its memory. */
enum { GPU_TEXTURE_LINEAR, GPU_TEXTURE_PITCH, GPU_TEXTURE_ARRAY, GPU_TEXTURE_SURFACE };
enum { GPU_KIND_SIGNED, GPU_KIND_UNSIGNED, GPU_KIND_FLOAT };
typedef struct {
    uint64_t base, pitch, slice;
    uint32_t width, height, depth;
    uint32_t what, layered, cubemap, gather, channels, bits;
    uint32_t kind; /* GPU_KIND_* */
    uint32_t address[3], linear_filter, normalized_float, normalized_coords;
    float border[4];
} gpu_texture;

/* ---- requests and replies */

typedef enum {
#define OP(name, in, out, what) GPU_OP_##name,
#include "runner/device/gpu/ops.def"
#undef OP
    GPU_OP_COUNT
} gpu_op;

typedef struct {
    uint32_t op, version;
    union {
#define OP(name, in, out, what)                                                                    \
    struct {                                                                                       \
        in                                                                                         \
    } name;
#include "runner/device/gpu/ops.def"
#undef OP
    } in;
    uint64_t bytes; /* in the window */
} gpu_request;

enum {
#define RESULT(number, name, lost, status) GPU_E_##name = number,
#include "runner/device/gpu/results.def"
#undef RESULT
};

typedef struct {
    int32_t error; /* GPU_E_* */
    uint32_t lost; /* the context is broken: the helper must be restarted */
    union {
#define OP(name, in, out, what)                                                                    \
    struct {                                                                                       \
        out                                                                                        \
    } name;
#include "runner/device/gpu/ops.def"
#undef OP
    } out;
    uint64_t bytes; /* in the window */
    double us;
    char text[GPU_TEXT]; /* why, when error is not 0 */
} gpu_reply;

#endif
