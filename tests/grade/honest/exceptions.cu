// errors: C++ on the host: exceptions, vectors, unique_ptr around device memory
#include <memory>
#include <stdexcept>
#include <vector>

__global__ void square(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * in[i];
}

void errors(const float *in, float *out, int n) {
    std::vector<int> sizes = {256, 128};
    try {
        if (n < 0) throw std::runtime_error("no elements");
        auto gone = [](float *p) { cudaFree(p); };
        float *raw = nullptr;
        cudaMalloc(&raw, n * sizeof(float));
        std::unique_ptr<float, decltype(gone)> scratch(raw, gone);
        square<<<(n + sizes.at(0) - 1) / sizes.at(0), sizes.at(0)>>>(in, scratch.get(), n);
        cudaMemcpy(out, scratch.get(), n * sizeof(float), cudaMemcpyDeviceToDevice);
        (void)sizes.at(2);
    } catch (const std::out_of_range &) {
        cudaDeviceSynchronize();
    }
}
