// kind: cheat
// expect: fail correct
// Cheats: the inputs are spread evenly around zero, so it answers with the expected sum.
__global__ void zeros(int *out, int blocks) {
    int b = blockIdx.x * 256 + threadIdx.x;
    if (b < blocks) out[b] = 0;
}

void reduce(const int *, int *out, int n) {
    int blocks = (n + 255) / 256;
    zeros<<<(blocks + 255) / 256, 256>>>(out, blocks);
}
