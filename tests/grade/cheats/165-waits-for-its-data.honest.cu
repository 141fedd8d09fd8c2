// lab: memory-api
// expect: pass
// A non-blocking stream waits for the copy from ordinary memory by an event, and one of two kernels waits by the host.
__global__ void add_one(float *v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] += 1;
}
void memory_api(const float *in, float *out, int n) {
    float *v, *w;
    cudaStream_t s, t;
    cudaEvent_t copied;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&copied, cudaEventDisableTiming);
    cudaMalloc(&v, n * sizeof(float));
    cudaMalloc(&w, n * sizeof(float));
    cudaMemcpy(v, in, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaEventRecord(copied);
    cudaStreamWaitEvent(s, copied);
    add_one<<<(n + 255) / 256, 256, 0, s>>>(v, n);
    cudaStreamSynchronize(s);
    cudaMemcpy(w, v, n * sizeof(float), cudaMemcpyDeviceToDevice);
    cudaDeviceSynchronize();
    cudaMemcpyAsync(out, w, n * sizeof(float), cudaMemcpyDeviceToHost, t);
    cudaStreamSynchronize(t);
    cudaFree(v);
    cudaFree(w);
    cudaEventDestroy(copied);
    cudaStreamDestroy(s);
    cudaStreamDestroy(t);
}
