// kind: unsafe
// expect: fail
// expect: finding oob
// The surplus threads of the last block write past the end.
__global__ void who(int *id, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    id[i] = i;
}

void hello(int *id, int n) { who<<<(n + 127) / 128, 128>>>(id, n); }
