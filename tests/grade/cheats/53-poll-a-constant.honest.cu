// lab: ilp
// expect: pass
// Nothing is asked for in the loop.
__global__ void stretch(const unsigned *key, unsigned *hash, int rounds, int n) {
    const int each = 8, step = gridDim.x * 128;
    for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += each * step) {
        unsigned h[each];
#pragma unroll
        for (int j = 0; j < each; j++) h[j] = i + j * step < n ? key[i + j * step] : 0;
        int k = 0;
        while (k < rounds) {
#pragma unroll
            for (int j = 0; j < each; j++) h[j] = (h[j] ^ k) * 16777619u;
            k++;
        }
#pragma unroll
        for (int j = 0; j < each; j++)
            if (i + j * step < n) hash[i + j * step] = h[j];
    }
}
void ilp(const unsigned *key, unsigned *hash, int rounds, int n) {
    stretch<<<132, 128>>>(key, hash, rounds, n);
}
