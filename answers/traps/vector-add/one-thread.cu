// kind: slow
// expect: fail counter active_lanes_avg
// expect: met correct
// Correct for every n, but it is a loop on one lane: 31 of 32 lanes never
// work.
__global__ void add(const float *a, const float *b, float *c, int n) {
    for (int i = 0; i < n; i++) c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) { add<<<1, 1>>>(a, b, c, n); }
