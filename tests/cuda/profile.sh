#!/bin/bash
# timeout: 200
# `warplab profile`: a line of JSON a launch with the counters that the code determines, the table,
# the program's own output and exit status passed through, and what is said about programs that
# cannot be profiled.
. "$(dirname "$0")/../lib.sh"
cd "$T" || exit 1
nvcc=$($W doctor --no-probe --json | python3 -c 'import json,sys; print([r["text"].split(", ")[1] for r in json.load(sys.stdin) if r["name"] == "nvcc"][0])')

# 4096 floats, 128 blocks' worth of threads: every figure below follows from the code.
cat >p.cu <<'EOF'
#include "n.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
__global__ void unit(const float *in, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}
__global__ void strided(const float *in, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * 32 % N];
}
__global__ void talk() {
    if (threadIdx.x == 0) printf("device says %d\n", blockIdx.x);
}
template <int K> __global__ void conflict(float *out) {
    __shared__ float s[32 * 32];
    s[threadIdx.x * K] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x * K];
}
int main(int argc, char **argv) {
    float *in, *out;
    cudaMalloc(&in, N * sizeof(float));
    cudaMalloc(&out, N * sizeof(float));
    cudaMemset(in, 0, N * sizeof(float));
    unit<<<N / 128, 128>>>(in, out);
    strided<<<N / 128, 128>>>(in, out);
    conflict<32><<<1, 32>>>(out);
    talk<<<1, 32>>>();
    if (cudaDeviceSynchronize() != cudaSuccess) return 9;
    cudaFree(in);
    cudaFree(out);
    printf("host says %s %s\n", argc > 1 ? argv[1] : "-", getenv("PROFILE_TEST"));
    if (argc > 2 && !strcmp(argv[2], "crash")) *(volatile int *)4 = 1;
    if (argc > 2) return atoi(argv[2]);
    return 0;
}
EOF
echo '#define N 4096' >n.h
export PROFILE_TEST=inherited
run $W profile --device sim:h200 --json o.jsonl p.cu "an argument"
status_is 0 "a .cu is compiled and run"
has "host says an argument inherited" "the program gets its arguments and environment"
has "device says 0" "device printf is passed on"
has "strided" "the table names the kernels"
has "conflict<32>" "templates are demangled"
is "$(wc -l <o.jsonl)" 4 "a line a launch"
launch() { python3 -c 'import json,sys; l=[json.loads(x) for x in open("o.jsonl")]; j={x["kernel"]: x for x in l}; c=lambda k: j[k]["counters"]; print(eval(sys.argv[1]))' "$1" 2>&1; }
# 4096 threads are 128 warps: one request each; 32 lanes of 4 bytes are 4 sectors, a stride of 128
# bytes is 32.
is "$(launch 'c("unit")["gld_requests"], c("unit")["gld_sectors"], c("unit")["gst_requests"], c("unit")["gst_sectors"]')" "(128, 512, 128, 512)" "coalesced: 4 sectors a request"
is "$(launch 'c("strided")["gld_requests"], c("strided")["gld_sectors"], c("strided")["gst_sectors"]')" "(128, 4096, 512)" "strided: 32 sectors a request"
# Stride 32 in shared memory: one bank, 32 passes, 31 of them extra; once written, once read.
is "$(launch 'c("conflict<32>")["shared_st_conflicts"], c("conflict<32>")["shared_ld_conflicts"]')" "(31, 31)" "bank conflicts"
is "$(launch 'j["unit"]["grid"], j["unit"]["block"], j["unit"]["device"]')" "([32, 1, 1], [128, 1, 1], 'sim:h200')" "the launch's configuration"
is "$(launch 'all(x["time_us"] > 0 and x["limiter"] in ("dram","l2","l1","shared","issue","latency","launch") and 0 < x["registers"] < 256 for x in l)')" True "time, limiter, registers"
is "$(launch 'all(k in c("unit") for k in "warp_inst thread_inst gld_requests gld_sectors gst_requests gst_sectors shared_ld_conflicts shared_st_conflicts divergent_branches dram_read dram_write l2_sectors occupancy_pct achieved_occupancy_pct".split())')" True "every counter of the interface"
is "$(launch 'sorted({(x["file"].split("/")[-1], x["line"]) for x in j["strided"]["lines"] if x.get("gld_sectors")})')" "[('p.cu', 11)]" "sectors are laid to the line that loads"
is "$(launch '[x["findings"] for x in l]')" "[[], [], [], []]" "no false alarm"
run $W profile --device sim:h200 --lines p.cu
has "out[i] = in[i * 32 % N];" "--lines shows the source"

echo '#define N 8192' >n.h
run $W profile --device sim:h200 --json o.jsonl p.cu
is "$(launch 'j["unit"]["grid"][0]')" 64 "a changed header is compiled again"

