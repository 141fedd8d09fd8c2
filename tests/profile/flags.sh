#!/bin/bash
# profile FILE.cu ARG... -- FLAG...: nvcc gets the flags, the program the arguments. What limits occupancy, and local traffic, in the table.
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
has "local memory (spilled registers, indexed arrays): 0." "traffic to local memory"
run "$W" profile --lang zh flags.cu -- -I include -DSHARED=64
has "局部内存（溢出的寄存器、按下标访问的数组）" "the same in Chinese"
lacks "共享内存限制" "other flags are another program"
run "$W" profile flags.cu
status_is 1 "without them it does not build"
for flag in -o -ptx --run -arch=sm_80 --compiler-bindir=/bin -rdc=true -ccbin; do
    run "$W" profile flags.cu -- "$flag"
    status_is 2 "$flag is refused"
    has "nvcc cannot take $flag here" "$flag is named"
done
finish
