// bug-hunt: four small jobs over n numbers, with five bugs: an off-by-one, a
// barrier that not all threads reach, a race in global memory, a missing
// barrier, a launch in the wrong stream.
// zh: bug-hunt：对 n 个数做四件小事，里面有五个错误：差一错误、
// zh: 不是所有线程都到达的屏障、全局内存里的竞争、漏掉的屏障、放错了流的启动。
//
// scaled: three times each number. turned: every 256 numbers in reverse.
// positives: how many are above 0. total: their sum.
// zh: scaled：每个数的三倍。turned：每 256 个数倒过来。
// zh: positives：有几个大于 0。total：它们的和。
//
// TODO: find the five, mend them, and answer.
// zh: TODO：找出这五个错误，改好，并回答：
// Which kernel's outputs are right all the same, by luck, although it
// has a bug?
// zh: 哪个核函数明明有错，输出却碰巧全对？写核函数的名字。
// answer lucky: TODO
// In which line of the lesson's listing is the race?
// zh: 课文所列程序里，竞争在哪一行？
// answer race: TODO

const int BLOCK = 256, CHUNK = 4 * BLOCK, BLOCKS = 8;

__global__ void scale(const int *a, int *scaled, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i > n) return;
    scaled[i] = 3 * a[i];
}

__global__ void turn(const int *a, int *turned, int n) {
    __shared__ int part[BLOCK];
    int t = threadIdx.x;
    for (int from = blockIdx.x * CHUNK;
         from < (blockIdx.x + 1) * CHUNK && from < n; from += BLOCK) {
        int len = min(BLOCK, n - from);
        if (t < len) {
            part[t] = a[from + t];
            __syncthreads();
            turned[from + t] = part[len - 1 - t];
        }
        __syncthreads();
    }
}

__global__ void count(const int *a, int *positives, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    if (a[i] > 0) *positives = *positives + 1;
}

__global__ void sum_blocks(const int *a, int *sums, int n) {
    __shared__ int part[BLOCK];
    int t = threadIdx.x, sum = 0;
    for (int i = blockIdx.x * BLOCK + t; i < n; i += BLOCKS * BLOCK)
        sum += a[i];
    part[t] = sum;
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (t < half) part[t] += part[t + half];
    }
    if (t == 0) sums[blockIdx.x] = part[0];
}

__global__ void sum_all(const int *sums, int *total) {
    int sum = 0;
    for (int b = 0; b < BLOCKS; b++) sum += sums[b];
    *total = sum;
}

void bug_hunt(const int *a, int *scaled, int *turned, int *positives, int *sums,
              int *total, int n) {
    cudaStream_t stream, last;
    cudaStreamCreate(&stream);
    cudaStreamCreate(&last);
    scale<<<(n + BLOCK - 1) / BLOCK, BLOCK, 0, stream>>>(a, scaled, n);
    turn<<<(n + CHUNK - 1) / CHUNK, BLOCK, 0, stream>>>(a, turned, n);
    cudaMemsetAsync(positives, 0, sizeof(int), stream);
    count<<<(n + BLOCK - 1) / BLOCK, BLOCK, 0, stream>>>(a, positives, n);
    sum_blocks<<<BLOCKS, BLOCK, 0, stream>>>(a, sums, n);
    sum_all<<<1, 1, 0, last>>>(sums, total);
    cudaStreamSynchronize(stream);
    cudaStreamSynchronize(last);
    cudaStreamDestroy(stream);
    cudaStreamDestroy(last);
}
