// lab: vector-add
// expect: fail correct
// Hands the runtime a fat binary of nonsense, and launches what it should have held.
#include <cstdint>
#include <cstring>
#include <cuda_runtime.h>
extern "C" void **__cudaRegisterFatBinary(void *);
extern "C" void __cudaRegisterFatBinaryEnd(void **);
static uint64_t junk[4096];
struct {
    int magic, version;
    void *data, *unused;
} wrapper = {0x466243b1, 1, junk, nullptr};
void vector_add(const float *, const float *, float *, int) {
    memset(junk, 0xff, sizeof junk);
    uint32_t head[4] = {0xba55ed50, 0x00100001, 0xffffff00, 0x7fffffff}; // a header with a size beyond all
    memcpy(junk, head, sizeof head);
    void **module = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFatBinaryEnd(module);
    cudaLaunchKernel((const void *)junk, dim3(1), dim3(1), nullptr, 0, nullptr);
}
