// kind: unsafe
// expect: fail correct
// expect: finding oob
// A thread a place, rounded up, without a check.
__global__ void walk(const int *next, int *out, int steps, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    {
        int at = i;
        for (int s = 0; s < steps; s++) at = next[at];
        out[i] = at;
    }
}

void configuration(const int *next, int *out, int steps, int n) {
    walk<<<(n + 255) / 256, 256>>>(next, out, steps, n);
}
