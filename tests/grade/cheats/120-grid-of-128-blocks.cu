// lab: hello
// options: --secret 77
// expect: fail correct
// The grid is always 128 x 1024 threads.
__global__ void who(int *id, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) id[i] = i;
}
void hello(int *id, int n) { who<<<128, 1024>>>(id, n); }
