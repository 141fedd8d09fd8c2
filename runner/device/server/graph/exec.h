/* Instances, inside the room: a private copy, flattened to a list in an order that respects the
 * edges, children in place, which a launch goes through. Bodies of conditional nodes are lists of
 * their own, gone through as often as the condition says. */
#ifndef WARPLAB_DEVICE_GRAPH_EXEC_H
#define WARPLAB_DEVICE_GRAPH_EXEC_H

#include "runner/device/server/core/concurrent.h"
#include "runner/device/server/graph/node.h"

typedef struct dev_order dev_order;
typedef struct {
    dev_node *node; /* NULL: only joins its dependencies */
    size_t *deps, dep_count;
    dev_order *bodies; /* of a conditional node */
    uint32_t body_count;
} dev_flat;
struct dev_order {
    dev_flat *at;
    size_t count, room;
    dev_node_order
        order; /* made when the instance is launched. before NULL: not yet, or too many */
};

struct dev_exec {
    uint64_t handle, flags;
    uint64_t source; /* handle of the graph whose instance it counts as, or 0 */
    unsigned refs;
    dev_graph *graph;
    dev_order list;
    size_t total; /* of the list and the lists in it */
    bool stale;   /* the list must be made again */
};
/* The list, anew from the graph; false: a cycle, or too large, or the client's time is over. */
bool dev_exec_rebuild(dev_client *c, dev_exec *x);
/* Orders the nodes of the list and of the bodies in it. Where that cannot be (too many, no memory) the log
 * tells that something was done that nobody looked at. */
void dev_exec_order(dev_client *c, dev_exec *x);

#endif
