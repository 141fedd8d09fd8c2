#!/bin/bash
# slow
# timeout: 400
# Archives made to harm: bombs (one entry of a terabyte behind a few kilobytes, archives that
# overlap in archives, a hundred thousand files), sizes that lie, links, pipes and devices, names
# that differ by case or by how Unicode writes them. Each beside honest students, who lose nothing;
# nobody is read for long.
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1
cat >"$T/make.py" <<'PY'
import bz2, io, os, struct, sys, tarfile, zipfile, zlib
d = sys.argv[1]
lab = "vector-add.cu"
answer = open("answers/vector-add.cu", "rb").read()
os.makedirs(d)
def path(name): return os.path.join(d, name)
def honest(name, where=lab, text=answer):
    with zipfile.ZipFile(path(name + ".zip"), "w", zipfile.ZIP_DEFLATED) as z: z.writestr(where, text)
honest("alice", "hw/" + lab)
honest("bob")

# bzip2 of zeros, a few dozen bytes for 40 MB, again and again: a tar whose one entry is 4 TB long in 5 MB
head = tarfile.TarInfo("big.bin"); head.size = 1 << 43
zeros = bz2.compress(bytes(40 << 20))
open(path("eve-long.tar.bz2"), "wb").write(bz2.compress(head.tobuf(format=tarfile.GNU_FORMAT)) + zeros * 100000)

# one local entry, an archive of 60 MB of zeros, named by thousands of entries of the directory
zeros = io.BytesIO()
with zipfile.ZipFile(zeros, "w", zipfile.ZIP_STORED) as z: z.writestr("zeros.bin", bytes(60 << 20))
inner = zeros.getvalue()
c = zlib.compressobj(9, zlib.DEFLATED, -15); packed = c.compress(inner) + c.flush()
crc = zlib.crc32(inner)
local = struct.pack("<IHHHHHIIIHH", 0x04034b50, 20, 0, 8, 0, 0, crc, len(packed), len(inner), 9, 0) + b"a0000.zip"
def directory(name, packed_len, size, extra=b"", method=8):
    return struct.pack("<IHHHHHHIIIHHHHHII", 0x02014b50, 45, 45, 0, method, 0, 0, crc, packed_len, size, len(name), len(extra), 0, 0, 0, 0x81A40000, 0) + name + extra
def close(body, entries):
    where = len(body); listing = b"".join(entries)
    return body + listing + struct.pack("<IHHHHIIH", 0x06054b50, 0, 0, len(entries), len(entries), len(listing), where, 0)
open(path("eve-overlap.zip"), "wb").write(close(local + packed, [directory(b"a%04d.zip" % i, len(packed), len(inner)) for i in range(4000)]))
# zip64: a lab's file of 2^60 bytes
extra = struct.pack("<HHQ", 1, 8, 1 << 60)
open(path("eve-zip64.zip"), "wb").write(close(local.replace(b"a0000.zip", b"a0000.zip") + packed, [directory(lab.encode(), len(packed), 0xffffffff, extra)]))
# sizes smaller than what is there
open(path("eve-short.zip"), "wb").write(close(local + packed, [directory(lab.encode(), len(packed), 10)]))

with tarfile.open(path("eve-many.tar.gz"), "w:gz", compresslevel=1) as t:
    for i in range(100000): t.addfile(tarfile.TarInfo(f"f/{i}.txt"))
    i = tarfile.TarInfo(lab); i.size = len(answer); t.addfile(i, io.BytesIO(answer))
with tarfile.open(path("eve-special.tar"), "w") as t:
    for kind, name, link in [(tarfile.FIFOTYPE, "fifo/" + lab, ""), (tarfile.CHRTYPE, "zero/" + lab, ""), (tarfile.BLKTYPE, "disk/" + lab, ""),
                             (tarfile.LNKTYPE, "hard/" + lab, "/work/answers/" + lab), (tarfile.SYMTYPE, "soft/" + lab, "../../alice/" + lab), (tarfile.CONTTYPE, "cont.txt", "")]:
        i = tarfile.TarInfo(name); i.type, i.linkname, i.devmajor, i.devminor = kind, link, 1, 5
        t.addfile(i)
# a folder that leads to another's, a pipe in a folder of one's own
os.makedirs(path("mallory")); os.makedirs(path("carol")); os.makedirs(path("trent"))
os.symlink("../carol", path("mallory/hw")); os.symlink("carol", path("oscar"))
open(path("carol/" + lab), "wb").write(answer + b"// carol\n")
os.mkfifo(path("trent/" + lab))
# one name twice: by case, and by how an accent is written
honest("Alice", text=b"void wrong() {}\n")
for name in ["Zo\u00eb", "Zoe\u0308"]: honest(name, text=b"void wrong() {}\n")
PY
python3 "$T/make.py" "$T/in" || not_ok "the archives are made"
LIMIT=240
begin=$(date +%s)
TIMEFORMAT="%U %S"
{ time run "$W" grade --batch "$T/in" --out "$T/graded" --lab vector-add --jobs 2 --device sim:h200 --seed 3 --quiet; } 2>"$T/cpu"
took=$(($(date +%s) - begin))
echo "# $took s, $(tail -1 "$T/cpu") s of computing: $(cut_text)"
status_is 3 "the batch comes to its end, and says that something was left over"
"$W" gradebook export "$T/graded" --json "$T/book.json" >/dev/null
state() { json "$T/book.json" "[(r['state'], r['score']) for r in j if r['student'] == '$1']"; }
for student in alice bob carol; do is "$(state $student)" "[('graded', 10)]" "$student, honest, is graded in full"; done
is "$(state mallory)$(state oscar)" "[][]" "who links to another's folder has handed in nothing"
is "$(state trent)" "[('ungradable', None)]" "a pipe is no file, and no zero"
is "$(json "$T/book.json" "[r['student'] for r in j if r['student'].startswith('eve') and r['verdict'] == 'pass']")" "[]" "no bomb passes"
is "$(json "$T/book.json" "[(r['student'], r['score']) for r in j if r['student'] == 'Alice'] in ([], [('Alice', 0.0)])")" True "Alice is not alice"
cpu=$(tail -1 "$T/cpu"); cpu=${cpu%%.*}
[ "$cpu" -lt 60 ] && ok "what is unpacked is bounded ($cpu s)" || not_ok "what is unpacked is bounded ($cpu s)"
for line in "eve-long.tar.bz2: the archive unpacks to more" "eve-many.tar.gz: the archive contains more files" "eve-special.tar/fifo/vector-add.cu: a link or a special file" \
    "eve-special.tar/hard/vector-add.cu: a link or a special file" "eve-special.tar/soft/vector-add.cu: a link or a special file" "oscar: not a regular file"; do
    grep -rq "$line" "$T/graded" && ok "told: $line" || not_ok "told: $line ($(grep -rho "${line%%:*}[^\"]*" "$T/graded" | head -2))"
done
finish
