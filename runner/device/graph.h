/* Graphs, shared by graph.c (building, instances) and capture.c. */
#ifndef WARPLAB_DEVICE_GRAPH_H
#define WARPLAB_DEVICE_GRAPH_H

#include "server.h"

typedef struct dev_node {
    uint64_t handle; /* 0 in an instance's private copy */
    uint64_t origin; /* handle of the node this is a copy of */
    dev_graph *graph;
    dev_work *work;
    int type; /* cudaGraphNodeType */
    bool enabled;
    struct dev_node **deps; /* nodes of the same graph */
    size_t dep_count;
    size_t index; /* in the graph, in the order they were added */
} dev_node;

struct dev_graph {
    uint64_t handle;        /* 0: private */
    struct dev_node *owner; /* whose child it is; NULL: nobody's */
    dev_node **nodes;
    size_t count, room;
};

/* NULL: out of memory or too many. Takes the work over, also when it fails. */
dev_node *dev_graph_add(dev_client *c, dev_graph *g, int type, dev_work *w, dev_node *const *deps,
                        size_t deps_count);
dev_graph *dev_graph_new(dev_client *c, bool named);
dev_graph *dev_graph_clone(dev_client *c, const dev_graph *g, bool named, unsigned depth);
const dev_graph *dev_exec_graph(const dev_exec *e);
/* Handles in a span to nodes of g; false: not all of them are. *out malloc'ed. */
bool dev_graph_nodes(dev_client *c, const dev_graph *g, const uint8_t *span, size_t bytes, dev_node ***out,
                     size_t *count);

#endif
