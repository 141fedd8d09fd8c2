/* Instances, for the files of this room. An instance is a private copy of a graph, flattened to a
 * list that respects the edges, with children in place. A launch runs through the list. Bodies of
 * conditional nodes are separate lists, run as often as the condition says. */
#ifndef WARPLAB_DEVICE_GRAPH_EXEC_H
#define WARPLAB_DEVICE_GRAPH_EXEC_H

#include "runner/device/server/core/concurrent.h"
#include "runner/device/server/graph/node.h"

typedef struct dev_order dev_order;
typedef struct {
    dev_node *node; /* NULL: only joins its dependencies */
    size_t *deps, dep_count;
    dev_order *bodies; /* for a conditional node */
    uint32_t body_count;
} dev_flat;
struct dev_order {
    dev_flat *at;
    size_t count, room;
    /* made when the instance is launched. before NULL: not yet made, or too many */
    dev_node_order order;
};

struct dev_exec {
    uint64_t handle, flags;
    uint64_t source; /* handle of the graph whose instance it is, or 0 */
    unsigned refs;
    dev_graph *graph;
    dev_order list;
    size_t total; /* of the list and the lists in it */
    bool stale;   /* the list must be rebuilt */
};
/* Rebuilds the list from the graph. Returns false for a cycle, if it is too large, or if the
 * client's time is over. */
bool dev_exec_rebuild(dev_client *c, dev_exec *x);
/* Orders the nodes of the list and of its bodies. If that is impossible (too many, memory is out),
 * the log says that something was done without a check. */
void dev_exec_order(dev_client *c, dev_exec *x);

#endif
