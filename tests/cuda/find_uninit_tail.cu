// Shared memory that nothing has written: where the value is used it is told, at the line that reads it; where
// it is thrown away, as of a tile's unfilled tail, it is no fault.
// sim only
// expect: done
// finding: uninit
// stderr: find_uninit_tail.cu:22: thread 20 of block 0 of stored reads memory that nothing has written: byte 80 of shared memory (3600)
// stderr: find_uninit_tail.cu:28: thread 0 of block 0 of summed reads memory that nothing has written: byte 80 of shared memory
// stderr: find_uninit_tail.cu:34: thread 20 of block 0 of address reads memory that nothing has written: byte 80 of shared memory
// stderr: find_uninit_tail.cu:40: thread 20 of block 0 of branch reads memory that nothing has written: byte 80 of shared memory (12)
// stderr: find_uninit_tail.cu:47: thread 20 of block 0 of turn reads memory that nothing has written: byte 80 of shared memory
// stderr: find_uninit_tail.cu:57: thread 0 of block 0 of counted reads memory that nothing has written
// stderr: find_uninit_tail.cu:64: thread 20 of block 0 of handed reads memory that nothing has written: byte 80 of shared memory
// stderr: find_uninit_tail.cu:70: thread 20 of block 0 of shuffled reads memory that nothing has written: byte 80 of shared memory
// stderr: find_uninit_tail.cu:76: thread 20 of block 0 of voted reads memory that nothing has written: byte 80 of shared memory
#include "common.h"
enum { N = 20 };

__global__ void stored(int *o) {
    __shared__ int s[32];
    if (threadIdx.x < N) s[threadIdx.x] = 1;
    __syncthreads();
    int v = s[threadIdx.x];
    o[blockIdx.x * 32 + threadIdx.x] = 3 * v + 1;
}
__global__ void summed(int *o) {
    __shared__ int s[32]; int sum = 0;
    if (threadIdx.x < N) s[threadIdx.x] = 1;
    __syncthreads(); for (int k = 0; k < 21; k++) sum += s[k];
    if (threadIdx.x == 0) o[0] = sum;
}
__global__ void address(int *o) {
    __shared__ int s[32];
    if (threadIdx.x < N) s[threadIdx.x] = 1;
    __syncthreads(); int v = s[threadIdx.x] & 31;
    o[v] = 0;
}
__global__ void branch(int *o) {
    __shared__ int s[32];
    if (threadIdx.x < N) s[threadIdx.x] = 1;
    __syncthreads(); int v = s[threadIdx.x];
    if (v == 0) o[threadIdx.x] = 5;
}
// What the branch chose between is stored behind it.
__global__ void turn(int *o, int n) {
    __shared__ int s[32]; int x = 0;
    if (threadIdx.x < N) s[threadIdx.x] = 1;
    __syncthreads(); int v = s[threadIdx.x];
    if (v == 0) for (int k = 0; k < n; k++) x = x * 3 + o[k];
    o[threadIdx.x] = x;
}
// A histogram of each thread's own that is not cleared.
__global__ void counted(const int *in, int *o) {
    __shared__ int own[4][32];
    int *mine = &own[0][threadIdx.x];
    for (int k = 0; k < 8; k++)

        mine[32 * (in[k] & 3)]++;
    o[threadIdx.x] = mine[0];
}
__device__ __noinline__ int twice(int v) { return 2 * v; }
__global__ void handed(int *o) {
    __shared__ int s[32];
    if (threadIdx.x < N) s[threadIdx.x] = 1;
    __syncthreads(); int v = s[threadIdx.x];
    o[threadIdx.x] = twice(v);
}
__global__ void shuffled(int *o) {
    __shared__ int s[32];
    if (threadIdx.x < N) s[threadIdx.x] = 1;
    __syncthreads(); int v = s[threadIdx.x];
    o[threadIdx.x] = __shfl_xor_sync(~0u, v, 1);
}
__global__ void voted(unsigned *o) {
    __shared__ int s[32];
    if (threadIdx.x < N) s[threadIdx.x] = 1;
    __syncthreads(); int v = s[threadIdx.x];
    unsigned all = __ballot_sync(~0u, v);
    if (threadIdx.x == 0) *o = all;
}

