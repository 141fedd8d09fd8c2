/* Launches: packs a kernel's arguments into a parameter block and posts it. Errors that the runtime
 * returns at once are found here, from the limits in KernelGet's reply, so that a launch needs no
 * reply. Errors on the device are returned by the next call that waits. */
#include "runner/device/cudart/client.h"
#include "words/cudart.h"

#include <string.h>

/* ---- <<<grid, block, shared, stream>>> */

WL_EXPORT unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared,
                                               cudaStream_t stream);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream) {
    wl_thread *t = wl_self();
    if (t->configs >= sizeof t->config / sizeof *t->config) return 1;
    t->config[t->configs].grid = grid;
    t->config[t->configs].block = block;
    t->config[t->configs].shared = shared;
    t->config[t->configs].from = WL_U64(__builtin_return_address(0));
    t->config[t->configs++].stream = stream;
    return 0;
}

WL_EXPORT cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared,
                                                 void *stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream) {
    wl_thread *t = wl_self();
    if (!t->configs) return wl_result(cudaErrorMissingConfiguration);
    t->configs--;
    t->launched_from = t->config[t->configs].from;
    *grid = t->config[t->configs].grid;
    *block = t->config[t->configs].block;
    *shared = t->config[t->configs].shared;
    *(cudaStream_t *)stream = t->config[t->configs].stream;
    return cudaSuccess;
}

/* ---- checks and packing */

static bool within(const unsigned n[3], const uint32_t max[3]) {
    for (int i = 0; i < 3; i++)
        if (!n[i] || n[i] > max[i]) return false;
    return true;
}

/* CUDA 13 calls every impossible shape an invalid value; before, it was
 * cudaErrorInvalidConfiguration. server/calls/failed.c says which limit it is. */
