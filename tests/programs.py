#!/usr/bin/env python3
"""Compiles CUDA programs and runs them on the simulated device, or on a GPU, several at a time:
what tests/cuda/run.sh and tests/programs/run share.

    tests/programs.py cuda|programs [--gpu] [NAME...]      called by those two, which say what a program's first lines mean

Most of a small program's compile is headers and the starts of nvcc's steps, so programs with the
same flags are compiled together (Bundle). Each still runs in a process of its own. What must not
share a module with others says "// alone".

A line "ok KIND NAME" or "not ok KIND NAME (why)" a program, in $B/cuda-programs/results or
$B/programs/results too; the exit status is 1 where one is not ok."""
import concurrent.futures
import contextlib
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


BUNDLE = 12  # programs compiled together


def lean_of(source):
    return subprocess.run([LEAN, "--of", source], capture_output=True, check=True).stdout if os.access(LEAN, os.X_OK) else b""


def compiles(program, source, flags):
    """nvcc, with the headers that the source needs (runner/build/lean.c), the faster linker and no link of device code where these do; else as it is. What it says, or None."""
    if os.access(LEAN, os.X_OK):
        alone = [] if any("rdc" in f for f in flags) else ["-nodlink"]
        lean = program + ".lean.h"
        with open(lean, "wb") as file:
            file.write(lean_of(source))
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

    def write(self):
        pass

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
                self.write()
                why = compiles(program + ".tmp", self.source, flags)
                if why:
                    return None, "it does not compile: " + why.split("\n")[0]
                os.rename(program + ".tmp", program)
        return program, None


ASSEMBLER = """#!/bin/bash
# ptxas, for the simulated device: it says of a text what it said before
own=${0%/*}/$$
cat >"$own"
kept=$({ echo "WHICH $@"; cat "$own"; } | sha256sum)
kept=${0%/*}/${kept%% *}
status=0
if [ ! -e "$kept" ]; then
    PTXAS "$@" <"$own" >"$own.said" 2>&1
    status=$?
    if [ $status = 0 ]; then mv "$own.said" "$kept"; else mv "$own.said" "$own"; kept=$own; fi
fi
cat "$kept"
rm -f "$own"
exit $status
"""


def keep_assembled(work):
    """Every process has the device ask ptxas about its whole module, so programs that share one ask the same: the first answer is kept."""
    ptxas = shutil.which("ptxas")
    if ptxas:
        folder = os.path.abspath(work) + "/ptxas"
        os.makedirs(folder, exist_ok=True)
        with open(f"{folder}/ptxas.{os.getpid()}", "w", encoding="utf-8") as file:
            file.write(ASSEMBLER.replace("PTXAS", ptxas).replace("WHICH", f"{ptxas} {os.stat(ptxas).st_mtime_ns}"))
        os.chmod(file.name, 0o755)
        os.rename(file.name, folder + "/ptxas")
        os.environ["PATH"] = folder + ":" + os.environ["PATH"]


class Bundle(Program):
    """Programs as one source: each in a namespace of its own, behind all their headers, with its own file and lines. The link NAME-KEY to the executable runs NAME."""
    HEADER = re.compile(r"^#include (<.*>|\"(?:common.h|tma.h|programs.cuh)\").*$", re.M)
    MAIN = re.compile(r"^int main\(", re.M)

    def __init__(self, programs, work):
        self.programs, self.name = programs, "bundle-" + hashlib.sha256(" ".join(p.name for p in programs).encode()).hexdigest()[:8]
        self.source = f"{work}/{self.name}.cu"
        headers, parts, calls = {}, [], []
        for p in programs:
            text = p.text.decode()
            headers.update((h, None) for h in self.HEADER.findall(text))
            text = self.MAIN.sub("int main_(", self.HEADER.sub("", text)).rstrip().removesuffix("}")
            undone = "".join(f"#undef {name}\n" for name in re.findall(r"^#define (\w+)", text, re.M))
            parts.append(f'namespace {p.name}_ {{\n#line 1 "{p.source}"\n{text}return 0; }}\n}}\n{undone}')
            calls.append(f'    if (is(argv[0], "{p.name}")) return call({p.name}_::main_, argc, argv);\n')
        self.text = ("".join(f"#include {h}\n" for h in headers) + "#include <cstring>\n" + "".join(parts) + """#line 1 "bundle"
static int call(int (*f)(), int, char **) { return f(); }
static int call(int (*f)(int, char **), int argc, char **argv) { return f(argc, argv); }
static bool is(const char *path, const char *name) {
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    return !strncmp(file, name, strlen(name)) && (!file[strlen(name)] || file[strlen(name)] == '-');
}
int main(int argc, char **argv) {
""" + "".join(calls) + "    return 125;\n}\n").encode()

    @classmethod
    def takes(cls, p):
        """Whether it can stand beside others: its headers are known ones, main() is the last thing in it, and it is not a unit among several."""
        text = p.text.decode(errors="replace")
        own = len(re.findall(r"^ *# *include", text, re.M)) == len(cls.HEADER.findall(text))
        return own and len(cls.MAIN.findall(text)) == 1 and text.rstrip().endswith("}") and not p.says("alone") and ".cu" not in p.tag("flags")

    def write(self):
        with open(self.source, "wb") as file:
            file.write(self.text)

    def built(self, work, flags, also):
        program, why = super().built(work, flags, also)
        for p in self.programs if program else []:
            link = f"{work}/{p.name}-{program[-16:]}"
            for old in glob.glob(f"{work}/{p.name}-" + "[0-9a-f]" * 16):
                if old != link:
                    os.remove(old)
            with contextlib.suppress(FileExistsError):
                os.link(program, link)
        return program, why


