#!/usr/bin/env python3
"""A header that a compile leaves out (runner/build/lean.c) is kept for every function that it
declares: read from the headers of the toolkit at hand, for the host and for devices of several
architectures. A line "ok" or "not ok" a header, "skip" where there is no nvcc."""
import os
import re
import subprocess
import sys
import tempfile

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
TEST = os.path.join(os.environ.get("B", "build"), "tests/test_lean")
HEADERS = ["crt/math_functions.h", "crt/math_functions.hpp", "crt/device_functions.hpp", "crt/device_double_functions.h", "device_atomic_functions.h",
           "sm_20_atomic_functions.h", "sm_32_atomic_functions.h", "sm_35_atomic_functions.h", "sm_60_atomic_functions.h", "sm_20_intrinsics.h",
           "sm_30_intrinsics.h", "sm_32_intrinsics.h", "sm_35_intrinsics.h", "sm_61_intrinsics.h", "crt/sm_70_rt.h", "crt/sm_80_rt.h", "crt/sm_90_rt.h",
           "crt/sm_100_rt.h", "texture_indirect_functions.h", "surface_indirect_functions.h"]
# Words before a bracket that are no function of the header, or one that only headers call.
OTHERS = {"__attribute__", "deprecated", "noexcept", "sizeof", "if", "asm", "return", "volatile", "__alignof", "_sync", "throw", "__nv_tex_rmet_ret",
          "__nv_tex_rmnf_ret", "decltype", "__is_trivially_copyable", "__align__", "_U", "__internal_cast_u2s", "__nv_tex_surf_handler", "__builtin_bswap16",
          "__builtin_bswap32", "__builtin_bswap64", "alignas", "while", "for", "switch", "release", "memcpy"}

nvcc = subprocess.run(["bash", "-c", '. tests/nvcc.sh; echo "$nvcc"'], capture_output=True, text=True).stdout.strip()
if not nvcc:
    print("skip headers left out (there is no nvcc; make setup brings one)")
    sys.exit(0)
work = tempfile.mkdtemp(dir=os.environ.get("TMPDIR", "/tmp"))
empty = os.path.join(work, "empty.cu")
open(empty, "w").close()
declared = {}
for arch in "sm_75", "sm_90", "sm_120":
    subprocess.run([nvcc, "-std=c++17", "-arch=" + arch, "--keep", "--keep-dir", work, "-c", "-o", work + "/empty.o", empty], check=True, capture_output=True)
    for name in "empty.cpp1.ii", "empty.cpp4.ii":
        header = None
        for line in open(os.path.join(work, name), errors="replace"):
            marker = re.match(r'# \d+ "([^"]+)"', line)
            if marker:
                header = next((h for h in HEADERS if marker.group(1).endswith("/" + h)), None)
            elif header:
                declared.setdefault(header, set()).update(re.findall(r"\b([A-Za-z_]\w*)\s*\(", line))


def left_out(word):
    source = os.path.join(work, "word.cu")
    with open(source, "w") as f:
        f.write("int x = %s;\n" % word)
    text = subprocess.run([TEST, "--of", source], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"#define (\w+)", text))


guards, status = {}, 0
for header in HEADERS:
    if header not in declared:
        continue
    path = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(nvcc))), "include", header)
    text = open(path, errors="replace").read()
    mine = [g for g in left_out("nothing") if re.search(r"^#\s*(?:if !defined\(|ifndef )%s\b" % g, text, re.M)]
    if not mine:
        continue
    lost = sorted(n for n in declared[header] - OTHERS if mine[0] in left_out(n))
    if lost:
        status = 1
        print("not ok %s is left out though the source names %s" % (header, " ".join(lost)))
    else:
        print("ok %s is kept for each of its %d functions" % (header, len(declared[header] - OTHERS)))
subprocess.run(["rm", "-rf", work])
sys.exit(status)
