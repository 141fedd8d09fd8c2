#!/bin/bash
# slow: make test FAST=1 leaves it out
# timeout: 200
# Lessons as a book: Markdown, HTML and, where a tool is there, PDF; both languages; pictures; what
# a lesson says is text, never markup of the page.
. "$(dirname "$0")/../lib.sh"
export WARPLAB_DEVICE=sim:h200
cd "$T" || exit 1
LIMIT=100
mkdir -p p && cp -r "$root"/docs/examples/warp-quiz/* p/
sed -i 's|after = {|after_ = nil; after = {|; s|A warp is what the device schedules|A <script>alert(1)</script> \&amp; warp is what the device schedules|; s|after_ = nil; ||' p/labs/warps.lua
run "$W" pack add p
run "$W" pack add "$root/docs/examples/host-habits"
run "$W" book warp-quiz --out b.html --lang both
status_is 0 "HTML in both languages"
python3 - b.html <<'EOP' >said 2>&1 && ok "its elements are closed, and none is the lesson's" || not_ok "its elements are closed, and none is the lesson's ($(cat said))"
import html.parser, sys
class P(html.parser.HTMLParser):
    stack, tags = [], set()
    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        assert not [a for a in attrs if a[0].startswith("on") or a[0] in ("src", "href")], attrs
        if tag != "meta": self.stack.append(tag)
    def handle_endtag(self, tag): assert self.stack.pop() == tag, tag
p = P(); p.feed(open(sys.argv[1], encoding="utf-8").read())
assert not p.stack, p.stack
assert "script" not in p.tags
assert p.tags <= {"html", "head", "meta", "title", "style", "body", "h1", "h3", "p", "b", "code", "pre"}, p.tags
EOP
out=$(cat b.html)
has "&lt;script&gt;alert(1)&lt;/script&gt; &amp;amp; warp" "what looks like markup is text"
has "Warps and sectors" "English"
has "线程束与扇区" "and Chinese"
run "$W" book host-habits --out b.md --lang zh --no-runs
status_is 0 "Markdown in one language"
out=$(cat b.md)
has "# 只来回一趟" "its title"
lacks "One trip each way" "nothing in the other language"
lacks "    // zh:" "the skeleton's comments are in that language"
has "### 答案" "answers at the end"
lacks "copy in " "--no-runs: no measured picture"
run "$W" book host-habits --out c.md --lang en --no-answers
out=$(cat c.md)
lacks "### Answers" "--no-answers: none"
lacks "finds its results" "nor what is said once answered"
has "stream 0" "a measured picture, of the skeleton"
has "h2d_copies                       8            8" "and its counters beside the baseline's"
[ -e "$WARPLAB_WORK" ] && not_ok "a book makes no file of a student's" || ok "a book makes no file of a student's"
run "$W" book host-habits --out d.doc
status_is 2 "a format that is not known"
run "$W" book nosuch --out d.md
status_is 2 "a pack that is not there"
mkdir -p "$XDG_CACHE_HOME/warplab/book/somebodys"
run env PATH=/nonexistent "$W" book warp-quiz --out d.pdf --no-runs
status_is 3 "PDF without a tool"
has "install chromium, weasyprint or wkhtmltopdf" "says what to install"
[ -d "$XDG_CACHE_HOME/warplab/book/somebodys" ] && ok "a folder that is not of its making stays" || not_ok "a folder that is not of its making stays"
rmdir "$XDG_CACHE_HOME/warplab/book/somebodys"
mkdir bin
printf '#!/bin/sh\necho "[1:1:ERROR] chatter" >&2\necho "no room for the page" >&2\nexit 1\n' >bin/chromium
chmod +x bin/chromium
run env PATH="$T/bin:$PATH" "$W" book warp-quiz --out e.pdf --no-runs
status_is 3 "PDF by a tool that fails"
has "did not make the PDF: no room for the page" "says why"
lacks "chatter" "and nothing else of what it said"
if command -v chromium chromium-browser google-chrome weasyprint wkhtmltopdf >/dev/null; then
    run "$W" book warp-quiz --out d.pdf --no-runs
    status_is 0 "PDF"
    is "$(head -c 5 d.pdf)" "%PDF-" "it is one"
    is "$out" "d.pdf" "what the tool says of itself is not shown"
else skip "PDF (nothing here prints it)"; fi
finish
