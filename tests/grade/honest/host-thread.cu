// vector-add: the launch is made by a second thread of the host
#include <thread>

__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

void vector_add(const float *a, const float *b, float *c, int n) {
    std::thread other([=] {
        add<<<(n + 255) / 256, 256>>>(a, b, c, n);
        cudaDeviceSynchronize();
    });
    other.join();
}
