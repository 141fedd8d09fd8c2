// 256 bins: a histogram for each warp in shared memory, merged by atomics in global memory.
// fast
#include "programs.cuh"
__global__ void histogram(const unsigned char *a, int n, unsigned *bins) {
    __shared__ unsigned s[4][256];
    for (int i = threadIdx.x; i < 4 * 256; i += blockDim.x) s[0][i] = 0;
    __syncthreads();
    const uchar4 *four = (const uchar4 *)a;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += gridDim.x * blockDim.x) {
        uchar4 v = four[i];
        unsigned *mine = s[threadIdx.x / 32];
        atomicAdd(&mine[v.x], 1), atomicAdd(&mine[v.y], 1), atomicAdd(&mine[v.z], 1), atomicAdd(&mine[v.w], 1);
    }
    if (!blockIdx.x && threadIdx.x < n % 4) atomicAdd(&s[0][a[n - 1 - threadIdx.x]], 1);
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x) atomicAdd(&bins[b], s[0][b] + s[1][b] + s[2][b] + s[3][b]);
}
int main() {
    const int n = 300003;
    std::vector<unsigned char> a(n);
    for (auto &x : a) x = (unsigned char)((rnd() & 255) * (rnd() & 255) / 255);
    unsigned *bins = zeros<unsigned>(256);
    histogram<<<24, 128>>>(device(a), n, bins);
    std::vector<unsigned> want(256);
    for (auto x : a) want[x]++;
    equal("bins", host(bins, 256), want);
    return verdict();
}
