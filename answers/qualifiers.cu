// qualifiers, solved: each block has one group, each thread has its own counts, and the grid has one total.
// zh: qualifiers 的参考答案：每个块有一组记录，每个线程有自己的计数，整个网格有一个总数。
const int GROUP = 64;

// The total of the whole grid. It outlives the launch, so every call has to clear it.
// zh: 整个网格的总数。启动结束后它仍然存在，所以每次调用都要清零。
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
