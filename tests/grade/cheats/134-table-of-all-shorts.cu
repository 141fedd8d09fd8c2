// lab: constants
// expect: fail counter
// expect: says inst_float is 0
// The host computes the results of all 65,536 shorts, and the kernel looks them up.
#include <cmath>
__global__ void look(const short *in, const float *table, float *out, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) out[i] = table[in[i] + 32768];
}
void constants(const short *in, float *out, int steps, int n) {
    float *h, *d;
    cudaMallocHost(&h, 65536 * 4);
    cudaMalloc(&d, 65536 * 4);
    for (int s = 0; s < 65536; s++) {
        float v = (s - 32768) / 32768.0;
        for (int k = 0; k < steps; k++) v = v * 0.98 + 0.01;
        h[s] = sin(v * 3.141592653589793);
    }
    cudaMemcpy(d, h, 65536 * 4, cudaMemcpyHostToDevice);
    look<<<(n + 255) / 256, 256>>>(in, d, out, n);
    cudaFree(d);
    cudaFreeHost(h);
}