static cudaError_t launch_fits(const wire_kernel *k, const wire_launch *l) {
    if (!within(l->grid, k->max_grid) || !within(l->block, k->max_block))
        return cudaErrorInvalidValue;
    uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
    /* only x may be as large as a block */
    if (threads > k->max_block[0]) return cudaErrorInvalidValue;
    if (threads > k->declared_threads) return cudaErrorInvalidValue; /* __launch_bounds__ */
    if (threads > k->max_threads) return cudaErrorLaunchOutOfResources;
    if (k->reqntid[0] && memcmp(k->reqntid, l->block, sizeof k->reqntid))
        return cudaErrorInvalidValue;
    return l->shared > k->max_dynamic_shared ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t wl_launch_pack(const void *func, dim3 grid, dim3 block, void **args, void **extra,
                           size_t shared, bool cooperative, const unsigned cluster[3],
                           wire_launch *l, uint8_t *params) {
    const wl_kernel_info *i;
    cudaError_t e = wl_kernel_find(func, &i);
    if (e) return e;
    const wire_kernel *k = &i->k;
    *l = (wire_launch){.kernel = k->handle,
                       .grid = {grid.x, grid.y, grid.z},
                       .block = {block.x, block.y, block.z},
                       .shared = shared,
                       .cooperative = cooperative,
                       .param_bytes = k->param_bytes,
                       .wait = __atomic_load_n(&k->clusters, __ATOMIC_RELAXED)};
    if (cluster) memcpy(l->cluster, cluster, sizeof l->cluster);
    if ((e = launch_fits(k, l))) {
        wl_thread *t = wl_self();
        t->refused = *l, t->has_refused = true;
        return e;
    }
    if (k->param_bytes > WIRE_PARAM_BYTES) return cudaErrorInvalidValue;
    memset(params, 0, k->param_bytes);
    if (extra) {
        /* CU_LAUNCH_PARAM_BUFFER_POINTER (1), its value, CU_LAUNCH_PARAM_BUFFER_SIZE (2), a pointer
         * to it, CU_LAUNCH_PARAM_END (0) */
        const void *buffer = NULL;
        size_t n = 0;
        for (unsigned j = 0; j < 8 && extra[j]; j += 2) {
            if (extra[j] == (void *)1) buffer = extra[j + 1];
            if (extra[j] == (void *)2) n = *(size_t *)extra[j + 1];
        }
        if (!buffer || n > k->param_bytes) return cudaErrorInvalidValue;
        memcpy(params, buffer, n);
        return cudaSuccess;
    }
    if (k->param_count && !args) return cudaErrorInvalidValue;
    for (unsigned p = 0; p < k->param_count; p++)
        memcpy(params + i->param[2 * p], args[p], i->param[2 * p + 1]);
    return cudaSuccess;
}

/* What a launch asks for besides its shape. */
typedef struct {
    bool cooperative, clusters, has_carveout, early;
    unsigned cluster[3], carveout;
} launch_asks;

static cudaError_t launch_over(cudaError_t e) {
    wl_result(e);
    wl_self()->launched_from = 0;
    return e;
}

static cudaError_t launch_kernel(const void *func, dim3 grid, dim3 block, void **args,
                                 size_t shared, cudaStream_t stream, const launch_asks *asks,
                                 unsigned flags) {
    wire_launch l;
    uint8_t params[WIRE_PARAM_BYTES + 4];
    cudaError_t e = wl_connect();
    if (!e) e = wl_broken(wl_self()->device);
    if (!e)
        e = wl_launch_pack(func, grid, block, args, NULL, shared, asks->cooperative,
                           asks->clusters ? asks->cluster : NULL, &l, params);
    if (e) return launch_over(e);
    l.has_carveout = asks->has_carveout, l.carveout = asks->carveout, l.early = asks->early;
    wl_call c;
    /* It may be refused, or guard memory. */
    if (wl_capturing() || asks->cooperative || asks->clusters || l.wait || wl_host_given_any()) {
        struct wire_in_LaunchWait *in = WL_BEGIN(&c, LaunchWait, flags);
        in->stream = WL_U64(stream);
    } else {
        struct wire_in_Launch *in = WL_BEGIN(&c, Launch, flags);
        in->stream = WL_U64(stream);
    }
    wl_span(&c, &l, sizeof l);
    wl_span(&c, params, l.param_bytes);
    e = wl_send(&c);
    wl_end(&c);
    return launch_over(e);
}

#define LAUNCH(name, flags, coop, first, ...)                                                      \
    WL_EXPORT cudaError_t name(first func, dim3 grid, dim3 block, void **args, size_t shared,      \
                               cudaStream_t stream);                                               \
    cudaError_t name(first func, dim3 grid, dim3 block, void **args, size_t shared,                \
                     cudaStream_t stream) {                                                        \
        return launch_kernel(func, grid, block, args, shared, stream,                              \
                             &(launch_asks){.cooperative = coop}, flags);                          \
    }
LAUNCH(__cudaLaunchKernel, 0, false, cudaKernel_t)
LAUNCH(__cudaLaunchKernel_ptsz, WIRE_F_PER_THREAD, false, cudaKernel_t)
LAUNCH(cudaLaunchKernel, 0, false, const void *)
LAUNCH(cudaLaunchKernel_ptsz, WIRE_F_PER_THREAD, false, const void *)
LAUNCH(cudaLaunchCooperativeKernel, 0, true, const void *)
LAUNCH(cudaLaunchCooperativeKernel_ptsz, WIRE_F_PER_THREAD, true, const void *)

static cudaError_t launch_attributes(const char *call, const cudaLaunchConfig_t *config,
                                     launch_asks *asks) {
    static bool once;
    *asks = (launch_asks){0};
    if (!config || (config->numAttrs && !config->attrs)) return cudaErrorInvalidValue;
    for (unsigned i = 0; i < config->numAttrs; i++) {
        const cudaLaunchAttribute *a = &config->attrs[i];
        switch (a->id) {
        case cudaLaunchAttributeCooperative: asks->cooperative = a->val.cooperative; break;
        case cudaLaunchAttributeClusterDimension:
            asks->cluster[0] = a->val.clusterDim.x, asks->cluster[1] = a->val.clusterDim.y,
            asks->cluster[2] = a->val.clusterDim.z;
            asks->clusters = true;
            break;
        case cudaLaunchAttributePreferredSharedMemoryCarveout:
            asks->carveout = a->val.sharedMemCarveout;
            asks->has_carveout = true;
            break;
        case cudaLaunchAttributeProgrammaticStreamSerialization:
            asks->early = a->val.programmaticStreamSerializationAllowed;
            break;
        /* Hints: they change nothing that a program could see except its time. */
        case cudaLaunchAttributeIgnore:
        case cudaLaunchAttributeAccessPolicyWindow:
        case cudaLaunchAttributeSynchronizationPolicy:
        case cudaLaunchAttributeClusterSchedulingPolicyPreference:
        case cudaLaunchAttributePriority:
        case cudaLaunchAttributeMemSyncDomainMap:
        case cudaLaunchAttributeMemSyncDomain:
        case cudaLaunchAttributePreferredClusterDimension: break;
        default: w_cudart_launch_attribute(&once, call, a->id); return cudaErrorNotSupported;
        }
    }
    /* All zero would mean the same as not asking. */
    if (asks->clusters && (!asks->cluster[0] || !asks->cluster[1] || !asks->cluster[2]))
        return cudaErrorInvalidValue;
    /* A launch may not give cudaSharedmemCarveoutDefault: an H200 refuses it. */
    return asks->carveout > 100 ? cudaErrorInvalidValue : cudaSuccess;
}

static cudaError_t launch_ex(const cudaLaunchConfig_t *config, const void *func, void **args,
                             unsigned flags) {
    launch_asks asks;
    cudaError_t e = launch_attributes("cudaLaunchKernelExC", config, &asks);
    if (e) return wl_result(e);
    return launch_kernel(func, config->gridDim, config->blockDim, args, config->dynamicSmemBytes,
                         config->stream, &asks, flags);
}
WL_EXPORT cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *func,
                                          void **args);
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *func, void **args) {
    return launch_ex(config, func, args, 0);
}
WL_EXPORT cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *config, const void *func,
                                               void **args);
cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *config, const void *func,
                                     void **args) {
    return launch_ex(config, func, args, WIRE_F_PER_THREAD);
}

/* ---- host functions in a stream */

static cudaError_t host_function(cudaStream_t stream, uint64_t fn, void *data, bool callback,
                                 unsigned flags) {
    wl_call c;
    if (!fn) return wl_result(cudaErrorInvalidValue);
    struct wire_in_HostFunction *in = WL_BEGIN(&c, HostFunction, flags);
    in->stream = WL_U64(stream), in->fn = fn, in->data = WL_U64(data), in->callback = callback;
    cudaError_t e = wl_send(&c);
    wl_end(&c);
    return wl_result(e);
}
#define HOST_FUNCTION(suffix, flags)                                                               \
    WL_EXPORT cudaError_t cudaLaunchHostFunc##suffix(cudaStream_t stream, cudaHostFn_t fn,         \
                                                     void *data);                                  \
    cudaError_t cudaLaunchHostFunc##suffix(cudaStream_t stream, cudaHostFn_t fn, void *data) {     \
        return host_function(stream, WL_U64(fn), data, false, flags);                              \
    }                                                                                              \
    WL_EXPORT cudaError_t cudaStreamAddCallback##suffix(                                           \
        cudaStream_t stream, cudaStreamCallback_t fn, void *data, unsigned none);                  \
    cudaError_t cudaStreamAddCallback##suffix(cudaStream_t stream, cudaStreamCallback_t fn,        \
                                              void *data, unsigned none) {                         \
        return none ? wl_result(cudaErrorInvalidValue)                                             \
                    : host_function(stream, WL_U64(fn), data, true, flags);                        \
    }
HOST_FUNCTION(, 0)
HOST_FUNCTION(_ptsz, WIRE_F_PER_THREAD)

/* ---- functions' attributes, occupancy */

WL_EXPORT cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attr, const void *func);
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attr, const void *func) {
    const wl_kernel_info *i;
    cudaError_t e = attr ? wl_kernel_find(func, &i) : cudaErrorInvalidValue;
    if (e) return wl_result(e);
    wl_call c;
    struct wire_in_FuncGetAttributes *in = WL_BEGIN(&c, FuncGetAttributes, 0);
    in->kernel = i->k.handle;
    e = wl_send(&c);
    if (!e && c.spans && c.span_bytes[0] == sizeof *attr) memcpy(attr, c.span[0], sizeof *attr);
    wl_end(&c);
    return wl_result(e);
}

WL_EXPORT cudaError_t cudaFuncSetAttribute(const void *func, int attr, int value);
cudaError_t cudaFuncSetAttribute(const void *func, int attr, int value) {
    const wl_kernel_info *i;
    cudaError_t e = wl_kernel_find(func, &i);
    if (e) return wl_result(e);
    wl_call c;
    struct wire_in_FuncSetAttribute *in = WL_BEGIN(&c, FuncSetAttribute, 0);
    in->kernel = i->k.handle, in->attr = WL_U64(attr), in->value = WL_U64(value);
    e = wl_send(&c);
    wire_kernel *k = &((wl_kernel_info *)(uintptr_t)i)->k;
    if (!e)
        __atomic_store_n(&k->max_dynamic_shared, WL_OUT(&c, FuncSetAttribute)->max_dynamic,
                         __ATOMIC_RELAXED);
    if (!e && attr >= cudaFuncAttributeRequiredClusterWidth &&
        attr <= cudaFuncAttributeRequiredClusterDepth)
        __atomic_store_n(&k->clusters, 1, __ATOMIC_RELAXED);
    wl_end(&c);
    return wl_result(e);
}

/* Hints. */
WL_EXPORT cudaError_t cudaFuncSetCacheConfig(const void *func, int config);
cudaError_t cudaFuncSetCacheConfig(const void *func, int config) {
    const wl_kernel_info *i;
    return wl_result(config < 0 || config > 3 ? cudaErrorInvalidValue : wl_kernel_find(func, &i));
}
WL_EXPORT cudaError_t cudaFuncSetSharedMemConfig(const void *func, int config);
cudaError_t cudaFuncSetSharedMemConfig(const void *func, int config) {
    const wl_kernel_info *i;
    return wl_result(config < 0 || config > 2 ? cudaErrorInvalidValue : wl_kernel_find(func, &i));
}

