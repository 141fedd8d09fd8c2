// errors: irregular control flow: goto into a loop, a switch that falls through
__global__ void square(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, rounds = i % 5;
    float sum = 0;
    if (i >= n) return;
    if (i % 2) goto inside;
    while (rounds-- > 0) {
        sum += 1;
    inside:
        sum -= 0;
    }
    switch (i % 4) {
    case 0: sum = 0;
    case 1: sum = in[i]; break;
    case 2: sum = -in[i]; break;
    default: sum = in[i];
    }
    out[i] = sum * sum;
}

void errors(const float *in, float *out, int n) {
    square<<<(n + 255) / 256, 256>>>(in, out, n);
}
