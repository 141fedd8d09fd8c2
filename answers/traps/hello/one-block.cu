// kind: wrong
// expect: fail correct
// One block only: everything past its threads stays unwritten.
__global__ void who(int *id, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) id[i] = i;
}

void hello(int *id, int n) { who<<<1, 128>>>(id, n); }
