// Clocks of the first and last warp of each block that one multiprocessor holds, at the places of a product by tiles: whose accesses to shared memory go first.
//
//   nvcc -O3 -std=c++17 -arch=sm_90 tests/truth/phases.cu -o phases && ./phases        h200.phases.txt is what one H200 printed of a multiprocessor
//
//   block: | start of a tile + until its words are in shared memory + the barrier + the product ... and when the last product ends
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>
#include <algorithm>
typedef long long ll;
// stamps per block: [tile][4] for warp 0 and last warp
template <int T> __global__ void __launch_bounds__(T*T) mm(const float *A, const float *B, float *C, int W, ll *rec, unsigned *sm, int on) {
    __shared__ float a[T][T], b[T][T];
    int tx = threadIdx.x, ty = threadIdx.y, r = blockIdx.y * T + ty, c = blockIdx.x * T + tx;
    int warp = (ty * T + tx) / 32, last = T * T / 32 - 1, bl = blockIdx.y * gridDim.x + blockIdx.x;
    bool me = on && (ty * T + tx) % 32 == 0 && (warp == 0 || warp == last);
    ll *q = rec + (bl * 2ll + (warp == last)) * 256;
    if (warp == 0 && (ty * T + tx) == 0) { unsigned s; asm volatile("mov.u32 %0,%%smid;" : "=r"(s)); sm[bl] = s; }
    float p = 0;
    for (int h = 0; h < W / T; h++) {
        if (me) q[h * 4] = clock64();
        a[ty][tx] = A[r * W + h * T + tx];
        b[ty][tx] = B[(h * T + ty) * W + c];
        if (me) q[h * 4 + 1] = clock64();
        __syncthreads();
        if (me) q[h * 4 + 2] = clock64();
#pragma unroll
        for (int k = 0; k < T; k++) p += a[ty][k] * b[k][tx];
        if (me) q[h * 4 + 3] = clock64();
        __syncthreads();
    }
    C[r * W + c] = p;
}
template <int T> void go(float *A, float *B, float *C, ll *rec, unsigned *sm) {
    int W = 512, n = W / T * (W / T), tiles = W / T;
    cudaEvent_t e0, e1; cudaEventCreate(&e0), cudaEventCreate(&e1);
    for (int on = 0; on < 2; on++) for (int k = 0; k < 3; k++) {
        cudaEventRecord(e0); mm<T><<<dim3(W / T, W / T), dim3(T, T)>>>(A, B, C, W, rec, sm, on); cudaEventRecord(e1); cudaEventSynchronize(e1);
        float ms; cudaEventElapsedTime(&ms, e0, e1); printf("tile%d stamps %d: %.2f us\n", T, on, ms * 1e3);
    }
    std::vector<ll> h(n * 512ll); std::vector<unsigned> s(n);
    cudaMemcpy(h.data(), rec, n * 512ll * 8, cudaMemcpyDeviceToHost), cudaMemcpy(s.data(), sm, n * 4, cudaMemcpyDeviceToHost);
    for (unsigned which : {0u, 50u}) {
        ll t0 = 1ll << 62;
        for (int b = 0; b < n; b++) if (s[b] == which) t0 = std::min(t0, h[b * 512ll]);
        for (int b = 0; b < n; b++) if (s[b] == which) {
            for (int w = 0; w < 2; w++) {
                printf("tile%d sm %u block %d %s:", T, which, b, w ? "last" : "first");
                for (int k = 0; k < std::min(tiles, 8); k++) { ll *q = &h[b * 512ll + w * 256 + k * 4]; printf(" | %lld +%lld +%lld +%lld", q[0] - t0, q[1] - q[0], q[2] - q[1], q[3] - q[2]); }
                ll *q = &h[b * 512ll + w * 256 + tiles * 4 - 4]; printf(" .. %lld\n", q[3] - t0);
            }
        }
    }
}
int main() {
    float *A, *B, *C; ll *rec; unsigned *sm;
    cudaMalloc(&A, 1 << 20), cudaMalloc(&B, 1 << 20), cudaMalloc(&C, 1 << 20), cudaMalloc(&rec, 1024 * 512 * 8), cudaMalloc(&sm, 4096);
    cudaMemset(A, 0, 1 << 20), cudaMemset(B, 0, 1 << 20);
    go<32>(A, B, C, rec, sm); go<16>(A, B, C, rec, sm);
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
