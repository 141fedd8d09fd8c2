// lab: churn
// expect: fail counter
// The first (untimed) call takes one scratch array for EACH round from the heap in a kernel and keeps the pointers in a symbol; later calls use 24 different arrays and allocate nothing.
const int BLOCK = 256, ROUNDS = 24, MOST = 1 << 16;
__device__ float *scratch[ROUNDS];

__global__ void take() {
    for (int s = 0; s < ROUNDS; s++) scratch[s] = (float *)malloc(MOST * sizeof(float));
}

__global__ void smooth(int s, float *to, int n) {
    const float *from = scratch[s];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    to[i] = (from[i > 0 ? i - 1 : 0] + from[i] + from[i < n - 1 ? i + 1 : i]) / 3.0f;
}

__global__ void copy(const float *from, float *to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[i];
}

__global__ void put_aside(const float *from, int s, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) scratch[s][i] = from[i];
}

void churn(const float *in, float *out, int n, int steps) {
    static bool ready;
    if (!ready) {
        cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 << 20);
        take<<<1, 1>>>();
        ready = true;
    }
    int blocks = (n + BLOCK - 1) / BLOCK;
    copy<<<blocks, BLOCK>>>(in, out, n);
    for (int s = 0; s < steps; s++) {
        put_aside<<<blocks, BLOCK>>>(out, s % ROUNDS, n);
        smooth<<<blocks, BLOCK>>>(s % ROUNDS, out, n);
    }
}
