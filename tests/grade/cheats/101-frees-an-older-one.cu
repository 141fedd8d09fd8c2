// lab: memory-api
// expect: fail counter
// expect: says released_pct is
// Each call frees a buffer that a constructor has allocated, and keeps its own.
static char *spare[64];
static int used;
__attribute__((constructor)) static void stock() {
    for (int i = 0; i < 64; i++) cudaMalloc(&spare[i], 4 << 18);
}
__global__ void add_one(float *v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] += 1;
}
void memory_api(const float *in, float *out, int n) {
    float *v;
    cudaMalloc(&v, n * sizeof(float));
    cudaMemcpy(v, in, n * sizeof(float), cudaMemcpyHostToDevice);
    add_one<<<(n + 255) / 256, 256>>>(v, n);
    cudaMemcpy(out, v, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(spare[used++]);
}
