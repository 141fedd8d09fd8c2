// lab: texture
// expect: fail counter
// expect: says tex_load_pct is 0
// A helper mixes pixels that it loads, with under half of all instructions; the kernel that stores the picture
// pads them, and its fetches are for show.
#include <cuda_fp16.h>
__global__ void turn(const unsigned char *in, __half *half, float c, float s, int width, int height) {
    int x = blockIdx.x * 256 + threadIdx.x, y = blockIdx.y;
    if (x >= width || y >= height) return;
    float u = c * x - s * y, v = s * x + c * y;
    int i = (int)floorf(u), j = (int)floorf(v);
    float f = u - i, g = v - j;
    auto pixel = [&](int a, int b) {
        return in[min(max(b, 0), height - 1) * width + min(max(a, 0), width - 1)] / 255.0f;
    };
    float above = pixel(i, j), below = pixel(i, j + 1);
    above += f * (pixel(i + 1, j) - above), below += f * (pixel(i + 1, j + 1) - below);
    half[y * width + x] = __float2half(above + g * (below - above));
}
__global__ void show(const __half *half, cudaTextureObject_t t, float *out, float *to, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 100; k++) sum += tex1Dfetch<float>(t, (i + k) & 7);
    if (i < n) out[i] = __half2float(half[i]);
    if (sum == 77) *to = sum;
}
void rotate(const unsigned char *in, float *out, float c, float s, int width, int height) {
    static cudaTextureObject_t t;
    static float *words;
    static __half *half;
    if (!t) {
        cudaMalloc(&words, 256);
        cudaMemset(words, 0, 256);
        cudaMalloc(&half, 512 * 512 * 2);
        cudaResourceDesc what = {};
        what.resType = cudaResourceTypeLinear;
        what.res.linear.devPtr = words;
        what.res.linear.desc = cudaCreateChannelDesc<float>();
        what.res.linear.sizeInBytes = 256;
        cudaTextureDesc how = {};
        cudaCreateTextureObject(&t, &what, &how, nullptr);
    }
    turn<<<dim3((width + 255) / 256, height), 256>>>(in, half, c, s, width, height);
    show<<<(width * height + 255) / 256, 256>>>(half, t, out, words, width * height);
}
