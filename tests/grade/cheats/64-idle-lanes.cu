// lab: hello
// expect: fail counter
// One lane of a warp writes, and 31 run beside it.
__global__ void who(int *id, int n) {
    int i = blockIdx.x;
    if (threadIdx.x == 0 && i < n) id[i] = i;
}
void hello(int *id, int n) { who<<<n, 32>>>(id, n); }
