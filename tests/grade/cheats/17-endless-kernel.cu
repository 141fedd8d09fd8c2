// lab: vector-add
// expect: fail correct
// expect: finding budget
// A kernel that never ends.
__global__ void spin(float *c) {
    volatile float *v = c;
    while (v[0] != 12345.0f) v[0] = 1.0f;
}
void vector_add(const float *, const float *, float *c, int) { spin<<<1, 32>>>(c); }
