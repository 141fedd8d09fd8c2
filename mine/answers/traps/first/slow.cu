// kind: slow
// expect: fail counter active_lanes_avg
// expect: met correct
// Correct, but a loop on one lane.
__global__ void scale(const float *x, float *y, float factor, int n) {
    for (int i = 0; i < n; i++) y[i] = factor * x[i];
}
void first(const float *x, float *y, float factor, int n) { scale<<<1, 1>>>(x, y, factor, n); }
