// kind: cheat
// expect: fail counter flop_sp
// Cheats: the host adds the ones itself.
__global__ void add_one(float *v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] += 1;
}

// in and out are host memory: the device cannot reach them.
void memory_api(const float *in, float *out, int n) {
    size_t bytes = n * sizeof(float);
    float *v;
    for (int i = 0; i < n; i++) out[i] = in[i] + 1;
    v = nullptr, (void)v, (void)bytes;
}
