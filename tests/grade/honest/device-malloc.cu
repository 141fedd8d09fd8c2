// errors: each block takes its scratch from the heap of the device
__global__ void square(const float *in, float *out, int n) {
    __shared__ float *mine;
    if (threadIdx.x == 0) mine = (float *)malloc(blockDim.x * sizeof(float));
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (mine && i < n) {
        mine[threadIdx.x] = in[i];
        out[i] = mine[threadIdx.x] * mine[threadIdx.x];
    }
    __syncthreads();
    if (threadIdx.x == 0) free(mine);
}

void errors(const float *in, float *out, int n) {
    square<<<(n + 255) / 256, 256>>>(in, out, n);
}
