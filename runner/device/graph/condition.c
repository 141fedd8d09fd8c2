/* What a cudaGraphConditionalHandle names: a value that kernels set and conditional nodes read.
 *
 *   cudaGraphConditionalHandleCreate --> dev_condition <--set-- kernels (cudaGraphSetConditional)
 *                                              |
 *   exec_run.c: run_conditional() <------------' dev_condition_read() */
#include "runner/device/graph/conditional.h"
#include "runner/device/answer.h"
#include "runner/device/object.h"

#include <stdio.h>
#include <stdlib.h>

cudaError_t
dev_on_cudaGraphConditionalHandleCreate(dev_call *k,
                                        const struct wire_in_cudaGraphConditionalHandleCreate *in,
                                        struct wire_out_cudaGraphConditionalHandleCreate *out) {
    dev_client *c = k->c;
    dev_graph *g = dev_object(c, in->graph, DEV_GRAPH);
    if (dev_hw(c, k->device)->backend != &dev_backend_sim) {
        static const char why[] = "cudaGraphConditionalHandleCreate: conditional nodes of graphs "
                                  "are not supported on a GPU";
        dev_unsupported(c, "%s", why);
        return dev_refuse(k, why);
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

void dev_condition_retain(dev_condition *x) {
    x->refs++;
}

void dev_condition_release(dev_client *c, dev_condition *x) {
    if (--x->refs) return;
    dev_object_drop(c, x->handle);
    free(x);
}

/* Instances of the graph may still use them. */
void dev_conditions_free(dev_client *c, dev_graph *g) {
    while (g->conditions) {
        dev_condition *x = g->conditions;
        g->conditions = x->next;
        x->graph = NULL;
        dev_condition_release(c, x);
    }
}

bool dev_condition_set(void *user, uint64_t handle, uint32_t value) {
    const dev_setter *at = user;
    dev_condition *x = dev_object(at->c, handle, DEV_CONDITION);
    if (!x || x->device != at->device) return false;
    __atomic_store_n(&x->value, value, __ATOMIC_RELAXED);
    __atomic_store_n(&x->set, true, __ATOMIC_RELAXED);
    return true;
}

/* "If this flag is not provided, the condition value is undefined at the start of each graph
 * execution": it is as the launch before left it, and reading it is a finding. */
void dev_condition_launch(dev_condition *x) {
    x->set = x->assign;
    if (x->assign) x->value = x->initial;
}

uint32_t dev_condition_read(dev_client *c, dev_condition *x) {
    if (!x->set && c->s->opt.sim.check_uninit) {
        sim_finding f = {.kind = SIM_FIND_UNINIT, .count = 1};
        snprintf(f.text, sizeof f.text,
                 "a conditional node of a graph reads a condition that nothing has set in this "
                 "launch of the "
                 "graph: it is undefined; create its handle with cudaGraphCondAssignDefault, or "
                 "let a kernel "
                 "before the node call cudaGraphSetConditional");
        dev_log_finding(c, &f);
        x->set = true; /* once a launch */
    }
    return x->value;
}
