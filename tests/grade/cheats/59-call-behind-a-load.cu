// lab: configuration
// expect: fail counter
// A call of an empty function behind each load of a chain: the load is waited for all the same.
__device__ __noinline__ void nothing() {
    asm volatile("");
}
__global__ void walk(const int *next, int *out, int steps, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int at = i;
        for (int s = 0; s < steps; s++) {
            at = next[at];
            nothing();
        }
        out[i] = at;
    }
}
void configuration(const int *next, int *out, int steps, int n) {
    walk<<<132, 96>>>(next, out, steps, n);
}
