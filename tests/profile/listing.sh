#!/bin/bash
# profile --ptx --sass, the page's folded lines, `show ptx` and `show sass`: counts that follow from the launches, and what was done to lines whose
# machine code is known. listing.sass is what nvdisasm 13.2.51 wrote of ptxas 13.0.88's code for listing.cu, with the two loads of `pair` made one by
# hand, as newer assemblers do; a script that prints it stands for nvdisasm, so that this needs none.
. "$(dirname "$0")/../lib.sh"
here=$(cd "$(dirname "$0")" && pwd)

printf '#!/bin/sh\ncat "%s/listing/listing.sass"\n' "$here" >"$T/nvdisasm"
chmod +x "$T/nvdisasm"
export WARPLAB_NVDISASM="$T/nvdisasm"
cp "$here/listing/listing.cu" "$T"
run "$W" profile --device sim:h200 --no-what-if --lang en --ptx --sass --html "$T/p.html" "$T/listing.cu"
status_is 0 "a listing"
# 8 blocks of 256 threads, twice: 128 warps; of 2000 threads below n 62 warps are whole and one has 16 lanes, so 63 go on: 2000 / 63 = 31.7.
grep -q '^         128   32.0  setp.ge' "$T/out" && ok "128 warps compare" || not_ok "128 warps compare"
is "$(grep -c '^         126   31.7  ld.global.f32' "$T/out")" 2 "and 126 load twice, 31.7 lanes of each"
is "$(grep -c '^         126   31.7  st.global.f32' "$T/out")" 1 "and store once"
is "$(grep -c '^ .* ld.global.f32 %f[0-9]*, \[%rd[0-9]*+60\]' "$T/out")" 1 "the last of sixteen loads"
has "its branch became an exit under a predicate" "a guard around the rest is an exit"
has "elements that the line names: 1, accesses in its PTX:" "what nvcc unrolled"
has "unrolled by the assembler: " "what the assembler unrolled"
has "joined: accesses in the PTX: 3, wider ones in the machine code: 2" "two loads made one"
has "LDG.E.64 R6, desc[UR4][R2.64]" "machine code"
lacks 'L_x_' "jumps go to addresses"
lacks 'NOP' "without padding"
is "$(sed -n '/^saxpy$/,$p' "$T/out" | awk 'length > 80' | wc -l)" 0 "within 80 columns"
# What was counted is what was executed: the sum over instructions is the counter.
run "$W" profile --device sim:h200 --no-what-if --ptx --json "$T/l.json" "$T/listing.cu"
is "$(grep -cE '^ +[0-9]+ +[0-9.]+  LDG' "$T/out")" 0 "--ptx alone has no machine code"
sum=$(awk '/^ +[0-9]+ +[0-9.]+  [a-z@]/ { s += $1 } END { print s }' "$T/out")
is "$sum" "$(python3 -c 'import json,sys; print(sum(json.loads(l)["counters"]["warp_inst"] for l in open(sys.argv[1])))' "$T/l.json")" "the counts add up to warp_inst"
is "$(grep -c '<details>' "$T/p.html")" "$(grep -c '</details>' "$T/p.html")" "the page's folded lines are closed"
grep -q 'LDG.E.64 R6' "$T/p.html" && grep -q '<td class=n>126<td class=n>31.7<td>st.global.f32' "$T/p.html" && ok "the page has both" || not_ok "the page has both"
run "$W" profile --device sim:h200 --no-what-if --lang zh --ptx --sass "$T/listing.cu"
has "已合并：PTX 里 3 次访问" "in Chinese"
WARPLAB_NVDISASM=/nowhere run "$W" profile --device sim:h200 --no-what-if --sass "$T/listing.cu"
status_is 0 "without nvdisasm"
is "$(grep -c 'nvdisasm is not here' "$T/err")" 1 "it says so once"
printf '#!/bin/sh\nexit 1\n' >"$T/nvdisasm"
run "$W" profile --device sim:h200 --no-what-if --sass "$T/listing.cu"
has "made nothing of it for sm_90" "an nvdisasm that fails"
# At the prompt: the file of the lab.
printf '#!/bin/sh\nprintf "%%s\\n" "//-- x" .text._Z4turnPKfPfii: "//## File \\"/src/transpose.cu\\", line 12" "/*0000*/ EXIT ;"\n' >"$T/nvdisasm"
printf 'start transpose\nshow ptx\nshow sass\nshow --html ptx\nlang zh\nshow ptx\n' | timeout 120 "$W" --device sim:h200 >"$T/shown" 2>&1
grep -q 'ld.global.f32 %f1, \[%rd8\]' "$T/shown" && ok "show ptx" || not_ok "show ptx"
grep -q '^ *0  EXIT' "$T/shown" && ok "show sass" || not_ok "show sass"
grep -q 'PTX：54 条指令' "$T/shown" && ok "show ptx in Chinese" || not_ok "show ptx in Chinese"
[ -s "$WARPLAB_WORK/transpose-ptx.html" ] && ok "show --html ptx" || not_ok "show --html ptx"
# nvdisasm itself: where it is, or as setup/nvcc.sh brings it, found beside a toolkit that has none.
unset WARPLAB_NVDISASM
if ! command -v nvdisasm >/dev/null && [ ! -x /usr/local/cuda/bin/nvdisasm ] && [ ! -x "$root/.toolchain/nvidia/cu13/bin/nvdisasm" ]; then
    run env WARPLAB_LANG=en "$root/setup/nvcc.sh" --nvdisasm "$T/brought"
    case $status in
    0) export WARPLAB_NVDISASM=$T/brought/nvidia/cu13/bin/nvdisasm ;;
    *) skip "machine code by nvdisasm itself (pip could not bring it: $(head -c 200 "$T/err"))"; finish ;;
    esac
fi
run "$W" profile --device sim:h200 --no-what-if --sass "$T/listing.cu"
has "EXIT" "nvdisasm itself"
finish