def headers_beside(work, folder):
    """What is compiled together includes the folder's headers from `work`."""
    os.makedirs(work, exist_ok=True)
    for header in glob.glob(f"{folder}/*.h") + glob.glob(f"{folder}/*.cuh"):
        with contextlib.suppress(FileExistsError):
            os.symlink(os.path.abspath(header), f"{work}/{os.path.basename(header)}")


def bundles(programs, kind=lambda p: (p.tag("std"), p.tag("arch"), p.tag("flags"))):
    """Lists of programs that are compiled together: of one kind; FAST's own and those that need the same headers beside each other."""
    kinds = {}
    for p in programs:
        kinds.setdefault(kind(p) if Bundle.takes(p) else p.source, []).append(p)
    for alike in kinds.values():
        if len(alike) > 1:
            alike.sort(key=lambda p: (not p.says("fast"), -len(lean_of(p.source)), sorted(Bundle.HEADER.findall(p.text.decode())), p.name))
        yield from (alike[i:i + BUNDLE] for i in range(0, len(alike), BUNDLE))


def execute(argv, where, limit):
    """Runs it; its output lies in WHERE.out and WHERE.err. Those two as text, and the exit status (124: not in time)."""
    with open(where + ".out", "wb") as out, open(where + ".err", "wb") as err:
        try:
            status = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=out, stderr=err, timeout=limit, check=False).returncode
        except subprocess.TimeoutExpired:
            status = 124
    texts, space = [], re.sub("-[0-9a-f]{16}$", "", os.path.basename(argv[-1])) + "_::"
    for end in ".out", ".err":
        with open(where + end, encoding="utf-8", errors="replace") as file:
            texts.append(file.read().replace(space, ""))
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

    def compile(self, p):
        flags = p.tag("flags").split()
        arch = [] if any("-gencode" in f for f in flags) else ["-arch=" + p.tag("arch", "sm_75")]
        units = [f for f in flags if f.endswith(".cu")]
        return ["-std=" + p.tag("std", "c++14"), "-w", "-lineinfo", "-cudart", "shared", *arch, *flags], [
            *units, *glob.glob("tests/cuda/*.h"), "runner/device/cudart/abi.def"]

    def one(self, p, program):
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

    def compile(self, p):
        return ["-std=" + p.tag("std", "c++14"), "-O2", "-w", "-lineinfo", "-cudart", "shared", *p.tag("flags").split(), "-arch=" + p.tag("arch", "sm_75")], [
            "tests/programs/programs.cuh"]

    def one(self, p, program):
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


def results(suite, together, wanted):
    """Of programs that are compiled together: (program, why it is not ok or None) for each that is wanted."""
    def alone(p):
        if NVCC:
            return p.built(suite.work, *suite.compile(p))
        return next((f for f in glob.glob(f"{suite.work}/{p.name}-*") if os.access(f, os.X_OK)), None), "it was not built"
    every = None
    if NVCC and len(together) > 1:
        bundle = Bundle(together, suite.work)
        every, why = bundle.built(suite.work, *suite.compile(together[0]))
        if not every:
            print(f"# {' '.join(p.name for p in together)}: one by one, since together {why}", flush=True)
    for p in together:
        if p in wanted:
            program, why = (f"{suite.work}/{p.name}-{every[-16:]}", None) if every else alone(p)
            yield p, suite.one(p, program) if program else why


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
    keep_assembled(suite.work)
    headers_beside(suite.work, f"tests/{kind}")
    every = [Program(source) for source in sorted(glob.glob(f"tests/{kind}/*.cu"))]
    programs = [p for p in every if (p.name in names if names else not ENV["FAST"] or p.says("fast")) and suite.wants(p)]
    bad = not programs
    with concurrent.futures.ThreadPoolExecutor(int(ENV["JOBS"] or os.cpu_count())) as pool, open(f"{suite.work}/results{ENV['RUN']}", "w") as log:
        def run(together):
            wrong = False
            for p, why in results(suite, together, programs):
                line = f"{'not ok' if why else 'ok'} {kind} {p.name}{ENV['RUN']}" + (f" ({why})" if why else "")
                print(line, flush=True)
                log.write(line + "\n")
                wrong = wrong or bool(why)
            return wrong
        jobs = [pool.submit(run, together) for together in bundles(every) if any(p in programs for p in together)]
        for job in jobs:
            bad = job.result() or bad
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
