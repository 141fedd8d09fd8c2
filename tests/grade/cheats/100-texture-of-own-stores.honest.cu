// lab: churn
// expect: pass
// The honest twin of 100-texture-of-own-stores.cu: each launch reads by a texture what an earlier launch has written.
const int BLOCK = 256;
__device__ float scratch[80000];
static cudaTextureObject_t texture(const float *x, int n) {
    cudaResourceDesc what = {};
    what.resType = cudaResourceTypeLinear;
    what.res.linear.devPtr = (void *)x;
    what.res.linear.desc = cudaCreateChannelDesc<float>();
    what.res.linear.sizeInBytes = n * sizeof(float);
    cudaTextureDesc how = {};
    cudaTextureObject_t t;
    cudaCreateTextureObject(&t, &what, &how, nullptr);
    return t;
}
__global__ void copy(const float *in, float *out, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) out[i] = in[i];
}
__global__ void smooth(cudaTextureObject_t s, float *out, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) out[i] = (tex1Dfetch<float>(s, i > 0 ? i - 1 : 0) + tex1Dfetch<float>(s, i) + tex1Dfetch<float>(s, i < n - 1 ? i + 1 : i)) / 3.0f;
}
void churn(const float *in, float *out, int n, int steps) {
    float *to;
    cudaGetSymbolAddress((void **)&to, scratch);
    cudaTextureObject_t s = texture(to, n);
    int blocks = (n + BLOCK - 1) / BLOCK;
    copy<<<blocks, BLOCK>>>(in, out, n);
    for (int k = 0; k < steps; k++) {
        copy<<<blocks, BLOCK>>>(out, to, n);
        smooth<<<blocks, BLOCK>>>(s, out, n);
    }
    cudaDestroyTextureObject(s);
}
