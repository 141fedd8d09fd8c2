// lab: ilp
// expect: fail speedup
// What a round computes lies in shared memory, hash and count in one word; its registers are the same at each end.
__global__ void stretch(const unsigned *key, unsigned *hash, int rounds, int n) {
    __shared__ uint2 state[128];
    unsigned at = (unsigned)__cvta_generic_to_shared(&state[threadIdx.x]);
    for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += gridDim.x * 128) {
        state[threadIdx.x] = make_uint2(key[i], 0);
        if (rounds > 0)
        asm volatile("{.reg .u32 h,k;.reg .b64 x;.reg .pred p;\n"
        "LOOP_%=: ld.volatile.shared.b64 x,[%0];mov.b64 {h,k},x;xor.b32 h,h,k;mul.lo.u32 h,h,16777619;add.u32 k,k,1;\n"
        "mov.b64 x,{h,k};st.volatile.shared.b64 [%0],x;setp.lt.u32 p,k,%1;mov.u32 h,0;mov.u32 k,0;mov.b64 x,0;@p bra LOOP_%=;}\n" :: "r"(at), "r"(rounds) : "memory");
        hash[i] = state[threadIdx.x].x;
    }
}
void ilp(const unsigned *key, unsigned *hash, int rounds, int n) { stretch<<<132, 128>>>(key, hash, rounds, n); }
