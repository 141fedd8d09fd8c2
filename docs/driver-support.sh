#!/bin/bash
# Writes docs/driver-support.md from the table of the driver API's entry points: docs/driver-support.sh > docs/driver-support.md
cd "$(dirname "$0")/.." || exit 1
cat <<'HEAD'
<!-- made by: docs/driver-support.sh -->

# The driver API that Warplab has

Which entry points of the CUDA driver API a program can call. For everybody who runs programs on the
driver API, or programs that compile kernels while they run (NVRTC).

Such programs get Warplab's own `libcuda.so.1`: the same device and the same wire as the runtime's,
from `runner/device/cudart/driver/driver.def`. All contexts of a device share its memory. Modules
are PTX text, or fat binaries that hold PTX; a module with machine code only is refused. A library
that brings a CUDA runtime of its own (cuBLAS and its kin) cannot run here: Warplab says so in one
line that names it.

| entry point | needs | what it does |
|---|---|---|
HEAD
sed -nE 's/^DRIVER\((\w+), \w+, (\w+), "([^"]*)".*/\1|\2|\3/p' runner/device/cudart/driver/driver.def | awk -F'|' '!seen[$1]++ {
    need["NOTHING"] = "-"; need["INIT"] = "cuInit"; need["DEVICE"] = "cuInit, a device"; need["CONTEXT"] = "a current context"
    printf "| `%s` | %s | %s |\n", $1, need[$2], $3
}'
printf '\nEvery other entry point of `cuda.h` (%s of them) links and loads. It answers\n`CUDA_ERROR_NOT_SUPPORTED` and says so once, by its name:\n\n' \
    "$(grep -c '^DRIVER_MISSING(' runner/device/cudart/driver/missing.def)"
sed -nE 's/^DRIVER_MISSING\((\w+)\)/`\1`/p' runner/device/cudart/driver/missing.def | sed 's/_v[0-9]*`/`/' | sort -u | paste -sd' ' | fold -s -w 100 | sed 's/ *$//'
