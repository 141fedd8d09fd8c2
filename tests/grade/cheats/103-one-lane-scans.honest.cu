// lab: scan-block
// expect: pass
// A warp scans the whole piece of 512 elements, 32 at a time and one after another: no barriers, but slower than a block of 16 warps.
const int PIECE = 512;
__global__ void walk(const int *in, int *out, int n) {
    int lane = threadIdx.x, first = blockIdx.x * PIECE, carry = 0;
    int mine[PIECE / 32];
    for (int k = 0; k < PIECE / 32; k++) {
        int i = first + 32 * k + lane;
        mine[k] = i < n ? in[i] : 0;
    }
    for (int k = 0; k < PIECE / 32; k++) {
        for (int d = 1; d < 32; d *= 2) {
            int left = __shfl_up_sync(~0u, mine[k], d);
            if (lane >= d) mine[k] += left;
        }
        mine[k] += carry;
        carry = __shfl_sync(~0u, mine[k], 31);
    }
    for (int k = 0; k < PIECE / 32; k++) {
        int i = first + 32 * k + lane;
        if (i < n) out[i] = mine[k];
    }
}
void scan_block(const int *in, int *out, int n) {
    walk<<<(n + PIECE - 1) / PIECE, 32>>>(in, out, n);
}
