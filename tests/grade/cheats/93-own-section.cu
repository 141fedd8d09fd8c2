// lab: memory-api
// expect: compile
// Device code of the submission's own, in no file of the compiler: assembly of the host writes a fat binary into the section of those that the compiler made, and the runtime loads it from there. Its machine code could be another program than its PTX.
#include <cuda_runtime.h>
asm(".pushsection .nv_fatbin,\"a\"\n.align 8\n.globl forged\nforged: .quad 0x100001ba55ed50,0x228,0x4001010001,0x1e8,0x0,0x5000090000,0x0,0x11,0x0,0x0,0x6e6f69737265762e,0x61742e0a302e3920,0x5f6d732074656772,0x726464612e0a3038,0x657a69735f737365,0x7369762e0a343620,0x6e652e20656c6269,0x5f64646120797274,0x7261702e28656e6f,0x203436752e206d61,0x617261702e202c76,0x6e203233752e206d,0x6765722e0a7b2029,0x7225203436622e20,0x65722e203b3e393c,0x25203233622e2067,0x722e203b3e393c69,0x203233662e206765,0x2e203b3e343c6625,0x6572702e20676572,0x6f6d0a3b70252064,0x6925203233752e76,0x6961746325202c31,0x766f6d203b782e64,0x326925203233752e,0x2e6469746e25202c,0x752e766f6d203b78,0x202c336925203233,0x203b782e64697425,0x732e6f6c2e64616d,0x202c346925203233,0x326925202c316925,0x6c0a3b336925202c,0x2e6d617261702e64,0x2c35692520323375,0x6573203b5d6e5b20,0x33732e65672e7074,0x6925202c70252032,0x203b356925202c34,0x3b74657220702540,0x617261702e646c0a,0x7225203436752e6d,0x203b5d765b202c31,0x656469772e6c756d,0x347225203233732e,0x34202c346925202c,0x36732e646461203b,0x25202c3572252034,0x3b347225202c3172,0x626f6c672e646c0a,0x25203233662e6c61,0x3572255b202c3266,0x662e646461203b5d,0x202c336625203233,0x336630202c326625,0x3b30303030303866,0x626f6c672e747320,0x5b203233662e6c61,0x6625202c5d357225,0xa3b746572203b33,0xa7d\n.popsection");
extern "C" const unsigned long long forged[];
__global__ void unused() {}
void memory_api(const float *in, float *out, int n) {
    static cudaLibrary_t lib;
    static cudaKernel_t k;
    if (!lib) {
        cudaLibraryLoadData(&lib, forged, 0, 0, 0, 0, 0, 0);
        cudaLibraryGetKernel(&k, lib, "add_one");
    }
    float *v;
    cudaMalloc(&v, n * sizeof(float));
    cudaMemcpy(v, in, n * sizeof(float), cudaMemcpyHostToDevice);
    void *args[] = {&v, &n};
    cudaLaunchKernel((const void *)k, dim3((n + 255) / 256), dim3(256), args, 0, 0);
    cudaMemcpy(out, v, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(v);
}
