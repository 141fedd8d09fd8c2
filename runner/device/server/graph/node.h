/* Graphs and their nodes, inside the room. */
#ifndef WARPLAB_DEVICE_GRAPH_NODE_H
#define WARPLAB_DEVICE_GRAPH_NODE_H

#include "runner/device/server/graph/graph.h"

enum {
    DEV_GRAPH_NODES = 1 << 16, /* nodes of a graph, children's included */
    DEV_GRAPH_DEPTH = 16,      /* of graphs in graphs */
    DEV_BODIES = 4096,         /* of a conditional node */
    DEV_EDGE_BYTES = 16        /* what an edge takes, in an instance's list too */
};

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
    struct dev_node *owner; /* whose child or body it is; NULL: nobody's */
    dev_node **nodes;
    size_t count, room;
    dev_condition *conditions; /* whose handles were made for it */
    unsigned instances;        /* while it has conditional nodes: live ones */
};

/* ---- graph.c */
/* NULL: out of memory or too many. Takes the work over, also when it fails. */
dev_node *dev_graph_add(dev_client *c, dev_graph *g, int type, dev_work *w, dev_node *const *deps,
                        size_t deps_count);
dev_graph *dev_graph_new(dev_client *c, bool named);
dev_graph *dev_graph_clone(dev_client *c, const dev_graph *g, bool named, unsigned depth);
/* Handles in a span to nodes of g; false: not all of them are. *out malloc'ed. */
bool dev_graph_nodes(dev_client *c, const dev_graph *g, const uint8_t *span, size_t bytes,
                     dev_node ***out, size_t *count);
/* The graphs that a node's work owns: a child, or the bodies of a conditional node. */
dev_graph **dev_graph_below(dev_work *w, size_t *count);
void dev_graph_drop(dev_client *c, dev_work *w); /* frees work that no node has, and what it owns */
unsigned dev_graph_depth(const dev_graph *g);
bool dev_graph_conditional(const dev_graph *g); /* it has conditional nodes, maybe in a child */
/* g's copy of the node with that handle, also in the graphs below; NULL: it has none. */
dev_node *dev_graph_copy_of(const dev_graph *g, uint64_t origin);
/* The node's work is now w, which it takes over. */
void dev_node_replace(dev_client *c, dev_node *n, dev_work *w);
void dev_node_free(dev_client *c, dev_node *n);
/* Whether node `to` follows `from`. */
bool dev_node_follows(const dev_node *to, const dev_node *from);
bool dev_node_drop_edge(dev_client *c, dev_node *to, const dev_node *from); /* false: none */

/* ---- calls/node.c: a span to work, for a node of g */
cudaError_t dev_node_parse(dev_call *k, const dev_graph *g, int type, const uint8_t *p, size_t n,
                           dev_work **out);

/* ---- capture.c: streams that capture to a graph that is going do so no more */
void dev_capture_forget(dev_client *c, const dev_graph *g);

#endif
