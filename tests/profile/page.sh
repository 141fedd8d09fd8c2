#!/bin/bash
# profile --html: one file that needs nothing else, well formed, both languages in it; names and
# source text of a program are escaped.
. "$(dirname "$0")/../lib.sh"

cat >"$T/plain.cu" <<'CU'
#include <cstdio>
template <int N> struct tag {};
template <typename T> __global__ void twice(float *a, int n) { // </td><script>alert(1)</script> & "quotes"
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += a[i];
}
int main() {
    float *a;
    cudaMalloc(&a, 1 << 20);
    cudaMemset(a, 0, 1 << 20);
    twice<tag<3>><<<1024, 256>>>(a, 1 << 18);
    cudaDeviceSynchronize();
    cudaFree(a);
}
CU
{ echo '#line 1 "/src/<b>&x.cu"'; cat "$T/plain.cu"; } >"$T/named.cu"
run "$W" profile --device sim:h200 --json "$T/before.json" --html "$T/p.html" "$T/plain.cu"
status_is 0 "a page"
cat >"$T/check.py" <<'PY'
import re, sys
from html.parser import HTMLParser
text = open(sys.argv[1], encoding="utf-8").read()
bad = []
void = {"meta", "input", "br", "img", "link"}
loose = {"td", "th", "tr"} # HTML lets these end by themselves
class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.words, self.langs, self.tags = [], [], set(), set()
    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        for name, value in attrs:
            if name.startswith("on") or name in ("src", "href", "srcset") or "url(" in (value or ""): bad.append("%s %s=%s" % (tag, name, value))
            if name == "class" and value in ("en", "zh"): self.langs.add(value)
        if tag not in void and tag not in loose: self.open.append(tag)
    def handle_startendtag(self, tag, attrs): self.tags.add(tag)
    def handle_endtag(self, tag):
        if tag in loose: return
        if not self.open or self.open.pop() != tag: bad.append("</%s> out of place" % tag)
    def handle_data(self, data): self.words.append(data)
p = Page()
p.feed(text)
if p.open: bad.append("not closed: %s" % p.open)
if "script" in p.tags: bad.append("a script")
if re.search(r"https?://|@import|<script|<iframe|<object", text): bad.append("something from elsewhere")
if p.langs != {"en", "zh"}: bad.append("languages: %s" % p.langs)
en, zh = len(re.findall("class=en", text)), len(re.findall("class=zh", text))
if en != zh: bad.append("%d English texts, %d Chinese ones" % (en, zh))
words = "".join(p.words)
for want in sys.argv[2:]:
    if want not in words: bad.append("does not say %r" % want)
for part in ("svg", "table", "style", "main"):
    if part not in p.tags: bad.append("no <%s>" % part)
if "prefers-color-scheme:dark" not in text or "Content-Security-Policy" not in text: bad.append("no dark colours or no policy")
print("; ".join(bad) if bad else "good")
PY
is "$(python3 "$T/check.py" "$T/p.html" "twice<tag<" '</td><script>alert(1)</script> & "quotes"' "a[i] += a[i];" "DRAM")" good "the page is whole, self-contained, escaped"
run "$W" profile --device sim:h200 --html "$T/q.html" --against "$T/before.json" --lang zh "$T/named.cu"
status_is 0 "a source file with a hostile name, beside another run"
# 1024 blocks of 8 warps, each of which reads and writes four sectors a request; the other run is
# the same program
grep -q '<tr><td>gld_sectors<td class=n>32,768<td class=n>32,768<td class=n>1.00x</tr>' "$T/q.html" && ok "counters stand side by side" || not_ok "counters stand side by side ($(grep -o '<tr><td>gld_sectors.*' "$T/q.html"))"
grep -q '微秒</tspan></text></svg>' "$T/q.html" && ok "the timeline's unit in both languages" || not_ok "the timeline's unit in both languages"
is "$(python3 "$T/check.py" "$T/q.html" '/src/<b>&x.cu' "1.00x" "与另一次运行对照")" good "its page"
grep -q '每线程 [0-9]* 个），共享内存 [0-9]*' "$T/q.html" && ok "what fits is said in Chinese too" || not_ok "what fits is said in Chinese too"
# Numbers a person reads have no exponent, and what stands between the points of a kernel's line is
# in both languages.
is "$(grep -oE '>[^<]*[0-9]e[+][0-9][^<]*<' "$T/p.html" | head -n 3)" "" "no number has an exponent"
is "$(grep -oE '&middot; *(dram|l1|l2|launch|latency|issue|lsu|shared|fp32|atomic)\b' "$T/p.html")" "" "a limiter stands in both languages"
sed 's/&lt;script/<script/' "$T/p.html" >"$T/broken.html"
case $(python3 "$T/check.py" "$T/broken.html") in good) not_ok "the check sees an escape that is missing" ;; *) ok "the check sees an escape that is missing" ;; esac
run "$W" profile --device sim:h200 --html "$T/r.html" --against "$T/plain.cu" "$T/plain.cu"
status_is 3 "--against something else"
has "--against takes the JSON of an earlier profile" "and says what it takes"
finish
