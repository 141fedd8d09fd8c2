#!/bin/bash
# Writes docs/machine-code.md from the tables of machine code and from where the survey saw each
# opcode: docs/machine-code.sh > docs/machine-code.md
# tests/unit/sass/survey.py --seen writes tests/unit/sass/seen.txt anew.
cd "$(dirname "$0")/.." || exit 1
cat <<'HEAD'
<!-- made by: docs/machine-code.sh -->

# Machine instructions that the clock reads

Which opcodes the model of time can execute, and since which architecture they are known. For
developers, and for readers who wonder why a launch is timed by its counters.

With `sim_options.machine_code` a launch is timed by its machine code
([model-tables.md](model-tables.md), "Machine code"). Its opcodes are the rows of
`runner/device/sim/sass/ops.def`; an instruction is executed where one of the rows of
`runner/device/sim/translate/rows.def` has its modifiers. A kernel with another instruction is timed
by its PTX.

| column | meaning |
|---|---|
| since | the first `sm_` that it was seen on, and the last where it is gone |
| executed | how many rows it has; "no": every kernel with it is timed by its counters |
| seen | how often in the programs here that were surveyed, by `sm_`, and one of them |

| opcode | since | executed | what it does | seen |
|---|---|---|---|---|
HEAD
python3 - <<'PY'
import collections, re, subprocess
made = subprocess.run(["cc", "-E", "-P", "-x", "c", "-"], input="#define ROW(op, ...) @op@\n" + open("runner/device/sim/translate/rows.def", encoding="utf-8").read(), capture_output=True, text=True, check=True)
ops = open("runner/device/sim/sass/ops.def", encoding="utf-8").read()
rows = collections.Counter(re.findall(r"@(\w+)@", made.stdout))
special = {"BRA": "and by translate.c", "RET": "by translate.c", "BRX": "by translate.c", "CALL": "and by translate.c", "R2UR": "by translate.c", "ELECT": "by translate.c", "RPCMOV": "by translate.c", "LEPC": "by translate.c"}
special.update(dict.fromkeys(("HMMA", "IMMA", "BMMA", "QMMA", "DMMA", "HGMMA", "IGMMA", "QGMMA", "BGMMA"), "by matrix.c"))
special.update(dict.fromkeys(("UBLKCP", "UBLKRED", "UBLKPF", "UTMALDG", "UTMASTG", "UTMAREDG", "UTMAPF", "UTMACCTL", "STAS", "REDAS"), "by bulk.c"))
special.update(dict.fromkeys(("TEX", "TLD", "TLD4", "TXD", "SULD", "SUST"), "by texture.c"))
seen = collections.defaultdict(list)
for line in open("tests/unit/sass/seen.txt", encoding="utf-8"):
    if not line.startswith("#"):
        op, arch, count, where = line.split()
        seen[op].append((int(arch), int(count), where))
for op, since, until, doc in re.findall(r'^OP\((\w+), (\d+), (\d+), .*?"((?:[^"\\]|\\.)*)"\)', ops, re.M):
    has = str(rows[op]) if rows[op] else "no"
    if op in special:
        has = special[op] if has == "no" else f"{has} {special[op]}"
    span = since if until == "0" else f"{since} to {until}"
    where = sorted(seen[op])
    text = ", ".join(f"{count} on {arch}" for arch, count, _ in where) + (f": {where[-1][2]}" if where else "-")
    print(f"| `{op}` | {span} | {has} | {doc.replace('|', chr(92) + '|')} | {text} |")
PY
cat <<'TAIL'

## Forms that stay refused

Opcodes with "no" in the table that are not named here: nvcc makes none of them in this tree.

| form | why |
|---|---|
| `FSWZADD` | the signs that its pattern stands for are not documented, and no PTX instruction becomes one |
| `MOVM.U4TO8` | the order of the widened values is not documented, and products that use it do not depend on it |
| `WARPSYNC.EXCLUSIVE` | not documented, and nvcc 13.0 made none of anything tried |
| `FMNMX.XORSIGN` | takes the sign from operands whose sign its text removes |
| `VIMNMX` with predicates | what its predicates say of two halves is not documented |
| `IMNMX.U64`, `IMNMX.S64` | of its four predicates only one is understood |
| `ARRIVES.LDGSTSBAR.64` before sm_90 | the wait for its copies is an ordinary load, which would be charged nothing for them |
| calls of `malloc`, `free`, `cudaLaunchDevice` | the functions' own code is not in the file |
TAIL
