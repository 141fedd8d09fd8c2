/* The driver and the management library, opened at run time. The structures are those of cuda.h,
 * under our names, so that the helper builds without a toolkit. */
#ifndef WARPLAB_GPU_DRIVER_H
#define WARPLAB_GPU_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Values of cuda.h's enumerations, under our names. */
enum { GPU_CTX_SPIN = 1, GPU_CTX_MAP_HOST = 8 };
enum { GPU_STREAM_NON_BLOCKING = 1 };
enum { GPU_HOST_PORTABLE = 1, GPU_HOST_MAPPED = 2 };
enum { GPU_ALLOCATION_PINNED = 1, GPU_LOCATION_DEVICE = 1, GPU_ACCESS_READ_WRITE = 3 };
enum { GPU_JIT_ERROR_LOG = 5, GPU_JIT_ERROR_LOG_BYTES = 6 };
enum { /* CUfunction_attribute */
       GPU_FUNC_MAX_THREADS,
       GPU_FUNC_STATIC_SHARED,
       GPU_FUNC_CONST_BYTES,
       GPU_FUNC_LOCAL_BYTES,
       GPU_FUNC_REGISTERS,
       GPU_FUNC_PTX_VERSION,
       GPU_FUNC_MAX_DYNAMIC_SHARED = 8,
       GPU_FUNC_CARVEOUT = 9
};
enum { GPU_RESOURCE_ARRAY, GPU_RESOURCE_LINEAR = 2, GPU_RESOURCE_PITCH = 3 };
enum { GPU_ARRAY_LAYERED = 1, GPU_ARRAY_SURFACE = 2, GPU_ARRAY_CUBEMAP = 4, GPU_ARRAY_GATHER = 8 };
enum { GPU_SAMPLER_INTEGERS = 1, GPU_SAMPLER_NORMALIZED = 2 };
enum { /* CUarray_format */
       GPU_FORMAT_U8 = 0x01,
       GPU_FORMAT_U16 = 0x02,
       GPU_FORMAT_U32 = 0x03,
       GPU_FORMAT_S8 = 0x08,
       GPU_FORMAT_S16 = 0x09,
       GPU_FORMAT_S32 = 0x0a,
       GPU_FORMAT_F16 = 0x10,
       GPU_FORMAT_F32 = 0x20
};
enum { GPU_NVML_CLOCK_SM = 1, GPU_NVML_CLOCK_MEMORY = 2, GPU_NVML_TEMPERATURE = 0 };

typedef struct {
    int type, handle_types; /* GPU_ALLOCATION_* */
    struct {
        int type, id; /* GPU_LOCATION_* */
    } location;
    void *win32;
    struct {
        unsigned char compression, rdma;
        unsigned short usage;
        unsigned char reserved[4];
    } flags;
} gpu_alloc_prop;
typedef struct {
    struct {
        int type, id;
    } location;
    int flags; /* GPU_ACCESS_* */
} gpu_access;
typedef struct {
    size_t src_x, src_y, src_z, src_lod;
    int src_type;
    const void *src_host;
    uint64_t src_device;
    void *src_array, *reserved0;
    size_t src_pitch, src_height;
    size_t dst_x, dst_y, dst_z, dst_lod;
    int dst_type;
    void *dst_host;
    uint64_t dst_device;
    void *dst_array, *reserved1;
    size_t dst_pitch, dst_height;
    size_t width, height, depth;
} gpu_copy_3d;
enum { GPU_MEMORY_DEVICE = 2, GPU_MEMORY_ARRAY = 3 };
typedef struct {
    size_t width, height, depth;
    int format;               /* GPU_FORMAT_* */
    unsigned channels, flags; /* GPU_ARRAY_* */
} gpu_array_desc;
typedef struct {
    int type; /* GPU_RESOURCE_* */
    union {
        void *array;
        struct {
            uint64_t address;
            int format;
            unsigned channels;
            size_t bytes;
        } linear;
        struct {
            uint64_t address;
            int format;
            unsigned channels;
            size_t width, height, pitch;
        } pitch;
        int reserved[32];
    } of;
    unsigned flags;
} gpu_resource;
typedef struct {
    int address[3], filter;
    unsigned flags, anisotropy; /* flags: GPU_SAMPLER_* */
    int mipmap_filter;
    float mipmap_bias, mipmap_min, mipmap_max, border[4];
    int reserved[12];
} gpu_sampler;

typedef struct {
#define DRIVER(name, symbol, params) int(*name) params;
#include "runner/device/gpu/driver.def"
#undef DRIVER
} gpu_driver;
typedef struct {
#define NVML(name, symbol, params) int(*name) params;
#include "runner/device/gpu/nvml.def"
#undef NVML
} gpu_nvml;

/* Opens WARPLAB_LIBCUDA or libcuda.so.1. Returns false, and a line in text, if it is missing or
 * lacks a function. */
bool gpu_driver_open(gpu_driver *d, char *text, size_t n);
/* Returns false if there is none; then every pointer is NULL. */
bool gpu_nvml_open(gpu_nvml *m);

#endif
