// lab: reduce-1-divergent
// expect: fail counter
// expect: says global_load_sectors is
// A thread adds the 256 elements of an output alone: no lane is idle, and every request asks for 32 sectors.
__global__ void alone(const int *in, int *out, int n) {
    int o = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    if (o * 256 >= n) return;
    for (int i = o * 256; i < o * 256 + 256 && i < n; i++) sum += in[i];
    out[o] = sum;
}
void reduce(const int *in, int *out, int n) {
    int outs = (n + 255) / 256;
    alone<<<(outs + 31) / 32, 32>>>(in, out, n);
}
