#!/usr/bin/env python3
"""Machine code and PTX of everything here, each executed by the simulated device: sampled blocks
must leave the same bytes (WARPLAB_SIM_MACHINE=log:FILE of runner/device/sim/sim.h).

    make twins                              all of it
    tests/twins.py [--sample] [--generated N] [--device sim:h200] [NAME ..]

runs tests/cuda and tests/programs, the answers of all labs with every case, and N generated kernels
(tests/ptx/flow.h). A program is compiled for the device's own architecture and kept in build/twins;
one that says "// twins: sm_75" also for a device of every other architecture from sm_75 on, without
what that lacks. It prints, of all launches, how many left the same bytes, which kernels left other
ones, and which were refused and why, the most frequent first. DIFFER names the kernels that may
leave other bytes, and why; the exit status is 1 where another one does. --sample: a few of each.
NAME: only those programs and labs."""
import collections
import concurrent.futures
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

import programs as suites

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), ".."))
B = os.path.abspath(os.path.join(ROOT, os.environ.get("B", "build")))
KEPT = os.path.join(B, "twins")
SAMPLE = {"bulk_barrier", "tma_matmul", "wgmma_product", "warp_specialised", "vector-add", "reduce-7-shuffle", "matmul-tiled", "machine_forms", "histogram", "scan_blelloch", "black_scholes", "integer_math", "grid_sync", "cluster_groups", "spin_lock", "flags_in_block"}
# Kernel (its name in PTX holds this): why its machine code may leave other bytes than its PTX.
DIFFER = {}
# What stays refused, by its opcode and modifiers (docs/machine-code.md says why).
REFUSED = {"MOVM.U4TO8.M832"}
LIMIT = 240


def nvcc():
    out = subprocess.run(["bash", "-c", ". tests/nvcc.sh; echo $nvcc"], cwd=ROOT, capture_output=True, text=True, check=True)
    return out.stdout.strip()


