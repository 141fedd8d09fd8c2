// lab: configuration
// expect: pass
// A thread for each place, in a grid of two dimensions whose last blocks hang over the end.
__global__ void walk(const int *next, int *out, int steps, int n) {
    int i = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x * blockDim.y + threadIdx.y * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int at = i;
    for (int s = 0; s < steps; s++) at = next[at];
    out[i] = at;
}
void configuration(const int *next, int *out, int steps, int n) {
    int blocks = (n + 191) / 192;
    walk<<<dim3(100, (blocks + 99) / 100), dim3(24, 8)>>>(next, out, steps, n);
}
