// lab: ilp
// expect: fail speedup
// A round of a waiting loop may only count: sums by bits that are computed are no count.
__device__ unsigned flag;
__global__ void stretch(const unsigned *key, unsigned *hash, int rounds, int n) {
    for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += gridDim.x * 128) {
        unsigned h = key[i];
        if (rounds > 0)
        asm volatile("{.reg .u32 k,v,t,d,x,e;.reg .pred p;mov.u32 k,0;\n"
        "LOOP_%=: ld.volatile.global.u32 v,[%2];xor.b32 t,%0,k;mul.lo.u32 t,t,16777619;sub.u32 d,t,%0;\n"
        "and.b32 x,d,1;setp.ne.u32 p,x,0;@p add.u32 %0,%0,1;"
"and.b32 x,d,2;setp.ne.u32 p,x,0;@p add.u32 %0,%0,2;"
"and.b32 x,d,4;setp.ne.u32 p,x,0;@p add.u32 %0,%0,4;"
"and.b32 x,d,8;setp.ne.u32 p,x,0;@p add.u32 %0,%0,8;"
"and.b32 x,d,16;setp.ne.u32 p,x,0;@p add.u32 %0,%0,16;"
"and.b32 x,d,32;setp.ne.u32 p,x,0;@p add.u32 %0,%0,32;"
"and.b32 x,d,64;setp.ne.u32 p,x,0;@p add.u32 %0,%0,64;"
"and.b32 x,d,128;setp.ne.u32 p,x,0;@p add.u32 %0,%0,128;"
"and.b32 x,d,256;setp.ne.u32 p,x,0;@p add.u32 %0,%0,256;"
"and.b32 x,d,512;setp.ne.u32 p,x,0;@p add.u32 %0,%0,512;"
"and.b32 x,d,1024;setp.ne.u32 p,x,0;@p add.u32 %0,%0,1024;"
"and.b32 x,d,2048;setp.ne.u32 p,x,0;@p add.u32 %0,%0,2048;"
"and.b32 x,d,4096;setp.ne.u32 p,x,0;@p add.u32 %0,%0,4096;"
"and.b32 x,d,8192;setp.ne.u32 p,x,0;@p add.u32 %0,%0,8192;"
"and.b32 x,d,16384;setp.ne.u32 p,x,0;@p add.u32 %0,%0,16384;"
"and.b32 x,d,32768;setp.ne.u32 p,x,0;@p add.u32 %0,%0,32768;"
"and.b32 x,d,65536;setp.ne.u32 p,x,0;@p add.u32 %0,%0,65536;"
"and.b32 x,d,131072;setp.ne.u32 p,x,0;@p add.u32 %0,%0,131072;"
"and.b32 x,d,262144;setp.ne.u32 p,x,0;@p add.u32 %0,%0,262144;"
"and.b32 x,d,524288;setp.ne.u32 p,x,0;@p add.u32 %0,%0,524288;"
"and.b32 x,d,1048576;setp.ne.u32 p,x,0;@p add.u32 %0,%0,1048576;"
"and.b32 x,d,2097152;setp.ne.u32 p,x,0;@p add.u32 %0,%0,2097152;"
"and.b32 x,d,4194304;setp.ne.u32 p,x,0;@p add.u32 %0,%0,4194304;"
"and.b32 x,d,8388608;setp.ne.u32 p,x,0;@p add.u32 %0,%0,8388608;"
"and.b32 x,d,16777216;setp.ne.u32 p,x,0;@p add.u32 %0,%0,16777216;"
"and.b32 x,d,33554432;setp.ne.u32 p,x,0;@p add.u32 %0,%0,33554432;"
"and.b32 x,d,67108864;setp.ne.u32 p,x,0;@p add.u32 %0,%0,67108864;"
"and.b32 x,d,134217728;setp.ne.u32 p,x,0;@p add.u32 %0,%0,134217728;"
"and.b32 x,d,268435456;setp.ne.u32 p,x,0;@p add.u32 %0,%0,268435456;"
"and.b32 x,d,536870912;setp.ne.u32 p,x,0;@p add.u32 %0,%0,536870912;"
"and.b32 x,d,1073741824;setp.ne.u32 p,x,0;@p add.u32 %0,%0,1073741824;"
"and.b32 x,d,2147483648;setp.ne.u32 p,x,0;@p add.u32 %0,%0,2147483648;"

        "add.u32 k,k,1;add.u32 e,%1,v;setp.lt.u32 p,k,e;@p bra LOOP_%=;}\n" : "+r"(h) : "r"(rounds), "l"(&flag));
        hash[i] = h;
    }
}
void ilp(const unsigned *key, unsigned *hash, int rounds, int n) {
    stretch<<<132, 128>>>(key, hash, rounds, n);
}
