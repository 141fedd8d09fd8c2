#!/bin/bash
# profile FILE.cu ARG... -- FLAG...: nvcc gets the flags, the program the arguments. What limits
# occupancy, and local traffic, in the table.
. "$(dirname "$0")/../lib.sh"
work=$T/flags
LIMIT=200
mkdir "$work"
mkdir "$work/include"
echo '#define MANY 40' >"$work/include/many.h"
cat >"$work/flags.cu" <<'EOF'
#include <cstdio>
#include <many.h>
__global__ void __launch_bounds__(64) local(const int *in, int *out) {
    __shared__ char room[SHARED];
    int a[MANY];
    for (int i = 0; i < MANY; i++) a[i] = in[i];
    room[threadIdx.x] = 1;
    out[threadIdx.x] = a[in[threadIdx.x % MANY]] + room[threadIdx.x];
}
int main(int argc, char **argv) {
    int *in, *out;
    cudaMalloc(&in, 160), cudaMalloc(&out, 256), cudaMemset(in, 0, 160);
    local<<<1, 64>>>(in, out);
    cudaFree(in), cudaFree(out);
    printf("arguments");
    for (int i = 1; i < argc; i++) printf(" %s", argv[i]);
    puts("");
}
EOF
cd "$work" || exit 1
run "$W" profile flags.cu one -x -- -I include -DSHARED=40000
has "arguments one -x" "a folder of headers, and the program's arguments"
has "occupancy limited by shared memory" "the limit of occupancy"
# Each of 64 threads stores 40 words and loads one.
has "local memory (spilled registers, indexed arrays): 256 bytes read, 0.0102 MB written" "traffic to local memory"
run "$W" profile --lang zh flags.cu -- -I include -DSHARED=64
has "局部内存（溢出的寄存器、按下标访问的数组）" "the same in Chinese"
lacks "共享内存限制" "other flags are another program"
# What ptxas is told decides about registers, and so about occupancy: 24 of them leave room for
# 2,048 threads (65,536 / 24 = 2,730).
cat >"$work/many.cu" <<'EOF'
#include <cstdio>
__global__ void many(const float *in, float *out, int n) {
    float a[40], s = 0;
    for (int i = 0; i < 40; i++) a[i] = in[threadIdx.x + i * 256];
    for (int k = 0; k < n; k++)
        for (int i = 0; i < 40; i++) a[i] = a[i] * a[(i + 7) % 40] + k;
    for (int i = 0; i < 40; i++) s += a[i];
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
int main() {
    float *in, *out;
    cudaFuncAttributes a;
    cudaMalloc(&in, 40 * 256 * 4), cudaMalloc(&out, 1024 * 256 * 4), cudaMemset(in, 0, 40 * 256 * 4);
    many<<<1024, 256>>>(in, out, 10);
    cudaFuncGetAttributes(&a, many);
    printf("limited %d, local %d\n", a.numRegs <= 24, a.localSizeBytes > 0);
    cudaFree(in), cudaFree(out);
}
EOF
run "$W" profile --device sim:h200 --json many.json many.cu
has "limited 0, local 0" "without a limit: more than 24 registers"
is "$(json many.json 'j["counters"]["occupancy_pct"]')" 62.5 "and 5 blocks of 256 threads in a multiprocessor"
for flag in -maxrregcount=24 "-maxrregcount 24" "-Xptxas -maxrregcount=24"; do
    # shellcheck disable=SC2086 # several words
    run "$W" profile --device sim:h200 --json many.json many.cu -- $flag
    has "limited 1, local 1" "$flag: at most 24 registers, and the rest in memory"
    is "$(json many.json 'j["counters"]["occupancy_pct"]')" 100.0 "$flag: occupancy"
    is "$(json many.json 'j["registers"] <= 24')" True "$flag: registers of the report"
done
run "$W" profile flags.cu
status_is 1 "without them it does not build"
for flag in -o -ptx --run -arch=sm_80 --compiler-bindir=/bin -rdc=true -ccbin; do
    run "$W" profile flags.cu -- "$flag"
    status_is 2 "$flag is refused"
    has "nvcc cannot take $flag here" "$flag is named"
done
finish
