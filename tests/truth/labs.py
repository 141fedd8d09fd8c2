#!/usr/bin/env python3
"""What-if in the labs: asked of a lab's baseline, beside the modelled time of its model answer,
whose technique removes that cost.

    kernels/LAB.cu --at the prompt: run, show whatif--> the time without the cost     answers/LAB.cu --run--> the time of who has removed it

The labs are chosen by what their technique does, before any of them was asked; labs whose answer is
another algorithm, or removes several costs, are not among them. Prints a line a lab; with
--markdown F the table of docs/model-tables.md. Status 1 when the median error is beyond 25 %, or a
lab does not answer.

    tests/truth/labs.py WARPLAB [--markdown F]"""
import os, re, shutil, statistics, subprocess, sys, tempfile

LABS = [  # lab, what its technique removes (title in runner/device/sim/costs.def)
    ("matmul-naive", "uncoalesced access"),
    ("coalescing", "uncoalesced access"),
    ("transpose", "uncoalesced access"),
    ("corner-turning", "uncoalesced access"),
    ("float3-aos", "uncoalesced access"),
    ("reduce-2-banks", "bank conflicts"),
    ("bank-lab", "bank conflicts"),
    ("divergence", "divergence"),
    ("reduce-1-divergent", "divergence"),
    ("histogram", "serialised atomics"),
    ("warp-aggregate", "serialised atomics"),
    ("occupancy", "latency"),
    ("ilp", "latency"),
    ("dram-parallel", "latency"),
    ("spill", "local memory"),
    ("reduce-4-warp", "barriers"),
    ("reduce-5-unroll", "instructions"),
    ("fast-math", "expensive arithmetic"),
    ("int-div", "expensive arithmetic"),
]

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
warplab = os.path.abspath(sys.argv[1])
markdown = sys.argv[sys.argv.index("--markdown") + 1] if "--markdown" in sys.argv else None


def prompt(lab, file, *commands):
    with tempfile.TemporaryDirectory(prefix="warplab-labs.") as work:
        shutil.copy(file, os.path.join(work, f"{lab}.cu"))
        env = dict(os.environ, WARPLAB_WORK=work, XDG_DATA_HOME=f"{work}/data", XDG_STATE_HOME=f"{work}/state")
        r = subprocess.run([warplab, "--lab", lab, "--device", "sim:h200", "--lang", "en", "--no-colour"], input="\n".join([*commands, "quit", ""]),
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env, timeout=600)
        return r.stdout


def number(pattern, text, what):
    found = re.search(pattern, text, re.M)
    if not found:
        print(f"MISSED    {what}: no such line at the prompt:\n{text[-1500:]}")
        sys.exit(1)
    return float(found[1])


rows, errors = [], []
for lab, cost in LABS:
    said = prompt(lab, f"kernels/{lab}.cu", "run", "show whatif")
    now = number(r"What if\? Now ([0-9.]+) us", said, f"{lab}, baseline")
    then = re.search(rf"^  {re.escape(cost)} +[#.]+ +([0-9.]+) us", said, re.M)
    then = float(then[1]) if then else now  # worth less than 2 %: no row
    answer = number(r"^([0-9.]+) us on ", prompt(lab, f"answers/{lab}.cu", "run"), f"{lab}, answer")
    errors.append(then / answer - 1)
    rows.append((lab, cost, now, then, answer, errors[-1]))
    print(f"{lab:<20} {cost:<22} {now:9.2f} {then:9.2f} {answer:9.2f} {100 * errors[-1]:+5.0f}%", flush=True)
median = 100 * statistics.median(abs(e) for e in errors)
good = median <= 25
print(f"{'ok' if good else 'MISSED':<9} what if, labs: {len(rows)} labs, median error {median:.0f}%")
if markdown:
    with open(markdown, "w") as f:
        print("| lab | cost | baseline, us | without it, us | answer, us | error |\n|---|---|---:|---:|---:|---:|", file=f)
        for lab, cost, now, then, answer, e in rows:
            print(f"| `{lab}` | {cost} | {now:.1f} | {then:.1f} | {answer:.1f} | {100 * e:+.0f}% |", file=f)
        print(f"\n{len(rows)} labs: median error {median:.0f}%.", file=f)
sys.exit(not good)
