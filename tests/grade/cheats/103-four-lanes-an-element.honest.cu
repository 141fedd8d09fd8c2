// lab: hello
// expect: pass
// Each thread writes four elements of its own at once.
__global__ void who(int *id, int n) {
    int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 3 < n) *(int4 *)(id + i) = make_int4(i, i + 1, i + 2, i + 3);
    else
        for (; i < n; i++) id[i] = i;
}
void hello(int *id, int n) { who<<<(n + 511) / 512, 128>>>(id, n); }
