/* Graphs and their nodes, for the files of this room. */
#ifndef WARPLAB_DEVICE_GRAPH_NODE_H
#define WARPLAB_DEVICE_GRAPH_NODE_H

#include "runner/device/server/graph/graph.h"

enum {
    DEV_GRAPH_NODES = 1 << 16, /* nodes of a graph, including those of children */
    DEV_GRAPH_DEPTH = 16,      /* depth of graphs in graphs */
    DEV_BODIES = 4096,         /* of a conditional node */
    DEV_EDGE_BYTES = 16        /* size of an edge, also in an instance's list */
};

typedef struct dev_node {
    uint64_t handle; /* 0 in an instance's private copy */
    uint64_t origin; /* handle of the node of which this is a copy */
    dev_graph *graph;
    dev_work *work;
    int type; /* cudaGraphNodeType */
    bool enabled;
    struct dev_node **deps; /* nodes of the same graph */
    size_t dep_count;
    size_t index; /* in the graph, in the order of adding */
} dev_node;

struct dev_graph {
    uint64_t handle;        /* 0: private */
    struct dev_node *owner; /* node whose child or body it is; NULL: none */
    dev_node **nodes;
    size_t count, room;
    dev_condition *conditions; /* conditions whose handles were made for it */
    unsigned instances;        /* number of live instances while it has conditional nodes */
};

/* ---- graph.c */
/* Returns NULL if memory is out or there are too many. Takes the work over, also if it fails. */
dev_node *dev_graph_add(dev_client *c, dev_graph *g, int type, dev_work *w, dev_node *const *deps,
                        size_t deps_count);
dev_graph *dev_graph_new(dev_client *c, bool named);
dev_graph *dev_graph_clone(dev_client *c, const dev_graph *g, bool named, unsigned depth);
/* Finds the nodes of g for the handles in a span. Returns false if some are not nodes of g. *out is
 * malloc'ed. */
bool dev_graph_nodes(dev_client *c, const dev_graph *g, const uint8_t *span, size_t bytes,
                     dev_node ***out, size_t *count);
/* Returns the graphs that a node's work owns: a child, or the bodies of a conditional node. */
dev_graph **dev_graph_below(dev_work *w, size_t *count);
/* frees work that belongs to no node, and what it owns */
void dev_graph_drop(dev_client *c, dev_work *w);
unsigned dev_graph_depth(const dev_graph *g);
/* returns whether it has conditional nodes, possibly in a child */
bool dev_graph_conditional(const dev_graph *g);
/* Returns g's copy of the node with that handle, also in the graphs below; NULL: none. */
dev_node *dev_graph_copy_of(const dev_graph *g, uint64_t origin);
/* Replaces the node's work by w, which it takes over. */
void dev_node_replace(dev_client *c, dev_node *n, dev_work *w);
void dev_node_free(dev_client *c, dev_node *n);
/* Returns whether node `to` depends on `from`. */
bool dev_node_follows(const dev_node *to, const dev_node *from);
/* returns false if there is none */
bool dev_node_drop_edge(dev_client *c, dev_node *to, const dev_node *from);

/* ---- calls/node.c: turns a span into work, for a node of g */
cudaError_t dev_node_parse(dev_call *k, const dev_graph *g, int type, const uint8_t *p, size_t n,
                           dev_work **out);

/* ---- capture.c: streams that capture to a graph stop capturing when the graph is freed */
void dev_capture_forget(dev_client *c, const dev_graph *g);

#endif
