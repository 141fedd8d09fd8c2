#!/bin/bash
# Programs on the driver API, with and without NVRTC, through our libcuda.so.1; and a library that
# brings a runtime of its own, which is told in one line. tests/cuda/driver/api.c and textures.c are
# right natively too: gcc -I.../include api.c -lcuda.
. "$(dirname "$0")/../lib.sh"
cd "$root" && . tests/nvcc.sh
cuda=$(dirname "$(dirname "$(readlink -f "$nvcc")")")
at=$root/tests/cuda/driver
# What a program is linked with has the names alone: the vendor's stub is not everywhere.
grep -ohE '^DRIVER(_MISSING\(|\(\w+, )\w+' "$root/runner/device/cudart/driver/driver.def" "$root/runner/device/cudart/driver/missing.def" |
    sed -E 's/.*[(, ](\w+)$/int \1(void) { return 0; }/' | gcc -w -shared -fPIC -Wl,-soname,libcuda.so.1 -o "$T/libcuda.so" -x c -
link() { gcc -O1 -w -I"$cuda/include" -o "$1" "$2" "$T/libcuda.so" "${@:3}"; }

link "$T/api" "$at/api.c" || not_ok "a program on the driver API is linked"
run "$B/cuda-host" -d sim:h200 -l "$B" "$T/api"
status_is 0 "it runs"
has "checks, 0 wrong" "every check of it holds"
lacks "finding: oob" "no finding"
run "$W" profile --device sim:h200 "$T/api"
status_is 0 "warplab profile takes it"
has "scale" "and names its kernel"

link "$T/textures" "$at/textures.c" || not_ok "a program with textures of the driver API is linked"
run "$B/cuda-host" -c -d sim:h200 -l "$B" "$T/textures"
status_is 0 "it runs"
has "checks, 0 wrong" "arrays, mipmapped arrays, textures, surfaces"
lacks "finding: oob" "no finding of theirs"

rtc=$(ls "$cuda"/lib/libnvrtc.so.13 "$cuda"/lib64/libnvrtc.so.13 "$cuda"/targets/*/lib/libnvrtc.so.13 2>/dev/null | head -n 1)
if [ -f "$cuda/include/nvrtc.h" ] && [ -n "$rtc" ]; then
    link "$T/nvrtc" "$at/nvrtc.c" "$rtc" -Wl,-rpath,"$(dirname "$rtc")"
    run "$B/cuda-host" -d sim:h200 -l "$B" "$T/nvrtc"
    status_is 0 "a kernel of NVRTC runs"
    has "compiled while it runs: 0 wrong" "and is right"
else
    skip "a kernel of NVRTC (this toolkit has no libnvrtc.so.13)"
fi

gcc -O1 -shared -fPIC -o "$T/libmaths.so.13" "$at/library.c" -ldl
cat >"$T/uses.c" <<'C'
#include <stdio.h>
int library_create(void);
int main(void) { printf("library_create: %d\n", library_create()); }
C
gcc -o "$T/uses" "$T/uses.c" "$T/libmaths.so.13" -Wl,-rpath,"$T"
run "$B/cuda-host" -d sim:h200 -l "$B" "$T/uses"
has "library_create: 2" "a library with a runtime of its own hears that there is no table"
has "libmaths.so.13 brings a CUDA runtime of its own" "one line names it"
has "warplab profile --device gpu:0 --native" "and what to do"

# The calls that are not there, and what the runtime says of entry points.
cat >"$T/missing.c" <<'C'
#include <cuda.h>
#include <stdio.h>
int main(void) {
    cuInit(0);
    printf("%d %d\n", cuIpcCloseMemHandle(0), cuIpcCloseMemHandle(0));
    CUmodule m;
    CUdevice d;
    CUcontext c;
    cuDeviceGet(&d, 0), cuCtxCreate(&c, NULL, 0, d);
    printf("%d\n", cuModuleLoadData(&m, "\177ELF machine code"));
}
C
link "$T/missing" "$T/missing.c"
run "$B/cuda-host" -d sim:h200 -l "$B" "$T/missing"
has "801 801" "a call that is not there: CUDA_ERROR_NOT_SUPPORTED"
is "$(grep -c "cuIpcCloseMemHandle is not supported" <<<"$out")" 1 "told once, by its name"
has "209" "machine code: CUDA_ERROR_NO_BINARY_FOR_GPU"
has "load PTX" "and what to load instead"
# every entry point of cuda.h is one or the other
is "$(grep -oE 'CUresult CUDAAPI cu[A-Z][A-Za-z0-9_]*' "$cuda/include/cuda.h" | awk '{ print $3 }' | sort -u |
    grep -vE '_pt(sz|ds)$' | sed -E 's/_v[0-9]+$//' | sort -u |
    comm -23 - <(grep -ohE '^DRIVER(_MISSING)?\(\w+' "$root/runner/device/cudart/driver/driver.def" "$root/runner/device/cudart/driver/missing.def" |
        sed -E 's/.*\(//; s/_v[0-9]+$//' | sort -u) | head -n 5)" "" "every entry point of cuda.h has a row"
is "$("$root/docs/driver-support.sh" | cmp - "$root/docs/driver-support.md" 2>&1)" "" "docs/driver-support.md is what docs/driver-support.sh makes"
finish
