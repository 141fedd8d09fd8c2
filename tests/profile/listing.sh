#!/bin/bash
# profile --ptx --sass, the page's folded lines, `show ptx` and `show sass`: counts that follow from
# the launches, and what was done to lines whose machine code is known. listing.sass is what
# nvdisasm 13.2.51 wrote of ptxas 13.0.88's code for listing.cu, with the two loads of `pair` made
# one by hand, as newer assemblers do; a script that prints it stands for nvdisasm, so that this
# needs none.
. "$(dirname "$0")/../lib.sh"
here=$(cd "$(dirname "$0")" && pwd)

printf '#!/bin/sh\ncat "%s/listing/listing.sass"\n' "$here" >"$T/nvdisasm"
chmod +x "$T/nvdisasm"
export WARPLAB_NVDISASM="$T/nvdisasm"
cp "$here/listing/listing.cu" "$T"
run "$W" profile --device sim:h200 --no-what-if --lang en --ptx --sass --html "$T/p.html" "$T/listing.cu"
status_is 0 "a listing"
# 8 blocks of 256 threads, twice: 128 warps; of 2000 threads below n 62 warps are whole and one has
# 16 lanes, so 63 go on: 2000 / 63 = 31.7.
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
sum=$(awk '/^ +[0-9,]+ +[0-9.]+  [a-z@]/ { gsub(",", "", $1); s += $1 } END { print s }' "$T/out")
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
# Each machine instruction with its executions, which follow from the launches as above, and its
# waits.
run "$W" profile --device sim:h200 --no-what-if --lang en --sass --json "$T/m.json" --html "$T/m.html" "$T/listing.cu"
has "EXIT" "nvdisasm itself"
has "how many warps executed it" "it is said what is counted"
grep -qE '^ +128 +[0-9.]+ +[0-9.]+ +0  ' "$T/out" && ok "128 warps begin" || not_ok "128 warps begin"
grep -qE '^ +126 +[0-9.]+ +[0-9.]+ +[0-9a-f]+  STG' "$T/out" && ok "126 warps store" || not_ok "126 warps store"
has "Long Scoreboard " "what is waited for"
is "$(sed -n '/^saxpy$/,$p' "$T/out" | awk 'length > 80' | wc -l)" 0 "within 80 columns"
grep -qE '<td>st.global.f32[^<]*<td class=n>126<td class=n>[0-9.]+<td class=n>[0-9.]+<td>.*<td class=n>[0-9a-f]+<td>' "$T/m.html" && ok "the page has both side by side" || not_ok "the page has both side by side"
python3 - "$T/m.json" >"$T/said" <<'END' && ok "the JSON has them" || not_ok "the JSON has them ($(cat "$T/said"))"
import json, sys
saxpy = [l for l in map(json.loads, open(sys.argv[1])) if l.get("kernel", "").startswith("saxpy")]
assert len(saxpy) == 2, len(saxpy)
for l in saxpy:  # each launch has its own: 64 warps begin, 63 go on behind the exit
    warps = [m["warps"] for m in l["machine"] if m["warps"]]
    assert warps[0] == 64 and warps[-1] == 63 and set(warps) == {64, 63}, warps
    assert [m["at"] for m in l["machine"]] == [16 * k for k in range(len(l["machine"]))]
    assert sum(m["cycles"].get("long_scoreboard", 0) for m in l["machine"]) > 100 * 63
    assert l["timed_by"] == "machine code", l.get("timed_by_why")
END
# Whoever looks changes no time.
run "$W" profile --device sim:h200 --no-what-if --json "$T/plain.json" "$T/listing.cu"
times() { python3 -c 'import json,sys; print([l.get("time_us") for l in map(json.loads, open(sys.argv[1]))])' "$1"; }
is "$(times "$T/m.json")" "$(times "$T/plain.json")" "the times are the same without --sass"
grep -q '"machine"' "$T/plain.json" && not_ok "nothing of machine code without --sass" || ok "nothing of machine code without --sass"
run "$W" profile --device sim:h200 --no-what-if --lang zh --sass "$T/listing.cu"
has "等全局访存 " "in Chinese"
is "$(python3 -c 'import sys, unicodedata; print(sum(sum(1 + (unicodedata.east_asian_width(c) in "WF") for c in l.rstrip("\n")) > 80 for l in sys.stdin))' < <(sed -n '/^saxpy$/,$p' "$T/out"))" 0 "in Chinese within 80 columns"
# Where there is none, a line says so, and the listing is as without.
run env WARPLAB_SIM_MACHINE=off "$W" profile --device sim:h200 --no-what-if --lang en --sass "$T/listing.cu"
is "$(grep -c 'are not counted: WARPLAB_SIM_MACHINE=off' "$T/out")" "$(grep -c '^  PTX: ' "$T/out")" "switched off: a line for each kernel"
grep -qE '^ {10,}[0-9a-f]+  .*EXIT' "$T/out" && ok "and addresses only" || not_ok "and addresses only"
run "$W" profile --device sim:g80 --no-what-if --lang en --sass "$T/listing.cu"
lacks "are not counted: " "a device with another's machine code"
printf 'start transpose\nshow sass\n' | timeout 120 env WARPLAB_LANG=en "$W" --device sim:h200 >"$T/shown" 2>&1
# What PTX stores is stored by machine code, by as many warps.
python3 - "$T/shown" >"$T/said" <<'END' && ok "show sass at the prompt" || not_ok "show sass at the prompt ($(cat "$T/said"))"
import re, sys
text = open(sys.argv[1]).read()
ptx = re.findall(r"^ +([\d,]+) +[\d.]+  st\.global", text, re.M)
sass = re.findall(r"^ +([\d,]+) +[\d.-]+ +[\d.-]+ +[0-9a-f]+  (?:@!?P\d )?STG", text, re.M)
assert ptx and ptx == sass, (ptx, sass)
END
finish
