#!/bin/bash
# Writes docs/driver-support.md from the table of the driver API's entry points:
# docs/driver-support.sh > docs/driver-support.md
cd "$(dirname "$0")/.." || exit 1
cat <<'HEAD'
<!-- made by: docs/driver-support.sh -->

# The driver API that Warplab has

This page is for everyone who runs programs that use the CUDA driver API, or programs that compile
kernels while they run (NVRTC). It lists the entry points of the driver API that a program can call.

Such programs load Warplab's own `libcuda.so.1`. It uses the same device as Warplab's runtime
library, and the same connection to it (`runner/device/cudart/driver/driver.def`). All contexts of a
device share its memory. A module is PTX text, or a fat binary that contains PTX. Warplab refuses a
module that contains only machine code. A library that brings a CUDA runtime of its own (such as
cuBLAS) cannot run here. Warplab says so in one line that names the library.

| entry point | needs | what it does |
|---|---|---|
HEAD
sed -nE 's/^DRIVER\((\w+), \w+, (\w+), "([^"]*)".*/\1|\2|\3/p' runner/device/cudart/driver/driver.def | awk -F'|' '!seen[$1]++ {
    need["NOTHING"] = "-"; need["INIT"] = "cuInit"; need["DEVICE"] = "cuInit, a device"; need["CONTEXT"] = "a current context"
    printf "| `%s` | %s | %s |\n", $1, need[$2], $3
}'
printf '\nA program that uses any other entry point of `cuda.h` (%s of them) links and loads. Such a call\nreturns `CUDA_ERROR_NOT_SUPPORTED`, and Warplab names the entry point once:\n\n' \
    "$(grep -c '^DRIVER_MISSING(' runner/device/cudart/driver/missing.def)"
sed -nE 's/^DRIVER_MISSING\((\w+)\)/`\1`/p' runner/device/cudart/driver/missing.def | sed 's/_v[0-9]*`/`/' | sort -u | paste -sd' ' | fold -s -w 100 | sed 's/ *$//'
