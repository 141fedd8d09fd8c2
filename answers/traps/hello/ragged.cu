// kind: ragged
// expect: fail correct
// Rounds the number of blocks down.
__global__ void who(int *id, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) id[i] = i;
}

void hello(int *id, int n) { who<<<n < 128 ? 1 : n / 128, 128>>>(id, n); }
