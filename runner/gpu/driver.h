/* The driver and the management library, opened at run time. The structures are those of cuda.h,
 * under our names, so that the helper builds where no toolkit is; tests/unit/test_gpu_abi.c
 * compares them with cuda.h where there is one. */
#ifndef WARPLAB_GPU_DRIVER_H
#define WARPLAB_GPU_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    int type, handle_types; /* CU_MEM_ALLOCATION_TYPE_PINNED = 1 */
    struct {
        int type, id; /* CU_MEM_LOCATION_TYPE_DEVICE = 1 */
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
    int flags; /* 3: read and write */
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
    int format;
    unsigned channels, flags; /* 1: layered, 2: surface, 4: cubemap, 8: gather */
} gpu_array_desc;
typedef struct {
    int type; /* 0: array, 2: linear, 3: pitched */
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
    unsigned flags, anisotropy; /* flags 1: integers as they are, 2: normalised coordinates */
    int mipmap_filter;
    float mipmap_bias, mipmap_min, mipmap_max, border[4];
    int reserved[12];
} gpu_sampler;

typedef struct {
#define DRIVER(name, symbol, params) int(*name) params;
#include "runner/gpu/driver.def"
#undef DRIVER
} gpu_driver;
typedef struct {
#define NVML(name, symbol, params) int(*name) params;
#include "runner/gpu/nvml.def"
#undef NVML
} gpu_nvml;

/* Opens WARPLAB_LIBCUDA or libcuda.so.1. False, and a line in text, when it is not there or lacks a
 * function. */
bool gpu_driver_open(gpu_driver *d, char *text, size_t n);
/* False: there is none; every pointer is NULL then. */
bool gpu_nvml_open(gpu_nvml *m);

#endif
