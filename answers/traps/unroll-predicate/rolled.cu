// kind: slow
// expect: fail counter jumps
// expect: met correct
// expect: met counter divergent_jumps_machine
// The promise and the choice, but loops that may not be unrolled.
const int BLOCK = 256, EACH = 8, TERMS = 8;
const float KNEE = 0.5f;

__global__ void tone(const float *__restrict__ in, const float *__restrict__ curve,
                     float *__restrict__ out, int n) {
    int first = blockIdx.x * BLOCK * EACH + threadIdx.x;
#pragma unroll 1
    for (int m = 0; m < EACH; m++) {
        int i = first + m * BLOCK;
        if (i >= n) return;
        float v = in[i], y = 0;
#pragma unroll 1
        for (int k = 0; k < TERMS; k++) {
            float low = curve[k], high = curve[TERMS + k];
            y = y * v + (v < KNEE ? low : high);
        }
        out[i] = y;
    }
}

void unroll_predicate(const float *in, const float *curve, float *out, int n) {
    int block = BLOCK * EACH;
    tone<<<(n + block - 1) / block, BLOCK>>>(in, curve, out, n);
}
