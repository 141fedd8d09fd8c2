/* Shared by the files of the driver API. Its entry points (driver.def) are the runtime's under
 * other names, with the same messages. These files add what only the driver has: contexts, modules
 * from PTX text, entry points by name.
 *
 *   program, NVRTC loader --cuInit, cuModuleLoadData, cuLaunchKernel--> driver.c --cuda...-->
 *     the other files
 *
 * libcuda.so.1 is empty: it needs libcudart.so.13, which contains all this. */
#ifndef WARPLAB_CUDART_DRIVER_H
#define WARPLAB_CUDART_DRIVER_H

#include "runner/device/cudart/client.h"

typedef uint64_t CUdeviceptr;
typedef struct driver_context *CUcontext;
typedef void (*driver_entry)(void);

/* The results that do not have the number of an error of the runtime. */
enum {
    DRIVER_SUCCESS = 0,
    DRIVER_INVALID_VALUE = 1,
    DRIVER_OUT_OF_MEMORY = 2,
    DRIVER_NOT_INITIALIZED = 3,
    DRIVER_INVALID_IMAGE = 200,
    DRIVER_INVALID_CONTEXT = 201,
    DRIVER_PRIMARY_CONTEXT_ACTIVE = 708,
    DRIVER_NOT_FOUND = 500,
    DRIVER_NOT_SUPPORTED = 801
};

/* CUmemorytype */
enum { DRIVER_HOST = 1, DRIVER_DEVICE, DRIVER_ARRAY, DRIVER_UNIFIED };
/* CUDA_MEMCPY2D */
typedef struct {
    size_t x, y;
    int type; /* CUmemorytype */
    void *host;
    CUdeviceptr device;
    cudaArray_t array;
    size_t pitch;
} driver_place;
typedef struct {
    driver_place from, to;
    size_t width, height;
} driver_copy_2d;
/* CUDA_ARRAY_DESCRIPTOR, CUDA_ARRAY3D_DESCRIPTOR; format: CUarray_format */
typedef struct {
    size_t width, height;
    int format;
    unsigned channels;
} driver_array_2d;
typedef struct {
    size_t width, height, depth;
    int format;
    unsigned channels, flags;
} driver_array_3d;
/* CUDA_RESOURCE_DESC */
typedef struct {
    int type; /* CUresourcetype, as cudaResourceType */
    union {
        cudaArray_t array;
        cudaMipmappedArray_t mipmap;
        struct {
            CUdeviceptr address;
            int format;
            unsigned channels;
            size_t bytes;
        } linear;
        struct {
            CUdeviceptr address;
            int format;
            unsigned channels;
            size_t width, height, pitch;
        } pitch;
        int reserved[32];
    } res;
    unsigned flags;
} driver_resource;
/* CUDA_TEXTURE_DESC */
typedef struct {
    int address[3], filter;
    unsigned flags, anisotropy;
    int mipmap_filter;
    float bias, low, high, border[4];
    int reserved[12];
} driver_texture;
/* CUlaunchConfig */
typedef struct {
    unsigned grid[3], block[3], shared;
    cudaStream_t stream;
    cudaLaunchAttribute *attributes;
    unsigned count;
} driver_launch;

/* ---- driver.c */
/* Returns the CUresult for an error of the runtime. */
int driver_result(cudaError_t e);
/* Returns the entry point of a name (without a version's suffix) in CUDA `version` (12050); NULL:
 * there is none, or it only reports that it is missing. */
driver_entry driver_find(const char *name, int version, bool *known);
/* Returns the path of the library that contains an address of code, without its folder; "the
 * program". */
const char *driver_caller(const void *code, char *text, size_t n);

/* ---- code.c: modules and launches */
int driver_module_load(cudaLibrary_t *m, const void *image, unsigned options, const int *option,
                       void **value);
int driver_module_file(cudaLibrary_t *m, const char *path);
int driver_function(cudaKernel_t *f, cudaLibrary_t m, const char *name);
int driver_function_attribute(int *value, int attribute, cudaKernel_t f);
int driver_launch_kernel(cudaKernel_t f, const unsigned grid[3], const unsigned block[3],
                         unsigned shared, cudaStream_t s, void **params, void **extra);
int driver_launch_ex(const driver_launch *l, cudaKernel_t f, void **params, void **extra);
/* most: the largest cluster; otherwise how many of the configuration's clusters run at the same
 * time. */
int driver_clusters(int *n, cudaKernel_t f, const driver_launch *l, bool most);
int driver_block_size(int *grid, int *block, cudaKernel_t f, size_t (*shared_of)(int),
                      size_t shared, int limit);

/* Images. The first returns the architecture that a PTX text names, 0: not PTX; the second a fat
 * binary with it, malloc'ed; the third changes its architecture. */
