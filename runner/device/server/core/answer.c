/* The reply of a call: spans, lines, an error's number. */
#include "runner/device/server/core/client.h"
#include "runner/device/server/core/answer.h"
#include "runner/device/server/core/object.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

cudaError_t dev_answer(dev_call *k, const void *data, size_t bytes) {
    if (k->outs >= WIRE_MAX_SPANS || bytes > WIRE_MAX_BYTES / 2) return cudaErrorUnknown;
    void *copy = malloc(bytes ? bytes : 1);
    if (!copy) return cudaErrorMemoryAllocation;
    if (bytes) memcpy(copy, data, bytes);
    k->out[k->outs].data = copy;
    k->out[k->outs++].bytes = (uint32_t)bytes;
    return cudaSuccess;
}

void dev_answer_free(dev_call *k) {
    for (unsigned i = 0; i < k->outs; i++) free(k->out[i].data);
    k->outs = 0;
    if (k->fd >= 0) close(k->fd);
    k->fd = -1;
}

/* ---- lines */

void dev_unsupported(dev_client *c, lib_words words) {
    lib_message m;
    lib_message_set(&m, words);
    for (size_t i = 0; i < c->log.unsupported_count; i++) {
        const lib_message *x = c->log.unsupported[i];
        if (x->id == m.id && x->used == m.used && !memcmp(x->args, m.args, m.used)) return;
    }
    lib_message *kept = c->log.unsupported_count < DEV_UNSUPPORTED ? malloc(sizeof m) : NULL;
    if (!kept) return;
    *kept = m;
    c->log.unsupported[c->log.unsupported_count++] = kept;
}

cudaError_t dev_refuse(dev_call *k, lib_words why) {
    lib_message_set(&k->note, why);
    return cudaErrorNotSupported;
}

/* ---- errors: the program's error for a status of the device */

cudaError_t dev_error(sim_status s) {
    static const cudaError_t map[SIM_STATUS_COUNT] = {
        [SIM_OK] = cudaSuccess,
        [SIM_NOMEM] = cudaErrorMemoryAllocation,
        [SIM_BAD_ADDRESS] = cudaErrorInvalidValue,
        [SIM_BAD_ARGUMENT] = cudaErrorInvalidValue,
        [SIM_BAD_PTX] = cudaErrorInvalidPtx,
        [SIM_NOT_FOUND] = cudaErrorSymbolNotFound,
        [SIM_BAD_LAUNCH] = cudaErrorInvalidConfiguration,
        [SIM_TOO_MANY_RESOURCES] = cudaErrorLaunchOutOfResources,
        [SIM_ILLEGAL_ADDRESS] = cudaErrorIllegalAddress,
        [SIM_MISALIGNED] = cudaErrorMisalignedAddress,
        [SIM_TRAP] = cudaErrorLaunchFailure,
        [SIM_ILLEGAL_INSTRUCTION] = cudaErrorIllegalInstruction,
        [SIM_ASSERT] = cudaErrorAssert,
        [SIM_STACK_OVERFLOW] = cudaErrorHardwareStackError,
        /* a GPU would hang until something ends the kernel */
        [SIM_DEADLOCK] = cudaErrorLaunchTimeout,
        [SIM_BUDGET] = cudaErrorLaunchTimeout,
        [SIM_CANCELLED] = cudaErrorLaunchTimeout,
        [SIM_UNSUPPORTED] = cudaErrorNotSupported,
        [SIM_BAD_CLUSTER] = cudaErrorInvalidClusterSize,
    };
    return (unsigned)s < SIM_STATUS_COUNT ? map[s] : cudaErrorUnknown;
}
