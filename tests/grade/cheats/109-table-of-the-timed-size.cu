// lab: hello
// options: --secret 77
// expect: fail correct
// The answers are in a constant table of the public timed size.
#define R4(x) x, x + 1, x + 2, x + 3
#define R16(x) R4(x), R4(x + 4), R4(x + 8), R4(x + 12)
#define R64(x) R16(x), R16(x + 16), R16(x + 32), R16(x + 48)
#define R256(x) R64(x), R64(x + 64), R64(x + 128), R64(x + 192)
#define R1K(x) R256(x), R256(x + 256), R256(x + 512), R256(x + 768)
#define R4K(x) R1K(x), R1K(x + 1024), R1K(x + 2048), R1K(x + 3072)
#define R16K(x) R4K(x), R4K(x + 4096), R4K(x + 8192), R4K(x + 12288)
__device__ const int table[65536] = {R16K(0), R16K(16384), R16K(32768), R16K(49152)};
__global__ void who(int *id, int n) {
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i < n) id[i] = table[i];
}
void hello(int *id, int n) { who<<<(n + 127) / 128, 128>>>(id, n); }
