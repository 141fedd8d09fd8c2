// lab: granularity
// expect: fail counter
// expect: says arithmetic is
// Wide loads make the reads few, but each window is added up from its 129 elements.
const int BLOCK = 128, OUT = 512, TILE = OUT + 128;
__global__ void window(const int *x, int *y, int n) {
    __shared__ __align__(16) int tile[TILE];
    int first = blockIdx.x * OUT - 64;
    for (int k = threadIdx.x; k < TILE; k += BLOCK) {
        int i = first + k;
        tile[k] = i >= 0 && i < n ? x[i] : 0;
    }
    __syncthreads();
    int t = threadIdx.x;
    const int4 *p = (const int4 *)tile + t;
    int s[4] = {};
    int4 a = p[0];
    s[0] += a.x + a.y + a.z + a.w, s[1] += a.y + a.z + a.w, s[2] += a.z + a.w, s[3] += a.w;
    for (int k = 1; k < 32; k++) {
        a = p[k];
        s[0] += a.x, s[0] += a.y, s[0] += a.z, s[0] += a.w;
        s[1] += a.x, s[1] += a.y, s[1] += a.z, s[1] += a.w;
        s[2] += a.x, s[2] += a.y, s[2] += a.z, s[2] += a.w;
        s[3] += a.x, s[3] += a.y, s[3] += a.z, s[3] += a.w;
    }
    a = p[32];
    s[0] += a.x, s[1] += a.x + a.y, s[2] += a.x + a.y + a.z, s[3] += a.x + a.y + a.z + a.w;
    int i = blockIdx.x * OUT + 4 * t;
    if (i + 3 < n) *(int4 *)(y + i) = {s[0], s[1], s[2], s[3]};
    else for (int k = 0; k < 4; k++) if (i + k < n) y[i + k] = s[k];
}
void granularity(const int *x, int *y, int n) { window<<<(n + OUT - 1) / OUT, BLOCK>>>(x, y, n); }
