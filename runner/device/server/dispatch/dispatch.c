/* Finds the handler of an operation code; made from calls.def. */
#include "runner/device/server/dispatch/dispatch.h"
#include "words/server.h"

#include <string.h>

/* Each handler takes the structs of its own row; these wrappers give them one type. */
#define CALL(name, mode, doc, ...)                                                                 \
    static cudaError_t run_##name(dev_call *k, const void *in, void *out) {                        \
        return dev_on_##name(k, in, out);                                                          \
    }
#define CALL_S CALL
#define MSG    CALL
#include "runner/device/cudart/calls.def"
#undef CALL
#undef CALL_S
#undef MSG

static const struct {
    const char *name;
    cudaError_t (*run)(dev_call *k, const void *in, void *out);
    uint8_t scalars, spans, outs, mode;
} table[WIRE_OP_COUNT] = {
#define CALL(name, mode, doc, ...)                                                                 \
    [WIRE_OP_##name] = {#name,                                                                     \
                        run_##name,                                                                \
                        sizeof(struct wire_in_##name) / 8,                                         \
                        WIRE_SPANS_OF_##name,                                                      \
                        sizeof(struct wire_out_##name) / 8,                                        \
                        WIRE_##mode},
#define CALL_S CALL
#define MSG    CALL
#include "runner/device/cudart/calls.def"
#undef CALL
#undef CALL_S
#undef MSG
};

const char *dev_call_name(wire_op op) {
    return (unsigned)op < WIRE_OP_COUNT && table[op].name ? table[op].name : "?";
}
bool dev_call_posted(wire_op op) {
    return table[op].mode == WIRE_POST;
}

bool dev_call_check(wire_op op, unsigned scalars, unsigned spans, lib_message *msg) {
    if ((unsigned)op >= WIRE_OP_COUNT || !table[op].run) {
        lib_message_set(msg, w_server_no_call((unsigned)op));
        return false;
    }
    if (scalars != table[op].scalars || spans != table[op].spans) {
        lib_message_set(msg, w_server_call_takes(table[op].name, table[op].scalars, table[op].spans,
                                                 scalars, spans));
        return false;
    }
    return true;
}

/* Calls that work in spite of a broken context: those of the connection itself, and queries about
 * the hardware. */
bool dev_call_despite_fault(wire_op op) {
    switch (op) {
    case WIRE_OP_Hello:
    case WIRE_OP_Window:
    case WIRE_OP_Thread:
    case WIRE_OP_Next:
    case WIRE_OP_NextBuffer:
    case WIRE_OP_Service:
    case WIRE_OP_Unsupported:
    case WIRE_OP_DeviceReset:
    case WIRE_OP_ModuleData:
    case WIRE_OP_HostReady:
    case WIRE_OP_cudaGetDeviceProperties:
    case WIRE_OP_cudaDeviceGetAttribute: return true;
    default: return false;
    }
}

cudaError_t dev_dispatch(dev_call *k, const uint64_t *in, unsigned scalars, uint64_t *out,
                         unsigned *outs) {
    uint64_t args[WIRE_MAX_SCALARS] = {0};
    memcpy(args, in, scalars * sizeof *in);
    memset(out, 0, WIRE_MAX_SCALARS * sizeof *out);
    *outs = table[k->op].outs;
    return table[k->op].run(k, args, out);
}
