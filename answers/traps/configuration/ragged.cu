// kind: ragged
// expect: fail correct
// A thread a place, and the last block left out.
__global__ void walk(const int *next, int *out, int steps, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int at = i;
        for (int s = 0; s < steps; s++) at = next[at];
        out[i] = at;
    }
}

void configuration(const int *next, int *out, int steps, int n) {
    walk<<<n < 256 ? 1 : n / 256, 256>>>(next, out, steps, n);
}
