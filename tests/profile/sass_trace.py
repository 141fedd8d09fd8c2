"""What sass_trace.sh asks of a trace: every line as Accel-Sim's parser reads it
(gpu-simulator/trace-parser/trace_parser.cc), and what the kernel is known to do."""
import re
import sys

LINE = re.compile(r"([0-9a-f]{4,}) ([0-9a-f]{8}) (\d+) ")


def addresses(words, mask):
    """The lanes' addresses, and the words behind them."""
    lanes = [k for k in range(32) if mask >> k & 1]
    if words[0] == "1":
        first, step = int(words[1], 16), int(words[2])
        return {k: first + n * step for n, k in enumerate(lanes)}, words[3:]
    assert words[0] == "0", words
    return {k: int(words[1 + n], 16) for n, k in enumerate(lanes)}, words[1 + len(lanes):]


def instruction(line):
    words = line.split(" ")
    pc, mask, dests = int(words[0], 16), int(words[1], 16), int(words[2])
    assert len(words[1]) == 8 and dests in (0, 1), line
    rest = words[3:]
    for _ in range(dests):
        assert re.fullmatch(r"R\d+", rest.pop(0)), line
    opcode, sources = rest.pop(0), int(rest.pop(0))
    assert re.fullmatch(r"[A-Z0-9_]+(\.[A-Za-z0-9_]+)*", opcode) and sources <= 4, line
    for _ in range(sources):
        assert re.fullmatch(r"R\d+", rest.pop(0)), line
    width, at = int(rest.pop(0)), {}
    if width:
        at, rest = addresses(rest, mask)
    assert rest == ["0"], line
    return pc, mask, opcode, width, at


def read(path):
    """Head, and by block and warp the instructions."""
    head, warps, block, warp, left = {}, {}, None, None, 0
    for line in open(path, encoding="utf-8").read().splitlines():
        if line.startswith("-"):
            name, value = line[1:].split(" = ")
            head[name] = value
        elif line == "#BEGIN_TB":
            assert block is None
            block = ()
        elif line == "#END_TB":
            assert left == 0
            block = None
        elif line.startswith("thread block = "):
            block = tuple(int(x) for x in line[15:].split(","))
        elif line.startswith("warp = "):
            assert left == 0
            warp = int(line[7:])
        elif line.startswith("insts = "):
            left = int(line[8:])
            warps[block, warp] = []
        elif line and not line.startswith("#"):
            warps[block, warp].append(instruction(line))
            left -= 1
    return head, warps


def main(folder):
    names = open(folder + "/kernelslist.g", encoding="utf-8").read().split()
    assert names == ["kernel-1.traceg", "kernel-2.traceg"], names
    # saxpy<<<(2, 3), 96>>> over 2 * 3 * 96 - 40 elements; tile<<<1, 64>>>
    head, warps = read(folder + "/" + names[0])
    assert head["grid dim"] == "(2,3,1)" and head["block dim"] == "(96,1,1)" and head["binary version"] == "90", head
    assert sorted(warps) == [((x, y, 0), w) for x in range(2) for y in range(3) for w in range(3)], sorted(warps)
    loads, stores, ends = [], [], 0
    for warp in warps.values():
        assert warp[0][0] == 0 and warp[0][1] == 0xffffffff, warp[0]
        ends += sum(bin(i[1]).count("1") for i in warp if i[2] == "EXIT")
        for _, mask, opcode, width, at in warp:
            if opcode.startswith("LDG"):
                loads += [(a, width) for a in at.values()]
            if opcode.startswith("STG"):
                stores += [(a, width) for a in at.values()]
    n = 2 * 3 * 96 - 40
    assert ends == 2 * 3 * 96, ends
    first = min(a for a, _ in stores)
    assert sorted(stores) == [(first + 4 * k, 4) for k in range(n)], stores[:4]
    assert len(loads) == 2 * n and {w for _, w in loads} == {4}, len(loads)
    assert {a for a, _ in stores} <= {a for a, _ in loads}, "y is read and written"
    # each thread writes its word of shared memory and reads the one of the thread opposite
    _, warps = read(folder + "/" + names[1])
    shared = {op: sorted(a for w in warps.values() for i in w if i[2].startswith(op) for a in i[4].values()) for op in ("LDS", "STS")}
    assert shared["LDS"] == shared["STS"] and len(shared["LDS"]) == 64, shared
    assert all(b - a == 4 for a, b in zip(shared["STS"], shared["STS"][1:])), shared
    barriers = [sum(i[2].startswith("BAR") for i in w) for w in warps.values()]
    assert barriers == [1, 1], barriers
    print("ok every line is one, every thread's accesses are there")


main(sys.argv[1])
