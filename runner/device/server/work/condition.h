/* Conditional handles (condition.c): their graph and the nodes that read them hold references. */
#ifndef WARPLAB_DEVICE_CONDITION_H
#define WARPLAB_DEVICE_CONDITION_H

#include "runner/device/server/core/stream.h"

/* The object of a cudaGraphConditionalHandle. The graph holds a reference, and so do the nodes that
 * read it: those of an instance may outlive the graph. */
struct dev_condition {
    uint64_t handle;
    dev_graph *graph; /* NULL: it was freed */
    unsigned device, refs;
    bool used;   /* by its one node */
    bool assign; /* gets `initial` at each launch */
    bool set;    /* in this launch */
    uint32_t initial, value;
    dev_condition *next; /* of the graph */
};

void dev_condition_retain(dev_condition *x);
void dev_condition_release(dev_client *c, dev_condition *x);
/* sim_launch.condition; user: a dev_setter. */
typedef struct {
    dev_client *c;
    unsigned device;
    _Atomic bool set; /* it has set one */
} dev_setter;
bool dev_condition_set(void *user, uint64_t handle, uint32_t value);
void dev_condition_launch(dev_condition *x); /* the graph is launched */
uint32_t dev_condition_read(dev_client *c, dev_condition *x);

#endif
