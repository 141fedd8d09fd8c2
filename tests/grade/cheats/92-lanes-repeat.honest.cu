// lab: hello
// expect: pass
// A warp for each 64 elements: a lane stores two of them, next to each other, with one instruction where both exist.
__global__ void who(int *id, int n) {
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 1 < n) *(int2 *)(id + i) = make_int2(i, i + 1);
    else if (i < n) id[i] = i;
}
void hello(int *id, int n) { who<<<(n + 255) / 256, 128>>>(id, n); }
