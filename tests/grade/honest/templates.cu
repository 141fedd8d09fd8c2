// vector-add: a variadic template kernel with a fold expression
template <class T, class... In> __global__ void add(T *c, int n, const In *...in) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = (in[i] + ...);
}

void vector_add(const float *a, const float *b, float *c, int n) {
    add<<<(n + 255) / 256, 256>>>(c, n, a, b);
}
