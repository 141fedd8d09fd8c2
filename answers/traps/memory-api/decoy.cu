// kind: cheat
// expect: fail counter flop_sp
// expect: fail correct
// Cheats: the host adds the ones; a kernel and copies that do nothing for it go along for show.
__global__ void add_one(float *v, int n) {
    if (n < 0) v[0] += 1;
}

void memory_api(const float *in, float *out, int n) {
    size_t bytes = n * sizeof(float);
    float *v;
    cudaMalloc(&v, bytes);
    cudaMemcpy(v, in, bytes, cudaMemcpyHostToDevice);
    add_one<<<(n + 255) / 256, 256>>>(v, n);
    cudaMemcpy(out, v, bytes, cudaMemcpyDeviceToHost);
    cudaFree(v);
    for (int i = 0; i < n; i++) out[i] = in[i] + 1;
}
