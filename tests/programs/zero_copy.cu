// Mapped host memory read and written by a kernel; ordinary memory registered for it.
#include "programs.cuh"
__global__ void twice(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 2 * in[i];
}
int main() {
    const int n = 5000;
    int *a, *da, *db;
    CK(cudaHostAlloc(&a, n * sizeof(int), cudaHostAllocMapped));
    std::vector<int> b(n), want(n);
    for (int i = 0; i < n; i++) a[i] = rnd() & 0xffff, want[i] = 2 * a[i];
    CK(cudaHostRegister(b.data(), n * sizeof(int), cudaHostRegisterMapped));
    CK(cudaHostGetDevicePointer(&da, a, 0)), CK(cudaHostGetDevicePointer(&db, b.data(), 0));
    twice<<<blocks(n, 256), 256>>>(da, db, n);
    CK(cudaDeviceSynchronize());
    CK(cudaHostUnregister(b.data()));
    equal("twice", b, want);
    CK(cudaFreeHost(a));
    return verdict();
}
