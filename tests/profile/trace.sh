#!/bin/bash
# profile --trace: the file is what "Trace Event Format" (the document of chrome://tracing) says,
# and it tells what the program did. Copies in two streams, kernels that follow them, a name that is
# no UTF-8's friend.
. "$(dirname "$0")/../lib.sh"

two=$root/tests/profile/trace/streams.cu
run "$W" profile --device sim:h200 --trace "$T/t.json" --json "$T/l.json" "$two"
status_is 0 "a program with two streams"
cat >"$T/check.py" <<'PY'
import json, sys
all = json.load(open(sys.argv[1]))
launches = [json.loads(l) for l in open(sys.argv[2])]
bad = []
def must(ok, what):
    if not ok: bad.append(what)
must(isinstance(all, dict) and isinstance(all["traceEvents"], list), "an object with traceEvents")
must(all.get("displayTimeUnit") in ("ms", "ns"), "displayTimeUnit is ms or ns")
slices, flows, names, processes = {}, {}, set(), set()
for e in all["traceEvents"]:
    must(e.get("ph") in set("BEXiIPCbnesftNODMVvRc(),"), "a phase of the document: %r" % e.get("ph"))
    must(isinstance(e.get("name"), str) and isinstance(e.get("pid"), int) and isinstance(e.get("tid"), int), "name, pid, tid: %r" % e)
    must(isinstance(e.get("ts"), (int, float)) and e["ts"] >= 0, "ts in microseconds: %r" % e)
    must(isinstance(e.get("args", {}), dict), "args is an object")
    if e["ph"] == "M":
        must(e["name"] in ("process_name", "thread_name", "process_labels", "process_sort_index", "thread_sort_index"), "metadata of the document")
        must(isinstance(e["args"].get("name"), str), "metadata has args.name")
        names.add((e["pid"], e["tid"])) if e["name"] == "thread_name" else processes.add(e["pid"])
    elif e["ph"] == "X":
        must(isinstance(e.get("dur"), (int, float)) and e["dur"] >= 0, "X has dur: %r" % e)
        must(isinstance(e.get("cat"), str), "cat")
        slices.setdefault((e["pid"], e["tid"]), []).append(e)
    elif e["ph"] == "i":
        must(e.get("s") in ("g", "p", "t"), "an instant has a scope")
    elif e["ph"] in "sf":
        must(e["ph"] == "s" or e.get("bp", "e") == "e", "bp")
        flows.setdefault((e["cat"], e["name"], e["id"]), []).append(e)
for track, list in slices.items():
    must(track in names and track[0] in processes, "track %s has its names" % (track,))
    list.sort(key=lambda e: (e["ts"], -e["dur"]))
    stack = []
    for e in list: # nested or apart, as the document wants of one thread
        while stack and stack[-1]["ts"] + stack[-1]["dur"] <= e["ts"] + 1e-6: stack.pop()
        must(not stack or e["ts"] + e["dur"] <= stack[-1]["ts"] + stack[-1]["dur"] + 1e-6, "slices overlap on %s: %s" % (track, e["name"]))
        stack.append(e)
def held(e): # an arrow's end lies in a slice of its thread
    return any(s["ts"] - 1e-6 <= e["ts"] <= s["ts"] + s["dur"] + 1e-6 for s in slices.get((e["pid"], e["tid"]), []))
for key, ends in flows.items():
    must([e["ph"] for e in ends] == ["s", "f"], "arrow %s has one start and one end" % (key,))
    must(ends[0]["ts"] <= ends[1]["ts"], "arrow %s goes forward" % (key,))
    must(all is not None and held(ends[0]) and held(ends[1]), "arrow %s is held by slices" % (key,))
kernels = [e for t in slices.values() for e in t if e["cat"] == "kernel"]
must(len(kernels) == len(launches) == 2, "each launch is a slice: %d" % len(kernels))
for e, l in zip(sorted(kernels, key=lambda e: e["ts"]), sorted(launches, key=lambda l: l["start_us"])):
    must(abs(e["ts"] - l["start_us"]) < 1e-3 and abs(e["ts"] + e["dur"] - l["end_us"]) < 1e-3, "at its time")
    must(e["args"]["gld_sectors"] == l["counters"]["gld_sectors"] == 131072, "with its counters")
    must(e["args"]["grid"] == [4096, 1, 1] and e["args"]["block"] == [256, 1, 1], "with its grid and block")
