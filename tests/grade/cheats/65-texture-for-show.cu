// lab: texture
// expect: fail counter
// expect: says tex_load_pct is 0
// Pixels are read by loads; a kernel of one warp fetches a texel for show.
__global__ void turn(const unsigned char *in, float *out, float c, float s, int width, int height) {
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
    out[y * width + x] = above + g * (below - above);
}
__global__ void show(cudaTextureObject_t t, float *to) {
    float sum = 0;
    for (int i = 0; i < 100; i++) sum += tex1Dfetch<float>(t, i & 7);
    if (sum == 77) *to = sum;
}
void rotate(const unsigned char *in, float *out, float c, float s, int width, int height) {
    static cudaTextureObject_t t;
    static float *words;
    if (!t) {
        cudaMalloc(&words, 256);
        cudaMemset(words, 0, 256);
        cudaResourceDesc what = {};
        what.resType = cudaResourceTypeLinear;
        what.res.linear.devPtr = words;
        what.res.linear.desc = cudaCreateChannelDesc<float>();
        what.res.linear.sizeInBytes = 256;
        cudaTextureDesc how = {};
        cudaCreateTextureObject(&t, &what, &how, nullptr);
    }
    turn<<<dim3((width + 255) / 256, height), 256>>>(in, out, c, s, width, height);
    show<<<1, 32>>>(t, words);
}
