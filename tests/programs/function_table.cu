// Functions through pointers: a table on the device, virtual functions of objects made there, recursion.
#include "programs.cuh"
typedef float (*op)(float, float);
__device__ float plus(float a, float b) { return a + b; }
__device__ float times(float a, float b) { return a * b; }
__device__ float most(float a, float b) { return fmaxf(a, b); }
__device__ op table[] = {plus, times, most};
__global__ void apply(const float *a, const float *b, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = table[i % 3](a[i], b[i]);
}
struct shape {
    __device__ virtual int area() const = 0;
    __device__ virtual ~shape() {}
};
struct square : shape {
    int s;
    __device__ square(int x) : s(x) {}
    __device__ int area() const override { return s * s; }
};
struct box : shape {
    int w, h;
    __device__ box(int x, int y) : w(x), h(y) {}
    __device__ int area() const override { return w * h; }
};
__global__ void areas(int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    shape *s = i & 1 ? (shape *)new square(i) : (shape *)new box(i, 3);
    out[i] = s->area();
    delete s;
}
__device__ int ackermann(int m, int n) { return !m ? n + 1 : !n ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1)); }
__global__ void recursion(int *out) { out[threadIdx.x] = ackermann(2, threadIdx.x); }
int main() {
    const int n = 900;
    auto a = floats(n), b = floats(n);
    float *out = device<float>(n);
    int *area = device<int>(n), *deep = device<int>(8);
    apply<<<blocks(n, 64), 64>>>(device(a), device(b), out, n);
    areas<<<blocks(n, 64), 64>>>(area, n);
    CK(cudaDeviceSetLimit(cudaLimitStackSize, 16384));
    recursion<<<1, 8>>>(deep);
    std::vector<float> want(n);
    std::vector<int> wa(n), wd(8);
    for (int i = 0; i < n; i++) want[i] = i % 3 == 0 ? a[i] + b[i] : i % 3 == 1 ? a[i] * b[i] : std::max(a[i], b[i]), wa[i] = i & 1 ? i * i : 3 * i;
    for (int i = 0; i < 8; i++) wd[i] = 2 * i + 3; // Ackermann's function at 2
    equal("operations", host(out, n), want);
    equal("areas", host(area, n), wa);
    equal("recursion", host(deep, 8), wd);
    return verdict();
}
