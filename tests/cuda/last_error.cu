// A call's error is remembered for its thread until it is asked for.
// fast
// expect: cudaErrorInvalidDevice
// expect: cudaErrorInvalidDevice
// expect: cudaErrorInvalidDevice
// expect: cudaSuccess
// expect: cudaErrorInvalidValue
// expect: other thread: cudaSuccess
// expect: cudaErrorInvalidValue
// expect: cudaSuccess
#include "common.h"
#include <thread>
int main() {
    NAME(cudaSetDevice(99));
    NAME(cudaPeekAtLastError());
    NAME(cudaGetLastError());
    NAME(cudaGetLastError());
    NAME(cudaMemcpy(NULL, NULL, 4, cudaMemcpyHostToDevice));
    std::thread([] { printf("other thread: %s\n", cudaGetErrorName(cudaGetLastError())); }).join();
    CK(cudaDeviceSynchronize()); // success does not clear it
    NAME(cudaGetLastError());
    NAME(cudaGetLastError());
}