// Nothing of this is a fault.
__global__ void product(const float *a, const float *b, float *c, int n) { // the last tile of a ragged matrix
    __shared__ float as[16][17], bs[16][17];
    int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    for (int k0 = 0; k0 < n; k0 += 16) {
        int most = n - k0 < 16 ? n - k0 : 16;
        if (row < n && threadIdx.x < most) as[threadIdx.y][threadIdx.x] = a[row * n + k0 + threadIdx.x];
        if (col < n && threadIdx.y < most) bs[threadIdx.y][threadIdx.x] = b[(k0 + threadIdx.y) * n + col];
        __syncthreads();
        for (int k = 0; k < most; k++) sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
        __syncthreads();
    }
    if (row < n && col < n) c[row * n + col] = sum;
}
__global__ void chosen(int *o, int n) {
    __shared__ int s[32];
    if (threadIdx.x < n) s[threadIdx.x] = 1;
    __syncthreads();
    int v = s[threadIdx.x], sum = threadIdx.x < n ? v : 0;
    for (int step = 16; step; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
    if (threadIdx.x == 0) o[0] = sum;
}
__global__ void largest(int *o, int n) { // lanes without a column look for the largest all the same
    __shared__ int s[8][32];
    int best = -1, at = 0;
    for (int k = 0; k < 8; k++)
        if (threadIdx.x < n) s[k][threadIdx.x] = k ^ 5;
    __syncthreads();
    for (int k = 0; k < 8; k++)
        if (s[k][threadIdx.x] > best) {
            best = s[k][threadIdx.x], at = k;
            while (at < best) at += 2;
        }
    if (threadIdx.x < n) o[threadIdx.x] = at;
    __syncthreads();
    if (threadIdx.x == 31) o[31] = 7; // it was led astray before, and has come back
}
__global__ void both(int *o, int n) {
    __shared__ int s[32];
    if (threadIdx.x < n) s[threadIdx.x] = 1;
    __syncthreads();
    bool in = threadIdx.x < n, set = s[threadIdx.x] > 0;
    if (in & set) atomicAdd(o, 1);
}
__global__ void many(float *o, int n) { // 64 sums, most of them of what is not there
    __shared__ float a[64], b[64];
    float sum[8][8] = {};
    for (int k = threadIdx.x; k < n; k += 32) a[k] = b[k] = k;
    __syncthreads();
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) sum[i][j] += a[threadIdx.x % 8 * 8 + i] * b[threadIdx.x / 8 * 8 + j];
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++)
            if (threadIdx.x % 8 * 8 + i < n && threadIdx.x / 8 * 8 + j < n)
                o[(threadIdx.x % 8 * 8 + i) * n + threadIdx.x / 8 * 8 + j] = sum[i][j];
}

int main() {
    int *o;
    float *a, *c;
    CK(cudaMalloc(&o, 65536)), CK(cudaMemset(o, 0, 65536));
    CK(cudaMalloc(&a, 137 * 137 * 4)), CK(cudaMemset(a, 0, 137 * 137 * 4)), CK(cudaMalloc(&c, 137 * 137 * 4));
    stored<<<300, 32>>>(o), summed<<<1, 32>>>(o), address<<<1, 32>>>(o), branch<<<1, 32>>>(o), turn<<<1, 32>>>(o, 2);
    counted<<<1, 32>>>(o, o + 32), handed<<<1, 32>>>(o), shuffled<<<1, 32>>>(o), voted<<<1, 32>>>((unsigned *)o);
    product<<<dim3(9, 9), dim3(16, 16)>>>(a, a, c, 137), chosen<<<1, 32>>>(o, N), largest<<<1, 32>>>(o, N);
    both<<<1, 32>>>(o, N), many<<<1, 32>>>((float *)o, 11);
    CK(cudaDeviceSynchronize());
    puts("done");
}
