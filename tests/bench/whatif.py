#!/usr/bin/env python3
"""What a profile run takes with what-if over what it takes without: the programs of tests/profile,
compiled first, in turn A B B A. Prints a line a program (the best of ms without and with, and their
ratio: pages of the host's own come now fast, now slow), and last the largest ratio alone.

    tests/bench/whatif.py WARPLAB NVCC [PAIRS]"""
import os, subprocess, sys, tempfile, time

warplab, nvcc, pairs = os.path.abspath(sys.argv[1]), sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 15
os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))


def seconds(*command):
    begin = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return time.perf_counter() - begin


NAMES = ("banks", "chase", "columns", "product", "remainders", "small", "stream")
TURNS = 5  # company on the machine stays for a while, so no program has all its pairs one after another
with tempfile.TemporaryDirectory() as folder:
    run, without, with_ = {}, {}, {}
    for name in NAMES:
        program = os.path.join(folder, name)
        subprocess.run([nvcc, "-O3", "-std=c++17", "-arch=sm_90", "-lineinfo", "-cudart", "shared", f"tests/profile/{name}.cu", "-o", program], check=True)
        run[name], without[name], with_[name] = [warplab, "profile", "--device", "sim:h200", program], [], []
    for turn in range(TURNS):
        for name in NAMES:
            seconds(*run[name])
            for k in range(turn, pairs, TURNS):
                for times, option in ((without, "--no-what-if"), (with_, "--what-if"))[:: 1 if k % 2 else -1]:
                    times[name].append(seconds(*run[name], option))
worst = 0
for name in NAMES:
    a, b = min(without[name]), min(with_[name])
    worst = max(worst, b / a)
    print(f"  {name:<12} {a * 1e3:9.1f} ms {b * 1e3:9.1f} ms {b / a:6.3f}")
print(f"{worst:.3f}")