enum { DRIVER_WRAPPER = 0x466243b1 };
typedef struct {
    uint32_t magic, version; /* version 2: several, NULL-terminated */
    const void *data, *const *more;
} driver_wrapper;
unsigned driver_ptx_arch(const char *text);
uint8_t *driver_fatbin_of_ptx(const char *text, size_t n, unsigned arch);
void driver_fatbin_arch(uint8_t *fatbin, unsigned arch);
/* Returns NULL if it cannot be read, or is too large. Ends in NUL, malloc'ed, with room for a
 * header. */
char *driver_read_file(const char *path, size_t *n);

/* ---- texture.c */
int driver_array_create(cudaArray_t *to, const driver_array_3d *a);
int driver_array_create_2d(cudaArray_t *to, const driver_array_2d *a);
int driver_array_info(driver_array_3d *to, cudaArray_t array);
int driver_array_info_2d(driver_array_2d *to, cudaArray_t array);
int driver_mipmap_create(cudaMipmappedArray_t *to, const driver_array_3d *a, unsigned levels);
int driver_texture_create(uint64_t *to, const driver_resource *r, const driver_texture *t,
                          const struct cudaResourceViewDesc *view);
int driver_surface_create(uint64_t *to, const driver_resource *r);
int driver_memcpy_array(const driver_copy_2d *c, bool async, cudaStream_t s);

/* ---- link.c */
typedef struct driver_link driver_link;
int driver_link_new(driver_link **to);
int driver_link_add(driver_link *l, int type, const char *data, size_t n);
int driver_link_file(driver_link *l, int type, const char *path);
int driver_link_complete(driver_link *l, void **image, size_t *bytes);
int driver_link_free(driver_link *l);

/* ---- functions of the runtime that rows of driver.def call */
#define API(name, ...) WL_EXPORT cudaError_t name(__VA_ARGS__)
API(cudaGetDeviceCount, int *n);
API(cudaSetDevice, int device);
API(cudaDriverGetVersion, int *version);
API(cudaDeviceGetAttribute, int *value, int attribute, int device);
API(cudaGetDeviceProperties, struct cudaDeviceProp *p, int device);
API(cudaDeviceGetPCIBusId, char *id, int n, int device);
API(cudaDeviceGetByPCIBusId, int *device, const char *id);
API(cudaDeviceCanAccessPeer, int *can, int device, int peer);
API(cudaDeviceEnablePeerAccess, int peer, unsigned flags);
API(cudaDeviceDisablePeerAccess, int peer);
API(cudaDeviceGetP2PAttribute, int *value, int attribute, int from, int to);
API(cudaMemcpyPeer, void *to, int to_device, const void *from, int from_device, size_t n);
API(cudaMemcpyPeerAsync, void *to, int to_device, const void *from, int from_device, size_t n,
    cudaStream_t s);
API(cudaDeviceSynchronize, void);
API(cudaDeviceReset, void);
API(cudaDeviceGetLimit, size_t *value, int limit);
API(cudaDeviceSetLimit, int limit, size_t value);
API(cudaDeviceGetCacheConfig, int *config);
API(cudaDeviceSetCacheConfig, int config);
API(cudaDeviceGetStreamPriorityRange, int *least, int *greatest);
API(cudaMemGetInfo, size_t *free_bytes, size_t *total);
API(cudaMalloc, void **p, size_t n);
API(cudaMallocPitch, void **p, size_t *pitch, size_t width, size_t height);
API(cudaMallocManaged, void **p, size_t n, unsigned flags);
API(cudaMallocAsync, void **p, size_t n, cudaStream_t s);
API(cudaFree, void *p);
API(cudaFreeAsync, void *p, cudaStream_t s);
API(cudaMallocHost, void **p, size_t n);
API(cudaHostAlloc, void **p, size_t n, unsigned flags);
API(cudaFreeHost, void *p);
API(cudaHostRegister, void *p, size_t n, unsigned flags);
API(cudaHostUnregister, void *p);
API(cudaHostGetDevicePointer, void **to, void *p, unsigned flags);
API(cudaHostGetFlags, unsigned *flags, void *p);
API(cudaPointerGetAttributes, struct cudaPointerAttributes *a, const void *p);
API(cudaMemcpy, void *to, const void *from, size_t n, int kind);
API(cudaMemcpyAsync, void *to, const void *from, size_t n, int kind, cudaStream_t s);
API(cudaMemcpy2D, void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t w,
    size_t h, int kind);
API(cudaMemcpy2DAsync, void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t w,
    size_t h, int kind, cudaStream_t s);
API(cudaMalloc3DArray, cudaArray_t *a, const struct cudaChannelFormatDesc *d, struct cudaExtent x,
    unsigned flags);
