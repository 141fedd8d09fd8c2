// kind: slow
// expect: fail counter all_load_bytes
// expect: met correct
// expect: met counter divergent_jumps_machine
// Chooses before it loads: the address depends on the element, and the load cannot leave the loop.
const int BLOCK = 256, EACH = 8, TERMS = 8;
const float KNEE = 0.5f;

__global__ void tone(const float *__restrict__ in, const float *__restrict__ curve,
                     float *__restrict__ out, int n) {
    int first = blockIdx.x * BLOCK * EACH + threadIdx.x;
#pragma unroll
    for (int m = 0; m < EACH; m++) {
        int i = first + m * BLOCK;
        if (i >= n) return;
        float v = in[i], y = 0;
#pragma unroll
        for (int k = 0; k < TERMS; k++) {
            y = y * v + (v < KNEE ? curve[k] : curve[TERMS + k]);
        }
        out[i] = y;
    }
}

void unroll_predicate(const float *in, const float *curve, float *out, int n) {
    int block = BLOCK * EACH;
    tone<<<(n + block - 1) / block, BLOCK>>>(in, curve, out, n);
}
