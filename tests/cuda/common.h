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
#define NAME(call) printf("%s\n", cudaGetErrorName(call))
