// coalescing: y[i] = a * x[i] for every i from 0 to n-1.
//
// Each thread takes PER_THREAD elements. The result is right for
// every n. But look at *which* elements a thread takes: like a CPU
// thread, it takes neighbouring elements. In the same step of the
// loop, neighbouring lanes of a warp therefore access floats that
// are PER_THREAD floats apart.
// zh: y[i] = a * x[i]，i 从 0 到 n-1。
// zh: 每个线程处理 PER_THREAD 个元素，结果对任意 n 都正确。
// zh: 但请看线程拿到的是哪些元素：像 CPU 线程那样，拿的是一段
// zh: 相邻的元素。于是在循环的同一步里，相邻 lane 访问的 float
// zh: 相隔 PER_THREAD 个。

const int BLOCK = 128;
const int PER_THREAD = 32;

__global__ void scale_kernel(const float *x, float *y, float a, int n) {
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    // TODO: give each thread other elements: in each step of the loop,
    // neighbouring lanes should access neighbouring floats.
    // zh: TODO：给每个线程换一批元素，元素个数不变：在循环的每一步里，
    // zh: 相邻的 lane 应当访问相邻的 float。
    for (int k = 0; k < PER_THREAD; k++) {
        int i = thread * PER_THREAD + k;
        if (i < n) y[i] = a * x[i];
    }
}

void scale(const float *x, float *y, float a, int n) {
    int threads = (n + PER_THREAD - 1) / PER_THREAD;
    scale_kernel<<<(threads + BLOCK - 1) / BLOCK, BLOCK>>>(x, y, a, n);
}
