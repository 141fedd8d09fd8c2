// Structs of 25 floats as in float3-aos-long.cu, staged through shared memory: neighbouring lanes copy neighbouring floats of the
// block's 64 structs, and each thread changes its own struct in shared memory. 25 is odd, so no two lanes use the same bank.
const int BLOCK = 64, FIELDS = 25;

__global__ void add(const float *in, float *out, float d, int count) {
    __shared__ float s[BLOCK * FIELDS];
    int first = blockIdx.x * BLOCK * FIELDS, mine = min(BLOCK * FIELDS, count - first);
    for (int k = threadIdx.x; k < mine; k += BLOCK) s[k] = in[first + k];
    __syncthreads();
    for (int f = threadIdx.x * FIELDS; f < min(mine, (int)(threadIdx.x + 1) * FIELDS); f++) s[f] += d;
    __syncthreads();
    for (int k = threadIdx.x; k < mine; k += BLOCK) out[first + k] = s[k];
}

void shift(const float *in, float *out, float d, int n) {
    int count = 3 * n, each = BLOCK * FIELDS;
    add<<<(count + each - 1) / each, BLOCK>>>(in, out, d, count);
}
