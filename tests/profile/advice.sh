#!/bin/bash
# slow
# Programs with one known bottleneck each: the limiter and the first advice are the right ones, in
# both languages, and what the advice promises is in the JSON. What is right stands in each program
# ("expect:"), by what it does, not by what was printed.
. "$(dirname "$0")/../lib.sh"

for f in "$root"/tests/profile/*.cu; do
    name=$(basename "$f" .cu)
    want=$(sed -n 's|^// expect: limiter \([a-z0-9]*\), advice \([a-z0-9_]*\)$|\1 \2|p' "$f")
    LIMIT=120 run "$W" profile --device sim:h200 --json "$T/$name.json" "$f"
    status_is 0 "$name runs"
    # the longest launch is meant
    is "$(python3 - "$T/$name.json" <<'PY'
import json, sys
launches = [json.loads(l) for l in open(sys.argv[1])]
o = max((l for l in launches if "what_if" in l), key=lambda l: l["time_us"])
if "follow" in sys.argv[1] or any("follow" in l["kernel"] for l in launches):
    o = [l for l in launches if "follow" in l["kernel"]][0]
print(o["limiter"], o["advice"][0]["rule"] if o["advice"] else "nothing")
PY
)" "$want" "$name: limiter and first advice"
done
run "$W" profile --device sim:h200 --lang zh "$root/tests/profile/banks.cu"
has "bank" "advice in Chinese"
has "实验 bank-lab" "the lab that teaches it"
# ---- a program whose time is its copies' (16 MB there and back for one operation an element): that is said before any kernel ----
cat >"$T/ferry.cu" <<'CU'
#include <cstdlib>
__global__ void twice(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= 2;
}
int main() {
    int n = 1 << 22;
    float *h = (float *)calloc(n, 4), *d;
    cudaMalloc(&d, n * 4);
    for (int k = 0; k < 2; k++) {
        cudaMemcpy(d, h, n * 4, cudaMemcpyHostToDevice);
        twice<<<n / 256, 256>>>(d, n);
        cudaMemcpy(h, d, n * 4, cudaMemcpyDeviceToHost);
    }
    cudaFree(d);
    free(h);
}
CU
run "$W" profile --device sim:h200 --html "$T/ferry.html" "$T/ferry.cu"
first=$(printf '%s\n' "$out" | grep -m 1 -A5 '^ *> ' | tr -s ' \n' ' ')
case $first in "> Copies between host and device take more time"*"(4 copies, 67.1 MB; from or to pageable memory: 4)"*"(lab transfers)"*) ok "copies: the first advice" ;; *) not_ok "copies: the first advice ($first)" ;; esac
grep -q "Copies between host and device take more time" "$T/ferry.html" && ok "copies: on the page" || not_ok "copies: on the page"
run "$W" profile --device sim:h200 --lang zh "$T/ferry.cu"
has "主机与设备之间的拷贝比所有核函数更费时间" "copies: in Chinese"
run "$W" profile --device sim:h200 "$root/tests/profile/small.cu"
lacks "Copies between host and device" "where nothing is copied nothing is said of it"
# Every rule has its sentence, and every lab that a rule names is there.
is "$(sed -nE 's/^RULE\("(\w+)".*/\1/p' "$root/runner/profile/advice.def" | tr _ - | sort)" "$(sed -n 's/^msgid "profile\.advice-\(.*\)"/\1/p' "$root/runner/base/words/en.po" | sort)" "each rule is a row of the catalogue"
for lab in $(sed -n 's/^RULE(.*"\([a-z0-9-]*\)")$/\1/p' "$root/runner/profile/advice.def" | sort -u); do
    if [ -f "$root/labs/$lab.lua" ]; then ok "lab $lab"; else not_ok "lab $lab (a rule names it, there is none)"; fi
done
finish
