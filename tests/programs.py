#!/usr/bin/env python3
"""Compiles CUDA programs and runs them on the simulated device, or on a GPU, several at a time:
what tests/cuda/run.sh and tests/programs/run share.

    tests/programs.py cuda|programs [--gpu] [NAME...]      called by those two, which say what a program's first lines mean

A line "ok KIND NAME" or "not ok KIND NAME (why)" a program, in $B/cuda-programs/results or
$B/programs/results too; the exit status is 1 where one is not ok."""
import concurrent.futures
import fcntl
import glob
import hashlib
import os
import re
import shutil
import subprocess
import sys

B = os.environ.get("B") or "build"
ENV = {name: os.environ.get(name, "") for name in ("NATIVE", "BUILD_ONLY", "DEVICE", "RUN", "FAST", "JOBS", "HOST")}
NVCC = os.environ.get("nvcc", "")
LEAN = os.path.join(B, "tests/test_lean")
GOLD = ["-Xcompiler=-fuse-ld=gold"] if os.access("/usr/bin/ld.gold", os.X_OK) else []


def compiles(program, source, flags):
    """nvcc, with the headers that the source needs (runner/build/lean.c), the faster linker and no link of device code where these do; else as it is. What it says, or None."""
    if os.access(LEAN, os.X_OK):
        alone = [] if any("rdc" in f for f in flags) else ["-nodlink"]
        lean = program + ".lean.h"
        with open(lean, "wb") as file:
            subprocess.run([LEAN, "--of", source], stdout=file, check=True)
        done = subprocess.run([NVCC, *flags, *GOLD, *alone, "-Xcompiler=-include," + lean, "-o", program, source], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, check=False)
        os.remove(lean)
        if done.returncode == 0:
            return None
    done = subprocess.run([NVCC, *flags, "-o", program, source], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.stdout.decode(errors="replace") or "nvcc fails" if done.returncode else None


class Program:
    """A source with the tags of its first lines: "// NAME: VALUE"."""

    def __init__(self, source):
        self.source, self.name = source, os.path.basename(source)[:-3]
        with open(source, "rb") as file:
            self.text = file.read()
        self.lines = self.text.decode(errors="replace").split("\n")

    def tags(self, name):
        begin = f"// {name}: "
        return [line[len(begin):] for line in self.lines if line.startswith(begin)]

    def tag(self, name, otherwise=""):
        return (self.tags(name) or [otherwise])[0]

    def says(self, words):
        return any(line.startswith("// " + words) for line in self.lines)

    def built(self, work, flags, also):
        """Its executable, compiled anew if it or a file of `also` has changed; and why there is none."""
        key = hashlib.sha256(self.text)
        for path in also:
            with open(path, "rb") as file:
                key.update(file.read())
        key.update(repr((flags, NVCC)).encode())
        program = f"{work}/{self.name}-{key.hexdigest()[:16]}"
        with open(f"{work}/{self.name}.lock", "w") as lock:  # another run may be compiling it
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not os.access(program, os.X_OK):
                for old in glob.glob(f"{work}/{self.name}-" + "[0-9a-f]" * 16):
                    os.remove(old)
                why = compiles(program + ".tmp", self.source, flags)
                if why:
                    return None, "it does not compile: " + why.split("\n")[0]
                os.rename(program + ".tmp", program)
        return program, None


def execute(argv, where, limit):
    """Runs it; its output lies in WHERE.out and WHERE.err. Those two as text, and the exit status (124: not in time)."""
    with open(where + ".out", "wb") as out, open(where + ".err", "wb") as err:
        try:
            status = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=out, stderr=err, timeout=limit, check=False).returncode
        except subprocess.TimeoutExpired:
            status = 124
    texts = []
    for end in ".out", ".err":
        with open(where + end, encoding="utf-8", errors="replace") as file:
            texts.append(file.read())
    return *texts, status if status >= 0 else 128 - status


def findings(err):
    return re.findall(r"^finding: ([a-z-]*): .*$", err, re.M)


def on_device(checks, device, program):
    return [ENV["HOST"] or f"{B}/cuda-host", *checks, "-d", device, "-l", os.path.abspath(B), os.path.abspath(program)]


