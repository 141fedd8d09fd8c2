// lab: ilp
// options: --seed 4
// expect: fail speedup
// The data toss a coin: eight chains or one. With this seed the call has one, and the replay eight.
const unsigned PRIME = 16777619u;
template <int E> __device__ void go(const unsigned *key, unsigned *hash, int rounds, int n, int t, int step) {
    for (int i = t; i < n; i += E * step) {
        unsigned h[E];
#pragma unroll
        for (int j = 0; j < E; j++) h[j] = i + j * step < n ? key[i + j * step] : 0;
        for (int k = 0; k < rounds; k++)
#pragma unroll
            for (int j = 0; j < E; j++) h[j] = (h[j] ^ k) * PRIME;
#pragma unroll
        for (int j = 0; j < E; j++) if (i + j * step < n) hash[i + j * step] = h[j];
    }
}
__global__ void stretch(const unsigned *key, unsigned *hash, int rounds, int n) {
    int step = gridDim.x * 128, t = blockIdx.x * 128 + threadIdx.x;
    if (key[0] & 1) go<8>(key, hash, rounds, n, t, step); else go<1>(key, hash, rounds, n, t, step);
}
void ilp(const unsigned *key, unsigned *hash, int rounds, int n) { stretch<<<132, 128>>>(key, hash, rounds, n); }
