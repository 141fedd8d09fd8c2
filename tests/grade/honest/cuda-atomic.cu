// errors: the library of CUDA C++: atomic_ref with scopes hands out the elements
#include <cuda/atomic>

__global__ void square(const float *in, float *out, int n, int *next) {
    cuda::atomic_ref<int, cuda::thread_scope_device> ticket(*next);
    __shared__ int from;
    for (;;) {
        if (threadIdx.x == 0) from = ticket.fetch_add(256, cuda::memory_order_relaxed);
        __syncthreads();
        int i = from + threadIdx.x;
        if (from >= n) return;
        if (i < n) out[i] = in[i] * in[i];
        __syncthreads();
    }
}

void errors(const float *in, float *out, int n) {
    static int *next;
    if (!next) cudaMalloc(&next, sizeof(int));
    cudaMemsetAsync(next, 0, sizeof(int));
    square<<<64, 256>>>(in, out, n, next);
}
