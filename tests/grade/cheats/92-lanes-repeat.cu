// lab: hello
// expect: fail counter
// expect: says bytes_per_store is 4
// A block of one warp for each element: all lanes store the same word to the same place.
__global__ void who(int *id, int n) { id[blockIdx.x] = blockIdx.x; }
void hello(int *id, int n) { who<<<n, 32>>>(id, n); }
