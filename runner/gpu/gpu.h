/* The wire between the device server (../device/backend_gpu.c) and the GPU helper, a process of its
 * own that holds the driver's context: a kernel that never ends, or an error that breaks the
 * context, costs that process and nothing else.
 *
 *   server --gpu_request--> helper --CUDA driver API--> GPU
 *          <--gpu_reply----
 *
 * One request at a time over a SOCK_SEQPACKET pair (the helper's descriptor 3); bytes travel
 * through a shared window (descriptor 4). Both ends are of one build. */
#ifndef WARPLAB_GPU_H
#define WARPLAB_GPU_H

#include <stdint.h>

enum { GPU_FD = 3, GPU_WINDOW_FD = 4, GPU_NUMBERS = 16, GPU_VERSION = 1, GPU_TEXT = 512 };
#define GPU_WINDOW_BYTES ((uint64_t)32 << 20)

typedef enum {
#define OP(name, what) GPU_OP_##name,
#include "runner/gpu/ops.def"
#undef OP
    GPU_OP_COUNT
} gpu_op;

typedef struct {
    uint32_t op, version;
    uint64_t a[GPU_NUMBERS];
    uint64_t bytes; /* in the window */
} gpu_request;

typedef struct {
    int32_t error; /* a CUresult; GPU_E_* for what is no driver error */
    uint32_t lost; /* the context is broken: the helper has to be started again */
    uint64_t v[GPU_NUMBERS];
    uint64_t bytes; /* in the window */
    double us;
    char text[GPU_TEXT]; /* why, when error is not 0 */
} gpu_reply;

enum { GPU_E_NO_DRIVER = 10001, GPU_E_NO_DEVICE, GPU_E_REQUEST, GPU_E_ADDRESS, GPU_E_UNSUPPORTED };

/* Open's answer, in the window. Attributes are cuDeviceGetAttribute's by number; -1 where it has
 * none. */
enum { GPU_ATTRIBUTES = 160 };
typedef struct {
    char name[128], uuid[48], driver[32];
    uint64_t memory_bytes;
    int32_t attribute[GPU_ATTRIBUTES];
    int32_t version; /* cuDriverGetVersion */
} gpu_machine;

/* Measure's answer, as doubles in v[]. */
typedef struct {
    double copy_gbs;     /* a large device-to-device copy, bytes read and written */
    double event_gap_us; /* between two events with nothing between them */
    double
        empty_kernel_us; /* what a pair of events shows around an empty kernel, event_gap_us included */
    double launch_us; /* host time of one launch call */
    double h2d_gbs, d2h_gbs;
    double memcpy_us; /* a small blocking copy, from call to return */
} gpu_measured;

/* A texture or surface, as sim_texture says it (../sim/sim.h), with what it is made of. */
enum { GPU_TEXTURE_LINEAR, GPU_TEXTURE_PITCH, GPU_TEXTURE_ARRAY, GPU_TEXTURE_SURFACE };
typedef struct {
    uint64_t base, pitch, slice;
    uint32_t width, height, depth;
    uint32_t what, layered, cubemap, gather, channels, bits,
        kind; /* kind: 0 signed, 1 unsigned, 2 float */
    uint32_t address[3], linear_filter, normalized_float, normalized_coords;
    float border[4];
} gpu_texture;

#endif
