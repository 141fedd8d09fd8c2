// The baseline of float3-aos: one thread per point. A float3 has 12 bytes, so a thread makes three accesses of 4 bytes. In each of
// them, neighbouring lanes are 12 bytes apart.
const int BLOCK = 256;

__global__ void add(const float3 *in, float3 *out, float d, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    float3 p = in[i];
    p.x += d, p.y += d, p.z += d;
    out[i] = p;
}

void shift(const float *in, float *out, float d, int n) {
    add<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>((const float3 *)in, (float3 *)out, d, n);
}
