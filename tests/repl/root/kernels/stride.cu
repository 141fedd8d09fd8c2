// A kernel that a quiz measures: one coalesced read, one strided write, one in shared memory.
__global__ void stride(const float *in, float *out, int n) {
    __shared__ float box[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = i < n ? in[i] : 0;
    box[threadIdx.x] = v;
    __syncthreads();
    float w = box[127 - threadIdx.x];
    if (i < n) out[i % 1024 * 32 + i / 1024] = v + w;
}

void scatter(const float *in, float *out, int n) {
    stride<<<n / 128, 128>>>(in, out, n);
}
