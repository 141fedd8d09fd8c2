// The kernel of the quiz `audit`, and its two strided accesses alone: their sectors per request grow
// with the stride.

__global__ void foo(const float *a, const float *b, const float *c, float *d, float *e, int s,
                    int t) {
    __shared__ float a_s[256], bc_s[4 * 256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a_s[threadIdx.x] = a[i];
    for (int j = 0; j < 4; j++)
        bc_s[j * 256 + threadIdx.x] = b[j * blockDim.x * gridDim.x + i] + c[i * s + j];
    __syncthreads();
    d[i + 8] = a_s[threadIdx.x];
    e[i * t] = bc_s[threadIdx.x * 4];
}

__global__ void strided_load(const float *c, float *d, int s) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    d[i] = c[i * s];
}

__global__ void strided_store(const float *a, float *e, int t) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    e[i * t] = a[i];
}

// n threads, a multiple of 256. The arrays: a: n, b: 4 n, c: n s + 4, d: n + 8, e: n t.
void audit(const float *a, const float *b, const float *c, float *d, float *e, int s, int t,
           int n) {
    foo<<<n / 256, 256>>>(a, b, c, d, e, s, t);
}

void load_c(const float *c, float *d, int s, int n) {
    strided_load<<<n / 256, 256>>>(c, d, s);
}

void store_e(const float *a, float *e, int t, int n) {
    strided_store<<<n / 256, 256>>>(a, e, t);
}
