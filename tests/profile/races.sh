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

# A race is counted for each lane that reads what another warp writes: two whole warps that read one
# place; every third lane, 32 to 95, of them; and 63 lanes that take turns between two places. A
# store of the 0 that is there races with what reads it later, but not with what has read it before.
cat >"$T/count.cu" <<'CU'
__global__ void one_place(int *q, int *r) {
    if (threadIdx.x == 0) q[0] = 7;
    else if (threadIdx.x >= 32) r[threadIdx.x] = q[0];
}
__global__ void some_lanes(int *q, int *r) {
    if (threadIdx.x == 0) q[32] = 7;
    else if (threadIdx.x >= 32 && threadIdx.x % 3 == 2) r[threadIdx.x] = q[32];
}
__global__ void two_places(int *q, int *r) {
    if (threadIdx.x < 2) q[64 + threadIdx.x] = 7;
    else if (threadIdx.x >= 32 && threadIdx.x < 95) r[threadIdx.x] = q[64 + threadIdx.x % 2];
}
__global__ void zero_later(int *q, int *r) {
    r[threadIdx.x] = q[96];
    if (threadIdx.x == 95) q[96] = 0;
}
__global__ void zero_first(int *q, int *r) {
    if (threadIdx.x == 0) q[128] = 0;
    else if (threadIdx.x >= 32) r[threadIdx.x] = q[128];
}
int main() {
    int *q, *r;
    cudaMalloc(&q, 1024), cudaMalloc(&r, 1024), cudaMemset(q, 0, 1024);
    one_place<<<1, 96>>>(q, r), some_lanes<<<1, 96>>>(q, r), two_places<<<1, 96>>>(q, r);
    zero_later<<<1, 96>>>(q, r), zero_first<<<1, 96>>>(q, r);
    cudaDeviceSynchronize();
    cudaFree(q), cudaFree(r);
}
CU
run "$W" profile --device sim:h200 --lang en "$T/count.cu"
is "$(grep -o 'count.cu:[0-9]*: thread 32 of block 0 of [a-z_]* reads\|([0-9]* times)' <<<"$out" | paste -sd' ')" \
    "count.cu:3: thread 32 of block 0 of one_place reads (64 times) count.cu:7: thread 32 of block 0 of some_lanes reads (22 times) count.cu:11: thread 32 of block 0 of two_places reads (63 times) count.cu:19: thread 32 of block 0 of zero_first reads (64 times)" \
    "each lane of a race is counted"
lacks "of zero_later " "a store of the value that was read before it is no race"
finish
