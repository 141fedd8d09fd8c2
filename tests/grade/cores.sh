#!/bin/bash
# slow
# timeout: 600
# The same submission, seed and simulated device give the same record and the same printed text,
# byte for byte, on one core and on all, one job or several at a time: tickets drawn by atomics,
# sums of floats by atomics, races and device printf included.
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1
LIMIT=300
put() { # STUDENT LAB FILE
    mkdir -p "$T/in/$1"
    cp "$3" "$T/in/$1/$2.cu"
}
put answer reduce-6-cascade answers/reduce-6-cascade.cu
put races reduce-7-shuffle answers/traps/reduce-7-shuffle/no-barrier.cu
put atomics histogram answers/traps/histogram/no-atomic.cu
put warps warp-aggregate answers/warp-aggregate.cu
put ragged vector-add answers/traps/vector-add/ragged.cu
# What a program computes from the order of its blocks: the first wrong element, and how wrong, are
# in the record.
cat >"$T/tickets.cu" <<'CU'
#include <cstdio>
__device__ unsigned next;
__global__ void add(const float *a, const float *b, float *c, int n) {
    __shared__ unsigned ticket;
    if (threadIdx.x == 0) {
        ticket = atomicAdd(&next, 1);
        if (ticket < 8) printf("block %u is number %u\n", blockIdx.x, ticket);
    }
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i] + ticket;
}
void vector_add(const float *a, const float *b, float *c, int n) { add<<<(n + 127) / 128, 128>>>(a, b, c, n); }
CU
put tickets vector-add "$T/tickets.cu"
cat >"$T/last.cu" <<'CU'
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
    c[0] = i; // every block, and the last one wins
}
void vector_add(const float *a, const float *b, float *c, int n) { add<<<(n + 127) / 128, 128>>>(a, b, c, n); }
CU
put last vector-add "$T/last.cu"
cat >"$T/sums.cu" <<'CU'
// One block a piece of a row, added up in whatever order the blocks come.
__global__ void gemv_k(const float *a, const float *x, float *y, int rows, int cols) {
    int row = blockIdx.y;
    float sum = 0;
    for (int j = blockIdx.x * blockDim.x + threadIdx.x; j < cols; j += gridDim.x * blockDim.x) sum += a[(size_t)row * cols + j] * x[j];
    atomicAdd(&y[row], sum);
}
void gemv(const float *a, const float *x, float *y, int rows, int cols) {
    cudaMemsetAsync(y, 0, rows * sizeof *y);
    gemv_k<<<dim3(8, rows), 32>>>(a, x, y, rows, cols);
}
CU
put sums gemv "$T/sums.cu"

batch=("$W" grade --batch "$T/in" --device sim:h200 --seed 5 --no-reports --quiet)
run "${batch[@]}" --out "$T/all" --jobs 2
status_is 0 "on all cores, two at a time"
run "$W" gradebook export "$T/all" --json "$T/book.json"
is "$(json "$T/book.json" '{r["student"]: r["verdict"] for r in j}')" \
    "{'sums': 'fail', 'atomics': 'fail', 'answer': 'pass', 'races': 'fail', 'last': 'fail', 'ragged': 'fail', 'tickets': 'fail', 'warps': 'pass'}" "the verdicts"
is "$(cat "$T/all/records/"*.json | python3 -c 'import json,sys; d=json.JSONDecoder(); s=sys.stdin.read()
while s.strip():
    j, n = d.raw_decode(s.lstrip()); s = s.lstrip()[n:]
    if j["student"] == "sums": print(j["goals"][0]["pass"], any(c["max_error"] > 0 for c in j["cases"]))')" "True True" "the sums of floats are right, and rounded"
one=$(taskset -pc $$ | sed 's/.*: //; s/[-,].*//')
run taskset -c "$one" "${batch[@]}" --out "$T/one" --jobs 1
status_is 0 "on one core"
run "${batch[@]}" --out "$T/many" --jobs 8
status_is 0 "eight at a time"
for how in one many; do
    for what in records output; do
        if diff -r "$T/all/$what" "$T/$how/$what" >"$T/diff"; then ok "$how: the same $what, byte for byte"; else
            not_ok "$how: the same $what, byte for byte ($(head -c 400 "$T/diff" | tr '\n' '|'))"
        fi
    done
done
is "$(find "$T/all/output" -type f | wc -l)" 1 "what was printed was kept"

# One submission by itself uses all cores. The batch's files were compiled above.
for f in tickets last sums; do
    lab=vector-add
    [ $f = sums ] && lab=gemv
    run "$W" grade $lab "$T/in/$f/$lab.cu" --device sim:h200 --seed 5 --json "$T/all.json"
    run taskset -c "$one" "$W" grade $lab "$T/in/$f/$lab.cu" --device sim:h200 --seed 5 --json "$T/one.json"
    cmp -s "$T/all.json" "$T/one.json" && ok "$f by itself: the same JSON, byte for byte" || not_ok "$f by itself: the same JSON, byte for byte ($(diff "$T/all.json" "$T/one.json" | head -4 | tr '\n' '|'))"
done
finish
