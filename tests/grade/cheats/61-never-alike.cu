// lab: ilp
// options: --seed 7
// expect: suspect
// Sixteen kinds of blocks, each with code of its own. One of them is as slow as the baseline and is what the launch waits for;
// a sample sees two kinds, and says little of the others.
template <int EACH, int KIND> __device__ void go(const unsigned *key, unsigned *hash, int rounds, int n, int first, int step) {
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
    switch (blockIdx.x % 16) {
#define KIND(k) case k: go<8, k>(key, hash, rounds, n, first, step); break;
    KIND(0) KIND(1) KIND(2) KIND(3) KIND(4) KIND(6) KIND(7) KIND(8) KIND(9) KIND(10) KIND(11) KIND(12) KIND(13) KIND(14) KIND(15)
    case 5: go<1, 5>(key, hash, rounds, n, first, step);
    }
}
void ilp(const unsigned *key, unsigned *hash, int rounds, int n) {
    stretch<<<132, 128>>>(key, hash, rounds, n);
}
