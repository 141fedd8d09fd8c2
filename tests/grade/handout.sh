#!/bin/bash
# timeout: 150
# A course handed out: what students get has no answers, traps or hidden cases, what the grader gets
# is all of it; `answer` keeps to the pack's word.
. "$(dirname "$0")/../lib.sh"
export WARPLAB_DEVICE=sim:h200
cd "$T" || exit 1
run "$W" new --pack mine
# Words that look like the field, where none is.
sed -i '1i -- hidden = { a comment }\n--[[ lab { hidden = 1 } ]]\nlocal text = "lab { hidden = { 7 } }"' mine/labs/first.lua
run "$W" export mine hand
status_is 0 "a pack is exported"
s=hand/students/mine g=hand/grader/mine
[ -f $g/answers/first.cu ] && [ -f $g/answers/traps/first/slow.cu ] && cmp -s $g/labs/first.lua mine/labs/first.lua && ok "the grader gets all of it" || not_ok "the grader gets all of it"
is "$(cd $s && find . -type f | sort | tr '\n' ' ')" "./kernels/first.cu ./labs/first.cu ./labs/first.lua ./pack.lua " "students get skeleton, baseline and lesson"
is "$(diff mine/labs/first.lua $s/labs/first.lua | grep -c '^[<>]')" 2 "one line of the lesson differs"
is "$(diff mine/labs/first.lua $s/labs/first.lua | grep '^<')" "<   hidden = { count = 2, n = { 2, 20000 }, factor = { 2, 9 } }," "the hidden cases"
grep -q 'hidden = { a comment }' $s/labs/first.lua && grep -q 'lab { hidden = { 7 } }' $s/labs/first.lua && ok "comments and texts stay" || not_ok "comments and texts stay"
echo old >>hand/students/mine/labs/first.lua
run "$W" export mine hand
status_is 0 "an export into an earlier one of the same pack"
is "$(find hand -maxdepth 2 | sort | tr '\n' ' ') $(grep -c '^old' $s/labs/first.lua)" "hand hand/README.md hand/grader hand/grader/mine hand/students hand/students/mine  0" "replaces it, and leaves nothing else"
echo mine >hand/students/notes.txt
run "$W" export mine hand
status_is 2 "a folder with anything else is not touched"
has "other files than an earlier export of mine" "and why"
rm hand/students/notes.txt
run "$W" export nosuch out2
status_is 2 "a pack that is not there"

# Installed as a student would, it is graded by what is public; the grader's has hidden cases.
run "$W" pack remove mine
run "$W" pack add $s
status_is 0 "students install it"
run "$W" grade mine/first mine/answers/first.cu
status_is 0 "and can grade by it"
lacks "hidden" "without hidden cases"
answer() { out=$(printf 'start mine/first\nanswer\ny\n' | timeout 60 "$W" --lang en 2>&1); }
answer
has "This hand-out does not contain the model answer" "answer: there is none"
run "$W" pack remove mine
run "$W" pack add $g
run "$W" grade mine/first mine/answers/first.cu
has "a hidden case" "the grader's has hidden cases"

# Locked answers.
locked() { # answers = ...
    sed -i "/^  answers/d; s|^  version.*|&\n  answers = \"$1\",|" mine/pack.lua
    rm -rf hand
    run "$W" export ./mine hand
    run "$W" pack remove mine
    run "$W" pack add $s
    answer
}
locked passed
has "once you have passed the lab" "answer: locked until passed"
[ -f $s/answers/first.cu ] && [ ! -e $s/answers/traps ] && ok "the answer comes along, traps do not" || not_ok "the answer comes along, traps do not"
locked "2199-01-01 00:00"
has "from 2199-01-01 00:00 UTC" "answer: locked until a date"
locked "2020-01-01 00:00"
lacks "once you have passed" "answer: open after the date"
has "+ the model answer" "answer: shown"
sed -i "s|^  answers.*|  answers = \"sometime\",|" mine/pack.lua
run "$W" pack add mine
has "pack.answers: expected" "a moment that is none"

