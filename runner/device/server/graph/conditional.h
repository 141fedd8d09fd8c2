/* Conditional nodes, inside the room. */
#ifndef WARPLAB_DEVICE_GRAPH_CONDITIONAL_H
#define WARPLAB_DEVICE_GRAPH_CONDITIONAL_H

#include "runner/device/server/graph/node.h"
#include "runner/device/server/work/condition.h"

/* ---- condition_calls.c */
void dev_conditions_free(dev_client *c, dev_graph *g); /* the graph goes */

/* ---- conditional.c */
/* One that was made for g or a graph in it has no node. */
bool dev_conditions_unused(const dev_graph *g);
/* Bodies of conditional nodes may not hold everything. As on a GPU, a graph that is built may, and
 * cannot be instantiated then. Both say why in a line for the program. */
bool dev_bodies_fit(dev_call *k, const dev_graph *g);
/* g, of an instance, may hold w. */
bool dev_instance_allows(dev_call *k, const dev_graph *g, const dev_work *w);
/* A new node's work, with empty bodies. */
cudaError_t dev_conditional_parse(dev_call *k, const dev_graph *g, const wire_conditional *p,
                                  dev_work *w);
typedef struct {
    uint64_t before, rounds; /* work before the first; and how many */
} dev_loop;
/* Whether a WHILE node may run another round; else a finding, and the device's fault. */
bool dev_loop_goes_on(dev_client *c, unsigned device, dev_loop *l);

#endif
