// lab: hello
// expect: fail counter
// expect: says repeated_store_bytes is
// All lanes are active, but four of them write the same number to the same element.
__global__ void who(int *id, int n) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) / 4;
    if (i < n) id[i] = i;
}
void hello(int *id, int n) { who<<<(n + 31) / 32, 128>>>(id, n); }
