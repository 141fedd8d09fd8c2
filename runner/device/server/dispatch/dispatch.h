/* The table of calls (dispatch.c). */
#ifndef WARPLAB_DEVICE_DISPATCH_H
#define WARPLAB_DEVICE_DISPATCH_H

#include "runner/device/server/core/server.h"

cudaError_t dev_dispatch(dev_call *k, const uint64_t *in, unsigned scalars, uint64_t *out,
                         unsigned *outs);
const char *dev_call_name(wire_op op);
/* False, and a message, when scalars and spans are not what the row says. */
bool dev_call_check(wire_op op, unsigned scalars, unsigned spans, lib_message *msg);
bool dev_call_posted(wire_op op);
/* Answers even when the device's context is broken. */
bool dev_call_despite_fault(wire_op op);

#endif
