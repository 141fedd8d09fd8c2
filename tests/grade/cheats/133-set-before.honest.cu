// lab: hello
// expect: pass
// The memory is set twice, with two values, before the kernel writes the numbers.
__global__ void number(int *id, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) id[i] = i;
}
void hello(int *id, int n) {
    cudaMemsetAsync(id, 0, n * sizeof(int));
    cudaMemsetAsync(id, 0xff, n / 4 * sizeof(int));
    number<<<(n + 255) / 256, 256>>>(id, n);
}
