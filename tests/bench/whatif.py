#!/usr/bin/env python3
"""What a profile run takes with what-if over what it takes without: the programs of tests/profile, compiled first, in turn A B B A.
Prints a line a program (the best of ms without and with, and their ratio: pages of the host's own come now fast, now slow), and last the largest ratio alone.

    tests/bench/whatif.py WARPLAB NVCC [PAIRS]"""
import os, subprocess, sys, tempfile, time

warplab, nvcc, pairs = os.path.abspath(sys.argv[1]), sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 15
os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))


def seconds(*command):
    begin = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return time.perf_counter() - begin


worst = 0
with tempfile.TemporaryDirectory() as folder:
    for name in ("banks", "chase", "columns", "product", "remainders", "small", "stream"):
        program = os.path.join(folder, name)
        subprocess.run([nvcc, "-O3", "-std=c++17", "-arch=sm_90", "-lineinfo", "-cudart", "shared", f"tests/profile/{name}.cu", "-o", program], check=True)
        run = [warplab, "profile", "--device", "sim:h200", program]
        without, with_ = [], []
        seconds(*run)
        for k in range(pairs):
            for which in ((without, []), (with_, ["--what-if"]))[:: 1 if k % 2 else -1]:
                which[0].append(seconds(*run, *(which[1] or ["--no-what-if"])))
        ratio = min(with_) / min(without)
        worst = max(worst, ratio)
        print(f"  {name:<12} {min(without) * 1e3:9.1f} ms {min(with_) * 1e3:9.1f} ms {ratio:6.3f}", flush=True)
print(f"{worst:.3f}")
