#!/bin/bash
# `warplab clangd`: with what it writes, clangd reads CUDA in the work folder without an error, and
# sees a mistake.
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1
run "$W" clangd
status_is 0 "clangd's settings are written"
settings=$WARPLAB_WORK/.clangd
is "$(cat "$T/out")" "$settings" "and it says where"
cp "$settings" "$T/first"
run "$W" clangd
status_is 0 "and written again"
cmp -s "$settings" "$T/first" && ok "the same" || not_ok "the same (they differ)"
echo 'CompileFlags: {Add: [-DMINE]}' >"$settings"
run "$W" clangd
status_is 3 "somebody else's file is not overwritten"
has "is not warplab's" "and the message says so"
is "$(cat "$settings")" 'CompileFlags: {Add: [-DMINE]}' "and it stays"
run "$W" clangd extra
status_is 2 "it takes no argument"
# A folder whose name has what YAML and compilers stumble over.
mkdir -p "$T/it's a folder" && WARPLAB_WORK="$T/it's a folder" run "$W" clangd
status_is 0 "a folder with a quote in its name"
if ! command -v clangd >/dev/null; then
    skip "clangd reads the work folder (clangd is not installed)"
else
    rm "$settings" && run "$W" clangd
    # A skeleton as a student has it, with a header of kernels/ where one of them uses one.
    for lab in vector-add coalescing $(grep -lE '^#include "' answers/*.cu | xargs grep -LE '^// file: ' | head -1 | xargs -r -n1 basename | sed 's/.cu$//'); do
        cp "answers/$lab.cu" "$WARPLAB_WORK/$lab.cu"
        LIMIT=120 run clangd --check="$WARPLAB_WORK/$lab.cu"
        has "All checks completed, 0 errors" "clangd understands $lab.cu"
    done
    printf '%s\n' '__global__ void k(float *x) { x[threadIdx.x] = undefined_name; }' >"$WARPLAB_WORK/bad.cu"
    LIMIT=120 run clangd --check="$WARPLAB_WORK/bad.cu"
    has "undefined_name" "and sees a mistake"
fi
finish
