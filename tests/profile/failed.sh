#!/bin/bash
# A launch that fails and that the program does not look at: `profile` says which limit it broke, on
# screen in both languages and as JSON. Of a launch that does not run to its end, although its
# machine code would, it says that this is why it is timed by its counters.
. "$(dirname "$0")/../lib.sh"
export WARPLAB_DEVICE=sim:h200
cat >"$T/failed.cu" <<'CU'
__global__ void store(int *p) { p[threadIdx.x] = 1; }
int main() {
    int *d;
    cudaMalloc(&d, 8192);
    store<<<1, 2048>>>(d);
    cudaFree(d);
}
CU
LIMIT=120
run "$W" profile --lang en "$T/failed.cu"
has "! failed.cu:5: the launch of store (cudaLaunchKernel) failed with cudaErrorInvalidValue: 2,048 threads a block; sim:h200 holds 1,024" "on screen, in English"
run "$W" profile --lang zh "$T/failed.cu"
has "! failed.cu 第 5 行：启动核函数 store（cudaLaunchKernel）失败，错误 cudaErrorInvalidValue：每块 2,048 个线程；sim:h200 最多 1,024" "on screen, in Chinese"
run "$W" profile --json=- "$T/failed.cu"
has '{"failed_calls":[{"kind":"call","text":"failed.cu:5: the launch of store (cudaLaunchKernel) failed' "as JSON"
has '"kernel":"store"' "and whose it is"
cat >"$T/below.cu" <<'CU'
__global__ void below(int *o, int i) {
    int a[4] = {1, 2, 3, 4};
    a[(i + threadIdx.x) & 3] = 5;
    o[threadIdx.x] = a[i];
}
int main() {
    int *d;
    cudaMalloc(&d, 4096);
    below<<<1, 32>>>(d, -1);
    cudaDeviceSynchronize();
}
CU
run "$W" profile --lang en "$T/below.cu"
has "timed by its counters: the launch did not run to its end" "why a launch that ends early is timed by its counters"
run "$W" profile --lang zh "$T/below.cu"
has "用时按计数器估算：这次启动没有执行到底" "and in Chinese"
run "$W" profile --json=- "$T/below.cu"
has '"timed_by_why":"the launch did not run to its end"' "and as JSON"
finish
