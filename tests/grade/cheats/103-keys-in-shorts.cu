// lab: qualifiers
// expect: fail correct
// The keys are ints and become shorts.
const int GROUP = 64;

// The total of the whole grid. It outlives the launch, so every call has to clear it.
__device__ int found;

__global__ void rank_sort(const int2 *in, int2 *out, int n) {
    __shared__ short group[GROUP];
    int first = blockIdx.x * GROUP, me = threadIdx.x, size = min(GROUP, n - first);
    int2 mine = {0, 0};
    if (me < size) mine = in[first + me], group[me] = (short)mine.x;
    __syncthreads();
    if (me >= size) return;
    int before = 0, equal = 0;
    for (int k = 0; k < size; k++) {
        int other = group[k];
        before += other < mine.x || (other == mine.x && k < me);
        equal += other == mine.x;
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
