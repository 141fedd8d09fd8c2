// lab: ilp
// expect: fail speedup
// Each round asks for a word that nobody changes, as a loop does that waits: such rounds are not waited for.
__global__ void stretch(const unsigned *key, unsigned *hash, const int *bound, int n) {
    const int step = gridDim.x * 128;
    for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += step) {
        unsigned h = key[i];
        int k = 0;
        while (k < *(const volatile int *)bound) h = (h ^ k++) * 16777619u;
        hash[i] = h;
    }
}
void ilp(const unsigned *key, unsigned *hash, int rounds, int n) {
    static int *bound;
    if (!bound) cudaMalloc(&bound, 4);
    cudaMemcpy(bound, &rounds, 4, cudaMemcpyHostToDevice);
    stretch<<<132, 128>>>(key, hash, bound, n);
}
