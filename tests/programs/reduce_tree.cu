// Sum, least and largest by a tree in shared memory, last levels by shuffles, blocks by atomics.
// fast
#include "programs.cuh"
__global__ void reduce(const int *a, int n, unsigned long long *sum, int *low, int *high) {
    __shared__ long long s[256];
    __shared__ int l[256], h[256];
    int t = threadIdx.x;
    long long mine = 0;
    int lo = INT_MAX, hi = INT_MIN;
    for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256) mine += a[i], lo = min(lo, a[i]), hi = max(hi, a[i]);
    s[t] = mine, l[t] = lo, h[t] = hi;
    __syncthreads();
    for (int half = 128; half >= 32; half /= 2) {
        if (t < half) s[t] += s[t + half], l[t] = min(l[t], l[t + half]), h[t] = max(h[t], h[t + half]);
        __syncthreads();
    }
    if (t >= 32) return;
    mine = s[t], lo = l[t], hi = h[t];
    for (int by = 16; by; by /= 2) {
        mine += __shfl_down_sync(~0u, mine, by);
        lo = min(lo, __shfl_down_sync(~0u, lo, by));
        hi = max(hi, __shfl_xor_sync(~0u, hi, by));
    }
    if (!t) atomicAdd(sum, (unsigned long long)mine), atomicMin(low, lo), atomicMax(high, hi);
}
int main() {
    const int n = 200001;
    auto a = ints(n, 1u << 30);
    for (int i = 0; i < n; i += 3) a[i] = -a[i];
    auto *sum = zeros<unsigned long long>(1);
    int *low = zeros<int>(1), *high = zeros<int>(1);
    reduce<<<40, 256>>>(device(a), n, sum, low, high);
    long long want = 0;
    for (int x : a) want += x;
    is("sum", (double)(long long)host(sum, 1)[0] - (double)want, 0);
    is("least", host(low, 1)[0], *std::min_element(a.begin(), a.end()));
    is("largest", host(high, 1)[0], *std::max_element(a.begin(), a.end()));
    return verdict();
}
