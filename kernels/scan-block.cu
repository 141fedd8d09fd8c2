// The baseline of scan-block: in its rounds, every element adds the element that is 1, 2, 4 ... places to its left. There are few rounds, but each
// round has nearly as many additions as there are elements, and two barriers.
const int BLOCK = 512;

__global__ void scan(const int *in, int *out, int n) {
    __shared__ int a[BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    a[t] = i < n ? in[i] : 0;
    for (int s = 1; s < BLOCK; s *= 2) { // log2(BLOCK) rounds, nearly BLOCK additions in each
        __syncthreads();
        int left = t >= s ? a[t - s] : 0;
        __syncthreads();
        a[t] += left;
    }
    if (i < n) out[i] = a[t];
}

void scan_block(const int *in, int *out, int n) { scan<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, n); }
