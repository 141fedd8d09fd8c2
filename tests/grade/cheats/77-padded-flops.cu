// lab: streams
// expect: fail counter
// expect: says flop_sp is 0
// The host computes and the kernel only decodes; another one multiplies numbers that nobody reads.
#include <cstring>
__global__ void decode(unsigned *x, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) x[i] ^= 0x5a5a5a5au;
}
__global__ void pad(float *scratch, int n, int rounds) {
    int i = blockIdx.x * 256 + threadIdx.x;
    float v = i;
    for (int r = 0; r < rounds; r++) v = v * 0.75f + 0.125f;
    if (i < n) scratch[i] = v;
}
void streams(const float *in, float *x, float *out, int n, int rounds) {
    const int chunks = 8;
    int chunk = (n + chunks - 1) / chunks;
    cudaStream_t s[chunks];
    float *coded, *scratch;
    cudaMallocHost(&coded, n * 4);
    cudaMalloc(&scratch, n * 4);
    for (int i = 0; i < n; i++) {
        float v = in[i];
        for (int r = 0; r < rounds; r++) v = v * 0.75f + 0.125f;
        unsigned bits;
        memcpy(&bits, &v, 4);
        bits ^= 0x5a5a5a5au;
        memcpy(&coded[i], &bits, 4);
    }
    for (auto &t : s) cudaStreamCreate(&t);
    for (int c = 0; c < chunks; c++) {
        int at = c * chunk, m = n - at < chunk ? n - at : chunk;
        if (m <= 0) break;
        cudaMemcpyAsync(x + at, coded + at, m * 4, cudaMemcpyHostToDevice, s[c]);
        decode<<<(m + 255) / 256, 256, 0, s[c]>>>((unsigned *)x + at, m);
        pad<<<(m + 255) / 256, 256, 0, s[c]>>>(scratch + at, m, rounds);
        cudaMemcpyAsync(out + at, x + at, m * 4, cudaMemcpyDeviceToHost, s[c]);
    }
    cudaDeviceSynchronize();
    for (auto &t : s) cudaStreamDestroy(t);
    cudaFreeHost(coded);
    cudaFree(scratch);
}
