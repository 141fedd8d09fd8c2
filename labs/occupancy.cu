// occupancy: a map has `rows` rows and n columns and says what kind of ground
// each place is. A step on ground of this kind costs toll[kind]. out[i] says
// how many rows one gets down column i before the purse cannot pay for the next
// step.
//
// A thread must look up what this step costs and pay for it before it knows
// whether there is a next step. So each warp has only one load under way and
// mostly waits for it. Only other warps can fill this time. How many warps fit?
// zh: 一张 rows 行、n 列的地图标出每处是哪一种地面，在这种地面上走一步的费用是
// zh: toll[种类]。out[i] 是沿第 i 列往下能走几行，直到余下的钱付不起下一步。
// zh:
// zh: 要等这一步查到价钱、付了费，才知道有没有下一步。
// zh: 所以每个 warp 同时只有一次读取在途，大部分时间都在等；
// zh: 这段时间只能由别的 warp 来填。能同时容纳多少个 warp？

// 6144 kinds of ground: 24 KB of tolls.
// zh: 6144 种地面，费用表占 24 KB。
const int KINDS = 6144;

// TODO: let as many warps as possible be resident. `show occupancy` says
// which resource runs out first. When you have changed one thing,
// another resource may become the limit.
// zh: TODO：让尽可能多的 warp 驻留。`show occupancy` 会告诉你哪种资源先用完。
// zh: 改了一处之后，另一种资源可能成为新的限制。
const int BLOCK = 64;

// Each thread's state has a cache line of its own, as on a CPU.
// zh: 像在 CPU 上那样，让每个线程的状态独占一个缓存行。
struct alignas(64) traveller { int row, spent; };

__global__ void walk(const short *map, const int *toll, int *out, int purse,
                     int rows, int n) {
    __shared__ int tolls[KINDS];
    __shared__ traveller state[BLOCK];
    traveller &me = state[threadIdx.x];
    for (int k = threadIdx.x; k < KINDS; k += BLOCK) tolls[k] = toll[k];
    __syncthreads();
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n;
         i += gridDim.x * BLOCK) {
        me.row = me.spent = 0;
        while (me.row < rows) {
            me.spent += tolls[map[me.row * n + i]];
            if (me.spent > purse) break;
            me.row++;
        }
        out[i] = me.row;
    }
}

void occupancy(const short *map, const int *toll, int *out, int purse, int rows,
               int n) {
    int device, processors, fit, needed = (n + BLOCK - 1) / BLOCK;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    // The runtime says how many of these blocks fit on a
    // multiprocessor. Launch as many as fit on the whole device. Each
    // block processes its share of the columns.
    // zh: 运行时库会告诉你一个多处理器能放几个这样的块。
    // zh: 整个设备能放多少就启动多少，每个块处理自己那份列。
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, walk, BLOCK, 0);
    int blocks = fit * processors;
    walk<<<blocks < needed ? blocks : needed, BLOCK>>>(map, toll, out, purse,
                                                       rows, n);
}
