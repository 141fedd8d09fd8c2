#!/bin/bash
# Writes docs/ptx-support.md from the instruction table: docs/ptx-support.sh > docs/ptx-support.md
cd "$(dirname "$0")/.." || exit 1
cat <<'HEAD'
<!-- made by: docs/ptx-support.sh -->

# PTX that Warplab reads

One row for each way to write an instruction, from `runner/device/sim/ptx/ops.def`, which the parser itself reads. A word with `!` must be written; `?` behind
an operand means it may be left out. This is what the parser takes, not a promise that all of it runs: a kernel that reaches an instruction which the
executor lacks is refused at its launch, with the line. Rows marked *not executed* are known to be such. What the table does not have is an error
when the module is loaded. The notation is explained at the top of `runner/device/sim/ptx/ops.def`.

Each instruction rounds by itself. An assembler may make one of `mul` and `add` where neither names a rounding mode (PTX ISA, `add` and `mul`), and `ptxas` does: a product of halves or
bfloat16s by the operators `*` and `+` that goes into a sum is rounded once on a GPU, twice here, so the last bit may differ; `__hmul_rn`, `__hfma` and `nvcc --fmad=false` say which it is to be.

Matrix instructions (`wmma`, `mma.sync`, `mma.sp`, `wgmma`, dense and sparse): integers are exact; sums of products of floating-point elements are taken in double precision and rounded once,
where the hardware cuts addends to a common exponent first, so the last bits may differ from a GPU's. The layout of `wmma` fragments, which the ISA leaves
open, is that of `mma.sync`; requests and bank conflicts of `wmma.load` and `wmma.store` are those of that layout, an access for each register.

Clusters (compute capability 9.0): all blocks of a cluster run together, on one core of the host, in turns. A shared address has the owner's rank in bits 24 to
31, as machine code of compute capability 9.0 has it, so that a block's own address means that block everywhere in the cluster. An access past the owner's memory, to a rank that
the cluster has not, or to a block that has ended is a finding and ends the launch; so is a second `barrier.cluster.arrive` without a wait, or a wait without an
arrival. What a block does in the shared memory of another is not compared with other accesses: races there are not found, nor those of a block's own
threads that the cluster's barrier, also with `.relaxed`, comes between. `st.async` and
`red.async` end the launch where the value and its mbarrier belong to different blocks. `.blocksareclusters` is refused; `clusterlaunchcontrol` needs sm_100.

The simulated device does a `cp.async` when it is issued. A thread that uses the bytes before its own
thread has waited for the copy's group (`cp.async.wait_group`, `cp.async.wait_all`), or has seen the
phase of the mbarrier that `cp.async.mbarrier.arrive` named, gets a finding (`race`) that names the
missing wait. Other threads need a barrier after that wait.

Bulk copies (`cp.async.bulk` and its kin, tensor maps) are done as they are issued, which is one of the orders that hardware may take. What a program may not
count on is a finding (`race`): bytes that are touched before a wait has found the mbarrier's phase over, a source in shared memory that is written before
`cp.async.bulk.wait_group.read`, a source that threads wrote without a `fence.proxy.async` by anybody since. Tiles that `wgmma` reads are no exception:
they must have come, or be fenced. Not told: `fence.proxy.tensormap`, tiles that are written before `wgmma.wait_group`, global memory that is read before `wait_group`, a block that ends while its shared memory is still read, fences and waits that only some threads needed. Swizzles are those of the address in shared
memory. In a module for sm_100 a kernel is refused at its launch where it reaches `.im2col::w`, `.tile::gather4`, `.tile::scatter4`, `.cta_group`, `.cp_mask`, or `tensormap.replace`; `cuTensorMapEncodeTiled` and `cuTensorMapEncodeIm2col` answer `CUDA_ERROR_INVALID_VALUE`, as on an H100, to packed types and to swizzles of 32 and 64 bytes at a time, which need compute capability 10.0.
A copy that uses a map in the wrong mode, a map that `tensormap.replace` has made wrong (a box that hardware has not: an illegal instruction), an im2col filter outside of its box ends the launch. Prefetches do nothing.

