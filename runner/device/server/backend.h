/* What a device of a session is made of: one row of functions, for the simulated device
 * (backend_sim.c) and for a GPU (gpu/backend_gpu.c). The rest of the server keeps the runtime's
 * semantics over it and does not know which it is.
 *
 * Every function takes the device's own state first. Statuses are sim_status for both; addresses
 * are the device's. Times are microseconds as measured, 0 where the timeline has to model them. */
#ifndef WARPLAB_DEVICE_BACKEND_H
#define WARPLAB_DEVICE_BACKEND_H

#include "runner/base/message.h"
#include "runner/device/server/device.h"

typedef struct {
    const char *ptxas; /* as sim_module_options */
    char *(*demangle)(const char *);
    /* as dev_options; NULL: nobody wants it */
    char *(*machine_code)(const char *program, const void *cubin, size_t n, size_t *len);
    const char *program;
    unsigned arch; /* that PTX may have */
    const char *device;
    sim_place_managed *managed; /* as sim_module_options; a GPU's driver places them itself */
    void *managed_user;
    const volatile int *stop; /* as sim_module_options */
    uint64_t room, *taken;    /* the same; a GPU's driver has the module */
} dev_code_options;

/* A texture's memory: arrays have an order of their own on hardware. */
typedef enum { DEV_TEX_LINEAR, DEV_TEX_PITCH, DEV_TEX_ARRAY } dev_texture_memory;

typedef struct {
    bool measures; /* the time of a copy, which is therefore asked for as a whole */
    void (*close)(void *hw);
    /* Counts up when everything on the device was lost (a broken context); always 0 where that
     * cannot be. */
    unsigned (*generation)(const void *hw);
    /* The memory itself, which can be put back (sim/memory); NULL, as the function may be: a
     * GPU's. */
    struct sim_memory *(*memory)(void *hw);
    sim_status (*alloc)(void *hw, uint64_t n, sim_addr *out);
    sim_status (*release)(void *hw, sim_addr a);
    void (*name)(void *hw, sim_addr a, const char *name);
    /* Host memory [host, host+n) at address `at`; fd: its memory file of `map_bytes`, in which it
     * begins at `skip`; remote: as of sim_map(). */
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
    /* Launches of hw may be let use the memory of `other`, a device of the same backend. NULL: never */
    void (*peer)(void *hw, const void *other);
    void (*flush)(void *hw);
    sim_status (*limit)(void *hw, int limit, uint64_t value); /* cudaLimit */
    /* A fat binary. NULL, *status and *msg on failure. */
    void *(*module_new)(void *hw, const void *data, size_t n, const dev_code_options *o,
                        sim_status *status, lib_message *msg);
    void (*module_free)(void *hw, void *module);
    void (*module_reset)(void *hw, void *module);
    void *(*module_kernel)(void *hw, void *module, const char *name);
    sim_status (*module_symbol)(void *hw, void *module, const char *name, sim_addr *a, uint64_t *n);
    const sim_kernel_info *(*kernel_info)(const void *kernel);
    sim_status (*kernel_shared)(void *hw, void *kernel, uint64_t bytes);
    sim_status (*kernel_carveout)(void *hw, void *kernel, int percent);
    /* As sim_run(); l->kernel is not looked at. */
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
