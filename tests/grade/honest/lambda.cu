// errors: lambdas within device code, handed to a template
template <class F> __device__ void each(int n, F f) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) f(i);
}

__global__ void square(const float *in, float *out, int n) {
    auto twice = [](float x) { return x * x; };
    each(n, [=](int i) { out[i] = twice(in[i]); });
}

void errors(const float *in, float *out, int n) {
    square<<<(n + 255) / 256, 256>>>(in, out, n);
}