WL_EXPORT cudaError_t cudaFuncGetName(const char **name, const void *func);
cudaError_t cudaFuncGetName(const char **name, const void *func) {
    const wl_kernel_info *i;
    cudaError_t e = name ? wl_kernel_find(func, &i) : cudaErrorInvalidValue;
    if (!e) *name = i->name;
    return wl_result(e);
}

WL_EXPORT cudaError_t cudaFuncGetParamInfo(const void *func, size_t index, size_t *offset,
                                           size_t *size);
cudaError_t cudaFuncGetParamInfo(const void *func, size_t index, size_t *offset, size_t *size) {
    const wl_kernel_info *i;
    cudaError_t e = offset ? wl_kernel_find(func, &i) : cudaErrorInvalidValue;
    if (!e && index >= i->k.param_count) e = cudaErrorInvalidValue;
    if (!e) *offset = i->param[2 * index];
    if (!e && size) *size = i->param[2 * index + 1];
    return wl_result(e);
}

WL_EXPORT cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, const void *func, int threads, size_t shared, unsigned flags);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *func,
                                                                   int threads, size_t shared,
                                                                   unsigned flags) {
    const wl_kernel_info *i;
    cudaError_t e = blocks ? wl_kernel_find(func, &i) : cudaErrorInvalidValue;
    if (e) return wl_result(e);
    wl_call c;
    struct wire_in_Occupancy *in = WL_BEGIN(&c, Occupancy, 0);
    in->kernel = i->k.handle, in->threads = WL_U64(threads), in->shared = shared, in->flags = flags;
    e = wl_send(&c);
    if (!e) *blocks = (int)WL_OUT(&c, Occupancy)->blocks;
    wl_end(&c);
    return wl_result(e);
}
WL_EXPORT cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *func,
                                                                    int threads, size_t shared);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *func,
                                                          int threads, size_t shared) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, func, threads, shared, 0);
}
WL_EXPORT cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *func,
                                                                int blocks, int threads);
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *func, int blocks,
                                                      int threads) {
    const wl_kernel_info *i;
    cudaError_t e = bytes ? wl_kernel_find(func, &i) : cudaErrorInvalidValue;
    if (e) return wl_result(e);
    wl_call c;
    struct wire_in_OccupancyShared *in = WL_BEGIN(&c, OccupancyShared, 0);
    in->kernel = i->k.handle, in->blocks = WL_U64(blocks), in->threads = WL_U64(threads);
    e = wl_send(&c);
    if (!e) *bytes = WL_OUT(&c, OccupancyShared)->bytes;
    wl_end(&c);
    return wl_result(e);
}

/* most: the largest cluster; otherwise how many clusters of the configuration's size run at the
 * same time. */
static cudaError_t occupancy_clusters(const char *call, int *answer, const void *func,
                                      const cudaLaunchConfig_t *config, bool most) {
    const wl_kernel_info *i;
    launch_asks asks;
    cudaError_t e = answer ? launch_attributes(call, config, &asks) : cudaErrorInvalidValue;
    if (!e) e = wl_kernel_find(func, &i);
    if (e) return wl_result(e);
    wire_launch l = {.kernel = i->k.handle,
                     .block = {config->blockDim.x, config->blockDim.y, config->blockDim.z},
                     .shared = config->dynamicSmemBytes};
    if (asks.clusters) memcpy(l.cluster, asks.cluster, sizeof l.cluster);
    wl_call c;
    struct wire_in_OccupancyClusters *in = WL_BEGIN(&c, OccupancyClusters, 0);
    in->kernel = i->k.handle, in->most = most;
    wl_span(&c, &l, sizeof l);
    e = wl_send(&c);
    if (!e) *answer = (int)WL_OUT(&c, OccupancyClusters)->answer;
    wl_end(&c);
    return wl_result(e);
}
WL_EXPORT cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, const void *func,
                                                           const cudaLaunchConfig_t *config);
cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, const void *func,
                                                 const cudaLaunchConfig_t *config) {
    return occupancy_clusters("cudaOccupancyMaxPotentialClusterSize", size, func, config, true);
}
WL_EXPORT cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *func,
                                                     const cudaLaunchConfig_t *config);
cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *func,
                                           const cudaLaunchConfig_t *config) {
    return occupancy_clusters("cudaOccupancyMaxActiveClusters", clusters, func, config, false);
}
