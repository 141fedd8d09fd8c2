/* What the headers of a cubin (the ELF file that ptxas makes for one architecture) tell about a
 * kernel. */
#ifndef WARPLAB_CUBIN_H
#define WARPLAB_CUBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    unsigned registers;   /* per thread */
    unsigned barriers;    /* block barriers used */
    uint64_t shared;      /* static, without what the architecture reserves */
    uint64_t local;       /* stack frame with that of callees where it is known, bytes per thread */
    uint64_t const_param; /* bank 0: launch state and parameters */
    uint64_t const_user;  /* __constant__ variables of the module */
} sim_cubin_kernel;

/* The architecture, 90 for sm_90; 0: not a cubin. */
unsigned sim_cubin_arch(const void *cubin, size_t len);
/* False: not a cubin, broken, or no such kernel. */
bool sim_cubin_get(const void *cubin, size_t len, const char *kernel, sim_cubin_kernel *out);

#endif
