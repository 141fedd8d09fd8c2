#!/bin/bash
# timeout: 120
# A certificate: a page and a PDF of what was passed, in both languages; checked against its own
# JSON, a course's key and the record.
. "$(dirname "$0")/../lib.sh"
cd "$T" || exit 1
D=$XDG_DATA_HOME/warplab/progress.db

run $W certificate
status_is 1 "nothing passed: no certificate"
has "no lab was passed yet" "and why"
printf 'start hello\n' | $W --lang en >/dev/null 2>&1
python3 - "$D" <<'EOP'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
for lab, points, speed in (("hello", 10, 1.0), ("vector-add", 10, 31.5), ("coalescing", 8, 4.25)):
    db.execute("INSERT OR REPLACE INTO lab(lab, step, started, passed, answer_seen, hints, best_score, max_score, best_speedup, checks, right_answers, wrong_answers, started_at, passed_at) "
               "VALUES(?, 0, 1, 1, 0, 1, ?, 10, ?, 1, 0, 0, 1760000000, 1760000000)", (lab, points, speed))
db.commit()
EOP
run $W exam key key
run $W certificate --name 'Ada <b>&"Lovelace' --html en.html --pdf en.pdf --lang en
status_is 0 "made"
is "$out" "en.html
en.pdf" "it says which files"
run $W certificate --name 李雷 --html zh.html --pdf zh.pdf --lang zh
run $W certificate --name Ada --html signed.html --pdf signed.pdf --key key
run $W certificate --name Ada
[ -s certificate.html ] && ok "without options: certificate.html" || not_ok "without options: certificate.html"

# What is in them, read by Python alone: a PDF's table of objects points at objects, its text is
# there.
python3 - <<'EOP'
import html.parser, json, re
def say(ok, what, why=""):
    print(("ok " if ok else "not ok ") + what + ("" if ok else " (%s)" % why))
class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(); self.text, self.open = "", []
    def handle_starttag(self, tag, attrs):
        if tag not in ("meta", "br"): self.open.append(tag)
        for k, v in attrs: say(k not in ("src", "href"), "the page loads nothing") if k in ("src", "href") else None
    def handle_endtag(self, tag): self.open and self.open.pop() == tag or say(False, "tags are nested", tag)
    def handle_data(self, d): self.text += d if self.open[-1:] not in (["script"], ["style"]) else ""
for f, name, title, lab in (("en", 'Ada <b>&"Lovelace', "Warplab: certificate", "Adding two vectors"), ("zh", "李雷", "Warplab 证书", "任意长度的向量相加")):
    p = Page(); p.feed(open(f + ".html", encoding="utf-8").read())
    say(name in p.text and title in p.text and lab in p.text and "28" in p.text and "31.5x" in p.text and "2025-10-09" in p.text, f + ".html: name, labs, points, speed, day", repr(p.text[:300]))
    say(not p.open, f + ".html: every element ends", p.open)
    b = open(f + ".pdf", "rb").read()
    table = int(re.search(rb"startxref\n(\d+)\n%%EOF\n$", b)[1])
    rows = re.findall(rb"(\d{10}) \d{5} n ", b[table:])
    say(len(rows) > 8 and all(b[int(at):].startswith(b"%d 0 obj" % (i + 1)) for i, at in enumerate(rows)), f + ".pdf: the table finds every object")
    say(b[table:].startswith(b"xref\n0 %d\n" % (len(rows) + 1)), f + ".pdf: and says how many there are")
    text = ""
    for m in re.finditer(rb"/Length (\d+) >>\nstream\n", b):
        body = b[m.end(): m.end() + int(m[1])]
        say(b[m.end() + int(m[1]):].startswith(b"\nendstream"), f + ".pdf: a stream is as long as it says")
        for s, h in re.findall(rb"Td (?:\(((?:[^()\\]|\\.)*)\)|<([0-9A-F]*)>) Tj", body):
            text += re.sub(r"\\(.)", r"\1", s.decode()) + " " * (not h) if s else bytes.fromhex(h.decode()).decode("utf-16-be")
    flat = text.replace(" ", "")
    say(all(w.replace(" ", "") in flat for w in (name, title, lab, "31.5x")), f + ".pdf: its text", repr(text[:300]))
    say(json.loads(b[b.index(b"stream\n", b.index(b"EmbeddedFile")) + 7: b.index(b"\nendstream", b.index(b"EmbeddedFile"))])["name"] == name, f + ".pdf: the JSON is attached")
EOP

# ---- checked ----
for f in en.html en.pdf zh.html zh.pdf; do
    run $W certificate --verify $f --lang en
    status_is 0 "$f: right"
    has "has 3 of the certificate's 3 labs" "$f: the record says the same"
done
run $W certificate --verify zh.html --lang zh
has "内容与生成时一致" "in Chinese"
edited() { # FROM TO NAME
    sed "$1" "$2" >edited
    cmp -s edited "$2" && not_ok "$3 (nothing was edited)"
    run $W certificate --verify edited --lang en
    status_is 1 "$3: not right"
    has "changed after it was made" "$3: and why"
}
edited 's/>8\/10</>9\/10</' en.html "a score on the page"
edited 's/"points": 8.0/"points": 9.0/' en.html "a score in the JSON"
edited 's/<h1>/<h1>Best /' en.html "the heading"
edited 's/(8\/10)/(9\/10)/' en.pdf "a score in the PDF"
edited 's/"points": 8.0/"points": 9.0/' en.pdf "a score in the attached JSON"
printf ' ' | cat en.html - >edited
run $W certificate --verify edited
status_is 1 "a byte more"

# Everything made anew, digest and page, is told by the record, and by the key.
cp "$D" own.db
python3 -c 'import sqlite3; db = sqlite3.connect("'"$D"'"); db.execute("UPDATE lab SET best_score = 10"); db.commit()'
run $W certificate --name Ada --html better.html --lang en
cp own.db "$D"
run $W certificate --verify better.html --lang en
status_is 1 "more points than the record has"
has "It has not been changed since it was made." "though the page is whole"
has "has 2 of the certificate's 3 labs" "and how many are right"
run $W certificate --verify signed.html --key key --lang en
status_is 0 "signed: right with the key"
run $W certificate --verify signed.pdf --key key --lang en
status_is 0 "the PDF too"
run env XDG_DATA_HOME="$T/elsewhere" "$W" certificate --verify signed.html --key key --lang en
status_is 0 "on another machine as well"
run env XDG_DATA_HOME="$T/elsewhere" "$W" certificate --verify signed.html --lang en
status_is 1 "not without the key"
has "--key" "which is said"
run $W exam key other
run $W certificate --verify signed.html --key other --lang en
status_is 1 "another key"
has "not signed with this key" "and why"
run $W certificate --verify en.html --key key --lang en
status_is 1 "not signed, and a key asked for"
run $W certificate --verify "$root/README.md"
status_is 3 "what is no certificate"
has "no certificate" "is told"
printf '%%PDF-1.4\n/Type /EmbeddedFile stream\n{"warplab":"certificate","labs":[1,2,{"title":7}],"name":[]}\nendstream\n' >odd.pdf
run $W certificate --verify odd.pdf --lang en
status_is 1 "JSON of other types than expected"
finish
