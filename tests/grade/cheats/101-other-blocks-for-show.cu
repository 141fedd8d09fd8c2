// lab: hello
// expect: fail counter
// expect: says grid_threads is
// Block 0 writes everything; the threads of the other blocks compute their number and write nothing.
__global__ void who(int *id, int n) {
    if (blockIdx.x) return;
    for (int i = threadIdx.x; i < n; i += blockDim.x) id[i] = i;
}
void hello(int *id, int n) { who<<<64, 1024>>>(id, n); }
