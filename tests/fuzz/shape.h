/* How many scalars and spans a message of each call has. */
#ifndef WARPLAB_FUZZ_SHAPE_H
#define WARPLAB_FUZZ_SHAPE_H

#include <stdint.h>
#include "runner/device/cudart/protocol.h"

static const struct {
    uint8_t scalars, spans;
} shape[WIRE_OP_COUNT] = {
#define CALL(name, mode, doc, ...)                                                                 \
    [WIRE_OP_##name] = {sizeof(struct wire_in_##name) / 8, WIRE_SPANS_OF_##name},
#define CALL_S CALL
#define MSG    CALL
#include "runner/device/cudart/calls.def"
#undef CALL
#undef CALL_S
#undef MSG
};

#endif
