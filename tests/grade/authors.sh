#!/bin/bash
# slow: make test FAST=1 leaves it out
# timeout: 300
# The loop of whoever writes labs: texts alone, gradings that are kept, the first cause of a
# cascade, --watch, text, preview, the lesson that is open.
. "$(dirname "$0")/../lib.sh"
export WARPLAB_DEVICE=sim:h200
cd "$T" || exit 1
LIMIT=150
run "$W" new --pack mine
lesson=$T/mine/labs/first.lua
check() { run "$W" check mine/first --device sim:h200 "$@"; }

# ---- texts ----
check --texts
status_is 1 "a new lab's TODOs are told"
lacks "skeleton compiles" "--texts runs nothing"
has "mine/labs/first.lua:1 is written" "where the file is"
has "mine/labs/first.lua:4 is written: TODO: Scaling a vector" "its title is one of them"
sed -i 's/TODO: //; s/TODO：//; s/TODO/DONE/' "$lesson"
check --texts
status_is 0 "texts that are written hold"
has "texts hold mine/first: " "and are not said to be proved"
check --texts --lang zh
has "文字无误 mine/first：" "in Chinese too"
cp "$lesson" keep.lua
sed -i 's/chapter = 1,/chapter = 100,/' "$lesson"
check --texts --lang zh
has "讲义可以装载：mine/labs/first.lua:5：lab.chapter：应为 1 到 99" "and what is wrong with the file"
cp keep.lua "$lesson"
bad() { # SED NAME WANT: an edit that must be found
    cp "$lesson" keep.lua
    sed -i "$1" "$lesson"
    check --texts
    status_is 1 "found: $2"
    has "$3" "$2: said"
    cp keep.lua "$lesson"
}
bad 's/zh = "相除后向上取整。"/zh = "Divide and round up."/' "a text that was not translated" "the Chinese text is the English one"
bad 's/zh = "相除后向上取整。"/zh = "Divide."/' "Chinese without Chinese" "no Chinese character"
bad 's/en = "Divide and round up."/en = "相除。"/' "English with Chinese" "wide characters"
bad 's/, zh = "相除后向上取整。"//' "a language that is missing" "the Chinese text (zh) is missing"
bad 's/相除后向上取整。/每个瓦片。/' "a word that nobody of the field says" "says \"瓦片\" (zh)"
bad 's/相除后向上取整。/\xff/' "bytes that are not UTF-8" "not UTF-8"
bad 's/chapter = 1,/chapter = 1, needs = { "mine\/first" },/' "a lab of a pack that builds on itself" "that is this lab itself"
bad 's/Divide and round up./Divide {nix}./' "a number that no step draws" "{nix} is not drawn"
cp "$lesson" keep.lua
sed -i 's/Divide and round up\./A grid-stride loop./' "$lesson"
check --texts
status_is 0 "a term that the other language lacks is no failure"
has "note mine/first because (line" "but noted"
cp keep.lua "$lesson"

# ---- what an editor reads of the language of lessons ----
is "$(python3 - "$T/mine/.lua/lesson.lua" <<'EOP'
import json, re, sys
text = open(sys.argv[1]).read()
config = json.load(open(sys.argv[1].replace(".lua/lesson.lua", ".luarc.json")))
functions = dict(re.findall(r"^function (\w+)\(([^)]*)\) end$", text, re.M))
keywords = set("and break do else elseif end false for function goto if in local nil not or repeat return then true until while".split())
params = [p for line in functions.values() for p in line.split(", ") if p]
bad = [p for p in list(functions) + params if p in keywords or not re.fullmatch(r"[a-z_]\w*", p)]
print(bad, config["workspace.library"], text.startswith("---@meta\n"), {"lab", "say", "ask", "uniform", "at_most", "pack", "ceil_div"} - set(functions))
EOP
)" "[] ['.lua'] True set()" "stubs: every word is a function, and no name a keyword of Lua"
words=$("$W" man lesson | sed -nE 's/^\.B ([a-z_]+)( \{|\().*/\1/p' | sort -u)
is "$(comm -23 <(echo "$words") <(sed -nE 's/^function (\w+)\(.*/\1/p' mine/.lua/lesson.lua | sort -u) | tr '\n' ' ')" "" "stubs: each word of the manual ($(wc -w <<<"$words"))"