class Cuda:
    """tests/cuda: each program says what it prints, what is found, and how it ends."""
    work = f"{B}/cuda-programs"

    def wants(self, program):
        if ENV["NATIVE"] or ENV["DEVICE"]:
            if program.says("sim only"):
                return False
        return not (ENV["DEVICE"] and (any("," in d for d in program.tags("device")) or program.says("gpu limit: ")))

    def one(self, p):
        flags = p.tag("flags").split()
        arch = [] if any("-gencode" in f for f in flags) else ["-arch=" + p.tag("arch", "sm_75")]
        units = [f for f in flags if f.endswith(".cu")]
        program, why = p.built(self.work, ["-std=" + p.tag("std", "c++14"), "-O1", "-w", "-lineinfo", "-cudart", "shared", *arch, *flags],
                               [*units, "tests/cuda/common.h", "runner/device/cudart/abi.def"])
        if why:
            return why
        if ENV["BUILD_ONLY"]:
            if not p.says("sim only"):
                shutil.copy(program, f"{B}/cuda-native/{p.name}")
            return None
        where = f"{self.work}/{p.name}{ENV['RUN']}"
        if ENV["NATIVE"]:
            out, err, status = execute([os.path.abspath(program)], where, 60)
        else:
            checks = [] if p.says("default checks") else ["-c"]
            out, err, status = execute(on_device(checks, ENV["DEVICE"] or p.tag("device", "sim:h200"), program), where, 100)
        return self.judge(p, out, err, status)

    @staticmethod
    def judge(p, out, err, status):
        why, expected = [], "".join(line + "\n" for line in p.tags("expect"))
        if out != expected:
            pairs = [(a, b) for a, b in zip(expected.split("\n"), out.split("\n")) if a != b][:2] or [(expected[len(out):], out[len(expected):])]
            why += [f"< {a} > {b}" for a, b in pairs] + [err[:300].replace("\n", " ")]
        if status != int(p.tag("status", "0")):
            why.append(f"exit status {status} instead of {p.tag('status', '0')}")
        why += [f"stderr does not say '{text}'" for text in p.tags("stderr") if text not in err]
        if not ENV["NATIVE"] and (ENV["DEVICE"] or "sim").startswith("sim"):
            found, wanted = ({kind for kind in kinds} - {"leak"} for kinds in (findings(err), p.tags("finding")))
            found.discard("call")
            if found != wanted:
                first = [line for line in err.split("\n") if line.startswith("finding")][:2]
                why.append(f"finds {sorted(found)} instead of {sorted(wanted)}: {' '.join(first)}")
        return " ".join(why) or None


class Programs:
    """tests/programs: each program checks itself."""
    work = f"{B}/programs"

    def __init__(self, gpu):
        self.gpu = gpu

    def wants(self, _):
        return True

    def one(self, p):
        if NVCC:
            flags = ["-std=" + p.tag("std", "c++14"), "-O2", "-w", "-lineinfo", "-cudart", "shared", *p.tag("flags").split(), "-arch=" + p.tag("arch", "sm_75")]
            program, why = p.built(self.work, flags, ["tests/programs/programs.cuh"])
        else:
            program, why = next((f for f in glob.glob(f"{self.work}/{p.name}-*") if os.access(f, os.X_OK)), None), "it was not built"
        if not program:
            return why
        if ENV["BUILD_ONLY"]:
            return None
        argv = [os.path.abspath(program)] if self.gpu else on_device(["-c"], "sim:h200", program)
        out, err, status = execute(argv, f"{self.work}/{p.name}", 60)
        why = [f"exit status {status}"] if status else []
        lines = out.rstrip("\n").split("\n")
        if lines[-1] != "PASSED":
            why += [" ".join(lines[-3:]), err.split("\n")[0]]
        why += [line for line in err.split("\n") if line.startswith("finding: ") and not line.startswith("finding: leak")][:1]
        return " ".join(why) or None


def main(kind, names):
    gpu = "--gpu" in names
    names = [name for name in names if name != "--gpu"]
    suite = Cuda() if kind == "cuda" else Programs(gpu)
    host = ENV["HOST"] or f"{B}/cuda-host"
    if not NVCC and not gpu:
        sys.exit(print(f"not ok {kind} (there is no nvcc; make setup brings one)") or 1)
    if not (gpu or ENV["NATIVE"] or ENV["BUILD_ONLY"] or os.access(host, os.X_OK)):
        sys.exit(print(f"not ok {kind} ({host} is not built: make unit)") or 1)
    os.makedirs(suite.work, exist_ok=True)
    os.makedirs(f"{B}/cuda-native", exist_ok=True)
    programs = [Program(source) for source in sorted(glob.glob(f"tests/{kind}/*.cu"))]
    programs = [p for p in programs if (p.name in names if names else not ENV["FAST"] or p.says("fast")) and suite.wants(p)]
    bad = not programs
    with concurrent.futures.ThreadPoolExecutor(int(ENV["JOBS"] or os.cpu_count())) as pool, open(f"{suite.work}/results{ENV['RUN']}", "w") as results:
        waiting = {pool.submit(suite.one, p): p for p in programs}
        for done in concurrent.futures.as_completed(waiting):
            p, why = waiting[done], done.result()
            line = f"{'not ok' if why else 'ok'} {kind} {p.name}{ENV['RUN']}" + (f" ({why})" if why else "")
            print(line, flush=True)
            results.write(line + "\n")
            bad = bad or why
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
