#!/bin/bash
# timeout: 120
# profile --native, --ncu and --sanitize over tools that print what ncu and compute-sanitizer print:
# the parsing, and what is said without them.
. "$(dirname "$0")/../lib.sh"
cd "$root" && . tests/nvcc.sh && cd "$T" || exit 1
cat >p.cu <<'CU'
__global__ void twice(float *a) { a[threadIdx.x] *= 2; }
int main() {
    float *a;
    cudaMalloc(&a, 128);
    cudaMemset(a, 0, 128);
    twice<<<1, 32>>>(a);
    cudaDeviceSynchronize();
    cudaFree(a);
}
CU
"$nvcc" -w -cudart shared -arch=sm_75 -o p p.cu 2>/dev/null || { not_ok "the program compiles"; finish; }

mkdir tools
# Both find their log file behind --log-file.
cat >tools/ncu <<'SH'
#!/bin/bash
while [ $# -gt 0 ]; do [ "$1" = --log-file ] && log=$2; shift; done
cat >"$log" <<'CSV'
==PROF== Connected to process 12 (/tmp/p)
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","lts__t_sectors.sum","dram__bytes_read.sum","gpu__time_duration.sum","l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum","smsp__inst_executed.sum"
"","","","","","","","","","","","sector","Kbyte","ns","",""
"0","12","p","127.0.0.1","twice(float *)","1","7","(32, 1, 1)","(1, 1, 1)","0","9.0","n/a","1.5","2,048","1","1,234,567"
"1","12","p","127.0.0.1","name ""quoted"", odd(int)","1","7","(64, 2, 1)","(3, 1, 1)","0","9.0","7","0","1,000","0","0"
==PROF== Disconnected
CSV
SH
cat >tools/compute-sanitizer <<'SH'
#!/bin/bash
while [ $# -gt 0 ]; do [ "$1" = --log-file ] && log=$2; [ "$1" = --tool ] && tool=$2; shift; done
[ "$tool" = racecheck ] && { echo "========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)" >"$log"; exit; }
cat >"$log" <<'TXT'
========= COMPUTE-SANITIZER
========= Invalid __global__ write of size 4 bytes
=========     at twice(float *)+0xa0 in p.cu:1
=========     by thread (31,0,0) in block (2,0,0)
=========     Access to 0x7f0000000080 is out of bounds
=========     and is 1 bytes after the nearest allocation at 0x7f0000000000 of size 128 bytes
=========
========= ERROR SUMMARY: 1 error
TXT
SH
chmod +x tools/*

PATH=$T/tools:$PATH run "$W" profile --native --ncu --json native.json ./p
status_is 0 "--native with ncu"
has "trust these" "it says how far to trust them"
is "$(sed -n 1p native.json | python3 -c 'import json,sys; j=json.load(sys.stdin); print(j["kernel"], j["grid"], j["block"], j["time_us"], j["trusted"], j["counters"]["dram_read"], j["counters"]["gld_requests"], j["counters"]["warp_inst"])')" \
    "twice [1, 1, 1] [32, 1, 1] 2.048 False 1500.0 1.0 1234567.0" "units, thousands and names of the first launch"
is "$(sed -n 2p native.json | python3 -c 'import json,sys; j=json.load(sys.stdin); print(j["kernel"], j["block"], j["time_us"])')" 'name "quoted", odd [64, 2, 1] 1.0' "quotes and commas of the second"

PATH=$T/tools:$PATH run "$W" profile --device sim:h200 --ncu --json both.json ./p
status_is 0 "--ncu beside the simulated device"
is "$(python3 -c 'import json; j=json.loads(open("both.json").readline()); print(j["counters"]["gld_requests"], j["hardware"]["counters"]["gld_requests"])')" "1 1.0" "both counters under one name"

# On the terminal and the page: a launch's figures side by side; what ncu could not measure is -, as
# is what we did not count.
PATH=$T/tools:$PATH run "$W" profile --device sim:h200 --ncu --lang en --html both.html ./p
grep -qE '^ +gld_requests +1 +1 +1.00x$' "$T/out" && ok "a counter of both" || not_ok "a counter of both ($(cut_text))"
grep -qE '^ +dram_read +[0-9,]+ +1,500 ' "$T/out" && ok "in our unit" || not_ok "in our unit"
grep -qE '^ +l2_sectors +[1-9][0-9]* +- +-$' "$T/out" && ok "what ncu could not measure is -" || not_ok "what ncu could not measure is - ($(cut_text))"
is "$(python3 -c 'import json; j=json.loads(open("both.json").readline()); print("l2_sectors" in j["hardware"]["counters"])')" False "nor is it 0 in the JSON"
is "$(awk 'length > 80' "$T/out" | grep -c 'ncu\|_requests\|time_us')" 0 "the table has 80 columns"
grep -q '<tr><td>l2_sectors<td>sectors<td class=n>[1-9][0-9]*<td class=n>-<td class=n>-</tr>' both.html && ok "and on the page" || not_ok "and on the page"

PATH=$T/tools:$PATH run "$W" profile --device sim:h200 --sanitize --json san.json ./p
status_is 1 "--sanitize finds something"
is "$(tail -n 1 san.json | python3 -c 'import json,sys; j=json.load(sys.stdin)["findings"]; f=j[0]; print(len(j), f["kind"], f["kernel"], f["file"], f["line"], f["thread"], f["block"], f["access"])')" \
    "1 oob twice p.cu 1 [31, 0, 0] [2, 0, 0] write" "the finding, and no summary taken for one"

if [ ! -x /usr/local/cuda/bin/ncu ] && [ ! -x /usr/bin/ncu ]; then
    PATH=/usr/bin:/bin run "$W" profile --native ./p
    status_is 3 "no ncu"
    has "ncu is not on PATH" "it says what is missing"
fi
# On a GPU, here the tests' stub of a driver: a program with machine code alone has its times, and
# says once why it has no counters.
if [ -e "$B/tests/libcuda_stub.so" ]; then
    "$nvcc" -w -cudart shared -gencode arch=compute_90,code=sm_90 -o bare p.cu 2>/dev/null
    export WARPLAB_LIBCUDA=$B/tests/libcuda_stub.so
    run "$W" profile --device gpu:0 --lang en --json bare.json ./bare
    is "$(grep -c 'contains no PTX' "$T/err")" 1 "no PTX is said once"
    has "- registers, - of 32 lanes active" "counters are -"
    is "$(python3 -c 'import json; j=json.loads(open("bare.json").readline()); print(j["kernel"], j["time_us"] > 0, j["counters"])')" "twice True None" "its time is there"
    # the page and the timeline have what was measured, and nothing of what was not
    "$nvcc" -w -cudart shared -arch=sm_90 -o whole p.cu 2>/dev/null
    for how in "--no-sim ./whole" "./whole" ./bare; do
        run "$W" profile --device gpu:0 --what-if --stalls --lang en --trace gpu.trace --html gpu.html $how
        status_is 0 "$how on a GPU"
        is "$(python3 -c '
import json
events = json.load(open("gpu.trace"))["traceEvents"]
kernels = [e for e in events if e.get("cat") == "kernel"]
print(len(kernels), kernels[0]["name"], round(kernels[0]["dur"]), sorted(kernels[0]["args"]), [e["args"]["name"] for e in events if e["name"] == "process_name" and e["pid"] == 100])')" \
            "1 twice 10 ['block', 'grid', 'registers', 'stream'] ['gpu:0: streams']" "$how: the trace has the kernel as the GPU took it, without counters"
        grep -q '<rect [^>]*><title>twice: 10.00 us' gpu.html && ok "$how: the page's timeline is the GPU's" || not_ok "$how: the page's timeline is the GPU's"
    done
    grep -q '&middot; <span class=en lang=en>- registers' gpu.html && ! grep -q '>0 registers\|&middot; 0 ' gpu.html && ok "the page has - for registers" || not_ok "the page has - for registers"
    unset WARPLAB_LIBCUDA
else skip "a program without PTX on the stub of a driver (build/tests is not built)"; fi
if [ ! -e /dev/nvidiactl ]; then
    run "$W" profile --device gpu:0 ./p
    status_is 2 "no GPU"
    has "this machine has no NVIDIA GPU" "it says so in one line"
fi
finish
