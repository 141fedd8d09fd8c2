/* Captures, for the files of this room. */
#ifndef WARPLAB_DEVICE_GRAPH_CAPTURE_H
#define WARPLAB_DEVICE_GRAPH_CAPTURE_H

#include "runner/device/server/graph/node.h"

/* Sets on what the next node of a stream depends: these handles, or also these. Returns false if
 * memory is out. */
bool dev_capture_set_tail(dev_client *c, dev_stream *s, const uint64_t *nodes, size_t n);
bool dev_capture_join(dev_client *c, dev_stream *s, const uint64_t *nodes, size_t n);
/* Returns whether the origin's last nodes depend on all nodes that other streams (`only`: that one,
 * unless it is NULL) captured last. */
bool dev_capture_joined(dev_client *c, const dev_capture *cap, const dev_stream *only);
/* The capture is over for all streams that took part. */
void dev_capture_close(dev_client *c, dev_capture *cap);

#endif
