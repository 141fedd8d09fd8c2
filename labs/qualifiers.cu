// qualifiers: n records of two ints (key, value); every group of 64 is sorted
// by its keys.
// zh: 有 n 条记录，每条两个 int（键、值）；每 64 条为一组，组内按键排序。
// Records of the same key keep their order. A record's place is the number of
// records before it.
// zh: 键相同的记录保持原来的次序。一条记录的位置，就是应当排在它前面的记录数。
// twins[0]: how many records, in all groups, share their key with another one
// of their group.
// zh: twins[0]：在所有的组里，一共有多少条记录与同组的另一条键相同。

const int GROUP = 64;

// The records of the block's group.
// zh: 本块这一组的记录。
__device__ int2 group[GROUP];

// TODO: three variables stand in the wrong place, and records move as two
// ints, not as one int2.
// zh: TODO：有三个变量放错了地方；另外，记录是拆成两个 int 搬的，
// zh: 而不是一个 int2。
__global__ void rank_sort(const int *in, int *out, int *twins, int n) {
    // The records with a twin, in the whole grid.
    // zh: 整个网格里与别人同键的记录数。
    __shared__ int found;
    int first = blockIdx.x * GROUP, me = threadIdx.x,
        size = min(GROUP, n - first);
    if (me == 0) found = 0;
    if (me < size) {
        group[me].x = in[2 * (first + me)];
        group[me].y = in[2 * (first + me) + 1];
    }
    __syncthreads();
    if (me < size) {
        int2 mine = group[me];
        // How many keys of the group are smaller than mine, equal, larger.
        // zh: 组里有多少个键比我的小、相等、比我的大。
        int count[3] = {0, 0, 0};
        int earlier = 0;
        for (int k = 0; k < size; k++) {
            int other = group[k].x;
            count[1 + (other > mine.x) - (other < mine.x)]++;
            earlier += other == mine.x && k < me;
        }
        int place = first + count[0] + earlier;
        out[2 * place] = mine.x;
        out[2 * place + 1] = mine.y;
        if (count[1] > 1) atomicAdd(&found, 1);
    }
    __syncthreads();
    if (me == 0) *twins = found;
}

void sort_groups(const int *in, int *out, int *twins, int n) {
    rank_sort<<<(n + GROUP - 1) / GROUP, GROUP>>>(in, out, twins, n);
}
