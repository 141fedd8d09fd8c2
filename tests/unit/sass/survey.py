#!/usr/bin/env python3
"""Which machine instructions the programs here become, and which of them have no row in
runner/device/sim/sass/ops.def.

    tests/unit/sass/survey.py [--only] [sm_75 sm_90 ..] [FILE.cu ..]

compiles the sources (all of answers/, kernels/, labs/, tests/cuda, tests/programs, tests/truth and
those here where none is named) to PTX and to machine code for each architecture, at a low priority
and kept in build/sass, and prints a line an opcode: how often it was seen for each architecture,
its modifiers, and one file that has it. Then it has build/tests/test_sass read every text. The exit
status is 1 where an opcode has no row or a text is not read. --only: nothing is compiled, what is
kept is counted. --seen: tests/unit/sass/seen.txt, which docs/machine-code.md tells of, is written
anew. Where nvdisasm is not beside nvcc, setup/nvcc.sh --nvdisasm brings it."""
import collections
import concurrent.futures
import glob
import hashlib
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))
KEPT = os.path.join(os.environ.get("B", "build"), "sass")
SOURCES = ["answers/*.cu", "kernels/*.cu", "labs/*.cu", "tests/cuda/*.cu", "tests/programs/*.cu", "tests/truth/*.cu", "tests/unit/sass/*.cu"]
# The PTX that an architecture's machine code is made of. ptxas takes older PTX too, which saves the compiler three runs of six.
PTX_OF = {"sm_75": "75", "sm_80": "80", "sm_86": "80", "sm_89": "80", "sm_90": "90", "sm_120": "120"}
ONE = re.compile(r"/\*([0-9a-f]{4,})\*/ +(?:@!?U?P\w+ +)?([A-Z][\w.]*)")


def tool(name):
    for place in (shutil.which(name), f"/usr/local/cuda/bin/{name}", f"{ROOT}/.toolchain/nvidia/cu13/bin/{name}"):
        if place and os.access(place, os.X_OK):
            return place
    sys.exit(f"survey.py: no {name} here; setup/nvcc.sh brings it")


def tag(text, name):
    found = re.search(rf"^// {name}: (.*)$", text, re.M)
    return found.group(1) if found else ""


def run(*argv):
    return subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=False)


def make(source, ptx_arch, archs):
    """The texts of one source; a list of what went wrong."""
    with open(os.path.join(ROOT, source), encoding="utf-8") as file:
        text = file.read()
    wants, flags = tag(text, "arch"), [f for f in tag(text, "flags").split() if f.startswith(("-rdc", "-X", "-D", "-std"))]
    alone = "a" if wants == f"sm_{ptx_arch}a" else ""
    if wants and int(wants[3:].rstrip("a")) > int(ptx_arch) or wants.endswith("a") and not alone:
        return []
    name = source.replace("/", "+")[:-3] + "-" + hashlib.sha256(text.encode()).hexdigest()[:8]
    ptx, wrong = f"{KEPT}/{name}.{ptx_arch}.ptx", []
    if not os.path.exists(ptx):
        made = run(NVCC, "-ptx", "-w", "-std=c++17", "-lineinfo", "-Ikernels", f"-arch=compute_{ptx_arch}{alone}", *flags, "-o", ptx + ".new", source)
        if made.returncode:
            return [f"{source} compute_{ptx_arch}: {made.stderr[:200]}"]
        os.rename(ptx + ".new", ptx)
    for arch in archs:
        out = f"{KEPT}/{name}.{arch}.sass"
        if os.path.exists(out):
            continue
        linked = ["-c"] if any(f.startswith("-rdc") for f in flags) else []
        made = run(PTXAS, f"-arch={arch}{alone}", "-lineinfo", *linked, "-o", out + ".cubin", ptx)
        if made.returncode:
            wrong.append(f"{source} {arch}: {made.stderr[:200]}")
            continue
        made = run(NVDISASM, "-c", "-gi", "-gp", "-hex", out + ".cubin")
        os.remove(out + ".cubin")
        if made.returncode:
            wrong.append(f"{source} {arch}: {made.stderr[:200]}")
            continue
        with open(out + ".new", "w", encoding="utf-8") as file:
            file.write(made.stdout)
        os.rename(out + ".new", out)
    return wrong


def rows():
    with open(f"{ROOT}/runner/device/sim/sass/ops.def", encoding="utf-8") as file:
        return set(re.findall(r"^OP\((\w+),", file.read(), re.M))


def main(argv):
    archs = [a for a in argv if a.startswith("sm_")] or list(PTX_OF)
    sources = [a for a in argv if a.endswith(".cu")] or sorted(s for p in SOURCES for s in glob.glob(p))
    jobs = collections.defaultdict(list)
    for arch in archs:
        jobs[PTX_OF[arch]].append(arch)
    wrong = []
    if "--only" not in argv:
        os.nice(10)
        os.makedirs(KEPT, exist_ok=True)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for some in pool.map(lambda j: make(*j), [(s, p, jobs[p]) for s in sources for p in jobs]):
                wrong += some
    counts = collections.defaultdict(collections.Counter)
    words, where = collections.defaultdict(set), {}
    texts = sorted(t for t in glob.glob(f"{KEPT}/*.sass") if t.split(".")[-2] in archs)
    for path in texts:
        arch = path.split(".")[-2]
        with open(path, encoding="utf-8") as file:
            for line in file:
                found = ONE.search(line)
                if found:
                    op, *mods = found.group(2).split(".")
                    counts[op][arch] += 1
                    words[op].update(mods)
                    where.setdefault(op, os.path.basename(path)[:-5])
    if "--seen" in argv:
        with open(f"{ROOT}/tests/unit/sass/seen.txt", "w", encoding="utf-8") as file:
            file.write("# What tests/unit/sass/survey.py --seen counted: opcode, architecture, how often, one of the sources that have it.\n")
            for op in sorted(counts):
                source = where[op].rsplit("-", 1)[0].replace("+", "/")
                file.writelines(f"{op} {a[3:]} {counts[op][a]} {source}\n" for a in archs if counts[op][a])
    known = rows()
    for op in sorted(counts, key=lambda o: -sum(counts[o].values())):
        print("    " if op in known else "NONE", f"{op:16}", *(f"{counts[op][a]:7}" for a in archs), where[op], ".".join(sorted(words[op])))
    print("\n".join(wrong))
    reader = os.path.join(os.environ.get("B", "build"), "tests/test_sass")
    read = run(reader, *texts) if os.access(reader, os.X_OK) else None
    if read:
        print(read.stdout[-20000:])
    missing = sorted(set(counts) - known)
    print(f"{len(texts)} texts, {sum(sum(c.values()) for c in counts.values())} instructions, {len(counts)} opcodes; no row: {' '.join(missing) or 'none'}")
    return 1 if missing or (read and read.returncode) else 0


os.chdir(ROOT)
NVCC, PTXAS, NVDISASM = tool("nvcc"), tool("ptxas"), tool("nvdisasm")
if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
