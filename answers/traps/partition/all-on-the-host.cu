// kind: cheat
// expect: fail counter link_bytes
// Cheats: fetches the rows, smooths them on the host and sends them back; a kernel copies them for show.
#include <cstdlib>

__global__ void show(float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] += 0;
}

void partition(const float *gain, const float *in, float *weight, float *out, int rows, int len,
               int rounds) {
    size_t bytes = sizeof(float) * rows * len;
    float *a = (float *)malloc(bytes), *b = (float *)malloc(bytes), now = 0;
    float *w = (float *)malloc(rows * sizeof(float));
    cudaMemcpy(a, in, bytes, cudaMemcpyDeviceToHost);
    for (int k = 0; k < rounds; k++) {
        for (int i = 0; i < rows * len; i++) {
            int c = i % len;
            b[i] = 0.25f * a[c > 0 ? i - 1 : i] + 0.5f * a[i] + 0.25f * a[c < len - 1 ? i + 1 : i];
        }
        float *t = a;
        a = b, b = t;
    }
    for (int r = 0; r < rows; r++) {
        w[r] = now = 0.998f * now + 0.002f * gain[r];
        for (int c = 0; c < len; c++) a[r * len + c] *= now;
    }
    cudaMemcpy(weight, w, rows * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(out, a, bytes, cudaMemcpyHostToDevice);
    show<<<(rows * len + 255) / 256, 256>>>(out, rows * len);
    free(a), free(b), free(w);
}
