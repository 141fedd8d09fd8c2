// lab: granularity
// expect: fail correct
// The tile holds bytes, four to a word, which dp4a adds up.
const int BLOCK = 256, EACH = 4, OUT = BLOCK * EACH, WORDS = OUT / 4 + 33;
__global__ void window(const int *x, int *y, int n) {
    __shared__ unsigned tile[WORDS];
    int first = blockIdx.x * OUT - 64, t = threadIdx.x;
    for (int k = t; k < WORDS; k += BLOCK) {
        unsigned w = 0;
#pragma unroll
        for (int j = 0; j < 4; j++) {
            int i = first + 4 * k + j;
            int v = i >= 0 && i < n ? x[i] : 0;
            w |= (v & 255u) << 8 * j;
        }
        tile[k] = w;
    }
    __syncthreads();
    int s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    const int ones = 0x01010101;
#pragma unroll
    for (int d = 0; d < 33; d++) {
        int w = tile[t + d];
        int m = d == 0 ? 0x01010101 : d == 32 ? 0x00000001 : ones;
        s0 = __dp4a(w, m, s0);
        m = d == 0 ? 0x01010100 : d == 32 ? 0x00000101 : ones;
        s1 = __dp4a(w, m, s1);
        m = d == 0 ? 0x01010000 : d == 32 ? 0x00010101 : ones;
        s2 = __dp4a(w, m, s2);
        m = d == 0 ? 0x01000000 : ones;
        s3 = __dp4a(w, m, s3);
    }
    int i = blockIdx.x * OUT + 4 * t;
    if (i + 3 < n) *(int4 *)&y[i] = make_int4(s0, s1, s2, s3);
    else {
        if (i < n) y[i] = s0;
        if (i + 1 < n) y[i + 1] = s1;
        if (i + 2 < n) y[i + 2] = s2;
    }
}
void granularity(const int *x, int *y, int n) { window<<<(n + OUT - 1) / OUT, BLOCK>>>(x, y, n); }
