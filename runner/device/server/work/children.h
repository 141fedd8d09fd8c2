/* What kernels launch and copy themselves (children.c), inside the room. */
#ifndef WARPLAB_DEVICE_CHILDREN_H
#define WARPLAB_DEVICE_CHILDREN_H

#include "runner/device/server/core/stream.h"

/* What a grid asked for, in order; `module`: of its kernel. */
typedef struct {
    sim_child *at;
    size_t n;
    dev_module *module;
} dev_asked;

/* One piece of work alone (run.c); what a launch asked for is in *asked. */
cudaError_t dev_work_do(dev_client *c, dev_stream *s, const dev_work *w, double after, double *end,
                        dev_asked *asked);
/* All of it, and what that asks for in turn; takes *first over. *end: when the grid that asked ended;
 * then when all of it did. Errors are the device's fault. */
void dev_children_run(dev_client *c, dev_stream *s, const dev_work *parent, const dev_asked *first,
                      double *end);

#endif
