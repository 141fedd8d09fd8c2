// lab: vector-add
// options: --time-limit 5
// expect: fail correct
// The largest grid there is, so that counters overflow, or nobody waits for its end.
__global__ void nothing(float *c) {
    if (blockIdx.y == 70000) *c = 1;
}
void vector_add(const float *, const float *, float *c, int) { nothing<<<dim3(2147483647, 65535, 65535), 1024>>>(c); }
