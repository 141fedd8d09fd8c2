/* Graphs, their instances, and stream capture.
 *
 *   in    calls that build and launch graphs; work of capturing streams; stream/order.c: an
 *         instance whose turn has come
 *   out   the nodes' work, run in an order that respects the edges
 *
 *   node.h, graph.c   graphs and nodes
 *   calls/node.c      parameters in a message to work
 *   edge_calls.c      lists and edges
 *   calls/graph_calls.c    calls that build graphs
 *   exec.h, exec.c    instances, flattened
 *   exec_run.c        runs an instance
 *   update.c          cudaGraphExecUpdate
 *   calls/exec_calls.c     calls about instances
 *   conditional.c     bodies and loops
 *   condition_calls.c their handles (work/condition.c)
 *   capture.c         captures
 *   calls/capture_calls.c  calls about captures */
#ifndef WARPLAB_DEVICE_GRAPH_H
#define WARPLAB_DEVICE_GRAPH_H

#include "runner/device/server/core/stream.h"

/* ---- graphs (graph.c) */
void dev_graph_free(dev_client *c, dev_graph *g);
/* whether a node of another graph owns it, which frees it */
bool dev_graph_owned(const dev_graph *g);

/* ---- instances (exec.c, exec_run.c) */
void dev_exec_retain(dev_exec *e);
void dev_exec_release(dev_client *c, dev_exec *e);
/* Runs an instance's nodes from item->at on. *blocked: it waits for a service. */
cudaError_t dev_exec_run(dev_client *c, dev_stream *s, dev_item *item, double after, double *end,
                         bool *blocked);
/* The program has done what the node at i->at needed. */
void dev_exec_served(dev_client *c, dev_stream *s, dev_item *i, int what, const uint8_t *data,
                     size_t bytes);
/* Returns the bytes that the program must write into its memory. */
cudaError_t dev_exec_bytes(dev_client *c, dev_stream *s, void *to, size_t bytes);

/* ---- capture (capture.c, capture_work.c) */
struct dev_capture {
    dev_graph *graph;
    bool own; /* the graph was made for this capture */
    bool spoilt;
    int mode;
    unsigned thread;
    uint64_t id;
    dev_stream *origin;
};
/* Captures forbid calls that wait or allocate: returns an error, and the capture is invalid. NULL
 * stream: the whole device. */
cudaError_t dev_capture_forbids(dev_call *k, dev_stream *s, bool unsafe);
/* Invalidates captures of blocking streams, because the legacy stream is used. */
bool dev_capture_blocking(dev_client *c, unsigned device);
/* only asks, and invalidates nothing */
bool dev_capture_blocks(const dev_client *c, unsigned device);
cudaError_t dev_capture_work(dev_call *k, dev_stream *s, const dev_work *w);
cudaError_t dev_capture_event(dev_client *c, dev_stream *s, dev_mark *e);
cudaError_t dev_capture_wait(dev_client *c, dev_stream *s, dev_mark *e);
/* Returns whether the stream only took part in a capture and all that it captured has been joined
 * again, so that the capture does not need it any more. */
bool dev_capture_left(dev_client *c, const dev_stream *s);
void dev_capture_free(dev_client *c);

#endif
