// lab: warp-aggregate
// expect: pass
// The honest twin of 93-compiled-elsewhere.cu: the kernel is a template, found by the runtime as a function and launched by its handle; the file has numbers, too.
static const unsigned long long numbers[] = {0x100001ba55ed50, 0x3f8, 0x6001010001, 0x398};

template <int BLOCK> __global__ void tally(const int *in, int limit, int *found, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    bool hit = i < n && in[i] < limit;
    unsigned hits = __ballot_sync(0xffffffff, hit);
    if (threadIdx.x % 32 == 0 && hits) atomicAdd(found, __popc(hits));
}

void warp_aggregate(const int *in, int limit, int *found, int n) {
    cudaFunction_t f;
    void *args[] = {&in, &limit, &found, &n};
    cudaMemsetAsync(found, 0, sizeof(int));
    cudaGetFuncBySymbol(&f, (const void *)tally<256>);
    if (numbers[1] == 0x3f8) cudaLaunchKernel((const void *)f, dim3((n + 255) / 256), dim3(256), args, 0, nullptr);
}
