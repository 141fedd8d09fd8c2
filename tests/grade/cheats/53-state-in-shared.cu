// lab: ilp
// expect: fail speedup
// What a round computes lies in shared memory; its registers are the same at each end.
__global__ void stretch(const unsigned *key, unsigned *hash, int rounds, int n) {
    __shared__ unsigned hs[128], ks[128];
    unsigned a = (unsigned)__cvta_generic_to_shared(&hs[threadIdx.x]), b = (unsigned)__cvta_generic_to_shared(&ks[threadIdx.x]);
    for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += gridDim.x * 128) {
        hs[threadIdx.x] = key[i]; ks[threadIdx.x] = 0;
        if (rounds > 0)
        asm volatile("{.reg .u32 h,k;.reg .pred p;\n"
        "LOOP_%=: ld.volatile.shared.u32 h,[%0];ld.volatile.shared.u32 k,[%1];xor.b32 h,h,k;mul.lo.u32 h,h,16777619;\n"
        "st.volatile.shared.u32 [%0],h;add.u32 k,k,1;st.volatile.shared.u32 [%1],k;setp.lt.u32 p,k,%2;mov.u32 h,0;mov.u32 k,0;@p bra LOOP_%=;}\n" :: "r"(a), "r"(b), "r"(rounds) : "memory");
        hash[i] = hs[threadIdx.x];
    }
}
void ilp(const unsigned *key, unsigned *hash, int rounds, int n) { stretch<<<132, 128>>>(key, hash, rounds, n); }
