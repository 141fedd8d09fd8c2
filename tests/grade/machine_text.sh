#!/bin/bash
# slow
# timeout: 300
# The text of a program's machine code is made beside the build and kept with it, launches are timed
# by it, and where there is none one line says so and they are timed by their counters: graded
# labs, `profile` of a file and of a program that was built elsewhere.
. "$(dirname "$0")/../lib.sh"
nvdisasm=$root/.toolchain/nvidia/cu13/bin/nvdisasm
for n in "$(command -v nvdisasm)" /usr/local/cuda/bin/nvdisasm; do [ ! -x "$n" ] || nvdisasm=$n; done
[ -x "$nvdisasm" ] || { skip "texts of machine code (no nvdisasm here: setup/nvcc.sh --nvdisasm)"; finish; }
export WARPLAB_NVDISASM=$nvdisasm WARPLAB_LANG=en XDG_CACHE_HOME=$T/cache
texts() { find "$T/cache/warplab/build" -name '*.sass' | sort; }
by='sorted({l.get("timed_by", "nobody asked") for l in j["launches"]})'
LIMIT=120

run env WARPLAB_SIM_MACHINE=off "$W" grade vector-add "$root/answers/vector-add.cu" --json "$T/off.json"
status_is 0 "switched off, a lab is graded"
is "$(texts | wc -l)" 0 "nobody wants a text"
is "$(json "$T/off.json" "$by")" "['nobody asked']" "and the clock does not read it"
run "$W" grade vector-add "$root/answers/vector-add.cu" --json "$T/on.json"
status_is 0 "by itself"
is "$(json "$T/on.json" "$by")" "['machine code']" "it is timed by the machine code"
is "$(texts | wc -l)" 2 "a text each for submission and baseline"
first=$(texts | head -1)
is "$(head -c 400 "$first" | grep -c 'sm_90')" 1 "for sm_90"
[ "$(grep -c '/\* 0x[0-9a-f]\{16\} \*/' "$first")" -gt 20 ] && ok "with encodings" || not_ok "with encodings"
grep -q '//## File "/src/' "$first" && ok "with lines of the source" || not_ok "with lines of the source"
before=$(texts | xargs stat -c '%n %i %Y')
run "$W" grade vector-add "$root/answers/vector-add.cu" --json "$T/again.json"
status_is 0 "a second time"
is "$(json "$T/again.json" "$by")" "['machine code']" "timed by the machine code, as it was kept"
is "$(texts | xargs stat -c '%n %i %Y')" "$before" "the build came from the cache, its text with it"
is "$(json "$T/again.json" 'j["speedup"] > 0.5')" True "the baseline is timed in the same way"

# A text is also kept by itself: a comment leaves the machine code as it is, and nvdisasm is not
# asked again.
for kept in $(find "$T/cache/warplab/machine" -name '*.sass'); do
    { echo "// kept"; cat "$kept"; } >"$kept.new" && mv "$kept.new" "$kept"
done
{ cat "$root/answers/vector-add.cu"; echo "// a comment"; } >"$T/vector-add.cu"
run "$W" grade vector-add "$T/vector-add.cu" --json "$T/comment.json"
is "$(json "$T/comment.json" "$by")" "['machine code']" "another comment: timed by the machine code"
is "$(texts | xargs grep -l '^// kept' | wc -l)" 1 "of the text that was kept by itself"
is "$(json "$T/comment.json" 'j["time_us"]')" "$(json "$T/on.json" 'j["time_us"]')" "in the same time"

# A text belongs to the machine code that it was made of: that of another cubin is not taken.
for t in $(texts); do mv "$t" "$(dirname "$t")/$(printf '%064d' 0).sass"; done
run "$W" grade vector-add "$root/answers/vector-add.cu" --json "$T/other.json"
is "$(json "$T/other.json" "$by")" "['counters']" "another cubin's text is not taken"
is "$(json "$T/other.json" 'j["launches"][0]["timed_by_why"]["en"].startswith("there is no text of its machine code")')" True "and the reason is told"

# Without nvdisasm the build is as good. A device whose own nvcc no longer makes has another's.
run env WARPLAB_NVDISASM=/nonexistent "$W" grade hello "$root/answers/hello.cu" --json "$T/none.json"
status_is 0 "without nvdisasm"
is "$(json "$T/none.json" "$by")" "['counters']" "by counters"
run env WARPLAB_SIM_MACHINE=off "$W" grade hello "$root/answers/hello.cu" --json "$T/off.json"
is "$(json "$T/none.json" 'j["time_us"]')" "$(json "$T/off.json" 'j["time_us"]')" "in the same time as ever"
run env WARPLAB_NVDISASM=/nonexistent "$W" grade vector-add "$root/answers/vector-add.cu" --json "$T/time.json"
status_is 3 "a goal on time is not judged by counters"
is "$(json "$T/time.json" '"nvdisasm" in j["message"]')" True "and the message says what is missing"
run "$W" grade vector-add "$root/answers/vector-add.cu" --device sim:g80 --json "$T/g80.json"
is "$(json "$T/g80.json" "$by")" "['machine code']" "a G80 has that of sm_75"

# A program of several files, which plain nvcc compiles.
cp -r "$root/tests/grade/files" "$T/root"
ln -s "$root/runner" "$T/root/runner" # the glue's header
run env WARPLAB_ROOT="$T/root" "$W" grade smooth "$T/root/answers/smooth.cu" --device sim:h200 --json "$T/files.json"
status_is 0 "several files"
is "$(json "$T/files.json" "$by")" "['machine code']" "have their texts"

cat >"$T/whole.cu" <<'P'
#include <cstdio>
__global__ void twice(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = 2 * x[i];
}
__global__ void allocates() { free(malloc(16)); }
int main() {
    float *x;
    cudaMalloc(&x, 1 << 20);
    cudaMemset(x, 0, 1 << 20);
    twice<<<1024, 256>>>(x, 1 << 18);
    allocates<<<2, 1>>>();
    return cudaDeviceSynchronize() != cudaSuccess;
}
P
lines='[(json.loads(x)["kernel"].split("(")[0], json.loads(x).get("timed_by")) for x in open(sys.argv[1]) if "time_us" in x]'
run "$W" profile --no-what-if --json "$T/whole.json" "$T/whole.cu"
status_is 0 "profile of a file"
is "$(python3 -c "import json,sys; print($lines)" "$T/whole.json")" "[('twice', 'machine code'), ('allocates', 'counters')]" "is timed by its machine code"
is "$(grep -c 'timed by its counters: it calls malloc' "$T/out")" 1 "one line says why a kernel is not"
"$(sed -n 's/^#.*//;2p' "$T/cache/warplab/toolchain")" -cudart shared -arch=sm_90 -o "$T/whole" "$T/whole.cu" 2>"$T/err" || not_ok "nvcc: $(cat "$T/err")"
run "$W" profile --no-what-if --json "$T/own.json" "$T/whole"
is "$(python3 -c "import json,sys; print($lines)" "$T/own.json")" "[('twice', 'machine code'), ('allocates', 'counters')]" "so is a program that was built elsewhere"
run env WARPLAB_NVDISASM=/nonexistent "$W" profile --no-what-if "$T/whole"
is "$(grep -c 'timed by their counters: there is no text of its machine code' "$T/out")" 1 "without nvdisasm all by counters: one line says so"

run "$W" profile --no-what-if "$root/tests/profile/waits/waits.cu"
for what in lock swaps "grid barrier"; do has "$what ok" "waiting takes what it takes on an H200: $what"; done
finish
