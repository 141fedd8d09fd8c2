// Transposition of a ragged matrix in tiles of 32 x 32, eight rows of threads, a padding column.
#include "programs.cuh"
__global__ void transpose(const float *in, float *out, int w, int h) {
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32;
    for (int j = threadIdx.y; j < 32; j += 8)
        if (x < w && y + j < h) tile[j][threadIdx.x] = in[(y + j) * w + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32;
    for (int j = threadIdx.y; j < 32; j += 8)
        if (x < h && y + j < w) out[(y + j) * h + x] = tile[threadIdx.x][j];
}
int main() {
    const int w = 301, h = 222;
    auto a = floats(w * h);
    float *out = device<float>(w * h);
    transpose<<<dim3(blocks(w, 32), blocks(h, 32)), dim3(32, 8)>>>(device(a), out, w, h);
    std::vector<float> want(w * h);
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) want[x * h + y] = a[y * w + x];
    equal("transposed", host(out, w * h), want);
    return verdict();
}
