// A register copied by a move that some rounds of a loop jump over keeps the value of the round in which it was copied.
// fast
// expect: 0 of 64 wrong
#include "common.h"
__global__ void last_best(const unsigned *name, const float *score, unsigned *out) {
    int t = threadIdx.x;
    float best = 1e30f;
    unsigned of; // written in the first round, since every score is below 1e30
#pragma unroll 1
    for (int i = 0; i < 16; i++) {
        unsigned n = name[t + 64 * i];
        float s = score[t + 64 * i];
        asm volatile("{.reg .pred q; setp.geu.f32 q,%3,%0; @q bra L%=; mov.u32 %1,%2; mov.f32 %0,%3; L%=: }"
                     : "+f"(best), "+r"(of)
                     : "r"(n), "f"(s));
    }
    out[t] = of;
}
int main() {
    unsigned name[1024], *d_name, *d_out, out[64], wrong = 0, x = 1;
    float score[1024], *d_score;
    for (int i = 0; i < 1024; i++) {
        x = x * 1664525u + 1013904223u;
        name[i] = x;
        score[i] = (float)(x >> 8);
    }
    CK(cudaMalloc(&d_name, sizeof name)), CK(cudaMalloc(&d_score, sizeof score)), CK(cudaMalloc(&d_out, sizeof out));
    CK(cudaMemcpy(d_name, name, sizeof name, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(d_score, score, sizeof score, cudaMemcpyHostToDevice));
    last_best<<<1, 64>>>(d_name, d_score, d_out);
    CK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    for (int t = 0; t < 64; t++) {
        int best = t;
        for (int i = 1; i < 16; i++)
            if (score[t + 64 * i] < score[best]) best = t + 64 * i;
        wrong += out[t] != name[best];
    }
    printf("%u of 64 wrong\n", wrong);
}