# Hidden cases that cannot be taken out are not handed out.
sed -i 's|^  answers.*||' mine/pack.lua
sed -i 's/^return lab {/local t = {/; s/^  hidden = {/  hidden = {/' mine/labs/first.lua
sed -i '$s/}/}\nreturn lab(t)/' mine/labs/first.lua
rm -rf hand
run "$W" export ./mine hand
status_is 1 "hidden cases that are not a plain field"
has "cannot remove the hidden cases" "are told"
[ -e $s ] && not_ok "and nothing is handed out" || ok "and nothing is handed out"

# ---- a part of it ----
# pack NAME: a pack of two labs, the second building on the first.
"$W" new --pack two >/dev/null && "$W" new two/second >/dev/null || not_ok "a pack of two"
sed -i 's|order = .*|order = { "first", "second" }, weights = { first = 10, second = 30 }, deadlines = { second = "2199-01-01 00:00" },|' two/pack.lua
run "$W" export two part --labs second
status_is 0 "one lab of two is exported"
is "$(cd part && find . -type f -name '*.lua' | sort | tr '\n' ' ')" \
    "./grader/two/labs/second.lua ./grader/two/pack.lua ./students/two/labs/second.lua ./students/two/pack.lua " "it and no other, to both"
is "$(find part -name 'first*')" "" "nothing of the other, traps included"
run "$W" pack remove two
run "$W" pack add part/grader/two
status_is 0 "it is a pack"
run "$W" check two/second --texts
lacks "no such lab" "and can be checked"
grep -q 'second"\] = 30' part/grader/two/pack.lua && grep -q '2199-01-01' part/grader/two/pack.lua && ok "with its weight and deadline" || not_ok "with its weight and deadline"
run "$W" export ./two part2 --labs second,thrid
status_is 1 "a lab that is not there"
has '--labs: expected labs of two such as first, parted by commas; found `thrid`' "is named"
sed -i 's|  needs = { .* },|  needs = { "first" },|' two/labs/second.lua
grep -q 'needs = { "first" }' two/labs/second.lua || sed -i 's|^return lab {|&\n  needs = { "first" },|' two/labs/second.lua
run "$W" export ./two part3 --labs second
status_is 1 "a lab without what it builds on"
has "second builds on first, which is left out" "is told so"

# ---- one language ----
for lang in en zh; do
    rm -rf one
    run "$W" export ./two one --only $lang
    status_is 0 "one language is exported: $lang"
    s=one/students/two
    case $lang in
    en) is "$(grep -rlP '\p{Han}' $s)" "" "en: no Chinese is left in what students get" ;;
    zh) is "$(grep -rc '\ben = ' $s --include=*.lua | grep -v ':0$')" "" "zh: no English text is left in the lessons" ;;
    esac
    grep -rqP '\p{Han}' one/grader/two && ok "$lang: the grader keeps both" || not_ok "$lang: the grader keeps both"
    run "$W" pack remove two
    run "$W" pack add $s
    status_is 0 "$lang: students install it"
    out=$(printf 'start two/first\nread 1\n' | timeout 60 "$W" --lang en 2>&1)
    lacks "is missing" "$lang: and it can be read"
done
# A pack that is written so from the start.
"$W" pack remove two >/dev/null
"$W" pack add --link one/grader/two >/dev/null
cp -r $s/labs/*.lua one/grader/two/labs/
run "$W" check two/first --texts
has "title: the English text (en) is missing" "check: a pack of two languages misses the other"
sed -i 's|  version = .*|&\n  language = "zh",|' one/grader/two/pack.lua
run "$W" check two/first --texts
has "the pack is in Chinese only" "check: a pack of one language is told so"
lacks "is missing" "and misses nothing"
lacks "text is the English one" "nor asks for a translation"
sed -i 's|language = "zh"|language = "fr"|' one/grader/two/pack.lua
run "$W" pack add one/grader/two
has 'pack.language: expected "en" or "zh"' "a language that is none"
finish
