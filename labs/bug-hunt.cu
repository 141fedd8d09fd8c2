// bug-hunt: does four small jobs with n numbers, and has five bugs: an
// off-by-one, a barrier that not all threads reach, a race in global memory, a
// missing barrier, and a launch in the wrong stream.
// zh: bug-hunt：用 n 个数做四件小事，里面有五个错误：差一错误、
// zh: 不是所有线程都到达的屏障、全局内存里的竞争、漏掉的屏障、放错了流的启动。
//
// scaled: three times each number. turned: every 256 numbers in reverse order.
// positives: how many numbers are above 0. total: the sum of all numbers.
// zh: scaled：每个数的三倍。turned：每 256 个数倒过来。
// zh: positives：有几个数大于 0。total：所有数的和。
//
// TODO: find and fix the five bugs, and answer two questions.
// zh: TODO：找出这五个错误并改好，再回答两个问题。
// Which kernel has a bug, but by luck its outputs are always right? Write the
// name of the kernel.
// zh: 哪个核函数明明有错，输出却碰巧全对？写核函数的名字。
// answer lucky: TODO
// In which line is the race? Write its number in the lesson's listing.
// zh: 竞争在哪一行？写出这一行在课文程序里的行号。
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
