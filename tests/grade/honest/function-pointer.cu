// errors: the operation is called through a table of device functions
typedef float (*operation)(float);
__device__ float same(float x) { return x; }
__device__ float twice(float x) { return x * x; }
__device__ operation table[2] = {same, twice};

__global__ void square(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = table[1 + (n < 0)](in[i]);
}

void errors(const float *in, float *out, int n) {
    square<<<(n + 255) / 256, 256>>>(in, out, n);
}