copies = [e for t, v in slices.items() for e in v if e["cat"] == "copy" and 200 <= t[0] < 300]
must(len(copies) == 4 and all is not None and {e["tid"] for e in copies} == {1, 2}, "four copies on two engines")
must(sum(e["args"]["bytes"] for e in copies) == 4 * 4 << 20, "their bytes")
# in each stream: copy -> kernel -> copy
for stream in {e["args"]["stream"] for e in kernels}:
    must(sum(1 for f in flows.values() if f[0]["tid"] == stream == f[1]["tid"] and f[0]["pid"] == f[1]["pid"] == 100) == 2, "two arrows in stream %d" % stream)
blocks = [e for t, v in slices.items() for e in v if t[0] >= 300]
# 4096 blocks over 132 multiprocessors: 31 or 32 each, 8 at a time
slots = {e["tid"] for e in blocks}
must(slots == set(range(8)), "eight slots for blocks: %s" % slots)
must(31 <= len(blocks) <= 32, "31 or 32 blocks on a multiprocessor: %d" % len(blocks))
must({e["name"] for e in blocks} >= {"wave 1", "wave 2", "wave 3", "wave 4"}, "four waves")
print("; ".join(bad) if bad else "valid")
PY
is "$(python3 "$T/check.py" "$T/t.json" "$T/l.json" 2>&1)" "valid" "the trace is what the document says and what the program did"
# The check can fail: without one end of an arrow, or with a slice put over another.
for break in '[e for e in j["traceEvents"] if e["ph"] != "f"]' '[dict(e, dur=e.get("dur", 0) + 50) if e["ph"] == "X" else e for e in j["traceEvents"]]'; do
    python3 -c 'import json,sys; j=json.load(open(sys.argv[1])); j["traceEvents"]=eval(sys.argv[3]); json.dump(j,open(sys.argv[2],"w"))' "$T/t.json" "$T/b.json" "$break"
    case $(python3 "$T/check.py" "$T/b.json" "$T/l.json" 2>&1) in valid) not_ok "the check sees a broken trace" ;; *) ok "the check sees a broken trace" ;; esac
done
# Managed memory: pages that a prefetch and the host's reading move are copies, and calls have the
# names that the program used.
cat >"$T/managed.cu" <<'CU'
__global__ void one(float *a) { a[blockIdx.x * blockDim.x + threadIdx.x] += 1; }
int main() {
    float *a, *b, sum = 0;
    cudaMallocManaged(&a, 1 << 22);
    cudaMallocHost(&b, 1 << 10);
    a[0] = 1;
    cudaMemLocation there = {cudaMemLocationTypeDevice, 0};
    cudaMemPrefetchAsync(a, 1 << 22, there, 0, 0);
    one<<<4096, 256>>>(a);
    cudaDeviceSynchronize();
    sum = a[0];
    cudaFree(a), cudaFreeHost(b);
    return sum != 2;
}
CU
run "$W" profile --device sim:h200 --trace "$T/m.json" "$T/managed.cu"
is "$(python3 -c '
import json, sys
from collections import Counter
n = Counter((e["name"], e.get("cat"), e["pid"]) for e in json.load(open(sys.argv[1]))["traceEvents"] if e["ph"] in "Xi" and e["pid"] < 300)
print(*sorted(f"{name}@{pid}" for (name, cat, pid) in n if cat == "copy" or name.startswith("cuda")), sep=", ")' "$T/m.json")" \
    "cudaFree@1, cudaFreeHost@1, cudaMallocHost@1, cudaMallocManaged@1, pages to the device@100, pages to the device@200, pages to the host@100, pages to the host@200" \
    "pages that move are on their engines' tracks, and calls have their names"
run "$W" profile --device sim:h200 --trace /nonexistent/t.json "$two"
status_is 3 "a trace that cannot be written"
has "cannot write /nonexistent/t.json" "and says so"
finish
