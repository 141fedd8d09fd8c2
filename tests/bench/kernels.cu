// What the interpreter's speed is measured on: a product of matrices (loads, FMA, loop), a reduction (shared memory, barriers, divergence), and what
// lessons on memory are about: copies with a stride, a naive transpose, histograms, bank conflicts. All take (in, out, n).
extern "C" __global__ void product(const float *a, float *c, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const float *b = a + n * n;
    float sum = 0;
    for (int k = 0; k < n; k++) sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}

extern "C" __global__ void reduction(const int *in, int *out, int n) {
    __shared__ int s[256];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = blockDim.x / 2; d > 0; d /= 2) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}

extern "C" __global__ void empty() {}

extern "C" __global__ void copy(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] + 1;
}

extern "C" __global__ void strided(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    long j = (long)i * 33 % n;
    out[j] = in[j] + 1;
}

extern "C" __global__ void transpose(const float *in, float *out, int n) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) out[x * n + y + j] = in[(y + j) * n + x];
}

extern "C" __global__ void histogram_global(const unsigned *in, unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&out[in[i] * 2654435761u + i * 40503u >> 24], 1);
}

extern "C" __global__ void histogram_shared(const unsigned *in, unsigned *out, int n) {
    __shared__ unsigned s[256];
    s[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&s[in[i] * 2654435761u + i * 40503u >> 24], 1);
    __syncthreads();
    if (s[threadIdx.x]) atomicAdd(&out[threadIdx.x], s[threadIdx.x]);
}

extern "C" __global__ void bank32(float *in, float *out, int n) {
    __shared__ float s[1024];
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) s[k] = k;
    __syncthreads();
    float v = 0;
    for (int k = 0; k < n; k++) v += s[(threadIdx.x * 32 + k) % 1024];
    out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

extern "C" __global__ void arithmetic(float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = in[i];
    for (int k = 0; k < n; k++) v = v * 1.0001f + 0.5f;
    out[i] = v;
}
