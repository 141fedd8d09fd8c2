/* A device as one client sees it: its errors there, its settings, its peers.
 *
 *   in    errors of work (work/, graph/, stream/), of posted calls (dispatch/client.c);
 *         cudaDeviceSet... (dispatch/settings.c)
 *   out   the result of the next call; how launches run */
#ifndef WARPLAB_DEVICE_CONTEXT_H
#define WARPLAB_DEVICE_CONTEXT_H

#include "runner/device/server/core/server.h"

enum { DEV_LIMITS = 7 }; /* cudaLimit: 0 to 6 */
typedef struct {
    unsigned generation;        /* of the device when the client started (dev_backend.generation) */
    cudaError_t fault;          /* has happened; */
    cudaError_t sticky;         /* and is known to the program: every call returns it */
    cudaError_t deferred;       /* of a posted call, not sticky: the next reply has it */
    uint64_t limit[DEV_LIMITS]; /* by cudaLimit; bytes, or a number of launches */
    int cache_config;           /* cudaFuncCache */
    /* Devices whose memory kernels of this one may use, one bit a device: by
     * cudaDeviceEnablePeerAccess, and by cudaMemPoolSetAccess. */
    unsigned peers, pool_peers;
} dev_context;

#endif
