/* A program's device code.
 *
 *   in    calls: fat binaries, kernels and variables by name, launches, queries about occupancy
 *   out   dev_kernel, which a launch names and the log describes
 *
 *   calls/module.c    fat binaries, loaded on a device at first use
 *   calls/managed.c   their __managed__ variables
 *   calls/kernel.c    kernels and their attributes
 *   calls/launch.c    launches, checked and submitted; occupancy
 *   work/children.c   launches by kernels */
#ifndef WARPLAB_DEVICE_CODE_H
#define WARPLAB_DEVICE_CODE_H

#include "runner/device/server/core/server.h"

/* Limit of a client's fat binaries. */
#define DEV_MODULE_BYTES ((uint64_t)512 << 20)

struct dev_module {
    uint64_t handle, bytes, have;
    uint8_t *data;
    void *on[DEV_MAX]; /* the backend's module */
    const dev_device *device[DEV_MAX];
    bool tried[DEV_MAX];
    cudaError_t error[DEV_MAX];
    bool unloaded;
    /* its __managed__ variables: one block of host memory, at the same address on both sides */
    struct {
        sim_managed *v;
        size_t count; /* 0: it has none, or is not loaded yet */
        uint64_t base, map_bytes;
        void *host;
        int fd;
        bool given; /* the client has the descriptor */
    } managed;
};
struct dev_kernel {
    uint64_t handle;
    dev_module *module;
    unsigned device;
    void *kernel; /* the backend's */
    const sim_kernel_info *info;
    unsigned max_threads; /* as its registers allow */
    /* cudaFuncSetAttribute(): clusters of a launch that asks for none, 0: none; whether clusters of
     * more than eight blocks may be asked for */
    unsigned cluster[3];
    bool large_clusters;
};
/* The code that a client has loaded (calls/module.c, core/kernel_object.c). */
typedef struct {
    /* dev_client_code() */
    bool (*allowed)(void *user, const void *fatbin, size_t n, unsigned arch);
    void *allowed_user;
    uint64_t bytes;       /* of fat binaries, at most DEV_MODULE_BYTES */
    dev_module **modules; /* unloaded ones stay, because the log names them */
    size_t module_count, module_room;
    dev_kernel **kernels;
    size_t kernel_count, kernel_room;
} dev_code;
/* The portable size of a cluster, and the largest. */
enum { DEV_CLUSTER = 8, DEV_CLUSTER_MAX = 16 };
/* Finds the clusters of a launch: as it asks, or as the kernel requires; 0: none. */
static inline void dev_launch_cluster(const dev_kernel *k, const unsigned asked[3],
                                      unsigned size[3]) {
    const unsigned *fixed = k->info->required_cluster[0] ? k->info->required_cluster : k->cluster,
                   *from = asked[0] || asked[1] || asked[2] ? asked : fixed;
    for (unsigned i = 0; i < 3; i++) size[i] = from[i];
}
/* Returns the client's object for a backend's kernel (kernel_object.c), made on first need. NULL:
 * memory is out. */
dev_kernel *dev_kernel_of(dev_client *c, dev_module *m, unsigned device, void *kernel,
                          const sim_kernel_info *info);
void dev_code_free(dev_client *c); /* the client ends: frees modules and kernels */
/* Variables get their initial values again; kernels stay. */
void dev_modules_reset(dev_client *c, unsigned device);
cudaError_t dev_launch_check(dev_client *c, unsigned device, const wire_launch *l,
                             size_t param_bytes, dev_kernel **k);
/* Says in k->why which limit of the device or kernel the launch exceeds, and names its kernel. */
void dev_launch_why(dev_call *k, const wire_launch *l);
/* Returns the per cent of shared memory that the launch, or its kernel, prefers; -1: none */
int dev_launch_carveout(const dev_kernel *k, const wire_launch *l);

#endif
