#!/bin/bash
# Writes docs/ptx-support.md from the instruction table: docs/ptx-support.sh > docs/ptx-support.md
cd "$(dirname "$0")/.." || exit 1
cat <<'HEAD'
<!-- made by: docs/ptx-support.sh -->

# PTX that Warplab reads

Which instructions Warplab takes, how it executes those that the ISA leaves open, and where it
differs from `ptxas` and from hardware. For developers, and for everybody who writes or generates
PTX.

## How to read the tables

The first table, "Instructions", has one row for each way to write an instruction, from
`runner/device/sim/ptx/ops.def`, which the parser itself reads. Its notation is explained at the top
of that file.

| in a row | means |
|---|---|
| `!` behind a word | the word must be written |
| `?` behind an operand | the operand may be left out |
| *not executed* | the parser takes it, the executor lacks it |

The table is what the parser takes, not a promise that all of it runs. A kernel that reaches an
instruction which the executor lacks is refused at its launch, with the line. An instruction that
the table lacks is an error when the module is loaded.

The second table, "What instructions need", has what an instruction needs of the module's `.version`
and `.target`. Warplab refuses what the assembler refuses. Special registers
(`runner/device/sim/ptx/sregs.def`) and directives have rules of their own.

| in a row | means |
|---|---|
| `_` | the result is left out |
| `+` | an operand that may be left out is there |
| `\|` | a second result |
| `pred` | a predicate among the sources |

## Arithmetic

- **Each instruction rounds by itself.** An assembler may fuse `mul` and `add` where neither names a
  rounding mode (PTX ISA, `add` and `mul`), and `ptxas` does. A product of halves or bfloat16s by
  the operators `*` and `+` that goes into a sum is rounded once on a GPU and twice here, so the
  last bit may differ. `__hmul_rn`, `__hfma` and `nvcc --fmad=false` state which one is meant.
- **Matrix instructions** (`wmma`, `mma.sync`, `mma.sp`, `wgmma`, dense and sparse): integers are
  exact. Sums of products of floating-point elements are computed in double precision and rounded
  once. The hardware first cuts addends to a common exponent, so the last bits may differ from a
  GPU's.
- **Fragments of `wmma`** have the layout of `mma.sync`; the ISA leaves it open. Requests and bank
  conflicts of `wmma.load` and `wmma.store` are those of that layout, an access for each register.

## Clusters

Clusters need compute capability 9.0. All blocks of a cluster run together, on one core of the host,
in turns. A shared address has the owner's rank in bits 24 to 31, as in machine code of compute
capability 9.0. So a block's own address means that block everywhere in the cluster.

| case | what happens |
|---|---|
| an access past the owner's memory, to a rank that the cluster does not have, or to a block that has ended | a finding, and the launch ends |
| a second `barrier.cluster.arrive` without a wait, or a wait without an arrival | a finding, and the launch ends |
| `st.async` or `red.async` whose value and mbarrier belong to different blocks | the launch ends |
| `.blocksareclusters` | refused |
| `clusterlaunchcontrol` | needs sm_100 |

Races in the shared memory of another block are found in part. A plain load there is compared with
the plain stores of the owner and of other blocks before it. A plain store there is compared with
the owner's plain accesses before it, and with plain loads of any block after it. The two are
ordered if the cluster has met at its barrier between them, or if the block that came first has
released something since (a fence, an arrival at an mbarrier). Atomics, volatile and `.relaxed`
accesses, `st.async` and bulk copies into another block are not compared, and neither are the stores
of two blocks in the memory of a third. Races of a block's own threads with the cluster's barrier
between them are not found, also with `.relaxed`.

## Asynchronous copies

The simulated device does a `cp.async` when it is issued. A thread that uses the bytes too early
gets a finding (`race`) that names the missing wait. It may use them when its own thread has waited
for the copy's group (`cp.async.wait_group`, `cp.async.wait_all`), or has seen the phase of the
mbarrier that `cp.async.mbarrier.arrive` named. Other threads need a barrier after that wait.

Bulk copies (`cp.async.bulk` and its kin, tensor maps) are done as they are issued, too. This is one
of the orders that hardware may take. Each case in which a program relies on that order is a finding
(`race`):

- bytes that are touched before a wait has found the mbarrier's phase over;
- a source in shared memory that is written before `cp.async.bulk.wait_group.read`;
- a source that threads wrote without a later `fence.proxy.async`;
- tiles that `wgmma` reads before they have come, or without the fence.

Not reported are a missing `fence.proxy.tensormap`, tiles that are written before
`wgmma.wait_group`, global memory that is read before `wait_group`, a block that ends while its
shared memory is still read, and fences and waits that only some threads needed.

Swizzles are those of the address in shared memory. Prefetches do nothing. These end the launch: a
copy that uses a map in the wrong mode, a map that `tensormap.replace` has made wrong (a box that
hardware does not have: an illegal instruction), and an im2col filter outside of its box.

