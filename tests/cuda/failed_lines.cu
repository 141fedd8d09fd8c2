// Calls that fail, told with the line of the program's source that made them: where it has line tables of its host code.
// flags: -O1 -Xcompiler -g1,-gstatement-frontiers
// sim only
// status: 139
// finding: host-deref
// stderr: finding: call: failed_lines.cu:18: the launch of k (cudaLaunchKernel) failed with cudaErrorInvalidValue: 2,048 threads a block
// stderr: finding: call: failed_lines.cu:19: cudaMemcpy failed with cudaErrorInvalidMemcpyDirection
// stderr: finding: call: failed_lines.cu:13: cudaMalloc failed with cudaErrorMemoryAllocation
// stderr: finding: call: failed_lines.cu:22: cudaMalloc failed with cudaErrorMemoryAllocation
// stderr: finding: call: failed_lines.cu:24: the launch of k (cudaLaunchKernel) failed with cudaErrorInvalidValue: grid.x is 0
// stderr: finding: host-deref: failed_lines.cu:25: host code wrote device memory
__global__ void k(int *p) { p[threadIdx.x] = 1; }
static void deeper(void **p) { cudaMalloc(p, 1ull << 50); }

int main() {
    int *d, h = 0;
    cudaMalloc(&d, 8192);
    k<<<1, 2048>>>(d);
    cudaMemcpy(&h, d, 4, (cudaMemcpyKind)9);
    deeper((void **)&d);
    float *x;
    cudaMalloc(&x, 1ull << 51);
    void *args[] = {&d};
    cudaLaunchKernel((void *)k, dim3(0), dim3(1), args, 0, 0);
    *d = 3;
}
