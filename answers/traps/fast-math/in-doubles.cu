// kind: slow
// on: sim:t4
// expect: fail speedup
// expect: met correct
// expect: met counter warp_inst
// Reduces in doubles, of which a T4 does two a cycle.

const int BLOCK = 256;

__device__ float within_a_turn(float x) {
    double k = rint(x * 0.15915494309189535);
    return (float)(x - k * 6.283185307179586);
}

__global__ void waves(const float *near, const float *far, const float *power, float *out,
                      int terms, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int k = 0; k < terms; k++) {
        float wave = __sinf(near[i] + 0.125f * k) + __sinf(within_a_turn(far[i] + 512.0f * k));
        sum += wave * rsqrtf(power[i] + k);
    }
    out[i] = sum;
}

void fast_math(const float *near, const float *far, const float *power, float *out, int terms,
               int n) {
    waves<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(near, far, power, out, terms, n);
}
