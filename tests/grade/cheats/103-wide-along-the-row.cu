// lab: matmul-naive
// expect: fail counter
// expect: says global_store_sectors is
// threadIdx.x still selects the row; wide loads of A make its sectors few.
__global__ void product(const float *a, const float *b, float *c, int n) {
    int row = blockIdx.x * 16 + threadIdx.x, col = blockIdx.y * 16 + threadIdx.y;
    if (row >= n || col >= n) return;
    float sum = 0;
    int k = 0;
    for (; n % 4 == 0 && k < n; k += 4) {
        float4 four = *(const float4 *)&a[row * n + k];
        sum += four.x * b[k * n + col] + four.y * b[(k + 1) * n + col];
        sum += four.z * b[(k + 2) * n + col] + four.w * b[(k + 3) * n + col];
    }
    for (; k < n; k++) sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
}
void matmul_naive(const float *a, const float *b, float *c, int n) {
    product<<<dim3((n + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(a, b, c, n);
}
