/* A device as one client sees it: the errors that it met there, its settings, its peers.
 *
 *   in    errors of work (work/, graph/, stream/), of posted calls (dispatch/client.c); cudaDeviceSet...
 *         (dispatch/settings.c)
 *   out   what the next call answers; how launches run */
#ifndef WARPLAB_DEVICE_CONTEXT_H
#define WARPLAB_DEVICE_CONTEXT_H

#include "runner/device/server/core/server.h"

enum { DEV_LIMITS = 7 }; /* cudaLimit: 0 to 6 */
typedef struct {
    unsigned generation;        /* of the device when the client came (dev_backend.generation) */
    cudaError_t fault;          /* happened; */
    cudaError_t sticky;         /* and heard of by the program: every call answers it */
    cudaError_t deferred;       /* of a posted call, not sticky: the next reply has it */
    uint64_t limit[DEV_LIMITS]; /* by cudaLimit; bytes, or a number of launches */
    int cache_config;           /* cudaFuncCache */
    /* Devices whose memory kernels of this one may use, a bit a device: by cudaDeviceEnablePeerAccess,
     * and by cudaMemPoolSetAccess. */
    unsigned peers, pool_peers;
} dev_context;

#endif
