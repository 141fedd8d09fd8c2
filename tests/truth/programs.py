#!/usr/bin/env python3
"""The programs of this folder that time themselves (programs.h), on the simulated H200 beside a
real one (h200.programs.jsonl).

    tests/truth/programs.py WARPLAB [--markdown FILE] [PROGRAM..]

Three times of each kernel: its own, with L2 full of something else (Nsight Compute's duration
there), and between events, hot and cold. Of each program: the medians of the errors of times and of
speedups within a group, the worst factor, and pairs that the hardware tells apart by 15% and that
come out in the other order. A counter that differs is named, with the kernels. Exit status 1: a
program did not run."""
import concurrent.futures
import json
import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
COUNTERS = ("gld_requests", "gld_sectors", "gst_requests", "gst_sectors", "shared_ld_conflicts", "shared_st_conflicts")
TIMES = (("kernel_us", "kernel, cold"), ("hot_us", "events, hot"), ("cold_us", "events, cold"))


def rows(text):
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def profile(warplab, program, mode, *more):
    command = [warplab, "profile", "--device", "sim:h200", "--no-races", *more, os.path.join(HERE, program + ".cu")]
    return subprocess.run(command, env=dict(os.environ, **{mode: "1"}), capture_output=True, text=True).stdout


def modelled(warplab, program):
    """By group and variant: the three times and the counters."""
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "launches.jsonl")
        said = profile(warplab, program, "ONCE", "--json", file)
        launches = rows(open(file).read())
    after = [launches[i + 1] for i in range(len(launches) - 1) if "bench_mark" in launches[i]["kernel"]]
    names = [line["once"] for line in rows(said) if "once" in line]
    found = {name: dict(launch["counters"], kernel_us=launch["time_us"]) for name, launch in zip(names, after)}
    for line in rows(profile(warplab, program, "SIM")):
        if "variant" in line:
            found[line["group"] + "/" + line["variant"]].update(hot_us=line["hot_us"], cold_us=line["cold_us"])
    return found


def summary(pairs):
    """Of [(group, measured, modelled)]."""
    errors = sorted(abs(m / h - 1) for _, h, m in pairs)
    groups = {}
    for group, h, m in pairs:
        groups.setdefault(group, []).append((h, m))
    speedups = [abs(v[0][1] / m * h / v[0][0] - 1) for v in groups.values() for h, m in v[1:]]
    wrong = sum((a[0] / b[0] > 1.15 or b[0] / a[0] > 1.15) and (a[0] > b[0]) != (a[1] > b[1])
                for v in groups.values() for i, a in enumerate(v) for b in v[:i])
    worst = max(max(m / h, h / m) for _, h, m in pairs)
    return (100 * statistics.median(errors), 100 * errors[len(errors) * 9 // 10], worst, 100 * statistics.median(speedups), wrong)


def main():
    arguments = sys.argv[1:]
    if not arguments:
        sys.exit(__doc__)
    warplab, markdown, programs = arguments[0], None, arguments[1:]
    if programs[:1] == ["--markdown"]:
        markdown, programs = programs[1], programs[2:]
    measured = rows(open(os.path.join(HERE, "h200.programs.jsonl")).read())
    programs = programs or list(dict.fromkeys(r["program"] for r in measured))
    table, failed = ["| program | time | kernels | median error | nine of ten within | worst | speedups' median error | wrong order |", "|---|---|---:|---:|---:|---:|---:|---:|"], 0
    with concurrent.futures.ThreadPoolExecutor(len(programs)) as pool:
        results = list(pool.map(lambda p: modelled(warplab, p), programs))
    for program, model in zip(programs, results):
        mine = [r for r in measured if r["program"] == program]
        known = [(r, model[r["group"] + "/" + r["variant"]]) for r in mine if r["group"] + "/" + r["variant"] in model]
        if len(known) != len(mine) or any("hot_us" not in m for _, m in known):
            print("MISSED    %s: %d of %d kernels ran" % (program, len(known), len(mine)))
            failed = 1
            continue
        for r, m in known:
            print("%-8s %-34s" % (program, r["group"] + "/" + r["variant"]), *("%9.1f %9.1f %+4.0f%%" % (r[k], m[k], 100 * (m[k] / r[k] - 1)) for k, _ in TIMES))
        for c in COUNTERS:
            other = ["%s/%s %d for %d" % (r["group"], r["variant"], m[c], r[c]) for r, m in known if m[c] != r[c]]
            print("%-8s %-20s equal for %d of %d%s" % (program, c, len(known) - len(other), len(known), "".join("; " + o for o in other)))
        for k, name in TIMES:
            median, nine, worst, speedup, wrong = summary([(r["group"], r[k], m[k]) for r, m in known])
            print("%-8s %-14s time: median error %.1f%%, nine of ten within %.0f%%, worst %.2fx; speedups: median error %.1f%%; wrong order: %d" %
                  (program, name, median, nine, worst, speedup, wrong))
            table.append("| %s | %s | %d | %.1f%% | %.0f%% | %.2fx | %.1f%% | %d |" % (program, name, len(known), median, nine, worst, speedup, wrong))
    if markdown and not failed:
        open(markdown, "w").write("\n".join(table) + "\n")
    sys.exit(failed)


main()
