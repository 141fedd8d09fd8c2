// Heat in a plate: two buffers that change places, the largest change found on the device, the host decides when to stop.
// arch: sm_80
#include "programs.cuh"
const int N = 66;
__global__ void step(const float *a, float *b, unsigned *most) {
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    float v = 0.25f * (a[y * N + x - 1] + a[y * N + x + 1] + a[(y - 1) * N + x] + a[(y + 1) * N + x]);
    b[y * N + x] = v;
    unsigned change = __float_as_uint(fabsf(v - a[y * N + x])); // of positive floats the bits have the same order
    change = __reduce_max_sync(~0u, change);
    if (threadIdx.x % 32 == 0) atomicMax(most, change);
}
int main() {
    std::vector<float> a(N * N), c;
    for (int i = 0; i < N; i++) a[i] = 1, a[i * N] = 0.5f;
    float *d[2] = {device(a), device(a)};
    unsigned *most = device<unsigned>(1);
    int rounds = 0;
    float change = 1;
    for (; rounds < 300 && change > 1e-3f; rounds++) {
        CK(cudaMemset(most, 0, 4));
        step<<<dim3(2, 8), dim3(32, 8)>>>(d[rounds & 1], d[~rounds & 1], most);
        change = 0;
        unsigned bits = host(most, 1)[0];
        memcpy(&change, &bits, 4);
    }
    for (int r = 0; r < rounds; r++) {
        c = a;
        for (int y = 1; y < N - 1; y++)
            for (int x = 1; x < N - 1; x++)
                c[y * N + x] = 0.25f * (a[y * N + x - 1] + a[y * N + x + 1] + a[(y - 1) * N + x] + a[(y + 1) * N + x]);
        a.swap(c);
    }
    equal("plate", host(d[rounds & 1], N * N), a);
    is("stopped early", rounds < 300, 1);
    return verdict();
}
