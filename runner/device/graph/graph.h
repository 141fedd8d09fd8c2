/* Graphs, shared by graph.c (building), graph_exec.c (instances), conditional.c and capture.c. */
#ifndef WARPLAB_DEVICE_GRAPH_H
#define WARPLAB_DEVICE_GRAPH_H

#include "runner/device/server.h"

enum {
    DEV_GRAPH_DEPTH = 16, /* of graphs in graphs */
    DEV_BODIES = 4096     /* of a conditional node */
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

/* What a cudaGraphConditionalHandle names. The graph holds it, and so do the nodes that read it:
 * those of an instance may outlive the graph. */
struct dev_condition {
    uint64_t handle;
    dev_graph *graph; /* NULL: it is gone */
    unsigned device, refs;
    bool used;   /* by its one node */
    bool assign; /* `initial` at each launch */
    bool set;    /* in this launch */
    uint32_t initial, value;
    dev_condition *next; /* of the graph */
};

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

/* g's copy of the node with that handle, also in the graphs below; NULL: it has none. */
dev_node *dev_graph_copy_of(const dev_graph *g, uint64_t origin);
/* The node's work is now w, which it takes over. */
void dev_node_replace(dev_client *c, dev_node *n, dev_work *w);
/* What CUDA itself does not do, in a line. */
cudaError_t dev_graph_refuse(dev_call *k, const char *why);

/* ---- graph_exec.c */
const dev_graph *dev_exec_graph(const dev_exec *e);
void dev_exec_changed(dev_exec *e); /* its list is made again before it runs */

/* ---- conditional.c */
void dev_conditions_free(dev_client *c, dev_graph *g);
bool dev_conditions_unused(
    const dev_graph *g); /* one that was made for g or a graph in it has no node */
void dev_condition_launch(dev_condition *x); /* the graph is launched */
uint32_t dev_condition_read(dev_client *c, dev_condition *x);
unsigned dev_graph_depth(const dev_graph *g);
bool dev_graph_conditional(const dev_graph *g); /* it has conditional nodes, maybe in a child */
/* Bodies of conditional nodes may not hold everything. As on a GPU, a graph that is built may, and
 * cannot be instantiated then. Both say why in a line for the program. */
bool dev_bodies_fit(dev_call *k, const dev_graph *g);
bool dev_instance_allows(dev_call *k, const dev_graph *g,
                         const dev_work *w); /* g, of an instance, may hold w */
/* A new node's work, with empty bodies. */
cudaError_t dev_conditional_parse(dev_call *k, const dev_graph *g, const wire_conditional *p,
                                  dev_work *w);
typedef struct {
    uint64_t before, rounds; /* work before the first; and how many */
} dev_loop;
/* Whether a WHILE node may run another round; else a finding, and the device's fault. */
bool dev_loop_goes_on(dev_client *c, unsigned device, dev_loop *l);

#endif
