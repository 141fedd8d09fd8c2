/* Handles of conditions, made for a graph and freed with it; work/condition.c has their values. */
#include <stdlib.h>
#include "runner/device/server/core/client.h"
#include "runner/device/server/core/answer.h"
#include "runner/device/server/core/object.h"
#include "runner/device/server/graph/conditional.h"
#include "words/server.h"

cudaError_t
dev_on_cudaGraphConditionalHandleCreate(dev_call *k,
                                        const struct wire_in_cudaGraphConditionalHandleCreate *in,
                                        struct wire_out_cudaGraphConditionalHandleCreate *out) {
    dev_client *c = k->c;
    dev_graph *g = dev_object(c, in->graph, DEV_GRAPH);
    if (dev_hw(c, k->device)->backend != &dev_backend_sim) {
        dev_unsupported(c, w_server_gpu_no_conditions());
        return dev_refuse(k, w_server_gpu_no_conditions());
    }
    if (!g || in->flags > cudaGraphCondAssignDefault) return cudaErrorInvalidValue;
    dev_condition *x = calloc(1, sizeof *x);
    if (!x || !(x->handle = dev_object_new(c, DEV_CONDITION, x))) {
        free(x);
        return cudaErrorMemoryAllocation;
    }
    x->graph = g, x->device = k->device, x->refs = 1;
    x->assign = in->flags & cudaGraphCondAssignDefault;
    x->value = x->initial = (uint32_t)in->defaultLaunchValue;
    x->next = g->conditions;
    g->conditions = x;
    out->pHandle_out = x->handle;
    return cudaSuccess;
}

void dev_conditions_free(dev_client *c, dev_graph *g) {
    while (g->conditions) {
        dev_condition *x = g->conditions;
        g->conditions = x->next;
        x->graph = NULL;
        dev_condition_release(c, x);
    }
}
