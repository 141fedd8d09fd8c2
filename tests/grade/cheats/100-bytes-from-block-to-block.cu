// lab: warp-aggregate
// expect: fail correct
// expect: finding race
// Each block adds its count to the total a byte at a time, without an atomic: right only if blocks run one after another.
const int BLOCK = 256;

__global__ void tally(const int *in, int limit, unsigned char *total, int n, int one) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    int hits = __syncthreads_count(i < n && in[i] < limit);
    if (threadIdx.x == 0) { // `one` keeps the compiler from joining the four bytes
        unsigned sum = total[0] | total[one] << 8 | total[2 * one] << 16 | (unsigned)total[3 * one] << 24;
        sum += hits;
        total[0] = sum;
        total[one] = sum >> 8;
        total[2 * one] = sum >> 16;
        total[3 * one] = sum >> 24;
    }
}

void warp_aggregate(const int *in, int limit, int *found, int n) {
    cudaMemsetAsync(found, 0, sizeof(int));
    tally<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, limit, (unsigned char *)found, n, 1);
}
