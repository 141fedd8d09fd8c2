// Streams without end: the runtime's own error at a limit of ours (an H200 gives 70,000 and more), room again behind those that are destroyed, and none of it
// takes time that grows with the square of their number.
// sim only
// fast
// expect: cudaErrorMemoryAllocation after more than 10000
// expect: as many again
#include "common.h"
#include <vector>
static cudaError_t all(std::vector<cudaStream_t> &v) {
    cudaStream_t s;
    cudaError_t e;
    while (v.size() < 100000 && !(e = cudaStreamCreate(&s))) v.push_back(s);
    return v.size() < 100000 ? e : cudaSuccess;
}
int main() {
    std::vector<cudaStream_t> v, w;
    cudaError_t e = all(v);
    printf("%s after %s than 10000\n", cudaGetErrorName(e), v.size() > 10000 ? "more" : "fewer");
    for (cudaStream_t s : v) CK(cudaStreamDestroy(s));
    cudaGetLastError();
    all(w);
    printf("%s\n", v.size() == w.size() ? "as many again" : "another number");
}
