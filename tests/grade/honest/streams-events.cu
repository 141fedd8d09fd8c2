// vector-add: two streams, forked and joined by events, made and destroyed in each call
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

void vector_add(const float *a, const float *b, float *c, int n) {
    cudaStream_t s[2];
    cudaEvent_t begin, done[2];
    cudaEventCreateWithFlags(&begin, cudaEventDisableTiming);
    cudaEventRecord(begin);
    for (int k = 0; k < 2; k++) {
        int from = k * (n / 2), count = k ? n - n / 2 : n / 2;
        cudaStreamCreateWithFlags(&s[k], cudaStreamNonBlocking);
        cudaEventCreateWithFlags(&done[k], cudaEventDisableTiming);
        cudaStreamWaitEvent(s[k], begin);
        if (count) add<<<(count + 255) / 256, 256, 0, s[k]>>>(a + from, b + from, c + from, count);
        cudaEventRecord(done[k], s[k]);
        cudaStreamWaitEvent(0, done[k]);
        cudaStreamDestroy(s[k]);
        cudaEventDestroy(done[k]);
    }
    cudaEventDestroy(begin);
}
