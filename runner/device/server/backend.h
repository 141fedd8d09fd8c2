/* The interface of a session's device: one row of functions, for the simulated device
 * (backend_sim.c) and for a GPU (gpu/backend_gpu.c). The rest of the server implements the
 * runtime's semantics on top of it and does not know which of them it uses.
 *
 * Every function takes the device's own state first. Both use sim_status; addresses are the
 * device's. Times are microseconds as measured; 0: the timeline must model them. */
#ifndef WARPLAB_DEVICE_BACKEND_H
#define WARPLAB_DEVICE_BACKEND_H

#include "runner/base/message.h"
#include "runner/device/server/device.h"

typedef struct {
    const char *ptxas; /* as in sim_module_options */
    char *(*demangle)(const char *);
    /* as in dev_options; NULL: not wanted */
    char *(*machine_code)(const char *program, const void *cubin, size_t n, size_t *len);
    const char *program;
    unsigned arch; /* the highest architecture that PTX may have */
    const char *device;
    /* as in sim_module_options; a GPU's driver places the variables itself */
    sim_place_managed *managed;
    void *managed_user;
    const volatile int *stop; /* as in sim_module_options */
    uint64_t room, *taken;    /* the same; on a GPU the driver holds the module */
} dev_code_options;

/* A texture's memory. On hardware, arrays have a layout of their own. */
typedef enum { DEV_TEX_LINEAR, DEV_TEX_PITCH, DEV_TEX_ARRAY } dev_texture_memory;

typedef struct {
    bool measures; /* it measures the time of a copy, so copies are requested as a whole */
    void (*close)(void *hw);
    /* Incremented when everything on the device was lost (a broken context); always 0 if that
     * cannot happen. */
    unsigned (*generation)(const void *hw);
    /* Returns the memory object, which can be put back (sim/memory). Returns NULL for a GPU, and
     * the function may be NULL. */
    struct sim_memory *(*memory)(void *hw);
    sim_status (*alloc)(void *hw, uint64_t n, sim_addr *out);
    sim_status (*release)(void *hw, sim_addr a);
    void (*name)(void *hw, sim_addr a, const char *name);
    /* Maps host memory [host, host+n) to address `at`. fd: its memory file of `map_bytes`, in which
     * it begins at `skip`; remote: as in sim_map(). */
    sim_status (*map)(void *hw, void *host, uint64_t n, sim_addr at, bool remote, int fd,
                      uint64_t map_bytes, uint64_t skip);
    sim_status (*unmap)(void *hw, sim_addr at);
    sim_status (*write)(void *hw, sim_addr to, const void *from, uint64_t n);
    sim_status (*read)(void *hw, void *to, sim_addr from, uint64_t n);
    sim_status (*copy)(void *hw, sim_addr to, sim_addr from, uint64_t n, double *us);
    sim_status (*fill)(void *hw, sim_addr to, uint32_t value, unsigned width, uint64_t n,
                       double *us);
    sim_status (*poison)(void *hw, sim_addr to, uint64_t n);
    void (*info)(void *hw, uint64_t *free_bytes, uint64_t *total);
    /* Launches of hw may be allowed to use the memory of `other`, a device of the same backend.
     * NULL: never */
    void (*peer)(void *hw, const void *other);
    void (*flush)(void *hw, uint64_t changed);                /* sim_flush_caches() */
    sim_status (*limit)(void *hw, int limit, uint64_t value); /* cudaLimit */
    /* Loads a fat binary. Returns NULL and sets *status and *msg on failure. */
    void *(*module_new)(void *hw, const void *data, size_t n, const dev_code_options *o,
                        sim_status *status, lib_message *msg);
    void (*module_free)(void *hw, void *module);
    void (*module_reset)(void *hw, void *module);
    void *(*module_kernel)(void *hw, void *module, const char *name);
    sim_status (*module_symbol)(void *hw, void *module, const char *name, sim_addr *a, uint64_t *n);
    const sim_kernel_info *(*kernel_info)(const void *kernel);
    sim_status (*kernel_shared)(void *hw, void *kernel, uint64_t bytes);
    sim_status (*kernel_carveout)(void *hw, void *kernel, int percent);
    /* As sim_run(); l->kernel is ignored. */
    sim_status (*run)(void *hw, void *kernel, const sim_launch *l, sim_result *r, lib_message *msg);
    sim_status (*texture_new)(void *hw, const sim_texture *t, dev_texture_memory memory,
                              uint64_t *handle);
    void (*texture_free)(void *hw, uint64_t handle);
    /* As sim_tensor_map_new(). */
    sim_status (*tensor_map)(void *hw, const sim_tensor_map *t, uint8_t to[SIM_TENSOR_MAP_BYTES],
                             lib_message *msg);
} dev_backend;

extern const dev_backend dev_backend_sim;

#endif
