/* Launches and copies by kernels (children.c), for the files of this room. */
#ifndef WARPLAB_DEVICE_CHILDREN_H
#define WARPLAB_DEVICE_CHILDREN_H

#include "runner/device/server/core/stream.h"

/* The requests of a grid, in order; `module`: of its kernel. */
typedef struct {
    sim_child *at;
    size_t n;
    dev_module *module;
} dev_asked;

/* Does only this piece of work (run.c); *asked: the requests of a launch. */
cudaError_t dev_work_do(dev_client *c, dev_stream *s, const dev_work *w, double after, double *end,
                        dev_asked *asked);
/* All of it, and what that asks for in turn; takes *first over. *end: when the grid that asked
 * ended; then when all of it did. Errors are the device's fault. */
void dev_children_run(dev_client *c, dev_stream *s, const dev_work *parent, const dev_asked *first,
                      double *end);

#endif
