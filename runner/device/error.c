/* What the program hears when the device reports something: one table. */
#include "runner/device/server.h"

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
        [SIM_ASSERT] = cudaErrorAssert,
        [SIM_STACK_OVERFLOW] = cudaErrorHardwareStackError,
        [SIM_DEADLOCK] =
            cudaErrorLaunchTimeout, /* a GPU would hang until something ends the kernel */
        [SIM_BUDGET] = cudaErrorLaunchTimeout,
        [SIM_CANCELLED] = cudaErrorLaunchTimeout,
        [SIM_UNSUPPORTED] = cudaErrorNotSupported,
    };
    return (unsigned)s < SIM_STATUS_COUNT ? map[s] : cudaErrorUnknown;
}
