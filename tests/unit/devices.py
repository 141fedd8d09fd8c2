#!/usr/bin/env python3
"""`warplab devices --json`: each figure of each simulated device has a value, a unit and an origin.
The last rows are figures of data sheets and guides; adding a device takes no row here."""
import json
import os
import re
import subprocess

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
BUILD = os.environ.get("B", "build")
out = subprocess.run([f"{BUILD}/warplab", "devices", "--json"], capture_output=True, text=True, check=True).stdout
devices = {d["name"]: d for d in json.loads(out)}
fields = re.findall(r"^FIELD\((\w+), (\w+), \"([^\"]*)\"", open("runner/device/targets/fields.def").read(), re.M)
boards = re.findall(r"targets/(\w+)\.def", open("runner/device/targets/boards.def").read().partition("*/")[2])
failed = False


def check(what, bad):
    global failed
    failed |= bool(bad)
    print(f"not ok {what} ({' | '.join(bad[:6])})" if bad else f"ok {what}")


check("each board is a device, and no other is simulated", sorted({f"sim:{b}" for b in boards} ^ {d for d in devices if d.startswith("sim:")}))
TYPES = {"COUNT": int, "BYTES": int, "REAL": float, "FLAG": bool, "SIZES": list}
for name in (f"sim:{b}" for b in boards):
    bad, figures = [], devices.get(name, {}).get("figures", {})
    bad += sorted({f for _, f, _ in fields} ^ set(figures))
    for kind, field, unit in fields:
        f = figures.get(field, {})
        value = f.get("value")
        if not (isinstance(value, TYPES[kind]) and f.get("unit") == unit and f.get("meaning") and f.get("source")):
            bad.append(f"{field}: {f}")
        if f.get("origin") not in ("measured", "documented", "borrowed", "assumed") or (f["origin"] == "borrowed") != (f"sim:{f.get('from')}" in devices):
            bad.append(f"{field}: {f.get('origin')} from {f.get('from')}")
    if not re.fullmatch(r"sm_\d+", devices.get(name, {}).get("architecture", "")):
        bad.append("architecture")
    check(f"{name}: each figure with its origin", bad)
check("a GPU of this machine has no figures of ours", [d for d in devices if d.startswith("gpu:") and "figures" in devices[d]])

# data sheets; CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"
KNOWN = [
    ("h200", "sms", 132, "documented"),
    ("h200", "shared_carveouts_kb", [0, 8, 16, 32, 64, 100, 132, 164, 196, 228], "documented"),
    ("h200", "clusters", True, "documented"),
    ("a100", "clusters", False, "documented"),
    ("a100", "lat_sfu", 17.0, "borrowed"),
    ("t4", "max_threads_sm", 1024, "documented"),
    ("rtx4090", "dram_gbs", 1008.0, "documented"),
    ("rtx5090", "sms", 170, "documented"),
    ("rtx5090", "dram_gbs", 1792.0, "documented"),
    ("rtx5090", "lat_l2", 273.0, "borrowed"),
    ("g80", "max_threads_block", 512, "documented"),
]
bad = []
for device, field, value, origin in KNOWN:
    f = devices[f"sim:{device}"]["figures"][field]
    if f["value"] != value or f["origin"] != origin:
        bad.append(f"{device}.{field}: expected {value}, {origin}; found {f}")
check("what is known of some", bad)
raise SystemExit(failed)
