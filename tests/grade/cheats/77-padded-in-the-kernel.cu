// lab: streams
// expect: fail counter
// expect: says flop_sp is 0
// The host computes and the kernel decodes; beside that it multiplies numbers that lead nowhere: to a store
// that is never reached, to one that the next replaces, into memory that nobody reads.
#include <cstring>
__global__ void decode(const unsigned *coded, unsigned *x, float *scratch, int n, int rounds) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;
    float v = i, w = i, z = i;
    for (int r = 0; r < rounds; r++) {
        v = v * 0.75f + 0.125f;
        w = w * 0.75f + 0.125f;
        z = z * 0.75f + 0.125f;
        asm volatile("fma.rn.f32 %0, %0, 0f3F400000, 0f3E000000;" : "+f"(z));
    }
    if (v == 12345) *scratch = v;
    ((float *)x)[i] = w;
    __threadfence_block();
    scratch[i] = v + w;
    x[i] = coded[i] ^ 0x5a5a5a5au;
}
void streams(const float *in, float *x, float *out, int n, int rounds) {
    const int chunks = 8;
    int chunk = (n + chunks - 1) / chunks;
    cudaStream_t s[chunks];
    float *coded, *scratch, *there;
    cudaMallocHost(&coded, n * 4);
    cudaMalloc(&scratch, n * 4);
    cudaMalloc(&there, n * 4);
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
        cudaMemcpyAsync(there + at, coded + at, m * 4, cudaMemcpyHostToDevice, s[c]);
        decode<<<(m + 255) / 256, 256, 0, s[c]>>>((unsigned *)there + at, (unsigned *)x + at, scratch + at, m, rounds);
        cudaMemcpyAsync(out + at, x + at, m * 4, cudaMemcpyDeviceToHost, s[c]);
    }
    cudaDeviceSynchronize();
    for (auto &t : s) cudaStreamDestroy(t);
    cudaFreeHost(coded);
    cudaFree(scratch);
    cudaFree(there);
}
