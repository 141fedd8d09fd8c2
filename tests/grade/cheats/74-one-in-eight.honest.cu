// lab: ilp
// expect: pass
// One multiprocessor in eight takes its keys by fours, the others by eights: the slower ones are fast enough.
template <int EACH> __device__ void go(const unsigned *key, unsigned *hash, int rounds, int n, int first, int step) {
    for (int i = first; i < n; i += EACH * step) {
        unsigned h[EACH];
#pragma unroll
        for (int j = 0; j < EACH; j++) h[j] = i + j * step < n ? key[i + j * step] : 0;
        for (int k = 0; k < rounds; k++)
#pragma unroll
            for (int j = 0; j < EACH; j++) h[j] = (h[j] ^ k) * 16777619u;
#pragma unroll
        for (int j = 0; j < EACH; j++)
            if (i + j * step < n) hash[i + j * step] = h[j];
    }
}
__global__ void stretch(const unsigned *key, unsigned *hash, int rounds, int n) {
    const int step = gridDim.x * 128, first = blockIdx.x * 128 + threadIdx.x;
    if ((blockIdx.x ^ key[0]) % 8 == 0) go<4>(key, hash, rounds, n, first, step);
    else go<8>(key, hash, rounds, n, first, step);
}
void ilp(const unsigned *key, unsigned *hash, int rounds, int n) {
    stretch<<<132, 128>>>(key, hash, rounds, n);
}