# ---- an answer that is none ----
grep -n 'answer = ' "$lesson" >answers.txt
sed -i '0,/answer = function(d) return.*/s//answer = function(d) return d.nix end, replies = { { 5, en = "No.", zh = "不对。" } },/' "$lesson"
check --texts
status_is 1 "a function that answers nothing"
has "expected a number from the function, found nil" "is a fault, and not -1"
lacks "is always right" "and its replies are not blamed for it"
cp keep.lua "$lesson"

# ---- a skeleton that an editor of 80 columns does not hold ----
cp mine/labs/first.cu keep.cu
lines=$(grep -vc '// zh:' mine/labs/first.cu)
printf '// %077d\n' 0 >>mine/labs/first.cu
check --texts
status_is 0 "a line of 80 columns"
printf '// %078d\n' 0 >>mine/labs/first.cu
check --texts
status_is 1 "a line of 81"
has "the skeleton's lines have at most 80 columns: line $((lines + 2)) of a student's file is wider" "its number"
{ cat keep.cu && printf '// 39 wide characters\n// zh: ' && printf '宽%.0s' $(seq 39) && echo; } >mine/labs/first.cu
check --texts
status_is 1 "81 columns of the Chinese file, where a character takes two"
cp keep.cu mine/labs/first.cu

# ---- what a lesson says wrong, named ----
bad 's/case = { n = 1003, factor = 3 },/case = { m = 1003, factor = 3 },/' "a misspelt parameter of a step's case" "no parameter of that name"
bad '0,/answer = function(d) return.*/s//answer = function(d) return ("12"):match("%d") end,/' "a string pattern" "string.match: a lesson has no string patterns"
run "$W" new mine/My_Lab
status_is 2 "a lab's name with other letters"
has "lower-case letters, digits and single dashes" "the letters are told"
for step in 4 5; do run "$W" preview configuration $step; sed -nE 's/.*[^0-9]([0-9]{3,4}) blocks.*/\1/p' <<<"$out" | head -1; done >blocks.txt
is "$(sort -u blocks.txt | wc -l) $(wc -l <blocks.txt)" "1 2" "preview draws the same numbers for two steps that speak of the same"

# ---- the order of chapters ----
mkdir -p root && cp -r "$root"/labs "$root"/kernels "$root"/answers "$root"/VERSION root/
earlier() { # LAB SED WANT NAME
    cp "root/labs/$1.lua" keep.lua
    sed -i "$2" "root/labs/$1.lua"
    WARPLAB_ROOT=$T/root run "$W" check --texts "$1"
    status_is 1 "found: $4"
    has "$3" "$4: said"
    cp keep.lua "root/labs/$1.lua"
}
WARPLAB_ROOT=$T/root run "$W" check --texts alignment
status_is 0 "a lab in its place"
earlier alignment 's/needs = {.*}/needs = { "timing" }/' "timing is of chapter 9, this of 3" "a lab that builds on a later one"
earlier vector-add 's/This lab.s kernel adds two vectors/As in `texture`, the kernel of this lab adds two vectors/' "names texture" "a step that names a later lab"
earlier matmul-naive 's/The \*arithmetic intensity\* of a program is/A figure of a program is/; s/If the arithmetic intensity is low/If the figure is low/' 'asks with `arithmetic intensity`' "a question with a term that is explained later"

