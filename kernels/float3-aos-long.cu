// The same arithmetic on structs of 25 floats (100 bytes), one struct per thread. In each access, neighbouring lanes are 100 bytes
// apart, so each lane touches a sector of its own. float3-aos compares float3-aos-long-staged.cu with this kernel.
const int BLOCK = 64, FIELDS = 25;

__global__ void add(const float *in, float *out, float d, int count) {
    int first = (blockIdx.x * BLOCK + threadIdx.x) * FIELDS;
    for (int f = 0; f < FIELDS; f++)
        if (first + f < count) out[first + f] = in[first + f] + d;
}

void shift(const float *in, float *out, float d, int n) {
    int count = 3 * n, each = BLOCK * FIELDS;
    add<<<(count + each - 1) / each, BLOCK>>>(in, out, d, count);
}
