/* A GPU of the session, for the files of this room: its state, and requests to it. */
#ifndef WARPLAB_DEVICE_GPU_DEVICE_H
#define WARPLAB_DEVICE_GPU_DEVICE_H

#include "runner/device/server/gpu/gpu.h"
#include "runner/device/server/gpu/gpu_process.h"
#include "runner/device/sim/profile.h"

#define GPU_REQUEST_LIMIT 60.0  /* limit in seconds of everything except a launch */
#define GPU_LAUNCH_LIMIT  120.0 /* limit of a launch: a longer one counts as endless */

typedef struct {
    gpu_process process;
    unsigned index, slot, generation;
    bool open;
    uint32_t stack; /* cudaLimitStackSize of its context */
    sim_profile profile;
    const sim_profile *nearest;
    gpu_machine machine;
    gpu_measured cost;
    char *(*demangle)(const char *);
    char marketing[128];
    int lock; /* -1: none */
} gpu_device;

/* ---- gpu_device.c */
/* Device addresses of this generation: where they begin, and how many. */
uint64_t dev_gpu_base(const gpu_device *g);
uint64_t dev_gpu_bytes(void);
/* Sets the helper's message: its sentence, or a driver's call, sentence and error, "cuCtxCreate:
 * SENTENCE (ERROR)". */
void dev_gpu_said(lib_message *msg, const char *text);
/* Starts a helper for the GPU. Returns false and sets *msg on failure. */
bool dev_gpu_start(gpu_device *g, lib_message *msg);
/* Sends a request; starts the helper first if none runs. */
sim_status dev_gpu_ask(gpu_device *g, gpu_request *q, gpu_reply *r);
/* The same with a descriptor to pass (or -1), and with limits of the wait. */
sim_status dev_gpu_ask_long(gpu_device *g, gpu_request *q, int fd, double limit,
                            const volatile int *stop, gpu_reply *r);
/* ASK(g, &r, Alloc, .bytes = n): a request by its row in ops.def. */
#define ASK(g, r, name, ...)                                                                       \
    dev_gpu_ask(g, &(gpu_request){.op = GPU_OP_##name, .in.name = {__VA_ARGS__}}, r)
/* Returns a measured time minus the cost of the events themselves. */
double dev_gpu_net(const gpu_device *g, double us);

/* ---- gpu_code.c: rows of the backend */
void *dev_gpu_module_new(void *hw, const void *data, size_t n, const dev_code_options *o,
                         sim_status *status, lib_message *msg);
void dev_gpu_module_free(void *hw, void *module);
void dev_gpu_module_reset(void *hw, void *module);
void *dev_gpu_module_kernel(void *hw, void *module, const char *name);
sim_status dev_gpu_module_symbol(void *hw, void *module, const char *name, sim_addr *a,
                                 uint64_t *n);
const sim_kernel_info *dev_gpu_kernel_info(const void *kernel);
sim_status dev_gpu_kernel_shared(void *hw, void *kernel, uint64_t bytes);
sim_status dev_gpu_kernel_carveout(void *hw, void *kernel, int percent);
sim_status dev_gpu_run(void *hw, void *kernel, const sim_launch *l, sim_result *result,
                       lib_message *msg);

#endif
