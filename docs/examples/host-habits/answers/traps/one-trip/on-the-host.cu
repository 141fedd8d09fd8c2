// kind: cheat
// expect: fail counter launches
// The host does it all.
__global__ void smooth(float *v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] = 0.5f * v[i] + 1;
}

void one_trip(const float *x, float *y, int n, int passes) {
    for (int i = 0; i < n; i++) {
        float v = x[i];
        for (int p = 0; p < passes; p++) v = 0.5f * v + 1;
        y[i] = v;
    }
}
