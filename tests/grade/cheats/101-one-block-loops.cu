// lab: hello
// expect: fail counter
// expect: says grid_threads is
// One block writes everything, a round for each 1,024 elements.
__global__ void who(int *id, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) id[i] = i;
}
void hello(int *id, int n) { who<<<1, 1024>>>(id, n); }
