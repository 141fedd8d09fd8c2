#!/bin/bash
# slow
# Every instrument on every program with one known bottleneck: what if at the command line, the
# debugger forwards and back, the timeline for other readers, the page. The advice of each is
# advice.sh's; here each instrument has to see the kernel, with figures that follow from the
# launches in the sources.
. "$(dirname "$0")/../lib.sh"

cat >"$T/trace.py" <<'PY'
import json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
launches = [json.loads(l) for l in open(sys.argv[2])]
kernels = [e for e in events if e.get("cat") == "kernel"]
blocks = [e for e in events if e.get("cat") == "block"]
bad = []
if len(kernels) != len(launches): bad.append("%d kernels of %d launches" % (len(kernels), len(launches)))
if sorted(e["name"] for e in kernels) != sorted(l["kernel"] for l in launches): bad.append("other names")
if any(e["dur"] <= 0 for e in kernels): bad.append("a kernel without time")
if not blocks: bad.append("no blocks on a multiprocessor")
print("; ".join(bad) or "good")
PY
for f in "$root"/tests/profile/*.cu; do
    name=$(basename "$f" .cu)
    advice=$(sed -n 's|^// expect: limiter [a-z0-9]*, advice \([a-z0-9_]*\)$|\1|p' "$f")
    kernel=$(sed -n 's/.*__global__ void \([a-z_]*\)(.*/\1/p' "$f" | tail -1)
    sentence=$(msgfmt -o - "$root/runner/base/words/en.po" | msgunfmt --no-wrap | sed -n "/^msgid \"profile.advice-${advice//_/-}\"/{n;s/^msgstr \"\(.*\)\"/\1/p}")
    LIMIT=120 run "$W" profile --device sim:h200 --what-if --stalls --json "$T/$name.json" --trace "$T/$name.trace" --html "$T/$name.html" "$f"
    status_is 0 "$name runs"
    has "what if, of " "$name: what if"
    has "where cycles went" "$name: the schedulers' cycles"
    is "$(python3 "$T/trace.py" "$T/$name.trace" "$T/$name.json")" good "$name: the timeline has each launch and its blocks"
    [ -n "$sentence" ] && grep -qF "${sentence:0:60}" "$T/$name.html" && ok "$name: the page begins with the advice" || not_ok "$name: the page begins with the advice"
    for part in 'What if it were not there' 'Where the cycles went' 'Warp slots of a multiprocessor' 'Timeline' 'Source: the redder'; do
        grep -qF "$part" "$T/$name.html" || not_ok "$name: the page has no $part"
    done
    printf '%s\n' "break $kernel" run next "lanes threadIdx.x" warps next "where" back reverse-next locals quit >"$T/commands"
    timeout -k 5 60 "$W" debug --device sim:h200 --lang en "$f" <"$T/commands" >"$T/out" 2>&1
    status=$?
    out=$(cat "$T/out")
    status_is 0 "$name: a session of the debugger"
    has "breakpoint 1" "$name: stops in $kernel"
    has ">#0  $kernel  $name.cu:" "$name: knows where"
    has "   8         8        9       10" "$name: a row of lanes"
    is "$(grep -c '^> *[0-9]*  ' "$T/out" | awk '{ print ($1 >= 5) }')" 1 "$name: source lines, forwards and back"
done
finish
