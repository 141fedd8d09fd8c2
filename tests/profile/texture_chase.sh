#!/bin/bash
# What lab texture says of latency: a fetch that hits takes about twice as long as a load that hits
# L1 (Jia et al. 2019: textures on Turing), and far less than one that the L2 answers. A thread
# follows a chain: the difference of 1024 and 512 hops, by 512, is one hop.
. "$(dirname "$0")/../lib.sh"

cat >"$T/chase.cu" <<'CU'
__global__ void fetches(cudaTextureObject_t t, int *out, int hops) {
    int i = 0;
    for (int k = 0; k < hops; k++) i = tex1Dfetch<int>(t, i);
    *out = i;
}
__global__ void loads(const int *a, int *out, int hops) {
    int i = 0;
    for (int k = 0; k < hops; k++) i = a[i];
    *out = i;
}
__global__ void ring(int *a, int n, int step) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = (i + step) % n;
}
int main() {
    int *a, *out, most = 1 << 20;
    cudaMalloc(&a, 4 * most);
    cudaMalloc(&out, 4);
    for (int n : {64, most}) {  // 64 ints stay in L1; 4 MB do not
        ring<<<(n + 255) / 256, 256>>>(a, n, n == 64 ? 8 : 1032);
        cudaResourceDesc what = {};
        what.resType = cudaResourceTypeLinear;
        what.res.linear.devPtr = a;
        what.res.linear.desc = cudaCreateChannelDesc<int>();
        what.res.linear.sizeInBytes = 4 * n;
        cudaTextureDesc how = {};
        how.readMode = cudaReadModeElementType;
        cudaTextureObject_t t;
        cudaCreateTextureObject(&t, &what, &how, nullptr);
        for (int hops : {512, 1024}) {
            fetches<<<1, 1>>>(t, out, hops);
            loads<<<1, 1>>>(a, out, hops);
        }
        cudaDeviceSynchronize();
    }
}
CU
run "$W" profile --device sim:h200 --no-races --json "$T/chase.json" "$T/chase.cu"
status_is 0 "the chase runs"
is "$(python3 - "$T/chase.json" <<'PY'
import json, sys
us = {"fetches": [], "loads": []}
for line in open(sys.argv[1]):
    o = json.loads(line)
    for name in us:
        if name in o.get("kernel", ""):
            us[name].append(o["time_us"])
hop = {name: ((t[1] - t[0]) / 512 * 1980, (t[3] - t[2]) / 512 * 1980) for name, t in us.items()}
(hit, miss), (load, _) = hop["fetches"], hop["loads"]
print("twice" if 1.5 < hit / load < 2.5 else hit / load, "sooner" if hit < 0.5 * miss else (hit, miss))
PY
)" "twice sooner" "a fetch that hits: twice a load's latency, less than half of the L2's"
