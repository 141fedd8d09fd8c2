/* The table of calls (dispatch.c). */
#ifndef WARPLAB_DEVICE_DISPATCH_H
#define WARPLAB_DEVICE_DISPATCH_H

#include "runner/device/server/core/server.h"

cudaError_t dev_dispatch(dev_call *k, const uint64_t *in, unsigned scalars, uint64_t *out,
                         unsigned *outs);
const char *dev_call_name(wire_op op);
/* Returns false and sets the message if scalars and spans are not as in the row. */
bool dev_call_check(wire_op op, unsigned scalars, unsigned spans, lib_message *msg);
bool dev_call_posted(wire_op op);
/* Returns whether it works although the device's context is broken. */
bool dev_call_despite_fault(wire_op op);

#endif
