/* The object of a cudaGraphConditionalHandle: a value that kernels set and conditional nodes read.
 *
 *   cudaGraphConditionalHandleCreate --> dev_condition <--set-- kernels (cudaGraphSetConditional)
 *                                              |
 *   exec_run.c: run_conditional() <------------' dev_condition_read() */
#include "runner/device/server/core/client.h"
#include "runner/device/server/work/condition.h"
#include "runner/device/server/core/answer.h"
#include "runner/device/server/core/object.h"
#include "words/server.h"

#include <stdio.h>
#include <stdlib.h>

void dev_condition_retain(dev_condition *x) {
    x->refs++;
}

void dev_condition_release(dev_client *c, dev_condition *x) {
    if (--x->refs) return;
    dev_object_drop(c, x->handle);
    free(x);
}

/* Instances of the graph may still use them. */
bool dev_condition_set(void *user, uint64_t handle, uint32_t value) {
    dev_setter *at = user;
    dev_condition *x = dev_object(at->c, handle, DEV_CONDITION);
    if (!x || x->device != at->device) return false;
    if (at->c->log.replaying) return true; /* graphs do not take part in a replay */
    at->set = true;
    __atomic_store_n(&x->value, value, __ATOMIC_RELAXED);
    __atomic_store_n(&x->set, true, __ATOMIC_RELAXED);
    return true;
}

/* "If this flag is not provided, the condition value is undefined at the start of each graph
 * execution": it keeps the value of the last launch, and reading it is a finding. */
void dev_condition_launch(dev_condition *x) {
    x->set = x->assign;
    if (x->assign) x->value = x->initial;
}

uint32_t dev_condition_read(dev_client *c, dev_condition *x) {
    if (!x->set && c->s->opt.sim.check_uninit) {
        sim_finding f = {.kind = SIM_FIND_UNINIT, .count = 1};
        dev_log_said(c, &f, w_server_condition_unset());
        x->set = true; /* once a launch */
    }
    return x->value;
}
