#!/usr/bin/env python3
"""A header that a compile leaves out (runner/build/lean.c) is kept for every function that it
declares: read from the headers of the toolkit at hand, for the host and for devices of several
architectures. Cooperative groups without libcu++ give the same PTX. A line "ok" or "not ok" a
header, "skip" where there is no nvcc."""
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
# Every kind of group and of shuffle that lean.c leaves libcu++ out for.
GROUPS = """#include <cooperative_groups.h>
namespace cg = cooperative_groups;
struct pair { float x, y, z; };
template <class T> __device__ T shuffled(T v) {
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    auto tile = cg::tiled_partition<8>(warp);
    cg::coalesced_group some = cg::labeled_partition(cg::coalesced_threads(), (int)threadIdx.x % 3), half = cg::binary_partition(some, v.x > 2);
    v = warp.shfl(tile.shfl_down(v, 1), 3), v = some.shfl(half.shfl_up(v, 1), 0);
    return v;
}
__global__ void k(pair *p, float *f, unsigned long long *u) {
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    p[threadIdx.x] = shuffled(p[threadIdx.x]);
    f[threadIdx.x] = warp.shfl_xor(f[threadIdx.x], 4), u[threadIdx.x] = warp.shfl_down(u[threadIdx.x], 4);
    if (warp.any(f[0] > 1) && warp.match_any(threadIdx.x % 4) != 5) u[block.thread_rank()] += warp.ballot(f[1] > 2) + block.group_index().x;
    cg::invoke_one(warp, [&] { u[77]++; });
    cg::this_grid().sync(), cg::this_cluster().sync(), block.sync();
}
"""
source, codes = os.path.join(work, "groups.cu"), []
with open(source, "w") as f:
    f.write(GROUPS)
lean = os.path.join(work, "lean.h")
with open(lean, "w") as f:
    subprocess.run([TEST, "--of", source], stdout=f, check=True)
for also in [], ["-Xcompiler=-include," + lean]:
    subprocess.run([nvcc, "-std=c++17", "-arch=sm_90", *also, "-ptx", "-o", source + ".ptx", source], check=True)
    codes.append(open(source + ".ptx").read())
same = codes[0] == codes[1] and "shfl.sync.idx" in codes[0] and "_CG_LIMIT_INCLUDED_DEPENDENCIES" in open(lean).read()
status |= not same
print(("ok" if same else "not ok") + " cooperative groups have the same PTX without libcu++")
subprocess.run(["rm", "-rf", work])
sys.exit(status)
