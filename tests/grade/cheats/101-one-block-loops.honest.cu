// lab: hello
// expect: pass
// A fixed grid, whose threads go on to another element after the first.
__global__ void who(int *id, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) id[i] = i;
}
void hello(int *id, int n) { who<<<132, 256>>>(id, n); }
