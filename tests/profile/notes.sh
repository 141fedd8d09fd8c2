#!/bin/bash
# What the device says on a program's stderr is said in the language asked for: by the library in
# the program (a call that is not supported), and by the device server (a failed assertion).
. "$(dirname "$0")/../lib.sh"
export WARPLAB_DEVICE=sim:h200
cat >"$T/notes.cu" <<'CU'
#include <cassert>
__global__ void fails(int n) { assert(n > 1); }
__global__ void idle() {}
int main() {
    int here;
    idle<<<1, 32>>>();
    cudaHostRegister(&here, sizeof here, 0);
    fails<<<1, 1>>>(1);
    cudaDeviceSynchronize();
}
CU
LIMIT=120
run "$W" profile --lang en "$T/notes.cu"
has "warplab: cudaHostRegister: memory on the stack is not supported; allocate it with malloc" "the library, in English"
has "warplab: Assertion failed: " "the device server, in English"
run "$W" profile --lang zh "$T/notes.cu"
has "warplab: cudaHostRegister：不支持栈上的内存；请用 malloc 分配" "the library, in Chinese"
has "notes.cu 第 2 行：核函数 fails 中，块 0 的线程 0 的断言 \`n > 1\` 不成立（" "the device server, in Chinese"
has "warplab: 断言失败：" "and what it is"
has "断言 \`n > 1\` 不成立（" "and the finding"
lacks "Assertion failed" "nor in English"
has "启动开销" "what limits a kernel, in Chinese"
run "$W" devices --lang zh
lacks ", " "devices: no half-width comma among Chinese words"
run env LANG=zh_CN.UTF-8 "$W" profile "$T/notes.cu"
has "不支持栈上的内存" "the library, by locale"
has "断言失败" "the device server, by locale"
finish
