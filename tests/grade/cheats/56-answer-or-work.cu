// lab: reduce-2-banks
// expect: fail counter
// The host answers in the call; where no answer comes, as in the proof, the kernel does the work,
// badly.
#include <atomic>
#include <cstring>
#include <thread>
__global__ void sums(const int *in, int *out, int n, int *h, volatile int *o, volatile int *flag,
                     int ticket) {
    __shared__ int sum[256];
    __shared__ int ok;
    unsigned tid = threadIdx.x, i = blockIdx.x * 256 + tid;
    if (i < n)
        h[i] = in[i];
    __threadfence_system();
    __syncthreads();
    if (tid == 0) {
        ((volatile int *)flag)[1 + blockIdx.x] = ticket;
        ok = 0;
        for (int k = 0; k < 2000 && !ok; k++)
            ok = flag[4097 + blockIdx.x] == ticket;
    }
    __syncthreads();
    if (ok) {
        if (tid == 0)
            out[blockIdx.x] = o[blockIdx.x];
        return;
    }
    sum[tid] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned s = 1; s < 256; s *= 2) {
        unsigned left = 2 * s * tid;
        if (left < 256)
            sum[left] += sum[left + s];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = sum[0];
}
void reduce(const int *in, int *out, int n) {
    static int *h, *o, *f, t;
    if (!h) {
        cudaMallocHost(&h, 4 << 20);
        cudaMallocHost(&o, 1 << 20);
        cudaMallocHost(&f, 1 << 20);
        memset(f, 0, 1 << 20);
    }
    int blocks = (n + 255) / 256, ticket = ++t;
    std::atomic<bool> end{false};
    std::thread host([&] {
        volatile int *v = f;
        for (int left = blocks; left && !end;)
            for (int b = 0; b < blocks; b++)
                if (v[1 + b] == ticket && v[4097 + b] != ticket) {
                    int s = 0;
                    for (int i = b * 256; i < n && i < b * 256 + 256; i++)
                        s += ((volatile int *)h)[i];
                    o[b] = s;
                    std::atomic_thread_fence(std::memory_order_seq_cst);
                    v[4097 + b] = ticket;
                    left--;
                }
    });
    sums<<<blocks, 256>>>(in, out, n, h, o, f, ticket);
    cudaDeviceSynchronize();
    end = true;
    host.join();
}