API(cudaFreeArray, cudaArray_t a);
API(cudaMallocMipmappedArray, cudaMipmappedArray_t *m, const struct cudaChannelFormatDesc *d,
    struct cudaExtent x, unsigned levels, unsigned flags);
API(cudaGetMipmappedArrayLevel, cudaArray_t *a, cudaMipmappedArray_t m, unsigned level);
API(cudaFreeMipmappedArray, cudaMipmappedArray_t m);
API(cudaCreateTextureObject, uint64_t *t, const struct cudaResourceDesc *r,
    const struct cudaTextureDesc *d, const struct cudaResourceViewDesc *view);
API(cudaDestroyTextureObject, uint64_t t);
API(cudaCreateSurfaceObject, uint64_t *s, const struct cudaResourceDesc *r);
API(cudaDestroySurfaceObject, uint64_t s);
API(cudaMemcpy2DToArray, cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch,
    size_t w, size_t h, int kind);
API(cudaMemcpy2DToArrayAsync, cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch,
    size_t w, size_t h, int kind, cudaStream_t s);
API(cudaMemcpy2DFromArray, void *to, size_t pitch, cudaArray_t from, size_t x, size_t y, size_t w,
    size_t h, int kind);
API(cudaMemcpy2DFromArrayAsync, void *to, size_t pitch, cudaArray_t from, size_t x, size_t y,
    size_t w, size_t h, int kind, cudaStream_t s);
API(cudaMemcpy2DArrayToArray, cudaArray_t to, size_t x, size_t y, cudaArray_t from, size_t from_x,
    size_t from_y, size_t w, size_t h, int kind);
API(cudaStreamCreateWithFlags, cudaStream_t *s, unsigned flags);
API(cudaStreamCreateWithPriority, cudaStream_t *s, unsigned flags, int priority);
API(cudaStreamDestroy, cudaStream_t s);
API(cudaStreamSynchronize, cudaStream_t s);
API(cudaStreamQuery, cudaStream_t s);
API(cudaStreamGetPriority, cudaStream_t s, int *priority);
API(cudaStreamGetFlags, cudaStream_t s, unsigned *flags);
API(cudaStreamWaitEvent, cudaStream_t s, cudaEvent_t e, unsigned flags);
API(cudaStreamAddCallback, cudaStream_t s, cudaStreamCallback_t fn, void *data, unsigned flags);
API(cudaLaunchHostFunc, cudaStream_t s, cudaHostFn_t fn, void *data);
API(cudaEventCreateWithFlags, cudaEvent_t *e, unsigned flags);
API(cudaEventRecord, cudaEvent_t e, cudaStream_t s);
API(cudaEventQuery, cudaEvent_t e);
API(cudaEventSynchronize, cudaEvent_t e);
API(cudaEventDestroy, cudaEvent_t e);
API(cudaEventElapsedTime, float *ms, cudaEvent_t begin, cudaEvent_t end);
API(cudaLibraryLoadData, cudaLibrary_t *l, const void *code, void *jit, void **jit_values,
    unsigned jit_count, void *options, void **values, unsigned count);
API(cudaLibraryGetKernel, cudaKernel_t *k, cudaLibrary_t l, const char *name);
API(cudaLibraryGetGlobal, void **p, size_t *n, cudaLibrary_t l, const char *name);
API(cudaLibraryUnload, cudaLibrary_t l);
API(cudaFuncGetAttributes, struct cudaFuncAttributes *a, const void *f);
API(cudaFuncSetAttribute, const void *f, int attribute, int value);
API(cudaFuncSetCacheConfig, const void *f, int config);
API(cudaFuncGetName, const char **name, const void *f);
API(cudaFuncGetParamInfo, const void *f, size_t index, size_t *offset, size_t *size);
API(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, int *n, const void *f, int threads,
    size_t shared, unsigned flags);
API(cudaLaunchKernel, const void *f, dim3 grid, dim3 block, void **args, size_t shared,
    cudaStream_t s);
API(cudaLaunchCooperativeKernel, const void *f, dim3 grid, dim3 block, void **args, size_t shared,
    cudaStream_t s);
API(cudaOccupancyMaxPotentialClusterSize, int *n, const void *f, const cudaLaunchConfig_t *config);
API(cudaOccupancyMaxActiveClusters, int *n, const void *f, const cudaLaunchConfig_t *config);
API(cudaLaunchKernelExC, const cudaLaunchConfig_t *config, const void *f, void **args);
API(cudaProfilerStart, void);
API(cudaProfilerStop, void);
#undef API
WL_EXPORT const char *cudaGetErrorString(cudaError_t e);

#endif