Tensor maps do what an H100 does where the ISA and cuda.h leave it open; eight thousand maps were held against one, byte by byte. An interleaved tensor's dimensions are W, H and D as far as there are, then slices of
channels, then N; an element of W is 16 or 32 bytes of a slice, whatever the data type. A copy is of one slice (the box's extent along them is passed by), and lies as it comes: 16 or 32 bytes for each
pixel, one behind the other, swizzled by address. `.im2col` walks along W, H and D, whose corners and offsets come first; `channelsPerPixel` is passed by. cuda.h asks for a swizzle of 32 bytes with slices of 32: a driver takes
any, and so it is here; but `boxDim[0]` times the element's size is a multiple of 16 with slices, too. A row that is narrower than its swizzle's span begins a span of its own; the rest of the span is left as it was.
`TFLOAT32` and `TFLOAT32_FTZ` are rounded to nearest even as they are loaded, a NaN becomes 0x7fffe000; stores change nothing. Sums of the `_FTZ` types flush subnormal numbers, other sums of bulk copies do not.
Elements out of bounds are filled with zeros, or with NaNs that have 0x7ff7 in each two bytes. `INT64` has `min` and `max` alone; an operation that a type has not ends in an illegal instruction.

Some end the launch with an illegal instruction, as they do on an H100, without a word of it in the ISA: a copy from shared memory to shared memory, `st.async` and `red.async` in a
launch without cluster dimensions (a cluster of one block will do: `__cluster_dims__(1, 1, 1)` or the launch attribute); a copy or prefetch of a tensor whose innermost coordinate,
times the element's size, is no multiple of 16 bytes; a store or reduction of a box at a negative coordinate, or
by `.im2col_no_offs` with a tensor map whose bounding box leaves the tensor (a lower corner below 0, an upper one above it) or from a place outside of that box. A row of a box that is stored past the tensor's end is written to the end
of the 16 bytes in which the tensor's row ends, as there.

Held against an H100: clusters and their shared memory, mbarriers, bulk copies between global and shared memory and between blocks of a cluster or within one, `st.async`, `red.async` and
mbarriers with generic addresses, products whose tiles tensor maps bring, loads of tiles of one to five dimensions, out of bounds, with steps, NaN fills and swizzled, stores and
reductions of tiles, interleaved tensors, `TFLOAT32`, columns by `.im2col`, stores and reductions of them, `tensormap.replace`, `wgmma` dense and sparse and in clusters, and `mma.sp`, with the same results (tests/cuda, tests/programs).

`wgmma` runs where the PTX is for sm_90a and the device is of compute capability 9.0. Each warp computes its 16 rows at once, when it comes to `wgmma.mma_async`: the fence,
`commit_group` and `wait_group` only meet the lanes of the warp, and a program that touches accumulators or operands before it has waited, which the ISA leaves undefined, is not
told so. Metadata of a sparse A that names a place twice, a B by its side whose 64 bytes along K do not fit a swizzle of
32 bytes, a warpgroup that is not whole, descriptors that differ between lanes or have bits set without a meaning, and reads beyond shared memory end the launch; reads of what was
not written and races are findings. Shared memory is counted as the hardware reads it: A once, 16 rows a warp, B once for the four warps, 512 bytes a request.

Held against `ptxas` 13.0, text by text; where the two differ it is meant, or does no harm.

- Taken here, refused there: `-` before the offset of an address, `a[4]` in brackets, expressions as sizes of arrays; addresses that are numbers; `-` before a
  hexadecimal float; a `;` alone; `.align` behind a type; the name of a `.callprototype`; lists of targets and prototypes that stand behind their use; `membar.gpu`; vectors whose
  registers differ in width; one coordinate of a tensor without braces; modifiers in any order; targets and versions that nobody knows yet; an .extern variable that a plain one
  defines, or one of another size; a label that two sections have, and -2^63 in one. What cannot be run is refused at the launch: `tensormap.replace` for an `f` target, sizes of bulk copies, stores to a kernel's parameters.
- Refused here, taken there: numbers of more than 64 bits, registers written with leading zeros (`%r01`), vectors of one element and without their `.v2`, a modifier
  written twice, register parameters that are vectors, 16- and 32-bit
  addresses of functions and of generic memory, `setp.f16x2` with one predicate, `testp` without a property, the address of a function as what `st` stores,
  special registers that `cvt` reads as another width.

What an instruction needs of the module's `.version` and `.target` is held to, as the assembler does: the second table below has the rows. `_`: its result is left out,
`+`: an operand that may be left out is there, `|`: a second result, `pred`: a predicate among the sources. Special registers (`runner/device/sim/ptx/sregs.def`) and directives have theirs.

| instruction | types | modifiers | operands | class | meaning |
|---|---|---|---|---|---|
HEAD
{
    # The table's own strings, tagged so that what else the preprocessor says can be told apart.
    printf '#define OP(n, m, f, e, d) @@OP|m|#f|d\n#define FORM(k, t, mo, o) @@FORM|#k|t|mo|o\n#define NEED(t, m, v, s) @@NEED|t|m|v|s@@\n#include "runner/device/sim/ptx/ops.def"\n'
} | ${CC:-gcc} -E -P -x c -I. - | sed 's/@@/\n@@/g' | awk '
    function cell(s) { gsub(/\|/, "\\|", s); return s == "" ? "" : "`" s "`" }
    # Fields are strings in quotes: a | inside them is not a separator.
    function split_strings(line, out,   n) {
        n = 0
        while (match(line, /"[^"]*"/)) {
            out[++n] = substr(line, RSTART + 1, RLENGTH - 2)
            line = substr(line, RSTART + RLENGTH)
        }
        return n
    }
    # 708: 7.8. 90: sm_90, OWN(90, 999): sm_90a and later ones of its kind.
    function version(v) { return v ? int(v / 100) "." v % 100 : "" }
    function target(t,   n, part) {
        if (t !~ /OWN/) return t ? "sm_" t : ""
        split(t, part, /[(,) ]+/)
        return "sm_" part[2] "a" (part[3] + 0 > part[2] + 0 ? " and such" : "")
    }
    BEGIN { name = "any" }
    /^@@OP/ { n = split_strings($0, f); name = f[1]; decoder = f[2]; doc = f[n]; next }
    /^@@NEED/ {
        split_strings($0, f)
        rest = $0
        sub(/^@@NEED\|"[^"]*"\|"[^"]*"\|/, "", rest)
        split(rest, v, "|")
        needs = needs sprintf("| %s | %s | %s | %s | %s |\n", name == "any" ? name : cell(name), cell(f[1]), cell(f[2]), version(v[1] + 0), target(v[2]))
        next
    }
    /^@@FORM/ {
        split_strings($0, f)
        meaning = doc; gsub(/\|/, "\\|", meaning)
        if (decoder == "missing") meaning = meaning " (*not executed*)"
        printf "| %s | %s | %s | %s | %s | %s |\n", cell(name), cell(f[2]), cell(f[3]), cell(f[4]), f[1], meaning
    }
    END { printf "\n| instruction | with types | with modifiers | .version | .target |\n|---|---|---|---|---|\n%s", needs }'
