// Names and texts of errors.
// fast
// expect: cudaSuccess: no error
// expect: cudaErrorInvalidValue: invalid argument
// expect: cudaErrorMemoryAllocation: out of memory
// expect: cudaErrorInvalidConfiguration: invalid configuration argument
// expect: cudaErrorIllegalAddress: an illegal memory access was encountered
// expect: cudaErrorLaunchFailure: unspecified launch failure
// expect: cudaErrorNotSupported: operation not supported
// expect: unrecognized error code: unrecognized error code
#include "common.h"
int main() {
    for (int e : {0, 1, 2, 9, 700, 719, 801, 12345})
        printf("%s: %s\n", cudaGetErrorName((cudaError_t)e), cudaGetErrorString((cudaError_t)e));
}
