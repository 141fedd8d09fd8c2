// lab: reduce-open
// expect: fail correct
// The sums of a warp are shorts.
const unsigned BLOCK = 256;
__device__ short warp_sum(short m) { for (int s = 16; s > 0; s /= 2) m += (short)__shfl_down_sync(~0u, (int)m, s); return m; }
__global__ void add_up(const int *in, int *total, int n) {
    __shared__ short sum[BLOCK / 32];
    unsigned tid = threadIdx.x; short mine = 0;
    const int4 *in4 = (const int4 *)in; int n4 = n / 4, step = BLOCK * gridDim.x, i = blockIdx.x * BLOCK + tid;
    for (; i + 3 * step < n4; i += 4 * step) {
        int4 v[4];
#pragma unroll
        for (int k = 0; k < 4; k++) v[k] = in4[i + k * step];
#pragma unroll
        for (int k = 0; k < 4; k++) mine += v[k].x + v[k].y + v[k].z + v[k].w;
    }
    for (; i < n4; i += step) { int4 v = in4[i]; mine += v.x + v.y + v.z + v.w; }
    if (blockIdx.x == 0 && tid < n % 4) mine += in[n4 * 4 + tid];
    mine = warp_sum(mine);
    if (tid % 32 == 0) sum[tid / 32] = mine;
    __syncthreads();
    if (tid == 0) { int s = 0; for (int w = 0; w < BLOCK / 32; w++) s += sum[w]; atomicAdd(total, s); }
}
void reduce(const int *in, int *total, int n) {
    int need = (n / 4 + BLOCK - 1) / BLOCK, enough = 1056; if (need < 1) need = 1;
    cudaMemsetAsync(total, 0, sizeof(int));
    add_up<<<need < enough ? need : enough, BLOCK>>>(in, total, n);
}
