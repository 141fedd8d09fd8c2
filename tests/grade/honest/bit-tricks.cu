// errors: unions, bit casts, byte permutes and byte-wise stores
__global__ void square(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    union {
        float f;
        unsigned char b[4];
    } u;
    if (i >= n) return;
    unsigned bits = __float_as_uint(in[i]) & 0x7fffffff;
    u.f = __uint_as_float(__byte_perm(bits, 0, 0x3210));
    u.f *= u.f;
    for (int k = 0; k < 4; k++) ((unsigned char *)&out[i])[k] = u.b[k];
}

void errors(const float *in, float *out, int n) {
    square<<<(n + 255) / 256, 256>>>(in, out, n);
}
