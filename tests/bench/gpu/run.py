#!/usr/bin/env python3
"""make bench-gpu: what a GPU does with every lab's answer, and with the open answers beside the
libraries.

    tests/bench/gpu/run.py --warplab build/warplab --out docs/results-h200.md [--labs a,b] [--keep FOLDER]

(a) grades answers/ID.cu of every lab on gpu:0: times are medians of replays interleaved with the
baseline's, the L2 flushed before each; beside
    them what the simulated device predicted. (b) builds and runs libs.cu (needs nvcc and cuBLAS).
"""
import argparse, datetime, glob, json, os, shutil, subprocess, sys, textwrap

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.abspath(os.path.join(here, "../../.."))
TARGETS = {  # of the libraries, by (what, size, against): least ratio library/answer, and why
    ("reduction", "64M int", "CUB DeviceReduce"): 1.0,
    ("reduction", "64M int", "reading alone"): 0.97,
    ("histogram", "16M bytes", "CUB DeviceHistogram"): 1.0,
    ("product", "2048", "cuBLAS SGEMM"): 0.70,
    ("product", "4096", "cuBLAS SGEMM"): 0.80,
    ("gemv", "4096", "cuBLAS SGEMV"): 1.0,
    ("transpose", "8192", "device-to-device copy"): 0.90,
    ("vector add", "64M float", "device-to-device copy"): 1.0,
}


def grade(warplab, lab, answer, keep):
    path = os.path.join(keep, lab + ".json")
    run = subprocess.run([warplab, "grade", lab, answer, "--device", "gpu:0", "--no-sandbox", "--quiet", "--json", path], capture_output=True, text=True, timeout=300)
    if not os.path.exists(path):
        sys.exit(f"{lab}: no result (status {run.returncode}): {run.stderr.strip()}")
    return json.load(open(path))


def fraction(j, kind):
    for g in j["goals"]:
        if g["kind"] in ("fraction", "tiers") and g["name"] == kind:
            return f"{100 * g['actual']:.0f}%"
    return ""


def lab_rows(args, keep):
    rows, gpu = [], None
    for lua in sorted(glob.glob(os.path.join(args.root, "labs", "*.lua"))):
        lab = os.path.basename(lua)[:-4]
        if args.labs and lab not in args.labs.split(","):
            continue
        answer = os.path.join(args.root, "answers", lab + ".cu")
        if not os.path.exists(answer):  # a quiz: nothing runs
            continue
        j = grade(args.warplab, lab, answer, keep)
        gpu = j.get("gpu") or gpu
        rows.append(j)
        print(f"{lab:20} {j['verdict']:9} {j['time_us']:10.2f} us, baseline {j['baseline_us']:10.2f}, {j['speedup']:6.2f}x (model {j.get('modelled_speedup', 0):.2f}x)", flush=True)
    return rows, gpu


def library_rows(keep):
    program = os.path.join(keep, "libs")
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    build = [nvcc, "-O3", "-std=c++17", "-arch=native", "-w", "-I", os.path.join(root, "kernels"), os.path.join(here, "libs.cu"), "-lcublas", "-o", program]
    made = subprocess.run(build, capture_output=True, text=True)
    if made.returncode:
        print("libs.cu does not build here, so nothing is compared with the libraries: " + made.stderr.strip()[:300])
        return []
    text = subprocess.run([program], capture_output=True, text=True, timeout=300)
    if text.returncode:
        sys.exit("libs: " + text.stderr)
    open(os.path.join(keep, "libs.jsonl"), "w").write(text.stdout)
    return [json.loads(line) for line in text.stdout.splitlines()][1:]


def prose(words):
    return "\n".join(textwrap.wrap(words, 100, break_long_words=False, break_on_hyphens=False))


def table(head, rows):
    return "\n".join(["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)] + ["| " + " | ".join(str(c) for c in r) + " |" for r in rows])


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--warplab", default=os.path.join(root, "build/warplab"))
    p.add_argument("--root", default=root)
    p.add_argument("--out", default=os.path.join(root, "docs/results-h200.md"))
    p.add_argument("--labs")
    p.add_argument("--keep", default="/tmp/warplab-bench-gpu")
    args = p.parse_args()
    os.makedirs(args.keep, exist_ok=True)
    rows, gpu = lab_rows(args, args.keep)
    libraries = library_rows(args.keep)
    if not gpu:
        sys.exit("nothing was timed on a GPU")
    throttled = ", ".join(sorted({j["gpu"]["clocks"]["throttle_reasons"] for j in rows if j.get("gpu") and j["gpu"]["clocks"]}))
    text = [f"# Measured on one {gpu['name']}", "",
            prose("What a real GPU does with the model answer of every lab, beside the model's prediction. For everybody who quotes a time of this device; "
                  "figures of an H200 in lessons come from here."), "",
            prose(f"Made by `make bench-gpu` on {datetime.date.today().isoformat()}: {gpu['name']}, driver {gpu['driver']}. A device-to-device copy of 256 MiB reaches "
                  f"{gpu['copy_gbs']:.0f} GB/s (bytes read and written). A launch call takes {gpu['launch_us']:.1f} us of the host. Clocks were not fixed; throttle reasons seen: {throttled}."), "",
            "## The labs' answers", "",
            prose("Times are medians of device time over replays on fresh inputs, interleaved with the baseline's (A B B A). The L2 is flushed before each. The model is "
                  "the simulated device's prediction for the same program and inputs. Copy: useful bytes over time as a share of the copy bandwidth, for labs that have such a goal."), "",
            table(["lab", "verdict", "answer us", "baseline us", "speed-up", "95%", "model us", "model speed-up", "copy", "fp32"],
                  [[j["lab"], j["verdict"], f"{j['time_us']:.2f}", f"{j['baseline_us']:.2f}", f"{j['speedup']:.2f}",
                    "{:.2f} to {:.2f}".format(*j["speedup_interval"]) if j.get("speedup_interval") else "", f"{j.get('modelled_us', 0):.2f}",
                    f"{j.get('modelled_speedup', 0):.2f}", fraction(j, "copy"), fraction(j, "fp32")] for j in rows]), ""]
    if libraries:
        text += ["## Open answers against the libraries", "",
                 prose("One process, cold (L2 flushed before each run), A B B A, medians of 21. Ratio: the library's time over ours. Products are FP32 without tensor cores."), "",
                 table(["what", "size", "against", "ours us", "theirs us", "ratio", "asked", "", "outputs agree"],
                       [[l["what"], l["size"], l["against"], f"{l['answer_us']:.2f}", f"{l['library_us']:.2f}", f"{l['ratio']:.3f}",
                         TARGETS.get((l["what"], l["size"], l["against"]), ""),
                         "" if (l["what"], l["size"], l["against"]) not in TARGETS else "met" if l["ratio"] >= TARGETS[(l["what"], l["size"], l["against"])] else "MISSED",
                         "yes" if l["agrees"] else "NO"] for l in libraries]), ""]
    open(args.out, "w").write("\n".join(text))
    print(f"written: {args.out}")
    return 1 if any(j["verdict"] != "pass" for j in rows) or any(not l["agrees"] for l in libraries) else 0


sys.exit(main())
