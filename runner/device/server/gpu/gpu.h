/* GPUs of this machine.
 *
 *   in    backend.h: operations on a device
 *   out   requests to the helper (../gpu), a process that calls the driver; a profile made of what
 *         the driver says and what was measured
 *
 *   backend_gpu.c   memory and textures     gpu_code.c     modules, kernels, launches
 *   gpu_device.c    asking, starting anew   gpu_open.c     what the GPU is and what it costs
 *   gpu_process.c   the helper's process    gpu_list.c     which GPUs there are */
#ifndef WARPLAB_DEVICE_GPU_H
#define WARPLAB_DEVICE_GPU_H

#include "runner/device/server/backend.h"

extern const dev_backend dev_backend_gpu;

/* Opens GPU number `index` with device addresses in slice `slot`. NULL and *msg: there is none.
 * *profile: the nearest profile with what the driver says of this GPU; owned by the device. */
void *dev_gpu_open(unsigned index, unsigned slot, const dev_options *o, const sim_profile **profile,
                   lib_message *msg);
/* The profile that has most in common with a GPU of this name and compute capability (90). Never
 * NULL. */
const sim_profile *dev_gpu_nearest(const char *name, int cc);
void dev_gpu_state_get(void *hw, dev_gpu_state *state);
/* dev_list()'s lines for the machine's GPUs, or one that says why there is none. */
void dev_gpu_list(dev_listed *fn, void *user);

#endif
