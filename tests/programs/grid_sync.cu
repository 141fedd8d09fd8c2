// std: c++17
// A cooperative launch: many rounds of a stencil in one kernel, with barriers of the whole grid.
#include "programs.cuh"
#include <cooperative_groups.h>
const int N = 4096, ROUNDS = 25;
__global__ void rounds(int *a, int *b) {
    auto grid = cooperative_groups::this_grid();
    for (int r = 0; r < ROUNDS; r++) {
        for (int i = (int)grid.thread_rank(); i < N; i += (int)grid.size()) b[i] = (a[(i + 1) % N] + 3 * a[i] + a[(i + N - 1) % N]) % 1009;
        grid.sync();
        int *t = a;
        a = b, b = t;
    }
}
int main() {
    auto a = ints(N, 1009), b = a;
    int *da = device(a), *db = device<int>(N), fit = 0, sms;
    CK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    CK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, rounds, 128, 0));
    void *args[] = {&da, &db};
    CK(cudaLaunchCooperativeKernel((void *)rounds, dim3(std::min(16, fit * sms)), dim3(128), args, 0, nullptr));
    for (int r = 0; r < ROUNDS; r++) {
        for (int i = 0; i < N; i++) b[i] = (a[(i + 1) % N] + 3 * a[i] + a[(i + N - 1) % N]) % 1009;
        a.swap(b);
    }
    equal("ring", host(ROUNDS % 2 ? db : da, N), a);
    return verdict();
}
