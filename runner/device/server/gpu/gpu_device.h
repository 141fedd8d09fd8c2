/* A GPU of the session, inside the room: its state, and how it is asked. */
#ifndef WARPLAB_DEVICE_GPU_DEVICE_H
#define WARPLAB_DEVICE_GPU_DEVICE_H

#include "runner/device/server/gpu/gpu.h"
#include "runner/device/server/gpu/gpu_process.h"
#include "runner/device/sim/profile.h"

#define GPU_REQUEST_LIMIT 60.0  /* seconds that anything but a launch may take */
#define GPU_LAUNCH_LIMIT  120.0 /* and a launch: what lasts longer is endless */

typedef struct {
    gpu_process process;
    unsigned index, slot, generation;
    bool open;
    uint32_t stack; /* cudaLimitStackSize that its context has */
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
/* What the helper says: its sentence, or a driver's call, sentence and error, "cuCtxCreate: SENTENCE (ERROR)". */
void dev_gpu_said(lib_message *msg, const char *text);
/* Starts a helper that has the GPU. False and *msg. */
bool dev_gpu_start(gpu_device *g, lib_message *msg);
/* Asks; starts the helper first where none runs. */
sim_status dev_gpu_ask(gpu_device *g, gpu_request *q, gpu_reply *r);
/* With a descriptor to pass (or -1), and what ends the wait. */
sim_status dev_gpu_ask_long(gpu_device *g, gpu_request *q, int fd, double limit,
                            const volatile int *stop, gpu_reply *r);
/* ASK(g, &r, Alloc, .bytes = n): a request by its row in ops.def. */
#define ASK(g, r, name, ...)                                                                       \
    dev_gpu_ask(g, &(gpu_request){.op = GPU_OP_##name, .in.name = {__VA_ARGS__}}, r)
/* A measured time without what the events themselves take. */
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
