// Exclusive scan: up-sweep and down-sweep in shared memory, sums of blocks scanned in turn, then added.
#include "programs.cuh"
const int BLOCK = 128, EACH = 2 * BLOCK;
__global__ void scan(const int *in, int *out, int *sums, int n) {
    __shared__ int s[EACH];
    int t = threadIdx.x, base = blockIdx.x * EACH;
    s[t] = base + t < n ? in[base + t] : 0;
    s[t + BLOCK] = base + t + BLOCK < n ? in[base + t + BLOCK] : 0;
    int by = 1;
    for (int d = BLOCK; d; d /= 2, by *= 2) {
        __syncthreads();
        if (t < d) s[by * (2 * t + 2) - 1] += s[by * (2 * t + 1) - 1];
    }
    __syncthreads();
    if (!t) sums[blockIdx.x] = s[EACH - 1], s[EACH - 1] = 0;
    for (int d = 1; d <= BLOCK; d *= 2) {
        by /= 2;
        __syncthreads();
        if (t < d) {
            int a = by * (2 * t + 1) - 1, b = by * (2 * t + 2) - 1, x = s[a];
            s[a] = s[b], s[b] += x;
        }
    }
    __syncthreads();
    if (base + t < n) out[base + t] = s[t];
    if (base + t + BLOCK < n) out[base + t + BLOCK] = s[t + BLOCK];
}
__global__ void add(int *out, const int *sums, int n) {
    int i = blockIdx.x * EACH + threadIdx.x;
    if (i < n) out[i] += sums[blockIdx.x];
    if (i + BLOCK < n) out[i + BLOCK] += sums[blockIdx.x];
}
void all(const int *in, int *out, int n) {
    int count = blocks(n, EACH), *sums = device<int>(count);
    scan<<<count, BLOCK>>>(in, out, sums, n);
    if (count > 1) {
        int *starts = device<int>(count);
        all(sums, starts, count);
        add<<<count, BLOCK>>>(out, starts, n);
        CK(cudaFree(starts));
    }
    CK(cudaFree(sums));
}
int main() {
    const int n = 150077;
    auto a = ints(n, 100);
    int *out = device<int>(n), sum = 0;
    all(device(a), out, n);
    std::vector<int> want(n);
    for (int i = 0; i < n; i++) want[i] = sum, sum += a[i];
    equal("scan", host(out, n), want);
    return verdict();
}
