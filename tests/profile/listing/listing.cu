/* tests/profile/listing.sh: lines of whose PTX and machine code the counts and changes are known. */
__global__ void saxpy(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}
__global__ void sixteen(const float *x, float *y) {
    float s = 0;
    for (int k = 0; k < 16; k++)
        s += x[16 * threadIdx.x + k];
    y[threadIdx.x] = s;
}
__global__ void loop(const float *x, float *y, int n) {
    float v = 0;
    for (int k = 0; k < n; k++)
        v += x[k];
    y[threadIdx.x] = 1 / v;
}
__global__ void pair(const float *x, float *y) {
    int i = 2 * threadIdx.x;
    y[threadIdx.x] = x[i] + x[i + 1];
}
int main() {
    float *x, *y;
    cudaMalloc(&x, 16384), cudaMalloc(&y, 16384);
    cudaMemset(x, 0, 16384), cudaMemset(y, 0, 16384);
    saxpy<<<8, 256>>>(2000, 2, x, y);
    saxpy<<<8, 256>>>(2000, 2, x, y);
    sixteen<<<1, 256>>>(x, y);
    loop<<<1, 32>>>(x, y, 5);
    pair<<<1, 32>>>(x, y);
    cudaDeviceSynchronize();
    cudaFree(x), cudaFree(y);
}
