// lab: qualifiers
// expect: fail correct
// Key and place are packed into one int: wrong for keys that need more than 25 bits.
const int GROUP = 64;
__device__ int found;
__global__ void rank_sort(const int2 *in, int2 *out, int n) {
    __shared__ int packed[GROUP];
    int first = blockIdx.x * GROUP, me = threadIdx.x, size = min(GROUP, n - first);
    int2 mine = {};
    if (me < size) {
        mine = in[first + me];
        packed[me] = mine.x * 64 + me;
    }
    __syncthreads();
    if (me >= size) return;
    int p = mine.x * 64 + me, before = 0, equal = 0;
    for (int k = 0; k < size; k++) {
        int q = packed[k];
        before += q < p;
        equal += q >> 6 == p >> 6;
    }
    out[first + before] = mine;
    if (equal > 1) atomicAdd(&found, 1);
}
void sort_groups(const int *in, int *out, int *twins, int n) {
    void *address;
    cudaGetSymbolAddress(&address, found);
    cudaMemset(address, 0, sizeof found);
    rank_sort<<<(n + GROUP - 1) / GROUP, GROUP>>>((const int2 *)in, (int2 *)out, n);
    cudaMemcpyFromSymbol(twins, found, sizeof found, 0, cudaMemcpyDeviceToDevice);
}
