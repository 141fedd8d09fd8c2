#!/bin/bash
# profile looks for races in global memory unless it is told not to, and says nothing of programs
# that have none.
. "$(dirname "$0")/../lib.sh"

cat >"$T/race.cu" <<'CU'
#include <cstdio>
// 32 x 8 threads, i from threadIdx.x alone: eight threads add to each x[i].
__global__ void add(float *x, const float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] += y[i];
}
__global__ void once(float *x, const float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.y == 0) x[i] += y[i];
}
int main(int argc, char **) {
    float *x, *y;
    cudaMalloc(&x, 4096), cudaMalloc(&y, 4096);
    cudaMemset(x, 0, 4096), cudaMemset(y, 0, 4096);
    if (argc > 1) add<<<4, dim3(32, 8)>>>(x, y);
    once<<<4, dim3(32, 8)>>>(x, y);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(x), cudaFree(y);
}
CU
run "$W" profile --device sim:h200 --json "$T/race.json" "$T/race.cu" racy
has "race.cu:5" "the race is told, with its line"
is "$(python3 - "$T/race.json" <<'PY'
import json, sys
for l in open(sys.argv[1]):
    o = json.loads(l)
    print(o["kernel"], sorted({(f["kind"], f["line"]) for f in o["findings"]}))
PY
)" "add [('race', 5)]
once []" "in the JSON too, of the racy kernel alone"
run "$W" profile --no-races --device sim:h200 --json "$T/no.json" "$T/race.cu" racy
lacks "race.cu:5" "--no-races: nothing is told"
run "$W" profile --device sim:h200 "$T/race.cu"
lacks "race" "a program without a race: nothing is told"
finish
