// lab: configuration
// expect: fail counter
// expect: says global_store_bytes is
// Every place is walked from by four threads, so there are enough blocks.
__global__ void walk(const int *next, int *out, int steps, int n) {
    for (int i = blockIdx.x / 4 * blockDim.x + threadIdx.x; i < n; i += gridDim.x / 4 * blockDim.x) {
        int at = i;
        for (int s = 0; s < steps; s++) at = next[at];
        out[i] = at;
    }
}
void configuration(const int *next, int *out, int steps, int n) { walk<<<1056, 256>>>(next, out, steps, n); }
