// lab: matmul-naive
// expect: fail speedup
// threadIdx.x still selects the row. Wide loads of both matrices make the sectors few, but a request still touches many lines.
__global__ void product(const float *a, const float *b, float *c, int n) {
    int row = blockIdx.x * 16 + threadIdx.x, col = 4 * (blockIdx.y * 8 + threadIdx.y);
    if (row >= n || col >= n) return;
    float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    if (n % 4 == 0) {
        for (int k = 0; k < n; k += 4) {
            float4 x = *(const float4 *)&a[row * n + k];
            float p[4] = {x.x, x.y, x.z, x.w};
#pragma unroll
            for (int j = 0; j < 4; j++) {
                float4 y = *(const float4 *)&b[(k + j) * n + col];
                s0 += p[j] * y.x, s1 += p[j] * y.y, s2 += p[j] * y.z, s3 += p[j] * y.w;
            }
        }
        *(float4 *)&c[row * n + col] = {s0, s1, s2, s3};
    } else
        for (int j = col; j < col + 4 && j < n; j++) {
            float s = 0;
            for (int k = 0; k < n; k++) s += a[row * n + k] * b[k * n + j];
            c[row * n + j] = s;
        }
}
void matmul_naive(const float *a, const float *b, float *c, int n) {
    product<<<dim3((n + 15) / 16, (n + 31) / 32), dim3(16, 8)>>>(a, b, c, n);
}