# ---- kept ----
check
status_is 0 "proved"
lacks "as before" "the first time everything is run"
lacks "measured mine/first" "what was measured is for who asks"
check
has "gradings as before" "unchanged gradings are kept"
kept=$(grep -oE '[0-9]+ gradings' <<<"$out")
sed -i 's/Divide and round up\./Divide, and round up./' "$lesson"
check
is "$(grep -oE '[0-9]+ gradings' <<<"$out")" "$kept" "a text that changed costs no grading"
sed -i 's/hidden = { count = 2/hidden = { count = 3/' "$lesson"
check
lacks "as before" "what is asked changed: everything is run"
check
has "gradings as before" "and kept"
WARPLAB_SIM_MACHINE=off check
lacks "as before" "times by counters are other results"
WARPLAB_SIM_REWRITE=off check
lacks "as before" "so are those of other code"
WARPLAB_NVDISASM=/nonexistent check
lacks "as before" "so are those without nvdisasm"
check --again
lacks "as before" "--again runs everything"
echo "// another comment" >>mine/answers/first.cu
check --verbose
has "ok mine/first labs/first.cu: as before" "the skeleton is kept, and it is said which file that is"
is "$(grep -c "labs/first.cu: as before" <<<"$out")" 1 "once"
grep -qE "^measured mine/first predict \(line [0-9]+\): divergent_branches is 1 for kernels/first.cu with factor = 3, n = 1003 \(sim:h200\)" <<<"$out" && ok "what a prediction measures" || not_ok "what a prediction measures ($(cut_text))"
has "measured mine/first answers/first.cu: active_lanes_avg is 31.9996 lanes; the goal is >= 24. The margin: a factor of 1.33 (sim:h200)" "the answer beside each goal's threshold"
has "the goal is 0.5 times as fast. The margin: a factor of " "the speed-up too"
has "ok mine/first the answer passes every goal" "the answer that was touched is run"
fresh=$(grep '^measured' <<<"$out")
check --verbose
has "ok mine/first answers/first.cu: as before" "all of it is kept now"
is "$(grep '^measured' <<<"$out")" "$fresh" "what was measured is kept with it"
is "$(grep -c '^measured' <<<"$out")" 4 "each once: a prediction, two goals, and the call beside the baseline"

# ---- whose pack.lua ----
cp mine/pack.lua pack.keep
sed -i 's/^  order.*/  order = { "frist" },/' mine/pack.lua
run "$W" check mine
status_is 2 "an order with a lab that is not there"
has "$T/mine/pack.lua:" "is said with the folder of the pack"
cp pack.keep mine/pack.lua

# ---- the first cause ----
mv mine/kernels/first.cu b.cu
check
status_is 1 "a baseline that is missing"
is "$(grep -c '^not ok' <<<"$out")" 1 "is one failure"
has "what follows from it was not tried" "and the rest is not tried"
mv b.cu mine/kernels/first.cu
cp "$lesson" keep.lua
sed -i 's/entry = "void first(/entry = "void frist(/' "$lesson"
check
is "$(grep -c '^not ok' <<<"$out")" 1 "an entry that nobody defines is one failure"
cp keep.lua "$lesson"
cp mine/answers/traps/first/slow.cu slow.cu
sed -i 's|^// expect:.*|// expect: fail correct|' mine/answers/traps/first/slow.cu
check
has "expected correct to be missed, it was met" "an expectation that is not met says which"
sed 's|^// kind:.*|// kind: slwo|' slow.cu >mine/answers/traps/first/slow.cu
run "$W" check mine/first
is "$(grep -c '^not ok' <<<"$out") $(grep -c 'states its kind and its verdict' <<<"$out")" "1 1" "a header that is not understood is one failure, on two devices"
sed 's|^// expect:.*|// expect: fail|; s|^// kind:.*|// kind: cheat|; $a slip;' slow.cu >mine/answers/traps/first/slow.cu
check
has "trap slow.cu compiles; \`// expect: compile\` says that it need not" "a trap that fails by not compiling is a fault"
sed -i 's|^// expect:.*|// expect: compile|' mine/answers/traps/first/slow.cu
check
lacks "trap slow.cu compiles" "unless it says so"
cp slow.cu mine/answers/traps/first/slow.cu

