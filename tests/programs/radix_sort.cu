// Least significant digit first, four bits a pass: counts of blocks, their scan, a stable scatter. Keys with values.
#include "programs.cuh"
const int B = 128;
__global__ void count(const unsigned *key, int n, int shift, int *counts) {
    __shared__ int bin[16];
    if (threadIdx.x < 16) bin[threadIdx.x] = 0;
    __syncthreads();
    int i = blockIdx.x * B + threadIdx.x;
    if (i < n) atomicAdd(&bin[key[i] >> shift & 15], 1);
    __syncthreads();
    if (threadIdx.x < 16) counts[threadIdx.x * gridDim.x + blockIdx.x] = bin[threadIdx.x];
}
__global__ void scan(int *a, int n) { // one block
    __shared__ int s[1024];
    int base = 0;
    for (int from = 0; from < n; from += 1024) {
        int i = from + threadIdx.x, v = i < n ? a[i] : 0;
        s[threadIdx.x] = v;
        for (int by = 1; by < 1024; by *= 2) {
            __syncthreads();
            int x = threadIdx.x >= by ? s[threadIdx.x - by] : 0;
            __syncthreads();
            s[threadIdx.x] += x;
        }
        __syncthreads();
        if (i < n) a[i] = base + s[threadIdx.x] - v;
        base += s[1023];
        __syncthreads();
    }
}
__global__ void scatter(const unsigned *key, const int *value, unsigned *key_out, int *value_out, int n, int shift, const int *starts) {
    __shared__ unsigned char digit[B];
    int i = blockIdx.x * B + threadIdx.x, mine = i < n ? key[i] >> shift & 15 : 16, before = 0;
    digit[threadIdx.x] = (unsigned char)mine;
    __syncthreads();
    if (i >= n) return;
    for (int t = 0; t < threadIdx.x; t++) before += digit[t] == mine;
    int to = starts[mine * gridDim.x + blockIdx.x] + before;
    key_out[to] = key[i], value_out[to] = value[i];
}
int main() {
    const int n = 10007;
    std::vector<unsigned> key(n);
    std::vector<int> value(n), order(n);
    for (int i = 0; i < n; i++) key[i] = rnd() & 0xffff, value[i] = order[i] = i;
    unsigned *k = device(key), *k2 = device<unsigned>(n), g = blocks(n, B);
    int *v = device(value), *v2 = device<int>(n), *counts = device<int>(16 * g);
    for (int shift = 0; shift < 16; shift += 4) {
        count<<<g, B>>>(k, n, shift, counts);
        scan<<<1, 1024>>>(counts, 16 * g);
        scatter<<<g, B>>>(k, v, k2, v2, n, shift, counts);
        std::swap(k, k2), std::swap(v, v2);
    }
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return key[a] < key[b]; });
    equal("values", host(v, n), order);
    return verdict();
}
