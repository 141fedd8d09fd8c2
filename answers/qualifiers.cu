// qualifiers, solved: the group belongs to the block, the counts to the thread, the total to the grid.
// zh: qualifiers 的参考答案：组属于块，计数属于线程，总数属于网格。
const int GROUP = 64;

// One for the whole grid. It outlives the launch, so that every call has to clear it.
// zh: 整个网格共用一个。它比一次启动活得久，所以每次调用都要清零。
__device__ int found;

__global__ void rank_sort(const int2 *in, int2 *out, int n) {
    __shared__ int2 group[GROUP];
    int first = blockIdx.x * GROUP, me = threadIdx.x, size = min(GROUP, n - first);
    if (me < size) group[me] = in[first + me];
    __syncthreads();
    if (me >= size) return;
    int2 mine = group[me];
    int before = 0, equal = 0;
    for (int k = 0; k < size; k++) {
        int other = group[k].x;
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
