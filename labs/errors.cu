// errors: out[i] = in[i] * in[i]. The program that calls this prints nothing
// but zeros.
// zh: out[i] = in[i] * in[i]。但调用它的程序打印出来的全是零。
#include <cstdio>

__global__ void square(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) out[i] = in[i] * in[i];
}

void errors(const float *in, float *out, int n) {
    // TODO: nobody looks at what the runtime says. Ask it (cudaGetLastError,
    // cudaGetErrorString) after the launch, read the answer, and mend what it
    // complains about. There are two mistakes.
    // zh: TODO：没有人理会运行时的回话。请在启动之后询问它（cudaGetLastError、
    // zh: cudaGetErrorString），读懂回答，改正它抱怨的问题。一共有两处错误。
    square<<<(n + 2047) / 2048, 2048>>>(in, out, n);
}
