#!/bin/bash
# What `run` says of a finding: its source line in one row, cut where it does not fit; and the line
# of a launch that failed. And `run all`, `show PICTURE --html`.
. "$(dirname "$0")/../lib.sh"
mkdir -p "$WARPLAB_WORK"
file=$WARPLAB_WORK/errors.cu
cat >"$file" <<'CU'
__global__ void square(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) out[i] = in[i] * in[i] + 0.0f * (float)threadIdx.x * (float)blockIdx.x * (float)blockDim.x * (float)gridDim.x;
}
void errors(const float *in, float *out, int n) {
    square<<<(n + 1023) / 1024, 1024>>>(in, out, n);
}
CU
LIMIT=100 lab=errors columns=60
session() { printf "start $lab\nrun\nquit\n" >"$T/keys" && COLUMNS=$columns timeout 100 "$W" --lang "$1" <"$T/keys" >"$T/out" 2>&1; out=$(cat "$T/out"); }
session en
has "       3 | if (i <= n) out[i] = in[i] * in[i]" "the line of a finding"
is "$(grep '^ *3 |' "$T/out" | grep -cv ' \.\.\.$')" 0 "that is too long is cut"
is "$(grep '^ *3 |' "$T/out" | awk 'length > 60' | wc -l)" 0 "and stays in its row"
sed -i 's/1024>>>/4096>>>/' "$file"
session en
has "errors.cu:6: the launch of square" "a launch that failed has its line"
session zh
has "errors.cu 第 6 行：启动核函数 square" "in Chinese, too"
cat >"$WARPLAB_WORK/hello.cu" <<'CU'
__global__ void who(int *id, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) id[i] = i < 128 ? i : -2146936000;
}
void hello(int *id, int n) { who<<<(n + 127) / 128, 128>>>(id, n); }
CU
lab=hello columns=100
session en
has "id[128]: expected 128, found -2,146,936,000" "a whole number that is large"
session zh
has "id[128]：应为 128，实际为 -2,146,936,000" "in Chinese, too"
# The first findings stand there; `run all` lists all of them. --html may stand behind the picture.
printf 'start bug-hunt\nrun\nrun all\nshow sectors --html\nquit\n' >"$T/keys"
timeout 100 "$W" --lang en <"$T/keys" >"$T/out" 2>&1
out=$(cat "$T/out")
more=$(sed -n 's/^ *and \([0-9]*\) more: `run all` lists them$/\1/p' "$T/out")
shown=$(sed '/ more: /q' "$T/out" | grep -c '^  - ')
is "$(sed '1,/ more: /d' "$T/out" | grep -c '^  - ')" "$((shown + more))" "run all lists what run leaves out"
has "bug-hunt-sectors.html" "show sectors --html writes the page"
lacks "There is no picture" "and takes the option for no picture"
finish