# A kernel in the body of a conditional node is a launch each time it runs, at a later time.
cat >while.cu <<'EOF'
__global__ void step(cudaGraphConditionalHandle h, int *left) {
    if (--*left == 0) cudaGraphSetConditional(h, 0);
}
int main() {
    int *left, five = 5;
    cudaGraph_t g;
    cudaGraphNode_t n;
    cudaGraphExec_t x;
    cudaGraphConditionalHandle h;
    cudaMalloc(&left, sizeof *left), cudaMemcpy(left, &five, sizeof five, cudaMemcpyHostToDevice);
    cudaGraphCreate(&g, 0), cudaGraphConditionalHandleCreate(&h, g, 1, cudaGraphCondAssignDefault);
    cudaGraphNodeParams p = {cudaGraphNodeTypeConditional};
    p.conditional.handle = h, p.conditional.type = cudaGraphCondTypeWhile, p.conditional.size = 1;
    cudaGraphAddNode(&n, g, NULL, NULL, 0, &p);
    void *args[] = {&h, &left};
    cudaKernelNodeParams k = {};
    k.func = (void *)step, k.gridDim = 1, k.blockDim = 1, k.kernelParams = args;
    cudaGraphAddKernelNode(&n, p.conditional.phGraph_out[0], NULL, 0, &k);
    cudaGraphInstantiate(&x, g, 0), cudaGraphLaunch(x, 0);
    int failed = cudaDeviceSynchronize() != cudaSuccess;
    cudaFree(left);
    return failed;
}
EOF
run $W profile --device sim:h200 --json w.jsonl while.cu
status_is 0 "a WHILE node: the program ends"
is "$(python3 -c 'import json; l=[json.loads(x) for x in open("w.jsonl")]; print(len(l), {x["kernel"] for x in l}, sum(x["counters"]["gld_requests"] for x in l))' 2>&1)" \
    "5 {'step'} 5" "a WHILE node: a launch a round"

# ---- programs built elsewhere ----
# The vendor's library is not needed to build against: ours is linked in its place.
"$nvcc" -std=c++17 -arch=sm_90 -c p.cu -o p.o && g++ p.o "$B/libcudart.so.13" -o p || not_ok "nvcc and g++ build the program"
run $W profile --device sim:t4 --json - -- ./p x 3
status_is 1 "the program's exit status fails the profile"
has "exit status 3" "the program's exit status is said"
run $W profile --device sim:t4 ./p x crash
status_is 1 "a crash"
has "SIGSEGV" "a crash: the signal"
run ./p
lacks "device says" "without a device nothing runs"

"$nvcc" -std=c++17 -arch=sm_90 -cudart none -c p.cu -o p.o && gcc -shared -fPIC -Wl,-soname,libcudart.so.12 -o libcudart.so.12 -x c /dev/null &&
    g++ p.o -Wl,--unresolved-symbols=ignore-all -Wl,--no-as-needed libcudart.so.12 -o p12 && run $W profile ./p12
status_is 3 "another CUDA version's runtime"
has "libcudart.so.12" "another CUDA version's runtime: named"
g++ p.o -Wl,--unresolved-symbols=ignore-all -o pstatic
run $W profile ./pstatic
status_is 3 "a runtime that is linked in"
has "-cudart shared" "a runtime that is linked in: what to do"
run $W profile /usr/bin/true
status_is 3 "no CUDA program"
has "no kernels" "no CUDA program: said so"
printf '#!/bin/sh\n./p\n' >s.sh && chmod +x s.sh
run $W profile ./s.sh
status_is 3 "a script"
run $W profile ./nothing
status_is 2 "a program that is not there"
run $W profile nothing.cu
status_is 2 "a file that is not there"
echo 'int main() { return x; }' >e.cu
run $W profile e.cu
status_is 1 "a compile error"
has "e.cu(1): error" "a compile error: where"
run $W profile --device sim:h20 p.cu
status_is 2 "an unknown device"

cat >oob.cu <<'EOF'
__global__ void over(int *p) {
    p[threadIdx.x] = 1;
}
int main() {
    int *p;
    cudaMalloc(&p, 100);
    over<<<1, 32>>>(p);
    cudaDeviceSynchronize();
    return 0;
}
EOF
run $W profile --device sim:h200 --json o.jsonl oob.cu
has "oob.cu:2" "a finding names its line"
is "$(launch 'j["over"]["findings"][0]["kind"], j["over"]["findings"][0]["line"], j["over"]["findings"][0]["thread"]')" "('oob', 2, [25, 0, 0])" "and is in the JSON"

# A reader that leaves, a disk that fills.
if [ -w /dev/full ]; then
    run $W profile --json /dev/full p.cu
    status_is 3 "JSON that cannot be written"
    has "cannot write" "JSON that cannot be written: said so"
fi
finish
