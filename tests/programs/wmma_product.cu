// Products of half matrices by tensor cores, a warp a tile of 16 x 16; inputs are small integers, so the sums are exact.
#include "programs.cuh"
#include <mma.h>
using namespace nvcuda;
const int M = 64, N = 48, K = 80;
__global__ void product(const half *a, const half *b, float *c) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    int row = blockIdx.y * 16, col = (blockIdx.x * blockDim.y + threadIdx.y) * 16;
    if (col >= N) return;
    wmma::fill_fragment(fc, 0.5f);
    for (int k = 0; k < K; k += 16) {
        wmma::load_matrix_sync(fa, a + row * K + k, K);
        wmma::load_matrix_sync(fb, b + col * K + k, K);
        wmma::mma_sync(fc, fa, fb, fc);
    }
    for (int i = 0; i < fc.num_elements; i++) fc.x[i] = 2 * fc.x[i];
    wmma::store_matrix_sync(c + row * N + col, fc, N, wmma::mem_row_major);
}
int main() {
    auto a = ints(M * K, 33), b = ints(N * K, 33);
    std::vector<half> ha, hb;
    for (int x : a) ha.push_back(__float2half((float)(x - 16)));
    for (int x : b) hb.push_back(__float2half((float)(x - 16)));
    float *c = device<float>(M * N);
    product<<<dim3(2, M / 16), dim3(32, 2)>>>(device(ha), device(hb), c);
    std::vector<float> want(M * N);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            int sum = 0;
            for (int k = 0; k < K; k++) sum += (a[i * K + k] - 16) * (b[j * K + k] - 16);
            want[i * N + j] = 2 * (sum + 0.5f);
        }
    equal("C", host(c, M * N), want);
    return verdict();
}
