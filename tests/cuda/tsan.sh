#!/bin/bash
# slow
# timeout: 300
# The client library under ThreadSanitizer, driven by programs with many threads.
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
case $SANITIZE in ?*) echo "skip cuda tsan (left to the plain build)"; exit 0 ;; esac
. tests/nvcc.sh
dir=$B/cuda-tsan
mkdir -p "$dir"
gcc -std=gnu17 -D_GNU_SOURCE -O1 -g -fPIC -fsanitize=thread -fvisibility=hidden -pthread -I. -I"$B" -shared -Wl,-soname,libcudart.so.13 \
    -Wl,--version-script=runner/device/cudart/libcudart.map runner/device/cudart/*.c runner/device/cudart/driver/*.c -o "$dir/libcudart.so.13" || exit 1
status=0
for name in host_threads per_thread_stream; do
    flags=$(sed -n 's|^// flags: ||p' tests/cuda/$name.cu)
    # shellcheck disable=SC2086
    "$nvcc" -std=c++17 -O1 -w -Xcompiler -fsanitize=thread -cudart shared -arch=sm_75 $flags -o "$dir/$name" tests/cuda/$name.cu || exit 1
    sed -n 's|^// expect: ||p' tests/cuda/$name.cu >"$dir/$name.want"
    # where address-space randomisation is too wild for the sanitizer, without it
    TSAN_OPTIONS=exitcode=66 timeout 120 setarch -R "$B/cuda-host" -q -l "$PWD/$dir" "$PWD/$dir/$name" >"$dir/$name.out" 2>"$dir/$name.err"
    code=$?
    if [ $code = 0 ] && cmp -s "$dir/$name.want" "$dir/$name.out" && ! grep -q 'WARNING: ThreadSanitizer' "$dir/$name.err"; then
        echo "ok cuda tsan $name"
    else
        echo "not ok cuda tsan $name (exit status $code; $(grep -m1 -A4 ThreadSanitizer "$dir/$name.err" | tr '\n' ' '))"
        status=1
    fi
done
exit $status
