/* GPUs of this machine.
 *
 *   in    backend.h: operations on a device
 *   out   requests to the helper (../gpu), a process that calls the driver; a profile from what the
 *         driver says and what was measured
 *
 *   backend_gpu.c   memory and textures
 *   gpu_code.c      modules, kernels, launches
 *   gpu_device.c    requests, restarting
 *   gpu_open.c      the GPU's properties and costs
 *   gpu_process.c   the helper's process
 *   gpu_list.c      the GPUs of the machine */
#ifndef WARPLAB_DEVICE_GPU_H
#define WARPLAB_DEVICE_GPU_H

#include "runner/device/server/backend.h"

extern const dev_backend dev_backend_gpu;

/* Opens GPU number `index` with device addresses in slice `slot`. Returns NULL and sets *msg if
 * there is none. *profile: the nearest profile, with the driver's figures for this GPU; owned by
 * the device. */
void *dev_gpu_open(unsigned index, unsigned slot, const dev_options *o, const sim_profile **profile,
                   lib_message *msg);
/* Returns the profile that is most similar to a GPU of this name and compute capability (90). Never
 * NULL. */
const sim_profile *dev_gpu_nearest(const char *name, int cc);
void dev_gpu_state_get(void *hw, dev_gpu_state *state);
/* Lists the machine's GPUs for dev_list(), or a line that says why there are none. */
void dev_gpu_list(dev_listed *fn, void *user);

#endif
