// coalescing: y[i] = a * x[i] for every i from 0 to n-1.
//
// Each thread takes PER_THREAD elements, so that few threads do much
// work each. The result is right for every n. Look at *which* elements a
// thread takes: like a CPU thread, it gets a chunk of neighbours. At
// each turn of the loop the 32 lanes of a warp are then PER_THREAD
// floats apart from one another.
// zh: y[i] = a * x[i]，i 从 0 到 n-1。
// zh: 每个线程处理 PER_THREAD 个元素，结果对任意 n 都正确。
// zh: 请注意每个线程拿到的是哪些元素：像 CPU 线程那样，
// zh: 拿的是一整段相邻的元素，于是循环的每一步里，
// zh: 同一个 warp 的 32 个 lane 彼此相隔 PER_THREAD 个 float。

const int BLOCK = 128;
const int PER_THREAD = 32;

__global__ void scale_kernel(const float *x, float *y, float a, int n) {
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    // TODO: give the threads other elements, so that at each turn neighbouring
    // lanes touch neighbouring floats. Same threads, same amount of work.
    // zh: TODO：换一种分法，让循环的每一步里相邻的 lane 访问相邻的 float。
    // zh: 线程数和总工作量都不变。
    for (int k = 0; k < PER_THREAD; k++) {
        int i = thread * PER_THREAD + k;
        if (i < n) y[i] = a * x[i];
    }
}

void scale(const float *x, float *y, float a, int n) {
    int threads = (n + PER_THREAD - 1) / PER_THREAD;
    scale_kernel<<<(threads + BLOCK - 1) / BLOCK, BLOCK>>>(x, y, a, n);
}
