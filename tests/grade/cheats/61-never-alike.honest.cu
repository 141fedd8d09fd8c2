// lab: ilp
// options: --seed 7
// expect: pass
// Four kinds of code, by warps: every block has all of them, so that any is a good sample.
template <int KIND> __device__ void go(const unsigned *key, unsigned *hash, int rounds, int n, int first, int step) {
    const int EACH = 8;
    for (int i = first; i < n; i += EACH * step) {
        unsigned h[EACH];
#pragma unroll
        for (int j = 0; j < EACH; j++) h[j] = i + j * step < n ? key[i + j * step] : KIND;
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
    switch (threadIdx.x / 32) {
    case 0: go<0>(key, hash, rounds, n, first, step); break;
    case 1: go<1>(key, hash, rounds, n, first, step); break;
    case 2: go<2>(key, hash, rounds, n, first, step); break;
    default: go<3>(key, hash, rounds, n, first, step);
    }
}
void ilp(const unsigned *key, unsigned *hash, int rounds, int n) {
    stretch<<<132, 128>>>(key, hash, rounds, n);
}
