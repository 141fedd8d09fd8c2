/* Captures, inside the room. */
#ifndef WARPLAB_DEVICE_GRAPH_CAPTURE_H
#define WARPLAB_DEVICE_GRAPH_CAPTURE_H

#include "runner/device/server/graph/node.h"

/* What the next node of a stream depends on: these handles, or these too. False: no memory. */
bool dev_capture_set_tail(dev_client *c, dev_stream *s, const uint64_t *nodes, size_t n);
bool dev_capture_join(dev_client *c, dev_stream *s, const uint64_t *nodes, size_t n);
/* Whether all nodes that other streams (`only`: that one, unless it is NULL) captured last are among
 * those that the origin's last ones depend on. */
bool dev_capture_joined(dev_client *c, const dev_capture *cap, const dev_stream *only);
/* The capture is over for everybody that took part. */
void dev_capture_close(dev_client *c, dev_capture *cap);

#endif
