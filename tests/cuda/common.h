// Shared by the programs: CK stops at the first error, NAME prints what a call answers.
#pragma once
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#define CK(call) check_((call), #call, __LINE__)
inline void check_(cudaError_t e, const char *what, int line) {
    if (e == cudaSuccess) return;
    printf("%s:%d: %s\n", what, line, cudaGetErrorName(e));
    exit(1);
}
// A program that says "// twins: sm_75" is also compiled for that architecture and those between (tests/twins.py), without what they lack: HAS in a
// kernel, device_has on the host.
#ifdef __CUDA_ARCH__
#define HAS(sm) (__CUDA_ARCH__ >= 10 * (sm))
#else
#define HAS(sm) true
#endif
inline bool device_has(int sm) {
    int major, minor;
    CK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    CK(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0));
    return 10 * major + minor >= sm;
}
#define NAME(call) printf("%s\n", cudaGetErrorName(call))
