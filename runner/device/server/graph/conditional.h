/* Conditional nodes, for the files of this room. */
#ifndef WARPLAB_DEVICE_GRAPH_CONDITIONAL_H
#define WARPLAB_DEVICE_GRAPH_CONDITIONAL_H

#include "runner/device/server/graph/node.h"
#include "runner/device/server/work/condition.h"

/* ---- condition_calls.c */
void dev_conditions_free(dev_client *c, dev_graph *g); /* the graph is freed */

/* ---- conditional.c */
/* Returns whether a condition that was made for g or a graph in it has no node. */
bool dev_conditions_unused(const dev_graph *g);
/* Bodies of conditional nodes may not contain everything. As on a GPU, a graph may be built with
 * such a body, but not instantiated. Both functions tell the program why in a line. */
bool dev_bodies_fit(dev_call *k, const dev_graph *g);
/* Returns whether g, of an instance, may contain w. */
bool dev_instance_allows(dev_call *k, const dev_graph *g, const dev_work *w);
/* Makes a new node's work, with empty bodies. */
cudaError_t dev_conditional_parse(dev_call *k, const dev_graph *g, const wire_conditional *p,
                                  dev_work *w);
typedef struct {
    uint64_t before, rounds; /* work before the first round; number of rounds */
} dev_loop;
/* Returns whether a WHILE node may run another round. If not, adds a finding and sets the device's
 * fault. */
bool dev_loop_goes_on(dev_client *c, unsigned device, dev_loop *l);

#endif
