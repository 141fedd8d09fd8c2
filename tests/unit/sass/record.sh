#!/bin/bash
# Makes the recorded texts anew: tests/unit/sass/record.sh. They are nvcc 13.0's code as nvdisasm
# 13.2 writes it; other versions write other code, and the expectations in test_sass.c with it,
# which are worked out by hand. Needs both tools (setup/nvcc.sh --nvdisasm).
cd "$(dirname "$0")/../../.." || exit 1
. tests/nvcc.sh
[ -n "$nvcc" ] || { echo "record.sh: no nvcc here" >&2; exit 1; }
nvdisasm=$(command -v nvdisasm || echo "$PWD/.toolchain/nvidia/cu13/bin/nvdisasm")
made=$(mktemp -d) || exit 1
trap 'rm -rf "$made"' EXIT
# The places in the texts name the files alone.
cp tests/unit/sass/*.cu "$made"
cd "$made" || exit 1
for one in mixed.sm_75 mixed.sm_90 tensor.sm_90 table.sm_75; do
    "$nvcc" -std=c++17 -lineinfo -arch="${one#*.}" -cubin -o "$one.cubin" "${one%.*}.cu" &&
        "$nvdisasm" -c -gi -gp -hex "$one.cubin" | sed -E "s,\"$made/,\",g; s,\"[^\"]*/(include/[^\"]*\"),\"\\1,g; s/ +(\/\* 0x)/ \\1/" \
            >"$OLDPWD/tests/unit/sass/$one.sass" || exit 1
done
# pace: some rounds of tests/truth/mix.cu, pipes.cu, micro.cu and lanes.cu, which an H200 measured
# (test_pace.c).
truth=$OLDPWD/tests/truth
"$nvcc" -std=c++17 -arch=sm_90 -DMIX_DEVICE -cubin -o mix.cubin "$truth/mix.cu" &&
    "$nvcc" -std=c++17 -arch=sm_90 -cubin -o pipes.cubin "$truth/pipes.cu" &&
    "$nvcc" -std=c++17 -arch=sm_90 -cubin -o micro.cubin "$truth/micro.cu" &&
    "$nvcc" -std=c++17 -arch=sm_90 -diag-suppress 177,550 -cubin -o lanes.cubin "$truth/lanes.cu" || exit 1
printf '\t.target\tsm_90\n' >pace.sass
for one in mix pipes micro lanes; do
    "$nvdisasm" -c -hex $one.cubin | awk '/^\/\/-----/ { keep = $2 ~ /^\.text\.(a8|d_f8|s32_f8|cv|l32|_Z10round_high.*|_Z13thr_fma_f16x2.*|mvc|mv8|when_all)$/ } keep' | sed "s/\.L_x_/.L_${one}_/g" >>pace.sass || exit 1
done
sed -E "s/ +(\/\* 0x)/ \1/; /^$/d" pace.sass >"$OLDPWD/tests/unit/sass/pace.sm_90.sass"
# twins: machine code and PTX of the same kernels (test_twins.c), without lines.
for arch in 75 90; do
    "$nvcc" -std=c++17 -arch=sm_$arch -cubin -o twins.cubin "$OLDPWD/tests/unit/sass/twins/twins.cu" &&
        "$nvdisasm" -c -gi -gp -hex twins.cubin | sed -E "s/ +(\/\* 0x)/ \1/" >"$OLDPWD/tests/unit/sass/twins/twins.sm_$arch.sass" &&
        "$nvcc" -std=c++17 -arch=compute_$arch -ptx -o "$OLDPWD/tests/unit/sass/twins/twins.$arch.ptx" "$OLDPWD/tests/unit/sass/twins/twins.cu" || exit 1
done
