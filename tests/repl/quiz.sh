#!/bin/bash
# slow: make test FAST=1 leaves it out
# timeout: 200
# Labs that are answered rather than programmed: a quiz, scored by its questions at the prompt, and
# a sheet of answers, judged against what the device counts. The labs are tests/repl/root's own.
. "$(dirname "$0")/../lib.sh"
cp -r "$root/tests/repl/root" "$T/root"
ln -s "$root/runner" "$T/root/runner" # the glue's header
export WARPLAB_ROOT="$T/root" WARPLAB_DEVICE=sim:h200
LIMIT=120

# at_prompt LANG LINES: what a script of lines at the prompt says
at_prompt() { out=$(printf "$2" | timeout 100 $W --lang "$1" 2>&1); status=$?; }

# ---- proved ----
run $W check
status_is 0 "check proves a quiz and a sheet"
run $W list --json
is "$(json "$T/out" '[(l["id"], l["quiz"], l["points"]) for l in j]')" "[('little-quiz', True, 6.0), ('sheet', False, 12.0)]" "list: which is a quiz"

# A circle, and bytes that are not UTF-8: neither is proved.
cp -r "$T/root" "$T/circle"
sed -i 's/^  id = "little-quiz",/&  needs = { "second" },/' "$T/circle/labs/little-quiz.lua"
sed 's/"little-quiz"/"second"/; s/needs = { "second" }/needs = { "little-quiz" }/' "$T/circle/labs/little-quiz.lua" >"$T/circle/labs/second.lua"
run env WARPLAB_ROOT="$T/circle" "$W" check little-quiz
status_is 1 "check: two labs that build on each other are not proved"
has "second, which it builds on, builds on it" "check: says which"
printf '// caf\351\n' >>"$T/circle/labs/sheet.cu"
run env WARPLAB_ROOT="$T/circle" "$W" check sheet
has "not ok sheet the skeleton is UTF-8: line $(wc -l <"$T/circle/labs/sheet.cu") has a byte that is not" "check: a skeleton that is not UTF-8"

# ---- the quiz ----
# n is between 200 and 250, so 7 or 8 blocks of 32 are right, and never 6.
at_prompt en 'start little-quiz\nedit\nhint\nn\n16\n32\nn\n1024\ncheck\nn\n5\nn\n3\n1\nn\nyes\ncheck\n'
status_is 1 "not passed: one of five at the first try"
has "That is half of one." "a wrong answer with a reply of its own"
lacks "ragged" "a wrong answer without one"
has "Only for multiples of 32." "the choice that was taken says why"
numbers=$(grep -o 'n = [0-9]*' <<<"$out" | sort -u | wc -l)
is "$numbers" 1 "two questions speak of the same n"
has "The answer is" "with two choices one try counts, and the answer is told"
has "there is no file of yours" "edit: a quiz has no file"
has "step 2: right, but not at the first try" "the second try is told apart"
has "step 4: not answered yet" "what is open is named"
has "All questions are answered" "the last answer says so"
has "Not passed yet: 1.2 of 6 points" "a fifth of six points"
at_prompt zh 'start little-quiz\nread 2\n32\ncheck\n'
has "第 2 步：答对了，但不是第一次" "a later session does not make it a first try"
at_prompt en 'start little-quiz\nreset\nread 2\n32\nread 3\n1024\nread 4\n32\nread 5\n6\n6\nread 6\nnot always\ncheck\nprogress\n'
status_is 0 "begun anew, it is passed"
has "Passed: 4.8 of 6 points" "with four of five"
letters=$(for _ in 1 2 3 4 5 6 7 8 9 10; do printf 'start little-quiz\nread 6\n\n' | $W --lang en | grep -o '^  [ab]  yes'; done | sort -u | wc -l)
is "$letters" 2 "choices change places"
has "1 of 2 labs passed" "and progress knows"
run $W grade little-quiz "$T/root/labs/sheet.cu"
status_is 2 "grade: a quiz has no file"
has "points are for answers to its questions at the prompt" "and says how it is scored"
is "$(wc -l <"$T/err")" 1 "in one line"

# ---- the sheet ----
run $W grade sheet "$T/root/labs/sheet.cu"
status_is 1 "the empty sheet fails"
has "not answered" "and says what is not answered"
# By the source: in[i] is a row, box is shared memory, the store strides by 32 words; line 9 stores,
# line 5 of late.cu writes past n = 1000 of 1024 threads; 32768 threads are 1024 warps; 8 warps
# on a multiprocessor, of which each waits once for DRAM.
sheet() { printf '// answer accesses: %s\nanswer hot-line: %s\n// answer bug: %s\n//answer requests: %s\n// answer limiter: %s\n// answer group: %s\n' "$@" >"$T/sheet.cu"; }
sheet "C x U" "line 9" 5 "1,024" Latency "线程束"
run $W grade sheet "$T/sheet.cu" --json "$T/j"
status_is 0 "the right answers pass, however they are written"
is "$(json "$T/j" 'j["verdict"], j["score"], [(g["kind"], g["name"]) for g in j["goals"]][:2]')" "('pass', 12, [('answer', 'accesses'), ('answer', 'hot-line')])" "the JSON"
sheet "c x c" 5 4 1023 launch block
run $W grade sheet "$T/sheet.cu" --json "$T/j"
is "$(json "$T/j" '[g["points"] for g in j["goals"]]')" "[1.33, 0, 0, 0, 0, 0]" "wrong ones earn nothing; two letters of three a part"
lacks "latency is" "the right one is not given away"
sheet "c x" "5 and 9" x y fast ""
run $W grade sheet "$T/sheet.cu" --lang zh
has "看不懂" "what is no answer is told, in Chinese"
sheet "c x u" 9 5 1024 latency warp
printf '// answer limiter: dram\n' >>"$T/sheet.cu"
run $W grade sheet "$T/sheet.cu"
has "more than one value" "one answer counts"
at_prompt en 'start sheet\nrun\ncheck\n'
has "holds answers and is not run" "run: a sheet is no program"
has "Not passed yet: 0 of 12 points" "check judges the file"
is "$(head -2 "$WARPLAB_WORK/sheet.cu" | tr '\n' '|')" "// Your answers: put each behind its colon, in place of TODO.|//|" "the copy has the comments of one language"
at_prompt zh 'start sheet\nreset\n'
is "$(head -2 "$WARPLAB_WORK/sheet.cu" | tr '\n' '|')" "// 你的答案：写在冒号后面，代替 TODO。|//|" "or of the other"
cp "$T/root/answers/sheet.cu" "$WARPLAB_WORK/sheet.cu"
at_prompt zh 'start sheet\ncheck\n'
status_is 0 "the filled-in file passes at the prompt"
has "通过：12 / 12 分" "with all points"
# A text that stands in two lines of the program is the lesson's mistake, not the student's.
sed -i 's/"in\[i\]"/"threadIdx.x"/' "$T/root/labs/sheet.lua"
run $W grade sheet "$T/sheet.cu"
status_is 3 "an access that cannot be found: could not grade"
has '"threadIdx.x" stands in 3 lines of stride.cu' "and why"
finish