In a module for sm_100 a kernel is refused at its launch when it reaches `.im2col::w`,
`.tile::gather4`, `.tile::scatter4`, `.cta_group`, `.cp_mask`, or `tensormap.replace`.
`cuTensorMapEncodeTiled` and `cuTensorMapEncodeIm2col` answer `CUDA_ERROR_INVALID_VALUE`, as on an
H100, to packed types and to swizzles of 32 and 64 bytes at a time, which need compute capability
10.0.

## Tensor maps

Where the ISA and cuda.h leave it open, tensor maps do what an H100 does. Eight thousand maps were
compared with one, byte by byte.

- **Interleaved tensors.** The dimensions are W, H and D, as many as there are, then slices of
  channels, then N. An element of W is 16 or 32 bytes of a slice, whatever the data type. A copy is
  of one slice (the box's extent along the slices is ignored). Its pixels lie one
  behind the other, 16 or 32 bytes each, swizzled by address.
- **`.im2col`** walks along W, H and D, whose corners and offsets come first. `channelsPerPixel` is
  ignored.
- **Swizzle.** cuda.h asks for a swizzle of 32 bytes with slices of 32. A driver takes any, and so
  does Warplab. But `boxDim[0]` times the element's size is a multiple of 16 with slices, too. A row
  that is narrower than its swizzle's span begins a span of its own; the rest of the span stays as
  it was.
- **Types.** `TFLOAT32` and `TFLOAT32_FTZ` are rounded to nearest even as they are loaded, and a NaN
  becomes 0x7fffe000; stores change nothing. Sums of the `_FTZ` types flush subnormal numbers, other
  sums of bulk copies do not. `INT64` has only `min` and `max`. An operation that a type does not
  have ends in an illegal instruction.
- **Out of bounds.** Elements are filled with zeros, or with NaNs that have 0x7ff7 in each two
  bytes. A row of a box that is stored past the tensor's end is written to the end of the 16 bytes
  in which the tensor's row ends, as on an H100.

These end the launch with an illegal instruction, as they do on an H100; the ISA does not mention
them:

- a copy from shared memory to shared memory, `st.async` and `red.async` in a launch without cluster
  dimensions (a cluster of one block is enough: `__cluster_dims__(1, 1, 1)` or the launch
  attribute);
- a copy or prefetch of a tensor whose innermost coordinate, times the element's size, is not a
  multiple of 16 bytes;
- a store or reduction of a box at a negative coordinate;
- a store or reduction by `.im2col_no_offs` with a tensor map whose bounding box leaves the tensor
  (a lower corner below 0, an upper one above it), or from a place outside of that box.

## wgmma

`wgmma` runs where the PTX is for sm_90a and the device is of compute capability 9.0. Each warp
computes its 16 rows at once, when it comes to `wgmma.mma_async`. The fence, `commit_group` and
`wait_group` only meet the lanes of the warp. A program that touches accumulators or operands before
it has waited is not told so; the ISA leaves this undefined.

These end the launch: metadata of a sparse A that names a place twice, a B beside it whose 64 bytes
along K do not fit a swizzle of 32 bytes, a warpgroup that is not whole, descriptors that differ
between lanes or have bits set without a meaning, and reads beyond shared memory. Reads of memory
that was not written, and races, are findings. Shared memory is counted as the hardware reads it: A
once, 16 rows a warp; B once for the four warps, 512 bytes a request.

## Compared with an H100

These had the same results (tests/cuda, tests/programs):

- clusters and their shared memory, mbarriers, `st.async`, `red.async` and mbarriers with generic
  addresses;
- bulk copies between global and shared memory, between blocks of a cluster or within one;
- loads of tiles of one to five dimensions, out of bounds, with steps, NaN fills and swizzled;
  stores and reductions of tiles; interleaved tensors; `TFLOAT32`; columns by `.im2col`, their
  stores and reductions; `tensormap.replace`;
- products whose tiles tensor maps bring, `wgmma` dense and sparse and in clusters, and `mma.sp`.

## Compared with ptxas

Texts were compared with `ptxas` 13.0 one by one. The remaining differences are meant, or do no
harm.

Taken here, refused there:

- `-` before the offset of an address, `a[4]` in brackets, addresses that are numbers, `-` before a
  hexadecimal float, expressions as sizes of arrays;
- a `;` alone, `.align` behind a type, modifiers in any order, `membar.gpu`;
- the name of a `.callprototype`; lists of targets and prototypes that stand behind their use;
  targets and versions that do not exist yet;
- vectors whose registers differ in width, one coordinate of a tensor without braces;
- an .extern variable that a plain one defines, or one of another size; a label that two sections
  have, and -2^63 in one;
- refused only at the launch, because it cannot be run: `tensormap.replace` for an `f` target, sizes
  of bulk copies, stores to a kernel's parameters.

Refused here, taken there:

- numbers of more than 64 bits, registers written with leading zeros (`%r01`), a modifier written
  twice;
- vectors of one element and without their `.v2`, register parameters that are vectors;
- 16- and 32-bit addresses of functions and of generic memory, the address of a function as what
  `st` stores;
- `setp.f16x2` with one predicate, `testp` without a property, special registers that `cvt` reads as
  another width.

## Instructions

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
    END { printf "\n## What instructions need\n\n| instruction | with types | with modifiers | .version | .target |\n|---|---|---|---|---|\n%s", needs }'