# ---- --watch ----
"$W" check mine/first --texts --watch >watch.txt 2>&1 &
pid=$!
waits() { for _ in $(seq 100); do [ "$(grep -c "$1" watch.txt)" -ge "$2" ] && return 0; sleep 0.1; done; return 1; }
waits "texts hold mine/first" 1 && waits "^1 lab: " 1 && ok "--watch: proved at once" || not_ok "--watch: proved at once ($(head -c 300 watch.txt))"
sed -i 's/zh = "相除后向上取整。"/zh = "Divide."/' "$lesson"
waits "FAILED mine/first" 1 && ok "--watch: a save is proved" || not_ok "--watch: a save is proved ($(head -c 300 watch.txt))"
cp keep.lua "$lesson"
waits "texts hold mine/first" 2 && ok "--watch: and mended" || not_ok "--watch: and mended"
waits "^1 lab: " 3 && ok "--watch: a round's last line is there with the round" || not_ok "--watch: a round's last line is there with the round"
kill -INT $pid; wait $pid
is $? 0 "--watch ends with Ctrl-C"
run "$W" check --help
has "again after each save, texts first; Ctrl-C ends it" "which --help says"
run "$W" check --help --lang zh
has "每次保存后再查，先查文字；按 Ctrl-C 结束" "in Chinese too"

# ---- Ctrl-C: what was not tried has not failed ----
XDG_CACHE_HOME=$T/cold "$W" check hello --device sim:h200 >stopped.txt 2>&1 &
pid=$!
for _ in $(seq 200); do ls "$T"/cold/warplab/build/* >/dev/null 2>&1 && break; sleep 0.1; done
kill -INT $pid; wait $pid
is $? 3 "stopped: neither proved nor failed"
out=$(cat stopped.txt)
lacks "not ok" "stopped: no claim has failed"
lacks "FAILED" "stopped: nor the lab"
has "skip hello the skeleton compiles, runs and fails (sim:h200) (stopped)" "stopped: what was under way is skipped"
has "stopped hello: " "stopped: said of the lab"
has "0 do not" "stopped: none counts as failed"

# ---- text, preview, the lesson that is open ----
run "$W" text mine/first --lang zh
has "相除后向上取整。" "text: what is said once answered"
lacks "Divide" "text: one language only"
run "$W" preview mine/first 2 --lang en
status_is 0 "preview: a step"
has "threads cover" "preview: its text, with numbers"
[ -e "$WARPLAB_WORK" ] && not_ok "preview makes no file" || ok "preview makes no file"
for n in 3 4 5 6 7 8 9; do
    run "$W" preview mine/first $n --lang en
    [[ $out == *"student's file"* ]] && break
done
has "A student's file is made from the skeleton" "preview: what a student's file is made from"
lacks "Your file" "preview: a pack's skeleton is nobody's file"
run "$W" preview mine/first $n --lang zh
has "学生的文件由骨架代码生成：" "preview: and in Chinese"
run "$W" preview mine/first 99
status_is 2 "preview: a step that is not there"
run "$W" list --json
is "$(json "$T/out" '[l["started"] for l in j if l["id"] == "mine/first"]')" "[False]" "preview keeps no progress"
mkfifo line
timeout 60 "$W" --lang en <line >session.txt 2>&1 &
exec 9>line
echo "start mine/first" >&9
for _ in $(seq 100); do grep -q 'first.cu' session.txt && break; sleep 0.1; done
sed -i 's/start from a question that the measurement will answer/NEW WORDS/' "$lesson"
echo "read" >&9
echo "quit" >&9
exec 9>&-
wait $!
grep -q "read again" session.txt && grep -q "NEW WORDS" session.txt && ok "a lesson that is saved is read again at the prompt" || not_ok "a lesson that is saved is read again at the prompt ($(tail -c 300 session.txt | tr '\n' '|'))"
finish
