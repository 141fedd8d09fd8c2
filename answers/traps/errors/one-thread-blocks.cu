// kind: slow
// expect: fail counter active_lanes_avg
// expect: met correct
// The launch is possible now, but with one thread to a block: 31 of 32 lanes have nothing to do.
__global__ void square(const float *in, float *out, int n) {
    int i = blockIdx.x;
    if (i < n) out[i] = in[i] * in[i];
}

void errors(const float *in, float *out, int n) { square<<<n, 1>>>(in, out, n); }
