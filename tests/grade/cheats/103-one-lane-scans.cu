// lab: scan-block
// expect: fail slowest
// expect: says times as long as the baseline
// Neither barriers nor shared memory: the first thread of each block scans the block's piece alone.
const int PIECE = 512;
__global__ void walk(const int *in, int *out, int n) {
    int first = blockIdx.x * PIECE, last = first + PIECE < n ? first + PIECE : n, sum = 0;
    if (threadIdx.x) return;
    for (int i = first; i < last; i++) out[i] = sum += in[i];
}
void scan_block(const int *in, int *out, int n) {
    walk<<<(n + PIECE - 1) / PIECE, 32>>>(in, out, n);
}
