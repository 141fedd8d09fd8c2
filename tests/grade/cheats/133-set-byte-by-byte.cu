// lab: hello
// expect: fail correct
// No thread writes its number: memsets set every byte. One kernel is for show.
__global__ void nothing(int *id, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == n - 1) id[i] = i;
}
void hello(int *id, int n) {
    char *p = (char *)id;
    cudaMemsetAsync(p, 0, 4 * (size_t)n);
    for (int v = 1; v < 256 && v < n; v++) {
        int h = (n - v + 255) / 256;
        cudaMemset2DAsync(p + 4 * v, 1024, v, 1, h);
    }
    for (int v = 1; v * 256 < n; v++) {
        int from = v * 256, m = n - from < 256 ? n - from : 256;
        cudaMemset2DAsync(p + 4 * from + 1, 4, v & 255, 1, m);
    }
    if (n > 65536)
        cudaMemset2DAsync(p + 4 * 65536 + 2, 4, 1, 1, n - 65536 < 65536 ? n - 65536 : 65536);
    nothing<<<(n + 127) / 128, 128>>>(id, n);
}