def quiet(argv, log=None, limit=LIMIT):
    env = dict(os.environ, WARPLAB_LANG="en")
    if log:
        env["WARPLAB_SIM_MACHINE"] = "log:" + log
    try:
        return subprocess.run(argv, cwd=ROOT, env=env, capture_output=True, text=True, errors="replace", timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return None


def lines_of(path):
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8", errors="replace") as file:
        return [line.rstrip("\n").split("\t") for line in file if line.count("\t") == 3]


class Run:
    def __init__(self, device, arch, folder):
        self.device, self.arch, self.folder, self.nvcc = device, arch, folder, nvcc()
        suites.NVCC = self.nvcc

    def log(self, name):
        return os.path.join(self.folder, re.sub(r"\W", "_", f"{name} {self.arch}"))

    def wants(self, p):
        since = p.tag("twins") or p.tag("arch").rstrip("a")
        return not p.tag("device") and not (since and int(since[3:]) > self.arch)

    def kind(self, p):
        return os.path.dirname(p.source), p.tag("std"), p.tag("flags"), p.tag("arch") == f"sm_{self.arch}a"

    def together(self, programs):
        """Of programs that are compiled together: (source, what is wrong or None, lines of the log) for each."""
        first, work = programs[0], os.path.join(KEPT, f"sm_{self.arch}")
        suites.headers_beside(work, os.path.dirname(first.source))
        flags = first.tag("flags").split()
        arch = [] if any("-gencode" in f for f in flags) else [f"-arch=sm_{self.arch}{'a' * self.kind(first)[-1]}"]
        one = suites.Bundle(programs, work) if len(programs) > 1 else first
        program, why = one.built(work, ["-std=" + first.tag("std", "c++14"), "-w", "-lineinfo", "-cudart", "shared", *arch, *flags], glob.glob("tests/*/*.h"))
        if why and len(programs) > 1:
            print(f"# {' '.join(p.name for p in programs)}: one by one, since together {why}", flush=True)
            return [row for p in programs for row in self.together([p])]
        rows = []
        for p in programs:
            log = self.log(p.source)
            ran = why or quiet([os.path.join(B, "warplab"), "profile", "--no-what-if", "--no-races", "--device", self.device, f"{work}/{p.name}-{program[-16:]}"], log)
            rows.append((p.source, why or (None if ran else "takes too long"), lines_of(log)))
        return rows

    def lab(self, lab):
        log = self.log("lab " + lab)
        ran = quiet([os.path.join(B, "warplab"), "grade", lab, f"answers/{lab}.cu", "--device", self.device], log)
        bad = "takes too long" if not ran else "is not passed: " + ran.stdout[-200:] if ran.returncode else None
        return [(f"answers/{lab}.cu", bad, lines_of(log))]

    def generated(self, count, tools):
        folder = os.path.join(self.folder, "generated")
        os.mkdir(folder)
        test = os.path.join(B, "tests/test_twins")
        quiet([test, "--make", str(count), folder])
        ptx, whole = os.path.join(folder, f"all.{self.arch}.ptx"), ""  # as one module: the assembler and the disassembler start once
        for n, part in enumerate(sorted(glob.glob(folder + "/*.ptx"))):
            with open(part, encoding="utf-8") as file:
                text = re.sub(r"\b(flow|callee)\b", rf"\g<1>{n}", file.read())
            whole += re.sub(r"^\.(version|target|address_size) .*\n", "", text, flags=re.M) if whole else text
        with open(ptx, "w", encoding="utf-8") as file:
            file.write(whole)
        out = os.path.join(folder, f"all.sm_{self.arch}.sass")
        quiet([tools[0], f"-arch=sm_{self.arch}", "-o", out + ".cubin", ptx])
        text = quiet([tools[1], "-c", "-gi", "-gp", "-hex", out + ".cubin"])
        with open(out, "w", encoding="utf-8") as file:
            file.write(text.stdout if text else "")
        ran = quiet([test, out])
        return ran.stdout.strip().splitlines() if ran else ["too slow"]


def main(argv):
    os.chdir(ROOT)
    sample, names, count, device = "--sample" in argv, [], 200, "sim:h200"
    rest = iter(a for a in argv if a != "--sample")
    for a in rest:
        if a == "--generated":
            count = int(next(rest))
        elif a == "--device":
            device = next(rest)
        else:
            names.append(a)
    if sample:
        names, count = sorted(SAMPLE), 20
    listed = quiet([os.path.join(B, "warplab"), "devices", "--json"])
    archs = {d["name"]: d.get("architecture") for d in json.loads(listed.stdout)} if listed else {}
    arch = archs.get(device)
    if not arch:
        sys.exit(f"twins.py: no device {device}")
    os.makedirs(KEPT, exist_ok=True)
    disassembler = next((p for p in (os.environ.get("WARPLAB_NVDISASM"), f"{ROOT}/.toolchain/nvidia/cu13/bin/nvdisasm", "/usr/local/cuda/bin/nvdisasm") if p and os.access(p, os.X_OK)), None)
    if not disassembler or not nvcc():
        print("skip twins (no nvcc or no nvdisasm here: make setup brings them)")
        return 0
    wanted = lambda path: not names or os.path.basename(path)[:-3] in names
    every = [os.path.relpath(p, ROOT) for p in sorted(glob.glob(f"{ROOT}/tests/cuda/*.cu") + glob.glob(f"{ROOT}/tests/programs/*.cu"))]
    programs = [p for p in every if wanted(p)]
    others = {a: d for d, a in sorted(archs.items(), reverse=True) if a and a != arch} if not names or sample else {}
    shared = [p for p in every if suites.Program(p).tag("twins")] if others else []
    programs += [p for p in shared if p not in programs]
    labs = [os.path.basename(p)[:-3] for p in sorted(glob.glob(f"{ROOT}/answers/*.cu")) if wanted(p)]
    outcomes, other, refused, launches = collections.Counter(), {}, collections.Counter(), 0
    where = {}
    with tempfile.TemporaryDirectory(prefix="warplab-twins.") as folder:
        run = Run(device, int(arch[3:]), folder)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            def submit(r, sources):
                wanted = [p for p in map(suites.Program, sources) if r.wants(p)]
                return [pool.submit(r.together, these) for these in suites.bundles(wanted, r.kind)]
            jobs = submit(run, programs) + [pool.submit(run.lab, l) for l in labs]
            for a, d in others.items():
                jobs += submit(Run(d, int(a[3:]), folder), shared)
            for name, bad, lines in (row for job in concurrent.futures.as_completed(jobs) for row in job.result()):
                if bad:
                    print(f"# {name} {bad}", flush=True)
                for kernel, _, outcome, detail in lines:
                    launches += 1
                    outcomes[outcome] += 1
                    if outcome == "other":
                        other.setdefault((name, kernel), detail)
                    elif outcome == "refused":
                        detail = re.sub(r" at 0x\w+ of \S+", "", detail)
                        refused[detail] += 1
                        where.setdefault(detail, (name, kernel))
        ptxas = os.path.join(os.path.dirname(os.path.realpath(run.nvcc)), "ptxas")
        generated = run.generated(count, (ptxas, disassembler)) if count else []
    print(f"# {len(programs)} programs, {len(labs)} labs, {launches} launches: the same bytes {outcomes['same']}, but for roundings {outcomes['rounded']}, other bytes {outcomes['other']}, refused {outcomes['refused']}")
    for reason, n in refused.most_common():
        print(f"# refused {n:6}  {reason}  ({' '.join(where[reason])})")
    for line in generated[-20:]:
        print(f"# generated: {line}")
    wrong = sum(n for reason, n in refused.items() if reason.split(" ")[0] not in REFUSED) if sample else 0  # what was executed once stays so
    for (name, kernel), detail in sorted(other.items()):
        why = next((w for k, w in DIFFER.items() if k in kernel), None)
        wrong += why is None
        print(f"{'not ok' if why is None else 'ok'} {name} {kernel} leaves other bytes as machine code: {detail}{' (' + why + ')' if why else ''}")
    found = re.search(r"same bytes (\d+), but for roundings (\d+), other (\d+); not run (\d+), refused (\d+)", "\n".join(generated))
    bad = bool(count) and (not found or int(found.group(3)) > 0)
    print(f"{'not ok' if bad else 'ok'} {count} generated kernels")
    print(f"{'not ok' if wrong or not outcomes['same'] else 'ok'} launches of programs and labs")
    return 1 if wrong or bad or not outcomes["same"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
